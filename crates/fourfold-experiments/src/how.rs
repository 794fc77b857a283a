//! What pages say of how and where things were measured.

use anyhow::Result;
use fourfold::{Precision, Problem};
use fourfold_cli::bench_targets::{IN_TURN, MOST_PAIRS};
use fourfold_cli::engine::Engine;
use fourfold_gpu::Api;

use crate::measure::{Setting, only_for};
use crate::processor::processor;

/// What columns with figures of the authors' code are, for the text above a table.
pub(crate) const AUTHORS: &str = "The authors' code (JeremieMelo/dct_cuda, commit feabca7) was measured on one H200 on 21 November 2026. nvcc 13.0 compiled it for sm_90 with optimisation. Its other flags are not known. Its times are medians; ours are the shortest where their column does not say that they are medians.";

/// The same in a sentence below a table.
pub(crate) const MEASURED: &str = "2026-11-21, feabca7";

/// NVIDIA's FFTs.
pub(crate) const CUFFT: &str = "cuFFT";

impl Setting {
    /// The engine in names of files.
    pub(crate) fn file_name(&self) -> String {
        self.engine().to_string().replace(':', "-")
    }

    /// What was used, for the head of a page: processor, threads, and a device's software.
    pub(crate) fn machine(&self) -> String {
        let on_processor = |threads| format!("{} of {}", threads_in_words(threads), processor());
        self.contender.with_planner(
            |_| format!("{}, {}", self.place(), on_processor(self.threads)),
            |device, _| {
                let info = device.info();
                let host = match info.is_cpu {
                    true => format!("It runs {}", on_processor(info.attributes.sms)),
                    false => format!("Beside it are {}", on_processor(self.threads)),
                };
                format!("{}. Its software is `{}, {}`. {host}", self.place(), info.version.trim(), device.software())
            },
        )
    }

    /// The engine and its device, or the instruction set.
    pub(crate) fn place(&self) -> String {
        self.contender.place()
    }

    /// Whether it is a device of CUDA, where the authors' code runs, too.
    pub(crate) fn is_cuda(&self) -> bool {
        only_for(Api::Cuda, self).is_ok()
    }

    /// How algorithms were measured, in double precision.
    pub(crate) fn how(&self) -> String {
        self.how_in(Precision::F64)
    }

    /// The same in another type.
    pub(crate) fn how_in(&self, precision: Precision) -> String {
        self.how_compared(precision, "every algorithm's result with that of fused passes")
    }

    /// The same, where something else was compared.
    pub(crate) fn how_compared(&self, precision: Precision, compared: &str) -> String {
        let arrays = match self.engine() {
            Engine::Cpu(_) => {
                " Every run has the same arrays. A copy is a memcpy by the same number of threads, or a reorder along an axis of one element, whichever is faster.".to_owned()
            }
            _ => format!(
                " Runs take turns through {} MiB of arrays, at most {MOST_PAIRS} inputs with their outputs, so that no large input is still in a cache. A copy is the driver's or that of a kernel whose threads each move an element, whichever is faster.",
                IN_TURN >> 20,
            ),
        };
        self.how_with(precision, &arrays, compared)
    }

    /// How runs were measured that all have the same arrays, such as steps that use the result of the step
    /// before, and what was compared.
    pub(crate) fn how_of_steps(&self, precision: Precision, compared: &str) -> String {
        self.how_with(precision, " All runs use the same arrays.", compared)
    }

    fn how_with(&self, precision: Precision, arrays: &str, compared: &str) -> String {
        format!(
            "{}, out of place. Each time is the shortest of warm runs that take turns for {} s each.{arrays} Measured on {}. Before that, the command compares {compared}.",
            precision.name(),
            self.seconds(),
            self.place()
        )
    }

    /// The library that does the FFTs between stages.
    pub(crate) fn fft_library(&self, problem: &Problem) -> Result<&'static str> {
        Ok(if self.by("three-stage")?.plan(problem)?.uses_vendor_fft() { CUFFT } else { "fourfold's own" })
    }
}

fn threads_in_words(threads: usize) -> String {
    if threads == 1 { "one thread".into() } else { format!("{threads} threads") }
}
