//! Table 3 of a course report on parallel Fourier transforms (J. Wang): sums, an FFT on the CPU,
//! the same level by level on a GPU, and what the report did not come to.

use anyhow::Result;
use fourfold::{Precision, Problem};
use fourfold_cli::engine::Engine;

use crate::claims::Claim;
use crate::measure::{Setting, Timed};
use crate::page::{Outcome, Page};
use crate::plot::{Line, Plot};
use crate::ratios::Ratios;
use crate::rounding::{digits, ratio};

/// N, and the published times of sums, the FFT on the CPU, and the FFT on the GPU.
const PUBLISHED: [(usize, [&str; 3]); 4] = [
    (1024, ["105.27", "1.14", "0.32"]),
    (2048, ["421.39", "2.50", "0.35"]),
    (4096, ["1681.68", "5.42", "0.38"]),
    (8192, ["6745.41", "11.67", "0.42"]),
];

/// Of those, a quick run's: at 8192, the brute force takes seconds.
const QUICK: usize = 3;

const METHODS: [&str; 6] = ["brute-force", "definition", "levels", "levels-in-blocks", "levels-in-clusters", "fused"];

/// What a device's are compared with as in the report: the same on one thread of the processor
/// beside it.
const ON_PROCESSOR: [&str; 2] = ["brute-force", "levels"];

/// Where [`METHODS`] and [`ON_PROCESSOR`] after them have those that the last columns and the sentence compare.
const BRUTE_FORCE: usize = 0;
const DEFINITION: usize = 1;
const LEVELS: usize = 2;
const LEVELS_IN_BLOCKS: usize = 3;
const FUSED: usize = 5;
const BRUTE_FORCE_ON_PROCESSOR: usize = 6;
const LEVELS_ON_PROCESSOR: usize = 7;

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    let (mut rows, mut lines, mut all) = (vec![], vec![vec![]; METHODS.len()], vec![]);
    let lengths = if setting.quick { &PUBLISHED[..QUICK] } else { &PUBLISHED[..] };
    // The report's forward transform has e^{+2πi/n} and no factor.
    let measured = setting.each(lengths, |(n, _)| times(setting, &format!("ifft f32 {n} forward").parse()?))?;
    for (&(n, published), times) in lengths.iter().zip(measured) {
        for (line, time) in lines.iter_mut().zip(&times) {
            line.extend(time.map(|time| (n as f64, time)));
        }
        rows.push(cells(n, published, &times));
        all.push(times);
    }
    Ok(Outcome::page(Page {
        title: format!("Course report, Table 3: a complex Fourier transform of N points, on {}", setting.engine()),
        text: vec![
            "Milliseconds. Published, on machines that the report does not name: sums and an FFT on a CPU, and the FFT on a GPU with a launch for each level. Its caption says seconds. \
             They must be milliseconds: at N = 1024, a term of the sum then takes 100 ns, and otherwise 100 µs. The other columns are all measured on this engine. The sign is the report's, e^{+2πi/N}."
                .into(),
            "`brute-force` is the report's double loop, which computes a sine and a cosine for every term. Its code calls each twice; here the product of the two indices is first reduced modulo N. \
             A CPU computes them in double precision, by all threads, while passes of fewer than 16,384 elements have one thread. `definition` reads them from a table instead. `levels` takes every level of radix 2 through memory, and reverses bits last, each with a launch on a device. \
             `levels-in-blocks` is an idea that the report did not build. As soon as the blocks of a level fit a work group (1024 points), one launch does all other levels, with a barrier between them. \
             In `levels-in-clusters` up to eight work groups share a block of up to 8192 points. Above 1024 points this needs NVIDIA's clusters (since sm_90), so the cell is empty on other devices. Up to 1024 points, and on a CPU, it is the same as `levels-in-blocks`. \
             `fused` is fourfold's own method. On a device, two columns have `brute-force` and `levels` on one thread of the processor beside it, as the report's sums and FFT on a CPU are."
                .into(),
            setting.how_in(Precision::F32),
        ],
        columns: columns(all.first().map_or(0, Vec::len)),
        parts: vec![],
        claims: claims(&all),
        teaches: teaches(&all),
        rows,
        plot: Plot {
            title: "Complex Fourier transform of N points".into(),
            labels: ["N".into(), "ms".into()],
            lines: METHODS
                .into_iter()
                .zip(lines)
                .filter(|(_, points)| points.len() > 1)
                .map(|(name, points)| Line { name: name.into(), points })
                .collect(),
            bars: vec![],
        },
    }))
}

