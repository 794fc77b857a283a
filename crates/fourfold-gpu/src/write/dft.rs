//! Passes of butterflies: the core's mixed-radix rule, where the numbers stand.

use crate::desc::chirp::half_count;
use crate::desc::stage::{Port, Rader, Split};
use crate::ir::statement::{Array, Int, Sym, int};
use crate::ir::trace::{cluster_arrive, cluster_wait, if_less, select};
use crate::write::place::{Address, Run};
use crate::write::table::{Column, coefficient};
use crate::write::writer::{Subline, Writer};
use fourfold::engine::{C, Dft, Real, Roots, gcd, prime_factors};

/// The most numbers of a DFT that registers hold beside its results.
pub(crate) const WITH_RESULTS: usize = 32;

impl Writer<'_> {
    pub(crate) fn butterflies(&self, split: &Split, from: &Port, to: &Port) {
        // Only those of the subline.
        let (groups, inner) = (split.groups / self.desc.after(), split.inner / self.desc.before());
        let count = split.count() / (self.desc.before() * self.desc.after());
        let (late, reads, writes) = (self.waits_late(count), self.lane_pairs(0, from), self.lane_pairs(1, to));
        if *to == Port::Cluster && !late {
            cluster_wait();
        }
        self.items(count, |line, item| {
            let item = if reads.or(writes).is_some() { self.lane_pair_item(count, line, item) } else { item };
            let dft = || self.lane_dft(split.radix, count, line, item);
            let small = match &split.rader {
                Some(rader) => self.small_of_rader(split, rader, line, item),
                None => self.small(split, [groups, inner], line, item, to),
            };
            let sources = if reads.is_some() { vec![] } else { self.kept_sources(split, from, line, &small) };
            let load = |j: usize| self.load_kept(split, from, line, (&small, j), sources[j]);
            // What takes longest is asked for first: twiddles are often in a cache.
            let outside: Vec<C<Sym>> = match (reads, from.chirped()) {
                (Some(view), _) => self.read_lane_pairs(view, line, dft()),
                (_, Some((view, chirp))) => self.read_chirped(view, chirp, line, sources[0].at, split.radix),
                _ => (0..split.radix).filter(|_| from.is_outside()).map(load).collect(),
            };
            let twiddles = self.twiddles(split, &small);
            let number = |j: usize| outside.get(j).copied().unwrap_or_else(|| load(j));
            let z: Vec<C<Sym>> = (0..split.radix).map(|j| twiddles.before(split, j, number(j))).collect();
            let targets = if writes.is_some() { vec![] } else { self.small_targets(&small, to, line, split) };
            self.move_first(split, line, item, [from, to]);
            if *to == Port::ClusterSlices {
                // Elsewhere this memory may still be read.
                cluster_arrive();
            }
            match (writes, to.chirped()) {
                (Some(view), _) => return self.write_lane_pairs(view, line, &small_dft(&z), dft()),
                (_, Some((view, chirp))) => {
                    return self.write_chirped(view, chirp, line, targets[0].at, &small_dft(&z));
                }
                _ => {}
            }
            each_of_small_dft(&z, *to == Port::ClusterSlices || *to == Port::Cluster && late, |j, z| {
                let range = if split.inverse { split.elements(j) } else { [0, usize::MAX] };
                let store = || self.store(to, line, targets[j], range, twiddles.after(split, j, z));
                match self.kept_frequency(split, to, &small, j) {
                    Some([frequency, end]) => if_less(frequency, end, store),
                    None => store(),
                }
            });
        });
    }

    /// Small DFTs of the last digit, a product with each result, and small DFTs back. Two forward
    /// DFTs reverse the sequence: so the parts are exchanged between them.
    pub(crate) fn convolve_line(&self, split: &Split, spectrum: usize, from: &Port, to: &Port) {
        let inner = split.inner / self.desc.before();
        self.items(inner, |line, item| {
            let small = self.small_at(split, [1, inner], line, [item, int(0)]);
            let spectrum_at = self.half_spectrum(split, spectrum, line, item);
            let product = |j: usize, z: C<Sym>| z.mul(spectrum_at(j)).swap();
            self.there_and_back(split, &small, line, [from, to], product);
        });
    }

    /// A small DFT, a product with each result, and a small DFT of these.
    pub(crate) fn there_and_back(
        &self,
        split: &Split,
        small: &Small,
        line: Subline,
        [from, to]: [&Port; 2],
        product: impl Fn(usize, C<Sym>) -> C<Sym>,
    ) {
        let (back, range) = (Split { inverse: true, ..*split }, [0, usize::MAX]);
        let from_addresses = self.small_addresses(small, from, line);
        let z: Vec<C<Sym>> = from_addresses.iter().map(|at| self.load(from, line, *at, range)).collect();
        let twiddles = self.twiddles(split, small);
        let z: Vec<C<Sym>> = z.into_iter().enumerate().map(|(j, z)| twiddles.before(split, j, z)).collect();
        let products: Vec<C<Sym>> = small_dft(&z).into_iter().enumerate().map(|(j, z)| product(j, z)).collect();
        let to_addresses = self.small_addresses(small, to, line);
        for (j, z) in small_dft(&products).into_iter().enumerate() {
            self.store(to, line, to_addresses[j], range, twiddles.after(&back, j, z));
        }
    }

    /// Numbers of a convolution's spectrum, by the value of the last digit: of column `k` of the line's frequency b, or
    /// of the mirror image, since the spectrum is even. Digits before the range have B values, and those of the range
    /// have K. So frequency −b − B · κ is B − b + B · (K − 1 − κ), and digits of the range count from their ends.
    fn half_spectrum(&self, split: &Split, spectrum: usize, line: Subline, k: Int) -> impl Fn(usize) -> C<Sym> {
        let before = self.desc.before();
        let (inner, rows) = (split.inner / before, half_count(before));
        let (row, of_value) = (line.frequency, rows * inner);
        let end = (split.radix - 1) * of_value + inner - 1;
        let either = |x: Int, image: Int| select(row, int(rows), x, image);
        let first = either(row, int(before) - row) * inner as i64 + either(k, int(end) - k);
        let step = either(int(of_value), int(0) - of_value as i64);
        move |j| coefficient(spectrum, first + step * j as i64)
    }

    /// Small DFT number `item`. Those that write a spectrum to an array are numbered by frequency,
    /// so that neighbouring threads write neighbours.
    pub(crate) fn small(
        &self,
        split: &Split,
        [groups, inner]: [usize; 2],
        line: Subline,
        item: Int,
        to: &Port,
    ) -> Small {
        if split.is_by_frequency(to) {
            return self.small_of_frequency(split, line, item);
        }
        let (k, g) = if groups == 1 { (item, int(0)) } else { (item / groups as i64, item % groups as i64) };
        self.small_at(split, [groups, inner], line, [k, g])
    }

    /// The small DFT of the range's last digit whose first result has this frequency, in units of
    /// the digits before the range.
    pub(crate) fn small_of_frequency(&self, split: &Split, line: Subline, frequency: Int) -> Small {
        let (range, last) = (self.desc.range, self.desc.range.last - 1);
        let k = self.place_of(frequency, &self.desc.digits[range.first..last]);
        let small = self.small_at(split, [1, split.inner / self.desc.before()], line, [k, int(0)]);
        Small { frequency: Some(frequency), ..small }
    }

    /// The small DFT of values k of the digits before it in the range and g of those after.
    pub(crate) fn small_at(
        &self,
        split: &Split,
        [groups, inner]: [usize; 2],
        line: Subline,
        [k, g]: [Int; 2],
    ) -> Small {
        Small {
            run: Some(Run { base: k * (groups * split.radix) as i64 + g, step: groups, count: split.radix }),
            places: vec![],
            column: Column { line: Some(line), k, inner },
            frequency: None,
            outer: None,
        }
    }

    /// The small DFT of other values k of the digits before it.
    pub(crate) fn small_beside(&self, split: &Split, line: Subline, small: &Small, k: Int) -> Small {
        let run = small.run.expect("digits of one stage have runs");
        let others = run.base - small.column.k * (run.step * run.count) as i64;
        self.small_at(split, [run.step, small.column.inner], line, [k, others])
    }

    /// Small DFT number `item` of those that a prime has become.
    pub(crate) fn small_of_rader(&self, split: &Split, whole: &Rader, line: Subline, item: Int) -> Small {
        let rader = self.in_range(whole);
        let count = (split.inner * split.groups) as i64;
        let (number, item) = (item / count, item % count);
        let (k, g) = (item / split.groups as i64, item % split.groups as i64);
        let base = k * (split.groups * split.radix) as i64 + g;
        let values: Vec<Int> = (0..split.radix)
            .map(|j| Array::Indices.load_int(base + (j * split.groups + rader.powers) as i64))
            .collect();
        let first = rader.first(number);
        let places = values.iter().map(|value| *value * rader.groups as i64 + first).collect();
        let column = Column { line: Some(line), k: number / rader.groups as i64, inner: rader.inner };
        let outer = rader
            .twiddles
            .map(|table| values.iter().map(|v| self.twiddle(&table, *v - 1, &column, whole.inner)).collect());
        let column = Column { line: None, k, inner: split.inner };
        Small { run: None, places, column, frequency: None, outer }
    }

    pub(crate) fn small_addresses(&self, small: &Small, port: &Port, line: Subline) -> Vec<Address> {
        match small.run {
            Some(run) => self.addresses(port, line, run),
            None => {
                let single = |place: &Int| self.addresses(port, line, Run { base: *place, step: 1, count: 1 })[0];
                small.places.iter().map(single).collect()
            }
        }
    }

    /// Where the results go: their places, or their frequencies.
    fn small_targets(&self, small: &Small, to: &Port, line: Subline, split: &Split) -> Vec<Address> {
        let Some(frequency) = small.frequency else { return self.small_addresses(small, to, line) };
        let before = self.desc.before();
        let first = frequency * before as i64 + line.frequency;
        (0..split.radix).map(|j| (first + (j * split.inner) as i64).into()).collect()
    }

    /// The twiddles of a small DFT: those of powers of four are read, the others are their squares, and products of
    /// both. (To square takes less time than to read. On an H200 `dct3 f32 8192x8192` took 441 µs with all powers of two
    /// read, 435 so, and `dct2 f32 4096x4096` 90.0 and 89.2. If only w is read, errors are 1.8 times as large.)
    pub(crate) fn twiddles(&self, split: &Split, small: &Small) -> Twiddles {
        if let Some(outer) = &small.outer {
            return Twiddles(outer.iter().copied().map(Some).collect());
        }
        if split.inner == 1 {
            return Twiddles(vec![None; split.radix]);
        }
        let mut list: Vec<C<Sym>> = vec![];
        for j in 1..split.radix {
            let (bit, of) = (j.ilog2() as usize, |j: usize| list[j - 1]);
            let twiddle = match j - (1 << bit) {
                0 if bit % 2 == 0 => self.twiddle(&split.twiddles, int(bit / 2), &small.column, split.inner),
                0 => of(j / 2).mul(of(j / 2)),
                rest => of(1 << bit).mul(of(rest)),
            };
            list.push(twiddle);
        }
        Twiddles(std::iter::once(None).chain(list.into_iter().map(Some)).collect())
    }
}

