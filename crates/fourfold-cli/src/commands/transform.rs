//! `fourfold transform`: transforms the array in a .npy file.

use anyhow::{Context, Result, bail, ensure};
use fourfold::oracle::verify::Data;
use fourfold::{Domain, Problem};
use fourfold_npy::Header;
use serde::Serialize;

use crate::any_plan::AnyPlan;
use crate::args::Transform;
use crate::array::zeros_of;
use crate::array_files::open_array;
use crate::files::output::{Output, check_outputs};
use crate::npy;
use crate::print::print_json;
use crate::problems::quoted;
use crate::progress::Progress;

/// Reads, transforms and writes an array.
pub(super) fn transform_file(args: &Transform) -> Result<()> {
    check_outputs(&[&args.input], &[&args.output])?;
    let npy = open_array(&args.input).with_context(|| format!("cannot read {}", args.input.display()))?;
    let problem = problem_for(&args.problem, &npy.header)
        .with_context(|| format!("{} does not suit {}", quoted(&args.problem), args.input.display()))?;
    let plan = args.how.planner()?.plan(&problem)?;
    let mut output = Output::create(&args.output)?;
    let progress = Progress::new(3);
    progress.message("reading");
    let data = npy.read(problem.precision(), problem.input_domain());
    let data = data.with_context(|| format!("cannot read {}", args.input.display()))?;
    progress.step();
    progress.message("transforming");
    let result = execute(&plan, &data)?;
    drop(data);
    progress.step();
    progress.message("writing");
    output.fill(|file| npy::write(file, &problem.output().shape, &result))?;
    output.commit()?;
    drop(progress);
    if args.json { print_json(&Report::new(&problem, &result)) } else { Ok(()) }
}

/// The answer.
#[derive(Serialize)]
struct Report {
    problem: String,
    /// NumPy's name of the output's type.
    dtype: &'static str,
    shape: Vec<usize>,
}

impl Report {
    fn new(problem: &Problem, result: &Data) -> Report {
        let dtype = match result {
            Data::F32(_) => "float32",
            Data::F64(_) => "float64",
            Data::ComplexF32(_) => "complex64",
            Data::ComplexF64(_) => "complex128",
        };
        Report { problem: problem.to_string(), dtype, shape: problem.output().shape.clone() }
    }
}

/// The problem for the array in the file. It reads the array in the file's order, and writes C
/// order.
fn problem_for(text: &str, header: &Header) -> Result<Problem> {
    let problem = Problem::parse_for(text, &header.shape)?;
    let plain = !problem.in_place() && problem.input().is_c_order() && problem.output().is_c_order();
    ensure!(plain, "the file's header gives the layout of its array: leave out in=, out= and inplace");
    check_type(&problem, header)?;
    Ok(problem.to_builder().input_strides(header.strides()).build()?)
}

/// Transforms of real data are applied to both parts of complex data.
fn execute(plan: &AnyPlan, input: &Data) -> Result<Data> {
    let problem = plan.problem();
    let complex_input = matches!(input, Data::ComplexF32(_) | Data::ComplexF64(_));
    let both_parts = complex_input && problem.input_domain() == Domain::Real;
    let domain = if both_parts { Domain::Complex } else { problem.output_domain() };
    let mut output = zeros_of(problem.precision(), domain, problem.output().len)?;
    plan.execute(input, &mut output)?;
    Ok(output)
}

/// Refuses conversions that could be a mistake. Integers become floats and real numbers complex
/// ones, but precision never changes, and nothing becomes real.
fn check_type(problem: &Problem, header: &Header) -> Result<()> {
    if let Some(held) = header.dtype.precision().filter(|held| *held != problem.precision()) {
        let (named, held) = (problem.precision().name(), held.name());
        bail!("it is for {named} and the file holds {held} numbers: write {held} instead of {named}");
    }
    let real_to_complex = (problem.input_domain(), problem.output_domain()) == (Domain::Real, Domain::Complex);
    if header.dtype.domain() == Domain::Complex && real_to_complex {
        bail!("it is for real numbers and the file holds complex ones: name fft instead of rfft");
    }
    Ok(())
}
