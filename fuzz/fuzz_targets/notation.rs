//! Any text either is a problem, which prints and parses back to itself, or gets an error of one
//! line.

#![no_main]

use fourfold::Problem;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    check(text.parse());
    check(Problem::parse_for(text, &[4, 6]));
});

fn check(outcome: fourfold::Result<Problem>) {
    match outcome {
        Ok(problem) => {
            assert_eq!(problem.to_string().parse().as_ref(), Ok(&problem));
            let _ = problem.inverse();
            let _ = problem.adjoint().adjoint();
        }
        Err(error) => assert!(!error.to_string().contains('\n') && !error.to_string().is_empty()),
    }
}
