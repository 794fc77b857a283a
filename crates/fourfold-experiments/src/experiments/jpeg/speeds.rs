//! Times of the ladder's rungs beside those of GPUDCT.

use crate::claims::Claim;
use crate::experiments::jpeg::rungs::{COUNT, PUBLISHED_BANDWIDTH, RUNGS, Rung};
use crate::ratios::Ratios;
use crate::rounding::{digits, ratio};

/// Milliseconds for so many MiB of coefficients.
pub(super) struct Speeds {
    pub(super) mib: u32,
    pub(super) moving: f64,
    pub(super) ms: [Option<f64>; COUNT],
}

impl Speeds {
    pub(super) fn gib_per_second(&self, ms: f64) -> f64 {
        f64::from(self.mib) / 1024.0 / (ms / 1e3)
    }

    /// What the document says of its rungs, which stand first in [`RUNGS`].
    pub(super) fn claims(&self) -> Vec<Claim> {
        let own = RUNGS.iter().zip(self.ms).filter(|(rung, _)| rung.gpudct.is_some() && rung.name != "gpujpeg");
        let timed: Vec<(&str, f64)> = own.filter_map(|(rung, ms)| Some((rung.name, ms?))).collect();
        let steps = Ratios::new(timed.windows(2).map(|pair| pair[0].1 / pair[1].1));
        let slower = timed.windows(2).find(|pair| pair[1].1 >= pair[0].1);
        let order = match slower {
            Some(pair) => {
                format!("`{}` takes {} times as long as `{}`", pair[1].0, ratio(pair[1].1 / pair[0].1), pair[0].0)
            }
            None => format!("the {} steps between those that were timed gain {} times", steps.count(), steps.range()),
        };
        let mut claims = vec![];
        if steps.count() > 0 {
            claims.push(Claim::timed("each rung is faster than the one before", order, steps.least()));
        }
        claims.extend(self.best().map(|(rung, ms)| {
            let reached = self.moving / ms;
            let here = format!("{:.0} % by `{}`", 100.0 * reached, rung.name);
            Claim::timed("the last rung reaches the bandwidth (95 % or more)", here, reached / 0.95)
        }));
        claims
    }

    /// What the rungs gain, if both ends of the ladder were timed.
    pub(super) fn gains(&self) -> Option<String> {
        let published = |rung: &Rung| rung.gpudct.as_ref().map(|figures| figures.gib_per_second);
        let ((best, ms), naive) = (self.best()?, self.ms[0]?);
        Some(format!(
            "`{}` is {} times as fast as `naive` (published: about {}) and takes {} times as long as moving its bytes",
            best.name,
            ratio(naive / ms),
            ratio(published(best)? / published(&RUNGS[0])?),
            ratio(ms / self.moving)
        ))
    }

    /// The ladder's gain beside those of GPUDCT's own kernels, and each rung beside GPUDCT's.
    pub(super) fn beside_gpudct(&self) -> Option<String> {
        let ((best, ms), naive) = (self.best()?, self.ms[0]?);
        let [first, last] = [&RUNGS[0], best].map(|rung| rung.gpudct.as_ref());
        let (first, last) = (first?, last?);
        let of_rung = |(rung, ms): (&Rung, Option<f64>)| {
            let share = rung.gpudct.as_ref()?.share;
            Some(format!("`{}` {}", rung.name, as_exact(self.moving / ms? / share, share)))
        };
        let rungs: Vec<_> = RUNGS.iter().zip(self.ms).filter_map(of_rung).collect();
        Some(format!(
            "`{}` gains {} times over `naive` here, and published about {} times. GPUDCT's own kernels gain {:.0} to {:.0} times on an H200, by shares with three decimals. Those two gains \
             are of the same kernels on two machines, and ours is of other kernels. The shares of the bandwidth here are these multiples of GPUDCT's: {}.",
            best.name,
            ratio(naive / ms),
            ratio(last.gib_per_second / first.gib_per_second),
            (last.share - ROUNDING) / (first.share + ROUNDING),
            (last.share + ROUNDING) / (first.share - ROUNDING),
            rungs.join(", ")
        ))
    }

    /// The fastest of the document's rungs that were timed.
    fn best(&self) -> Option<(&'static Rung, f64)> {
        let timed = RUNGS.iter().zip(self.ms).filter(|(rung, _)| rung.gpudct.is_some());
        timed.filter_map(|(rung, ms)| Some((rung, ms?))).min_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// How far off a share with three decimals may be.
const ROUNDING: f64 = 0.0005;

/// A quotient by a share with as many digits as that has, as in `5` for one of 0.007.
fn as_exact(quotient: f64, share: f64) -> String {
    let digits = (1000.0 * share).round().log10().floor().max(0.0) as i32 + 1;
    let decimals = digits - 1 - quotient.log10().floor() as i32;
    format!("{quotient:.*}", usize::try_from(decimals).unwrap_or(0))
}

pub(super) const SPEED_COLUMNS: [&str; 6] = [
    "GiB/s, published",
    "share of the bandwidth, published",
    "share, GPUDCT's on an H200",
    "ms",
    "GiB/s",
    "share of the bandwidth",
];

pub(super) fn share(x: f64) -> String {
    // Three decimals tell the slow rungs apart; above 1 they would be a fourth digit.
    format!("{x:.*}", if x < 1.0 { 3 } else { 2 })
}

pub(super) fn speed_cells(speeds: &Speeds, ms: Option<f64>, rung: &Rung) -> [String; SPEED_COLUMNS.len()] {
    let figures = rung.gpudct.as_ref();
    let cell = |text: Option<String>| text.unwrap_or_default();
    [
        // As published.
        cell(figures.map(|figures| figures.gib_per_second.to_string())),
        cell(figures.map(|figures| share(figures.gib_per_second / PUBLISHED_BANDWIDTH))),
        cell(figures.map(|figures| share(figures.share))),
        cell(ms.map(digits)),
        cell(ms.map(|ms| ratio(speeds.gib_per_second(ms)))),
        cell(ms.map(|ms| share(speeds.moving / ms))),
    ]
}

pub(super) fn text_of_speeds(speeds: &Speeds, seconds: f64) -> String {
    format!(
        "Speeds: {} MiB of random coefficients; the document's benchmark has 2048 MiB, its GiB/s times its ms. GiB/s count 16-bit coefficients, as the document does. \
         Published: the means of its runs on an RTX 2070, and their share of the {PUBLISHED_BANDWIDTH:.0} GiB/s that this GPU reads, as measured there. \
         Here: the least of warm runs in turn, {seconds} s for each. A kernel that moves the same bytes without arithmetic runs beside the rungs, and a share of the bandwidth is its time over the rung's. \
         GPUDCT's on an H200: the same share of GPUDCT's own kernels (nolmoonen/gpudct at a03f32b) and of its version of GPUJPEG's. It was measured on 21 November 2026 on one H200. nvcc 13.0 compiled them for sm_90 with optimisation. Its other flags are not known.",
        speeds.mib
    )
}
