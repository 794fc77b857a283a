//! Table V: 2D DCT and IDCT by rows and columns, in three stages, and the FFT that these have; in
//! double precision as published, and in single precision.

mod figures;

use anyhow::Result;
use fourfold::{Precision, Problem};

use crate::claims::{Claim, margin_within};
use crate::experiments::two_dimensions::figures::{AuthorsCode, PUBLISHED, Published, of_authors};
use crate::how::{AUTHORS, MEASURED};
use crate::measure::{QUICK_SIDE, Setting, Timed, Times, described};
use crate::page::{Outcome, Page, Part};
use crate::plot::{Line, Plot};
use crate::ratios::{Ratios, of_methods, where_faster};
use crate::rounding::{digits, ratio};

/// The table in double precision, as the record of times names it.
const IN_DOUBLE: &str = "table-v";

/// What is timed, in its order.
const NAMES: [&str; 4] = ["row-column", "three-stage", "FFT", "fused"];

const AUTHORS_TITLE: &str =
    "The authors' code on an H200 on 21 November 2026: its milliseconds, today's medians, and these over its";

/// Of what is timed, what stands beside the authors' code; FFTs are the same library's.
const BESIDE_AUTHORS: [usize; 3] = [0, 1, 3];

/// The parts of a page: published figures stand before those of today, and the authors' code, which
/// runs on CUDA alone, comes last.
fn parts(precision: Precision, is_cuda: bool) -> Vec<Part> {
    let (milliseconds, columns) = match precision {
        Precision::F64 => ("Milliseconds, published and measured", [9, 11]),
        Precision::F32 => ("Milliseconds", [5, 8]),
    };
    let ours = [Part::new(milliseconds, columns[0]), Part::new("Ratios of these, and multiples of a copy", columns[1])];
    ours.into_iter().chain(is_cuda.then(|| Part::new(AUTHORS_TITLE, 9))).collect()
}

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    run_in(setting, Precision::F64)
}

pub(crate) fn run_in_single(setting: &Setting) -> Result<Outcome> {
    run_in(setting, Precision::F32)
}

fn run_in(setting: &Setting, precision: Precision) -> Result<Outcome> {
    let quick = |row: &&Published| !setting.quick || row.shape[0] * row.shape[1] <= QUICK_SIDE * QUICK_SIDE;
    let (mut table, mut lines) = (vec![], vec![vec![]; NAMES.len()]);
    let (mut all, mut medians) = (vec![vec![]; NAMES.len()], vec![vec![]; NAMES.len()]);
    let shown: Vec<&Published> = PUBLISHED.iter().filter(quick).collect();
    let measured = setting.each(&shown, |row| times(setting, row, precision))?;
    for (row, times) in shown.iter().zip(measured) {
        table.push(cells(row, &times, precision, setting.is_cuda()));
        let [n1, n2] = row.shape;
        if row.name == "DCT" && n1 == n2 {
            lines.iter_mut().zip(&times.ms).for_each(|(line, time)| line.push((n1 as f64, *time)));
        }
        all.iter_mut().zip(times.ms).for_each(|(list, time)| list.push(time));
        medians.iter_mut().zip(times.medians).for_each(|(list, time)| list.push(time));
    }
    let beside = if setting.is_cuda() { fair_baselines(&shown, &medians, precision) } else { vec![] };
    let name = match precision {
        Precision::F64 => "Table V: 2D DCT and IDCT",
        Precision::F32 => "Table V in single precision: 2D DCT and IDCT",
    };
    let title = format!("{name}, on {}", setting.engine());
    let heads = table.first().map(|row| row.iter().map(|(head, _)| (*head).to_owned()).collect()).unwrap_or_default();
    Ok(Outcome::page(Page {
        title,
        text: vec![
            text(precision, setting.is_cuda()),
            format!(
                "{} FFTs: {}.",
                setting.how_in(precision),
                setting.fft_library(&format!("dct2 {} 512x512", precision.name()).parse()?)?
            ),
        ],
        columns: heads,
        parts: parts(precision, setting.is_cuda()),
        claims: claims(&shown, &all)
            .into_iter()
            .chain(similar_to_double(setting, &shown, &all, precision)?)
            .chain(beside)
            .collect(),
        teaches: lessons(&shown, [&all, &medians], precision, setting.is_cuda()),
        rows: table.into_iter().map(|row| row.into_iter().map(|(_, cell)| cell).collect()).collect(),
        plot: Plot {
            title: format!("2D DCT of N × N reals in {}", precision.name()),
            labels: ["N".into(), "ms".into()],
            lines: NAMES.into_iter().zip(lines).map(|(name, points)| Line { name: name.into(), points }).collect(),
            bars: vec![],
        },
    }))
}

