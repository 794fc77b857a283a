//! DCT-I and DST-I of lines whose quarters have an odd length h: two complex lines of length h instead
//! of three, and no twiddles after their DFTs. With n, e, X and y as in the core's rule of three
//! quarters, 4 and h have no common divisor. So j = 4t + hs mod 4h is every number of the extension once,
//! for t < h and s < 4 (the prime factor algorithm: Good, "The interaction algorithm and practical
//! Fourier analysis", J. R. Stat. Soc. B 20 (1958)). With D_s the DFT of length h of e_{4t+hs},
//!
//! X_k = Σ_s (−i)^{sk} D_s, at term k mod h.
//!
//! e_{4t} and e_{4t+2h} are even or odd as e is: D_0 and D_2 are real for cosines, imaginary for sines.
//! So both are the parts of the DFT Z of e_{4t} + ie_{4t+2h}, with no terms to separate. e_{4t+3h} is
//! e_{4t+h} in reverse order, up to the sign, so that D_3 is ± the conjugate of A = D_1. What is left is
//! y_k = u + a, v + b, u − a, v − b for k mod 4 = 0, 1, 2, 3, where
//!
//! - cosines: u, v = Re Z ± Im Z, a = 2 Re A, b = 2 Im A;
//! - sines: u, v = ± Re Z − Im Z, a = −2 Im A, b = 2 Re A.
//!
//! Term k gives X at k, k + h, k + 2h and k + 3h, and these y_k, y_{h+k}, ±y_{2h−k} and ±y_{h−k}. Term h − k
//! gives the same: half of all terms are enough. Kernels on ranges of digits therefore go on with half of
//! the frequencies of the first range.
//!
//! Element 2t + s of the buffers is that of t in line s: Z is line 0, A line 1.
//!
//! The other way, with Y the extension of the outputs, D_s = Σ_q i^{sk} Y_k for k + qh, times −i for sines.

use crate::desc::combine::SymmetricLastPass;
use crate::desc::filter::SymmetricProduct;
use crate::desc::stage::{Port, View};
use crate::ir::statement::{Int, Sym, int};
use crate::ir::trace::{if_less, select, select_real};
use crate::write::combine::Spot;
use crate::write::place::{Address, Run};
use crate::write::port::kept;
use crate::write::symmetric_last_pass::{Output, Quarters, quarter};
use crate::write::writer::{Subline, Writer};
use fourfold::engine::C;

/// The lines of the first quarters, and of the odd one.
const LINES: usize = 2;

impl Writer<'_> {
    pub(crate) fn odd_last_pass(&self, pass: &SymmetricLastPass, from: &Port) {
        let write = |line: Subline, i: Int, outputs: Vec<Output>| {
            outputs.iter().for_each(|output| self.write_values(line, output.index, i, &output.values));
        };
        let terms = |spot: Spot| [0, 1].map(|s| self.at(from, quarter(spot, s)));
        self.first_item(|line, spot| write(line, int(0), pass.first_outputs(&pass.first_quarters(terms(spot)))));
        self.one_of_each_pair(pass.len, |line, k, spot| write(line, k, pass.odd_outputs(k, terms(spot))));
    }

    /// Whole lines, whose terms k and h − k are written from term k.
    pub(crate) fn odd_product(&self, product: &SymmetricProduct) {
        let SymmetricProduct { there, inverse: back } = product;
        let terms = |spot: Spot| [0, 1].map(|s| self.at(&Port::Buffer, quarter(spot, s)));
        let put = |spot: Spot, terms: [C<Sym>; 2]| {
            for (s, z) in (0..).zip(terms) {
                let Spot { line, place } = quarter(spot, s);
                self.store_at(&Port::Buffer, line, place, [0, usize::MAX], z.swap());
            }
        };
        self.first_item(|line, spot| {
            let outputs = there.first_outputs(&there.first_quarters(terms(spot)));
            let [e, a, f] = back.first_terms(&self.outputs_done(line, int(0), outputs)).map(|terms| terms[0]);
            let a = if back.turns() { -a } else { a };
            put(spot, [C { re: e, im: f }, C { re: a, im: Sym::lit(0.0) }]);
        });
        self.one_of_each_pair(there.len, |line, k, spot| {
            let outputs = self.outputs_done(line, k, there.odd_outputs(k, terms(spot)));
            let [z, a] = back.odd_terms(k, [0, 1, 2, 3].map(|j: usize| outputs[j][0]));
            let mirror = Spot { line, place: self.place_in_subline(int(there.len) - k) };
            put(mirror, [if back.sine { z.scale(Sym::lit(-1.0)) } else { z }, a.conj()]);
            put(spot, [z, a]);
        });
    }

    /// Elements 2t + s as the numbers 4t + hs, from the first of a run on. Which line they are of shows in
    /// whether these are odd.
    pub(crate) fn odd_numbers(&self, first: Int, run: Run) -> Vec<Address> {
        let h = self.desc.odd_quarter();
        let step = run.step * self.desc.after();
        debug_assert!(run.count == 1 || step % LINES == 0, "a DFT is of one line");
        let first = first * 2 + first % LINES as i64 * (h as i64 - 2);
        (0..run.count).map(|j| (first + (2 * j * step) as i64).into()).collect()
    }

    /// The element of number m, and for `range` see [`Writer::read`].
    pub(crate) fn read_odd(&self, m: Int, range: [usize; 2], real: impl Fn(Int, [usize; 2]) -> Sym) -> C<Sym> {
        let [both, _, second] = self.odd_ranges(range);
        let h = self.desc.odd_quarter() as i64;
        // In line 1 it is not needed: there it is read where line 0 reads it.
        let at = m + select(m % 2, int(1), int(2 * h as usize), int(h as usize));
        C { re: real(m, both), im: select_real(m % 2, int(1), real(at, second), Sym::lit(0.0)) }
    }

    /// The other way, of those numbers that are kept.
    pub(crate) fn write_odd(
        &self,
        view: &View,
        m: Int,
        range: [usize; 2],
        z: C<Sym>,
        real: impl Fn(Int, [usize; 2], Sym),
    ) {
        let [both, first, second] = self.odd_ranges(range);
        kept(view, m, both, || real(m, both, z.re));
        let at = m + (2 * self.desc.odd_quarter()) as i64;
        if_less(m % 2, int(1), || kept(view, m, first, || real(at, second, z.im)));
    }

    /// Of elements in a range, those of the numbers of both lines, of the first one's, and of its second
    /// reals.
    fn odd_ranges(&self, [start, end]: [usize; 2]) -> [[usize; 2]; 3] {
        let h = self.desc.odd_quarter();
        let (start, last) = (start / LINES * 4, (end.clamp(1, LINES * h) - 1) / LINES * 4);
        [[start, last + h + 1], [start, last + 1], [start + 2 * h, last + 2 * h + 1]]
    }
}

