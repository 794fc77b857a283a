//! Butterflies of 6, 10, 12, 14 and 15, which are products of coprime factors.

use crate::arithmetic::butterfly::{Butterfly, Dft};
use crate::arithmetic::complex::{C, Number, each};
use crate::arithmetic::real::Real;

/// R = A · B of coprime factors, as an A × B grid without twiddles. With n = B·a + A·b mod R,
/// w_R^{nk} = w_A^{ak} · w_B^{bk}, and k is determined by its residues mod A and mod B. For real
/// data, only the residues 0 ..= A/2 mod A are computed.
///
/// Source: I. J. Good, "The interaction algorithm and practical Fourier analysis", J. R. Stat. Soc.
/// B 20 (1958).
macro_rules! coprime {
    ($r:literal = $a:literal * $b:literal) => {
        impl<Z: Number> Dft for [Z; $r] {
            #[inline(always)]
            fn dft(self) -> Self {
                let columns = each!(b < $b => each!(a < $a => self[($b * a + $a * b) % $r]).dft());
                let rows = each!(k < $a => each!(b < $b => columns[b][k]).dft());
                each!(k < $r => rows[k % $a][k % $b])
            }
        }

        impl<T: Real> Butterfly for [C<T>; $r] {
            #[inline(always)]
            fn half_spectrum(self) -> Self {
                let columns = each!(b < $b => each!(a < $a => self[($b * a + $a * b) % $r]).half_spectrum());
                let rows = each!(k < $a / 2 + 1 => {
                    let row = each!(b < $b => columns[b][k]);
                    if is_real(k, $a) { row.half_spectrum() } else { row.dft() }
                });
                each!(k < $r => {
                    let (p, q) = (k % $a, k % $b);
                    let (p, q, conjugate) = if 2 * p > $a { ($a - p, ($b - q) % $b, true) } else { (p, q, false) };
                    // For a row of real data, only the first half of the spectrum is computed.
                    let mirror = is_real(p, $a) && 2 * q > $b;
                    let z = rows[p][if mirror { $b - q } else { q }];
                    let z = if is_real(p, $a) && q == 0 { C { re: z.re, im: z.re.constant(0.0) } } else { z };
                    if mirror != conjugate { z.conj() } else { z }
                })
            }
            #[inline(always)]
            fn signal(self) -> Self {
                const K: [[usize; $b]; $a] = by_residues();
                const N: [[usize; 2]; $r] = by_sum::<$a, $b, $r>();
                let rows = each!(p < $a / 2 + 1 => {
                    let row = each!(q < $b => {
                        let k = K[p][q];
                        if 2 * k > $r { self[$r - k].conj() } else { self[k] }
                    });
                    if is_real(p, $a) { row.signal() } else {
                        let inverse = each!(q < $b => row[q].swap()).dft();
                        each!(b < $b => inverse[b].swap())
                    }
                });
                let columns = each!(b < $b => each!(p < $a => rows[if 2 * p > $a { 0 } else { p }][b]).signal());
                each!(n < $r => {
                    let [a, b] = N[n];
                    columns[b][a]
                })
            }
        }
    };
}

/// Whether row p of a grid of `a` rows is the spectrum of a real signal. That is so if −p ≡ p mod
/// a.
#[inline(always)]
const fn is_real(p: usize, a: usize) -> bool {
    p == 0 || 2 * p == a
}

/// Entry (p, q) is the k below A·B with k ≡ p mod A and k ≡ q mod B.
const fn by_residues<const A: usize, const B: usize>() -> [[usize; B]; A] {
    let (mut table, mut k) = ([[0; B]; A], 0);
    while k < A * B {
        table[k % A][k % B] = k;
        k += 1;
    }
    table
}

/// Entry n is the (a, b) with B·a + A·b ≡ n mod R = A·B.
const fn by_sum<const A: usize, const B: usize, const R: usize>() -> [[usize; 2]; R] {
    let (mut table, mut i) = ([[0; 2]; R], 0);
    while i < R {
        let (a, b) = (i % A, i / A);
        table[(B * a + A * b) % R] = [a, b];
        i += 1;
    }
    table
}

coprime!(6 = 2 * 3);
coprime!(10 = 2 * 5);
coprime!(12 = 4 * 3);
coprime!(14 = 2 * 7);
coprime!(15 = 3 * 5);
