//! Combines: the core's steps with affine indices.

use super::Writer;
use crate::spec::{Matrix, Part, Port};
use crate::trace::{Array, Int, Sym, int};
use fourfold::engine::Real;

impl Writer<'_> {
    pub(super) fn combine(&self, part: &Part, from: &Port, to: &Port) {
        self.items(part.count(), |line, i| {
            let load = |index| {
                let (array, at) = self.affine(from, line, index, i);
                array.load(at)
            };
            let store = |index, x| {
                let (array, at) = self.affine(to, line, index, i);
                array.store(at, x);
            };
            match *part {
                Part::Zero { to } => store(to, Sym::lit(0.0)),
                Part::One { from, to, by, .. } => store(to, load(from) * Array::Table.load(int(by))),
                Part::Two { from, to, matrix, .. } => {
                    let ([a, b, c, d], [p, q]) = (coefficients(matrix, i), from.map(load));
                    store(to[0], p.mul_add(a, q * b));
                    store(to[1], p.mul_add(c, q * d));
                }
            }
        });
    }
}

/// Matrix i, row by row.
fn coefficients(matrix: Matrix, i: Int) -> [Sym; 4] {
    let pair = |at: usize| [0, 1].map(|part| Array::Table.load(i * 2 + (at + part) as i64));
    match matrix {
        Matrix::Same(at) => [0, 1, 2, 3].map(|part| Array::Table.load(int(at + part))),
        Matrix::Each(at) => [0, 1, 2, 3].map(|part| Array::Table.load(i * 4 + (at + part) as i64)),
        Matrix::Reflections(at) => {
            let [a, b] = pair(at);
            [a, b, b, -a]
        }
        Matrix::Rotations(at) => {
            let [a, b] = pair(at);
            [a, b, -b, a]
        }
    }
}
