//! The algorithms of the baselines by name. They are those of the paper (Jiang, Gu and Pan, "A new
//! acceleration paradigm for discrete cosine transform and other Fourier-related transforms"), and
//! the complex FFTs in [`levels`] and [`ladder`].

use crate::baseline::fft_step::Factors;
use crate::baseline::ladder;
use crate::baseline::ladder::Rung;
use crate::baseline::levels;
use crate::baseline::levels::Levels;
use crate::baseline::one_dimension;
use crate::baseline::one_dimension::OneDimensional;
use crate::baseline::row_column;
use crate::baseline::stage::{AccessPattern, CombineVariant, Stage};
use crate::baseline::three_stage;
use crate::baseline::three_stage::{Options, Transposes};
use crate::error::{Error, ErrorKind, Result};
use crate::problem::problem::Problem;
use std::fmt;
use std::str::FromStr;

/// An algorithm of a baseline.
///
/// ```
/// use fourfold::Planner;
/// use fourfold::baseline::Algorithm;
/// let algorithm: Algorithm = "three-stage".parse()?;
/// let recipe = algorithm.recipe(&"dct2 f64 48x64".parse()?)?;
/// assert_eq!(recipe.stages().len(), 3);
/// let plan = Planner::new().plan_recipe(recipe)?;
/// # Ok::<(), fourfold::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Algorithm(&'static AlgorithmFacts);

/// The properties in which algorithms differ.
struct AlgorithmFacts {
    name: &'static str,
    about: &'static str,
    /// The problems that it computes, for messages.
    computes: &'static str,
    rule: Rule,
}

#[derive(Clone, Copy)]
enum Rule {
    ThreeStage(Options),
    RowColumn,
    OneDimension(OneDimensional),
    Levels(Levels),
    Ladder(Rung),
}

/// The three stages with an FFT of the transposed array, where reorder and combine may transpose.
const fn transposed([in_reorder, in_combine]: [bool; 2]) -> Rule {
    Rule::ThreeStage(Options { transposes: Some(Transposes { in_reorder, in_combine }), ..Options::BEST })
}

const TYPES: &str = "dct2, dct3, dst2, dst3, idxst, their inverses and adjoints, and mixes of them";

const POWERS: &str = "fft, ifft and mixes of them along axes of powers of two";
const MATRICES: &str = "fft, ifft and mixes of them along both axes of a matrix that is written in C order, of lengths with no prime factor above 7";
const SQUARES: &str = "fft, ifft and mixes of them along both axes of a square matrix that is written in C order, of a length with no prime factor above 7";
const POWER_SQUARES: &str =
    "fft, ifft and mixes of them along both axes of a square matrix that is written in C order, of a power of two";

