//! The ladder of "Speeding up the fast Fourier transform mixed-radix on mobile ARM Mali GPUs by
//! means of OpenCL", part 3 (G. M. Iodice, ARM): a 2D FFT, change by change.

use anyhow::Result;
use fourfold::timing::table::{digits, ratio};
use fourfold::{Precision, Problem};
use fourfold_cli::engine::Engine;

use crate::measure::Setting;
use crate::page::{Outcome, Page, WHOLE};
use crate::plot::{Line, Plot};

/// From the bottom to the top, then the top by radix 2, then ours; each with what changes.
const RUNGS: [(&str, &str); 8] = [
    ("mixed-radix-rows", "a launch a row"),
    ("mixed-radix-range", "one for all rows"),
    ("mixed-radix-elements", "transposes on the device"),
    ("mixed-radix-blocks", "2 × 2 a thread"),
    ("mixed-radix-in-place", "in place"),
    ("mixed-radix-groups", "groups of 2 × 4"),
    ("radix-2-groups", "radix 2 alone"),
    ("fused", "fused"),
];

/// Powers of two, and the sizes that the article names since radix 2 lacks them.
const SIDES: [usize; 8] = [64, 120, 128, 256, 512, 1000, 1024, 3000];

/// Of those, a quick run's.
const QUICK: [usize; 4] = [64, 120, 256, 512];

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    if matches!(setting.engine(), Engine::Cpu(_)) {
        return Ok(Outcome::LeftOut("it is about how devices are asked to do the same steps".into()));
    }
    let sides: &[usize] = if setting.quick { &QUICK } else { &SIDES };
    let (mut rows, mut lines) = (vec![], vec![vec![]; RUNGS.len()]);
    for &side in sides {
        let problem: Problem = format!("fft f32 {side}x{side}").parse()?;
        let times = setting.times_if_any(&problem, &RUNGS.map(|(method, _)| method))?;
        for (line, time) in lines.iter_mut().zip(&times) {
            line.extend(time.map(|time| (side as f64, time)));
        }
        rows.push(cells(side, &times));
    }
    let columns = ["N".to_owned()].into_iter().chain(RUNGS.map(|(_, change)| change.to_owned()));
    let columns =
        columns.chain(["lowest/highest", "2 × 2/element", "radix 2/mixed", "highest/fused"].map(String::from));
    Ok(Outcome::page(Page {
        title: format!("Mobile GPUs: a complex 2D FFT of N × N, change by change, on {}", setting.engine()),
        text: vec![
            "Milliseconds. Every column changes one thing in the column before it. Rows are transformed in place from digit-reversed order by levels of radix 8, 7, 5, 4, 3 and 2; \
             the matrix is transposed, its rows are transformed, and it is transposed again. First each row has its launches and the host transposes (a download and an upload here, \
             which memory that is mapped does not need); then one launch has all rows; then the device transposes, an element a thread, 2 × 2 a thread, in place; \
             then in work groups of 2 × 4 threads instead of 256 along the rows. `radix 2 alone` is the last of these with radix 2; a column is empty where N is no power of two. `fused` is ours: two passes."
                .into(),
            "Published: the article has its speed-ups as pictures without numbers, on Mali GPUs. Its text says that one launch for all rows is a significant gain, above all where N is small; \
             that transposes of single elements on the device do not make up for their launches, while those of 2 × 2 do, and larger blocks need too many registers; that in place there are fewer work items, and no \
             second buffer; that groups of 2 × 4 are better than what the driver chooses; that the mixed radix is faster than radix 2 alone, which lacks 120, 1000 and 3000."
                .into(),
            setting.how_in(Precision::F32),
        ],
        columns: columns.collect(),
        parts: WHOLE,
        rows,
        teaches: String::new(),
        plot: Plot {
            title: "Complex 2D FFT of N × N".into(),
            labels: ["N".into(), "ms".into()],
            lines: RUNGS.into_iter().zip(lines).map(|((_, change), points)| Line { name: change.into(), points }).collect(),
            bars: vec![],
        },
    }))
}

fn cells(side: usize, times: &[Option<f64>]) -> Vec<String> {
    let quotient = |a: usize, b: usize| times[a].zip(times[b]).map(|(a, b)| ratio(a / b)).unwrap_or_default();
    let shown = times.iter().map(|time| time.map(digits).unwrap_or_default());
    let ratios = [quotient(0, 5), quotient(3, 2), quotient(6, 5), quotient(5, 7)];
    [side.to_string()].into_iter().chain(shown).chain(ratios).collect()
}
