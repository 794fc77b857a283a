//! Kernels of lines that are convolved as a whole: the first ranges of digits there, the last one
//! there and back, and the first ones back.

use crate::attributes::DeviceAttributes;
use crate::choose::cost::RESIDENT;
use crate::choose::digit_ranges::{MOST_KERNELS, with_ports};
use crate::choose::radices::{LARGE, radices, smooth};
use crate::desc::choice::Size;
use crate::desc::kernel::{DigitRange, KernelDesc};
use fourfold::Precision;
use fourfold::engine::convolution_length;
use std::ops::RangeInclusive;

/// For so many bytes of a buffer, one is padding.
const PADDED: usize = 16;

/// Odd factors of the lengths of convolutions are below this. Their multiples by powers of two are at most 5 % apart.
const ODD_FACTORS: usize = 1 << 10;

/// A length of two ranges, and one of three, is worth other radices if it is less by one of so many parts.
const SHORTER: [usize; 2] = [16, 32];

/// The largest prime factor of the lengths of convolutions.
const LARGEST_FACTOR: usize = 7;

/// Of lengths that are at most one of so many parts longer than the shortest, the one with the fewest stages is best.
const NEAR: usize = 16;

/// The ranges of digits of a convolved line.
pub(crate) struct ConvolutionRanges {
    /// The radices of each.
    pub(crate) digits: Vec<Vec<usize>>,
    /// Whether clusters of blocks have the first one.
    pub(crate) clustered: bool,
}

fn stages(lengths: &[usize]) -> usize {
    lengths.iter().map(|length| radices(*length).len()).sum()
}

impl DeviceAttributes {
    /// The lengths of ranges of a line of `least` numbers or a few more. They are those of the core's length, or of one
    /// that is shorter by the part that [`SHORTER`] names. That is the shortest one that has no more stages, and no fewer
    /// blocks on an SM. `wanted`: so many ranges, if they fit. (On an H200 `dht f64 8672621` 684 to 636 µs, `dst3 f64
    /// 17656559` 1319 to 1266, `dht f64 7116847` 504 to 464. With lengths that were shorter by less, 26 lines took 0.90
    /// to 1.11 of the time. With larger blocks, which leave too little to the first-level cache, `dst1 f64 6782683` 486
    /// to 588.)
    ///
    /// If blocks of the core's length do not share an SM in two ranges, those of a shorter one may, beside that cache.
    /// (`dct3 f32 10679871` 429 to 394, `dst2 f32 8544598` 330 to 284. Without room for the cache `dst3 f32 13505405` 518
    /// to 570. In `f64`, where a block has all threads that registers hold, seven lines took 0.99 to 1.25 of the time.)
    pub(crate) fn convolution_ranges(
        &self,
        least: usize,
        places: [usize; 2],
        precision: Precision,
        wanted: Option<usize>,
        across: bool,
    ) -> Option<Vec<usize>> {
        let usual = convolution_length(least);
        let odd = (1..ODD_FACTORS).step_by(2).filter(|&odd| smooth(odd, LARGEST_FACTOR) == odd);
        let mut rooms: Vec<usize> = odd.map(|odd| odd * least.div_ceil(odd).next_power_of_two()).collect();
        rooms.sort_unstable();
        let with = |counts: RangeInclusive<usize>| self.range_lengths(usual, places, precision, counts, across);
        let shared = |room: usize| self.shared_ranges(room, places, precision);
        let beside_cache = |lengths: &Vec<usize>| {
            self.blocks_beside_cache(block_bytes(lengths, places)[0]) >= RESIDENT
                && self.usual_blocks(precision) > RESIDENT
        };
        let shorter =
            || rooms.iter().take_while(|room| **room < usual).filter_map(|room| shared(*room)).find(beside_cache);
        let ranges = wanted
            .and_then(|count| with(count..=count))
            .or_else(|| shared(usual))
            .or_else(shorter)
            .or_else(|| with(2..=MOST_KERNELS))?;
        let most = |lengths: &Vec<usize>| block_bytes(lengths, places).into_iter().max();
        let on_sm = |bytes: usize| [self.blocks_of(bytes), self.blocks_beside_cache(bytes)];
        let blocks = |lengths: &Vec<usize>| block_bytes(lengths, places).map(on_sm).concat();
        let (few_stages, few_blocks) = (stages(&ranges), blocks(&ranges));
        let has_as_many = |other: &Vec<usize>| blocks(other).into_iter().zip(&few_blocks).all(|(a, b)| a >= *b);
        let is_as_fast = |other: &Vec<usize>| has_as_many(other) && stages(other) <= few_stages;
        let longest = usual - usual / SHORTER[usize::from(ranges.len() == MOST_KERNELS)];
        let fewer = rooms.into_iter().take_while(|room| *room <= longest);
        let other = |room: usize| splits(room, ranges.len()).into_iter().filter(is_as_fast).min_by_key(most);
        Some(fewer.filter_map(other).next().unwrap_or(ranges))
    }

