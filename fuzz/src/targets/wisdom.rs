//! Any text is wisdom, of which lines that are not understood are skipped, with an error of one line
//! each. The rest prints and parses back to itself; recipes are used, or called stale.

use crate::targets::{is_one_line, text};
use fourfold::{Isa, Planner, Problem, Wisdom};

pub(crate) fn check(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let (wisdom, skipped) = Wisdom::read(text);
    skipped.iter().for_each(|(_, error)| is_one_line(error));
    assert!(wisdom.len() + skipped.len() <= text.lines().count());
    assert_eq!(wisdom.to_string().parse().as_ref(), Ok(&wisdom));
    let planner = Planner::builder().isa(Isa::Simd128).wisdom(wisdom.clone()).build().expect("one thread is there");
    planner.stale_wisdom().iter().for_each(|(_, error)| is_one_line(error));
    let kept = planner.wisdom();
    assert_eq!(kept.len() + planner.stale_wisdom().len(), wisdom.len());
    for (problem, passes) in kept.of_engine(&planner.wisdom_name()) {
        let problem: Problem = problem.parse().expect("wisdom has problems");
        let given = format!("{problem}\n{passes}").parse().expect("it is not stale");
        assert_eq!(planner.recipe(&problem).as_ref(), Ok(&given));
    }
}
