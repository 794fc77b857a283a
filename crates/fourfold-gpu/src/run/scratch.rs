//! How an execution's scratch is divided.

use crate::backend::runtime::Buffer;
use fourfold::Result;

/// The parts of scratch: their bytes, and what each begins at a multiple of.
pub(crate) struct ScratchParts {
    bytes: [usize; 3],
    alignment: usize,
}

impl ScratchParts {
    pub(crate) fn new(bytes: [usize; 3], alignment: usize) -> ScratchParts {
        ScratchParts { bytes, alignment }
    }

    /// Bytes of all parts.
    pub(crate) fn total(&self) -> usize {
        let [.., (at, bytes)] = self.places();
        at + bytes
    }

    /// Where the parts are, and their bytes.
    fn places(&self) -> [(usize, usize); 3] {
        let mut end: usize = 0;
        self.bytes.map(|bytes| {
            let at = if bytes == 0 { end } else { end.next_multiple_of(self.alignment) };
            end = at + bytes;
            (at, bytes)
        })
    }

    /// The parts of `scratch`; none for a part that is empty, or is all of it.
    ///
    /// # Errors
    /// Those of the device.
    pub(crate) fn split(&self, scratch: &Buffer) -> Result<[Option<Buffer>; 3]> {
        let several = self.bytes.iter().filter(|bytes| **bytes > 0).count() > 1;
        let part = |(at, bytes): (usize, usize)| (several && bytes > 0).then(|| scratch.part(at, bytes)).transpose();
        let [first, second, third] = self.places().map(part);
        Ok([first?, second?, third?])
    }
}
