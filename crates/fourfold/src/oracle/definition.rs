//! The defining sums as data.

use crate::arithmetic::dd::Dd;
use crate::problem::kind::Transform1d;
use num_complex::Complex;

/// The function whose sum is computed from the exponential sums Z of the real and the imaginary
/// part of x.
#[derive(Clone, Copy)]
pub(super) enum Function {
    /// Σ x cos = Re Z.
    Cosine,
    /// Σ x sin = −Im Z.
    Sine,
    /// Σ x (cos + sin) = Re Z − Im Z.
    Cas,
    /// Σ x exp(−i·).
    Forward,
    /// Σ x exp(+i·).
    Backward,
}

impl Function {
    pub(super) fn is_complex(self) -> bool {
        matches!(self, Function::Forward | Function::Backward)
    }

    pub(super) fn of(self, z: [Complex<Dd>; 2]) -> Complex<Dd> {
        let [re, im] = z;
        match self {
            Function::Cosine => Complex { re: re.re, im: im.re },
            Function::Sine => Complex { re: -re.im, im: -im.im },
            Function::Cas => Complex { re: re.re - re.im, im: im.re - im.im },
            Function::Forward => Complex { re: re.re - im.im, im: re.im + im.re },
            Function::Backward => Complex { re: re.re + im.im, im: im.re - re.im },
        }
    }
}

/// A sum y_k = weight · Σ_n x_n · f((a k + b)(c n + d)/D), where f is a [`Function`]. The first and
/// the last term may be halved.
pub(super) struct Definition {
    pub(super) function: Function,
    /// D, above.
    pub(super) order: u64,
    /// (a, b), above.
    pub(super) output: (u64, u64),
    /// (c, d), above.
    pub(super) input: (u64, u64),
    pub(super) weight: f64,
    /// Whether the first and the last term are halved.
    pub(super) halved: (bool, bool),
}

impl Definition {
    /// The definitions in [`Kind`](crate::problem::kind::Kind) and [`Transform1d`] for length n.
    pub(super) fn of(transform: Transform1d, n: usize) -> Definition {
        use Function::{Backward, Cas, Cosine, Forward, Sine};
        const PLAIN: (u64, u64) = (1, 0);
        const NEXT: (u64, u64) = (1, 1);
        const ODD: (u64, u64) = (2, 1);
        const NEITHER: (bool, bool) = (false, false);
        let even = n.is_multiple_of(2);
        let n = n as u64;
        let (function, order, output, input, weight, halved) = match transform {
            Transform1d::Dct1 => (Cosine, 2 * (n - 1), PLAIN, PLAIN, 2.0, (true, true)),
            Transform1d::Dct2 => (Cosine, 4 * n, PLAIN, ODD, 2.0, NEITHER),
            Transform1d::Dct3 => (Cosine, 4 * n, ODD, PLAIN, 2.0, (true, false)),
            Transform1d::Dct4 => (Cosine, 8 * n, ODD, ODD, 2.0, NEITHER),
            Transform1d::Dst1 => (Sine, 2 * (n + 1), NEXT, NEXT, 2.0, NEITHER),
            Transform1d::Dst2 => (Sine, 4 * n, NEXT, ODD, 2.0, NEITHER),
            Transform1d::Dst3 => (Sine, 4 * n, ODD, NEXT, 2.0, (false, true)),
            Transform1d::Dst4 => (Sine, 8 * n, ODD, ODD, 2.0, NEITHER),
            Transform1d::Dht => (Cas, n, PLAIN, PLAIN, 1.0, NEITHER),
            Transform1d::Idxst => (Sine, 4 * n, ODD, PLAIN, 1.0, NEITHER),
            Transform1d::IdxstAdjoint => (Sine, 4 * n, PLAIN, ODD, 1.0, NEITHER),
            Transform1d::Forward | Transform1d::R2C => (Forward, n, PLAIN, PLAIN, 1.0, NEITHER),
            Transform1d::Backward => (Backward, n, PLAIN, PLAIN, 1.0, NEITHER),
            // The weight is 2, because terms 0 < k < N/2 represent both k and N − k. `merge` takes
            // the real part.
            Transform1d::C2R => (Backward, n, PLAIN, PLAIN, 2.0, (true, even)),
        };
        Definition { function, order, output, input, weight, halved }
    }
}
