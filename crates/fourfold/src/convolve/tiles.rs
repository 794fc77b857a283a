//! The tiles of a convolution: which part of the input each part of the output needs.
//!
//! Overlap-save (Stockham, "High-speed convolution and correlation", 1966): the circular convolution
//! of length L of a tile with a kernel of length K is the linear one at its last S = L − K + 1
//! elements. So tiles overlap by K − 1 elements, and each gives S elements of the output. Tiles
//! divide only the first axis that is convolved. Along the others they are as long as the output
//! needs. So the output of a tile is contiguous.

use crate::error::{Error, Result};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// The elements of the full convolution that are computed, along each axis of N elements of the
/// array and K of the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// All N + K − 1 elements that include an element of the array.
    Full,
    /// N elements, from ⌊(K − 1)/2⌋ on, as in SciPy: the centre of the full convolution.
    #[default]
    Same,
    /// The N − K + 1 elements that include nothing beyond the ends of the array.
    Valid,
}

/// The elements beyond the ends of an array a b c d.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Boundary {
    /// Zeros: 0 0 | a b c d | 0 0.
    #[default]
    Zero,
    /// The array again: c d | a b c d | a b.
    Periodic,
    /// Its mirror image, with the last element repeated: b a | a b c d | d c.
    Reflect,
}

/// An axis of the array, with its part of the kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TiledAxis {
    /// N: the elements of the array.
    pub(crate) input: usize,
    /// K: the elements of the kernel.
    pub(crate) kernel: usize,
    /// The elements of the output.
    pub(crate) output: usize,
    /// The index of the first of them in the full convolution.
    first: usize,
}

impl TiledAxis {
    /// The axis number `number`.
    pub(crate) fn new(number: usize, input: usize, kernel: usize, mode: Mode) -> Result<TiledAxis> {
        if input == 0 || kernel == 0 {
            let message = format!("axis {number} has {input} elements, and the kernel {kernel}: expected 1 or more");
            return Err(Error::argument(message));
        }
        let (output, first) = match mode {
            Mode::Full => (input.checked_add(kernel - 1), 0),
            Mode::Same => (Some(input), (kernel - 1) / 2),
            Mode::Valid => ((input + 1).checked_sub(kernel).filter(|output| *output > 0), kernel - 1),
        };
        let output = output.ok_or_else(|| {
            Error::argument(format!(
                "the kernel has {kernel} elements along axis {number}, and the array {input}: expected at most {input} in \
                 mode {mode}"
            ))
        })?;
        Ok(TiledAxis { input, kernel, output, first })
    }

    /// The elements that `outputs` elements of the output need.
    pub(crate) fn needs(&self, outputs: usize) -> usize {
        outputs + self.kernel - 1
    }

    /// The place in the array of the first element that output `at` needs. It is negative before
    /// the array.
    pub(crate) fn start(&self, at: usize) -> isize {
        at as isize + self.first as isize - (self.kernel as isize - 1)
    }
}

impl Boundary {
    /// The place within an array of `n` elements of the element at `at`. `None` stands for a zero.
    fn place(self, at: isize, n: usize) -> Option<usize> {
        let n = n as isize;
        let place = match self {
            Boundary::Zero => return (0..n).contains(&at).then_some(at as usize),
            Boundary::Periodic => at.rem_euclid(n),
            // The array and its mirror image have the period 2n, in which i and 2n − 1 − i are alike.
            Boundary::Reflect => at.rem_euclid(2 * n).min(2 * n - 1 - at.rem_euclid(2 * n)),
        };
        Some(place as usize)
    }

    /// Copies the elements of a line from place `start` on, which may be before the line.
    pub(crate) fn copy_line<T: Copy + Default>(self, line: &[T], start: isize, to: &mut [T]) {
        let inside = |at: isize| (at - start).clamp(0, to.len() as isize) as usize;
        let Range { start: low, end: high } = inside(0)..inside(line.len() as isize);
        if low < high {
            let from = (start + low as isize) as usize;
            to[low..high].copy_from_slice(&line[from..from + high - low]);
        }
        for i in (0..low).chain(high.max(low)..to.len()) {
            to[i] = self.place(start + i as isize, line.len()).map_or(T::default(), |at| line[at]);
        }
    }

