//! Every kind × every length × both precisions × every instruction set, against the oracle.

use fourfold::verify::{Data, check};
use fourfold::{Isa, Plan, Planner, Problem, Result};

fn execute(plan: &Plan, input: &Data, output: &mut Data) -> Result<()> {
    match (input, output) {
        (Data::F32(x), Data::F32(y)) => plan.execute(x, y),
        (Data::F64(x), Data::F64(y)) => plan.execute(x, y),
        (Data::F32(x), Data::ComplexF32(y)) => plan.execute(x, y),
        (Data::F64(x), Data::ComplexF64(y)) => plan.execute(x, y),
        (Data::ComplexF32(x), Data::F32(y)) => plan.execute(x, y),
        (Data::ComplexF64(x), Data::F64(y)) => plan.execute(x, y),
        (Data::ComplexF32(x), Data::ComplexF32(y)) => plan.execute(x, y),
        (Data::ComplexF64(x), Data::ComplexF64(y)) => plan.execute(x, y),
        _ => unreachable!("both sides have the problem's precision"),
    }
}

#[test]
fn quick() {
    let mut bad = 0;
    for isa in Isa::available() {
        let planner = Planner::builder().isa(isa).build().unwrap();
        for ty in ["f64", "f32"] {
            for kind in [
                "fft", "ifft", "rfft", "irfft", "dht", "dct2", "dct3", "dst2", "dst3", "dct4", "dst4", "dct1", "dst1",
                "idxst",
            ] {
                for n in (1..=40).chain([47, 60, 64, 97, 100, 101, 128, 167, 179, 243, 256, 1000, 1024]) {
                    let text = format!("{kind} {ty} 3x{n}x5 axes=1");
                    let Ok(problem) = text.parse::<Problem>() else { continue };
                    let plan = planner.plan(&problem).unwrap();
                    let v = check(&problem, plan.recipe().uses_bluestein(), 1, |x, y| execute(&plan, x, y)).unwrap();
                    if !v.holds() {
                        bad += 1;
                        if bad < 60 {
                            println!("{isa} {text}: {v:?} {}", plan.recipe());
                        }
                    }
                }
            }
        }
    }
    assert_eq!(bad, 0);
}
