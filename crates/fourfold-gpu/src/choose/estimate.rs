//! What may be chosen of a pass, with no change of its results but in rounding: estimated here, or
//! found by measuring.

use crate::attributes::DeviceAttributes;
use crate::choose::cost::RESIDENT;
use crate::choose::digit_ranges::{DIGITS, MOST_KERNELS};
use crate::choose::radices::{
    LARGEST, gpu_factors, is_radix, radices, radices_of_ranges, small_radices, smooth, two_ranges,
};
use crate::desc::choice::{AxisFusion, NAMES, Size};
use crate::desc::geometry::Array;
use crate::desc::geometry::Geometry;
use crate::desc::kernel::Packing;
use crate::error::argument;
use fourfold::engine::{AxisRecipe, Data, QUARTERS, Transform1d, dft_of, quarter_length};
use fourfold::{Error, ErrorKind, Precision, Result, Storage};
use std::fmt;
use std::str::FromStr;

/// Reals of a line that is short.
const SHORT: usize = 256;

/// How the lines of a pass are done. Prints, and parses back: `lines 16 8 8 tile 8 threads 256`, or
/// `lines 8 8 joined` where it is one kernel with the pass before it, `joined 1` with the first one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Choice {
    pub(crate) packing: Packing,
    /// Those of the butterflies, in the order of the digits.
    pub(crate) radices: Vec<usize>,
    /// Whether the blocks of a cluster have columns together; they are half as many as the first
    /// radix. Of lines that are convolved as a whole, whether they have the first range of digits, however many kernels
    /// are chosen.
    pub(crate) clustered: bool,
    pub(crate) size: Size,
    pub(crate) axis_fusion: AxisFusion,
}

/// The lines of which something is chosen.
pub(crate) struct Lines<'a> {
    pub(crate) line: &'a AxisRecipe,
    /// The type of reals in the arrays.
    pub(crate) storage: Storage,
    pub(crate) arrays: [&'a Array; 2],
    pub(crate) axis: usize,
    /// The axis on which two lines may be packed as one.
    pub(crate) neighbours: Option<usize>,
    /// Whether a kernel also transforms them back.
    pub(crate) filters: bool,
}

