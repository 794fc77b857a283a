//! How much is tested.

/// Which suites run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tier {
    /// Before a commit.
    Quick,
    /// Before a change goes in.
    Gate,
    /// Before a release, and when a dependency or `unsafe` code changes.
    Full,
}

use Tier::{Full, Gate, Quick};

/// All tiers.
pub(crate) const ALWAYS: &[Tier] = &[Quick, Gate, Full];
/// Those that test more than the core crate.
pub(crate) const GATE: &[Tier] = &[Gate, Full];
/// The one that tests the core crate alone.
pub(crate) const QUICK: &[Tier] = &[Quick];
/// The one that takes as long as it needs.
pub(crate) const FULL: &[Tier] = &[Full];

/// The tier that the arguments of `cargo xtask test` ask for, if they name no suites.
pub(crate) fn of(arguments: &[String]) -> Option<Tier> {
    match arguments {
        [] => Some(Gate),
        [option] if option == "--quick" => Some(Quick),
        [option] if option == "--full" => Some(Full),
        _ => None,
    }
}

/// What runs only under `--full`. CONTRIBUTING.md has the same list.
const ONLY_FULL: &str = "\
Run only by `cargo xtask test --full`:
- whole sweeps over lengths, cases, methods, recipes and kernels; here a fixed sample of each ran
- the longest signals of the simulator of GPUs
- README.md's first command as it stands, compiled for speed; here its arguments, by the tests' build
- the oldest supported Rust
- Miri, AddressSanitizer, ThreadSanitizer and valgrind
- the fuzz targets
- a circuit of 200,000 cells that spreads within 60 s, and the experiments' quick tables within 600 s
- the bench beside the peers, which is compiled
";

impl Tier {
    /// What this tier does not run, for the end of its output.
    pub(crate) fn leaves_out(self) -> &'static str {
        match self {
            Quick => "\nTested: the core crate. `cargo xtask test` tests all that must hold before a change goes in.\n",
            Gate => ONLY_FULL,
            Full => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contributors_read_the_same_list() {
        let page = include_str!("../../../CONTRIBUTING.md");
        let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
        for line in ONLY_FULL.lines().filter_map(|line| line.strip_prefix("- ")) {
            let what = line.split([';', ',']).next().unwrap_or(line);
            assert!(page.contains(what), "CONTRIBUTING.md does not say: {what}");
        }
    }
}
