//! JPEG's 8×8 blocks on a device.

use crate::backend::cuda::nvrtc;
use crate::backend::device::Device;
use crate::backend::runtime::{Buffer, Kernel};
use crate::backend::types::{Grid, Place, Raw};
use crate::error::argument;
use crate::ir::narrow::Narrow;
use crate::jpeg::kernels::program;
use crate::jpeg::kernels::program::{COEFFICIENTS, Program};
use crate::jpeg::kernels::spec::{BlockSpec, HEAD, Way};
use crate::jpeg::ladder::BlockMethod;
use crate::print::printer::print;
use crate::run::disk_cache::Cache;
use crate::run::inspect::Target;
use crate::run::kernel_cache::compiled;
use fourfold::Result;
use fourfold::engine::jpeg::{Layout, Mode, Order, Table};

pub(crate) use crate::jpeg::kernels::spec::BlockWork;

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

/// Samples on a device: `u8`, or of the inverse `i16`.
#[expect(private_bounds, reason = "nobody else's types can be stored")]
pub trait BlockSample: Bytes {}
impl BlockSample for u8 {}
impl BlockSample for i16 {}

trait Bytes: Copy {
    const NARROW: Narrow;
    fn upload(device: &Device, data: &[Self], to: &mut Buffer) -> Result<()>;
    fn download(device: &Device, from: &Buffer, data: &mut [Self]) -> Result<()>;
}

macro_rules! bytes {
    ($type:ty, $narrow:ident) => {
        impl Bytes for $type {
            const NARROW: Narrow = Narrow::$narrow;
            fn upload(device: &Device, data: &[Self], to: &mut Buffer) -> Result<()> {
                device.queue.upload(Raw::slice(data), to)
            }
            fn download(device: &Device, from: &Buffer, data: &mut [Self]) -> Result<()> {
                device.queue.download(from, Raw::slice_mut(data))
            }
        }
    };
}
bytes!(u8, Byte);
bytes!(i16, Short);

/// Options of a [`BlockPlan`].
#[derive(Clone)]
pub struct BlockPlanBuilder {
    spec: BlockSpec,
    method: Option<&'static BlockMethod>,
    components: Vec<BlockComponent>,
    cache: Option<Cache>,
}

/// Components with their quantisation tables, ready to be transformed any number of times.
///
/// The transforms are those of `fourfold_jpeg::Transform`: the DCT-II of 8×8 samples in orthonormal
/// scale.
///
/// ```no_run
/// use fourfold::engine::jpeg::{Layout, Table};
/// use fourfold_gpu::{BlockComponent, BlockPlan, BlockWork, Cache, Device};
/// let component = BlockComponent { table: Table::luminance(90)?, blocks: 1000, layout: Layout::Blocks };
/// let plan = BlockPlan::builder(BlockWork::Inverse).component(component).cache(Cache::standard()?);
/// let plan = plan.build(&Device::open("cuda")?)?;
/// let mut arrays = plan.arrays()?;
/// arrays.upload_coefficients(0, &vec![0; 64_000])?;
/// plan.enqueue(&mut arrays)?;
/// let mut samples = vec![0u8; 64_000];
/// arrays.download_samples(0, &mut samples)?;
/// assert_eq!(samples, [128; 64_000]);
/// # Ok::<(), fourfold::Error>(())
/// ```
pub struct BlockPlan {
    device: Device,
    work: BlockWork,
    narrow: Narrow,
    kernel: Kernel,
    /// Of a work group.
    threads: usize,
    local_bytes: usize,
    blocks: usize,
    components: Vec<Part>,
    nothing: Buffer,
}

/// A component's tables.
struct Part {
    blocks: usize,
    /// That its layout spans.
    samples: usize,
    reals: Buffer,
    integers: Buffer,
}

/// Coefficients and samples of components in a device's memory.
pub struct BlockArrays {
    device: Device,
    narrow: Narrow,
    components: Vec<Arrays>,
}

struct Arrays {
    blocks: usize,
    samples: usize,
    coefficients_at: Buffer,
    samples_at: Buffer,
}

/// Indices of sixteen bytes have 31 bits, and so have those of eight samples.
const MOST_BLOCKS: usize = 1 << 27;
const MOST_SAMPLES: usize = 1 << 33;

impl BlockPlan {
    /// A plan of `work`, in [`Mode::Fast`] and [`Order::Raster`] until told otherwise, of no
    /// components yet.
    pub fn builder(work: BlockWork) -> BlockPlanBuilder {
        let (mode, order) = (Mode::default(), Order::default());
        let spec = BlockSpec { work, mode, order, narrow: Narrow::Byte, rows: false, way: Way::default() };
        BlockPlanBuilder { spec, method: None, components: Vec::new(), cache: None }
    }

