//! The output of a plan as a checksum.

use crate::api::{Complex, Data, Domain, Element, Plan, Precision, Subject, execute, execute_in_place, plan};
use crate::random::Random;
use std::error::Error;
use xxhash_rust::xxh3::Xxh3;

/// What places of the output hold that no element has.
const UNTOUCHED: f64 = 0.625;

/// A number whose bits are summed.
trait Number: Element {
    fn of(next: impl FnMut() -> f64) -> Self;
    fn add_to(self, sum: &mut Xxh3);
}

macro_rules! number {
    ($($real:ty),*) => { $(
        impl Number for $real {
            fn of(mut next: impl FnMut() -> f64) -> Self {
                next() as $real
            }
            fn add_to(self, sum: &mut Xxh3) {
                sum.update(&self.to_bits().to_le_bytes());
            }
        }
        impl Number for Complex<$real> {
            fn of(mut next: impl FnMut() -> f64) -> Self {
                Complex { re: next() as $real, im: next() as $real }
            }
            fn add_to(self, sum: &mut Xxh3) {
                self.re.add_to(sum);
                self.im.add_to(sum);
            }
        }
    )* };
}
number!(f32, f64);

/// The checksum of the output for an input that follows from the problem's text.
pub(crate) fn checksum(subject: &Subject, isa: &str, threads: usize) -> Result<u64, Box<dyn Error>> {
    let plan = plan(subject, isa, threads)?;
    let Data { precision, domains, lengths, in_place } = subject.data()?;
    let random = Random::of(&subject.problem.to_string());
    use Domain::{Complex as C, Real as R};
    if in_place {
        return match (precision, domains[1]) {
            (Precision::F32, R) => in_place_sum::<f32>(&plan, lengths[1], random),
            (Precision::F32, C) => in_place_sum::<Complex<f32>>(&plan, lengths[1], random),
            (Precision::F64, R) => in_place_sum::<f64>(&plan, lengths[1], random),
            (Precision::F64, C) => in_place_sum::<Complex<f64>>(&plan, lengths[1], random),
        };
    }
    match (precision, domains) {
        (Precision::F32, [R, R]) => sum::<f32, f32>(&plan, lengths, random),
        (Precision::F32, [R, C]) => sum::<f32, Complex<f32>>(&plan, lengths, random),
        (Precision::F32, [C, R]) => sum::<Complex<f32>, f32>(&plan, lengths, random),
        (Precision::F32, [C, C]) => sum::<Complex<f32>, Complex<f32>>(&plan, lengths, random),
        (Precision::F64, [R, R]) => sum::<f64, f64>(&plan, lengths, random),
        (Precision::F64, [R, C]) => sum::<f64, Complex<f64>>(&plan, lengths, random),
        (Precision::F64, [C, R]) => sum::<Complex<f64>, f64>(&plan, lengths, random),
        (Precision::F64, [C, C]) => sum::<Complex<f64>, Complex<f64>>(&plan, lengths, random),
    }
}

fn sum<I: Number, O: Number>(plan: &Plan, lengths: [usize; 2], mut random: Random) -> Result<u64, Box<dyn Error>> {
    let input: Vec<I> = (0..lengths[0]).map(|_| I::of(|| random.real())).collect();
    let mut output = vec![O::of(|| UNTOUCHED); lengths[1]];
    execute(plan, &input, &mut output)?;
    Ok(sum_of(&output))
}

fn in_place_sum<T: Number>(plan: &Plan, length: usize, mut random: Random) -> Result<u64, Box<dyn Error>> {
    let mut data: Vec<T> = (0..length).map(|_| T::of(|| random.real())).collect();
    execute_in_place(plan, &mut data)?;
    Ok(sum_of(&data))
}

fn sum_of<T: Number>(data: &[T]) -> u64 {
    let mut sum = Xxh3::new();
    data.iter().for_each(|x| x.add_to(&mut sum));
    sum.digest()
}
