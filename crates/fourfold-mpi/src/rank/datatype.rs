//! MPI datatypes of regions. With them, MPI reads and writes parts of arrays where they are.

use crate::rank::call::{checked, int, is_running};
use fourfold::Result;
use fourfold_distributed::Region;
use mpi::ffi;
use mpi::ffi::MPI_Datatype;
use std::ffi::c_int;

/// A datatype that is freed when it is dropped.
pub(crate) struct Datatype {
    raw: MPI_Datatype,
}

impl Datatype {
    /// The datatype of a region, relative to its first element. Elements have 4, 8 or 16 bytes.
    ///
    /// # Errors
    /// If the region has more runs or longer ones than MPI counts.
    pub(crate) fn of_region(region: &Region, element: usize) -> Result<Datatype> {
        let axes = region.runs().axes;
        let (run, outer) = axes.split_last().expect("a region has runs");
        // SAFETY: the constant is an MPI datatype.
        let (unit, units) =
            unsafe { if element == 4 { (ffi::RSMPI_UINT32_T, 1) } else { (ffi::RSMPI_UINT64_T, element / 8) } };
        let length = int(run.0 * units)?;
        let Some((inner, others)) = outer.split_last() else {
            return Datatype::vector(1, length, 0, unit)?.committed();
        };
        let bytes = element as isize;
        let mut datatype = Datatype::vector(int(inner.0)?, length, inner.1 * bytes, unit)?;
        for (count, stride) in others.iter().rev() {
            datatype = Datatype::vector(int(*count)?, 1, stride * bytes, datatype.raw)?;
        }
        datatype.committed()
    }

    /// `count` blocks of `length` elements, `stride` bytes after one another.
    fn vector(count: c_int, length: c_int, stride: isize, of: MPI_Datatype) -> Result<Datatype> {
        let mut raw = of;
        // SAFETY: `of` is a datatype, and the new one is written.
        let code = unsafe { ffi::MPI_Type_create_hvector(count, length, stride as ffi::MPI_Aint, of, &mut raw) };
        checked("MPI_Type_create_hvector", code)?;
        Ok(Datatype { raw })
    }

    fn committed(mut self) -> Result<Datatype> {
        // SAFETY: it is a datatype.
        checked("MPI_Type_commit", unsafe { ffi::MPI_Type_commit(&mut self.raw) })?;
        Ok(self)
    }

    pub(crate) fn raw(&self) -> MPI_Datatype {
        self.raw
    }
}

impl Drop for Datatype {
    fn drop(&mut self) {
        if is_running() {
            // SAFETY: it is a datatype of ours. Communication that uses it is completed by MPI.
            unsafe { ffi::MPI_Type_free(&mut self.raw) };
        }
    }
}
