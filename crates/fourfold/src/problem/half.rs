//! Floats of 16 bits, in which arrays on GPUs may be stored.
//!
//! Nothing computes in them: kernels widen what they read to `f32`, and round what they write. On the
//! host, only tests and the command convert them.

/// A float of 16 bits by IEEE 754 (binary16): 11 significant bits, of at most 65504. An element of
/// arrays on GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct F16(u16);

/// The upper 16 bits of an `f32` (bfloat16): 8 significant bits, and the range of `f32`. An element
/// of arrays on GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Bf16(u16);

/// The bits of infinity in an `f32`.
const INFINITY: u32 = 0xff << 23;

/// The bits of 2^-14, the least normal `F16`, in an `f32`.
const LEAST_NORMAL: u32 = (127 - 14) << 23;

/// The bits of 2^16, which is beyond every `F16`, in an `f32`.
const TOO_LARGE: u32 = (127 + 16) << 23;

/// The difference of the exponents' biases, where the exponent of an `f32` stands.
const REBIAS: u32 = (127 - 15) << 23;

/// Drops so many low bits, and rounds to the nearest, of two to the even one.
fn rounded(bits: u32, dropped: u32) -> u16 {
    ((bits + ((1 << (dropped - 1)) - 1) + (bits >> dropped & 1)) >> dropped) as u16
}

impl F16 {
    /// The number with these bits.
    pub const fn from_bits(bits: u16) -> F16 {
        F16(bits)
    }

    /// Its bits: the sign, 5 of the exponent, 10 of the significand.
    pub const fn to_bits(self) -> u16 {
        self.0
    }
}

impl Bf16 {
    /// The number with these bits.
    pub const fn from_bits(bits: u16) -> Bf16 {
        Bf16(bits)
    }

    /// Its bits: the sign, 8 of the exponent, 7 of the significand.
    pub const fn to_bits(self) -> u16 {
        self.0
    }
}

/// The nearest number, of two the even one. From 65520 on, it is infinity.
impl From<f32> for F16 {
    fn from(x: f32) -> F16 {
        let (sign, magnitude) = ((x.to_bits() >> 16) as u16 & 0x8000, x.to_bits() & 0x7fff_ffff);
        F16(sign
            | match magnitude {
                // Adding 1/2 rounds to multiples of 2^-24, as subnormal numbers are.
                0..LEAST_NORMAL => ((f32::from_bits(magnitude) + 0.5).to_bits() - 0.5f32.to_bits()) as u16,
                LEAST_NORMAL..TOO_LARGE => rounded(magnitude - REBIAS, 13),
                TOO_LARGE..=INFINITY => 0x7c00,
                _ => 0x7e00,
            })
    }
}

impl From<F16> for f32 {
    fn from(x: F16) -> f32 {
        let (sign, magnitude) = ((u32::from(x.0) & 0x8000) << 16, (u32::from(x.0) & 0x7fff) << 13);
        let magnitude = match magnitude {
            0..0x0f80_0000 => (f32::from_bits(magnitude) * f32::from_bits((127 + 127 - 15) << 23)).to_bits(),
            special => INFINITY | special,
        };
        f32::from_bits(sign | magnitude)
    }
}

/// The nearest number, of two the even one.
impl From<f32> for Bf16 {
    fn from(x: f32) -> Bf16 {
        Bf16(if x.is_nan() { (x.to_bits() >> 16) as u16 | 64 } else { rounded(x.to_bits(), 16) })
    }
}

impl From<Bf16> for f32 {
    fn from(x: Bf16) -> f32 {
        f32::from_bits(u32::from(x.0) << 16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every number is its own nearest, and halfway between two neighbours it is the even one.
    fn check(of_bits: impl Fn(u16) -> f32, nearest: impl Fn(f32) -> u16, infinity: u16) {
        for bits in 0..infinity {
            let (x, next) = (of_bits(bits), of_bits(bits + 1));
            assert_eq!((nearest(x), nearest(-x)), (bits, bits | 0x8000), "{x}");
            // Past the greatest stands what would be the next number.
            let next = if next.is_finite() { next } else { x + (x - of_bits(bits - 1)) };
            let middle = (f64::from(x) + f64::from(next)) as f32 / 2.0;
            assert_eq!(nearest(middle), bits + (bits & 1), "{middle}");
            let [below, above] = [middle.next_down(), middle.next_up()].map(&nearest);
            assert!([below, above] == [bits, bits + 1], "{middle}: {below} {above}");
        }
        assert_eq!(nearest(f32::INFINITY), infinity);
        assert!(of_bits(infinity) == f32::INFINITY && of_bits(infinity | 0x8000) == f32::NEG_INFINITY);
        assert!(of_bits(infinity | 1).is_nan() && of_bits(nearest(f32::NAN)).is_nan());
    }

    #[test]
    fn halves_are_the_nearest() {
        check(|bits| F16::from_bits(bits).into(), |x| F16::from(x).to_bits(), 0x7c00);
        assert_eq!(f32::from(F16::from_bits(0x7bff)), 65504.0);
        assert_eq!([1.0, -2.0, 65520.0, 6e-8].map(|x| F16::from(x).to_bits()), [0x3c00, 0xc000, 0x7c00, 1]);
    }

    #[test]
    fn bfloats_are_the_nearest() {
        // The greatest has no `f32` above it, and no middle.
        let below = |bits| f32::from(Bf16::from_bits(bits));
        for bits in 0..0x7f7f {
            let middle = f32::from_bits(u32::from(bits) << 16 | 0x8000);
            assert_eq!(Bf16::from(below(bits)).to_bits(), bits);
            assert_eq!(Bf16::from(middle).to_bits(), bits + (bits & 1));
            assert_eq!(Bf16::from(-middle.next_up()).to_bits(), (bits + 1) | 0x8000);
        }
        assert_eq!(below(Bf16::from(f32::INFINITY).to_bits()), f32::INFINITY);
        assert!(f32::from(Bf16::from(f32::NAN)).is_nan());
    }
}
