//! Rows of samples at other sampling factors, as libjpeg makes them (jdsample.c, jcsample.c): the
//! "fancy" upsampling takes three quarters of the nearer sample and one of the farther, in each
//! direction, and repeats what is at the edges.

/// How many samples of the image a component's sample stands for, and how they are made.
#[derive(Clone, Copy)]
pub(crate) struct Upsampling {
    pub(crate) across: usize,
    pub(crate) down: usize,
    /// Between neighbours, instead of repeating.
    pub(crate) fancy: bool,
}

impl Upsampling {
    /// libjpeg's choice for a component that is `width` samples wide.
    pub(crate) fn new(across: usize, down: usize, width: usize) -> Upsampling {
        let fancy = match (across, down) {
            (2, 1 | 2) => width > 2,
            (1, 2) => true,
            _ => false,
        };
        Upsampling { across, down, fancy }
    }

    /// Whether rows above and below are needed.
    pub(crate) fn needs_neighbours(self) -> bool {
        self.fancy && self.down == 2
    }

    /// Whether the component's rows are the image's as they are.
    pub(crate) fn is_none(self) -> bool {
        self.across == 1 && !self.fancy
    }

    /// A row of the image: its samples are written into `row`, from the component's nearer row and
    /// the farther one. `lower`: the image's row is the lower of those for which the near one
    /// stands. `sums` is scratch of two more than `near`.
    #[inline(always)]
    pub(crate) fn row(self, near: &[u8], far: &[u8], lower: bool, sums: &mut [u16], row: &mut [u8]) {
        match (self.fancy, self.across, self.down) {
            (true, 1, _) => between(near, far, if lower { 2 } else { 1 }, row),
            (true, _, 1) => {
                weigh::<1, 0>(near, near, sums);
                spread::<1, 2, 2>(sums, row);
            }
            (true, ..) => {
                weigh::<3, 1>(near, far, sums);
                spread::<8, 7, 4>(sums, row);
            }
            (false, across, _) => repeat(near, across, row),
        }
    }
}

/// Three quarters of one row and one of another.
#[inline(always)]
fn between(near: &[u8], far: &[u8], bias: u16, row: &mut [u8]) {
    for ((row, &near), &far) in row.iter_mut().zip(near).zip(far) {
        *row = ((3 * u16::from(near) + u16::from(far) + bias) >> 2) as u8;
    }
}

/// NEAR · near + FAR · far, with the first and last once more at the ends.
#[inline(always)]
fn weigh<const NEAR: u16, const FAR: u16>(near: &[u8], far: &[u8], sums: &mut [u16]) {
    let count = near.len();
    let (sums, far) = (&mut sums[..count + 2], &far[..count]);
    for i in 0..count {
        sums[i + 1] = NEAR * u16::from(near[i]) + FAR * u16::from(far[i]);
    }
    sums[0] = sums[1];
    sums[count + 1] = sums[count];
}

/// Two samples of each sum: three times it and the one before, or after, plus a bias, by 2^SHIFT.
#[inline(always)]
fn spread<const LEFT: u16, const RIGHT: u16, const SHIFT: u32>(sums: &[u16], row: &mut [u8]) {
    let (pairs, _) = row.as_chunks_mut::<2>();
    let count = pairs.len().min(sums.len() - 2);
    let sums = &sums[..count + 2];
    for i in 0..count {
        let left = (3 * sums[i + 1] + sums[i] + LEFT) >> SHIFT;
        let right = (3 * sums[i + 1] + sums[i + 2] + RIGHT) >> SHIFT;
        pairs[i] = (left | right << 8).to_le_bytes();
    }
}

/// Every sample `across` times.
#[inline(always)]
fn repeat(near: &[u8], across: usize, row: &mut [u8]) {
    for (row, &sample) in row.chunks_mut(across).zip(near) {
        row.fill(sample);
    }
}

/// Means of pairs in one row or in two, halves rounded down and up in turn.
pub(crate) fn halve(upper: &[u8], lower: Option<&[u8]>, row: &mut [u8]) {
    let sum = |row: &[u8], i: usize| u16::from(row[2 * i]) + u16::from(row[2 * i + 1]);
    for (i, to) in row.iter_mut().enumerate() {
        let odd = (i % 2) as u16;
        *to = match lower {
            Some(lower) => (sum(upper, i) + sum(lower, i) + 1 + odd) >> 2,
            None => (sum(upper, i) + odd) >> 1,
        } as u8;
    }
}
