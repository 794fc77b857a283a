//! Combine fusion: the last digit's DFTs and the combine of half spectra in one stage. That is so in clusters, and in
//! blocks where it pays, if all threads have equally many DFTs, and no more than they can hold. Half of the terms that a thread
//! combines are in its registers, and only the other half comes [from elsewhere](crate::write::partners). (With a
//! product and the first DFTs back in the same stage it measured faster in all blocks whose columns are interleaved.)
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
use crate::ir::trace::{barrier, forget_roots, if_less, loads_first, store_if_less};
use crate::write::dft::{WITH_RESULTS, small_dft};
use crate::write::partners::{FusedDft, Partners};
use crate::write::place::Address;
use crate::write::table::root;
use crate::write::writer::{Subline, Writer};
use fourfold::Precision;
use fourfold::engine::{C, unpack};

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
        let shares = match count {
            3 => self.cluster > 1 || self.interleaved(),
            _ => self.cluster > 1 || self.partners(split) != Partners::Block,
        };
        let fuses = shares && is_packed && split.rader.is_none() && self.rounds(split).is_some();
        if fuses { count } else { 1 }
    }

    /// Whether a product is one stage with the DFTs before and after it.
    pub(crate) fn fuses_product(&self) -> bool {
        let is_product = |stage: &Stage| matches!(stage.op, StageOp::SpectrumProduct(_));
        self.stages.iter().position(is_product).is_some_and(|i| i > 0 && self.fused_stages(i - 1) == 3)
    }

    /// Whether terms of partners are in other threads of a warp.
    pub(crate) fn exchanges_terms(&self) -> bool {
        self.combine_partners() == Some(Partners::Warp)
    }

    /// Where partners are, if the last DFTs and the combine are one stage.
    pub(crate) fn combine_partners(&self) -> Option<Partners> {
        (0..self.stages.len()).filter(|i| self.fused_stages(*i) == 2).find_map(|i| {
            let split = |stage: &Stage| if let StageOp::Butterflies(split) = stage.op { Some(split) } else { None };
            self.stages[i..i + 2].iter().find_map(split).map(|split| self.partners(&split))
        })
    }

    /// Whether stage `i` is one with others.
    pub(crate) fn is_fused(&self, i: usize) -> bool {
        (0..=i.min(2)).any(|before| self.fused_stages(i - before) > before.max(1))
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

    /// The spectra of a thread's DFTs.
    fn spectra(&self, split: &Split, dfts: &[FusedDft]) -> Vec<Vec<C<Sym>>> {
        let dft = |dft: &FusedDft| {
            let z: Vec<C<Sym>> = dft.own.iter().map(|at| self.load_shared(dft.line, *at)).collect();
            let twiddles = self.twiddles(split, &dft.small);
            let turned = z.into_iter().enumerate().map(|(q, z)| twiddles.before(split, q, z));
            small_dft(&turned.collect::<Vec<_>>())
        };
        dfts.iter().map(dft).collect()
    }

    fn dfts_to_line(&self, split: &Split, n: (usize, RootTable), steps: &[CombineStep]) {
        let (half, partners) = (split.radix / 2, self.desc.partners(split));
        let dfts = self.fused_dfts(split, partners);
        let spectra = self.spectra(split, &dfts);
        let mirrors = match partners {
            Partners::Block => {
                self.share_upper_terms(&dfts, &spectra);
                None
            }
            _ => Some(self.mirror_terms(partners, &dfts, &spectra)),
        };
        for (i, (dft, z)) in dfts.iter().zip(&spectra).enumerate() {
            if_less(dft.zero, int(1), || self.ends_to_line(dft.line, n, steps, [z[0], z[half]]));
            loads_first(|| {
                for q in lower_terms(half) {
                    let shared = || self.load_shared(dft.line, dft.partner_of(q));
                    let mirror = mirrors.as_ref().map_or_else(shared, |mirrors| mirrors[i][q]);
                    let stored = if q == 0 { dft.zero } else { int(1) };
                    store_if_less(int(0), stored, || {
                        self.inner_to_line(dft.line, dft.frequency_of(split, q), n, steps, [z[q], mirror]);
                    });
                }
            });
        }
    }

    fn line_to_dfts(&self, split: &Split, (n, roots): (usize, RootTable), terms: &HalfSpectra, to: &Port) {
        let (half, partners) = (split.radix / 2, self.desc.partners(split));
        let dfts = self.fused_dfts(split, partners);
        let (mut lower, mut mirrors) = (vec![], vec![]);
        for dft in &dfts {
            let zero = C { re: Sym::lit(0.0), im: Sym::lit(0.0) };
            let [mut own, mut others] = [vec![zero; half], vec![zero; half]];
            loads_first(|| {
                let first = self.first_element(dft.line, terms);
                let middle = match self.desc.packing {
                    Packing::HalfLength => self.inner_elements(dft.line, int(n / 4), (n, roots), terms)[0],
                    _ => self.last_element(dft.line, terms),
                };
                for q in lower_terms(half) {
                    let both = self.inner_elements(dft.line, dft.frequency_of(split, q), (n, roots), terms);
                    let [z, mirror] = match q {
                        0 => [dft.where_zero(first, both[0]), dft.where_zero(middle, both[1])],
                        _ => both,
                    };
                    if partners == Partners::Block {
                        self.store_shared(dft.line, dft.partner_of(q), mirror);
                    }
                    (own[q], others[q]) = (z, mirror);
                }
            });
            lower.push(own.into_iter().map(Some).collect::<Vec<_>>());
            mirrors.push(others);
        }
        let upper = match partners {
            Partners::Block => vec![vec![None; half]; dfts.len()],
            _ => self.upper_terms(partners, &dfts, &mirrors),
        };
        let terms: Vec<_> = lower.into_iter().zip(upper).map(|(lower, upper)| [lower, upper].concat()).collect();
        self.dfts_back(split, &dfts, &terms, to);
    }

    /// The DFTs of terms. Those that are not there are in shared memory.
    fn dfts_back(&self, split: &Split, dfts: &[FusedDft], terms: &[Vec<Option<C<Sym>>>], to: &Port) {
        if terms.iter().flatten().any(Option::is_none) {
            barrier();
        }
        for (dft, terms) in dfts.iter().zip(terms) {
            let shared = |at: &Address| self.load_shared(dft.line, *at);
            let number = |(at, term): (&Address, &Option<C<Sym>>)| term.unwrap_or_else(|| shared(at));
            let z: Vec<C<Sym>> = dft.own.iter().zip(terms).map(number).collect();
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
        let dfts = self.fused_dfts(there, Partners::Block);
        let spectra = self.spectra(there, &dfts);
        self.share_upper_terms(&dfts, &spectra);
        let mut terms = vec![vec![None; there.radix]; dfts.len()];
        for ((dft, z), terms) in dfts.iter().zip(&spectra).zip(&mut terms) {
            if_less(dft.zero, int(1), || {
                let [first, middle] = self.ends_product(product, dft.line, [z[0], z[half]]);
                self.store_shared(dft.line, dft.own[0], first);
                self.store_shared(dft.line, dft.own[half], middle);
            });
            let lower: Vec<usize> = lower_terms(half).collect();
            for some in lower.chunks(PAIRS * Precision::F32.bytes() / self.desc.precision().bytes()) {
                // Roots of all pairs at once are more than registers hold.
                forget_roots();
                loads_first(|| {
                    some.iter().for_each(|&q| terms[q] = self.pair_product(there, product, dft, (q, z[q])));
                });
            }
        }
        self.dfts_back(back, &dfts, &terms, to);
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
        let (at, k) = (dft.partner_of(q), dft.frequency_of(there, q));
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

    pub(crate) fn load_shared(&self, line: Subline, at: Address) -> C<Sym> {
        self.load(&Port::Buffer, line, at, [0, usize::MAX])
    }

    pub(crate) fn store_shared(&self, line: Subline, at: Address, z: C<Sym>) {
        self.store(&Port::Buffer, line, at, [0, usize::MAX], z);
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

/// The numbers of the lower half of a DFT's terms. Number 0 comes last: another root stands in for that of term 0 of
/// all, so that no root follows from it, but it follows from others.
fn lower_terms(half: usize) -> impl Iterator<Item = usize> {
    (1..half).chain([0])
}

/// What is done to all terms between the ends: an even number of reals has one step for them.
fn all_inner(product: &SpectrumProduct) -> &InnerProduct {
    &product.inner.first().expect("there are terms between the ends").product
}
