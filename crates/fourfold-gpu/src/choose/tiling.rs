//! Fits a pass to a device: which kernels, how many lines a work group takes, and with how many
//! threads.

use crate::desc::choice::Size;
use crate::desc::descriptor::{Across, Packing, Part, Port, Spec, Stage, View, Which, Window, Work};
use crate::ir::packed::WARP;
use crate::limits::Limits;
use fourfold::Precision;

/// Threads of a work group; more where few work groups share a multiprocessor, or none do.
const THREADS: usize = 256;

/// Bytes of neighbouring lines that are read as one run: as many as the memory reads at once.
pub(crate) const RUN: usize = 128;

/// Bytes of one real for each thread of a cluster's work group, at most.
const MOST_REALS: usize = 4096;

/// Reals of an array that one work group transforms faster than another kernel is launched.
const SMALL: usize = 2048;

/// A device has work groups for this many times as many before few are too few.
const FEW: usize = 8;

/// Bytes of a run below which two trips through memory in long runs are better than one.
const LEAST_RUN: usize = 32;

/// Bytes in local memory of columns in runs of 64 bytes, with the skips between, which take so many
/// for each byte of a run.
pub(crate) fn run_bytes(column: usize) -> usize {
    column.saturating_add(column / 16).saturating_mul(RUN / 2)
}

impl Limits {
    /// Whether so few work groups have so many butterflies each that more of them are faster,
    /// though they run in several kernels.
    pub(crate) fn spreads(&self, groups: usize, butterflies: usize) -> bool {
        FEW * groups <= self.units && butterflies > 2 * THREADS
    }

    /// Whether columns of so many bytes in a run of 64, in so many runs, are for clusters: one work
    /// group has no room for a run, and a multiprocessor has for `resident` of as many as a cluster
    /// has; or a multiprocessor has for one work group, and in their last turn many would have
    /// none.
    pub(crate) fn shares(&self, bytes: usize, runs: usize, resident: usize) -> bool {
        match bytes > self.local_bytes {
            true => bytes / self.cluster <= self.local_bytes / resident,
            false => {
                let turns = runs.next_multiple_of(self.units.max(1));
                self.cluster > 1 && 2 * bytes > self.local_bytes && runs > self.units && 4 * runs <= 3 * turns
            }
        }
    }
}

impl Spec {
    /// The kernels of the pass, by clusters if they are `shared`.
    pub(crate) fn fitted(mut self, limits: &Limits, shared: bool, size: Size) -> Vec<Spec> {
        self.across &= self.lines > 1;
        let whole = self.clone().tiled(limits, size);
        let spread = whole
            .as_ref()
            .is_none_or(|spec| size.tile.is_none() && limits.spreads(spec.groups(), spec.butterflies()[1]));
        if spread {
            // Their work group would need the line as a whole.
            self = self.straightened(0).straightened(1);
        }
        let windows = || self.windowed(limits);
        if let Some(spec) = shared.then(|| self.clustered(limits, size)).flatten() {
            return vec![spec];
        }
        match whole {
            Some(spec) if spread => windows().unwrap_or(vec![spec]),
            Some(spec) if !spec.across || size.tile.is_some() || spec.run() >= LEAST_RUN.min(spec.wanted_run()) => {
                vec![spec]
            }
            Some(spec) => windows().unwrap_or(vec![spec]),
            None => windows().unwrap_or_else(|| self.staged(limits)),
        }
    }

    /// One kernel for `passes` along several axes, each work group with a part of the array that
    /// has `parts` in all and `between` reals; if local memory has room for two work groups
    /// (`wanted`: for one), and there is work for the device.
    pub(crate) fn joined(
        mut passes: Vec<Spec>,
        parts: usize,
        between: usize,
        wanted: bool,
        limits: &Limits,
    ) -> Option<Spec> {
        let mut threads = WARP;
        for pass in &mut passes {
            pass.across &= pass.lines > 1;
            if pass.lines % parts != 0 || !pass.has_own_lines(parts) {
                return None;
            }
            pass.tile = pass.lines / parts;
            threads = threads.max(pass.butterflies()[1] * pass.tile);
        }
        let most = limits.threads.min(MOST_REALS / passes[0].precision.bytes());
        let threads = threads.next_multiple_of(WARP).min(most);
        // Skips that another pass has no room for would be chosen in vain.
        let room = limits.local_bytes.checked_sub(between * passes[0].precision.bytes())?;
        let limits_of_buffers = Limits { local_bytes: room, ..limits.clone() };
        let mut passes: Vec<_> =
            passes.into_iter().map(|pass| Spec { threads, ..pass }.with_skips(&limits_of_buffers)).collect();
        let buffers = passes.iter().map(|pass| 2 * pass.local_elements()).max().unwrap_or(0);
        for pass in &mut passes {
            for side in [&mut pass.geometry.input, &mut pass.geometry.output] {
                side.offset = if side.local { buffers as i64 } else { side.offset };
            }
        }
        let chain = |next: Option<Box<Spec>>, pass| Some(Box::new(Spec { next, ..pass }));
        let mut joined = *passes.into_iter().rev().fold(None, chain)?;
        joined.between = between;
        let enough = 4 * parts >= limits.units || between <= SMALL;
        let estimated = enough && 2 * joined.local_bytes() <= limits.local_bytes;
        (joined.local_bytes() <= limits.local_bytes && (wanted || estimated)).then_some(joined)
    }

