//! One line at a time, for lines that are few or long: combine → complex DFT → combine, with lanes
//! along the line.

use crate::arithmetic::twiddle::Roots;
use crate::cpu::base::memory::Array;
use crate::cpu::base::sizes::single_buffer;
use crate::cpu::base::strided::Strided;
use crate::cpu::batch::batch::Ends;
use crate::cpu::batch::combine::{Along, Combine};
use crate::cpu::batch::tiling::Lines;
use crate::cpu::dft::places::Places;
use crate::cpu::simd::dispatch::{Dispatch, Isa};
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::{LANES, Scalar};
use crate::cpu::single::blocked::Blocked;
use crate::cpu::single::even_odd::{Join, Split};
use crate::cpu::single::four_step::{Matrix, Run};
use crate::cpu::single::intra_vector::{Input, IntraVector};
use crate::cpu::single::real_packing::{Finish, Pack, Start, Unpack};
use crate::problem::kind::Transform1d;
use crate::recipe::recipe::AxisRecipe;
use crate::recipe::reduction::Data;
use crate::recipe::rules::cosine_sine::dft_of;
use crate::recipe::scheme::Scheme;
use num_complex::Complex;

/// The executable form of one sum along one line.
pub(crate) struct Single<S> {
    ends: Ends<S>,
    data: Data,
    dft: Dft<S>,
    /// Reals of a buffer.
    buffer: usize,
    /// w_N^k for k < M/2 + LANES, where real data of length N = 2M are packed.
    turns: Vec<Complex<S>>,
}

/// A complex DFT of one line.
enum Dft<S> {
    Along(IntraVector<S>),
    Blocked(Blocked<S>),
    Matrix(Matrix<S>),
}

/// Two buffers that hold a half spectrum each.
type Buffers<S> = [Ptr<S>; 2];

fn pairs_at<S>(base: Ptr<S>) -> Strided<S> {
    Strided { base, stride: 2 }
}

impl<S: Dispatch> Dft<S> {
    fn new(scheme: &Scheme, backward: bool, scale: f64) -> Self {
        match scheme {
            Scheme::Batched(_) => unreachable!("lanes hold many lines"),
            Scheme::IntraVector(factors) => Dft::Along(IntraVector::new(factors, backward, scale)),
            Scheme::Blocked { within, across } => Dft::Blocked(Blocked::new(within, across, backward, scale)),
            Scheme::FourStep { columns, rows } => Dft::Matrix(Matrix::new(columns, rows, backward, scale)),
        }
    }

    fn len(&self) -> usize {
        match self {
            Dft::Along(along) => along.len,
            Dft::Blocked(parts) => parts.len,
            Dft::Matrix(matrix) => matrix.len(),
        }
    }

    /// The DFT of `src`, which may be the second buffer or `out`, to `out`, else to one of the
    /// buffers: says where it is.
    ///
    /// # Safety
    /// As [`Single::run`].
    unsafe fn run(&self, isa: Isa, src: Input<S>, buffers: Buffers<S>, out: Option<Ptr<S>>, run: Run<'_, S>) -> Ptr<S> {
        let [t, z] = buffers;
        // SAFETY: the caller's.
        unsafe {
            match self {
                Dft::Along(along) => along.run(isa, src, buffers, out),
                Dft::Blocked(parts) => parts.run(isa, src, buffers, out),
                Dft::Matrix(matrix) => {
                    let out = out.unwrap_or(z);
                    matrix.run(pairs_at(src.address()), pairs_at(out), t, run);
                    out
                }
            }
        }
    }

    /// Whether its first pass takes reals from their places.
    fn takes_places(&self) -> bool {
        match self {
            Dft::Along(along) => along.takes_places(),
            Dft::Blocked(_) => true,
            Dft::Matrix(_) => false,
        }
    }

    /// The DFT of the elements of `from` to those of `to`, which may be the same.
    ///
    /// # Safety
    /// As [`Single::run`].
    unsafe fn between(&self, isa: Isa, from: Strided<S>, to: Strided<S>, [t, z]: Buffers<S>, run: Run<'_, S>) {
        // SAFETY: the caller's.
        unsafe {
            match self {
                Dft::Matrix(matrix) => matrix.run(from, to, t, run),
                _ => {
                    let src = if from.stride == 2 { from.base } else { z };
                    if from.stride != 2 {
                        copy(from, pairs_at(z), 2, 2 * self.len());
                    }
                    let out = (to.stride == 2).then_some(to.base);
                    let out = self.run(isa, Input::Pairs(src), [t, z], out, run);
                    if to.stride != 2 {
                        copy(pairs_at(out), to, 2, 2 * self.len());
                    }
                }
            }
        }
    }
}

