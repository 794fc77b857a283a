//! Batches, turns and rounds.

use crate::timing::summary::Summary;
use crate::timing::work::{Clock, WallClock, Work};
use std::ops::RangeInclusive;
use std::time::Duration;

/// The most runs of a batch, for work that takes no time that the clock sees.
const MOST_RUNS: usize = 1_000_000;

/// By how much a batch grows at most from one trial to the next: what the clock says about a very
/// short one is not precise enough for more.
const GROWTH: usize = 10;

/// A batch is planned to be so many times as long as it must be, so that it is not too short when
/// its runs are a little faster.
const MARGIN: f64 = 1.1;

/// Rounds that a [`Pace`] has at least unless it says otherwise: the median of five ignores two.
const LEAST_ROUNDS: usize = 5;

/// How long to measure.
#[derive(Clone, Debug)]
pub struct Pace {
    /// The least and the largest number of rounds.
    pub rounds: RangeInclusive<usize>,
    /// Within these numbers, how long the rounds take together at least.
    pub time: Duration,
    /// Whether an untimed run precedes every batch, so that it finds in the caches what it leaves
    /// there itself. Contestants that share all their arrays can do without, and so can those whose
    /// arrays no cache holds.
    pub warm_up: bool,
}

impl Pace {
    /// So many rounds, at least one.
    pub fn rounds(rounds: usize) -> Pace {
        Pace { rounds: rounds..=rounds, time: Duration::ZERO, warm_up: true }
    }

    /// Rounds for so long, and at least five.
    pub fn lasting(time: Duration) -> Pace {
        Pace { rounds: LEAST_ROUNDS..=usize::MAX, time, warm_up: true }
    }

    /// The same without untimed runs before batches.
    pub fn without_warm_up(self) -> Pace {
        Pace { warm_up: false, ..self }
    }

    /// Whether another round is due.
    fn goes_on(&self, rounds: usize, time: Duration) -> bool {
        let (least, most) = (*self.rounds.start().max(&1), *self.rounds.end().max(&1));
        rounds < least || rounds < most && time < self.time
    }
}

/// Work that is warm, with the number of runs of its batches.
pub struct Timed<W, C = WallClock> {
    work: W,
    clock: C,
    runs: usize,
}

impl<W: Work> Timed<W> {
    /// Runs once, then in batches until one is long enough.
    ///
    /// # Errors
    /// Those of the work.
    pub fn new(work: W) -> Result<Timed<W>, W::Error> {
        Timed::with_clock(work, WallClock::new())
    }
}

impl<W: Work, C: Clock> Timed<W, C> {
    /// The same by another clock.
    ///
    /// # Errors
    /// Those of the work.
    pub fn with_clock(work: W, clock: C) -> Result<Timed<W, C>, W::Error> {
        let mut timed = Timed { work, clock, runs: 1 };
        timed.work.run()?;
        let most = timed.work.most_runs().clamp(1, MOST_RUNS);
        let least = timed.work.least_batch().as_secs_f64();
        loop {
            let batch = timed.measure(false)? * timed.runs as f64;
            if batch >= least || timed.runs >= most {
                return Ok(timed);
            }
            let enough = (timed.runs as f64 * MARGIN * least / batch).ceil() as usize;
            timed.runs = enough.clamp(timed.runs + 1, GROWTH * timed.runs).min(most);
        }
    }

    /// The runs of a batch.
    pub fn runs(&self) -> usize {
        self.runs
    }

    /// The work.
    pub fn work(&self) -> &W {
        &self.work
    }

    /// The work, when it need not be timed any more.
    pub fn into_work(self) -> W {
        self.work
    }

    /// Seconds of one run, as the mean of a batch; `warm_up` as in [`Pace`].
    ///
    /// # Errors
    /// Those of the work.
    pub fn measure(&mut self, warm_up: bool) -> Result<f64, W::Error> {
        if warm_up {
            self.work.run()?;
        }
        self.work.restore()?;
        Ok(self.work.time(self.runs, &self.clock)?.as_secs_f64() / self.runs as f64)
    }
}

