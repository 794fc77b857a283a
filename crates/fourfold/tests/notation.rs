//! Tests the notation: parsing, printing, and errors.

mod common;

use common::random::problems;
use fourfold::{ErrorKind, Kind, Precision, Problem};
use proptest::prelude::*;

fn parse(text: &str) -> Problem {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn prints_canonically() {
    let same = [
        "dct2 f64 4096x4096 ortho",
        "fft f32 1x2x3x4x5x6x7x8 axes=0,7",
        "dct1,dst1 f64 5x1 scale=0.25 adjoint",
        "dct2 f16 4096x4096 ortho",
        "rfft bf16 8x9 axes=0 in=1,8",
    ];
    for text in same {
        assert_eq!(parse(text).to_string(), text);
    }
    let changed = [
        ("DCT  F64 8 Ortho", "dct2 f64 8 ortho"),
        ("REDFT00 f64 8", "dct1 f64 8"),
        ("DST-III,irfftn,dctn f64 8x8x8", "dst3,irfft,dct2 f64 8x8x8"),
        ("rodft01,idst,redft11 f64 8x8x8", "dst3,idst2,dct4 f64 8x8x8"),
        ("dct2,dct2 f64 8x9", "dct2 f64 8x9"),
        ("dct2 f64 8x9 axes=0,1 backward scale=1", "dct2 f64 8x9"),
        ("dct2 f64 8x9 out=1,8 axes=-1", "dct2 f64 8x9 axes=1 out=1,8"),
        ("dct2 f64 8x9 in=9,1 out=9,1", "dct2 f64 8x9"),
        ("dct2 f64 8x9 inplace out=-9,1", "dct2 f64 8x9 inplace in=-9,1"),
        ("dct2 f64 8 ortho orthogonalize=yes", "dct2 f64 8 ortho"),
        ("dct2 f64 8 orthogonalize=yes", "dct2 f64 8 orthogonalize=yes"),
        ("idct_idxst f64 8x9", "dct3,idxst f64 8x9 scale=0.5"),
        ("idxst_idct f32 3x8x9 axes=1,2 scale=4", "idxst,dct3 f32 3x8x9 axes=1,2 scale=2.0"),
        ("rfft f64 7x8 in=8,1 out=5,1", "rfft f64 7x8"),
    ];
    for (text, canonical) in changed {
        assert_eq!(parse(text).to_string(), canonical);
    }
}

#[test]
fn auto_takes_the_shape_of_the_input() {
    let printed = |text, shape: &[usize]| Problem::parse_for(text, shape).map(|problem| problem.to_string());
    assert_eq!(printed("dct2 f64 auto", &[480, 640]).unwrap(), "dct2 f64 480x640");
    assert_eq!(printed("dct2 f64 480x640", &[480, 640]).unwrap(), "dct2 f64 480x640");
    assert_eq!(printed("irfft f64 auto axes=0", &[5, 3]).unwrap(), "irfft f64 8x3 axes=0");
    assert_eq!(printed("irfft f64 auto", &[1]).unwrap(), "irfft f64 1");
    assert_eq!(printed("irfft f64 9x3 axes=0", &[5, 3]).unwrap(), "irfft f64 9x3 axes=0");
    assert_eq!(printed("rfft f64 auto adjoint", &[5]).unwrap(), "rfft f64 8 adjoint");
    assert_eq!(printed("irfft f64 auto adjoint", &[5]).unwrap(), "irfft f64 5 adjoint");
    let error = Problem::parse_for("dct2 f64 4x4", &[4, 5]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Argument);
    assert!(error.to_string().contains("needs 4x4"), "{error}");
    assert!(Problem::parse_for("irfft f64 auto", &[]).is_err());
    assert!(Problem::parse_for("irfft f64 auto", &[usize::MAX]).is_err());
    assert!(Problem::parse_for("irfft f64 auto", &[1 << 59]).is_err());
}

#[test]
fn roman_numerals_name_inverses_too() {
    for (roman, kind) in
        [("dct-ii", Kind::Dct2), ("idct-i", Kind::Idct1), ("idst-ii", Kind::Idst2), ("IDST-IV", Kind::Idst4)]
    {
        assert_eq!(roman.parse(), Ok(kind));
    }
}

#[test]
fn every_name_is_read() {
    for kind in Kind::ALL {
        for name in [&[kind.name()], kind.aliases()].concat() {
            assert_eq!(name.parse(), Ok(kind));
            assert_eq!(name.to_uppercase().parse(), Ok(kind));
        }
    }
}

/// Each row has a text, and a part of the message, which says what was expected.
const ERRORS: &[(&str, &str)] = &[
    ("", "kinds type shape"),
    ("dct2", "the type is missing"),
    ("dct2 f64", "the shape is missing"),
    ("dct2 64x64", "f32 or f64"),
    ("dct2 f8 64", "f32 or f64, or on GPUs f16 or bf16"),
    ("dtc2 f64 8", "did you mean dct2?"),
    ("rftf f64 8", "did you mean rfft?"),
    ("redtf11 f64 8", "did you mean redft11?"),
    ("idct_idsxt f64 8x8", "did you mean idct_idxst?"),
    ("r2hc f64 8", "rfft"),
    ("HC2R f64 8", "irfft"),
    ("dct2, f64 8x8", "without spaces"),
    ("idct_idxst,dct2 f64 8x8x8", "stands alone"),
    ("dct2 f64 auto", "write the shape"),
    ("dct2 f64 8,8", "separated by x"),
    ("dct2 f64 8x", "separated by x"),
    ("dct2 f64 -8", "separated by x"),
    ("dct2 f64 99999999999999999999", "below 2^63"),
    ("dct2 f64 0", "at least 1"),
    ("dct2 f64 8x0x8", "axis 1 has length 0"),
    ("dct1 f64 1", "dct1 needs at least 2"),
    ("idct1,dct2 f64 1x8", "idct1 needs at least 2"),
    ("dct2 f64 4294967296x4294967296", "address space"),
    ("dct2 f64 2147483648x536870912", "address space"),
    ("fft f64 2147483648x268435456", "address space"),
    ("dct2 f64 1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1", "at most 32"),
    ("dct2 f64 8 orto", "did you mean ortho?"),
    ("dct2 f64 8 in-place", "did you mean inplace?"),
    ("dct2 f64 8 axis=0", "did you mean axes?"),
    ("dct2 f64 8 norm=ortho", "did you mean ortho?"),
    ("dct2 f64 8x8 axes=0, 1", "write axes=0,2"),
    ("dct2 f64 8x8 axes", "write axes=0,2"),
    ("dct2 f64 8x8 axes=", "write axes=0,2"),
    ("dct2 f64 8 ortho=yes", "write ortho"),
    ("dct2 f64 8 orthogonalize=maybe", "orthogonalize=no"),
    ("dct2 f64 8 scale=half", "write scale=0.5"),
    ("dct2 f64 8 ortho ortho", "give it once"),
    ("dct2 f64 8 in=1 in=1", "give it once"),
    ("dct2 f64 8 ortho forward", "one norm"),
    ("dct2 f64 8 backward ortho", "one norm"),
    ("dct2 f64 8 orthogonalize=no orthogonalize=yes", "give it once"),
    ("dct2 f64 8x8 axes=2", "0 to 1"),
    ("dct2 f64 8x8 axes=-3", "-2 to -1"),
    ("dct2 f64 8x8 axes=1,-1", "axis 1 is named twice"),
    ("dct2,dct3 f64 8x8x8", "one kind for all, or one for each"),
    ("dct2,dct3,dct4 f64 8x8x8 axes=0,1", "one kind for all, or one for each"),
    ("idct_idxst f64 8", "one for each"),
    ("rfft,irfft f64 8x8", "rfft with ifft"),
    ("idxst f64 8 ortho", "leave out ortho"),
    ("idxst f64 8 forward", "leave out forward"),
    ("idxst,dct2 f64 8x8 orthogonalize=yes", "leave out orthogonalize"),
    ("dct2 f64 8 scale=0", "finite and not 0"),
    ("dct2 f64 8 scale=nan", "finite and not 0"),
    ("dct2 f64 8 scale=1e999", "finite and not 0"),
    ("dct2 f32 8 scale=1e-40", "range of f32"),
    ("idct2 f64 1024 scale=1e-306", "range of f64"),
    ("rfft f64 8 inplace", "leave out inplace"),
    ("dct2 f64 8x8 inplace in=8,1 out=1,8", "both alike"),
    ("dct2 f64 8x8 in=1", "one stride for each axis"),
    ("dct2 f64 8x8 out=64,8,1", "one stride for each axis"),
    ("dct2 f64 8x8 in=9223372036854775807,1", "smaller strides"),
    ("dct2 f64 8x8 in=-9223372036854775808,1", "smaller strides"),
    ("dct2 f64 2x8 in=1152921504606846976,1", "smaller strides"),
    ("dct2 f64 8x8 out=7,1", "needs a different one"),
    ("dct2 f64 8 out=0", "needs a different one"),
    ("dct2 f64 8x8 inplace in=0,1", "needs a different one"),
];

#[test]
fn errors_say_what_would_be_right() {
    for &(text, hint) in ERRORS {
        let error = text.parse::<Problem>().expect_err(text);
        let message = error.to_string();
        assert!(message.contains(hint), "{text}: {message}");
        assert!(!message.contains('\n') && message.len() < 300, "{text}: {message}");
    }
}

#[test]
fn errors_of_the_builder() {
    let build = |kinds: &[Kind], shape: &[usize], axes: &[isize]| {
        let builder = Problem::builder(kinds, Precision::F64, shape).axes(axes);
        builder.build().expect_err("a bad problem").to_string()
    };
    assert!(build(&[], &[8], &[0]).contains("give one"));
    assert!(build(&[Kind::Dct2], &[], &[]).contains("at least one length"));
    assert!(build(&[Kind::Dct2], &[8], &[]).contains("at least one"));
    assert!(build(&[Kind::Dct2], &[8], &[isize::MIN]).contains("there is no axis"));
    assert!(build(&[Kind::Dct2], &[8], &[isize::MAX]).contains("there is no axis"));
}

#[test]
fn output_strides_may_interleave_but_not_overlap() {
    let interleaved =
        ["8x8 out=1,8", "8x8 out=-8,-1", "1000x2 out=2,3", "3x2 out=2,3", "4x1 out=1,0", "1000x1000 out=2000,3"];
    for case in interleaved {
        parse(&format!("dct2 f64 {case}"));
    }
    for case in ["4x2 out=2,6", "4x2 out=2,-6", "3x3 out=1,1", "1000x1000 out=1998,2", "2x2x2 out=1,2,3", "2x3 out=5,0"]
    {
        assert!(format!("dct2 f64 {case}").parse::<Problem>().is_err(), "{case}");
    }
}

#[test]
fn a_broadcast_input_is_undone_in_c_order() {
    let problem = parse("rfft f32 4x6 in=0,-1");
    assert_eq!((problem.input().offset, problem.input().len), (5, 6));
    assert_eq!(problem.inverse().unwrap(), parse("irfft f32 4x6"));
    assert_eq!(problem.adjoint(), parse("rfft f32 4x6 adjoint"));
}

/// Counts how often an output of up to three axes writes each index.
fn overlaps_by_counting(shape: &[usize], strides: &[isize]) -> bool {
    let mut places = vec![0isize];
    for (&n, &stride) in shape.iter().zip(strides) {
        places = (0..n as isize).flat_map(|i| places.iter().map(move |place| place + i * stride)).collect();
    }
    places.sort_unstable();
    places.windows(2).any(|pair| pair[0] == pair[1])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn printed_problems_parse_back(builder in problems(1..7, usize::MAX)) {
        let problem = builder.build().unwrap();
        prop_assert_eq!(&problem.to_string().parse::<Problem>().unwrap(), &problem);
        prop_assert_eq!(&problem.to_builder().build().unwrap(), &problem);
    }

    #[test]
    fn adjoint_and_inverse_come_back(builder in problems(1..7, usize::MAX)) {
        let problem = builder.build().unwrap();
        let adjoint = problem.adjoint();
        prop_assert_eq!(adjoint.input(), problem.output());
        prop_assert_eq!(adjoint.output_domain(), problem.input_domain());
        prop_assert_eq!(&adjoint.adjoint(), &problem);
        prop_assert_eq!(adjoint.to_string().parse::<Problem>().unwrap(), adjoint);
        if problem.kinds().contains(&Kind::Idxst) {
            let message = problem.inverse().unwrap_err().to_string();
            prop_assert!(message.contains("idxst has no inverse"), "{}", message);
        } else {
            let inverse = problem.inverse().unwrap();
            prop_assert_eq!(inverse.output(), problem.input());
            prop_assert_eq!(inverse.input_domain(), problem.output_domain());
            prop_assert_eq!(inverse.in_place(), problem.in_place());
        }
    }

    #[test]
    fn overlaps_are_found_exactly(axes in prop::collection::vec((1..6usize, -20..20isize), 1..4)) {
        let (shape, strides): (Vec<usize>, Vec<isize>) = axes.into_iter().unzip();
        let built = Problem::builder(Kind::Dct2, Precision::F32, &shape).output_strides(&strides).build();
        prop_assert_eq!(built.is_err(), overlaps_by_counting(&shape, &strides));
        let layout = fourfold::Layout::strided(&shape, &strides, 4).unwrap();
        let ends = shape.iter().zip(&strides).map(|(&n, &stride)| (n as isize - 1) * stride);
        let lowest: isize = ends.clone().map(|end| end.min(0)).sum();
        let highest: isize = ends.map(|end| end.max(0)).sum();
        prop_assert_eq!(layout.offset as isize, -lowest);
        prop_assert_eq!(layout.len as isize, highest - lowest + 1);
    }

    #[test]
    fn no_text_panics(text in "\\PC*") {
        let _ = text.parse::<Problem>();
        let _ = Problem::parse_for(&text, &[4, 5]);
    }

    #[test]
    fn no_text_near_a_problem_panics(
        kinds in "(i?(dct|dst)[0-5],?){1,3}|i?r?fft|idct_idxst|[A-Za-z0-9,]{0,9}",
        shape in "([0-9]{1,20}x?){1,4}|auto",
        options in "( (axes|in|out|scale|orthogonalize|inplace|adjoint)=?[-0-9e.,]{0,22}| ortho| forward){0,4}",
    ) {
        let text = format!("{kinds} f64 {shape}{options}");
        for result in [text.parse::<Problem>(), Problem::parse_for(&text, &[3, 4])] {
            match result {
                Ok(problem) => {
                    let _ = (problem.inverse(), problem.adjoint());
                    prop_assert_eq!(problem.to_string().parse::<Problem>().unwrap(), problem);
                }
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }
}
