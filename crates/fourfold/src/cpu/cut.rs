//! One line at a time, cut into a matrix whose columns and rows fill the lanes (see [`crate::rules::cut`]).

use super::engine::{Pass, Precise, Ready};
use super::lane::Scalar;
use super::line::{Ends, Line};
use super::lines::Lines;
use super::memory::Array;
use super::pass::Rows;
use crate::kind::Sum;
use crate::multiplier::Values;
use crate::norm::Edges;
use crate::problem::AxisTransform;
use crate::recipe::{Line as Recipe, Place, Scheme};
use crate::rules::cosine_sine::{Data, dft_of};
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

    /// Transforms every line along `axis`; `memory` has room for [`Cut::reals`].
    ///
    /// # Safety
    /// The arrays are there, and `run` may be called on parts of them.
    pub(crate) unsafe fn run_all(&self, axis: usize, ends: [Array<S>; 2], memory: *mut S, run: Run<'_, S>) {
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
                self.run(line(&from, 0), line(&to, 1), memory, run);
            }
        }
    }

    /// One line. `from` and `to` may be the same.
    ///
    /// # Safety
    /// As [`Cut::run_all`].
    unsafe fn run(&self, from: Rows<S>, to: Rows<S>, memory: *mut S, run: Run<'_, S>) {
        let len = self.columns * self.rows;
        // SAFETY: the caller's; t has room for `len` complex numbers, or a half spectrum of as many reals, and z for one more.
        unsafe {
            let (t, z) = (memory, memory.add(2 * len));
            let complex = |base: *mut S| Rows { base, stride: 2 };
            match self.data {
                Data::Real => {
                    let v = self.ends.ordered(from);
                    for m in 0..2 * len {
                        *z.add(m) = v.load::<S>(m);
                    }
                    self.dft(complex(z), complex(z), t, run);
                    self.unpack(z, t);
                    if self.ends.complex {
                        self.after(t, Rows { base: z, stride: 1 });
                        copy(complex(z), to, self.ends.output / 2);
                    } else {
                        self.after(t, to);
                    }
                }
                Data::Hermitian => {
                    if self.ends.complex {
                        copy(from, complex(z), self.ends.input / 2);
                        self.before(Rows { base: z, stride: 1 }, t);
                    } else {
                        self.before(from, t);
                    }
                    self.pack(t, z);
                    self.dft(complex(z), complex(z), t, run);
                    let v = self.ends.ordered(to);
                    for m in 0..2 * len {
                        v.store(m, *z.add(m));
                    }
                }
                Data::Complex | Data::ComplexBackward if self.ends.complex => self.dft(from, to, t, run),
                Data::Complex | Data::ComplexBackward => {
                    self.before(from, z);
                    self.dft(complex(z), complex(z), t, run);
                    self.after(z, to);
                }
            }
        }
    }

    /// # Safety
    /// As [`Cut::run`].
    unsafe fn before(&self, from: Rows<S>, to: *mut S) {
        let before =
            self.ends.before.as_ref().expect("sums that do not start with reals in order start with a combine");
        // SAFETY: the caller's.
        unsafe { before.run::<S>(from, Rows { base: to, stride: 1 }) }
    }

    /// # Safety
    /// As [`Cut::run`].
    unsafe fn after(&self, from: *mut S, to: Rows<S>) {
        let after = self.ends.after.as_ref().expect("sums that do not end with reals in order end with a combine");
        // SAFETY: the caller's.
        unsafe { after.run::<S>(Rows { base: from, stride: 1 }, to) }
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

    /// The half spectrum of 2M reals from the DFT of the M complex numbers that they make.
    ///
    /// # Safety
    /// Both hold 2M reals.
    unsafe fn unpack(&self, z: *const S, x: *mut S) {
        let m = self.columns * self.rows;
        let half = S::lit(0.5);
        // SAFETY: the caller's; pair k ≤ M/2 with M − k, term 0 with M.
        unsafe {
            *x = *z + *z.add(1);
            *x.add(2 * m - 1) = *z - *z.add(1);
            for (k, w) in self.turns.iter().enumerate().skip(1) {
                let (a, b) = (z.add(2 * k), z.add(2 * (m - k)));
                let (even_re, even_im) = ((*a + *b) * half, (*a.add(1) - *b.add(1)) * half);
                let (odd_re, odd_im) = ((*a.add(1) + *b.add(1)) * half, (*b - *a) * half);
                let (re, im) = (odd_re * w.re - odd_im * w.im, odd_re * w.im + odd_im * w.re);
                *x.add(2 * (m - k) - 1) = even_re - re;
                *x.add(2 * (m - k)) = im - even_im;
                *x.add(2 * k - 1) = even_re + re;
                *x.add(2 * k) = even_im + im;
            }
        }
    }

    /// The reverse of [`Cut::unpack`], for a backward DFT.
    ///
    /// # Safety
    /// Both hold 2M reals.
    unsafe fn pack(&self, x: *const S, z: *mut S) {
        let m = self.columns * self.rows;
        // SAFETY: as in `unpack`.
        unsafe {
            *z = *x + *x.add(2 * m - 1);
            *z.add(1) = *x - *x.add(2 * m - 1);
            for (k, w) in self.turns.iter().enumerate().skip(1) {
                let (a, b) = (x.add(2 * k - 1), x.add(2 * (m - k) - 1));
                let (even_re, even_im) = (*a + *b, *a.add(1) - *b.add(1));
                let (re, im) = (*a - *b, *a.add(1) + *b.add(1));
                let (odd_re, odd_im) = (re * w.re + im * w.im, im * w.re - re * w.im);
                *z.add(2 * (m - k)) = even_re + odd_im;
                *z.add(2 * (m - k) + 1) = odd_re - even_im;
                *z.add(2 * k) = even_re - odd_im;
                *z.add(2 * k + 1) = even_im + odd_re;
            }
        }
    }
}

impl<S: Scalar> Cut<S> {
    /// The passes over the matrix.
    pub(crate) fn passes(&self) -> &[Pass<S>; 2] {
        &self.passes
    }

    /// Reals that one line needs.
    pub(crate) fn reals(&self) -> usize {
        4 * self.columns * self.rows + 2
    }
}

/// Copies `count` complex numbers.
///
/// # Safety
/// They are there.
unsafe fn copy<S: Scalar>(from: Rows<S>, to: Rows<S>, count: usize) {
    for i in 0..count as isize {
        // SAFETY: the caller's.
        unsafe {
            let (a, b) = (from.base.offset(i * from.stride), to.base.offset(i * to.stride));
            (*b, *b.add(1)) = (*a, *a.add(1));
        }
    }
}
