//! `fourfold-mpi transform`: transforms the array in a `.npy` file. Each rank reads and writes its part.

use crate::args::Transform;
use crate::data::Arrays;
use crate::files::{Input, Output};
use crate::session::Session;
use anyhow::{Context, Result};
use fourfold::Problem;
use fourfold_distributed::Exchange;
use fourfold_mpi::MpiRank;

/// Reads, transforms and writes an array.
pub(crate) fn transform(rank: &MpiRank, args: &Transform) -> Result<()> {
    let session = Session::new(rank, &args.division)?;
    let unread = || format!("cannot read {}", args.input.display());
    let unwritten = || format!("cannot write {}", args.output.display());
    let (mut input, problem) = session.together(Input::open(&args.input).with_context(unread).and_then(|input| {
        let problem = Problem::parse_for(&args.problem, &input.header.shape)
            .map_err(anyhow::Error::from)
            .and_then(|problem| input.check_type(&problem).map(|()| problem))
            .with_context(|| format!("`{}` does not suit {}", args.problem, args.input.display()))?;
        Ok((input, problem))
    }))?;
    let mut output = session.together(Output::new(&args.output, &args.input).with_context(unwritten))?;
    let mut plan = session.plan(&problem, 0)?;
    let mut arrays = session.together(Arrays::new(&plan))?;
    let (recipe, number) = (plan.recipe().clone(), rank.rank());
    output.create_together(&session, &recipe).with_context(unwritten)?;
    session.together(input.read(recipe.input(), recipe.grid(), number, &mut arrays.input).with_context(unread))?;
    let failed = || format!("cannot transform {}", args.input.display());
    session.together(arrays.execute(&mut plan, None, &|is_ready| session.meet(is_ready)).with_context(failed))?;
    output.write_together(&session, &recipe, &arrays.output).with_context(unwritten)
}
