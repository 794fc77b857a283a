//! Tables of a chain: coefficients, twiddles, orders.

use crate::choose::radices::frequency;
use crate::desc::action::Action;
use crate::desc::descriptor::{AxisFactors, Factors, Matrix, Order, Packing, Part, Piece, Pointwise, Terms};
use crate::desc::geometry::Array;
use crate::lower::stages::StagePipeline;
use fourfold::Multiplier;
use fourfold::engine::{Factor, Index, Reorder, Roots, Rotation, Run, Step};
use num_complex::Complex;

impl StagePipeline {
    /// A spectrum in the order of the places.
    pub(crate) fn reversed(&mut self, spectrum: &[Complex<f64>], parts: &[Factor]) -> usize {
        let radices: Vec<usize> = parts.iter().map(Factor::length).collect();
        let places = (0..spectrum.len()).map(|place| spectrum[frequency(place, &radices)]);
        self.complex_table(places.collect::<Vec<_>>())
    }

    /// What is done to the elements of `array`, with its numbers in the table.
    pub(crate) fn pointwise(&mut self, action: &Action, array: &Array) -> Pointwise {
        let multiplier = match action {
            Action::Threshold(threshold) => return Pointwise::Threshold(self.table(&[*threshold])),
            Action::Multiply(multiplier) => multiplier,
        };
        let complex = matches!(multiplier, Multiplier::ComplexTable(_) | Multiplier::ComplexSeparable(_));
        let shape = &array.shape;
        let along =
            |axis: usize, at: usize| AxisFactors { size: shape[axis], stride: shape[axis + 1..].iter().product(), at };
        let factors = match multiplier {
            _ if !array.is_c_order() => {
                let factors = at_places(&factors(multiplier), array);
                Factors::Table(match complex {
                    true => self.complex_table(factors),
                    false => self.pairs(&factors.iter().map(|z| z.re).collect::<Vec<_>>()),
                })
            }
            Multiplier::Table(table) => Factors::Table(self.pairs(table)),
            Multiplier::ComplexTable(table) => Factors::Table(self.complex_table(table.iter().copied())),
            Multiplier::Separable(axes) => {
                // An axis along which nothing is multiplied needs no list.
                let lists = axes.iter().enumerate().filter(|(_, list)| list.iter().any(|&factor| factor != 1.0));
                Factors::Separable(lists.map(|(axis, list)| along(axis, self.table(list))).collect())
            }
            Multiplier::ComplexSeparable(axes) => Factors::Separable(
                axes.iter()
                    .enumerate()
                    .map(|(axis, list)| along(axis, self.complex_table(list.iter().copied())))
                    .collect(),
            ),
        };
        Pointwise::Multiply { parts: array.parts(), complex, factors }
    }

    /// A step after a DFT of `len` reals, times a factor.
    pub(crate) fn part(&mut self, step: &Step, len: usize, factor: f64) -> Part {
        let (count, from, to) = (step.count(), step.spectrum(len), step.line());
        match step {
            Step::Zero { .. } => Part::Zero { to: to[0] },
            Step::End { by, .. } | Step::Part { by, .. } => {
                Part::One { count, from: from[0], to: to[0], by: self.table(&[by * factor]) }
            }
            _ => Part::Two { count, from, to, matrix: self.matrix(step, factor) },
        }
    }

    /// What makes half spectra.
    pub(crate) fn terms(&mut self, steps: &[Step]) -> Terms {
        let mut terms = Terms { first: None, inner: None, last: None };
        for step in steps {
            match step {
                Step::Zero { .. } => {}
                Step::End { last: false, place, by } => terms.first = Some((*place, self.table(&[*by]))),
                Step::End { last: true, place, by } => terms.last = Some((*place, self.table(&[*by]))),
                _ => terms.inner = Some((step.line(), self.matrix(step, 1.0))),
            }
        }
        terms
    }

    /// What a step does to pairs of numbers, times a factor.
    fn matrix(&mut self, step: &Step, factor: f64) -> Matrix {
        match step {
            Step::Rotate(rotation) => self.rotations(rotation, factor),
            Step::Hartley { by, .. } => Matrix::Same(self.table(&Step::hartley(by * factor))),
            Step::Scale { by, .. } => Matrix::Same(self.table(&[by * factor, 0.0, 0.0, by * factor])),
            Step::Zero { .. } | Step::End { .. } | Step::Part { .. } => unreachable!("a step of single numbers"),
        }
    }

