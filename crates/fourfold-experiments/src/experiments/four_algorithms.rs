//! Table IV: four algorithms for a 1D DCT by FFTs of different lengths.

use anyhow::Result;

use crate::claims::Claim;
use crate::how::{AUTHORS, MEASURED};
use crate::measure::{Setting, Timed};
use crate::page::{Outcome, Page};
use crate::plot::{Line, Plot};
use crate::ratios::Ratios;
use crate::rounding::{digits, ratio};

const METHODS: [&str; 4] = ["four-n", "two-n-mirrored", "two-n-padded", "n-point"];

/// What is timed beside [`METHODS`], after them.
const OTHERS: [(&str, Timed); 2] = [("fused", Timed::Whole("fused")), ("FFT of n-point", Timed::Stage("n-point", 1))];

/// Where the times have n-point and fused passes.
const N_POINT: usize = 3;
const FUSED: usize = 4;

/// log₂ N, and microseconds of the four on a Titan Xp, as published.
const PUBLISHED: [(u32, [&str; 4]); 5] = [
    (14, ["190.41", "155.34", "144.32", "101.62"]),
    (15, ["292.34", "207.29", "208.76", "122.60"]),
    (16, ["416.20", "301.66", "309.32", "133.50"]),
    (17, ["639.64", "414.04", "443.18", "158.96"]),
    (18, ["1099.31", "645.24", "652.23", "215.99"]),
];

/// The same of the authors' code on one H200, replayed from a CUDA graph, for the lengths that were
/// measured: see [`AUTHORS`].
const ON_H200: [(u32, [&str; 4]); 3] = [
    (14, ["12.0", "29.6", "29.7", "14.7"]),
    (16, ["16.8", "13.7", "13.8", "13.6"]),
    (18, ["31.5", "22.2", "21.9", "18.1"]),
];

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    let jobs: Vec<Timed> = METHODS.into_iter().map(Timed::Whole).chain(OTHERS.map(|(_, job)| job)).collect();
    let (mut rows, mut lines, mut all) = (vec![], vec![vec![]; jobs.len()], vec![vec![]; jobs.len()]);
    let mut medians = vec![];
    let measured =
        setting.each(&PUBLISHED, |(log, _)| setting.times(&format!("dct2 f64 {}", 1usize << log).parse()?, &jobs))?;
    for ((log, published), measured) in PUBLISHED.into_iter().zip(measured) {
        let n = 1usize << log;
        medians.push(1e3 * measured.medians[FUSED]);
        let times: Vec<f64> = measured.ms.into_iter().map(|ms| 1e3 * ms).collect();
        lines.iter_mut().zip(&times).for_each(|(line, time)| line.push((n as f64, *time)));
        all.iter_mut().zip(&times).for_each(|(list, time)| list.push(*time));
        let beside = beside_fused(log, medians[medians.len() - 1]).map(ratio).unwrap_or_default();
        let beside = [digits(medians[medians.len() - 1]), beside].into_iter().filter(|_| setting.is_cuda());
        let authors = of_authors(log).unwrap_or_default().into_iter().filter(|_| setting.is_cuda());
        let cells = published.into_iter().chain(authors).map(str::to_owned);
        let of_n_point = times[..N_POINT].iter().map(|time| time / times[N_POINT]);
        let (today, ratios) = (times.iter().copied().map(digits), of_n_point.chain([gain(&times)]).map(ratio));
        rows.push([format!("2^{log}")].into_iter().chain(cells).chain(today).chain(ratios).chain(beside).collect());
    }
    let heads = |of: &'static str| METHODS.into_iter().map(move |method| format!("{method}{of}"));
    let authors = heads(", authors' code, 2026-11-21").filter(|_| setting.is_cuda());
    let columns = ["N".to_owned()].into_iter().chain(heads(", published")).chain(authors);
    let columns = columns.chain(heads("")).chain(OTHERS.map(|(name, _)| name.to_owned()));
    let columns = columns.chain(METHODS[..N_POINT].iter().map(|method| format!("{method}/n-point")));
    let beside =
        ["median fused", "fastest of the authors' four/median fused"].into_iter().filter(|_| setting.is_cuda());
    let columns = columns.chain(["fastest of the four/fused"].into_iter().chain(beside).map(str::to_owned)).collect();
    let names = METHODS.into_iter().chain(OTHERS.map(|(name, _)| name));
    Ok(Outcome::page(Page {
        title: format!("Table IV: four algorithms for a 1D DCT, on {}", setting.engine()),
        text: vec![
            text(setting.is_cuda()),
            format!("{} FFTs: {}.", setting.how(), setting.fft_library(&"dct2 f64 16384".parse()?)?),
        ],
        columns,
        parts: vec![],
        claims: vec![claim(&all)],
        teaches: if setting.is_cuda() { beside_authors(&all, &medians) } else { teaches(&all) },
        rows,
        plot: Plot {
            title: "1D DCT by four algorithms".into(),
            labels: ["N".into(), "µs".into()],
            lines: names.zip(lines).map(|(name, points)| Line { name: name.into(), points }).collect(),
            bars: vec![],
        },
    }))
}

