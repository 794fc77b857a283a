//! Maps over a region as pictures.

use anyhow::{Context, Result, anyhow};
use fourfold_cli::array::check_memory;
use plotters::coord::Shift;
use plotters::prelude::*;

use crate::plot::{FONT, font, label};

const SIZE: (u32, u32) = (940, 860);

/// Pixels beside the map for the bar of colours.
const BAR: u32 = 120;

/// Arrows along each axis.
const ARROWS: usize = 28;

/// A map of shape \[M, N\] in C order, with x along the first axis.
pub(crate) struct HeatMap<'a> {
    pub(crate) title: String,
    /// The lower left and the upper right corner.
    pub(crate) region: [[f64; 2]; 2],
    pub(crate) bins: [usize; 2],
    pub(crate) values: &'a [f64],
    pub(crate) colors: Colors,
    /// The x and y parts of a field, which is drawn as arrows.
    pub(crate) arrows: Option<[&'a [f64]; 2]>,
}

/// The colours of values.
#[derive(Clone, Copy)]
pub(crate) enum Colors {
    /// From 0 to a largest value. Greater ones have its colour.
    UpTo(f64),
    /// From −a to a.
    Around(f64),
}

type Area<'a> = DrawingArea<BitMapBackend<'a>, Shift>;
type Drawn<T> = Result<T, Box<dyn std::error::Error>>;

impl Colors {
    fn ends(self) -> [f64; 2] {
        match self {
            Colors::UpTo(most) => [0.0, most],
            Colors::Around(most) => [-most, most],
        }
    }

    fn of(self, value: f64) -> [u8; 3] {
        /// Viridis, whose brightness grows evenly (van der Walt and Smith, 2015).
        const GROWING: [[f64; 3]; 5] =
            [[68.0, 1.0, 84.0], [59.0, 82.0, 139.0], [33.0, 145.0, 140.0], [94.0, 201.0, 98.0], [253.0, 231.0, 37.0]];
        const DIVERGING: [[f64; 3]; 3] = [[33.0, 102.0, 172.0], [247.0, 247.0, 247.0], [178.0, 24.0, 43.0]];
        let [low, high] = self.ends();
        let part = if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { 0.0 };
        match self {
            Colors::UpTo(_) => blend(&GROWING, part),
            Colors::Around(_) => blend(&DIVERGING, part),
        }
    }
}

/// The colour at a part of the way through a list.
fn blend(list: &[[f64; 3]], part: f64) -> [u8; 3] {
    let at = part * (list.len() - 1) as f64;
    let i = (at as usize).min(list.len() - 2);
    [0, 1, 2].map(|c| (list[i][c] + (at - i as f64) * (list[i + 1][c] - list[i][c])).round() as u8)
}

impl HeatMap<'_> {
    /// The picture as a PNG file.
    pub(crate) fn png(&self) -> Result<Vec<u8>> {
        let bytes = 3 * (SIZE.0 * SIZE.1) as usize;
        check_memory(2 * bytes)?; // of pixels, and of the file, which is smaller
        font()?;
        let mut pixels = vec![0; bytes];
        self.draw(&mut pixels).map_err(|error| anyhow!("cannot draw {}: {error}", self.title))?;
        encode(&pixels, SIZE, &self.title)
    }

    fn draw(&self, pixels: &mut [u8]) -> Drawn<()> {
        let place = self.draw_frame(pixels)?;
        for down in 0..place[1].len() {
            for across in 0..place[0].len() {
                let value = self.mean([across, place[1].len() - 1 - down], place.clone().map(|range| range.len()));
                set(pixels, [place[0].start + across, place[1].start + down], self.colors.of(value));
            }
        }
        self.draw_bar(pixels, &place)?;
        match self.arrows {
            Some(field) => self.draw_arrows(pixels, &place, field),
            None => Ok(()),
        }
    }

    /// Draws title and axes, and returns the pixels of the map.
    fn draw_frame(&self, pixels: &mut [u8]) -> Drawn<[std::ops::Range<usize>; 2]> {
        let area = area(pixels)?;
        area.fill(&WHITE)?;
        let [low, high] = self.region;
        let mut chart = ChartBuilder::on(&area)
            .caption(&self.title, (FONT, 22))
            .margin(12)
            .margin_right(BAR)
            .x_label_area_size(36)
            .y_label_area_size(70)
            .build_cartesian_2d(low[0]..high[0], low[1]..high[1])?;
        let mut mesh = chart.configure_mesh();
        mesh.disable_mesh().x_label_formatter(&label).y_label_formatter(&label).label_style((FONT, 15)).draw()?;
        let (across, down) = chart.plotting_area().get_pixel_range();
        area.present()?;
        Ok([across, down].map(|range| range.start as usize..range.end as usize))
    }

    /// The mean over the bins in a pixel, which are counted from the lower left corner.
    fn mean(&self, pixel: [usize; 2], pixels: [usize; 2]) -> f64 {
        let bins = [0, 1].map(|axis| {
            let first = pixel[axis] * self.bins[axis] / pixels[axis];
            first..((pixel[axis] + 1) * self.bins[axis] / pixels[axis]).max(first + 1)
        });
        self.mean_of(self.values, &bins)
    }

    fn mean_of(&self, values: &[f64], [x, y]: &[std::ops::Range<usize>; 2]) -> f64 {
        let row = |i: usize| &values[i * self.bins[1]..][y.clone()];
        let sum: f64 = x.clone().flat_map(|i| row(i).iter()).sum();
        sum / (x.len() * y.len()) as f64
    }

    /// Draws all colours with numbers, to the right of the map.
    fn draw_bar(&self, pixels: &mut [u8], [across, down]: &[std::ops::Range<usize>; 2]) -> Drawn<()> {
        let (left, [low, high]) = (across.end + 16, self.colors.ends());
        for (i, y) in down.clone().rev().enumerate() {
            let color = self.colors.of(low + (high - low) * i as f64 / down.len() as f64);
            (left..left + 20).for_each(|x| set(pixels, [x, y], color));
        }
        let area = area(pixels)?;
        for i in 0..=4 {
            let part = f64::from(i) / 4.0;
            let y = down.end as f64 - part * down.len() as f64;
            let value = label(&(low + part * (high - low)));
            area.draw(&Text::new(value, (left as i32 + 26, y as i32 - 8), (FONT, 15)))?;
        }
        Ok(area.present()?)
    }

    /// Draws the mean field of squares of bins. The length grows as the root of the strength.
    fn draw_arrows(&self, pixels: &mut [u8], place: &[std::ops::Range<usize>; 2], field: [&[f64]; 2]) -> Drawn<()> {
        let count = [0, 1].map(|axis| ARROWS.min(self.bins[axis]));
        let bins = |axis: usize, i: usize| i * self.bins[axis] / count[axis]..(i + 1) * self.bins[axis] / count[axis];
        let squares = (0..count[0]).flat_map(|i| (0..count[1]).map(move |j| [i, j]));
        let arrow = |[i, j]: [usize; 2]| ([i, j], field.map(|part| self.mean_of(part, &[bins(0, i), bins(1, j)])));
        let arrows: Vec<_> = squares.map(arrow).collect();
        let most = arrows.iter().map(|(_, [x, y])| x.hypot(*y)).fold(f64::MIN_POSITIVE, f64::max);
        let step = [0, 1].map(|axis| place[axis].len() as f64 / count[axis] as f64);
        let area = area(pixels)?;
        for (square, [x, y]) in arrows {
            let long = step[0].min(step[1]) * (x.hypot(y) / most).sqrt() / x.hypot(y).max(f64::MIN_POSITIVE);
            let middle = [0, 1].map(|axis| (square[axis] as f64 + 0.5) * step[axis]);
            let start = [place[0].start as f64 + middle[0], place[1].end as f64 - middle[1]];
            draw_arrow(&area, start, [long * x, -long * y])?;
        }
        Ok(area.present()?)
    }
}

