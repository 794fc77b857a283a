pub(crate) mod cache_entry;
pub(crate) mod counts;
pub(crate) mod disk_cache;
pub(crate) mod executable;
pub(crate) mod folder;
pub(crate) mod inspect;
pub(crate) mod kernel_cache;
pub(crate) mod scratch;
