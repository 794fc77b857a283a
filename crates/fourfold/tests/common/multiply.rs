//! Multipliers, and multiplies of arrays as the reference.

use crate::common::run::execute;
use fourfold::oracle::verify::Data;
use fourfold::{Domain, Multiplier, Plan, Problem};
use num_complex::Complex;

pub(crate) type Z = Complex<f64>;

pub(crate) fn problem(text: &str) -> Problem {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

pub(crate) fn random(count: usize, seed: u64) -> Vec<Z> {
    let mut source = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| Complex::new(source.f64() * 2.0 - 1.0, source.f64() * 2.0 - 1.0)).collect()
}

/// The factors of a multiplier for a spectrum of this shape, one for each element in C order.
pub(crate) fn spelt_out(multiplier: &Multiplier, shape: &[usize]) -> Vec<Z> {
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
        Multiplier::ReciprocalSum(lists) => {
            let sums = lists.iter().fold(vec![0.0], |all, list| {
                all.iter().flat_map(|sum| list.iter().map(move |x| sum + x)).collect::<Vec<_>>()
            });
            sums.into_iter().map(|sum: f64| Z::from(if sum == 0.0 { 0.0 } else { 1.0 / sum })).collect()
        }
    };
    assert_eq!(factors.len(), shape.iter().product::<usize>());
    factors
}

/// One multiplier of each type that fits the spectrum.
pub(crate) fn multipliers(forward: &Problem) -> Vec<Multiplier> {
    multipliers_of(&forward.output().shape, forward.output_domain())
}

/// One multiplier of each type that fits an array of this domain.
pub(crate) fn multipliers_of(shape: &[usize], domain: Domain) -> Vec<Multiplier> {
    let table = random(shape.iter().product(), 1);
    let lists: Vec<Vec<Z>> = shape.iter().zip(2..).map(|(&n, seed)| random(n, seed)).collect();
    let real = |z: &[Z]| z.iter().map(|z| z.re).collect::<Vec<_>>();
    let mut all =
        vec![Multiplier::Table(real(&table)), Multiplier::Separable(lists.iter().map(|list| real(list)).collect())];
    // Their sums are at least 0.5, or 0 for the first element of arrays whose axes are all longer than 1.
    let divisor = |list: &Vec<Z>, k: usize| if k == 0 && list.len() > 1 { 0.0 } else { 0.5 + list[k].re.abs() };
    let divisors = lists.iter().map(|list| (0..list.len()).map(|k| divisor(list, k)).collect());
    all.push(Multiplier::ReciprocalSum(divisors.collect()));
    if domain == Domain::Complex {
        all.extend([Multiplier::ComplexTable(table), Multiplier::ComplexSeparable(lists)]);
    }
    all
}

/// Input in the forward problem's layout.
pub(crate) fn input(forward: &Problem) -> Data {
    let mut data = Data::filled(forward.precision(), forward.input_domain(), forward.input().len, 0.0);
    random(forward.input().len, 9).into_iter().enumerate().for_each(|(i, z)| data.set(i, z));
    data
}

pub(crate) fn output(problem: &Problem) -> Data {
    Data::filled(problem.precision(), problem.output_domain(), problem.output().len, 0.0)
}

/// The norm of the difference of two arrays divided by the norm of the second.
pub(crate) fn distance(a: &Data, b: &Data, len: usize) -> f64 {
    let norm = |f: &dyn Fn(usize) -> Z| (0..len).map(|i| f(i).norm_sqr()).sum::<f64>().sqrt();
    norm(&|i| a.get(i) - b.get(i)) / norm(&|i| b.get(i))
}

pub(crate) fn executed(plan: &Plan, inverse: &Problem, x: &Data) -> Data {
    let mut y = output(inverse);
    execute(plan, x, &mut y).unwrap();
    y
}
