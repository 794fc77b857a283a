//! Results as pictures.

use anyhow::{Result, anyhow};
use fourfold::timing::table::digits;
use plotters::prelude::*;
use plotters::style::register_font;
use std::sync::OnceLock;

/// What is drawn.
pub(crate) struct Plot {
    pub(crate) title: String,
    /// What the axes have, with units.
    pub(crate) labels: [String; 2],
    pub(crate) lines: Vec<Line>,
    /// What stands at x = 0, 1, … of bars, which may be negative; empty for lines over logarithmic
    /// axes.
    pub(crate) bars: Vec<String>,
}

/// A line, or bars of one colour.
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

const SIZE: (u32, u32) = (900, 540);
pub(crate) const FONT: &str = "sans-serif";

/// Ones that nobody confuses (Okabe and Ito, 2008), with grey for their yellow, which is pale on
/// white.
const COLORS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
    RGBColor(150, 150, 150),
];

impl Plot {
    /// The picture as an SVG file.
    pub(crate) fn svg(&self) -> Result<Vec<u8>> {
        font()?;
        let mut file = String::new();
        let drawn = if self.bars.is_empty() { self.draw_lines(&mut file) } else { self.draw_bars(&mut file) };
        drawn.map_err(|error| anyhow!("cannot draw {}: {error}", self.title))?;
        Ok(file.into_bytes())
    }

    fn draw_lines(&self, file: &mut String) -> Result<(), Box<dyn std::error::Error + '_>> {
        let area = SVGBackend::with_string(file, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let (x, y) = (self.range(|p| p.0), self.range(|p| p.1));
        let (across, up) = (spaced(self.lines.iter().flat_map(|line| &line.points).map(|p| p.0)), round(y));
        let mut chart = ChartBuilder::on(&area)
            .caption(&self.title, (FONT, 22))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(70)
            .build_cartesian_2d(
                (x.0..x.1).log_scale().with_key_points(across),
                (y.0..y.1).log_scale().with_key_points(up),
            )?;
        chart
            .configure_mesh()
            .x_desc(&self.labels[0])
            .y_desc(&self.labels[1])
            .x_label_formatter(&label)
            .y_label_formatter(&label)
            .light_line_style(TRANSPARENT)
            .label_style((FONT, 15))
            .draw()?;
        for (line, color) in self.lines.iter().zip(COLORS.iter().cycle()) {
            let style = color.stroke_width(2);
            let drawn = chart.draw_series(LineSeries::new(line.points.iter().copied(), style).point_size(4))?;
            drawn.label(&line.name).legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
        }
        let mut legend = chart.configure_series_labels();
        legend
            .position(SeriesLabelPosition::UpperLeft)
            .label_font((FONT, 15))
            .background_style(WHITE.mix(0.8))
            .draw()?;
        Ok(area.present()?)
    }

    fn draw_bars(&self, file: &mut String) -> Result<(), Box<dyn std::error::Error + '_>> {
        let area = SVGBackend::with_string(file, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let heights = || self.lines.iter().flat_map(|line| &line.points).map(|p| p.1);
        let (least, most) = (heights().fold(0.0, f64::min), heights().fold(0.0, f64::max));
        let (count, margin) = (self.bars.len() as f64, 0.1 * (most - least));
        let bottom = if least < 0.0 { least - margin } else { 0.0 };
        let mut chart = ChartBuilder::on(&area)
            .caption(&self.title, (FONT, 22))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(70)
            .build_cartesian_2d(0.0..count, bottom..most + 2.0 * margin)?;
        let name = |x: &f64| {
            if x.fract() == 0.5 { self.bars.get(*x as usize).cloned().unwrap_or_default() } else { String::new() }
        };
        let labels = 2 * self.bars.len() + 1;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(labels)
            .x_label_formatter(&name)
            .y_label_formatter(&label)
            .x_desc(&self.labels[0])
            .y_desc(&self.labels[1])
            .light_line_style(TRANSPARENT)
            .label_style((FONT, 15))
            .draw()?;
        let width = 0.8 / self.lines.len() as f64;
        for (i, (line, color)) in self.lines.iter().zip(COLORS.iter().cycle()).enumerate() {
            let bar = |(x, y): &(f64, f64)| {
                let left = x + 0.1 + i as f64 * width;
                Rectangle::new([(left, 0.0), (left + 0.92 * width, *y)], color.filled())
            };
            let drawn = chart.draw_series(line.points.iter().map(bar))?;
            let legend = move |(x, y)| Rectangle::new([(x, y - 5), (x + 14, y + 5)], color.filled());
            drawn.label(&line.name).legend(legend);
        }
        let mut legend = chart.configure_series_labels();
        legend
            .position(SeriesLabelPosition::UpperRight)
            .label_font((FONT, 15))
            .background_style(WHITE.mix(0.8))
            .draw()?;
        Ok(area.present()?)
    }

