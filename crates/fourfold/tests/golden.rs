//! Tests the engine against SciPy's results in extended precision.

mod common;

use common::run::{execute, planner};
use common::{Golden, golden};
use fourfold::oracle::naive::Dd;
use fourfold::oracle::verify::{Data, bound, relative_error};
use fourfold::{Isa, Planner, Precision, Problem};
use num_complex::Complex;

/// The relative error of one case in one precision, and its bound.
fn error(planner: &Planner, case: &Golden, precision: Precision) -> (f64, f64) {
    let text = case.problem.to_string().replace(" f64 ", &format!(" {} ", precision.name()));
    let problem: Problem = text.parse().unwrap();
    let plan = planner.plan(&problem).unwrap();
    let mut input = Data::filled(precision, problem.input_domain(), case.input.len(), 0.0);
    let mut output = Data::filled(precision, problem.output_domain(), case.output.len(), f64::NAN);
    case.input.iter().enumerate().for_each(|(i, z)| input.set(i, *z));
    execute(&plan, &input, &mut output).unwrap();
    let got: Vec<_> = (0..case.output.len()).map(|i| output.get(i)).collect();
    let want: Vec<_> = case.output.iter().map(|z| Complex::new(Dd::from(z.re), Dd::from(z.im))).collect();
    (relative_error(&got, &want), bound(&problem, plan.recipe().uses_bluestein()))
}

#[test]
fn agrees_with_scipy() {
    let cases = golden();
    assert!(cases.len() > 900);
    for isa in Isa::available() {
        for (case, precision) in cases.iter().flat_map(|case| [(case, Precision::F32), (case, Precision::F64)]) {
            let (error, bound) = error(planner(isa, 1), case, precision);
            assert!(error <= bound, "{} in {precision:?} with {isa}: {error:e} > {bound:e}", case.problem);
        }
    }
}
