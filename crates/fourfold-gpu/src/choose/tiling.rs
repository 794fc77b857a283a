//! Fits a pass to a device: which kernels, how many lines a block takes, and with how many
//! threads.

use crate::attributes::DeviceAttributes;
use crate::choose::cost::RESIDENT;
use crate::choose::radices::{LARGE, LARGEST};
use crate::desc::choice::Size;
use crate::desc::kernel::{KernelDesc, Packing};
use crate::desc::stage::{Port, Stage, StageOp, View};
use fourfold::Precision;

/// The SM with the most blocks must have less to do by so much with a tile that is no power of two: 20
/// instead of 17, in lines and in rounds of its threads.
const EVENER: (usize, usize) = (20, 17);

/// One thread of so many is spared for rounds of whole tiles.
const SPARED: usize = 8;

fn has_butterflies(stage: &Stage) -> bool {
    stage.op.split().is_some()
}

impl KernelDesc {
    /// The kernels of the pass, by clusters if they are `shared`.
    pub(crate) fn fitted(mut self, device: &DeviceAttributes, clustered: bool, size: Size) -> Vec<KernelDesc> {
        self.across &= self.lines > 1;
        self = self.through_a_buffer(device).with_first_padding(device);
        let whole = self.clone().tiled(device, size);
        let spreads = |desc: &KernelDesc| size.tile.is_none() && device.spreads(desc.blocks(), desc.butterflies()[1]);
        let spread = whole.as_ref().is_none_or(|desc| size.kernels.map_or(spreads(desc), |kernels| kernels > 1));
        if spread {
            // Their block would need the line as a whole.
            self = self.straightened(0).straightened(1);
        }
        if let Some(desc) = clustered.then(|| self.clustered(device, size)).flatten() {
            return vec![desc];
        }
        let is_scattered =
            |desc: &KernelDesc| size.estimates_kernels() && !desc.convolves() && device.is_scattered(desc);
        let split = || self.split_by_digits(device, size);
        match whole {
            Some(desc) if spread || is_scattered(&desc) => split().unwrap_or(vec![desc]),
            Some(desc) if size.tile.is_some() || device.takes_one_trip(&desc) => vec![desc],
            Some(desc) => {
                let whole = vec![desc];
                split().filter(|split| device.trips(split) <= device.trips(&whole)).unwrap_or(whole)
            }
            None => {
                let other = || self.split_by_digits(device, size.of_each());
                split().or_else(other).unwrap_or_else(|| self.staged(device))
            }
        }
    }

    /// Short lines along memory of which a thread has all numbers, through shared memory before they are
    /// written: neighbouring threads would write what is a line apart, each a part of a sector. (What they
    /// read the first-level cache has for the next number.) Lines of 64 bytes measured 1.1 times as long so,
    /// those of 88 and more 0.4 to 0.8 times.
    fn through_a_buffer(mut self, device: &DeviceAttributes) -> KernelDesc {
        let (places, bytes) = (self.places(), 2 * self.places() * self.storage.bytes());
        let is_long = bytes > device.short_run() && self.lines > 1;
        if self.across || !is_long || device.shared_is_emulated {
            let is_one =
                self.digits.len() == 1 && matches!(self.stages.last(), Some(Stage { op: StageOp::LineOrder(_), .. }));
            return if is_one { self.straightened(1) } else { self };
        }
        if let Some(Stage { op: StageOp::Butterflies(split), to, .. }) = self.stages.last_mut()
            && split.rader.is_none()
            && split.count() == 1
            && matches!(to, Port::Array(_))
        {
            let to = std::mem::replace(to, Port::Buffer);
            self.stages.push(Stage { op: StageOp::Copy(places), from: Port::Buffer, to });
        }
        self
    }