fn text(is_cuda: bool) -> String {
    let authors = format!(
        " {AUTHORS} It ran from a CUDA graph, with the same arrays in every run; the other columns launch their kernels one by one. A launch takes microseconds, so that launches rather than \
         arithmetic bound the shorter lengths here. `FFT of n-point` is cuFFT's FFT of N reals alone. Where it is slow, `n-point` is slow too. The authors' code uses cuFFT as well. \
         By `two-n-mirrored` it took 29.6 µs at 2^14, and 13.7 µs at 2^16. It was not run at 2^15 and 2^17."
    );
    format!("Microseconds, in f64. Published: on a Titan Xp.{}", if is_cuda { &authors } else { "" })
}

/// The least time of the four algorithms, over that of fused passes.
fn gain(times: &[f64]) -> f64 {
    times[..METHODS.len()].iter().copied().fold(f64::INFINITY, f64::min) / times[FUSED]
}

/// The lengths at which the N-point algorithm is the fastest of the four, and all lengths.
fn fastest(all: &[Vec<f64>]) -> [usize; 2] {
    let lengths = all[N_POINT].len();
    let is_fastest = |i: &usize| (0..N_POINT).all(|method| all[N_POINT][*i] <= all[method][*i]);
    [(0..lengths).filter(is_fastest).count(), lengths]
}

fn claim(all: &[Vec<f64>]) -> Claim {
    let [fastest, lengths] = fastest(all);
    let margins = (0..lengths).flat_map(|i| all[..N_POINT].iter().map(move |times| times[i] / all[N_POINT][i]));
    Claim::timed(
        "the N-point algorithm is the fastest of the four",
        format!("at {fastest} of {lengths} lengths"),
        Ratios::new(margins).least(),
    )
}

/// The authors' times of a length, if they were measured.
fn of_authors(log: u32) -> Option<[&'static str; 4]> {
    ON_H200.iter().find(|(known, _)| *known == log).map(|(_, times)| *times)
}

/// The least of the authors' medians over the median of fused passes.
fn beside_fused(log: u32, median: f64) -> Option<f64> {
    let fastest = of_authors(log)?.iter().filter_map(|us| us.parse::<f64>().ok()).fold(f64::INFINITY, f64::min);
    Some(fastest / median)
}

/// The same beside the authors' code, which is the faster baseline where launches bound ours.
fn beside_authors(all: &[Vec<f64>], medians: &[f64]) -> String {
    let gain = |((log, _), median): (&(u32, [&str; 4]), &f64)| beside_fused(*log, *median);
    format!(
        "Beside the authors' code ({MEASURED}), which a CUDA graph launched, by medians fused passes are {} times as fast as the fastest of the four. Beside ours, launched one by one: {}",
        Ratios::new(PUBLISHED.iter().zip(medians).filter_map(gain)).range(),
        teaches(all).replacen("Fused passes", "fused passes", 1)
    )
}

/// From the times of the four and of fused passes.
pub(super) fn teaches(all: &[Vec<f64>]) -> String {
    let [fastest, lengths] = fastest(all);
    let gains = (0..lengths).map(|i| gain(&all.iter().map(|times| times[i]).collect::<Vec<_>>()));
    format!(
        "Fused passes are {} times as fast as the fastest of the four, which is `n-point` at {fastest} of {lengths} lengths.",
        Ratios::new(gains).range()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdicts;

    #[test]
    fn fused_passes_are_compared_with_the_fastest_of_the_four() {
        let mut all =
            vec![vec![3.0, 3.0], vec![4.0, 4.0], vec![5.0, 5.0], vec![2.0, 2.0], vec![1.0, 0.5], vec![0.1, 0.1]];
        assert_eq!(
            teaches(&all),
            "Fused passes are 2.00 to 4.00 times as fast as the fastest of the four, which is `n-point` at 2 of 2 lengths."
        );
        assert_eq!(verdicts(&[claim(&all)]), [true]);
        let mut equal = vec![vec![6.0; PUBLISHED.len()]; 6];
        // A range of gains has more words than one.
        equal[..FUSED].iter_mut().for_each(|times| times[0] = 9.0);
        let beside = beside_authors(&equal, &equal[FUSED]);
        assert!(crate::page::are_short_sentences(&beside), "{beside}");
        // 12.0, 13.6 and 18.1 µs.
        assert!(
            beside.contains(" by medians fused passes are 2.00 to 3.02 times as fast as the fastest of the four. "),
            "{beside}"
        );
        all[2][1] = 1.5;
        assert_eq!(
            teaches(&all),
            "Fused passes are 2.00 to 3.00 times as fast as the fastest of the four, which is `n-point` at 1 of 2 lengths."
        );
        assert_eq!(verdicts(&[claim(&all)]), [false]);
    }
}
