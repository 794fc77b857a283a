//! Tests transforms whose input or output is multiplied against their separate steps.

mod common;

use common::multiply::{Z, distance, executed, input, multipliers_of, output, problem, spelt_out};
use common::run::{execute, planner};
use fourfold::baseline::AnyRecipe;
use fourfold::engine::PassOp;
use fourfold::oracle::verify::Data;
use fourfold::poisson::Float;
use fourfold::{Isa, Layout, Multiplier, Pipeline, Plan, Problem};

/// The side of a transform that is multiplied.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    Input,
    Output,
}

const SIDES: [Side; 2] = [Side::Input, Side::Output];

impl Side {
    fn layout(self, problem: &Problem) -> &Layout {
        if self == Side::Input { problem.input() } else { problem.output() }
    }

    fn multipliers(self, problem: &Problem) -> Vec<Multiplier> {
        let domain = if self == Side::Input { problem.input_domain() } else { problem.output_domain() };
        multipliers_of(&self.layout(problem).shape, domain)
    }

    fn plan(self, isa: Isa, threads: usize, multiplier: &Multiplier, problem: &Problem) -> fourfold::Result<Plan> {
        let sides = match self {
            Side::Input => Pipeline::new().multiply(multiplier).transform(problem),
            Side::Output => Pipeline::new().transform(problem).multiply(multiplier),
        };
        planner(isa, threads).plan(sides)
    }

    fn heading(self, problem: &Problem) -> String {
        if self == Side::Input { format!("multiply | {problem}") } else { format!("{problem} | multiply") }
    }
}

/// Multiplies the elements of an array with any layout.
fn multiply(data: &mut Data, multiplier: &Multiplier, layout: &Layout) {
    for (i, factor) in spelt_out(multiplier, &layout.shape).into_iter().enumerate() {
        let (mut rest, mut at) = (i, layout.offset as isize);
        for (n, stride) in layout.shape.iter().zip(&layout.strides).rev() {
            at += (rest % n) as isize * stride;
            rest /= n;
        }
        data.set(at as usize, data.get(at as usize) * factor);
    }
}

/// The transform and the multiply as separate steps.
fn multiplied_by_hand(side: Side, isa: Isa, multiplier: &Multiplier, problem: &Problem, x: &Data) -> Data {
    let (mut x, mut y) = (x.clone(), output(problem));
    if side == Side::Input {
        multiply(&mut x, multiplier, problem.input());
    }
    execute(&planner(isa, 1).plan(problem).unwrap(), &x, &mut y).unwrap();
    if side == Side::Output {
        multiply(&mut y, multiplier, problem.output());
    }
    y
}

fn multiplied() -> impl Iterator<Item = (Problem, Side)> {
    let cases = include_str!("../../../cases/multiplied.txt").lines().filter(|line| !line.starts_with('#'));
    cases.flat_map(|case| SIDES.map(|side| (problem(case), side)))
}

/// Whether the pass that multiplies has a Fourier transform, which complex factors need. R2C is
/// first and C2R is last.
fn meets(side: Side, multiplier: &Multiplier, problem: &Problem) -> bool {
    let complex = matches!(multiplier, Multiplier::ComplexTable(_) | Multiplier::ComplexSeparable(_));
    let early = if side == Side::Output { "dct2,rfft" } else { "dct2,irfft" };
    !(complex && problem.to_string().starts_with(early))
}

#[test]
fn inputs_and_outputs_are_multiplied_on_the_way() {
    for (problem, side) in multiplied() {
        let (x, all) = (input(&problem), side.multipliers(&problem));
        let all: Vec<_> = all.iter().filter(|multiplier| meets(side, multiplier, &problem)).collect();
        for (isa, multiplier) in Isa::available().into_iter().flat_map(|isa| all.iter().map(move |m| (isa, m))) {
            let want = multiplied_by_hand(side, isa, multiplier, &problem, &x);
            for threads in [1, 3] {
                let plan = side.plan(isa, threads, multiplier, &problem).unwrap();
                let distance = distance(&executed(&plan, &problem, &x), &want, problem.output().len);
                let bound = if problem.precision() == fourfold::Precision::F32 { 2e-6 } else { 4e-15 };
                let what = format!("{problem}, {side:?}, with {isa}, {multiplier:?}");
                assert!(distance <= bound, "{what}: {distance:e}\n{}", plan.recipe());
                assert_eq!(plan.recipe().passes().len(), problem.transforms().len());
            }
        }
    }
}

#[test]
fn recipes_with_a_multiplied_side_print_and_parse() {
    for (problem, side) in multiplied() {
        let plan = side.plan(Isa::best(), 1, &side.multipliers(&problem)[0], &problem).unwrap();
        let recipe = plan.recipe().clone();
        let ops: Vec<_> = recipe.passes().iter().flat_map(|pass| &pass.ops).collect();
        let end = if side == Side::Input { ops.first() } else { ops.last() };
        assert_eq!(end, Some(&&PassOp::Multiply));
        assert_eq!(recipe.to_string().parse::<AnyRecipe>().unwrap(), recipe);
        assert!(planner(Isa::best(), 1).plan_recipe(recipe).is_err());
        // The passes multiply and the first line does not, or the reverse.
        assert!(format!("{problem}\n{}", passes(&plan)).parse::<AnyRecipe>().is_err());
        let bare = planner(Isa::best(), 1).plan(&problem).unwrap();
        assert!(format!("{}\n{}", side.heading(&problem), passes(&bare)).parse::<AnyRecipe>().is_err());
    }
}

