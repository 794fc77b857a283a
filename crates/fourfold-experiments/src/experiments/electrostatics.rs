//! Table VII: Algorithm 4, the density, the field and the forces of circuits as large as those of
//! the ISPD 2005 contest.

use std::cell::RefCell;
use std::rc::Rc;

use anyhow::{Error, Result, ensure};
use fourfold::electrostatics::Map;
use fourfold::timing::Work;
use fourfold::{Planner, Precision};
use fourfold_cli::algorithm::AlgorithmName;
use fourfold_cli::bench_targets::contestant;
use fourfold_cli::engine::Engine;

use crate::charges::Charges;
use crate::circuit::generate::{Request, placement};
use crate::circuit::ispd2005::{CIRCUITS, Published};
use crate::claims::Claim;
use crate::measure::Setting;
use crate::page::{Outcome, Page, Part, strings};
use crate::plot::{Line, Plot};
use crate::ratios::Ratios;
use crate::rounding::{digits, ratio};
use crate::system::System;

/// The published milliseconds of each circuit by rows and columns and in three stages, on a Titan
/// Xp, with their quotient.
const PUBLISHED: [[&str; 3]; CIRCUITS.len()] = [
    ["0.63", "0.33", "1.90"],
    ["2.00", "1.00", "1.99"],
    ["2.27", "1.29", "1.75"],
    ["2.88", "1.89", "1.53"],
    ["0.67", "0.38", "1.78"],
    ["2.56", "1.53", "1.68"],
    ["8.25", "4.87", "1.69"],
    ["15.10", "11.72", "1.29"],
];

/// Circuits of a quick run: one of each smaller grid.
const QUICK_CIRCUITS: usize = 2;

const METHODS: [&str; 3] = ["row-column", "three-stage", "fused"];

fn parts() -> Vec<Part> {
    vec![
        Part::new("The step as published, and today's transforms", 8),
        Part::new("Today's step, and what of it are cells: the step less its transforms", 8),
    ]
}

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    let count = if setting.quick { QUICK_CIRCUITS } else { CIRCUITS.len() };
    let measured = setting.each(&CIRCUITS[..count], |circuit| measure(setting, circuit))?;
    let line = |(method, name): (usize, &str)| {
        let points = measured.iter().enumerate().map(|(i, times)| (i as f64, times.transforms[method]));
        Line { name: name.into(), points: points.collect() }
    };
    let fault = if setting.is_cuda() { fault(&fused_gains(&measured)) } else { None };
    let page = Page {
        title: format!("Table VII: electric field and forces of placed circuits, on {}", setting.engine()),
        text: vec![about(setting), how(setting)?, about_cells(&measured)],
        columns: columns(),
        parts: parts(),
        claims: claims(&measured, setting.is_cuda()),
        teaches: teaches(&measured),
        rows: CIRCUITS
            .iter()
            .zip(PUBLISHED)
            .zip(&measured)
            .map(|((circuit, quoted), m)| row(circuit, quoted, m))
            .collect(),
        plot: Plot {
            title: "Transforms of a step of Algorithm 4, ms".into(),
            labels: ["circuit".into(), "ms".into()],
            lines: METHODS.into_iter().enumerate().map(line).collect(),
            bars: CIRCUITS[..count].iter().map(|circuit| circuit.name.to_owned()).collect(),
        },
    };
    Ok(Outcome::Page { page: Box::new(page), fault })
}

/// The least gain of fused transforms over those of three stages with separate scalings, on CUDA.
const LEAST_GAIN: f64 = 1.9;

/// Why the program fails for these gains, if it does.
fn fault(gains: &Ratios) -> Option<String> {
    let why = || {
        format!("fused transforms are {} times as fast as `three-stage`'s, and not {LEAST_GAIN} times", gains.range())
    };
    (gains.least() < LEAST_GAIN).then(why)
}

fn fused_gains(measured: &[Measured]) -> Ratios {
    Ratios::new(measured.iter().map(|m| m.transforms[1] / m.transforms[2]))
}

