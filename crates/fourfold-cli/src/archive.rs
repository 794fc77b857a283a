//! Writes NumPy's `.npz` archives: zip files of `.npy` files, without compression, as
//! `numpy.savez` does.
//!
//! Source: PKWARE's APPNOTE 6.3.10, sections 4.3 and 4.5.3. Sizes stand in the zip64 fields, so that
//! an array may have any.

use std::io::{self, Seek, SeekFrom, Write};

use crc32fast::Hasher;

/// Zip64 needs version 4.5 of a reader.
const VERSION: u16 = 45;

/// 1 January 1980, the first day that the format knows.
const DATE: u16 = 0x21;

/// What the old field of a number has that stands in its zip64 field.
const IN_ZIP64: u32 = u32::MAX;

/// An archive that is being written.
pub(crate) struct Archive<W> {
    to: W,
    entries: Vec<Entry>,
}

struct Entry {
    name: String,
    offset: u64,
    checksum: u32,
    bytes: u64,
}

impl<W: Write + Seek> Archive<W> {
    /// An empty archive, which begins at the start of `to`.
    pub(crate) fn new(to: W) -> Archive<W> {
        Archive { to, entries: vec![] }
    }

    /// Adds a file whose content `write` writes.
    pub(crate) fn add(&mut self, name: &str, write: impl FnOnce(&mut Content<W>) -> io::Result<()>) -> io::Result<()> {
        let mut entry = Entry { name: name.to_owned(), offset: self.to.stream_position()?, checksum: 0, bytes: 0 };
        self.to.write_all(&entry.local_header())?;
        let mut content = Content { to: &mut self.to, checksum: Hasher::new(), bytes: 0 };
        write(&mut content)?;
        (entry.checksum, entry.bytes) = (content.checksum.finalize(), content.bytes);
        // Now that checksum and size are known.
        let end = self.to.stream_position()?;
        self.to.seek(SeekFrom::Start(entry.offset))?;
        self.to.write_all(&entry.local_header())?;
        self.to.seek(SeekFrom::Start(end))?;
        self.entries.push(entry);
        Ok(())
    }

    /// Writes the directory, which ends the archive.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        let start = self.to.stream_position()?;
        self.entries.iter().try_for_each(|entry| self.to.write_all(&entry.directory_entry()))?;
        let end = self.to.stream_position()?;
        let count = self.entries.len() as u64;
        let mut record = Record::new(b"PK\x06\x06").u64(44).u16(VERSION).u16(VERSION).u32(0).u32(0);
        record = record.u64(count).u64(count).u64(end - start).u64(start);
        let locator = Record::new(b"PK\x06\x07").u32(0).u64(end).u32(1);
        let old =
            Record::new(b"PK\x05\x06").u16(0).u16(0).u16(u16::MAX).u16(u16::MAX).u32(IN_ZIP64).u32(IN_ZIP64).u16(0);
        self.to.write_all(&[record.0, locator.0, old.0].concat())
    }
}

impl Entry {
    fn local_header(&self) -> Vec<u8> {
        let head = self.fields(Record::new(b"PK\x03\x04")).u16(self.name.len() as u16).u16(20);
        head.bytes(self.name.as_bytes()).u16(1).u16(16).u64(self.bytes).u64(self.bytes).0
    }

    fn directory_entry(&self) -> Vec<u8> {
        let head = self.fields(Record::new(b"PK\x01\x02").u16(VERSION)).u16(self.name.len() as u16).u16(28);
        let head = head.u16(0).u16(0).u16(0).u32(0).u32(IN_ZIP64).bytes(self.name.as_bytes());
        head.u16(1).u16(24).u64(self.bytes).u64(self.bytes).u64(self.offset).0
    }

    /// What both have: version, flags, method 0 (stored), time, date, checksum, sizes.
    fn fields(&self, record: Record) -> Record {
        record.u16(VERSION).u16(0).u16(0).u16(0).u16(DATE).u32(self.checksum).u32(IN_ZIP64).u32(IN_ZIP64)
    }
}

/// Numbers in the order in which a file has them, the low byte first.
struct Record(Vec<u8>);

impl Record {
    fn new(signature: &[u8; 4]) -> Record {
        Record(signature.to_vec())
    }

    fn bytes(mut self, bytes: &[u8]) -> Record {
        self.0.extend_from_slice(bytes);
        self
    }

    fn u16(self, number: u16) -> Record {
        self.bytes(&number.to_le_bytes())
    }

    fn u32(self, number: u32) -> Record {
        self.bytes(&number.to_le_bytes())
    }

    fn u64(self, number: u64) -> Record {
        self.bytes(&number.to_le_bytes())
    }
}

/// The content of a file in the archive: counts its bytes, and sums them up.
pub(crate) struct Content<'a, W> {
    to: &'a mut W,
    checksum: Hasher,
    bytes: u64,
}

impl<W: Write> Write for Content<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.checksum.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// Python's `zipfile` reads these bytes as one file `a` with the content `hello`.
    #[test]
    fn an_archive_is_what_other_programs_read() {
        let mut file = Cursor::new(vec![]);
        let mut archive = Archive::new(&mut file);
        archive.add("a", |to| to.write_all(b"hello")).unwrap();
        archive.finish().unwrap();
        let bytes = file.into_inner();
        let local = b"PK\x03\x04\x2d\0\0\0\0\0\0\0\x21\0\x86\xa6\x10\x36\xff\xff\xff\xff\xff\xff\xff\xff\x01\0\x14\0a";
        let zip64 = b"\x01\0\x10\0\x05\0\0\0\0\0\0\0\x05\0\0\0\0\0\0\0hello";
        assert!(bytes.starts_with(&[&local[..], zip64].concat()), "{bytes:x?}");
        let end = b"PK\x05\x06\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0";
        assert!(bytes.ends_with(end), "{bytes:x?}");
        assert_eq!(bytes.len(), 56 + 75 + 56 + 20 + 22);
    }
}
