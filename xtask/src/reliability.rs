//! `cargo xtask reliability LOG[@COMMIT]…`: writes `docs/reliability.md` from what the tests printed.
//! A log is of the current commit unless another is named. Guarantees of which no log speaks keep what
//! the page says of them.

use crate::machine::commit;
use crate::page;
use crate::process::root;
use crate::table::Table;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::{env, fs};

/// A guarantee with the command that tests it, and how the lines of its output begin that say what was
/// found.
struct Guarantee {
    what: &'static str,
    command: &'static str,
    lines: &'static str,
}

const fn guarantee(what: &'static str, command: &'static str, lines: &'static str) -> Guarantee {
    Guarantee { what, command, lines }
}

const FUZZ: &str = "`cargo xtask fuzz --carry FOLDER`, then `FOLDER/run`";
const FAULTS: &str = "`cargo test -p fourfold-cli --test faults -- --nocapture`";

const GUARANTEES: [Guarantee; 24] = [
    guarantee("Any text is a problem or an error", FUZZ, "fuzz notation: "),
    guarantee("Any text is a recipe that computes its problem, or an error", FUZZ, "fuzz recipes: "),
    guarantee("Any text is wisdom, or lines that are skipped", FUZZ, "fuzz wisdom: "),
    guarantee("Any text says what a GPU's kernels shall be, or is an error", FUZZ, "fuzz choices: "),
    guarantee("Any file is an array in `.npy`, or an error", FUZZ, "fuzz npy: "),
    guarantee("Any PNG file is a picture that survives being written, or an error", FUZZ, "fuzz png: "),
    guarantee("Any JPEG file is decoded the same by one thread and two, or an error", FUZZ, "fuzz jpeg: "),
    guarantee("Any JPEG file's coefficients survive being written, or an error", FUZZ, "fuzz coefficients: "),
    guarantee("Any coefficients are written and read again, or an error", FUZZ, "fuzz encode: "),
    guarantee("Any files are a circuit, or an error", FUZZ, "fuzz bookshelf: "),
    guarantee("A file of the kernel cache is used only if it is whole", FUZZ, "fuzz cache: "),
    guarantee("Random problems, with strides, views and in place, agree with the definition", FUZZ, "fuzz plans: "),
    guarantee(
        "Every kind at every length up to 4096 agrees with the definition, in `f32` and `f64`, on every instruction set",
        "`cargo xtask cpu-test verify`",
        "verify: ",
    ),
    guarantee(
        "Plans made and dropped by many threads compute the same bits, and memory is flat",
        "`cargo xtask cpu-test soak`",
        "soak of the processor: ",
    ),
    guarantee(
        "Every kind on a GPU agrees with the definition: lengths up to 512 in one to three dimensions, random longer ones",
        "`device_test verify --shard 1/2`, of `fourfold-gpu`",
        "device test of cuda:0: ",
    ),
    guarantee(
        "On a GPU, plans made and dropped by many threads compute the same bits, and memory is flat",
        "`device_test soak`, of `fourfold-gpu`",
        "soak of cuda:0: ",
    ),
    guarantee(
        "An allocation that fails in planning, executing, or a JPEG file is an error; nothing leaks, and the next call works",
        "`cargo test -p fourfold-cli --test allocation_faults -- --nocapture`",
        "allocations: ",
    ),
    guarantee(
        "An allocation that fails in a command is an error, and its files are as before",
        FAULTS,
        "command allocations: ",
    ),
    guarantee("Threads that cannot be started are an error, or there are fewer", FAULTS, "threads: "),
    guarantee("Files that may not grow are an error, and old files are as before", FAULTS, "short files: "),
    guarantee("A full disk is an error, and old files are as before", FAULTS, "full disks: "),
    guarantee(
        "A command that is killed leaves the old file or the new one",
        "the same, with `FOURFOLD_SWEEPS=whole`",
        "kills: ",
    ),
    guarantee(
        "A call that a driver refuses is an error; nothing is held, and the next call works",
        "`cargo test -p fourfold-gpu --lib refused -- --nocapture`",
        "driver calls: ",
    ),
    guarantee(
        "A GPU that is lost is an error, and the processor goes on",
        "`cargo test -p fourfold-gpu --lib a_fault -- --nocapture`, with `FOURFOLD_DEVICE=cuda:0`",
        "test device_tests::cuda::a_fault_is_an_error_and_the_process_goes_on ... ",
    ),
];

const PAGE: &str = "docs/reliability.md";

/// What stands where nothing was run.
const NOT_RUN: &str = "not run since this page was begun";

const HEADER: &str = "\
# Reliability