    /// Copies the elements that a tile needs. The tile's axes have the lengths `lengths`, of which
    /// the elements beyond what is needed are zeros. `first` is the tile's first output along axis
    /// 0, with which the tile gives `outputs` elements.
    pub(crate) fn gather<T: Copy + Default>(
        self,
        axes: &[TiledAxis],
        lengths: &[usize],
        [first, outputs]: [usize; 2],
        array: &[T],
        tile: &mut [T],
    ) {
        let (axis, rest) = axes.split_first().expect("a tile has an axis");
        let needed = axis.needs(outputs).min(lengths[0]);
        if rest.is_empty() {
            self.copy_line(array, axis.start(first), &mut tile[..needed]);
            return tile[needed..].fill(T::default());
        }
        let (inner, step) = (array.len() / axis.input, tile.len() / lengths[0]);
        for (i, slab) in tile.chunks_mut(step).enumerate() {
            match self.place(axis.start(first) + i as isize, axis.input).filter(|_| i < needed) {
                Some(at) => {
                    let slice = &array[at * inner..(at + 1) * inner];
                    self.gather(rest, &lengths[1..], [0, rest[0].output], slice, slab);
                }
                None => slab.fill(T::default()),
            }
        }
    }
}

/// Copies the output of a tile out of its circular convolution: along each axis the elements from
/// K − 1 on.
pub(crate) fn scatter<T: Copy>(axes: &[TiledAxis], lengths: &[usize], tile: &[T], output: &mut [T]) {
    let (axis, rest) = axes.split_first().expect("a tile has an axis");
    let step = tile.len() / lengths[0];
    if rest.is_empty() {
        return output.copy_from_slice(&tile[axis.kernel - 1..][..output.len()]);
    }
    let inner: usize = rest.iter().map(|axis| axis.output).product();
    for (slab, output) in tile.chunks(step).skip(axis.kernel - 1).zip(output.chunks_mut(inner)) {
        scatter(rest, &lengths[1..], slab, output);
    }
}

/// The least even length from `n` on that is a product of 2, 3, 5, 7, 11 and 13, for which FFTs are
/// fast; `n` itself up to 2.
pub fn fast_length(n: usize) -> usize {
    // Longer ones are beyond any address space.
    if n <= 2 || n > usize::MAX / 64 {
        return n.max(1);
    }
    2 * least_product(n.div_ceil(2), 1, &[13, 11, 7, 5, 3])
}

/// The least number from `n` on that is `product` times a product of 2 and `primes`.
fn least_product(n: usize, product: usize, primes: &[usize]) -> usize {
    let Some((prime, rest)) = primes.split_first() else {
        return product * n.div_ceil(product).next_power_of_two();
    };
    let powers = std::iter::successors(Some(product), |power| power.checked_mul(*prime).filter(|_| *power < n));
    powers.map(|power| least_product(n, power, rest)).min().expect("there is the power 0")
}

impl FromStr for Mode {
    type Err = Error;

    fn from_str(text: &str) -> Result<Mode> {
        [Mode::Full, Mode::Same, Mode::Valid]
            .into_iter()
            .find(|mode| mode.to_string() == text)
            .ok_or_else(|| Error::argument(format!("the mode `{}`: expected full, same or valid", text.escape_debug())))
    }
}

impl FromStr for Boundary {
    type Err = Error;

    fn from_str(text: &str) -> Result<Boundary> {
        [Boundary::Zero, Boundary::Periodic, Boundary::Reflect]
            .into_iter()
            .find(|boundary| boundary.to_string() == text)
            .ok_or_else(|| {
                Error::argument(format!("the boundary `{}`: expected zero, periodic or reflect", text.escape_debug()))
            })
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Mode::Full => "full",
            Mode::Same => "same",
            Mode::Valid => "valid",
        })
    }
}

impl fmt::Display for Boundary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Boundary::Zero => "zero",
            Boundary::Periodic => "periodic",
            Boundary::Reflect => "reflect",
        })
    }
}
