//! The lines along one axis of two arrays.

use fourfold::Storage;

/// Where the lines of a pass lie. Strides and offsets count reals.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Geometry {
    pub(crate) input: Side,
    pub(crate) output: Side,
    /// The axes across which lines lie, the innermost first.
    pub(crate) axes: Vec<Across>,
    /// If two lines are packed as one.
    pub(crate) pair: Option<Pair>,
}

/// The axis on which lines lie that are packed as one. It is among the axes across, at half its
/// length. Line l of the first half of every 2·`distance` lines is packed with line l + `distance`. Of
/// the last m < 2·`distance` lines, the distance is ⌈m/2⌉, and the one without another is packed with
/// itself: so there are ⌈`size`/2⌉ pairs at any distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pair {
    pub(crate) across: Across,
    /// Lines with one place on this axis.
    pub(crate) stride: usize,
    /// 1 for neighbours; more only where the axis is the innermost one and not merged with others.
    pub(crate) distance: usize,
}

/// One array of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Side {
    /// Of the first element of the first line.
    pub(crate) offset: i64,
    /// Along the line.
    pub(crate) stride: i64,
    pub(crate) complex: bool,
    /// Whether it is the block's own part of the array, in shared memory.
    pub(crate) shared: bool,
    /// If the line is cut.
    pub(crate) slabs: Option<Slabs>,
}

/// How an output is cut into slabs: equal pieces along an axis, each without gaps, in the order of the
/// problem's strides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlabLayout {
    /// The axis that is cut.
    pub axis: usize,
    /// The number of slabs.
    pub count: usize,
    /// Elements from the beginning of a slab to that of the next one.
    pub distance: usize,
}

/// Equal pieces of a line that do not follow each other in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Slabs {
    /// Elements of one.
    pub(crate) length: usize,
    /// What the distance between the first elements of two neighbours has beyond `length` strides.
    pub(crate) gap: i64,
}

/// One axis across the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Across {
    pub(crate) size: usize,
    pub(crate) input: i64,
    pub(crate) output: i64,
}

/// The index of lines on an axis: that of line number l is l / `stride` % `size`; if lines are
/// packed in pairs along this axis, those of a pair follow from its number: see [`Pair`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LineIndex {
    pub(crate) stride: usize,
    pub(crate) size: usize,
    pub(crate) packed: bool,
}

/// An array as kernels see it: strides and offset in reals.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Array {
    pub(crate) offset: i64,
    pub(crate) shape: Vec<usize>,
    pub(crate) strides: Vec<i64>,
    pub(crate) complex: bool,
    /// Whether it is a block's part in shared memory; strides along axes that the part has all
    /// of are not 0.
    pub(crate) shared: bool,
    /// The axis that is cut into slabs, which lie one after another, if there is one.
    pub(crate) slabs: Option<(usize, Slabs)>,
}

/// Neighbours on an axis that is not transformed, which a block has together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Run {
    pub(crate) axis: usize,
    pub(crate) count: usize,
    /// Whether they are next to each other in shared memory, and not one part after another.
    pub(crate) is_inner: bool,
}

impl Array {
    /// Strides and offset in elements.
    pub(crate) fn new(offset: usize, shape: &[usize], strides: &[isize], complex: bool) -> Array {
        let parts = if complex { 2 } else { 1 };
        let strides = strides.iter().map(|s| *s as i64 * parts).collect();
        Array { offset: offset as i64 * parts, shape: shape.to_vec(), strides, complex, shared: false, slabs: None }
    }

    /// An array without gaps, cut into slabs. Each has the order of the array's strides, so that the
    /// strides of slower axes are shorter.
    pub(crate) fn in_slabs(mut self, SlabLayout { axis, count, distance }: SlabLayout) -> Array {
        let (stride, length) = (self.strides[axis], self.shape[axis] / count);
        self.strides.iter_mut().filter(|other| **other > stride).for_each(|other| *other /= count as i64);
        let gap = (distance * self.parts()) as i64 - length as i64 * stride;
        self.slabs = Some((axis, Slabs { length, gap }));
        self
    }

