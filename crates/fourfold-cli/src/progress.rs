//! A progress bar on stderr, for work that takes more than a second.

use std::io::{self, IsTerminal, Write};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A progress bar. It is shown only if stderr is a terminal, and only after a second.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Begins a bar of `steps` steps.
    pub fn new(steps: usize) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {elapsed} {msg}");
        bar.set_style(style.expect("the template is fixed"));
        if io::stderr().is_terminal() {
            let late = bar.downgrade();
            // Without another thread the bar is not shown.
            let _ = thread::Builder::new().spawn(move || {
                thread::sleep(Duration::from_secs(1));
                if let Some(bar) = late.upgrade().filter(|bar| !bar.is_finished()) {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(Duration::from_millis(200));
                }
            });
        }
        Progress { bar }
    }

    /// Names the current step.
    pub fn message(&self, message: impl Into<String>) {
        self.bar.set_message(message.into());
    }

    /// Ends a step.
    pub fn step(&self) {
        self.bar.inc(1);
    }

    /// Prints a line on stdout without disturbing the bar.
    pub fn print(&self, line: &str) -> io::Result<()> {
        self.bar.suspend(|| writeln!(io::stdout(), "{line}"))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
