//! What is simulated.

use crate::api::tune::STEPS;
use crate::choose::estimate::{Choice, Chosen};
use crate::desc::action::Action;
use crate::desc::choice::AxisFusion;
use crate::desc::kernel::KernelDesc;
use crate::lower::passes::lower;
use crate::run::inspect::Target;
use crate::simulator::{simulate, simulate_passes, simulate_steps};
use crate::write::partners::Partners;
use fourfold::baseline::Algorithm;
use fourfold::{Multiplier, Planner, Problem, Recipe};
use multiplied::{SIDES, Side};
use std::collections::HashSet;

#[path = "../../tests/common/filtered.rs"]
mod filtered;
#[path = "../../tests/common/multiplied.rs"]
pub(super) mod multiplied;

#[test]
fn levels_on_chip_are_right_and_have_no_races() {
    let recipe =
        |method: &str, problem: &str| method.parse::<Algorithm>().unwrap().recipe(&problem.parse().unwrap()).unwrap();
    for (problem, groups) in
        [("fft f64 2048", 2), ("ifft f32 4096 ortho", 4), ("fft f64 8192", 8), ("ifft f64 2x2048 axes=1", 2)]
    {
        let (verdict, cluster) = simulate_steps(&recipe("levels-in-clusters", problem));
        assert!(verdict.holds() && cluster == groups, "{problem}: {verdict:?}, {cluster} groups");
    }
    for problem in ["fft f64 8", "ifft f32 3x512 axes=1", "fft f64 2048"] {
        let (verdict, cluster) = simulate_steps(&recipe("levels-in-blocks", problem));
        assert!(verdict.holds() && cluster == 1, "{problem}: {verdict:?}");
    }
}

#[test]
fn ranges_of_rows_and_whole_lines_are_right() {
    // Lengths that blocks and groups divide, and that they do not.
    for (method, side) in [
        ("mixed-radix-naive", 12),
        ("mixed-radix-elements", 6),
        ("mixed-radix-blocks", 10),
        ("mixed-radix-blocks", 9),
        ("mixed-radix-blocks-4", 12),
        ("mixed-radix-blocks-4", 10),
        ("mixed-radix-in-place", 12),
        ("mixed-radix-groups", 12),
        ("mixed-radix-groups", 15),
        ("mixed-radix-rule", 12),
        ("mixed-radix-padded", 15),
        ("mixed-radix-padded", 9),
        ("radix-2-groups", 16),
    ] {
        let problem: Problem = format!("ifft,fft f64 {side}x{side}").parse().unwrap();
        let recipe = method.parse::<Algorithm>().unwrap().recipe(&problem).unwrap();
        let (verdict, _) = simulate_steps(&recipe);
        assert!(verdict.holds(), "{problem} by {method}: {verdict:?}");
    }
}

#[test]
fn clusters_are_right_and_have_no_races() {
    let target = Target::cuda("sm_90").unwrap().with_shared_bytes(16 << 10).with_sms(1);
    let cases = include_str!("../../../../cases/clusters.txt").lines().filter(|line| !line.starts_with('#'));
    for case in cases.filter(|line| !line.trim().is_empty()) {
        let problem: Problem = case.parse().unwrap();
        let (verdict, cluster) = simulate(&target, &problem, &[]).unwrap();
        assert!(cluster > 1, "{case}: no cluster");
        assert!(verdict.holds(), "{case}: {verdict:?}");
    }
}

