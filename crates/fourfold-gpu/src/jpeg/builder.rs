//! Options of plans for JPEG's blocks, checked.

use crate::backend::cuda::nvrtc;
use crate::backend::device::Device;
use crate::backend::types::Index;
use crate::error::argument;
use crate::ir::narrow::Narrow;
use crate::jpeg::arrays::BlockSample;
use crate::jpeg::blocks::{BlockPlan, ComponentTables};
use crate::jpeg::kernels::desc::{BlockKernelDesc, BlockWork, HEAD, Instructions};
use crate::jpeg::kernels::program;
use crate::jpeg::kernels::program::Program;
use crate::jpeg::ladder::BlockAlgorithm;
use crate::print::printer::print;
use crate::run::disk_cache::Cache;
use crate::run::inspect::Target;
use crate::run::kernel_cache::compiled;
use fourfold::Result;
use fourfold::engine::jpeg::{Layout, Mode, Order, Table};

/// A component's blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockComponent {
    /// What its coefficients are divided by.
    pub table: Table,
    /// Its blocks.
    pub blocks: usize,
    /// Where its samples stand: with [`Layout::Rows`], `stride` must be a multiple of eight.
    pub layout: Layout,
}

/// Options of a [`BlockPlan`].
#[derive(Clone)]
pub struct BlockPlanBuilder {
    desc: BlockKernelDesc,
    algorithm: Option<&'static BlockAlgorithm>,
    components: Vec<BlockComponent>,
    cache: Option<Cache>,
}

/// Indices of sixteen bytes have 31 bits, and so have those of eight samples.
const MOST_BLOCKS: usize = 1 << 27;
const MOST_SAMPLES: usize = 1 << 33;

impl BlockPlan {
    /// A plan of `work`, in [`Mode::Fast`] and [`Order::Raster`] until told otherwise, of no
    /// components yet.
    pub fn builder(work: BlockWork) -> BlockPlanBuilder {
        let (mode, order) = (Mode::default(), Order::default());
        let desc = BlockKernelDesc {
            work,
            mode,
            order,
            narrow: Narrow::Byte,
            rows: false,
            instructions: Instructions::default(),
        };
        BlockPlanBuilder { desc, algorithm: None, components: Vec::new(), cache: None }
    }
}

