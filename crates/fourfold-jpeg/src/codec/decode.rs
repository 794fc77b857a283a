//! Decodes a file to pixels. A file with one scan is decoded MCU row by MCU row, so that all steps
//! of one find it in the caches; other files are read completely before.

use crate::blocks::Transform;
use crate::codec::image::Image;
use crate::codec::pixels::{Band, Frame};
use crate::codec::read::WithWarnings;
use crate::ffi::arrays::Array;
use crate::ffi::read::Reader;
use crate::limits::Limits;
use crate::memory::zeros;
use fourfold::Result;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Decodes a file to interleaved grey or RGB pixels, as libjpeg does by default: all files that
/// [`read_coefficients`](crate::read_coefficients) reads and whose sampling factors divide the
/// largest ones. In [`Mode::Exact`](crate::Mode) the pixels equal libjpeg-turbo's, except that
/// libjpeg smooths progressive files that end early.
///
/// # Errors
/// [`ErrorKind::File`](fourfold::ErrorKind) if the file is no JPEG file, of a kind that is not read
/// (arithmetic-coded, lossless, CMYK, not 8 bits a sample, other sampling factors), beyond the
/// limits, or so damaged that libjpeg refuses it; [`ErrorKind::Argument`](fourfold::ErrorKind) if
/// there is no memory.
pub fn decode(file: &[u8], transform: &Transform, limits: &Limits) -> Result<WithWarnings<Image>> {
    let mut image = Image { width: 0, height: 0, channels: 0, samples: Vec::new() };
    let warnings = decode_into(file, transform, limits, &mut image)?;
    Ok(WithWarnings { value: image, warnings })
}

/// [`decode`] into an image whose memory is reused. Returns the warnings.
///
/// # Errors
/// Those of [`decode`]. The contents of the image are then unspecified.
pub fn decode_into(file: &[u8], transform: &Transform, limits: &Limits, image: &mut Image) -> Result<Vec<String>> {
    let mut reader = Reader::new(file, limits)?;
    image.channels = reader.color.components();
    (image.width, image.height) = (reader.width, reader.height);
    resize(&mut image.samples, image.width * image.height * image.channels)?;
    if reader.has_one_scan() {
        let frame = Frame::new(&reader, transform)?;
        let band = Band::new(&frame, 0, &mut image.samples)?;
        if transform.threads() == 1 { decode_rows(&mut reader, band) } else { pipeline_rows(&mut reader, band) }?;
    } else {
        let arrays = reader.read()?;
        decode_arrays(&Frame::new(&reader, transform)?, &arrays, &mut image.samples)?;
    }
    Ok(reader.warnings())
}

/// Resizes a vector whose contents are not needed.
///
/// # Errors
/// If there is no memory.
fn resize(samples: &mut Vec<u8>, bytes: usize) -> Result<()> {
    if samples.capacity() >= bytes {
        samples.resize(bytes, 0);
        return Ok(());
    }
    *samples = zeros(bytes, "pixels")?;
    Ok(())
}

/// Clears arrays for the next MCU row.
fn clear(arrays: &mut [Array]) {
    arrays.iter_mut().for_each(|array| array.blocks.fill([0; 64]));
}

/// Decodes a file with one scan on one thread.
fn decode_rows(reader: &mut Reader, mut band: Band) -> Result<()> {
    reader.stream(&mut |row, arrays| {
        band.add_row(row, arrays, 0);
        clear(arrays);
        Ok(())
    })
}

/// The MCU rows that wait between two threads: enough for either thread to go on while the system
/// suspends the other for some milliseconds.
const QUEUE_ROWS: usize = 16;

/// Decodes a file with one scan on two threads: entropy decoding on this one, pixels on another.
/// More threads would not help, since entropy decoding takes longest and cannot be divided.
/// Where the system starts no thread, this one does both.
fn pipeline_rows(reader: &mut Reader, band: Band) -> Result<()> {
    type Row = (usize, Vec<Array>);
    let (full, rows): (SyncSender<Row>, Receiver<Row>) = sync_channel(QUEUE_ROWS);
    let (done, cleared) = sync_channel(QUEUE_ROWS + 2);
    let band = Mutex::new(band);
    let lock = || band.lock().unwrap_or_else(PoisonError::into_inner);
    let result = thread::scope(|scope| {
        let make_pixels = move || {
            let mut band = lock();
            while let Ok((row, mut arrays)) = rows.recv() {
                band.add_row(row, &arrays, 0);
                clear(&mut arrays);
                let _ = done.send(arrays); // fails only if all rows have been read
            }
        };
        let other = thread::Builder::new().spawn_scoped(scope, make_pixels).ok()?;
        let mut count = 0;
        let result = reader.stream(&mut |row, arrays| {
            count += 1;
            // The queue and the other thread hold QUEUE_ROWS + 1 rows: from then on one comes back.
            let empty = if count > QUEUE_ROWS + 1 { cleared.recv().ok() } else { None };
            let empty = empty.map_or_else(|| arrays.iter().map(Array::zeros_like).collect::<Result<_>>(), Ok)?;
            // libjpeg fills the empty ones next, since it requests pointers for each row.
            let filled = arrays.iter_mut().zip(empty).map(|(array, empty)| std::mem::replace(array, empty)).collect();
            let _ = full.send((row, filled));
            Ok(())
        });
        drop(full); // so that the other thread ends
        // The scope waits only for the end of the closure; `join` waits for the end of the thread.
        other.join().unwrap_or_else(|panic| resume_unwind(panic));
        Some(result)
    });
    result.unwrap_or_else(|| decode_rows(reader, band.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

/// The MCU rows of a band. Four bands a thread balance blocks that take different times. If samples
/// are interpolated, a band also transforms the MCU row above and the one below. With at least 8
/// rows of its own that is at most a quarter more work.
fn band_rows(rows: usize, threads: usize, interpolates: bool) -> usize {
    let least = if interpolates { 8 } else { 1 };
    if threads == 1 { rows } else { rows.div_ceil(4 * threads).max(least) }
}

/// Decodes complete arrays of coefficients, in bands of MCU rows on all threads.
fn decode_arrays(frame: &Frame, arrays: &[Array], samples: &mut [u8]) -> Result<()> {
    let rows = band_rows(frame.rows, frame.transform.threads(), frame.needs_next);
    let beside = usize::from(frame.needs_next);
    let bands = samples.chunks_mut(rows * frame.row_bytes()).enumerate();
    let bands = bands.map(|(index, pixels)| Band::new(frame, index * rows, pixels)).collect::<Result<_>>()?;
    frame.transform.for_each(bands, |mut band: Band| {
        let (first, last) = (band.next.saturating_sub(beside), (band.next + rows + beside).min(frame.rows));
        (first..last).for_each(|row| band.add_row(row, arrays, row));
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_threads_add_little_work() {
        for (rows, threads) in [(1, 1), (1, 2), (7, 64), (64, 16), (250, 1024), (8192, 3)] {
            let band = band_rows(rows, threads, true);
            let transformed: usize =
                (0..rows).step_by(band).map(|at| (at + band + 1).min(rows) - at.saturating_sub(1)).sum();
            assert!(4 * transformed <= 5 * rows, "{rows} rows on {threads} threads: {transformed} are transformed");
        }
        assert_eq!((band_rows(250, 4, false), band_rows(250, 1024, false)), (16, 1));
    }
}
