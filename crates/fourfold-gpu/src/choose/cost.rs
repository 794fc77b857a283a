//! The one model of what kernels cost on a device, which everything that chooses asks: threads that
//! registers hold, blocks that an SM holds, waves of blocks, runs of memory, and trips through it.
//!
//! Kernels of transforms wait for memory. So a cost counts *trips*: the time in which a launch with
//! enough blocks reads and writes every byte once, in long runs. It is more
//! - by the bytes beside the ends of short runs, which memory reads and writes with them;
//! - by the SMs that have no block, where those that have one do not draw all that memory gives.

use crate::attributes::DeviceAttributes;
use crate::choose::radices::{LARGE, LARGEST, SMALL};
use crate::desc::kernel::KernelDesc;
use crate::write::partners::HELD;
use fourfold::Precision;
use fourfold::engine::prime_factors;

/// Registers of a thread for each byte of a real, or as many as its radix, if that is more: 64 in
/// `f32`, of which 32 hold a butterfly of 16 complex numbers, and 128 in `f64`.
const REGISTERS: usize = 16;

/// Registers of a thread for each value of its largest radix, beside those of the numbers that it
/// holds: for addresses and factors.
const OTHERS: usize = 3;

/// Registers are allocated in multiples of so many a thread (NVIDIA's occupancy calculator).
const ALLOCATED: usize = 8;

/// Registers that a thread needs at least beside those of the numbers that it holds; on the way back, where
/// twiddles follow, for each word of a real. (With 20 there, NVRTC 13 spilled up to 268 bytes in `f64`.)
const NEEDED: usize = 20;

/// Schedulers of an SM, among which its registers and warps are divided (warps are allocated in fours
/// in NVIDIA's occupancy calculator).
const SCHEDULERS: usize = 4;

/// Blocks that an SM should hold at least: one computes while another reads.
pub(crate) const RESIDENT: usize = 2;

/// Blocks with passes along several axes for which shared memory should have room. (Of 21 problems on an H200 with room
/// for two, 15 took 1.02 to 1.28 of the time of separate kernels.)
pub(crate) const FUSED_RESIDENT: usize = 3;

/// Blocks of the usual size for which registers have room, in `f32`.
const USUAL: usize = 4;

/// Trips that two kernels take at least.
const TWO_TRIPS: f64 = 2.0;

/// Threads are few where one of so many has a large butterfly.
const IDLE: usize = 4;

/// An SM may have so many more blocks with passes along several axes than all have on average: 5 for 4.
const UNEVEN: (usize, usize) = (5, 4);

/// A block that has an SM for itself leaves so much of its shared memory to the first-level cache, which is the
/// same memory: an eighth.
const CACHE: usize = 8;

/// One SM of so many draws what memory gives to all.
const SATURATING: usize = 2;

impl DeviceAttributes {
    /// The most threads of a block for which there are registers, with butterflies of this radix.
    pub(crate) fn most_threads(&self, radix: usize, precision: Precision) -> usize {
        let registers = REGISTERS.max(radix) * precision.bytes();
        self.threads_per_block.min(self.registers_per_block / registers / self.warp.max(1) * self.warp).max(1)
    }

    /// The largest prime that is a butterfly: half of a thread's registers hold its complex numbers. The
    /// other half is for addresses, twiddles and sums: of kernels for `sm_90`, none spills then, but with 37
    /// in `f64` some do. Those below [`LARGEST`] are butterflies on every device.
    pub(crate) fn largest_prime(&self, precision: Precision) -> usize {
        let number = 2 * precision.bytes() / Precision::F32.bytes();
        let most = (self.registers_per_thread / (2 * number)).max(LARGEST);
        (2..=most).rev().find(|n| prime_factors(*n).len() == 1).unwrap_or(LARGEST)
    }

    /// Threads of a block where an SM has room for several; blocks have twice as many where its
    /// shared memory has room for fewer.
    pub(crate) fn usual_threads(&self) -> usize {
        let threads = self.registers_per_sm / (REGISTERS * Precision::F32.bytes());
        (threads.min(self.threads_per_sm) / USUAL).max(self.warp).min(self.threads_per_block).max(1)
    }

