//! A Neumann solve, −∇·∇u = f with unknowns at cell centres, beside the transforms that it needs.

use crate::arrays::{input_bytes, spread};
use crate::cufft::CuFft;
use crate::ours;
use crate::turns::Contestant;
use anyhow::{Result, ensure};
use cudarc::driver::CudaStream;
use fourfold::poisson::{Axis, Boundary::Neumann, Equation, Float, Solver};
use fourfold::{Planner, Precision, Problem};
use fourfold_gpu::{Device, GpuPlan, GpuPlanner};
use std::sync::Arc;

/// How the names of solves begin: `neumann f32 4096x4096`.
pub(crate) const PREFIX: &str = "neumann ";

/// The two transforms of fourfold as plans, one after the other.
pub(crate) const TWO_PLANS: &str = "DCT-II and DCT-III";

/// cuFFT's two transforms, and copies in place of kernels.
pub(crate) const CUFFT: &str = "cuFFT and 5 copies";

/// The kernels of a solve by cuFFT: reorder, combine, multiply, combine, reorder. Each reads and
/// writes the whole array, so it takes no less time than a copy.
const KERNELS: usize = 5;

/// A solve, planned, with the two transforms.
pub(crate) struct Solve {
    pub(crate) plan: Arc<GpuPlan>,
    transforms: [Problem; 2],
}

impl Solve {
    /// Plans the solve that `text` names after [`PREFIX`], and compares a solution with the CPU's.
    pub(crate) fn new(device: &Device, text: &str) -> Result<Solve> {
        let forward: Problem = format!("dct2 {text}").parse()?;
        let points = &forward.input().shape;
        let equation = Equation::new(points.iter().map(|&n| Axis::cells(n, 1.0, Neumann)).collect::<Vec<_>>())?;
        let plan = GpuPlanner::new(device.clone()).plan(equation.pipeline(forward.precision())?)?;
        match forward.precision() {
            Precision::F32 => verify::<f32>(&equation, &plan, 1e-3)?,
            _ => verify::<f64>(&equation, &plan, 1e-10)?,
        }
        Ok(Solve { plan: Arc::new(plan), transforms: [forward, format!("dct3 {text}").parse()?] })
    }

    /// The contestants with their names. The copy is the first.
    pub(crate) fn contestants(
        &self,
        device: &Device,
        stream: &Arc<CudaStream>,
    ) -> Result<Vec<(&'static str, Box<dyn Contestant>)>> {
        let [forward, inverse] = &self.transforms;
        let copy = || ours::copy(device, input_bytes(forward));
        let plan = |problem| ours::transform(device, &ours::planned(device, problem)?.0, None);
        let fft = |problem| Ok(Box::new(CuFft::new(stream, problem)?) as Box<dyn Contestant>);
        let copies = (0..KERNELS).map(|_| copy()).collect::<Result<Vec<_>>>()?;
        let by_cufft = [fft(forward)].into_iter().chain(copies.into_iter().map(Ok)).chain([fft(inverse)]);
        Ok(vec![
            ("copy", copy()?),
            ("fourfold", ours::transform(device, &self.plan, None)?),
            (TWO_PLANS, Box::new(Sequence(vec![plan(forward)?, plan(inverse)?]))),
            (CUFFT, Box::new(Sequence(by_cufft.collect::<Result<_>>()?))),
        ])
    }
}

/// Compares a solution with that of the CPU. The largest difference is at most `tolerance` of the
/// largest value. A solve increases rounding errors of low frequencies a thousand times.
fn verify<T: Float>(equation: &Equation, plan: &GpuPlan, tolerance: f64) -> Result<()> {
    let mut f: Vec<f64> = (0..equation.unknowns()).map(|i| spread(i).re).collect();
    let mean = f.iter().sum::<f64>() / f.len() as f64;
    f.iter_mut().for_each(|x| *x -= mean);
    let f: Vec<T> = f.into_iter().map(T::nearest).collect();
    let (mut expected, mut u) = (f.clone(), f.clone());
    Solver::<T>::new(equation, &Planner::new())?.plan().execute(&f, &mut expected)?;
    plan.execute(&f, &mut u)?;
    let largest = expected.iter().map(|&x| x.into().abs()).fold(0.0, f64::max);
    let off = u.iter().zip(&expected).map(|(&a, &b)| (a.into() - b.into()).abs()).fold(0.0, f64::max) / largest;
    ensure!(off <= tolerance, "a solution differs from the CPU's by {off:e} of its largest value");
    ensure!(u.iter().all(|&x| x.into().is_finite()), "a solution is not finite");
    Ok(())
}

/// Contestants one after the other.
struct Sequence(Vec<Box<dyn Contestant>>);

impl Contestant for Sequence {
    fn enqueue(&mut self) -> Result<()> {
        self.0.iter_mut().try_for_each(|one| one.enqueue())
    }

    fn sets(&self) -> usize {
        self.0.iter().map(|one| one.sets()).max().unwrap_or(1)
    }
}
