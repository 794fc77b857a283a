pub(crate) mod arrays;
pub(crate) mod parse;
pub(crate) mod progress;
pub(crate) mod recipe;
pub(crate) mod search;
pub(crate) mod step;
pub(crate) mod subject;
