//! The rungs of the ladder, with the figures that a run does not measure.

/// A rung of the ladder, or one of fourfold's own.
pub(super) struct Rung {
    /// The command's, which is the document's but for two: it writes `seperable` and `no_shared`.
    pub(super) name: &'static str,
    /// Figures of GPUDCT's kernel of this name; none of fourfold's own.
    pub(super) gpudct: Option<Gpudct>,
}

pub(super) struct Gpudct {
    /// Of coefficients on an RTX 2070, the mean of its runs, as published.
    pub(super) gib_per_second: f64,
    /// PSNR of Y, Cb and Cr of `006mp-cathedral.jpg`, as published.
    pub(super) psnr: [f64; 3],
    /// The time of moving the same bytes over that of the kernel on one H200, measured 2026-11-21.
    pub(super) share: f64,
}

const fn gpudct(name: &'static str, gib_per_second: f64, psnr: [f64; 3], share: f64) -> Rung {
    Rung { name, gpudct: Some(Gpudct { gib_per_second, psnr, share }) }
}

pub(super) const COUNT: usize = 10;

/// In the document's order, then fourfold's.
pub(super) const RUNGS: [Rung; COUNT] = [
    gpudct("naive", 1.76, [108.934181, 82.503609, 82.689301], 0.007),
    gpudct("lut", 10.39, [108.934181, 81.949699, 81.444550], 0.022),
    gpudct("separable", 33.15, [108.934181, 81.949699, 81.444550], 0.108),
    gpudct("decomposed", 125.49, [83.799339, 76.518715, 77.617996], 0.515),
    gpudct("no-shared", 197.96, [83.799339, 76.518715, 77.617996], 0.458),
    gpudct("next", 216.51, [66.770836, 78.647659, 81.513214], 0.473),
    gpudct("next16", 226.23, [66.770836, 78.647659, 81.513214], 0.576),
    gpudct("gpujpeg", 119.81, [66.906792, 63.323742, 60.480869], 0.497),
    Rung { name: "fast", gpudct: None },
    Rung { name: "exact", gpudct: None },
];

/// GiB/s that the document's GPU reads, as it measured.
pub(super) const PUBLISHED_BANDWIDTH: f64 = 208.646059;