#[test]
fn no_pass_only_multiplies() {
    let separate = "dct2 f64 8x8 | multiply\ninput -> output axis 1: dct2 8 = 8\noutput -> output axis 0: dct2 8 = 8\noutput -> output axis 0: multiply";
    let error = separate.parse::<AnyRecipe>().unwrap_err().to_string();
    assert!(error.contains("only multiplies"), "{error}");
}

fn passes(plan: &Plan) -> String {
    plan.recipe().to_string().split_once('\n').unwrap().1.to_owned()
}

/// Factors that are ∞ or NaN change only the elements that they multiply, in lists as in tables.
#[test]
fn infinite_factors_stay_where_they_are() {
    let mut lists = [2, 3, 4].map(|n| vec![1.5; n]).to_vec();
    lists[1][1] = f64::INFINITY;
    let table = (0..24).map(|i| 1.5 * lists[1][i / 4 % 3] * 1.5).collect();
    let run = |multiplier| -> Vec<f64> {
        let problem = problem("dct2 f64 2x3x4");
        let plan = planner(Isa::best(), 1).plan(Pipeline::from(&problem).multiply(&multiplier)).unwrap();
        let (x, mut y) = ((0..24).map(|i| f64::from(i * i)).collect::<Vec<_>>(), vec![0.0; 24]);
        plan.execute(&x, &mut y).unwrap();
        y
    };
    let (by_lists, by_table) = (run(Multiplier::Separable(lists)), run(Multiplier::Table(table)));
    assert_eq!(by_lists.iter().filter(|y| y.is_finite()).count(), 16);
    let same = |y: f64, z: f64| y == z || y.is_nan() && z.is_nan() || (y - z).abs() <= 1e-12 * z.abs();
    by_lists.iter().zip(&by_table).for_each(|(y, z)| assert!(same(*y, *z), "{y} {z}"));
}

#[test]
fn factors_that_do_not_fit_a_side_are_refused() {
    let refused = |side: Side, multiplier: Multiplier, text: &str, hint: &str| {
        let error = side.plan(Isa::best(), 1, &multiplier, &problem(text)).err().unwrap().to_string();
        assert!(error.contains(hint), "{error}");
    };
    for (side, name) in SIDES.into_iter().zip(["input", "output"]) {
        refused(side, Multiplier::Table(vec![1.0; 7]), "dct3 f64 8", &format!("7 factors, the {name}"));
        refused(side, Multiplier::ComplexTable(vec![Z::ONE; 8]), "dct3 f64 8", &format!("the {name} of"));
        refused(side, Multiplier::Separable(vec![vec![1.0; 9], vec![1.0; 8]]), "dct3 f64 8x9", "[8, 9]");
    }
    refused(Side::Input, Multiplier::ComplexTable(vec![Z::ONE; 40]), "dct2,irfft f64 8x8", "Fourier");
    refused(Side::Output, Multiplier::ComplexTable(vec![Z::ONE; 40]), "dct2,rfft f64 8x8", "Fourier");
}

/// The reciprocals of numbers that a type rounds, found by DCT-IIs of length 1, which double.
fn reciprocals<T: Float>(isa: Isa, name: &str, numbers: &[f64]) -> Vec<f64> {
    let multiplier = Multiplier::ReciprocalSum(vec![numbers.to_vec(), vec![0.0]]);
    let problem = problem(&format!("dct2 {name} {}x1 axes=1", numbers.len()));
    let plan = planner(isa, 1).plan(Pipeline::new().multiply(&multiplier).transform(&problem)).unwrap();
    let (x, mut y) = (vec![T::nearest(0.5); numbers.len()], vec![T::nearest(0.0); numbers.len()]);
    plan.execute(&x, &mut y).unwrap();
    y.into_iter().map(Into::into).collect()
}

/// Newton's rule in place of a division is for numbers that are not special.
#[test]
fn reciprocals_are_right_in_every_lane() {
    let special =
        [0.0, f64::INFINITY, f64::NAN, f64::MIN_POSITIVE, 1e-310, 1e308, f32::MIN_POSITIVE.into(), 1e-40, 1e38];
    let usual = (0..97).map(|i| (1.0 + f64::from(i) / 97.0) * 2f64.powi(i % 21 - 10));
    let mut numbers: Vec<f64> = special.into_iter().chain(usual).flat_map(|x| [x, -x]).collect();
    // Within a unit in the last place, which is that of the least normal number at least.
    let is_near = |y: f64, z: f64, [unit, least]: [f64; 2]| {
        y == z || y.is_nan() && z.is_nan() || (y - z).abs() <= unit * z.abs().max(least)
    };
    let units = [[f64::EPSILON, f64::MIN_POSITIVE], [f32::EPSILON, f32::MIN_POSITIVE].map(f64::from)];
    for isa in Isa::available() {
        for _ in 0..16 {
            numbers.rotate_left(1);
            let found = [reciprocals::<f64>(isa, "f64", &numbers), reciprocals::<f32>(isa, "f32", &numbers)];
            for (x, (y, z)) in numbers.iter().zip(found[0].iter().zip(&found[1])) {
                let expected = if *x == 0.0 { 0.0 } else { 1.0 / x };
                assert!(is_near(*y, expected, units[0]), "1/{x:e} is {y:e} with {isa}, in f64");
                let x = *x as f32;
                let expected = if x == 0.0 { 0.0 } else { 1.0 / x };
                assert!(is_near(*z, expected.into(), units[1]), "1/{x:e} is {z:e} with {isa}, in f32");
            }
        }
    }
}
