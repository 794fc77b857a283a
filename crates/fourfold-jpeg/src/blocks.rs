//! Blocks, from coefficients to samples and back.

use crate::argument;
use crate::simd;
use crate::simd::{Dequantiser, Quantiser, Store, Strip};
use fourfold::engine::Pool;
use fourfold::engine::jpeg::{Layout, Mode, Order, Table};
use fourfold::{Error, ErrorKind, Isa, Result};
use std::sync::{Arc, Mutex, PoisonError};

/// A component's coefficients and where its samples go.
pub struct Inverse<'a, T> {
    /// Blocks of 64 in the order of the [`Transform`].
    pub coefficients: &'a [i16],
    /// What they were divided by.
    pub table: &'a Table,
    /// The samples to write: at least [`Layout::samples`] of them. Those between rows stay as they
    /// are.
    pub samples: &'a mut [T],
    /// Where they stand.
    pub layout: Layout,
}

/// A component's samples and where its coefficients go.
pub struct Forward<'a> {
    /// At least [`Layout::samples`] samples.
    pub samples: &'a [u8],
    /// Where they stand.
    pub layout: Layout,
    /// What coefficients are divided by; without zeros.
    pub table: &'a Table,
    /// The coefficients to write: blocks of 64 in the order of the [`Transform`].
    pub coefficients: &'a mut [i16],
}

/// What the inverse makes: `u8`, the samples plus 128 within 0 … 255, or `i16`, the samples as they
/// are.
#[expect(private_bounds, reason = "nobody else's types can be stored")]
pub trait Sample: Store {}
impl Sample for u8 {}
impl Sample for i16 {}

/// How blocks are transformed: the mode, the order of coefficients, threads, instructions.
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
    /// [`Mode::Fast`], [`Order::Raster`], one thread, and the best instructions of this machine,
    /// until told otherwise.
    pub fn builder() -> TransformBuilder {
        TransformBuilder { mode: Mode::default(), order: Order::default(), isa: Isa::best(), threads: 1 }
    }

    /// Dequantises and transforms back: with c the coefficients, q the table and α_0 = 1/√8, α_k =
    /// 1/2,
    ///
    /// ```text
    /// x(n, m) = Σ_k Σ_l α_k α_l q(k, l) c(k, l) cos(πk(2n+1)/16) cos(πl(2m+1)/16)
    /// ```
    ///
    /// in row n and column m, to the nearest integer, and for `u8` plus 128 and clamped. Source:
    /// ITU-T T.81, A.3.
    ///
    /// # Errors
    /// If a component has no whole blocks, a layout is impossible, or too few samples. Nothing is
    /// written then.
    pub fn inverse<T: Sample>(&self, components: &mut [Inverse<T>]) -> Result<()> {
        for component in components.iter() {
            check(component.coefficients.len(), component.layout, component.samples.len())?;
        }
        let tables: Vec<_> = components.iter().map(|c| Dequantiser::new(self.mode, c.table)).collect();
        let mut work = Vec::new();
        for (component, table) in components.iter_mut().zip(&tables) {
            let (blocks, _) = component.coefficients.as_chunks();
            let mut samples = &mut *component.samples;
            for strip in strips(component.layout, blocks.len()) {
                let (coefficients, at) = (&blocks[strip.first..][..strip.blocks], strip.skip.min(samples.len()));
                let (mine, rest) = samples.split_at_mut(at);
                samples = rest;
                work.push((table, Strip { coefficients, samples: mine, stride: strip.stride }));
            }
        }
        self.deal(work, |(table, strip)| simd::inverse(self.isa, table, self.order == Order::Zigzag, strip));
        Ok(())
    }

    /// Transforms samples less 128 and quantises: with α, q and c as in [`Transform::inverse`],
    ///
    /// ```text
    /// c(k, l) = α_k α_l / q(k, l) · Σ_n Σ_m (x(n, m) − 128) cos(πk(2n+1)/16) cos(πl(2m+1)/16)
    /// ```
    ///
    /// to the nearest integer. Source: ITU-T T.81, A.3.
    ///
    /// # Errors
    /// If a component has no whole blocks, a layout is impossible, there are too few samples, or a
    /// table has a zero. Nothing is written then.
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
            for strip in strips(component.layout, blocks.len()) {
                let (coefficients, rest) = blocks.split_at_mut(strip.blocks);
                blocks = rest;
                work.push((table, Strip { coefficients, samples, stride: strip.stride }));
                samples = &samples[strip.skip.min(samples.len())..];
            }
        }
        self.deal(work, |(table, strip)| simd::forward(self.isa, table, self.order == Order::Zigzag, strip));
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

    /// Does everything there is to do, on all threads.
    pub(crate) fn deal<W: Send>(&self, work: Vec<W>, each: impl Fn(W) + Sync) {
        let work: Vec<_> = work.into_iter().map(|item| Mutex::new(Some(item))).collect();
        self.pool.run(work.len(), &|_, task| {
            let item = work[task].lock().unwrap_or_else(PoisonError::into_inner).take();
            item.into_iter().for_each(&each);
        });
    }
}

impl TransformBuilder {
    /// How to compute.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// In which order coefficients stand.
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// The number of threads, the caller's included.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// The instructions. Sets that have no code of their own here run the next narrower one's.
    pub fn isa(mut self, isa: Isa) -> Self {
        self.isa = isa;
        self
    }

    /// The transform.
    ///
    /// # Errors
    /// If this machine has not the instructions, there are to be no threads, or they cannot be
    /// started.
    pub fn build(self) -> Result<Transform> {
        if self.threads == 0 {
            return Err(argument("0 threads: at least 1 is needed".into()));
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

/// A part of a component that one thread does at once: blocks and samples from its first ones on,
/// and how many samples come before the next part.
struct Part {
    first: usize,
    blocks: usize,
    skip: usize,
    stride: Option<usize>,
}

/// Blocks one after another that a thread does at once.
const PORTION: usize = 256;

fn strips(layout: Layout, blocks: usize) -> impl Iterator<Item = Part> {
    let (portion, stride, skip) = match layout {
        Layout::Blocks => (PORTION, None, 64 * PORTION),
        Layout::Rows { across, stride } => (across.max(1), Some(stride), 8 * stride),
    };
    let part = move |first| Part { first, blocks: portion.min(blocks - first), skip, stride };
    (0..blocks).step_by(portion).map(part)
}
