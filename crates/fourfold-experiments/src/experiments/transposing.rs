//! The transpose fused into the reorder and the combine, where one length is much the larger
//! (section IV-C of the paper).

use anyhow::Result;
use fourfold::Problem;

use crate::claims::Claim;
use crate::measure::{Setting, Timed};
use crate::page::{Outcome, Page};
use crate::plot::{Line, Plot};
use crate::ratios::{Ratios, where_faster};
use crate::rounding::{digits, ratio};

/// Rows and columns, and the published milliseconds of the FFTs before a DCT and before an IDCT.
const SHAPES: [([usize; 2], [&str; 2]); 5] = [
    ([100, 10000], ["0.39", "0.41"]),
    ([10000, 100], ["0.48", "0.49"]),
    ([64, 16384], ["", ""]),
    ([16384, 64], ["", ""]),
    ([1000, 1000], ["", ""]),
];

/// Of those, a quick run's.
const QUICK: usize = 2;

/// The names of the paper, and ours of what costs the same.
const TRANSFORMS: [(&str, &str); 2] = [("DCT", "dct2"), ("IDCT", "dct3")];

const JOBS: [(&str, Timed); 8] = [
    ("FFT", Timed::Stage("three-stage", 1)),
    ("FFT of the transposed", Timed::Stage("three-stage-transposed", 1)),
    ("not transposed", Timed::Whole("three-stage")),
    ("transposed by two trips", Timed::Whole("three-stage-transposed-trips")),
    ("reorder and a trip", Timed::Whole("three-stage-transposed-reorder")),
    ("a trip and combine", Timed::Whole("three-stage-transposed-combine")),
    ("reorder and combine", Timed::Whole("three-stage-transposed")),
    ("fused", Timed::Whole("fused")),
];

/// Where [`JOBS`] has what the last columns and the claims compare.
const FFT: usize = 0;
const TRANSPOSED_FFT: usize = 1;
const PLAIN: usize = 2;
const TRIPS: usize = 3;
const TRANSPOSED: usize = 6;
const FUSED: usize = 7;

/// What is measured of a transform of a shape: the milliseconds of [`JOBS`].
pub(super) struct Measured {
    shape: [usize; 2],
    name: &'static str,
    published: &'static str,
    ms: Vec<f64>,
}

/// How much longer still is no overhead; the paper gives no bound.
const NO_OVERHEAD: f64 = 1.1;

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    let shapes: &[([usize; 2], [&str; 2])] = if setting.quick { &SHAPES[..QUICK] } else { &SHAPES };
    let of_shape = |(shape, published): &([usize; 2], [&'static str; 2])| {
        TRANSFORMS
            .into_iter()
            .zip(*published)
            .map(|(transform, published)| (*shape, transform, published))
            .collect::<Vec<_>>()
    };
    let cases: Vec<_> = shapes.iter().flat_map(of_shape).collect();
    let all: Vec<Measured> = setting.each(&cases, |&(shape, (name, kind), published)| {
        let problem: Problem = format!("{kind} f64 {}x{}", shape[0], shape[1]).parse()?;
        let ms = setting.times(&problem, &JOBS.map(|(_, job)| job))?.ms;
        Ok(Measured { shape, name, published, ms })
    })?;
    let line = |one: &Measured| Line {
        name: format!("{}, {}", one.shape_in_words(), one.name),
        points: one.ms.iter().enumerate().map(|(i, ms)| (i as f64, *ms)).collect(),
    };
    let heads = ["N₁ × N₂", "transform", "FFT, published"].into_iter().chain(JOBS.map(|(name, _)| name));
    let columns = heads.chain([
        "FFT of the transposed/FFT",
        "reorder and combine/not transposed",
        "reorder and combine/not transposed of N₂ × N₁",
        "reorder and combine/transposed by two trips",
        "fused/fastest of the others",
    ]);
    Ok(Outcome::page(Page {
        title: format!("Section IV-C: transposing within the reorder and the combine, on {}", setting.engine()),
        text: vec![
            ABOUT.into(),
            format!("{} FFTs: {}.", setting.how(), setting.fft_library(&"dct2 f64 100x10000".parse()?)?),
        ],
        columns: columns.map(str::to_owned).collect(),
        parts: vec![],
        claims: claims(&all),
        teaches: teaches(&all),
        rows: all.iter().map(|one| one.cells(&all)).collect(),
        plot: Plot {
            title: "2D DCTs by FFTs of transposed arrays".into(),
            labels: ["".into(), "ms".into()],
            lines: all.iter().map(line).collect(),
            bars: JOBS.map(|(name, _)| name.to_owned()).to_vec(),
        },
    }))
}