impl<S: Dispatch> Single<S> {
    pub(crate) fn new(recipe: &AxisRecipe) -> Self {
        let (data, len) = dft_of(recipe.transform.sum, recipe.transform.n);
        let backward = matches!(data, Data::Hermitian | Data::ComplexBackward);
        let real = matches!(data, Data::Real | Data::Hermitian);
        // Real sums have their scale in the combines.
        let plain = matches!(recipe.transform.sum, Transform1d::Forward | Transform1d::Backward);
        let roots = Roots::new(len as u64);
        Single {
            ends: Ends::new(recipe),
            data,
            buffer: single_buffer(&recipe.scheme),
            dft: Dft::new(&recipe.scheme, backward, if plain { recipe.scale } else { 1.0 }),
            turns: if real { (0..(len / 4 + LANES) as u64).map(|k| S::root(&roots, k)).collect() } else { vec![] },
        }
    }

    /// Whether complex numbers stand on one side at least.
    pub(crate) fn is_complex(&self) -> bool {
        self.ends.complex
    }

    /// Transforms every line along `axis`; `memory` has room for both buffers.
    ///
    /// # Safety
    /// The arrays are there, and `run` may be called on parts of them.
    pub(crate) unsafe fn run_all(&self, isa: Isa, axis: usize, ends: [&Array<S>; 2], memory: Ptr<S>, run: Run<'_, S>) {
        let both = ends.iter().all(|array| array.parts == 2) && !self.ends.complex;
        let split = both.then(|| ends.map(Array::split_parts));
        let [from, to] = split.as_ref().map_or(ends, |[from, to]| [from, to]);
        let lines = Lines::new(axis, [from, to, to], true, 1);
        for index in 0..lines.count() {
            let tile = lines.tile(index, 1);
            // SAFETY: the caller's; lines begin within their arrays.
            unsafe {
                let rows = |array: &Array<S>, offset| Strided {
                    base: array.origin.offset(offset),
                    stride: array.strides[axis],
                };
                let ends = [rows(from, tile.offsets[0][0]), rows(to, tile.offsets[1][0])];
                self.run(isa, ends, memory, run);
            }
        }
    }

    /// One line. Both ends may be the same.
    ///
    /// # Safety
    /// As [`Single::run_all`].
    #[inline]
    pub(crate) unsafe fn run(&self, isa: Isa, ends: [Strided<S>; 2], memory: Ptr<S>, run: Run<'_, S>) {
        let buffers = [memory.first(self.buffer), memory.wrapping_add(self.buffer).first(self.buffer)];
        // SAFETY: the caller's.
        unsafe {
            match self.data {
                Data::Complex | Data::ComplexBackward if self.ends.complex => {
                    self.dft.between(isa, ends[0], ends[1], buffers, run);
                }
                _ => self.run_combined(isa, ends, buffers, run),
            }
        }
    }

    /// The sums that are more than their DFT; by themselves, since a short DFT notices the
    /// registers that they save.
    ///
    /// # Safety
    /// As [`Single::run`].
    #[inline(never)]
    unsafe fn run_combined(&self, isa: Isa, [from, to]: [Strided<S>; 2], buffers: Buffers<S>, run: Run<'_, S>) {
        let [t, z] = buffers;
        let other = |at: Ptr<S>| if at == t { z } else { t };
        // SAFETY: the caller's.
        unsafe {
            match self.data {
                Data::Real => {
                    let bare = (self.ends.bare && to.stride == 2).then_some(to.base);
                    let spectrum = self.dft.run(isa, self.read(isa, from, z), buffers, bare, run);
                    match bare {
                        Some(out) => self.unpack_bare(isa, out),
                        None => self.finish(isa, spectrum, to, other(spectrum)),
                    }
                }
                Data::Hermitian => {
                    self.start(isa, from, t, z);
                    let signal = self.dft.run(isa, Input::Pairs(z), buffers, None, run);
                    self.write(isa, signal, to);
                }
                Data::Complex | Data::ComplexBackward => {
                    self.before(isa, from, z, t);
                    let spectrum = self.dft.run(isa, Input::Pairs(z), buffers, None, run);
                    self.after(isa, spectrum, to, other(spectrum));
                }
            }
        }
    }

    /// From the DFT of pairs to the half spectrum, both at `half`.
    ///
    /// # Safety
    /// As [`Single::run`].
    unsafe fn unpack_bare(&self, isa: Isa, half: Ptr<S>) {
        let m = self.dft.len();
        // SAFETY: the caller's.
        unsafe {
            S::dispatch(isa, Unpack { m, turns: &self.turns, z: half, x: half.add(1) });
            // The first and the last term are real.
            half.write(half.add(1).read());
            half.add(1).write(S::of(0.0));
            half.add(2 * m + 1).write(S::of(0.0));
        }
    }

