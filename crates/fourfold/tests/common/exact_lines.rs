//! Lines of one kind and length with their exact transforms, which many executions are compared
//! with.

use crate::common::run::execute;
use fourfold::oracle::naive::{Dd, sampled};
use fourfold::oracle::verify::{Data, bound, relative_error};
use fourfold::{Domain, Kind, Planner, Precision, Problem, Result};
use num_complex::Complex;

pub(crate) const PRECISIONS: [Precision; 2] = [Precision::F32, Precision::F64];

/// Lines of one kind and length with their exact transforms. The input is exact in `f32`, so one
/// exact transform serves all precisions, instruction sets and arrangements.
pub(crate) struct Lines {
    kind: Kind,
    n: usize,
    /// The elements of all lines.
    input: Vec<Complex<f64>>,
    /// The indices of the outputs of each line that are compared.
    picks: Vec<usize>,
    exact: Vec<Complex<Dd>>,
}

/// Lines as an array of shape `outer` × N × `inner`: line o · `inner` + i at (o, ·, i).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrangement {
    pub(crate) outer: usize,
    pub(crate) inner: usize,
}

impl Arrangement {
    /// The index of element `k` of line `line`, if lines have `n` elements.
    fn place(self, line: usize, k: usize, n: usize) -> usize {
        (line / self.inner * n + k) * self.inner + line % self.inner
    }
}

/// One execution beside the exact transform.
pub(crate) struct Comparison {
    pub(crate) error: f64,
    pub(crate) bound: f64,
    /// What was executed, and how.
    pub(crate) what: String,
}

impl Comparison {
    pub(crate) fn holds(&self) -> bool {
        self.error <= self.bound
    }
}

/// Factors of lines beyond those whose transforms were summed. They are powers of two, by which
/// sums are multiplied exactly. Five of them put other factors into the lanes of a vector than into
/// those of the next one.
const FACTORS: [f64; 5] = [1.0, -1.0, 2.0, -2.0, 0.5];

impl Lines {
    /// Random lines. About `samples` outputs are compared at most, and these include the first and
    /// the last.
    pub(crate) fn new(kind: Kind, n: usize, count: usize, samples: usize) -> Lines {
        let problem = problem(kind, "f64", n, Arrangement { outer: count, inner: 1 });
        let mut random = fastrand::Rng::with_seed(n as u64);
        let mut part = || f64::from(random.f32() * 2.0 - 1.0);
        let complex = problem.input_domain() == Domain::Complex;
        let mut element = || Complex::new(part(), if complex { part() } else { 0.0 });
        let input = (0..problem.input().elements()).map(|_| element()).collect::<Vec<_>>();
        let outputs = problem.output().shape[1];
        let picks: Vec<_> = (0..outputs).step_by(outputs.div_ceil(samples)).chain(Some(outputs - 1)).collect();
        let exact = sampled(&problem, &input, &[(0..count).collect(), picks.clone(), vec![0]]).unwrap();
        Lines { kind, n, input, picks, exact }
    }

    /// How many lines were summed.
    fn count(&self) -> usize {
        self.exact.len() / self.picks.len()
    }

    /// The factor of a line.
    fn factor(&self, line: usize) -> f64 {
        FACTORS[line / self.count() % FACTORS.len()]
    }

    /// The exact outputs of the first lines.
    fn exact(&self, lines: usize) -> Vec<Complex<Dd>> {
        let outputs = self.picks.len();
        let scaled = |x: Dd, by: f64| Dd { hi: x.hi * by, lo: x.lo * by };
        let output = |i: usize| {
            let (Complex { re, im }, by) = (self.exact[i % self.exact.len()], self.factor(i / outputs));
            Complex { re: scaled(re, by), im: scaled(im, by) }
        };
        (0..lines * outputs).map(output).collect()
    }

    /// Transforms as many lines as there are in the given arrangement, and compares the result.
    pub(crate) fn compare(&self, planner: &Planner, precision: Precision, at: Arrangement) -> Result<Comparison> {
        let problem = problem(self.kind, precision.name(), self.n, at);
        let plan = planner.plan(&problem)?;
        let data = |domain, len| Data::filled(precision, domain, len, f64::NAN);
        let mut input = data(problem.input_domain(), problem.input().len);
        let mut output = data(problem.output_domain(), problem.output().len);
        let (n, outputs, lines) = (problem.input().shape[1], problem.output().shape[1], at.outer * at.inner);
        for i in 0..lines * n {
            input.set(at.place(i / n, i % n, n), self.input[i % self.input.len()] * self.factor(i / n));
        }
        execute(&plan, &input, &mut output)?;
        let got = (0..lines).flat_map(|line| self.picks.iter().map(move |&k| at.place(line, k, outputs)));
        let got: Vec<_> = got.map(|place| output.get(place)).collect();
        Ok(Comparison {
            error: relative_error(&got, &self.exact(lines)),
            bound: bound(&problem, plan.recipe().uses_bluestein()),
            what: format!("{problem} with {}\n{}", planner.isa(), plan.recipe()),
        })
    }

    /// [`Lines::compare`], which must hold.
    pub(crate) fn check(&self, planner: &Planner, precision: Precision, at: Arrangement) {
        let Comparison { error, bound, what } = self.compare(planner, precision, at).unwrap();
        assert!(error <= bound, "error {error:e}, bound {bound:e}: {what}");
    }
}

fn problem(kind: Kind, precision: &str, n: usize, at: Arrangement) -> Problem {
    format!("{kind} {precision} {}x{n}x{} axes=1", at.outer, at.inner).parse().unwrap()
}
