//! Caches and pages of the machine, read once from the system.
//!
//! These values determine the order of memory accesses and the size of blocks. No result depends on
//! them, because the arithmetic and its order are always the same. Two groups of limits are
//! constants elsewhere. The limits in [`crate::recipe::rules`] determine recipes, whose text must
//! be the same on every machine. Those in [`crate::cpu::base::sizes`] determine whether vectors are
//! used, on which results depend.

use std::path::Path;
use std::sync::OnceLock;
use std::{fs, io};

/// The alignment of scratch and tables in bytes: that of the widest vector, and a cache line of
/// most machines. It is a constant because types have it.
pub(crate) const ALIGNMENT: usize = 64;

/// A cache of one core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cache {
    /// The size in bytes.
    pub bytes: usize,
    /// The associativity: the number of cached lines with the same address modulo `bytes / ways`.
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
    /// The number of pages in the first-level data TLB. Linux does not report it, so it is that of
    /// [`Machine::default`].
    pub tlb_entries: usize,
    /// The number of elements of a pass that one thread computes in about 10 µs, which is the time
    /// until other threads wake up. No system reports it, so it is that of [`Machine::default`],
    /// which was measured.
    pub serial_elements: usize,
}

impl Default for Machine {
    /// The values of a server processor of 2022, for what the system does not report.
    fn default() -> Self {
        Machine {
            line: 64,
            level1: Cache { bytes: 32 << 10, ways: 8 },
            level2: Cache { bytes: 2 << 20, ways: 16 },
            last_level: 32 << 20,
            huge_page: 2 << 20,
            tlb_entries: 64,
            serial_elements: 1 << 14,
        }
    }
}

impl Machine {
    /// This machine. On Linux the values are those of the first core in `/sys`, else those of
    /// [`Machine::default`].
    pub fn this() -> &'static Machine {
        static THIS: OnceLock<Machine> = OnceLock::new();
        THIS.get_or_init(|| Machine::read(Path::new("/sys")))
    }

    /// Reads the files of Linux's `/sys`. Values that are missing or impossible are those of
    /// [`Machine::default`].
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

    /// The largest array, in bytes, that is still in the last-level cache when the next pass reads
    /// it. This is a quarter of the cache, since the output of the pass and the data of other cores
    /// are there too. It is at most 8 MiB, because a virtual machine shares the cache with others
    /// that it does not see.
    pub(crate) fn stays_cached(&self) -> usize {
        (self.last_level / 4).min(8 << 20)
    }

    /// The number of lines at this stride, in bytes, that the second-level cache can have at the
    /// same time.
    pub(crate) fn lines_at(&self, stride: usize) -> usize {
        let Cache { bytes, ways } = self.level2;
        let period = bytes / ways;
        let step = (1 << stride.trailing_zeros().min(period.ilog2())).max(self.line);
        period / step * ways
    }

    /// The number of threads, of at most `most`, that compute a pass over so many elements. Each has
    /// work for about 2 µs or more, since handing it a share and waiting for it takes about 1 µs.
    pub(crate) fn workers(&self, elements: usize, most: usize) -> usize {
        if elements < self.serial_elements { 1 } else { (4 * elements / self.serial_elements).clamp(1, most) }
    }

    /// The least number of blocks that each of several threads has in a pass over an array of so
    /// many bytes, if there are enough tiles. With two, others can help a thread that is late. If
    /// the array stays in the caches, threads read from the caches of others, and with four some
    /// compute while others read. Wider blocks matter more if it does not. `log.md` in
    /// `docs/performance/` has the times.
    pub(crate) fn blocks_each(&self, bytes: usize) -> usize {
        if bytes <= self.stays_cached() { 4 } else { 2 }
    }

    /// The bytes of a row of tiles that are read at the same time: 8 cache lines. With 4096 rows,
    /// reading one line of each row takes three times as long for each byte, and reading 16 lines
    /// is not faster.
    pub(crate) fn tile_row(&self) -> usize {
        8 * self.line
    }
}

/// Reads a number, which may have the unit `K` or `M`, from a file.
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

/// Whether the number of sets is a power of two, which all uses assume.
fn is_possible(bytes: usize, ways: usize, line: usize) -> bool {
    ways > 0 && bytes % ways == 0 && (bytes / ways).is_power_of_two() && bytes / ways >= line
}

/// The bytes of memory that are available, or the limit of this container if that is less; `None` if the
/// system tells neither. Linux grants more memory than there is, and ends the process that uses it, so
/// programs that need much memory ask here first.
pub fn available_memory() -> Option<usize> {
    let read = |path: &str| fs::read_to_string(path).ok();
    // Without a limit the file says `max`.
    let number = |path: &str| read(path)?.trim().parse::<usize>().ok();
    let machine = read("/proc/meminfo").as_deref().and_then(available_in);
    let container = number("/sys/fs/cgroup/memory.max");
    machine.into_iter().chain(container).min()
}

/// The line `MemAvailable: 123 kB` in bytes.
fn available_in(meminfo: &str) -> Option<usize> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.parse::<usize>().ok()?.checked_mul(1 << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_memory_is_available() {
        let text = "MemTotal:       24576 kB\nMemAvailable:    1024 kB\n";
        assert_eq!(available_in(text), Some(1 << 20));
        assert_eq!(available_in("MemTotal: 1 kB\n"), None);
        assert_eq!(available_in("MemAvailable: 99999999999999999999 kB\n"), None);
    }

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
