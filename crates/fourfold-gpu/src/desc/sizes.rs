//! How large a kernel is: places, sublines, blocks, and the memory that it takes.

use crate::desc::kernel::{Digit, DigitRange, KernelDesc, Packing, values};
use crate::desc::stage::{Port, Stage, StageOp, View};
use crate::ir::frame::Frame;
use fourfold::Precision;

/// A convolution with Bluestein's chirp and more stages is long: than of two radices.
const MOST_OF_BLUESTEIN: usize = 3;

/// One of Rader's rule with more stages is: than of three radices.
const MOST_OF_RADER: usize = 5;

/// Strips of the blocks of a line, at most.
const MOST_STRIPS: usize = 128;

/// Blocks that read the same sectors come so many blocks later for each strip: one of each strip comes in turn.
const STRIP: usize = 4;

/// Parts of the blocks of a line, each of which is taken from its middle outwards, a block of each in turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Strips {
    pub(crate) count: usize,
    /// The block in the middle of the first one.
    pub(crate) middle: usize,
    /// Sublines between two that have the same sectors, about.
    pub(crate) distance: usize,
}

impl KernelDesc {
    /// Complex places of a line's buffer.
    pub(crate) fn places(&self) -> usize {
        self.digits.iter().map(|digit| digit.room).product()
    }

    /// The odd length of quarters that are packed as two.
    pub(crate) fn odd_quarter(&self) -> usize {
        values(&self.digits) / 2
    }

    /// Complex places of a subline.
    pub(crate) fn length(&self) -> usize {
        self.digits[self.range.first..self.range.last].iter().map(|digit| digit.room).product()
    }

