//! Compiles kernels with the driver, and loads them.
//!
//! Several threads compile at once. Each has its own program, and all functions of OpenCL but
//! `clSetKernelArg` may be called at once (OpenCL 1.2, appendix A.2 "Multiple Host Threads"). A
//! driver keeps a kernel that is released until nothing that was enqueued needs it
//! (`clReleaseKernel`): so plans can be dropped while they run.

use crate::backend::interface;
use crate::backend::interface::Compile;
use crate::backend::opencl::context::Context;
use crate::backend::opencl::errors::{Driver, failed};
use crate::backend::opencl::owned::Owned;
use crate::error::unavailable;
use crate::print::printer::NAME;
use cl3::kernel::{CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, get_kernel_sub_group_info};
use fourfold::Result;
use opencl3::kernel;
use opencl3::platform::Platform;
use opencl3::program;
use opencl3::program::{CL_PROGRAM_BINARIES, CL_PROGRAM_BUILD_LOG};
use opencl3::types::{cl_device_id, cl_program};
use std::ffi::CString;
use std::ptr;
use std::sync::Mutex;

/// The compiler's options.
const OPTIONS: &str = "";

/// Arguments are part of a kernel's state: one launch at a time.
pub(crate) struct Kernel {
    pub(crate) kernel: Mutex<Owned<kernel::Kernel>>,
    threads: usize,
    shared_bytes: usize,
    /// Work items of a sub-group, if kernels exchange registers by `cl_khr_subgroup_shuffle`.
    subgroup: Option<usize>,
}

impl interface::Kernel for Kernel {
    fn threads(&self) -> usize {
        self.threads
    }

    fn shared_bytes(&self) -> Option<usize> {
        Some(self.shared_bytes)
    }

    fn subgroup(&self) -> Option<usize> {
        self.subgroup
    }
}

impl Compile for Context {
    fn software(&self) -> String {
        let device = self.device();
        let platform = device.platform().map(Platform::new);
        let named = platform.and_then(|platform| Ok(format!("{}, {}", platform.name()?, platform.version()?)));
        format!("{}, driver {}", named.unwrap_or_default(), device.driver_version().unwrap_or_default())
    }

    fn options(&self) -> String {
        OPTIONS.into()
    }

    /// A kernel declares its shared memory itself.
    fn compile(&self, source: &str, _: usize) -> Result<(Box<dyn interface::Kernel>, Vec<u8>)> {
        let refused = |log: String| unavailable(format!("OpenCL refuses a kernel:\n{log}"));
        let program = program::create_program_with_source(self.context.get(), &[source]);
        let program = Program(program.map_err(|e| failed("read a kernel")(e.into()))?);
        self.build(&program).map_err(|error| refused(format!("{error}, build log: {}", self.log(&program))))?;
        let code = program::get_program_info(program.0, CL_PROGRAM_BINARIES);
        let code: Vec<Vec<u8>> = code.map_err(|e| failed("return a kernel's machine code")(e.into()))?.into();
        Ok((self.kernel(&program)?, code.concat()))
    }

    fn load(&self, code: &[u8], _: usize) -> Result<Box<dyn interface::Kernel>> {
        let devices = [self.context.default_device()];
        // SAFETY: the device is the context's.
        let program = unsafe { program::create_program_with_binary(self.context.get(), &devices, &[code]) };
        let program = Program(program.map_err(|e| failed("load a kernel")(e.into()))?);
        self.build(&program).map_err(failed("load a kernel"))?;
        self.kernel(&program)
    }
}

impl Context {
    fn build(&self, program: &Program) -> Driver<()> {
        let options = CString::new(OPTIONS).expect("the options have no zero bytes");
        Ok(program::build_program(program.0, &[self.context.default_device()], &options, None, ptr::null_mut())?)
    }

    /// What the compiler says of a program.
    fn log(&self, program: &Program) -> String {
        let log = program::get_program_build_info(program.0, self.context.default_device(), CL_PROGRAM_BUILD_LOG);
        log.map_or_else(|e| format!("none ({e})"), String::from)
    }

    /// A program's kernel, and how many work items of a work group the compiler has left room for.
    /// A size that the kernel's attribute requires is one that the compiler has accepted, even if the
    /// driver answers less: NVIDIA's says 256 for kernels of 416 work items, which run.
    fn kernel(&self, program: &Program) -> Result<Box<dyn interface::Kernel>> {
        let name = CString::new(NAME).expect("the name has no zero bytes");
        let kernel = kernel::create_kernel(program.0, &name).map_err(|e| failed("create a kernel")(e.into()))?;
        let kernel = Owned::new(kernel::Kernel::new(kernel));
        let device = self.context.default_device();
        let sizes = kernel.get_work_group_size(device).and_then(|most| {
            let required = kernel.get_compile_work_group_size(device)?.iter().product();
            Ok((most, required, kernel.get_local_mem_size(device)? as usize))
        });
        let (most, required, shared_bytes) = sizes.map_err(failed("ask for a kernel's work group size"))?;
        let subgroup = self.shuffles.then(|| subgroup(&kernel, device, required));
        Ok(Box::new(Kernel { kernel: Mutex::new(kernel), threads: most.max(required), shared_bytes, subgroup }))
    }
}

/// Work items of a sub-group of work groups with so many; 0 if the driver does not say.
fn subgroup(kernel: &kernel::Kernel, device: cl_device_id, threads: usize) -> usize {
    let (size, group) = (size_of::<usize>(), ptr::from_ref(&threads).cast());
    let asked = CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE;
    let info = get_kernel_sub_group_info(kernel.get(), device, asked, size, group);
    info.map_or(0, usize::from)
}

/// A program, which is of no use when its kernel was created.
struct Program(cl_program);

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: was created, and is released once. After a failure nothing is left to do.
        let _ = unsafe { program::release_program(self.0) };
    }
}