impl Rader {
    /// The place of value 0 of digit number `number`.
    pub(crate) fn first(&self, number: Int) -> Int {
        let (groups, radix) = (self.groups as i64, self.length as i64 + 1);
        number / groups * (groups * radix) + number % groups
    }
}

/// One small DFT.
pub(crate) struct Small {
    /// Its places in the subline, or each of them.
    run: Option<Run>,
    places: Vec<Int>,
    /// That of its twiddles.
    pub(crate) column: Column,
    /// The frequency of its first result, in units of the digits before the range.
    pub(crate) frequency: Option<Int>,
    /// Twiddles of the digit that is convolved, for each element.
    outer: Option<Vec<C<Sym>>>,
}

/// Factors of the elements; none stands for 1.
pub(crate) struct Twiddles(Vec<Option<C<Sym>>>);

impl Twiddles {
    fn multiply(&self, j: usize, z: C<Sym>) -> C<Sym> {
        self.0[j].map_or(z, |w| z.mul(w))
    }

    /// What the DFT of a signal begins with.
    pub(crate) fn before(&self, split: &Split, j: usize, z: C<Sym>) -> C<Sym> {
        if split.inverse { z } else { self.multiply(j, z) }
    }

    /// What one of a spectrum ends with.
    pub(crate) fn after(&self, split: &Split, j: usize, z: C<Sym>) -> C<Sym> {
        if split.inverse { self.multiply(j, z) } else { z }
    }
}

