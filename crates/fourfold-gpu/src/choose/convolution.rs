//! Kernels of lines that are convolved as a whole: the first ranges of digits there, the last one
//! there and back, and the first ones back.

use crate::attributes::DeviceAttributes;
use crate::choose::cost::RESIDENT;
use crate::choose::digit_ranges::with_ports;
use crate::choose::radices::radices;
use crate::desc::choice::Size;
use crate::desc::kernel::{DigitRange, KernelDesc};

/// For so many bytes of a buffer, one is padding.
const PADDED: usize = 16;

impl DeviceAttributes {
    /// The lengths of two or three ranges of digits of a line of `room` numbers, which fit shared
    /// memory, if there are any: those with the fewest stages there and back, and of these those that need
    /// the least of it. `places` are the bytes for each place of a range but the last, whose sublines stand
    /// side by side, and of the last.
    pub(crate) fn range_lengths(&self, room: usize, [first, last]: [usize; 2]) -> Option<Vec<usize>> {
        let bytes = |lengths: &Vec<usize>| {
            let (end, others) = lengths.split_last().expect("two or three ranges");
            others.iter().map(|length| length * first).chain([end * last]).max()
        };
        let fits = |lengths: &Vec<usize>, blocks: usize| {
            bytes(lengths).is_some_and(|bytes| bytes + bytes / PADDED < self.shared_of(blocks))
        };
        let stages = |lengths: &Vec<usize>| lengths.iter().map(|length| radices(*length).len()).sum::<usize>();
        let least = |all: Vec<Vec<usize>>, blocks| {
            all.into_iter().filter(|l| fits(l, blocks)).min_by_key(|lengths| (stages(lengths), bytes(lengths)))
        };
        let two = || splits(room, 2);
        least(two(), RESIDENT).or_else(|| least(two(), 1)).or_else(|| least(splits(room, 3), 1))
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
        self = self.with_first_padding(device);
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
