//! Tests wisdom: its text, and planners that use it or make it.

use fourfold::baseline::AnyRecipe;
use fourfold::{Effort, Error, Isa, Multiplier, Pipeline, Planner, Problem, Wisdom};

const SIMD128: &str =
    "dct2 f64 64x60\tcpu:simd128\tinput -> output axis 1: dct2 60 = 5 3 4; output -> output axis 0: dct2 64 = 4 4 4";

fn with(wisdom: &str) -> Result<Planner, Error> {
    Planner::builder().isa(Isa::Simd128).wisdom(wisdom.parse()?).build()
}

#[test]
fn text_round_trips() {
    let gpu = "rfft f32 9x8\tcuda:sm_90\tpass one; pass two";
    let wisdom: Wisdom = format!("# a comment\n\n{SIMD128}\n{gpu}\n").parse().unwrap();
    assert_eq!(wisdom.len(), 2);
    assert_eq!(wisdom.to_string().parse::<Wisdom>().unwrap(), wisdom);
    let problem: Problem = "rfft f32 9x8".parse().unwrap();
    assert_eq!(wisdom.get(&problem, "cuda:sm_90").unwrap(), "pass one\npass two");
    assert_eq!(wisdom.get(&problem, "cpu:simd128"), None);
    assert!(Wisdom::new().to_string().parse::<Wisdom>().unwrap().is_empty());
}

#[test]
fn later_wisdom_counts() {
    let mut wisdom: Wisdom = SIMD128.parse().unwrap();
    let other = SIMD128.replace("5 3 4", "4 3 5");
    wisdom.merge(other.parse().unwrap());
    assert_eq!(wisdom, other.parse().unwrap());
}

#[test]
fn malformed_wisdom_says_where() {
    let fails = |text: &str, part: &str| {
        let error = text.parse::<Wisdom>().unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    fails("dct2 f64 8", "line 1: 1 fields: expected a problem, an engine and a recipe");
    fails("# comment\ndct9 f64 8\tcpu:simd128\tx", "line 2: ");
    fails("dct2 f64 8\t\tx", "the engine's name `` is empty");
    let problem = "dct2 f64 8".parse().unwrap();
    assert!(Wisdom::new().insert(&problem, "cpu:simd128", "a\tb").is_err());
    assert!(Wisdom::new().insert(&problem, "cpu\nsimd128", "a").is_err());
    assert!(Wisdom::new().insert(&problem, "cpu:simd128", " \n").is_err());
}

#[test]
fn planners_follow_wisdom_of_their_own_engine() {
    let planner = with(SIMD128).unwrap();
    let problem: Problem = "dct2 f64 64x60".parse().unwrap();
    for recipe in [planner.recipe(&problem).unwrap().into(), planner.plan(&problem).unwrap().recipe().clone()] {
        assert!(recipe.to_string().ends_with("dct2 60 = 5 3 4\noutput -> output axis 0: dct2 64 = 4 4 4"), "{recipe}");
    }
    // Several threads have their own recipes, and else take those of one thread.
    let threads = |wisdom: &str| {
        let planner = Planner::builder().isa(Isa::Simd128).threads(2).wisdom(wisdom.parse().unwrap()).build().unwrap();
        planner.recipe(&problem).unwrap().to_string()
    };
    assert!(threads(SIMD128).ends_with("= 4 4 4"));
    let for_two = SIMD128.replace("cpu:simd128", "cpu:simd128/2").replace("= 4 4 4", "= 8 8");
    assert!(threads(&format!("{SIMD128}\n{for_two}")).ends_with("= 8 8"));
    assert!(with(&for_two).is_ok());
    let other = with(&SIMD128.replace("cpu:simd128", "cpu:avx512")).unwrap();
    assert_eq!(other.recipe(&problem).unwrap(), Planner::new().recipe(&problem).unwrap());
}

#[test]
fn wisdom_that_computes_something_else_is_skipped() {
    let [good, other] = ["dht f64 6\tcpu:simd128\tinput -> output axis 0: dht 6 = 3 2", "dht f64 5\tcuda:x\tx"];
    let planner = with(&[good, &SIMD128.replace("4 4 4", "4 4"), other].join("\n")).unwrap();
    let [(stale, error)] = planner.stale_wisdom() else { panic!("{:?}", planner.stale_wisdom()) };
    let error = error.to_string();
    assert_eq!(stale, "dct2 f64 64x60");
    assert!(error.contains("the wisdom on `dct2 f64 64x60`") && error.contains("the factors make 16"), "{error}");
    let problem = stale.parse::<Problem>().unwrap();
    assert_eq!(planner.recipe(&problem).unwrap(), Planner::new().recipe(&problem).unwrap());
    assert!(planner.recipe(&"dht f64 6".parse::<Problem>().unwrap()).unwrap().to_string().ends_with("= 3 2"));
    assert_eq!(planner.wisdom().len(), 2);
}

#[test]
fn lines_that_are_not_understood_can_be_skipped() {
    let (wisdom, skipped) = Wisdom::read(&format!("# comment\ndct9 f64 8\tcpu:simd128\tx\n\n{SIMD128}\nx"));
    assert_eq!(wisdom, SIMD128.parse().unwrap());
    assert_eq!(skipped.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 5]);
    assert!(skipped[0].1.to_string().contains("dct9") && skipped[1].1.to_string().contains("1 fields"), "{skipped:?}");
}