    /// Whether the first lines are those of the first of so many parts of the array, and so on.
    fn has_own_lines(&self, parts: usize) -> bool {
        let whole = |axis: &Across| {
            self.geometry.input.local && axis.input == 0 || self.geometry.output.local && axis.output == 0
        };
        let own = self.geometry.axes.iter().take_while(|axis| !whole(axis));
        own.map(|axis| axis.size).product::<usize>() * parts == self.lines
    }

    /// Without a stage for neighbours alone, the first or (`end` 1) the last.
    fn straightened(mut self, end: usize) -> Spec {
        match &mut *self.stages {
            [Stage { work: Work::Interleave(_), from, .. }, next, ..] if end == 0 => {
                next.from = from.clone();
                self.stages.remove(0);
            }
            [.., last, Stage { work: Work::Interleave(_), to, .. }] if end == 1 => {
                last.to = to.clone();
                self.stages.pop();
            }
            _ => {}
        }
        self
    }

    /// With twins instead of such stages, and where every second or fourth real would be read. To
    /// write spectra that are combined (DCT-IV) they measured 5 to 10 % slower than a stage; to
    /// read two lines as one in `f32`, 1 to 2 % slower than threads by themselves.
    fn with_twins(mut self, limits: &Limits) -> Spec {
        let pays = [self.packing != Packing::Lines || self.precision == Precision::F64, self.back];
        for end in [0, 1].into_iter().filter(|end| limits.warps && pays[*end]) {
            let straight = self.clone().straightened(end);
            if straight.may_have_twins(end) {
                self = straight;
                self.twins[end] = true;
            }
        }
        self
    }

    /// Whether the DFTs of the first digit, in the first stage or the last, can be dealt out so
    /// that mirrored ones meet in a warp.
    fn may_have_twins(&self, end: usize) -> bool {
        let outermost = if end == 0 { self.stages.first() } else { self.stages.last() };
        let Some(Stage { work: Work::Butterflies(split), from, to }) = outermost else { return false };
        let halves = matches!([from, to][end], Port::Array(View { halves: true, .. }));
        let whole = !self.interleaved() && self.cluster == 1 && self.places() == split.radix * split.groups;
        // All threads of a warp come where they exchange.
        let threads = split.groups * self.tile;
        let warps = match split.groups < WARP {
            true => {
                split.groups.is_power_of_two()
                    && (threads < WARP || threads % WARP == 0)
                    && self.windows() % self.tile == 0
            }
            false => split.groups % WARP == 0,
        };
        halves
            && split.inner == 1
            && split.groups > 1
            && whole
            && split.radix % 2 == 0
            && warps
            && self.threads % WARP == 0
    }

    /// With the buffer in local memory, if it fits.
    fn tiled(mut self, limits: &Limits, size: Size) -> Option<Spec> {
        self.tile = 1;
        if self.local_bytes() > limits.local_bytes {
            return None;
        }
        let wanted = size.tile.unwrap_or_else(|| self.wanted());
        // Half of the memory, so that one work group computes while another reads; all of it for
        // runs that are short otherwise.
        let room = |spec: &Spec| {
            if size.tile.is_some() || spec.interleaved() && spec.run() <= RUN / 2 {
                limits.local_bytes
            } else {
                limits.local_bytes / 2
            }
        };
        loop {
            let next = Spec { tile: 2 * self.tile, ..self.clone() };
            if next.tile > wanted || next.local_bytes() > room(&next) {
                break;
            }
            self = next;
        }
        // Work for every multiprocessor, before runs are long; windows take less long each.
        let whole = self.window == Window::all(self.digits.len());
        let least = if whole { 3 * limits.units / 4 } else { 2 * limits.units };
        while size.tile.is_none() && self.groups() < least && self.tile > 1 && self.run() > LEAST_RUN {
            self.tile /= 2;
        }
        // So that registers, of which f64 takes twice as many, hold as many threads as local memory
        // has room for.
        let share = 16 / self.precision.bytes();
        let alone = share * self.local_bytes() > limits.local_bytes || self.groups() <= limits.units;
        let most = if alone { 2 * THREADS } else { THREADS };
        let most = size.threads.unwrap_or(most).min(limits.threads);
        // Both of mirrored windows at once take half as long, but longer in all.
        self.side_by_side = self.groups() <= FEW * limits.units;
        let windows = if self.side_by_side { self.slots() } else { self.tile };
        self.threads = (self.dealt() * windows).next_multiple_of(WARP).clamp(1, most);
        Some(self.with_twins(limits).with_skips(limits))
    }