    /// Lines along memory that are made of half spectra, and those of types I, through shared memory before they are
    /// written: neighbouring threads write neighbours, and not terms that are a line apart. The choice says whether; if
    /// it does not, lines of one butterfly do. (On an H200 `dct2 f32 1142857x14 axes=1` 57.6 to 36.6 µs, `dst1 f64
    /// 700001x11 axes=1` 92.8 to 37.6. Of large butterflies and of two, 21 to 1000 reals took 0.95 to 1.19 of the
    /// time.)
    fn through_rows(&self, device: &DeviceAttributes, size: Size) -> Option<KernelDesc> {
        let pays = self.has_one_stage() && self.row <= LARGE && !device.shared_is_emulated;
        let follow = self.row > 1 && !self.across && self.lines > 1 && self.has_whole_lines();
        let op = self.stages.last().map(|stage| &stage.op);
        let combines = matches!(op, Some(StageOp::HalfSpectraToLine { .. } | StageOp::SymmetricLastPass(_)));
        let goes = size.through.map_or(pays, |through| through == 1);
        let copy = || Stage { op: StageOp::CopyLines(self.row), from: Port::Buffer, to: Port::Array(View::default()) };
        let stages = || self.stages.iter().cloned().chain([copy()]).collect();
        let may = goes && follow && combines && self.pointwise[1].is_none();
        may.then(|| KernelDesc { stages: stages(), ..self.clone() })
    }

    /// Whether whole lines in shared memory are better than several kernels.
    pub(crate) fn suits_whole_lines(&self, device: &DeviceAttributes) -> bool {
        self.shared && (self.cluster > 1 || device.takes_one_trip(self))
    }

    /// With the buffer in shared memory, if it fits.
    pub(crate) fn tiled(mut self, device: &DeviceAttributes, size: Size) -> Option<KernelDesc> {
        self.tile = 1;
        let fits = |desc: &KernelDesc| device.blocks_of(desc.shared_bytes()) > 0;
        self = self.through_rows(device, size).filter(fits).unwrap_or(self);
        if !fits(&self) {
            return None;
        }
        let desc = self.with_tile(device, size).with_longer_runs(device, size).with_threads(device, size);
        let resident = size.resident.unwrap_or_else(|| device.resident(&desc));
        let desc = KernelDesc { resident, ..desc }.with_lane_pairs(device, size).with_padding(device);
        Some(desc.with_gap(device, 0, resident))
    }

    /// With as many lines a block as suit memory and all SMs, or those of the choice.
    fn with_tile(mut self, device: &DeviceAttributes, size: Size) -> KernelDesc {
        let chosen = self.chosen_tile(size);
        let wanted = chosen.unwrap_or_else(|| self.wanted(device));
        let exact = KernelDesc { tile: wanted, ..self.clone() };
        if chosen.is_some() && device.blocks_of(exact.shared_bytes()) > 0 {
            return exact;
        }
        // Several blocks share an SM, but for runs that are short otherwise; of convolutions in `f32`, whose one
        // block would not have the threads that registers hold, but for runs of less than a sector.
        let short_run = match device.usual_blocks(self.precision()) > RESIDENT && self.convolves_lines() {
            true => device.least_run(),
            false => device.short_run(),
        };
        let room = |desc: &KernelDesc| {
            let short = desc.has_runs() && desc.contiguous_bytes() <= short_run;
            device.shared_of(if chosen.is_some() || short { 1 } else { RESIDENT })
        };
        loop {
            let next = KernelDesc { tile: 2 * self.tile, ..self.clone() };
            if next.tile > wanted || next.shared_bytes() > room(&next) {
                break;
            }
            self = next;
        }
        if chosen.is_some() { self } else { self.for_all_sms(device) }
    }

    /// With fewer lines a block, if SMs would have none.
    fn for_all_sms(mut self, device: &DeviceAttributes) -> KernelDesc {
        // Work for every SM, before runs are long; sublines take less long each.
        let whole = self.has_whole_lines();
        let few = |desc: &KernelDesc| match whole {
            true => desc.blocks() < device.sms && !device.fills(desc.blocks()),
            false => desc.blocks() < RESIDENT * device.sms,
        };
        // Of blocks that are there at once, caches have what is beside their runs. But an SM takes whole sectors
        // from them: if nearly enough blocks draw what memory gives, more are slower, but for convolutions. (On an
        // H200 `dct2 f32 512x512` 6.9 µs with 64 blocks, 7.9 with 128.)
        let suffice = |desc: &KernelDesc| device.nearly_saturates(desc.blocks()) && !desc.convolves();
        let pays = |desc: &KernelDesc, next: &KernelDesc| {
            next.contiguous_bytes() >= device.least_run() || device.has_at_once(next) && !suffice(desc)
        };
        while few(&self) && self.tile > 1 {
            let next = KernelDesc { tile: self.tile / 2, ..self.clone() };
            if !pays(&self, &next) {
                break;
            }
            self = next;
        }
        self.evened_out(device)
    }

