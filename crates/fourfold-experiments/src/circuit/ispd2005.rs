//! The eight circuits of the ISPD 2005 placement contest, by their published figures.

/// The figures of a circuit.
///
/// Objects, nets, pins, density and utilisation: G.-J. Nam, C. J. Alpert, P. Villarrubia, B. Winter
/// and M. Yildiz, "The ISPD2005 placement contest and benchmark suite", ISPD 2005. Macros: the
/// fixed nodes that J. Z. Yan, N. Viswanathan and C. Chu, "Handling complexities in modern
/// large-scale mixed-size placement", DAC 2009, count as macros; the other fixed nodes are
/// terminals. Bins: DREAMPlace's settings for the circuit (`test/ispd2005`).
pub(crate) struct Published {
    pub(crate) name: &'static str,
    pub(crate) movable: usize,
    pub(crate) fixed: usize,
    pub(crate) macros: usize,
    pub(crate) nets: usize,
    pub(crate) pins: usize,
    /// (movable + fixed area) / region, in percent.
    pub(crate) density: f64,
    /// Movable area / (region − fixed area), in percent.
    pub(crate) utilisation: f64,
    /// Along each axis.
    pub(crate) bins: usize,
}

/// The circuits in the contest's order.
pub(crate) const CIRCUITS: [Published; 8] = [
    published("adaptec1", [210_904, 543, 63], [221_142, 944_053], [75.71, 57.34], 512),
    published("adaptec2", [254_457, 566, 127], [266_009, 1_069_482], [78.59, 44.32], 1024),
    published("adaptec3", [450_927, 723, 58], [466_758, 1_875_039], [74.53, 33.66], 1024),
    published("adaptec4", [494_716, 1_329, 69], [515_951, 1_912_420], [62.67, 27.23], 1024),
    published("bigblue1", [277_604, 560, 32], [284_479, 1_144_691], [54.19, 44.67], 512),
    published("bigblue2", [534_782, 23_084, 959], [577_235, 2_122_282], [61.80, 37.94], 1024),
    published("bigblue3", [1_095_519, 1_293, 64], [1_123_170, 3_833_218], [85.65, 56.68], 2048),
    published("bigblue4", [2_169_183, 8_170, 199], [2_229_886, 8_900_078], [65.30, 44.35], 2048),
];

const fn published(
    name: &'static str,
    [movable, fixed, macros]: [usize; 3],
    [nets, pins]: [usize; 2],
    [density, utilisation]: [f64; 2],
    bins: usize,
) -> Published {
    Published { name, movable, fixed, macros, nets, pins, density, utilisation, bins }
}

impl Published {
    /// The circuit of this name.
    pub(crate) fn named(name: &str) -> Option<&'static Published> {
        CIRCUITS.iter().find(|circuit| circuit.name == name)
    }

    /// The share of the region that fixed nodes cover: f, where density = u (1 − f) + f for the
    /// utilisation u.
    pub(crate) fn fixed_share(&self) -> f64 {
        (self.density - self.utilisation) / (100.0 - self.utilisation)
    }

    /// The share of the region that movable nodes cover.
    pub(crate) fn movable_share(&self) -> f64 {
        self.density / 100.0 - self.fixed_share()
    }
}