const ABOUT: &str = "Milliseconds of 2D DCTs by three stages, in f64. The paper found that the FFT of 100 × 10000 takes less time than that of 10000 × 100. It proposes to transpose an array where that helps. \
     It says that the transpose is part of the reorder and of the combine without overhead. N₁ × N₂ transposed then takes as long as N₂ × N₁. The paper does not measure this. \
     It prints that to transpose helps where N₂ ≫ N₁. By its own times of the FFT, it must mean where N₁ ≫ N₂: both claims are judged. \
     All columns after `not transposed` compute the FFT of the N₂ × N₁ array. The transpose before it and the one after it are each a trip through memory, or part of \
     the reorder or of the combine. The overhead is the time of `reorder and combine` over that of `not transposed` for the N₂ × N₁ array. `fused` is fourfold's own method. Published: on a Titan Xp.";

impl Measured {
    fn shape_in_words(&self) -> String {
        format!("{} × {}", self.shape[0], self.shape[1])
    }

    /// The quotient of two jobs.
    fn over(&self, a: usize, b: usize) -> f64 {
        self.ms[a] / self.ms[b]
    }

    /// The transposed transform over the transform of the transposed shape, both of the same FFT.
    fn overhead(&self, all: &[Measured]) -> Option<f64> {
        let [n1, n2] = self.shape;
        let other = all.iter().find(|other| other.shape == [n2, n1] && other.name == self.name)?;
        Some(self.ms[TRANSPOSED] / other.ms[PLAIN])
    }

