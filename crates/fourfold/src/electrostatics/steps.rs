//! The transforms of Algorithm 4 as a list of plans, for every engine.
//!
//! With the cosine coefficients of the density, ρ = Σ″ a_uv cos(ω_u (i + ½)) cos(ω_v (j + ½)), where ω_u = πu/M, ω_v = πv/N and Σ″ halves
//! terms with a zero index, Poisson's equation −∇²φ = ρ − ρ̄ with Neumann's boundary has in bins of b_x × b_y the solution
//!
//! ```text
//! φ   = Σ″ a_uv / k² cos cos        k_u = ω_u / b_x,  k_v = ω_v / b_y,  k² = k_u² + k_v²
//! ξ_x = Σ″ a_uv k_u / k² sin cos = −∂φ/∂x
//! ξ_y = Σ″ a_uv k_v / k² cos sin = −∂φ/∂y
//! ```
//!
//! Unscaled kinds make A = dct2(ρ) = M N a, dct3 of coefficients c is 4 Σ″ c cos cos, and where an IDXST stands instead it is
//! 2 Σ c sin cos. So with G = 1 / (4 M N k²), φ = dct3,dct3(G A), ξ_x = idxst,dct3(2 k_u G A) and ξ_y = dct3,idxst(2 k_v G A).
//!
//! By the default method the multiplies are parts of the passes that begin the inverse transforms: two passes a transform, and no other trip
//! through memory. (Other orders of the same sums were measured on a processor. φ and ξ_x can have their rows in common, which saves a pass
//! of eight, and nothing without the potential; filters along the rows save one more, and take longer, since they do DFTs twice.)

use super::grid::Grid;
use crate::{Error, ErrorKind, Method, Multiplier, Precision, Problem, Result};
use std::f64::consts::PI;

/// In which units potential and field are. For a density ρ_ij in parts of a bin with the cosine coefficients a_uv,
///
/// ```text
/// ρ_ij = Σ″ a_uv cos(πu (i + ½)/M) cos(πv (j + ½)/N),    a_uv = 4/(M N) Σ_ij ρ_ij cos(πu (i + ½)/M) cos(πv (j + ½)/N)
/// ```
///
/// where Σ″ halves terms with a zero index, and bins of b_x by b_y. "sin cos" stands for sin(πu (i + ½)/M) cos(πv (j + ½)/N), and so on; the term
/// with u = v = 0 is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scaling {
    /// DREAMPlace's: with w_u = 2πu/M and w_v = (2πv/N)(b_x/b_y), φ = Σ″ a/(w_u² + w_v²) cos cos, ξ_x = Σ″ a/2 · w_u/(w_u² + w_v²) sin cos
    /// and ξ_y alike: a quarter of Poisson's solution where a bin's width is the unit of length. The energy is Σ_b ρ_b φ_b.
    #[default]
    Dreamplace,
    /// Poisson's equation −∇²φ = ρ − ρ̄ in the units of the region, for bins of any shape: φ = Σ″ a/k² cos cos, ξ = −∇φ, with k_u = πu/(M b_x)
    /// and k_v = πv/(N b_y). The energy is ½ Σ_b ρ_b φ_b b_x b_y; forces are its negative gradient, the nearer the
    /// smaller bins are beside cells.
    Physical,
}

/// Maps that steps read and write: each of shape \[M, N\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "their names say it")]
pub enum Map {
    Density,
    Coefficients,
    Potential,
    FieldX,
    FieldY,
}

/// How many maps there are.
pub const MAPS: usize = 5;

/// What a step does.
#[derive(Clone, Debug)]
pub enum Work {
    /// A transform.
    Transform(Problem),
    /// [`Planner::premultiplied`](crate::Planner::premultiplied).
    Premultiplied(Multiplier, Problem),
    /// A multiply that is a trip through memory of its own: one factor a bin.
    Scale(Vec<f64>),
}

/// One plan, from map to map; the same map is worked on in place.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it does.
    pub work: Work,
    /// What it reads.
    pub from: Map,
    /// What it writes.
    pub to: Map,
}

/// What is to be computed.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The type of the maps.
    pub precision: Precision,
    /// The units.
    pub scaling: Scaling,
    /// By which method; all but the default have whole transforms with separate multiplies between them.
    pub method: Method,
    /// Whether the potential is wanted: the field alone is less work.
    pub potential: bool,
}

