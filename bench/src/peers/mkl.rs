//! MKL's FFTs through its C interface, DFTI.

use super::library::Opened;
use crate::case::Case;
use crate::contestant::Contestant;
use anyhow::{Result, ensure};
use fourfold::Kind;
use std::ffi::{c_int, c_long, c_void};
use std::path::Path;
use std::ptr::null_mut;

/// Constants of mkl_dfti.h.
mod dfti {
    use std::ffi::c_int;
    pub(super) const NUMBER_OF_TRANSFORMS: c_int = 7;
    pub(super) const CONJUGATE_EVEN_STORAGE: c_int = 10;
    pub(super) const PLACEMENT: c_int = 11;
    pub(super) const COMPLEX: c_int = 32;
    pub(super) const REAL: c_int = 33;
    pub(super) const COMPLEX_COMPLEX: c_int = 39;
    pub(super) const NOT_INPLACE: c_int = 44;
    pub(super) const FORWARD_DISTANCE: c_int = 58;
    pub(super) const BACKWARD_DISTANCE: c_int = 59;
    pub(super) const FORWARD_STRIDES: c_int = 60;
    pub(super) const BACKWARD_STRIDES: c_int = 61;
    pub(super) const THREAD_LIMIT: c_int = 27;
}

type Handle = *mut c_void;
type Create1 = unsafe extern "C" fn(*mut Handle, c_int, ...) -> c_long;
type CreateMany = unsafe extern "C" fn(*mut Handle, c_int, c_long, ...) -> c_long;
type Set = unsafe extern "C" fn(Handle, c_int, ...) -> c_long;
type Commit = unsafe extern "C" fn(Handle) -> c_long;
type Compute = unsafe extern "C" fn(Handle, ...) -> c_long;

#[derive(Clone, Copy)]
pub(crate) struct Mkl {
    library: Opened,
    set: Set,
    commit: Commit,
    forward: Compute,
    backward: Compute,
}

/// A committed descriptor, out of place. It lives until the end of the bench.
pub(crate) struct Descriptor {
    handle: Handle,
    compute: Compute,
}

impl Descriptor {
    /// # Safety
    /// The arrays must have the shape of the descriptor.
    pub(crate) unsafe fn compute(&self, input: *const u8, output: *mut u8) {
        // SAFETY: the caller's promise; the function takes two pointers when out of place.
        let status = unsafe { (self.compute)(self.handle, input, output) };
        assert_eq!(status, 0, "MKL failed");
    }
}

impl Mkl {
    pub(crate) fn open(folder: &Path) -> Result<Mkl> {
        let library = Opened::open(folder, "libmkl_rt.so")?;
        // SAFETY: the types are those of mkl_dfti.h.
        unsafe {
            Ok(Mkl {
                library,
                set: library.function("DftiSetValue")?,
                commit: library.function("DftiCommitDescriptor")?,
                forward: library.function("DftiComputeForward")?,
                backward: library.function("DftiComputeBackward")?,
            })
        }
    }

    /// The FFT of a case whose kind is one; for other kinds a real FFT of the same array, as a
    /// yardstick.
    pub(crate) fn offer<'a>(&self, case: &'a Case) -> Result<Contestant<'a>> {
        let complex = case.kind == Some(Kind::Fft);
        let fft = self.descriptor(case.bits, case.lengths(), case.batch(), complex, true)?;
        // SAFETY: the case's arrays have this shape, and room for the half spectrum.
        let run = move || unsafe { fft.compute(case.input(), case.output()) };
        let is_fft = complex || case.kind == Some(Kind::Rfft);
        Ok(if is_fft {
            Contestant::peer("MKL", 1.0, run)
        } else {
            Contestant::peer("MKL rfft (an FFT)", 1.0, run).yardstick()
        })
    }

    /// A real FFT, or a complex one, forward or backward, in C order.
    pub(crate) fn descriptor(
        &self,
        bits: u32,
        lengths: &[usize],
        batch: usize,
        complex: bool,
        forward: bool,
    ) -> Result<Descriptor> {
        let domain = if complex { dfti::COMPLEX } else { dfti::REAL };
        let handle = self.create(bits, lengths, domain)?;
        let mut half = lengths.to_vec();
        if !complex {
            *half.last_mut().expect("a problem has axes") = lengths[lengths.len() - 1] / 2 + 1;
        }
        // The forward domain is the signal's, the backward domain the spectrum's.
        let sides = [lengths, &half];
        let strides = sides.map(strides);
        let distances = sides.map(|side| side.iter().product::<usize>() as c_long);
        let set = self.set;
        // SAFETY: each parameter is given the type that the manual says.
        unsafe {
            checked(set(handle, dfti::PLACEMENT, dfti::NOT_INPLACE))?;
            if !complex {
                checked(set(handle, dfti::CONJUGATE_EVEN_STORAGE, dfti::COMPLEX_COMPLEX))?;
            }
            checked(set(handle, dfti::THREAD_LIMIT, 1 as c_long))?;
            checked(set(handle, dfti::FORWARD_STRIDES, strides[0].as_ptr()))?;
            checked(set(handle, dfti::BACKWARD_STRIDES, strides[1].as_ptr()))?;
            checked(set(handle, dfti::NUMBER_OF_TRANSFORMS, batch as c_long))?;
            checked(set(handle, dfti::FORWARD_DISTANCE, distances[0]))?;
            checked(set(handle, dfti::BACKWARD_DISTANCE, distances[1]))?;
            checked((self.commit)(handle))?;
        }
        Ok(Descriptor { handle, compute: if forward { self.forward } else { self.backward } })
    }

    fn create(&self, bits: u32, lengths: &[usize], domain: c_int) -> Result<Handle> {
        let precision = if bits == 32 { "s" } else { "d" };
        let lengths: Vec<_> = lengths.iter().map(|n| *n as c_long).collect();
        let mut handle = null_mut();
        // SAFETY: the types are those that the macro DftiCreateDescriptor of mkl_dfti.h calls.
        let status = unsafe {
            if let [n] = lengths[..] {
                let create: Create1 = self.library.function(&format!("DftiCreateDescriptor_{precision}_1d"))?;
                create(&mut handle, domain, n)
            } else {
                let create: CreateMany = self.library.function(&format!("DftiCreateDescriptor_{precision}_md"))?;
                create(&mut handle, domain, lengths.len() as c_long, lengths.as_ptr())
            }
        };
        checked(status).map(|()| handle)
    }
}

/// An offset of 0, and the strides of C order.
fn strides(lengths: &[usize]) -> Vec<c_long> {
    let after = |axis: usize| lengths[axis + 1..].iter().product::<usize>() as c_long;
    std::iter::once(0).chain((0..lengths.len()).map(after)).collect()
}

fn checked(status: c_long) -> Result<()> {
    ensure!(status == 0, "DFTI status {status}");
    Ok(())
}