    /// Fused passes over the fastest whole transform of the others.
    fn fused_over_others(&self) -> f64 {
        self.ms[FUSED] / self.ms[PLAIN..FUSED].iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn cells(&self, all: &[Measured]) -> Vec<String> {
        let head = [self.shape_in_words(), self.name.to_owned(), self.published.to_owned()].into_iter();
        let quotients = [
            Some(self.over(TRANSPOSED_FFT, FFT)),
            Some(self.over(TRANSPOSED, PLAIN)),
            self.overhead(all),
            Some(self.over(TRANSPOSED, TRIPS)),
            Some(self.fused_over_others()),
        ];
        let quotients = quotients.map(|quotient| quotient.map(ratio).unwrap_or_default());
        head.chain(self.ms.iter().copied().map(digits)).chain(quotients).collect()
    }
}

fn claims(all: &[Measured]) -> Vec<Claim> {
    let overheads = Ratios::new(all.iter().filter_map(|one| one.overhead(all)));
    let trips = Ratios::new(all.iter().map(|one| one.over(TRIPS, TRANSPOSED)));
    let of_wide = || all.iter().filter(|one| one.shape[1] > one.shape[0]);
    let ffts = Ratios::new(of_wide().map(|one| one.over(TRANSPOSED_FFT, FFT)));
    let pays = |text: &str, of: fn(&[usize; 2]) -> bool| {
        let gains = Ratios::new(all.iter().filter(|one| of(&one.shape)).map(|one| one.over(PLAIN, TRANSPOSED)));
        let here = format!("not transposed takes {} times as long, longer {}", gains.range(), gains.above_one());
        Claim::timed(text, here, gains.least())
    };
    vec![
        Claim::timed(
            "the FFT is faster where N₂ ≫ N₁",
            format!("of N₂ × N₁ it takes {} times as long, longer {}", ffts.range(), ffts.above_one()),
            ffts.least(),
        ),
        Claim::timed(
            "to transpose within reorder and combine has no overhead (at most 10 %)",
            format!("N₁ × N₂ transposed takes {} times as long as N₂ × N₁", overheads.range()),
            NO_OVERHEAD / overheads.most(),
        ),
        Claim::timed(
            "that is faster than to transpose by two trips (implied)",
            format!("the trips take {} times as long, longer {}", trips.range(), trips.above_one()),
            trips.least(),
        ),
        faster_than_fft(all),
        pays("to transpose pays where N₂ ≫ N₁ (as printed)", |[n1, n2]| n2 > n1),
        pays("to transpose pays where N₁ ≫ N₂ (as meant)", |[n1, n2]| n1 > n2),
    ]
}

/// The paper's transposed DCT of an array with many more rows than columns has the FFT of the
/// transposed array, which is the faster one there.
fn faster_than_fft(all: &[Measured]) -> Claim {
    let high = all.iter().filter(|one| one.name == "DCT" && one.shape[0] > one.shape[1]);
    let over = Ratios::new(high.map(|one| one.over(FFT, TRANSPOSED)));
    Claim::timed(
        "the transposed DCT of 10⁴ × 10² is faster than the FFT alone",
        format!("where N₁ ≫ N₂, the FFT takes {} times as long", over.range()),
        over.least(),
    )
}

/// The overhead, and how often it is less than that of trips.
pub(super) fn teaches(all: &[Measured]) -> String {
    let fused: Vec<_> = all.iter().map(|one| (one.shape_in_words(), one.fused_over_others())).collect();
    format!(
        "Transposed within reorder and combine, an array takes {} times as long as its transpose, and less than by two trips {}.{}",
        Ratios::new(all.iter().filter_map(|one| one.overhead(all))).range(),
        Ratios::new(all.iter().map(|one| one.over(TRIPS, TRANSPOSED))).above_one(),
        where_faster("The fastest way by three stages", &fused).unwrap_or_default()
    )
}

/// The times of all shapes.
#[cfg(test)]
pub(super) fn sample(times: &[Vec<f64>]) -> Vec<Measured> {
    let of = |(i, (shape, _)): (usize, &([usize; 2], _))| Measured {
        shape: *shape,
        name: "DCT",
        published: "",
        ms: times.iter().map(|times| times[i]).collect(),
    };
    SHAPES.iter().enumerate().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdicts;

    /// 100 × 10000 and 10000 × 100, with all jobs of 1 ms but the ones that are named.
    fn of(plain: [f64; 2], transposed: [f64; 2]) -> Vec<Measured> {
        let mut times = vec![vec![1.0; SHAPES.len()]; JOBS.len()];
        times[PLAIN][..2].copy_from_slice(&plain);
        times[TRANSPOSED][..2].copy_from_slice(&transposed);
        sample(&times).into_iter().take(QUICK).collect()
    }

    #[test]
    fn the_overhead_is_that_over_the_transposed_shape() {
        // Not transposed, 100 × 10000 takes 4 ms and 10000 × 100 takes 2 ms.
        let free = of([4.0, 2.0], [2.1, 4.32]);
        assert_eq!(
            teaches(&free),
            "Transposed within reorder and combine, an array takes 1.05 to 1.08 times as long as its transpose, and less \
             than by two trips in none of 2 cases."
        );
        let held = |all: &[Measured]| verdicts(&claims(all));
        assert_eq!(held(&free), [false, true, false, false, true, false]);
        let costly = of([2.0, 4.0], [4.2, 2.4]);
        assert!(teaches(&costly).contains(" takes 1.05 to 1.20 times as long as its transpose, "));
        assert_eq!(held(&costly), [false, false, false, false, false, true]);
        let mut fast = of([1.0; 2], [1.0, 0.9]);
        assert!(held(&fast)[3]);
        fast[1].ms[FFT] = 0.8;
        assert!(!held(&fast)[3]);
        assert_eq!(costly[0].cells(&costly)[11..], ["1.00", "2.10", "1.05", "4.20", "1.00"]);
    }
}
