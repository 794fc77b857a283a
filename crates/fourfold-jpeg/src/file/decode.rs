//! A file's pixels: bands of the image one after another, all steps of a band while it is in the fastest memory.

use super::libjpeg::Reader;
use super::resample::Upsampling;
use super::{Color, Component, Image, Limits, Read, color, damaged};
use crate::Transform;
use crate::block::argument;
use crate::cpu::{self, Dequantiser, Strip, Vectors, Work};
use fourfold::Result;

/// Decodes a file as libjpeg does by default: all that [`read_coefficients`](crate::read_coefficients) reads, with sampling factors
/// that divide the largest. In [`Mode::Exact`](crate::Mode) the pixels are libjpeg-turbo's.
///
/// Of progressive files that end early, libjpeg smooths what is missing; this does not.
///
/// # Errors
/// Those of [`read_coefficients`](crate::read_coefficients); if sampling factors do not divide, or there is not the memory.
pub fn decode(file: &[u8], transform: &Transform, limits: &Limits) -> Result<Read<Image>> {
    let reader = Reader::new(file, limits)?;
    let source = Source::new(&reader, transform)?;
    let channels = if reader.color == Color::Grey { 1 } else { 3 };
    let (width, height) = (reader.width, reader.height);
    let mut samples = zeros(width * height * channels)?;
    // Several for each thread, since some blocks take longer; but every band transforms its neighbours' nearest blocks too.
    let threads = transform.threads();
    let band = if threads == 1 { source.rows() } else { source.rows().div_ceil(4 * threads) };
    let bytes = band * source.height * width * channels;
    let bands = samples.chunks_mut(bytes).enumerate().map(|(index, pixels)| (index * band, pixels)).collect();
    transform.deal(bands, |(first, pixels)| cpu::run(transform.isa(), Band { source: &source, first, pixels }));
    Ok(Read { value: Image { width, height, channels, samples }, warnings: reader.warnings() })
}

/// Memory that the system clears when it is first touched, by the thread that will need it.
fn zeros(bytes: usize) -> Result<Vec<u8>> {
    let no_memory = |_| argument(format!("there is no memory for {bytes} bytes of pixels"));
    Vec::<u8>::new().try_reserve_exact(bytes).map_err(no_memory)?;
    Ok(vec![0; bytes])
}

/// What all bands have in common.
struct Source<'a> {
    reader: &'a Reader<'a>,
    transform: &'a Transform,
    tables: Vec<Dequantiser>,
    upsamplings: Vec<Upsampling>,
    /// Rows of pixels for a row of blocks of the component that has most.
    height: usize,
}

impl<'a> Source<'a> {
    fn new(reader: &'a Reader, transform: &'a Transform) -> Result<Source<'a>> {
        let components = &reader.components;
        let most = |factor: fn(&Component) -> usize| components.iter().map(factor).max().unwrap_or(1);
        let (horizontal, vertical) = (most(|c| c.horizontal), most(|c| c.vertical));
        let upsampling = |c: &Component| {
            if horizontal % c.horizontal != 0 || vertical % c.vertical != 0 {
                let message =
                    format!("sampling factors {}x{} do not divide {horizontal}x{vertical}", c.horizontal, c.vertical);
                return Err(damaged(message));
            }
            let across = horizontal / c.horizontal;
            Ok(Upsampling::new(across, vertical / c.vertical, reader.width.div_ceil(across)))
        };
        Ok(Source {
            reader,
            transform,
            tables: components.iter().map(|c| Dequantiser::new(transform.mode(), c.table.rows())).collect(),
            upsamplings: components.iter().map(upsampling).collect::<Result<_>>()?,
            height: 8 * vertical,
        })
    }

    /// Such rows in the image.
    fn rows(&self) -> usize {
        self.reader.height.div_ceil(self.height)
    }
}

/// Some rows of pixels.
struct Band<'a> {
    source: &'a Source<'a>,
    /// In units of [`Source::height`].
    first: usize,
    pixels: &'a mut [u8],
}

