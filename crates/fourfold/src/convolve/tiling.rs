//! How arrays are cut into tiles, and whether direct sums or transforms compute these.

use crate::convolve::tiles::{TiledAxis, fast_length};

/// How the elements of a convolution are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ConvolutionMethod {
    /// Whichever is estimated to be faster.
    #[default]
    Fastest,
    /// Sums over the elements of the kernel.
    Direct,
    /// Transforms of tiles.
    Transform,
}

/// Tiles of equal shape, some of which are computed together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tiling {
    /// The lengths of a tile.
    pub(crate) lengths: Vec<usize>,
    /// The outputs of a tile along its first axis.
    pub(crate) outputs: usize,
    /// The tiles of a group.
    pub(crate) group: usize,
    /// The estimated nanoseconds of all tiles.
    cost: f64,
}

/// The tiles that a plan of one axis computes together, to fill the lanes of vectors.
const GROUP: usize = 16;

/// The outputs of a tile of direct sums along the last axis if there is no other, and the elements
/// of other tiles: few enough for a cache.
const DIRECT_TILE: usize = 1 << 13;

/// Estimated nanoseconds of one thread: of a product in a direct sum, of an element of a tile in
/// both transforms for each binary digit of the number of its elements, and of an element of a tile
/// that is copied.
const PRODUCT: f64 = 0.2;
const DIGIT: f64 = 0.25;
const COPY: f64 = 1.0;

/// The lines that a thread holds at once, as reals: a vector's lanes of complex numbers, twice.
const LINES: usize = 64;

/// The reals of a plan's tables for an element of its longest axis: complex twiddle factors, forward and
/// back, and as many again while they are made.
const TABLES: usize = 8;

impl Tiling {
    /// About how many bytes a convolution takes beside its arrays, with a copy of a kernel of
    /// `kernel` elements of `element` bytes. While it is planned, these are a tile, its spectrum,
    /// the scratch of an FFT and the table that multiplies, in `f64`; then the table, and for each of
    /// so many groups at the same time its tiles and their scratch. Each thread has some lines, and
    /// plans have tables for an axis.
    pub(crate) fn bytes(
        &self,
        method: ConvolutionMethod,
        [kernel, element]: [usize; 2],
        [groups, threads]: [usize; 2],
    ) -> usize {
        let double = size_of::<f64>();
        let tile = self.lengths.iter().fold(1, |size: usize, length| size.saturating_mul(*length));
        let (kernel, group) = (kernel.saturating_mul(element), tile.saturating_mul(self.group * element));
        if method == ConvolutionMethod::Direct {
            return kernel.saturating_add(group.saturating_mul(groups));
        }
        // The reals of n/2 + 1 complex numbers for n reals: of short lines twice as many.
        let last = self.lengths.last().copied().unwrap_or(1);
        let spectrum = (tile / last).saturating_mul(2 * (last / 2 + 1));
        let longest = self.lengths.iter().copied().max().unwrap_or(1);
        let held = longest.saturating_mul(LINES).min(spectrum.saturating_mul(2));
        let lines = threads.saturating_mul(held).saturating_add(longest.saturating_mul(TABLES)).saturating_mul(double);
        let planning = kernel.saturating_add(spectrum.saturating_mul(3).saturating_add(tile).saturating_mul(double));
        let of_group = tile.saturating_add(spectrum).saturating_mul(self.group * element);
        let executing = of_group.saturating_mul(groups).saturating_add(spectrum.saturating_mul(element));
        planning.max(executing).saturating_add(lines)
    }
}

/// The method that computes `arrays` arrays, and its tiling.
pub(crate) fn chosen(wanted: ConvolutionMethod, axes: &[TiledAxis], arrays: usize) -> (ConvolutionMethod, Tiling) {
    let (direct, transform) = (direct_tiling(axes, arrays), transform_tiling(axes, arrays));
    match wanted {
        ConvolutionMethod::Direct => (ConvolutionMethod::Direct, direct),
        ConvolutionMethod::Fastest if direct.cost <= transform.cost => (ConvolutionMethod::Direct, direct),
        _ => (ConvolutionMethod::Transform, transform),
    }
}

/// A tile that gives `outputs` elements along the first axis and all along the others. `length` maps
/// the elements that are needed along an axis to the length of the tile.
fn tiling(axes: &[TiledAxis], outputs: usize, length: fn(usize) -> usize) -> Tiling {
    let needed = |(a, axis): (usize, &TiledAxis)| length(axis.needs(if a == 0 { outputs } else { axis.output }));
    let lengths: Vec<_> = axes.iter().enumerate().map(needed).collect();
    let outputs = (lengths[0] - (axes[0].kernel - 1)).min(axes[0].output);
    Tiling { lengths, outputs, group: 1, cost: 0.0 }
}

/// Direct sums over tiles that stay in a cache.
fn direct_tiling(axes: &[TiledAxis], arrays: usize) -> Tiling {
    let inner: usize = axes[1..].iter().map(|axis| axis.needs(axis.output)).product();
    let outputs = (DIRECT_TILE / inner).max(axes[0].kernel).clamp(1, axes[0].output);
    let mut tiling = tiling(axes, outputs, |length| length);
    let size = |of: fn(&TiledAxis) -> usize| axes.iter().map(|axis| of(axis) as f64).product::<f64>();
    let products = size(|axis| axis.output) * size(|axis| axis.kernel);
    let copied = tiling.lengths.iter().map(|n| *n as f64).product::<f64>() * axes[0].output.div_ceil(outputs) as f64;
    tiling.cost = arrays as f64 * (PRODUCT * products + COPY * copied);
    tiling
}

/// The least estimated time of the tiles whose first axis is 2, 4, 8, … times as long as the
/// kernel, or as long as all of the output needs.
fn transform_tiling(axes: &[TiledAxis], arrays: usize) -> Tiling {
    let (output, overlap) = (axes[0].output, axes[0].kernel - 1);
    let lengths = std::iter::successors(Some(2 * axes[0].kernel.next_power_of_two()), |length| length.checked_mul(2));
    let outputs = lengths.map(|length| length - overlap).take_while(|outputs| *outputs < output);
    let all = outputs.chain([output]).map(|outputs| {
        let mut tiling = tiling(axes, outputs, fast_length);
        let tiles = arrays.saturating_mul(output.div_ceil(tiling.outputs));
        tiling.group = if axes.len() == 1 { tiles.min(GROUP) } else { 1 };
        let size = tiling.lengths.iter().map(|n| *n as f64).product::<f64>();
        tiling.cost = tiles as f64 * size * (DIGIT * size.log2().max(1.0) + COPY);
        tiling
    });
    all.min_by(|a, b| a.cost.total_cmp(&b.cost)).expect("there is a tile as long as the output")
}
