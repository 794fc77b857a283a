//! All that the recording asks of the crates: where their interface changes, only this file does.

use crate::random::Random;
use fourfold::baseline::{Algorithm, AnyRecipe};
pub(crate) use fourfold::{Domain, Element, Plan, Precision, Problem};
use fourfold::{Isa, Multiplier, Pipeline, Planner, Result, Wisdom};
use fourfold_gpu::Target;
pub(crate) use num_complex::Complex;

/// A problem, and what is planned for it.
#[derive(Clone)]
pub(crate) struct Subject {
    pub(crate) problem: Problem,
    pub(crate) how: How,
    /// Bytes of shared memory and blocks at once that a device has at most.
    pub(crate) device: [usize; 2],
    /// Whether the parts of complex arrays are transformed, each as a real array.
    pub(crate) parts: bool,
    /// How a device's last pass is done.
    pub(crate) choice: Option<String>,
}

#[derive(Clone, Copy)]
pub(crate) enum How {
    Plan,
    /// By a method of the papers.
    Algorithm(&'static str),
    /// Multiplied as the input is read.
    Premultiplied(Sort),
    /// Multiplied as the output is written.
    Postmultiplied(Sort),
    /// Forward, multiplied, and back.
    Filter(Sort),
    /// With small results set to zero, which only devices do.
    Threshold,
}

/// What small results are smaller than.
const THRESHOLD: f64 = 0.25;

/// The sorts of multipliers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sort {
    Table,
    Separable,
    ComplexTable,
    ComplexSeparable,
}

pub(crate) const SORTS: [Sort; 4] = [Sort::Table, Sort::Separable, Sort::ComplexTable, Sort::ComplexSeparable];

/// What a plan reads and writes.
pub(crate) struct Data {
    pub(crate) precision: Precision,
    pub(crate) domains: [Domain; 2],
    pub(crate) lengths: [usize; 2],
    pub(crate) in_place: bool,
}

/// What a device would launch.
pub(crate) struct Planned {
    pub(crate) costs: String,
    pub(crate) kernels: Vec<Kernel>,
}

pub(crate) struct Kernel {
    pub(crate) grid: String,
    pub(crate) source: String,
}

impl Subject {
    /// What names it in a recording.
    pub(crate) fn key(&self) -> String {
        let how = match self.how {
            How::Plan => String::new(),
            How::Algorithm(name) => format!(" by {name}"),
            How::Premultiplied(sort) => format!(" before {sort:?}"),
            How::Postmultiplied(sort) => format!(" after {sort:?}"),
            How::Filter(sort) => format!(" filter {sort:?}"),
            How::Threshold => " threshold".to_owned(),
        };
        let parts = if self.parts { " of parts" } else { "" };
        let limits = match self.device {
            [usize::MAX, usize::MAX] => String::new(),
            [bytes, usize::MAX] => format!(" with {bytes} bytes"),
            [bytes, units] => format!(" with {bytes} bytes and {units} units"),
        };
        let choice = self.choice.iter().map(|choice| format!(" as {choice}")).collect::<String>();
        format!("{}{how}{parts}{limits}{choice}", self.problem)
    }

    /// Elements of the larger array.
    pub(crate) fn elements(&self) -> usize {
        self.problem.input().elements().max(self.problem.output().elements())
    }

    /// Whether both arrays are real.
    pub(crate) fn is_real(&self) -> bool {
        [self.problem.input_domain(), self.problem.output_domain()] == [Domain::Real; 2]
    }

    /// Whether processors compute it.
    pub(crate) fn is_for_processors(&self) -> bool {
        !matches!(self.how, How::Threshold) && self.choice.is_none()
    }

    pub(crate) fn data(&self) -> Result<Data> {
        let first = &self.problem;
        let last = if let How::Filter(_) = self.how { first.inverse()? } else { first.clone() };
        let domains = [first.input_domain(), last.output_domain()];
        Ok(Data {
            precision: first.precision(),
            domains: if self.parts { [Domain::Complex; 2] } else { domains },
            lengths: [first.input().len, last.output().len],
            in_place: first.in_place(),
        })
    }

