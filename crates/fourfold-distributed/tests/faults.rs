//! Faults: ranks that disagree, fail or end. The others get an error, and do not wait.

mod common;

use common::recipe;
use fourfold::{Planner as CorePlanner, Result};
use fourfold_distributed::{Exchange, Planner, Recipe, ThreadRank};

/// What each rank returns from `run`.
fn on_ranks<T: Send>(ranks: usize, run: impl Fn(ThreadRank) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = ThreadRank::all(ranks).into_iter().map(|rank| scope.spawn(move || run(rank))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// The messages of all ranks, whose recipes may differ.
fn planning(ranks: usize, recipe_of: impl Fn(usize) -> Result<Recipe> + Sync) -> Vec<String> {
    on_ranks(ranks, |rank| {
        let recipe = recipe_of(rank.rank());
        match Planner::new(CorePlanner::new(), rank).plan(recipe) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        }
    })
}

#[test]
fn ranks_must_agree_about_the_problem() {
    let same = planning(3, |_| recipe("dct2 f64 8x8", "3", "p,*", None));
    assert_eq!(same, ["", "", ""]);
    let other = planning(3, |rank| recipe(["dct2 f64 8x8", "dct2 f64 8x9"][rank / 2], "3", "p,*", None));
    assert!(other.iter().all(|message| message.contains("rank 2 plans another problem")), "{other:?}");
    let other = planning(3, |rank| recipe("dct2 f64 8x8", "3", ["p,*", "*,p", "p,*"][rank], None));
    assert!(other.iter().all(|message| message.contains("rank 1 plans another")), "{other:?}");
    let bad = planning(3, |rank| recipe(["dct2 f64 8x8", "dct1 f64 1x8"][rank % 2], "3", "p,*", None));
    assert!(bad[1].contains("dct1 needs at least 2"), "{bad:?}");
    assert!(bad[0].contains("rank 1 cannot make this plan") && bad[2] == bad[0], "{bad:?}");
    let half = planning(3, |_| recipe("dct2 f16 8x8", "3", "p,*", None));
    assert!(half.iter().all(|message| message.contains("arrays of f16 are not divided among ranks")), "{half:?}");
    let grid = planning(3, |_| recipe("dct2 f64 8x8", "2x2", "p,q", None));
    assert!(grid.iter().all(|message| message.contains("the grid 2x2 has 4 ranks, and the program 3")), "{grid:?}");
}

#[test]
fn a_rank_with_a_wrong_argument_fails_on_all() {
    let messages = on_ranks(3, |rank| {
        let number = rank.rank();
        let mut plan =
            Planner::new(CorePlanner::new(), rank).plan(recipe("dct2 f64 9x9", "3", "p,*", Some("p,*"))).unwrap();
        let (x, mut y) = (vec![1.0f64; plan.input_len()], vec![0.0f64; plan.output_len()]);
        let short = if number == 1 { x.len() - 1 } else { x.len() };
        let error = plan.execute(&x[..short], &mut y).unwrap_err().to_string();
        // The next execution works.
        plan.execute(&x, &mut y).unwrap();
        error
    });
    assert!(messages[1].contains("the input has 26 elements, this rank needs 27"), "{messages:?}");
    assert!(messages[0].contains("rank 1 does not take part") && messages[0] == messages[2], "{messages:?}");
}

#[test]
fn wrong_types_are_errors() {
    let messages = on_ranks(1, |rank| {
        let mut plan = Planner::new(CorePlanner::new(), rank).plan(recipe("dct2 f64 9x9", "1", "p,*", None)).unwrap();
        plan.execute(&[0.0f32; 81], &mut [0.0f64; 81]).unwrap_err().to_string()
    });
    assert_eq!(messages, ["the input has elements of type f32, the problem f64"]);
}

#[test]
fn a_rank_that_ends_is_an_error_for_the_others() {
    let messages = on_ranks(3, |rank| {
        let number = rank.rank();
        let mut plan = Planner::new(CorePlanner::new(), rank).plan(recipe("dct2 f64 9x9", "3", "p,*", None)).unwrap();
        if number == 2 {
            return String::new();
        }
        let (x, mut y) = (vec![1.0f64; plan.input_len()], vec![0.0f64; plan.output_len()]);
        let first = plan.execute(&x, &mut y).unwrap_err().to_string();
        assert_eq!(plan.execute(&x, &mut y).unwrap_err().to_string(), first);
        first
    });
    assert!(messages[..2].iter().all(|message| message.contains("rank 2 has ended")), "{messages:?}");
}

#[test]
fn ranks_that_execute_different_plans_get_an_error() {
    let messages = on_ranks(2, |rank| {
        let number = rank.rank();
        let planner = Planner::new(CorePlanner::new(), rank);
        let [mut small, mut large] =
            ["dct2 f64 4x4", "dct2 f64 40x40"].map(|problem| planner.plan(recipe(problem, "2", "p,*", None)).unwrap());
        let plan = if number == 0 { &mut small } else { &mut large };
        let (x, mut y) = (vec![1.0f64; plan.input_len()], vec![0.0f64; plan.output_len()]);
        plan.execute(&x, &mut y).map_err(|error| error.to_string())
    });
    assert!(
        messages.iter().all(|message| message.as_ref().is_err_and(|text| text.contains("another exchange"))),
        "{messages:?}"
    );
}

/// Plans of the same shape and distributions, of which each has its own kind or more exchanges: no rank takes
/// the others' data for its own, and the next execution is right.
#[test]
fn plans_of_one_shape_are_told_apart() {
    for others in [
        [("dct2 f64 12x10", Some("p,*")), ("dct3 f64 12x10", Some("p,*"))],
        [("dct2 f64 12x10", None), ("dct2 f64 12x10 ortho", None)],
        [("dct2 f64 12x10", Some("p,*")), ("dct2 f64 12x10", None)],
    ] {
        on_ranks(3, |rank| {
            let number = rank.rank();
            let planner = Planner::new(CorePlanner::new(), rank);
            let mut plans = others.map(|(problem, output)| planner.plan(recipe(problem, "3", "p,*", output)).unwrap());
            assert!(plans.iter().all(|plan| plan.recipe().exchanges() > 0));
            let x = vec![1.0f64; plans[0].input_len()];
            let mut y = vec![0.0f64; plans.iter().map(|plan| plan.output_len()).max().unwrap()];
            for odd in 0..3 {
                let plan = &mut plans[usize::from(number == odd)];
                let message = plan.execute(&x, &mut y).unwrap_err().to_string();
                let other = if number == odd { usize::from(odd == 0) } else { odd };
                assert!(message.contains(&format!("rank {other} executes another exchange")), "{odd}: {message}");
                plans[1].execute(&x, &mut y).unwrap();
            }
        });
    }
}

/// Filters of the same problems have other factors, so one of them is not the other.
#[test]
fn filters_of_one_recipe_are_told_apart() {
    on_ranks(2, |rank| {
        let number = rank.rank();
        let planner = Planner::new(CorePlanner::new(), rank);
        let [forward, inverse] = ["dct2 f64 8x6", "idct2 f64 8x6"].map(|text| text.parse().unwrap());
        let mut plans = [1.0, 2.0].map(|factor| {
            let recipe = Recipe::filter(&forward, &inverse, &"2".parse().unwrap(), &"p,*".parse().unwrap(), None);
            let lists = |ranges: &[std::ops::Range<usize>]| {
                fourfold::Multiplier::Separable(ranges.iter().map(|range| vec![factor; range.len()]).collect())
            };
            planner.plan_filter(recipe, &lists).unwrap()
        });
        let x = vec![1.0f64; plans[0].input_len()];
        let mut y = vec![0.0f64; plans[0].output_len()];
        let message = plans[number].execute(&x, &mut y).unwrap_err().to_string();
        assert!(message.contains("executes another exchange"), "{message}");
        plans[0].execute(&x, &mut y).unwrap();
        assert!(y[..x.len()].iter().all(|y| (y - 1.0).abs() < 1e-14), "{y:?}");
    });
}

#[test]
fn factors_belong_to_filters() {
    let messages = on_ranks(2, |rank| {
        let planner = Planner::new(CorePlanner::new(), rank);
        let grid = "2".parse().unwrap();
        let [forward, inverse] = ["dct2 f64 8x6", "idct2 f64 8x6"].map(|text| text.parse().unwrap());
        let filter = || Recipe::filter(&forward, &inverse, &grid, &"p,*".parse().unwrap(), None);
        let without = planner.plan(filter()).err().unwrap().to_string();
        let ones = |_: &[std::ops::Range<usize>]| fourfold::Multiplier::Table(vec![1.0; 7]);
        let wrong = planner.plan_filter(filter(), &ones).err().unwrap().to_string();
        let unasked = planner.plan_filter(recipe("dct2 f64 8x6", "2", "p,*", None), &ones).err().unwrap().to_string();
        [without, wrong, unasked]
    });
    assert!(
        messages.iter().all(|[without, wrong, unasked]| {
            without.contains("needs factors") && wrong.contains("7 factors") && unasked.contains("takes no factors")
        }),
        "{messages:?}"
    );
}