    /// By a cluster of work groups, if the first digit is even, and the tile fits them with runs of
    /// 64 bytes; less where there are few columns.
    fn clustered(&self, limits: &Limits, size: Size) -> Option<Spec> {
        let [first, _, ..] = *self.digits else { return None };
        let cluster = first.radix / 2;
        if first.radix % 2 == 1 || cluster < 2 || cluster > limits.cluster || !self.has_windows() {
            return None;
        }
        let window = Window { first: 1, last: self.digits.len() };
        let mut spec = Spec { cluster, window, side_by_side: true, ..self.clone() };
        match &mut *spec.stages {
            [.., to_shares, last] if self.back => (to_shares.to, last.from) = (Port::Shares, Port::Shares),
            [first, ..] => first.to = Port::Cluster,
            [] => return None,
        }
        let wanted = size.tile.unwrap_or(RUN / 2 / spec.line_bytes());
        spec.tile = wanted.min(spec.lines.next_power_of_two()).max(1);
        // Work for every multiprocessor, before runs are long.
        while size.tile.is_none() && spec.groups() < 3 * limits.units / 4 && spec.tile > 1 && spec.run() > LEAST_RUN / 2
        {
            spec.tile /= 2;
        }
        // As many threads as registers can be had for: of f64 half as many.
        let most = size.threads.unwrap_or(limits.threads).min(MOST_REALS / spec.precision.bytes()).min(limits.threads);
        // Where elements go to other work groups, every thread has one DFT, in its registers until
        // all have read theirs.
        let dfts = |spec: &Spec| 2 * spec.tile * spec.length() / spec.digits[1].radix;
        while self.back && dfts(&spec) > most && spec.tile > 1 {
            spec.tile /= 2;
        }
        spec.threads = match self.back {
            true => dfts(&spec),
            false => (spec.share() * spec.tile).next_multiple_of(WARP).min(most.max(WARP)),
        };
        let fits = spec.local_bytes() <= limits.local_bytes && spec.threads <= most;
        fits.then(|| spec.with_skips(limits))
    }

    /// Items of a window for which there are threads: those of the longest stage of butterflies.
    /// Along memory, where a line of complex numbers has those of one line, those of the shortest
    /// measured faster: a thread for each of its long butterflies, and several short ones for every
    /// thread; but 4 % slower for three quarters that are folded in f64.
    fn dealt(&self) -> usize {
        let [least, most] = self.butterflies();
        let folds = self.stages.iter().any(|stage| matches!(stage.work, Work::Fold(_)));
        let one = matches!(self.packing, Packing::Complex | Packing::Pairs) && !self.convolves() && !folds;
        if one && !self.interleaved() { least } else { most }
    }

    /// Items of the shortest and the longest stage of butterflies in one window, or of any if there
    /// are none: of combines a thread takes several.
    fn butterflies(&self) -> [usize; 2] {
        let items = |stage: &Stage| self.window_items(&stage.work);
        let butterflies = self.stages.iter().filter(|stage| matches!(stage.work, Work::Butterflies(_))).map(items);
        let butterflies: Vec<usize> = butterflies.collect();
        let all = if butterflies.is_empty() { self.stages.iter().map(items).collect() } else { butterflies };
        let ends = [all.iter().min(), all.iter().max()];
        ends.map(|count| *count.unwrap_or(&1))
    }

    /// Items of a stage in one window.
    fn window_items(&self, work: &Work) -> usize {
        (work.items() / (self.before() * self.after())).max(1)
    }

    /// Bytes that neighbouring windows of a work group have together in memory.
    fn run(&self) -> usize {
        self.tile.min(self.neighbours()) * self.line_bytes()
    }

    fn wanted_run(&self) -> usize {
        RUN.min(self.neighbours() * self.line_bytes())
    }

    /// Windows that stand side by side in memory.
    fn neighbours(&self) -> usize {
        match self.across {
            true => self.lines,
            false => self.parts(),
        }
    }

    /// Bytes from a window to the next.
    fn line_bytes(&self) -> usize {
        if !self.across {
            return 2 * self.precision.bytes();
        }
        self.geometry.line_bytes(self.precision)
    }

