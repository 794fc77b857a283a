//! Table VI: how the kernels of reorder and combine use the device, as NVIDIA's Nsight Compute sees
//! it.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use fourfold_cli::array::{random, zeros_of};
use fourfold_gpu::Api;

use crate::claims::Claim;
use crate::how::CUFFT;
use crate::measure::{Setting, only_for};
use crate::page::{Outcome, Page, strings};
use crate::plot::{Line, Plot};

/// What the paper's columns are.
const COLUMNS: [&str; 4] = ["occupancy", "compute", "memory bandwidth", "multiprocessors"];

/// The profiler.
const NCU: &str = "ncu";

const PROBLEM: &str = "dct2 f64 4096x4096";

/// Its names of these; the last is of multiprocessors with work.
const METRICS: [&str; COLUMNS.len()] = [
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
];

/// The kernels, in the order in which they run, with percentages on a Titan Xp as published.
const PUBLISHED: [(&str, [&str; COLUMNS.len()]); 2] =
    [("reorder", ["82.1", "28.0", "78.1", "100"]), ("combine", ["79.1", "75.0", "75.6", "99"])];

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    if let Some(why) = missing(setting)? {
        return Ok(Outcome::LeftOut(why));
    }
    let csv = match profile(setting) {
        Ok(csv) => csv,
        Err(why) => return Ok(Outcome::LeftOut(format!("{why:#}"))),
    };
    let (mut rows, mut lines, mut used) = (vec![], vec![], vec![]);
    for (i, (name, published)) in PUBLISHED.iter().enumerate() {
        let percent =
            |metric| value(&csv, i, metric).with_context(|| format!("{NCU} has not said enough of the {name}"));
        let today = METRICS.into_iter().map(percent).collect::<Result<Vec<_>>>()?;
        let shown = today.iter().map(|percent| format!("{percent:.1} %"));
        let quoted = published.iter().map(|percent| format!("{percent} %"));
        rows.push([(*name).to_owned()].into_iter().chain(quoted).chain(shown).collect());
        used.push([today[2], today[1]]);
        let bars = |values: Vec<f64>| values.into_iter().enumerate().map(|(i, y)| (i as f64, y)).collect();
        let published = published.iter().map(|percent| percent.parse()).collect::<Result<_, _>>()?;
        lines.push(Line { name: format!("{name}, published"), points: bars(published) });
        lines.push(Line { name: (*name).into(), points: bars(today) });
    }
    Ok(Outcome::page(Page {
        title: format!("Table VI: how the kernels use the device, on {}", setting.engine()),
        text: vec![
            format!(
                "Percentages of the device's peak in a 2D DCT of 4096 × 4096 reals in f64 by three stages. A thread block has 256 threads. {NCU} measured one launch of each kernel. `compute` is its sm__throughput: the use of the busiest unit of a multiprocessor, which may be one that computes or one that only moves. Published: on a Titan Xp, by NVIDIA's visual profiler; the paper does not give the array's size. A Titan Xp computes f64 at 1/32 of its rate in f32, an H200 at 1/2, so that the same combine keeps the units of an H200 less busy."
            ),
            format!("Measured on {}.", setting.place()),
        ],
        columns: ["kernel".to_owned()]
            .into_iter()
            .chain([", published", ""].iter().flat_map(|of| COLUMNS.map(|name| format!("{name}{of}"))))
            .collect(),
        parts: vec![],
        claims: claims(&used),
        teaches: teaches(&used),
        rows,
        plot: Plot {
            title: "Use of the device by reorder and combine".into(),
            labels: ["".into(), "% of its peak".into()],
            lines,
            bars: strings(&COLUMNS),
        },
    }))
}

/// What the experiment needs and does not find here.
fn missing(setting: &Setting) -> Result<Option<String>> {
    if let Err(why) = only_for(Api::Cuda, setting) {
        return Ok(Some(why));
    }
    if Command::new(NCU).arg("--version").output().is_err() {
        return Ok(Some(format!("{NCU} (NVIDIA Nsight Compute) is not to be found")));
    }
    let has_cufft = setting.fft_library(&PROBLEM.parse()?)? == CUFFT;
    let why = "cuFFT cannot be loaded, and the kernels of fourfold's FFT have the same name as those of the stages";
    Ok((!has_cufft).then(|| why.to_owned()))
}

