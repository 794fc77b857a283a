//! Tests the threads that share the tiles of a pass. Miri runs this file with many orders of its
//! threads, and finds data races: `cargo xtask test miri`.

use fourfold::Planner;
use fourfold::engine::Pool;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// Calls of each test. Miri is slow.
const ROUNDS: usize = if cfg!(miri) { 2 } else { 200 };

/// More threads than this machine has cores, so that some wait for a core and not for a task.
fn many() -> usize {
    if cfg!(miri) { 4 } else { 2 * thread::available_parallelism().unwrap().get() + 1 }
}

fn pool(threads: usize) -> Pool {
    Pool::new(threads).unwrap()
}

/// Numbers that tasks write without ordering. They are then read as plain numbers, which is a data
/// race if the call did not wait for all threads.
fn counts(pool: &Pool, tasks: usize) -> Vec<usize> {
    let cells: Vec<AtomicUsize> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
    pool.run_tasks(tasks, &|worker, task| {
        assert!(worker < pool.threads());
        cells[task].fetch_add(1, Relaxed);
    });
    cells.into_iter().map(AtomicUsize::into_inner).collect()
}

#[test]
fn each_task_is_done_once() {
    for threads in [1, 2, 3, many()] {
        let pool = pool(threads);
        for tasks in [0, 1, 2, 5, 40].repeat(ROUNDS.div_ceil(2)) {
            assert_eq!(counts(&pool, tasks), vec![1; tasks], "{threads} threads");
        }
    }
}

/// One of the callers has the helpers, and the others go on alone.
#[test]
fn callers_at_the_same_time_do_not_mix() {
    let pools = [pool(3), pool(many())];
    let call = || (0..ROUNDS).for_each(|round| assert_eq!(counts(&pools[round % 2], 7), [1; 7]));
    thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(call))));
}

#[test]
fn a_task_may_call_the_pool() {
    let pool = pool(3);
    for _ in 0..ROUNDS {
        let inner = AtomicUsize::new(0);
        pool.run_tasks(4, &|_, _| {
            inner.fetch_add(counts(&pool, 5).len(), Relaxed);
        });
        assert_eq!(inner.into_inner(), 20);
    }
}

/// The caller does all tasks alone if no helper comes, so results do not tell whether helpers wake.
#[test]
fn sleeping_helpers_wake() {
    let pool = pool(3);
    let (pause, task) = (Duration::from_millis(2), Duration::from_millis(1));
    let helped = |_| {
        thread::sleep(pause);
        let helped = AtomicUsize::new(0);
        pool.run_tasks(20, &|worker, _| {
            let start = Instant::now();
            while start.elapsed() < task {
                thread::yield_now();
            }
            helped.fetch_add(usize::from(worker > 0), Relaxed);
        });
        helped.into_inner() > 0
    };
    assert!((0..20).all(|_| (0..5).any(helped)), "no helper came in five calls");
}

#[test]
fn a_panic_reaches_its_caller_and_no_other() {
    let pool = pool(2);
    for round in 0..ROUNDS {
        let fails = |_: usize, task: usize| assert!(task != round % 4, "task {task}");
        let panic = catch_unwind(AssertUnwindSafe(|| pool.run_tasks(4, &fails))).unwrap_err();
        assert_eq!(panic.downcast_ref::<String>(), Some(&format!("task {}", round % 4)));
        assert_eq!(counts(&pool, 5), [1; 5]);
    }
}

#[test]
fn all_threads_may_panic_at_once() {
    let pool = pool(many());
    for _ in 0..ROUNDS {
        let fails = |_: usize, task: usize| panic!("task {task}");
        assert!(catch_unwind(AssertUnwindSafe(|| pool.run_tasks(40, &fails))).is_err());
        assert_eq!(counts(&pool, 40), [1; 40]);
    }
}

/// Helpers may not have begun yet, may spin or sleep.
#[test]
fn pools_end_at_once() {
    for round in 0..ROUNDS {
        let pool = pool(3);
        if round % 2 == 1 {
            counts(&pool, 2);
        }
    }
}

#[test]
fn threads_compute_the_same() {
    let plan = |threads: usize| {
        let planner = Planner::builder().threads(threads).build().unwrap();
        planner.plan(&"dct2 f64 6x5".parse().unwrap()).unwrap()
    };
    let (single, shared) = (plan(1), plan(2));
    let x: Vec<f64> = (0..30).map(|i| f64::from(i * i % 17)).collect();
    let execute = |plan: &fourfold::Plan| {
        let mut y = vec![0.0; 30];
        plan.execute(&x, &mut y).unwrap();
        y
    };
    let expected = execute(&single);
    let call = || (0..ROUNDS).for_each(|_| assert_eq!(execute(&shared), expected));
    thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(call))));
}