/// The DFT of as many numbers as there are: the core's butterflies, and sums for larger primes.
pub(crate) fn small_dft(z: &[C<Sym>]) -> Vec<C<Sym>> {
    match *z {
        [a, b] => [a, b].dft().to_vec(),
        [a, b, c] => [a, b, c].dft().to_vec(),
        [a, b, c, d] => [a, b, c, d].dft().to_vec(),
        _ => match z.len() {
            5 => core_dft::<5>(z),
            6 => core_dft::<6>(z),
            7 => core_dft::<7>(z),
            8 => core_dft::<8>(z),
            9 => core_dft::<9>(z),
            10 => core_dft::<10>(z),
            11 => core_dft::<11>(z),
            12 => core_dft::<12>(z),
            13 => core_dft::<13>(z),
            14 => core_dft::<14>(z),
            15 => core_dft::<15>(z),
            16 => core_dft::<16>(z),
            n if prime_factors(n).len() == 1 => {
                let mut y = z.to_vec();
                odd_dft(z, |k, term| y[k] = term);
                y
            }
            _ => product_dft(z),
        },
    }
}

/// The same, to be stored, if it `waits`, when all of the cluster have arrived. Registers have no room
/// for all results of large DFTs beside what they are computed from: so each is stored as soon as it is
/// known.
fn each_of_small_dft(z: &[C<Sym>], waits: bool, mut store: impl FnMut(usize, C<Sym>)) {
    let large = z.len() > WITH_RESULTS;
    let terms = if large { vec![] } else { small_dft(z) };
    if waits {
        cluster_wait();
    }
    match large {
        true => odd_dft(z, store),
        false => terms.into_iter().enumerate().for_each(|(j, z)| store(j, z)),
    }
}

