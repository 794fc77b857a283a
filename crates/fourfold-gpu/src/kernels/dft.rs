//! Passes of butterflies: the core's mixed-radix rule.

use super::{Line, Writer};
use crate::spec::{Port, Split};
use crate::trace::{Int, Sym};
use fourfold::engine::{Butterfly, C, Real};

impl Writer<'_> {
    pub(super) fn butterflies(&self, split: &Split, from: &Port, to: &Port) {
        match split.radix {
            2 => self.butterfly::<2>(split, from, to),
            3 => self.butterfly::<3>(split, from, to),
            4 => self.butterfly::<4>(split, from, to),
            5 => self.butterfly::<5>(split, from, to),
            7 => self.butterfly::<7>(split, from, to),
            8 => self.butterfly::<8>(split, from, to),
            11 => self.butterfly::<11>(split, from, to),
            13 => self.butterfly::<13>(split, from, to),
            16 => self.butterfly::<16>(split, from, to),
            other => unreachable!("no butterfly of radix {other}"),
        }
    }

    fn butterfly<const R: usize>(&self, split: &Split, from: &Port, to: &Port)
    where
        [C<Sym>; R]: Butterfly,
    {
        self.items(split.count(), |line, item| {
            let small = Small::new(split, item);
            let mut z = [C { re: Sym::lit(0.0), im: Sym::lit(0.0) }; R];
            for (j, z) in z.iter_mut().enumerate() {
                *z = self.turned(&small, from, line, j);
            }
            for (q, z) in z.dft().into_iter().enumerate() {
                self.write(to, line, small.output + (q * split.inner) as i64, z);
            }
        });
    }

    /// Input j of a small DFT, times its twiddle.
    fn turned(&self, small: &Small, from: &Port, line: Line, j: usize) -> C<Sym> {
        let split = small.split;
        let z = self.read(from, line, small.input + (j * split.groups * split.inner) as i64);
        if j == 0 || split.inner == 1 {
            return z;
        }
        z.mul(self.table(small.k * 2 + (split.twiddles + 2 * (j - 1) * split.inner) as i64))
    }

    /// The same for a j > 0 that is known only when the kernel runs.
    pub(super) fn turned_at(&self, small: &Small, from: &Port, line: Line, j: Int) -> C<Sym> {
        let split = small.split;
        let z = self.read(from, line, small.input + j * (split.groups * split.inner) as i64);
        if split.inner == 1 {
            return z;
        }
        let at = ((j - 1) * split.inner as i64 + small.k) * 2 + split.twiddles as i64;
        z.mul(self.table(at))
    }
}

/// One small DFT: element j is read at `input` + j · groups · inner, element q written at `output` + q · inner.
pub(super) struct Small<'a> {
    pub(super) split: &'a Split,
    pub(super) input: Int,
    pub(super) output: Int,
    k: Int,
}

impl<'a> Small<'a> {
    pub(super) fn new(split: &'a Split, item: Int) -> Self {
        let (step, inner, radix) = ((split.groups * split.inner) as i64, split.inner as i64, split.radix as i64);
        let input = match split.batch {
            1 => item,
            _ => item / step * (step * radix) + item % step,
        };
        let k = item % inner;
        Small { split, input, output: item / inner * (inner * radix) + k, k }
    }
}
