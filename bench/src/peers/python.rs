//! The Python child, with the peers that have no other interface.

use crate::case::Case;
use crate::contestant::{Contestant, Factor, Role, Runner};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

/// The names that it answers to.
pub(crate) const NAMES: [&str; 3] = ["SciPy", "OpenCV", "memcpy in Python"];

pub(crate) struct Python {
    child: Child,
    pipes: RefCell<(ChildStdin, BufReader<ChildStdout>)>,
}

impl Python {
    pub(crate) fn start(interpreter: &Path) -> Result<Python> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("child.py");
        let mut command = Command::new(interpreter);
        let mut child = command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let pipes = (child.stdin.take().context("no pipe")?, BufReader::new(child.stdout.take().context("no pipe")?));
        Ok(Python { child, pipes: RefCell::new(pipes) })
    }

    fn ask(&self, question: &Value) -> Result<Value> {
        let (input, output) = &mut *self.pipes.borrow_mut();
        writeln!(input, "{question}")?;
        let mut answer = String::new();
        output.read_line(&mut answer)?;
        serde_json::from_str(&answer).context("the Python child has ended")
    }

    /// Those that can solve the case, and a copy.
    pub(crate) fn offers(&self, case: &Case) -> Result<Vec<Contestant<'static>>> {
        let kind = case.kind.map_or("mixed", fourfold::Kind::name);
        let question = json!({"kind": kind, "bits": case.bits, "shape": case.shape, "first": case.first});
        let answer: Vec<String> = serde_json::from_value(self.ask(&question)?)?;
        let offered = NAMES.into_iter().filter(|name| answer.iter().any(|answer| answer == name));
        Ok(offered.map(contestant).collect())
    }

    /// The time of so many runs by the child's clock, after one that it does not count.
    pub(crate) fn time_turn(&self, name: &str, runs: usize) -> Result<Duration> {
        let answer = self.ask(&json!({"turn": name, "runs": runs}))?;
        let seconds = answer.as_f64().context("the Python child answers no time")?;
        Duration::try_from_secs_f64(seconds).with_context(|| format!("the Python child answers {seconds} s"))
    }
}

fn contestant(name: &'static str) -> Contestant<'static> {
    let role = if name.starts_with("memcpy") { Role::Yardstick } else { Role::Peer };
    Contestant { name: name.to_owned(), role, factor: Factor::Other, runner: Runner::Child(name) }
}

impl Drop for Python {
    fn drop(&mut self) {
        // It may have ended already; then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