    /// Blocks of the usual size that the registers of an SM hold.
    pub(crate) fn usual_blocks(&self, precision: Precision) -> usize {
        (self.registers_per_sm / (REGISTERS * precision.bytes() * self.usual_threads())).max(1)
    }

    /// Blocks on an SM for which the compiler shall leave registers; 0 if it may choose. It takes up to
    /// 128 registers for a product in one stage with the DFTs before and after it. For butterflies of
    /// eight in `f32`, some kernels take a few more than others of the same kind; and some of ranges and columns
    /// take a few more than they need. An SM then has no room for the last block that shared memory has room
    /// for. (On an H200 `dst4 f64 25509168` 537 to 449 µs. Rows alone are 4 % faster with such a bound, but
    /// `dct2 f32 4096x4096` is 2 % slower; so is, by 5 %, `dct1 f64 4097x4097`, which folds quarters.)
    pub(crate) fn resident(&self, desc: &KernelDesc) -> usize {
        let radices = desc.digits[desc.range.first..desc.range.last].iter().map(|digit| digit.radix);
        let radix = radices.max().unwrap_or(1);
        let words = words(desc.precision());
        let with = |registers: usize| self.blocks_with_registers(registers, desc.threads);
        let blocks = |numbers: usize| with(words * numbers + OTHERS * radix);
        let is_plain = desc.interleaved() && !desc.convolves() && !desc.is_filter();
        let small = is_plain && radix == SMALL && desc.precision() == Precision::F32;
        let room = self.blocks_of(desc.shared_bytes());
        let others = registers_beside(desc.inverse, words);
        // Numbers of the spectrum may be in registers, too, and where the numbers of a prime stand.
        let convolves = desc.convolving_radix().is_some() && desc.blocks() > self.sms;
        let of_spectrum = if convolves { desc.largest_radix() } else { 0 };
        let places = desc.radix_of_rader().map_or(of_spectrum, |radix| OTHERS * radix);
        let usual = REGISTERS * desc.precision().bytes();
        let needed = words * desc.numbers() + others;
        // Two blocks gain more than a few numbers lose that live in memory.
        let with_places = || with((needed + places).max(usual)).max(with(needed.max(usual)).min(RESIDENT));
        let is_row = desc.has_whole_lines() && !desc.across;
        let bounded = desc.blocks() > self.registers_wave() && !is_row && !desc.is_filter() && !desc.folds();
        // With a product between two DFTs, the compiler would take what one block less leaves.
        let bounded = bounded || convolves;
        match desc.fuses_product() {
            true => blocks(HELD),
            false if small && blocks(SMALL) <= room => blocks(SMALL),
            false if bounded => with_places().min(room),
            false => 0,
        }
    }

    /// The same of passes along several axes, of which one convolves a digit; 0 for others.
    pub(crate) fn fused_resident(&self, desc: &KernelDesc) -> usize {
        let with = |registers: usize| self.blocks_with_registers(registers, desc.threads);
        convolving_registers(desc.passes())
            .map_or(0, |registers| with(registers).min(self.blocks_of(desc.shared_bytes())))
    }

    /// The most threads of a block with passes along several axes, so that registers hold two blocks: the
    /// usual ones, or those that the compiler takes as it likes. (With a bound on the registers of more threads,
    /// NVRTC spills up to 164 bytes.)
    pub(crate) fn most_fused_threads(&self, passes: &[KernelDesc]) -> usize {
        let registers = fused_registers(passes.iter()).min(self.registers_per_thread);
        (self.warps_with_registers(registers) / RESIDENT * self.warp).max(self.warp)
    }

    /// The most threads of such a block that has an SM for itself; any number of them, if no digit is convolved.
    pub(crate) fn most_convolving_threads(&self, passes: &[KernelDesc]) -> usize {
        let most = |registers: usize| (self.warps_with_registers(registers) * self.warp).max(self.warp);
        convolving_registers(passes.iter()).map_or(usize::MAX, most)
    }

