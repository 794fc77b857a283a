//! DCT-I and DST-I whose quarters have odd length, as two complex lines.

use crate::desc::kernel::{KernelDesc, Packing};
use crate::lower::passes::lower;
use crate::run::inspect::Target;
use crate::simulator::simulate;
use fourfold::{Planner, Problem};

/// The kernels of a problem.
fn descs(target: &Target, problem: &Problem) -> Vec<KernelDesc> {
    let recipe = Planner::new().recipe(problem).unwrap();
    lower(target.limits(), &recipe, false, None, &[]).unwrap().descs()
}

/// On whole lines and, where these do not fit, on ranges of digits, of which all but the first have half
/// of the frequencies.
#[test]
fn odd_quarters_are_right_and_have_no_races() {
    let cases = include_str!("../../../../cases/odd_quarters.txt").lines().filter(|line| !line.starts_with('#'));
    let problems: Vec<Problem> = cases.map(|case| case.parse().unwrap()).collect();
    let small = Target::cuda("sm_90").unwrap().with_shared_bytes(8 << 10).with_sms(1);
    let mut wrong = vec![];
    let mut kernels = [0; 4];
    for target in [Target::opencl(), small] {
        for problem in &problems {
            let descs = descs(&target, problem);
            let is_packed = |desc: &KernelDesc| desc.packing == Packing::Quarters;
            kernels[descs.iter().filter(|desc| is_packed(desc)).count().min(3)] += 1;
            match simulate(&target, problem, &[]) {
                Ok((verdict, _)) if verdict.holds() && descs.iter().any(is_packed) => {}
                other => wrong.push(format!("{problem}: {} kernels, {other:?}", descs.len())),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(kernels[1] > 20 && kernels[2] > 4 && kernels[3] > 2, "as many problems in 1, 2, 3 kernels: {kernels:?}");
}
