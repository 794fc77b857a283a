//! Kernels by their descs: those in use, those on disk, those that must be compiled.

use crate::backend::runtime::{Kernel, Runtime};
use crate::desc::kernel::KernelDesc;
use crate::limits::Limits;
use crate::print::printer::print;
use crate::run::disk_cache::Cache;
use crate::write::writer::kernel;
use fourfold::{Error, Result};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// The kernels of a device.
pub(crate) struct KernelCache {
    runtime: Runtime,
    /// Within which kernels are planned.
    limits: Limits,
    cache: Option<Cache>,
    kernels: Mutex<HashMap<KernelDesc, Arc<Kernel>>>,
}

impl KernelCache {
    pub(crate) fn new(runtime: Runtime, limits: Limits, cache: Option<Cache>) -> KernelCache {
        KernelCache { runtime, limits, cache, kernels: Mutex::default() }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The kernels of `descs`. Those that are not there yet are made at the same time: compilers
    /// take most of a plan's time.
    pub(crate) fn kernels(&self, descs: &[KernelDesc]) -> Result<Vec<Arc<Kernel>>> {
        let mut missing: Vec<&KernelDesc> = vec![];
        for desc in descs {
            if self.find(desc).is_none() && !missing.contains(&desc) {
                missing.push(desc);
            }
        }
        self.make_all(&missing)?;
        Ok(descs.iter().map(|desc| self.find(desc).expect("all are made")).collect())
    }

    fn make_all(&self, descs: &[&KernelDesc]) -> Result<()> {
        let next = AtomicUsize::new(0);
        let work = || -> Result<()> {
            while let Some(desc) = descs.get(next.fetch_add(1, Ordering::Relaxed)) {
                let made = Arc::new(self.make(desc)?);
                self.lock().insert((*desc).clone(), made);
            }
            Ok(())
        };
        let most = thread::available_parallelism().map_or(1, |n| n.get());
        thread::scope(|scope| {
            let helpers: Vec<_> = (1..descs.len().min(most)).map(|_| scope.spawn(work)).collect();
            let own = work();
            let join = |helper: thread::ScopedJoinHandle<'_, _>| helper.join().expect("making a kernel does not panic");
            helpers.into_iter().map(join).fold(own, Result::and)
        })
    }

    fn make(&self, desc: &KernelDesc) -> Result<Kernel> {
        let source = print(self.runtime.dialect(), &desc.frame(), &kernel(desc));
        let refused = |e: Error| Error::new(e.kind(), format!("{e}\n{source}\nThe kernel's descriptor: {desc:?}"));
        compiled(&self.runtime, self.cache.as_ref(), &source, desc.shared_bytes()).map_err(refused)
    }

    /// A kernel that is not kept here.
    pub(crate) fn compile(&self, source: &str, shared_bytes: usize) -> Result<Kernel> {
        let refused = |e: Error| Error::new(e.kind(), format!("{e}\n{source}"));
        compiled(&self.runtime, self.cache.as_ref(), source, shared_bytes).map_err(refused)
    }

    fn find(&self, desc: &KernelDesc) -> Option<Arc<Kernel>> {
        self.lock().get(desc).cloned()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<KernelDesc, Arc<Kernel>>> {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A kernel from disk, or compiled and kept there.
pub(crate) fn compiled(runtime: &Runtime, cache: Option<&Cache>, source: &str, shared_bytes: usize) -> Result<Kernel> {
    let key = format!("{}\n{source}", runtime.target());
    let kept = cache.and_then(|cache| cache.load(&key));
    // A driver may refuse what an earlier one with the same name made.
    if let Some(kernel) = kept.and_then(|binary| runtime.load(&binary, shared_bytes).ok()) {
        return Ok(kernel);
    }
    let (kernel, binary) = runtime.compile(source, shared_bytes)?;
    if let Some(cache) = cache {
        cache.store(&key, &binary);
    }
    Ok(kernel)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device_tests::present;
    use crate::limits::Api;
    use crate::lower::passes::lower;
    use crate::run::inspect::Target;
    use fourfold::{ErrorKind, Planner};

    #[test]
    fn refused_kernels_are_shown_with_their_descriptor_and_the_compiler_s_log() {
        let Some(device) = Api::ALL.into_iter().find_map(present) else { return };
        let kernel_cache = KernelCache::new(device.runtime.clone(), device.target().limits().clone(), None);
        let recipe = Planner::new().recipe(&"dct2 f32 16x16".parse().unwrap()).unwrap();
        let descs = lower(Target::opencl().limits(), &recipe, false, None, &[]).unwrap().descs();
        // More threads than 32 bits can say.
        let broken = KernelDesc { threads: 1 << 33, ..descs[0].clone() };
        let error = kernel_cache.kernels(&[descs[0].clone(), broken.clone()]).err().expect("must be refused");
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        let message = error.to_string();
        let log = message.split("typedef").next().unwrap();
        assert!(log.contains("refuses a kernel") && log.contains("8589934592"), "no compiler's log: {message}");
        assert!(message.contains("DFTs of 16") && message.contains(&format!("{broken:?}")), "{message}");
        assert!(kernel_cache.find(&broken).is_none() && kernel_cache.kernels(&descs).is_ok());
    }
}
