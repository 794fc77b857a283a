//! The tables of a kernel: where its numbers are, and how they are computed.
//!
//! Lowering needs only the places; only a plan asks for [the numbers](TableLayout::reals).

use crate::choose::radices::frequency;
use crate::desc::action::Action;
use crate::desc::chirp::half_count;
use crate::lower::multiplier::MultiplierTable;
use fourfold::engine::{Roots, Rotation, SymmetricLastPass, filled, generator_powers, rader_spectrum};
use fourfold::{Planner, Problem, Result};
use num_complex::Complex;

/// What is in the table of reals and in that of indices.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TableLayout {
    /// With the place of the first real of each.
    entries: Vec<(usize, Entry)>,
    /// Reals so far.
    len: usize,
    /// Primes whose generator's powers are in the table of indices.
    primes: Vec<usize>,
    /// Whether what is there already is not added again.
    pub(crate) shares: bool,
}

/// Reals that are next to one another in a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Entry {
    Reals(Vec<f64>),
    /// w^{jk} for the given j, w of this order; k runs over the values of the digits `before` in the
    /// order of the places.
    Twiddles {
        before: Vec<usize>,
        order: usize,
        powers: Vec<usize>,
    },
    /// w^{k·`step`} for k < `count`, w of this order.
    Roots {
        order: usize,
        step: usize,
        count: usize,
    },
    /// (cos, sin) of each, times a factor.
    Rotations(Rotation, f64),
    /// The matrix of the only one, row by row, times a factor.
    Rotation(Rotation, f64),
    /// Four reals for each k, times a factor.
    SymmetricLastPass(SymmetricLastPass, f64),
    /// Bluestein's chirp exp(−πi j(j + `shift`)/n), j < `count`.
    Chirp {
        n: usize,
        shift: usize,
        count: usize,
    },
    /// The spectrum that Bluestein's convolution multiplies by: the DFT of exp(πi j²/n)/M, |j| ≤ `extent`, where M is
    /// the product of the radices. The spectrum is even. So the table has numbers of a kernel on the digits from
    /// `first` on with frequencies b ≤ B/2 of the digits before, which have B values. For each value of the last digit,
    /// and for each b, the other digits are in the order of the places.
    ChirpSpectrum {
        n: usize,
        extent: usize,
        radices: Vec<usize>,
        first: usize,
    },
    /// The spectrum that Rader's convolution for a prime multiplies by: for each value of the last digit, the others in
    /// the order of the places.
    RaderSpectrum {
        p: usize,
        radices: Vec<usize>,
    },
    /// Factors of the plan's multiplier.
    Multiplier(MultiplierTable),
}

impl Entry {
    /// How many reals it has.
    fn len(&self) -> usize {
        match self {
            Entry::Reals(values) => values.len(),
            Entry::Twiddles { before, powers, .. } => 2 * powers.len() * before.iter().product::<usize>(),
            Entry::Roots { count, .. } => 2 * count,
            Entry::Rotations(rotation, _) => 2 * rotation.count,
            Entry::Rotation(..) => 4,
            Entry::SymmetricLastPass(rule, _) => 4 * (rule.len.div_ceil(2) - 1),
            Entry::Chirp { count, .. } => 2 * count,
            Entry::ChirpSpectrum { radices, first, .. } => {
                let [before, range] =
                    [&radices[..*first], &radices[*first..]].map(|part| part.iter().product::<usize>());
                2 * half_count(before) * range
            }
            Entry::RaderSpectrum { p, .. } => 2 * (p - 1),
            Entry::Multiplier(table) => table.len(),
        }
    }
}

impl TableLayout {
    /// Adds reals; where they begin.
    pub(crate) fn push(&mut self, entry: Entry) -> usize {
        let at = self.len;
        self.len += entry.len();
        self.entries.push((at, entry));
        at
    }

    /// The same of reals that are read two at once.
    pub(crate) fn push_pairs(&mut self, entry: Entry) -> usize {
        let known = |(at, known): &(usize, Entry)| (at % 2 == 0 && *known == entry).then_some(*at);
        if let Some(at) = self.entries.iter().filter(|_| self.shares).find_map(known) {
            return at;
        }
        self.len = self.len.next_multiple_of(2);
        self.push(entry)
    }

    /// Adds a few reals.
    pub(crate) fn push_reals(&mut self, values: &[f64]) -> usize {
        self.push(Entry::Reals(values.to_vec()))
    }

    /// Adds the powers of a prime's generator to the table of indices; where they begin.
    pub(crate) fn push_generator_powers(&mut self, p: usize) -> usize {
        let at = self.primes.iter().map(|p| p - 1).sum();
        self.primes.push(p);
        at
    }

    /// The table of indices.
    pub(crate) fn indices(&self) -> Vec<u32> {
        self.primes.iter().flat_map(|p| generator_powers(*p)).collect()
    }

