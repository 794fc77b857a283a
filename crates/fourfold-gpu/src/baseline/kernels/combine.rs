//! Combines of up to three axes at once: a thread has one output, or all that depend on the same
//! numbers.

use crate::baseline::kernels::moves::{
    StageKernelDesc, Strided, THREADS, blocks_of_squares, digits, places_in_squares,
};
use crate::ir::statement::{Array, Int, Sym, int};
use crate::ir::trace::{comment, cut_off, if_less, select, select_real};
use fourfold::baseline::combine::{after, after_one, before, before_one};
use fourfold::baseline::{Combine, CombineAxis, CombineVariant, Direction, IndexMap};
use fourfold::engine::{C, Real};

/// The threads that are dealt out, of which some have no work at the edges of squares.
pub(crate) fn threads(desc: &StageKernelDesc, combine: &Combine) -> usize {
    let sizes = sizes(desc, combine);
    let product = |sizes: &[(usize, usize)]| sizes.iter().map(|(_, size)| size).product::<usize>();
    square(desc, combine)
        .map_or_else(|| product(&sizes), |square| product(&blocks_of_squares(&sizes, square)) * THREADS)
}

/// The axes of a square that a block of threads combines if the stage transposes: that which runs
/// fastest in the spectrum, and that which does among the reals. So both are accessed in runs of at
/// least 32 bytes in `f64`. `None` if it is the same axis.
fn square(desc: &StageKernelDesc, combine: &Combine) -> Option<[usize; 2]> {
    let fastest = |side: &Strided| side.axes[side.axes.len() - 1];
    let [from, to] = [fastest(&desc.from), fastest(&desc.to)];
    let square = if combine.direction == Direction::After { [from, to] } else { [to, from] };
    (from != to).then_some(square)
}

/// The axes that threads are dealt out over, with how many there are along each: batches, then the
/// axes of the combine.
fn sizes(desc: &StageKernelDesc, combine: &Combine) -> Vec<(usize, usize)> {
    let spectrum = if combine.direction == Direction::After { &desc.from } else { &desc.to };
    let last = combine.axes.len() - 1;
    let along = |axis: &usize| combine.axes.iter().position(|a| a.axis == *axis);
    let size = |axis: &usize| match along(axis) {
        None => spectrum.length(*axis),
        Some(_) if combine.outputs == CombineVariant::All => combine.axes[along(axis).unwrap_or(0)].n / 2 + 1,
        Some(i) if i == last && combine.direction == Direction::Before => combine.axes[i].n / 2 + 1,
        Some(i) => combine.axes[i].n,
    };
    spectrum.axes.iter().map(|axis| (*axis, size(axis))).collect()
}

/// The factors of all axes, as pairs of one table: those of an axis after those of the axis before.
pub(crate) fn table(combine: &Combine) -> Vec<f64> {
    combine.tables().concat().iter().flat_map(|w| [w.re, w.im]).collect()
}

/// One thread's work.
struct Thread<'a> {
    desc: &'a StageKernelDesc,
    combine: &'a Combine,
    /// Terms along the axes of the combine.
    terms: Vec<Int>,
    /// Where the batch begins among the reals of the spectrum, and of the other side.
    start: [Int; 2],
}

pub(crate) fn combine(desc: &StageKernelDesc, combine: &Combine, [block, thread]: [Int; 2]) {
    comment(combine.to_string());
    let sizes = sizes(desc, combine);
    match square(desc, combine) {
        None => combine_at(desc, combine, &digits(block * THREADS as i64 + thread, sizes.into_iter())),
        Some(square) => {
            let places = places_in_squares([block, thread], &sizes, square);
            let inside = |axis: usize, body: &dyn Fn()| {
                let all = places.iter().zip(&sizes);
                all.filter(|((a, _), _)| *a == axis).for_each(|((_, place), (_, n))| if_less(*place, int(*n), body));
            };
            inside(square[0], &|| inside(square[1], &|| combine_at(desc, combine, &places)));
        }
    }
}

