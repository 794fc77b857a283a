//! A sum along an axis as a chain of stages, with its tables: the core's reductions, laid out for kernels.
//!
//! All DFTs are complex. Real data of even length are pairs, of odd length have imaginary part 0; a backward DFT is a forward one
//! between two exchanges of the parts.

use crate::spec::{Convolution, Matrix, Part, Place, Port, Room, Split, Stage, Work};
use fourfold::engine::{
    Data, Index, Order, Roots, Step, bluestein_tables, dft_of, factors, generator_powers, length, rader_spectrum,
    reduce,
};
use fourfold::{Factor, Line, Sum};
use num_complex::Complex;

/// Stages and tables of a pass.
pub(crate) struct Chain {
    pub(crate) stages: Vec<Stage>,
    pub(crate) table: Vec<f64>,
    pub(crate) indices: Vec<u32>,
    pub(crate) room: Room,
    pub(crate) uses_bluestein: bool,
    /// How the next stage reads.
    from: Port,
}

impl Chain {
    pub(crate) fn new() -> Chain {
        Chain {
            stages: vec![],
            table: vec![],
            indices: vec![],
            room: Room::default(),
            uses_bluestein: false,
            from: Port::plain(Place::Input),
        }
    }

    /// Appends a sum.
    pub(crate) fn line(&mut self, line: &Line) {
        let (sum, n) = (line.transform.sum, line.transform.n);
        let (data, len) = dft_of(sum, n);
        let reduction = reduce(sum, n, &line.transform.edges, line.scale);
        if !reduction.before.is_empty() {
            let parts = self.parts(&reduction.before, 0);
            let reals = if data == Data::Complex { 2 * len } else { len };
            self.push(Work::Combine(parts), reals);
        }
        let shift = match data {
            Data::Complex => self.dft(&gpu_factors(len), 1),
            Data::ComplexBackward => self.backward(&gpu_factors(len)),
            Data::Real => return self.real(len, reduction.order.as_ref(), &reduction.after),
            Data::Hermitian => return self.hermitian(len, reduction.order.as_ref()),
        };
        self.after(&reduction.after, shift);
        if matches!(sum, Sum::Forward | Sum::Backward) && line.scale != 1.0 {
            self.scale(n, line.scale);
        }
    }

    /// The pass with its last stage writing the output.
    pub(crate) fn finish(mut self, elements: usize, single: bool) -> Chain {
        if self.stages.is_empty() {
            self.copy(elements, single);
        }
        // A chain of one stage has one item a line: in place, every line is read whole before it is written.
        debug_assert!(self.stages.len() > 1 || self.stages[0].is_whole());
        self.stages.last_mut().expect("there is a stage").to.place = Place::Output;
        self
    }

    fn copy(&mut self, elements: usize, single: bool) {
        self.from.single = single;
        self.push(Work::Copy(elements), if single { elements } else { 2 * elements });
        self.last().single = single;
        self.from.single = single;
    }

    /// Appends a stage that writes so many reals to the buffer that it does not read.
    fn push(&mut self, work: Work, reals: usize) {
        let place = if self.from.place == Place::Buffer(0) { Place::Buffer(1) } else { Place::Buffer(0) };
        let to = Port::plain(place);
        self.stages.push(Stage { work, from: self.from, to });
        self.room.buffer = self.room.buffer.max(reals);
        self.from = to;
    }

    /// The port at which the last stage writes.
    fn last(&mut self) -> &mut Port {
        &mut self.stages.last_mut().expect("there is a stage").to
    }

    fn scale(&mut self, elements: usize, scale: f64) {
        if elements == 1 {
            self.copy(1, false);
        }
        let at = self.table(&[scale]);
        self.last().scale = Some(at);
    }

