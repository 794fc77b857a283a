//! The transforms of Algorithm 4 as a list of plans, for all engines.
//!
//! Let a be the cosine coefficients of the density, ρ = Σ″ a_uv cos(ω_u (i + ½)) cos(ω_v (j + ½)),
//! where ω_u = πu/M, ω_v = πv/N, and Σ″ halves terms with a zero index. On bins of b_x × b_y,
//! Poisson's equation −∇²φ = ρ − ρ̄ with Neumann boundary conditions has the solution
//!
//! ```text
//! φ   = Σ″ a_uv / k² cos cos        k_u = ω_u / b_x,  k_v = ω_v / b_y,  k² = k_u² + k_v²
//! ξ_x = Σ″ a_uv k_u / k² sin cos = −∂φ/∂x
//! ξ_y = Σ″ a_uv k_v / k² cos sin = −∂φ/∂y
//! ```
//!
//! Unscaled kinds give A = dct2(ρ) = M N a. The dct3 of coefficients c is 4 Σ″ c cos cos, and with
//! an IDXST along one axis it is 2 Σ c sin cos. So with G = 1 / (4 M N k²), φ = dct3,dct3(G A), ξ_x
//! = idxst,dct3(2 k_u G A) and ξ_y = dct3,idxst(2 k_v G A). G is a table of the size of a map. The
//! other factors are lists along one axis.
//!
//! With fourfold's passes, the last pass of the DCT-II writes G A, and the first passes of the
//! inverse transforms multiply by the lists. So each transform takes two passes, the table is read
//! once, and there is no other trip through memory. (Two other orders were measured on a CPU. φ and
//! ξ_x can share the pass along the rows, which saves one pass of eight, but saves nothing without
//! the potential. Filters along the rows save another one, but are slower, since they compute some
//! DFTs twice.)

use crate::baseline::algorithm::Algorithm;
use crate::baseline::staged_recipe::StagedRecipe;
use crate::electrostatics::grid::Grid;
use crate::error::{Error, ErrorKind, Result, collected, reserve};
use crate::problem::element::Precision;
use crate::problem::problem::Problem;
use crate::recipe::multiplier::Multiplier;
use crate::recipe::pipeline::Pipeline;
use std::f64::consts::PI;

/// The units of potential and field. The density ρ_ij, the covered fraction of a bin, has the
/// cosine coefficients a_uv:
///
/// ```text
/// ρ_ij = Σ″ a_uv cos(πu (i + ½)/M) cos(πv (j + ½)/N),    a_uv = 4/(M N) Σ_ij ρ_ij cos(πu (i + ½)/M) cos(πv (j + ½)/N)
/// ```
///
/// Σ″ halves terms with a zero index, and bins have the size b_x × b_y. "sin cos" stands for sin(πu
/// (i + ½)/M) cos(πv (j + ½)/N), and so on. The term with u = v = 0 is omitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scaling {
    /// DREAMPlace's: Poisson's equation −∇²φ = ρ − ρ̄ with a bin's width as the unit of length: φ =
    /// Σ″ a/k² cos cos, ξ = −∇φ, with k_u = πu/M and k_v = (πv/N)(b_x/b_y). DREAMPlace has w = 2k
    /// instead, and its inverse transforms have the factor 4: φ = IDCT2(a/w²) = 4 Σ″ a/w² cos cos,
    /// ξ_x = IDXST_IDCT(a w_u/(2 w²)) = 4 Σ″ a w_u/(2 w²) sin cos. The energy is Σ_b ρ_b φ_b.
    #[default]
    Dreamplace,
    /// Poisson's equation −∇²φ = ρ − ρ̄ in the units of the region, for bins of any shape: φ = Σ″
    /// a/k² cos cos, ξ = −∇φ, with k_u = πu/(M b_x) and k_v = πv/(N b_y). The energy is ½ Σ_b ρ_b
    /// φ_b b_x b_y. Forces converge to its negative gradient as bins become smaller than cells.
    Physical,
}

/// The maps that steps read and write, each of shape \[M, N\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "their names say it")]
pub enum Map {
    Density,
    /// The coefficients of the potential in unscaled kinds, G A. With baselines, A.
    Coefficients,
    Potential,
    FieldX,
    FieldY,
}