    /// From the least to the greatest coordinate, and a little beyond.
    fn range(&self, side: fn(&(f64, f64)) -> f64) -> (f64, f64) {
        let all = self.lines.iter().flat_map(|line| &line.points).map(side);
        let (least, most) = all.fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), x| (least.min(x), most.max(x)));
        (least / 1.2, most * 1.2)
    }
}

/// Where a logarithmic axis has labels: at the points that are drawn, but for those too close to
/// the label before.
fn spaced(places: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut places: Vec<f64> = places.collect();
    places.sort_by(f64::total_cmp);
    let range = places.last().unwrap_or(&1.0) / places.first().unwrap_or(&1.0);
    let least_ratio = range.powf(1.0 / 16.0).max(1.0 + 1e-9);
    let mut last = 0.0;
    places.retain(|&x| {
        let far = x > last * least_ratio;
        if far {
            last = x;
        }
        far
    });
    places
}

/// Where it has labels if these are to be round: as many as there is room for.
fn round((least, most): (f64, f64)) -> Vec<f64> {
    let steps: &[f64] = match most / least {
        ratio if ratio < 10.0 => &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0],
        ratio if ratio < 1e4 => &[1.0, 2.0, 5.0],
        _ => &[1.0],
    };
    let decades = least.log10().floor() as i32..=most.log10().floor() as i32;
    let all = decades.flat_map(|decade| steps.iter().map(move |step| step * 10f64.powi(decade)));
    all.filter(|x| (least..=most).contains(x)).collect()
}

/// A number without zeros that say nothing.
pub(crate) fn label(x: &f64) -> String {
    let text = digits(*x);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The letters, once.
pub(crate) fn font() -> Result<()> {
    static FAILED: OnceLock<bool> = OnceLock::new();
    let load = || register_font(FONT, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT).is_err();
    if *FAILED.get_or_init(load) { Err(anyhow!("the font of plots cannot be read")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_labels_that_can_be_read() {
        let labels = |places: Vec<f64>| places.iter().map(label).collect::<Vec<_>>().join(" ");
        assert_eq!(
            labels(spaced([0.2621, 16.78, 0.9216, 1.049, 2.074, 8.294].into_iter())),
            "0.2621 0.9216 2.074 8.294 16.78"
        );
        assert_eq!(labels(spaced([1024.0, 512.0, 512.0, 262144.0].into_iter())), "512 1024 262144");
        assert_eq!(labels(round((0.9, 2.8))), "1 1.2 1.5 2 2.5");
        assert_eq!(labels(round((0.008, 1.5))), "0.01 0.02 0.05 0.1 0.2 0.5 1");
        assert_eq!(labels(round((0.008, 150.0))), "0.01 0.1 1 10 100");
        assert_eq!(labels(spaced([64.0, 64.0].into_iter())), "64");
    }

    #[test]
    fn lines_and_bars_are_drawn() {
        let line = |name: &str, y: f64| Line { name: name.into(), points: vec![(0.5, y), (1.5, 2.0 * y)] };
        let plot = |bars: Vec<String>| Plot {
            title: "T".into(),
            labels: ["x".into(), "y, ms".into()],
            lines: vec![line("a", 0.1), line("b", 3.0)],
            bars,
        };
        for plot in [plot(vec![]), plot(vec!["one".into(), "two".into()])] {
            let file = String::from_utf8(plot.svg().unwrap()).unwrap();
            assert!(file.starts_with("<svg ") && file.trim_end().ends_with("</svg>"), "{file}");
            let colored = |RGBColor(r, g, b): RGBColor| file.matches(&format!("#{r:02X}{g:02X}{b:02X}")).count();
            // Two points or bars of each line, and its sign in the legend.
            assert!(colored(COLORS[0]) >= 3 && colored(COLORS[1]) >= 3 && colored(COLORS[2]) == 0, "{file}");
            assert!(["y, ms", ">a<", ">b<"].iter().all(|text| file.replace('\n', "").contains(text)), "{file}");
        }
    }
}
