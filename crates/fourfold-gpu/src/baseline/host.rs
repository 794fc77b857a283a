//! Steps by the host, in its own memory.

use crate::backend::runtime::{Buffer, Queue, Runtime};
use crate::backend::transfer::{Pinned, Transfer};
use fourfold::{Precision, Result};
use std::sync::{Mutex, PoisonError};

/// A transpose of a complex matrix by one thread of the host. The arrays are mapped into its memory
/// if the API does that, and else copied through pinned memory.
pub(crate) struct HostTranspose {
    /// Bytes of a complex number.
    element: usize,
    rows: usize,
    columns: usize,
    /// Pinned memory for the array that is read and for the one that is written, once it was
    /// needed and while nobody uses it.
    pinned: Mutex<Option<[Pinned; 2]>>,
}

impl HostTranspose {
    pub(crate) fn new(precision: Precision, rows: usize, columns: usize) -> HostTranspose {
        HostTranspose { element: 2 * precision.bytes(), rows, columns, pinned: Mutex::default() }
    }

    /// Waits for what was enqueued. The arrays differ.
    pub(crate) fn transpose(&self, runtime: &Runtime, queue: &Queue, from: &Buffer, to: &Buffer) -> Result<()> {
        let mut to = to.share()?;
        let mapped = queue.map(from, &mut to, self.bytes(), &mut |from, to| self.transpose_bytes(from, to))?;
        if mapped { Ok(()) } else { self.transpose_copies(runtime, queue, from, &mut to) }
    }

    fn transpose_copies(&self, runtime: &Runtime, queue: &Queue, from: &Buffer, to: &mut Buffer) -> Result<()> {
        let bytes = self.bytes();
        let free = || self.pinned.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = free().take();
        let new = || Ok([Pinned::new(runtime, bytes)?, Pinned::new(runtime, bytes)?]);
        let [read, mut written] = kept.map_or_else(new, Ok)?;
        let read = Transfer::to_host(queue, from, read, bytes)?.wait()?;
        self.transpose_bytes(read.bytes(), written.bytes_mut());
        let written = Transfer::to_device(queue, written, bytes, to)?.wait()?;
        *free() = Some([read, written]);
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.rows * self.columns * self.element
    }

    fn transpose_bytes(&self, from: &[u8], to: &mut [u8]) {
        match self.element {
            8 => transpose::<8>(from, to, [self.rows, self.columns]),
            _ => transpose::<16>(from, to, [self.rows, self.columns]),
        }
    }
}

/// Element after element of B bytes, as they are written.
fn transpose<const B: usize>(from: &[u8], to: &mut [u8], [rows, columns]: [usize; 2]) {
    let (from, to) = (from.as_chunks::<B>().0, to.as_chunks_mut::<B>().0);
    for (column, line) in to.chunks_exact_mut(rows).take(columns).enumerate() {
        let elements = from.iter().skip(column).step_by(columns);
        line.iter_mut().zip(elements).for_each(|(to, from)| *to = *from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device_tests::present;
    use crate::limits::Api;

    #[test]
    fn mapped_and_copied_arrays_are_transposed() {
        for api in Api::ALL {
            let Some(device) = present(api) else { continue };
            let (rows, columns) = (3, 5);
            let values: Vec<f32> = (0..2 * rows * columns).map(|i| i as f32).collect();
            let transposed: Vec<f32> =
                (0..2 * rows * columns).map(|i| values[(i / 2 % rows * columns + i / 2 / rows) * 2 + i % 2]).collect();
            let step = HostTranspose::new(Precision::F32, rows, columns);
            let mut from = device.runtime.allocate(4 * values.len()).unwrap();
            device.queue.upload(&values, &mut from).unwrap();
            let check = |run: &dyn Fn(&mut Buffer)| {
                let mut to = device.runtime.allocate(4 * values.len()).unwrap();
                run(&mut to);
                let mut result = vec![0.0f32; values.len()];
                device.queue.download(&to, &mut result).unwrap();
                assert_eq!(result, transposed);
            };
            check(&|to| step.transpose(&device.runtime, &device.queue, &from, to).unwrap());
            check(&|to| step.transpose_copies(&device.runtime, &device.queue, &from, to).unwrap());
            let mut same = from.share().unwrap();
            let maps = device.queue.map(&from, &mut same, 8, &mut |_, _| panic!("one array twice"));
            assert!(maps.map_or(api == Api::OpenCl, |maps| !maps));
        }
    }
}
