//! Compiles kernels with NVRTC, and loads them with the driver.

use crate::backend::cuda::context::{Context, Driver, failed, version_number};
use crate::backend::cuda::nvrtc;
use crate::backend::cuda::releases::Releases;
use crate::backend::interface;
use crate::backend::interface::Compile;
use crate::backend::types::BlockSize;
use crate::print::printer::NAME;
use cudarc::driver::sys::{CUfunction_attribute, CUlaunchConfig, cuDriverGetVersion, cuOccupancyMaxActiveClusters};
use cudarc::driver::{CudaContext, CudaFunction};
use cudarc::nvrtc::Ptx;
use cudarc::nvrtc::sys::nvrtcVersion;
use fourfold::Result;
use std::fs;
use std::ptr;
use std::sync::{Arc, LazyLock};

/// The version of NVIDIA's module, which no function of the driver returns. Only Linux has it.
fn module() -> String {
    let text = fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
    module_version(&text).map_or(String::new(), |version| format!("NVIDIA driver {version}, "))
}

/// The number in the first line of the module's file.
fn module_version(text: &str) -> Option<&str> {
    let is_number = |word: &&str| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit());
    text.lines().next()?.split_whitespace().find(is_number)
}

pub(crate) struct Kernel {
    pub(crate) function: CudaFunction,
    threads: usize,
    context: Arc<CudaContext>,
    releases: Arc<Releases>,
}

impl interface::Kernel for Kernel {
    fn threads(&self) -> usize {
        self.threads
    }

    /// The kernel's text has the size of its clusters.
    fn clusters(&self, blocks: usize, size: BlockSize) -> Option<usize> {
        let config = CUlaunchConfig {
            gridDimX: blocks as u32,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: size.threads as u32,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: size.shared_bytes as u32,
            hStream: ptr::null_mut(),
            attrs: ptr::null_mut(),
            numAttrs: 0,
        };
        self.context.bind_to_thread().ok()?;
        let mut count = 0;
        // SAFETY: the function is loaded, and what the call reads and writes lives until it returns.
        let asked = unsafe { cuOccupancyMaxActiveClusters(&mut count, self.function.cu_function(), &config) };
        asked.result().ok().map(|()| count.max(0) as usize)
    }
}

impl Drop for Kernel {
    /// The module is unloaded with the last copy of its function. Nothing in the documentation of `cuModuleUnload` says that it
    /// waits for kernels that still run.
    fn drop(&mut self) {
        self.releases.release(self.function.clone());
    }
}

impl Compile for Context {
    fn software(&self) -> String {
        let (mut driver, mut major, mut minor) = (0, 0, 0);
        // SAFETY: both libraries are loaded, and write to what lives until they return.
        unsafe {
            let _ = cuDriverGetVersion(&mut driver);
            let _ = nvrtcVersion(&mut major, &mut minor);
        }
        // It is asked for each kernel, and the module stays the same while a process uses it.
        static MODULE: LazyLock<String> = LazyLock::new(module);
        let module = &*MODULE;
        format!("{module}driver for CUDA {}, NVRTC {major}.{minor}", version_number(driver))
    }

    fn options(&self) -> String {
        nvrtc::options(&self.architecture).join(" ")
    }

    fn compile(&self, source: &str, shared_bytes: usize) -> Result<(Box<dyn interface::Kernel>, Vec<u8>)> {
        let (code, _) = nvrtc::compile(source, &self.architecture, &[])?;
        Ok((self.load(&code, shared_bytes)?, code))
    }

    fn load(&self, code: &[u8], shared_bytes: usize) -> Result<Box<dyn interface::Kernel>> {
        self.releases.give_back();
        let load = || -> Driver<Kernel> {
            let module = self.context.load_module(Ptx::from_binary(code.to_vec()))?;
            let function = module.load_function(NAME)?;
            let most = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            function.set_attribute(most, shared_bytes as i32)?;
            let threads = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
            let threads = function.get_attribute(threads)? as usize;
            Ok(Kernel { function, threads, context: Arc::clone(&self.context), releases: Arc::clone(&self.releases) })
        };
        Ok(Box::new(load().map_err(|e| failed("load a kernel", e))?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_module_s_version_is_read_from_either_form_of_its_line() {
        let closed =
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Tue Jun  6\nGCC version:  gcc 12.2.0\n";
        assert_eq!(module_version(closed), Some("535.54.03"));
        let open = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build\n";
        assert_eq!(module_version(open), Some("580.95.05"));
        assert_eq!(module_version(""), None);
    }
}
