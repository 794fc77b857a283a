//! Kernels on ranges of digits, where a line does not fit the shared memory of a block.

use crate::attributes::DeviceAttributes;
use crate::desc::choice::Size;
use crate::desc::kernel::{DigitRange, KernelDesc, Packing, values};
use crate::desc::stage::{Port, Stage, StageOp};

/// Digits of a range.
pub(crate) const DIGITS: usize = 2;

/// Ranges with so many digits.
pub(crate) const MOST_KERNELS: usize = 3;

impl KernelDesc {
    /// Kernels on ranges of digits, as even as they can be with runs of memory and buffers in shared
    /// memory: two of lines with few threads; so many as have two digits each, if three do; or so many as are
    /// chosen. With more digits each, blocks are so large that an SM has few warps, and these wait for each
    /// other longer than another trip takes. With four kernels, trips take longer. It is one more where few blocks
    /// are busy for longer than that takes.
    pub(crate) fn split_by_digits(&self, device: &DeviceAttributes, size: Size) -> Option<Vec<KernelDesc>> {
        if !self.can_split_digits() || self.is_filter() {
            return None;
        }
        // Quarters are folded in one range with a digit of their DFTs: a range that has only the
        // quarters has no buffer for terms N − k.
        let digits = self.digits.len() - usize::from(self.folds());
        let whole = self.clone().with_near_lines(device);
        let fitted = |cuts: Vec<usize>| {
            whole.cut(&cuts).into_iter().map(|desc| desc.tiled(device, size.of_each())).collect::<Option<Vec<_>>>()
        };
        let longest = |cuts: &Vec<usize>| self.cut(cuts).iter().map(KernelDesc::length).max();
        let few = device.has_few_threads(self.lines, self.places());
        let wanted = if few { 1 } else { digits.div_ceil(DIGITS).clamp(2, MOST_KERNELS) - 1 };
        let counts = (wanted..digits).chain((1..wanted).rev());
        let counts = counts.filter(|count| size.kernels.is_none_or(|kernels| kernels == count + 1));
        let mut all = counts.filter_map(|count| {
            let cuts = cuts(digits, count).into_iter().min_by_key(longest)?;
            let wanted = |desc: &KernelDesc| match desc.blocks() <= device.registers_wave() {
                // Of few blocks, more with shorter runs are better.
                true => desc.most_contiguous_bytes(device.least_run()),
                // One more trip through memory costs more than runs of half the length, or of a quarter
                // where arrays have 16 bits a real: the other end of the kernel has runs of 32-bit reals.
                false => {
                    let run = device.short_run() * self.storage.bytes() / self.precision().bytes();
                    desc.most_contiguous_bytes(run)
                }
            };
            fitted(cuts).filter(|descs| {
                size.kernels.or(size.run).is_some() || descs.iter().all(|desc| desc.contiguous_bytes() >= wanted(desc))
            })
        });
        let first = all.next()?;
        let may_be_more = size.estimates_kernels() && device.leaves_idle(&first);
        let more = if may_be_more { all.next() } else { None };
        Some(more.filter(|more| device.is_for_more_kernels(&first, more)).unwrap_or(first))
    }

    /// Whether stages keep to their digits, and combines to terms k and N − k.
    fn can_split_digits(&self) -> bool {
        self.digits.len() > 1
            && self.stages.iter().all(|stage| {
                matches!(
                    stage.op,
                    StageOp::Butterflies(_)
                        | StageOp::Chirp { .. }
                        | StageOp::ConvolveDigit { .. }
                        | StageOp::Unchirp { .. }
                        | StageOp::HalfSpectraToLine { .. }
                        | StageOp::LineToHalfSpectra { .. }
                        | StageOp::SymmetricLastPass(_)
                        | StageOp::SpectrumProduct(_)
                        | StageOp::SymmetricProduct(_)
                        | StageOp::ElementProduct(_)
                )
            })
    }

