//! FFTW, planned with `FFTW_MEASURE`.

use super::library::Opened;
use crate::case::Case;
use crate::contestant::Contestant;
use anyhow::Result;
use fourfold::Kind;
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};
use std::ptr::null;

const MEASURE: c_uint = 0;
const PRESERVE_INPUT: c_uint = 16;
const FORWARD: c_int = -1;

type Plan = *mut c_void;
type Lengths = *const c_int;
type Kinds = *const c_int;
type Execute = unsafe extern "C" fn(Plan);
type PlanComplex = unsafe extern "C" fn(
    c_int,
    Lengths,
    c_int,
    *mut u8,
    Lengths,
    c_int,
    c_int,
    *mut u8,
    Lengths,
    c_int,
    c_int,
    c_int,
    c_uint,
) -> Plan;
type PlanHalf = unsafe extern "C" fn(
    c_int,
    Lengths,
    c_int,
    *mut u8,
    Lengths,
    c_int,
    c_int,
    *mut u8,
    Lengths,
    c_int,
    c_int,
    c_uint,
) -> Plan;
type PlanReal = unsafe extern "C" fn(
    c_int,
    Lengths,
    c_int,
    *mut u8,
    Lengths,
    c_int,
    c_int,
    *mut u8,
    Lengths,
    c_int,
    c_int,
    Kinds,
    c_uint,
) -> Plan;

/// Both precisions, and where their wisdom is kept, for measuring takes longer than the bench.
pub(crate) struct Fftw {
    single: Opened,
    double: Opened,
    folder: PathBuf,
}

impl Fftw {
    pub(crate) fn open(libraries: &Path) -> Result<Fftw> {
        let (single, double) = (Opened::open(libraries, "libfftw3f.so")?, Opened::open(libraries, "libfftw3.so")?);
        let fftw = Fftw { single, double, folder: libraries.to_owned() };
        for bits in [32, 64] {
            fftw.wisdom(bits, "import_wisdom_from_filename")?;
        }
        Ok(fftw)
    }

    /// Writes the wisdom of both precisions.
    pub(crate) fn save(&self) -> Result<()> {
        [32, 64].into_iter().try_for_each(|bits| self.wisdom(bits, "export_wisdom_to_filename"))
    }

    fn wisdom(&self, bits: u32, action: &str) -> Result<()> {
        let path = self.folder.join(format!("fftw-wisdom-{bits}"));
        let path = CString::new(path.into_os_string().into_encoded_bytes())?;
        // SAFETY: the type is that of fftw3.h. A file that is missing is reported by the result,
        // and does no harm.
        unsafe {
            let act: unsafe extern "C" fn(*const c_char) -> c_int = self.function(bits, action)?;
            act(path.as_ptr());
        }
        Ok(())
    }

    /// # Safety
    /// `F` must be the function's type.
    unsafe fn function<F: Copy>(&self, bits: u32, name: &str) -> Result<F> {
        let (library, prefix) = if bits == 32 { (self.single, "fftwf") } else { (self.double, "fftw") };
        // SAFETY: the caller's promise.
        unsafe { library.function(&format!("{prefix}_{name}")) }
    }

    pub(crate) fn offer<'a>(&self, case: &'a Case) -> Result<Option<Contestant<'a>>> {
        let Some(kind) = case.kind else { return Ok(None) };
        let plan = self.plan(case, kind)?;
        // SAFETY: the type is that of fftw3.h.
        let execute: Execute = unsafe { self.function(case.bits, "execute")? };
        // SAFETY: the plan is on the case's arrays, which live as long as the contestant.
        Ok((!plan.is_null()).then(|| Contestant::peer("FFTW", 1.0, move || unsafe { execute(plan) })))
    }

    /// A plan on the case's arrays; null if FFTW has none. Its few kilobytes live until the end of
    /// the bench.
    fn plan(&self, case: &Case, kind: Kind) -> Result<Plan> {
        let lengths: Vec<_> = case.lengths().iter().map(|n| *n as c_int).collect();
        let (rank, n, batch) = (lengths.len() as c_int, lengths.as_ptr(), case.batch() as c_int);
        let distance: c_int = lengths.iter().product();
        let half = distance / lengths[lengths.len() - 1] * (lengths[lengths.len() - 1] / 2 + 1);
        let (input, output, flags) = (case.input(), case.output(), MEASURE | PRESERVE_INPUT);
        // SAFETY: the types are those of fftw3.h, and the arrays hold what the lengths say.
        Ok(unsafe {
            match kind {
                Kind::Fft => {
                    let plan: PlanComplex = self.function(case.bits, "plan_many_dft")?;
                    plan(rank, n, batch, input, null(), 1, distance, output, null(), 1, distance, FORWARD, flags)
                }
                Kind::Rfft => {
                    let plan: PlanHalf = self.function(case.bits, "plan_many_dft_r2c")?;
                    plan(rank, n, batch, input, null(), 1, distance, output, null(), 1, half, flags)
                }
                _ => {
                    let Some(kind) = real_kind(kind) else { return Ok(std::ptr::null_mut()) };
                    let kinds = vec![kind; lengths.len()];
                    let plan: PlanReal = self.function(case.bits, "plan_many_r2r")?;
                    plan(rank, n, batch, input, null(), 1, distance, output, null(), 1, distance, kinds.as_ptr(), flags)
                }
            }
        })
    }
}

/// `fftw_r2r_kind`.
fn real_kind(kind: Kind) -> Option<c_int> {
    use Kind::{Dct1, Dct2, Dct3, Dct4, Dht, Dst1, Dst2, Dst3, Dst4};
    let kinds = [Dht, Dct1, Dct3, Dct2, Dct4, Dst1, Dst3, Dst2, Dst4];
    kinds.iter().position(|k| *k == kind).map(|i| i as c_int + 2)
}