    /// The largest radix of kernels on ranges of digits that is no prime. On the way back, registers hold two blocks of
    /// the usual size. On an H200, kernels of `f64` with radices of 24 to 30, of which an SM had one block, took 1.5 to 3.5
    /// copies. With smaller radices they took 1.1 to 2.1, even in one more stage. (`dct3 f64 14348907` 508 to 260 µs, `dct3
    /// f64 3720087` 96.7 to 74.5. The other way, `dst2 f64 25509168` took 425 to 533 without a radix of 27.)
    pub(crate) fn largest_of_ranges(&self, precision: Precision, inverse: bool) -> usize {
        let words = words(precision);
        let registers = self.registers_per_sm / (RESIDENT * self.usual_threads());
        let held = registers.saturating_sub(registers_beside(inverse, words)) / words;
        if inverse { held.clamp(LARGE, LARGEST) } else { LARGEST }
    }

    /// Whether so many reals are one round of large butterflies on every SM.
    pub(crate) fn is_one_round(&self, reals: usize) -> bool {
        reals <= LARGE * self.usual_threads() * self.sms
    }

    /// Whether so many complex numbers are several rounds of large butterflies for all threads of the device.
    pub(crate) fn is_many_rounds(&self, elements: usize) -> bool {
        elements >= USUAL * LARGE * self.usual_threads() * self.sms
    }

    /// Whether registers hold two blocks with passes along several axes, and all SMs have about as many of them. (Of
    /// 20 problems on an H200 whose registers held one block, 14 took 1.06 to 1.45 of the time of separate kernels, as
    /// `dct4 f32 1569x27x106` did. In 13 others, some SMs had more than a fourth more blocks than all on average. Ten of
    /// these took 1.05 to 1.28, as `dct3 f64 17x144x398` did.)
    pub(crate) fn is_evenly_busy(&self, desc: &KernelDesc) -> bool {
        let registers = fused_registers(desc.passes());
        let has_room = self.blocks_with_registers(registers, desc.threads) >= RESIDENT;
        let of_one = desc.blocks().div_ceil(self.sms);
        has_room && registers <= self.registers_per_thread && UNEVEN.1 * of_one * self.sms <= UNEVEN.0 * desc.blocks()
    }

    /// Blocks of so many threads that an SM holds, if each thread has so many registers.
    fn blocks_with_registers(&self, registers: usize, threads: usize) -> usize {
        self.warps_with_registers(registers) / threads.div_ceil(self.warp)
    }

    /// The same in warps.
    fn warps_with_registers(&self, registers: usize) -> usize {
        let warps = self.registers_per_sm / (self.warp * registers.next_multiple_of(ALLOCATED));
        warps - warps % SCHEDULERS
    }

    /// Bytes of shared memory of each of so many blocks on an SM.
    pub(crate) fn shared_of(&self, blocks: usize) -> usize {
        (self.shared_per_sm / blocks.max(1)).saturating_sub(self.shared_reserved).min(self.shared_per_block)
    }

    /// Bytes of shared memory of a block beside which the first-level cache has room for tables.
    pub(crate) fn shared_beside_cache(&self) -> usize {
        self.beside_cache().min(self.shared_per_block)
    }

    /// Blocks with so many bytes of shared memory for which an SM has room beside that cache; any number of them.
    pub(crate) fn blocks_beside_cache(&self, shared_bytes: usize) -> usize {
        self.beside_cache() / (shared_bytes + self.shared_reserved).max(1)
    }

    /// The same bytes of an SM, which several blocks may share.
    fn beside_cache(&self) -> usize {
        self.shared_per_sm - self.shared_per_sm / CACHE
    }

    /// Blocks with so many bytes of shared memory that an SM has room for.
    pub(crate) fn blocks_of(&self, shared_bytes: usize) -> usize {
        if shared_bytes > self.shared_per_block {
            return 0;
        }
        (self.shared_per_sm / (shared_bytes + self.shared_reserved).max(1)).min(self.blocks_per_sm)
    }

    /// Blocks that the device holds at once, if each has the usual threads: a wave.
    pub(crate) fn wave(&self) -> usize {
        self.sms * (self.threads_per_sm / self.usual_threads()).min(self.blocks_per_sm).max(1)
    }

    /// Blocks of the usual size for which there are registers at once, in `f32`.
    pub(crate) fn registers_wave(&self) -> usize {
        self.sms * self.usual_blocks(Precision::F32)
    }

    /// Whether, over all rounds of one block an SM, three of four SMs have one: then more and
    /// smaller blocks would not end much sooner.
    pub(crate) fn fills(&self, blocks: usize) -> bool {
        4 * blocks >= 3 * blocks.next_multiple_of(self.sms.max(1))
    }

