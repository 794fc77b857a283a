//! Intel IPP's DCTs through its C interface: signals in both precisions, images in f32.

use super::library::Opened;
use crate::arrays::Memory;
use crate::case::Case;
use crate::contestant::Contestant;
use anyhow::{Result, ensure};
use fourfold::Kind;
use std::ffi::{c_int, c_void};
use std::path::Path;
use std::ptr::null_mut;

/// `ippAlgHintNone`.
const NO_HINT: c_int = 0;

/// `IppiSize`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Size {
    width: c_int,
    height: c_int,
}

type Spec = *mut c_void;
type Sizes = [c_int; 3];
type SignalSizes = unsafe extern "C" fn(c_int, c_int, *mut c_int, *mut c_int, *mut c_int) -> c_int;
type SignalInit = unsafe extern "C" fn(*mut Spec, c_int, c_int, *mut u8, *mut u8) -> c_int;
type Signal = unsafe extern "C" fn(*const u8, *mut u8, Spec, *mut u8) -> c_int;
type ImageSizes = unsafe extern "C" fn(Size, *mut c_int, *mut c_int, *mut c_int) -> c_int;
type ImageInit = unsafe extern "C" fn(Spec, Size, *mut u8) -> c_int;
type Image = unsafe extern "C" fn(*const u8, c_int, *mut u8, c_int, Spec, *mut u8) -> c_int;

pub(crate) struct Ipp {
    signals: Opened,
    images: Opened,
}

impl Ipp {
    pub(crate) fn open(folder: &Path) -> Result<Ipp> {
        let core = Opened::open(folder, "libippcore.so")?;
        // SAFETY: the type is that of ippcore.h.
        unsafe { core.function::<unsafe extern "C" fn() -> c_int>("ippInit")?() };
        Ok(Ipp { signals: Opened::open(folder, "libipps.so")?, images: Opened::open(folder, "libippi.so")? })
    }

    pub(crate) fn offer<'a>(&self, case: &'a Case) -> Result<Option<Contestant<'a>>> {
        let direction = match case.kind {
            Some(Kind::Dct2) => "Fwd",
            Some(Kind::Dct3) => "Inv",
            _ => return Ok(None),
        };
        match (case.lengths(), case.bits) {
            ([n], _) => self.signal(case, direction, *n).map(Some),
            ([_, _], 32) if case.first == 0 => self.image(case, direction).map(Some),
            _ => Ok(None),
        }
    }

    fn signal<'a>(&self, case: &'a Case, direction: &str, n: usize) -> Result<Contestant<'a>> {
        let kind = case.by_bits("32f", "64f");
        let mut sizes = Sizes::default();
        let (mut spec, [spec_bytes, init_bytes, work_bytes]) = (null_mut(), &mut sizes);
        // SAFETY: the types are those of ipps.h; the memories have the sizes that were asked for.
        let (memory, work, run) = unsafe {
            let get: SignalSizes = self.signals.function(&format!("ippsDCT{direction}GetSize_{kind}"))?;
            checked(get(n as c_int, NO_HINT, spec_bytes, init_bytes, work_bytes))?;
            let [memory, scratch, work] = sizes.map(|bytes| Memory::new(bytes as usize));
            let init: SignalInit = self.signals.function(&format!("ippsDCT{direction}Init_{kind}"))?;
            checked(init(&mut spec, n as c_int, NO_HINT, memory.base(), scratch.base()))?;
            (memory, work, self.signals.function::<Signal>(&format!("ippsDCT{direction}_{kind}"))?)
        };
        let (rows, stride) = (case.batch(), n * case.bits as usize / 8);
        let transform = move || {
            let _owned = &memory;
            for row in 0..rows {
                // SAFETY: each row lies in the case's arrays.
                unsafe { run(case.input().add(row * stride), case.output().add(row * stride), spec, work.base()) };
            }
        };
        Ok(Contestant::peer("IPP", 1.0, transform).ortho())
    }

    fn image<'a>(&self, case: &'a Case, direction: &str) -> Result<Contestant<'a>> {
        let (size, step) =
            (Size { width: case.shape[1] as c_int, height: case.shape[0] as c_int }, 4 * case.shape[1] as c_int);
        let mut sizes = Sizes::default();
        let [spec_bytes, init_bytes, work_bytes] = &mut sizes;
        // SAFETY: the types are those of ippi.h; the memories have the sizes that were asked for.
        let (spec, work, run) = unsafe {
            let get: ImageSizes = self.images.function(&format!("ippiDCT{direction}GetSize_32f"))?;
            checked(get(size, spec_bytes, init_bytes, work_bytes))?;
            let [spec, scratch, work] = sizes.map(|bytes| Memory::new(bytes as usize));
            let init: ImageInit = self.images.function(&format!("ippiDCT{direction}Init_32f"))?;
            checked(init(spec.base().cast(), size, scratch.base()))?;
            (spec, work, self.images.function::<Image>(&format!("ippiDCT{direction}_32f_C1R"))?)
        };
        let transform = move || {
            // SAFETY: the case's arrays have this size.
            let status = unsafe { run(case.input(), step, case.output(), step, spec.base().cast(), work.base()) };
            assert_eq!(status, 0, "IPP failed");
        };
        Ok(Contestant::peer("IPP", 1.0, transform).ortho())
    }
}

fn checked(status: c_int) -> Result<()> {
    ensure!(status == 0, "IPP status {status}");
    Ok(())
}
