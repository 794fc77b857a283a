//! DFTs of tables, in double-double. A convolution multiplies by the spectrum of a table, whose error would be one of every
//! result; found in double precision it would be as large as that of the data's own DFT.

use num_complex::Complex;

use crate::dd::{Dd, complex_product};
use crate::rules::mixed_radix::prime_factors;
use crate::twiddle::Roots;

type Z = Complex<Dd>;

/// The largest prime that is summed directly.
const DIRECT: usize = 64;

/// Σ_n x_n exp(−2πi nk/N), for any N ≥ 1, to about 1e-30.
pub(crate) fn dft(signal: &[Z]) -> Vec<Z> {
    let roots = Roots::new(signal.len() as u64);
    let roots: Vec<Z> = (0..signal.len() as u64).map(|k| roots.get_dd(k)).collect();
    residues(signal, 0, 1, &roots)
}

/// The DFT of elements `start`, `start + step`, …, given the roots of the whole signal's order.
fn residues(signal: &[Z], start: usize, step: usize, roots: &[Z]) -> Vec<Z> {
    let n = signal.len() / step;
    let element = |i: usize| signal[start + i * step];
    match prime_factors(n).first() {
        None => vec![element(0)],
        Some(&p) if p > DIRECT => convolution(&(0..n).map(element).collect::<Vec<_>>()),
        Some(&p) => {
            let parts: Vec<_> = (0..p).map(|j| residues(signal, start + j * step, step * p, roots)).collect();
            merge(&parts, &|exponent| roots[exponent % n * step])
        }
    }
}

/// The DFT of a signal from those of its residues j modulo p: X_{k+qm} = Σ_j w_p^{jq} (w^{jk} S_j\[k\]); `root` gives w^e.
fn merge(parts: &[Vec<Z>], root: &dyn Fn(usize) -> Z) -> Vec<Z> {
    let (p, m) = (parts.len(), parts[0].len());
    let mut whole = vec![parts[0][0]; p * m];
    for k in 0..m {
        let turned: Vec<_> = (1..p).map(|j| complex_product(parts[j][k], root(j * k))).collect();
        for q in 0..p {
            let term = |(i, &z): (usize, &Z)| match (p, q) {
                (_, 0) => z,
                (2, _) => Z { re: -z.re, im: -z.im },
                _ => complex_product(z, root((i + 1) * q * m)),
            };
            whole[k + q * m] = turned.iter().enumerate().map(term).fold(parts[0][k], sum);
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

/// A DFT of any length by Bluestein's convolution, see [`crate::rules::bluestein`].
fn convolution(signal: &[Z]) -> Vec<Z> {
    let (n, m) = (signal.len(), (2 * signal.len() - 1).next_power_of_two());
    let roots = Roots::new(2 * n as u64);
    let chirp: Vec<Z> = (0..n as u64).map(|j| roots.get_dd(j * j % (2 * n as u64))).collect();
    let mut x = vec![Z { re: Dd::default(), im: Dd::default() }; m];
    let mut c = x.clone();
    for j in 0..n {
        x[j] = complex_product(signal[j], chirp[j]);
        c[j] = conjugate(chirp[j]);
        c[(m - j) % m] = c[j];
    }
    // The backward DFT is the conjugate of the forward DFT of the conjugate.
    let product: Vec<Z> = dft(&x).into_iter().zip(dft(&c)).map(|(a, b)| conjugate(complex_product(a, b))).collect();
    let back = dft(&product);
    let over = 1.0 / m as f64;
    let output = |(c, z): (&Z, Z)| complex_product(*c, Z { re: z.re * over, im: -z.im * over });
    chirp.iter().zip(back).map(output).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dft_is_its_definition() {
        for n in [1, 2, 3, 4, 12, 17, 30, 64, 67, 134, 256] {
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
