//! ducc, through the C function of `ducc.cpp`.

use super::library::Opened;
use crate::case::Case;
use crate::contestant::Contestant;
use anyhow::Result;
use fourfold::Kind;
use std::ffi::{c_char, c_int};
use std::path::Path;

type Run = unsafe extern "C" fn(
    family: c_char,
    kind: c_int,
    bits: c_int,
    axes: usize,
    shape: *const usize,
    first: usize,
    input: *const u8,
    output: *mut u8,
    threads: usize,
) -> c_int;

/// One build of it.
pub(crate) struct Ducc {
    run: Run,
}

impl Ducc {
    pub(crate) fn open(folder: &Path, file: &str) -> Result<Ducc> {
        // SAFETY: the type is that of `ducc.cpp`.
        Ok(Ducc { run: unsafe { Opened::open(folder, file)?.function("bench_ducc")? } })
    }

    pub(crate) fn offer<'a>(&self, name: &str, case: &'a Case, threads: usize) -> Option<Contestant<'a>> {
        let (family, kind) = family(case.kind?)?;
        let (run, bits) = (self.run, case.bits as c_int);
        let shape = &case.shape;
        Some(Contestant::peer(name, 1.0, move || {
            let (family, input, output) = (family as c_char, case.input(), case.output());
            // SAFETY: the arrays hold what the shape says.
            let code =
                unsafe { run(family, kind, bits, shape.len(), shape.as_ptr(), case.first, input, output, threads) };
            assert_eq!(code, 0, "ducc failed");
        }))
    }
}

fn family(kind: Kind) -> Option<(u8, c_int)> {
    Some(match kind {
        Kind::Dct1 => (b'c', 1),
        Kind::Dct2 => (b'c', 2),
        Kind::Dct3 => (b'c', 3),
        Kind::Dct4 => (b'c', 4),
        Kind::Dst1 => (b's', 1),
        Kind::Dst2 => (b's', 2),
        Kind::Dst3 => (b's', 3),
        Kind::Dst4 => (b's', 4),
        Kind::Dht => (b'h', 0),
        Kind::Rfft => (b'r', 0),
        Kind::Fft => (b'f', 0),
        _ => return None,
    })
}
