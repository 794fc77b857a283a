//! Table III: what a thread of the combine reads and computes, naive and efficient, as derived and
//! as the kernels have it.

use anyhow::{Result, ensure};
use fourfold::Problem;
use fourfold::baseline::Algorithm;
use fourfold_gpu::Target;
use fourfold_gpu::inspect::{Counts, Launch};

use crate::claims::Claim;
use crate::measure::Setting;
use crate::page::{Outcome, Page, strings};
use crate::plot::{Line, Plot};
use crate::rounding::ratio;

/// A combine.
struct Combine {
    method: &'static str,
    /// The paper's name for it.
    name: &'static str,
    /// As published: threads for an array of N₁N₂ reals; reads, multiplications, additions of a
    /// thread and its arithmetic intensity, computations a read; reads, multiplications, additions
    /// in all.
    published: [&'static str; 8],
}

const COMBINES: [Combine; 2] = [
    Combine {
        method: "three-stage-naive",
        name: "naive",
        published: ["N₁N₂", "2", "10", "7", "8.5", "2 N₁N₂", "10 N₁N₂", "7 N₁N₂"],
    },
    Combine {
        method: "three-stage",
        name: "efficient",
        published: ["N₁N₂/4", "2", "16", "12", "14", "N₁N₂/2", "4 N₁N₂", "3 N₁N₂"],
    },
];

/// What [`Combine::published`] counts, and what only our kernels are asked.
const QUANTITIES: [&str; 10] = [
    "threads",
    "reads a thread",
    "multiplications a thread",
    "additions a thread",
    "operations a read",
    "reads",
    "multiplications",
    "additions",
    "threads launched",
    "writes a thread",
];

/// N₁ and N₂.
const SIDE: usize = 1024;

pub(crate) fn run(_: &Setting) -> Result<Outcome> {
    let problem: Problem = format!("dct2 f64 {SIDE}x{SIDE}").parse()?;
    let (mut columns, mut lines, mut all) = (vec![], vec![], vec![]);
    for combine in &COMBINES {
        let (cells, totals) = counted(combine, &problem)?;
        all.push(totals);
        let quoted = combine.published.into_iter().chain(["", ""]).map(str::to_owned);
        columns.extend([quoted.collect::<Vec<_>>(), cells]);
        let bars = totals.iter().enumerate().map(|(i, total)| (i as f64, *total));
        lines.push(Line { name: combine.name.into(), points: bars.collect() });
    }
    let row = |(i, name): (usize, &&str)| {
        [*name].into_iter().chain(columns.iter().map(|column| &*column[i])).map(str::to_owned).collect()
    };
    Ok(Outcome::page(Page {
        title: format!("Table III: the combine after the FFT of a {SIDE} × {SIDE} array"),
        text: vec![
            "Complex numbers read, and multiplications and additions of reals. They are derived from eq. 14 and eq. 17, and counted in the kernels that \
             fourfold writes; this table exists only if both are equal. The table of e^{−jπn/(2N)} includes the factor 2 of eq. 14. A fused \
             multiply-add is one multiplication and one addition."
                .into(),
            "The paper has N₁N₂/4 threads for the efficient combine. Its threads at n₁ = 0 or n₂ = 0 also compute row N₁/2 or column N₂/2. \
             Here those have separate threads, (N₁/2 + 1)(N₂/2 + 1) in all, which write fewer outputs."
                .into(),
        ],
        columns: strings(&["quantity", "naive, published", "naive", "efficient, published", "efficient"]),
        parts: vec![],
        claims: claims(&all),
        teaches: teaches(&all),
        rows: QUANTITIES.iter().enumerate().map(row).collect(),
        plot: Plot {
            title: "The combine of a 2D DCT, an element of the array".into(),
            labels: ["".into(), "count".into()],
            lines,
            bars: strings(&["reads", "multiplications", "additions"]),
        },
    }))
}

/// What Table III says of the totals of both combines, which have no border there: here it is less
/// than 1 % of them.
fn claims(all: &[[f64; 3]]) -> Vec<Claim> {
    let published = [("reads", 0.5 / 2.0), ("multiplications", 4.0 / 10.0), ("additions", 3.0 / 7.0)];
    let claim = |(i, (what, published)): (usize, (&str, f64))| {
        let here = all[1][i] / all[0][i];
        let text = format!("the efficient combine needs {published:.3} times the {what} of the naive one (within 1 %)");
        Claim::exact(text, format!("{here:.3} times"), (here / published - 1.0).abs() < 0.01)
    };
    published.into_iter().enumerate().map(claim).collect()
}

/// From the totals of both combines.
pub(super) fn teaches(all: &[[f64; 3]]) -> String {
    let [reads, multiplications, additions] = [0, 1, 2].map(|i| ratio(all[1][i] / all[0][i]));
    format!(
        "The efficient combine needs {reads} times the reads of the naive one, {multiplications} times its multiplications and {additions} times its additions."
    )
}

/// Our kernel's counts, as [`QUANTITIES`], and those in all an element of the array; an error
/// unless they are the derived ones.
fn counted(combine: &Combine, problem: &Problem) -> Result<(Vec<String>, [f64; 3])> {
    let name = combine.name;
    let kernel = kernel(combine.method, problem)?;
    let Counts { reads, multiplications, additions, writes, .. } = kernel.counts;
    let each = [reads, multiplications, additions];
    for ((what, derived), counted) in ["reads", "multiplications", "additions"].iter().zip(derived(name)).zip(each) {
        check_same(&format!("{what} of the {name} combine"), derived, counted)?;
    }
    let threads = threads(name);
    let intensity = (multiplications + additions) as f64 / reads as f64;
    let totals = each.map(|count| (count * threads) as f64 / (SIDE * SIDE) as f64);
    let cells = [threads, reads, multiplications, additions].map(|count| count.to_string()).into_iter();
    let cells = cells.chain([ratio(intensity)]).chain(totals.map(|total| format!("{} N₁N₂", ratio(total))));
    Ok((cells.chain([kernel.blocks * kernel.threads, writes].map(|count| count.to_string())).collect(), totals))
}

/// Threads that have work.
fn threads(name: &str) -> usize {
    if name == "naive" { SIDE * SIDE } else { (SIDE / 2 + 1) * (SIDE / 2 + 1) }
}

/// Reads, multiplications and additions by eq. 14 (naive) and eq. 17 and 18: a product of complex
/// numbers is 4 and 2, their sum 0 and 2, a real part of a product 2 and 1.
fn derived(name: &str) -> [usize; 3] {
    let (product, sum, part) = ([4, 2], [0, 2], [2, 1]);
    let parts: &[[usize; 2]] = match name {
        // a X, ā X′, their sum, the real part of b times that.
        "naive" => &[product, product, sum, part],
        // a X, ā X′, sum and difference, b times each.
        _ => &[product, product, sum, sum, product, product],
    };
    [2, parts.iter().map(|part| part[0]).sum(), parts.iter().map(|part| part[1]).sum()]
}

/// The kernel of the last stage.
fn kernel(method: &str, problem: &Problem) -> Result<Launch> {
    let mut inspection = Target::opencl().inspect_recipe(method.parse::<Algorithm>()?.recipe(problem)?)?;
    Ok(inspection.launches.pop().expect("three stages have launches"))
}

/// Fails unless what was computed in two ways is the same.
fn check_same(what: &str, derived: usize, counted: usize) -> Result<()> {
    ensure!(derived == counted, "{what}: {derived} by derivation, {counted} in the kernel");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdicts;

    #[test]
    fn claims_are_judged_by_the_totals() {
        let held = |efficient: [f64; 3]| verdicts(&claims(&[[2.0, 10.0, 7.0], efficient]));
        assert_eq!(held([0.501, 4.02, 3.01]), [true, true, true]);
        assert_eq!(held([0.51, 3.9, 3.5]), [false, false, false]);
    }

    #[test]
    fn the_kernels_have_what_the_paper_says() {
        let problem = "dct2 f64 64x48".parse().unwrap();
        for Combine { method, name, published } in &COMBINES {
            let Counts { reads, multiplications, additions, .. } = kernel(method, &problem).unwrap().counts;
            let found = [reads, multiplications, additions];
            assert_eq!(found.map(|count| count.to_string())[..], published[1..4], "{name}");
            assert_eq!(derived(name), found, "{name}");
        }
    }
}
