//! The backends by their names.

use crate::backend::cuda::context::Cuda;
use crate::backend::interface::Backend;
use crate::backend::opencl::context::OpenCl;
use crate::limits::Api;

/// The backend of an API.
pub(crate) fn backend(api: Api) -> &'static dyn Backend {
    match api {
        Api::Cuda => &Cuda,
        Api::OpenCl => &OpenCl,
    }
}