    /// The table of reals, of a plan with this action.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub(crate) fn reals(&self, action: Option<&Action>) -> Result<Vec<f64>> {
        let mut table = filled(self.len, 0.0, format_args!("a table of {} numbers", self.len))?;
        for (at, entry) in &self.entries {
            let part = &mut table[*at..][..entry.len()];
            match (entry, action) {
                (Entry::Multiplier(table), Some(Action::Multiply(multiplier))) => table.write(multiplier, part),
                _ => part.copy_from_slice(&values(entry)?),
            }
        }
        Ok(table)
    }

    /// Bytes of the multiplier's factors in the table of reals.
    pub(crate) fn multiplier_bytes(&self) -> usize {
        let factors = |(_, entry): &(usize, Entry)| matches!(entry, Entry::Multiplier(_)).then(|| entry.len());
        self.entries.iter().filter_map(factors).sum::<usize>() * size_of::<f64>()
    }
}

/// The reals of an entry of any plan.
fn values(entry: &Entry) -> Result<Vec<f64>> {
    Ok(match entry {
        Entry::Reals(values) => values.clone(),
        Entry::Twiddles { before, order, powers } => reals(twiddles(before, *order, powers)),
        &Entry::Roots { order, step, count } => {
            let roots = Roots::new(order as u64);
            reals((0..count).map(|k| roots.get((k * step % order) as u64)))
        }
        Entry::Rotations(rotation, factor) => rotation.table().into_iter().flatten().map(|x| x * factor).collect(),
        Entry::Rotation(rotation, factor) => {
            let matrix = |entry: [f64; 2]| rotation.matrix(entry.map(|x| x * factor));
            rotation.table().into_iter().flat_map(matrix).collect()
        }
        Entry::SymmetricLastPass(rule, factor) => rule.table().into_iter().flatten().map(|x| factor * x).collect(),
        Entry::Chirp { n, shift, count } => reals(chirp(*n, *shift, *count)),
        Entry::ChirpSpectrum { n, extent, radices, first } => {
            let spectrum = chirp_spectrum(*n, *extent, radices.iter().product())?;
            half_by_last_digit(&spectrum, radices.split_at(*first))
        }
        Entry::RaderSpectrum { p, radices } => half_by_last_digit(&rader_spectrum(*p), (&[], radices)),
        Entry::Multiplier(_) => unreachable!("a plan that multiplies has a multiplier"),
    })
}

/// exp(−πi j(j + shift)/n). The products are reduced in integers, so that the angles are exact.
fn chirp(n: usize, shift: usize, count: usize) -> impl Iterator<Item = Complex<f64>> {
    let (order, roots) = (2 * n as u128, Roots::new(2 * n as u64));
    (0..count as u128).map(move |j| roots.get((j * (j + shift as u128) % order) as u64))
}

/// See [`Entry::ChirpSpectrum`].
fn chirp_spectrum(n: usize, extent: usize, m: usize) -> Result<Vec<Complex<f64>>> {
    let zeros = || filled(m, Complex::new(0.0, 0.0), format_args!("a convolution of {m} numbers"));
    let mut signal = zeros()?;
    for (j, c) in chirp(n, 0, extent + 1).enumerate() {
        let value = c.conj() / m as f64;
        signal[j] = value;
        signal[(m - j) % m] = value;
    }
    let mut spectrum = zeros()?;
    Planner::new().plan(&format!("fft f64 {m}").parse::<Problem>()?)?.execute(&signal, &mut spectrum)?;
    Ok(spectrum)
}

fn reals(values: impl IntoIterator<Item = Complex<f64>>) -> Vec<f64> {
    values.into_iter().flat_map(|z| [z.re, z.im]).collect()
}

fn twiddles(before: &[usize], order: usize, powers: &[usize]) -> impl Iterator<Item = Complex<f64>> {
    let inner: usize = before.iter().product();
    let roots = Roots::new(order as u64);
    let ks: Vec<usize> = (0..inner).map(|place| frequency(place, before)).collect();
    powers.iter().flat_map(move |j| ks.iter().map(move |k| j * k).collect::<Vec<_>>()).map(move |i| roots.get(i as u64))
}

/// See [`Entry::ChirpSpectrum`]. Number b + B · k has the digits before as b, and those of the range as k. Without digits
/// before, these are all numbers.
fn half_by_last_digit(spectrum: &[Complex<f64>], (before, range): (&[usize], &[usize])) -> Vec<f64> {
    let count: usize = before.iter().product();
    let last = range.last().copied().unwrap_or(1);
    let numbers: Vec<usize> = (0..range.iter().product()).map(|place| count * frequency(place, range)).collect();
    let row = |value: usize, b: usize| numbers.iter().skip(value).step_by(last).map(move |number| spectrum[b + number]);
    reals((0..last).flat_map(|value| (0..half_count(count)).flat_map(move |b| row(value, b))))
}
