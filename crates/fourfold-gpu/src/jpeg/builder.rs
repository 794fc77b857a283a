//! Options of plans for JPEG's blocks, checked.

use crate::backend::cuda::nvrtc;
use crate::backend::device::Device;
use crate::backend::types::{BlockSize, Index};
use crate::error::argument;
use crate::ir::narrow::Narrow;
use crate::jpeg::arrays::BlockSample;
use crate::jpeg::blocks::{BlockPlan, ComponentTables};
use crate::jpeg::kernels::desc::{BlockKernelDesc, BlockWork, HEAD, Instructions};
use crate::jpeg::kernels::program;
use crate::jpeg::kernels::program::Program;
use crate::jpeg::ladder;
use crate::jpeg::ladder::BlockAlgorithm;
use crate::print::printer::print;
use crate::run::disk_cache::Cache;
use crate::run::inspect::Target;
use crate::run::kernel_cache::checked;
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
pub(crate) const MOST_BLOCKS: usize = 1 << 27;
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
    /// Sets the mode. The default is [`Mode::Fast`].
    pub fn mode(mut self, mode: Mode) -> Self {
        self.desc.mode = mode;
        self
    }

    /// Sets the order of coefficients in a block.
    pub fn order(mut self, order: Order) -> Self {
        self.desc.order = order;
        self
    }

    /// Sets the type of samples. The default is `u8`.
    pub fn samples<T: BlockSample>(mut self) -> Self {
        self.desc.narrow = T::NARROW;
        self
    }

    /// Adds a component.
    pub fn component(mut self, component: BlockComponent) -> Self {
        self.components.push(component);
        self
    }

    /// Uses another kernel, for comparison.
    pub fn algorithm(mut self, algorithm: &'static BlockAlgorithm) -> Self {
        self.algorithm = Some(algorithm);
        self
    }

    /// Sets the cache of compiled kernels.
    pub fn cache(mut self, cache: impl Into<Option<Cache>>) -> Self {
        self.cache = cache.into();
        self
    }

    /// Compiles the kernel and uploads the tables.
    ///
    /// # Errors
    /// - There are no components, or one has no blocks or more than 2^27 blocks (2^25 − 1 with another
    ///   kernel).
    /// - A layout is impossible, or blocks and rows are mixed, or a stride is no multiple of eight.
    /// - The work is forward, and a table has a zero or samples are `i16`.
    /// - The chosen kernel does not support the mode, the order, the layout or the samples.
    /// - The device's thread blocks are too small.
    /// - The device fails, or its compiler refuses the kernel.
    pub fn build(self, device: &Device) -> Result<BlockPlan> {
        self.check()?;
        let desc = self.desc();
        let program = self.program().on(device.target().limits());
        program.check_fits(device.target().limits())?;
        let shared_bytes = program.shared_bytes();
        let Program { frame, blocks, statements } = program;
        let source = print(device.target().dialect(), &frame, &statements);
        let size = BlockSize { threads: frame.threads, shared_bytes, subgroup: frame.subgroup };
        let kernel = checked(&device.runtime, self.cache.as_ref(), &source, size)?;
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

    /// The text of the kernel of a plan, in CUDA C++ or OpenCL C.
    ///
    /// # Errors
    /// As [`BlockPlanBuilder::build`].
    pub fn source(&self, target: &Target) -> Result<String> {
        self.check()?;
        let Program { frame, statements, .. } = self.program().on(target.limits());
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
                "some components are rows of an image and others are blocks: expected one sort in a plan".into(),
            ));
        }
        let most = if self.algorithm.is_some() { ladder::MOST_BLOCKS } else { MOST_BLOCKS };
        self.components.iter().try_for_each(|component| check(component, self.desc.work, most))?;
        if self.desc.work != BlockWork::Inverse && self.desc.narrow == Narrow::Short {
            return Err(argument("16-bit samples are only for the inverse transform".into()));
        }
        let plain =
            BlockKernelDesc { mode: Mode::Fast, order: Order::Raster, narrow: Narrow::Byte, rows: false, ..self.desc };
        match (self.algorithm, self.desc.work) {
            (None, BlockWork::Inverse | BlockWork::Forward) => Ok(()),
            (algorithm, _) if self.desc() != plain => {
                let name = algorithm.map_or("a yardstick", |algorithm| algorithm.name);
                Err(argument(format!("{name} supports only the fast mode, raster order and blocks of 8-bit samples")))
            }
            (Some(algorithm), work) if algorithm.work != work => {
                Err(argument(format!("{} is an algorithm of {:?}, not of {work:?}", algorithm.name, algorithm.work)))
            }
            _ => Ok(()),
        }
    }
}

fn check(component: &BlockComponent, work: BlockWork, most: usize) -> Result<()> {
    let BlockComponent { table, blocks, layout } = component;
    if !(1..=most).contains(blocks) {
        return Err(argument(format!("{blocks} blocks: 1 to {most} of a component can be transformed at once")));
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
