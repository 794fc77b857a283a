//! What the engine knows about the processor's memory, read once from the system.
//!
//! These values decide where lines are read from and how large blocks of them are. No result
//! depends on them: every value leads to the same arithmetic in the same order. Two groups of
//! limits are therefore not here. Those that decide a recipe ([`crate::recipe::rules`]) are fixed,
//! because a recipe's text must be the same on every machine. Those that decide the instruction
//! set ([`crate::cpu::base::sizes`]) are fixed, because results depend on it.

use std::path::Path;
use std::sync::OnceLock;
use std::{fs, io};

/// Alignment of scratch and of tables in bytes: a cache line of most machines, and the widest
/// vector. It is a part of types and so the same on every machine.
pub(crate) const ALIGNMENT: usize = 64;

/// Elements of a pass that one thread has done by the time that others have woken up: about 10 µs.
/// Measured; no system tells it.
pub(crate) const SERIAL_ELEMENTS: usize = 1 << 14;

/// A cache of one core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cache {
    /// Its size in bytes.
    pub bytes: usize,
    /// Its associativity: lines with the same address modulo `bytes / ways` that it holds.
    pub ways: usize,
}

/// The caches and pages of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Machine {
    /// Bytes of a cache line.
    pub line: usize,
    /// The first-level data cache.
    pub level1: Cache,
    /// The second-level cache.
    pub level2: Cache,
    /// Bytes of the last cache before memory.
    pub last_level: usize,
    /// Bytes of a huge page.
    pub huge_page: usize,
}

impl Default for Machine {
    /// What is assumed where the system does not tell: a server processor of 2022.
    fn default() -> Self {
        Machine {
            line: 64,
            level1: Cache { bytes: 32 << 10, ways: 8 },
            level2: Cache { bytes: 2 << 20, ways: 16 },
            last_level: 32 << 20,
            huge_page: 2 << 20,
        }
    }
}

impl Machine {
    /// This machine: on Linux what `/sys` says of its first core, else [`Machine::default`].
    pub fn this() -> &'static Machine {
        static THIS: OnceLock<Machine> = OnceLock::new();
        THIS.get_or_init(|| Machine::read(Path::new("/sys")))
    }

    /// From the files of Linux' `/sys`; what is missing there, or no possible value, is assumed.
    fn read(sys: &Path) -> Machine {
        let mut machine = Machine::default();
        let caches = sys.join("devices/system/cpu/cpu0/cache");
        for index in 0..8 {
            let folder = caches.join(format!("index{index}"));
            let Ok(kind) = fs::read_to_string(folder.join("type")) else { break };
            if !["Data", "Unified"].contains(&kind.trim()) {
                continue;
            }
            let number = |name| size(&folder.join(name));
            let (Ok(level), Ok(bytes)) = (number("level"), number("size")) else { continue };
            machine.line = number("coherency_line_size").ok().filter(|line| is_line(*line)).unwrap_or(machine.line);
            machine.last_level = bytes;
            let cache = |assumed: Cache| match number("ways_of_associativity") {
                Ok(ways) if is_possible(bytes, ways, machine.line) => Cache { bytes, ways },
                _ => assumed,
            };
            match level {
                1 => machine.level1 = cache(machine.level1),
                2 => machine.level2 = cache(machine.level2),
                _ => {}
            }
        }
        let huge = size(&sys.join("kernel/mm/transparent_hugepage/hpage_pmd_size"));
        machine.huge_page = huge.ok().filter(|bytes| bytes.is_power_of_two()).unwrap_or(machine.huge_page);
        machine
    }

    /// Bytes of an array that the last-level cache still holds when it is read again: a quarter,
    /// beside the array that it becomes and what other cores keep there. Never more than 8 MiB,
    /// since a virtual machine does not see the guests that it shares that cache with.
    pub(crate) fn stays_cached(&self) -> usize {
        (self.last_level / 4).min(8 << 20)
    }

    /// Lines so many bytes apart that the second-level cache holds.
    pub(crate) fn lines_at(&self, stride: usize) -> usize {
        let Cache { bytes, ways } = self.level2;
        let period = bytes / ways;
        let step = (1 << stride.trailing_zeros().min(period.ilog2())).max(self.line);
        period / step * ways
    }

    /// Bytes of a row of tiles that are read together. Wide enough to be worth a visit to a page:
    /// one line costs three times as much at 4096 rows, 16 lines no less.
    pub(crate) fn tile_row(&self) -> usize {
        8 * self.line
    }
}

/// A number from a file, of bytes with `K` or `M` after it.
fn size(path: &Path) -> io::Result<usize> {
    let text = fs::read_to_string(path)?;
    let text = text.trim();
    let (digits, unit) = match text.chars().last() {
        Some('K') => (&text[..text.len() - 1], 1 << 10),
        Some('M') => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    let wrong = || io::Error::new(io::ErrorKind::InvalidData, format!("`{text}` is no size"));
    digits.parse::<usize>().ok().and_then(|n| n.checked_mul(unit)).ok_or_else(wrong)
}

fn is_line(bytes: usize) -> bool {
    bytes.is_power_of_two() && (16..=1024).contains(&bytes)
}

/// Whether a cache with such ways has sets of a power of two, which every use of it assumes.
fn is_possible(bytes: usize, ways: usize, line: usize) -> bool {
    ways > 0 && bytes % ways == 0 && (bytes / ways).is_power_of_two() && bytes / ways >= line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, files: &[(&str, &str)]) {
        fs::create_dir_all(folder).unwrap();
        files.iter().for_each(|(name, text)| fs::write(folder.join(name), format!("{text}\n")).unwrap());
    }

    #[test]
    fn caches_are_read_from_files() {
        let sys = std::env::temp_dir().join(format!("fourfold-sys-{}", std::process::id()));
        let cache = |index: usize| sys.join(format!("devices/system/cpu/cpu0/cache/index{index}"));
        let about = |level, kind, size, ways| {
            [
                ("level", level),
                ("type", kind),
                ("size", size),
                ("ways_of_associativity", ways),
                ("coherency_line_size", "128"),
            ]
        };
        write(&cache(0), &about("1", "Data", "48K", "12"));
        write(&cache(1), &about("1", "Instruction", "64K", "8"));
        write(&cache(2), &about("2", "Unified", "1M", "8"));
        write(&cache(3), &about("3", "Unified", "16384K", "0"));
        let machine = Machine::read(&sys);
        fs::remove_dir_all(&sys).unwrap();
        let caches = (Cache { bytes: 48 << 10, ways: 12 }, Cache { bytes: 1 << 20, ways: 8 });
        assert_eq!((machine.level1, machine.level2), caches);
        assert_eq!((machine.line, machine.last_level, machine.stays_cached()), (128, 16 << 20, 4 << 20));
        assert_eq!(machine.huge_page, Machine::default().huge_page);
    }

    #[test]
    fn what_the_system_does_not_tell_is_assumed() {
        assert_eq!(Machine::read(Path::new("/nowhere")), Machine::default());
        assert!(!is_possible(1 << 20, 0, 64) && !is_possible(3 << 19, 16, 64) && !is_line(48));
    }

    #[test]
    fn columns_with_a_power_of_two_between_them_share_sets() {
        let machine = Machine::default();
        assert_eq!(machine.lines_at(8000), (2 << 20) / 64);
        assert_eq!(machine.lines_at(8192), 16 * 16);
        assert_eq!(machine.lines_at(1 << 20), 16);
        assert_eq!(machine.lines_at(0), 16);
    }
}