    fn multiplier(&self) -> Option<Multiplier> {
        let (sort, layout) = match self.how {
            How::Plan | How::Algorithm(_) | How::Threshold => return None,
            How::Premultiplied(sort) => (sort, self.problem.input()),
            How::Postmultiplied(sort) | How::Filter(sort) => (sort, self.problem.output()),
        };
        let mut random = Random::of(&self.key());
        let mut complex = |n: usize| (0..n).map(|_| Complex::new(random.real(), random.real())).collect::<Vec<_>>();
        let reals = |list: Vec<Complex<f64>>| list.into_iter().map(|z| z.re).collect::<Vec<_>>();
        let count = layout.elements();
        // Lists of ones, which need not be multiplied by, for odd lengths from 3 on.
        let mut list = |n: usize| if n % 2 == 0 || n == 1 { reals(complex(n)) } else { vec![1.0; n] };
        Some(match sort {
            Sort::Separable => Multiplier::Separable(layout.shape.iter().map(|&n| list(n)).collect()),
            Sort::Table => Multiplier::Table(reals(complex(count))),
            Sort::ComplexTable => Multiplier::ComplexTable(complex(count)),
            Sort::ComplexSeparable => Multiplier::ComplexSeparable(layout.shape.iter().map(|&n| complex(n)).collect()),
        })
    }
}

/// The instruction sets of this machine, best first.
pub(crate) fn isas() -> Vec<String> {
    Isa::available().iter().map(Isa::to_string).collect()
}

/// The methods of the papers, by name.
pub(crate) fn all_methods() -> Vec<&'static str> {
    Algorithm::ALL.iter().map(|method| method.name()).collect()
}

/// The transforms and multiplications of a subject, in order.
fn pipeline(subject: &Subject) -> Result<Pipeline<'_>> {
    let (problem, pipeline) = (&subject.problem, Pipeline::new());
    Ok(match (subject.how, subject.multiplier()) {
        (How::Premultiplied(_), Some(multiplier)) => pipeline.multiply(multiplier).transform(problem),
        (How::Postmultiplied(_), Some(multiplier)) => pipeline.transform(problem).multiply(multiplier),
        (How::Filter(_), Some(multiplier)) => {
            pipeline.transform(problem).multiply(multiplier).transform(problem.inverse()?)
        }
        _ => pipeline.transform(problem),
    })
}

/// How a subject is computed.
pub(crate) fn recipe(subject: &Subject) -> Result<AnyRecipe> {
    match subject.how {
        How::Algorithm(name) => Ok(name.parse::<Algorithm>()?.recipe(&subject.problem)?.into()),
        _ => Ok(Planner::new().recipe(pipeline(subject)?)?.into()),
    }
}

/// A processor's plan.
pub(crate) fn plan(subject: &Subject, isa: &str, threads: usize) -> Result<Plan> {
    let planner = Planner::builder().isa(isa.parse()?).threads(threads).build()?;
    match subject.how {
        How::Algorithm(_) => planner.plan_recipe(recipe(subject)?),
        _ => planner.plan(pipeline(subject)?),
    }
}

pub(crate) fn execute<I: Element, O: Element>(plan: &Plan, input: &[I], output: &mut [O]) -> Result<()> {
    plan.execute(input, output)
}

pub(crate) fn execute_in_place<T: Element>(plan: &Plan, data: &mut [T]) -> Result<()> {
    plan.execute_in_place(data)
}

/// The kernels of a subject, for `cuda:sm_90` and the like or `opencl`.
pub(crate) fn kernels(name: &str, subject: &Subject) -> Result<Planned> {
    let target = name.strip_prefix("cuda:").map_or_else(|| Ok(Target::opencl()), Target::cuda)?;
    let target = target.with_shared_bytes(subject.device[0]).with_sms(subject.device[1]);
    let recipe = recipe(subject)?;
    let threshold = matches!(subject.how, How::Threshold).then_some(THRESHOLD);
    let multiplier = subject.multiplier();
    let all = if subject.parts || multiplier.is_some() || threshold.is_some() {
        let AnyRecipe::Fused(recipe) = recipe else { unreachable!("baselines do not multiply") };
        target.inspect_as(recipe, multiplier.as_ref(), threshold, subject.parts)?
    } else if let Some(choice) = &subject.choice {
        let mut choices = target.inspect_recipe(recipe.clone())?.choices;
        choices.last_mut().expect("a pass").clone_from(choice);
        let mut wisdom = Wisdom::new();
        wisdom.insert(&subject.problem, name, &choices.join("\n"))?;
        target.inspect_with(recipe, &wisdom)?
    } else {
        target.inspect_recipe(recipe)?
    };
    let [moved, scratch] = [all.bytes_moved, all.scratch_bytes];
    let (bluestein, choices) = (all.uses_bluestein, all.choices.join("; "));
    let kernel = |launch: fourfold_gpu::inspect::Launch| Kernel {
        grid: format!(
            "pass {} groups {} threads {} local {}",
            launch.pass, launch.blocks, launch.threads, launch.shared_bytes
        ),
        source: launch.source,
    };
    Ok(Planned {
        costs: format!("moved {moved} scratch {scratch} bluestein {bluestein} choices {choices}"),
        kernels: all.launches.into_iter().map(kernel).collect(),
    })
}