    pub(crate) fn c_order(shape: &[usize], complex: bool) -> Array {
        let mut strides = vec![1; shape.len()];
        for axis in (1..shape.len()).rev() {
            strides[axis - 1] = strides[axis] * shape[axis] as isize;
        }
        Array::new(0, shape, &strides, complex)
    }

    /// Reals of an element.
    pub(crate) fn parts(&self) -> usize {
        if self.complex { 2 } else { 1 }
    }

    /// Whether the elements are in C order, from the beginning of the memory on and without gaps.
    pub(crate) fn is_c_order(&self) -> bool {
        let usual = Array::c_order(&self.shape, self.complex);
        (self.offset, &self.strides) == (usual.offset, &usual.strides)
    }

    /// Complex numbers as reals with one more axis, of length 2.
    pub(crate) fn split_parts(mut self) -> Array {
        self.shape.push(2);
        self.strides.push(1);
        self.complex = false;
        self
    }

    /// The same with runs of an axis as one more axis, the last one. The last run may go beyond the end.
    pub(crate) fn in_runs(mut self, Run { axis, count, .. }: Run) -> Array {
        self.shape.push(count);
        self.strides.push(self.strides[axis]);
        self.shape[axis] = self.shape[axis].div_ceil(count);
        self.strides[axis] *= count as i64;
        self
    }

    /// The innermost of the axes with more than one element in memory.
    pub(crate) fn innermost(&self) -> Option<usize> {
        self.innermost_of(|_| true)
    }

    /// The innermost of those that are wanted.
    pub(crate) fn innermost_of(&self, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        self.axes_from_inside().into_iter().find(|&axis| wanted(axis))
    }

    /// The axes with more than one element in memory, the innermost first.
    pub(crate) fn axes_from_inside(&self) -> Vec<usize> {
        let several = |&axis: &usize| self.shape[axis] > 1 && self.strides[axis] != 0;
        let mut axes: Vec<usize> = (0..self.shape.len()).filter(several).collect();
        axes.sort_by_key(|&axis| self.strides[axis].abs());
        axes
    }

    /// A block's part of an array like this in shared memory: all of these axes, in C order, and a run of another
    /// one as the last axis, if there is one. Each row is a little longer so that columns meet all banks.
    pub(crate) fn part(&self, axes: &[usize], run: Option<Run>) -> Array {
        let unit = self.parts() as i64;
        let inner = run.filter(|run| run.is_inner).map_or(1, |run| run.count);
        let (mut strides, mut stride) = (vec![0; self.shape.len()], unit * inner as i64);
        for (i, axis) in (0..self.shape.len()).rev().filter(|axis| axes.contains(axis)).enumerate() {
            strides[axis] = stride;
            let row = stride * self.shape[axis] as i64;
            stride = match i {
                // Even, so that pairs of reals stay pairs.
                0 if inner == 1 => row + 2 + row % 2,
                // An odd number of runs.
                0 => stride * (self.shape[axis] | 1) as i64,
                _ => row,
            };
        }
        if let Some(run) = run {
            strides[self.shape.len() - 1] = if run.is_inner { unit } else { stride + stride % 2 };
        }
        Array { offset: 0, strides, shared: true, slabs: None, ..self.clone() }
    }

    /// A block's part with so many more reals to the next element of the axis that is number `level` from inside, and of
    /// those outside it.
    pub(crate) fn with_gap(mut self, level: usize, gap: i64) -> Array {
        let axes = self.axes_from_inside();
        let Some(&first) = axes.get(level) else { return self };
        let step = self.strides[first];
        for axis in &axes[level..] {
            self.strides[*axis] = self.strides[*axis] / step * (step + gap) + self.strides[*axis] % step;
        }
        self
    }

    /// The slabs into which an axis is cut.
    pub(crate) fn slabs_of(&self, axis: usize) -> Option<Slabs> {
        self.slabs.filter(|(cut, _)| *cut == axis).map(|(_, slabs)| slabs)
    }

    /// From one of `count` equal pieces of an axis to the next.
    fn slab_step(&self, axis: usize, count: usize) -> i64 {
        let gap = self.slabs_of(axis).map_or(0, |slabs| slabs.gap);
        (self.shape[axis] / count) as i64 * self.strides[axis] + gap
    }

