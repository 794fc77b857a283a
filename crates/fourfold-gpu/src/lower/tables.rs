//! Tables of a chain: coefficients, twiddles, orders.

use crate::choose::radices::frequency;
use crate::desc::action::Action;
use crate::desc::descriptor::{AxisFactors, Factors, Matrix, Order, Packing, Part, Piece, Pointwise, Terms};
use crate::desc::geometry::Array;
use crate::lower::stages::Chain;
use fourfold::Multiplier;
use fourfold::engine::{Factor, Index, Reduction, Roots, Step};
use num_complex::Complex;

impl Chain {
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

    pub(crate) fn part(&mut self, step: &Step, factor: f64) -> Part {
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
    pub(crate) fn terms(&mut self, n: usize, steps: &[Step]) -> Terms {
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

    pub(crate) fn matrix(&mut self, matrices: &[[f64; 4]], factor: f64) -> Matrix {
        let matrices: Vec<_> = matrices.iter().map(|m| m.map(|x| x * factor)).collect();
        let pairs = || matrices.iter().flat_map(|m| [m[0], m[1]]).collect::<Vec<_>>();
        match &*matrices {
            [one] => Matrix::Same(self.table(one)),
            _ if matrices.iter().all(|[a, b, c, d]| c == b && *d == -a) => Matrix::Reflections(self.pairs(&pairs())),
            _ if matrices.iter().all(|[a, b, c, d]| *c == -b && d == a) => Matrix::Rotations(self.pairs(&pairs())),
            _ => Matrix::Each(self.pairs(matrices.as_flattened())),
        }
    }

    /// The number of the order in which the real side of the DFT stands, if it is not that of
    /// memory.
    pub(crate) fn order(&mut self, reduction: &Reduction) -> Option<usize> {
        let order = reduction.order.as_ref()?;
        let gain = |m: usize| order.gain.get(m).copied().unwrap_or(1.0);
        let places: Vec<_> = order.index.iter().enumerate().map(|(m, i)| (*i as isize, gain(m))).collect();
        self.orders.push(Order { pieces: pieces(&places) });
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
    pub(crate) fn turns(&mut self, n: usize) -> usize {
        if self.packing != Packing::Pairs {
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

/// Steps that treat the real and the imaginary parts of the same terms alike, as one.
pub(crate) fn merged(steps: &[Step]) -> Vec<Step> {
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
