//! One line at a time, cut into a matrix whose columns and rows fill the lanes (see [`crate::rules::cut`]).

use super::combine::Along;
use super::dispatch::Isa;
use super::engine::{Pass, Precise, Ready};
use super::lane::{Job, Lane, Scalar, Work};
use super::line::{Ends, Line};
use super::lines::Lines;
use super::memory::Array;
use super::pass::Rows;
use crate::complex::C;
use crate::kind::Sum;
use crate::multiplier::Values;
use crate::norm::Edges;
use crate::problem::AxisTransform;
use crate::recipe::{Line as Recipe, Place, Scheme};
use crate::rules::cosine_sine::{Data, dft_of};
use crate::rules::cut::{pack, unpack};
use crate::rules::mixed_radix::{Factor, length};
use crate::twiddle::Roots;
use num_complex::Complex;
use std::sync::Arc;

/// A sum whose complex DFT of length columns · rows runs as two passes.
pub(crate) struct Cut<S> {
    ends: Ends<S>,
    data: Data,
    columns: usize,
    rows: usize,
    /// Down the columns and multiply; along the rows.
    passes: [Pass<S>; 2],
    /// w_N^k for k ≤ M/2, where real data of length N = 2M are packed.
    turns: Vec<Complex<S>>,
}

/// Runs a pass from one array to another.
type Run<'a, S> = &'a dyn Fn(&Pass<S>, Array<S>, Array<S>);

impl<S: Precise> Cut<S> {
    pub(crate) fn new(recipe: &Recipe, columns: &[Factor], rows: &[Factor]) -> Self {
        let (data, len) = dft_of(recipe.transform.sum, recipe.transform.n);
        let backward = matches!(data, Data::Hermitian | Data::ComplexBackward);
        let sum = if backward { Sum::Backward } else { Sum::Forward };
        // Real sums have their scale in the combines.
        let plain = matches!(recipe.transform.sum, Sum::Forward | Sum::Backward);
        let line = |axis, factors: &[Factor], scale| {
            let transform = AxisTransform { axis, n: length(factors), sum, edges: Edges::ONE };
            let scheme = Scheme::Lanes(factors.to_vec());
            Ready::Line(Arc::new(Line::new(&Recipe { transform, scale, scheme }, factors)))
        };
        let scale = if plain { recipe.scale } else { 1.0 };
        let twiddles = Values::twiddles(length(columns), length(rows), backward);
        let first = vec![line(0, columns, 1.0), Ready::Multiply(Arc::new(twiddles))];
        let pass = |axis, ops| Pass { axis, from: Place::Input, to: Place::Output, ops };
        let real = matches!(data, Data::Real | Data::Hermitian);
        let roots = Roots::new(len as u64);
        Cut {
            ends: Ends::new(recipe),
            data,
            columns: length(columns),
            rows: length(rows),
            passes: [pass(0, first), pass(1, vec![line(1, rows, scale)])],
            turns: if real { (0..=len as u64 / 4).map(|k| S::root(&roots, k)).collect() } else { vec![] },
        }
    }

    /// Transforms every line along `axis`; `memory` has room for the matrix twice, and two reals more.
    ///
    /// # Safety
    /// The arrays are there, and `run` may be called on parts of them.
    pub(crate) unsafe fn run_all(&self, isa: Isa, axis: usize, ends: [Array<S>; 2], memory: *mut S, run: Run<'_, S>) {
        let split = ends[0].parts == 2 && ends[1].parts == 2 && !self.ends.complex;
        let [from, to] = ends.map(|array| if split { array.split_parts() } else { array });
        let lines = Lines::new(axis, [&from, &to, &to], true, 1);
        for index in 0..lines.count() {
            let tile = lines.tile(index, 1);
            // SAFETY: the caller's; lines begin within their arrays.
            unsafe {
                let line = |array: &Array<S>, number: usize| Rows {
                    base: array.origin.offset(tile.offsets[number][0]),
                    stride: array.strides[axis],
                };
                self.run(isa, line(&from, 0), line(&to, 1), memory, run);
            }
        }
    }