fn about(setting: &Setting) -> String {
    let place = match setting.engine() {
        Engine::Cpu(_) => "",
        _ => ", all on the device, where the cells are and the forces stay",
    };
    format!(
        "Milliseconds of one step of Algorithm 4. The circuits are synthetic: `fourfold-experiments generate` writes them ([circuits.md](circuits.md)). Each has the counts of the ISPD 2005 circuit, and its shares of \
         movable and fixed area. Cells are one row high with log-normal widths, macros do not overlap, and terminals stand along the border. Grids are those that DREAMPlace sets. As there, fixed \
         nodes charge a bin at most to the target density 1, and fillers take the area that is left. Movable nodes and fillers are widened to √2 bins. `transforms`: DCT-II, two scalings, \
         IDXST_IDCT and IDCT_IDXST (no potential, as the algorithm has none). Scalings are trips of their own for row-column and three-stage, and parts of passes for fused. `step`: with \
         the density of movable nodes and fillers before, and the force on each of them after{place}. Published: the whole step on a Titan Xp for the circuits themselves."
    )
}

fn how(setting: &Setting) -> Result<String> {
    Ok(format!(
        "{} FFTs: {}.",
        setting.how_of_steps(Precision::F64, &format!("the fields of the other methods with that of {}", METHODS[0])),
        setting.fft_library(&"dct2 f64 512x512".parse()?)?
    ))
}

/// Why a step can be slower whose transforms are faster.
fn about_cells(measured: &[Measured]) -> String {
    format!(
        "`cells` are density and forces. They are the same work beside every method, but their times differ: for each circuit the longest is {} times the shortest. So a whole step can gain more or less \
         than its transforms save.",
        cell_spreads(measured).range()
    )
}

/// The longest time of a circuit's cells over the shortest.
fn cell_spreads(measured: &[Measured]) -> Ratios {
    let spread = |m: &Measured| {
        let cells = Ratios::new(m.cells());
        cells.most() / cells.least()
    };
    Ratios::new(measured.iter().map(spread))
}

/// The gains of fused over three-stage, and the share of fused steps that has no such gain.
fn teaches(measured: &[Measured]) -> String {
    let gains = |times: fn(&Measured) -> &[f64]| Ratios::new(measured.iter().map(|m| times(m)[1] / times(m)[2]));
    let cells = Ratios::new(measured.iter().map(|m| m.cells()[2] / m.steps[2]));
    let stages = Ratios::new(measured.iter().map(|m| m.steps[0] / m.steps[1]));
    let published = "(published: 1.7 times on average)";
    let lead = format!("`three-stage` makes whole steps {} as fast as `row-column` {published}. ", stages.times());
    lead + &sentence([gains(|m| &m.transforms), gains(|m| &m.steps), cells])
}

/// From the gains of transforms and of steps, and the shares of cells in fused steps.
pub(super) fn sentence([transforms, steps, cells]: [Ratios; 3]) -> String {
    format!(
        "Fused transforms are {} times as fast as `three-stage`'s, and whole steps {} times; density and forces take {} of a fused step.",
        transforms.range(),
        steps.range(),
        percent(&cells)
    )
}

/// As in `12 to 34 %`.
fn percent(shares: &Ratios) -> String {
    let [least, most] = [shares.least(), shares.most()].map(|share| format!("{:.0}", 100.0 * share));
    if least == most { format!("{least} %") } else { format!("{least} to {most} %") }
}

/// What the paper says of the step, and what follows.
fn claims(measured: &[Measured], is_cuda: bool) -> Vec<Claim> {
    let steps = Ratios::new(measured.iter().map(|m| m.steps[0] / m.steps[1]));
    let cells = cell_spreads(measured);
    let [fused, fused_steps] = [fused_gains(measured), Ratios::new(measured.iter().map(|m| m.steps[1] / m.steps[2]))];
    let mut claims = vec![
        Claim::timed(
            "three stages make the step 1.7 times as fast on average (1.6 or more)",
            format!("{} as fast", steps.times()),
            steps.mean() / 1.6,
        ),
        Claim::timed(
            "density and forces take the same time beside all methods (implied; within 10 %)",
            format!("the longest is {} times the shortest", cells.range()),
            1.1 / cells.most(),
        ),
        Claim::timed(
            "fused passes make the whole step faster than three stages do on average (ours)",
            format!("{} as fast", fused_steps.times()),
            fused_steps.mean(),
        ),
    ];
    claims.extend(claims_by_size(measured));
    claims.extend(is_cuda.then(|| {
        let text = format!("fused transforms are at least {LEAST_GAIN} times as fast as `three-stage`'s (ours)");
        Claim::timed(text, format!("{} times", fused.range()), fused.least() / LEAST_GAIN)
    }));
    claims
}

