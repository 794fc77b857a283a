//! Lines of one kind and length with their exact transforms, which many executions are compared
//! with.

use crate::common::run::execute;
use fourfold::oracle::naive::{Dd, sampled};
use fourfold::oracle::verify::{Data, bound};
use fourfold::{Domain, Isa, Kind, Plan, Planner, Precision, Problem, Result};
use num_complex::Complex;

pub(crate) const PRECISIONS: [Precision; 2] = [Precision::F32, Precision::F64];

/// Lines of one kind and length with their exact transforms. The input is exact in `f32`, so one
/// exact transform serves all precisions, instruction sets and arrangements.
#[derive(Clone)]
pub(crate) struct Lines {
    kind: Kind,
    n: usize,
    /// The elements of all lines.
    input: Vec<Complex<f64>>,
    /// The indices of the outputs of each line that are compared.
    picks: Vec<usize>,
    pub(crate) exact: Vec<Complex<Dd>>,
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
    plan: Plan,
    isa: Isa,
}

impl Comparison {
    pub(crate) fn holds(&self) -> bool {
        self.error <= self.bound
    }

    /// What was executed, and how.
    pub(crate) fn what(&self) -> String {
        format!("{} with {}\n{}", self.plan.problem(), self.isa, self.plan.recipe())
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

    /// The same lines for a kind whose sums are the same, but for the scale.
    #[allow(dead_code, reason = "the program cpu_test uses it")]
    pub(crate) fn with_kind(&self, kind: Kind) -> Lines {
        let [own, other] = [self.kind, kind].map(|k| problem(k, "f64", self.n, Arrangement { outer: 1, inner: 1 }));
        assert_eq!((own.scale(), own.transforms()), (1.0, other.transforms()), "{} and {kind}", self.kind);
        let scaled = |z: &Complex<Dd>| Complex { re: z.re * other.scale(), im: z.im * other.scale() };
        Lines { kind, exact: self.exact.iter().map(scaled).collect(), ..self.clone() }
    }

    /// How many lines were summed.
    fn count(&self) -> usize {
        self.exact.len() / self.picks.len()
    }

    /// The factor of a line.
    fn factor(&self, line: usize) -> f64 {
        FACTORS[line / self.count() % FACTORS.len()]
    }

    /// The relative error ‖y − exact‖₂ / ‖exact‖₂ of the first lines. `output` has the output of a
    /// line with an index.
    fn relative_error(&self, lines: usize, output: impl Fn(usize, usize) -> Complex<f64>) -> f64 {
        let (mut error, mut whole) = (0.0, 0.0);
        // The first difference has no rounding error if y is within a factor of 2 of the exact value.
        let difference = |y: f64, exact: Dd, factor: f64| ((y - factor * exact.hi) - factor * exact.lo).powi(2);
        for line in 0..lines {
            let exact = self.exact.chunks(self.picks.len()).nth(line % self.count()).expect("it was summed");
            let factor = self.factor(line);
            for (&k, exact) in self.picks.iter().zip(exact) {
                let y = output(line, k);
                error += difference(y.re, exact.re, factor) + difference(y.im, exact.im, factor);
                whole += (factor * exact.re.hi).powi(2) + (factor * exact.im.hi).powi(2);
            }
        }
        if error == 0.0 { 0.0 } else { (error / whole).sqrt() }
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
        Ok(Comparison {
            error: self.relative_error(lines, |line, k| output.get(at.place(line, k, outputs))),
            bound: bound(&problem, plan.recipe().uses_bluestein()),
            plan,
            isa: planner.isa(),
        })
    }

    /// [`Lines::compare`], which must hold.
    pub(crate) fn check(&self, planner: &Planner, precision: Precision, at: Arrangement) {
        let comparison = self.compare(planner, precision, at).unwrap();
        let Comparison { error, bound, .. } = comparison;
        assert!(comparison.holds(), "error {error:e}, bound {bound:e}: {}", comparison.what());
    }
}

fn problem(kind: Kind, precision: &str, n: usize, at: Arrangement) -> Problem {
    format!("{kind} {precision} {}x{n}x{} axes=1", at.outer, at.inner).parse().unwrap()
}