    /// Arrays for its components, with any values.
    ///
    /// # Errors
    /// If the device has not so much memory.
    pub fn arrays(&self) -> Result<BlockArrays> {
        let size = if self.narrow == Narrow::Byte { 1 } else { 2 };
        let arrays = |part: &Part| -> Result<Arrays> {
            Ok(Arrays {
                blocks: part.blocks,
                samples: part.samples,
                coefficients_at: self.device.runtime.allocate(part.blocks * 16 * COEFFICIENTS)?,
                samples_at: self.device.runtime.allocate(part.samples * size)?,
            })
        };
        let components = self.components.iter().map(arrays).collect::<Result<_>>()?;
        Ok(BlockArrays { device: self.device.clone(), narrow: self.narrow, components })
    }

    /// Enqueues the work on arrays of this plan, or of another one of the plan's device with as
    /// many blocks and samples.
    ///
    /// # Errors
    /// If they are others, or the device fails.
    pub fn enqueue(&self, arrays: &mut BlockArrays) -> Result<()> {
        let sizes =
            |arrays: &BlockArrays| -> Vec<_> { arrays.components.iter().map(|a| [a.blocks, a.samples]).collect() };
        let own: Vec<_> = self.components.iter().map(|part| [part.blocks, part.samples]).collect();
        if sizes(arrays) != own || arrays.narrow != self.narrow {
            let message = "the arrays have components of these blocks and samples";
            return Err(argument(format!("{message}: {:?}, the plan: {own:?}", sizes(arrays))));
        }
        crate::api::array::one_queue(&self.device, &arrays.device)?;
        for (part, arrays) in self.components.iter().zip(&arrays.components) {
            let (from, to) = match self.work {
                BlockWork::Forward | BlockWork::MoveBack => (&arrays.samples_at, &arrays.coefficients_at),
                BlockWork::Inverse | BlockWork::Move => (&arrays.coefficients_at, &arrays.samples_at),
            };
            let (threads, local_bytes) = (self.threads, self.local_bytes);
            let grid = Grid { groups: part.blocks.div_ceil(self.blocks), threads, local_bytes, follows: false };
            let arguments = [from, to, &part.reals, &part.integers, &self.nothing];
            self.device.queue.launch(&self.kernel, grid, arguments)?;
        }
        Ok(())
    }

    /// The device and the queue that it runs on.
    pub fn device(&self) -> &Device {
        &self.device
    }
}