fn text(precision: Precision, is_cuda: bool) -> String {
    let published = match precision {
        Precision::F64 => {
            "Published: on a Titan Xp, with MATLAB 2019a, whose column has no IDCT; the times of IDCT_IDXST stand in the text of section V-B."
        }
        Precision::F32 => {
            "The paper has no times in single precision, and says that the speed-up is similar to that in double precision."
        }
    };
    let authors = format!(
        " {AUTHORS} Its runs took turns through 320 MB of arrays. Ratios to its times are those of our medians."
    );
    format!(
        "The paper's IDCT is half a DCT-III for each axis, which takes the same time. `FFT` is the second of the three stages alone. `fused` is fourfold's own method. {published} \
         `× copy` is a time over that of a copy of the array in the same run and memory.{}",
        if is_cuda { &authors } else { "" }
    )
}

/// The sentences below the table, from the shortest times and the medians. Shapes at which a baseline
/// is slower than the authors' code do not count, and are named.
fn lessons(shown: &[&Published], [all, medians]: [&[Vec<f64>]; 2], precision: Precision, is_cuda: bool) -> String {
    let mut slow: Vec<[usize; 2]> = vec![];
    let is_slow = |i: usize| [0, 1].iter().any(|&m| of_authors(shown[i], precision).over(m, all[m][i]) > Some(1.0));
    slow.extend((0..shown.len()).filter(|&i| is_cuda && is_slow(i)).map(|i| shown[i].shape));
    slow.dedup();
    let kept: Vec<usize> = (0..shown.len()).filter(|&i| !slow.contains(&shown[i].shape)).collect();
    let times: Vec<Vec<f64>> = all.iter().map(|times| kept.iter().map(|&i| times[i]).collect()).collect();
    let rows: Vec<&Published> = kept.iter().map(|&i| shown[i]).collect();
    let in_words = |[n1, n2]: [usize; 2]| format!("{n1} × {n2}");
    let over =
        |(i, row): (usize, &&Published)| (format!("{} ({})", in_words(row.shape), row.name), all[3][i] / all[0][i]);
    let faster: Vec<_> = shown.iter().enumerate().map(over).collect();
    let slow: Vec<String> = slow.into_iter().map(in_words).collect();
    let left_out = format!(
        " Left out is {}, where `row-column` or `three-stage` takes longer than the authors' code ({MEASURED}), even at its shortest.",
        slow.join(" and ")
    );
    let beside = match (slow.is_empty(), is_cuda) {
        (false, _) => left_out,
        (true, true) => beside_authors(shown, &medians[3], precision),
        (true, false) => String::new(),
    };
    teaches(&rows, &times, precision) + &beside + &where_faster("`row-column`", &faster).unwrap_or_default()
}

/// From the medians of fused passes.
fn beside_authors(shown: &[&Published], fused: &[f64], precision: Precision) -> String {
    let over = shown.iter().zip(fused).filter_map(|(row, ms)| of_authors(row, precision).over(1, *ms));
    format!(" `fused` takes {} times as long as the authors' `three-stage` ({MEASURED}).", Ratios::new(over).range())
}

/// From the times of [`NAMES`], beside the published gain of three stages if there is one.
fn teaches(shown: &[&Published], all: &[Vec<f64>], precision: Precision) -> String {
    let [rows, stages, fused] = [0, 1, 3].map(|method| &*all[method]);
    if precision == Precision::F32 {
        return of_methods([rows, stages, fused]);
    }
    let published = Ratios::new(shown.iter().filter_map(|row| row.ratios[1].parse().ok()));
    format!(
        "`three-stage` is {} times as fast as `row-column` (published: {}); `fused` is {} times as fast as `three-stage`.",
        Ratios::of(rows, stages).range(),
        published.range(),
        Ratios::of(stages, fused).range()
    )
}