/// Of all methods, and on a device of those that are compared on a processor too.
fn times(setting: &Setting, problem: &Problem) -> Result<Vec<Option<f64>>> {
    let there = |method: &'static str| {
        let job = Timed::Whole(method);
        Ok(setting.lacks(problem, job)?.is_none().then_some(job))
    };
    let mut jobs = METHODS.into_iter().map(there).collect::<Result<Vec<_>>>()?;
    if matches!(setting.engine(), Engine::Gpu(_)) {
        jobs.extend(ON_PROCESSOR.map(|method| Some(Timed::OnProcessor(method))));
    }
    setting.times_of(problem, &jobs)
}

/// The heads, where so many methods have times.
fn columns(methods: usize) -> Vec<String> {
    let published = ["sums on a CPU, published", "FFT on a CPU, published", "FFT on a GPU, published"];
    let on_processor = ON_PROCESSOR.map(|method| format!("{method}, one thread of the processor"));
    let head = ["N"].into_iter().chain(published).chain(METHODS).map(str::to_owned).chain(on_processor);
    let quotients = ["brute-force/definition", "brute-force/levels", "levels/fused"];
    head.take(1 + published.len() + methods).chain(quotients.map(str::to_owned)).collect()
}

fn cells(n: usize, published: [&str; 3], times: &[Option<f64>]) -> Vec<String> {
    let quotient = |a: usize, b: usize| times[a].zip(times[b]).map(|(a, b)| ratio(a / b));
    let quotients = [quotient(BRUTE_FORCE, DEFINITION), quotient(BRUTE_FORCE, LEVELS), quotient(LEVELS, FUSED)];
    let today = times.iter().map(|time| time.map(digits)).chain(quotients);
    let head = [n.to_string()].into_iter().chain(published.map(str::to_owned));
    head.chain(today.map(Option::unwrap_or_default)).collect()
}

/// One time over another, of every length that has both.
fn ratios(all: &[Vec<Option<f64>>], a: usize, b: usize) -> Ratios {
    Ratios::new(all.iter().filter_map(|times| Some((*times.get(a)?)? / (*times.get(b)?)?)))
}

/// What the report says of its times, and of what it did not build.
fn claims(all: &[Vec<Option<f64>>]) -> Vec<Claim> {
    let fft = ratios(all, BRUTE_FORCE, LEVELS);
    let launches = ratios(all, LEVELS, LEVELS_IN_BLOCKS);
    let mut claims = vec![
        Claim::timed(
            "the FFT by levels takes significantly less time than the brute force on the same engine (implied; 10 times less)",
            format!("the brute force takes {} as long", fft.times()),
            fft.least() / 10.0,
        ),
        Claim::timed(
            "levels that share a launch are faster than a launch for each (implied)",
            format!("a launch for each takes {} as long", launches.times()),
            launches.least(),
        ),
    ];
    // The report's least figures are 329 and 3.6.
    for (slow, text, bound) in [
        (
            BRUTE_FORCE_ON_PROCESSOR,
            "the FFT on the device takes significantly less time than the brute force on a CPU (100 times less)",
            100.0,
        ),
        (LEVELS_ON_PROCESSOR, "and than the FFT on a CPU (3 times less)", 3.0),
    ] {
        let gain = ratios(all, slow, LEVELS);
        let here = || format!("that takes {} as long", gain.times());
        claims.extend((gain.count() > 0).then(|| Claim::timed(text, here(), gain.least() / bound)));
    }
    claims
}

/// From the times of every length.
pub(super) fn teaches(all: &[Vec<Option<f64>>]) -> String {
    let range = |a, b| ratios(all, a, b).range();
    format!(
        "`definition` is {} times as fast as `brute-force`, `levels` {} times, and `fused` {} times as fast as `levels`.",
        range(BRUTE_FORCE, DEFINITION),
        range(BRUTE_FORCE, LEVELS),
        range(LEVELS, FUSED)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdicts;

    #[test]
    fn claims_are_judged_by_the_least_gain() {
        let held = |brute_force: f64, in_blocks: f64| {
            let times = |brute_force| [brute_force, 3.0, 2.0, in_blocks, 1.0, 1.0].map(Some).to_vec();
            verdicts(&claims(&[times(99.0), times(brute_force)]))
        };
        assert_eq!([held(21.0, 1.9), held(19.0, 2.1)], [[true, true], [false, false]]);
        let on_device = |on_processor: [f64; 2]| {
            let times = [99.0, 3.0, 2.0, 1.9, 1.0, 1.0].into_iter().chain(on_processor).map(Some).collect::<Vec<_>>();
            assert_eq!(cells(8, [""; 3], &times).len(), columns(times.len()).len());
            verdicts(&claims(&[times]))[2..].to_vec()
        };
        assert_eq!([on_device([201.0, 6.1]), on_device([199.0, 5.9])], [[true, true], [false, false]]);
    }
}
