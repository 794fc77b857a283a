//! JPEG's 8×8 blocks: samples from quantised coefficients, and back.

// Components are checked, cut into strips, and shared between threads.

use crate::error::argument;
use crate::simd::strip;
use crate::simd::strip::{Dequantiser, Quantiser, Store, Strip};
use fourfold::engine::Pool;
use fourfold::engine::jpeg::Mode;
use fourfold::{Error, ErrorKind, Isa, Result};
use std::sync::{Arc, Mutex, PoisonError};

pub use fourfold::engine::jpeg::{Layout, Order, Table};

/// A component for [`Transform::inverse`].
pub struct Inverse<'a, T> {
    /// The quantised coefficients: 64 for each block, in the [`Order`] of the [`Transform`].
    pub coefficients: &'a [i16],
    /// The quantisation table, by which the coefficients are multiplied.
    pub table: &'a Table,
    /// The samples to write, at least [`Layout::samples`]. Elements between rows are not written.
    pub samples: &'a mut [T],
    /// The places of the samples.
    pub layout: Layout,
}

/// A component for [`Transform::forward`].
pub struct Forward<'a> {
    /// The samples, 0 to 255; at least [`Layout::samples`].
    pub samples: &'a [u8],
    /// The places of the samples.
    pub layout: Layout,
    /// The quantisation table, by which coefficients are divided; without zeros.
    pub table: &'a Table,
    /// The quantised coefficients to write: 64 for each block, in the [`Order`] of the
    /// [`Transform`].
    pub coefficients: &'a mut [i16],
}

/// The types of samples that [`Transform::inverse`] writes: `u8`, with the level shift of 128 and
/// clamped to 0 … 255, or `i16`, without either.
#[expect(private_bounds, reason = "other types cannot be stored")]
pub trait Sample: Store {}
impl Sample for u8 {}
impl Sample for i16 {}

/// The transform of blocks, with its mode, order of coefficients, threads and instruction set.
/// Clones share the threads.
#[derive(Clone)]
pub struct Transform {
    mode: Mode,
    order: Order,
    isa: Isa,
    pool: Arc<Pool>,
}

/// Options of a [`Transform`].
#[derive(Clone, Debug)]
pub struct TransformBuilder {
    mode: Mode,
    order: Order,
    isa: Isa,
    threads: usize,
}

impl Transform {
    /// The defaults: [`Mode::Fast`], [`Order::Raster`], one thread, and the widest instruction set
    /// of this machine.
    pub fn builder() -> TransformBuilder {
        TransformBuilder { mode: Mode::default(), order: Order::default(), isa: Isa::best(), threads: 1 }
    }

    /// Dequantises and transforms back, for every block of every component: with the quantised
    /// coefficients c, the table q, α_0 = 1/√8 and α_k = 1/2 for k > 0,
    ///
    /// ```text
    /// x(n, m) = Σ_k Σ_l α_k α_l q(k, l) c(k, l) cos(πk(2n+1)/16) cos(πl(2m+1)/16)
    /// ```
    ///
    /// in row n and column m, rounded to an integer; for `u8`, 128 is added and the result clamped
    /// to 0 … 255. [`Mode::Exact`] rounds where libjpeg does, also between rows and columns.
    /// Source: ITU-T T.81, A.3.3 and A.3.4.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] if the coefficients of a component are not whole blocks, a layout is
    /// impossible, or there are too few samples. Nothing is written then.
    pub fn inverse<T: Sample>(&self, components: &mut [Inverse<T>]) -> Result<()> {
        for component in components.iter() {
            check(component.coefficients.len(), component.layout, component.samples.len())?;
        }
        let tables: Vec<_> = components.iter().map(|c| Dequantiser::new(self.mode, c.table)).collect();
        let mut work = Vec::new();
        for (component, table) in components.iter_mut().zip(&tables) {
            let (blocks, _) = component.coefficients.as_chunks();
            let mut samples = &mut *component.samples;
            for part in parts(component.layout, blocks.len()) {
                let coefficients = &blocks[part.first..][..part.blocks];
                let (own, rest) = samples.split_at_mut(part.samples.min(samples.len()));
                samples = rest;
                work.push((table, Strip { coefficients, samples: own, stride: part.stride }));
            }
        }
        self.for_each(work, |(table, strip)| strip::inverse(self.isa, table, self.order == Order::Zigzag, strip));
        Ok(())
    }

