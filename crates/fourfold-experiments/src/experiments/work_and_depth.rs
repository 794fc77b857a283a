//! Table I: work and depth of a 2D DCT by a 2D FFT, as formulas and as counted in the kernels.
//!
//! With N = N₁N₂ and T = (N₁/2 + 1)(N₂/2 + 1), for powers of two:
//!
//! - The reorder reads and writes every element once: work 2N, depth 2.
//! - A complex FFT by radix 2 has log₂ N levels of N/2 butterflies. A butterfly reads two numbers,
//!   computes x + y and (x − y)w by 4 multiplications and 6 additions, and writes two: 14
//!   operations. The longest chain is a read, a subtraction, a multiplication, an addition, a write.
//!   At the last level of each axis w = 1, which saves 4 multiplications and 2 additions of every
//!   butterfly, and 2 operations of the chain. After its levels, the bits of an axis are reversed,
//!   with a read and a write for every element. For both axes, the work is 7N log₂ N − 6N + 4N, and
//!   the depth 5 log₂ N − 4 + 4.
//! - A thread of the combine reads 2 numbers, takes 16 multiplications and 12 additions (eq. 17, 18)
//!   and writes 4 reals, in a chain of a read, two products of complex numbers (2 each) with an
//!   addition between them, and a write: work 34T, depth 7.

use anyhow::{Error, Result, ensure};
use fourfold::Problem;
use fourfold::baseline::Algorithm;
use fourfold_gpu::Target;
use fourfold_gpu::inspect::Launch;

use crate::claims::Claim;
use crate::measure::Setting;
use crate::page::{Outcome, Page, strings};
use crate::plot::{Line, Plot};
use crate::ratios::Ratios;

/// Powers of two, whose butterflies fill all thread blocks.
const SHAPES: [[usize; 2]; 5] = [[16, 32], [64, 64], [32, 512], [256, 256], [1024, 1024]];

