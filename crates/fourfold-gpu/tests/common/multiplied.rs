//! Multipliers that divide exactly, so that a run whose input or output is multiplied can be
//! compared with the oracle of its problem.

use fourfold::oracle::verify::{Data, Verdict, check};
use fourfold::{Layout, Multiplier, Pipeline, Planner, Problem, Recipe, Result};
use num_complex::Complex;

/// The sides of a problem.
pub(crate) const SIDES: [Side; 2] = [Side::Input, Side::Output];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Input,
    Output,
}

impl Side {
    fn layout(self, problem: &Problem) -> &Layout {
        if self == Side::Input { problem.input() } else { problem.output() }
    }

    /// A multiplier of each sort that the side takes; lists leave axes of odd lengths from 3 on as
    /// they are.
    pub(crate) fn multipliers(self, problem: &Problem) -> Vec<Multiplier> {
        let shape = &self.layout(problem).shape;
        let count: usize = shape.iter().product();
        let list = |n: &usize| (0..*n).map(|i| if n % 2 == 0 || *n == 1 { factor(i + n) } else { 1.0 }).collect();
        let all = vec![
            Multiplier::Table((0..count).map(factor).collect()),
            Multiplier::Separable(shape.iter().map(list).collect()),
            Multiplier::ReciprocalSum(shape.iter().enumerate().map(terms).collect()),
            Multiplier::ComplexTable((0..count).map(turned).collect()),
            Multiplier::ComplexSeparable(shape.iter().map(|&n| (0..n).map(turned).collect()).collect()),
        ];
        all.into_iter().filter(|multiplier| self.recipe(multiplier, problem).is_ok()).collect()
    }

    pub(crate) fn pipeline<'a>(self, multiplier: &'a Multiplier, problem: &'a Problem) -> Pipeline<'a> {
        match self {
            Side::Input => Pipeline::new().multiply(multiplier).transform(problem),
            Side::Output => Pipeline::new().transform(problem).multiply(multiplier),
        }
    }

    pub(crate) fn recipe(self, multiplier: &Multiplier, problem: &Problem) -> Result<Recipe> {
        Planner::new().recipe(self.pipeline(multiplier, problem))
    }

    /// One run with this side multiplied, against the oracle of the problem: the multiply is undone
    /// by hand.
    pub(crate) fn verdict(
        self,
        multiplier: &Multiplier,
        problem: &Problem,
        bluestein: bool,
        run: impl FnOnce(&Data, &mut Data) -> Result<()>,
    ) -> Verdict {
        let verdict = check(problem, bluestein, 1, |x, y| {
            let mut x = x.clone();
            if self == Side::Input {
                self.divide(if problem.in_place() { y } else { &mut x }, multiplier, problem);
            }
            run(&x, y)?;
            if self == Side::Output {
                self.divide(y, multiplier, problem);
            }
            Ok(())
        });
        verdict.unwrap_or_else(|e| panic!("{problem}: {e}"))
    }

    /// Undoes the multiply, in an array of this side.
    fn divide(self, data: &mut Data, multiplier: &Multiplier, problem: &Problem) {
        let layout = self.layout(problem);
        for (at, factor) in places(layout).into_iter().zip(spelt_out(multiplier, &layout.shape)) {
            data.set(at, data.get(at) / factor);
        }
    }
}

/// The problems that are multiplied on every engine.
pub(crate) fn cases() -> impl Iterator<Item = Problem> {
    let lines = include_str!("../../../../cases/multiplied.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(|case| case.parse().unwrap())
}

/// A power of two, of either sign.
fn factor(i: usize) -> f64 {
    let hash = (i as u32).wrapping_mul(0x9e37_79b9) >> 16;
    f64::from(1 << (hash & 7)) * if hash & 8 == 0 { 1.0 } else { -1.0 }
}

/// Terms along axis `a` of sums that are powers of two and no zeros: one axis has the terms, and the
/// others have zeros.
fn terms((a, n): (usize, &usize)) -> Vec<f64> {
    (0..*n).map(|i| if a == 0 { factor(i + n) } else { 0.0 }).collect()
}

/// The same along one of the axes of the complex plane.
fn turned(i: usize) -> Complex<f64> {
    if i % 3 == 0 { Complex::new(0.0, factor(i)) } else { Complex::new(factor(i), 0.0) }
}

/// Where the elements stand, in C order.
pub(crate) fn places(layout: &Layout) -> Vec<usize> {
    let longer = |all: Vec<isize>, (n, stride): (&usize, &isize)| {
        all.iter().flat_map(|at| (0..*n as isize).map(move |i| at + i * stride)).collect()
    };
    let all = layout.shape.iter().zip(&layout.strides).fold(vec![layout.offset as isize], longer);
    all.into_iter().map(|at| at as usize).collect()
}

/// One factor an element, in C order.
pub(crate) fn spelt_out(multiplier: &Multiplier, shape: &[usize]) -> Vec<Complex<f64>> {
    let real = |list: &Vec<f64>| list.iter().map(|x| Complex::new(*x, 0.0)).collect::<Vec<_>>();
    let longer = |all: Vec<Complex<f64>>, list: Vec<Complex<f64>>| {
        all.iter().flat_map(|z| list.iter().map(move |w| z * w).collect::<Vec<_>>()).collect()
    };
    let one = vec![Complex::new(1.0, 0.0)];
    let all = match multiplier {
        Multiplier::Table(table) => real(table),
        Multiplier::ComplexTable(table) => table.clone(),
        Multiplier::Separable(lists) => lists.iter().map(real).fold(one, longer),
        Multiplier::ComplexSeparable(lists) => lists.iter().cloned().fold(one, longer),
        Multiplier::ReciprocalSum(lists) => {
            let sum =
                |all: Vec<f64>, list: &Vec<f64>| all.iter().flat_map(|x| list.iter().map(move |y| x + y)).collect();
            lists.iter().fold(vec![0.0], sum).into_iter().map(|sum: f64| Complex::new(1.0 / sum, 0.0)).collect()
        }
    };
    assert_eq!(all.len(), shape.iter().product());
    all
}