/// Measures contestants in turns. Returns the figures of each, in seconds, in the same order; none
/// if there is nobody.
///
/// # Errors
/// The first one of any contestant.
pub fn take_turns<'a, W: Work + 'a, C: Clock + 'a>(
    contestants: impl IntoIterator<Item = &'a mut Timed<W, C>>,
    pace: &Pace,
) -> Result<Vec<Summary>, W::Error> {
    let mut contestants: Vec<_> = contestants.into_iter().map(|contestant| (contestant, vec![])).collect();
    let Some((first, _)) = contestants.first() else { return Ok(vec![]) };
    let (start, mut now, mut round) = (first.clock.now(), first.clock.now(), 0);
    while pace.goes_on(round, now.saturating_sub(start)) {
        for turn in 0..contestants.len() {
            let number = (round + turn) % contestants.len();
            let (contestant, times) = &mut contestants[number];
            times.push(contestant.measure(pace.warm_up)?);
        }
        now = contestants[0].0.clock.now();
        round += 1;
    }
    Ok(contestants.iter().filter_map(|(_, times)| Summary::of(times)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::{Cell, RefCell};
    use std::rc::Rc;

    /// Goes on only when something runs.
    #[derive(Clone, Default)]
    struct FakeClock(Rc<Cell<Duration>>);

    impl Clock for FakeClock {
        fn now(&self) -> Duration {
            self.0.get()
        }
    }

    /// Takes a time, and writes down what is done with it: its name for a run, `|` for a
    /// synchronisation, `<` for a restoration.
    #[derive(Clone)]
    struct Fake {
        name: char,
        clock: FakeClock,
        log: Rc<RefCell<String>>,
        cost: Duration,
        most_runs: usize,
        /// Runs that are left before it fails.
        left: usize,
    }

    const US: Duration = Duration::from_micros(1);

    fn fake(name: char, cost: Duration) -> Fake {
        let (clock, log) = (FakeClock::default(), Rc::default());
        Fake { name, clock, log, cost, most_runs: usize::MAX, left: usize::MAX }
    }

    impl Fake {
        fn timed(self) -> Result<Timed<Fake, FakeClock>, &'static str> {
            let clock = self.clock.clone();
            Timed::with_clock(self, clock)
        }
    }

    impl Work for Fake {
        type Error = &'static str;

        fn run(&mut self) -> Result<(), &'static str> {
            self.left = self.left.checked_sub(1).ok_or("it has run too often")?;
            self.log.borrow_mut().push(self.name);
            self.clock.0.set(self.clock.0.get() + self.cost);
            Ok(())
        }

        fn synchronize(&mut self) -> Result<(), &'static str> {
            self.log.borrow_mut().push('|');
            Ok(())
        }

        fn restore(&mut self) -> Result<(), &'static str> {
            self.log.borrow_mut().push('<');
            Ok(())
        }

        fn most_runs(&self) -> usize {
            self.most_runs
        }
    }

    #[test]
    fn a_batch_is_as_long_as_the_clock_needs() {
        let runs = |cost| fake('A', cost).timed().unwrap().runs();
        assert_eq!(runs(20 * US), 1);
        assert_eq!(runs(19 * US), 2);
        assert!((22..=23).contains(&runs(US)), "20 runs, and a tenth more");
        assert!((220..=221).contains(&runs(US / 10)));
        assert_eq!(runs(Duration::ZERO), MOST_RUNS);
        let few = Fake { most_runs: 3, ..fake('A', US) };
        assert_eq!(few.timed().unwrap().runs(), 3);
    }

    #[test]
    fn a_batch_is_restored_warmed_and_synchronised() {
        let few = Fake { most_runs: 3, ..fake('A', US) };
        let log = Rc::clone(&few.log);
        let mut timed = few.timed().unwrap();
        assert_eq!(log.take(), "A<|A|<|AAA|");
        assert!((timed.measure(true).unwrap() - 1e-6).abs() < 1e-15);
        assert_eq!(log.take(), "A<|AAA|");
        timed.measure(false).unwrap();
        assert_eq!(log.take(), "<|AAA|");
    }

    #[test]
    fn every_round_begins_with_another_contestant() {
        let a = fake('A', 20 * US);
        let all = ['A', 'B', 'C'].map(|name| Fake { name, ..a.clone() }.timed().unwrap());
        let mut all = Vec::from(all);
        a.log.take();
        let summaries = take_turns(&mut all, &Pace::rounds(4).without_warm_up()).unwrap();
        let runs: String = a.log.take().chars().filter(char::is_ascii_alphabetic).collect();
        assert_eq!(runs, "ABC BCA CAB ABC".replace(' ', ""));
        assert_eq!(summaries.len(), 3);
        assert!(summaries.iter().all(|summary| (summary.min, summary.rounds) == (20e-6, 4)));
    }

    #[test]
    fn rounds_follow_each_other_for_the_time_and_within_the_numbers() {
        let rounds = |pace: &Pace| {
            let mut one = fake('A', 100 * US).timed().unwrap();
            take_turns([&mut one], pace).unwrap()[0].rounds
        };
        // Each takes 200 µs: a run untimed, and one more.
        assert_eq!(rounds(&Pace::lasting(2000 * US)), 10);
        assert_eq!(rounds(&Pace::lasting(2000 * US).without_warm_up()), 20);
        assert_eq!(rounds(&Pace::lasting(Duration::ZERO)), 5);
        assert_eq!(rounds(&Pace { rounds: 2..=3, ..Pace::lasting(2000 * US) }), 3);
        assert_eq!(rounds(&Pace { rounds: 2..=3, ..Pace::lasting(Duration::ZERO) }), 2);
        assert_eq!([0, 1, 7].map(|n| rounds(&Pace::rounds(n))), [1, 1, 7]);
    }

    #[test]
    fn nobody_has_no_times() {
        let nobody: [&mut Timed<Fake, FakeClock>; 0] = [];
        assert_eq!(take_turns(nobody, &Pace::rounds(3)), Ok(vec![]));
    }

    #[test]
    fn what_fails_ends_the_measurement() {
        assert!(Fake { left: 0, ..fake('A', US) }.timed().is_err());
        let mut timed = Fake { left: 3, ..fake('A', 20 * US) }.timed().unwrap();
        assert_eq!(take_turns([&mut timed], &Pace::rounds(9)), Err("it has run too often"));
    }

    /// Its runs are timed by its own clock, which says 7 µs each.
    struct ByEvents(Fake);

    impl Work for ByEvents {
        type Error = &'static str;

        fn run(&mut self) -> Result<(), &'static str> {
            self.0.run()
        }

        fn time(&mut self, runs: usize, _: &dyn Clock) -> Result<Duration, &'static str> {
            (0..runs).try_for_each(|_| self.run())?;
            Ok(7 * US * runs as u32)
        }
    }

    #[test]
    fn work_may_bring_its_own_clock() {
        let work: Box<dyn Work<Error = &'static str>> = Box::new(ByEvents(fake('A', US)));
        let mut timed = Timed::new(work).unwrap();
        assert_eq!(timed.runs(), 4);
        assert!((timed.measure(true).unwrap() - 7e-6).abs() < 1e-15);
    }
}