/// The number of maps.
pub const MAPS: usize = 5;

/// The work of a step.
// A list has about a dozen of these, so boxing the large variant would save nothing.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum StepWork {
    /// A transform whose passes include multiplies.
    Fused(Pipeline<'static>),
    /// A transform by a baseline.
    Staged(StagedRecipe),
    /// A multiply by one factor for each bin, as a separate trip through memory.
    Scale(Vec<f64>),
}

/// One plan, which transforms one map to another or in place.
#[derive(Clone, Debug)]
pub struct Step {
    /// The work of the step.
    pub work: StepWork,
    /// The map that it reads.
    pub from: Map,
    /// The map that it writes.
    pub to: Map,
}

/// The maps to compute, and the way to compute them.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The type of the maps.
    pub precision: Precision,
    /// The units.
    pub scaling: Scaling,
    /// The baseline that computes the transforms, with separate multiplies. `None` stands for
    /// fourfold's passes, which include the multiplies.
    pub algorithm: Option<Algorithm>,
    /// Whether the potential is computed too. Only the field is less work.
    pub potential: bool,
}

impl Wanted {
    /// Whether the passes include the scalings.
    fn fused(&self) -> bool {
        self.algorithm.is_none()
    }
}

impl Scaling {
    /// The width of a bin in the unit of length.
    fn bin_width(self, grid: &Grid) -> f64 {
        match self {
            Scaling::Dreamplace => 1.0,
            Scaling::Physical => grid.bin_size()[0],
        }
    }

    /// The ratio of the energy to Σ_b ρ_b φ_b.
    pub fn energy_factor(self, grid: &Grid) -> f64 {
        match self {
            Scaling::Dreamplace => 1.0,
            Scaling::Physical => grid.bin_size().iter().product::<f64>() / 2.0,
        }
    }
}

/// The factors of the maps' coefficients. The unit of length is √(b_x b_y), which keeps G and the
/// other factors as near to 1 as possible.
struct Factors {
    grid: Grid,
    wanted: Wanted,
    /// κ_u = (πu/M) r and κ_v = (πv/N)/r, with r = √(b_y/b_x).
    wave_numbers: [Vec<f64>; 2],
    /// G for each bin: 1 / (4 M N (κ_u² + κ_v²)), and 0 for u = v = 0.
    table: Vec<f64>,
    /// The unit of length divided by that of the scaling. φ has two factors of it, and ξ one.
    length: f64,
}

impl Factors {
    /// Computes the factors. It is an error if there is no memory for them, or if they are out of
    /// the range of the precision.
    fn new(grid: &Grid, wanted: &Wanted) -> Result<Factors> {
        let (width, bin) = (wanted.scaling.bin_width(grid), grid.bin_size());
        let r = (bin[1] / bin[0]).sqrt();
        let numbers = |axis: usize, r: f64| {
            let count = grid.bins()[axis];
            of_axis(count, (0..count).map(|u| u as f64 * (PI / count as f64 * r)))
        };
        let wave_numbers = [numbers(0, r)?, numbers(1, 1.0 / r)?];
        let (by, mut table) = (1.0 / (4.0 * grid.count() as f64), reserved(grid)?);
        let [x, y] = &wave_numbers;
        table.extend(x.iter().flat_map(|ku| y.iter().map(move |kv| by / (ku * ku + kv * kv))));
        table[0] = 0.0;
        let factors = Factors { grid: *grid, wanted: *wanted, wave_numbers, table, length: width * r };
        factors.check(&factors.table[1..])?;
        Ok(factors)
    }

    /// Returns an error if one of the factors is out of the range of the precision.
    fn check(&self, numbers: &[f64]) -> Result<()> {
        let precision = if self.wanted.fused() { self.wanted.precision } else { Precision::F64 };
        match numbers.iter().all(|&x| is_normal(x, precision)) {
            true => Ok(()),
            false => Err(self.no_numbers()),
        }
    }

    fn no_numbers(&self) -> Error {
        let message = format!(
            "bins of {:?} make factors of the field that are no numbers of {} in {:?} scaling: expected sides nearer to 1 and to each other",
            self.grid.bin_size(),
            self.wanted.precision.name(),
            self.wanted.scaling
        );
        Error::new(ErrorKind::Argument, message)
    }

