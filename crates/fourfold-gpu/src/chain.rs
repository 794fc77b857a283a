//! A sum along an axis as a chain of stages, with its tables: the core's reductions, laid out for kernels.
//!
//! All DFTs are complex and forward. Real lines are packed ([`Packing`]); a backward DFT is a forward one between two exchanges of
//! the parts. Data become a spectrum by stages from the first digit to the last, half spectra become data by those stages in reverse.

use crate::draft::Action;
use crate::lines::Array;
use crate::spec::{
    AxisFactors, Digit, Factors, Matrix, Order, Packing, Part, Piece, Pointwise, Port, Rader, Split, Stage, Terms,
    View, Work,
};
use fourfold::engine::{
    Data, Index, Reduction, Roots, Step, bluestein_length, bluestein_tables, dft_of, factors, generator_powers, length,
    rader_spectrum, reduce,
};
use fourfold::{Factor, Line, Multiplier, RADICES};
use num_complex::Complex;

/// Stages and tables of a pass.
pub(crate) struct Chain {
    pub(crate) stages: Vec<Stage>,
    pub(crate) digits: Vec<Digit>,
    pub(crate) packing: Packing,
    /// Whether a spectrum is transformed back.
    pub(crate) back: bool,
    pub(crate) orders: Vec<Order>,
    pub(crate) table: Vec<f64>,
    pub(crate) indices: Vec<u32>,
    pub(crate) uses_bluestein: bool,
}

/// How the real data of lines can be packed.
pub(crate) fn packing(line: &Line, neighbours: bool) -> Packing {
    match dft_of(line.transform.sum, line.transform.n) {
        (Data::Complex | Data::ComplexBackward, _) => Packing::Complex,
        _ if neighbours => Packing::Lines,
        (_, len) if len % 2 == 0 => Packing::Pairs,
        _ => Packing::Single,
    }
}

impl Chain {
    /// A chain of so many elements as they are.
    pub(crate) fn copy(elements: usize, complex: bool) -> Chain {
        let packing = if complex { Packing::Complex } else { Packing::Single };
        let mut chain = Chain::new(packing);
        chain.push(Work::Copy(elements), array(View::default()), array(View::default()));
        chain
    }

    /// A sum along lines.
    pub(crate) fn line(line: &Line, packing: Packing, across: bool) -> Chain {
        let mut chain = Chain::new(packing);
        let (sum, n) = (line.transform.sum, line.transform.n);
        let (data, len) = dft_of(sum, n);
        let reduction = reduce(sum, n, &line.transform.edges, line.scale);
        match data {
            Data::Complex | Data::ComplexBackward => {
                let scale = (reduction.after.is_empty() && line.scale != 1.0).then_some(line.scale);
                chain.complex(len, &reduction, data == Data::ComplexBackward, scale);
            }
            Data::Real => chain.real(len, &reduction),
            Data::Hermitian => {
                chain.hermitian(len, &reduction);
                if !across {
                    chain.interleave();
                }
            }
        }
        chain
    }

    fn new(packing: Packing) -> Chain {
        Chain {
            stages: vec![],
            digits: vec![],
            packing,
            back: false,
            orders: vec![],
            table: vec![],
            indices: vec![],
            uses_bluestein: false,
        }
    }

    /// Complex places of a line's buffer.
    pub(crate) fn places(&self) -> usize {
        self.digits.iter().map(|digit| digit.room).product()
    }

    fn push(&mut self, work: Work, from: Port, to: Port) {
        self.stages.push(Stage { work, from, to });
    }

    /// Complex data, between the combines if there are any.
    fn complex(&mut self, len: usize, reduction: &Reduction, exchanged: bool, scale: Option<f64>) {
        let scale = scale.map(|scale| self.table(&[scale]));
        let before = self.combined(&reduction.before, |_, from| from);
        let after = self.combined(&reduction.after, |to, _| to);
        let from = View { exchanged, combined: before, ..View::default() };
        let to = View { exchanged, scale, combined: after, ..View::default() };
        self.dft(len, array(from), Some(to));
    }

    /// The reals and the matrices of the one step that a combine of complex data is.
    fn combined(
        &mut self,
        steps: &[Step],
        reals: fn([Index; 2], [Index; 2]) -> [Index; 2],
    ) -> Option<([Index; 2], Matrix)> {
        let [Step::Two { from, to, matrix, .. }] = steps else { return None };
        Some((reals(*to, *from), self.matrix(matrix, 1.0)))
    }