    /// One line. `from` and `to` may be the same.
    ///
    /// # Safety
    /// As [`Cut::run_all`].
    unsafe fn run(&self, isa: Isa, from: Rows<S>, to: Rows<S>, memory: *mut S, run: Run<'_, S>) {
        let len = self.columns * self.rows;
        // SAFETY: the caller's; t has room for `len` complex numbers, or a half spectrum of as many reals, and z for one more.
        unsafe {
            let (t, z) = (memory, memory.add(2 * len));
            let complex = |base: *mut S| Rows { base, stride: 2 };
            match self.data {
                Data::Real => {
                    self.ends.ordered(from).read(z, 2 * len);
                    self.dft(complex(z), complex(z), t, run);
                    S::dispatch(isa, Unpack { m: len, turns: &self.turns, z, x: t });
                    self.after(isa, t, to, z);
                }
                Data::Hermitian => {
                    self.before(isa, from, t, z);
                    S::dispatch(isa, Pack { m: len, turns: &self.turns, x: t, z });
                    self.dft(complex(z), complex(z), t, run);
                    self.ends.ordered(to).write(z, 2 * len);
                }
                Data::Complex | Data::ComplexBackward if self.ends.complex => self.dft(from, to, t, run),
                Data::Complex | Data::ComplexBackward => {
                    self.before(isa, from, z, t);
                    self.dft(complex(z), complex(z), t, run);
                    self.after(isa, z, to, t);
                }
            }
        }
    }

    /// Reals that stand together in an element at the ends.
    fn parts(&self) -> usize {
        if self.ends.complex { 2 } else { 1 }
    }

    /// The first combine; through `free` where the line is not one run of memory, so that lanes can run along it.
    ///
    /// # Safety
    /// As [`Cut::run`].
    unsafe fn before(&self, isa: Isa, from: Rows<S>, to: *mut S, free: *mut S) {
        let combine =
            self.ends.before.as_ref().expect("sums that do not start with reals in order start with a combine");
        // SAFETY: the caller's.
        unsafe {
            let mut run = Rows { base: from.base, stride: 1 };
            if from.stride != self.parts() as isize {
                run.base = free;
                copy(from, Rows { base: free, stride: self.parts() as isize }, self.parts(), self.ends.input);
            }
            S::dispatch(isa, Along { combine, from: run, to: Rows { base: to, stride: 1 } });
        }
    }

    /// The last combine, as [`Cut::before`].
    ///
    /// # Safety
    /// As [`Cut::run`].
    unsafe fn after(&self, isa: Isa, from: *mut S, to: Rows<S>, free: *mut S) {
        let combine = self.ends.after.as_ref().expect("sums that do not end with reals in order end with a combine");
        let apart = to.stride != self.parts() as isize;
        let run = Rows { base: if apart { free } else { to.base }, stride: 1 };
        // SAFETY: the caller's.
        unsafe {
            S::dispatch(isa, Along { combine, from: Rows { base: from, stride: 1 }, to: run });
            if apart {
                copy(Rows { base: free, stride: self.parts() as isize }, to, self.parts(), self.ends.output);
            }
        }
    }

    /// The complex DFT of the elements of `from`, through `t`.
    ///
    /// # Safety
    /// As [`Cut::run`].
    unsafe fn dft(&self, from: Rows<S>, to: Rows<S>, t: *mut S, run: Run<'_, S>) {
        let shape = [self.columns, self.rows];
        let matrix = |line: Rows<S>, strides: [usize; 2]| {
            let mut array = Array::c_order(line.base, &shape, 2);
            array.strides[0] = line.stride * strides[0] as isize;
            array.strides[1] = line.stride * strides[1] as isize;
            array
        };
        let work = Array::c_order(t, &shape, 2);
        run(&self.passes[0], matrix(from, [self.rows, 1]), work);
        run(&self.passes[1], work, matrix(to, [1, self.columns]));
    }
}

/// Copies `reals` numbers, `parts` of which stand together.
///
/// # Safety
/// They are there.
unsafe fn copy<S: Scalar>(from: Rows<S>, to: Rows<S>, parts: usize, reals: usize) {
    for i in 0..(reals / parts) as isize {
        for part in 0..parts {
            // SAFETY: the caller's.
            unsafe {
                let from = from.base.offset(i * from.stride).add(part);
                *to.base.offset(i * to.stride).add(part) = *from;
            }
        }
    }
}

/// Numbers `from` … in pairs (re, im) as two vectors.
///
/// # Safety
/// They are there.
#[inline(always)]
unsafe fn pairs<V: Lane>(from: *const V::Scalar) -> C<V> {
    // SAFETY: the caller's.
    let (re, im) = unsafe { V::unzip(V::load(from), V::load(from.add(V::WIDTH))) };
    C { re, im }
}

