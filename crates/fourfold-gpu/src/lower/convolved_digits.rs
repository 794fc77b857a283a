//! Digits that are convolutions in place, by Rader's rule or by Bluestein's.

use crate::desc::chirp::DigitChirp;
use crate::desc::stage::{Port, Rader, Split, Stage, StageOp};
use crate::lower::stages::{StagePipeline, lengths};
use crate::lower::tables::Entry;
use fourfold::engine::{Factor, length};

impl StagePipeline {
    /// Small DFTs of Rader's rule take values of lines in an order of their own. So they read and write the array
    /// themselves where neighbouring lines follow each other in memory. Along memory, copies do.
    pub(crate) fn without_copies(&mut self) {
        let of_rader = |stage: &Stage| matches!(&stage.op, StageOp::Butterflies(split) if split.rader.is_some());
        if let [Stage { op: StageOp::Copy(_), from, .. }, next, ..] = &mut *self.stages
            && of_rader(next)
        {
            next.from = from.clone();
            self.stages.remove(0);
        }
        if let [.., last, Stage { op: StageOp::Copy(_), to, .. }] = &mut *self.stages
            && self.inverse
            && of_rader(last)
        {
            last.to = to.clone();
            self.stages.pop();
        }
    }

    /// A DFT of a prime length where it stands. Correlation with the spectrum by two forward DFTs
    /// leaves the result for g^q at element −q, which is the value g^{−q}: its own place.
    pub(crate) fn rader(&mut self, parts: &[Factor], mut rader: Rader, inverse: bool) {
        let p = rader.length + 1;
        rader.powers = self.tables.push_generator_powers(p);
        let outer = rader.twiddles.filter(|_| rader.inner > 1);
        let plain = Rader { twiddles: None, ..rader };
        let first = Rader { twiddles: outer.filter(|_| !inverse), ..rader };
        let last = Rader { twiddles: outer.filter(|_| inverse), ..rader };
        let splits = self.splits(parts, 1, &[]);
        let (middle, others) = last_of(&splits);
        let butterflies = |(i, split): (usize, &Split), inverse: bool| {
            let end = if inverse { last } else { first };
            StageOp::Butterflies(Split { inverse, rader: Some(if i == 0 { end } else { plain }), ..*split })
        };
        for split in others.iter().enumerate() {
            self.push(butterflies(split, false), Port::Buffer, Port::Buffer);
        }
        let spectrum = self.tables.push_pairs(Entry::RaderSpectrum { p, radices: lengths(parts) });
        let split = Split { rader: Some(plain), ..middle };
        self.push(StageOp::ConvolveDigit { split, spectrum }, Port::Buffer, Port::Buffer);
        for split in others.iter().enumerate().rev() {
            self.push(butterflies(split, true), Port::Buffer, Port::Buffer);
        }
    }

    /// A DFT of any length in the room of the first digit.
    pub(crate) fn bluestein(&mut self, radix: usize, parts: &[Factor], groups: usize, from: Port) {
        self.uses_bluestein = true;
        let table = self.tables.push_pairs(Entry::Chirp { n: radix, shift: 0, count: radix });
        let splits = self.splits(parts, groups, &[]);
        let (split, others) = last_of(&splits);
        let (first, between) = others.split_first().expect("more than one radix");
        let chirp = DigitChirp { radix, step: length(parts) / first.radix, table };
        self.push(StageOp::Chirp { split: *first, chirp }, from, Port::Buffer);
        for split in between {
            self.push(StageOp::Butterflies(*split), Port::Buffer, Port::Buffer);
        }
        // Two forward DFTs reverse the sequence: so does exchanging the parts, before and after,
        // for a backward one.
        let spectrum = self.tables.push_pairs(Entry::ChirpSpectrum {
            n: radix,
            extent: radix - 1,
            radices: lengths(parts),
            first: 0,
        });
        self.push(StageOp::ConvolveDigit { split, spectrum }, Port::Buffer, Port::Buffer);
        for split in between.iter().rev() {
            self.push(StageOp::Butterflies(Split { inverse: true, ..*split }), Port::Buffer, Port::Buffer);
        }
        let back = Split { inverse: true, ..*first };
        self.push(StageOp::Unchirp { split: back, chirp }, Port::Buffer, Port::Buffer);
    }
}

/// The last DFTs of a convolution, and those before. A prime that is convolved has none of a single radix: p − 1 and
/// the lengths above 2p are larger than radices, and not primes.
fn last_of(splits: &[Split]) -> (Split, &[Split]) {
    let (last, others) = splits.split_last().expect("more than one radix");
    (*last, others)
}