    fn side(&self, axis: usize) -> Side {
        let slabs = self.slabs_of(axis);
        Side { offset: self.offset, stride: self.strides[axis], complex: self.complex, shared: self.shared, slabs }
    }

    /// The farthest real from the start.
    pub(crate) fn extent(&self) -> i64 {
        let steps = self.shape.iter().zip(&self.strides).map(|(n, s)| (*n as i64 - 1) * s.abs());
        let gaps = self.slabs.map_or(0, |(axis, slabs)| ((self.shape[axis] - 1) / slabs.length) as i64 * slabs.gap);
        self.offset + steps.sum::<i64>() + gaps + 1
    }
}

impl Geometry {
    /// The lines along `axis`, two neighbours on axis `pair` as one; both arrays have the same
    /// lengths along the other axes. Those that are one in memory are merged.
    pub(crate) fn new(axis: usize, pair: Option<usize>, input: &Array, output: &Array) -> Geometry {
        let (mut axes, mut packed): (Vec<Across>, _) = (vec![], None);
        for a in others(axis, input, output) {
            let mut next = Across { size: input.shape[a], input: input.strides[a], output: output.strides[a] };
            // A slab's part of the lines, and then all slabs.
            let count = input.slabs_of(a).or(output.slabs_of(a)).map_or(1, |slabs| next.size / slabs.length);
            let [from, to] = [input, output].map(|array| array.slab_step(a, count));
            if pair == Some(a) {
                let stride = axes.iter().map(|axis| axis.size).product();
                packed = Some(Pair { across: next, stride, distance: 1 });
                next = Across { size: next.size.div_ceil(2), input: 2 * next.input, output: 2 * next.output };
            }
            next.size /= count;
            let slabs = (count > 1).then_some(Across { size: count, input: from, output: to });
            for next in [Some(next), slabs].into_iter().flatten() {
                match axes.last_mut() {
                    Some(last) if last.continues(&next) => last.size *= next.size,
                    _ => axes.push(next),
                }
            }
        }
        Geometry { input: input.side(axis), output: output.side(axis), axes, pair: packed }
    }

    /// The indices of the lines of [`Geometry::new`] on all axes but `axis`, in order.
    pub(crate) fn indices(axis: usize, pair: Option<usize>, input: &Array, output: &Array) -> Vec<LineIndex> {
        let mut list = vec![LineIndex { stride: 1, size: 1, packed: false }; input.shape.len()];
        let mut stride = 1;
        for a in others(axis, input, output) {
            let (size, packed) = (input.shape[a], pair == Some(a));
            list[a] = LineIndex { stride, size, packed };
            stride *= if packed { size.div_ceil(2) } else { size };
        }
        list
    }

    pub(crate) fn lines(&self) -> usize {
        self.axes.iter().map(|axis| axis.size).product()
    }

    /// Bytes from a line to the next, those of a complex number at most.
    pub(crate) fn line_bytes(&self, storage: Storage) -> usize {
        let reals = self.axes.first().map_or(1, |axis| axis.output.unsigned_abs().min(axis.input.unsigned_abs()));
        (reals as usize).clamp(1, 2) * storage.bytes()
    }

    /// Whether the same reals of neighbours that may be packed as one are a pair of memory, on a side
    /// on which axes have such steps.
    pub(crate) fn has_pairs_of_memory(&self, side: &Side, step: impl Fn(&Across) -> i64) -> bool {
        let Some(pair) = self.pair else { return false };
        let even = |stride: i64| stride % 2 == 0;
        !side.complex
            && step(&pair.across) == 1
            && pair.across.size % 2 == 0
            && even(side.offset)
            && even(side.stride)
            && side.slabs.is_none_or(|slabs| even(slabs.gap))
            && self.axes.iter().all(|axis| even(step(axis)))
    }

    /// Whether lines at a distance may be packed as one, and neighbours gain nothing: these are next to
    /// each other in memory, but not pairs of it on both sides.
    pub(crate) fn may_pair_at_distance(&self) -> bool {
        let (Some(pair), Some(first)) = (self.pair, self.axes.first()) else { return false };
        let in_memory = [&self.input, &self.output].iter().all(|side| !side.complex && !side.shared);
        let unmerged = pair.stride == 1 && first.size == pair.across.size.div_ceil(2);
        let pairs = self.has_pairs_of_memory(&self.input, |axis| axis.input)
            && self.has_pairs_of_memory(&self.output, |axis| axis.output);
        in_memory && unmerged && [pair.across.input, pair.across.output] == [1; 2] && !pairs
    }

