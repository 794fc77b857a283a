//! From coefficients to pixels, MCU row by MCU row: inverse transform, upsampling, colours.

use crate::blocks::Transform;
use crate::codec::color;
use crate::codec::resample::Upsampling;
use crate::coefficients::{Color, Component, largest_factors};
use crate::error::invalid_file;
use crate::ffi::arrays::Array;
use crate::ffi::read::Reader;
use crate::memory::zeros;
use crate::simd::isa::dispatch::dispatch;
use crate::simd::isa::vectors::{Autovectorized, ScalarTask};
use crate::simd::strip;
use crate::simd::strip::{Dequantiser, Strip};
use fourfold::Result;

/// The parameters of the image that is decoded, which all bands share.
pub(crate) struct Frame<'a> {
    pub(crate) transform: &'a Transform,
    width: usize,
    height: usize,
    color: Color,
    components: Vec<Component>,
    tables: Vec<Dequantiser>,
    upsamplings: Vec<Upsampling>,
    /// Rows of pixels in an MCU row.
    mcu_height: usize,
    /// MCU rows of the image.
    pub(crate) rows: usize,
    /// Whether the pixels of an MCU row depend on the next one, since samples are interpolated.
    pub(crate) needs_next: bool,
}

impl<'a> Frame<'a> {
    /// The parameters of a file.
    ///
    /// # Errors
    /// If a sampling factor does not divide the largest one.
    pub(crate) fn new(reader: &Reader, transform: &'a Transform) -> Result<Frame<'a>> {
        let components = reader.components();
        let [horizontal, vertical] = largest_factors(&components);
        let upsampling = |c: &Component| {
            let (h, v) = (c.horizontal, c.vertical);
            if horizontal % h != 0 || vertical % v != 0 {
                return Err(invalid_file(format!("sampling factors {h}x{v} do not divide {horizontal}x{vertical}")));
            }
            let across = horizontal / h;
            Ok(Upsampling::new(across, vertical / v, reader.width.div_ceil(across)))
        };
        let upsamplings = components.iter().map(upsampling).collect::<Result<Vec<_>>>()?;
        Ok(Frame {
            transform,
            width: reader.width,
            height: reader.height,
            color: reader.color,
            tables: components.iter().map(|c| Dequantiser::new(transform.mode(), &c.table)).collect(),
            needs_next: upsamplings.iter().any(|upsampling| upsampling.interpolates_rows()),
            upsamplings,
            components,
            mcu_height: 8 * vertical,
            rows: reader.height.div_ceil(8 * vertical),
        })
    }

    /// Bytes of a row of pixels.
    fn pitch(&self) -> usize {
        self.width * self.color.components()
    }

    /// Bytes of the pixels of an MCU row.
    pub(crate) fn row_bytes(&self) -> usize {
        self.mcu_height * self.pitch()
    }
}

/// Pixels of consecutive MCU rows, whose coefficients arrive in order.
pub(crate) struct Band<'a> {
    frame: &'a Frame<'a>,
    planes: Vec<Plane>,
    /// The MCU row whose pixels come next.
    pub(crate) next: usize,
    /// The pixels from there on.
    pixels: &'a mut [u8],
}