impl Lines<'_> {
    /// Where they lie, packed like this.
    pub(crate) fn geometry(&self, packing: Packing) -> Geometry {
        let pair = self.neighbours.filter(|_| packing == Packing::TwoForOne);
        Geometry::new(self.axis, pair, self.arrays[0], self.arrays[1])
    }

    /// The data of the DFT, its length, and how many of these a line has.
    pub(crate) fn dft(&self) -> (Data, usize, usize) {
        let (transform, n) = (self.line.transform.transform1d, self.line.transform.n);
        let (data, len) = dft_of(transform, n);
        quarter_length(transform, n).map_or((data, len, 1), |quarter| (data, quarter, QUARTERS))
    }

    /// All ways to pack them.
    pub(crate) fn packings(&self) -> Vec<Packing> {
        let (data, len, count) = self.dft();
        match data {
            Data::Complex | Data::ComplexBackward => vec![Packing::Complex],
            _ => {
                let real = match len % 2 {
                    0 => Packing::HalfLength,
                    _ if count > 1 => Packing::Quarters,
                    _ => Packing::Single,
                };
                self.neighbours.map(|_| Packing::TwoForOne).into_iter().chain([real]).collect()
            }
        }
    }

    /// Complex DFTs of a line.
    pub(crate) fn dfts(&self, packing: Packing) -> usize {
        if self.dft().2 == QUARTERS { packing.quarters() } else { 1 }
    }

    /// The complex elements of one of a line's DFTs.
    pub(crate) fn elements(&self, packing: Packing) -> usize {
        packing.elements(self.dft().1)
    }

    /// The product of the butterflies of one of a line's DFTs, of `elements` elements. Large ones take
    /// long, and a warp takes as long as a thread: they are worth it where every SM has several warps of
    /// them. (On an H200, `dct2 f32 610x1220` with 6100 of 61 a pass took 1.6 times as long, and `dst1 f32
    /// 487x356x10` with 10680 took 0.6.)
    pub(crate) fn smooth(&self, packing: Packing, elements: usize, device: &DeviceAttributes) -> usize {
        let all = self.geometry(packing).lines().saturating_mul(self.dfts(packing) * elements);
        let most = (all / (RESIDENT * device.sms * device.warp)).max(LARGEST);
        smooth(elements, device.largest_prime(self.storage.precision()).min(most))
    }

    /// Whether no digit of these is convolved.
    pub(crate) fn is_smooth(&self, packing: Packing, device: &DeviceAttributes) -> bool {
        let elements = self.elements(packing);
        self.smooth(packing, elements, device) == elements
    }

    /// Two lines as one, if they are neighbours that may be. Half-length, as pairs of neighbouring
    /// reals, of which there are twice as many: lines of three DFTs, which measured faster so; long columns, if
    /// clusters of them would leave SMs without a block or exchange once more ([`Lines::clusters_save_exchange`]), and
    /// columns of an odd number ([`Lines::leaves_half`]);
    /// columns of one block where that takes a stage less and there are many, but
    /// types III and filters in f32; lines along memory where that takes a stage less or where shared memory
    /// has no room for two blocks otherwise, or where half as many blocks would leave SMs without
    /// one, and short ones in f64, which measured faster so.
    fn packing(&self, device: &DeviceAttributes) -> Packing {
        let (data, len, count) = self.dft();
        let stages = |packing: Packing, len: usize| gpu_factors(len, &radices(self.smooth(packing, len, device))).len();
        let shorter = || stages(Packing::HalfLength, len / 2) < stages(Packing::TwoForOne, len);
        let large = || device.blocks_of(2 * len * count * self.storage.precision().bytes()) < RESIDENT;
        let few = || self.geometry(Packing::TwoForOne).lines() < device.sms;
        let f64 = self.storage.precision() == Precision::F64;
        let many = || {
            self.runs(Packing::TwoForOne, device.short_run()) > device.sms
                && device.blocks_of(self.run_bytes(Packing::TwoForOne, device)) > 0
        };
        let columns = || (data == Data::Real && !self.filters || f64) && shorter() && many();
        let halves = |packing| match self.geometry(packing).across() {
            _ if count > 1 => true,
            true if self.leaves_half(device) => true,
            true => self
                .columns(Packing::TwoForOne, device)
                .map_or_else(columns, |blocks| blocks < device.sms || self.clusters_save_exchange(device)),
            false => f64 && len <= SHORT || shorter() || large() || few(),
        };
        match *self.packings() {
            [Packing::TwoForOne, packing] if len % 2 == 0 && halves(packing) => packing,
            [packing, ..] => packing,
            [] => unreachable!("all lines can be packed"),
        }
    }

    /// What is expected to be fast.
    pub(crate) fn estimate(&self, device: &DeviceAttributes) -> Choice {
        let packing = self.packing(device);
        // Several kernels have more blocks than few clusters.
        let clustered = self.is_for_clusters(packing, device);
        let ranges = if clustered { None } else { self.even_ranges(packing, device) };
        let size = Size { kernels: ranges.as_ref().map(|ranges| ranges.len()), ..Size::default() };
        let radices = ranges.map_or_else(|| self.radices(packing, clustered, device), |ranges| ranges.concat());
        Choice { packing, radices, clustered, size, axis_fusion: AxisFusion::None }
    }

    /// The radices of two kernels on ranges of digits, where others would need three: of many lines that
    /// do not fit a block, if no range has many numbers.
    fn even_ranges(&self, packing: Packing, device: &DeviceAttributes) -> Option<[Vec<usize>; 2]> {
        let (elements, geometry) = (self.elements(packing), self.geometry(packing));
        let run = if geometry.across() { device.least_run().max(geometry.line_bytes(self.storage)) } else { 0 };
        let fits = device.blocks_of(elements * run.max(2 * self.storage.precision().bytes())) > 0;
        let many = device.is_many_rounds(geometry.lines().saturating_mul(elements));
        let is_plain = self.dft().2 == 1 && packing != Packing::Single && !self.filters;
        let is_three = || self.is_smooth(packing, device) && radices(elements).len() > 2 * DIGITS;
        (is_plain && many && !fits && is_three()).then(|| two_ranges(elements)).flatten()
    }

    fn radices(&self, packing: Packing, clustered: bool, device: &DeviceAttributes) -> Vec<usize> {
        if clustered {
            return self.cluster_radices(packing, device);
        }
        let smooth = self.smooth(packing, self.elements(packing), device);
        let bytes = 2 * self.elements(packing) * self.dfts(packing) * self.storage.precision().bytes();
        let (lines, elements) = (self.geometry(packing).lines(), self.elements(packing));
        // Where combines come before or after.
        if packing != Packing::Complex && smooth == elements && device.has_few_threads(lines, elements) {
            return small_radices(smooth);
        }
        let digits = MOST_KERNELS * DIGITS;
        if device.blocks_of(bytes) > 0 {
            radices(smooth)
        } else {
            let (precision, inverse) = (self.storage.precision(), self.dft().0 == Data::Hermitian);
            radices_of_ranges(smooth, digits, precision, device.largest_of_ranges(precision, inverse))
        }
    }

    /// A choice for them, with the alternatives.
    pub(crate) fn chosen(&self, choice: &Choice, device: &DeviceAttributes) -> Chosen {
        let packings = self
            .packings()
            .into_iter()
            .map(|packing| (packing, self.smooth(packing, self.elements(packing), device)))
            .collect();
        Chosen { choice: choice.clone(), packings, size: None }
    }

    /// An error if `choice`, read from a text, is of other lines, or has radices that the device has not.
    pub(crate) fn check(&self, choice: &Choice, device: &DeviceAttributes) -> Result<()> {
        let wanted = self.packings();
        if !wanted.contains(&choice.packing) {
            let list = wanted.iter().map(Packing::to_string).collect::<Vec<_>>().join(" or ");
            return Err(argument(format!("`{choice}` on axis {}: expected {list}", self.axis)));
        }
        let len = self.smooth(choice.packing, self.elements(choice.packing), device);
        let product = choice.radices.iter().try_fold(1usize, |product, radix| product.checked_mul(*radix));
        if product != Some(len) || !choice.radices.iter().all(|radix| is_radix(*radix)) {
            let most = format!("of at most {LARGEST} or prime");
            return Err(argument(format!("`{choice}` on axis {}: expected factors of {len}, {most}", self.axis)));
        }
        Ok(())
    }
}