impl Work for Band<'_> {
    #[inline(always)]
    fn run<V: Vectors>(self) {
        let Source { reader, height, .. } = *self.source;
        let count = reader.components.len();
        let mut planes: Vec<_> = (0..count).map(|index| Plane::new(self.source, index, self.first)).collect();
        let mut rows: Vec<_> = planes.iter().map(|plane| vec![0; plane.width() * plane.upsampling.across]).collect();
        for (y, pixels) in self.pixels.chunks_exact_mut(count * reader.width).enumerate() {
            let y = self.first * height + y;
            if y % height == 0 {
                planes.iter_mut().for_each(|plane| plane.advance(y / height));
            }
            for (plane, row) in planes.iter_mut().zip(&mut rows) {
                plane.row(y, row);
            }
            match (reader.color, &rows[..]) {
                (Color::YCbCr, [y, cb, cr]) => color::to_rgb(y, cb, cr, pixels),
                (Color::Rgb, [red, green, blue]) => color::interleave(red, green, blue, pixels),
                _ => pixels.copy_from_slice(&rows[0][..reader.width]),
            }
        }
    }
}

/// The samples of a component that a band needs at a time: of a row of blocks and, for those whose neighbours are needed, of the rows
/// above and below, in turn.
struct Plane<'a> {
    source: &'a Source<'a>,
    index: usize,
    component: Component,
    upsampling: Upsampling,
    /// Rows of samples in the image, without the padding of the last blocks.
    height: usize,
    samples: Vec<u8>,
    /// The next row of blocks to transform, in units of [`Source::height`].
    next: usize,
    sums: Vec<u16>,
}

impl<'a> Plane<'a> {
    fn new(source: &'a Source, index: usize, first: usize) -> Plane<'a> {
        let (component, upsampling) = (source.reader.components[index], source.upsamplings[index]);
        let (slots, next) = if upsampling.needs_neighbours() { (3, first.saturating_sub(1)) } else { (1, first) };
        let height = source.reader.height.div_ceil(upsampling.down);
        let samples = vec![0; slots * 64 * component.vertical * component.across];
        let mut plane = Plane { source, index, component, upsampling, height, samples, next, sums: Vec::new() };
        plane.sums = vec![0; plane.width() + 2];
        plane
    }

    /// Samples across in the image, without padding.
    fn width(&self) -> usize {
        self.source.reader.width.div_ceil(self.upsampling.across)
    }

    /// Samples of a slot.
    fn slot(&self) -> usize {
        64 * self.component.vertical * self.component.across
    }

    /// Transforms what rows from `row` · [`Source::height`] on need.
    fn advance(&mut self, row: usize) {
        let last = if self.upsampling.needs_neighbours() { row + 1 } else { row };
        while self.next <= last.min(self.source.rows() - 1) {
            self.transform(self.next);
            self.next += 1;
        }
    }

    /// Transforms one row of blocks, or as many as the vertical factor says.
    fn transform(&mut self, row: usize) {
        let Component { vertical, across, down, .. } = self.component;
        let (slot, slots) = (self.slot(), self.samples.len() / self.slot());
        let samples = &mut self.samples[row % slots * slot..][..slot];
        for (index, samples) in samples.chunks_exact_mut(64 * across).enumerate() {
            let row = row * vertical + index;
            if row < down {
                let coefficients = self.source.reader.row(self.index, row);
                let strip = Strip { coefficients, samples, step: 8, stride: 8 * across };
                cpu::inverse(self.source.transform.isa(), &self.source.tables[self.index], false, strip);
            }
        }
    }

    /// Where a row of samples begins; beyond the last it is the last.
    fn at(&self, row: usize) -> usize {
        let (row, rows) = (row.min(self.height - 1), 8 * self.component.vertical);
        let slots = self.samples.len() / self.slot();
        row / rows % slots * self.slot() + row % rows * 8 * self.component.across
    }

    /// The image's row y.
    #[inline(always)]
    fn row(&mut self, y: usize, row: &mut [u8]) {
        let down = self.upsampling.down;
        let (near, lower) = (y / down, y % down > 0);
        let far = if lower { near + 1 } else { near.saturating_sub(1) };
        let far = if self.upsampling.needs_neighbours() { far } else { near };
        let width = self.width();
        let (near, far) = (&self.samples[self.at(near)..][..width], &self.samples[self.at(far)..][..width]);
        self.upsampling.row(near, far, lower, &mut self.sums, row);
    }
}