    /// Real data of length `n` to half spectra, and on.
    fn real(&mut self, n: usize, reduction: &Reduction) {
        let view = View { order: self.order(reduction), ..View::default() };
        self.dft(self.elements(n), array(view), None);
        // Neighbours: the sums and differences of terms are twice their half spectra.
        let half = if self.packing == Packing::Lines { 0.5 } else { 1.0 };
        let parts = merged(&reduction.after).iter().map(|step| self.part(step, half)).collect();
        let turns = self.turns(n);
        self.push(Work::After { n, turns, parts }, Port::Buffer, array(View::default()));
    }

    /// Half spectra of length `n` to real data.
    fn hermitian(&mut self, n: usize, reduction: &Reduction) {
        let terms = self.terms(n, &merged(&reduction.before));
        let turns = self.turns(n);
        self.push(Work::Before { n, turns, terms }, array(View::default()), Port::Buffer);
        let view = View { order: self.order(reduction), exchanged: true, ..View::default() };
        self.dft_back(self.elements(n), view);
    }

    /// Lets neighbours be written together, if the last stage writes every second real of a line that lies along memory.
    fn interleave(&mut self) {
        let (n, reals) =
            (self.places(), if self.packing == Packing::Pairs { 2 * self.places() } else { self.places() });
        let ends = |order: &Order| {
            order.pieces.iter().map(|piece| (piece.first, piece.index.start, piece.index.step)).collect::<Vec<_>>()
        };
        let evens_and_odds = [(0, 0, 2), (reals / 2, 2 * reals as isize - 1, -2)];
        let Some(Stage { work: Work::Butterflies(_), to, .. }) = self.stages.last_mut() else { return };
        let Port::Array(view) = to else { return };
        if n % 2 == 0 && view.order.is_some_and(|order| ends(&self.orders[order]) == evens_and_odds) {
            let to = std::mem::replace(to, Port::Buffer);
            self.push(Work::Interleave(n), Port::Buffer, to);
        }
    }

    /// Complex elements of `n` reals.
    fn elements(&self, n: usize) -> usize {
        if self.packing == Packing::Pairs { n / 2 } else { n }
    }

    /// From a signal to a spectrum; without an array to write to, this stays in the buffer.
    fn dft(&mut self, len: usize, from: Port, to: Option<View>) {
        let factors = self.digits_of(len);
        let mut from = from;
        if !matches!(factors.first(), Some(Factor::Radix(_) | Factor::Bluestein(..))) {
            let all = Work::Copy(len);
            self.push(all, std::mem::replace(&mut from, Port::Buffer), Port::Buffer);
        }
        for i in 0..factors.len() {
            let from = std::mem::replace(&mut from, Port::Buffer);
            self.digit(&factors, i, false, from);
        }
        let Some(to) = to else { return };
        match self.stages.last_mut() {
            Some(stage) if matches!(stage.work, Work::Butterflies(Split { back: false, rader: None, .. })) => {
                stage.to = array(to)
            }
            _ => self.push(Work::Copy(len), Port::Buffer, array(to)),
        }
    }

    /// From a spectrum in the buffer to a signal.
    fn dft_back(&mut self, len: usize, to: View) {
        let factors = self.digits_of(len);
        self.back = true;
        for i in (0..factors.len()).rev() {
            self.digit(&factors, i, true, Port::Buffer);
        }
        match (factors.first(), self.stages.last_mut()) {
            (Some(Factor::Radix(_) | Factor::Bluestein(..)), Some(stage)) => stage.to = array(to),
            _ => self.push(Work::Copy(len), Port::Buffer, array(to)),
        }
    }

    fn digits_of(&mut self, len: usize) -> Vec<Factor> {
        let factors = gpu_factors(len);
        let room = |factor: &Factor| match factor {
            Factor::Bluestein(_, inner) => length(inner),
            other => other.length(),
        };
        self.digits = factors.iter().map(|factor| Digit { radix: factor.length(), room: room(factor) }).collect();
        factors
    }