impl SymmetricLastPass {
    /// Whether the sign of D_1 is another at term 0 of sines: X_h = (−i)^h · 2D_1.
    fn turns(&self) -> bool {
        self.sine && self.len % 4 == 3
    }

    /// Term 0 as that of three quarters.
    fn first_quarters(&self, [z, a]: [C<Sym>; 2]) -> Quarters {
        let real = |re: Sym| vec![C { re, im: Sym::lit(0.0) }];
        [real(z.re), real(if self.turns() { -a.re } else { a.re }), real(z.im)]
    }

    /// Outputs k, 2h − k, h + k and h − k.
    fn odd_outputs(&self, k: Int, [z, a]: [C<Sym>; 2]) -> Vec<Output> {
        let (h, [scale, ..]) = (self.len as isize, self.scales());
        let (twice, z) = (scale + scale, z.scale(scale));
        let ([u, a], [v, b]) = match self.sine {
            true => ([z.re - z.im, -(a.im * twice)], [-(z.re + z.im), a.re * twice]),
            false => ([z.re + z.im, a.re * twice], [z.re - z.im, a.im * twice]),
        };
        let [[near, by], [above, other]] = self.signed(k, even_first(k, [[u, a], [v, b]]));
        let folded = |y: Sym| if self.sine { -y } else { y };
        let outputs = [near + by, folded(near - by), above + other, folded(above - other)];
        let places = [[0, 1], [2 * h, -1], [h, 1], [h, -1]];
        places.into_iter().zip(outputs).map(|(place, y)| self.output(place, vec![y])).collect()
    }

    /// Terms k of Z and A from outputs k, 2h − k, h + k and h − k.
    fn odd_terms(&self, k: Int, outputs: [Sym; 4]) -> [C<Sym>; 2] {
        let [scale, ..] = self.scales();
        let [near, far, above, below] = outputs.map(|y| y * scale);
        let [far, below] = [far, below].map(|y| if self.sine { -y } else { y });
        let sums = [[near + far, near - far], [above + below, above - below]];
        let [[u, a], [v, b]] = even_first(k, self.signed(k, sums));
        match self.sine {
            true => [C { re: u - v, im: -(u + v) }, C { re: b, im: -a }],
            false => [C { re: u + v, im: u - v }, C { re: a, im: b }],
        }
    }

    /// The first differences with the sign of output k, the second with that of output k + h: minus for 2
    /// and 3 mod 4.
    fn signed(&self, k: Int, [[near, by], [above, other]]: [[Sym; 2]; 2]) -> [[Sym; 2]; 2] {
        let signed = |k: Int, x: Sym| select_real(k % 4, int(2), x, -x);
        [[near, signed(k, by)], [above, signed(k + (self.len % 4) as i64, other)]]
    }
}

/// Those of even outputs and of odd ones as those of outputs k and k + h; the same the other way.
fn even_first(k: Int, [[u, a], [v, b]]: [[Sym; 2]; 2]) -> [[Sym; 2]; 2] {
    let even = |x: Sym, y: Sym| select_real(k % 2, int(1), x, y);
    [[even(u, v), even(a, b)], [even(v, u), even(b, a)]]
}
