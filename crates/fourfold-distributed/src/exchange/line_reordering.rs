//! The pieces of an exchange between a matrix and a long signal in one line, or its terms.

use crate::exchange::line::{LineAxis, LinePiece};
use crate::recipe::real_form::RealForm;
use crate::recipe::reorder::Reorder;
use crate::recipe::subject::Subject;

/// Which elements before and after the exchange belong together, if one side of it is a line.
pub(crate) fn line_pieces(reorder: Reorder, subject: &Subject) -> Option<Vec<LinePiece>> {
    let matrix @ [rows, columns] = subject.matrix().map(|length| length as isize);
    let form = subject.real_form();
    // The signal of odd extensions has v_1 as its first element.
    let first = isize::from(form == Some(RealForm::Extended { odd: true }));
    let is_sine = form == Some(RealForm::Centered { sine: true });
    Some(match reorder {
        Reorder::Extend => extend(matrix, first),
        Reorder::FromExtension => terms(matrix, first, 1),
        Reorder::Centered => vec![
            piece(0, 0, (0..columns, 1, 2), (0..rows, 0, 2 * columns)),
            piece(0, 2 * rows * columns - 1, (0..columns, 1, -2), (0..rows, 0, -2 * columns)),
        ],
        Reorder::FromCentered => from_centered(matrix, is_sine),
        Reorder::HalfSpectrum => {
            let [direct, _] = two_terms(matrix, 0, 0);
            let half = rows * columns;
            let all = piece(0, half, (0..rows / 2 + 1, 0, -1), (0..columns, 1, -rows));
            // The term N/2 has itself as partner.
            vec![direct, LinePiece { end: (half + 1) / 2, ..all }]
        }
        Reorder::FromHalfSpectrum => terms(matrix, 0, 1),
        _ => return None,
    })
}

type Along = (std::ops::Range<isize>, usize, isize);

/// A piece whose signal is on a side, with the faster axis of the signal, and the slower one: indices of the
/// matrix along an axis of it, and the step in the signal.
fn piece(side: usize, start: isize, fast: Along, slow: Along) -> LinePiece {
    let axis = |(range, axis, step): Along| {
        LineAxis::new(range.start.unsigned_abs()..range.end.max(range.start).unsigned_abs(), axis, step)
    };
    LinePiece { side, start, end: isize::MAX, axes: [axis(slow), axis(fast)] }
}

/// The signal as the columns of its extension. The first rows have v_m with m = N₂(n₁ + 1) − n₂, and the others
/// v_{L−m}.
fn extend([rows, columns]: [isize; 2], first: isize) -> Vec<LinePiece> {
    let (width, half) = (columns / 2 + 1, rows / 2);
    let last = rows * columns - columns * (half + 1) - first;
    let mut pieces = vec![
        piece(0, columns - first, (0..width, 1, -1), (0..half, 0, columns)),
        piece(0, last, (0..width, 1, 1), (half..rows, 0, -columns)),
    ];
    if first == 1 {
        // Both ends of the signal, where v_0 and v_{L/2} are.
        let [zero, middle] = ends([rows, columns]);
        let one =
            |start: isize, [row, column]: [isize; 2]| piece(0, start, (column..column + 1, 1, 1), (row..row + 1, 0, 1));
        pieces.extend([one(0, zero), one(rows * columns / 2 - 2, middle)]);
    }
    pieces
}

/// The places of v_0 and v_{L/2} in the columns of an extension.
pub(crate) fn ends([rows, columns]: [isize; 2]) -> [[isize; 2]; 2] {
    let middle = if rows % 2 == 0 { [rows / 2 - 1, 0] } else { [rows / 2, columns / 2] };
    [[rows - 1, 0], middle]
}

/// The terms k, of which `first` is the first one, as those of the rows k₁ ≤ N₁/2 or as N − k.
fn terms(matrix: [isize; 2], first: isize, side: usize) -> Vec<LinePiece> {
    two_terms(matrix, first, side).into()
}

fn two_terms([rows, columns]: [isize; 2], first: isize, side: usize) -> [LinePiece; 2] {
    [
        piece(side, -first, (0..rows / 2 + 1, 0, 1), (0..columns, 1, rows)),
        piece(side, rows * columns - 1 - first, (1..(rows + 1) / 2, 0, -1), (0..columns, 1, -rows)),
    ]
}

/// The real part of pair k is term h − k for k ≤ h, and else term k − h − 1. The imaginary part is as far on the
/// other side of h. Sines are from the end. Row 0 has all pairs twice, of which k ≤ h are used.
fn from_centered([rows, columns]: [isize; 2], is_sine: bool) -> Vec<LinePiece> {
    let h = rows * columns / 2;
    let pairs =
        |part: usize, range: std::ops::Range<isize>, columns: std::ops::Range<isize>, start: isize, sign: isize| {
            let (start, sign) = if is_sine { (2 * h - start, -sign) } else { (start, sign) };
            let at = start + sign * (range.start + rows * columns.start);
            let mut one = piece(1, at, (range, 0, sign), (columns, 1, sign * rows));
            one.axes[1] = one.axes[1].of_pairs(part);
            one
        };
    let (others, all) = (1..rows / 2 + 1, 0..columns);
    vec![
        pairs(0, others.clone(), all.clone(), h, -1),
        pairs(1, others.clone(), all.clone(), h, 1),
        pairs(0, others.clone(), all.clone(), -h - 1, 1),
        pairs(1, others, all.clone(), 3 * h + 1, -1),
        pairs(0, 0..1, 0..(columns + 1) / 2, h, -1),
        pairs(1, 0..1, 1..(columns + 1) / 2, h, 1),
    ]
}
