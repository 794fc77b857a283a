//! For authors of engines and of benchmarks: how work is timed, and how measured times are shown.
//!
//! Planning by measuring, the command's benchmarks and the comparisons with other libraries all use
//! the same procedure:
//!
//! 1. **Warm-up.** A contestant runs once before anything is timed ([`Timed::new`]). So an error
//!    shows early, and memory is mapped.
//! 2. **Batch.** A measurement is of k runs between two synchronisations. k is so large that the
//!    batch takes at least [`Work::least_batch`], which is long beside what the clock resolves and
//!    what synchronising costs. The result is the mean of the k runs.
//! 3. **Turns.** Contestants take turns ([`take_turns`]), so that whatever else happens on the
//!    machine happens to all of them. A round is a batch of each. Every round begins with another
//!    contestant: A B C, B C A, C A B.
//! 4. **Pace.** Rounds follow each other for a given number of times, a given time, or both
//!    ([`Pace`]).
//! 5. **Figures.** A [`Summary`] has the least, the median and the largest of the rounds' times, in
//!    seconds for one run. Compare CPUs by the least time, since other work on a machine only ever
//!    adds time. Report the median where a caller wants to know what to expect, and on devices,
//!    whose clock rate varies both ways. The range between the least and the largest shows how much
//!    the machine was disturbed.
//!
//! A [`Clock`] tells the time: a CPU's is [`WallClock`]. Work that is timed elsewhere, by a device's
//! events or in another process, replaces [`Work::time`].
//!
//! ```
//! use fourfold::timing::{Pace, Timed, from_fn, take_turns};
//! let mut sums = [1000u64, 2000].map(|n| {
//!     from_fn(move || { std::hint::black_box((0..n).sum::<u64>()); Ok::<_, std::fmt::Error>(()) })
//! }).into_iter().map(Timed::new).collect::<Result<Vec<_>, _>>()?;
//! let times = take_turns(sums.iter_mut(), &Pace::rounds(3))?;
//! assert!(times.len() == 2 && times[0].min <= times[0].median);
//! # Ok::<(), std::fmt::Error>(())
//! ```

mod harness;
mod summary;
pub mod table;
mod work;

pub use self::harness::{Pace, Timed, take_turns};
pub use self::summary::Summary;
pub use self::work::{Clock, FromFn, WallClock, Work, from_fn};
