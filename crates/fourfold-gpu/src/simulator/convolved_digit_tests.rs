//! Digits that are convolved in a block.

use crate::desc::kernel::KernelDesc;
use crate::desc::stage::StageOp;
use crate::run::inspect::Target;
use crate::simulator::{estimated, simulate};

/// A letter for each stage of a kernel.
fn letters(desc: &KernelDesc) -> String {
    let letter = |op: &StageOp| match op {
        StageOp::Copy(_) => '=',
        StageOp::Butterflies(_) => '.',
        StageOp::Chirp { .. } => '(',
        StageOp::ConvolveDigit { .. } => '*',
        StageOp::Unchirp { .. } => ')',
        _ => '|',
    };
    desc.stages.iter().map(|stage| letter(&stage.op)).collect()
}

/// The chirp is in the first DFTs and in the last ones, and the product in one stage with DFTs before and after it.
#[test]
fn no_stage_only_multiplies() {
    let target = Target::cuda("sm_90").unwrap();
    for (case, stages) in [
        ("dct2 f64 83x90000 axes=0", "(*)|"),
        ("dct3 f64 83x90000 axes=0", "|(*)"),
        ("dct2 f64 167x90000 axes=0", "(.*.)|"),
        ("fft f64 83x90000 axes=0", "(*)="),
        ("dct2 f64 37x90000 axes=0", ".*.|"),
        ("dct3 f64 37x90000 axes=0", "|.*."),
        ("dct2 f64 90000x37 axes=1", "=.*.|"),
        ("dct2 f64 111x90000 axes=0", "..*.|"),
    ] {
        let descs = estimated(&target, &case.parse().unwrap());
        assert_eq!(descs.iter().map(letters).collect::<Vec<_>>(), [stages], "{case}");
    }
}

/// Columns and rows, digits before and after others, two and three radices; lengths whose last chirped value ends
/// small DFTs at different places.
#[test]
fn convolved_digits_are_right_and_have_no_races() {
    let target = Target::cuda("sm_90").unwrap().with_sms(1);
    let mut convolving = 0;
    for kind in ["dct1", "dct2", "dct3", "dct4", "dst4", "dht", "fft", "rfft", "irfft"] {
        for shape in ["83x6 axes=0", "5x83", "6x118", "3x167", "166x3 axes=0", "111x4 axes=0", "3x185", "2773"] {
            for real in ["f32", "f64"] {
                let case = format!("{kind} {real} {shape}");
                let problem = case.parse().unwrap();
                convolving += usize::from(estimated(&target, &problem).iter().any(|desc| letters(desc).contains('*')));
                let (verdict, _) = simulate(&target, &problem, &[]).unwrap();
                assert!(verdict.holds(), "{case}: {verdict:?}");
            }
        }
    }
    assert!(convolving > 80, "{convolving} of 144");
}

/// Whose pieces of an order end among the values of one small DFT: what is past the last one is not read.
#[test]
fn orders_of_convolved_digits_stay_in_the_line() {
    let target = Target::cuda("sm_90").unwrap().with_sms(1);
    for kind in ["dct4", "dst4", "dct2", "dst3"] {
        for shape in ["107", "3x263", "321x2 axes=0", "347x2", "109x3 axes=0", "2x263x1 inplace"] {
            for real in ["f32", "f64"] {
                let case = format!("{kind} {real} {shape}");
                let (verdict, _) = simulate(&target, &case.parse().unwrap(), &[]).unwrap();
                assert!(verdict.holds(), "{case}: {verdict:?}");
            }
        }
    }
}
