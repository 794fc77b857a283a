//! Filters, forward → multiply → inverse in one plan, and transforms whose input or output is
//! multiplied, against their steps one by one.

mod common;

use common::run::{execute, planner};
use fourfold::baseline::AnyRecipe;
use fourfold::engine::PassOp;
use fourfold::oracle::verify::Data;
use fourfold::{Domain, ErrorKind, Isa, Layout, Multiplier, Pipeline, Plan, Problem};
use num_complex::Complex;

type Z = Complex<f64>;

fn problem(text: &str) -> Problem {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn random(count: usize, seed: u64) -> Vec<Z> {
    let mut source = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| Complex::new(source.f64() * 2.0 - 1.0, source.f64() * 2.0 - 1.0)).collect()
}

/// The factors of a multiplier for a spectrum of this shape, one an element in C order.
fn spelt_out(multiplier: &Multiplier, shape: &[usize]) -> Vec<Z> {
    let product = |lists: &[Vec<Z>]| {
        lists.iter().fold(vec![Z::ONE], |all, list| all.iter().flat_map(|z| list.iter().map(move |g| z * g)).collect())
    };
    let complex =
        |lists: &[Vec<f64>]| lists.iter().map(|l| l.iter().map(|x| Z::from(*x)).collect()).collect::<Vec<_>>();
    let factors = match multiplier {
        Multiplier::Table(table) => table.iter().map(|x| Z::from(*x)).collect(),
        Multiplier::ComplexTable(table) => table.clone(),
        Multiplier::Separable(lists) => product(&complex(lists)),
        Multiplier::ComplexSeparable(lists) => product(lists),
    };
    assert_eq!(factors.len(), shape.iter().product::<usize>());
    factors
}

/// One multiplier of each form that the spectrum takes.
fn multipliers(forward: &Problem) -> Vec<Multiplier> {
    multipliers_of(&forward.output().shape, forward.output_domain())
}

/// The same of an array of elements of a domain.
fn multipliers_of(shape: &[usize], domain: Domain) -> Vec<Multiplier> {
    let table = random(shape.iter().product(), 1);
    let lists: Vec<Vec<Z>> = shape.iter().zip(2..).map(|(&n, seed)| random(n, seed)).collect();
    let real = |z: &[Z]| z.iter().map(|z| z.re).collect::<Vec<_>>();
    let mut all =
        vec![Multiplier::Table(real(&table)), Multiplier::Separable(lists.iter().map(|list| real(list)).collect())];
    if domain == Domain::Complex {
        all.extend([Multiplier::ComplexTable(table), Multiplier::ComplexSeparable(lists)]);
    }
    all
}

/// Input in the forward problem's layout.
fn input(forward: &Problem) -> Data {
    let mut data = Data::filled(forward.precision(), forward.input_domain(), forward.input().len, 0.0);
    random(forward.input().len, 9).into_iter().enumerate().for_each(|(i, z)| data.set(i, z));
    data
}

fn output(problem: &Problem) -> Data {
    Data::filled(problem.precision(), problem.output_domain(), problem.output().len, 0.0)
}

fn filter<'a>(forward: &'a Problem, multiplier: &'a Multiplier, inverse: &'a Problem) -> Pipeline<'a> {
    Pipeline::from(forward).multiply(multiplier).transform(inverse)
}

/// The three steps; the spectrum stands in C order.
fn by_hand(isa: Isa, forward: &Problem, multiplier: &Multiplier, inverse: &Problem, x: &Data) -> Data {
    let plan = |problem| planner(isa, 1).plan(problem).unwrap();
    let mut spectrum = output(forward);
    execute(&plan(forward), x, &mut spectrum).unwrap();
    for (i, factor) in spelt_out(multiplier, &forward.output().shape).into_iter().enumerate() {
        spectrum.set(i, spectrum.get(i) * factor);
    }
    let mut y = output(inverse);
    execute(&plan(inverse), &spectrum, &mut y).unwrap();
    y
}

/// The difference between two arrays over the size of the second.
fn distance(a: &Data, b: &Data, len: usize) -> f64 {
    let norm = |f: &dyn Fn(usize) -> Z| (0..len).map(|i| f(i).norm_sqr()).sum::<f64>().sqrt();
    norm(&|i| a.get(i) - b.get(i)) / norm(&|i| b.get(i))
}

fn run_filter(plan: &Plan, inverse: &Problem, x: &Data) -> Data {
    let mut y = output(inverse);
    execute(plan, x, &mut y).unwrap();
    y
}

/// Every multiplier on every instruction set, with one thread and with three.
fn check(forward: &Problem, inverse: &Problem) {
    check_with(forward, &multipliers(forward), inverse);
}

