//! A file's pixels: a row of groups of blocks after another, all steps of one while it is in the
//! fastest memory.

use crate::argument;
use crate::blocks::Transform;
use crate::codec::resample::Upsampling;
use crate::codec::{Color, Component, Image, Limits, Read, color, damaged};
use crate::ffi::arrays::Array;
use crate::ffi::read::Reader;
use crate::memory::zeros;
use crate::simd;
use crate::simd::isa::{Vectors, Work};
use crate::simd::{Dequantiser, Strip};
use fourfold::Result;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// Decodes a file as libjpeg does by default: all that
/// [`read_coefficients`](crate::codec::read_coefficients) reads, with sampling factors that divide
/// the largest. In [`Mode::Exact`](crate::Mode) the pixels are libjpeg-turbo's.
///
/// Of progressive files that end early, libjpeg smooths what is missing; this does not.
///
/// # Errors
/// Those of [`read_coefficients`](crate::codec::read_coefficients); if sampling factors do not
/// divide, or there is not the memory.
pub fn decode(file: &[u8], transform: &Transform, limits: &Limits) -> Result<Read<Image>> {
    let mut image = Image { width: 0, height: 0, channels: 0, samples: Vec::new() };
    let warnings = decode_into(file, transform, limits, &mut image)?;
    Ok(Read { value: image, warnings })
}

/// [`decode`] into the memory of an image that is no longer needed. Gives the warnings.
///
/// # Errors
/// Those of [`decode`]. The image is then of no use.
pub fn decode_into(file: &[u8], transform: &Transform, limits: &Limits, image: &mut Image) -> Result<Vec<String>> {
    let mut reader = Reader::new(file, limits)?;
    image.channels = if reader.color == Color::Grey { 1 } else { 3 };
    (image.width, image.height) = (reader.width, reader.height);
    resize(&mut image.samples, image.width * image.height * image.channels)?;
    if reader.has_one_scan() {
        let source = Source::new(&reader, transform)?;
        let band = Band::new(&source, 0, &mut image.samples)?;
        if transform.threads() == 1 { stream(&mut reader, band) } else { stream_apart(&mut reader, band) }?;
    } else {
        let arrays = reader.read()?;
        whole(&Source::new(&reader, transform)?, &arrays, &mut image.samples)?;
    }
    Ok(reader.warnings())
}

/// New memory, or what there is.
fn resize(samples: &mut Vec<u8>, bytes: usize) -> Result<()> {
    if samples.capacity() >= bytes {
        samples.resize(bytes, 0);
        return Ok(());
    }
    *samples = zeros(bytes, "pixels")?;
    Ok(())
}

/// Coefficients as they come, pixels at once.
fn stream(reader: &mut Reader, mut band: Band) -> Result<()> {
    reader.stream(&mut |row, arrays| {
        band.take(row, arrays, 0);
        arrays.iter_mut().for_each(|array| array.blocks.fill([0; 64]));
        Ok(())
    })
}

/// Rows of groups that are under way between two threads: enough for either to go on while the
/// system gives the other's processor to somebody else for some milliseconds.
const UNDER_WAY: usize = 16;

/// Coefficients on this thread, pixels on another. More would not help: decoding the coefficients
/// takes longest, and cannot be divided.
fn stream_apart(reader: &mut Reader, mut band: Band) -> Result<()> {
    type Row = (usize, Vec<Array>);
    let (full, work): (SyncSender<Row>, Receiver<Row>) = sync_channel(UNDER_WAY);
    let (done, free) = sync_channel(UNDER_WAY + 2);
    thread::scope(|scope| {
        let pixels = move || {
            while let Ok((row, mut arrays)) = work.recv() {
                band.take(row, &arrays, 0);
                arrays.iter_mut().for_each(|array| array.blocks.fill([0; 64]));
                let _ = done.send(arrays); // if nobody waits for them, all is read
            }
        };
        let failed = |error| argument(format!("cannot start a thread: {error}"));
        let other = thread::Builder::new().spawn_scoped(scope, pixels).map_err(failed)?;
        let mut made = 0;
        let read = reader.stream(&mut |row, arrays| {
            made += 1;
            let empty = if made > UNDER_WAY + 1 { free.recv().ok() } else { None };
            let empty = empty.map_or_else(|| arrays.iter().map(Array::empty).collect::<Result<_>>(), Ok)?;
            // What libjpeg fills next are the empty ones; it asks for pointers again.
            let filled = arrays.iter_mut().zip(empty).map(|(array, empty)| std::mem::replace(array, empty)).collect();
            let _ = full.send((row, filled));
            Ok(())
        });
        drop(full); // so that the other thread ends
        // The scope would wait for the thread's work, not for its end.
        other.join().unwrap_or_else(|panic| resume_unwind(panic));
        read
    })
}

