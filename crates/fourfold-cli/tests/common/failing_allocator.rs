//! An allocator that refuses one large allocation, or all above a limit, and knows what is in use.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// Allocations of fewer bytes are never refused: those of Rust's standard library end the process
/// if they fail. The largest one of a fixed size has 17 KiB, for libjpeg's output.
pub(crate) const LARGE: usize = 20 << 10;

/// Large allocations that are remembered.
const MOST: usize = 1 << 14;

pub(crate) struct FailingAllocator;

/// Bytes in use.
static LIVE: AtomicUsize = AtomicUsize::new(0);
/// Bytes in use by large allocations.
static LARGE_LIVE: AtomicUsize = AtomicUsize::new(0);
/// Large allocations since the last [`refuse`].
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// The number of the one that is refused, from 1.
static REFUSED: AtomicUsize = AtomicUsize::new(0);
/// The most bytes of large allocations.
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
/// The bytes of large allocations with each of them.
static NEEDED: [AtomicUsize; MOST] = [const { AtomicUsize::new(0) }; MOST];

/// What is refused.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Refuse {
    Nothing,
    /// The n-th large allocation, from 1.
    Number(usize),
    /// Large allocations with which more bytes would be in use than so many beyond the present.
    Beyond(usize),
}

/// Begins to count, and to refuse.
pub(crate) fn refuse(what: Refuse) {
    let (number, limit) = match what {
        Refuse::Nothing => (0, usize::MAX),
        Refuse::Number(number) => (number, usize::MAX),
        Refuse::Beyond(bytes) => (0, LARGE_LIVE.load(SeqCst) + bytes),
    };
    COUNT.store(0, SeqCst);
    REFUSED.store(number, SeqCst);
    LIMIT.store(limit, SeqCst);
}

/// Bytes in use.
pub(crate) fn live() -> usize {
    LIVE.load(SeqCst)
}

/// Large allocations that were asked for since the last [`refuse`].
pub(crate) fn count() -> usize {
    COUNT.load(SeqCst)
}

/// The bytes that each of them brought the large ones to, beyond the present, if it was more than
/// any before it.
pub(crate) fn peaks() -> Vec<usize> {
    let present = LARGE_LIVE.load(SeqCst);
    let mut peaks: Vec<usize> = vec![];
    for needed in NEEDED[..count().min(MOST)].iter().map(|needed| needed.load(SeqCst).saturating_sub(present)) {
        if needed > peaks.last().copied().unwrap_or(0) {
            peaks.push(needed);
        }
    }
    peaks
}

/// Counts a large allocation. Whether it is refused.
fn is_refused(bytes: usize) -> bool {
    if bytes < LARGE {
        return false;
    }
    let (number, needed) = (COUNT.fetch_add(1, SeqCst), LARGE_LIVE.load(SeqCst) + bytes);
    if let Some(place) = NEEDED.get(number) {
        place.store(needed, SeqCst);
    }
    number + 1 == REFUSED.load(SeqCst) || needed > LIMIT.load(SeqCst)
}

// SAFETY: memory is the system's, with the layouts that were asked for. The other functions have
// their defaults, which call these.
unsafe impl GlobalAlloc for FailingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return null_mut();
        }
        // SAFETY: as the caller ensures.
        let memory = unsafe { System.alloc(layout) };
        if !memory.is_null() {
            LIVE.fetch_add(layout.size(), SeqCst);
            LARGE_LIVE.fetch_add(if layout.size() < LARGE { 0 } else { layout.size() }, SeqCst);
        }
        memory
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), SeqCst);
        LARGE_LIVE.fetch_sub(if layout.size() < LARGE { 0 } else { layout.size() }, SeqCst);
        // SAFETY: as the caller ensures.
        unsafe { System.dealloc(memory, layout) }
    }
}