fn check_with(forward: &Problem, multipliers: &[Multiplier], inverse: &Problem) {
    let x = input(forward);
    for (isa, multiplier) in Isa::available().into_iter().flat_map(|isa| multipliers.iter().map(move |m| (isa, m))) {
        let want = by_hand(isa, forward, multiplier, inverse, &x);
        for threads in [1, 3] {
            let plan = planner(isa, threads).plan(filter(forward, multiplier, inverse)).unwrap();
            let passes = forward.transforms().len() + inverse.transforms().len() - 1;
            assert_eq!(plan.recipe().passes().len(), passes, "{}", plan.recipe());
            let distance = distance(&run_filter(&plan, inverse, &x), &want, inverse.output().len);
            let bound = if forward.precision() == fourfold::Precision::F32 { 2e-6 } else { 4e-15 };
            assert!(distance <= bound, "{forward} with {isa}, {multiplier:?}: {distance:e}\n{}", plan.recipe());
        }
    }
}

const FILTERS: [&str; 22] = [
    "dct2 f64 16",
    "dct2 f32 37x5",
    "dct2 f64 9x20",
    "dct2 f64 6x7x8",
    "dst1,dct4 f64 12x13",
    "dht f32 19x6",
    "dct2 f64 5x6x7 axes=1",
    "dct3 f64 5x6x7 axes=0,2",
    "rfft f64 30",
    "rfft f64 31",
    "rfft f32 9x16",
    "rfft f64 5x6x7",
    "fft f64 24",
    "fft f32 7x20",
    "fft f64 3x5x18 axes=0,2",
    "dct2,fft f64 8x9",
    "fft,dct2 f64 8x9",
    // Lines so few and long that they would be cut, were there no multiply.
    "dct2 f64 600",
    "dct2 f32 2x1024",
    "rfft f64 1024",
    "fft f64 3x1000",
    "dct2,fft f64 600x2",
];

#[test]
fn filters_are_their_three_steps() {
    for forward in FILTERS.map(problem) {
        check(&forward, &forward.inverse().unwrap());
        check(&forward, &forward.adjoint());
    }
}

/// The spectrum of one length filtered and taken back to another, other kinds, other axes, strided
/// ends.
#[test]
fn the_way_back_may_be_another() {
    let pairs = [
        ("rfft f64 8", "irfft f64 9"),
        ("rfft f64 4x9", "irfft f64 4x8"),
        ("dct2 f64 6x7", "dst3 f64 6x7"),
        ("dct2 f64 6x7", "dct3,idxst f64 6x7"),
        ("dct2 f64 6x7", "idct2 f64 6x7 out=1,6"),
        ("dct2 f64 6x7 in=-14,2", "idct2 f64 6x7"),
        ("dct2 f64 6x7", "idct2 f64 6x7 axes=0"),
        ("dct2 f64 6x7", "idct2 f64 6x7 axes=1"),
        ("dct2,fft f64 5x6x7 axes=0,1", "ifft,dst3 f64 5x6x7 axes=1,2"),
        ("rfft f32 6x8", "irfft f32 6x8 ortho"),
    ];
    for (forward, inverse) in pairs {
        let (forward, inverse) = (problem(forward), problem(inverse));
        check(&forward, &inverse);
    }
}

/// The half spectrum is made first and undone last, so the two meet on the other axis, whose sum is
/// real.
#[test]
fn half_spectra_meet_on_the_other_axis() {
    for (forward, inverse) in
        [("rfft,dct2 f64 6x7", "irfft,idct2 f64 6x7"), ("dct2,rfft f32 9x8", "dct3,irfft f32 9x8")]
    {
        let (forward, inverse) = (problem(forward), problem(inverse));
        let all = multipliers(&forward);
        let (real, complex) = all.split_at(2);
        check_with(&forward, real, &inverse);
        for multiplier in complex {
            let error = planner(Isa::best(), 1).plan(filter(&forward, multiplier, &inverse)).err().unwrap();
            assert!(error.to_string().contains("Fourier transforms on both sides"), "{error}");
        }
    }
}

/// What a filter does to real data it does to both parts of complex data.
#[test]
fn filters_of_real_sums_take_complex_data() {
    let forward = problem("dct2 f64 6x17");
    for multiplier in multipliers(&forward) {
        let plan = planner(Isa::best(), 1).plan(filter(&forward, &multiplier, &forward.inverse().unwrap())).unwrap();
        let x = random(6 * 17, 5);
        let mut y = vec![Z::ZERO; x.len()];
        plan.execute(&x, &mut y).unwrap();
        let part = |of: fn(&Z) -> f64| {
            let mut y = vec![0.0; x.len()];
            plan.execute(&x.iter().map(of).collect::<Vec<_>>(), &mut y).unwrap();
            y
        };
        let apart: Vec<_> = part(|z| z.re).into_iter().zip(part(|z| z.im)).map(|(re, im)| Z::new(re, im)).collect();
        assert_eq!(y, apart);
    }
}

