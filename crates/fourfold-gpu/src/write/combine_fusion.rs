//! Combine fusion: the last digit's DFTs and the combine of half spectra in one stage, in clusters,
//! where all threads have equally many DFTs, and no more than they can hold: half of the terms that
//! a thread combines are in its registers, and only the other half goes through shared memory.
//! (Without clusters that measured up to a fifth slower, but faster with a product and the first
//! DFTs back in the same stage.)
//!
//! DFT number j of a subline of L places has the frequencies h = j + M·q, q < r, with M = L/r. The
//! term that h is combined with, at L − 1 − h in sublines of frequencies b > 0 before, else at L −
//! h, is number r − 1 − q of the DFT at M − 1 − j or M − j: its *partner*. So each combines its
//! terms q < r/2 with the upper half of its partner's. Where b and j are 0, the partner is the DFT
//! itself with its number r − q, and terms 0 and r/2 are combined with themselves.

use crate::desc::combine::{CombineStep, HalfSpectra, TermRange};
use crate::desc::filter::{InnerProduct, SpectrumProduct};
use crate::desc::kernel::{KernelDesc, Packing};
use crate::desc::stage::{Port, Split, Stage, StageOp};
use crate::desc::table::RootTable;
use crate::ir::statement::{Int, Sym, int};
use crate::ir::trace::{barrier, if_less, loads_first, select, select_real, store_if_less};
use crate::write::dft::{Small, WITH_RESULTS, small_dft};
use crate::write::place::Address;
use crate::write::table::root;
use crate::write::writer::{Subline, Writer};
use fourfold::Precision;
use fourfold::engine::{C, unpack};

/// Complex numbers that a thread can hold.
pub(crate) const HELD: usize = 16;

/// Pairs of terms in `f32` that a thread multiplies before it stores the first of them, so that it waits
/// once for what it reads. Of more pairs some kernels spill what they read; in `f64` half as many have
/// as many registers.
const PAIRS: usize = 4;

impl KernelDesc {
    /// How many stages from number `i` on are done as one.
    pub(crate) fn fused_stages(&self, i: usize) -> usize {
        let (split, count) = match &self.stages[i..] {
            [
                Stage {
                    op: StageOp::Butterflies(Split { rader: None, .. }), from: Port::Buffer | Port::Array(_), ..
                },
                Stage { op: StageOp::ElementProduct(_) | StageOp::SignalProduct(_), .. },
                Stage {
                    op: StageOp::Butterflies(Split { rader: None, radix, .. }),
                    to: Port::Buffer | Port::Array(_),
                    ..
                },
                ..,
            ] if *radix <= WITH_RESULTS => return 3,
            [Stage { op: StageOp::Butterflies(split), from: Port::Buffer, to: Port::Buffer }, next, ..] => {
                match &next.op {
                    StageOp::HalfSpectraToLine { steps, .. } if steps.iter().all(CombineStep::takes_all) => (split, 2),
                    StageOp::SpectrumProduct(_) => (split, 3),
                    _ => return 1,
                }
            }
            [Stage { op: StageOp::LineToHalfSpectra { .. }, to: Port::Buffer, .. }, next, ..] => match &next.op {
                StageOp::Butterflies(split) => (split, 2),
                _ => return 1,
            },
            _ => return 1,
        };
        let is_packed = matches!(self.packing, Packing::TwoForOne | Packing::HalfLength) && split.radix % 2 == 0;
        let shares = self.cluster > 1 || count == 3 && self.interleaved();
        let fuses = shares && is_packed && split.rader.is_none() && self.rounds(split).is_some();
        if fuses { count } else { 1 }
    }

    /// Whether a product is one stage with the DFTs before and after it.
    pub(crate) fn fuses_product(&self) -> bool {
        let is_product = |stage: &Stage| matches!(stage.op, StageOp::SpectrumProduct(_));
        self.stages.iter().position(is_product).is_some_and(|i| i > 0 && self.fused_stages(i - 1) == 3)
    }

    /// Whether stage `i` is one with others.
    pub(crate) fn is_fused(&self, i: usize) -> bool {
        (0..=i.min(2)).any(|before| self.fused_stages(i - before) > before.max(1))
    }

