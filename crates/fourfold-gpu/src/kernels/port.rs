//! Addresses: how stages read and write through their ports.

use super::{Line, Writer};
use crate::spec::{Across, Place, Port, Side};
use crate::trace::{Array, Int, Sym, int};
use fourfold::engine::{C, Index, Real};

impl Writer<'_> {
    /// Element `e`.
    pub(super) fn read(&self, port: &Port, line: Line, e: Int) -> C<Sym> {
        let z = if port.single {
            C { re: self.read_real(port, line, e), im: Sym::lit(0.0) }
        } else if self.complex(port.place) {
            let [(array, re), (_, im)] = [0, 1].map(|part| self.part(port.place, line, e, part));
            C { re: array.load(re), im: array.load(im) }
        } else {
            C { re: self.read_real(port, line, e * 2), im: self.read_real(port, line, e * 2 + 1) }
        };
        if port.exchanged { z.swap() } else { z }
    }

    pub(super) fn write(&self, port: &Port, line: Line, e: Int, z: C<Sym>) {
        let z = if port.exchanged { z.swap() } else { z };
        let z = port.scale.map_or(z, |at| z.scale(Array::Table.load(int(at))));
        if port.single {
            self.write_real(port, line, e, z.re);
        } else if self.complex(port.place) {
            for (part, x) in [z.re, z.im].into_iter().enumerate() {
                let (array, at) = self.part(port.place, line, e, part);
                array.store(at, x);
            }
        } else {
            self.write_real(port, line, e * 2, z.re);
            self.write_real(port, line, e * 2 + 1, z.im);
        }
    }

    /// Real m.
    pub(super) fn read_real(&self, port: &Port, line: Line, m: Int) -> Sym {
        let (array, at) = self.real(port, line, m);
        let x = array.load(at);
        port.gain.map_or(x, |gain| x * Array::Table.load(m + gain as i64))
    }

    pub(super) fn write_real(&self, port: &Port, line: Line, m: Int, x: Sym) {
        let (array, at) = self.real(port, line, m);
        let x = port.gain.map_or(x, |gain| x * Array::Table.load(m + gain as i64));
        array.store(at, x);
    }

    fn real(&self, port: &Port, line: Line, m: Int) -> (Array, Int) {
        let m = port.order.map_or(m, |order| Array::Indices.load_int(m + order as i64));
        match self.side(port.place) {
            Some((array, side)) => (array, self.start(port.place, line) + m * side.stride),
            None => self.buffer(port.place, line, m),
        }
    }

    /// The real at `index` for i.
    pub(super) fn affine(&self, port: &Port, line: Line, index: Index, i: Int) -> (Array, Int) {
        if self.complex(port.place) {
            debug_assert!(index.step % 2 == 0, "parts do not alternate");
            let e = i * (index.step / 2) as i64 + (index.start / 2) as i64;
            return self.part(port.place, line, e, index.start as usize % 2);
        }
        let m = i * index.step as i64 + index.start as i64;
        self.real(&Port::plain(port.place), line, m)
    }

    /// Real or imaginary part of element `e` of a complex array.
    fn part(&self, place: Place, line: Line, e: Int, part: usize) -> (Array, Int) {
        let (array, side) = self.side(place).expect("only arrays are complex");
        (array, self.start(place, line) + e * side.stride + part as i64)
    }

    fn complex(&self, place: Place) -> bool {
        self.side(place).is_some_and(|(_, side)| side.complex)
    }

    fn side(&self, place: Place) -> Option<(Array, &Side)> {
        match place {
            Place::Input => Some((Array::Input, &self.spec.geometry.input)),
            Place::Output => Some((Array::Output, &self.spec.geometry.output)),
            Place::Buffer(_) => None,
        }
    }

    /// Where a line of an array begins.
    fn start(&self, place: Place, line: Line) -> Int {
        let geometry = &self.spec.geometry;
        let stride = |axis: &Across| if place == Place::Input { axis.input } else { axis.output };
        let offset = if place == Place::Input { geometry.input.offset } else { geometry.output.offset };
        let (mut at, mut rest) = (int(0) + offset, line.number);
        for (i, axis) in geometry.axes.iter().enumerate() {
            let last = i + 1 == geometry.axes.len();
            at = at + if last { rest } else { rest % axis.size as i64 } * stride(axis);
            if !last {
                rest = rest / axis.size as i64;
            }
        }
        at
    }

    /// Real m of a line's buffer.
    fn buffer(&self, place: Place, line: Line, m: Int) -> (Array, Int) {
        let Place::Buffer(number) = place else { unreachable!("arrays have sides") };
        let (tile, padded) = (self.spec.tile as i64, self.spec.padded() as i64);
        let first = number as i64 * tile * padded;
        let at = match self.spec.padding() {
            Some(bits) => line.slot * padded + m + (m >> bits as i64),
            None if self.spec.across => m * tile + line.slot,
            None => line.slot * padded + m,
        };
        (self.memory(), at + first)
    }

    /// The pair at real `m` of what convolutions hold back.
    pub(super) fn held_back(&self, line: Line, m: Int) -> [(Array, Int); 2] {
        let (tile, first) = (self.spec.tile, 2 * self.spec.tile * self.spec.padded());
        let at = match self.spec.across {
            true => [m * tile as i64 + line.slot, (m + 1) * tile as i64 + line.slot],
            false => [m, m + 1].map(|m| line.slot * self.spec.room.side as i64 + m),
        };
        at.map(|at| (self.memory(), at + first as i64))
    }

    fn memory(&self) -> Array {
        if self.spec.local { Array::Local } else { Array::Scratch }
    }

    /// The complex number at place `at` of the table.
    pub(super) fn table(&self, at: Int) -> C<Sym> {
        C { re: Array::Table.load(at), im: Array::Table.load(at + 1) }
    }
}