/// The work of the thread with these places along the axes.
fn combine_at(desc: &StageKernelDesc, combine: &Combine, places: &[(usize, Int)]) {
    let term = |axis: &CombineAxis| places.iter().find(|(a, _)| *a == axis.axis).map(|(_, place)| *place);
    let terms: Vec<Int> = combine.axes.iter().filter_map(term).collect();
    let batches = places.iter().filter(|(axis, _)| combine.axes.iter().all(|along| along.axis != *axis));
    let batches: Vec<_> = batches.copied().collect();
    let mut thread = Thread { desc, combine, terms, start: [int(0); 2] };
    let (spectrum, reals) = thread.sides();
    let at = |side: &Strided| {
        batches.iter().fold(int(0) + side.offset, |at, (axis, place)| at + *place * side.strides[*axis])
    };
    thread.start = [at(spectrum), at(reals)];
    match combine.axes.len() {
        1 => thread.write::<1>(),
        2 => thread.write::<2>(),
        _ => thread.write::<4>(),
    }
}

impl Thread<'_> {
    /// The spectrum, and the reals.
    fn sides(&self) -> (&Strided, &Strided) {
        match self.combine.direction {
            Direction::After => (&self.desc.from, &self.desc.to),
            Direction::Before => (&self.desc.to, &self.desc.from),
        }
    }

    /// With H numbers of the spectrum together.
    fn write<const H: usize>(&self) {
        let Combine { outputs, direction, .. } = self.combine;
        match (outputs, direction) {
            (CombineVariant::Direct { rotates }, _) => self.direct(*rotates),
            (CombineVariant::One, Direction::After) => {
                let v: [C<Sym>; H] = std::array::from_fn(|h| self.opposite(h));
                self.store(0, after_one(&self.rotations(), v));
            }
            (CombineVariant::All, Direction::After) => {
                let v: [C<Sym>; H] = std::array::from_fn(|h| Array::Input.load_pair(self.spectrum(h)));
                let y = after(&self.rotations(), v);
                self.guarded(self.terms.len(), 0, &|h| self.store(h, y[h / H][h % H]));
            }
            (CombineVariant::One, Direction::Before) => {
                let v = before_one(&self.rotations(), self.reals::<H>());
                Array::Output.store_pair(self.spectrum(0), v);
            }
            (CombineVariant::All, Direction::Before) => {
                let v = before(&self.rotations(), self.reals::<H>());
                let others = self.terms.len() - 1;
                self.guarded(others, 0, &|h| Array::Output.store_pair(self.spectrum(h), v[h]));
            }
        }
    }

    /// Factors along the axes.
    fn rotations(&self) -> Vec<C<Sym>> {
        let starts = self.combine.axes.iter().scan(0, |start, axis| {
            *start += axis.n;
            Some(*start - axis.n)
        });
        starts.zip(&self.terms).map(|(start, term)| Array::Table.load_pair(*term + start as i64)).collect()
    }

    /// `body` for every set of the first `axes` axes along which −k stands for another term than k:
    /// terms 0 and N/2 are their own mirror images.
    fn guarded(&self, axes: usize, set: usize, body: &dyn Fn(usize)) {
        let Some(axis) = axes.checked_sub(1) else { return body(set) };
        self.guarded(axis, set, body);
        let (k, n) = (self.terms[axis], self.combine.axes[axis].n);
        if_less(int(0), k, || if_less(k * 2, int(n), || self.guarded(axis, set | 1 << axis, body)));
    }

    /// Complex number ±k of the spectrum: −k where a bit is set.
    fn spectrum(&self, set: usize) -> Int {
        let (spectrum, _) = self.sides();
        let place = |(bit, (axis, k)): (usize, (&CombineAxis, &Int))| {
            let term = if set >> bit & 1 == 1 { self.negative(*k, axis.n) } else { *k };
            term * (spectrum.strides[axis.axis] / 2)
        };
        let places = self.combine.axes.iter().zip(&self.terms).enumerate().map(place);
        places.fold(self.start[0] / 2, |at, place| at + place)
    }

    /// −k modulo n.
    fn negative(&self, k: Int, n: usize) -> Int {
        select(k, int(1), int(0), int(n) - k)
    }

    /// Term ±k of the spectrum where k may lie beyond the half that is there: then it is the
    /// conjugate of the opposite one.
    fn opposite(&self, set: usize) -> C<Sym> {
        let (spectrum, _) = self.sides();
        let last = self.terms.len() - 1;
        let (k, n) = (self.terms[last], self.combine.axes[last].n);
        let half = int(n / 2 + 1);
        let others = self.combine.axes[..last].iter().zip(&self.terms).enumerate();
        let mut at =
            self.start[0] / 2 + select(k, half, k, int(n) - k) * (spectrum.strides[self.combine.axes[last].axis] / 2);
        for (bit, (axis, term)) in others {
            let negative = self.negative(*term, axis.n);
            let (own, opposite) = if set >> bit & 1 == 1 { (negative, *term) } else { (*term, negative) };
            at = at + select(k, half, own, opposite) * (spectrum.strides[axis.axis] / 2);
        }
        let z = Array::Input.load_pair(at);
        C { re: z.re, im: select_real(k, half, z.im, -z.im) }
    }

    /// Where the real of term k stands along an axis, or of term N − k.
    fn place(&self, axis: &CombineAxis, k: Int, conjugate: bool) -> Int {
        let (n, (start, step)) = (axis.n, axis.terms.line(axis.n));
        let (start, step) = if conjugate { (start + step * n as isize, -step) } else { (start, step) };
        let place = if step < 0 { int(0) + start as i64 - k } else { k + start as i64 };
        let inside = !conjugate && axis.terms != IndexMap::Shifted;
        if inside { place } else { select(k, int(1), int(axis.terms.zero(n)), place) }
    }

    /// Real ±k of the other side.
    fn real(&self, set: usize) -> Int {
        let (_, reals) = self.sides();
        let place = |(bit, (axis, k)): (usize, (&CombineAxis, &Int))| {
            self.place(axis, *k, set >> bit & 1 == 1) * reals.strides[axis.axis]
        };
        self.combine.axes.iter().zip(&self.terms).enumerate().map(place).fold(self.start[1], |at, place| at + place)
    }

    fn store(&self, set: usize, x: Sym) {
        let kept = self.combine.threshold.map_or(x, |least| cut_off(x, Sym::lit(least)));
        Array::Output.store(self.real(set), kept);
    }

    /// The reals of all sets, of which those beyond the first term are 0.
    fn reals<const H: usize>(&self) -> [[Sym; H]; 2] {
        let real = |set: usize| {
            let nothing = |(bit, (axis, _)): &(usize, (&CombineAxis, &Int))| {
                set >> bit & 1 == 1 || axis.terms == IndexMap::Shifted
            };
            let x = Array::Input.load(self.real(set));
            let axes = self.combine.axes.iter().zip(&self.terms).enumerate().filter(nothing);
            axes.fold(x, |x, (_, (_, k))| select_real(*k, int(1), Sym::lit(0.0), x))
        };
        std::array::from_fn(|side| std::array::from_fn(|h| real(side * H + h)))
    }

    fn direct(&self, rotates: bool) {
        let z = Array::Input.load_pair(self.spectrum(0));
        let axis = &self.combine.axes[0];
        let y = if rotates {
            let w = self.rotations()[0];
            z.re.mul_sub(w.re, z.im * w.im)
        } else {
            let [scale, first] = [self.combine.scale, self.combine.scale * axis.first].map(Sym::lit);
            z.re * select_real(self.terms[0], int(1), first, scale)
        };
        self.store(0, y);
    }
}
