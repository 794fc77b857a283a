//! Orientations of nodes, as LEF and DEF define them.

use std::str::FromStr;

/// A symmetry of the rectangle: half a turn if `half`, then a quarter turn counter-clockwise if
/// `quarter`, then the mirror image (x, y) → (−x, y) if `flipped`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Orientation {
    half: bool,
    quarter: bool,
    flipped: bool,
}

/// The names of all orientations.
pub(super) const NAMES: &str = "N, S, E, W, FN, FS, FE or FW";

impl FromStr for Orientation {
    type Err = ();

    fn from_str(name: &str) -> Result<Orientation, ()> {
        let (flipped, turn) = name.strip_prefix('F').map_or((false, name), |turn| (true, turn));
        let (half, quarter) = match turn {
            "N" => (false, false),
            "W" => (false, true),
            "S" => (true, false),
            "E" => (true, true),
            _ => return Err(()),
        };
        Ok(Orientation { half, quarter, flipped })
    }
}

impl Orientation {
    pub(super) const NORTH: Orientation = Orientation { half: false, quarter: false, flipped: false };

    /// Where a point of the node is, both seen from its centre.
    pub(super) fn turned(self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [x, y] = if self.half { [-x, -y] } else { [x, y] };
        let [x, y] = if self.quarter { [-y, x] } else { [x, y] };
        // The sum makes 0 of −0.
        [if self.flipped { -x } else { x }, y].map(|x| x + 0.0)
    }
}