    /// The DFTs of digit `i`.
    fn digit(&mut self, factors: &[Factor], i: usize, back: bool, from: Port) {
        let groups: usize = self.digits[i + 1..].iter().map(|digit| digit.room).product();
        let before: Vec<usize> = factors[..i].iter().map(Factor::length).collect();
        let inner = before.iter().product();
        let radix = factors[i].length();
        match &factors[i] {
            Factor::Radix(_) => {
                let twiddles = self.twiddles(&before, radix, powers_of_two(radix));
                let split = Split { radix, groups, inner, twiddles, back, rader: None };
                self.push(Work::Butterflies(split), from, Port::Buffer);
            }
            Factor::Rader(_, parts) => {
                let twiddles = self.twiddles(&before, radix, 1..radix);
                self.rader(
                    parts,
                    Rader { length: radix - 1, powers: 0, groups, inner, twiddles: Some(twiddles) },
                    back,
                );
            }
            Factor::Bluestein(_, parts) => self.bluestein(radix, parts, groups, from),
            Factor::Direct(_) => unreachable!("primes are convolutions here"),
        }
    }

    /// A DFT of a prime length where it stands. Correlation with the spectrum by two forward DFTs leaves the result for g^q at element −q, which is
    /// the value g^{−q}: its own place.
    fn rader(&mut self, parts: &[Factor], mut rader: Rader, back: bool) {
        let p = rader.length + 1;
        rader.powers = self.indices.len();
        self.indices.extend(generator_powers(p));
        let outer = rader.twiddles.filter(|_| rader.inner > 1);
        let plain = Rader { twiddles: None, ..rader };
        let first = Rader { twiddles: outer.filter(|_| !back), ..rader };
        let last = Rader { twiddles: outer.filter(|_| back), ..rader };
        self.digits_of_convolution(parts, 1, false, |i| Some(if i == 0 { first } else { plain }));
        let spectrum: Vec<_> = rader_spectrum(p).into_iter().collect();
        let spectrum = self.reversed(&spectrum, parts);
        self.push(
            Work::Convolve { length: p - 1, groups: 1, spectrum, rader: Some(plain) },
            Port::Buffer,
            Port::Buffer,
        );
        self.digits_of_convolution(parts, 1, true, |i| Some(if i == 0 { last } else { plain }));
    }

    /// A DFT of any length in the room of the first digit.
    fn bluestein(&mut self, radix: usize, parts: &[Factor], groups: usize, from: Port) {
        self.uses_bluestein = true;
        let (chirp, spectrum) = bluestein_tables(radix, parts);
        let (chirp, room) = (self.complex_table(chirp), length(parts));
        let buffer = || Port::Buffer;
        self.push(Work::Chirp { radix, room, groups, chirp }, from, buffer());
        self.digits_of_convolution(parts, groups, false, |_| None);
        // Two forward DFTs reverse the sequence: so does exchanging the parts, before and after, for a backward one.
        let spectrum = self.reversed(&spectrum, parts);
        self.push(Work::Convolve { length: room, groups, spectrum, rader: None }, buffer(), buffer());
        self.digits_of_convolution(parts, groups, true, |_| None);
        self.push(Work::Unchirp { radix, groups, chirp }, buffer(), buffer());
    }

    /// The stages of a convolution's DFT, there or back.
    fn digits_of_convolution(
        &mut self,
        parts: &[Factor],
        after: usize,
        back: bool,
        rader: impl Fn(usize) -> Option<Rader>,
    ) {
        let radices: Vec<usize> = parts.iter().map(Factor::length).collect();
        let split = |(i, radix): (usize, &usize)| {
            let groups = after * radices[i + 1..].iter().product::<usize>();
            (
                i,
                Split {
                    radix: *radix,
                    groups,
                    inner: radices[..i].iter().product(),
                    twiddles: 0,
                    back,
                    rader: rader(i),
                },
            )
        };
        let mut splits: Vec<_> = radices.iter().enumerate().map(split).collect();
        if back {
            splits.reverse();
        }
        for (i, split) in splits {
            let twiddles = self.twiddles(&radices[..i], split.radix, powers_of_two(split.radix));
            self.push(Work::Butterflies(Split { twiddles, ..split }), Port::Buffer, Port::Buffer);
        }
    }

    /// A spectrum in the order of the places.
    fn reversed(&mut self, spectrum: &[Complex<f64>], parts: &[Factor]) -> usize {
        let radices: Vec<usize> = parts.iter().map(Factor::length).collect();
        let places = (0..spectrum.len()).map(|place| spectrum[frequency(place, &radices)]);
        self.complex_table(places.collect::<Vec<_>>())
    }

