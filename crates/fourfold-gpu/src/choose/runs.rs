//! Runs of memory: which are long, what shorter ones cost, and how many a block has.

use crate::attributes::DeviceAttributes;
use crate::desc::choice::Size;
use crate::desc::kernel::{KernelDesc, Packing, values};
use fourfold::engine::{QUARTERS, gcd};

/// Rounds of a block that take longer than three kernels with more blocks: half a microsecond each on
/// an H200, where a kernel takes three at least.
const LONG: usize = 32;

/// Rounds of a block that take as long as one kernel: half a microsecond each, as above.
const OF_A_KERNEL: usize = 6;

/// Runs below a sector, for each thread of a usual block, that take longer than another kernel.
const SCATTERED: usize = 8;

impl DeviceAttributes {
    /// Bytes of a run that is as long as memory reads at once.
    pub(crate) fn long_run(&self) -> usize {
        self.line_bytes
    }

    /// Bytes of a run that costs little more: columns have such runs.
    pub(crate) fn short_run(&self) -> usize {
        (self.line_bytes / 2).max(self.sector_bytes)
    }

    /// Bytes of the shortest run that costs less than another trip.
    pub(crate) fn least_run(&self) -> usize {
        self.sector_bytes
    }

    /// Trips that one trip in runs of so many bytes is: memory reads and writes whole sectors.
    pub(crate) fn waste(&self, run: usize) -> f64 {
        let run = run.max(1);
        run.next_multiple_of(self.sector_bytes.max(1)) as f64 / run as f64
    }

    /// Sectors that are touched for each that has all of its bytes in a run, on average: runs begin at any
    /// multiple of what their length, the distance of rows and a sector divide by.
    pub(crate) fn sectors_of_runs(&self, desc: &KernelDesc) -> f64 {
        let run = desc.contiguous_bytes().max(1);
        let ends = [&desc.geometry.input, &desc.geometry.output];
        let rows = ends.map(|side| side.stride.unsigned_abs() as usize * desc.storage.bytes());
        let unit = rows.into_iter().fold(gcd(run, self.sector_bytes), gcd);
        self.sectors_of_pieces(run, unit)
    }

    /// The same of pieces of so many bytes that begin at any multiple of a divisor of a sector.
    pub(crate) fn sectors_of_pieces(&self, piece: usize, unit: usize) -> f64 {
        (piece + self.sector_bytes - unit) as f64 / piece as f64
    }

    /// Whether all blocks, which have whole lines, are there at once: then caches have what is beside
    /// their runs. But an SM takes whole sectors from them, so that a block of long lines takes longer than
    /// more kernels with more blocks do.
    pub(crate) fn has_at_once(&self, desc: &KernelDesc) -> bool {
        desc.has_whole_lines() && desc.blocks() <= self.sms && self.reads_at_once(runs(desc))
    }

    /// Whether blocks that have the same sectors come so soon after each other that half of the shared cache has what
    /// others moved between. (On an H200 three kernels with clusters, whose sublines are long, took 20.8 copies for
    /// `dct4 f32 60189407`. There blocks moved 63 MB between. Before, five took 17.7 for `dst4 f32 65178887`. Where blocks
    /// move 7 MB, `dct4 f64 9446321` took 678 µs with five and 651 with three.)
    pub(crate) fn keeps_between_strips(&self, desc: &KernelDesc) -> bool {
        let subline = desc.places() / desc.after() * 2 * desc.precision().bytes();
        desc.strips().is_none_or(|strips| 2 * strips.distance * subline <= self.l2_bytes / 2)
    }

    /// Whether a block takes less long for so many runs than more kernels with more blocks do.
    pub(crate) fn reads_at_once(&self, runs: usize) -> bool {
        runs <= LONG * self.usual_threads()
    }

    /// Whether a kernel has so few blocks that they draw less than a quarter of what memory gives.
    pub(crate) fn leaves_idle(&self, descs: &[KernelDesc]) -> bool {
        descs.iter().any(|desc| !self.nearly_saturates(4 * desc.blocks()))
    }

    /// Whether one kernel more takes less long than such blocks, if these are not busy for so long that convolutions of
    /// whole lines are better. (On an H200 columns in three kernels, where one of two had 12 blocks, `dct4 f32 83237x3`:
    /// 31.8 to 13.4 µs.)
    pub(crate) fn is_for_more_kernels(&self, few: &[KernelDesc], more: &[KernelDesc]) -> bool {
        let rounds = |descs: &[KernelDesc]| descs.iter().map(KernelDesc::item_rounds).sum::<usize>();
        let saves = rounds(few) >= rounds(more) + OF_A_KERNEL && !few.iter().any(|desc| self.is_busy_for_long(desc));
        more.len() == few.len() + 1 && saves && !self.leaves_idle(more)
    }

    /// Whether few blocks have so many runs below a sector that another kernel takes less long. (On an H200 in two
    /// kernels instead of one, `dht f32 3969x97` 22.9 to 13.7 µs, `dst2 f64 7168x120` 26.9 to 19.4; but of shorter
    /// lines, `dct2 f32 1600x20` 7.5 to 9.4.)
    pub(crate) fn is_scattered(&self, desc: &KernelDesc) -> bool {
        desc.blocks() <= self.sms && self.short_runs(desc) > SCATTERED * self.usual_threads()
    }