    /// Transforms samples minus 128 and quantises, for every block of every component: with α, q
    /// and c as in [`Transform::inverse`],
    ///
    /// ```text
    /// c(k, l) = α_k α_l / q(k, l) · Σ_n Σ_m (x(n, m) − 128) cos(πk(2n+1)/16) cos(πl(2m+1)/16)
    /// ```
    ///
    /// rounded to an integer. [`Mode::Exact`] rounds where libjpeg does, also between rows and
    /// columns. Source: ITU-T T.81, A.3.3 and A.3.4.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] if the coefficients of a component are not whole blocks, a layout is
    /// impossible, there are too few samples, or a table has a zero. Nothing is written then.
    pub fn forward(&self, components: &mut [Forward]) -> Result<()> {
        for component in components.iter() {
            check(component.coefficients.len(), component.layout, component.samples.len())?;
            component.table.check_divides()?;
        }
        let tables: Vec<_> = components.iter().map(|c| Quantiser::new(self.mode, c.table)).collect();
        let mut work = Vec::new();
        for (component, table) in components.iter_mut().zip(&tables) {
            let (mut blocks, _) = component.coefficients.as_chunks_mut();
            let mut samples = component.samples;
            for part in parts(component.layout, blocks.len()) {
                let (coefficients, rest) = blocks.split_at_mut(part.blocks);
                blocks = rest;
                work.push((table, Strip { coefficients, samples, stride: part.stride }));
                samples = &samples[part.samples.min(samples.len())..];
            }
        }
        self.for_each(work, |(table, strip)| strip::forward(self.isa, table, self.order == Order::Zigzag, strip));
        Ok(())
    }

    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    pub(crate) fn isa(&self) -> Isa {
        self.isa
    }

    pub(crate) fn threads(&self) -> usize {
        self.pool.threads()
    }

    /// Calls `task` with each item, on all threads.
    pub(crate) fn for_each<T: Send>(&self, items: Vec<T>, task: impl Fn(T) + Sync) {
        let items: Vec<_> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
        self.pool.run_tasks(items.len(), &|_, index| {
            let item = items[index].lock().unwrap_or_else(PoisonError::into_inner).take();
            item.into_iter().for_each(&task);
        });
    }
}

impl TransformBuilder {
    /// Sets how results are computed and rounded.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets the order of a block's coefficients.
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// Sets the number of threads, which includes the caller's.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Sets the instruction set. For sets without code in this crate, that of the next narrower one
    /// is used.
    pub fn isa(mut self, isa: Isa) -> Self {
        self.isa = isa;
        self
    }

    /// Builds the transform and starts its threads.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] if the number of threads is not within 1 to 1024;
    /// [`ErrorKind::Unavailable`] if this machine lacks the instruction set, or the threads cannot
    /// be started.
    pub fn build(self) -> Result<Transform> {
        if !(1..=MOST_THREADS).contains(&self.threads) {
            return Err(argument(format!("{} threads: 1 to {MOST_THREADS} are expected", self.threads)));
        }
        // The portable code stands in every build of this crate.
        if self.isa != Isa::Scalar && !self.isa.is_available() {
            return Err(Error::new(ErrorKind::Unavailable, format!("this machine has no {}", self.isa)));
        }
        let failed = |error| {
            let message = format!("cannot start {} threads: {error}", self.threads);
            Error::new(ErrorKind::Unavailable, message)
        };
        let pool = Arc::new(Pool::new(self.threads).map_err(failed)?);
        Ok(Transform { mode: self.mode, order: self.order, isa: self.isa, pool })
    }
}

/// The most threads of a transform, as of a planner.
const MOST_THREADS: usize = 1024;

/// Checks the sizes of a component.
///
/// # Errors
/// If the coefficients are not whole blocks, the layout is impossible for them, or there are too
/// few samples.
fn check(coefficients: usize, layout: Layout, samples: usize) -> Result<()> {
    if coefficients % 64 != 0 {
        return Err(argument(format!("{coefficients} coefficients are not whole blocks of 64")));
    }
    let needed = layout.samples(coefficients / 64)?;
    if samples < needed {
        return Err(argument(format!("{samples} samples given, where the layout needs {needed}")));
    }
    Ok(())
}

/// A part of a component, which one thread transforms as one strip.
struct Part {
    /// Its first block, and the number of its blocks.
    first: usize,
    blocks: usize,
    /// Samples from its first to the first of the next part.
    samples: usize,
    /// As [`Strip::stride`].
    stride: Option<usize>,
}

/// Blocks in a part, if blocks follow one another: 16 KiB of samples.
const PART_BLOCKS: usize = 256;

/// The parts of a component: rows of blocks, or [`PART_BLOCKS`] blocks each.
fn parts(layout: Layout, blocks: usize) -> impl Iterator<Item = Part> {
    let (most, stride, samples) = match layout {
        Layout::Blocks => (PART_BLOCKS, None, 64 * PART_BLOCKS),
        Layout::Rows { across, stride } => (across.max(1), Some(stride), stride.saturating_mul(8)),
    };
    let part = move |first| Part { first, blocks: most.min(blocks - first), samples, stride };
    (0..blocks).step_by(most).map(part)
}