/// From what each kernel uses of the memory's bandwidth and of the busiest unit.
fn claims(used: &[[f64; 2]]) -> Vec<Claim> {
    let each = |i: usize| used.iter().map(|use_of| format!("{:.0} %", use_of[i])).collect::<Vec<_>>().join(" and ");
    vec![
        Claim::exact(
            "both kernels use over 75 % of the memory's bandwidth",
            each(0),
            used.iter().all(|[memory, _]| *memory > 75.0),
        ),
        Claim::exact(
            "computing does not bound them: both use a larger share of the bandwidth than of any unit",
            format!("{} of the busiest unit", each(1)),
            used.iter().all(|[memory, compute]| memory > compute),
        ),
    ]
}

/// From the same.
pub(super) fn teaches(used: &[[f64; 2]]) -> String {
    let [reorder, combine] = [0, 1].map(|i| used[i].map(|percent| format!("{percent:.0} %")));
    let [[a, b], [c, d]] = PUBLISHED.map(|(_, [_, compute, memory, _])| [memory, compute]);
    format!(
        "The reorder uses {} of the bandwidth and {} of the busiest unit, the combine {} and {} (published: {a}, {b}, {c} and {d} %).",
        reorder[0], reorder[1], combine[0], combine[1]
    )
}

/// What the profiler watches: the problem, transformed once.
pub(crate) fn profiled(setting: &Setting) -> Result<()> {
    let plan = setting.by("three-stage")?.plan(&PROBLEM.parse()?)?;
    let problem = plan.problem();
    let input = random(problem.precision(), problem.input_domain(), problem.input().len)?;
    let mut output = zeros_of(problem.precision(), problem.output_domain(), problem.output().len)?;
    Ok(plan.execute(&input, &mut output)?)
}

/// What the profiler prints of this program's own kernels.
fn profile(setting: &Setting) -> Result<String> {
    let this = std::env::current_exe()?;
    let output = Command::new(NCU)
        .args([
            "--csv",
            "--page",
            "raw",
            "--kernel-name",
            "pass",
            "--launch-count",
            "2",
            "--metrics",
            &METRICS.join(","),
        ])
        .arg(this)
        .args(["--profiled", "--engine"])
        .arg(setting.engine().to_string())
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    let named = || said.lines().find(|line| line.contains("ERR")).or(complaints.lines().last());
    let why = || named().unwrap_or("it does not say why").to_owned();
    ensure!(output.status.success() && said.contains(METRICS[0]), "{NCU} fails: {}", why());
    Ok(said)
}

/// The value of a metric for launch number `launch`: of a line of names, one of units, and one of
/// values for each launch.
fn value(csv: &str, launch: usize, metric: &str) -> Option<f64> {
    let mut lines = csv.lines().skip_while(|line| !line.contains(metric));
    let column = cells(lines.next()?).iter().position(|name| name == metric)?;
    let line = lines.skip(1).nth(launch)?;
    cells(line).get(column)?.replace(',', "").parse().ok()
}

/// Cells of a line in which every one stands in quotes.
fn cells(line: &str) -> Vec<String> {
    line.trim().trim_matches('"').split("\",\"").map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdicts;

    #[test]
    fn published_shares_stand_beside_those_of_today() {
        assert_eq!(
            teaches(&[[72.4, 30.0], [75.9, 18.1]]),
            "The reorder uses 72 % of the bandwidth and 30 % of the busiest unit, the combine 76 % and 18 % (published: 78.1, \
             28.0, 75.6 and 75.0 %)."
        );
        assert_eq!(verdicts(&claims(&[[72.4, 30.0], [75.9, 18.1]])), [false, true]);
    }

    #[test]
    fn values_are_read_from_the_profilers_lines() {
        let csv = format!(
            "==PROF== Connected\n\"ID\",\"Kernel Name\",\"{}\",\"{}\"\n\"\",\"\",\"%\",\"%\"\n\"0\",\"pass\",\"82.50\",\"1,028.1\"\n\"1\",\"pass\",\"79\",\"75.0\"\n",
            METRICS[0], METRICS[1]
        );
        assert_eq!(value(&csv, 0, METRICS[0]), Some(82.5));
        assert_eq!(value(&csv, 0, METRICS[1]), Some(1028.1));
        assert_eq!(value(&csv, 1, METRICS[0]), Some(79.0));
        assert_eq!(value(&csv, 2, METRICS[0]), None);
        assert_eq!(value(&csv, 0, METRICS[2]), None);
    }
}
