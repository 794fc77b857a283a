pub(crate) mod execute;
pub(crate) mod machine;
pub(crate) mod memory;
pub(crate) mod shares;
pub(crate) mod sizes;
pub(crate) mod spin;
pub(crate) mod strided;
pub(crate) mod threads;