fn core_dft<const R: usize>(z: &[C<Sym>]) -> Vec<C<Sym>>
where
    [C<Sym>; R]: Dft,
{
    let z: [C<Sym>; R] = z.try_into().expect("as many as the radix");
    z.dft().into_iter().collect()
}

/// The DFT of an odd number R = 2H + 1 of elements: with s_j = x_j + x_{R−j} and d_j = x_j − x_{R−j},
/// y_k = x_0 + Σ_{j≤H} s_j cos(2πjk/R) − i Σ_{j≤H} d_j sin(2πjk/R), and y_{R−k} has + i. For primes
/// this takes fewer trips through shared memory than a convolution. Term by term, each as soon as it is
/// known.
fn odd_dft(z: &[C<Sym>], mut each: impl FnMut(usize, C<Sym>)) {
    let (count, half, roots) = (z.len(), z.len() / 2, Roots::new(z.len() as u64));
    let pairs: Vec<_> = (1..=half).map(|j| [z[j] + z[count - j], z[j] - z[count - j]]).collect();
    each(0, pairs.iter().fold(z[0], |sum, [s, _]| sum + *s));
    for k in 1..=half {
        let (mut even, mut odd) = (z[0], C { re: Sym::lit(0.0), im: Sym::lit(0.0) });
        for (j, [s, d]) in (1..).zip(&pairs) {
            let w = roots.get((j * k % count) as u64);
            let (cos, sin) = (Sym::lit(w.re), Sym::lit(-w.im));
            even = C { re: s.re.mul_add(cos, even.re), im: s.im.mul_add(cos, even.im) };
            odd = C { re: d.re.mul_add(sin, odd.re), im: d.im.mul_add(sin, odd.im) };
        }
        each(k, even + odd.times_minus_i());
        each(count - k, even + odd.times_i());
    }
}