/// All algorithms.
static TABLE: [AlgorithmFacts; 29] = [
    AlgorithmFacts {
        name: "three-stage",
        about: "the paper's: reorder, FFT of several axes, combine of all of them; a trip through memory each",
        computes: TYPES,
        rule: Rule::ThreeStage(Options::BEST),
    },
    AlgorithmFacts {
        name: "three-stage-gather",
        about: "the same, reordering in the order of the output",
        computes: TYPES,
        rule: Rule::ThreeStage(Options { access: Some(AccessPattern::Gather), ..Options::BEST }),
    },
    AlgorithmFacts {
        name: "three-stage-scatter",
        about: "the same, reordering in the order of the input",
        computes: TYPES,
        rule: Rule::ThreeStage(Options { access: Some(AccessPattern::Scatter), ..Options::BEST }),
    },
    AlgorithmFacts {
        name: "three-stage-naive",
        about: "the same, a thread combining one output",
        computes: TYPES,
        rule: Rule::ThreeStage(Options { outputs: CombineVariant::One, ..Options::BEST }),
    },
    AlgorithmFacts {
        name: "three-stage-transposed",
        about: "the same by an FFT of the transposed array: reorder and combine transpose",
        computes: TYPES,
        rule: transposed([true, true]),
    },
    AlgorithmFacts {
        name: "three-stage-transposed-reorder",
        about: "the same, the combine's transpose a trip through memory of its own",
        computes: TYPES,
        rule: transposed([true, false]),
    },
    AlgorithmFacts {
        name: "three-stage-transposed-combine",
        about: "the same, the reorder's transpose a trip through memory of its own",
        computes: TYPES,
        rule: transposed([false, true]),
    },
    AlgorithmFacts {
        name: "three-stage-transposed-trips",
        about: "the same, each transpose a trip through memory of its own",
        computes: TYPES,
        rule: transposed([false, false]),
    },
    AlgorithmFacts {
        name: "row-column",
        about: "three stages and a transpose for each axis",
        computes: TYPES,
        rule: Rule::RowColumn,
    },
    AlgorithmFacts {
        name: "four-n",
        about: "a DCT-II along one axis by an FFT of four times the length",
        computes: "dct2 along one axis",
        rule: Rule::OneDimension(OneDimensional::FourN),
    },
    AlgorithmFacts {
        name: "two-n-mirrored",
        about: "a DCT-II along one axis by an FFT of it and its mirror image",
        computes: "dct2 along one axis",
        rule: Rule::OneDimension(OneDimensional::TwoNMirrored),
    },
    AlgorithmFacts {
        name: "two-n-padded",
        about: "a DCT-II along one axis by an FFT of it and as many zeros",
        computes: "dct2 along one axis",
        rule: Rule::OneDimension(OneDimensional::TwoNPadded),
    },
    AlgorithmFacts {
        name: "n-point",
        about: "a DCT-II along one axis by an FFT of its own length",
        computes: "dct2 along one axis",
        rule: Rule::OneDimension(OneDimensional::NPoint),
    },
    AlgorithmFacts {
        name: "brute-force",
        about: "complex Fourier transforms as sums, a sine and a cosine computed for every term",
        computes: "fft, ifft and mixes of them",
        rule: Rule::Levels(Levels::Definition(Factors::Computed)),
    },
    AlgorithmFacts {
        name: "definition",
        about: "the same with a table of sines and cosines",
        computes: "fft, ifft and mixes of them",
        rule: Rule::Levels(Levels::Definition(Factors::Table)),
    },
    AlgorithmFacts {
        name: "levels",
        about: "complex FFTs by radix 2, every level through memory, then bits reversed",
        computes: POWERS,
        rule: Rule::Levels(Levels::Single),
    },
    AlgorithmFacts {
        name: "levels-in-blocks",
        about: "the same, with the levels of blocks that fit a work group on chip",
        computes: POWERS,
        rule: Rule::Levels(Levels::InBlocks),
    },
    AlgorithmFacts {
        name: "levels-in-clusters",
        about: "the same, with blocks that work groups have together; NVIDIA's since sm_90",
        computes: POWERS,
        rule: Rule::Levels(Levels::InClusters),
    },
    AlgorithmFacts {
        name: "mixed-radix-naive",
        about: "complex FFTs of matrices: row after row, each by one thread, and transposes in place",
        computes: SQUARES,
        rule: Rule::Ladder(Rung::NAIVE),
    },
    AlgorithmFacts {
        name: "mixed-radix-rows",
        about: "the same by a kernel a row and level, transposes by the host in mapped memory",
        computes: MATRICES,
        rule: Rule::Ladder(Rung::ROWS),
    },
    AlgorithmFacts {
        name: "mixed-radix-range",
        about: "the same, a kernel for all rows",
        computes: MATRICES,
        rule: Rule::Ladder(Rung::RANGE),
    },
    AlgorithmFacts {
        name: "mixed-radix-elements",
        about: "the same, transposes on the device, an element a thread",
        computes: MATRICES,
        rule: Rule::Ladder(Rung::ELEMENTS),
    },
    AlgorithmFacts {
        name: "mixed-radix-blocks",
        about: "the same, 2 x 2 elements a thread, two at a time",
        computes: MATRICES,
        rule: Rule::Ladder(Rung::BLOCKS),
    },
    AlgorithmFacts {
        name: "mixed-radix-blocks-4",
        about: "the same, 4 x 4 elements a thread",
        computes: MATRICES,
        rule: Rule::Ladder(Rung::LARGE_BLOCKS),
    },
    AlgorithmFacts {
        name: "mixed-radix-in-place",
        about: "two squares of 2 x 2 elements changing places a thread",
        computes: SQUARES,
        rule: Rule::Ladder(Rung::IN_PLACE),
    },
    AlgorithmFacts {
        name: "mixed-radix-groups",
        about: "the same, transposes in work groups of 2 x 4 threads",
        computes: SQUARES,
        rule: Rule::Ladder(Rung::GROUPS),
    },
    AlgorithmFacts {
        name: "mixed-radix-rule",
        about: "the same, in work groups whose sides divide the matrix",
        computes: SQUARES,
        rule: Rule::Ladder(Rung::RULE),
    },
    AlgorithmFacts {
        name: "mixed-radix-padded",
        about: "the same, odd lengths padded to even ones",
        computes: SQUARES,
        rule: Rule::Ladder(Rung::PADDED),
    },
    AlgorithmFacts {
        name: "radix-2-groups",
        about: "mixed-radix-groups by radix 2 alone",
        computes: POWER_SQUARES,
        rule: Rule::Ladder(Rung::RADIX_2),
    },
];