/// Why the paper finds smaller gains for larger circuits: circuits of the smallest grid, and of larger
/// ones. No claims if one of both is missing.
fn claims_by_size(measured: &[Measured]) -> Vec<Claim> {
    let least = measured.iter().map(|m| m.bins).min();
    let (small, large): (Vec<&Measured>, Vec<&Measured>) = measured.iter().partition(|m| Some(m.bins) == least);
    if large.is_empty() {
        return vec![];
    }
    let in_mean = if large.len() > 1 { " (in the mean)" } else { "" };
    let claim = |text: &str, is_more: bool, of: fn(&Measured) -> f64| {
        let [small, large] = [&small, &large].map(|some| Ratios::new(some.iter().map(|m| of(m))).mean());
        let [on_large, on_small] = [large, small].map(ratio);
        let here = format!("{on_large} on larger grids, and {on_small} on the smallest");
        Claim::timed(format!("{text}{in_mean}"), here, if is_more { large / small } else { small / large })
    };
    vec![
        claim("larger circuits have a larger speed-up s of the transforms by three stages", true, |m| {
            m.transforms[0] / m.transforms[1]
        }),
        claim("they have a smaller share p of transforms in the step by rows and columns", false, |m| {
            m.transforms[0] / m.steps[0]
        }),
        claim("so they have a smaller speed-up of the step", false, |m| m.steps[0] / m.steps[1]),
    ]
}

fn columns() -> Vec<String> {
    strings(&[
        "circuit",
        "movable",
        "fixed",
        "fillers",
        "bins",
        "row-column step, published",
        "three-stage step, published",
        "row-column/three-stage step, published",
        "row-column transforms",
        "three-stage transforms",
        "fused transforms",
        "row-column/three-stage transforms",
        "three-stage/fused transforms",
        "row-column step",
        "three-stage step",
        "fused step",
        "row-column/three-stage step",
        "three-stage/fused step",
        "row-column cells",
        "three-stage cells",
        "fused cells",
    ])
}

/// What was measured of a circuit: milliseconds by each method.
struct Measured {
    /// Along an axis.
    bins: usize,
    fillers: usize,
    transforms: Vec<f64>,
    steps: Vec<f64>,
}

impl Measured {
    /// The step less its transforms.
    fn cells(&self) -> [f64; METHODS.len()] {
        std::array::from_fn(|method| self.steps[method] - self.transforms[method])
    }
}

fn row(circuit: &Published, quoted: [&str; 3], measured: &Measured) -> Vec<String> {
    let Published { name, movable, fixed, bins, .. } = circuit;
    let counts = [*movable, *fixed, measured.fillers].map(|count| count.to_string());
    let quoted = quoted.map(str::to_owned);
    let today = |times: &[f64]| {
        let ratios = [times[0] / times[1], times[1] / times[2]].map(ratio);
        times.iter().copied().map(digits).chain(ratios).collect::<Vec<_>>()
    };
    let head = [name.to_string()].into_iter().chain(counts).chain([format!("{bins} × {bins}")]).chain(quoted);
    let cells = measured.cells().map(digits);
    head.chain(today(&measured.transforms)).chain(today(&measured.steps)).chain(cells).collect()
}

