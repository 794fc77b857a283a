//! Reads and writes of four reals at once.

use crate::ir::statement::{Array, Int};
use crate::print::printer::{Printer, array_name, index};
use fourfold::Precision;

impl Printer<'_> {
    fn four_functions(&self, array: Array) -> Option<[&'static str; 2]> {
        self.dialect.four.filter(|_| matches!(array, Array::Input | Array::Output))
    }

    pub(crate) fn read_four(&self, array: Array, at: Int) -> String {
        if let Some(half) = self.read_half(4, array, at) {
            return half;
        }
        match self.four_functions(array) {
            Some([read, _]) => format!("{read}({}, {})", index(at), array_name(array)),
            None => self.read(array, self.group(&self.four(), array, at)),
        }
    }

    pub(crate) fn write_four(&self, array: Array, at: Int, reals: &[String; 4]) -> String {
        let four = (self.dialect.vector)(&self.four(), reals);
        if let Some(half) = self.write_half(4, array, at, &four) {
            return half;
        }
        match self.four_functions(array) {
            Some([_, write]) => format!("{write}({four}, {}, {});", index(at), array_name(array)),
            None => self.write(array, self.place(&self.four(), array, at), &four),
        }
    }

    /// The type of four reals.
    pub(crate) fn four(&self) -> String {
        format!("{}4", if self.storage.precision() == Precision::F32 { "float" } else { "double" })
    }
}