impl BlockPlanBuilder {
    /// How to compute.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.spec.mode = mode;
        self
    }

    /// In which order coefficients stand.
    pub fn order(mut self, order: Order) -> Self {
        self.spec.order = order;
        self
    }

    /// The type of samples; `u8` until told otherwise.
    pub fn samples<T: BlockSample>(mut self) -> Self {
        self.spec.narrow = T::NARROW;
        self
    }

    /// Another component.
    pub fn component(mut self, component: BlockComponent) -> Self {
        self.components.push(component);
        self
    }

    /// Another way to compute than the library's own.
    pub fn method(mut self, method: &'static BlockMethod) -> Self {
        self.method = Some(method);
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
    /// forward and a table has a zero, or samples are to be `i16`; a method or a yardstick is asked
    /// for what it does not do; or the device fails or its compiler refuses the kernel.
    pub fn build(self, device: &Device) -> Result<BlockPlan> {
        self.check()?;
        let spec = self.spec();
        let Program { frame, blocks, statements } = self.program();
        let local_bytes = 8 * frame.local_pairs;
        let source = print(device.target().dialect(), &frame, &statements);
        let kernel = compiled(&device.runtime, self.cache.as_ref(), &source, local_bytes)?;
        let reals = self.method.map(|method| method.reals);
        let part = |component: &BlockComponent| {
            let table = &component.table;
            let reals = reals.map_or_else(|| program::reals(&spec, table), |reals| reals(table));
            Part::new(device, component, &reals, &program::integers(&spec, table))
        };
        let components = self.components.iter().map(part).collect::<Result<_>>()?;
        let (work, narrow, threads) = (spec.work, spec.narrow, frame.threads);
        let nothing = device.runtime.allocate(0)?;
        Ok(BlockPlan {
            device: device.clone(),
            work,
            narrow,
            kernel,
            threads,
            local_bytes,
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
        self.method.map_or_else(|| program::program(&self.spec()), |method| (method.program)())
    }

    fn spec(&self) -> BlockSpec {
        BlockSpec { rows: self.has_rows(), ..self.spec }
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
        self.components.iter().try_for_each(|component| check(component, self.spec.work))?;
        if self.spec.work != BlockWork::Inverse && self.spec.narrow == Narrow::Short {
            return Err(argument(
                "samples of 16 bits: these the inverse makes, and nothing else takes or makes them".into(),
            ));
        }
        let plain =
            BlockSpec { mode: Mode::Fast, order: Order::Raster, narrow: Narrow::Byte, rows: false, ..self.spec };
        match (self.method, self.spec.work) {
            (None, BlockWork::Inverse | BlockWork::Forward) => Ok(()),
            (method, _) if self.spec() != plain => {
                let name = method.map_or("a yardstick", |method| method.name);
                Err(argument(format!(
                    "{name} has the fast mode, raster order and blocks of 8-bit samples, and no others"
                )))
            }
            (Some(method), work) if method.work != work => {
                Err(argument(format!("{} is a method of {:?}, not of {work:?}", method.name, method.work)))
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

impl Part {
    fn new(device: &Device, component: &BlockComponent, reals: &[f32], integers: &[u32]) -> Result<Part> {
        let BlockComponent { blocks, layout, .. } = *component;
        let samples = layout.samples(blocks)?;
        let [across, stride] = if let Layout::Rows { across, stride } = layout { [across, stride / 8] } else { [0, 0] };
        let mut head = vec![blocks as u32, across as u32, stride as u32];
        head.resize(HEAD, 0);
        let places: Vec<_> = head.iter().chain(integers).map(|&value| Place(value)).collect();
        let mut part = Part {
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

impl BlockArrays {
    /// Copies coefficients of a component, 64 a block, to the device.
    ///
    /// # Errors
    /// If there is no such component, or more coefficients than it has; or the device fails.
    pub fn upload_coefficients(&mut self, component: usize, coefficients: &[i16]) -> Result<()> {
        let device = self.device.clone();
        let arrays = self.component(component)?;
        fits(coefficients.len(), 64 * arrays.blocks)?;
        device.queue.upload(Raw::slice(coefficients), &mut arrays.coefficients_at)
    }

    /// Copies samples of a component, as its layout has them, to the device.
    ///
    /// # Errors
    /// As above, or if the plan's samples have another type.
    pub fn upload_samples<T: BlockSample>(&mut self, component: usize, samples: &[T]) -> Result<()> {
        self.check_type::<T>()?;
        let device = self.device.clone();
        let arrays = self.component(component)?;
        fits(samples.len(), arrays.samples)?;
        T::upload(&device, samples, &mut arrays.samples_at)
    }

    /// Waits for all that was enqueued, and fills `coefficients`.
    ///
    /// # Errors
    /// As of [`BlockArrays::upload_coefficients`].
    pub fn download_coefficients(&mut self, component: usize, coefficients: &mut [i16]) -> Result<()> {
        let device = self.device.clone();
        let arrays = self.component(component)?;
        fits(coefficients.len(), 64 * arrays.blocks)?;
        device.queue.download(&arrays.coefficients_at, Raw::slice_mut(coefficients))
    }

    /// Waits for all that was enqueued, and fills `samples`.
    ///
    /// # Errors
    /// As of [`BlockArrays::upload_samples`].
    pub fn download_samples<T: BlockSample>(&mut self, component: usize, samples: &mut [T]) -> Result<()> {
        self.check_type::<T>()?;
        let device = self.device.clone();
        let arrays = self.component(component)?;
        fits(samples.len(), arrays.samples)?;
        T::download(&device, &arrays.samples_at, samples)
    }

    fn component(&mut self, component: usize) -> Result<&mut Arrays> {
        let count = self.components.len();
        let message = || argument(format!("component {component}: there are {count}, from 0"));
        self.components.get_mut(component).ok_or_else(message)
    }

    fn check_type<T: BlockSample>(&self) -> Result<()> {
        if T::NARROW == self.narrow {
            return Ok(());
        }
        let bits = |narrow: Narrow| 32 / narrow.per_word();
        Err(argument(format!("samples of {} bits, where the plan's have {}", bits(T::NARROW), bits(self.narrow))))
    }
}

fn fits(len: usize, room: usize) -> Result<()> {
    if len > room {
        return Err(argument(format!("{len} elements for an array of {room}")));
    }
    Ok(())
}
