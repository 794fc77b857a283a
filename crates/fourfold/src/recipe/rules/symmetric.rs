//! The transforms whose matrix is symmetric, backwards: combine → DFT to reals → reorder.
//!
//! [`reduce`] computes them as T = C·F·P, where P is the reorder, F the DFT of real data to a half
//! spectrum, and C the combine. T is its own transpose, so that T = Pᵗ·Fᵗ·Cᵗ computes the same from a
//! spectrum. Where a spectrum is multiplied between two such transforms, the second one then begins
//! with the terms that the first one ends with.
//!
//! The DFT of a half spectrum to reals counts each term between the ends twice, for −k too, so that
//! it is Fᵗ of terms that are halved. The extensions of types I are no permutations. But a real even
//! spectrum is that of a real even signal, which is twice the sum that DCT-I is; the same holds for
//! odd ones. So only the first half of the signal is the line, and its terms are not halved.

use crate::problem::kind::Transform1d;
use crate::problem::norm::EndWeights;
use crate::recipe::reduction::{Reduction, Rotation, Step, Twiddles};
use crate::recipe::rules::cosine_sine::reduce;

/// The reduction of a DCT-I, DST-I, DHT, or of a type IV of odd length, whose DFT leads from a half
/// spectrum to reals. `None` for other transforms. See [`reduce`] for the parameters.
pub fn reduce_from_spectrum(transform: Transform1d, n: usize, weights: &EndWeights, scale: f64) -> Option<Reduction> {
    let is_symmetric = match transform {
        Transform1d::Dct1 | Transform1d::Dst1 | Transform1d::Dht => true,
        Transform1d::Dct4 | Transform1d::Dst4 => n % 2 == 1,
        _ => false,
    };
    let Reduction { reorder, after, .. } = is_symmetric.then(|| reduce(transform, n, &weights.swapped(), scale))?;
    Some(Reduction { reorder, before: after.into_iter().map(transposed).collect(), after: vec![] })
}

