//! Places in the buffers of lines.

use crate::desc::kernel::{Digit, Packing};
use crate::desc::stage::{Port, View};
use crate::ir::statement::{Array, Int, Sym, int};
use crate::ir::trace::select;
use crate::write::writer::{Subline, Writer, divide};
use fourfold::engine::C;

/// `count` places from `base` on, `step` apart; `base` modulo `step · count` is less than `step`.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) base: Int,
    pub(crate) step: usize,
    pub(crate) count: usize,
}

/// Where a complex number is: in the memory of which block of the cluster, if it is there, and
/// where.
#[derive(Clone, Copy)]
pub(crate) struct Address {
    peer: Int,
    pub(crate) at: Int,
}

impl From<Int> for Address {
    fn from(at: Int) -> Address {
        Address { peer: int(0), at }
    }
}

impl Address {
    /// `x` where a < b, else `y`, in the block's own memory.
    pub(crate) fn select(a: Int, b: Int, x: Address, y: Address) -> Address {
        select(a, b, x.at, y.at).into()
    }
}

impl Writer<'_> {
    /// Addresses of a run of places of the subline: in the buffer, or elements of an array, which
    /// stand in order.
    pub(crate) fn addresses(&self, port: &Port, line: Subline, run: Run) -> Vec<Address> {
        let place = |j: usize| run.base + (j * run.step) as i64;
        let each = |address: &dyn Fn(usize) -> Int| (0..run.count).map(|j| address(j).into()).collect();
        match port {
            Port::Buffer if self.keeps_step(&run) => {
                let first = self.shared_at(line, run.base);
                let step = self.desc.padded(run.step) * if self.desc.interleaved() { self.desc.tile } else { 1 };
                each(&|j| first + (j * step) as i64)
            }
            Port::Buffer => each(&|j| self.shared_at(line, place(j))),
            Port::Cluster => self.at_frequencies(line, run),
            Port::ClusterSlices if self.is_across_cluster() => self.own_cluster_slice(line, run),
            Port::ClusterSlices => self.in_cluster_slices(line, run),
            Port::Scratch => each(&|j| self.scratch(line, place(j))),
            Port::Array(View { of_four: true, .. }) => self.numbers(line, run),
            Port::Array(_) => each(&|j| self.element(line, place(j))),
        }
    }

    /// Elements 3t + s as the numbers 4t + s; of pairs, which have 2t and 2t + 1 for t, as 8t + s.
    fn numbers(&self, line: Subline, run: Run) -> Vec<Address> {
        if self.desc.packing == Packing::Quarters {
            return self.odd_numbers(self.element(line, run.base), run);
        }
        let skipped = if self.desc.packing == Packing::HalfLength { 5 } else { 1 };
        let number = |element: Int| element + element / 3 * skipped;
        let step = run.step * self.desc.after();
        if step % 3 != 0 {
            return (0..run.count)
                .map(|j| number(self.element(line, run.base + (j * run.step) as i64)).into())
                .collect();
        }
        let first = number(self.element(line, run.base));
        (0..run.count).map(|j| (first + (j * (step + step / 3 * skipped as usize)) as i64).into()).collect()
    }

    /// All values of the first digit: those of j and r − j are in one block, so are those of 0 and
    /// r/2.
    fn at_frequencies(&self, line: Subline, run: Run) -> Vec<Address> {
        let first = self.shared_at(line, run.base);
        let mirror = first + self.buffers.hermitian_offset() as i64;
        let half = run.count / 2;
        let peer = |j: usize| int(j.min(run.count - j) % half);
        (0..run.count).map(|j| Address { peer: peer(j), at: if j < half { first } else { mirror } }).collect()
    }

    /// Values of the second digit, where the blocks are that have slices of the others: its value
    /// of the first digit is the line's frequency.
    fn in_cluster_slices(&self, line: Subline, run: Run) -> Vec<Address> {
        let (slice, cluster) = (self.desc.cluster_slice(), self.desc.cluster);
        let low = line.frequency - line.half * cluster as i64;
        let address = |(peer, rest): (Int, Int)| Address { peer, at: self.shared_at(line, low * slice as i64 + rest) };
        let divided = |j: usize| {
            let place = run.base + (j * run.step) as i64;
            (place / slice as i64, place % slice as i64)
        };
        // Slices that are whole steps: the same, known now.
        let whole = |j: usize| (int(j * run.step / slice), run.base + (j * run.step % slice) as i64);
        (0..run.count).map(|j| address(if slice % run.step == 0 { whole(j) } else { divided(j) })).collect()
    }

    /// All values of the first digit, in the block's own memory.
    fn own_cluster_slice(&self, line: Subline, run: Run) -> Vec<Address> {
        let (slice, cluster) = (self.buffers.cluster_slice(), self.buffers.cluster);
        let rest = run.base - self.rank * slice as i64;
        let address = |j: usize| {
            let place = rest + (j % cluster * slice) as i64;
            (self.shared_at(line, place) + (j / cluster * self.buffers.hermitian_offset()) as i64).into()
        };
        (0..run.count).map(address).collect()
    }

    /// Whether the padding grows evenly along the run: either every step adds the same, or none
    /// adds any.
    fn keeps_step(&self, run: &Run) -> bool {
        let even = |every: usize| run.step % every == 0 || every % (run.step * run.count) == 0;
        let is_regular = |every: usize| run.step % every == 0 || run.step < every;
        self.desc.paddings().all(|every| even(every) && is_regular(every))
    }

    /// Where a place of the subline is in shared memory, in complex numbers.
    fn shared_at(&self, line: Subline, place: Int) -> Int {
        let desc = self.buffers;
        let at = desc.paddings().fold(place, |at, every| at + place / every as i64);
        if desc.interleaved() {
            at * desc.tile as i64 + line.slot
        } else {
            at + line.slot * desc.slot_elements() as i64
        }
    }

    /// The same in device memory, where whole lines are.
    fn scratch(&self, line: Subline, place: Int) -> Int {
        let desc = self.desc;
        let at = self.element(line, place) + self.before(line) * (desc.length() * desc.after()) as i64;
        if !desc.across {
            return at + line.number * desc.places() as i64;
        }
        let (near, others) = divide(line.number, desc.near, desc.lines / desc.near);
        (at + others * desc.places() as i64) * desc.near as i64 + near
    }

    /// The element of a signal that stands at a place of the subline.
    fn element(&self, line: Subline, place: Int) -> Int {
        place * self.desc.after() as i64 + line.after
    }

    /// The complex number at an address that [`Writer::addresses`] gave; `range` bounds the element
    /// of an array.
    pub(crate) fn load(&self, port: &Port, line: Subline, Address { at, .. }: Address, range: [usize; 2]) -> C<Sym> {
        match port {
            Port::Cluster => unreachable!("the cluster's memory is written, and read at home"),
            Port::Buffer | Port::ClusterSlices => Array::Shared.load_pair(at),
            Port::Scratch => Array::Scratch.load_pair(at),
            Port::Array(view) => self.read(view, line, at, range),
        }
    }

    pub(crate) fn store(
        &self,
        port: &Port,
        line: Subline,
        Address { peer, at }: Address,
        range: [usize; 2],
        z: C<Sym>,
    ) {
        match port {
            Port::Cluster | Port::ClusterSlices => Array::Peer(peer).store_pair(at, z),
            Port::Buffer => Array::Shared.store_pair(at, z),
            Port::Scratch => Array::Scratch.store_pair(at, z),
            Port::Array(view) => self.write(view, line, at, range, z),
        }
    }

    pub(crate) fn load_at(&self, port: &Port, line: Subline, place: Int, range: [usize; 2]) -> C<Sym> {
        self.load(port, line, self.address_of(port, line, place), range)
    }

    pub(crate) fn store_at(&self, port: &Port, line: Subline, place: Int, range: [usize; 2], z: C<Sym>) {
        self.store(port, line, self.address_of(port, line, place), range, z);
    }

    pub(crate) fn address_of(&self, port: &Port, line: Subline, place: Int) -> Address {
        self.addresses(port, line, Run { base: place, step: 1, count: 1 })[0]
    }

    /// The place of a frequency: its digits reversed.
    pub(crate) fn place_of(&self, k: Int, digits: &[Digit]) -> Int {
        let (mut place, mut rest) = (int(0), k);
        for (i, digit) in digits.iter().enumerate() {
            let weight: usize = digits[i + 1..].iter().map(|digit| digit.room).product();
            let last = i + 1 == digits.len();
            let value = if last { rest } else { rest % digit.radix as i64 };
            place = place + value * weight as i64;
            rest = rest / digit.radix as i64;
        }
        place
    }
}
