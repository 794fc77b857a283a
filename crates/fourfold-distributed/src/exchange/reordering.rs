//! The pieces of an exchange that reorders a long signal or its terms.

use crate::exchange::piece::{Piece, PieceAxis};
use crate::recipe::reorder::Reorder;
use crate::recipe::subject::Subject;
use fourfold::engine::Transform1d;

/// Which elements before and after an exchange belong together. Pairs are neighbouring reals. In memory, k₁ is
/// the fastest index on both sides, and the last one of a piece.
pub(crate) fn pieces(reorder: Reorder, subject: &Subject) -> Vec<Piece> {
    let [rows, columns] = subject.matrix();
    let is_sine = subject
        .long_signal()
        .is_some_and(|signal| matches!(signal.transforms()[0].transform1d, Transform1d::Dst2 | Transform1d::Dst3));
    match reorder {
        Reorder::EvenOdd => even_odd(rows, columns),
        Reorder::FromEvenOdd => even_odd(rows, columns).into_iter().map(inverse).collect(),
        Reorder::TermPairs => pairs(rows, columns).into_iter().map(|piece| terms(piece, 0, is_sine, subject)).collect(),
        Reorder::FromTermPairs => {
            from_pairs(rows, columns).into_iter().map(|piece| terms(piece, 1, is_sine, subject)).collect()
        }
    }
}

fn inverse(piece: Piece) -> Piece {
    piece.into_iter().map(PieceAxis::inverse).collect()
}

/// The piece with the terms of one side from the end, if they are those of sines.
fn terms(piece: Piece, side: usize, is_sine: bool, subject: &Subject) -> Piece {
    let [rows, columns] = subject.matrix();
    let lengths = [columns, rows];
    let from_end = |axis: PieceAxis| {
        let last = lengths[axis.axes[side]] - 1;
        axis.along(side, last - axis.starts[side], -axis.steps[side])
    };
    if is_sine { piece.into_iter().map(from_end).collect() } else { piece }
}

fn even_odd(rows: usize, columns: usize) -> Vec<Piece> {
    let [row, column] = [PieceAxis::new(rows / 2, [0, 0]), PieceAxis::new(columns, [1, 1])];
    vec![
        vec![row, column.along(0, 1, 2)],
        vec![row.along(1, rows - 1, -1), column.along(0, 0, 2).along(1, columns - 1, -1)],
    ]
}

/// Terms with k₁ below ⌊N₁/2⌋ + 1 are real parts, and the others imaginary parts.
fn from_pairs(rows: usize, columns: usize) -> Vec<Piece> {
    let half = rows / 2 + 1;
    let others = rows - half;
    let (column, row) = (PieceAxis::new(columns, [1, 0]), |count: usize| PieceAxis::new(count, [0, 1]));
    vec![
        vec![column, row(half).along(0, 0, 2)],
        vec![column.along(0, columns - 1, -1), row(others).along(0, 2 * others + 1, -2).along(1, half, 1)],
    ]
}

/// Rows 0 and N₁/2 have both terms of a pair twice.
fn pairs(rows: usize, columns: usize) -> Vec<Piece> {
    let half = rows / 2 + 1;
    let column = |count: usize| PieceAxis::new(count, [0, 1]).along(0, columns - 1, -1);
    let row = |count: usize| PieceAxis::new(count, [1, 0]);
    let first = row(1).along(1, 1, 2);
    vec![
        vec![PieceAxis::new(columns, [0, 1]), row(half).along(1, 0, 2)],
        vec![column(columns), row(half - 1).along(0, rows - 1, -1).along(1, 3, 2)],
        vec![column(columns - 1).along(1, 1, 1), first],
        vec![PieceAxis::new(1, [0, 1]), first],
    ]
}