/// The reverse of [`pairs`].
///
/// # Safety
/// As there.
#[inline(always)]
unsafe fn put_pairs<V: Lane>(to: *mut V::Scalar, z: C<V>) {
    let (low, high) = V::zip(z.re, z.im);
    // SAFETY: the caller's.
    unsafe {
        low.store(to);
        high.store(to.add(V::WIDTH));
    }
}

#[inline(always)]
fn reversed<V: Lane>(z: C<V>) -> C<V> {
    C { re: z.re.reverse(), im: z.im.reverse() }
}

/// The half spectrum x of 2m reals from the DFT z of the m complex numbers that they make.
struct Unpack<'a, S> {
    m: usize,
    turns: &'a [Complex<S>],
    z: *const S,
    x: *mut S,
}

/// The reverse of [`Unpack`], for a backward DFT.
struct Pack<'a, S> {
    m: usize,
    turns: &'a [Complex<S>],
    x: *const S,
    z: *mut S,
}

/// Lets a job over term pairs k and m − k run in vectors first and one by one at the end.
macro_rules! over_pairs {
    ($job:ident, $working:ident) => {
        impl<S: Precise> Job<S> for $job<'_, S> {
            unsafe fn run<V: Lane<Scalar = S>>(self) {
                // SAFETY: the caller's.
                unsafe { V::enter($working::<V> { job: self }) }
            }
        }

        struct $working<'a, V: Lane> {
            job: $job<'a, V::Scalar>,
        }

        impl<V: Lane> Work for $working<'_, V>
        where
            V::Scalar: Lane<Scalar = V::Scalar>,
        {
            #[inline(always)]
            fn run(self) {
                let (job, mut k) = (self.job, 1);
                // SAFETY: pair k ≤ m/2 with m − k, term 0 with m; a vector of terms must not reach its mirror image.
                unsafe {
                    job.ends();
                    while 2 * (k + V::WIDTH) <= job.m {
                        job.terms::<V>(k);
                        k += V::WIDTH;
                    }
                    while 2 * k <= job.m {
                        job.terms::<V::Scalar>(k);
                        k += 1;
                    }
                }
            }
        }
    };
}
over_pairs!(Unpack, Unpacking);
over_pairs!(Pack, Packing);

impl<S: Lane<Scalar = S> + Scalar> Unpack<'_, S> {
    #[inline(always)]
    unsafe fn ends(&self) {
        // SAFETY: the caller's.
        unsafe {
            *self.x = *self.z + *self.z.add(1);
            *self.x.add(2 * self.m - 1) = *self.z - *self.z.add(1);
        }
    }

    /// Terms k … and their mirror images.
    #[inline(always)]
    unsafe fn terms<V: Lane<Scalar = S>>(&self, k: usize) {
        let mirror = self.m - k - (V::WIDTH - 1);
        // SAFETY: the caller's.
        unsafe {
            let (a, b) = (pairs::<V>(self.z.add(2 * k)), reversed(pairs::<V>(self.z.add(2 * mirror))));
            let [a, b] = unpack(a, b, pairs::<V>(self.turns.as_ptr().add(k).cast()));
            put_pairs(self.x.add(2 * mirror - 1), reversed(b));
            put_pairs(self.x.add(2 * k - 1), a);
        }
    }
}

impl<S: Lane<Scalar = S> + Scalar> Pack<'_, S> {
    #[inline(always)]
    unsafe fn ends(&self) {
        // SAFETY: the caller's.
        unsafe {
            let (first, last) = (*self.x, *self.x.add(2 * self.m - 1));
            *self.z = first + last;
            *self.z.add(1) = first - last;
        }
    }

    /// Terms k … and their mirror images.
    #[inline(always)]
    unsafe fn terms<V: Lane<Scalar = S>>(&self, k: usize) {
        let mirror = self.m - k - (V::WIDTH - 1);
        // SAFETY: the caller's.
        unsafe {
            let (a, b) = (pairs::<V>(self.x.add(2 * k - 1)), reversed(pairs::<V>(self.x.add(2 * mirror - 1))));
            let [a, b] = pack(a, b, pairs::<V>(self.turns.as_ptr().add(k).cast()));
            put_pairs(self.z.add(2 * mirror), reversed(b));
            put_pairs(self.z.add(2 * k), a);
        }
    }
}