    /// With copies between device memory and stages of Rader's convolutions, which leave element 0 of
    /// their digit where it is.
    fn with_copies(mut self) -> KernelDesc {
        let leaves = |stage: &Stage| matches!(&stage.op, StageOp::Butterflies(split) if split.rader.is_some());
        let copy = |from, to| Stage { op: StageOp::Copy(self.before() * self.length() * self.after()), from, to };
        let [into, out_of] = [copy(Port::Scratch, Port::Buffer), copy(Port::Buffer, Port::Scratch)];
        if let Some(first) = self.stages.first_mut().filter(|stage| leaves(stage) && stage.from == Port::Scratch) {
            first.from = Port::Buffer;
            self.stages.insert(0, into);
        }
        if let Some(last) = self.stages.last_mut().filter(|stage| leaves(stage) && stage.to == Port::Scratch) {
            last.to = Port::Buffer;
            self.stages.push(out_of);
        }
        self
    }

    /// The same where no digit is convolved.
    pub(crate) fn can_share_digits(&self) -> bool {
        self.can_split_digits() && !self.convolves()
    }

    /// Whether half of the terms make a line whose first range has so many digits, or are made of it. So it is
    /// with quarters of odd length, and with an odd number of reals that are alone in their elements. On the
    /// way back, butterflies of the first range find the others.
    fn may_be_halved(&self, first: usize) -> bool {
        let is_plain = self.digits[..first].iter().all(|digit| digit.stages == 1);
        match self.packing {
            Packing::Quarters => true,
            Packing::Single => values(&self.digits) % 2 == 1 && (is_plain || !self.inverse),
            _ => false,
        }
    }

    /// One kernel for each run of digits between the cuts.
    fn cut(&self, cuts: &[usize]) -> Vec<KernelDesc> {
        let digits = self.digits.len();
        let ends: Vec<usize> = [0].iter().chain(cuts).chain([&digits]).copied().collect();
        let mut ranges: Vec<DigitRange> =
            ends.windows(2).map(|ends| DigitRange { first: ends[0], last: ends[1] }).collect();
        if self.inverse {
            ranges.reverse();
        }
        let halved = if self.may_be_halved(cuts[0]) { values(&self.digits[..cuts[0]]) } else { 0 };
        let mut stages = self.stages.iter().peekable();
        let last = ranges.len() - 1;
        let kernel = |(i, range): (usize, DigitRange)| {
            let ahead = |stage: &&Stage| matches!(stage.op, StageOp::LineToHalfSpectra { .. });
            let of_digits: usize = self.digits[range.first..range.last].iter().map(|digit| digit.stages).sum();
            let count = of_digits + usize::from(stages.peek().is_some_and(ahead));
            let count = if i == last { usize::MAX } else { count };
            let first = self.stages.len() - stages.len();
            let own = first..first.saturating_add(count).min(self.stages.len());
            stages.by_ref().take(count).for_each(drop);
            KernelDesc { stages: with_ports(&self.stages, own), range, halved, ..self.clone() }.with_copies()
        };
        ranges.into_iter().enumerate().map(kernel).collect()
    }
}

/// Some of the stages, with buffers in device memory between these and the others.
pub(crate) fn with_ports(stages: &[Stage], range: std::ops::Range<usize>) -> Vec<Stage> {
    let mut own = stages[range.clone()].to_vec();
    if let Some(first) = own.first_mut().filter(|_| range.start > 0) {
        first.from = Port::Scratch;
    }
    if let Some(last) = own.last_mut().filter(|_| range.end < stages.len()) {
        last.to = Port::Scratch;
    }
    own
}

/// All ways to cut a list of so many digits at `count` places.
fn cuts(digits: usize, count: usize) -> Vec<Vec<usize>> {
    let longer = |list: Vec<Vec<usize>>, _| {
        let after = |cuts: &Vec<usize>| cuts.last().copied().unwrap_or(0) + 1;
        list.iter().flat_map(|cuts| (after(cuts)..digits).map(|cut| [&**cuts, &[cut]].concat())).collect()
    };
    (0..count).fold(vec![vec![]], longer)
}