impl Scaling {
    /// What is 1 in lengths, and the factor on Poisson's solution.
    fn units(self, grid: &Grid) -> (f64, f64) {
        match self {
            Scaling::Dreamplace => (grid.bin_size()[0], 0.25),
            Scaling::Physical => (1.0, 1.0),
        }
    }

    /// The factor on Σ_b ρ_b φ_b that makes it the energy.
    pub fn energy_factor(self, grid: &Grid) -> f64 {
        match self {
            Scaling::Dreamplace => 1.0,
            Scaling::Physical => grid.bin_size().iter().product::<f64>() / 2.0,
        }
    }
}

/// One factor a bin for the map: G for the potential, 2 k_u G and 2 k_v G for the field. An error if `precision` has no such numbers.
fn factors(grid: &Grid, scaling: Scaling, map: Map, precision: Precision) -> Result<Vec<f64>> {
    let ((unit, factor), bin) = (scaling.units(grid), grid.bin_size());
    let wave_numbers = |axis: usize| {
        let count = grid.bins()[axis];
        let step = PI / count as f64 * (unit / bin[axis]);
        (0..count).map(|u| u as f64 * step).collect::<Vec<_>>()
    };
    let by = factor / (4.0 * grid.count() as f64);
    let g = |ku: f64, kv: f64| if ku == 0.0 && kv == 0.0 { 0.0 } else { by / (ku * ku + kv * kv) };
    let factor = |ku: f64, kv: f64| match map {
        Map::FieldX => (ku == 0.0, 2.0 * ku * g(ku, kv)),
        Map::FieldY => (kv == 0.0, 2.0 * kv * g(ku, kv)),
        _ => (ku == 0.0 && kv == 0.0, g(ku, kv)),
    };
    let is_normal = |x: f64| if precision == Precision::F32 { (x as f32).is_normal() } else { x.is_normal() };
    let mut table = vec![];
    let message = || format!("there is no memory for factors of {} bins", grid.count());
    table.try_reserve_exact(grid.count()).map_err(|_| Error::new(ErrorKind::Unavailable, message()))?;
    let k = [0, 1].map(wave_numbers);
    let mut all = k[0].iter().flat_map(|&ku| k[1].iter().map(move |&kv| factor(ku, kv)));
    table.extend(all.by_ref().take_while(|&(zero, factor)| zero || is_normal(factor)).map(|(_, factor)| factor));
    if table.len() < grid.count() {
        let message = format!(
            "bins of {bin:?} make factors of the field that are no numbers of {} in {scaling:?} scaling: expected sides nearer to 1 and to each other",
            precision.name()
        );
        return Err(Error::new(ErrorKind::Argument, message));
    }
    Ok(table)
}

/// The steps from the density to the maps that are wanted, for those who write engines.
///
/// # Errors
/// If there is no memory for the factors, or the precision has no such numbers: where the sides of bins are extremely long, short or unlike.
pub fn steps(grid: &Grid, wanted: &Wanted) -> Result<Vec<Step>> {
    let ([m, n], real) = (grid.bins(), wanted.precision.name());
    let problem = |kinds: &str| -> Result<Problem> { format!("{kinds} {real} {m}x{n}").parse() };
    let maps = [(Map::FieldX, "idxst,dct3"), (Map::FieldY, "dct3,idxst"), (Map::Potential, "dct3")];
    let mut steps = vec![Step { work: Work::Transform(problem("dct2")?), from: Map::Density, to: Map::Coefficients }];
    for (map, kinds) in maps.into_iter().take(if wanted.potential { 3 } else { 2 }) {
        let (inverse, factors) = (problem(kinds)?, factors(grid, wanted.scaling, map, wanted.precision)?);
        if wanted.method == Method::ALL[0] {
            let work = Work::Premultiplied(Multiplier::Table(factors), inverse);
            steps.push(Step { work, from: Map::Coefficients, to: map });
        } else {
            steps.push(Step { work: Work::Scale(factors), from: Map::Coefficients, to: map });
            steps.push(Step { work: Work::Transform(inverse), from: map, to: map });
        }
    }
    Ok(steps)
}
