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
//! 2 Σ c sin cos. So with the table G = 1 / (4 M N k²), φ = dct3,dct3(G A), ξ_x = idxst,dct3(2 k_u G A) and ξ_y = dct3,idxst(2 k_v G A).
//!
//! **Fused.** Sums along different axes commute, and 2 k_u is constant along the rows: φ and ξ_x have their rows in common, and all maps the
//! columns of the first transform. Six passes instead of eight, and no other trip through memory:
//!
//! ```text
//! coefficients = dct2 down the columns of ρ
//! φ   = dct2 along rows → × G       → dct3 along rows      one pass
//! ξ_y = dct2 along rows → × 2 k_v G → idxst along rows     one pass
//! ξ_x = × 2 k_u → idxst down the columns of φ
//! φ   = dct3 down its columns;  ξ_y = dct3 down its columns
//! ```
//!
//! Where an engine would do the filters' row transforms twice ([`Order::Coefficients`]), the coefficients are those of both axes, and
//! φ and ξ_y begin with the multiply: seven passes.

use super::grid::Grid;
use crate::{Method, Multiplier, Precision, Problem, Result};
use std::f64::consts::PI;

/// In which units potential and field are. The formulas are those of the [module](self), with a density ρ_b in parts of a bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scaling {
    /// DREAMPlace's: with w_u = 2πu/M and w_v = (2πv/N)(b_x/b_y), φ = Σ″ a/(w_u² + w_v²) cos cos, ξ_x = Σ″ a/2 · w_u/(w_u² + w_v²) sin cos
    /// and ξ_y alike: a quarter of Poisson's solution where a bin's width is the unit of length. The energy is Σ_b ρ_b φ_b.
    #[default]
    Dreamplace,
    /// Poisson's equation −∇²φ = ρ − ρ̄ in the units of the region, for bins of any shape: φ = Σ″ a/k² cos cos, ξ = −∇φ, with k_u = πu/(M b_x)
    /// and k_v = πv/(N b_y). The energy is ½ Σ_b ρ_b φ_b b_x b_y, whose negative gradient the forces are.
    Physical,
}

/// Maps that steps read and write.
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
    /// [`Planner::filter`](crate::Planner::filter).
    Filter(Problem, Multiplier, Problem),
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

/// How the default method puts the transforms together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Filters along the rows: for engines that have those in one pass.
    Filters,
    /// All coefficients first.
    Coefficients,
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

/// The wave numbers k_u and k_v, and G.
struct Factors {
    k: [Vec<f64>; 2],
    g: Vec<f64>,
}

impl Factors {
    fn new(grid: &Grid, scaling: Scaling) -> Factors {
        let ((unit, factor), bin) = (scaling.units(grid), grid.bin_size());
        let k = [0, 1].map(|axis| {
            let count = grid.bins()[axis];
            let step = PI / count as f64 * (unit / bin[axis]);
            (0..count).map(|u| u as f64 * step).collect::<Vec<_>>()
        });
        let by = factor / (4.0 * grid.count() as f64);
        let g = |ku: f64, kv: f64| if ku == 0.0 && kv == 0.0 { 0.0 } else { by / (ku * ku + kv * kv) };
        let g = k[0].iter().flat_map(|&ku| k[1].iter().map(move |&kv| g(ku, kv))).collect();
        Factors { k, g }
    }

    /// 2 k G, with the k of an axis.
    fn field(&self, axis: usize) -> Vec<f64> {
        let columns = self.k[1].len();
        let k = |b: usize| if axis == 0 { self.k[0][b / columns] } else { self.k[1][b % columns] };
        self.g.iter().enumerate().map(|(b, g)| 2.0 * k(b) * g).collect()
    }
}

/// The steps from the density to the maps that are wanted.
///
/// # Errors
/// None of those that a user could cause.
pub fn steps(grid: &Grid, wanted: &Wanted, order: Order) -> Result<Vec<Step>> {
    let [m, n] = grid.bins();
    let problem = |kinds: &str, axes: &str| -> Result<Problem> {
        format!("{kinds} {} {m}x{n}{axes}", wanted.precision.name()).parse()
    };
    let factors = Factors::new(grid, wanted.scaling);
    if wanted.method == Method::ALL[0] {
        fused(&problem, factors, wanted, order)
    } else {
        whole(&problem, factors, wanted)
    }
}

type Parse<'a> = &'a dyn Fn(&str, &str) -> Result<Problem>;

const ROWS: &str = " axes=1";
const COLUMNS: &str = " axes=0";

fn fused(problem: Parse, factors: Factors, wanted: &Wanted, order: Order) -> Result<Vec<Step>> {
    let double = factors.k[0].iter().map(|k| 2.0 * k).collect();
    let columns = Multiplier::Separable(vec![double, vec![1.0; factors.k[1].len()]]);
    let rows = |factors: Vec<f64>, kind: &str| -> Result<Work> {
        let (table, back) = (Multiplier::Table(factors), problem(kind, ROWS)?);
        Ok(match order {
            Order::Filters => Work::Filter(problem("dct2", ROWS)?, table, back),
            Order::Coefficients => Work::Premultiplied(table, back),
        })
    };
    let first = if order == Order::Filters { COLUMNS } else { "" };
    let back = |map| Ok(Step { work: Work::Transform(problem("dct3", COLUMNS)?), from: map, to: map });
    let along_y = factors.field(1);
    let mut steps = vec![
        Step { work: Work::Transform(problem("dct2", first)?), from: Map::Density, to: Map::Coefficients },
        Step { work: rows(factors.g, "dct3")?, from: Map::Coefficients, to: Map::Potential },
        Step { work: rows(along_y, "idxst")?, from: Map::Coefficients, to: Map::FieldY },
        Step { work: Work::Premultiplied(columns, problem("idxst", COLUMNS)?), from: Map::Potential, to: Map::FieldX },
        back(Map::FieldY)?,
    ];
    if wanted.potential {
        steps.push(back(Map::Potential)?);
    }
    Ok(steps)
}

/// Algorithm 4 to the letter.
fn whole(problem: Parse, factors: Factors, wanted: &Wanted) -> Result<Vec<Step>> {
    let [x, y] = [0, 1].map(|axis| factors.field(axis));
    let maps = [(Map::FieldX, x, "idxst,dct3"), (Map::FieldY, y, "dct3,idxst"), (Map::Potential, factors.g, "dct3")];
    let mut steps =
        vec![Step { work: Work::Transform(problem("dct2", "")?), from: Map::Density, to: Map::Coefficients }];
    for (map, factors, kinds) in maps.into_iter().take(if wanted.potential { 3 } else { 2 }) {
        steps.push(Step { work: Work::Scale(factors), from: Map::Coefficients, to: map });
        steps.push(Step { work: Work::Transform(problem(kinds, "")?), from: map, to: map });
    }
    Ok(steps)
}