/// All coefficients first, then bands of pixels on all threads.
fn whole(source: &Source, arrays: &[Array], samples: &mut [u8]) -> Result<()> {
    let threads = source.transform.threads();
    // Several for each thread, since some blocks take longer; but every band transforms its
    // neighbours' nearest blocks too.
    let rows = if threads == 1 { source.rows } else { source.rows.div_ceil(4 * threads) };
    let bands = samples.chunks_mut(rows * source.row_bytes()).enumerate();
    let bands = bands.map(|(index, pixels)| Band::new(source, index * rows, pixels)).collect::<Result<_>>()?;
    source.transform.deal(bands, |mut band: Band| {
        let last = (band.next + rows + 1).min(source.rows);
        (band.next.saturating_sub(1)..last).for_each(|row| band.take(row, arrays, row));
    });
    Ok(())
}

/// What all bands have in common.
struct Source<'a> {
    transform: &'a Transform,
    width: usize,
    height: usize,
    color: Color,
    components: Vec<Component>,
    tables: Vec<Dequantiser>,
    upsamplings: Vec<Upsampling>,
    /// Rows of pixels of a row of groups, and how many of these.
    group: usize,
    rows: usize,
    /// Whether a row of groups needs the next.
    needs_next: bool,
}

impl<'a> Source<'a> {
    fn new(reader: &Reader, transform: &'a Transform) -> Result<Source<'a>> {
        let components = reader.components();
        let most = |factor: fn(&Component) -> usize| components.iter().map(factor).max().unwrap_or(1);
        let (horizontal, vertical) = (most(|c| c.horizontal), most(|c| c.vertical));
        let upsampling = |c: &Component| {
            let (h, v) = (c.horizontal, c.vertical);
            if horizontal % h != 0 || vertical % v != 0 {
                return Err(damaged(format!("sampling factors {h}x{v} do not divide {horizontal}x{vertical}")));
            }
            let across = horizontal / h;
            Ok(Upsampling::new(across, vertical / v, reader.width.div_ceil(across)))
        };
        let upsamplings = components.iter().map(upsampling).collect::<Result<Vec<_>>>()?;
        Ok(Source {
            transform,
            width: reader.width,
            height: reader.height,
            color: reader.color,
            tables: components.iter().map(|c| Dequantiser::new(transform.mode(), &c.table)).collect(),
            needs_next: upsamplings.iter().any(|upsampling| upsampling.needs_neighbours()),
            upsamplings,
            components,
            group: 8 * vertical,
            rows: reader.height.div_ceil(8 * vertical),
        })
    }

    /// Bytes of a row of pixels.
    fn pitch(&self) -> usize {
        self.width * if self.color == Color::Grey { 1 } else { 3 }
    }

    /// Bytes of a row of groups.
    fn row_bytes(&self) -> usize {
        self.group * self.pitch()
    }
}

/// Pixels of some rows of groups, which get their coefficients in order.
struct Band<'a> {
    source: &'a Source<'a>,
    planes: Vec<Plane>,
    /// The row of groups whose pixels come next.
    next: usize,
    /// Pixels from there on.
    pixels: &'a mut [u8],
}

impl<'a> Band<'a> {
    fn new(source: &'a Source, first: usize, pixels: &'a mut [u8]) -> Result<Band<'a>> {
        let planes = (0..source.components.len()).map(|index| Plane::new(source, index)).collect::<Result<_>>()?;
        Ok(Band { source, planes, next: first, pixels })
    }

    /// Takes the coefficients of a row of groups, which is row `at` of the arrays, and makes the
    /// pixels for which it has all.
    fn take(&mut self, row: usize, arrays: &[Array], at: usize) {
        let Source { components, tables, transform, .. } = self.source;
        for (index, plane) in self.planes.iter_mut().enumerate() {
            let component = &components[index];
            let blocks = arrays[index].blocks.chunks_exact(arrays[index].across).skip(at * component.vertical);
            let blocks =
                blocks.take(component.vertical.min(component.down - (row * component.vertical).min(component.down)));
            plane.transform(row, blocks, component, &tables[index], transform);
        }
        let last = row + 1 == self.source.rows;
        let complete = if self.source.needs_next && !last { row } else { row + 1 };
        while self.next < complete && !self.pixels.is_empty() {
            let bytes = self.source.row_bytes().min(self.pixels.len());
            let (pixels, rest) = std::mem::take(&mut self.pixels).split_at_mut(bytes);
            self.pixels = rest;
            let y = self.next * self.source.group;
            let rows = Rows { source: self.source, planes: &mut self.planes, y, pixels };
            simd::run(transform.isa(), rows);
            self.next += 1;
        }
    }
}