    /// What is done to the elements of `spectrum`, with its numbers in the table.
    pub(crate) fn pointwise(&mut self, action: &Action, spectrum: &Array) -> Pointwise {
        let multiplier = match action {
            Action::Threshold(threshold) => return Pointwise::Threshold(self.table(&[*threshold])),
            Action::Multiply(multiplier) => multiplier,
        };
        let (parts, shape) = (if spectrum.complex { 2 } else { 1 }, &spectrum.shape);
        let complex = matches!(multiplier, Multiplier::ComplexTable(_) | Multiplier::ComplexSeparable(_));
        let along =
            |axis: usize, at: usize| AxisFactors { size: shape[axis], stride: shape[axis + 1..].iter().product(), at };
        let factors = match multiplier {
            Multiplier::Table(table) => Factors::Table(self.table(table)),
            Multiplier::ComplexTable(table) => Factors::Table(self.complex_table(table.iter().copied())),
            Multiplier::Separable(axes) => {
                Factors::Separable(axes.iter().enumerate().map(|(axis, list)| along(axis, self.table(list))).collect())
            }
            Multiplier::ComplexSeparable(axes) => Factors::Separable(
                axes.iter()
                    .enumerate()
                    .map(|(axis, list)| along(axis, self.complex_table(list.iter().copied())))
                    .collect(),
            ),
        };
        Pointwise::Multiply { parts, complex, factors }
    }

    fn part(&mut self, step: &Step, factor: f64) -> Part {
        match step {
            Step::Zero { to } => Part::Zero { to: Index { start: *to as isize, step: 0 } },
            Step::One { count, from, to, by } => {
                Part::One { count: *count, from: *from, to: *to, by: self.table(&[*by * factor]) }
            }
            Step::Two { count, from, to, matrix } => {
                Part::Two { count: *count, from: *from, to: *to, matrix: self.matrix(matrix, factor) }
            }
        }
    }

    /// What makes half spectra of length `n`.
    fn terms(&mut self, n: usize, steps: &[Step]) -> Terms {
        let mut terms = Terms { first: None, inner: None, last: None };
        for step in steps {
            match step {
                Step::Zero { .. } => {}
                Step::One { from, to, by, .. } => {
                    let term = Some((from.start as usize, self.table(&[*by])));
                    *(if to.start == 0 { &mut terms.first } else { &mut terms.last }) = term;
                    debug_assert!(to.start == 0 || to.start as usize == n - 1);
                }
                Step::Two { from, matrix, .. } => terms.inner = Some((*from, self.matrix(matrix, 1.0))),
            }
        }
        terms
    }

    fn matrix(&mut self, matrices: &[[f64; 4]], factor: f64) -> Matrix {
        let matrices: Vec<_> = matrices.iter().map(|m| m.map(|x| x * factor)).collect();
        let pairs = || matrices.iter().flat_map(|m| [m[0], m[1]]).collect::<Vec<_>>();
        match &*matrices {
            [one] => Matrix::Same(self.table(one)),
            _ if matrices.iter().all(|[a, b, c, d]| c == b && *d == -a) => Matrix::Reflections(self.pairs(&pairs())),
            _ if matrices.iter().all(|[a, b, c, d]| *c == -b && d == a) => Matrix::Rotations(self.pairs(&pairs())),
            _ => Matrix::Each(self.pairs(matrices.as_flattened())),
        }
    }

    /// The number of the order in which the real side of the DFT stands, if it is not that of memory.
    fn order(&mut self, reduction: &Reduction) -> Option<usize> {
        let order = reduction.order.as_ref()?;
        let gain = |m: usize| order.gain.get(m).copied().unwrap_or(1.0);
        let places: Vec<_> = order.index.iter().enumerate().map(|(m, i)| (*i as isize, gain(m))).collect();
        self.orders.push(Order { pieces: pieces(&places) });
        Some(self.orders.len() - 1)
    }

    fn table(&mut self, values: &[f64]) -> usize {
        let at = self.table.len();
        self.table.extend(values);
        at
    }

    /// Values that are read two at once.
    fn pairs(&mut self, values: &[f64]) -> usize {
        self.table.resize(self.table.len().next_multiple_of(2), 0.0);
        self.table(values)
    }

    fn complex_table(&mut self, values: impl IntoIterator<Item = Complex<f64>>) -> usize {
        let values: Vec<_> = values.into_iter().flat_map(|z| [z.re, z.im]).collect();
        self.pairs(&values)
    }

