//! Transforms of blocks and decoding of files on the CPU, to be timed.

use std::iter::repeat_n;
use std::rc::Rc;

use anyhow::{Error, Result};
use fourfold::timing::Work;
use fourfold_jpeg::blocks::{Forward, Inverse, Layout};
use fourfold_jpeg::{Image, Limits, Transform, decode_into};

use crate::array::{collect, zeros};
use crate::block_targets::errors;
use crate::block_targets::source::Source;

/// Reads as many coefficients and writes as many samples as the inverse transform, without
/// arithmetic.
pub(super) struct Move {
    sources: Rc<Vec<Source>>,
    samples: Vec<Vec<u8>>,
}

impl Move {
    pub(super) fn new(sources: &Rc<Vec<Source>>) -> Result<Move> {
        let samples = sources.iter().map(|source| zeros(source.coefficients.len())).collect::<Result<_>>()?;
        Ok(Move { sources: Rc::clone(sources), samples })
    }
}

impl Work for Move {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        for (source, samples) in self.sources.iter().zip(&mut self.samples) {
            samples.iter_mut().zip(&source.coefficients).for_each(|(to, &from)| *to = from as u8);
        }
        Ok(())
    }
}

/// Reads as many samples and writes as many coefficients as the forward transform.
pub(super) struct MoveBack(Vec<(Vec<u8>, Vec<i16>)>);

impl MoveBack {
    pub(super) fn new(sources: &[Source]) -> Result<MoveBack> {
        let component = |source: &Source| {
            let count = source.coefficients.len();
            Ok((collect(count, repeat_n(128, count))?, zeros(count)?))
        };
        Ok(MoveBack(sources.iter().map(component).collect::<Result<_>>()?))
    }
}

impl Work for MoveBack {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        for (samples, coefficients) in &mut self.0 {
            coefficients.iter_mut().zip(&*samples).for_each(|(to, &from)| *to = from.into());
        }
        Ok(())
    }
}

/// Coefficients to samples, in blocks.
pub(super) struct Blocks {
    sources: Rc<Vec<Source>>,
    samples: Vec<Vec<u8>>,
    transform: Transform,
}

/// Work, and the PSNR of each component of its result.
type Checked<W> = (W, Vec<Option<f64>>);

impl Blocks {
    pub(super) fn new(sources: &Rc<Vec<Source>>, transform: &Transform) -> Result<Checked<Blocks>> {
        let Move { sources, samples } = Move::new(sources)?;
        let mut blocks = Blocks { sources, samples, transform: transform.clone() };
        blocks.run()?;
        let both = blocks.sources.iter().zip(&blocks.samples);
        let errors = both.map(|(source, samples)| errors::of_samples(source, samples)).collect();
        Ok((blocks, errors))
    }
}

impl Work for Blocks {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        let Blocks { sources, samples, transform } = self;
        for (source, samples) in sources.iter().zip(samples) {
            let Source { table, coefficients } = source;
            let (samples, layout) = (&mut samples[..], Layout::Blocks);
            transform.inverse(&mut [Inverse { coefficients, table, samples, layout }])?;
        }
        Ok(())
    }
}

/// Samples to coefficients.
pub(super) struct Back {
    blocks: Blocks,
    coefficients: Vec<Vec<i16>>,
}

impl Back {
    /// Transforms the samples that the inverse transform makes of the coefficients.
    pub(super) fn new(sources: &Rc<Vec<Source>>, transform: &Transform) -> Result<Checked<Back>> {
        let (blocks, _) = Blocks::new(sources, transform)?;
        let coefficients = blocks.samples.iter().map(|samples| zeros(samples.len())).collect::<Result<_>>()?;
        let mut back = Back { blocks, coefficients };
        back.run()?;
        let all = sources.iter().zip(&back.blocks.samples).zip(&back.coefficients);
        let errors = all.map(|((source, samples), back)| errors::of_coefficients(source, samples, back)).collect();
        Ok((back, errors))
    }
}

impl Work for Back {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        let Blocks { sources, samples, transform } = &self.blocks;
        for ((source, samples), coefficients) in sources.iter().zip(samples).zip(&mut self.coefficients) {
            let layout = Layout::Blocks;
            transform.forward(&mut [Forward { samples, layout, table: &source.table, coefficients }])?;
        }
        Ok(())
    }
}

/// Decodes a file to pixels, in memory that is allocated once.
pub(super) struct Decoding {
    file: Vec<u8>,
    transform: Transform,
    limits: Limits,
    image: Image,
}

impl Decoding {
    pub(super) fn new(file: &[u8], transform: Transform, limits: Limits) -> Result<Decoding> {
        let image = Image { width: 0, height: 0, channels: 0, samples: Vec::new() };
        Ok(Decoding { file: collect(file.len(), file.iter().copied())?, transform, limits, image })
    }
}

impl Work for Decoding {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        decode_into(&self.file, &self.transform, &self.limits, &mut self.image)?;
        Ok(())
    }
}