What holds whatever the input and whatever fails, the command that tests it, and what it found last.
[SECURITY.md](../SECURITY.md) says what is guaranteed, and [checks.md](checks.md) what Miri,
AddressSanitizer and valgrind found.

`cargo xtask reliability LOG…` writes this page from what the commands printed, each at the commit in
the last column. A row of which no log speaks stays as it is.

";

const LIMITS: &str = "
`failed` counts the processes that found an input for which a guarantee does not hold. `edges` are the
transitions between blocks of the program that inputs reached.

## What ends the process

An allocation of Rust's standard library that fails ends the process. These allocations may:

- those of fewer than 20 KiB in the libraries, such as messages, lists of axes and passes, short
  tables, rows of an image, and libjpeg's output buffer;
- the tables of a plan. Their whole size is asked for first, and lack of it is an error. What follows
  needs no more, as `allocation_faults` tests: it leaves a call one byte less than each of its peaks
  needs. But another thread or process may take the memory in between;
- those of the definition of a transform (`oracle`). `fourfold verify` asks for them first;
- the fractions of a cell that covers more than 2500 bins along an axis, and the text of a kernel;
- in the command, those of fewer than 300 KiB: rows of an image, the buffers of the decoder and the
  encoder of PNG, and what reads the command line. `tests/ending.rs` runs it with too little memory.

Every other allocation that grows with a problem or a file is refused in turn by these tests.

## What was found and mended

- Memory for the factors of a baseline was asked for before the tables of its FFTs were made, and by
  an estimate that left out half of it: with too little memory, planning one ended the process.
- Dropping a plan, an array or a kernel on CUDA waited for its context, which ended the capture of a
  graph by another thread. Now it is kept until nothing is captured.
- A warning of wisdom that stands in no line of the tuning file called it line 0.
- A tuning file, its lock or a list of problems that is a named pipe was waited for. So was a file of
  the kernel that has no end. Both are an error, or a warning where the environment names the file.
- Programs for OpenCL are built by several threads at once. That is allowed: of all calls only
  `clSetKernelArg` on one kernel is not safe then (OpenCL 1.2, A.2), and each thread builds a program of
  its own.
";

/// The task, with the arguments that follow its name.
pub(crate) fn run_task() -> Result<()> {
    let logs = env::args().skip(2).map(|word| Log::read(&word)).collect::<Result<Vec<_>>>()?;
    ensure!(!logs.is_empty(), "usage: cargo xtask reliability LOG[@COMMIT]…");
    let old = fs::read_to_string(root().join(PAGE)).with_context(|| format!("cannot read {PAGE}"))?;
    page::write(PAGE, HEADER, &[], &(table(&logs, &old).to_string() + LIMITS))?;
    println!("{}", root().join(PAGE).display());
    Ok(())
}

/// What commands printed.
struct Log {
    commit: String,
    text: String,
}

impl Log {
    /// The log of a word `PATH` or `PATH@COMMIT`.
    fn read(word: &str) -> Result<Log> {
        let (path, named) = word.rsplit_once('@').map_or((word, None), |(path, commit)| (path, Some(commit)));
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?;
        let commit = named.map_or_else(commit, |name| Ok(name.to_owned()))?;
        Ok(Log { commit, text })
    }

    /// What follows `start` in lines that begin so.
    fn found(&self, start: &str) -> impl Iterator<Item = &str> {
        self.text.lines().filter_map(move |line| line.trim().strip_prefix(start))
    }
}

/// The table of what the logs say, and else the old page.
fn table(logs: &[Log], old: &str) -> Table {
    let mut table = Table::new(["guarantee", "command", "found", "commit"]);
    for Guarantee { what, command, lines } in &GUARANTEES {
        let [found, commits] =
            from_logs(logs, lines).or_else(|| kept(old, what)).unwrap_or([NOT_RUN, ""].map(Into::into));
        table.row([what.to_string(), command.to_string(), found, commits]);
    }
    table
}

/// What lines that begin with `start` say, and the commits of their logs.
fn from_logs(logs: &[Log], start: &str) -> Option<[String; 2]> {
    let found: Vec<_> = logs.iter().flat_map(|log| log.found(start)).collect();
    let mut logs: Vec<_> = logs.iter().filter(|log| log.found(start).next().is_some()).collect();
    logs.dedup_by(|a, b| a.commit == b.commit);
    let commits = logs.iter().map(|log| &*log.commit).collect::<Vec<_>>().join(", ");
    (!found.is_empty()).then(|| [joined(&found), commits])
}

