//! The ladder of "Speeding up the fast Fourier transform mixed-radix on mobile ARM Mali GPUs by
//! means of OpenCL", part 3 (G. M. Iodice, ARM): a 2D FFT, change by change.

use anyhow::Result;
use fourfold::baseline::{Algorithm, Stage};
use fourfold::{ErrorKind, Precision, Problem};
use fourfold_cli::engine::Engine;
use fourfold_gpu::Api;

use crate::claims::Claim;
use crate::measure::{Setting, Timed};
use crate::page::{Outcome, Page, Part};
use crate::plot::{Line, Plot};
use crate::ratios::Ratios;
use crate::rounding::{digits, ratio};

/// What is timed: from the bottom of the ladder to its top, the same by radix 2, then ours; each
/// with the head of its column.
const RUNGS: [(Timed, &str); 12] = [
    (Timed::OnProcessor("mixed-radix-naive"), "processor"),
    (Timed::Whole("mixed-radix-rows"), "a launch a row"),
    (Timed::Whole("mixed-radix-range"), "one for all rows"),
    (Timed::Whole("mixed-radix-elements"), "elements"),
    (Timed::Whole("mixed-radix-blocks"), "2 × 2"),
    (Timed::Whole("mixed-radix-blocks-4"), "4 × 4"),
    (Timed::Whole("mixed-radix-in-place"), "in place"),
    (Timed::Whole("mixed-radix-groups"), "groups of 2 × 4"),
    (Timed::Whole("mixed-radix-rule"), "groups by the rule"),
    (Timed::Whole("mixed-radix-padded"), "padded"),
    (Timed::Whole("radix-2-groups"), "radix 2 alone"),
    (Timed::Whole("fused"), "fused"),
];

/// Where [`RUNGS`] has ours.
const OURS: usize = 11;

/// Stands for the fastest of the rungs before ours.
const FASTEST: usize = RUNGS.len();

/// A step: the rungs before and after it, and its name.
const STEPS: [([usize; 2], &str); 11] = [
    ([0, 1], "device"),
    ([1, 2], "range"),
    ([2, 3], "transposes"),
    ([3, 4], "2 × 2"),
    ([4, 5], "4 × 4"),
    ([4, 6], "in place"),
    ([6, 7], "2 × 4"),
    ([7, 8], "rule"),
    ([8, 9], "padding"),
    ([10, 9], "mixed"),
    ([FASTEST, OURS], "fused"),
];

fn parts() -> Vec<Part> {
    let gains = "Gain of each step: the time without it over the time with it";
    vec![Part::new("Milliseconds", RUNGS.len()), Part::new(gains, STEPS.len())]
}

/// What the article says of a step, given by its rungs, and whether that is a gain.
const CLAIMS: [([usize; 2], &str, bool); 11] = [
    ([0, 1], "computing on the device is a speed-up", true),
    ([1, 2], "one launch for all rows increases performance", true),
    ([2, 3], "transposes of single elements on the device do not make up for their launches", false),
    ([2, 4], "transposes of 2 × 2 elements do", true),
    ([3, 4], "2 × 2 elements a thread are faster than one", true),
    ([4, 5], "no larger block gains", false),
    ([4, 6], "fewer work items in place are faster", true),
    ([6, 7], "groups of 2 × 4 are better than the driver's", true),
    ([6, 8], "groups by the rule, or of 2 × 4 where it says so, are better than the driver's", true),
    ([8, 9], "padding prevents branches, which helps", true),
    ([10, 9], "the mixed radix is faster than radix 2 alone", true),
];

/// The outlook of the article, which it does not claim.
const OUTLOOK: ([usize; 2], &str) = (
    [FASTEST, OURS],
    "it might be faster without digit reversal and with merged transposes (beside the fastest step before)",
);

/// Powers of two, the sizes that the article names since radix 2 lacks them, one whose half is
/// divided by 2 and not by 4, and an odd one.
const SIDES: [usize; 8] = [64, 120, 256, 500, 625, 1000, 1024, 3000];