    /// w^{jk} for the given j; k runs over the values of the digits `before` in the order of the places. None, if there are none.
    fn twiddles(&mut self, before: &[usize], radix: usize, js: impl IntoIterator<Item = usize>) -> usize {
        let inner: usize = before.iter().product();
        if inner == 1 {
            return 0;
        }
        let roots = Roots::new((inner * radix) as u64);
        let ks: Vec<usize> = (0..inner).map(|place| frequency(place, before)).collect();
        let values = js.into_iter().flat_map(|j| ks.iter().map(move |k| j * k));
        let values: Vec<_> = values.map(|i| roots.get(i as u64)).collect();
        self.complex_table(values)
    }

    /// w_n^k for 0 < k < n/2, if reals are packed in pairs.
    fn turns(&mut self, n: usize) -> usize {
        if self.packing != Packing::Pairs {
            return 0;
        }
        let roots = Roots::new(n as u64);
        self.complex_table((0..n as u64 / 2).map(|k| roots.get(k)).collect::<Vec<_>>())
    }
}

fn array(view: View) -> Port {
    Port::Array(view)
}

/// 1, 2, 4, … below `radix`: the other twiddles are products of these.
fn powers_of_two(radix: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(1), |j| Some(2 * j)).take_while(move |j| *j < radix)
}

/// The frequency at a place: its digits reversed.
fn frequency(place: usize, radices: &[usize]) -> usize {
    radices.iter().rev().fold((place, 0), |(place, k), radix| (place / radix, k * radix + place % radix)).1
}

/// Steps that treat the real and the imaginary parts of the same terms alike, as one.
fn merged(steps: &[Step]) -> Vec<Step> {
    let mut list: Vec<Step> = vec![];
    for step in steps {
        match (list.last_mut(), step) {
            (Some(Step::One { count, from, to, by }), Step::One { count: count2, from: from2, to: to2, by: by2 })
                if count == count2
                    && by == by2
                    && from2.start == from.start + 1
                    && to2.start == to.start + 1
                    && *count > 0
                    && from.step != 0 =>
            {
                let both = Step::Two {
                    count: *count,
                    from: [*from, *from2],
                    to: [*to, *to2],
                    matrix: vec![[*by, 0.0, 0.0, *by]],
                };
                *list.last_mut().expect("just seen") = both;
            }
            _ => list.push(step.clone()),
        }
    }
    list
}

/// Runs of an order that are arithmetic progressions with one gain.
fn pieces(places: &[(isize, f64)]) -> Vec<Piece> {
    let mut list: Vec<(Piece, usize)> = vec![];
    for (m, (place, gain)) in places.iter().enumerate() {
        if let Some((piece, count)) = list.last_mut() {
            let at = m as isize - piece.first as isize;
            if *count == 1 && piece.gain == *gain {
                piece.index.step = place - piece.index.start;
            }
            if piece.gain == *gain && piece.index.start + at * piece.index.step == *place {
                *count += 1;
                continue;
            }
        }
        list.push((Piece { first: m, index: Index { start: *place, step: 0 }, gain: *gain }, 1));
    }
    list.into_iter().map(|(piece, _)| from_zero(piece)).collect()
}

/// The progression as a function of m itself.
fn from_zero(piece: Piece) -> Piece {
    let Index { start, step } = piece.index;
    Piece { index: Index { start: start - piece.first as isize * step, step }, ..piece }
}

/// The core's factors, with primes as convolutions in place: by Rader's rule where p − 1 is smooth, else by Bluestein's, for which there is room at
/// the first digit alone.
fn gpu_factors(n: usize) -> Vec<Factor> {
    let mut list: Vec<_> = factors(n).into_iter().map(convolution).collect();
    let bluestein = |factor: &Factor| matches!(factor, Factor::Bluestein(..));
    if list.iter().filter(|factor| bluestein(factor)).count() > 1 {
        return vec![Factor::Bluestein(n, factors(bluestein_length(n)))];
    }
    list.sort_by_key(|factor| !bluestein(factor));
    list
}

fn convolution(factor: Factor) -> Factor {
    let smooth = |list: &[Factor]| list.iter().all(|factor| matches!(factor, Factor::Radix(_)));
    match factor {
        Factor::Radix(r) => Factor::Radix(r),
        other => {
            let p = other.length();
            let inner = factors(p - 1);
            if p > *RADICES.last().expect("there are radices") && is_prime(p) && smooth(&inner) {
                Factor::Rader(p, inner)
            } else {
                Factor::Bluestein(p, factors(bluestein_length(p)))
            }
        }
    }
}

fn is_prime(p: usize) -> bool {
    (2..).take_while(|d| d * d <= p).all(|d| p % d != 0)
}