    /// How many DFTs a thread has, if every one has as many, and can hold them.
    fn rounds(&self, split: &Split) -> Option<usize> {
        let total = split.count() / (self.before() * self.after()) * self.slots();
        let rounds = total / self.threads;
        let even = self.shared && total % self.threads == 0 && self.has_even_tiles();
        (even && self.range.last > self.range.first + 1 && rounds > 0 && rounds * split.radix <= HELD).then_some(rounds)
    }
}

/// One DFT of the last digit.
struct FusedDft {
    line: Subline,
    small: Small,
    /// Where its numbers are.
    own: Vec<Address>,
    /// Where those of its partner are.
    partner: Vec<Address>,
    /// The sum of its number and its subline's frequency: 0 where it has term 0.
    zero: Int,
}

impl FusedDft {
    /// `a` in the DFT that has term 0, else `b`.
    fn where_zero(&self, a: C<Sym>, b: C<Sym>) -> C<Sym> {
        let select = |a, b| select_real(self.zero, int(1), a, b);
        C { re: select(a.re, b.re), im: select(a.im, b.im) }
    }
}

impl Writer<'_> {
    /// Stages of which [`KernelDesc::fused_stages`] says that they are done as one.
    pub(crate) fn fused_combine(&self, stages: &[Stage]) {
        match stages.iter().map(|stage| &stage.op).collect::<Vec<_>>()[..] {
            [StageOp::Butterflies(split), StageOp::HalfSpectraToLine { n, roots, steps }] => {
                self.dfts_to_line(split, (*n, *roots), steps);
            }
            [StageOp::LineToHalfSpectra { n, roots, terms }, StageOp::Butterflies(split)] => {
                self.line_to_dfts(split, (*n, *roots), terms, &stages[1].to);
            }
            [StageOp::Butterflies(there), StageOp::SpectrumProduct(product), StageOp::Butterflies(back)] => {
                self.dfts_to_dfts([there, back], product, &stages[2].to);
            }
            [StageOp::Butterflies(there), StageOp::ElementProduct(product), StageOp::Butterflies(back)] => {
                self.dfts_of_products([there, back], product, [&stages[0].from, &stages[2].to]);
            }
            [StageOp::Butterflies(there), StageOp::SignalProduct(product), StageOp::Butterflies(back)] => {
                self.dfts_of_signals([there, back], product);
            }
            _ => unreachable!("other stages are not fused"),
        }
    }

    /// The spectra of a thread's DFTs, the upper halves of which are in shared memory, too.
    fn spectra(&self, split: &Split, dfts: &[FusedDft]) -> Vec<Vec<C<Sym>>> {
        let dft = |dft: &FusedDft| {
            let z: Vec<C<Sym>> = dft.own.iter().map(|at| self.load_shared(dft.line, *at)).collect();
            let twiddles = self.twiddles(split, &dft.small);
            let turned = z.into_iter().enumerate().map(|(q, z)| twiddles.before(split, q, z));
            small_dft(&turned.collect::<Vec<_>>())
        };
        let spectra: Vec<Vec<C<Sym>>> = dfts.iter().map(dft).collect();
        for (dft, z) in dfts.iter().zip(&spectra) {
            (split.radix / 2..split.radix).for_each(|q| self.store_shared(dft.line, dft.own[q], z[q]));
        }
        barrier();
        spectra
    }

    fn dfts_to_line(&self, split: &Split, n: (usize, RootTable), steps: &[CombineStep]) {
        let half = split.radix / 2;
        let dfts = self.fused_dfts(split);
        let spectra = self.spectra(split, &dfts);
        for (dft, z) in dfts.iter().zip(&spectra) {
            if_less(dft.zero, int(1), || self.ends_to_line(dft.line, n, steps, [z[0], z[half]]));
            loads_first(|| {
                for q in 0..half {
                    let mirror = self.load_shared(dft.line, self.partner_of(dft, q));
                    let stored = if q == 0 { dft.zero } else { int(1) };
                    store_if_less(int(0), stored, || {
                        self.inner_to_line(dft.line, self.frequency_of(split, dft, q), n, steps, [z[q], mirror]);
                    });
                }
            });
        }
    }

    fn line_to_dfts(&self, split: &Split, (n, roots): (usize, RootTable), terms: &HalfSpectra, to: &Port) {
        let half = split.radix / 2;
        let dfts = self.fused_dfts(split);
        let mut lower = vec![];
        for dft in &dfts {
            let mut list = vec![];
            loads_first(|| {
                let first = self.first_element(dft.line, terms);
                let middle = match self.desc.packing {
                    Packing::HalfLength => self.inner_elements(dft.line, int(n / 4), (n, roots), terms)[0],
                    _ => self.last_element(dft.line, terms),
                };
                for q in 0..half {
                    let k = self.frequency_of(split, dft, q);
                    let [z, mirror] = self.inner_elements(dft.line, k, (n, roots), terms);
                    let own = |a: C<Sym>, b: C<Sym>| if q == 0 { dft.where_zero(a, b) } else { b };
                    list.push(own(first, z));
                    self.store_shared(dft.line, self.partner_of(dft, q), own(middle, mirror));
                }
            });
            lower.push(list);
        }
        self.dfts_back(split, &dfts, lower, to);
    }

    /// The DFTs of terms whose upper halves are in shared memory, and the first term if it is not among
    /// the lower ones.
    fn dfts_back(&self, split: &Split, dfts: &[FusedDft], lower: Vec<Vec<C<Sym>>>, to: &Port) {
        let half = split.radix / 2;
        barrier();
        for (dft, lower) in dfts.iter().zip(lower) {
            let shared = |own: &[Address]| own.iter().map(|at| self.load_shared(dft.line, *at)).collect::<Vec<_>>();
            let z = [shared(&dft.own[..half - lower.len()]), lower, shared(&dft.own[half..])].concat();
            let twiddles = self.twiddles(split, &dft.small);
            let targets = self.small_addresses(&dft.small, to, dft.line);
            for (q, z) in small_dft(&z).into_iter().enumerate() {
                self.store(to, dft.line, targets[q], [0, usize::MAX], twiddles.after(split, q, z));
            }
        }
    }

    /// Terms of which the lower half is in registers are multiplied with those of partners, to which
    /// they go back: so no barrier is between a transform and the one back but those two of each
    /// alone.
    fn dfts_to_dfts(&self, [there, back]: [&Split; 2], product: &SpectrumProduct, to: &Port) {
        let half = there.radix / 2;
        let dfts = self.fused_dfts(there);
        let spectra = self.spectra(there, &dfts);
        let mut lower = vec![];
        for (dft, z) in dfts.iter().zip(&spectra) {
            if_less(dft.zero, int(1), || {
                let [first, middle] = self.ends_product(product, dft.line, [z[0], z[half]]);
                self.store_shared(dft.line, dft.own[0], first);
                self.store_shared(dft.line, dft.own[half], middle);
            });
            let terms: Vec<(usize, C<Sym>)> = z[..half].iter().copied().enumerate().collect();
            let mut list = vec![];
            for pairs in terms.chunks(PAIRS * Precision::F32.bytes() / self.desc.precision().bytes()) {
                loads_first(|| {
                    list.extend(pairs.iter().filter_map(|pair| self.pair_product(there, product, dft, *pair)))
                });
            }
            lower.push(list);
        }
        self.dfts_back(back, &dfts, lower, to);
    }

    /// What term q < r/2 becomes, whose partner's product is stored; so is that of term 0, where it has a
    /// partner.
    fn pair_product(
        &self,
        there: &Split,
        product: &SpectrumProduct,
        dft: &FusedDft,
        (q, z): (usize, C<Sym>),
    ) -> Option<C<Sym>> {
        let (at, k) = (self.partner_of(dft, q), self.frequency_of(there, dft, q));
        let mirror = self.load_shared(dft.line, at);
        let [z, mirror] = self.inner_product(product, all_inner(product), dft.line, [k - 1, k], [z, mirror]);
        if q > 0 {
            self.store_shared(dft.line, at, mirror);
            return Some(z);
        }
        store_if_less(int(0), dft.zero, || {
            self.store_shared(dft.line, dft.own[0], z);
            self.store_shared(dft.line, at, mirror);
        });
        None
    }

    /// What terms 0 and r/2 of the DFT that has term 0 become.
    fn ends_product(&self, product: &SpectrumProduct, line: Subline, [first, middle]: [C<Sym>; 2]) -> [C<Sym>; 2] {
        let middle = match self.desc.packing {
            Packing::HalfLength => {
                let k = product.n / 4;
                self.inner_product(product, all_inner(product), line, [k - 1, k].map(int), [middle; 2])[0]
            }
            _ => self.last_product(product, line, middle),
        };
        [self.first_product(product, line, first), middle]
    }

    fn load_shared(&self, line: Subline, at: Address) -> C<Sym> {
        self.load(&Port::Buffer, line, at, [0, usize::MAX])
    }

    fn store_shared(&self, line: Subline, at: Address, z: C<Sym>) {
        self.store(&Port::Buffer, line, at, [0, usize::MAX], z);
    }

    /// The DFTs of a thread.
    fn fused_dfts(&self, split: &Split) -> Vec<FusedDft> {
        let desc = self.desc;
        let count = split.count() / (desc.before() * desc.after());
        let rounds = desc.rounds(split).expect("as many for every thread");
        let dft = |round: usize| {
            let number = self.thread + (round * desc.threads) as i64;
            let (line, j) = match desc.has_hermitian_pairs() {
                true => {
                    let (line, j) = self.item(number, 2 * count);
                    (self.half_of(line, j / count as i64), j % count as i64)
                }
                false => self.item(number, count),
            };
            let small = self.small_of_frequency(split, line, j);
            let zero = j + line.frequency;
            let carry = select(line.frequency, int(1), int(1), int(0));
            let other = select(zero, int(1), int(0), int(count - 1) - j + carry);
            let mirror = self.other(line);
            let run = |line, small: &Small| self.small_addresses(small, &Port::Buffer, line);
            let partner = run(mirror, &self.small_of_frequency(split, mirror, other));
            FusedDft { own: run(line, &small), partner, line, small, zero }
        };
        (0..rounds).map(dft).collect()
    }

    /// Where the term is that term q < r/2 is combined with; where this is term 0, which has none,
    /// that in the middle.
    fn partner_of(&self, dft: &FusedDft, q: usize) -> Address {
        let radix = dft.own.len();
        let itself = if q == 0 { radix / 2 } else { radix - q };
        Address::select(dft.zero, int(1), dft.own[itself], dft.partner[radix - 1 - q])
    }

    /// Frequency k of term q; where that is 0, another.
    fn frequency_of(&self, split: &Split, dft: &FusedDft, q: usize) -> Int {
        let before = self.desc.before();
        let first = dft.small.frequency.expect("DFTs are numbered by frequency") * before as i64 + dft.line.frequency;
        let k = first + (q * split.inner) as i64;
        if q == 0 { select(dft.zero, int(1), int(1), k) } else { k }
    }

    /// Terms that are combined with themselves: number 0, and in the middle of all.
    fn ends_to_line(
        &self,
        line: Subline,
        (n, roots): (usize, RootTable),
        steps: &[CombineStep],
        [first, middle]: [C<Sym>; 2],
    ) {
        let pairs = self.desc.packing == Packing::HalfLength;
        for step in steps {
            match step.terms() {
                TermRange::First => self.write_step(step, line, int(0), &self.end_terms(TermRange::First, first)),
                TermRange::Last => {
                    let end = if pairs { first } else { middle };
                    self.write_step(step, line, int(0), &self.end_terms(TermRange::Last, end));
                }
                TermRange::Inner { .. } if pairs => {
                    let [term, _] = unpack(middle, middle, root(roots, int(n / 4)));
                    self.write_step(step, line, int(n / 4 - 1), &[term]);
                }
                TermRange::Inner { .. } => {}
            }
        }
    }

    fn inner_to_line(
        &self,
        line: Subline,
        k: Int,
        (n, roots): (usize, RootTable),
        steps: &[CombineStep],
        [z, mirror]: [C<Sym>; 2],
    ) {
        for step in steps.iter().filter(|step| matches!(step.terms(), TermRange::Inner { .. })) {
            let i = k - 1;
            match self.desc.packing {
                Packing::HalfLength => {
                    let [a, b] = unpack(z, mirror, root(roots, k));
                    self.write_step(step, line, i, &[a]);
                    self.write_step(step, line, int(n / 2 - 2) - i, &[b]);
                }
                _ => self.write_step(step, line, i, &self.separated(z, mirror)),
            }
        }
    }
}

/// What is done to all terms between the ends: an even number of reals has one step for them.
fn all_inner(product: &SpectrumProduct) -> &InnerProduct {
    &product.inner.first().expect("there are terms between the ends").product
}