/// A quick run's.
const QUICK: [usize; 3] = [64, 120, 125];

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    let Engine::Gpu(device) = setting.engine() else {
        return Ok(Outcome::LeftOut("it is about how devices are asked to do the same steps".into()));
    };
    let sides: &[usize] = if setting.quick { &QUICK } else { &SIDES };
    let measured = setting.each(sides, |&side| measure(setting, side))?;
    let mut text = vec![STEPS_TEXT.to_owned(), PUBLISHED.to_owned()];
    text.extend(left_out(setting, device.api, sides)?);
    text.push(format!(
        "{} `processor` keeps its arrays in the processor's caches, where they fit.",
        setting.how_in(Precision::F32)
    ));
    let heads = RUNGS.iter().map(|(_, head)| *head).chain(STEPS.iter().map(|(_, name)| *name));
    let line = |one: &Measured| Line { name: format!("N = {}", one.side), points: one.points() };
    Ok(Outcome::page(Page {
        title: format!("Mobile GPUs: a complex 2D FFT of N × N, change by change, on {}", setting.engine()),
        text,
        columns: ["N"].into_iter().chain(heads).map(str::to_owned).collect(),
        parts: parts(),
        claims: claims(&measured, device.api),
        teaches: teaches(&measured),
        rows: measured.iter().map(Measured::cells).collect(),
        plot: Plot {
            title: "Complex 2D FFT of N × N: the gain of each step".into(),
            labels: ["step".into(), "log₂ of time before / time after".into()],
            lines: measured.iter().map(line).collect(),
            bars: STEPS.iter().map(|(_, name)| (*name).to_owned()).collect(),
        },
    }))
}

const STEPS_TEXT: &str = "Milliseconds, and the gain of each step: the time without it over the time with it. Rows are transformed in place from digit-reversed order by levels of radix 8, 7, 5, 4, 3 and 2. Then the matrix is \
     transposed, its rows are transformed, and it is transposed again. `processor`: loops on one thread of the processor, with transposes in place. `device`: a launch for each row \
     and level, while the host transposes in memory that is mapped to it. `range`: one launch for all rows, with a range of two dimensions. `transposes`: by the device instead of the host, an element a thread. \
     `2 × 2`: 2 × 2 elements a thread, four reals an access (`vload4` and `vstore4`, or `float4`). `4 × 4`: 4 × 4 elements a thread instead. `in place`: a thread exchanges two blocks of 2 × 2, \
     and those below the diagonal leave early; it is compared with `2 × 2`. `2 × 4`: transposes in work groups of 2 × 4 instead of the driver's choice. `rule`: 2 × 4 or 1 × 2 where they divide the range, else the \
     driver's choice. Its column is empty where it is 2 × 4, which its claim includes. `padding`: odd N padded to even, and copied at the end; without it, every element of a block is checked. `mixed`: the mixed radix beside radix 2 alone, both in groups of 2 × 4. \
     `fused`: ours, two passes without digit reversal and without transposes, beside the fastest of all other columns. A step without a number changes nothing for that N, or N is no power of two. Claims are judged by the geometric mean over the N at which a step changes something; these are named if they are not all. \
     More than 1 is a gain. A claim without a gain holds where the mean is below 1.";

const PUBLISHED: &str = "Published: the article shows its speed-ups in pictures without numbers, on Mali GPUs. Its text says that computing on the device is the first speed-up. One launch for all rows \
     is a significant gain, above all where N is small. Transposes of single elements on the device do not make up for their launches, while those of 2 × 2 do, and larger blocks need too \
     many registers. In place there are fewer work items, and no second buffer. Groups of 2 × 4, or smaller ones by a rule, are better than what the driver chooses. Padding avoids branches. The mixed \
     radix is faster than radix 2 alone, which lacks 120, 1000 and 3000. Without digit reversal and with transposes merged into the FFT it may be faster, which is hard to predict.";

