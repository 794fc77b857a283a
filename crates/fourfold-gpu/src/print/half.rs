//! Reads and writes of arrays that hold 16 bits a real.
//!
//! A dialect has functions for one, two or four reals: `read2(array, at)` is pair number `at` as it is
//! computed with, `write2(array, at, pair)` rounds it to the nearest, of two to the even one.

use crate::ir::statement::{Array, Int};
use crate::print::printer::{Printer, array_name, index};

impl Printer<'_> {
    fn is_half(&self, array: Array) -> bool {
        self.storage.is_half() && matches!(array, Array::Input | Array::Output)
    }

    /// So many reals of an array, if it holds 16 bits a real.
    pub(crate) fn read_half(&self, count: usize, array: Array, at: Int) -> Option<String> {
        self.is_half(array).then(|| format!("read{count}({}, {})", array_name(array), index(at)))
    }

    /// The other way.
    pub(crate) fn write_half(&self, count: usize, array: Array, at: Int, value: &str) -> Option<String> {
        self.is_half(array).then(|| format!("write{count}({}, {}, {value});", array_name(array), index(at)))
    }
}
