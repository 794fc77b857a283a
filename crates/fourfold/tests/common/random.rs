//! Random problems, and whether their outputs are right.

use fourfold::oracle::naive::{Dd, everything, positions, transform};
use fourfold::oracle::verify::{Data, Verdict};
use fourfold::{Kind, Norm, Precision, Problem, ProblemBuilder};
use num_complex::Complex;
use proptest::prelude::*;
use std::ops::Range;

/// The properties of a random axis.
#[derive(Clone, Debug)]
struct RandomAxis {
    length: usize,
    kind: Kind,
    transformed: bool,
    from_end: bool,
    rank: u8,
    pads: [isize; 2],
    flips: [bool; 2],
}

fn random_axis(lengths: Range<usize>) -> impl Strategy<Value = RandomAxis> {
    let kind = prop::sample::select(Kind::ALL.to_vec());
    let layout = (any::<u8>(), [0..3isize, 0..3], any::<[bool; 2]>());
    (lengths, kind, any::<bool>(), any::<bool>(), layout).prop_map(
        |(length, kind, transformed, from_end, (rank, pads, flips))| {
            let length = length.max(kind.min_length());
            RandomAxis { length, kind, transformed, from_end, rank, pads, flips }
        },
    )
}

/// Random strides without overlaps. The axes are nested in the order of their ranks, with gaps.
fn nested_strides(axes: &[RandomAxis], side: usize) -> Vec<isize> {
    let mut order: Vec<usize> = (0..axes.len()).collect();
    order.sort_by_key(|&i| axes[i].rank.rotate_left(3 * side as u32));
    let mut strides = vec![0; axes.len()];
    let mut step = 1;
    for i in order {
        step += axes[i].pads[side];
        strides[i] = if axes[i].flips[side] { -step } else { step };
        step *= axes[i].length as isize;
    }
    strides
}

/// Shortens the longest axes until there are at most `most` elements.
fn shorten(axes: &mut [RandomAxis], most: usize) {
    while axes.iter().fold(1, |product: usize, axis| product.saturating_mul(axis.length)) > most {
        let longest = axes.iter_mut().max_by_key(|axis| axis.length).expect("there is an axis");
        longest.length = (longest.length / 2).max(longest.kind.min_length());
    }
}

/// One, a half, large numbers of both signs, and small ones.
fn scales() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(1.0),
        Just(0.5),
        (-1 << 30..1 << 30).prop_map(|n: i32| 9.3 * f64::from(n)),
        (1..1 << 20).prop_map(|n: i32| 1e-16 * f64::from(n)),
    ]
}

/// Random problems of one to eight axes with lengths in `lengths` and at most `most` elements, with
/// any axes, kinds, norms, scales and layouts. No problem has both `rfft` and `irfft`, or a norm
/// with `idxst`, since these are invalid.
pub(crate) fn problems(lengths: Range<usize>, most: usize) -> impl Strategy<Value = ProblemBuilder> {
    let norm = prop::sample::select(vec![Norm::Backward, Norm::Ortho, Norm::Forward]);
    let options = (norm, any::<Option<bool>>(), scales(), any::<[bool; 6]>());
    (prop::collection::vec(random_axis(lengths), 1..9), options).prop_map(
        move |(mut axes, (norm, orthogonalize, scale, flags))| {
            let [double, halving, adjoint, in_place, strided_input, strided_output] = flags;
            shorten(&mut axes, most);
            axes[0].transformed |= axes.iter().all(|axis| !axis.transformed);
            for axis in &mut axes {
                axis.kind = match axis.kind {
                    Kind::Rfft | Kind::Irfft if halving => Kind::Rfft,
                    Kind::Rfft | Kind::Irfft => Kind::Irfft,
                    kind => kind,
                };
            }
            let mut chosen: Vec<usize> = (0..axes.len()).filter(|&i| axes[i].transformed).collect();
            chosen.sort_by_key(|&i| axes[i].rank);
            let kinds: Vec<Kind> = chosen.iter().map(|&i| axes[i].kind).collect();
            let index = |&i: &usize| if axes[i].from_end { i as isize - axes.len() as isize } else { i as isize };
            let indices: Vec<isize> = chosen.iter().map(index).collect();
            let precision = if double { Precision::F64 } else { Precision::F32 };
            let shape: Vec<usize> = axes.iter().map(|axis| axis.length).collect();
            let mut builder = Problem::builder(&kinds, precision, shape).axes(indices);
            if scale != 0.0 {
                builder = builder.scale(scale);
            }
            if !kinds.contains(&Kind::Idxst) {
                builder = builder.norm(norm);
                if let Some(yes) = orthogonalize {
                    builder = builder.orthogonalize(yes);
                }
            }
            if adjoint {
                builder = builder.adjoint();
            }
            let in_place = in_place && !kinds.iter().any(|kind| matches!(kind, Kind::Rfft | Kind::Irfft));
            if in_place {
                builder = builder.in_place();
            }
            if strided_input {
                builder = builder.input_strides(nested_strides(&axes, 0));
            }
            if strided_output && !(in_place && strided_input) {
                builder = builder.output_strides(nested_strides(&axes, 1));
            }
            builder
        },
    )
}

fn norm(z: &[Complex<Dd>]) -> f64 {
    z.iter().map(|z| z.re.hi.powi(2) + z.im.hi.powi(2)).sum::<f64>().sqrt()
}

/// Whether the output is correct. If the input nearly cancels (the adjoint of `idxst` at N = 2 is
/// the single sum x_0 + x_1), a small rounding error may be large relative to the output. So the
/// error is relative to the largest output among inputs with other signs.
pub(crate) fn holds(problem: &Problem, verdict: &Verdict, input: &Data) -> bool {
    if verdict.holds() || verdict.strays > 0 {
        return verdict.holds();
    }
    let x: Vec<_> =
        positions(problem.input(), &everything(problem.input())).into_iter().map(|at| input.get(at)).collect();
    let mut random = fastrand::Rng::with_seed(1);
    let mut size = |flips: bool| {
        let sign = |z: &Complex<f64>| if flips && random.bool() { -z } else { *z };
        norm(&transform(problem, &x.iter().map(sign).collect::<Vec<_>>()).unwrap())
    };
    let own = size(false);
    let largest = (0..8).map(|_| size(true)).fold(own, f64::max);
    verdict.error * own <= verdict.bound * largest
}