/// What the text says of steps that the device or its API does not have.
fn left_out(setting: &Setting, api: Api, sides: &[usize]) -> Result<Vec<String>> {
    let mut lines = vec![];
    match api {
        Api::OpenCl => {}
        Api::Cuda => lines.push(
            "Left out: the driver's choice of a work group, which CUDA does not have, and mapped memory. Blocks of 256 × 1 stand for the first, and copies through pinned memory for the second."
                .to_owned(),
        ),
    }
    for (job, head) in RUNGS {
        for &side in sides {
            let why = setting.lacks(&problem(side)?, job)?.filter(|why| why.kind() != ErrorKind::Problem);
            lines.extend(why.map(|why| format!("Left out at N = {side}: `{head}`: {why}.")));
        }
    }
    Ok(lines)
}

fn problem(side: usize) -> Result<Problem> {
    Ok(format!("fft f32 {side}x{side}").parse()?)
}

/// The times of rungs. One whose stages are those of the rung before it is not timed again.
fn measure(setting: &Setting, side: usize) -> Result<Measured> {
    let problem = problem(side)?;
    let (mut jobs, mut repeats) = (vec![], vec![]);
    let mut before: Option<Vec<Stage>> = None;
    for (job, _) in RUNGS {
        let stages = stages(job, &problem)?;
        let repeat = stages.is_some() && stages == before;
        let timed = !repeat && setting.lacks(&problem, job)?.is_none();
        jobs.push(timed.then_some(job));
        repeats.push(repeat);
        before = stages;
    }
    let mut times = setting.times_of(&problem, &jobs)?;
    (1..times.len()).filter(|&i| repeats[i]).for_each(|i| times[i] = times[i - 1]);
    Ok(Measured { side, times, timed: jobs.iter().map(Option::is_some).collect() })
}

/// The stages of a rung that has the problem. Ours has none.
fn stages(job: Timed, problem: &Problem) -> Result<Option<Vec<Stage>>> {
    let (Timed::Whole(method) | Timed::Stage(method, _) | Timed::OnProcessor(method)) = job;
    if method == "fused" {
        return Ok(None);
    }
    Ok(method.parse::<Algorithm>()?.recipe(problem).ok().map(|recipe| recipe.stages().to_vec()))
}

/// The milliseconds of rungs at a size.
struct Measured {
    side: usize,
    times: Vec<Option<f64>>,
    /// Whether a rung was timed, and does not repeat the one before it.
    timed: Vec<bool>,
}

impl Measured {
    /// The gain of a step that changes something: not all rungs after the first of its two repeat it.
    fn gain(&self, [before, after]: [usize; 2]) -> Option<f64> {
        let is_change = match before {
            FASTEST => self.timed[after],
            _ => self.timed[before.min(after) + 1..=before.max(after)].contains(&true),
        };
        Some(self.time(before)? / self.time(after)?).filter(|_| is_change)
    }

    /// The milliseconds of a rung, or of the fastest before ours.
    fn time(&self, rung: usize) -> Option<f64> {
        match rung {
            FASTEST => self.times[..OURS].iter().copied().flatten().reduce(f64::min),
            _ => self.times[rung],
        }
    }

    fn points(&self) -> Vec<(f64, f64)> {
        let gains = STEPS.iter().enumerate().map(|(i, (step, _))| Some((i as f64, self.gain(*step)?.log2())));
        gains.flatten().collect()
    }

    fn cells(&self) -> Vec<String> {
        let timed = self.times.iter().zip(&self.timed);
        let times = timed.map(|(time, timed)| time.filter(|_| *timed).map(digits));
        let gains = STEPS.iter().map(|(step, _)| self.gain(*step).map(ratio));
        let cells = times.chain(gains).map(Option::unwrap_or_default);
        [self.side.to_string()].into_iter().chain(cells).collect()
    }
}

/// The gains of a step at all sizes where it changes something.
fn gains(measured: &[Measured], step: [usize; 2]) -> Ratios {
    Ratios::new(measured.iter().filter_map(|one| one.gain(step)))
}

