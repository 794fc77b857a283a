//! Filters, against the oracle: the transform, the multiply by hand, and the transform back.

use super::multiplied::{places, spelt_out};
use fourfold::oracle::naive;
use fourfold::oracle::verify::{Data, bound, relative_error};
use fourfold::{Multiplier, Pipeline, Planner, Problem, Result};
use num_complex::Complex;

/// A transform and one back.
pub(crate) struct Filter {
    pub(crate) forward: Problem,
    pub(crate) inverse: Problem,
    /// Whether they can meet in one kernel.
    #[allow(dead_code, reason = "devices take what they have room for")]
    pub(crate) meets: bool,
}

/// The filters of every engine.
pub(crate) fn cases() -> impl Iterator<Item = Filter> {
    let (one, two) = include_str!("../../../../cases/filters.txt").split_once("there are two kernels.").unwrap();
    let of = |text: &'static str, meets: bool| {
        text.lines().filter_map(|line| line.split_once(" | ")).map(move |(forward, inverse)| Filter {
            forward: forward.parse().unwrap(),
            inverse: inverse.parse().unwrap(),
            meets,
        })
    };
    of(one, true).chain(of(two, false))
}

impl Filter {
    /// A multiplier of each sort that the spectrum takes, with factors between 1/2 and 2.
    pub(crate) fn multipliers(&self) -> Vec<Multiplier> {
        let shape = &self.forward.output().shape;
        let (count, axes) = (shape.iter().product(), shape.len() as f64);
        let real = |i: usize| 1.25 + 0.75 * (2.3 * i as f64).sin();
        let turned = |i: usize| Complex::from_polar(real(i), i as f64);
        let lists =
            |of: &dyn Fn(f64) -> f64| shape.iter().map(|n| (0..*n).map(|i| of(real(i + n))).collect()).collect();
        let all = vec![
            Multiplier::Table((0..count).map(real).collect()),
            Multiplier::Separable(lists(&|x| x.powf(1.0 / axes))),
            Multiplier::ReciprocalSum(lists(&|x| x / axes)),
            Multiplier::ComplexTable((0..count).map(turned).collect()),
            Multiplier::ComplexSeparable(
                shape.iter().map(|&n| (0..n).map(|i| turned(i + n) / turned(i + n).norm()).collect()).collect(),
            ),
        ];
        all.into_iter().filter(|multiplier| Planner::new().recipe(self.pipeline(multiplier)).is_ok()).collect()
    }

    pub(crate) fn pipeline<'a>(&'a self, multiplier: &'a Multiplier) -> Pipeline<'a> {
        Pipeline::from(&self.forward).multiply(multiplier).transform(&self.inverse)
    }

    /// Panics unless one run is right. The bound is that of both transforms, times the ratio of
    /// the largest factor to the least, by which the multiply may enlarge the error of the first.
    pub(crate) fn check(
        &self,
        multiplier: &Multiplier,
        bluestein: bool,
        run: impl FnOnce(&Data, &mut Data) -> Result<()>,
    ) {
        let Filter { forward, inverse, .. } = self;
        let (from, to, precision) = (forward.input(), inverse.output(), forward.precision());
        let mut x = Data::filled(precision, forward.input_domain(), from.len, f64::NAN);
        let mut y = Data::filled(precision, inverse.output_domain(), to.len, f64::NAN);
        let wave = |i: usize| Complex::new((1.7 * i as f64).sin() + 0.1 * (i as f64).cos(), (0.9 * i as f64).cos());
        places(from).into_iter().enumerate().for_each(|(i, at)| x.set(at, wave(i)));
        let input: Vec<_> = places(from).into_iter().map(|at| x.get(at)).collect();
        let nearest = |z: &Complex<naive::Dd>| Complex::new(f64::from(z.re), f64::from(z.im));
        let spectrum = naive::transform(forward, &input).unwrap();
        let factors = spelt_out(multiplier, &forward.output().shape);
        let product: Vec<_> = spectrum.iter().zip(&factors).map(|(z, f)| nearest(z) * f).collect();
        let exact = naive::transform(inverse, &product).unwrap();
        run(&x, &mut y).unwrap();
        let found: Vec<_> = places(to).into_iter().map(|at| y.get(at)).collect();
        let norms = || factors.iter().map(|f| f.norm());
        let ratio = norms().fold(0.0, f64::max) / norms().fold(f64::INFINITY, f64::min);
        let (error, bound) =
            (relative_error(&found, &exact), ratio * (bound(forward, bluestein) + bound(inverse, bluestein)));
        assert!(error <= bound, "{forward}, {inverse}, {multiplier:?}: {error:e} of {bound:e}");
    }
}
