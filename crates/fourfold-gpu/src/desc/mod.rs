pub(crate) mod descriptor;
pub(crate) mod sizes;
