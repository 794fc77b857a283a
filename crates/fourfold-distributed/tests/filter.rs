//! Filters: forward, multiply, inverse.

mod common;

use common::{distributed, single};
use fourfold::oracle::verify::Data;
use fourfold::{Multiplier, Pipeline, Planner, Problem};
use fourfold_distributed::{Distribution, Recipe};
use num_complex::Complex;
use std::ops::Range;

/// Lists of reals between 1/2 and 3/2, one for each axis.
fn lists(shape: &[usize]) -> Vec<Vec<f64>> {
    let mut random = fastrand::Rng::with_seed(3);
    shape.iter().map(|n| (0..*n).map(|_| 0.5 + random.f64()).collect()).collect()
}

/// The lists for a rank's ranges.
fn part(lists: &[Vec<f64>], ranges: &[Range<usize>]) -> Vec<Vec<f64>> {
    lists.iter().zip(ranges).map(|(list, range)| list[range.clone()].to_vec()).collect()
}

/// The products of the lists' elements, in C order.
fn products(lists: &[Vec<f64>]) -> Vec<f64> {
    lists.iter().fold(vec![1.0], |all, list| all.iter().flat_map(|x| list.iter().map(move |y| x * y)).collect())
}

fn random_data(problem: &Problem) -> Data {
    let mut random = fastrand::Rng::with_seed(4);
    let mut data = Data::filled(problem.precision(), problem.input_domain(), problem.input().len, 0.0);
    (0..problem.input().len).for_each(|i| data.set(i, Complex::new(random.f64() - 0.5, random.f64() - 0.5)));
    data
}

/// The relative difference of two arrays.
fn difference(a: &Data, b: &Data, len: usize) -> f64 {
    let norm = |of: &dyn Fn(usize) -> Complex<f64>| (0..len).map(|i| of(i).norm_sqr()).sum::<f64>().sqrt();
    norm(&|i| a.get(i) - b.get(i)) / norm(&|i| b.get(i))
}

/// Makes a multiplier of lists.
type Make = fn(Vec<Vec<f64>>) -> Multiplier;

/// Compares filters with every type of real factors with the plan of one process.
fn compare(texts: [&str; 2], grid: &str, input: &str, output: Option<&str>, exchanges: usize) {
    let [forward, inverse]: [Problem; 2] = texts.map(|text| text.parse().unwrap());
    let output = output.map(|output| output.parse::<Distribution>().unwrap());
    let recipe =
        Recipe::filter(&forward, &inverse, &grid.parse().unwrap(), &input.parse().unwrap(), output.as_ref()).unwrap();
    assert_eq!(recipe.exchanges(), exchanges, "{recipe}");
    let lists = lists(&forward.output().shape);
    let kinds: [Make; 3] =
        [Multiplier::Separable, |lists| Multiplier::Table(products(&lists)), Multiplier::ReciprocalSum];
    for kind in kinds {
        let filter = Pipeline::from(&forward).multiply(kind(lists.clone())).transform(&inverse);
        let plan = Planner::new().plan(filter).unwrap();
        let (x, bytes) = (random_data(&forward), inverse.output().len);
        let filled = || Data::filled(inverse.precision(), inverse.output_domain(), bytes, 0.0);
        let (mut wanted, mut found) = (filled(), filled());
        single(&plan, &x, &mut wanted).unwrap();
        distributed(&recipe, Some(&|ranges| kind(part(&lists, ranges))), &x, &mut found);
        let error = difference(&found, &wanted, bytes);
        // Both are within about 6e-16 of the exact result for each transform.
        assert!(error < 4e-15, "{recipe}: {error:e}");
    }
}

#[test]
fn filters_agree_and_save_exchanges() {
    compare(["dct2 f64 9x10", "idct2 f64 9x10"], "3", "p,*", Some("p,*"), 2);
    compare(["dst1 f64 5x6x7", "idst1 f64 5x6x7"], "2x2", "p,q,*", Some("p,q,*"), 4);
    compare(["rfft f64 9x10", "irfft f64 9x10"], "4", "p,*", Some("p,*"), 2);
    compare(["fft f64 5x6x7", "ifft f64 5x6x7"], "2x3", "p,q,*", None, 3);
    compare(["dct2 f64 9x10 axes=0", "dst3 f64 9x10 axes=1"], "3", "*,p", Some("p,*"), 1);
    compare(["dct2 f64 31", "idct2 f64 31"], "3", "p", Some("p"), 2);
}