    /// Values of the digits before the range.
    pub(crate) fn before(&self) -> usize {
        values(&self.digits[..self.range.first])
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
        let pairs = self.range.first > 0 && self.halved == 0;
        pairs && self.stages.iter().any(|stage| stage.op.takes_pairs())
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
            return self.after();
        }
        let frequencies = match self.kept_frequencies() {
            Some(kept) => self.before() / self.halved * kept,
            None if self.has_hermitian_pairs() => self.before() / 2 + 1,
            None => self.before(),
        };
        self.after() * frequencies
    }

    /// How many frequencies of the digits of the first range are computed, in a kernel after this
    /// range, if not all are.
    pub(crate) fn kept_frequencies(&self) -> Option<usize> {
        (self.halved > 0 && self.range.first > 0).then_some(self.halved / 2 + 1)
    }

    /// The kernel as its stage across the cluster sees it, if blocks form clusters.
    pub(crate) fn across_cluster(&self) -> Option<KernelDesc> {
        let range = DigitRange { first: 0, last: self.range.last };
        (self.cluster > 1).then(|| KernelDesc { range, ..self.clone() })
    }

    /// Sublines of all lines.
    pub(crate) fn sublines(&self) -> usize {
        self.lines * self.parts()
    }

    /// Whether every tile has as many sublines.
    pub(crate) fn has_even_tiles(&self) -> bool {
        self.sublines() % self.tile == 0
    }

    /// Buffers in shared memory.
    pub(crate) fn slots(&self) -> usize {
        if self.has_hermitian_pairs() { 2 * self.tile } else { self.tile }
    }

    /// Whether neighbouring threads take neighbouring sublines, which are neighbours in memory, and
    /// not neighbouring items of one.
    pub(crate) fn interleaved(&self) -> bool {
        self.has_runs() && !self.transposes()
    }

    /// Whether the range has all digits.
    pub(crate) fn has_whole_lines(&self) -> bool {
        self.range == DigitRange::all(self.digits.len())
    }

    /// Whether sublines are neighbours in memory, at one end of the kernel at least.
    pub(crate) fn has_runs(&self) -> bool {
        self.across || !self.has_whole_lines() && self.whole_sublines() < 2
    }

    /// Whether the elements of a subline are neighbours at one end of the kernel, and sublines at the
    /// other. Each stage then takes what are neighbours there.
    pub(crate) fn transposes(&self) -> bool {
        !self.across && self.cluster == 1 && self.range.first > 0 && self.whole_sublines() == 1
    }

    /// At how many ends of the kernel the elements of a subline are neighbours, as those of the last
    /// digits are in the buffers of long lines.
    fn whole_sublines(&self) -> usize {
        let last = self.range.last == self.digits.len();
        self.ends().into_iter().filter(|end| last && *end == Some(&Port::Scratch)).count()
    }

    /// What the first stage reads, and what the last one writes.
    fn ends(&self) -> [Option<&Port>; 2] {
        [self.stages.first().map(|stage| &stage.from), self.stages.last().map(|stage| &stage.to)]
    }

    /// Whether neighbouring threads take neighbouring sublines in a stage. Where a kernel transposes, all stages do but one
    /// between the buffer and the end at which elements are neighbours.
    pub(crate) fn takes_sublines(&self, stage: &Stage) -> bool {
        let ports = [&stage.from, &stage.to];
        let array = ports.iter().any(|port| matches!(port, Port::Array(_)));
        let in_order = ports.iter().any(|port| matches!(port, Port::Scratch));
        self.interleaved() || self.transposes() && (array || !in_order)
    }

    /// Whether blocks take sublines from both ends of the line in turn. Where reals are read or written in an
    /// order, the elements of those have neighbouring reals. The numbers of a spectrum are those of mirror images. So
    /// both find what is around theirs in the cache.
    pub(crate) fn takes_ends(&self) -> bool {
        let is_ordered =
            |port: &Port| matches!(port, Port::Array(view) if view.order.is_some() || view.combined.is_some());
        let is_range = !self.has_whole_lines() && (self.cluster == 1 || self.after() > 1);
        let takes = self.shared && self.lines == 1 && is_range && !self.mirrors_sublines();
        takes && (self.multiplies_by_chirp() || self.ends().into_iter().flatten().any(is_ordered))
    }

    /// Where blocks begin that take sublines from both ends of the line in turn, if that is not at the ends of the buffer.
    /// The buffer is longer than a convolved line, and an odd line of type IV has four runs.
    ///
    /// Of two runs, element e has neighbours of element N − 1 − e. So subline s has those of number N − 1 − s, modulo all.
    /// Of four runs, e also has those of N/2 + e and of N/4 − e. So sublines are in strips, each with a middle, as many
    /// as bring multiples of N/2 near each other, modulo all. (On an H200 `dct4 f64 31640625` 869 to 754 µs, `dst4 f64
    /// 18776971` 1364 to 1280, whose first kernel read 603 MB, and now 211.)
    pub(crate) fn strips(&self) -> Option<Strips> {
        let view = |port: &'_ &Port| matches!(port, Port::Array(view) if view.order.is_some() || view.chirp.is_some());
        let Some(Port::Array(View { order, chirp, .. })) = self.ends().into_iter().flatten().find(view) else {
            return None;
        };
        if !self.takes_ends() || chirp.as_ref().is_some_and(|chirp| chirp.count < chirp.n) {
            return None;
        }
        let (n, sublines) = (chirp.as_ref().map_or(self.places(), |chirp| chirp.n), self.sublines());
        let has_four_runs = order.is_some_and(|order| self.orders[order].has_four_runs());
        if !has_four_runs || self.packing != Packing::Single {
            let middle = (n - 1) % sublines / (2 * self.tile);
            return chirp.as_ref().map(|_| Strips { count: 1, middle, distance: self.tile });
        }
        let distance = |count: &usize| {
            let rest = count * n / 2 % sublines;
            rest.min(sublines - rest) + STRIP * count * self.tile
        };
        let count = (1..=MOST_STRIPS).min_by_key(distance)?;
        let middle = n / 8 % sublines * count % sublines / (count * self.tile);
        Some(Strips { count, middle, distance: distance(&count) })
    }

    /// Whether it multiplies by the spectrum of Bluestein's chirp.
    pub(crate) fn multiplies_by_chirp(&self) -> bool {
        self.stages.iter().any(|stage| matches!(stage.op, StageOp::ConvolveLine { .. }))
    }

    /// Whether it is one of the kernels of lines that are convolved as a whole.
    pub(crate) fn convolves_lines(&self) -> bool {
        let is_chirped = |stage: &Stage| [&stage.from, &stage.to].iter().any(|port| port.chirped().is_some());
        self.multiplies_by_chirp() || self.stages.iter().any(is_chirped)
    }

    /// How many blocks have a line, if neighbouring blocks take the same part of all lines. A convolution of
    /// lines reads its chirp and its spectrum from tables as long as the buffer, which a cache then has for
    /// all lines but the first. (`dct1 f64 7x5591197` on an H200: 4146 to 3757 µs.)
    pub(crate) fn blocks_of_each_line(&self) -> Option<usize> {
        let takes = self.shared && !self.across && self.lines > 1 && self.parts() % self.tile == 0;
        (takes && self.convolves_lines()).then_some(self.parts() / self.tile)
    }

    /// Whether neighbouring places of a tile have sublines that are mirror images, for lane pairs.
    pub(crate) fn mirrors_sublines(&self) -> bool {
        self.lane_pairs != [false; 2] && !self.has_whole_lines()
    }

    /// Items of a stage that a thread takes at once, so that it waits for memory once: as many as have
    /// the numbers of one long butterfly. (Unless [the rest is taken one by one](KernelDesc::takes_rest_singly), a
    /// thread reads the last one again: so what is written in place is taken one by one.) On ranges of digits, two
    /// in `f64` measured 1 to 2 % faster than four.
    pub(crate) fn items_per_thread(&self, stage: &Stage) -> usize {
        let is_range = !self.has_whole_lines() && self.cluster == 1;
        match &stage.op {
            StageOp::HalfSpectraToLine { .. } | StageOp::LineToHalfSpectra { .. }
                if is_range && self.precision() == Precision::F64 =>
            {
                2
            }
            StageOp::HalfSpectraToLine { .. }
            | StageOp::LineToHalfSpectra { .. }
            | StageOp::Interleave(_)
            | StageOp::LineOrder(_)
            | StageOp::CopyLines(_) => 4,
            _ => 1,
        }
    }

    /// Whether a thread takes the items of a stage beyond whole rounds one by one, and does not load for the last item
    /// again. (On an H200 `dct3 f32 10000x100` 15.1 to 14.4 µs, `dct2 f32 30000x1000` 230 to 221. Half spectra of two
    /// lines packed as one took 1 to 5 % longer so.)
    pub(crate) fn takes_rest_singly(&self, stage: &Stage) -> bool {
        let combines = matches!(stage.op, StageOp::HalfSpectraToLine { .. } | StageOp::LineToHalfSpectra { .. });
        combines && self.packing == Packing::HalfLength
    }

    /// The radix of the DFTs there and back, if a digit is convolved.
    pub(crate) fn convolving_radix(&self) -> Option<usize> {
        let radix =
            |stage: &Stage| if let StageOp::ConvolveDigit { split, .. } = stage.op { Some(split.radix) } else { None };
        self.stages.iter().filter_map(radix).max()
    }

    /// The largest radix of the other small DFTs of Rader's rule, whose numbers stand anywhere in their digit.
    pub(crate) fn radix_of_rader(&self) -> Option<usize> {
        let radix = |stage: &Stage| match stage.op {
            StageOp::Butterflies(split) if split.rader.is_some() => Some(split.radix),
            _ => None,
        };
        self.stages.iter().filter_map(radix).max()
    }

    /// Whether digits are convolved.
    pub(crate) fn convolves(&self) -> bool {
        self.stages.iter().any(|stage| match &stage.op {
            StageOp::ConvolveDigit { .. } | StageOp::ConvolveLine { .. } => true,
            StageOp::Butterflies(split) => split.rader.is_some(),
            _ => false,
        })
    }

    /// Whether the convolution of a digit is long.
    pub(crate) fn has_long_convolution(&self) -> bool {
        let most = |digit: &Digit| if digit.room > digit.radix { MOST_OF_BLUESTEIN } else { MOST_OF_RADER };
        let is_long = |digit: &Digit| digit.stages > most(digit);
        self.digits[self.range.first..self.range.last].iter().any(is_long)
    }

    /// Where a place stands with the padding.
    pub(crate) fn padded(&self, place: usize) -> usize {
        place + self.paddings().map(|every| place / every).sum::<usize>()
    }

    /// Those entries of `padding` that a buffer is long enough for.
    pub(crate) fn paddings(&self) -> impl Iterator<Item = usize> {
        let end = self.cluster_slice() * self.cluster;
        self.padding.into_iter().filter(move |every| end > *every)
    }

    /// Complex numbers of shared memory.
    pub(crate) fn shared_elements(&self) -> usize {
        if self.shared && self.stages.len() > 1 { self.slots() * self.slot_elements() } else { 0 }
    }

    /// From the first subline of a Hermitian pair in shared memory to the second, in complex
    /// numbers, or in sublines where they stand one after another.
    pub(crate) fn hermitian_offset(&self) -> usize {
        if self.transposes() { self.tile } else { self.tile * self.slot_elements() }
    }

    /// Those of one buffer.
    pub(crate) fn slot_elements(&self) -> usize {
        self.padded(self.cluster_slice() * self.cluster - 1) + 1 + self.gap
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
            subgroup: self.subgroup(),
            shared_pairs: self.shared_bytes() / (2 * self.precision().bytes()),
        }
    }

    /// Threads of a warp, if they exchange registers; else 0.
    pub(crate) fn subgroup(&self) -> usize {
        let exchanges = |pass: &&KernelDesc| pass.lane_pairs != [false; 2] || pass.exchanges_terms();
        self.passes().filter(exchanges).map(|pass| pass.warp).max().unwrap_or(0)
    }

    /// Bytes of shared memory: the buffers of one pass after the other, and the array between
    /// passes after them.
    pub(crate) fn shared_bytes(&self) -> usize {
        let reals = self.passes().map(|pass| 2 * pass.shared_elements()).max().unwrap_or(0);
        (reals + self.between + self.row_reals()) * self.precision().bytes()
    }

    /// Reals of the rows of a block in shared memory, if its last stage writes them; an even number.
    pub(crate) fn row_reals(&self) -> usize {
        match self.stages.last() {
            Some(Stage { op: StageOp::CopyLines(n), .. }) => self.block_reals(*n).next_multiple_of(2),
            _ => 0,
        }
    }

    /// Reals of a block's lines, if each has `n`.
    pub(crate) fn block_reals(&self, n: usize) -> usize {
        self.tile * self.packing.lines() * n
    }

    /// Where the rows begin in shared memory: after the buffers.
    pub(crate) fn row_offset(&self) -> usize {
        2 * self.shared_elements()
    }

    /// The kernel as the stage before the last one sees it: with the rows of its own lines.
    pub(crate) fn before_rows(&self) -> Option<KernelDesc> {
        let Some(Stage { op: StageOp::CopyLines(n), .. }) = self.stages.last() else { return None };
        let geometry = self.geometry.of_rows(self.tile, *n, self.row_offset());
        Some(KernelDesc { geometry, lines: self.tile, near: self.tile, ..self.clone() })
    }

    /// Reals of device memory for the buffers of all lines.
    pub(crate) fn scratch_reals(&self) -> usize {
        let all = self.stages.iter().flat_map(|stage| [&stage.from, &stage.to]);
        let buffers = all.filter(|port| **port == Port::Scratch).count() > 0;
        if buffers { 2 * self.lines * self.places() } else { 0 }
    }

    /// Tiles of all sublines.
    pub(crate) fn tiles(&self) -> usize {
        self.sublines().div_ceil(self.tile)
    }

    /// Blocks of a launch.
    pub(crate) fn blocks(&self) -> usize {
        if self.shared {
            return self.tiles() * self.cluster;
        }
        let items = self.stages.iter().map(|stage| stage.op.items()).max().unwrap_or(1);
        (items * self.sublines()).div_ceil(self.threads)
    }
}