    /// Two ranges of a line of `least` numbers or a few more, of which clusters have the first one: three digits, the first
    /// of which is across the cluster. On an H200 these are up to 4096 numbers, instead of 1536 in one block, so that
    /// longer lines take three kernels instead of five. Blocks of the last range leave room for the first-level cache and
    /// another block, or in `f32` have all threads that registers hold. (`dct3 f32 15754861` 607 to 479 µs,
    /// `dct2 f64 9042391` 629 to 562, `dct2 f32 60684089` 2028 to 1850. With such a block in `f64`,
    /// `dct3 f64 26924082` took 1343 to 1489. With four digits in clusters, `dct3 f32 15754861` took 523.)
    pub(crate) fn clustered_ranges(&self, least: usize, precision: Precision) -> Option<ConvolutionRanges> {
        let is_smooth = |n: usize| smooth(n, LARGEST_FACTOR) == n;
        let lead = 2 * self.cluster;
        if self.cluster == 1 || lead > LARGE {
            return None;
        }
        let digits = || (2..=LARGE).rev().filter(|&radix| is_smooth(radix));
        let firsts = digits().flat_map(|second| {
            digits().filter(move |&third| third <= second).map(move |third| vec![lead, second, third])
        });
        let firsts: Vec<Vec<usize>> = firsts.collect();
        let fits = |length: usize| {
            let bytes = 2 * precision.bytes() * length;
            let bytes = bytes + bytes / PADDED;
            match self.usual_blocks(precision) > RESIDENT {
                true => self.blocks_of(bytes) > 0,
                false => self.blocks_beside_cache(bytes) >= RESIDENT,
            }
        };
        let lasts: Vec<usize> = (2..).take_while(|&length| fits(length)).filter(|&length| is_smooth(length)).collect();
        let of = |first: &Vec<usize>| -> usize { first.iter().product() };
        let with = |first| lasts.iter().map(move |&last| (first, last));
        let pairs = || firsts.iter().flat_map(with).filter(|(first, last)| of(first) * last >= least);
        let shortest = pairs().map(|(first, last)| of(first) * last).min()?;
        let near = pairs().filter(|(first, last)| of(first) * last <= shortest + shortest / NEAR);
        let with_digits = near.map(|(first, last)| [first.clone(), radices(last)]);
        let cost = |[first, last]: &[Vec<usize>; 2]| (last.len(), of(first).max(of(last)), of(first) * of(last));
        let digits = with_digits.min_by_key(cost)?.to_vec();
        Some(ConvolutionRanges { digits, clustered: true })
    }

