//! DFTs of tables, in double-double arithmetic. A convolution multiplies by the spectrum of a
//! table, so an error of the spectrum is an error of every result. In double precision, it would be
//! as large as the error of the data's DFT.

use num_complex::Complex;

use crate::arithmetic::dd::{Dd, complex_product};
use crate::arithmetic::primes::prime_factors;
use crate::arithmetic::twiddle::Roots;

type Z = Complex<Dd>;

/// The largest prime that is summed directly.
const DIRECT: usize = 64;

/// y_k = Σ_n x_n exp(−2πi nk/N) for any N ≥ 1, with a relative error of about 1e-30.
pub(crate) fn dft(signal: &[Z]) -> Vec<Z> {
    PreciseDft::new(signal.len()).of(signal)
}

/// DFTs of one length, in double-double arithmetic.
struct PreciseDft {
    /// exp(−2πi k/N) for k < N.
    roots: Vec<Z>,
    /// The prime factors by which the length is divided.
    primes: Vec<usize>,
    /// The DFT of the remaining factor of the length, if it is not 1.
    last: Option<Box<Convolution>>,
}

impl PreciseDft {
    fn new(n: usize) -> PreciseDft {
        let roots = Roots::new(n as u64);
        let mut primes = prime_factors(n);
        let large = primes.split_off(primes.partition_point(|&p| p <= DIRECT));
        let last = (!large.is_empty()).then(|| Box::new(Convolution::new(large.iter().product())));
        PreciseDft { roots: (0..n as u64).map(|k| roots.get_dd(k)).collect(), primes, last }
    }

    fn of(&self, signal: &[Z]) -> Vec<Z> {
        self.residues(signal, 0, 1, &self.primes)
    }

    /// The DFT of elements `start`, `start + step`, … of the signal. The first factor of the length
    /// is `primes[0]`, and so on.
    fn residues(&self, signal: &[Z], start: usize, step: usize, primes: &[usize]) -> Vec<Z> {
        let n = signal.len() / step;
        match (primes, &self.last) {
            ([], None) => vec![signal[start]],
            ([], Some(last)) => last.dft(signal[start..].iter().step_by(step)),
            (&[p, ref primes @ ..], _) => {
                let part = |j| self.residues(signal, start + j * step, step * p, primes);
                merge(&(0..p).map(part).collect::<Vec<_>>(), &|exponent| self.roots[exponent % n * step])
            }
        }
    }
}

/// The DFT of a signal of length pm from the DFTs S_j of its elements j modulo p: X_{k+qm} = Σ_j
/// w_p^{jq} (w^{jk} S_j\[k\]), where w = exp(−2πi/(pm)). `root` returns w^e.
fn merge(parts: &[Vec<Z>], root: &impl Fn(usize) -> Z) -> Vec<Z> {
    let (p, m) = (parts.len(), parts[0].len());
    let mut whole = vec![parts[0][0]; p * m];
    // The list is allocated once, because m allocations would take much of the time.
    let mut rotated = Vec::with_capacity(p);
    for k in 0..m {
        rotated.clear();
        rotated.extend((1..p).map(|j| complex_product(parts[j][k], root(j * k))));
        for q in 0..p {
            let term = |(i, &z): (usize, &Z)| match (p, q) {
                (_, 0) => z,
                (2, _) => Z { re: -z.re, im: -z.im },
                _ => complex_product(z, root((i + 1) * q * m)),
            };
            whole[k + q * m] = rotated.iter().enumerate().map(term).fold(parts[0][k], sum);
        }
    }
    whole
}

fn sum(a: Z, b: Z) -> Z {
    Z { re: a.re + b.re, im: a.im + b.im }
}

fn conjugate(z: Z) -> Z {
    Z { re: z.re, im: -z.im }
}

/// A DFT by Bluestein's convolution. [`crate::recipe::rules::bluestein`] has the formula.
struct Convolution {
    chirp: Vec<Z>,
    dft: PreciseDft,
    /// The DFT of the conjugate chirp, wrapped around: its value at j is also that at M − j.
    spectrum: Vec<Z>,
}

impl Convolution {
    fn new(n: usize) -> Convolution {
        let (order, m) = (2 * n as u64, (2 * n - 1).next_power_of_two());
        let roots = Roots::new(order);
        let chirp: Vec<Z> = (0..n as u64).map(|j| roots.get_dd(j * j % order)).collect();
        let mut c = zeros(m);
        for j in 0..n {
            c[j] = conjugate(chirp[j]);
            c[(m - j) % m] = c[j];
        }
        let dft = PreciseDft::new(m);
        Convolution { chirp, spectrum: dft.of(&c), dft }
    }

    fn dft<'a>(&self, signal: impl Iterator<Item = &'a Z>) -> Vec<Z> {
        let mut x = zeros(self.spectrum.len());
        for ((x, z), c) in x.iter_mut().zip(signal).zip(&self.chirp) {
            *x = complex_product(*z, *c);
        }
        // The backward DFT is the conjugate of the forward DFT of the conjugate.
        let product = |(a, b): (Z, &Z)| conjugate(complex_product(a, *b));
        let product: Vec<Z> = self.dft.of(&x).into_iter().zip(&self.spectrum).map(product).collect();
        let over = 1.0 / x.len() as f64;
        let output = |(c, z): (&Z, Z)| complex_product(*c, Z { re: z.re * over, im: -z.im * over });
        self.chirp.iter().zip(self.dft.of(&product)).map(output).collect()
    }
}

fn zeros(n: usize) -> Vec<Z> {
    vec![Z { re: Dd::default(), im: Dd::default() }; n]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dft_is_its_definition() {
        for n in [1, 2, 3, 4, 12, 17, 30, 64, 67, 134, 256, 67 * 12, 67 * 71] {
            let roots = Roots::new(n);
            // Two roots of unity and their sum, so that low parts matter.
            let signal: Vec<Z> = (0..n).map(|j| sum(roots.get_dd(j * j), roots.get_dd(3 * j * j + 1))).collect();
            for (k, z) in dft(&signal).into_iter().enumerate() {
                let term = |j: usize| complex_product(signal[j], roots.get_dd((j * k) as u64));
                let exact = (1..n as usize).map(term).fold(signal[0], sum);
                let error = f64::from(z.re - exact.re).hypot(f64::from(z.im - exact.im));
                assert!(error <= 1e-28, "{n}: {error:e} at {k}");
            }
        }
    }
}