/// The last two cells of the row of a guarantee in a page.
fn kept(page: &str, what: &str) -> Option<[String; 2]> {
    let mut rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let row: Vec<_> = rows.find_map(|row| {
        let cells: Vec<_> = row.split(" | ").map(|cell| cell.replace("\\|", "|")).collect();
        (cells.len() == 4 && cells[0] == what).then_some(cells)
    })?;
    let [_, _, found, commits] = <[String; 4]>::try_from(row).ok()?;
    Some([found, commits])
}

/// What was found, one after another. Lines of parts, such as `part 2/3: 7 problems, 0 wrong`, are
/// added up: `2 of 3 parts: 15 problems, 0 wrong`. Of a part that ran twice, the last one counts.
fn joined(found: &[&str]) -> String {
    let mut parts: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    let mut others = vec![];
    for line in found {
        let part = line.strip_prefix("part ").and_then(|line| line.split_once(": "));
        match part.and_then(|(part, text)| Some((part.split_once('/')?, text))) {
            Some(((part, count), text)) => drop(parts.entry(count).or_default().insert(part, text)),
            None => others.push((*line).to_owned()),
        }
    }
    let sums = parts.iter().map(|(count, parts)| {
        let sum = parts.values().copied().map(str::to_owned).reduce(|sum, text| added(&sum, &text));
        let text = sum.expect("there is a part");
        if *count == "1" { text } else { format!("{} of {count} parts: {text}", parts.len()) }
    });
    sums.chain(others).collect::<Vec<_>>().join("; ")
}

/// The words of both lines, with the numbers that are words added. If other words differ, both.
fn added(a: &str, b: &str) -> String {
    let sum = |(a, b): (&str, &str)| match (a.parse::<u64>(), b.parse::<u64>()) {
        (Ok(a), Ok(b)) => Some((a + b).to_string()),
        _ => (a == b).then(|| a.to_owned()),
    };
    let same = a.split(' ').count() == b.split(' ').count();
    let words: Option<Vec<_>> = a.split(' ').zip(b.split(' ')).map(sum).collect();
    words.filter(|_| same).map_or_else(|| format!("{a}; {b}"), |words| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_added() {
        let line = |part: &str, n: usize| format!("part {part}: {n} of {n} problems, on avx2, {} wrong, 7 s", n % 2);
        let lines = [line("1/3", 10), line("3/3", 3), line("3/3", 5)];
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        assert_eq!(joined(&lines), "2 of 3 parts: 15 of 15 problems, on avx2, 1 wrong, 14 s");
        assert_eq!(joined(&["part 1/1: 4 s"]), "4 s");
        assert_eq!(joined(&["5 survived", "6 survived"]), "5 survived; 6 survived");
        assert_eq!(added("3 on avx2", "4 on avx512"), "3 on avx2; 4 on avx512");
    }

    #[test]
    fn figures_are_found_in_logs() {
        let log = |commit: &str, text: &str| Log { commit: commit.to_owned(), text: text.to_owned() };
        let early = log("a1", "x\nfuzz npy: 7 inputs, 3 edges, 0 failed, 1 s\nkills: 5 survived\n");
        let text = table(&[early, log("b2", "kills: 6 survived\n")], "").to_string();
        assert!(text.contains("| 7 inputs, 3 edges, 0 failed, 1 s | a1 |"), "{text}");
        assert!(text.contains("| 5 survived; 6 survived | a1, b2 |"), "{text}");
        assert_eq!(text.matches(NOT_RUN).count(), GUARANTEES.len() - 2);
    }

    #[test]
    fn rows_without_a_log_stay() {
        let log = |commit: &str, text: &str| Log { commit: commit.to_owned(), text: text.to_owned() };
        let old = table(&[log("a1", "fuzz npy: 7 inputs | 0 failed\nkills: 5 survived\n")], "").to_string();
        let new = table(&[log("b2", "kills: 6 survived\nthreads: 2 had an error\n")], &old).to_string();
        assert!(new.contains("| 7 inputs \\| 0 failed | a1 |"), "{new}");
        assert!(new.contains("| 6 survived | b2 |") && !new.contains("5 survived"), "{new}");
        assert!(new.contains("| 2 had an error | b2 |"), "{new}");
        assert_eq!(new.matches(NOT_RUN).count(), GUARANTEES.len() - 3);
    }

    /// The page names every guarantee of the table: one that was added is not forgotten.
    #[test]
    fn the_committed_page_has_every_guarantee() {
        let page = fs::read_to_string(root().join("docs/reliability.md")).unwrap();
        for Guarantee { what, .. } in &GUARANTEES {
            assert!(page.contains(what), "docs/reliability.md lacks: {what}");
        }
        assert!(page.ends_with(LIMITS), "docs/reliability.md ends otherwise");
    }
}