    /// Whether clusters are better than ranges of these lengths: these are three, or in `f32` blocks of the last one leave no
    /// room for another one and the first-level cache. (On an H200 `dht f32 15149866` 362 to 326 µs, `dct3 f32 10679871`
    /// 352 to 321, `dct2 f32 8000009` 247 to 258. In `f64`, of four lines whose ranges are two, clusters took 0.94 to 1.05.)
    pub(crate) fn prefers_clusters(&self, lengths: &[usize], places: [usize; 2], precision: Precision) -> bool {
        let fills = || self.blocks_beside_cache(block_bytes(lengths, places)[1]) < RESIDENT;
        lengths.len() == MOST_KERNELS || self.usual_blocks(precision) > RESIDENT && fills()
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
        let bytes = |lengths: &Vec<usize>| block_bytes(lengths, places);
        let most = |lengths: &Vec<usize>| bytes(lengths).into_iter().max();
        let fitting = |count: usize, blocks: [usize; 2]| self.fitting(splits(room, count), places, blocks);
        let least = |all: Vec<Vec<usize>>| all.into_iter().min_by_key(most);
        let usual = self.usual_blocks(precision);
        let leaves_cache = |lengths: &Vec<usize>| bytes(lengths)[0] <= self.shared_beside_cache();
        let last_shares =
            || least(fitting(2, [1, RESIDENT])).filter(|lengths| usual <= RESIDENT && leaves_cache(lengths));
        let one_block = |count: usize| least(fitting(count, [1; 2])).filter(|_| counts.contains(&count));
        let two = || self.shared_ranges(room, places, precision).or_else(last_shares);
        let two = counts.contains(&2).then(two).flatten();
        let [first, second] = if across { [2, 3] } else { [3, 2] };
        two.or_else(|| one_block(first)).or_else(|| one_block(second))
    }

    /// The lengths of two ranges of which blocks share an SM.
    fn shared_ranges(&self, room: usize, places: [usize; 2], precision: Precision) -> Option<Vec<usize>> {
        let most = |lengths: &Vec<usize>| block_bytes(lengths, places).into_iter().max();
        let all = self.fitting(splits(room, 2), places, [RESIDENT; 2]);
        let usual = self.usual_blocks(precision);
        let few = most(all.iter().min_by_key(|lengths| most(lengths))?)
            .is_some_and(|bytes| self.blocks_of(bytes) <= RESIDENT * usual);
        all.into_iter().min_by_key(|lengths| (if few { stages(lengths) } else { 0 }, most(lengths)))
    }

    /// Those of which an SM has room for so many blocks: of the longest range but the last, and of the last.
    fn fitting(&self, all: Vec<Vec<usize>>, places: [usize; 2], blocks: [usize; 2]) -> Vec<Vec<usize>> {
        let fits = |bytes: [usize; 2]| bytes.into_iter().zip(blocks).all(|(bytes, n)| bytes < self.shared_of(n));
        all.into_iter().filter(|lengths| fits(block_bytes(lengths, places))).collect()
    }
}

