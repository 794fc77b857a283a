//! Kernels by their descs: those in use, those on disk, those that must be compiled.

use crate::backend::runtime::{Kernel, Runtime};
use crate::backend::types::BlockSize;
use crate::desc::kernel::KernelDesc;
use crate::error::unavailable;
use crate::limits::{Api, Limits};
use crate::print::printer::print;
use crate::run::disk_cache::Cache;
use crate::write::writer::kernel;
use fourfold::{Error, Result};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Kernels that stay loaded though no plan uses them, for the next plan like the last. A plan has
/// one to six; tuning a problem tries some tens.
pub(crate) const UNUSED: usize = 32;

/// Bytes of shared memory that a system takes for each block beside those that blocks can have (CUDA
/// C++ Programming Guide, "Compute Capabilities"); a driver may count them.
const RESERVED: usize = 1 << 10;

/// The kernels of a device.
pub(crate) struct KernelCache {
    runtime: Runtime,
    /// Within which kernels are planned.
    limits: Limits,
    cache: Option<Cache>,
    kernels: Mutex<Loaded>,
}

/// Kernels, and when each was asked for.
#[derive(Default)]
struct Loaded {
    kernels: HashMap<KernelDesc, (Arc<Kernel>, u64)>,
    /// How often kernels were asked for.
    time: u64,
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
        let fitting = |(desc, kernel): (&KernelDesc, Result<Arc<Kernel>>)| {
            let kernel = kernel?;
            match self.check(&kernel, desc) {
                Ok(()) => Ok(kernel),
                Err(error) => Err(refused(error, &self.source(desc), Some(desc))),
            }
        };
        descs.iter().zip(self.each(descs)).map(fitting).collect()
    }

    /// The same without those that the compiler refuses.
    pub(crate) fn accepted(&self, descs: &[KernelDesc]) -> Vec<Arc<Kernel>> {
        self.each(descs).into_iter().flatten().collect()
    }

    /// Limits for smaller kernels, if one of these was made and does not fit: the compiler may
    /// leave blocks fewer threads or less shared memory than the device has, and the device no
    /// room for a cluster of them. The same if one was refused that has more shared memory than every
    /// kernel is granted. And limits for kernels that exchange no registers, if OpenCL refused one that does, or gives it
    /// other sub-groups than it was written for.
    pub(crate) fn smaller(&self, limits: &Limits, descs: &[KernelDesc]) -> Option<Limits> {
        let mut attributes = limits.attributes.clone();
        for desc in descs {
            let Some(kernel) = self.find(desc) else {
                if let Some(granted) = attributes.shared_granted.filter(|granted| desc.shared_bytes() > *granted) {
                    attributes.shared_per_block = attributes.shared_per_block.min(granted);
                }
                // CUDA's compiler refuses no kernel but a wrong one.
                attributes.exchanges_registers &= desc.subgroup() == 0 || self.runtime.info().id.api == Api::Cuda;
                continue;
            };
            attributes.exchanges_registers &= !has_other_subgroups(&kernel, desc.subgroup());
            if kernel.threads() < desc.threads {
                attributes.threads_per_block = attributes.threads_per_block.min(kernel.threads()).max(1);
            }
            if self.lacks_shared(&kernel) {
                // All that is added, be it reserved or not.
                let added = kernel.shared_bytes().unwrap_or(0).saturating_sub(desc.shared_bytes());
                let rest = self.runtime.limits().attributes.shared_per_block.saturating_sub(added);
                attributes.shared_per_block = attributes.shared_per_block.min(rest);
            }
            if lacks_cluster(&kernel, desc) {
                attributes.cluster = 1;
            }
        }
        (attributes != limits.attributes).then(|| Limits { attributes, ..limits.clone() })
    }

    fn each(&self, descs: &[KernelDesc]) -> Vec<Result<Arc<Kernel>>> {
        let mut all: HashMap<&KernelDesc, Result<Arc<Kernel>>> = HashMap::new();
        let mut missing: Vec<&KernelDesc> = vec![];
        for desc in descs {
            match self.find(desc) {
                Some(kernel) => drop(all.insert(desc, Ok(kernel))),
                None if missing.contains(&desc) => {}
                None => missing.push(desc),
            }
        }
        let made = in_parallel(missing.len(), |i| self.make(missing[i]).map(Arc::new));
        for (desc, made) in missing.into_iter().zip(made) {
            if let Ok(kernel) = &made {
                self.keep(desc, kernel);
            }
            all.insert(desc, made);
        }
        // Outside the lock: unloading may wait for the device.
        drop(self.lock().superfluous());
        descs.iter().map(|desc| all[desc].clone()).collect()
    }

    fn make(&self, desc: &KernelDesc) -> Result<Kernel> {
        let source = self.source(desc);
        let made = compiled(&self.runtime, self.cache.as_ref(), &source, block_size(desc));
        made.map_err(|e| refused(e, &source, Some(desc)))
    }

    fn source(&self, desc: &KernelDesc) -> String {
        print(self.runtime.dialect(), &desc.frame(), &kernel(desc))
    }

    /// An error if the device cannot run a kernel's blocks.
    fn check(&self, kernel: &Kernel, desc: &KernelDesc) -> Result<()> {
        check(kernel, block_size(desc), &self.runtime)?;
        let info = self.runtime.info();
        let lacks = |what: String| Err(unavailable(format!("{} ({}) has no room for {what}", info.id, info.name)));
        match kernel.shared_bytes() {
            Some(bytes) if self.lacks_shared(kernel) => lacks(format!("{bytes} bytes of shared memory a block")),
            _ if lacks_cluster(kernel, desc) => lacks(format!("a cluster of {} such blocks", desc.cluster)),
            _ => Ok(()),
        }
    }

    /// Whether a block takes more shared memory than the device has for it.
    fn lacks_shared(&self, kernel: &Kernel) -> bool {
        let most = self.runtime.limits().attributes.shared_per_block + RESERVED;
        kernel.shared_bytes().is_some_and(|bytes| bytes > most)
    }

    /// A kernel that is not kept here.
    pub(crate) fn compile(&self, source: &str, size: BlockSize) -> Result<Kernel> {
        self.limits.check_block(size.threads, size.shared_bytes)?;
        checked(&self.runtime, self.cache.as_ref(), source, size).map_err(|e| refused(e, source, None))
    }

    fn find(&self, desc: &KernelDesc) -> Option<Arc<Kernel>> {
        let mut loaded = self.lock();
        loaded.time += 1;
        let time = loaded.time;
        let (kernel, asked) = loaded.kernels.get_mut(desc)?;
        *asked = time;
        Some(Arc::clone(kernel))
    }

    fn keep(&self, desc: &KernelDesc, kernel: &Arc<Kernel>) {
        let mut loaded = self.lock();
        loaded.time += 1;
        let time = loaded.time;
        loaded.kernels.insert(desc.clone(), (Arc::clone(kernel), time));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Loaded> {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Loaded {
    /// Takes out those that no plan uses, but for the [`UNUSED`] that were asked for last.
    fn superfluous(&mut self) -> Vec<Arc<Kernel>> {
        let unused = self.kernels.iter().filter(|(_, (kernel, _))| Arc::strong_count(kernel) == 1);
        let mut unused: Vec<_> = unused.map(|(desc, (_, asked))| (*asked, desc.clone())).collect();
        unused.sort_by_key(|(asked, _)| *asked);
        unused.truncate(unused.len().saturating_sub(UNUSED));
        unused.into_iter().filter_map(|(_, desc)| self.kernels.remove(&desc)).map(|(kernel, _)| kernel).collect()
    }
}

/// What `work` makes of each number below `count`, by as many threads as there are processors, or
/// as can be had.
pub(crate) fn in_parallel<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let (next, most) = (AtomicUsize::new(0), thread::available_parallelism().map_or(1, |n| n.get()));
    let share = || {
        let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        numbers.take_while(|i| *i < count).map(|i| (i, work(i))).collect::<Vec<_>>()
    };
    let mut made = thread::scope(|scope| {
        let helper = |_| thread::Builder::new().spawn_scoped(scope, share).ok();
        let helpers: Vec<_> = (1..count.min(most)).map_while(helper).collect();
        let own = share();
        let join = |helper: thread::ScopedJoinHandle<'_, _>| helper.join().expect("making a kernel does not panic");
        helpers.into_iter().flat_map(join).chain(own).collect::<Vec<_>>()
    });
    made.sort_by_key(|(i, _)| *i);
    made.into_iter().map(|(_, made)| made).collect()
}

/// Whether the device has no room for a cluster of a kernel's blocks.
fn lacks_cluster(kernel: &Kernel, desc: &KernelDesc) -> bool {
    desc.cluster > 1 && kernel.clusters(desc.cluster, block_size(desc)) == Some(0)
}

fn block_size(desc: &KernelDesc) -> BlockSize {
    BlockSize { threads: desc.threads, shared_bytes: desc.shared_bytes(), subgroup: desc.subgroup() }
}

/// An error with the kernel that it is about.
fn refused(error: Error, source: &str, desc: Option<&KernelDesc>) -> Error {
    let desc = desc.map_or(String::new(), |desc| format!("\nThe kernel's descriptor: {desc:?}"));
    Error::new(error.kind(), format!("{error}\n{source}{desc}"))
}

/// A kernel from disk, or compiled and kept there.
fn compiled(runtime: &Runtime, cache: Option<&Cache>, source: &str, size: BlockSize) -> Result<Kernel> {
    let key = format!("{}\n{source}", runtime.target());
    let kept = cache.and_then(|cache| cache.load(&key));
    // A driver may refuse what an earlier one with the same name made.
    if let Some(kernel) = kept.and_then(|binary| runtime.load(&binary, size.shared_bytes).ok()) {
        return Ok(kernel);
    }
    let (kernel, binary) = runtime.compile(source, size.shared_bytes)?;
    if let Some(cache) = cache {
        cache.store(&key, &binary);
    }
    Ok(kernel)
}

/// The same; an error if blocks of this size cannot run it.
pub(crate) fn checked(runtime: &Runtime, cache: Option<&Cache>, source: &str, size: BlockSize) -> Result<Kernel> {
    let kernel = compiled(runtime, cache, source, size)?;
    check(&kernel, size, runtime).map(|()| kernel)
}

/// Launching more threads than a kernel can have would be refused only when it is executed.
fn check(kernel: &Kernel, size: BlockSize, runtime: &Runtime) -> Result<()> {
    let (has, info, BlockSize { threads, subgroup, .. }) = (kernel.threads(), runtime.info(), size);
    let runs = |how: String| Err(unavailable(format!("{} ({}) runs the kernel with {how}", info.id, info.name)));
    match kernel.subgroup() {
        _ if has < threads => runs(format!("at most {has} threads a block: it needs {threads}")),
        Some(has) if has_other_subgroups(kernel, subgroup) => {
            runs(format!("sub-groups of {has} work items (0 if its driver does not say): it needs {subgroup}"))
        }
        _ => Ok(()),
    }
}

/// Whether a kernel whose threads exchange registers within so many has sub-groups of another size.
fn has_other_subgroups(kernel: &Kernel, needs: usize) -> bool {
    needs > 0 && kernel.subgroup().is_some_and(|has| has != needs)
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
        // NVRTC compiles it, with the lower 32 bits, and the size is refused after that.
        let refused = log.contains("refuses a kernel") || log.contains("with at most");
        assert!(refused && log.contains("8589934592"), "no compiler's log: {message}");
        assert!(message.contains("DFTs of 16") && message.contains(&format!("{broken:?}")), "{message}");
        assert!(kernel_cache.kernels(&[broken]).is_err() && kernel_cache.kernels(&descs).is_ok());
    }
}
