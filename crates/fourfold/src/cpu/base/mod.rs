pub(crate) mod execute;
pub(crate) mod memory;
pub(crate) mod sizes;
pub(crate) mod threads;
