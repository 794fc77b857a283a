//! Chooses where buffers in shared memory leave out a place, so that threads that read together
//! meet different banks.
//!
//! Shared memory answers 4 bytes of each bank at once (CUDA C++ Programming Guide, "Shared
//! Memory"): as many complex numbers as threads read at once. Where these are at strides of powers
//! of two, they would meet the same banks again and again. So would those of several short lines at such
//! strides.

use crate::attributes::DeviceAttributes;
use crate::choose::radices::frequency;
use crate::desc::kernel::{Digit, KernelDesc};
use crate::desc::stage::{Port, Stage, StageOp};
use fourfold::Precision;

/// Bytes of a bank that shared memory reads at once.
const BANK: usize = 4;

/// The padding before any is chosen.
pub(crate) const PADDING: [usize; 2] = [16, 256];

/// Each entry of a padding leaves out at most one place of so many.
const DENSEST: usize = 8;

/// Of this, no buffer is long enough for any.
const NONE: [usize; 2] = [usize::MAX; 2];

impl DeviceAttributes {
    /// Reals that shared memory reads at once.
    pub(crate) fn reals_at_once(&self, precision: Precision) -> usize {
        BANK * self.banks / precision.bytes()
    }
}

impl KernelDesc {
    /// Before a padding is chosen; without one where there are no banks.
    pub(crate) fn with_first_padding(self, device: &DeviceAttributes) -> KernelDesc {
        KernelDesc { padding: if device.shared_is_emulated { NONE } else { PADDING }, ..self }
    }

    /// With the padding that costs the fewest bank conflicts.
    pub(crate) fn with_padding(self, device: &DeviceAttributes) -> KernelDesc {
        if device.shared_is_emulated {
            return self.with_first_padding(device);
        }
        let least = DENSEST.ilog2();
        let powers =
            (least..7).flat_map(|first| (first + 1..2 * first + 2).map(move |second| [1 << first, 1 << second]));
        let all = self.paddings_of_digits().into_iter().chain([PADDING]).chain(powers);
        let padded = all.map(|padding| KernelDesc { padding, ..self.clone() });
        let fitting = padded.filter(|desc| device.blocks_of(desc.shared_bytes()) > 0);
        fitting.min_by_key(|desc| (desc.conflicts(device), desc.shared_bytes())).unwrap_or(self)
    }

    /// Paddings after whole digits: none, one place after all places of the last digits, or two of these. Runs along a
    /// digit then have a step as without padding. (On an H200 `dct1 f64 8193x4097` 630 to 544 µs, `dct2 f32
    /// 3000x3000` 69.1 to 66.5; 67 problems took 0.985 of the time on average.)
    fn paddings_of_digits(&self) -> Vec<[usize; 2]> {
        let digits = &self.digits[self.range.first..self.range.last];
        let places = |count: usize| digits[digits.len() - count..].iter().map(|digit| digit.room).product();
        let after: Vec<usize> = (1..digits.len()).map(places).filter(|every| *every >= DENSEST).collect();
        let one = after.iter().map(|&every| [every, usize::MAX]);
        let two = after.iter().enumerate().flat_map(|(i, &every)| after[..i].iter().map(move |&less| [less, every]));
        std::iter::once(NONE).chain(one).chain(two).collect()
    }

    /// With the gap between lines, beside the first padding or the chosen one, that costs the fewest bank conflicts for each
    /// block that an SM holds. Each block has `beside` more bytes of shared memory. An SM holds `least` blocks, if it did
    /// without a gap.
    pub(crate) fn with_gap(self, device: &DeviceAttributes, beside: usize, least: usize) -> KernelDesc {
        let of_threads = (device.threads_per_sm / self.threads.max(1)).max(1);
        let held = |desc: &KernelDesc| device.blocks_of(desc.shared_bytes() + beside).min(of_threads);
        let least = least.min(held(&self)).max(1);
        let paddings = [PADDING, self.padding];
        let gaps =
            (1..self.gaps(device)).flat_map(|gap| paddings.map(|padding| KernelDesc { padding, gap, ..self.clone() }));
        let cost = |desc: &KernelDesc| (desc.conflicts(device) as f64 / held(desc) as f64, desc.shared_bytes());
        let costs = gaps.filter(|desc| held(desc) >= least).map(|desc| (cost(&desc), desc));
        let best = costs.min_by(|((a, small), _), ((b, large), _)| a.total_cmp(b).then(small.cmp(large)));
        best.filter(|((conflicts, _), _)| *conflicts < cost(&self).0).map_or(self, |(_, desc)| desc)
    }