#[test]
fn filters_run_in_place() {
    for (forward, multiplier) in
        FILTERS.map(problem).iter().flat_map(|p| multipliers(p).into_iter().map(move |m| (p, m)))
    {
        let inverse = forward.inverse().unwrap();
        let plan = planner(Isa::best(), 3).plan(filter(forward, &multiplier, &inverse)).unwrap();
        let x = input(forward);
        let want = run_filter(&plan, &inverse, &x);
        let mut data = x.clone();
        common::run::execute_in_place(&plan, &mut data).unwrap();
        assert_eq!(data, want, "{forward}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |forward: &str, multiplier: Multiplier, inverse: &str, hint: &str| {
        let result = planner(Isa::best(), 1).plan(filter(&problem(forward), &multiplier, &problem(inverse)));
        let error = result.err().unwrap_or_else(|| panic!("{forward}, {inverse}"));
        assert!(
            matches!(error.kind(), ErrorKind::Argument | ErrorKind::Problem) && error.to_string().contains(hint),
            "{error}"
        );
    };
    let (table, complex) = (|n| Multiplier::Table(vec![1.0; n]), |n| Multiplier::ComplexTable(vec![Z::ONE; n]));
    let lists = |lengths: &[usize]| Multiplier::Separable(lengths.iter().map(|&n| vec![1.0; n]).collect());
    refused("dct2 f64 8", table(7), "idct2 f64 8", "7 factors");
    refused("dct2 f64 8", table(0), "idct2 f64 8", "0 factors");
    refused("rfft f64 8", table(8), "irfft f64 8", "8 factors");
    refused("rfft f64 8", complex(6), "irfft f64 8", "6 factors");
    refused("dct2 f64 8", complex(8), "idct2 f64 8", "real");
    refused("dct2 f64 8x9", lists(&[8]), "idct2 f64 8x9", "[8, 9]");
    refused("dct2 f64 8x9", lists(&[9, 8]), "idct2 f64 8x9", "[8, 9]");
    refused("dct2 f64 8x9", lists(&[8, 9, 1]), "idct2 f64 8x9", "[8, 9]");
    refused("dct2 f64 8x9", lists(&[]), "idct2 f64 8x9", "[8, 9]");
    refused("dct2 f64 8", table(8), "idct2 f32 8", "must agree");
    refused("dct2 f64 8", table(8), "idct2 f64 9", "must agree");
    refused("rfft f64 8", table(5), "idct2 f64 5", "must agree");
    refused("dct2 f64 8x9 axes=1", table(72), "idct2 f64 8x9 axes=0", "share no axis");
    refused("dct2,fft f64 8x9", complex(72), "fft,dct2 f64 8x9", "share no axis");
    refused("dct2,fft f64 2x8x9 axes=0,1", complex(144), "dct2,fft f64 2x8x9 axes=0,2", "axis 0 has none");
}

/// The recipe says where the multiply happens, and a plan cannot be made of it without the factors.
#[test]
fn recipes_of_filters_print_and_parse() {
    for forward in FILTERS.map(problem) {
        let plan = planner(Isa::best(), 1)
            .plan(filter(&forward, &multipliers(&forward)[0], &forward.inverse().unwrap()))
            .unwrap();
        let recipe = plan.recipe().clone();
        let multiplies = |pass: &&fourfold::engine::Pass| pass.ops.contains(&PassOp::Multiply);
        assert_eq!(recipe.passes().iter().filter(multiplies).map(|pass| pass.ops.len()).collect::<Vec<_>>(), [3]);
        assert_eq!(recipe.to_string().parse::<AnyRecipe>().unwrap(), recipe);
        assert!(planner(Isa::best(), 1).plan_recipe(recipe).err().unwrap().to_string().contains("plan a `Pipeline`"));
    }
}

/// Which side of a transform is multiplied.
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

/// Multiplies by hand, wherever the layout has the elements.
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

/// The transform of what was multiplied by hand, or the other way round.
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

/// Whether a complex multiplier has a Fourier transform to meet it: half spectra are made first and
/// undone last.
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
                let distance = distance(&run_filter(&plan, &problem, &x), &want, problem.output().len);
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
        // A multiply that the first line does not announce, or the other way round.
        assert!(format!("{problem}\n{}", passes(&plan)).parse::<AnyRecipe>().is_err());
        let bare = planner(Isa::best(), 1).plan(&problem).unwrap();
        assert!(format!("{}\n{}", side.heading(&problem), passes(&bare)).parse::<AnyRecipe>().is_err());
    }
}

#[test]
fn no_pass_only_multiplies() {
    let alone = "dct2 f64 8x8 | multiply\ninput -> output axis 1: dct2 8 = 8\noutput -> output axis 0: dct2 8 = 8\noutput -> output axis 0: multiply";
    let error = alone.parse::<AnyRecipe>().unwrap_err().to_string();
    assert!(error.contains("only multiplies"), "{error}");
}

fn passes(plan: &Plan) -> String {
    plan.recipe().to_string().split_once('\n').unwrap().1.to_owned()
}

/// Of lists whose products are ∞ or NaN, as of tables, nothing else is touched.
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