/// The step that leads from the line to the terms.
fn transposed(step: Step) -> Step {
    match step {
        Step::Rotate(rotation) => {
            let Rotation { twiddles: Twiddles { order, first, step }, conjugate, by, .. } = rotation;
            // Reflections are symmetric.
            let turned_back = Twiddles { order, first: (order - first) % order, step: -step };
            let twiddles = if conjugate { rotation.twiddles } else { turned_back };
            Step::Rotate(Rotation { twiddles, by: 0.5 * by, ..rotation })
        }
        Step::Hartley { count, line, by } => Step::Hartley { count, line, by: 0.5 * by },
        Step::Zero { .. } | Step::End { .. } | Step::Part { .. } | Step::Scale { .. } => step,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::reorder::Index;
    use crate::recipe::rules::cosine_sine::dft_of;
    use crate::recipe::rules::extension::{QUARTERS, quarter_length, symmetric_first_pass_term, symmetric_last_pass};
    use std::f64::consts::PI;

    const WEIGHTS: EndWeights = EndWeights { input_first: 3.0, input_last: 5.0, output_first: 0.5, output_last: 0.25 };

    fn wave(n: usize) -> Vec<f64> {
        (0..n).map(|i| (1.7 * i as f64).sin() + 0.3).collect()
    }

    /// By the definition.
    fn exact(transform: Transform1d, x: &[f64], weights: &EndWeights) -> Vec<f64> {
        let n = x.len();
        let entry = |k: usize, j: usize| {
            let is_end = j == 0 || j == n - 1;
            let (k, j, size) = (k as f64, j as f64, n as f64);
            let angle = PI * (2.0 * k + 1.0) * (2.0 * j + 1.0) / (4.0 * size);
            match transform {
                Transform1d::Dct1 if is_end => (PI * k * j / (size - 1.0)).cos(),
                Transform1d::Dct1 => 2.0 * (PI * k * j / (size - 1.0)).cos(),
                Transform1d::Dst1 => 2.0 * (PI * (k + 1.0) * (j + 1.0) / (size + 1.0)).sin(),
                Transform1d::Dct4 => 2.0 * angle.cos(),
                Transform1d::Dst4 => 2.0 * angle.sin(),
                _ => (2.0 * PI * k * j / size).cos() + (2.0 * PI * k * j / size).sin(),
            }
        };
        let weight = |i: usize, [first, last]: [f64; 2]| match i {
            0 => first,
            i if i == n - 1 => last,
            _ => 1.0,
        };
        let [before, after] = match transform {
            Transform1d::Dct1 => {
                [[weights.input_first, weights.input_last], [weights.output_first, weights.output_last]]
            }
            _ => [[1.0; 2]; 2],
        };
        let term = |k: usize| (0..n).map(|j| entry(k, j) * weight(j, before) * x[j]).sum::<f64>() * weight(k, after);
        (0..n).map(term).collect()
    }

    /// Element m of the DFT backwards of a half spectrum of `len` reals.
    fn backward(terms: &[[f64; 2]], len: usize, m: usize) -> f64 {
        let term = |(k, [re, im]): (usize, &[f64; 2])| {
            let (sin, cos) = (2.0 * PI * ((k * m) % len) as f64 / len as f64).sin_cos();
            let count = if k == 0 || 2 * k == len { 1.0 } else { 2.0 };
            count * (re * cos - im * sin)
        };
        terms.iter().enumerate().map(term).sum()
    }

    /// Evaluates the steps before a DFT.
    fn terms(steps: &[Step], x: &[f64], len: usize) -> Vec<[f64; 2]> {
        let mut reals = vec![0.0; len + 2];
        for step in steps {
            let ([u, v], [re, im]) = (step.line(), step.spectrum(len));
            for i in 0..step.count() {
                let at = |index: Index| x[index.at(i)];
                match *step {
                    Step::End { by, .. } | Step::Part { by, .. } => reals[re.at(i)] = by * at(u),
                    Step::Hartley { by, .. } => {
                        (reals[re.at(i)], reals[im.at(i)]) = (by * (at(u) + at(v)), by * (at(v) - at(u)));
                    }
                    Step::Rotate(rotation) => {
                        let [a, b, c, d] = rotation.matrix(rotation.table()[i]);
                        (reals[re.at(i)], reals[im.at(i)]) = (a * at(u) + b * at(v), c * at(u) + d * at(v));
                    }
                    Step::Zero { .. } | Step::Scale { .. } => unreachable!("no symmetric transform has these"),
                }
            }
        }
        let first = [[reals[0], 0.0]];
        first.into_iter().chain(reals[1..].chunks(2).map(|pair| [pair[0], pair[1]])).take(len / 2 + 1).collect()
    }

    const SYMMETRIC: [Transform1d; 5] =
        [Transform1d::Dct1, Transform1d::Dst1, Transform1d::Dct4, Transform1d::Dst4, Transform1d::Dht];

    fn assert_near(transform: Transform1d, [y, exact]: [&[f64]; 2]) {
        let n = exact.len();
        assert!(y.iter().zip(exact).all(|(y, z)| (y - z).abs() < 1e-11), "{transform:?} {n}: {y:?}, not {exact:?}");
    }

    #[test]
    fn symmetric_transforms_are_their_own_transposes() {
        for (transform, n) in SYMMETRIC.into_iter().flat_map(|transform| (2..20).map(move |n| (transform, n))) {
            let x = wave(n);
            let Some(reduction) = reduce_from_spectrum(transform, n, &WEIGHTS, 1.0) else {
                assert!(n % 2 == 0 && matches!(transform, Transform1d::Dct4 | Transform1d::Dst4));
                continue;
            };
            let len = dft_of(transform, n).1;
            let terms = terms(&reduction.before, &x, len);
            let mut y = vec![0.0; n];
            let numbers = reduction.reorder.map(|reorder| reorder.permutation(n));
            for m in 0..len {
                let index = numbers.as_ref().map_or(m, |order| order.index[m]);
                let factor = numbers.as_ref().and_then(|order| order.factor.get(m)).copied().unwrap_or(1.0);
                if factor != 0.0 && (len == n || m <= len / 2) {
                    y[index] = factor * backward(&terms, len, m);
                }
            }
            assert_near(transform, [&y, &exact(transform, &x, &WEIGHTS)]);
        }
    }

    /// Terms between the ends of the three quarters: the signal without those at the ends.
    #[test]
    fn quarters_are_terms_of_the_extension() {
        for (transform, n) in [(Transform1d::Dct1, 9), (Transform1d::Dct1, 11), (Transform1d::Dst1, 9)] {
            let h = quarter_length(transform, n).unwrap();
            let rule = symmetric_last_pass(transform, &EndWeights::ONE, 1.0, h);
            for k in 1..h.div_ceil(2) {
                let first = usize::from(rule.sine);
                let places = [k, 2 * h - k, h + k, h - k].map(|place| place - first);
                let mut x = vec![0.0; n];
                places.iter().enumerate().for_each(|(i, place)| x[*place] = 1.0 + (3 * i % 4) as f64);
                let quarters =
                    symmetric_first_pass_term(rule.sine, places.map(|at| x[at]), rule.table()[k - 1], rule.scale);
                let wanted = exact(transform, &x, &EndWeights::ONE);
                for m in (first..n + first).filter(|m| m % 4 < QUARTERS) {
                    let term = quarters[m % 4];
                    let angle = 2.0 * PI * (k * (m / 4)) as f64 / h as f64;
                    let y = 2.0 * (term.re * angle.cos() - term.im * angle.sin());
                    assert!((y - wanted[m - first]).abs() < 1e-11, "{transform:?} {n} {k} {m}");
                }
            }
        }
    }
}
