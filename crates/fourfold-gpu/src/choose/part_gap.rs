//! Where the next part of a run begins in shared memory, so that threads that read together meet different banks.

use crate::attributes::DeviceAttributes;
use crate::desc::geometry::{Across, Geometry, Side};
use fourfold::Precision;

/// A way to take the axes across the lines.
type Step = fn(&Across) -> i64;

impl Geometry {
    /// Turns in which shared memory answers the first threads at what is between passes. Neighbouring threads take
    /// neighbouring lines across, or else one after another of so many items of a line.
    pub(crate) fn turns_between_passes(&self, items: usize, precision: Precision, device: &DeviceAttributes) -> usize {
        let banks = device.reals_at_once(precision).max(1);
        let items = if self.across() { 1 } else { items };
        let ends: [(&Side, Step); 2] = [(&self.input, |axis| axis.input), (&self.output, |axis| axis.output)];
        let of_ends = ends.into_iter().filter(|(side, _)| side.shared);
        of_ends.map(|(side, step)| self.turns_at(side, step, items, banks)).sum()
    }

    fn turns_at(&self, side: &Side, step: Step, items: usize, banks: usize) -> usize {
        let reals = if side.complex || self.has_pairs_of_memory(side, step) { 2 } else { 1 };
        // Axes across blocks have no step here.
        let lines: usize = self.axes.iter().filter(|axis| step(axis) != 0).map(|axis| axis.size).product();
        let mut turns = vec![0; banks];
        for thread in 0..(banks / reals).min(lines * items) {
            let first = self.first_real(thread / items, step) + (thread % items) as i64 * side.stride;
            (0..reals).for_each(|real| turns[(first as usize + real) % banks] += 1);
        }
        turns.into_iter().max().unwrap_or(0)
    }

    /// From the first real of line 0 to that of another line.
    fn first_real(&self, line: usize, step: Step) -> i64 {
        let add = |(rest, reals): (usize, i64), axis: &Across| {
            (rest / axis.size, reals + (rest % axis.size) as i64 * step(axis))
        };
        self.axes.iter().fold((line, 0), add).1
    }
}