/// The DFT of a product R = AB of two factors, as B DFTs of A elements and then A of B. Element
/// n = Bn₁ + n₂ becomes term k = k₁ + Ak₂, with twiddles exp(−2πi n₂k₁/R) between. Without a common
/// divisor, n = Bn₁ + An₂ becomes the term k with k mod A = k₁ and k mod B = k₂, without twiddles
/// (Good and Thomas).
fn product_dft(z: &[C<Sym>]) -> Vec<C<Sym>> {
    let (count, [a, b]) = (z.len(), two_factors(z.len()));
    let (coprime, roots) = (gcd(a, b) == 1, Roots::new(count as u64));
    let element = |n1: usize, n2: usize| z[(b * n1 + if coprime { a * n2 } else { n2 }) % count];
    let first: Vec<_> = (0..b).map(|n2| small_dft(&(0..a).map(|n1| element(n1, n2)).collect::<Vec<_>>())).collect();
    let twiddled = |n2: usize, k1: usize| match (coprime, n2 * k1) {
        (true, _) | (_, 0) => first[n2][k1],
        (false, turns) => {
            let w = roots.get(turns as u64);
            first[n2][k1].mul(C { re: Sym::lit(w.re), im: Sym::lit(w.im) })
        }
    };
    let second: Vec<_> = (0..a).map(|k1| small_dft(&(0..b).map(|n2| twiddled(n2, k1)).collect::<Vec<_>>())).collect();
    let term = |k: usize| if coprime { second[k % a][k % b] } else { second[k % a][k / a] };
    (0..count).map(term).collect()
}

/// Two factors of a number that is not prime: without a common divisor if there are such, then near to
/// each other.
fn two_factors(n: usize) -> [usize; 2] {
    let ways = (2..n).filter(|a| n % a == 0).map(|a| [a, n / a]).filter(|[a, b]| a <= b);
    ways.min_by_key(|[a, b]| (gcd(*a, *b) > 1, b - a)).expect("a butterfly's radix that is a product")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::statement::Statement;
    use crate::ir::trace::record;

    /// Those of numbers that are known are numbers again.
    #[test]
    fn every_radix_is_a_dft() {
        let primes = (WITH_RESULTS..64).filter(|n| prime_factors(*n).len() == 1);
        for n in (2..=WITH_RESULTS).chain(primes) {
            let x: Vec<[f64; 2]> = (0..n).map(|i| [(i * i % 7) as f64 - 3.0, (i * 5 % 11) as f64 - 4.0]).collect();
            let mut y = vec![];
            let z: Vec<C<Sym>> = x.iter().map(|x| C { re: Sym::lit(x[0]), im: Sym::lit(x[1]) }).collect();
            let left: Vec<Statement> = record(|| y = small_dft(&z));
            assert!(left.is_empty(), "{n}: something is left to compute");
            for (k, y) in y.iter().enumerate() {
                let roots = Roots::new(n as u64);
                let term = |(i, x): (usize, &[f64; 2])| {
                    let w = roots.get((i * k % n) as u64);
                    [x[0] * w.re - x[1] * w.im, x[0] * w.im + x[1] * w.re]
                };
                let sum = x.iter().enumerate().map(term).fold([0.0, 0.0], |s, t| [s[0] + t[0], s[1] + t[1]]);
                let (crate::ir::statement::Var::Lit(re), crate::ir::statement::Var::Lit(im)) = (y.re, y.im) else {
                    panic!("{n}")
                };
                assert!((re - sum[0]).abs() + (im - sum[1]).abs() < 1e-13, "{n}: term {k}");
            }
        }
    }
}