/// The sizes at which a step changes something, as in ` at N = 64 and 256`; nothing if it does at all.
fn places(measured: &[Measured], step: [usize; 2]) -> String {
    let sides: Vec<_> =
        measured.iter().filter(|one| one.gain(step).is_some()).map(|one| one.side.to_string()).collect();
    match &sides[..] {
        all if all.len() == measured.len() => String::new(),
        [first @ .., last] if !first.is_empty() => format!(" at N = {} and {last}", first.join(", ")),
        sides => format!(" at N = {}", sides.concat()),
    }
}

/// The article's claims on steps that change something at the sizes.
fn claims(measured: &[Measured], api: Api) -> Vec<Claim> {
    let of = |(step, text, is_gain): ([usize; 2], &str, bool)| {
        let gains = gains(measured, step);
        let in_mean = if gains.count() > 1 { " (in the mean)" } else { "" };
        let text = text_for(api, text) + in_mean;
        let margin = if is_gain { gains.mean() } else { 1.0 / gains.mean() };
        (gains.count() > 0)
            .then(|| Claim::timed(text, format!("gain {}{}", gains.times(), places(measured, step)), margin))
    };
    let mut claims: Vec<Claim> = CLAIMS.into_iter().filter_map(of).collect();
    let (small, large) = measured.split_at(measured.len() / 2);
    if let (Some(last), Some(first)) = (small.last(), large.first()) {
        let [at_small, at_large] = [small, large].map(|some| gains(some, [1, 2]));
        let [below, above] = [&at_small, &at_large].map(Ratios::times);
        let here = format!("gain {below} up to N = {}, and {above} from N = {} on", last.side, first.side);
        let margin = at_small.mean() / at_large.mean();
        claims.push(Claim::timed(
            "that one launch gains above all where N is small (in the mean of both)",
            here,
            margin,
        ));
    }
    claims.extend(of((OUTLOOK.0, OUTLOOK.1, true)));
    claims
}

/// A claim in the words of what stands for the article's choices.
fn text_for(api: Api, text: &str) -> String {
    match api {
        Api::OpenCl => text.to_owned(),
        Api::Cuda => text
            .replace("than the driver's", "than blocks of 256 × 1 (ours)")
            .replace("for their launches", "for their launches, beside copies through pinned memory"),
    }
}

/// The extremes of the geometric means over all sizes, of steps that change something at each.
fn teaches(measured: &[Measured]) -> String {
    let means = STEPS.iter().map(|(step, name)| (gains(measured, *step), *name));
    let everywhere = means.filter(|(gains, _)| gains.count() == measured.len());
    sentence(everywhere.map(|(gains, name)| (gains.mean(), name)).collect())
}

