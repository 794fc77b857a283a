//! Exchanges in parts: the same bits and bytes as whole ones, and errors on all ranks.

mod common;

use common::{positions, recipe};
use fourfold::Planner as CorePlanner;
use fourfold_distributed::{Distribution, Exchange, Only, Planner, Recipe, ThreadRank};

/// What each rank returns from `run`.
fn on_ranks<T: Send>(ranks: usize, run: impl Fn(ThreadRank) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = ThreadRank::all(ranks).into_iter().map(|rank| scope.spawn(move || run(rank))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// The number of parts, the reals of the output, and the bytes that a rank sends and receives.
type Outcome = (usize, Vec<u64>, Vec<usize>, usize);

/// Executes twice in so many parts, from reals to reals.
fn outcomes(recipe: &Recipe, parts: usize) -> Vec<Outcome> {
    on_ranks(recipe.grid().ranks(), |rank| {
        let mut plan = Planner::new(CorePlanner::new(), rank).with_parts(parts).plan(Ok(recipe.clone())).unwrap();
        let (input, precision) = (recipe.input(), recipe.problem().precision());
        let places = positions(&input.shape, &plan.input_ranges(), &input.order);
        let mut x = fourfold::oracle::verify::Data::filled(precision, input.domain, plan.input_len(), 0.0);
        for (i, at) in places.into_iter().enumerate() {
            x.set(i, num_complex::Complex::new((at as f64 * 0.7).sin(), (at as f64 * 0.3).cos()));
        }
        let domain = recipe.output().domain;
        let mut y = fourfold::oracle::verify::Data::filled(precision, domain, plan.output_len(), f64::NAN);
        for _ in 0..2 {
            common::execute(&mut plan, &x, &mut y).unwrap();
        }
        let elements = recipe.output().elements(recipe.grid(), plan_rank(&plan.output_ranges(), recipe));
        let bits = (0..elements).flat_map(|i| [y.get(i).re.to_bits(), y.get(i).im.to_bits()]).collect();
        (plan.parts(), bits, plan.bytes_sent(), plan.bytes_received())
    })
}

/// The rank that has these ranges of the output.
fn plan_rank(ranges: &[std::ops::Range<usize>], recipe: &Recipe) -> usize {
    let of = |rank: &usize| recipe.output().ranges(recipe.grid(), *rank) == ranges;
    (0..recipe.grid().ranks()).find(of).unwrap()
}

/// Problems, grids and ends, with the number of parts that three make of an exchange: 1 where no pass beside
/// it can be cut, or where parts would have few lines.
const CASES: [(&str, &str, &str, Option<&str>, usize); 16] = [
    ("dct2 f64 160x90", "2", "p,*", None, 3),
    ("dct2 f64 163x90", "2", "p,*", Some("p,*"), 3),
    ("dct4 f32 211x64", "3", "p,*", None, 3),
    ("rfft f64 163x90", "2", "p,*", None, 3),
    ("irfft f64 90x61", "3", "*,p", None, 1),
    ("irfft f32 160x90", "3", "*,p", Some("p,*"), 1),
    ("dst3 f64 110x163", "2", "*,p", Some("p,*"), 3),
    ("dct2,dst3,dct4 f64 20x17x19", "2", "p,*,*", Some("p,*,*"), 3),
    ("dct3 f64 20x17x19", "2", "*,p,*", Some("p,*,*"), 3),
    ("rfft f32 19x30x21", "3", "p,*,*", None, 3),
    ("dct2 f64 23x34x25", "2x2", "p,q,*", None, 3),
    ("fft f64 21x34x25", "2x3", "p,q,*", Some("p,q,*"), 3),
    ("irfft f64 45x34x25", "2x2", "p,q,*", None, 3),
    ("dst2 f64 20x5x6x7", "2x2", "p,q,*,*", None, 3),
    ("dct2 f64 12x90", "2", "p,*", None, 1),
    ("fft f64 3600", "2", "p", None, 1),
];

#[test]
fn parts_give_the_same_bits_and_bytes() {
    for (problem, grid, input, output, of_three) in CASES {
        let recipe = recipe(problem, grid, input, output).unwrap();
        let whole = outcomes(&recipe, 1);
        for parts in [2, 3, 4] {
            let cut = outcomes(&recipe, parts);
            for (rank, (cut, whole)) in cut.iter().zip(&whole).enumerate() {
                if parts == 3 {
                    assert_eq!(cut.0, of_three, "{recipe}");
                }
                let is_same = cut.1 == whole.1;
                assert!(is_same, "{recipe}: rank {rank}, {parts} parts");
                assert_eq!((&cut.2, cut.3), (&whole.2, whole.3), "{recipe}: rank {rank}, {parts} parts");
            }
        }
    }
}

#[test]
fn ranks_agree_about_parts_and_arguments() {
    let messages = on_ranks(2, |rank| {
        let number = rank.rank();
        let planner = Planner::new(CorePlanner::new(), rank.clone()).with_parts(2 + number);
        let other = planner.plan(recipe("dct2 f64 160x90", "2", "p,*", None)).err().unwrap().to_string();
        let mut plan = planner.with_parts(3).plan(recipe("dct2 f64 160x90", "2", "p,*", None)).unwrap();
        let (x, mut y) = (vec![1.0f64; plan.input_len()], vec![0.0f64; plan.output_len()]);
        let wrong = plan.execute(&x[..x.len() - number], &mut y).unwrap_err().to_string();
        plan.execute_only(Only::Exchanges, &x, &mut y).unwrap();
        plan.execute_only(Only::Passes, &x, &mut y).unwrap();
        plan.execute(&x, &mut y).unwrap();
        assert_eq!(y[0], if number == 0 { 4.0 * 160.0 * 90.0 } else { 0.0 });
        [other, wrong]
    });
    assert!(messages.iter().all(|[other, _]| other.contains("rank 1 plans another") && other.contains("parts")));
    assert!(messages[0][1].contains("rank 1 does not take part"), "{messages:?}");
    assert!(messages[1][1].contains("the input has 7199 elements, this rank needs 7200"), "{messages:?}");
}

#[test]
fn tuning_finds_the_same_number_on_all_ranks() {
    let numbers = on_ranks(2, |rank| {
        let rows: Distribution = "p,*".parse().unwrap();
        let recipe = Recipe::new(&"dct2 f64 320x96".parse().unwrap(), &"2".parse().unwrap(), &rows, None).unwrap();
        let mut planner = Planner::new(CorePlanner::new(), rank);
        let number = planner.tune(&recipe).unwrap();
        assert_eq!(planner.plan(Ok(recipe)).unwrap().parts(), number);
        // A part has at least 17 of 160 rows.
        assert!([1, 2, 4, 8].contains(&number));
        number
    });
    assert_eq!(numbers[0], numbers[1]);
}
