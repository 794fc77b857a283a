//! Errors in the user's terms.

use fourfold::{Error, ErrorKind, Problem, Result};

pub(crate) fn argument(message: String) -> Error {
    Error::new(ErrorKind::Argument, message)
}

pub(crate) fn unavailable(message: String) -> Error {
    Error::new(ErrorKind::Unavailable, message)
}

/// The error if memory of two devices meets.
pub(crate) fn elsewhere() -> Error {
    argument("the arrays, the scratch and the plan must belong to the same opened device".into())
}

/// An error if an axis is too long for any GPU, or an array too large.
pub(crate) fn check_sizes(problem: &Problem) -> Result<()> {
    if let Some(long) = problem.transforms().iter().find(|transform| transform.n > LONGEST) {
        let n = long.n;
        let advice = "use shorter axes, or the CPU engine";
        return Err(unavailable(format!(
            "an axis of {n} elements is too long: at most {LONGEST} run on a GPU; {advice}"
        )));
    }
    let sides = [(problem.input(), problem.input_domain()), (problem.output(), problem.output_domain())];
    let bytes = sides.map(|(layout, domain)| layout.len * domain.reals() * problem.storage().bytes());
    let too_large = |bytes: usize| {
        let advice = "use fewer elements or shorter strides";
        unavailable(format!(
            "an array of {bytes} bytes is too large: a device addresses at most {MOST_BYTES}; {advice}"
        ))
    };
    let large = bytes.into_iter().find(|bytes| *bytes > MOST_BYTES);
    large.map_or(Ok(()), |bytes| Err(too_large(bytes)))
}

/// Elements of a line that can be transformed: its tables are made on the host.
pub(crate) const LONGEST: usize = 1 << 28;

/// Bytes of an array that a device can address. It shares the addresses of its host (CUDA C++ Programming
/// Guide, "Unified Virtual Address Space"), which have at most 57 bits (x86-64 with five levels of
/// pages). So the sizes of scratch, which are some times as large, fit 64 bits.
const MOST_BYTES: usize = 1 << 57;
