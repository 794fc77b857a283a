//! The tables of a kernel: where its numbers are, and how they are computed.
//!
//! Lowering needs only the places; only a plan asks for [the numbers](TableLayout::reals).

use crate::choose::radices::frequency;
use crate::desc::action::Action;
use crate::lower::multiplier::MultiplierTable;
use fourfold::Result;
use fourfold::engine::{
    Roots, Rotation, SymmetricLastPass, bluestein_tables, factors as core_factors, filled, generator_powers,
    rader_spectrum,
};
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
    /// w^{jk} of N = r · Π `before` for the given j; k runs over the values of the digits `before`
    /// in the order of the places.
    Twiddles {
        before: Vec<usize>,
        radix: usize,
        powers: Vec<usize>,
    },
    /// w_n^k for k < n/2.
    Roots(usize),
    /// (cos, sin) of each, times a factor.
    Rotations(Rotation, f64),
    /// The matrix of the only one, row by row, times a factor.
    Rotation(Rotation, f64),
    /// Four reals for each k, times a factor.
    SymmetricLastPass(SymmetricLastPass, f64),
    /// Bluestein's chirp for `n` elements.
    Chirp {
        n: usize,
        room: usize,
    },
    /// The spectrum that Bluestein's convolution multiplies by, in the order of the places.
    ChirpSpectrum {
        n: usize,
        radices: Vec<usize>,
    },
    /// The spectrum that Rader's convolution for a prime multiplies by, in the same order.
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
            Entry::Roots(n) => n / 2 * 2,
            Entry::Rotations(rotation, _) => 2 * rotation.count,
            Entry::Rotation(..) => 4,
            Entry::SymmetricLastPass(rule, _) => 4 * (rule.len.div_ceil(2) - 1),
            Entry::Chirp { n, .. } => 2 * n,
            Entry::ChirpSpectrum { radices, .. } => 2 * radices.iter().product::<usize>(),
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
        let mut bluestein = Bluestein::default();
        let mut table = filled(self.len, 0.0, format_args!("a table of {} numbers", self.len))?;
        for (at, entry) in &self.entries {
            let part = &mut table[*at..][..entry.len()];
            match (entry, action) {
                (Entry::Multiplier(table), Some(Action::Multiply(multiplier))) => table.write(multiplier, part),
                _ => part.copy_from_slice(&values(entry, &mut bluestein)),
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

/// The tables of Bluestein's convolution that were computed last: two entries need them.
#[derive(Default)]
struct Bluestein {
    n: usize,
    chirp: Vec<Complex<f64>>,
    spectrum: Vec<Complex<f64>>,
}

impl Bluestein {
    fn of(&mut self, n: usize, room: usize) -> &Bluestein {
        if (self.n, self.spectrum.len()) != (n, room) {
            // By factors that the core has butterflies for.
            let (chirp, spectrum) = bluestein_tables(n, &core_factors(room));
            *self = Bluestein { n, chirp, spectrum };
        }
        self
    }
}

/// The reals of an entry of any plan.
fn values(entry: &Entry, bluestein: &mut Bluestein) -> Vec<f64> {
    match entry {
        Entry::Reals(values) => values.clone(),
        Entry::Twiddles { before, radix, powers } => reals(twiddles(before, *radix, powers)),
        Entry::Roots(n) => {
            let roots = Roots::new(*n as u64);
            reals((0..*n as u64 / 2).map(|k| roots.get(k)))
        }
        Entry::Rotations(rotation, factor) => rotation.table().into_iter().flatten().map(|x| x * factor).collect(),
        Entry::Rotation(rotation, factor) => {
            let matrix = |entry: [f64; 2]| rotation.matrix(entry.map(|x| x * factor));
            rotation.table().into_iter().flat_map(matrix).collect()
        }
        Entry::SymmetricLastPass(rule, factor) => rule.table().into_iter().flatten().map(|x| factor * x).collect(),
        Entry::Chirp { n, room } => reals(bluestein.of(*n, *room).chirp.iter().copied()),
        Entry::ChirpSpectrum { n, radices } => reversed(&bluestein.of(*n, radices.iter().product()).spectrum, radices),
        Entry::RaderSpectrum { p, radices } => reversed(&rader_spectrum(*p), radices),
        Entry::Multiplier(_) => unreachable!("a plan that multiplies has a multiplier"),
    }
}

fn reals(values: impl IntoIterator<Item = Complex<f64>>) -> Vec<f64> {
    values.into_iter().flat_map(|z| [z.re, z.im]).collect()
}

fn twiddles(before: &[usize], radix: usize, powers: &[usize]) -> impl Iterator<Item = Complex<f64>> {
    let inner: usize = before.iter().product();
    let roots = Roots::new((inner * radix) as u64);
    let ks: Vec<usize> = (0..inner).map(|place| frequency(place, before)).collect();
    powers.iter().flat_map(move |j| ks.iter().map(move |k| j * k).collect::<Vec<_>>()).map(move |i| roots.get(i as u64))
}

/// A spectrum in the order of the places.
fn reversed(spectrum: &[Complex<f64>], radices: &[usize]) -> Vec<f64> {
    reals((0..spectrum.len()).map(|place| spectrum[frequency(place, radices)]))
}