/// From the mean gain of each step.
pub(super) fn sentence(mut means: Vec<(f64, &str)>) -> String {
    means.sort_by(|a, b| b.0.total_cmp(&a.0));
    // What the step does without, where its name does not tell.
    let beside = |name: &str| match name {
        "transposes" => ", beside the host's",
        "fused" => ", beside the fastest before",
        _ => "",
    };
    let named = |(gain, name): &(f64, &str)| format!("`{name}` ({}{})", ratio(*gain), beside(name));
    match &means[..] {
        [first, second, third, .., last] => format!(
            "Of the steps at all N, {}, {} and {} gain most in the mean, and {} least.",
            named(first),
            named(second),
            named(third),
            named(last)
        ),
        _ => "Too few steps change anything at these sizes.".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdicts;

    #[test]
    fn steps_that_change_nothing_have_no_gain() {
        let mut times: Vec<Option<f64>> = (0..RUNGS.len()).map(|rung| Some(f64::from(1 << (12 - rung)))).collect();
        let mut timed = vec![true; RUNGS.len()];
        (times[10], timed[10], timed[8]) = (None, false, false);
        let measured = Measured { side: 120, times, timed };
        let gains: Vec<_> = STEPS.iter().map(|(step, _)| measured.gain(*step)).collect();
        let wanted = [2.0, 2.0, 2.0, 2.0, 2.0, 4.0, 2.0, 0.0, 2.0, 0.0, 4.0];
        assert_eq!(gains, wanted.map(|gain| Some(gain).filter(|gain| *gain > 0.0)));
        assert_eq!(measured.cells().len(), 1 + RUNGS.len() + STEPS.len());
        assert!(measured.cells()[9].is_empty() && measured.points().len() == 9);
        assert_eq!(
            teaches(&[measured]),
            "Of the steps at all N, `in place` (4.00), `fused` (4.00, beside the fastest before) and `device` (2.00) gain \
             most in the mean, and `padding` (2.00) least."
        );
    }

    /// Where a step loses, ours is not compared with it. Where the rule is 2 × 4, its claim has that gain,
    /// and claims on some sizes name them.
    #[test]
    fn ours_is_compared_with_the_fastest_and_claims_name_their_sizes() {
        let measured = |side: usize, groups: f64, timed: bool| {
            let mut times = vec![Some(8.0); RUNGS.len()];
            (times[4], times[7], times[8], times[OURS]) = (Some(4.0), Some(groups), Some(groups), Some(2.0));
            let mut all = vec![true; RUNGS.len()];
            (all[8], all[9]) = (timed, false);
            Measured { side, times, timed: all }
        };
        let both = [measured(120, 4.0, false), measured(500, 16.0, true)];
        assert_eq!(
            [both[0].gain(STEPS[10].0), both[0].gain([6, 8]), both[0].gain([7, 8])],
            [Some(2.0), Some(2.0), None]
        );
        assert_eq!([[6, 8], [7, 8]].map(|step| places(&both, step)), ["", " at N = 500"]);
        let three = [measured(1, 4.0, true), measured(2, 4.0, true), measured(3, 4.0, false)];
        assert_eq!(places(&three, [7, 8]), " at N = 1 and 2");
        assert!(teaches(&both).contains("`fused` (2.00, beside the fastest before)"), "{}", teaches(&both));
        let claims = format!("{:?}", claims(&both, Api::OpenCl));
        assert!(claims.contains("better than the driver's"));
        assert_eq!(claims.matches("gain 1.00 times (0.50 to 2.00)\"").count(), 2, "2 × 4 and the rule: {claims}");
    }

    /// Halving from rung to rung gains everywhere, so that claims of no gain fail.
    #[test]
    fn every_claim_that_can_be_judged_is() {
        let times: Vec<Option<f64>> = (0..RUNGS.len()).map(|rung| Some(f64::from(1 << (12 - rung)))).collect();
        let measured = |side: usize, times: Vec<Option<f64>>| Measured { side, times, timed: vec![true; RUNGS.len()] };
        let of = |all: &[Measured]| verdicts(&claims(all, Api::OpenCl));
        let mut small = times.clone();
        small[1] = small[1].map(|ms| 4.0 * ms);
        let both = [measured(64, small), measured(128, times.clone())];
        let mixed = false; // Radix 2 alone is one rung faster here.
        assert_eq!(of(&both), [false, true, false, true, true, false, true, true, true, true, mixed, true, true]);
        assert!(!format!("{:?}", super::claims(&both, Api::Cuda)).contains("driver"), "CUDA has no such choice");
        let slower: Vec<Option<f64>> = times.iter().rev().copied().collect();
        let held = of(&[measured(64, slower)]);
        assert_eq!(held, [false, false, true, false, false, true, false, false, false, false, true, false]);
    }

    #[test]
    fn only_odd_sizes_are_padded_and_only_some_have_groups_by_the_rule() {
        let changes = |side: usize, rung: usize| {
            let problem = problem(side).unwrap();
            stages(RUNGS[rung].0, &problem).unwrap() != stages(RUNGS[rung - 1].0, &problem).unwrap()
        };
        assert_eq!([64, 120, 500, 625].map(|side| changes(side, 8)), [false, false, true, true]);
        assert_eq!([64, 120, 500, 625].map(|side| changes(side, 9)), [false, false, false, true]);
    }
}