    /// With threads for the items of the longest stage, of the shortest, or of that with the largest radix.
    pub(crate) fn with_threads(mut self, device: &DeviceAttributes, size: Size) -> KernelDesc {
        // So that registers hold as many threads as shared memory has room for.
        let blocks = device.blocks_of(self.shared_bytes());
        let fewer = blocks < device.usual_blocks(self.precision()) || self.blocks() <= device.sms;
        let fewer = fewer || self.convolves_lines() && self.has_runs();
        let most = device.usual_threads() * if fewer { 2 } else { 1 };
        // Each item of a tile needs a thread, where sublines are mirrored. If registers hold fewer, the usual ones do.
        let held = device.most_threads(self.largest_radix(), self.precision());
        let mirrors = self.threads_for_mirrors(device);
        let mirrors = mirrors.filter(|threads| *threads <= held.min(2 * device.usual_threads()));
        let most = size.threads.unwrap_or(most.max(mirrors.unwrap_or(0))).min(held);
        // Both sublines of a Hermitian pair at once take half as long, but longer in all.
        self.side_by_side = size.beside.map_or(self.blocks() <= device.wave(), |beside| beside == 1);
        let sublines = if self.side_by_side { self.slots() } else { self.tile };
        let items = match size.threads {
            Some(_) => self.butterflies()[1],
            None => self.dealt().min(self.large_items(device).unwrap_or(usize::MAX)),
        };
        self.threads = (items * sublines).next_multiple_of(device.warp).clamp(1, most);
        // A thread that has the same line in all rounds finds its place once.
        let rest = self.threads % self.tile;
        if self.interleaved() && SPARED * rest <= self.threads {
            self.threads -= rest;
        }
        self
    }

    /// Where the last round of blocks has a few columns only: with so many a block that the SM with the
    /// most blocks has less to do. Two blocks stay on an SM, where it has two; of those with convolutions
    /// it should, since they wait more often.
    fn evened_out(self, device: &DeviceAttributes) -> KernelDesc {
        if !self.across || !self.has_whole_lines() || self.blocks() <= device.sms {
            return self;
        }
        let lines = |desc: &KernelDesc| desc.blocks().div_ceil(device.sms) * desc.tile;
        let fits = |desc: &KernelDesc, blocks: usize| device.blocks_of(desc.shared_bytes()) >= blocks;
        let resident = if fits(&self, RESIDENT) { RESIDENT } else { 1 };
        let is_better = |desc: &KernelDesc| {
            EVENER.0 * lines(desc) <= EVENER.1 * lines(&self)
                && fits(desc, resident)
                && (!desc.convolves() || desc.blocks() > device.sms)
                && (desc.tile > self.tile || desc.contiguous_bytes() >= device.least_run())
        };
        let sectors = |desc: &KernelDesc| lines(desc) as f64 * device.sectors_of_runs(desc);
        let tiles = (self.tile.div_ceil(2)..2 * self.tile).rev();
        let others = tiles.map(|tile| KernelDesc { tile, ..self.clone() }).filter(is_better);
        let best = others.min_by(|a, b| sectors(a).total_cmp(&sectors(b)));
        // Rounds may leave threads without an item: `dct2 f32 1536x1536` measured 21.3 µs with tiles of 12
        // instead of 19.5 with 8.
        let taken = |desc: &KernelDesc| {
            let desc = desc.clone().with_threads(device, Size::default());
            desc.blocks().div_ceil(device.sms) * desc.item_rounds() * desc.threads
        };
        best.filter(|best| EVENER.0 * taken(best) <= EVENER.1 * taken(&self)).unwrap_or(self)
    }

    /// Items of a subline for which there are threads: those of the longest stage of butterflies.
    /// Along memory, where a line of complex numbers has those of one line, those of the shortest
    /// measured faster: a thread for each of its long butterflies, and several short ones for every
    /// thread; but 4 % slower for three quarters that are folded in f64.
    fn dealt(&self) -> usize {
        let [least, most] = self.butterflies();
        let one = matches!(self.packing, Packing::Complex | Packing::HalfLength) && !self.convolves() && !self.folds();
        if one && !self.has_runs() { least } else { most }
    }

