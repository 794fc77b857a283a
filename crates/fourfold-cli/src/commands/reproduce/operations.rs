//! Table III: what a thread of the combine reads and computes, naive and efficient, as derived and as the kernels have it.

use anyhow::Result;
use fourfold::{Method, Problem};
use fourfold_gpu::{Counts, Launch, Target};

use super::measure::Setting;
use super::page::{Page, ratio, strings};
use super::{Outcome, check_same};

/// A method, the paper's name for its combine, and reads, multiplications and additions of a thread, as published.
const PUBLISHED: [(&str, &str, [usize; 3]); 2] =
    [("three-stage-naive", "naive", [2, 10, 7]), ("three-stage", "efficient", [2, 16, 12])];

const SIDE: usize = 1024;

pub(super) fn run(_: &Setting) -> Result<Outcome> {
    let problem: Problem = format!("dct2 f64 {SIDE}x{SIDE}").parse()?;
    let mut rows = vec![];
    for (method, name, published) in PUBLISHED {
        let threads = threads(name);
        let kernel = combine(method, &problem)?;
        let Counts { reads, multiplications, additions, writes } = kernel.counts;
        let counted = [reads, multiplications, additions];
        for ((what, derived), counted) in
            ["reads", "multiplications", "additions"].iter().zip(derived(name)).zip(counted)
        {
            check_same(&format!("{what} of the {name} combine"), derived, counted)?;
        }
        let launched = kernel.groups * kernel.threads;
        let cells = published.into_iter().chain(counted).chain([writes, threads, launched]);
        let intensity = (multiplications + additions) as f64 / reads as f64;
        let totals = counted.map(|count| ratio((count * threads) as f64 / (SIDE * SIDE) as f64));
        let cells = cells.map(|count| count.to_string()).chain([ratio(intensity)]).chain(totals);
        rows.push([name.to_owned()].into_iter().chain(cells).collect());
    }
    Ok(Outcome::Page(Page {
        title: format!("Table III: the combine after the FFT of a {SIDE} × {SIDE} array, a thread"),
        text: vec![
            "Complex numbers read, and multiplications and additions of reals, derived from eq. 14 and eq. 17 and counted in the kernels that \
             fourfold writes; both agree, or there would be no table. The factor 2 of eq. 14 stands in the table of e^{−jπn/(2N)}, and a fused \
             multiply-add is one of each."
                .into(),
            "The paper has N₁N₂/4 threads for the efficient combine, of which those at n₁ = 0 or n₂ = 0 do two rows' or columns' ends at once; \
             here terms 0 and N/2 have threads of their own, (N₁/2 + 1)(N₂/2 + 1) in all, that write fewer outputs. Totals are for each element of the array."
                .into(),
        ],
        columns: strings(&[
            "combine", "reads, published", "multiplications, published", "additions, published", "reads", "multiplications",
            "additions", "writes", "threads with work", "threads launched", "operations a read", "reads an element",
            "multiplications an element", "additions an element",
        ]),
        rows,
        plot: None,
    }))
}

/// Threads that have work.
fn threads(name: &str) -> usize {
    if name == "naive" { SIDE * SIDE } else { (SIDE / 2 + 1) * (SIDE / 2 + 1) }
}

/// Reads, multiplications and additions by eq. 14 (naive) and eq. 17 and 18: a product of complex numbers is 4 and 2, their sum 0 and 2, a
/// real part of a product 2 and 1.
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
fn combine(method: &str, problem: &Problem) -> Result<Launch> {
    let mut outline = Target::opencl().outline_of(method.parse::<Method>()?.recipe(problem)?)?;
    Ok(outline.launches.pop().expect("three stages have launches"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_have_what_the_paper_says() {
        let problem = "dct2 f64 64x48".parse().unwrap();
        for (method, name, published) in PUBLISHED {
            let Counts { reads, multiplications, additions, .. } = combine(method, &problem).unwrap().counts;
            assert_eq!([reads, multiplications, additions], published, "{name}");
            assert_eq!(derived(name), published, "{name}");
        }
    }
}