    /// The factors on G A for the coefficients of a map, as one list for each axis.
    fn lists(&self, map: Map) -> Result<[Vec<f64>; 2]> {
        let bins = self.grid.bins();
        let same = |axis: usize, factor: f64| of_axis(bins[axis], std::iter::repeat(factor));
        let slopes = |axis: usize| of_axis(bins[axis], self.wave_numbers[axis].iter().map(|k| 2.0 * self.length * k));
        let lists = match map {
            Map::FieldX => [slopes(0)?, same(1, 1.0)?],
            Map::FieldY => [same(0, 1.0)?, slopes(1)?],
            _ => [same(0, self.length * self.length)?, same(1, 1.0)?],
        };
        lists.iter().try_for_each(|list| self.check(&list[1..]))?;
        Ok(lists)
    }

    /// The factors on A for the coefficients of a map, one for each bin.
    fn whole(&self, map: Map) -> Result<Vec<f64>> {
        let ([x, y], mut whole) = (self.lists(map)?, reserved(&self.grid)?);
        let lists = x.iter().flat_map(|x| y.iter().map(move |y| x * y));
        whole.extend(self.table.iter().zip(lists).map(|(g, by)| g * by));
        let is_zero = |i: usize| self.table[i] == 0.0 || x[i / y.len()] == 0.0 || y[i % y.len()] == 0.0;
        let precision = self.wanted.precision;
        match whole.iter().enumerate().all(|(i, &factor)| is_normal(factor, precision) || is_zero(i)) {
            true => Ok(whole),
            false => Err(self.no_numbers()),
        }
    }
}

/// Whether the number is normal in the precision.
fn is_normal(x: f64, precision: Precision) -> bool {
    if precision == Precision::F32 { (x as f32).is_normal() } else { x.is_normal() }
}

/// A number for each bin along an axis.
fn of_axis(count: usize, numbers: impl Iterator<Item = f64>) -> Result<Vec<f64>> {
    collected(count, numbers, format_args!("factors of {count} bins"))
}

/// A list with capacity for one number for each bin.
pub(crate) fn reserved<T>(grid: &Grid) -> Result<Vec<T>> {
    let (mut numbers, count) = (vec![], grid.count());
    reserve(&mut numbers, count, format_args!("factors of {count} bins"))?;
    Ok(numbers)
}

/// The steps from the density to the wanted maps, for authors of engines.
///
/// # Errors
/// If there is no memory for the factors; if they are out of the range of the precision, since the
/// sides of bins are extremely long, short or different; or if the baseline does not compute the
/// transforms.
pub fn steps(grid: &Grid, wanted: &Wanted) -> Result<Vec<Step>> {
    let ([m, n], real) = (grid.bins(), wanted.precision.name());
    let problem = |kinds: &str| -> Result<Problem> { format!("{kinds} {real} {m}x{n}").parse() };
    let maps = [(Map::FieldX, "idxst,dct3"), (Map::FieldY, "dct3,idxst"), (Map::Potential, "dct3")];
    let maps = maps.into_iter().take(if wanted.potential { 3 } else { 2 });
    let mut factors = Factors::new(grid, wanted)?;
    let (forward, [from, to]) = (problem("dct2")?, [Map::Density, Map::Coefficients]);
    let Some(algorithm) = wanted.algorithm else {
        let table = Multiplier::Table(std::mem::take(&mut factors.table));
        let work = StepWork::Fused(Pipeline::from(forward).multiply(table));
        let mut steps = vec![Step { work, from, to }];
        for (map, kinds) in maps {
            let lists = Multiplier::Separable(factors.lists(map)?.into());
            let work = StepWork::Fused(Pipeline::new().multiply(lists).transform(problem(kinds)?));
            steps.push(Step { work, from: to, to: map });
        }
        return Ok(steps);
    };
    let mut steps = vec![Step { work: StepWork::Staged(algorithm.recipe(&forward)?), from, to }];
    for (map, kinds) in maps {
        steps.push(Step { work: StepWork::Scale(factors.whole(map)?), from: to, to: map });
        steps.push(Step { work: StepWork::Staged(algorithm.recipe(&problem(kinds)?)?), from: map, to: map });
    }
    Ok(steps)
}
