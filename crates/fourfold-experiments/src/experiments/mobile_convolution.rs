//! Convolutions of an image, directly and by FFT: the reason for FFTs that "Speeding up the fast
//! Fourier transform mixed-radix on mobile ARM Mali GPUs by means of OpenCL", part 3, gives,
//! O(MNmn) against O(MN) and two transforms.

use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Error, Result, ensure};
use fourfold::engine::Pool;
use fourfold::oracle::verify::Data;
use fourfold::timing::Work;
use fourfold::{Domain, Multiplier, Planner, Precision, Problem};
use fourfold_cli::any_plan::AnyPlan;
use fourfold_cli::array::{random, zeros, zeros_of};
use fourfold_cli::bench_targets::{Arrays, DeviceArrays, DeviceData, DeviceTransform, Transform, contestant};
use fourfold_gpu::{DirectConvolution, GpuPlanner};
use num_complex::Complex;

use crate::claims::Claim;
use crate::measure::{Setting, distance};
use crate::page::{Outcome, Page, strings};
use crate::plot::{Line, Plot};
use crate::ratios::Ratios;
use crate::rounding::{digits, ratio};

/// Rows and columns of the taps.
const TAPS: [usize; 9] = [3, 5, 7, 9, 11, 15, 21, 31, 63];
const QUICK_TAPS: [usize; 5] = [3, 5, 9, 15, 31];

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    let (sides, taps): (&[usize], &[usize]) = if setting.quick { (&[256], &QUICK_TAPS) } else { (&[512, 1024], &TAPS) };
    let (mut rows, mut lines, mut measured) = (vec![], vec![], vec![]);
    let cases: Vec<_> = sides.iter().flat_map(|side| taps.iter().map(move |n| (*side, *n))).collect();
    let all = setting.each(&cases, |&(side, n)| times(setting, side, n))?;
    for (&side, all) in sides.iter().zip(all.chunks(taps.len())) {
        let (mut direct, mut by_fft) = (vec![], vec![]);
        for (&n, &[slow, fast]) in taps.iter().zip(all) {
            direct.push((n as f64, slow));
            by_fft.push((n as f64, fast));
            let cells = [side.to_string(), n.to_string(), digits(slow), digits(fast), ratio(slow / fast)];
            rows.push(cells.to_vec());
        }
        measured.push((side, direct.iter().zip(&by_fft).map(|(a, b)| (a.0, a.1 / b.1)).collect()));
        lines.push(Line { name: format!("direct, {side} × {side}"), points: direct });
        lines.push(Line { name: format!("FFT, {side} × {side}"), points: by_fft });
    }
    Ok(Outcome::page(Page {
        title: format!("Mobile GPUs: convolutions of an N × N image with n × n taps, on {}", setting.engine()),
        text: [
            "Milliseconds of circular convolutions in f32. Directly, every pixel takes n² products. On a CPU all threads do them, one row of taps after another, with the vectors that the compiler makes. On a device a thread does them for every pixel. \
             By FFT, one plan computes a real FFT, the product with the spectrum of the taps and an inverse FFT; its operations do not depend on n. Published: the article has no times. It gives the orders O(N²n²), and O(N²) for the product beside the FFTs, and says that the FFT is \
             not always better."
                .to_owned(),
            setting.how_compared(Precision::F32, "the direct convolution with that by FFT"),
        ]
        .to_vec(),
        columns: strings(&["N", "n", "direct", "FFT", "direct/FFT"]),
        parts: vec![],
        claims: claims(&measured),
        teaches: teaches(&measured),
        rows,
        plot: Plot {
            title: "Convolution of an N × N image with n × n taps".into(),
            labels: ["n".into(), "ms".into()],
            lines,
            bars: vec![],
        },
    }))
}

/// A side, and for every n the time of the direct convolution over that by FFT.
type Quotients = (usize, Vec<(f64, f64)>);

