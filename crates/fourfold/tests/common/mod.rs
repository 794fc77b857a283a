//! Functions that several test files use.
#![allow(dead_code, reason = "every test file uses a part")]

pub(crate) mod cases;
pub(crate) mod exact_lines;
pub(crate) mod multiply;
pub(crate) mod random;
pub(crate) mod recipes;
pub(crate) mod run;
pub(crate) mod sample;
pub(crate) mod soak;

use fourfold::{Domain, Problem};
use num_complex::Complex;

/// A transform by SciPy, in C order: see data/make_golden.py.
pub(crate) struct Golden {
    pub(crate) problem: Problem,
    pub(crate) input: Vec<Complex<f64>>,
    pub(crate) output: Vec<Complex<f64>>,
}

/// All transforms in data/golden.txt.
pub(crate) fn golden() -> Vec<Golden> {
    include_str!("../data/golden.txt").lines().filter(|line| !line.starts_with('#')).map(parse).collect()
}

fn parse(line: &str) -> Golden {
    let [problem, input, output] = line.split(" | ").collect::<Vec<_>>().try_into().expect("three fields");
    let problem: Problem = problem.parse().unwrap_or_else(|e| panic!("{problem}: {e}"));
    let (from, to) = (problem.input_domain(), problem.output_domain());
    Golden { problem, input: numbers(input, from), output: numbers(output, to) }
}

fn numbers(text: &str, domain: Domain) -> Vec<Complex<f64>> {
    let reals: Vec<f64> = text.split(' ').map(|number| number.parse().expect("a number")).collect();
    match domain {
        Domain::Real => reals.into_iter().map(Complex::from).collect(),
        Domain::Complex => reals.chunks_exact(2).map(|z| Complex::new(z[0], z[1])).collect(),
    }
}
