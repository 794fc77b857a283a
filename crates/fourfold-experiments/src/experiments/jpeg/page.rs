//! What was measured of the ladder, beside what its document says, as a page.

use fourfold_cli::block_targets::errors::MOST_BLOCKS;

use crate::claims::Claim;
use crate::experiments::jpeg::rungs::{COUNT, Gpudct, PUBLISHED_BANDWIDTH, RUNGS, Rung};
use crate::experiments::jpeg::speeds::{SPEED_COLUMNS, Speeds, share, speed_cells, text_of_speeds};
use crate::measure::Setting;
use crate::page::{Outcome, Page, Part, strings};
use crate::photographs::{LARGE, QUALITY};
use crate::plot::{Line, Plot};
use crate::rounding::{digits, ratio};

/// dB that the document asks for.
const LEAST_PSNR: f64 = 50.0;

/// How to get photographs.
pub(super) const MISSING: &str =
    "there are no photographs: --photos DIR names a folder, and `cargo xtask photographs` fetches some";

const COMPONENTS: [&str; 3] = ["Y", "Cb", "Cr"];

/// What is measured on a device.
#[derive(Default)]
pub(super) struct Measured {
    pub(super) speeds: Option<Speeds>,
    pub(super) errors: Vec<Errors>,
    /// Photographs with their sizes.
    pub(super) sizes: Vec<String>,
    /// Whether the last one is the first enlarged.
    pub(super) has_enlarged: bool,
    /// What the device cannot do, and why.
    pub(super) left_out: Vec<String>,
}

/// PSNR in dB of a photograph's components by each rung; no components if it was left out.
pub(super) struct Errors {
    pub(super) photograph: String,
    pub(super) sampling: &'static str,
    pub(super) psnr: [Vec<f64>; COUNT],
}

/// A value of PSNR, and what has it.
struct Value<'a> {
    db: f64,
    rung: &'a str,
    errors: &'a Errors,
    component: usize,
}

impl std::fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Errors { photograph, sampling, .. } = self.errors;
        let component = COMPONENTS.get(self.component).unwrap_or(&"");
        write!(f, "{} dB ({}, {photograph} in {sampling}, {component})", decibels(self.db), self.rung)
    }
}

/// `inf` where all samples agree.
fn decibels(db: f64) -> String {
    format!("{db:.1}")
}

impl Measured {
    /// The page. It is at fault if a PSNR is too low.
    pub(super) fn outcome(&self, setting: &Setting) -> Outcome {
        let low = self.values().filter(|value| value.db < LEAST_PSNR).count();
        let fault = (low > 0).then(|| self.verdict());
        let page = Page {
            title: format!("GPUDCT: samples of JPEG's blocks, rung by rung, on {}", setting.engine()),
            text: self.text(setting),
            columns: self.columns(),
            parts: self.parts(),
            claims: self.claims(),
            teaches: self.teaches(),
            rows: self.rows(),
            plot: self.plot(),
        };
        Outcome::Page { page: Box::new(page), fault }
    }

