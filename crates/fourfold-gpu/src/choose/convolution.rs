//! Kernels of lines that are convolved as a whole: the first ranges of digits there, the last one
//! there and back, and the first ones back.

use crate::attributes::DeviceAttributes;
use crate::choose::cost::RESIDENT;
use crate::choose::digit_ranges::{MOST_KERNELS, with_ports};
use crate::choose::radices::radices;
use crate::desc::choice::Size;
use crate::desc::kernel::{DigitRange, KernelDesc};
use fourfold::Precision;
use fourfold::engine::convolution_length;
use std::ops::RangeInclusive;

/// For so many bytes of a buffer, one is padding.
const PADDED: usize = 16;

/// Odd factors of the lengths of convolutions, whose multiples by powers of two are at most 7 % apart.
const ODD_FACTORS: [usize; 22] =
    [1, 3, 5, 7, 9, 15, 21, 25, 27, 35, 45, 49, 63, 75, 81, 105, 125, 135, 147, 175, 189, 225];

fn stages(lengths: &[usize]) -> usize {
    lengths.iter().map(|length| radices(*length).len()).sum()
}

impl DeviceAttributes {
    /// The lengths of ranges of a line of `least` numbers or a few more. Two are those of the core's length; three
    /// are of the shortest length with no more stages. (How two fit counts more than what they have: on an H200
    /// `dst4 f64 10620131` took 986 instead of 809 µs with 2 % fewer numbers.) `wanted`: so many, if they fit.
    pub(crate) fn convolution_ranges(
        &self,
        least: usize,
        places: [usize; 2],
        precision: Precision,
        wanted: Option<usize>,
        across: bool,
    ) -> Option<Vec<usize>> {
        let usual = convolution_length(least);
        let lengths = |room, counts| self.range_lengths(room, places, precision, counts, across);
        let with = |counts: RangeInclusive<usize>| Some((lengths(usual, counts.clone())?, counts));
        let (ranges, counts) = wanted.and_then(|count| with(count..=count)).or_else(|| with(2..=MOST_KERNELS))?;
        if ranges.len() < MOST_KERNELS {
            return Some(ranges);
        }
        let mut rooms = ODD_FACTORS.map(|odd| odd * least.div_ceil(odd).next_power_of_two());
        rooms.sort_unstable();
        let fewer = rooms.into_iter().take_while(|room| *room < usual);
        let mut others = fewer.filter_map(|room| lengths(room, counts.clone()));
        let is_as_fast = |other: &Vec<usize>| other.len() == ranges.len() && stages(other) <= stages(&ranges);
        Some(others.find(is_as_fast).unwrap_or(ranges))
    }

    /// The lengths of two or three ranges of digits of a line of `room` numbers, which fit shared memory, if there
    /// are any. Best are two of which blocks share an SM. Next, where one block has all threads that registers hold,
    /// are two of which blocks of the last one share it; then three, and then two; but of lines across two before three.
    /// Of these, those that need the least memory; but those with the fewest stages, where an SM has few blocks.
    /// (On an H200 `dst1 f32 1235159` 55 to 46 µs, `dct4 f64 4172417` 372 to 324. With three instead of two
    /// `dst4 f32 60641312` 2437 to 1495, but `dct1 f32 362880x48` 732 to 857. With three instead of two of which the
    /// first one takes 217 KiB, `dst4 f64 12202457` 1074 to 952; of 181 KiB, `dht f64 9862245` 697 to 741.)
    ///
    /// `places` are the bytes for each place of a range but the last, whose sublines stand side by side, and of the
    /// last.
    fn range_lengths(
        &self,
        room: usize,
        places: [usize; 2],
        precision: Precision,
        counts: RangeInclusive<usize>,
        across: bool,
    ) -> Option<Vec<usize>> {
        let bytes = |lengths: &Vec<usize>| {
            let (end, others) = lengths.split_last().expect("two or three ranges");
            let bytes = [others.iter().max().map_or(0, |length| length * places[0]), end * places[1]];
            bytes.map(|bytes| bytes + bytes / PADDED)
        };
        let most = |lengths: &Vec<usize>| bytes(lengths).into_iter().max();
        let fitting = |all: Vec<Vec<usize>>, blocks: [usize; 2]| {
            let fits = |bytes: [usize; 2]| bytes.into_iter().zip(blocks).all(|(bytes, n)| bytes < self.shared_of(n));
            all.into_iter().filter(|lengths| fits(bytes(lengths))).collect::<Vec<_>>()
        };
        let least = |all: Vec<Vec<usize>>| all.into_iter().min_by_key(most);
        let usual = self.usual_blocks(precision);
        let shared = || {
            let all = fitting(splits(room, 2), [RESIDENT; 2]);
            let few = most(all.iter().min_by_key(|lengths| most(lengths))?)
                .is_some_and(|b| self.blocks_of(b) <= RESIDENT * usual);
            all.into_iter().min_by_key(|lengths| (if few { stages(lengths) } else { 0 }, most(lengths)))
        };
        let leaves_cache = |lengths: &Vec<usize>| bytes(lengths)[0] <= self.shared_beside_cache();
        let last_shares = || {
            let all = fitting(splits(room, 2), [1, RESIDENT]);
            least(all).filter(|lengths| usual <= RESIDENT && leaves_cache(lengths))
        };
        let one_block = |count: usize| least(fitting(splits(room, count), [1; 2])).filter(|_| counts.contains(&count));
        let two = counts.contains(&2).then(|| shared().or_else(last_shares)).flatten();
        let [first, second] = if across { [2, 3] } else { [3, 2] };
        two.or_else(|| one_block(first)).or_else(|| one_block(second))
    }
}

/// All ways to write n as so many factors above 1.
fn splits(n: usize, count: usize) -> Vec<Vec<usize>> {
    if count == 1 {
        return vec![vec![n]];
    }
    let divisors = (2..=n.isqrt()).filter(|d| n % d == 0).flat_map(|d| [d, n / d]).filter(|d| *d < n);
    let divisors = std::collections::BTreeSet::from_iter(divisors);
    let with = |d: usize| splits(n / d, count - 1).into_iter().map(move |rest| [&[d], &*rest].concat());
    divisors.into_iter().flat_map(with).collect()
}

impl KernelDesc {
    /// The kernels of ranges of so many digits, if they fit the device.
    pub(crate) fn convolution_kernels(
        mut self,
        device: &DeviceAttributes,
        digits: &[usize],
        size: Size,
    ) -> Option<Vec<KernelDesc>> {
        self.across &= self.lines > 1;
        self = self.with_first_padding(device).with_near_lines(device);
        let end = |count: usize| digits[..count].iter().sum();
        let ranges = (0..digits.len()).map(|i| DigitRange { first: end(i), last: end(i + 1) });
        let ranges: Vec<DigitRange> = ranges.collect();
        // The stage of the last digit leads there and back.
        let turn = self.digits.len() - 1;
        let back = |digit: usize| 2 * turn - digit;
        let (last, others) = ranges.split_last()?;
        let there = others.iter().map(|range| (*range, range.first..range.last));
        let both = (*last, last.first..back(last.first) + 1);
        let then = others.iter().rev().map(|range| (*range, back(range.last - 1)..back(range.first) + 1));
        let kernels = there.chain([both]).chain(then);
        let kernel = |(range, stages): (DigitRange, std::ops::Range<usize>)| {
            let stages = with_ports(&self.stages, stages);
            KernelDesc { stages, range, ..self.clone() }.tiled(device, size)
        };
        kernels.map(kernel).collect()
    }
}