impl Choice {
    /// The same without a cluster.
    pub(crate) fn without_cluster(&self) -> Choice {
        let smooth = self.radices.iter().product();
        Choice { radices: radices(smooth), clustered: false, ..self.clone() }
    }
}

impl Packing {
    const ALL: [Packing; 5] =
        [Packing::Complex, Packing::TwoForOne, Packing::HalfLength, Packing::Single, Packing::Quarters];

    fn name(self) -> &'static str {
        match self {
            Packing::Complex => "complex",
            Packing::TwoForOne => "lines",
            Packing::HalfLength => "pairs",
            Packing::Single => "single",
            Packing::Quarters => "quarters",
        }
    }
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.packing)?;
        self.radices.iter().try_for_each(|radix| write!(f, " {radix}"))?;
        if self.clustered {
            write!(f, " cluster")?;
        }
        let said = NAMES.iter().zip(self.size.values()).filter_map(|((name, _), size)| Some((name, size?)));
        said.into_iter().try_for_each(|(name, size)| write!(f, " {name} {size}"))?;
        match self.axis_fusion {
            AxisFusion::None => Ok(()),
            AxisFusion::WithPrevious => f.write_str(" joined"),
            AxisFusion::WithPass(pass) => write!(f, " joined {}", pass + 1),
        }
    }
}

impl FromStr for Choice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Choice> {
        let wrong = || {
            let message = format!("`{text}`: expected such as `lines 16 8 8 cluster tile 8 threads 256`");
            Error::new(ErrorKind::Notation, message)
        };
        let mut words = text.split_whitespace().peekable();
        let first = words.next().unwrap_or_default();
        let packing = Packing::ALL.into_iter().find(|packing| packing.name() == first).ok_or_else(wrong)?;
        let mut choice =
            Choice { packing, radices: vec![], clustered: false, size: Size::default(), axis_fusion: AxisFusion::None };
        while let Some(radix) = words.peek().and_then(|word| word.parse().ok()) {
            choice.radices.push(radix);
            words.next();
        }
        choice.clustered = words.next_if_eq(&"cluster").is_some();
        for ((name, _), size) in NAMES.iter().zip(choice.size.values_mut()) {
            if words.next_if_eq(name).is_some() {
                *size = Some(words.next().and_then(|word| word.parse().ok()).ok_or_else(wrong)?);
            }
        }
        if words.next_if_eq(&"joined").is_some() {
            let pass = words.next().map(|word| word.parse::<usize>().ok().and_then(|pass| pass.checked_sub(1)));
            choice.axis_fusion = match pass {
                None => AxisFusion::WithPrevious,
                Some(pass) => AxisFusion::WithPass(pass.ok_or_else(wrong)?),
            };
        }
        if words.next().is_none() && choice.size.is_valid() { Ok(choice) } else { Err(wrong()) }
    }
}

/// The choices of a plan as text, a line a pass, and back.
pub(crate) fn print(choices: &[Choice]) -> String {
    choices.iter().map(Choice::to_string).collect::<Vec<_>>().join("\n")
}

/// See [`print`].
pub(crate) fn parse(text: &str) -> Result<Vec<Choice>> {
    text.lines().map(str::parse).collect()
}

/// What was chosen of a pass, and the alternatives.
#[derive(Clone)]
pub(crate) struct Chosen {
    pub(crate) choice: Choice,
    /// How lines could be packed, and the product of the butterflies of their DFTs then.
    pub(crate) packings: Vec<(Packing, usize)>,
    /// Lines and threads of a block, if it is one kernel.
    pub(crate) size: Option<[usize; 2]>,
}

/// Whether a sum takes both parts of complex numbers together. Sums of reals act on each: that is
/// one more axis then.
pub(crate) fn mixes(line: &AxisRecipe) -> bool {
    matches!(
        line.transform.transform1d,
        Transform1d::Forward | Transform1d::Backward | Transform1d::R2C | Transform1d::C2R
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_print_and_parse_back() {
        for text in [
            "lines 16 8 8",
            "pairs 16 16 8 cluster tile 8 threads 256",
            "complex",
            "single 3 threads 32 joined",
            "lines 16 tile 3",
            "lines 8 resident 0 beside 1 exchange 0 through 1 kernels 2 run 64",
        ] {
            assert_eq!(text.parse::<Choice>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "rows 16",
            "lines x",
            "lines 16 tile",
            "lines 16 tile 0",
            "lines 16 threads 0",
            "pairs 4 4 5 x",
            "lines 4 beside 2",
            "lines 4 kernels 0",
            "lines 4 exchange 1 tile 8",
            "lines 4 through 2",
        ] {
            let message = text.parse::<Choice>().unwrap_err().to_string();
            assert!(message.contains("expected"), "{message}");
        }
    }
}
