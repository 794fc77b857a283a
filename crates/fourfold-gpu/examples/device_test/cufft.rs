//! cuFFT on the same device, in the same process. Its library is opened when it is first used.

use crate::Outcome;
use crate::time::{Work, spread};
use cudarc::cufft::sys::{cufftType, double2, float2};
use cudarc::cufft::{CudaFft, FftDirection};
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DeviceRepr};
use fourfold::{Domain, Precision, Problem, Sum};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// cuFFT's transform of the shape of a problem: real to half spectrum beside a transform of reals (backwards beside those of type
/// III), complex beside an `fft`.
pub(crate) struct Rival {
    fft: CudaFft,
    stream: Arc<CudaStream>,
    sets: Sets,
    turn: usize,
    backward: bool,
}

/// Arrays taken in turns.
enum Sets {
    Single(Vec<(CudaSlice<f32>, CudaSlice<float2>)>),
    Double(Vec<(CudaSlice<f64>, CudaSlice<double2>)>),
    SingleComplex(Vec<(CudaSlice<float2>, CudaSlice<float2>)>),
    DoubleComplex(Vec<(CudaSlice<double2>, CudaSlice<double2>)>),
}

impl Rival {
    /// With so many bytes of arrays; none for problems that cuFFT has nothing like.
    pub(crate) fn new(device: usize, problem: &Problem, memory: usize) -> Outcome<Option<Rival>> {
        let shape = &problem.input().shape;
        let whole = problem.transforms().len() == shape.len() && problem.input().is_c_order();
        if !whole || shape.len() > 2 {
            return Ok(None);
        }
        // The first stream of the context: with one stream, cudarc records no events between the calls.
        let stream = CudaContext::new(device)?.default_stream();
        let backward = problem.transforms().iter().any(|one| matches!(one.sum, Sum::Dct3 | Sum::Dst3 | Sum::Backward));
        let complex = problem.input_domain() == Domain::Complex;
        let kind = match (problem.precision(), complex, backward) {
            (Precision::F32, false, false) => cufftType::CUFFT_R2C,
            (Precision::F32, false, true) => cufftType::CUFFT_C2R,
            (Precision::F32, true, _) => cufftType::CUFFT_C2C,
            (Precision::F64, false, false) => cufftType::CUFFT_D2Z,
            (Precision::F64, false, true) => cufftType::CUFFT_Z2D,
            (Precision::F64, true, _) => cufftType::CUFFT_Z2Z,
        };
        let lengths: Vec<i32> = shape.iter().map(|&n| i32::try_from(n)).collect::<Result<_, _>>()?;
        let plan = || match lengths[..] {
            [n] => CudaFft::plan_1d(n, kind, 1, Arc::clone(&stream)),
            _ => CudaFft::plan_2d(lengths[0], lengths[1], kind, Arc::clone(&stream)),
        };
        // The bindings panic if they cannot open the library.
        let Ok(fft) = catch_unwind(AssertUnwindSafe(plan)) else {
            eprintln!("no cuFFT (libcufft.so cannot be loaded; LD_LIBRARY_PATH may name its folder)");
            return Ok(None);
        };
        let fft = fft.map_err(|e| format!("cuFFT refuses {problem}: {e:?}"))?;
        let sets = Sets::new(&stream, problem, memory)?;
        Ok(Some(Rival { fft, stream, sets, turn: 0, backward }))
    }
}

impl Work for Rival {
    fn run(&mut self) -> Outcome<()> {
        let Rival { fft, sets, turn, backward, .. } = self;
        *turn += 1;
        let direction = if *backward { FftDirection::Inverse } else { FftDirection::Forward };
        let done = match sets {
            Sets::Single(sets) => {
                let (x, z) = turned(sets, *turn);
                if *backward { fft.exec_c2r(z, x) } else { fft.exec_r2c(x, z) }
            }
            Sets::Double(sets) => {
                let (x, z) = turned(sets, *turn);
                if *backward { fft.exec_z2d(z, x) } else { fft.exec_d2z(x, z) }
            }
            Sets::SingleComplex(sets) => {
                let (x, z) = turned(sets, *turn);
                fft.exec_c2c(x, z, direction)
            }
            Sets::DoubleComplex(sets) => {
                let (x, z) = turned(sets, *turn);
                fft.exec_z2z(x, z, direction)
            }
        };
        Ok(done.map_err(|e| format!("cuFFT fails: {e:?}"))?)
    }

    fn finish(&self) -> Outcome<()> {
        Ok(self.stream.synchronize()?)
    }
}

fn turned<T>(sets: &mut [T], turn: usize) -> &mut T {
    let count = sets.len();
    &mut sets[turn % count]
}

impl Sets {
    fn new(stream: &Arc<CudaStream>, problem: &Problem, memory: usize) -> Outcome<Sets> {
        let len = problem.input().len;
        let n = *problem.input().shape.last().ok_or("a problem has an axis")?;
        let half = len / n * (n / 2 + 1);
        let single = |i| float2 { x: spread(i).re as f32, y: spread(i).im as f32 };
        let double = |i| double2 { x: spread(i).re, y: spread(i).im };
        let real = problem.input_domain() == Domain::Real;
        Ok(match (problem.precision(), real) {
            (Precision::F32, true) => {
                Sets::Single(pairs(stream, memory, [len, half], |i| spread(i).re as f32, single)?)
            }
            (Precision::F64, true) => Sets::Double(pairs(stream, memory, [len, half], |i| spread(i).re, double)?),
            (Precision::F32, false) => Sets::SingleComplex(pairs(stream, memory, [len, len], single, single)?),
            (Precision::F64, false) => Sets::DoubleComplex(pairs(stream, memory, [len, len], double, double)?),
        })
    }
}

type Pairs<A, B> = Vec<(CudaSlice<A>, CudaSlice<B>)>;

fn pairs<A: DeviceRepr, B: DeviceRepr>(
    stream: &Arc<CudaStream>,
    memory: usize,
    [first, second]: [usize; 2],
    a: impl Fn(usize) -> A,
    b: impl Fn(usize) -> B,
) -> Outcome<Pairs<A, B>> {
    let (a, b): (Vec<A>, Vec<B>) = ((0..first).map(a).collect(), (0..second).map(b).collect());
    let count = memory.div_ceil(first * size_of::<A>() + second * size_of::<B>()).max(2);
    (0..count).map(|_| Ok((stream.clone_htod(&a)?, stream.clone_htod(&b)?))).collect()
}
