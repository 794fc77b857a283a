//! `fourfold transform`: a .npy file in, a .npy file out.

use std::fs::File;
use std::io::BufReader;

use anyhow::{Context, Result, bail, ensure};
use fourfold::{Domain, Plan, Problem};

use crate::args::Transform;
use crate::array::{Array, with_elements};
use crate::npy::{self, Header, Npy};
use crate::output::Output;
use crate::progress::Progress;

/// Reads, transforms, writes.
pub(super) fn run(args: &Transform) -> Result<()> {
    let npy = Npy::open(&args.input).with_context(|| format!("cannot read {}", args.input.display()))?;
    let fit = Fit::new(&args.problem, &npy.header)
        .with_context(|| format!("{:?} does not suit {}", args.problem, args.input.display()))?;
    let plan = args.how.contender()?.plan(&fit.problem)?;
    let mut output = Output::create(&args.output)?;
    let progress = Progress::new(3);
    progress.message("reading");
    let array = fit.read(npy).with_context(|| format!("cannot read {}", args.input.display()))?;
    progress.step();
    progress.message("transforming");
    let result = fit.execute(&plan, &array)?;
    drop(array);
    progress.step();
    progress.message("writing");
    output.fill(|file| npy::write(file, &fit.problem.output().shape, fit.output_domain(), &result))?;
    output.commit()
}

/// The problem that was meant for the array in the file.
struct Fit {
    problem: Problem,
    /// The kinds are real and the data complex: both parts are transformed, each by itself, in steps of two reals.
    by_parts: bool,
}

impl Fit {
    fn new(text: &str, header: &Header) -> Result<Fit> {
        let problem = Problem::parse_for(text, &header.shape)?;
        let plain = !problem.in_place() && problem.input().is_c_order() && problem.output().is_c_order();
        ensure!(plain, "the files say how their arrays lie: leave out in=, out= and inplace");
        check_precision(&problem, header)?;
        let by_parts = header.dtype.domain() == Domain::Complex && problem.input_domain() == Domain::Real;
        if by_parts && problem.output_domain() == Domain::Complex {
            bail!("rfft is for real numbers and the file holds complex ones: name fft instead");
        }
        let step = if by_parts { 2 } else { 1 };
        let input_strides: Vec<isize> = header.strides().iter().map(|stride| stride * step).collect();
        let output_strides: Vec<isize> = problem.output().strides.iter().map(|stride| stride * step).collect();
        let problem = problem.to_builder().input_strides(input_strides).output_strides(output_strides).build()?;
        Ok(Fit { problem, by_parts })
    }

    /// What the file written holds.
    fn output_domain(&self) -> Domain {
        if self.by_parts { Domain::Complex } else { self.problem.output_domain() }
    }

    fn read(&self, mut npy: Npy<BufReader<File>>) -> Result<Array> {
        if self.by_parts {
            npy.split_parts();
        }
        npy.read(self.problem.precision(), self.problem.input_domain())
    }

    fn execute(&self, plan: &Plan, input: &Array) -> Result<Array> {
        let parts = if self.by_parts { 2 } else { 1 };
        let elements = self.problem.output().elements() * parts;
        let mut output = Array::zeros(self.problem.precision(), self.problem.output_domain(), elements)?;
        for part in 0..parts {
            with_elements!(input, x => with_elements!(&mut output, y => plan.execute(&x[part..], &mut y[part..])?));
        }
        Ok(output)
    }
}

/// Numbers are converted only where nothing can be meant but that, from integers.
fn check_precision(problem: &Problem, header: &Header) -> Result<()> {
    match header.dtype.precision() {
        Some(held) if held != problem.precision() => {
            let (named, held) = (problem.precision().name(), held.name());
            bail!("it is for {named} and the file holds {held} numbers: write {held} instead of {named}")
        }
        _ => Ok(()),
    }
}
