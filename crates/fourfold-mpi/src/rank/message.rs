//! Messages of an exchange, to or from one rank.

use crate::rank::call::int;
use crate::rank::datatype::Datatype;
use fourfold::Result;
use fourfold::engine::filled;
use fourfold_distributed::engine::RegionCopy;
use fourfold_distributed::{Move, Region};
use std::ffi::c_int;
use std::ops::Range;

/// A message to or from a rank.
pub(crate) struct Message {
    pub(crate) rank: c_int,
    /// The byte at which its region begins.
    pub(crate) start: usize,
    pub(crate) datatype: Datatype,
    pub(crate) bytes: usize,
    packed: Option<Packed>,
}

/// Memory for a message of single elements. MPI takes longer to move these by a datatype than the copies
/// here and a message without gaps.
struct Packed {
    memory: Vec<u8>,
    pack: RegionCopy,
    unpack: RegionCopy,
}

impl Message {
    /// The message of a move, whose elements have so many bytes.
    ///
    /// # Errors
    /// If there is no memory for it, or if it is too large for MPI.
    pub(crate) fn new(one: &Move, element: usize) -> Result<Message> {
        let (region, rank) = (one.region(), int(one.rank())?);
        let (start, bytes) = (region.offset * element, region.elements() * element);
        let is_apart = region.elements() > 1 && region.runs().axes.last().is_some_and(|(run, _)| *run == 1);
        if !is_apart {
            return Ok(Message { rank, start, bytes, datatype: Datatype::of_region(region, element)?, packed: None });
        }
        let [pack, unpack] = region.packing(element);
        let packed = Packed { memory: filled(bytes, 0, format_args!("a message of {bytes} bytes"))?, pack, unpack };
        let whole = Region { offset: 0, axes: vec![(region.elements(), 1)] };
        Ok(Message { rank, start, bytes, datatype: Datatype::of_region(&whole, element)?, packed: Some(packed) })
    }

    /// Copies its elements from the rank's part to memory of its own, if it has some.
    pub(crate) fn pack(&mut self, from: &[u8]) {
        if let Some(Packed { memory, pack, .. }) = &mut self.packed {
            pack.execute(from, memory);
        }
    }

    /// Copies its elements from memory of its own to the rank's part.
    pub(crate) fn unpack(&self, to: &mut [u8]) {
        if let Some(Packed { memory, unpack, .. }) = &self.packed {
            unpack.execute(memory, to);
        }
    }

    /// The bytes of the rank's part that [`Message::unpack`] writes, from the first to the last.
    pub(crate) fn unpacked(&self) -> Option<Range<usize>> {
        self.packed.as_ref().map(|packed| packed.unpack.starts[1]..packed.unpack.ends[1])
    }

    /// The same as [`Message::unpack`], where `to` begins with the first of these bytes.
    pub(crate) fn unpack_at_start(&self, to: &mut [u8]) {
        if let Some(Packed { memory, unpack, .. }) = &self.packed {
            unpack.execute_at_start(memory, to);
        }
    }

    /// Where MPI reads or writes it, if it has memory of its own.
    pub(crate) fn memory(&mut self) -> Option<*mut u8> {
        self.packed.as_mut().map(|packed| packed.memory.as_mut_ptr())
    }
}
