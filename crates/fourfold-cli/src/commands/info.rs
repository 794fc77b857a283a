//! `fourfold info`: what this machine and this version offer.

use std::io::{self, Write};

use anyhow::Result;
use fourfold::Isa;
use serde::Serialize;

use super::print_json;
use crate::args::Info;
use crate::engine::{METHODS, available_threads};

#[derive(Serialize)]
struct Facts {
    version: &'static str,
    engines: Vec<EngineFacts>,
    methods: Vec<MethodFacts>,
}

#[derive(Serialize)]
struct EngineFacts {
    name: &'static str,
    instruction_sets: Vec<String>,
    threads: usize,
}

#[derive(Serialize)]
struct MethodFacts {
    name: &'static str,
    about: &'static str,
}

/// Prints the facts.
pub(super) fn run(args: &Info) -> Result<()> {
    let facts = facts();
    if args.json { print_json(&facts) } else { Ok(io::stdout().write_all(text(&facts).as_bytes())?) }
}

fn facts() -> Facts {
    let instruction_sets = Isa::available().iter().map(Isa::to_string).collect();
    Facts {
        version: env!("CARGO_PKG_VERSION"),
        engines: vec![EngineFacts { name: "cpu", instruction_sets, threads: available_threads() }],
        methods: METHODS.iter().map(|method| MethodFacts { name: method.name, about: method.about }).collect(),
    }
}

fn text(facts: &Facts) -> String {
    let mut lines = vec![format!("fourfold {}", facts.version)];
    for engine in &facts.engines {
        lines.push(format!("engine {}", engine.name));
        lines.push(format!(
            "  instruction sets  {} (the first is used unless another is named)",
            engine.instruction_sets.join(", ")
        ));
        lines.push(format!("  threads           {}", engine.threads));
    }
    lines.extend(facts.methods.iter().map(|method| format!("method {}: {}", method.name, method.about)));
    lines.join("\n") + "\n"
}