    /// Lines that a work group should have: a run of memory, or work for enough threads.
    fn wanted(&self) -> usize {
        let items = self.stages.iter().map(|stage| self.window_items(&stage.work)).max().unwrap_or(1);
        let least = match self.interleaved() {
            true => RUN / self.line_bytes(),
            // Two lines of two warps each measured 5 % faster than one.
            false if self.precision == Precision::F64 && self.dealt() == 2 * WARP => 2,
            false => 1,
        };
        least.max(THREADS / items).clamp(1, self.windows().next_power_of_two())
    }

    /// Kernels on windows of digits, as few and then as even as they can be with runs of memory and
    /// buffers in local memory.
    fn windowed(&self, limits: &Limits) -> Option<Vec<Spec>> {
        if !self.has_windows() {
            return None;
        }
        // Quarters are folded in one window with a digit of their DFTs: a window of the quarters
        // alone has no buffer for terms N − k.
        let folds = self.stages.iter().any(|stage| matches!(stage.work, Work::Fold(_)));
        let digits = self.digits.len() - usize::from(folds);
        let fitted = |cuts: Vec<usize>| {
            self.cut(&cuts).into_iter().map(|spec| spec.tiled(limits, Size::default())).collect::<Option<Vec<_>>>()
        };
        let longest = |cuts: &Vec<usize>| self.cut(cuts).iter().map(Spec::length).max();
        (1..digits).find_map(|count| {
            let cuts = cuts(digits, count).into_iter().min_by_key(longest)?;
            let wanted = |spec: &Spec| match spec.groups() <= 4 * limits.units {
                // Of few work groups, more with shorter runs are better.
                true => LEAST_RUN.min(spec.wanted_run()),
                // One more trip through memory costs more than runs of half the length.
                false => spec.wanted_run().min(RUN / 2),
            };
            fitted(cuts).filter(|specs| specs.iter().all(|spec| spec.run() >= wanted(spec)))
        })
    }

    /// Whether stages keep to their digits, and combines to terms k and N − k.
    fn has_windows(&self) -> bool {
        let every = |part: &Part, n: usize| !matches!(part.which(n), Which::Inner { step: 2.., .. });
        self.digits.len() > 1
            && self.stages.iter().all(|stage| match &stage.work {
                Work::Butterflies(split) => split.rader.is_none(),
                Work::After { n, parts, .. } => parts.iter().all(|part| every(part, *n)),
                Work::Fold(_) | Work::Before { .. } => true,
                _ => false,
            })
    }

    /// One kernel for each run of digits between the cuts.
    fn cut(&self, cuts: &[usize]) -> Vec<Spec> {
        let digits = self.digits.len();
        let ends: Vec<usize> = [0].iter().chain(cuts).chain([&digits]).copied().collect();
        let mut windows: Vec<Window> = ends.windows(2).map(|ends| Window { first: ends[0], last: ends[1] }).collect();
        if self.back {
            windows.reverse();
        }
        let mut stages = self.stages.iter().peekable();
        let last = windows.len() - 1;
        let kernel = |(i, window): (usize, Window)| {
            let ahead = |stage: &&Stage| matches!(stage.work, Work::Before { .. });
            let count = window.last - window.first + usize::from(stages.peek().is_some_and(ahead));
            let count = if i == last { usize::MAX } else { count };
            let mut own: Vec<Stage> = stages.by_ref().take(count).cloned().collect();
            if i > 0 {
                own[0].from = Port::Scratch;
            }
            if i < last {
                own.last_mut().expect("a window has digits").to = Port::Scratch;
            }
            Spec { stages: own, window, ..self.clone() }
        };
        windows.into_iter().enumerate().map(kernel).collect()
    }

    /// A kernel for each stage, with buffers in device memory.
    fn staged(&self, limits: &Limits) -> Vec<Spec> {
        let threads = THREADS.min(limits.threads);
        let outside = |port: &Port| if *port == Port::Buffer { Port::Scratch } else { port.clone() };
        let one = |stage: &Stage| Spec {
            stages: vec![Stage { from: outside(&stage.from), to: outside(&stage.to), ..stage.clone() }],
            local: false,
            tile: 1,
            threads,
            ..self.clone()
        };
        self.stages.iter().map(one).collect()
    }
}

/// All ways to cut a list of so many digits at `count` places.
fn cuts(digits: usize, count: usize) -> Vec<Vec<usize>> {
    let longer = |list: Vec<Vec<usize>>, _| {
        let after = |cuts: &Vec<usize>| cuts.last().copied().unwrap_or(0) + 1;
        list.iter().flat_map(|cuts| (after(cuts)..digits).map(|cut| [&**cuts, &[cut]].concat())).collect()
    };
    (0..count).fold(vec![vec![]], longer)
}
