//! What drivers say of failures.

use crate::error::unavailable;
use opencl3::error_codes::{
    CL_DEVICE_NOT_AVAILABLE, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, ClError,
};

pub(crate) type Driver<T> = std::result::Result<T, ClError>;

pub(crate) fn failed(what: &str) -> impl Fn(ClError) -> fourfold::Error + '_ {
    move |error| unavailable(format!("OpenCL cannot {what}: {error} ({}){}", error.0, meaning(error.0)))
}

/// What an error code means for the device.
pub(crate) fn meaning(code: i32) -> &'static str {
    match code {
        CL_DEVICE_NOT_AVAILABLE => "; the device is lost to this process, and a new one must be started",
        CL_MEM_OBJECT_ALLOCATION_FAILURE | CL_OUT_OF_HOST_MEMORY => "; the device or the host is out of memory",
        CL_OUT_OF_RESOURCES => "; the device is out of memory, or lost to this process",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fourfold::ErrorKind;

    #[test]
    fn codes_of_lost_devices_and_lacking_memory_are_explained() {
        let message = |code: i32| {
            let error = failed("launch a kernel")(ClError(code));
            assert_eq!(error.kind(), ErrorKind::Unavailable);
            assert!(error.to_string().contains("launch a kernel") && error.to_string().contains(&code.to_string()));
            error.to_string()
        };
        // From cl.h: out of host memory, out of resources, memory object allocation failure, device
        // not available.
        assert!([-2, -5].iter().all(|code| message(*code).contains("lost")), "{}", message(-2));
        assert!([-4, -5, -6].iter().all(|code| message(*code).contains("out of memory")), "{}", message(-4));
        assert!(!message(-54).contains("lost") && !message(-54).contains("memory"), "an invalid work group size");
    }
}