#[test]
fn measuring_is_remembered() {
    let planner = Planner::builder().effort(Effort::Measure).build().unwrap();
    let problem: Problem = "dct2 f64 40x48".parse().unwrap();
    assert!(planner.wisdom().is_empty());
    let recipe = planner.plan(&problem).unwrap().recipe().clone();
    assert_eq!(planner.wisdom().len(), 1);
    assert_eq!(AnyRecipe::from(planner.recipe(&problem).unwrap()), recipe);
    // The text parses to the same wisdom.
    let text = planner.wisdom().to_string();
    let again = Planner::builder().wisdom(text.parse().unwrap()).build().unwrap();
    assert_eq!(again.plan(&problem).unwrap().recipe(), &recipe);
    // A problem without axes has nothing to measure and to remember.
    assert!(planner.plan(&"dct2 f64 5 axes=".parse().unwrap_or(problem)).is_ok());
}

/// The name has the number of threads, so planners with another number do not take the recipe.
#[test]
fn measuring_is_remembered_for_the_number_of_threads() {
    let problem: Problem = "dct2 f64 12x10".parse().unwrap();
    let planner = |threads: usize, wisdom: Wisdom| {
        Planner::builder().isa(Isa::Simd128).threads(threads).wisdom(wisdom).build().unwrap()
    };
    let two = planner(2, Wisdom::new());
    let recipe = two.tune(&problem).unwrap();
    let measured = two.wisdom();
    assert_eq!(measured.len(), 1);
    assert!(measured.get(&problem, "cpu:simd128/2").is_some_and(|passes| recipe.to_string().ends_with(&passes)));
    // Another recipe under the same name is followed with two threads only.
    let mut other = Wisdom::new();
    let passes = "input -> output axis 0: dct2 12 = 3 2 2\noutput -> output axis 1: dct2 10 = 2 5";
    other.insert(&problem, "cpu:simd128/2", passes).unwrap();
    let follows = |threads: usize| {
        planner(threads, other.clone()).recipe(&problem).unwrap().to_string() == format!("{problem}\n{passes}")
    };
    assert_eq!([1, 2, 3].map(follows), [false, true, false]);
}

#[test]
fn pipelines_are_known_by_their_steps_and_the_kind_of_their_factors() {
    let [forward, inverse]: [Problem; 2] = ["rfft f64 2x4", "irfft f64 2x4"].map(|text| text.parse().unwrap());
    let one = num_complex::Complex::new(1.0, 0.0);
    let all = [
        ("table", Multiplier::Table(vec![1.0; 6])),
        ("complex-table", Multiplier::ComplexTable(vec![one; 6])),
        ("separable", Multiplier::Separable(vec![vec![1.0; 2], vec![1.0; 3]])),
        ("complex-separable", Multiplier::ComplexSeparable(vec![vec![one; 2], vec![one; 3]])),
        ("reciprocal-sum", Multiplier::ReciprocalSum(vec![vec![1.0; 2], vec![1.0; 3]])),
    ];
    let mut wisdom = Wisdom::new();
    for (kind, by) in &all {
        let filter = Pipeline::from(&forward).multiply(by).transform(&inverse);
        assert_eq!(wisdom.get(filter.borrowed(), "cuda:x"), None);
        wisdom.insert(filter.borrowed(), "cuda:x", kind).unwrap();
        assert!(wisdom.to_string().contains(&format!("{forward} | multiply {kind} | {inverse}\tcuda:x\t{kind}\n")));
        assert_eq!(wisdom.get(filter, "cuda:x").as_deref(), Some(*kind));
        assert_eq!(wisdom.get(Pipeline::from(&forward).multiply(by), "cuda:x"), None);
    }
    assert_eq!(wisdom.get(&forward, "cuda:x"), None);
    assert_eq!(wisdom.to_string().parse::<Wisdom>().unwrap(), wisdom);
    for (text, part) in [
        ("dct2 f64 8 | multiply", "expected one of multiply table"),
        ("dct2 f64 8 | multiply sum", "multiply sum"),
        ("multiply table", "expected a problem"),
        ("dct2 f64 8 | multiply table | dct2 f64 9", "9"),
    ] {
        let error = format!("{text}\tcuda:x\tx").parse::<Wisdom>().unwrap_err().to_string();
        assert!(error.contains("line 1: ") && error.contains(part), "{error}");
    }
}
