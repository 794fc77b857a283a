//! Compiles kernels with the driver, and loads them.

use crate::backend::interface;
use crate::backend::interface::Compile;
use crate::backend::opencl::context::{Context, failed};
use crate::error::unavailable;
use crate::print::printer::NAME;
use fourfold::Result;
use opencl3::platform::Platform;
use opencl3::program::Program;
use std::sync::Mutex;

/// The compiler's options.
const OPTIONS: &str = "";

/// Arguments are part of a kernel's state: one launch at a time.
pub(crate) struct Kernel {
    pub(crate) kernel: Mutex<opencl3::kernel::Kernel>,
}

impl interface::Kernel for Kernel {}

impl Compile for Context {
    fn versions(&self) -> String {
        let device = self.device();
        let platform = device.platform().and_then(|platform| Platform::new(platform).version());
        let driver = device.driver_version();
        format!("{}, driver {} {OPTIONS}", platform.unwrap_or_default(), driver.unwrap_or_default())
    }

    /// A kernel declares its shared memory itself.
    fn compile(&self, source: &str, _: usize) -> Result<(Box<dyn interface::Kernel>, Vec<u8>)> {
        let refused = |log: String| unavailable(format!("OpenCL refuses a kernel:\n{log}"));
        let program = Program::create_and_build_from_source(&self.context, source, OPTIONS).map_err(refused)?;
        let code = program.get_binaries().map_err(failed("return a kernel's machine code"))?.concat();
        Ok((kernel(&program)?, code))
    }

    fn load(&self, code: &[u8], _: usize) -> Result<Box<dyn interface::Kernel>> {
        let program = Program::create_and_build_from_binary(&self.context, &[code], OPTIONS);
        kernel(&program.map_err(failed("load a kernel"))?)
    }
}

fn kernel(program: &Program) -> Result<Box<dyn interface::Kernel>> {
    let kernel = opencl3::kernel::Kernel::create(program, NAME).map_err(failed("create a kernel"))?;
    Ok(Box::new(Kernel { kernel: Mutex::new(kernel) }))
}