/// A step of Table I.
struct Step {
    name: &'static str,
    /// As published: work and depth.
    published: [&'static str; 2],
    /// What is derived at the head of this file.
    formulas: [&'static str; 2],
    derived: fn([usize; 2]) -> Cost,
}

/// Operations in all, and in the longest chain of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cost {
    work: usize,
    depth: usize,
}

impl Cost {
    /// Of steps one after another.
    fn sum(costs: impl IntoIterator<Item = Cost>) -> Cost {
        let add = |sum: Cost, cost: Cost| Cost { work: sum.work + cost.work, depth: sum.depth + cost.depth };
        costs.into_iter().fold(Cost { work: 0, depth: 0 }, add)
    }
}

const STEPS: [Step; 3] = [
    Step {
        name: "reorder",
        published: ["O(N₁N₂)", "O(1)"],
        formulas: ["2N", "2"],
        derived: |[n1, n2]| Cost { work: 2 * n1 * n2, depth: 2 },
    },
    Step {
        name: "FFT",
        published: ["O(N₁N₂ log N₁N₂)", "O(log N₁N₂)"],
        formulas: ["7N log₂ N − 2N", "5 log₂ N"],
        derived: |[n1, n2]| {
            let (n, levels) = (n1 * n2, (n1 * n2).ilog2() as usize);
            Cost { work: 7 * n * levels - 2 * n, depth: 5 * levels }
        },
    },
    Step {
        name: "combine",
        published: ["O(N₁N₂)", "O(1)"],
        formulas: ["34T", "7"],
        derived: |shape| Cost { work: 34 * threads(shape), depth: 7 },
    },
];

/// Threads of the combine that have work.
fn threads(shape: [usize; 2]) -> usize {
    shape.map(|n| n / 2 + 1).iter().product()
}

pub(crate) fn run(_: &Setting) -> Result<Outcome> {
    let (mut rows, mut totals) = (vec![], vec![]);
    for shape in SHAPES {
        let costs = counted(shape)?;
        let total = Cost::sum(costs);
        for (step, cost) in STEPS.iter().zip(costs) {
            rows.push(cells(shape, step.name, step.published, step.formulas, cost));
        }
        rows.push(cells(shape, "total", STEPS[1].published, ["the sum", "the sum"], total));
        totals.push((shape, total));
    }
    let points =
        |f: fn(&Cost) -> usize| totals.iter().map(move |([n1, n2], cost)| ((n1 * n2) as f64, f(cost) as f64)).collect();
    Ok(Outcome::page(Page {
        title: "Table I: work and depth of a 2D DCT by a 2D FFT".into(),
        text: vec![
            "Work is the number of operations: multiplications and additions of reals, and reads and writes of numbers. The FFT reads and writes complex numbers, and the combine reads them. Depth is the number of them on the longest chain in which each operation \
             needs the result of the one before. N = N₁N₂, T = (N₁/2 + 1)(N₂/2 + 1). The formulas are derived from the equations, and the counts are those of the kernels that fourfold \
             writes. This table exists only if both are equal for every size."
                .into(),
            "The paper's FFT is a real one by a library, whose operations cannot be counted. Counted is a complex FFT by radix 2 with a launch for each level, which has about twice the \
             work and the same orders. A fused multiply-add is two operations. Reads of tables of factors are not counted. Writes of the combine that symmetry makes unnecessary at the edges are counted too."
                .into(),
        ],
        columns: strings(&[
            "N₁ × N₂", "step", "work, published", "work, formula", "work, counted", "depth, published", "depth, formula", "depth, counted",
        ]),
        parts: vec![],
        claims: vec![fewer_stages(&"dct2 f64 1024x1024".parse()?)?],
        teaches: teaches(&totals),
        rows,
        plot: Plot {
            title: "Work and depth of a 2D DCT by a 2D FFT".into(),
            labels: ["N₁N₂".into(), "operations".into()],
            lines: vec![
                Line { name: "work".into(), points: points(|cost| cost.work) },
                Line { name: "depth".into(), points: points(|cost| cost.depth) },
            ],
            bars: vec![],
        },
    }))
}

/// Section III-C: stages that read and write the whole array, as the recipes have them.
fn fewer_stages(problem: &Problem) -> Result<Claim> {
    let count = |method: &str| Ok::<_, Error>(method.parse::<Algorithm>()?.recipe(problem)?.stages().len());
    let [rows, stages] = [count("row-column")?, count("three-stage")?];
    let saved = 1.0 - stages as f64 / rows as f64;
    Ok(Claim::exact(
        "three stages of memory access instead of eight save 62.5 % (section III-C)",
        format!("{stages} instead of {rows} save {:.1} %", 100.0 * saved),
        saved == 0.625,
    ))
}

/// From the sizes and their totals.
pub(super) fn teaches(totals: &[([usize; 2], Cost)]) -> String {
    let ratios = |i: usize, cost: fn(&Cost) -> usize| {
        Ratios::new(totals.iter().map(|(shape, total)| cost(total) as f64 / terms(*shape)[i])).range()
    };
    format!(
        "Work stays within {} times N log₂ N and depth within {} times log₂ N, which are the published orders.",
        ratios(0, |cost| cost.work),
        ratios(1, |cost| cost.depth)
    )
}

/// The published terms N log₂ N and log₂ N.
fn terms([n1, n2]: [usize; 2]) -> [f64; 2] {
    let n = (n1 * n2) as f64;
    [n * n.log2(), n.log2()]
}

fn cells([n1, n2]: [usize; 2], step: &str, published: [&str; 2], formulas: [&str; 2], cost: Cost) -> Vec<String> {
    let [work, depth] = [0, 1].map(|i| [published[i].to_owned(), formulas[i].to_owned()]);
    let head = [format!("{n1} × {n2}"), step.to_owned()].into_iter();
    head.chain(work).chain([cost.work.to_string()]).chain(depth).chain([cost.depth.to_string()]).collect()
}

/// The costs of the steps, counted in their kernels; an error unless they are the derived ones.
fn counted(shape: [usize; 2]) -> Result<[Cost; 3]> {
    let [n1, n2] = shape;
    let staged = launches("three-stage", &format!("dct2 f64 {n1}x{n2}"))?;
    let levels = launches("levels", &format!("fft f64 {n1}x{n2}"))?;
    let [first, .., last] = &*staged else { unreachable!("three stages have launches") };
    let combine = threads(shape);
    ensure!(combine.next_multiple_of(last.threads) == last.blocks * last.threads, "{combine} threads in {shape:?}");
    let all = |launch: &Launch| cost(launch, launch.blocks * launch.threads);
    let costs = [all(first), Cost::sum(levels.iter().map(all)), cost(last, combine)];
    for (Step { name, derived, .. }, counted) in STEPS.iter().zip(costs) {
        let derived = derived(shape);
        ensure!(derived == counted, "{name} of {n1} × {n2}: {derived:?} by derivation, {counted:?} in the kernels");
    }
    Ok(costs)
}

/// The cost of a launch by so many threads: a read and a write are part of every chain.
fn cost(launch: &Launch, threads: usize) -> Cost {
    let counts = launch.counts;
    let each = counts.reads + counts.writes + counts.multiplications + counts.additions;
    Cost { work: each * threads, depth: counts.depth + 2 }
}

fn launches(algorithm: &str, problem: &str) -> Result<Vec<Launch>> {
    let recipe = algorithm.parse::<Algorithm>()?.recipe(&problem.parse::<Problem>()?)?;
    Ok(Target::opencl().inspect_recipe(recipe)?.launches)
}

/// The totals of all sizes.
#[cfg(test)]
pub(super) fn totals() -> Vec<([usize; 2], Cost)> {
    SHAPES.into_iter().map(|shape| (shape, Cost::sum(STEPS.iter().map(|step| (step.derived)(shape))))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdicts;

    #[test]
    fn the_kernels_have_the_derived_costs() {
        for shape in [[32, 16], [16, 64], [128, 256]] {
            let costs = counted(shape).unwrap();
            let [n, levels] = [shape[0] * shape[1], shape.map(usize::ilog2).iter().sum::<u32>() as usize];
            let [all, without_factors] = [levels * n / 2, 2 * n / 2];
            assert_eq!(costs[1].work, 14 * (all - without_factors) + 8 * without_factors + 2 * (2 * n));
            assert_eq!(costs[2].depth, 7);
        }
    }

    #[test]
    fn stages_are_counted() {
        let held = |problem: &str| verdicts(&[fewer_stages(&problem.parse().unwrap()).unwrap()]);
        // Of three axes, rows and columns have twelve stages.
        assert_eq!([held("dct2 f64 8x8"), held("dct2 f64 8x8x8")], [[true], [false]]);
    }

    #[test]
    fn another_kernel_is_an_error() {
        // Three butterflies in a block of 256 threads.
        assert!(counted([2, 3]).is_err());
        assert!(counted([8, 8]).unwrap_err().to_string().contains("by derivation"));
    }
}
