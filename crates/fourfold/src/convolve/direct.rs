//! Direct sums over the elements of a kernel.

use crate::convolve::tiles::TiledAxis;
use crate::problem::float::Float;

/// The elements of a kernel that are summed in one trip over the output.
const TAPS: usize = 4;

/// Writes the output of a tile as Σ_j h_j x_{n−j}. `tile` has the elements that the output needs,
/// with axes of these lengths.
pub(crate) fn convolve<T: Float>(axes: &[TiledAxis], lengths: &[usize], kernel: &[T], tile: &[T], output: &mut [T]) {
    output.fill(T::default());
    add(axes, lengths, kernel, tile, output);
}

/// Adds the sums to the output.
fn add<T: Float>(axes: &[TiledAxis], lengths: &[usize], kernel: &[T], tile: &[T], output: &mut [T]) {
    let (axis, rest) = axes.split_first().expect("a tile has an axis");
    if rest.is_empty() {
        return add_line(kernel, tile, output);
    }
    let (step, inner) = (tile.len() / lengths[0], kernel.len() / axis.kernel);
    let outputs: usize = rest.iter().map(|axis| axis.output).product();
    for (n, output) in output.chunks_mut(outputs).enumerate() {
        for (j, kernel) in kernel.chunks(inner).enumerate() {
            let slab = &tile[(n + axis.kernel - 1 - j) * step..][..step];
            add(rest, &lengths[1..], kernel, slab, output);
        }
    }
}

/// Adds the sums along one line.
fn add_line<T: Float>(kernel: &[T], line: &[T], output: &mut [T]) {
    let count = output.len();
    let from = |j: usize| &line[kernel.len() - 1 - j..][..count];
    let whole = kernel.len() / TAPS * TAPS;
    for j in (0..whole).step_by(TAPS) {
        let [a, b, c, d] = [0, 1, 2, 3].map(|tap| from(j + tap));
        let h = &kernel[j..j + TAPS];
        for (n, y) in output.iter_mut().enumerate() {
            *y = *y + ((h[0] * a[n] + h[1] * b[n]) + (h[2] * c[n] + h[3] * d[n]));
        }
    }
    for j in whole..kernel.len() {
        let (h, x) = (kernel[j], from(j));
        output.iter_mut().zip(x).for_each(|(y, x)| *y = *y + h * *x);
    }
}