    /// Whether no SM has a second block, and each block so many rounds that more kernels with more blocks
    /// are faster. Of many runs below a sector, each takes as long as an item. (On an H200 `dct1 f64 3323x67` 30.7 to
    /// 16.4 µs, `dst1 f32 2104x240` 26.5 to 21.8; but of few, `dct2 f64 691x160` 11.0 to 16.1.) Not so
    /// of two lines packed as one, if three of four SMs have a block: `dct2 f32 210x1151` 15.2 to 10.9 in one kernel.
    pub(crate) fn is_busy_for_long(&self, desc: &KernelDesc) -> bool {
        let runs = if self.is_scattered(desc) { 2 * self.short_runs(desc) } else { 0 };
        let rounds = desc.item_rounds() + runs / self.usual_threads();
        let is_full = desc.packing == Packing::TwoForOne && desc.has_whole_lines() && self.fills(desc.blocks());
        desc.blocks() <= self.sms && !is_full && rounds > LONG
    }

    /// How many times as long columns take as they could, if an SM has one block of them at a time. They could take as
    /// long as with a block for every SM in the last round, with runs of whole sectors, and with two reals a number.
    pub(crate) fn slowness_of_columns(&self, desc: &KernelDesc) -> f64 {
        let blocks = desc.blocks().max(1);
        let has_one = blocks > self.sms && self.blocks_of(desc.shared_bytes()) == 1;
        let is_column = desc.across && desc.has_whole_lines() && desc.cluster == 1;
        if !has_one || !is_column {
            return 1.0;
        }
        let rounds = blocks.next_multiple_of(self.sms.max(1)) as f64 / blocks as f64;
        let reals = if desc.packing.has_two_reals() { 1.0 } else { 2.0 };
        rounds * reals * self.sectors_of_runs(desc)
    }

    /// Runs below a sector that a block has at each end.
    fn short_runs(&self, desc: &KernelDesc) -> usize {
        let is_short = desc.has_runs() && desc.contiguous_bytes() < self.least_run();
        if is_short && desc.has_whole_lines() { runs(desc) } else { 0 }
    }
}

/// Runs of memory that a line of a kernel with whole lines has at each end. Three quarters of an extension have half
/// as many numbers more.
fn runs(desc: &KernelDesc) -> usize {
    let elements = values(&desc.digits);
    let reals = if desc.packing == Packing::TwoForOne { elements } else { 2 * elements };
    if desc.folds() { 2 * reals / QUARTERS } else { reals }
}

impl KernelDesc {
    /// The lines of a block that are chosen: a tile, or as many parts of lines as make a run of the chosen bytes.
    pub(crate) fn chosen_tile(&self, size: Size) -> Option<usize> {
        let run = size.run.filter(|_| !self.has_whole_lines());
        size.tile.or(run.map(|run| (run / self.line_bytes()).clamp(1, self.sublines())))
    }

    /// With runs of twice the length if they are ragged, where an SM then holds half as many threads at least, and there
    /// are several blocks for each. (On an H200 `dct2 f32 28934010` 321 to 275 µs, `dct2 f64 52081218` 1101 to 971, `dct4
    /// f64 20671875` 470 to 438, `dht f64 33480783` 640 to 641. Of 319 blocks, `dct2 f32 14348907` 224 to 253; of aligned
    /// runs, `dct3 f32 34560000` 278 to 378; of columns, `dct4 f64 49381x667` 656 to 709.)
    pub(crate) fn with_longer_runs(self, device: &DeviceAttributes, size: Size) -> KernelDesc {
        if self.chosen_tile(size).is_some() || !self.is_ragged(device) || self.contiguous_bytes() > device.long_run() {
            return self;
        }
        let next = KernelDesc { tile: 2 * self.tile, ..self.clone() };
        let held = |desc: &KernelDesc| {
            let threads = desc.clone().with_threads(device, size).threads;
            let of_registers = device.usual_blocks(desc.precision()) * device.usual_threads();
            (device.blocks_of(desc.shared_bytes()) * threads).min(of_registers)
        };
        let pays = next.blocks() >= device.registers_wave() && 2 * held(&next) >= held(&self);
        if pays { next } else { self }
    }

    /// Whether runs begin anywhere in a sector, so that each touches one more than it would fill. Those of one signal of an
    /// odd number of elements do, in ranges. Longer ones took longer in signals that the shared cache has, as `dst3 f64
    /// 1935360` 35.4 to 38.5 µs, and back from a spectrum: `dst3 f64 20837250` 405 to 489, `dct3 f64 11390625` 200 to 208.
    fn is_ragged(&self, device: &DeviceAttributes) -> bool {
        let bytes = self.places().saturating_mul(2 * self.precision().bytes());
        let is_range = self.lines == 1 && self.has_runs() && !self.has_whole_lines() && !self.inverse;
        let is_odd = self.places() % 2 == 1 && is_range;
        let is_long = device.l2_bytes > 0 && bytes > device.l2_bytes && !device.shared_is_emulated;
        is_odd && is_long && !self.convolves() && !self.convolves_lines()
    }
}