/// Times the transforms and the whole step by each method.
fn measure(setting: &Setting, published: &'static Published) -> Result<Measured> {
    let circuit = placement(&Request { published, cells: published.movable, seed: 1 });
    let (engine, threads) = setting.contender();
    let host = Planner::builder().threads(threads).build()?;
    let charges = Rc::new(Charges::new(&circuit, [published.bins; 2], &host, |builder| builder)?);
    let builder = charges.placed.system().potential(false);
    let system = |method: &&str| -> Result<Shared> {
        let builder = builder.clone().algorithm(method.parse::<AlgorithmName>()?.0);
        Ok(Rc::new(RefCell::new(System::new(engine, threads, &builder, charges.placed.cells())?)))
    };
    let systems = METHODS.iter().map(system).collect::<Result<Vec<_>>>()?;
    let mut works = vec![];
    for (method, system) in METHODS.iter().zip(&systems) {
        let step = Step { system: system.clone(), charges: charges.clone() };
        works.push((format!("{method} step"), contestant(step)?));
    }
    check_same(&systems)?;
    for (method, system) in METHODS.iter().zip(&systems) {
        works.push((format!("{method} transforms"), contestant(Transforms(system.clone()))?));
    }
    let mut steps = setting.fastest(published.name, works)?;
    let transforms = steps.split_off(METHODS.len());
    Ok(Measured { bins: published.bins, fillers: charges.placed.fillers().low[0].len(), transforms, steps })
}

type Shared = Rc<RefCell<System>>;

/// An error unless the methods have made the same field.
fn check_same(systems: &[Shared]) -> Result<()> {
    let field = |system: &Shared| -> Result<Vec<f64>> {
        let system = system.borrow();
        Ok([system.map(Map::FieldX)?, system.map(Map::FieldY)?].concat())
    };
    let fields = systems.iter().map(field).collect::<Result<Vec<_>>>()?;
    let largest = fields[0].iter().fold(f64::MIN_POSITIVE, |a, b| a.max(b.abs()));
    for (method, field) in METHODS.iter().zip(&fields).skip(1) {
        let errors = || field.iter().zip(&fields[0]).map(|(a, b)| (a - b).abs() / largest);
        let most = errors().fold(0.0, f64::max);
        // One by one, since what is not a number is no maximum either.
        ensure!(errors().all(|error| error < 1e-12), "{method} differs from {} by {most:.1e} or more", METHODS[0]);
    }
    Ok(())
}

/// The transforms alone.
struct Transforms(Shared);

impl Work for Transforms {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        self.0.borrow_mut().transform()
    }

    fn synchronize(&mut self) -> Result<()> {
        self.0.borrow().finish()
    }
}

/// A whole step.
struct Step {
    system: Shared,
    charges: Rc<Charges>,
}

impl Work for Step {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        self.system.borrow_mut().step(self.charges.placed.cells())
    }

    fn synchronize(&mut self) -> Result<()> {
        self.system.borrow().finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdicts;

    fn measured(bins: usize, transforms: [f64; 3], steps: [f64; 3]) -> Measured {
        Measured { bins, fillers: 0, transforms: transforms.to_vec(), steps: steps.to_vec() }
    }

    #[test]
    fn larger_circuits_are_compared_with_smaller_ones() {
        let small = || measured(512, [4.0, 2.0, 1.0], [6.0, 4.0, 3.0]);
        let held = |large: Measured| verdicts(&claims_by_size(&[small(), large]));
        assert_eq!(held(measured(1024, [9.0, 3.0, 1.0], [90.0, 84.0, 82.0])), [true; 3]);
        assert_eq!(held(measured(1024, [9.0, 6.0, 1.0], [10.0, 4.0, 2.0])), [false; 3]);
        assert!(claims_by_size(&[small(), small()]).is_empty());
    }

    #[test]
    fn claims_are_judged_by_the_times() {
        let held = |transforms: [f64; 3], steps: [f64; 3]| {
            let measured = [measured(512, transforms, steps)];
            (verdicts(&claims(&measured, true)), fault(&fused_gains(&measured)).is_some())
        };
        assert_eq!(held([8.0, 4.0, 2.0], [9.0, 5.0, 3.05]), (vec![true; 4], false));
        // 18 % between the cells of the methods.
        assert_eq!(held([8.0, 6.0, 4.0], [18.0, 15.7, 15.8]), (vec![false; 4], true));
    }
}