    fn values(&self) -> impl Iterator<Item = Value<'_>> {
        let of_rung = |errors, (rung, psnr): (&'static Rung, &Vec<f64>)| {
            let value = |(component, &db)| Value { db, rung: rung.name, errors, component };
            psnr.iter().enumerate().map(value).collect::<Vec<_>>()
        };
        self.errors.iter().flat_map(move |errors| {
            RUNGS.iter().zip(&errors.psnr).flat_map(move |both| of_rung(errors, both)).collect::<Vec<_>>()
        })
    }

    fn lowest(&self) -> Option<Value<'_>> {
        self.values().min_by(|a, b| a.db.total_cmp(&b.db))
    }

    /// Whether all errors are small enough, in a sentence.
    fn verdict(&self) -> String {
        let (all, low) = (self.values().count(), self.values().filter(|value| value.db < LEAST_PSNR).count());
        match (self.lowest(), low) {
            (None, _) => format!("No errors were measured: {MISSING}."),
            (Some(lowest), 0) => {
                format!("All {all} values of PSNR are at least {LEAST_PSNR} dB; the lowest is {lowest}.")
            }
            (Some(lowest), _) => {
                format!("{low} of {all} values of PSNR are below {LEAST_PSNR} dB; the lowest is {lowest}.")
            }
        }
    }

    fn text(&self, setting: &Setting) -> Vec<String> {
        let mut text = vec![
            "The rungs are fourfold's kernels by the ideas that the document of GPUDCT describes, and GPUJPEG's. They take 16-bit coefficients in raster order, multiply them by the table, \
             and write 8-bit samples. `fast` and `exact` are fourfold's own: a thread a block, in single precision, and bit for bit as libjpeg-turbo."
                .to_owned(),
        ];
        text.extend(self.speeds.as_ref().map(|speeds| text_of_speeds(speeds, setting.seconds())));
        text.extend(self.speeds.as_ref().and_then(Speeds::beside_gpudct));
        if !self.errors.is_empty() {
            text.push(self.text_of_errors());
        }
        text.push(self.verdict());
        if !self.left_out.is_empty() {
            text.push(format!("Left out: {}.", self.left_out.join("; ")));
        }
        text.push(format!("Measured on {}.", setting.place()));
        text
    }

    fn text_of_errors(&self) -> String {
        let enlarged = format!(
            " A name with `× f` is the photograph with f times as many rows and columns, so that it has more than {LARGE} pixels. Its DCT is that of the small photograph, with zeros as its higher frequencies."
        );
        format!(
            "PSNR, in dB, is 10 log₁₀(255² / mean squared error) of the samples of a component against the definition. That is the orthonormal inverse DCT of the dequantised coefficients in f64, \
             plus 128, rounded, and clamped to 0 to 255. The definition rounds halves up, and all rungs but `exact` round them to even. Blocks with few coefficients have many halves, which are the same samples on every rung. \
             In a smooth component these are all errors, so that its PSNR, often the lowest, is equal on all of these rungs. `inf`: all samples agree. The mean is over all blocks of a component, or over at most {MOST_BLOCKS} evenly spaced ones. \
             Published: of `006mp-cathedral.jpg`; the document does not define its reference. Photographs here: {}. All are encoded by fourfold at quality {QUALITY}, in 4:4:4 and in 4:2:0.{}",
            self.sizes.join(", "),
            if self.has_enlarged { &enlarged } else { "" }
        )
    }

    fn samplings(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.errors.iter().map(|errors| errors.sampling).collect();
        names.sort_unstable_by(|a, b| b.cmp(a));
        names.dedup();
        names
    }

    /// The errors of photographs in a sampling.
    fn of_sampling(&self, sampling: &'static str) -> impl Iterator<Item = &Errors> {
        self.errors.iter().filter(move |errors| errors.sampling == sampling)
    }

    fn columns(&self) -> Vec<String> {
        let mut columns = strings(&["rung"]);
        if self.speeds.is_some() {
            columns.extend(strings(&SPEED_COLUMNS));
        }
        columns.extend(COMPONENTS.map(|name| format!("{name}, published")));
        if !self.errors.is_empty() {
            columns.extend(COMPONENTS.map(|name| format!("lowest {name}")));
        }
        for sampling in self.samplings() {
            let of_photograph =
                |errors: &Errors| COMPONENTS.map(|name| format!("{} {sampling} {name}", errors.photograph));
            columns.extend(self.of_sampling(sampling).flat_map(of_photograph));
        }
        columns
    }

    fn parts(&self) -> Vec<Part> {
        let mut parts = vec![];
        parts.extend(self.speeds.as_ref().map(|_| Part::new("Speeds", SPEED_COLUMNS.len())));
        parts.push(match self.errors.is_empty() {
            true => Part::new("PSNR, dB, of the document's photograph", COMPONENTS.len()),
            false => {
                let title = "PSNR, dB: of the document's photograph, and the lowest of those here";
                Part::new(title, 2 * COMPONENTS.len())
            }
        });
        for sampling in self.samplings() {
            let title = if sampling == "4:4:4" { "PSNR, dB, in 4:4:4" } else { "PSNR, dB, in 4:2:0" };
            parts.push(Part::new(title, COMPONENTS.len() * self.of_sampling(sampling).count()));
        }
        parts
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let mut rows: Vec<Vec<String>> = RUNGS.iter().enumerate().map(|(place, rung)| self.row(place, rung)).collect();
        if let Some(speeds) = &self.speeds {
            let mut moving = strings(&["move, without arithmetic", "", "", ""]);
            moving.extend([digits(speeds.moving), ratio(speeds.gib_per_second(speeds.moving)), share(1.0)]);
            moving.resize(self.columns().len(), String::new());
            rows.push(moving);
        }
        rows
    }

    fn row(&self, place: usize, rung: &Rung) -> Vec<String> {
        let mut cells = vec![rung.name.to_owned()];
        if let Some(speeds) = &self.speeds {
            cells.extend(speed_cells(speeds, speeds.ms[place], rung));
        }
        let psnr = |errors: &Errors, component: usize| errors.psnr[place].get(component).copied();
        let cell = |db: Option<f64>| db.map(decibels).unwrap_or_default();
        cells.extend([0, 1, 2].map(|component| cell(rung.gpudct.as_ref().map(|figures| figures.psnr[component]))));
        if !self.errors.is_empty() {
            let all = |component| self.errors.iter().filter_map(move |errors| psnr(errors, component));
            cells.extend([0, 1, 2].map(|component| cell(all(component).reduce(f64::min))));
        }
        for sampling in self.samplings() {
            cells.extend(self.of_sampling(sampling).flat_map(|errors| [0, 1, 2].map(|i| cell(psnr(errors, i)))));
        }
        cells
    }

    /// What the document says of speeds and errors.
    fn claims(&self) -> Vec<Claim> {
        let mut claims = self.speeds.as_ref().map(Speeds::claims).unwrap_or_default();
        claims.extend(self.lowest().map(|lowest| {
            let text = format!("all values of PSNR are at least {LEAST_PSNR} dB");
            Claim::exact(text, format!("the lowest is {lowest}"), lowest.db >= LEAST_PSNR)
        }));
        claims
    }

    /// The gains of the rungs, and the lowest PSNR.
    fn teaches(&self) -> String {
        let gains = self.speeds.as_ref().and_then(Speeds::gains);
        let lowest = self
            .lowest()
            .map(|lowest| format!("lowest PSNR is {} dB ({LEAST_PSNR:.0} are needed)", decibels(lowest.db)));
        match (gains, lowest) {
            (Some(gains), Some(lowest)) => format!("{gains}; the {lowest}."),
            (Some(only), None) => format!("{only}."),
            (None, Some(lowest)) => format!("The {lowest}."),
            (None, None) => "Neither errors nor the gain of the ladder were measured here.".into(),
        }
    }

    /// Shares of the bandwidth as bars; where there are no speeds, the lowest PSNR of each rung.
    fn plot(&self) -> Plot {
        let line = |name: &str, values: Vec<Option<f64>>| {
            let points =
                values.into_iter().enumerate().filter_map(|(i, y)| Some((i as f64, y.filter(|y| y.is_finite())?)));
            Line { name: name.into(), points: points.collect() }
        };
        let of_gpudct = |value: fn(&Gpudct) -> f64| RUNGS.iter().map(|rung| rung.gpudct.as_ref().map(value)).collect();
        let lowest =
            |rung: &Rung| self.values().filter(|value| value.rung == rung.name).map(|value| value.db).reduce(f64::min);
        let (title, unit, lines) = match &self.speeds {
            Some(speeds) => (
                "GPUDCT's ladder: share of the bandwidth",
                "moving / time",
                vec![
                    line("published, RTX 2070", of_gpudct(|figures| figures.gib_per_second / PUBLISHED_BANDWIDTH)),
                    line("GPUDCT's kernels, H200", of_gpudct(|figures| figures.share)),
                    line("here", speeds.ms.iter().map(|ms| ms.map(|ms| speeds.moving / ms)).collect()),
                ],
            ),
            None => (
                "GPUDCT's ladder: lowest PSNR of a component",
                "dB",
                vec![
                    line(
                        "published, one photograph",
                        of_gpudct(|figures| figures.psnr.into_iter().fold(f64::INFINITY, f64::min)),
                    ),
                    line("here", RUNGS.iter().map(lowest).collect()),
                ],
            ),
        };
        let bars = RUNGS.iter().map(|rung| rung.name.to_owned()).collect();
        Plot { title: title.into(), labels: ["".into(), unit.into()], lines, bars }
    }
}

/// All sentences, with speeds and without, and whether or not there were photographs.
#[cfg(test)]
pub(in crate::experiments) fn sentences() -> Vec<String> {
    let errors = Errors { photograph: "a".into(), sampling: "4:2:0", psnr: std::array::from_fn(|_| vec![40.0; 3]) };
    let speeds = |ms| Some(Speeds { mib: 1, moving: 1.234, ms });
    let none = Measured::default();
    let only = |speeds| Measured { speeds, ..Measured::default() };
    let both = Measured { speeds: speeds([Some(98.7); COUNT]), errors: vec![errors], ..Measured::default() };
    let all = [none, only(speeds([Some(98.7); COUNT])), only(speeds([None; COUNT])), both];
    all.iter().map(Measured::teaches).collect()
}