    /// Real data of length `len` to their half spectrum, and on.
    fn real(&mut self, len: usize, order: Option<&Order>, after: &[Step]) {
        (self.from.order, self.from.gain) = self.order(order);
        if len % 2 == 1 {
            self.from.single = true;
            if len == 1 {
                self.copy(1, true);
            }
            self.dft(&gpu_factors(len), 1);
            // Complex terms have one place more than a half spectrum, for Im X_0.
            return self.after(after, if len == 1 { 0 } else { 1 });
        }
        self.dft(&gpu_factors(len / 2), 1);
        let turns = self.turns(len);
        self.push(Work::Unpack { terms: len / 2, turns }, len);
        self.after(after, 0);
    }

    /// A half spectrum of length `len` to real data, backwards.
    fn hermitian(&mut self, len: usize, order: Option<&Order>) {
        if len % 2 == 1 {
            if len > 1 {
                self.push(Work::Extend(len), 2 * len);
                self.backward(&gpu_factors(len));
            }
            self.last().single = true;
        } else {
            let turns = self.turns(len);
            self.push(Work::Pack { terms: len / 2, turns }, len);
            self.backward(&gpu_factors(len / 2));
        }
        let (order, gain) = self.order(order);
        (self.last().order, self.last().gain) = (order, gain);
    }

    fn after(&mut self, steps: &[Step], shift: isize) {
        if !steps.is_empty() {
            let parts = self.parts(steps, shift);
            self.push(Work::Combine(parts), written(steps));
        }
    }

    fn backward(&mut self, factors: &[Factor]) -> isize {
        if !factors.is_empty() {
            self.from.exchanged = true;
            self.dft(factors, 1);
            self.last().exchanged = true;
        }
        0
    }

    /// `batch` complex DFTs, one after the other. Returns 0: their terms stand without a gap.
    fn dft(&mut self, factors: &[Factor], batch: usize) -> isize {
        let len = length(factors);
        let roots = Roots::new(len as u64);
        let mut inner = 1;
        for factor in factors {
            let radix = factor.length();
            let groups = len / (inner * radix);
            let twiddles = self.twiddles(&roots, groups, inner, radix);
            let split = Split { batch, groups, inner, radix, twiddles };
            match factor {
                Factor::Radix(_) => self.push(Work::Butterflies(split), 2 * batch * len),
                Factor::Rader(_, factors) => self.rader(split, factors),
                Factor::Bluestein(_, factors) => self.bluestein(split, factors),
                Factor::Direct(_) => unreachable!("primes are convolutions here"),
            }
            inner *= radix;
        }
        0
    }

    fn rader(&mut self, split: Split, factors: &[Factor]) {
        let (p, count) = (split.radix, split.count());
        let powers = generator_powers(p);
        let inverse = (0..p - 1).map(|q| powers[(p - 1 - q) % (p - 1)]);
        let at = self.indices.len();
        self.indices.extend(powers.iter().copied().chain(inverse));
        let side = self.room.side;
        self.room.side += 2 * count;
        let spectrum = self.complex_table(rader_spectrum(p));
        self.convolve(split, Convolution::Rader { powers: at, side }, factors, spectrum);
    }

    fn bluestein(&mut self, split: Split, factors: &[Factor]) {
        self.uses_bluestein = true;
        let (chirp, spectrum) = bluestein_tables(split.radix, factors);
        let (chirp, spectrum) = (self.complex_table(chirp), self.complex_table(spectrum));
        let convolution = Convolution::Bluestein { chirp, length: length(factors) };
        self.convolve(split, convolution, factors, spectrum);
    }

    fn convolve(&mut self, split: Split, convolution: Convolution, factors: &[Factor], spectrum: usize) {
        let (batch, length) = (split.count(), length(factors));
        let side = match convolution {
            Convolution::Rader { side, .. } => Some(side),
            Convolution::Bluestein { .. } => None,
        };
        self.push(Work::Scatter(split, convolution), 2 * batch * length);
        self.dft(factors, batch);
        self.push(Work::Convolve { batch, length, spectrum, side }, 2 * batch * length);
        // Backwards: the parts exchanged before and after.
        self.from.exchanged = true;
        self.dft(factors, batch);
        self.last().exchanged = true;
        self.push(Work::Gather(split, convolution), 2 * batch * split.radix);
    }

