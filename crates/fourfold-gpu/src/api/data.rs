//! Executions on arrays whose type of elements is known only at run time.

use crate::api::plan::GpuPlan;
use crate::error::argument;
use fourfold::engine::collected;
use fourfold::oracle::verify::Data;
use fourfold::{Bf16, Element, F16, Result, Storage};
use num_complex::Complex;

/// Runs the body for the elements of [`Data`], with a name bound to them.
macro_rules! with_elements {
    ($data:expr, $elements:ident => $body:expr) => {
        match $data {
            Data::F32($elements) => $body,
            Data::F64($elements) => $body,
            Data::ComplexF32($elements) => $body,
            Data::ComplexF64($elements) => $body,
        }
    };
}

impl GpuPlan {
    /// [`GpuPlan::execute`] on arrays of any type. Arrays of 16 bits a real are their numbers as `f32`;
    /// those of the input are rounded.
    ///
    /// # Errors
    /// As [`GpuPlan::execute`], and if there is no memory for a copy of arrays of 16 bits.
    pub fn execute_data(&self, input: &Data, output: &mut Data) -> Result<()> {
        match self.problem().storage() {
            Storage::F16 => self.execute_halves::<F16>(input, output),
            Storage::Bf16 => self.execute_halves::<Bf16>(input, output),
            Storage::F32 | Storage::F64 => {
                with_elements!(input, x => with_elements!(output, y => self.execute(x, y)))
            }
        }
    }

    /// [`GpuPlan::execute_in_place`] alike.
    ///
    /// # Errors
    /// As [`GpuPlan::execute_in_place`], and if there is no memory for a copy of arrays of 16 bits.
    pub fn execute_data_in_place(&self, data: &mut Data) -> Result<()> {
        match self.problem().storage() {
            Storage::F16 => self.execute_halves_in_place::<F16>(data),
            Storage::Bf16 => self.execute_halves_in_place::<Bf16>(data),
            Storage::F32 | Storage::F64 => with_elements!(data, x => self.execute_in_place(x)),
        }
    }

    fn execute_halves<H: Half>(&self, input: &Data, output: &mut Data) -> Result<()>
    where
        Complex<H>: Element,
    {
        match (input, output) {
            (Data::F32(x), Data::F32(y)) => self.through::<H, H, _, _>(x, y),
            (Data::F32(x), Data::ComplexF32(y)) => self.through::<H, Complex<H>, _, _>(x, y),
            (Data::ComplexF32(x), Data::F32(y)) => self.through::<Complex<H>, H, _, _>(x, y),
            (Data::ComplexF32(x), Data::ComplexF32(y)) => self.through::<Complex<H>, Complex<H>, _, _>(x, y),
            _ => Err(self.wants_single()),
        }
    }

    fn execute_halves_in_place<H: Half>(&self, data: &mut Data) -> Result<()>
    where
        Complex<H>: Element,
    {
        match data {
            Data::F32(x) => self.through_in_place::<H, _>(x),
            Data::ComplexF32(x) => self.through_in_place::<Complex<H>, _>(x),
            _ => Err(self.wants_single()),
        }
    }

    fn wants_single(&self) -> fourfold::Error {
        argument(format!("`{}` takes its numbers as f32, not as f64", self.problem()))
    }

    /// Executes on copies of arrays.
    fn through<I: Narrow<X>, O: Narrow<Y>, X: Copy, Y: Copy>(&self, x: &[X], y: &mut [Y]) -> Result<()> {
        let (x, mut z) = (narrowed::<I, X>(x)?, narrowed::<O, Y>(y)?);
        self.execute(&x, &mut z)?;
        y.iter_mut().zip(z).for_each(|(y, z)| *y = z.wide());
        Ok(())
    }

    fn through_in_place<T: Narrow<X>, X: Copy>(&self, x: &mut [X]) -> Result<()> {
        let mut z = narrowed::<T, X>(x)?;
        self.execute_in_place(&mut z)?;
        x.iter_mut().zip(z).for_each(|(x, z)| *x = z.wide());
        Ok(())
    }
}

/// A copy in a narrower type.
fn narrowed<T: Narrow<X>, X: Copy>(x: &[X]) -> Result<Vec<T>> {
    collected(x.len(), x.iter().map(|x| T::narrow(*x)), format_args!("{} elements of 16 bits a real", x.len()))
}

/// A real of 16 bits.
trait Half: Element + From<f32> + Into<f32> {}

impl Half for F16 {}
impl Half for Bf16 {}

/// An element that stands for one of a wider type.
trait Narrow<X>: Element {
    fn narrow(x: X) -> Self;
    fn wide(self) -> X;
}

impl<H: Half> Narrow<f32> for H {
    fn narrow(x: f32) -> H {
        x.into()
    }
    fn wide(self) -> f32 {
        self.into()
    }
}

impl<H: Half> Narrow<Complex<f32>> for Complex<H>
where
    Complex<H>: Element,
{
    fn narrow(z: Complex<f32>) -> Complex<H> {
        Complex::new(z.re.into(), z.im.into())
    }
    fn wide(self) -> Complex<f32> {
        Complex::new(self.re.into(), self.im.into())
    }
}
