//! Elements in a device's memory, whose type is known only at run time.

use anyhow::{Result, bail};
use fourfold::oracle::verify::Data;
use fourfold::{Bf16, Element, F16, Storage};
use fourfold_gpu::{Device, GpuArray, GpuPlan};
use num_complex::Complex;

/// Elements in a device's memory. A real and a complex variant for each type of reals.
#[allow(missing_docs)]
pub enum DeviceData {
    F16(GpuArray<F16>),
    Bf16(GpuArray<Bf16>),
    F32(GpuArray<f32>),
    F64(GpuArray<f64>),
    ComplexF16(GpuArray<Complex<F16>>),
    ComplexBf16(GpuArray<Complex<Bf16>>),
    ComplexF32(GpuArray<Complex<f32>>),
    ComplexF64(GpuArray<Complex<f64>>),
}

/// Runs the body for arrays of any type, with a name bound to them and the constructor of their variant.
macro_rules! with_array {
    ($data:expr, $x:ident, $variant:ident => $body:expr) => {
        with_array!($data, $x, $variant => $body; F16 Bf16 F32 F64 ComplexF16 ComplexBf16 ComplexF32 ComplexF64)
    };
    ($data:expr, $x:ident, $variant:ident => $body:expr; $($name:ident)*) => {
        match $data { $(DeviceData::$name($x) => { let $variant = DeviceData::$name; $body })* }
    };
}

impl DeviceData {
    /// A copy on the device, in the type of a problem's arrays: see [`Data`].
    pub(crate) fn upload(device: &Device, data: &Data, storage: Storage) -> Result<DeviceData> {
        let f16 = |x: &f32| F16::from(*x);
        let bf16 = |x: &f32| Bf16::from(*x);
        let complex_f16 = |z: &Complex<f32>| Complex::new(f16(&z.re), f16(&z.im));
        let complex_bf16 = |z: &Complex<f32>| Complex::new(bf16(&z.re), bf16(&z.im));
        Ok(match (data, storage) {
            (Data::F32(x), Storage::F16) => DeviceData::F16(uploaded(device, x, f16)?),
            (Data::F32(x), Storage::Bf16) => DeviceData::Bf16(uploaded(device, x, bf16)?),
            (Data::ComplexF32(x), Storage::F16) => DeviceData::ComplexF16(uploaded(device, x, complex_f16)?),
            (Data::ComplexF32(x), Storage::Bf16) => DeviceData::ComplexBf16(uploaded(device, x, complex_bf16)?),
            (Data::F32(x), _) => DeviceData::F32(device.upload(x)?),
            (Data::F64(x), _) => DeviceData::F64(device.upload(x)?),
            (Data::ComplexF32(x), _) => DeviceData::ComplexF32(device.upload(x)?),
            (Data::ComplexF64(x), _) => DeviceData::ComplexF64(device.upload(x)?),
        })
    }

    pub(crate) fn bytes(&self) -> usize {
        fn bytes<T: Element>(x: &GpuArray<T>) -> usize {
            size_of::<T>() * x.len()
        }
        with_array!(self, x, _variant => bytes(x))
    }

    /// Another array with the same elements.
    pub(crate) fn copied(&self) -> Result<DeviceData> {
        fn copied<T: Element>(x: &GpuArray<T>) -> Result<GpuArray<T>> {
            let mut y = x.device().array(x.len())?;
            y.copy_from(x)?;
            Ok(y)
        }
        with_array!(self, x, variant => copied(x).map(variant))
    }

    /// Enqueues a copy of an array of the same type and length.
    pub(crate) fn copy_from(&mut self, from: &DeviceData) -> Result<()> {
        macro_rules! copy {
            ($($name:ident)*) => {
                match (self, from) {
                    $((DeviceData::$name(to), DeviceData::$name(from)) => to.copy_from(from)?,)*
                    _ => bail!("arrays of two types"),
                }
            };
        }
        copy!(F16 Bf16 F32 F64 ComplexF16 ComplexBf16 ComplexF32 ComplexF64);
        Ok(())
    }

    /// Enqueues the transform of an array.
    pub(crate) fn transform_to(&self, output: &mut DeviceData, plan: &GpuPlan) -> Result<()> {
        macro_rules! execute {
            ($($real:ident $complex:ident),*) => {
                match (self, output) {
                    $(
                        (DeviceData::$real(x), DeviceData::$real(y)) => plan.execute_on(x, y)?,
                        (DeviceData::$real(x), DeviceData::$complex(y)) => plan.execute_on(x, y)?,
                        (DeviceData::$complex(x), DeviceData::$real(y)) => plan.execute_on(x, y)?,
                        (DeviceData::$complex(x), DeviceData::$complex(y)) => plan.execute_on(x, y)?,
                    )*
                    _ => bail!("arrays of two types"),
                }
            };
        }
        execute!(F16 ComplexF16, Bf16 ComplexBf16, F32 ComplexF32, F64 ComplexF64);
        Ok(())
    }

    /// Enqueues the transform of the array in place.
    pub(crate) fn transform(&mut self, plan: &GpuPlan) -> Result<()> {
        with_array!(self, x, _variant => Ok(plan.execute_on_in_place(x)?))
    }
}

/// A copy of elements on a device, in another type.
fn uploaded<T, U: Element>(device: &Device, data: &[T], convert: impl Fn(&T) -> U) -> Result<GpuArray<U>> {
    let converted: Vec<U> = crate::array::collect(data.len(), data.iter().map(convert))?;
    Ok(device.upload(&converted)?)
}