fn claims(measured: &[Quotients]) -> Vec<Claim> {
    let all = || measured.iter().flat_map(|(_, quotients)| quotients);
    let slower = all().filter(|(_, quotient)| *quotient <= 1.0).count();
    let ends = |(_, quotients): &Quotients| [quotients[0].1, quotients[quotients.len() - 1].1];
    let grows: Vec<String> = measured.iter().map(|one| ends(one).map(ratio).join(" to ")).collect();
    vec![
        Claim::timed(
            "the FFT is not always faster (one case decides)",
            format!("slower in {slower} of {} cases", all().count()),
            all().map(|(_, quotient)| 1.0 / quotient).fold(0.0, f64::max),
        ),
        Claim::timed(
            "it gains more where n is large (from the least n to the largest)",
            format!("direct/FFT {}", grows.join(" and ")),
            Ratios::new(measured.iter().map(ends).map(|[first, last]| last / first)).least(),
        ),
    ]
}

/// From which of the measured n on the FFT is faster, for each side.
pub(super) fn teaches(measured: &[Quotients]) -> String {
    let clause = |(side, quotients): &Quotients| {
        let faster = quotients.iter().rev().take_while(|(_, quotient)| *quotient > 1.0);
        match faster.last() {
            Some((n, _)) if *n == quotients[0].0 => format!("at every n measured at N = {side}"),
            Some((n, _)) => format!("from n = {n} on at N = {side}"),
            None => format!("at no n measured at N = {side}"),
        }
    };
    format!("The FFT is faster {}.", measured.iter().map(clause).collect::<Vec<_>>().join(" and "))
}

/// Milliseconds of the direct convolution and of that by FFT, which must agree.
fn times(setting: &Setting, side: usize, n: usize) -> Result<[f64; 2]> {
    let mut rng = fastrand::Rng::with_seed(n as u64);
    let taps: Vec<f64> = (0..n * n).map(|_| 2.0 * rng.f64() - 1.0).collect();
    let forward: Problem = format!("rfft f32 {side}x{side}").parse()?;
    let filter = setting.filter(&forward, &Multiplier::ComplexTable(spectrum(side, n, &taps)?))?;
    let input = random(Precision::F32, Domain::Real, side * side)?;
    let Data::F32(x) = &input else { unreachable!("that is what was asked for") };
    let mut by_fft = zeros_of(Precision::F32, Domain::Real, side * side)?;
    filter.execute(&input, &mut by_fft)?;
    // Only the arrays' sizes and types are this problem's.
    let arrays = Arrays::new(&format!("dct2 f32 {side}x{side}").parse()?)?;
    let (result, direct, fast) = match filter {
        AnyPlan::Cpu(plan) => {
            let pool = Pool::new(setting.threads).context("cannot start threads for the direct convolution")?;
            let mut direct = Direct { x: x.clone(), y: zeros(x.len())?, taps, n, pool };
            direct.run()?;
            let fast = contestant(Transform::new(*plan, Rc::new(RefCell::new(arrays)))?)?;
            (direct.y.clone(), contestant(direct)?, fast)
        }
        AnyPlan::Gpu(plan, device) => {
            let planner = GpuPlanner::new(device.clone());
            let direct = DirectConvolution::new(&planner, Precision::F32, [side, side], &taps, [n, n])?;
            let mut y = device.array(x.len())?;
            direct.execute_on(&device.upload(x)?, &mut y)?;
            let mut result = zeros(x.len())?;
            y.download(&mut result)?;
            let arrays = Rc::new(RefCell::new(DeviceArrays::new(device, &arrays)?));
            let direct = contestant(DeviceDirect { plan: direct, arrays: Rc::clone(&arrays) })?;
            (result, direct, contestant(DeviceTransform::new(*plan, arrays))?)
        }
    };
    let error = distance(&Data::F32(result), &by_fft);
    ensure!(error < 1e-4, "convolutions of {side} × {side} with {n} × {n} taps differ by {error:.1e}");
    let ms = setting.fastest(
        &format!("{side} × {side} with {n} × {n} taps"),
        vec![("direct".to_owned(), direct), ("FFT".to_owned(), fast)],
    )?;
    Ok([ms[0], ms[1]])
}