#[test]
fn rough_lines_are_right_and_have_no_races() {
    let target = Target::cuda("sm_90").unwrap().with_shared_bytes(8 << 10).with_sms(1);
    let cases = include_str!("../../../../cases/rough_lines.txt").lines().filter(|line| !line.starts_with('#'));
    let mut wrong = vec![];
    for case in cases {
        match simulate(&target, &case.parse().unwrap(), &[]) {
            Ok((verdict, _)) if verdict.holds() => {}
            other => wrong.push(format!("{case}: {other:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Arrays of 16 bits a real, which are rounded after every pass.
#[test]
fn halves_are_right_and_have_no_races() {
    let target = Target::cuda("sm_90").unwrap().with_shared_bytes(16 << 10).with_sms(1);
    for case in ["dct2 f16 512x8 axes=0", "dct3 bf16 512x8 axes=0", "dct2 f16 12x20", "rfft f16 9x14", "dct2 bf16 33"] {
        let (verdict, _) = simulate(&target, &case.parse().unwrap(), &[]).unwrap();
        assert!(verdict.holds() && verdict.error > 0.1 * verdict.bound, "{case}: {verdict:?}");
    }
}

/// All ways in which the last DFTs and the combine are one stage: radices, rounds, packings,
/// directions.
#[test]
fn fused_combines_are_right_and_have_no_races() {
    let target = Target::cuda("sm_90").unwrap().with_shared_bytes(16 << 10).with_sms(1);
    let cases = include_str!("../../../../cases/combine_fusion.txt").lines().filter_map(|line| line.split_once(": "));
    let mut reached = HashSet::new();
    for (case, choice) in cases {
        let problem: Problem = case.parse().unwrap();
        let recipe = Planner::new().recipe(&problem).unwrap();
        let passes = |choices: &[Choice]| lower(target.limits(), &recipe, false, None, choices).unwrap();
        let mut choices = passes(&[]).choices();
        *choices.last_mut().unwrap() = choice.parse().unwrap();
        let descs = passes(&choices).descs();
        for desc in &descs {
            let place = desc.combine_partners().map(|partners| (partners, desc.cluster > 1, desc.inverse));
            reached.extend(place);
        }
        assert!(descs.iter().any(|desc| (0..desc.stages.len()).any(|i| desc.is_fused(i))), "{case}: {choice}");
        let (verdict, _) = simulate(&target, &problem, &choices).unwrap();
        assert!(verdict.holds(), "{case} with {choice}: {verdict:?}");
    }
    for place in [(Partners::Thread, true), (Partners::Thread, false), (Partners::Warp, true)] {
        assert!([false, true].iter().all(|inverse| reached.contains(&(place.0, place.1, *inverse))), "{place:?}");
    }
    assert!(reached.contains(&(Partners::Warp, false, true)) && reached.contains(&(Partners::Block, true, true)));
}

/// Lane pairs that read, that write, and that do both: packings, orders and combines, signs,
/// neighbours that memory reads at once and not.
#[test]
fn lane_pairs_are_right_and_have_no_races() {
    check_lane_pairs(32 << 10, include_str!("../../../../cases/lane_pairs.txt"), false);
}

/// The same of kernels on ranges of digits, whose blocks have mirrored sublines: also tiles that are not
/// full, odd radices, a line whose middle element has two reals, and several lines.
#[test]
fn mirrored_sublines_are_right_and_have_no_races() {
    check_lane_pairs(8 << 10, include_str!("../../../../cases/mirrored_sublines.txt"), true);
}

/// The same where warps, which are sub-groups, have other sizes: which kernels have lane pairs may differ.
#[test]
fn lane_pairs_of_smaller_and_larger_warps_are_right_and_have_no_races() {
    let files =
        [include_str!("../../../../cases/lane_pairs.txt"), include_str!("../../../../cases/mirrored_sublines.txt")];
    for (warp, i) in [8, 64].into_iter().flat_map(|warp| [(warp, 0), (warp, 1)]) {
        let target = Target::with_warps(warp).with_shared_bytes([32 << 10, 8 << 10][i]).with_sms(1);
        let mut ends = [0; 2];
        // Every second case for one size, and the others for the other.
        let cases = files[i].lines().filter_map(|line| line.split_once(": "));
        for (case, _) in cases.skip(usize::from(warp == 8)).step_by(2) {
            let problem: Problem = case.parse().unwrap();
            let recipe = Planner::new().recipe(&problem).unwrap();
            let descs = lower(target.limits(), &recipe, false, None, &[]).unwrap().descs();
            let of = |end: usize| descs.iter().filter(|desc| desc.lane_pairs[end]).count();
            ends = [ends[0] + of(0), ends[1] + of(1)];
            assert!(descs.iter().all(|desc| [0, warp].contains(&desc.frame().subgroup)), "{case}");
            let (verdict, _) = simulate(&target, &problem, &[]).unwrap();
            assert!(verdict.holds(), "{case}, warps of {warp}: {verdict:?}");
        }
        assert!(ends.iter().all(|count| *count > 3), "warps of {warp}: {ends:?} kernels with lane pairs");
    }
}

/// Checks cases on a device with so many bytes of shared memory: each has its lane pairs named.
fn check_lane_pairs(shared_bytes: usize, cases: &str, of_ranges: bool) {
    let target = Target::cuda("sm_90").unwrap().with_shared_bytes(shared_bytes).with_sms(1);
    let mut wrong = vec![];
    for (case, ends) in cases.lines().filter_map(|line| line.split_once(": ")) {
        let problem: Problem = case.parse().unwrap();
        let recipe = Planner::new().recipe(&problem).unwrap();
        let descs = lower(target.limits(), &recipe, false, None, &[]).unwrap().descs();
        let ours = descs.iter().filter(|desc| desc.mirrors_sublines() == of_ranges);
        let found: Vec<&str> = ours
            .filter_map(|desc| match desc.lane_pairs {
                [false, false] => None,
                [true, false] => Some("read"),
                [false, true] => Some("write"),
                [true, true] => Some("both"),
            })
            .collect();
        match simulate(&target, &problem, &[]) {
            Ok((verdict, _)) if verdict.holds() && found.join(" ") == ends => {}
            other => wrong.push(format!("{case}: {}, {other:?}", found.join(" "))),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Inputs multiplied as they are read, and outputs as they are written, where lane pairs or
/// clusters do that: what was multiplied is divided by hand.
#[test]
fn multiplied_sides_are_right_and_have_no_races() {
    let [pairs, clusters] = [32, 16].map(|kib| Target::cuda("sm_90").unwrap().with_shared_bytes(kib << 10).with_sms(1));
    let cases = |text: &'static str| text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let of_pairs = cases(include_str!("../../../../cases/lane_pairs.txt")).filter_map(|line| line.split(':').next());
    let of_clusters = cases(include_str!("../../../../cases/clusters.txt"));
    let parse = |case: &str| case.parse::<Problem>().unwrap();
    let all = of_pairs.map(|case| (&pairs, parse(case))).chain(of_clusters.map(|case| (&clusters, parse(case))));
    let mut reached = [[0; 2]; 2];
    for ((target, problem), side) in all
        .chain(multiplied::cases().map(|case| (&pairs, case)))
        .flat_map(|case| SIDES.map(|side| (case.clone(), side)))
    {
        for multiplier in side.multipliers(&problem) {
            let end = side as usize;
            let descs = simulate_multiplied(target, &problem, side, &multiplier, &[]).descs;
            let desc = descs.iter().find(|desc| desc.pointwise[end].is_some()).unwrap();
            reached[0][end] += usize::from(desc.lane_pairs[end]);
            reached[1][end] += usize::from(desc.cluster > 1);
        }
    }
    assert!(
        reached.as_flattened().iter().all(|count| *count > 0),
        "lane pairs and clusters that multiply: {reached:?}"
    );
}

/// Filters by blocks, and by clusters whose last DFTs, product and first DFTs back are one stage.
#[test]
fn filters_are_right_and_have_no_races() {
    let cluster = Target::cuda("sm_90").unwrap().with_shared_bytes(16 << 10).with_sms(1);
    let mut reached = [0; 4];
    for (target, filter) in
        [Target::opencl(), cluster].iter().flat_map(|target| filtered::cases().map(move |case| (target, case)))
    {
        for multiplier in filter.multipliers() {
            let recipe = Planner::new().recipe(filter.pipeline(&multiplier)).unwrap();
            let action = Some(Action::multiply(&multiplier).unwrap());
            let lowered = lower(target.limits(), &recipe, false, action.as_ref(), &[]).unwrap();
            filter.check(&multiplier, lowered.uses_bluestein(), |x, y| simulate_passes(&lowered, x, y));
            let descs = lowered.descs();
            let desc = descs.iter().find(|desc| desc.is_filter());
            let one = desc.is_some() == filter.meets || target.limits().attributes.cluster > 1;
            assert!(one, "{}, {}: {} kernels", filter.forward, filter.inverse, descs.len());
            reached[0] += usize::from(desc.is_some());
            reached[1] += usize::from(desc.is_some_and(|desc| desc.cluster > 1));
            reached[2] +=
                usize::from(desc.is_some_and(|desc| (0..desc.stages.len()).any(|i| desc.fused_stages(i) == 3)));
            reached[3] += usize::from(desc.is_some_and(|desc| distance(desc) > 1));
        }
    }
    assert!(
        reached.iter().all(|count| *count > 4),
        "filters in one kernel, by clusters, as one stage, of columns at a distance: {reached:?}"
    );
}

/// What a plan that multiplies launches, and what was chosen.
pub(super) struct Simulated {
    pub(super) descs: Vec<KernelDesc>,
    chosen: Vec<Chosen>,
}

/// Panics unless it is right.
pub(super) fn simulate_multiplied(
    target: &Target,
    problem: &Problem,
    side: Side,
    multiplier: &Multiplier,
    choices: &[Choice],
) -> Simulated {
    let recipe = side.recipe(multiplier, problem).unwrap();
    let action = Some(Action::multiply(multiplier).unwrap());
    let lowered = lower(target.limits(), &recipe, false, action.as_ref(), choices).unwrap();
    let bluestein = lowered.uses_bluestein();
    let verdict = side.verdict(multiplier, problem, bluestein, |x, y| simulate_passes(&lowered, x, y));
    assert!(verdict.holds(), "{verdict:?}\n{recipe}\n{choices:?}");
    Simulated { descs: lowered.descs(), chosen: lowered.chosen() }
}

/// Whatever measuring may pick for a pipeline that multiplies is right.
#[test]
fn all_choices_of_passes_that_multiply_are_right() {
    let target = Target::cuda("sm_90").unwrap().with_shared_bytes(16 << 10);
    let mut pointwise = 0;
    for (case, side) in ["dct2 f64 24x10", "fft f32 4x30", "dct3 f32 6x32"].into_iter().zip(SIDES.into_iter().cycle()) {
        let problem: Problem = case.parse().unwrap();
        let multiplier = &side.multipliers(&problem)[0];
        let run = |choices: &[Choice]| simulate_multiplied(&target, &problem, side, multiplier, choices);
        let chosen = run(&[]).chosen;
        for (pass, of_pass) in chosen.iter().enumerate() {
            for choice in STEPS[..3].iter().flat_map(|step| step(of_pass, pass, &target.limits().attributes)) {
                let mut choices: Vec<Choice> = chosen.iter().map(|chosen| chosen.choice.clone()).collect();
                choices[pass] = choice;
                let descs = run(&choices).descs;
                pointwise += descs.iter().flat_map(|desc| &desc.pointwise).filter(|end| end.is_some()).count();
            }
        }
    }
    assert!(pointwise > 100, "only {pointwise} multiplies");
}

#[test]
fn kernels_without_clusters_have_no_races() {
    let cases =
        ["dct2 f64 48x40", "dct3 f32 60x34", "rfft f64 18x26", "dst1 f64 5x47", "fft f32 34x2", "dct3 f32 53x82"];
    // By Bluestein's convolution, and by Rader's and Bluestein's in one line.
    let convolved = ["dct2 f64 47x6", "fft f64 94x2", "dct3 f32 799x2"];
    for case in cases.into_iter().chain(convolved) {
        let (verdict, _) = simulate(&Target::opencl(), &case.parse().unwrap(), &[]).unwrap();
        assert!(verdict.holds(), "{case}: {verdict:?}");
    }
}

/// Whatever measuring may pick is right.
#[test]
fn all_choices_are_right_and_have_no_races() {
    let target = Target::cuda("sm_90").unwrap().with_shared_bytes(16 << 10);
    let (mut count, mut reached) = (0, [0; 4]);
    for case in [
        "dct2 f64 96x20",
        "dct3 f32 64x24",
        "rfft f64 12x128",
        "fft f32 60x8",
        "dst4 f64 24x15",
        "dht f32 34x6",
        "dct1 f64 33x18",
        // Several kernels.
        "dct2 f64 2048x3 axes=0",
        "dct2 f64 2x2048 axes=1",
        "dct3 f32 2x4096 axes=1",
    ] {
        let problem: Problem = case.parse().unwrap();
        let recipe = Planner::new().recipe(&problem).unwrap();
        let lowered = lower(target.limits(), &recipe, false, None, &[]).unwrap();
        let (chosen, estimated) = (lowered.chosen(), lowered.choices());
        for (pass, chosen) in chosen.iter().enumerate() {
            for choice in STEPS.iter().flat_map(|step| step(chosen, pass, &target.limits().attributes)) {
                let mut choices = estimated.clone();
                choices[pass] = choice;
                let (verdict, _) = simulate(&target, &problem, &choices).unwrap();
                assert!(verdict.holds(), "{case} with {choices:?}: {verdict:?}");
                let descs = lower(target.limits(), &recipe, false, None, &choices).unwrap().descs();
                let is_split = |desc: &KernelDesc| !desc.has_whole_lines() && desc.cluster == 1;
                let in_turn = |desc: &KernelDesc| desc.has_hermitian_pairs() && !desc.side_by_side;
                let has = |test: &dyn Fn(&KernelDesc) -> bool| usize::from(descs.iter().any(test));
                reached[0] += has(&|desc| desc.lane_pairs != [false; 2]);
                reached[1] += has(&|desc| desc.resident > 0);
                reached[2] += has(&is_split);
                reached[3] += has(&in_turn);
                count += 1;
            }
        }
    }
    assert!(count > 200, "only {count} choices");
    let names = "lane pairs, registers for more blocks, several kernels, and sublines in turn";
    assert!(reached.iter().all(|count| *count > 1), "choices with {names}: {reached:?}");
}

/// Columns that are packed at a distance, where every pass is a kernel.
#[test]
fn columns_of_odd_rows_are_right_and_have_no_races() {
    let target = Target::cuda("sm_90").unwrap().with_shared_bytes(16 << 10).with_sms(1);
    let cases = include_str!("../../../../cases/odd_rows.txt").lines().filter(|line| !line.starts_with('#'));
    let mut wrong = vec![];
    for problem in cases.map(|case| case.parse::<Problem>().unwrap()) {
        let recipe = Planner::new().recipe(&problem).unwrap();
        let choices = unfused(&target, &recipe);
        let most = lower(target.limits(), &recipe, false, None, &choices).unwrap().descs().iter().map(distance).max();
        match simulate(&target, &problem, &choices) {
            Ok((verdict, _)) if verdict.holds() && most > Some(1) => {}
            other => wrong.push(format!("{problem}: distance {most:?}, {other:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The same with outputs that are multiplied as they are written: those of another order than the inputs,
/// where the pass that multiplies goes along columns.
#[test]
fn multiplied_columns_of_odd_rows_are_right() {
    let target = Target::cuda("sm_90").unwrap().with_shared_bytes(16 << 10).with_sms(1);
    let cases = ["dct2 f64 45x21 in=1,45", "dst3 f32 27x37 in=1,27", "dct3 f32 3x27x15 axes=1,2 in=405,1,27"];
    for case in cases.into_iter().chain(["dct2 f64 512x15 in=1,512"]) {
        let problem: Problem = case.parse().unwrap();
        for multiplier in Side::Output.multipliers(&problem) {
            let descs = simulate_multiplied(&target, &problem, Side::Output, &multiplier, &[]).descs;
            let far = |desc: &KernelDesc| desc.pointwise[1].is_some() && distance(desc) > 1;
            assert!(descs.iter().any(far), "{problem}: no multiplied columns at a distance");
        }
    }
}

/// What is chosen, but each pass is a kernel.
fn unfused(target: &Target, recipe: &Recipe) -> Vec<Choice> {
    let choices = lower(target.limits(), recipe, false, None, &[]).unwrap().choices();
    choices.into_iter().map(|choice| Choice { axis_fusion: AxisFusion::None, ..choice }).collect()
}

/// From a column to the one that is packed with it.
fn distance(desc: &KernelDesc) -> usize {
    desc.geometry.pair.map_or(0, |pair| pair.distance)
}