/// Rows of pixels, from y on.
struct Rows<'a> {
    source: &'a Source<'a>,
    planes: &'a mut [Plane],
    y: usize,
    pixels: &'a mut [u8],
}

impl Work for Rows<'_> {
    #[inline(always)]
    fn run<V: Vectors>(self) {
        for (index, pixels) in self.pixels.chunks_exact_mut(self.source.pitch()).enumerate() {
            let y = self.y + index;
            match (self.source.color, &mut *self.planes) {
                (Color::YCbCr, [luma, cb, cr]) => color::to_rgb(luma.row(y), cb.row(y), cr.row(y), pixels),
                (Color::Rgb, [red, green, blue]) => color::interleave(red.row(y), green.row(y), blue.row(y), pixels),
                (_, planes) => pixels.copy_from_slice(planes[0].row(y)),
            }
        }
    }
}

/// The samples of a component in the last rows of groups: three, since pixels are made of the
/// middle one with its neighbours.
struct Plane {
    upsampling: Upsampling,
    /// Samples across and down in the image, without the padding of the last blocks.
    width: usize,
    height: usize,
    samples: Vec<u8>,
    /// Rows of samples in a row of groups, and samples in a row.
    rows: usize,
    stride: usize,
    /// Scratch of [`Upsampling::row`], and what it makes.
    sums: Vec<u16>,
    row: Vec<u8>,
}

const SLOTS: usize = 3;

/// What there may be no memory for.
const ROWS: &str = "rows of samples";

impl Plane {
    fn new(source: &Source, index: usize) -> Result<Plane> {
        let (component, upsampling) = (&source.components[index], source.upsamplings[index]);
        let (rows, stride) = (8 * component.vertical, 8 * component.across);
        let width = source.width.div_ceil(upsampling.across);
        Ok(Plane {
            upsampling,
            width,
            height: source.height.div_ceil(upsampling.down),
            samples: zeros(SLOTS * rows * stride, ROWS)?,
            rows,
            stride,
            sums: zeros(width + 2, ROWS)?,
            row: zeros(width * upsampling.across, ROWS)?,
        })
    }

    /// Transforms the rows of blocks of a row of groups.
    fn transform<'b>(
        &mut self,
        row: usize,
        blocks: impl Iterator<Item = &'b [[i16; 64]]>,
        component: &Component,
        table: &Dequantiser,
        transform: &Transform,
    ) {
        let slot = self.rows * self.stride;
        let samples = self.samples[row % SLOTS * slot..][..slot].chunks_exact_mut(8 * self.stride);
        for (blocks, samples) in blocks.zip(samples) {
            let strip = Strip { coefficients: &blocks[..component.across], samples, stride: Some(self.stride) };
            simd::inverse(transform.isa(), table, false, strip);
        }
    }

    /// A row of samples; beyond the last it is the last.
    #[inline(always)]
    fn samples(&self, row: usize) -> &[u8] {
        let row = row.min(self.height - 1) % (SLOTS * self.rows);
        &self.samples[row * self.stride..][..self.width]
    }

    /// The image's row y.
    #[inline(always)]
    fn row(&mut self, y: usize) -> &[u8] {
        let (near, lower) = (y / self.upsampling.down, y % self.upsampling.down > 0);
        if self.upsampling.is_none() {
            return self.samples(near);
        }
        let far = match self.upsampling.needs_neighbours() {
            true if lower => near + 1,
            true => near.saturating_sub(1),
            false => near,
        };
        let (mut sums, mut row) = (std::mem::take(&mut self.sums), std::mem::take(&mut self.row));
        self.upsampling.row(self.samples(near), self.samples(far), lower, &mut sums, &mut row);
        (self.sums, self.row) = (sums, row);
        &self.row
    }
}
