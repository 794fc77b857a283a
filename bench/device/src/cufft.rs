//! cuFFT on the same stream. Its library is opened when it is first used.

use crate::arrays::{Sets, spread};
use crate::turns::Contestant;
use anyhow::{Context, Result, anyhow, ensure};
use cudarc::cufft::sys::{cufftType, double2, float2};
use cudarc::cufft::{CudaFft, FftDirection};
use cudarc::driver::{CudaSlice, CudaStream, DeviceRepr};
use fourfold::engine::Transform1d;
use fourfold::{Domain, Precision, Problem};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

type Pairs<A, B> = Sets<CudaSlice<A>, CudaSlice<B>>;

/// Its arrays: real or complex ones with complex ones.
enum Arrays {
    Single(Pairs<f32, float2>),
    Double(Pairs<f64, double2>),
    SingleComplex(Pairs<float2, float2>),
    DoubleComplex(Pairs<double2, double2>),
}

/// Its transform of the shape of a problem: real to half spectrum beside transforms from reals
/// (backwards beside those of type III and from half spectra), complex beside an `fft`.
pub(crate) struct CuFft {
    fft: CudaFft,
    arrays: Arrays,
    backward: bool,
}

impl CuFft {
    pub(crate) fn new(stream: &Arc<CudaStream>, problem: &Problem) -> Result<CuFft> {
        let backward = |transform| {
            matches!(transform, Transform1d::Dct3 | Transform1d::Dst3 | Transform1d::Backward | Transform1d::C2R)
        };
        let backward = problem.transforms().iter().any(|one| backward(one.transform1d));
        let real = [problem.input_domain(), problem.output_domain()].contains(&Domain::Real);
        let kind = match (problem.precision(), real, backward) {
            (Precision::F32, true, false) => cufftType::CUFFT_R2C,
            (Precision::F32, true, true) => cufftType::CUFFT_C2R,
            (Precision::F32, false, _) => cufftType::CUFFT_C2C,
            (Precision::F64, true, false) => cufftType::CUFFT_D2Z,
            (Precision::F64, true, true) => cufftType::CUFFT_Z2D,
            (Precision::F64, false, _) => cufftType::CUFFT_Z2Z,
        };
        let shape = if problem.input_domain() == Domain::Real { problem.input() } else { problem.output() };
        let (shape, lines) = batch(problem, &shape.shape)?;
        // The bindings panic if they cannot open the library.
        let fft = catch_unwind(AssertUnwindSafe(|| planned(&shape, lines, kind, stream)))
            .map_err(|_| anyhow!("libcufft.so cannot be loaded; LD_LIBRARY_PATH may name its folder"))??;
        let arrays = Arrays::new(stream, problem.precision(), real, &shape, lines)?;
        Ok(CuFft { fft, arrays, backward })
    }
}

/// The lengths of the axes that are transformed, the last ones, and how many transforms there are.
/// The periods of types I are of 2(N − 1) and 2(N + 1) terms, so N − 1 and N + 1 reals beside them
/// are as fair as N beside the others.
fn batch(problem: &Problem, shape: &[usize]) -> Result<(Vec<usize>, usize)> {
    let mut axes: Vec<usize> = problem.transforms().iter().map(|one| one.axis).collect();
    axes.sort_unstable();
    let first = shape.len() - axes.len();
    ensure!(axes.iter().copied().eq(first..shape.len()), "cuFFT is asked for the last axes only");
    let mut lengths = shape[first..].to_vec();
    for one in problem.transforms() {
        let length = &mut lengths[one.axis - first];
        match one.transform1d {
            Transform1d::Dct1 => *length -= 1,
            Transform1d::Dst1 => *length += 1,
            _ => {}
        }
    }
    Ok((lengths, shape[..first].iter().product()))
}

fn planned(shape: &[usize], lines: usize, kind: cufftType, stream: &Arc<CudaStream>) -> Result<CudaFft> {
    let n: Vec<i32> = shape.iter().map(|&n| i32::try_from(n)).collect::<Result<_, _>>()?;
    let stream = Arc::clone(stream);
    let made = match n[..] {
        [n] => CudaFft::plan_1d(n, kind, i32::try_from(lines)?, stream),
        [m, n] if lines == 1 => CudaFft::plan_2d(m, n, kind, stream),
        [l, m, n] if lines == 1 => CudaFft::plan_3d(l, m, n, kind, stream),
        _ => return Err(anyhow!("cuFFT is not asked for batches of {shape:?}")),
    };
    made.map_err(|e| anyhow!("cuFFT refuses {shape:?}: {e:?}"))
}

impl Arrays {
    fn new(
        stream: &Arc<CudaStream>,
        precision: Precision,
        real: bool,
        shape: &[usize],
        lines: usize,
    ) -> Result<Arrays> {
        let len = lines * shape.iter().product::<usize>();
        let n = *shape.last().context("an axis is transformed")?;
        let half = len / n * (n / 2 + 1);
        let single = |i| float2 { x: spread(i).re as f32, y: spread(i).im as f32 };
        let double = |i| double2 { x: spread(i).re, y: spread(i).im };
        Ok(match (precision, real) {
            (Precision::F32, true) => Arrays::Single(pairs(stream, [len, half], |i| spread(i).re as f32, single)?),
            (_, true) => Arrays::Double(pairs(stream, [len, half], |i| spread(i).re, double)?),
            (Precision::F32, false) => Arrays::SingleComplex(pairs(stream, [len, len], single, single)?),
            (_, false) => Arrays::DoubleComplex(pairs(stream, [len, len], double, double)?),
        })
    }
}

fn pairs<A: DeviceRepr, B: DeviceRepr>(
    stream: &Arc<CudaStream>,
    [first, second]: [usize; 2],
    a: impl Fn(usize) -> A,
    b: impl Fn(usize) -> B,
) -> Result<Pairs<A, B>> {
    let (a, b): (Vec<A>, Vec<B>) = ((0..first).map(a).collect(), (0..second).map(b).collect());
    let bytes = size_of_val(a.as_slice()) + size_of_val(b.as_slice());
    Sets::new(bytes, || Ok((stream.clone_htod(&a)?, stream.clone_htod(&b)?)))
}

impl Contestant for CuFft {
    fn enqueue(&mut self) -> Result<()> {
        let CuFft { fft, arrays, backward } = self;
        let direction = if *backward { FftDirection::Inverse } else { FftDirection::Forward };
        let done = match arrays {
            Arrays::Single(sets) => {
                let (x, z) = sets.next();
                if *backward { fft.exec_c2r(z, x) } else { fft.exec_r2c(x, z) }
            }
            Arrays::Double(sets) => {
                let (x, z) = sets.next();
                if *backward { fft.exec_z2d(z, x) } else { fft.exec_d2z(x, z) }
            }
            Arrays::SingleComplex(sets) => {
                let (x, z) = sets.next();
                fft.exec_c2c(x, z, direction)
            }
            Arrays::DoubleComplex(sets) => {
                let (x, z) = sets.next();
                fft.exec_z2z(x, z, direction)
            }
        };
        done.map_err(|e| anyhow!("cuFFT fails: {e:?}"))
    }

    fn sets(&self) -> usize {
        match &self.arrays {
            Arrays::Single(sets) => sets.len(),
            Arrays::Double(sets) => sets.len(),
            Arrays::SingleComplex(sets) => sets.len(),
            Arrays::DoubleComplex(sets) => sets.len(),
        }
    }
}
