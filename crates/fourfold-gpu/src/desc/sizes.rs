//! How large a kernel is: places, sublines, blocks, and the memory that it takes.

use crate::desc::kernel::{DigitRange, KernelDesc};
use crate::desc::stage::{Port, StageOp};
use crate::ir::frame::Frame;

impl KernelDesc {
    /// Complex places of a line's buffer.
    pub(crate) fn places(&self) -> usize {
        self.digits.iter().map(|digit| digit.room).product()
    }

    /// Complex places of a subline.
    pub(crate) fn length(&self) -> usize {
        self.digits[self.range.first..self.range.last].iter().map(|digit| digit.room).product()
    }

    /// Values of the digits before the range.
    pub(crate) fn before(&self) -> usize {
        self.digits[..self.range.first].iter().map(|digit| digit.radix).product()
    }

    /// Values of those after it.
    pub(crate) fn after(&self) -> usize {
        self.digits[self.range.last..].iter().map(|digit| digit.room).product()
    }

    /// Whether sublines come in Hermitian pairs: combines of half spectra take terms k and N − k
    /// together, so that a block has the sublines of frequencies b and −b of the digits before the
    /// range.
    pub(crate) fn has_hermitian_pairs(&self) -> bool {
        if self.cluster > 1 {
            return true;
        }
        self.range.first > 0 && self.stages.iter().any(|stage| stage.op.takes_pairs())
    }

    /// Whether a signal becomes a spectrum; this may become a signal again.
    pub(crate) fn is_forward(&self) -> bool {
        !self.inverse || self.is_filter()
    }

    /// Whether a spectrum is multiplied between a transform and one back.
    pub(crate) fn is_filter(&self) -> bool {
        self.stages.iter().any(|stage| stage.op.is_product())
    }

    /// Sublines of one line, each Hermitian pair as one, and so all of a cluster.
    pub(crate) fn parts(&self) -> usize {
        if self.cluster > 1 {
            return 1;
        }
        self.after() * if self.has_hermitian_pairs() { self.before() / 2 + 1 } else { self.before() }
    }

    /// The kernel as its stage across the cluster sees it.
    pub(crate) fn across_cluster(&self) -> KernelDesc {
        KernelDesc { range: DigitRange::all(self.digits.len()), ..self.clone() }
    }

    /// Sublines of all lines.
    pub(crate) fn sublines(&self) -> usize {
        self.lines * self.parts()
    }

    /// Buffers in shared memory.
    pub(crate) fn slots(&self) -> usize {
        if self.has_hermitian_pairs() { 2 * self.tile } else { self.tile }
    }

    /// Whether neighbouring threads take neighbouring sublines, which are neighbours in memory, and
    /// not neighbouring items of one.
    pub(crate) fn interleaved(&self) -> bool {
        self.across || self.range != DigitRange::all(self.digits.len()) && !self.has_whole_sublines()
    }

    /// Whether the elements of a subline are neighbours at both ends of the kernel, as those of the
    /// last digits are in the buffers of long lines.
    fn has_whole_sublines(&self) -> bool {
        let ends = [self.stages.first().map(|stage| &stage.from), self.stages.last().map(|stage| &stage.to)];
        self.range.last == self.digits.len() && ends == [Some(&Port::Scratch); 2]
    }

    /// Whether digits are convolved.
    pub(crate) fn convolves(&self) -> bool {
        self.stages.iter().any(|stage| match &stage.op {
            StageOp::Convolve { .. } | StageOp::Convolution { .. } => true,
            StageOp::Butterflies(split) => split.rader.is_some(),
            _ => false,
        })
    }

    /// Where a place stands with the padding.
    pub(crate) fn padded(&self, place: usize) -> usize {
        place + self.padding_bits().map(|bits| place >> bits).sum::<usize>()
    }

    /// Those entries of `padding` that a buffer is long enough for.
    pub(crate) fn padding_bits(&self) -> impl Iterator<Item = u32> {
        let end = self.cluster_slice() * self.cluster;
        self.padding.into_iter().filter(move |bits| end > 1 << bits)
    }

    /// Complex numbers of shared memory.
    pub(crate) fn shared_elements(&self) -> usize {
        if self.shared && self.stages.len() > 1 { self.slots() * self.slot_elements() } else { 0 }
    }

    /// From the first subline of a Hermitian pair in shared memory to the second, in complex
    /// numbers.
    pub(crate) fn hermitian_offset(&self) -> usize {
        self.tile * self.slot_elements()
    }

    /// Those of one buffer.
    pub(crate) fn slot_elements(&self) -> usize {
        self.padded(self.cluster_slice() * self.cluster - 1) + 1
    }

    /// Places of a subline that a block of the cluster has while it has all values of the first
    /// digit; all, without a cluster.
    pub(crate) fn cluster_slice(&self) -> usize {
        self.length().div_ceil(self.cluster)
    }

    /// What the text of the kernel needs.
    pub(crate) fn frame(&self) -> Frame {
        let KernelDesc { storage, threads, .. } = *self;
        Frame {
            storage,
            wide: self.passes().any(|pass| pass.wide),
            threads,
            range: None,
            // A digit that is convolved takes as many as it can.
            resident: self.resident.max(usize::from(self.passes().any(KernelDesc::convolves))),
            cluster: self.cluster,
            evict_first: self.evict_first,
            shared_pairs: self.shared_bytes() / (2 * self.precision().bytes()),
        }
    }

    /// Bytes of shared memory: the buffers of one pass after the other, and the array between
    /// passes after them.
    pub(crate) fn shared_bytes(&self) -> usize {
        let reals = self.passes().map(|pass| 2 * pass.shared_elements()).max().unwrap_or(0);
        (reals + self.between) * self.precision().bytes()
    }

    /// Reals of device memory for the buffers of all lines.
    pub(crate) fn scratch_reals(&self) -> usize {
        let all = self.stages.iter().flat_map(|stage| [&stage.from, &stage.to]);
        let buffers = all.filter(|port| **port == Port::Scratch).count() > 0;
        if buffers { 2 * self.lines * self.places() } else { 0 }
    }

    /// Blocks of a launch.
    pub(crate) fn blocks(&self) -> usize {
        if self.shared {
            return self.sublines().div_ceil(self.tile) * self.cluster;
        }
        let items = self.stages.iter().map(|stage| stage.op.items()).max().unwrap_or(1);
        (items * self.sublines()).div_ceil(self.threads)
    }
}