    /// Whether so many blocks at once draw all that memory gives.
    pub(crate) fn saturates(&self, blocks: usize) -> bool {
        SATURATING * blocks >= self.sms
    }

    /// Whether a tenth more of them would.
    pub(crate) fn nearly_saturates(&self, blocks: usize) -> bool {
        self.saturates(blocks + blocks / 10)
    }

    /// How much longer blocks take than enough of them, as each of their threads has so many rounds
    /// of butterflies: as long as the SMs without a block let memory idle, but no longer than the
    /// rounds.
    fn slower(&self, blocks: usize, butterflies: usize) -> f64 {
        let rounds = butterflies.div_ceil(2 * self.usual_threads());
        (self.sms as f64 / (SATURATING * blocks.max(1)) as f64).min(rounds as f64).max(1.0)
    }

    /// Whether so few blocks have so many butterflies each that two trips by more blocks are
    /// faster.
    pub(crate) fn spreads(&self, blocks: usize, butterflies: usize) -> bool {
        self.slower(blocks, butterflies) >= TWO_TRIPS
    }

    /// Whether a few lines of so many numbers are better in two kernels with small butterflies: large ones
    /// leave most SMs' threads without one. (On an H200 `dct2 f32 262144` 11.9 to 9.3 µs.)
    pub(crate) fn has_few_threads(&self, lines: usize, elements: usize) -> bool {
        let large = lines.saturating_mul(elements) / LARGE;
        self.spreads(lines, elements / SMALL) && IDLE * large <= self.sms * self.usual_threads()
    }

    /// Trips that kernels take together.
    pub(crate) fn trips(&self, kernels: &[KernelDesc]) -> f64 {
        kernels.iter().map(|desc| self.trips_of(desc)).sum()
    }

    fn trips_of(&self, desc: &KernelDesc) -> f64 {
        // Passes along several axes touch fewer sectors than other trips would, or a cache has the arrays.
        let short = desc.has_runs() && desc.next.is_none() && !self.has_at_once(desc);
        let run = if short { desc.contiguous_bytes().min(self.long_run()) } else { self.long_run() };
        self.waste(run) * self.slower(desc.blocks(), desc.butterflies()[1])
    }

    /// Whether a kernel takes less long than two whose runs are as long as there are neighbours.
    pub(crate) fn takes_one_trip(&self, desc: &KernelDesc) -> bool {
        let run = if desc.has_runs() { desc.most_contiguous_bytes(self.long_run()) } else { self.long_run() };
        self.trips_of(desc) < TWO_TRIPS * self.waste(run)
    }
}

/// 32-bit words of a complex number.
fn words(precision: Precision) -> usize {
    2 * precision.bytes() / Precision::F32.bytes()
}

/// Registers of a thread beside those of the numbers that it holds, if a complex one has so many words.
fn registers_beside(inverse: bool, words: usize) -> usize {
    NEEDED * if inverse { words / 2 } else { 1 }
}

/// Registers that the compiler takes for a thread with passes along several axes, if it may.
fn fused_registers<'a>(passes: impl Iterator<Item = &'a KernelDesc>) -> usize {
    let taken = |pass: &KernelDesc| {
        let registers = words(pass.precision()) * pass.numbers() + OTHERS * pass.largest_radix();
        registers.max(REGISTERS * pass.precision().bytes())
    };
    passes.map(taken).max().unwrap_or(1)
}