    /// From the DFT of pairs to the line, with another buffer at `free`.
    ///
    /// # Safety
    /// As [`Single::run`].
    unsafe fn finish(&self, isa: Isa, spectrum: Ptr<S>, to: Strided<S>, free: Ptr<S>) {
        let (m, turns) = (self.dft.len(), &self.turns[..]);
        // SAFETY: the caller's.
        unsafe {
            if let Some(turning) = self.ends.after.as_ref().and_then(Combine::turning) {
                let run = if to.stride == 1 { to.base } else { free };
                let unpack = Unpack { m, turns, z: spectrum, x: free.add(1) };
                S::dispatch(isa, Finish { unpack, turning, to: run });
                if to.stride != 1 {
                    copy(Strided { base: free, stride: 1 }, to, 1, self.ends.output);
                }
            } else {
                S::dispatch(isa, Unpack { m, turns, z: spectrum, x: free.add(1) });
                self.after(isa, free.add(1), to, spectrum);
            }
        }
    }

    /// From the line to pairs at `to`, with another buffer at `free`.
    ///
    /// # Safety
    /// As [`Single::run`].
    unsafe fn start(&self, isa: Isa, from: Strided<S>, free: Ptr<S>, to: Ptr<S>) {
        let (m, turns) = (self.dft.len(), &self.turns[..]);
        // SAFETY: the caller's.
        unsafe {
            if let Some(turning) = self.ends.before.as_ref().and_then(Combine::turning) {
                if from.stride != 1 {
                    copy(from, Strided { base: free, stride: 1 }, 1, self.ends.input);
                }
                let run = if from.stride == 1 { from.base } else { free };
                S::dispatch(isa, Start { pack: Pack { m, turns, x: free, z: to }, turning, from: run });
            } else {
                self.before(isa, from, free, to);
                S::dispatch(isa, Pack { m, turns, x: free, z: to });
            }
        }
    }

    /// The line in the order of the DFT's real data: where it stands, or in `free`.
    ///
    /// # Safety
    /// As [`Single::run`].
    unsafe fn read(&self, isa: Isa, from: Strided<S>, free: Ptr<S>) -> Input<S> {
        let n = 2 * self.dft.len();
        // SAFETY: the caller's.
        unsafe {
            match self.ends.even_odd {
                _ if from.stride == 1 && !self.ends.has_order() => return Input::Pairs(from.base),
                Some(odd) if from.stride == 1 => {
                    let places = Places { n, odd, from: from.base };
                    if self.dft.takes_places() {
                        return Input::Places(places);
                    }
                    S::dispatch(isa, Split { places, to: free });
                }
                _ => self.ends.ordered(from).read(free, n),
            }
        }
        Input::Pairs(free)
    }

    /// The reverse of [`Single::read`].
    ///
    /// # Safety
    /// As there.
    unsafe fn write(&self, isa: Isa, from: Ptr<S>, to: Strided<S>) {
        let n = 2 * self.dft.len();
        // SAFETY: the caller's.
        unsafe {
            match self.ends.even_odd {
                Some(odd) if to.stride == 1 => S::dispatch(isa, Join { n, odd, from, to: to.base }),
                _ => self.ends.ordered(to).write(from, n),
            }
        }
    }

    /// Reals that stand together in an element at the ends.
    fn parts(&self) -> usize {
        if self.ends.complex { 2 } else { 1 }
    }

    /// The first combine; through `free` where the line is not one run of memory, so that lanes can
    /// run along it.
    ///
    /// # Safety
    /// As [`Single::run`].
    unsafe fn before(&self, isa: Isa, from: Strided<S>, to: Ptr<S>, free: Ptr<S>) {
        let combine = self.ends.before.as_ref();
        let combine: &Combine<S> = combine.expect("sums that do not start with reals in order start with a combine");
        // SAFETY: the caller's.
        unsafe {
            let mut run = Strided { base: from.base, stride: 1 };
            if from.stride != self.parts() as isize {
                run.base = free;
                copy(from, Strided { base: free, stride: self.parts() as isize }, self.parts(), self.ends.input);
            }
            S::dispatch(isa, Along { combine, from: run, to: Strided { base: to, stride: 1 } });
        }
    }

    /// The last combine, as [`Single::before`].
    ///
    /// # Safety
    /// As [`Single::run`].
    unsafe fn after(&self, isa: Isa, from: Ptr<S>, to: Strided<S>, free: Ptr<S>) {
        let combine = self.ends.after.as_ref();
        let combine: &Combine<S> = combine.expect("sums that do not end with reals in order end with a combine");
        let apart = to.stride != self.parts() as isize;
        let run = Strided { base: if apart { free } else { to.base }, stride: 1 };
        // SAFETY: the caller's.
        unsafe {
            S::dispatch(isa, Along { combine, from: Strided { base: from, stride: 1 }, to: run });
            if apart {
                copy(Strided { base: free, stride: self.parts() as isize }, to, self.parts(), self.ends.output);
            }
        }
    }
}

/// Copies `reals` numbers, `parts` of which stand together.
///
/// # Safety
/// They are there.
unsafe fn copy<S: Scalar>(from: Strided<S>, to: Strided<S>, parts: usize, reals: usize) {
    for i in 0..(reals / parts) as isize {
        for part in 0..parts {
            // SAFETY: the caller's.
            unsafe {
                let from = from.base.offset(i * from.stride).add(part);
                to.base.offset(i * to.stride).add(part).write(from.read());
            }
        }
    }
}