/// Bytes of a block of the longest range but the last, and of one of the last.
fn block_bytes(lengths: &[usize], places: [usize; 2]) -> [usize; 2] {
    let (end, others) = lengths.split_last().expect("two or three ranges");
    let bytes = [others.iter().max().map_or(0, |length| length * places[0]), end * places[1]];
    bytes.map(|bytes| bytes + bytes / PADDED)
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
    /// The kernels of these ranges, if they fit the device.
    pub(crate) fn convolution_kernels(
        mut self,
        device: &DeviceAttributes,
        ranges: &ConvolutionRanges,
        size: Size,
    ) -> Option<Vec<KernelDesc>> {
        let (digits, clustered) = (&ranges.digits, ranges.clustered);
        self.across &= self.lines > 1;
        self = self.with_first_padding(device).with_near_lines(device);
        let end = |count: usize| digits[..count].iter().map(Vec::len).sum();
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
            let desc = KernelDesc { stages, range, ..self.clone() };
            if !clustered || range.first > 0 {
                return desc.tiled(device, size);
            }
            let inverse = desc.stages.last().is_some_and(|stage| stage.to.chirped().is_some());
            KernelDesc { inverse, ..desc }.clustered(device, size)
        };
        kernels.map(kernel).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::registry::backend;
    use crate::limits::Api;

    /// The lines of `dct3 f32 10679871` and `dst2 f32 8544598`. Those of `dst3 f32 13505405` would have blocks that leave
    /// no room for the cache.
    #[test]
    fn lengths_are_such_that_blocks_share_an_sm() {
        let device = backend(Api::ALL[0]).known("sm_90").unwrap().attributes;
        for (least, usual, count) in [(16_019_806, 1 << 24, 2), (8_544_597, 9 << 20, 2), (20_258_107, 5 << 22, 3)] {
            let ranges = device.convolution_ranges(least, [64, 8], Precision::F32, None, false).unwrap();
            let length: usize = ranges.iter().product();
            assert!(
                convolution_length(least) == usual && ranges.len() == count,
                "{least}: {}, {ranges:?}",
                convolution_length(least)
            );
            assert!((least..=usual).contains(&length) && (count == 3 || length < usual), "{least}: {ranges:?}");
        }
    }

    /// The lines of `dht f64 8672621`, `dht f64 7116847`, `dct3 f64 60909179` and `dht f64 5019587`; and of `dst1 f64
    /// 6782683`, where a shorter length would have larger blocks.
    #[test]
    fn lengths_are_short_where_blocks_are_as_many() {
        let device = backend(Api::ALL[0]).known("sm_90").unwrap().attributes;
        let places = [64, 16];
        let ranges = |least| device.convolution_ranges(least, places, Precision::F64, None, false).unwrap();
        for (least, length, count) in [
            (13_008_932, 25 << 19, 3),
            (10_675_271, 21 << 19, 2),
            (91_363_769, 175 << 19, 3),
            (7_529_106, 15 << 19, 2),
            (10_174_025, 5 << 21, 2),
        ] {
            let ranges = ranges(least);
            assert_eq!((ranges.iter().product(), ranges.len()), (length, count), "{least}: {ranges:?}");
        }
        for least in (1 << 18..1 << 24).step_by(99_991) {
            let (own, usual) = (ranges(least), convolution_length(least));
            let others = device.range_lengths(usual, places, Precision::F64, 2..=MOST_KERNELS, false).unwrap();
            let blocks = |lengths: &[usize]| block_bytes(lengths, places).map(|bytes| device.blocks_of(bytes));
            let as_many = blocks(&own).into_iter().zip(blocks(&others)).all(|(a, b)| a >= b);
            assert!(own.iter().product::<usize>() >= least, "{least}: {own:?}");
            assert!(as_many && stages(&own) <= stages(&others), "{least}: {own:?} instead of {others:?}");
        }
    }

    /// The lines of `dct2 f64 9042391`, `dct2 f32 60684089`, `dct4 f64 9446321` and `dct3 f32 10679871`. The last range of
    /// `dct2 f64 31178237` would have one block on an SM.
    #[test]
    fn clusters_have_three_digits_and_blocks_the_others() {
        let device = backend(Api::ALL[0]).known("sm_90").unwrap().attributes;
        for (least, precision, wanted) in [
            (13_563_586, Precision::F64, Some([vec![16, 16, 15], vec![16, 16, 14]])),
            (91_026_133, Precision::F32, Some([vec![16, 16, 16], vec![16, 14, 10, 10]])),
            (14_169_481, Precision::F64, Some([vec![16, 16, 15], vec![16, 16, 15]])),
            (16_019_806, Precision::F32, Some([vec![16; 3], vec![16; 3]])),
            (46_767_355, Precision::F64, None),
        ] {
            let ranges = device.clustered_ranges(least, precision);
            assert_eq!(ranges.map(|ranges| ranges.digits), wanted.map(|digits| digits.to_vec()), "{least}");
        }
        let none = backend(Api::ALL[0]).known("sm_80").unwrap().attributes;
        assert!(none.clustered_ranges(13_563_586, Precision::F64).is_none(), "a device without clusters");
    }

    /// Ranges of lines that two kernels there and back would take, three, and two in `f64`.
    #[test]
    fn clusters_are_for_lines_that_need_five_kernels_or_large_blocks() {
        let device = backend(Api::ALL[0]).known("sm_90").unwrap().attributes;
        for (lengths, bytes, precision, wanted) in [
            (vec![1280, 12288], 8, Precision::F32, true),
            (vec![960, 7680], 8, Precision::F32, false),
            (vec![1280, 6144], 16, Precision::F64, false),
            (vec![256, 192, 72], 16, Precision::F64, true),
        ] {
            assert_eq!(device.prefers_clusters(&lengths, [64, bytes], precision), wanted, "{lengths:?}");
        }
    }
}
