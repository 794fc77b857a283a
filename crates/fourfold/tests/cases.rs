//! Tests the problems of the folder `cases`. The small ones are executed on every instruction set,
//! and the others are only planned.

mod common;

use common::cases::read;
use common::run::{planner, verdict};
use common::sample::sample;
use fourfold::{Domain, Isa, Planner, Precision, Problem};
use num_complex::Complex;

const SMALL: &str = include_str!("../../../cases/small.txt");
const LARGE: [&str; 2] = [include_str!("../../../cases/accuracy.txt"), include_str!("../../../cases/speed.txt")];

#[test]
fn small_problems_are_right_on_every_instruction_set() {
    let settings = Isa::available().into_iter().flat_map(|isa| [(isa, 1), (isa, 3)]);
    for (turn, (isa, threads)) in settings.enumerate() {
        for problem in sample(read(SMALL), 2, turn) {
            let verdict = verdict(planner(isa, threads), &problem, 1);
            assert!(verdict.holds(), "{problem} with {isa}, {threads} threads: {verdict:?}");
        }
    }
}

/// What Miri interprets in minutes: `cargo xtask test miri`.
#[test]
#[cfg(any(feature = "scalar", not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn tiny_problems_are_right_on_the_scalar_engine() {
    // Not one of the planners that all tests share: Miri wants all threads to end before the program.
    let planner = Planner::builder().isa(Isa::Scalar).threads(1).build().unwrap();
    for problem in read(SMALL).into_iter().filter(|problem| problem.input().elements() <= 40) {
        let verdict = verdict(&planner, &problem, 2);
        assert!(verdict.holds(), "{problem}: {verdict:?}");
    }
}

#[test]
fn small_problems_are_right_in_the_other_precision() {
    for problem in read(SMALL) {
        let text = problem.to_string();
        let (from, to) = if text.contains(" f32 ") { (" f32 ", " f64 ") } else { (" f64 ", " f32 ") };
        let verdict = verdict(planner(Isa::best(), 1), &text.replace(from, to).parse().unwrap(), 1);
        assert!(verdict.holds(), "{problem}: {verdict:?}");
    }
}

#[test]
fn large_problems_have_plans() {
    for problem in sample(LARGE.iter().flat_map(|file| read(file)), 3, 0) {
        let plan = Planner::new().plan(&problem).unwrap();
        assert_eq!(plan.problem(), &problem);
        assert!(plan.bytes_moved() >= problem.input().elements() * problem.precision().bytes(), "{problem}");
    }
}

macro_rules! parts_apart {
    ($problem:expr, $isa:expr, $real:ty) => {{
        let (problem, isa): (&Problem, Isa) = ($problem, $isa);
        let plan = planner(isa, 1).plan(problem).unwrap();
        let mut random = fastrand::Rng::with_seed(1);
        let mut reals = || (0..problem.input().len).map(|_| random.f32() as $real).collect::<Vec<_>>();
        let [re, im] = [reals(), reals()];
        let both: Vec<_> = re.iter().zip(&im).map(|(re, im)| Complex::new(*re, *im)).collect();
        let [mut out_re, mut out_im] = [vec![0.0; problem.output().len], vec![0.0; problem.output().len]];
        let mut out = vec![Complex::<$real>::default(); problem.output().len];
        plan.execute(&re, &mut out_re).unwrap();
        plan.execute(&im, &mut out_im).unwrap();
        plan.execute(&both, &mut out).unwrap();
        let separate: Vec<_> = out_re.iter().zip(&out_im).map(|(re, im)| Complex::new(*re, *im)).collect();
        assert_eq!(out, separate, "{problem} with {isa}");
    }};
}

#[test]
fn plans_of_real_sums_take_complex_data() {
    let real = |problem: &Problem| (problem.input_domain(), problem.output_domain()) == (Domain::Real, Domain::Real);
    for problem in read(SMALL).into_iter().filter(real) {
        for isa in Isa::available() {
            match problem.precision() {
                Precision::F32 => parts_apart!(&problem, isa, f32),
                Precision::F64 => parts_apart!(&problem, isa, f64),
            }
        }
    }
}
