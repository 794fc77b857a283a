//! Macros for the instruction sets of x86-64.

/// Implements the operators of a vector type by its intrinsics, and then
/// [`Real`](crate::arithmetic::real::Real).
macro_rules! operators {
    ($name:ident, $scalar:ty, $add:ident, $sub:ident, $mul:ident, $fmadd:ident, $fmsub:ident, $set1:ident) => {
        impl std::ops::Add for $name {
            type Output = Self;
            #[inline(always)]
            fn add(self, b: Self) -> Self {
                // SAFETY: a value of this type proves that the CPU has the instructions; see `Vector`.
                $name(unsafe { $add(self.0, b.0) })
            }
        }
        impl std::ops::Sub for $name {
            type Output = Self;
            #[inline(always)]
            fn sub(self, b: Self) -> Self {
                // SAFETY: as in `add`.
                $name(unsafe { $sub(self.0, b.0) })
            }
        }
        impl std::ops::Mul for $name {
            type Output = Self;
            #[inline(always)]
            fn mul(self, b: Self) -> Self {
                // SAFETY: as in `add`.
                $name(unsafe { $mul(self.0, b.0) })
            }
        }
        impl std::ops::Neg for $name {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                // SAFETY: as in `add`. Subtracting from −0 flips the sign of every value, zeros
                // included.
                $name(unsafe { $sub($set1(-0.0), self.0) })
            }
        }
        impl crate::arithmetic::real::Real for $name {
            #[inline(always)]
            fn constant(self, value: f64) -> Self {
                // SAFETY: as in `add`.
                $name(unsafe { $set1(value as $scalar) })
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                // SAFETY: as in `add`.
                $name(unsafe { $fmadd(self.0, a.0, b.0) })
            }
            #[inline(always)]
            fn mul_sub(self, a: Self, b: Self) -> Self {
                // SAFETY: as in `add`.
                $name(unsafe { $fmsub(self.0, a.0, b.0) })
            }
        }
    };
}
pub(crate) use operators;