    /// Items of the stage with the largest radix, where these threads suffice for a line along memory. If it is large,
    /// threads hold the registers of its butterflies, and of more few would have one. Suffice do more blocks than those
    /// for which there are registers at once, if an SM's have as many threads as a usual block. (On an H200 `dst1 f32
    /// 728x147x491` 1187 to 670 µs, `dst1 f64 1585x29x347` 767 to 483; but of 168 blocks `dct1 f32 336x1024` 11.3 to
    /// 12.4.)
    fn large_items(&self, device: &DeviceAttributes) -> Option<usize> {
        let large = self.largest_radix();
        if large <= LARGE || self.has_runs() || self.convolves() || self.blocks() <= device.registers_wave() {
            return None;
        }
        let of_large = |stage: &&Stage| stage.op.split().is_some_and(|split| split.radix == large);
        let items = self.stages.iter().filter(of_large).map(|stage| self.subline_items(&stage.op)).max()?;
        let threads = device.blocks_of(self.shared_bytes()) * (items * self.tile).next_multiple_of(device.warp);
        (threads >= device.usual_threads()).then_some(items)
    }

    /// Items of the shortest and the longest stage of butterflies in one subline, or of any if
    /// there are none: of combines a thread takes several.
    pub(crate) fn butterflies(&self) -> [usize; 2] {
        let items = |stage: &Stage| self.subline_items(&stage.op);
        let butterflies = self.stages.iter().filter(|stage| has_butterflies(stage)).map(items);
        let butterflies: Vec<usize> = butterflies.collect();
        let all = if butterflies.is_empty() { self.stages.iter().map(items).collect() } else { butterflies };
        let ends = [all.iter().min(), all.iter().max()];
        ends.map(|count| *count.unwrap_or(&1))
    }

    /// Rounds in which the threads of a block take the items of all its stages, and numbers of convolved digits.
    pub(crate) fn item_rounds(&self) -> usize {
        let rounds = |items: usize| (items * self.slots()).div_ceil(self.threads);
        let of_stage = |stage: &Stage| {
            let (items, there_and_back) =
                (self.subline_items(&stage.op), matches!(stage.op, StageOp::ConvolveDigit { .. }));
            rounds(items) * if there_and_back { 2 } else { 1 } + rounds(self.convolved_numbers(stage))
        };
        self.stages.iter().map(of_stage).sum()
    }

    /// Numbers of a subline that a stage multiplies or takes from memory, where a digit is convolved. How many lines a
    /// block has, and how many rounds are a long time, was measured with stages that did this only.
    fn convolved_numbers(&self, stage: &Stage) -> usize {
        let items = self.subline_items(&stage.op);
        match &stage.op {
            StageOp::Butterflies(split) if split.rader.is_some() && stage.from != stage.to => self.length(),
            StageOp::Chirp { split, .. } | StageOp::ConvolveDigit { split, .. } => items * split.radix,
            StageOp::Unchirp { chirp, .. } => items * chirp.radix / chirp.step,
            _ => 0,
        }
    }

    /// The largest radix of a stage.
    pub(crate) fn largest_radix(&self) -> usize {
        self.stages.iter().filter_map(|stage| Some(stage.op.split()?.radix)).max().unwrap_or(1)
    }

    /// Whether quarters are folded.
    pub(crate) fn folds(&self) -> bool {
        let folds = |stage: &Stage| matches!(stage.op, StageOp::SymmetricLastPass(_) | StageOp::SymmetricProduct(_));
        self.stages.iter().any(folds)
    }

    /// Complex numbers that a thread holds at once: of a line's convolution, those of a DFT and of the one back. (Of a
    /// digit's, the cost model adds what it needs.)
    pub(crate) fn numbers(&self) -> usize {
        let numbers = |stage: &Stage| match &stage.op {
            StageOp::ConvolveLine { split, .. } => 2 * split.radix,
            op => op.split().map_or(1, |split| split.radix),
        };
        self.stages.iter().map(numbers).max().unwrap_or(1)
    }

    /// Items of a stage in one subline.
    pub(crate) fn subline_items(&self, op: &StageOp) -> usize {
        (op.items() / (self.before() * self.after())).max(1)
    }

