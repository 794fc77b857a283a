//! Any text after a problem either is what may be chosen of its passes on a GPU, and then the
//! kernels say it back, or gets an error of one line.

use crate::targets::recipes::is_small;
use crate::targets::{is_one_line, text};
use fourfold::Problem;
use fourfold_gpu::Target;
use std::sync::LazyLock;

static TARGETS: LazyLock<[Target; 2]> =
    LazyLock::new(|| [Target::cuda("sm_90").expect("its limits are known"), Target::opencl()]);

pub(crate) fn check(bytes: &[u8]) {
    let Some((problem, choices)) = text(bytes).and_then(|text| text.split_once('\n')) else { return };
    let Some(problem) = problem.parse::<Problem>().ok().filter(is_small) else { return };
    for target in &*TARGETS {
        match target.inspect_choices(&problem, choices) {
            Ok(inspection) => {
                let again = target.inspect_choices(&problem, &inspection.choices.join("\n"));
                assert_eq!(again.expect("it was made").choices, inspection.choices);
            }
            Err(error) => is_one_line(&error),
        }
    }
}