    fn parts(&mut self, steps: &[Step], shift: isize) -> Vec<Part> {
        let moved = |index: Index| if index.start > 0 { Index { start: index.start + shift, ..index } } else { index };
        let part = |step: &Step| match step {
            Step::Zero { to } => Part::Zero { to: Index { start: *to as isize, step: 0 } },
            Step::One { count, from, to, by } => {
                Part::One { count: *count, from: moved(*from), to: *to, by: self.table(&[*by]) }
            }
            Step::Two { count, from, to, matrix } => {
                Part::Two { count: *count, from: from.map(moved), to: *to, matrix: self.matrix(matrix) }
            }
        };
        steps.iter().map(part).collect()
    }

    fn matrix(&mut self, matrices: &[[f64; 4]]) -> Matrix {
        let pairs = || matrices.iter().flat_map(|m| [m[0], m[1]]).collect::<Vec<_>>();
        match matrices {
            [one] => Matrix::Same(self.table(one)),
            _ if matrices.iter().all(|[a, b, c, d]| c == b && *d == -a) => Matrix::Reflections(self.table(&pairs())),
            _ if matrices.iter().all(|[a, b, c, d]| *c == -b && d == a) => Matrix::Rotations(self.table(&pairs())),
            _ => Matrix::Each(self.table(matrices.as_flattened())),
        }
    }

    /// Where the index and the gain of an order begin.
    fn order(&mut self, order: Option<&Order>) -> (Option<usize>, Option<usize>) {
        let Some(order) = order else { return (None, None) };
        let at = self.indices.len();
        self.indices.extend(order.index.iter().map(|i| *i as u32));
        (Some(at), (!order.gain.is_empty()).then(|| self.table(&order.gain)))
    }

    fn table(&mut self, values: &[f64]) -> usize {
        let at = self.table.len();
        self.table.extend(values);
        at
    }

    fn complex_table(&mut self, values: impl IntoIterator<Item = Complex<f64>>) -> usize {
        let at = self.table.len();
        self.table.extend(values.into_iter().flat_map(|z| [z.re, z.im]));
        at
    }

    fn twiddles(&mut self, roots: &Roots, groups: usize, inner: usize, radix: usize) -> usize {
        let pairs = (1..radix).flat_map(|j| (0..inner).map(move |k| j * k));
        let values = pairs.filter(|_| inner > 1).map(|jk| roots.get((jk * groups) as u64));
        self.complex_table(values)
    }

    /// w_N^k for k ≤ N/4.
    fn turns(&mut self, n: usize) -> usize {
        let roots = Roots::new(n as u64);
        self.complex_table((0..=n as u64 / 4).map(|k| roots.get(k)))
    }
}

/// One past the last real that the steps write.
fn written(steps: &[Step]) -> usize {
    let ends = |index: &Index, count: usize| index.start.max(index.start + index.step * (count as isize - 1));
    let last = |step: &Step| match step {
        Step::Zero { to } => *to as isize,
        Step::One { count, to, .. } => ends(to, *count),
        Step::Two { count, to, .. } => ends(&to[0], *count).max(ends(&to[1], *count)),
    };
    steps.iter().map(last).max().unwrap_or(0) as usize + 1
}

/// The core's factors, with direct sums as convolutions: those have work for all threads.
fn gpu_factors(n: usize) -> Vec<Factor> {
    factors(n).into_iter().map(convolutions).collect()
}

fn convolutions(factor: Factor) -> Factor {
    match factor {
        Factor::Direct(p) => Factor::Rader(p, gpu_factors(p - 1)),
        Factor::Rader(p, inner) => Factor::Rader(p, inner.into_iter().map(convolutions).collect()),
        other => other,
    }
}
