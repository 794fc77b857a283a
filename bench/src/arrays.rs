//! Memory that all contestants of a problem share, so that nobody has the better pages.

use std::ptr::null_mut;

const HUGE_PAGE: usize = 2 << 20;

/// From this size on NumPy asks for huge pages; so do we.
const HUGE_FROM: usize = 4 << 20;

/// Zeroed memory that begins at a page, from 4 MiB on at a huge page.
pub(crate) struct Memory {
    map: *mut u8,
    mapped: usize,
    base: *mut u8,
}

impl Memory {
    pub(crate) fn new(bytes: usize) -> Memory {
        let huge = bytes >= HUGE_FROM;
        let mapped = bytes.max(1) + if huge { HUGE_PAGE } else { 0 };
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: an anonymous mapping touches no memory of others; the result is checked.
        let map = unsafe { libc::mmap(null_mut(), mapped, access, kind, -1, 0) };
        assert_ne!(map, libc::MAP_FAILED, "no memory for {bytes} bytes");
        let map = map.cast::<u8>();
        let base = if huge { map.wrapping_add(map.align_offset(HUGE_PAGE)) } else { map };
        if huge {
            // SAFETY: the range lies in the mapping; the advice changes no contents, and may fail.
            unsafe { libc::madvise(base.cast(), bytes, libc::MADV_HUGEPAGE) };
        }
        // SAFETY: `bytes` from `base` on lie in the mapping. Writing brings the pages.
        unsafe { base.write_bytes(0, bytes) };
        Memory { map, mapped, base }
    }

    pub(crate) fn base(&self) -> *mut u8 {
        self.base
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: mapped in `new` with this length.
        unsafe { libc::munmap(self.map.cast(), self.mapped) };
    }
}

/// Fills `len` numbers with values in −1…1 that repeat nowhere.
pub(crate) fn fill(base: *mut u8, len: usize, bits: u32) {
    let mut state = 1u64;
    for i in 0..len {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let x = (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        // SAFETY: the caller's memory has room for `len` numbers of `bits` bits.
        unsafe {
            match bits {
                32 => base.cast::<f32>().add(i).write(x as f32),
                _ => base.cast::<f64>().add(i).write(x),
            }
        }
    }
}

/// Copies of `len` numbers as f64.
pub(crate) fn read(base: *const u8, len: usize, bits: u32) -> Vec<f64> {
    // SAFETY: the caller's memory holds `len` numbers of `bits` bits.
    let at = |i| unsafe {
        match bits {
            32 => f64::from(base.cast::<f32>().add(i).read()),
            _ => base.cast::<f64>().add(i).read(),
        }
    };
    (0..len).map(at).collect()
}