    /// Rotations, times a factor.
    pub(crate) fn rotations(&mut self, rotation: &Rotation, factor: f64) -> Matrix {
        let entries: Vec<_> = rotation.table().into_iter().map(|entry| entry.map(|x| x * factor)).collect();
        match *entries {
            [entry] => Matrix::Same(self.table(&rotation.matrix(entry))),
            _ if rotation.conjugate => Matrix::Reflections(self.pairs(entries.as_flattened())),
            _ => Matrix::Rotations(self.pairs(entries.as_flattened())),
        }
    }

    /// The number of the order in which the real side of the DFT stands in lines of `n` elements,
    /// if it is not theirs.
    pub(crate) fn order(&mut self, reorder: Option<Reorder>, n: usize) -> Option<usize> {
        self.orders.push(Order { pieces: pieces(reorder?.runs(n)) });
        Some(self.orders.len() - 1)
    }

    pub(crate) fn table(&mut self, values: &[f64]) -> usize {
        let at = self.table.len();
        self.table.extend(values);
        at
    }

    /// Values that are read two at once.
    pub(crate) fn pairs(&mut self, values: &[f64]) -> usize {
        self.table.resize(self.table.len().next_multiple_of(2), 0.0);
        self.table(values)
    }

    pub(crate) fn complex_table(&mut self, values: impl IntoIterator<Item = Complex<f64>>) -> usize {
        let values: Vec<_> = values.into_iter().flat_map(|z| [z.re, z.im]).collect();
        self.pairs(&values)
    }

    /// w^{jk} for the given j; k runs over the values of the digits `before` in the order of the
    /// places. None, if there are none.
    pub(crate) fn twiddles(&mut self, before: &[usize], radix: usize, js: impl IntoIterator<Item = usize>) -> usize {
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
    pub(crate) fn roots(&mut self, n: usize) -> usize {
        if self.packing != Packing::HalfLength {
            return 0;
        }
        let roots = Roots::new(n as u64);
        self.complex_table((0..n as u64 / 2).map(|k| roots.get(k)).collect::<Vec<_>>())
    }
}

/// All factors of a multiplier, one an element in C order.
fn factors(multiplier: &Multiplier) -> Vec<Complex<f64>> {
    let complex = |list: &[f64]| list.iter().map(|&x| Complex::from(x)).collect::<Vec<_>>();
    let lists = match multiplier {
        Multiplier::Table(table) => return complex(table),
        Multiplier::ComplexTable(table) => return table.clone(),
        Multiplier::Separable(axes) => axes.iter().map(|list| complex(list)).collect(),
        Multiplier::ComplexSeparable(axes) => axes.clone(),
    };
    let times =
        |all: Vec<Complex<f64>>, list: &Vec<_>| all.iter().flat_map(|z| list.iter().map(move |g| z * g)).collect();
    lists.iter().fold(vec![Complex::from(1.0)], times)
}

/// The factors where the elements of an array stand in memory; 0 where none does.
fn at_places(factors: &[Complex<f64>], array: &Array) -> Vec<Complex<f64>> {
    let place = |element: usize| {
        let (mut rest, mut at) = (element, array.offset);
        for (&size, &stride) in array.shape.iter().zip(&array.strides).rev() {
            at += (rest % size) as i64 * stride;
            rest /= size;
        }
        at as usize / array.parts()
    };
    let places: Vec<usize> = (0..factors.len()).map(place).collect();
    let mut all = vec![Complex::default(); places.iter().max().map_or(0, |last| last + 1)];
    places.iter().zip(factors).for_each(|(&place, &factor)| all[place] = factor);
    all
}

/// The pieces of an order, as few as can be: an element alone has no step yet, and takes what
/// follows.
fn pieces(runs: Vec<Run>) -> Vec<Piece> {
    let mut list: Vec<Run> = vec![];
    for mut run in runs {
        if let Some(last) = list.last_mut().filter(|last| last.factor == run.factor) {
            take_first(last, &mut run);
        }
        if run.count > 0 {
            list.push(run);
        }
    }
    list.iter().map(piece).collect()
}

/// Lengthens a run by the first elements of the next, as long as these go on as it does.
fn take_first(run: &mut Run, next: &mut Run) {
    while next.count > 0 {
        if run.count == 1 {
            run.place.step = next.place.start - run.place.start;
        }
        if run.place.at(run.count) != next.place.at(0) {
            return;
        }
        run.count += 1;
        *next = Run {
            first: next.first + 1,
            count: next.count - 1,
            place: Index { start: next.place.start + next.place.step, ..next.place },
            ..*next
        };
    }
}

/// A run as a function of the element's own number.
fn piece(run: &Run) -> Piece {
    let step = if run.count > 1 { run.place.step } else { 0 };
    Piece {
        first: run.first,
        index: Index { start: run.place.start - run.first as isize * step, step },
        factor: run.factor,
    }
}