impl Algorithm {
    /// All algorithms, `three-stage` first.
    pub const ALL: [Algorithm; TABLE.len()] = {
        let mut all = [Algorithm(&TABLE[0]); TABLE.len()];
        let mut i = 1;
        while i < TABLE.len() {
            all[i] = Algorithm(&TABLE[i]);
            i += 1;
        }
        all
    };

    /// The name of the algorithm, such as `three-stage`.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// A short description.
    pub fn about(self) -> &'static str {
        self.0.about
    }

    /// The stages of this algorithm for `problem`.
    ///
    /// # Errors
    /// [`Problem`](ErrorKind::Problem) if the algorithm does not compute the problem; the message
    /// names the problems that it does.
    pub(crate) fn stages(self, problem: &Problem) -> Result<Vec<Stage>> {
        check_size(problem)?;
        self.check_storage(problem)?;
        let stages = match self.0.rule {
            Rule::ThreeStage(options) => three_stage::stages(problem, options),
            Rule::RowColumn => row_column::stages(problem),
            Rule::OneDimension(length) => one_dimension::stages(problem, length),
            Rule::Levels(how) => levels::stages(problem, how),
            Rule::Ladder(rung) => ladder::stages(problem, rung),
        };
        stages.ok_or_else(|| self.refusal(problem))
    }

    fn check_storage(self, problem: &Problem) -> Result<()> {
        let message = || format!("the algorithm {self} does not compute `{problem}`: use f32 or f64");
        if problem.storage().is_half() { Err(Error::new(ErrorKind::Problem, message())) } else { Ok(()) }
    }

    fn refusal(self, problem: &Problem) -> Error {
        let AlgorithmFacts { name, computes, .. } = self.0;
        Error::new(
            ErrorKind::Problem,
            format!("the algorithm {name} does not compute `{problem}`: it computes {computes}"),
        )
    }
}

/// Checks that an array of eight times the problem's reals fits the address space. This is an upper
/// bound for the half spectrum of a line of four times the length.
fn check_size(problem: &Problem) -> Result<()> {
    const MOST: usize = isize::MAX as usize / (8 * size_of::<f64>());
    let elements = problem.input().elements();
    let message = || format!("`{problem}` has {elements} elements: at most {MOST} can be transformed");
    if elements > MOST { Err(Error::new(ErrorKind::Unavailable, message())) } else { Ok(()) }
}

impl PartialEq for Algorithm {
    fn eq(&self, other: &Algorithm) -> bool {
        self.name() == other.name()
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Algorithm({})", self.name())
    }
}

impl FromStr for Algorithm {
    type Err = Error;

    fn from_str(name: &str) -> Result<Algorithm> {
        let names = || Algorithm::ALL.map(Algorithm::name).join(", ");
        let found = Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name);
        found.ok_or_else(|| {
            Error::new(ErrorKind::Notation, format!("there is no algorithm {name:?}; there are: {}", names()))
        })
    }
}