impl<'a> Band<'a> {
    /// The band that begins at an MCU row.
    ///
    /// # Errors
    /// If there is no memory.
    pub(crate) fn new(frame: &'a Frame, first: usize, pixels: &'a mut [u8]) -> Result<Band<'a>> {
        let planes = (0..frame.components.len()).map(|index| Plane::new(frame, index)).collect::<Result<_>>()?;
        Ok(Band { frame, planes, next: first, pixels })
    }

    /// Adds the coefficients of the image's MCU row `row`, which is MCU row `at` of the arrays, and
    /// makes all pixels that depend on no further ones.
    pub(crate) fn add_row(&mut self, row: usize, arrays: &[Array], at: usize) {
        let Frame { components, tables, transform, .. } = self.frame;
        for (index, plane) in self.planes.iter_mut().enumerate() {
            let component = &components[index];
            // The last MCU row may be padded with rows of blocks below the component.
            let count = component.vertical.min(component.down.saturating_sub(row * component.vertical));
            let blocks = arrays[index].blocks.chunks_exact(arrays[index].across);
            let blocks = blocks.skip(at * component.vertical).take(count);
            plane.transform(row, blocks, component, &tables[index], transform);
        }
        let is_last = row + 1 == self.frame.rows;
        let complete = if self.frame.needs_next && !is_last { row } else { row + 1 };
        while self.next < complete && !self.pixels.is_empty() {
            let bytes = self.frame.row_bytes().min(self.pixels.len());
            let (pixels, rest) = std::mem::take(&mut self.pixels).split_at_mut(bytes);
            self.pixels = rest;
            let y = self.next * self.frame.mcu_height;
            let rows = PixelRows { frame: self.frame, planes: &mut self.planes, y, pixels };
            dispatch(transform.isa(), Autovectorized(rows));
            self.next += 1;
        }
    }
}

/// The task of making rows of pixels, from y on.
struct PixelRows<'a> {
    frame: &'a Frame<'a>,
    planes: &'a mut [Plane],
    y: usize,
    pixels: &'a mut [u8],
}

impl ScalarTask for PixelRows<'_> {
    #[inline(always)]
    fn execute(self) {
        for (index, pixels) in self.pixels.chunks_exact_mut(self.frame.pitch()).enumerate() {
            let y = self.y + index;
            match (self.frame.color, &mut *self.planes) {
                (Color::YCbCr, [luma, cb, cr]) => color::ycc_to_rgb(luma.row(y), cb.row(y), cr.row(y), pixels),
                (Color::Rgb, [red, green, blue]) => color::interleave(red.row(y), green.row(y), blue.row(y), pixels),
                (_, planes) => pixels.copy_from_slice(planes[0].row(y)),
            }
        }
    }
}

/// The samples of a component in the last three MCU rows: pixels of the middle one may depend on
/// both others.
struct Plane {
    upsampling: Upsampling,
    /// Samples in a row and rows of samples, without the padding of the last blocks.
    width: usize,
    height: usize,
    samples: Vec<u8>,
    /// Rows of samples in an MCU row.
    rows: usize,
    /// Samples from one row to the next.
    stride: usize,
    /// Scratch of [`Upsampling::row`], and its result.
    sums: Vec<u16>,
    row: Vec<u8>,
}

/// MCU rows in a plane: row r is in slot r mod 3.
const SLOTS: usize = 3;

/// The word for errors.
const ROWS: &str = "rows of samples";

impl Plane {
    fn new(frame: &Frame, index: usize) -> Result<Plane> {
        let (component, upsampling) = (&frame.components[index], frame.upsamplings[index]);
        let (rows, stride) = (8 * component.vertical, 8 * component.across);
        let width = frame.width.div_ceil(upsampling.across);
        Ok(Plane {
            upsampling,
            width,
            height: frame.height.div_ceil(upsampling.down),
            samples: zeros(SLOTS * rows * stride, ROWS)?,
            rows,
            stride,
            sums: zeros(width + 2, ROWS)?,
            row: zeros(width * upsampling.across, ROWS)?,
        })
    }

    /// Transforms the rows of blocks of an MCU row.
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
            strip::inverse(transform.isa(), table, false, strip);
        }
    }

    /// A row of samples; below the last one it is the last one.
    #[inline(always)]
    fn samples(&self, row: usize) -> &[u8] {
        let row = row.min(self.height - 1) % (SLOTS * self.rows);
        &self.samples[row * self.stride..][..self.width]
    }

    /// Row y in the image's size.
    #[inline(always)]
    fn row(&mut self, y: usize) -> &[u8] {
        let (near, lower) = (y / self.upsampling.down, y % self.upsampling.down > 0);
        if self.upsampling.copies_rows() {
            return self.samples(near);
        }
        let far = match self.upsampling.interpolates_rows() {
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
