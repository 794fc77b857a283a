pub(crate) mod nccl;
pub(crate) mod queues;