/// The unscaled half spectrum of taps that begin at the first element.
fn spectrum(side: usize, n: usize, taps: &[f64]) -> Result<Vec<Complex<f64>>> {
    let (mut padded, mut spectrum) = (zeros::<f64>(side * side)?, zeros(side * (side / 2 + 1))?);
    padded.chunks_exact_mut(side).zip(taps.chunks_exact(n)).for_each(|(row, taps)| row[..n].copy_from_slice(taps));
    Planner::new().plan(&format!("rfft f64 {side}x{side}").parse()?)?.execute(&padded, &mut spectrum)?;
    Ok(spectrum)
}

/// On the processor: a row of the output is the sum of rows of the input, each turned around by a
/// tap's place and times the tap.
struct Direct {
    x: Vec<f32>,
    y: Vec<f32>,
    taps: Vec<f64>,
    n: usize,
    pool: Pool,
}

impl Work for Direct {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        let Direct { x, y, taps, n, pool } = self;
        let side = x.len().isqrt();
        let (x, taps, n) = (&**black_box(x), &**taps, *n);
        let rows: Vec<Mutex<&mut [f32]>> = black_box(y).chunks_exact_mut(side).map(Mutex::new).collect();
        pool.run_tasks(rows.len(), &|_, row| {
            let mut y = rows[row].lock().unwrap_or_else(PoisonError::into_inner);
            convolve_row(x, taps, n, row, &mut y);
        });
        Ok(())
    }
}

fn convolve_row(x: &[f32], taps: &[f64], n: usize, row: usize, y: &mut [f32]) {
    let side = y.len();
    y.fill(0.0);
    for (i, taps) in taps.chunks_exact(n).enumerate() {
        let from = (row + side - i) % side;
        let x = &x[from * side..][..side];
        for (j, tap) in taps.iter().enumerate() {
            let tap = *tap as f32;
            y[j..].iter_mut().zip(&x[..side - j]).for_each(|(y, x)| *y += tap * x);
            y[..j].iter_mut().zip(&x[side - j..]).for_each(|(y, x)| *y += tap * x);
        }
    }
}

/// On a device.
struct DeviceDirect {
    plan: DirectConvolution,
    arrays: Rc<RefCell<DeviceArrays>>,
}

impl Work for DeviceDirect {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        match self.arrays.borrow_mut().next_pair() {
            (DeviceData::F32(x), DeviceData::F32(y)) => Ok(self.plan.execute_on(x, y)?),
            _ => unreachable!("the arrays were made for f32"),
        }
    }

    fn synchronize(&mut self) -> Result<()> {
        Ok(self.arrays.borrow().device().finish()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdicts;

    #[test]
    fn the_processor_s_sums_are_the_definition() {
        let (side, n) = (12, 5);
        let (x, taps) = ((0..144).map(|i| (i * i % 17) as f32).collect::<Vec<_>>(), (0..25).map(f64::from).collect());
        let mut direct = Direct { x, y: vec![0.0; 144], taps, n, pool: Pool::new(3).unwrap() };
        direct.run().unwrap();
        for (at, y) in direct.y.iter().enumerate() {
            let from = |tap: usize| (at / side + side - tap / n) % side * side + (at % side + side - tap % n) % side;
            let sum: f64 = direct.taps.iter().enumerate().map(|(tap, h)| h * f64::from(direct.x[from(tap)])).sum();
            assert_eq!(f64::from(*y), sum, "whole numbers");
        }
    }

    #[test]
    fn claims_are_judged_by_the_quotients() {
        let held = |quotients: [f64; 2]| verdicts(&claims(&[(9, vec![(3.0, quotients[0]), (5.0, quotients[1])])]));
        assert_eq!([held([0.5, 2.0]), held([2.0, 1.5])], [[true, true], [false, false]]);
    }

    #[test]
    fn the_sentence_names_an_n_that_was_measured() {
        let of = |quotients: [f64; 3]| teaches(&[(9, [3.0, 5.0, 8.0].into_iter().zip(quotients).collect())]);
        assert_eq!(of([0.5, 1.5, 4.0]), "The FFT is faster from n = 5 on at N = 9.");
        assert_eq!(of([1.5, 0.9, 4.0]), "The FFT is faster from n = 8 on at N = 9.");
        assert_eq!(of([1.1, 1.5, 4.0]), "The FFT is faster at every n measured at N = 9.");
        assert_eq!(of([2.0, 2.0, 0.9]), "The FFT is faster at no n measured at N = 9.");
    }
}
