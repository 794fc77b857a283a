//! Measures what is repeated.

use std::time::{Duration, Instant};

use anyhow::Result;

/// What can be timed.
pub trait Work {
    /// One run. A device only enqueues it.
    fn run(&mut self) -> Result<()>;

    /// Waits for what was enqueued.
    fn finish(&self) -> Result<()> {
        Ok(())
    }

    /// Brings back the input that runs in place have overwritten.
    fn restore(&mut self) -> Result<()> {
        Ok(())
    }

    /// How many runs may follow each other before that.
    fn longest_batch(&self) -> usize {
        usize::MAX
    }

    /// How long a measurement should be at least: shorter ones would say more about the clock than
    /// about the work.
    fn shortest(&self) -> Duration {
        Duration::from_micros(20)
    }
}

/// Work with the times that it took.
pub struct Timed {
    work: Box<dyn Work>,
    /// Runs of a measurement.
    runs: usize,
    times: Vec<f64>,
}

impl Timed {
    /// Runs once to see that it works, then as often as it takes to know how many runs make a
    /// measurement.
    pub fn warm(work: impl Work + 'static) -> Result<Timed> {
        let mut timed = Timed { work: Box::new(work), runs: 1, times: Vec::new() };
        timed.measure()?;
        let (most, shortest) = (timed.work.longest_batch(), 1e3 * timed.work.shortest().as_secs_f64());
        while timed.measure()? * (timed.runs as f64) < shortest && timed.runs < most {
            timed.runs = (2 * timed.runs).min(most);
        }
        Ok(timed)
    }

    /// Adds a time. The run before it brings everything into the caches that will hold it.
    pub fn sample(&mut self) -> Result<()> {
        self.work.run()?;
        self.work.restore()?;
        let time = self.measure()?;
        self.times.push(time);
        Ok(())
    }

    /// How many times there are.
    pub fn samples(&self) -> usize {
        self.times.len()
    }

    /// Of all samples, at least one.
    pub fn spread(&self) -> Spread {
        Spread::of(&self.times)
    }

    /// The time of one run, in milliseconds, as the mean of a batch.
    fn measure(&mut self) -> Result<f64> {
        self.work.finish()?;
        let start = Instant::now();
        (0..self.runs).try_for_each(|_| self.work.run())?;
        self.work.finish()?;
        Ok(1e3 * start.elapsed().as_secs_f64() / self.runs as f64)
    }
}

/// Measured times of one run, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The middle one.
    pub median: f64,
    /// The shortest.
    pub min: f64,
    /// The longest.
    pub max: f64,
}

impl Spread {
    /// Of at least one time.
    pub(crate) fn of(times: &[f64]) -> Spread {
        let mut sorted = times.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (low, high) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
        Spread { median: (low + high) / 2.0, min: sorted[0], max: sorted[sorted.len() - 1] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        assert_eq!(Spread::of(&[4.0, 1.0, 2.0, 9.0]), Spread { median: 3.0, min: 1.0, max: 9.0 });
        assert_eq!(Spread::of(&[5.0]), Spread { median: 5.0, min: 5.0, max: 5.0 });
    }

    /// Sleeps; fails when it has run so often.
    struct Sleep(Duration, usize, usize);

    impl Work for Sleep {
        fn run(&mut self) -> Result<()> {
            std::thread::sleep(self.0);
            self.1 -= 1;
            if self.1 == 0 { bail!("no more") } else { Ok(()) }
        }

        fn longest_batch(&self) -> usize {
            self.2
        }
    }

    #[test]
    fn batches_are_as_long_as_the_clock_needs() {
        let (long, short) = (Duration::from_millis(1), Duration::ZERO);
        assert_eq!(Timed::warm(Sleep(long, usize::MAX, usize::MAX)).unwrap().runs, 1);
        let mut few = Timed::warm(Sleep(short, usize::MAX, 3)).unwrap();
        assert!(few.runs <= 3);
        few.sample().unwrap();
        assert_eq!(few.samples(), 1);
        assert!(few.spread().median >= 0.0);
    }

    #[test]
    fn work_that_fails_is_an_error() {
        let mut timed = Timed::warm(Sleep(Duration::from_millis(1), 4, 1)).unwrap();
        timed.sample().unwrap_err();
        assert!(Timed::warm(Sleep(Duration::ZERO, 1, 1)).is_err());
    }
}