fn draw_arrow(area: &Area<'_>, [x, y]: [f64; 2], [along, down]: [f64; 2]) -> Drawn<()> {
    let point = |part: f64, aside: f64| {
        let at = [x + part * along - aside * down, y + part * down + aside * along];
        (at[0].round() as i32, at[1].round() as i32)
    };
    area.draw(&PathElement::new([point(0.0, 0.0), point(1.0, 0.0)], WHITE))?;
    area.draw(&PathElement::new([point(0.65, 0.2), point(1.0, 0.0), point(0.65, -0.2)], WHITE))?;
    Ok(())
}

fn area(pixels: &mut [u8]) -> Drawn<Area<'_>> {
    Ok(BitMapBackend::with_buffer(pixels, SIZE).into_drawing_area())
}

fn set(pixels: &mut [u8], [x, y]: [usize; 2], color: [u8; 3]) {
    pixels[3 * (y * SIZE.0 as usize + x)..][..3].copy_from_slice(&color);
}

/// Pixels as a PNG file.
fn encode(pixels: &[u8], (width, height): (u32, u32), title: &str) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    let write = |file: &mut Vec<u8>| {
        let mut encoder = png::Encoder::new(file, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header()?.write_image_data(pixels)
    };
    write(&mut file).with_context(|| format!("cannot draw {title}"))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pixels of a map of 2 x 3 bins, of which the one with the largest x and y is 1.
    #[test]
    fn x_goes_right_and_y_goes_up() {
        let (values, zeros) = ([0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [0.0; 6]);
        let map = HeatMap {
            title: "T".into(),
            region: [[0.0, 0.0], [2.0, 3.0]],
            bins: [2, 3],
            values: &values,
            colors: Colors::UpTo(1.0),
            arrows: None,
        };
        let mut pixels = vec![0; 3 * (SIZE.0 * SIZE.1) as usize];
        font().unwrap();
        map.draw(&mut pixels).unwrap();
        let [across, down] = map.draw_frame(&mut vec![0; pixels.len()]).unwrap();
        let at = |x: f64, y: f64| {
            let x = across.start + (x * across.len() as f64) as usize;
            let y = down.end - 1 - (y * down.len() as f64) as usize;
            pixels[3 * (y * SIZE.0 as usize + x)..][..3].to_vec()
        };
        let [dark, bright] = [Colors::UpTo(1.0).of(0.0), Colors::UpTo(1.0).of(1.0)];
        assert_eq!([at(0.75, 0.9), at(0.75, 0.5), at(0.25, 0.9), at(0.25, 0.1)], [bright, dark, dark, dark]);
        // Arrows of a field that is zero are points.
        assert!(HeatMap { arrows: Some([&zeros, &zeros]), ..map }.png().unwrap().starts_with(b"\x89PNG"));
    }

    #[test]
    fn colors_are_clamped() {
        let colors = Colors::Around(2.0);
        assert_eq!([colors.of(-5.0), colors.of(0.0), colors.of(5.0)], [[33, 102, 172], [247, 247, 247], [178, 24, 43]]);
        assert_eq!(Colors::UpTo(0.0).of(1.0), [68, 1, 84]);
    }
}