    /// How many gaps there are to choose from, with none: all that differ in the banks that they meet, where
    /// threads that read together have several lines, or several sublines.
    fn gaps(&self, device: &DeviceAttributes) -> usize {
        let at_once = self.read_at_once(device);
        let is_short = |stage: &Stage| self.ends_in_shared(stage) > 0 && self.subline_items(&stage.op) < at_once;
        let may = self.slots() > 1 && self.cluster == 1 && !self.interleaved() && !device.shared_is_emulated;
        if may && (self.transposes() || self.stages.iter().any(is_short)) { at_once } else { 1 }
    }

    /// Threads that read complex numbers from shared memory at once.
    fn read_at_once(&self, device: &DeviceAttributes) -> usize {
        (device.reals_at_once(self.precision()) / 2).max(1)
    }

    /// Turns that the first threads take at all stages.
    fn conflicts(&self, device: &DeviceAttributes) -> usize {
        let threads = self.read_at_once(device);
        (0..self.stages.len()).map(|i| self.ends_in_shared(&self.stages[i]) * self.conflicts_of(i, threads)).sum()
    }

    fn ends_in_shared(&self, stage: &Stage) -> usize {
        [&stage.from, &stage.to].iter().filter(|port| matches!(port, Port::Buffer)).count()
    }

    fn conflicts_of(&self, i: usize, threads: usize) -> usize {
        let stage = &self.stages[i];
        let items = self.subline_items(&stage.op);
        let takes = self.transposes() && self.takes_sublines(stage);
        let turns = |place: &dyn Fn(usize) -> usize| self.conflicts_at(threads, (items, takes), place);
        let spectrum = |op: &StageOp| match op {
            StageOp::Interleave(_) => !self.inverse && stage.from == Port::Buffer,
            StageOp::SignalProduct(_) => false,
            op => op.takes_pairs() || op.is_product(),
        };
        let digits = &self.digits[self.range.first..self.range.last];
        let reversed = |digits: &[Digit]| digits.iter().rev().map(|digit| digit.radix).collect::<Vec<_>>();
        match &stage.op {
            StageOp::Butterflies(split)
                if split.inner > 1 && (self.is_fused(i) || split.is_by_frequency(&stage.to)) =>
            {
                let before = reversed(&digits[..digits.len() - 1]);
                turns(&|j| frequency(j, &before) * split.radix)
            }
            op if spectrum(op) => {
                let reversed = reversed(&self.digits[self.range.first..]);
                turns(&|k| frequency(k, &reversed))
            }
            op => match op.split().filter(|split| split.rader.is_none()) {
                Some(split) => {
                    let groups = (split.groups / self.after()).max(1);
                    turns(&|item| item / groups * groups * split.radix + item % groups)
                }
                None if items < threads && !self.interleaved() => turns(&|item| item),
                None => 1,
            },
        }
    }

    /// Turns for the items that the first threads take, which stand at these places of a subline that has so many. They
    /// take those of neighbouring sublines or, if not `takes`, of one after another.
    fn conflicts_at(&self, threads: usize, (items, takes): (usize, bool), place: impl Fn(usize) -> usize) -> usize {
        let side_by_side = if self.interleaved() { self.tile.min(threads) } else { 1 };
        let end = self.cluster_slice() * self.cluster;
        let mut conflicts = vec![0; threads];
        let of_a_line = if self.interleaved() { usize::MAX } else { items };
        let slots = if takes { self.tile } else { self.slots() };
        for i in 0..(threads / side_by_side).min(of_a_line.saturating_mul(slots)) {
            let [slot, item] = if takes { [i % slots, i / slots] } else { [i / of_a_line, i % of_a_line] };
            let first = self.padded(place(item) % end) * side_by_side + slot * self.slot_elements();
            (0..side_by_side).for_each(|lane| conflicts[(first + lane) % threads] += 1);
        }
        conflicts.into_iter().max().unwrap_or(1)
    }
}
