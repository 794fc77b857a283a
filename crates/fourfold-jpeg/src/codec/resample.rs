//! Upsampling and downsampling as in libjpeg (jdsample.c, jcsample.c).
//!
//! libjpeg's "fancy" upsampling by 2 interpolates between the centres of samples: in each direction
//! a sample is 3/4 of the nearer one and 1/4 of the farther one. At the edges the nearer one is
//! repeated.

/// The upsampling of a component to the image's size.
#[derive(Clone, Copy)]
pub(crate) struct Upsampling {
    /// The image's samples for each of the component's, horizontally and vertically.
    pub(crate) across: usize,
    pub(crate) down: usize,
    /// Whether samples are interpolated; else they are repeated.
    fancy: bool,
}

impl Upsampling {
    /// libjpeg's default for a component that is `width` samples wide.
    pub(crate) fn new(across: usize, down: usize, width: usize) -> Upsampling {
        let fancy = match (across, down) {
            (2, 1 | 2) => width > 2,
            (1, 2) => true,
            _ => false,
        };
        Upsampling { across, down, fancy }
    }

    /// Whether rows are interpolated between the component's rows.
    pub(crate) fn interpolates_rows(self) -> bool {
        self.fancy && self.down == 2
    }

    /// Whether each row of the image equals a row of the component.
    pub(crate) fn copies_rows(self) -> bool {
        self.across == 1 && !self.fancy
    }

    /// Upsamples a row of the image into `row`, from the component's nearer row `near` and, if rows
    /// are interpolated, the farther one `far`. `lower` says that the row is the lower one of the
    /// two that are nearest to `near`; it decides how ties round. `sums` is scratch with two more
    /// elements than `near`.
    #[inline(always)]
    pub(crate) fn row(self, near: &[u8], far: &[u8], lower: bool, sums: &mut [u16], row: &mut [u8]) {
        match (self.fancy, self.across, self.down) {
            (true, 1, _) => interpolate_rows(near, far, if lower { 2 } else { 1 }, row),
            (true, _, 1) => {
                weighted_sums::<1, 0>(near, near, sums);
                interpolate_columns::<1, 2, 2>(sums, row);
            }
            (true, ..) => {
                weighted_sums::<3, 1>(near, far, sums);
                interpolate_columns::<8, 7, 4>(sums, row);
            }
            (false, across, _) => repeat(near, across, row),
        }
    }
}

/// row = ⌊(3 near + far + bias) / 4⌋.
#[inline(always)]
fn interpolate_rows(near: &[u8], far: &[u8], bias: u16, row: &mut [u8]) {
    for ((row, &near), &far) in row.iter_mut().zip(near).zip(far) {
        *row = ((3 * u16::from(near) + u16::from(far) + bias) >> 2) as u8;
    }
}

/// sums = NEAR · near + FAR · far, with the first and the last element repeated at the ends.
#[inline(always)]
fn weighted_sums<const NEAR: u16, const FAR: u16>(near: &[u8], far: &[u8], sums: &mut [u16]) {
    let count = near.len();
    let (sums, far) = (&mut sums[..count + 2], &far[..count]);
    for i in 0..count {
        sums[i + 1] = NEAR * u16::from(near[i]) + FAR * u16::from(far[i]);
    }
    sums[0] = sums[1];
    sums[count + 1] = sums[count];
}

/// Two samples from each sum s(i): ⌊(3 s(i) + s(i − 1) + LEFT) / 2^SHIFT⌋ and ⌊(3 s(i) + s(i + 1) +
/// RIGHT) / 2^SHIFT⌋. `sums` has one more element at either end.
#[inline(always)]
fn interpolate_columns<const LEFT: u16, const RIGHT: u16, const SHIFT: u32>(sums: &[u16], row: &mut [u8]) {
    let (pairs, _) = row.as_chunks_mut::<2>();
    let count = pairs.len().min(sums.len() - 2);
    let sums = &sums[..count + 2];
    for i in 0..count {
        let left = (3 * sums[i + 1] + sums[i] + LEFT) >> SHIFT;
        let right = (3 * sums[i + 1] + sums[i + 2] + RIGHT) >> SHIFT;
        pairs[i] = (left | right << 8).to_le_bytes();
    }
}

/// Repeats every sample `across` times.
#[inline(always)]
fn repeat(near: &[u8], across: usize, row: &mut [u8]) {
    for (row, &sample) in row.chunks_mut(across).zip(near) {
        row.fill(sample);
    }
}

/// Downsamples by 2 horizontally, and by 2 vertically if there is a second row: means of 2 or 4
/// samples. In even columns ties round down, in odd columns up (jcsample.c, h2v1 and h2v2).
pub(crate) fn downsample(upper: &[u8], lower: Option<&[u8]>, row: &mut [u8]) {
    let sum = |row: &[u8], i: usize| u16::from(row[2 * i]) + u16::from(row[2 * i + 1]);
    for (i, to) in row.iter_mut().enumerate() {
        let odd = (i % 2) as u16;
        *to = match lower {
            Some(lower) => (sum(upper, i) + sum(lower, i) + 1 + odd) >> 2,
            None => (sum(upper, i) + odd) >> 1,
        } as u8;
    }
}