/// What the paper says of the times of [`NAMES`].
fn claims(shown: &[&Published], all: &[Vec<f64>]) -> Vec<Claim> {
    let stages_gain = Ratios::of(&all[0], &all[1]);
    let of = |name: &str, i: usize| shown[i].name == name;
    let sine = (1..shown.len()).filter(|i| of("IDCT_IDXST", *i) && of("IDCT", i - 1));
    let sine = Ratios::new(sine.map(|i| all[1][i] / all[1][i - 1]));
    vec![
        Claim::timed(
            "three stages are about twice as fast as rows and columns (1.6 times or more, as published)",
            format!("{} times", stages_gain.range()),
            stages_gain.least() / 1.6,
        ),
        Claim::timed(
            "they are more than twice as fast (in the mean, as section IV-C says)",
            format!("{} times", ratio(stages_gain.mean())),
            stages_gain.mean() / 2.0,
        ),
        Claim::timed(
            "the FFT takes most of the three stages",
            format!("{} of their time", Ratios::of(&all[2], &all[1]).range()),
            Ratios::of(&all[2], &all[1]).least() / 0.5,
        ),
        Claim::timed(
            "IDCT_IDXST takes as long as IDCT (within 10 %)",
            format!("{} times as long", sine.range()),
            margin_within([1.0 / 1.1, 1.1], [sine.least(), sine.most()]),
        ),
    ]
}

/// In single precision, the speed-up by three stages beside that in double precision, where the same
/// run has measured it.
fn similar_to_double(
    setting: &Setting,
    shown: &[&Published],
    all: &[Vec<f64>],
    precision: Precision,
) -> Result<Option<Claim>> {
    if precision == Precision::F64 {
        return Ok(None);
    }
    let record = setting.record();
    let double = |row: &Published, i: usize| {
        let problem = problem(row, Precision::F64).ok()?;
        record.least(&described(&problem, Timed::Whole(NAMES[i])))
    };
    let speed_up = |(i, row): (usize, &&Published)| Some((all[0][i] / all[1][i]) / (double(row, 0)? / double(row, 1)?));
    let claim = similar(&Ratios::new(shown.iter().enumerate().filter_map(speed_up)));
    Ok(claim.map(|claim| claim.beside(record.noise(IN_DOUBLE))))
}

/// From speed-ups in single precision over those in double precision.
fn similar(over: &Ratios) -> Option<Claim> {
    (over.count() > 0).then(|| {
        Claim::timed(
            "the speed-up by three stages is similar to that in double precision (in the mean, within 15 %; the larger noise of both tables decides)",
            format!("{} that", over.times()),
            margin_within([1.0 / 1.15, 1.15], [over.mean(); 2]),
        )
    })
}

/// Whether ours are as fast as the authors' code, both by medians.
fn fair_baselines(shown: &[&Published], medians: &[Vec<f64>], precision: Precision) -> Vec<Claim> {
    let claim = |(i, name): (usize, &str)| {
        let authors = |(row, ms): (&&Published, &f64)| of_authors(row, precision).over(i, *ms);
        let ours = Ratios::new(shown.iter().zip(&medians[i]).filter_map(authors));
        Claim::timed(
            format!("our `{name}` is a fair baseline: at most 1.1 times the authors' time (ours)"),
            format!("{} times", ours.range()),
            1.1 / ours.most(),
        )
    };
    [(0, "row-column"), (1, "three-stage")].map(claim).into()
}

/// Of what is timed, and of a copy.
fn times(setting: &Setting, row: &Published, precision: Precision) -> Result<Times> {
    let jobs = [
        Timed::Whole("row-column"),
        Timed::Whole("three-stage"),
        Timed::Stage("three-stage", 1),
        Timed::Whole("fused"),
    ];
    setting.times(&problem(row, precision)?, &jobs)
}