impl BlockPlanBuilder {
    /// How to compute.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.desc.mode = mode;
        self
    }

    /// In which order coefficients stand.
    pub fn order(mut self, order: Order) -> Self {
        self.desc.order = order;
        self
    }

    /// The type of samples; `u8` until told otherwise.
    pub fn samples<T: BlockSample>(mut self) -> Self {
        self.desc.narrow = T::NARROW;
        self
    }

    /// Another component.
    pub fn component(mut self, component: BlockComponent) -> Self {
        self.components.push(component);
        self
    }

    /// Another way to compute than the library's own.
    pub fn algorithm(mut self, algorithm: &'static BlockAlgorithm) -> Self {
        self.algorithm = Some(algorithm);
        self
    }

    /// Where compiled kernels are kept.
    pub fn cache(mut self, cache: impl Into<Option<Cache>>) -> Self {
        self.cache = cache.into();
        self
    }

    /// The plan.
    ///
    /// # Errors
    /// If there are no components, or one without blocks or with more than 2^27; layouts are
    /// impossible, of both sorts, or have a stride that is no multiple of eight; the work is
    /// forward and a table has a zero, or samples are to be `i16`; an algorithm or a yardstick does
    /// not support the options; or the device fails or its compiler refuses the kernel.
    pub fn build(self, device: &Device) -> Result<BlockPlan> {
        self.check()?;
        let desc = self.desc();
        let Program { frame, blocks, statements } = self.program();
        let shared_bytes = 8 * frame.shared_pairs;
        let source = print(device.target().dialect(), &frame, &statements);
        let kernel = compiled(&device.runtime, self.cache.as_ref(), &source, shared_bytes)?;
        let reals = self.algorithm.map(|algorithm| algorithm.reals);
        let part = |component: &BlockComponent| {
            let table = &component.table;
            let reals = reals.map_or_else(|| program::reals(&desc, table), |reals| reals(table));
            ComponentTables::new(device, component, &reals, &program::integers(&desc, table))
        };
        let components = self.components.iter().map(part).collect::<Result<_>>()?;
        let (work, narrow, threads) = (desc.work, desc.narrow, frame.threads);
        let nothing = device.runtime.allocate(0)?;
        Ok(BlockPlan {
            device: device.clone(),
            work,
            narrow,
            kernel,
            threads,
            shared_bytes,
            blocks,
            components,
            nothing,
        })
    }

    /// The kernel that a plan would have, in CUDA C++ or OpenCL C.
    ///
    /// # Errors
    /// As [`BlockPlanBuilder::build`].
    pub fn source(&self, target: &Target) -> Result<String> {
        self.check()?;
        let Program { frame, statements, .. } = self.program();
        Ok(print(target.dialect(), &frame, &statements))
    }

    /// The same as [`Launch::resources`](crate::run::inspect::Launch::resources) of this kernel.
    #[doc(hidden)]
    pub fn resources(&self, target: &Target) -> Result<String> {
        nvrtc::resources(&self.source(target)?, target.name())
    }

    fn program(&self) -> Program {
        self.algorithm.map_or_else(|| program::program(&self.desc()), |algorithm| (algorithm.program)())
    }

    fn desc(&self) -> BlockKernelDesc {
        BlockKernelDesc { rows: self.has_rows(), ..self.desc }
    }

    fn has_rows(&self) -> bool {
        self.components.iter().any(|component| component.layout != Layout::Blocks)
    }

    fn check(&self) -> Result<()> {
        if self.components.is_empty() {
            return Err(argument("no components: a plan needs at least one".into()));
        }
        if self.components.iter().any(|component| (component.layout != Layout::Blocks) != self.has_rows()) {
            return Err(argument(
                "some components are rows of an image, others blocks; a plan has one or the other".into(),
            ));
        }
        self.components.iter().try_for_each(|component| check(component, self.desc.work))?;
        if self.desc.work != BlockWork::Inverse && self.desc.narrow == Narrow::Short {
            return Err(argument(
                "samples of 16 bits: these the inverse makes, and nothing else takes or makes them".into(),
            ));
        }
        let plain =
            BlockKernelDesc { mode: Mode::Fast, order: Order::Raster, narrow: Narrow::Byte, rows: false, ..self.desc };
        match (self.algorithm, self.desc.work) {
            (None, BlockWork::Inverse | BlockWork::Forward) => Ok(()),
            (algorithm, _) if self.desc() != plain => {
                let name = algorithm.map_or("a yardstick", |algorithm| algorithm.name);
                Err(argument(format!(
                    "{name} has the fast mode, raster order and blocks of 8-bit samples, and no others"
                )))
            }
            (Some(algorithm), work) if algorithm.work != work => {
                Err(argument(format!("{} is an algorithm of {:?}, not of {work:?}", algorithm.name, algorithm.work)))
            }
            _ => Ok(()),
        }
    }
}

fn check(component: &BlockComponent, work: BlockWork) -> Result<()> {
    let BlockComponent { table, blocks, layout } = component;
    if !(1..=MOST_BLOCKS).contains(blocks) {
        return Err(argument(format!("{blocks} blocks: 1 to {MOST_BLOCKS} of a component can be transformed at once")));
    }
    if let Layout::Rows { stride, .. } = layout
        && stride % 8 != 0
    {
        return Err(argument(format!("a stride of {stride} samples: on devices it must be a multiple of 8")));
    }
    let samples = layout.samples(*blocks)?;
    if samples > MOST_SAMPLES {
        return Err(argument(format!("the layout spans {samples} samples; at most {MOST_SAMPLES} can be reached")));
    }
    if work == BlockWork::Forward { table.check_divides() } else { Ok(()) }
}

impl ComponentTables {
    fn new(device: &Device, component: &BlockComponent, reals: &[f32], integers: &[u32]) -> Result<ComponentTables> {
        let BlockComponent { blocks, layout, .. } = *component;
        let samples = layout.samples(blocks)?;
        let [across, stride] = if let Layout::Rows { across, stride } = layout { [across, stride / 8] } else { [0, 0] };
        let mut head = vec![blocks as u32, across as u32, stride as u32];
        head.resize(HEAD, 0);
        let places: Vec<_> = head.iter().chain(integers).map(|&value| Index(value)).collect();
        let mut part = ComponentTables {
            blocks,
            samples,
            reals: device.runtime.allocate(size_of_val(reals))?,
            integers: device.runtime.allocate(size_of_val(&*places))?,
        };
        device.queue.upload(reals, &mut part.reals)?;
        device.queue.upload(&places, &mut part.integers)?;
        Ok(part)
    }
}