    /// The length of the output's lines, `n`, if these are reals that follow each other in memory; else 0.
    pub(crate) fn output_row(&self, n: usize) -> usize {
        let (side, n) = (&self.output, n as i64);
        let packed = self.pair.is_none_or(|pair| pair.across.output == n);
        let step = if self.pair.is_some() { 2 * n } else { n };
        let follow = matches!(*self.axes, [axis] if axis.output == step);
        let is_plain = side.stride == 1 && !side.complex && !side.shared && side.slabs.is_none();
        if is_plain && packed && follow { n as usize } else { 0 }
    }

    /// How many lines follow each other in the output, if they do ([`Geometry::output_row`]): two that are packed as
    /// one count as two, but for the last one of an odd number, which is packed with itself.
    pub(crate) fn output_lines(&self) -> usize {
        match self.pair {
            Some(pair) if pair.across.size % 2 == 1 => pair.across.size,
            Some(_) => 2 * self.lines(),
            None => self.lines(),
        }
    }

    /// That of so many lines of a block, whose rows of `n` reals stand in shared memory from `offset` on.
    pub(crate) fn of_rows(&self, lines: usize, n: usize, offset: usize) -> Geometry {
        let across = |size: usize, reals: usize| Across { size, input: 0, output: reals as i64 };
        let packed = if self.pair.is_some() { 2 } else { 1 };
        let pair = self.pair.map(|_| Pair { across: across(2 * lines, n), stride: 1, distance: 1 });
        let output = Side { offset: offset as i64, shared: true, ..self.output };
        Geometry { output, axes: vec![across(lines, packed * n)], pair, ..self.clone() }
    }

    /// Whether neighbouring lines are closer in memory than the elements of one.
    pub(crate) fn across(&self) -> bool {
        let closer =
            |axis: &Across| axis.output.abs() < self.output.stride.abs() || axis.input.abs() < self.input.stride.abs();
        self.axes.first().is_some_and(closer)
    }
}

/// The axes across the lines along `axis`, the innermost first; those of one element do not count.
fn others(axis: usize, input: &Array, output: &Array) -> Vec<usize> {
    let mut others: Vec<_> = (0..input.shape.len()).filter(|&a| a != axis && input.shape[a] > 1).collect();
    // Which part of an array a block has must not depend on the pass.
    let across_parts = |a: usize| input.shared && input.strides[a] == 0 || output.shared && output.strides[a] == 0;
    others.sort_by_key(|&a| match across_parts(a) {
        true => (true, (input.shape.len() - a) as u64, 0),
        false => (false, output.strides[a].unsigned_abs(), input.strides[a].unsigned_abs()),
    });
    others
}

impl Across {
    fn continues(&self, next: &Across) -> bool {
        let size = self.size as i64;
        next.input == self.input * size && next.output == self.output * size
    }
}

/// Axes that are `free` and continue each other in both arrays become one, which is the inner one.
pub(crate) fn merge_axes(arrays: &mut [Array; 2], free: impl Fn(usize) -> bool) {
    if arrays.iter().any(|array| array.slabs.is_some()) {
        return;
    }
    let axes: Vec<usize> = (0..arrays[0].shape.len()).filter(|axis| free(*axis)).collect();
    for &inner in axes.iter().rev() {
        for &outer in axes.iter().rev() {
            let continues = |array: &Array| array.strides[outer] == array.strides[inner] * array.shape[inner] as i64;
            if outer != inner && arrays.iter().all(|array| array.shape[outer] > 1 && continues(array)) {
                for array in arrays.iter_mut() {
                    array.shape[inner] *= std::mem::replace(&mut array.shape[outer], 1);
                }
            }
        }
    }
}

/// Whether places in the arrays need 64 bits.
pub(crate) fn wide(arrays: [&Array; 2]) -> bool {
    arrays.iter().any(|array| array.extent() > i64::from(i32::MAX))
}