/// Registers that a thread with such passes needs, if one of them convolves a digit: numbers of its spectrum may be in
/// registers, too.
fn convolving_registers<'a>(passes: impl Iterator<Item = &'a KernelDesc> + Clone) -> Option<usize> {
    let taken = |pass: &KernelDesc| Some((words(pass.precision()) + OTHERS + 2) * pass.convolving_radix()?);
    Some(passes.clone().filter_map(taken).max()?.max(fused_registers(passes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::registry::backend;
    use crate::limits::Api;
    use fourfold::Precision::{F32, F64};

    fn known(api: Api, name: &str) -> DeviceAttributes {
        backend(api).known(name).unwrap().attributes
    }

    fn h200() -> DeviceAttributes {
        known(Api::ALL[0], "sm_90")
    }

    #[test]
    fn an_h200_has_threads_and_blocks_as_measured() {
        let device = h200();
        assert_eq!([F32, F64].map(|precision| device.most_threads(16, precision)), [1024, 512]);
        assert_eq!([F32, F64].map(|precision| device.usual_blocks(precision)), [4, 2]);
        assert_eq!((device.usual_threads(), device.wave() / device.sms), (256, 8));
        assert_eq!([device.long_run(), device.short_run(), device.least_run()], [128, 64, 32]);
    }

    /// 128 registers a thread are two blocks of 256; 22 complex numbers of `f64` take 88, and 40 are beside them.
    #[test]
    fn registers_hold_two_blocks_on_the_way_back() {
        let largest = |precision, inverse| h200().largest_of_ranges(precision, inverse);
        assert_eq!([F64, F32].map(|precision| largest(precision, true)), [22, LARGEST]);
        assert_eq!([F64, F32].map(|precision| largest(precision, false)), [LARGEST; 2]);
    }

    #[test]
    fn half_of_a_thread_s_registers_hold_a_butterfly() {
        let [cuda, other] = Api::ALL;
        let largest = |api, name| [F32, F64].map(|precision| known(api, name).largest_prime(precision));
        assert_eq!(largest(cuda, "sm_90"), [61, 31]);
        assert_eq!(largest(other, "mi300x"), [61, 31]);
        assert_eq!(largest(other, "arc-a770"), [31, 31]);
        assert_eq!(largest(other, "mali-g710"), [31, 31]);
    }

    /// 65,536 registers are 18 warps with 112 each, but 16 if each scheduler has equally many.
    #[test]
    fn registers_are_divided_among_schedulers() {
        let device = h200();
        let blocks = |[registers, threads]: [usize; 2]| device.blocks_with_registers(registers, threads);
        assert_eq!([[112, 32], [112, 128], [80, 256], [56, 512], [40, 512]].map(blocks), [16, 4, 3, 2, 3]);
    }

    /// Of 228 KiB, the system takes one for each block.
    #[test]
    fn reserved_bytes_count_for_each_block() {
        let device = h200();
        assert_eq!([1, 2, 4].map(|blocks| device.shared_of(blocks) >> 10), [227, 113, 56]);
        for blocks in 1..=4 {
            let bytes = device.shared_of(blocks);
            assert_eq!(device.blocks_of(bytes), blocks);
            assert!(device.blocks_of(bytes + 1024) < blocks);
        }
        assert_eq!(device.blocks_of(0), 32, "no more than an SM holds");
    }

    #[test]
    fn runs_below_a_sector_and_idle_sms_cost_trips() {
        let device = h200();
        assert_eq!([8, 16, 32, 40, 64, 128].map(|run| device.waste(run)), [4.0, 2.0, 1.0, 1.6, 1.0, 1.0]);
        // 66 blocks of 132 SMs draw what memory gives, 22 a third of it; one takes its rounds.
        assert_eq!([66, 22, 1].map(|blocks| device.slower(blocks, 1 << 12)), [1.0, 3.0, 8.0]);
        assert_eq!(device.slower(1, 512), 1.0, "one round takes the time of one");
        assert!(device.spreads(33, 1024) && !device.spreads(34, 1024) && !device.spreads(1, 512));
        assert!(device.fills(99) && !device.fills(98) && !device.fills(140));
        assert_eq!(device.shared_beside_cache() >> 10, 199, "28 KiB are for the first-level cache");
        assert!(device.nearly_saturates(60) && !device.nearly_saturates(59) && !device.saturates(65));
    }

    #[test]
    fn other_devices_have_sizes_of_their_own() {
        let [cuda, other] = Api::ALL;
        let sizes = |api, name| {
            let device = known(api, name);
            [device.usual_threads(), device.most_threads(16, F32), device.short_run(), device.shared_of(2) >> 10]
        };
        assert_eq!(sizes(cuda, "sm_89"), [256, 1024, 64, 49]);
        assert_eq!(sizes(other, "mi300x"), [512, 1024, 64, 32]);
        assert_eq!(sizes(other, "arc-a770"), [256, 1024, 64, 32]);
        assert_eq!(sizes(other, "mali-g710"), [256, 1024, 64, 16]);
    }
}