    /// Bytes of memory in which neighbouring sublines of a block stand side by side.
    pub(crate) fn contiguous_bytes(&self) -> usize {
        self.tile.min(self.neighbours()) * self.line_bytes()
    }

    /// The same of so many bytes at most, if a block had all of them.
    pub(crate) fn most_contiguous_bytes(&self, run: usize) -> usize {
        run.min(self.neighbours() * self.line_bytes())
    }

    /// Sublines that stand side by side in memory.
    fn neighbours(&self) -> usize {
        match self.across {
            true if self.near < self.lines => self.near * self.parts(),
            true => self.lines,
            false => self.parts(),
        }
    }

    /// With the lines of the innermost axis across as near ones, if they have less than memory reads at once:
    /// sublines of the others are far away.
    pub(crate) fn with_near_lines(self, device: &DeviceAttributes) -> KernelDesc {
        let few = |side_by_side: usize| side_by_side * self.line_bytes() < device.long_run();
        let near = self.geometry.axes.first().map(|axis| axis.size).filter(|&near| self.across && few(near));
        KernelDesc { near: near.unwrap_or(self.lines), ..self }
    }

    /// Bytes from a subline to the next.
    pub(crate) fn line_bytes(&self) -> usize {
        if !self.across {
            return 2 * self.precision().bytes();
        }
        self.geometry.line_bytes(self.storage)
    }

    /// Lines that a block should have: a run of memory, or work for enough threads.
    fn wanted(&self, device: &DeviceAttributes) -> usize {
        let computes = |stage: &&Stage| !matches!(stage.op, StageOp::CopyLines(_));
        let stages = self.stages.iter().filter(computes);
        let items =
            stages.map(|stage| self.subline_items(&stage.op).max(self.convolved_numbers(stage))).max().unwrap_or(1);
        let least = match self.has_runs() {
            true => device.long_run() / self.line_bytes(),
            // Two lines of two warps each measured 5 % faster than one.
            false if self.precision() == Precision::F64 && self.dealt() == 2 * device.warp => 2,
            false => 1,
        };
        least
            .max(self.of_a_warp(device))
            .max(device.usual_threads() / items)
            .clamp(1, self.sublines().next_power_of_two())
    }

    /// Lines with a butterfly for each thread of a warp, if there are large ones, whose operations are those of the
    /// warp however few threads have one. Every SM keeps several blocks and room for them, more of those with fewer
    /// registers. Rows that are one butterfly have fewer lines. (On an H200 `dct1 f32 245x51x104` 39.9 to 32.9 µs, `dst2
    /// f32 162x29x2304` 81.2 to 72.8; but rows of 29, `dht f32 360x784x29`, 80.5 to 123, and in 332 blocks `dct3 f64
    /// 2656x186` 18.7 to 20.1.)
    fn of_a_warp(&self, device: &DeviceAttributes) -> usize {
        let least = if !self.across && self.has_one_stage() { LARGEST } else { LARGE };
        let of_stage = |stage: &Stage| match &stage.op {
            StageOp::Butterflies(split) if split.radix > least => {
                let blocks = if split.radix > LARGEST { RESIDENT * device.sms } else { device.registers_wave() };
                Some(device.warp.div_ceil(self.subline_items(&stage.op)).min(self.sublines() / blocks))
            }
            _ => None,
        };
        let lines = self.stages.iter().filter_map(of_stage).max().unwrap_or(1);
        let has_room = |lines: &usize| {
            let bytes = KernelDesc { tile: *lines, ..self.clone() }.shared_bytes();
            device.blocks_of(bytes) >= 2 * RESIDENT
        };
        let fewer = std::iter::successors(Some(lines), |lines| Some(lines / 2)).take_while(|lines| *lines > 1);
        fewer.filter(has_room).max().unwrap_or(1)
    }

    /// A kernel for each stage, with buffers in device memory.
    fn staged(&self, device: &DeviceAttributes) -> Vec<KernelDesc> {
        let threads = device.usual_threads();
        let outside = |port: &Port| if *port == Port::Buffer { Port::Scratch } else { port.clone() };
        let one = |stage: &Stage| KernelDesc {
            stages: vec![Stage { from: outside(&stage.from), to: outside(&stage.to), ..stage.clone() }],
            shared: false,
            tile: 1,
            threads,
            ..self.clone()
        };
        self.stages.iter().map(one).collect()
    }
}
