//! `generate`: writes a synthetic circuit.

use std::fs;
use std::io::{self, Write};

use anyhow::{Context, Result};
use fourfold_cli::array::check_memory;
use fourfold_cli::files::output::Output;
use fourfold_cli::print::printable;

use crate::args::GenerateArgs;
use crate::circuit::bookshelf::{Part, write};
use crate::circuit::generate::{Request, circuit};
use crate::circuit::ispd2005::{CIRCUITS, Published};

pub(crate) fn run(args: &GenerateArgs) -> Result<()> {
    let published = Published::named(&args.name).with_context(|| {
        let names = CIRCUITS.map(|circuit| circuit.name).join(", ");
        format!("there is no benchmark {:?}; there are {names}", args.name)
    })?;
    let folder = &args.out;
    fs::create_dir_all(folder).with_context(|| format!("cannot write in {}", folder.display()))?;
    // Before the work rather than after.
    let file = |part: Part| folder.join(format!("{}.{}", published.name, part.extension()));
    let begin = |part: Part| Ok((part, Output::create(&file(part))?));
    let mut files = Part::ALL.into_iter().map(begin).collect::<Result<Vec<_>>>()?;
    let request = Request { published, cells: args.cells.unwrap_or(published.movable), seed: args.seed };
    check_memory(request.bytes())?;
    let circuit = circuit(&request);
    for (part, output) in &mut files {
        output.fill(|to| write(&circuit, published.name, *part, to))?;
    }
    files.into_iter().try_for_each(|(_, output)| output.commit())?;
    Ok(writeln!(io::stdout(), "{}", printable(&file(Part::Aux).display().to_string()))?)
}