fn problem(row: &Published, precision: Precision) -> Result<Problem> {
    let [n1, n2] = row.shape;
    Ok(format!("{} {} {n1}x{n2}", row.kind, precision.name()).parse()?)
}

/// A cell below the head of its column.
type Cell = (&'static str, String);

/// `is_cuda`: whether the authors' code runs where this is.
fn cells(row: &Published, times: &Times, precision: Precision, is_cuda: bool) -> Vec<Cell> {
    let Times { ms, medians, copy } = times;
    let copy = *copy;
    let [rows, stages, fft, fused] = [0, 1, 2, 3].map(|i| ms[i]);
    let [n1, n2] = row.shape;
    let is_published = precision == Precision::F64;
    let quoted = |cells: &[(&'static str, &str)]| -> Vec<Cell> {
        cells.iter().filter(|_| is_published).map(|(head, cell)| (*head, (*cell).to_owned())).collect()
    };
    let [matlab, row_column, three_stage, rfft] = row.times;
    let mut all = vec![("N₁ × N₂", format!("{n1} × {n2}")), ("transform", row.name.to_owned())];
    all.extend(quoted(&[
        ("MATLAB, published", matlab),
        ("row-column, published", row_column),
        ("three-stage, published", three_stage),
        ("FFT, published", rfft),
    ]));
    all.extend(NAMES.into_iter().zip(ms.iter().copied().map(digits)).chain([("copy", digits(copy))]));
    let [matlab, row_column, rfft] = row.ratios;
    all.extend(quoted(&[
        ("MATLAB/three-stage, published", matlab),
        ("row-column/three-stage, published", row_column),
        ("FFT/three-stage, published", rfft),
    ]));
    all.extend([
        ("row-column/three-stage", ratio(rows / stages)),
        ("FFT/three-stage", ratio(fft / stages)),
        ("three-stage/fused", ratio(stages / fused)),
        ("row-column/fused", ratio(rows / fused)),
        ("row-column × copy", ratio(rows / copy)),
        ("three-stage × copy", ratio(stages / copy)),
        ("FFT × copy", ratio(fft / copy)),
        ("fused × copy", ratio(fused / copy)),
    ]);
    if is_cuda {
        all.extend(beside_the_authors(row, BESIDE_AUTHORS.map(|i| medians[i]), precision));
    }
    all
}

/// The authors' milliseconds; the medians of today by rows and columns, in three stages and fused; and
/// these over theirs by rows and columns, in three stages, and in three stages. Their multiples of a
/// copy would be of a copy by the driver.
fn beside_the_authors(row: &Published, today: [f64; 3], precision: Precision) -> Vec<Cell> {
    let authors = of_authors(row, precision);
    let over = |i: usize, today: f64| authors.over(i, today).map(ratio).unwrap_or_default();
    let AuthorsCode { row_column, three_stage, fft } = authors;
    vec![
        ("authors' row-column, 2026-11-21", row_column.to_owned()),
        ("authors' three-stage, 2026-11-21", three_stage.to_owned()),
        ("authors' cuFFT, 2026-11-21", fft.to_owned()),
        ("median row-column", digits(today[0])),
        ("median three-stage", digits(today[1])),
        ("median fused", digits(today[2])),
        ("median row-column/authors' row-column", over(0, today[0])),
        ("median three-stage/authors' three-stage", over(1, today[1])),
        ("median fused/authors' three-stage", over(1, today[2])),
    ]
}

/// All sentences of times of [`NAMES`].
#[cfg(test)]
pub(super) fn sentences(all: &[Vec<f64>]) -> Vec<String> {
    let shown: Vec<&Published> = PUBLISHED.iter().take(all[0].len()).collect();
    [Precision::F64, Precision::F32].map(|precision| teaches(&shown, all, precision)).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdicts;

    #[test]
    fn parts_have_all_columns() {
        let times = Times { ms: vec![1.0; 4], medians: vec![1.0; 4], copy: 1.0 };
        for (precision, is_cuda) in [Precision::F64, Precision::F32].into_iter().flat_map(|p| [(p, false), (p, true)]) {
            let columns = 2 + parts(precision, is_cuda).iter().map(Part::columns).sum::<usize>();
            assert!(PUBLISHED.iter().all(|row| cells(row, &times, precision, is_cuda).len() == columns));
        }
    }

    #[test]
    fn times_stand_beside_the_authors() {
        let texts = |cells: Vec<Cell>| cells.into_iter().map(|(_, cell)| cell).collect::<Vec<_>>();
        // 1024²: 0.0540 and 0.0344 ms.
        let double = beside_the_authors(&PUBLISHED[3], [0.108, 0.0172, 0.0086], Precision::F64);
        assert_eq!(texts(double)[3..], ["0.108", "0.0172", "0.00860", "2.00", "0.50", "0.25"]);
        // In f32: 0.0428 and 0.0251 ms.
        let single = beside_the_authors(&PUBLISHED[3], [0.0856, 0.0502, 0.0251], Precision::F32);
        assert_eq!(texts(single)[6..], ["2.00", "2.00", "1.00"]);
    }

    #[test]
    fn the_sentence_has_the_ratios() {
        let shown: Vec<&Published> = PUBLISHED[..2].iter().collect();
        let all = [vec![0.0538, 9.0], vec![0.0374, 0.0199], vec![1.0, 1.5], vec![0.0187, 0.00995]];
        assert_eq!(
            teaches(&shown, &all, Precision::F64),
            "`three-stage` is 1.44 to 452 times as fast as `row-column` (published: 1.61 to 1.87); `fused` is 2.00 times as \
             fast as `three-stage`."
        );
        assert!(teaches(&shown, &all, Precision::F32).starts_with("`three-stage` is 25.5"));
        let of = |is_cuda: bool, three_stage: f64| {
            let shown: Vec<&Published> = PUBLISHED[2..4].iter().collect();
            let all = [vec![0.05, 0.05], vec![0.04, three_stage], vec![0.01, 0.01], vec![0.02, 0.07]];
            lessons(&shown, [&all, &all], Precision::F64, is_cuda)
        };
        // The authors' 0.0344 ms at 1024².
        assert!(of(false, 0.04).contains(" `fused` is 0.57 to 2.00 times as fast"), "{}", of(false, 0.04));
        let slow = of(true, 0.04);
        assert!(
            slow.contains(" `fused` is 2.00 times as fast") && slow.contains(" Left out is 1024 × 1024, "),
            "{slow}"
        );
        assert!(slow.ends_with(" `row-column` is 1.40 times as fast as `fused` at 1024 × 1024 (DCT)."), "{slow}");
        assert!(crate::page::are_short_sentences(&slow) && !of(true, 0.03).contains("Left out"), "{slow}");
        // 0.07 ms beside 0.0344.
        let beside = " `fused` takes 2.03 times as long as the authors' `three-stage` (2026-11-21, feabca7).";
        assert!(of(true, 0.03).contains(beside) && !of(false, 0.03).contains(beside), "{}", of(true, 0.03));
    }

    #[test]
    fn claims_are_judged_by_the_times() {
        let shown: Vec<&Published> = PUBLISHED[..3].iter().collect();
        let held = |all: [[f64; 3]; 4]| {
            let all = all.map(|times| times.to_vec());
            let beside = fair_baselines(&shown, &all, Precision::F64);
            verdicts(&claims(&shown, &all).into_iter().chain(beside).collect::<Vec<_>>())
        };
        let ours = [[0.021, 0.05, 0.06], [0.0125, 0.02, 0.021], [0.01, 0.012, 0.015], [1.0; 3]];
        assert_eq!(held(ours), [true, true, true, true, true, true]);
        let slow = [[0.03, 0.03, 0.06], [0.0187, 0.024, 0.03], [0.01, 0.011, 0.01], [1.0; 3]];
        assert_eq!(held(slow), [false, false, false, false, false, false]);
        let similar = |over: [f64; 2]| similar(&Ratios::new(over)).map(|claim| verdicts(&[claim]));
        assert_eq!([similar([0.9, 1.2]), similar([1.1, 1.3])], [Some(vec![true]), Some(vec![false])]);
        assert!(super::similar(&Ratios::new([])).is_none());
    }
}
