//! The pieces of an exchange that reorders a long signal or its terms.

use crate::exchange::line_reordering::line_pieces;
use crate::exchange::piece::{Piece, PieceAxis, Pieces};
use crate::recipe::real_form::{RealForm, TermMap};
use crate::recipe::reorder::Reorder;
use crate::recipe::subject::Subject;

/// Which elements before and after an exchange belong together. Pairs are neighbouring reals. The last axis
/// of a piece has neighbours on both sides.
pub(crate) fn pieces(reorder: Reorder, subject: &Subject) -> Pieces {
    if let Some(lines) = line_pieces(reorder, subject) {
        return Pieces::OfLine(lines);
    }
    let matrix @ [rows, columns] = subject.matrix();
    let map = match subject.real_form() {
        Some(RealForm::TermPairs { map, .. }) => map,
        _ => TermMap::Ascending,
    };
    Pieces::OfMatrices(match reorder {
        Reorder::EvenOdd => even_odd(rows, columns),
        Reorder::FromEvenOdd => even_odd(rows, columns).into_iter().map(inverse).collect(),
        Reorder::TermPairs => pairs(rows, columns).into_iter().flat_map(|piece| terms(piece, 0, map, matrix)).collect(),
        Reorder::FromTermPairs => {
            from_pairs(rows, columns).into_iter().flat_map(|piece| terms(piece, 1, map, matrix)).collect()
        }
        Reorder::Ends => ends(rows, columns),
        _ => from_ends(rows, columns),
    })
}

fn inverse(piece: Piece) -> Piece {
    piece.into_iter().map(PieceAxis::inverse).collect()
}

/// The piece with the terms of one side at their indices. That side is the matrix N₂×N₁ of terms.
fn terms(piece: Piece, side: usize, map: TermMap, [rows, columns]: [usize; 2]) -> Vec<Piece> {
    let lengths = [columns, rows];
    let axis_of = |axis: &PieceAxis| axis.axes[side];
    let reversed = |axis: PieceAxis, end: usize| axis.along(side, end - axis.starts[side], -axis.steps[side]);
    let all_reversed =
        |piece: &Piece| piece.iter().map(|axis| reversed(*axis, lengths[axis_of(axis)] - 1)).collect::<Piece>();
    match map {
        TermMap::Ascending => vec![piece],
        TermMap::Descending => vec![all_reversed(&piece)],
        TermMap::Shifted => {
            // k₁ ≠ 0 becomes N₁ − k₁, and then k₂ becomes N₂ − 1 − k₂. For k₁ = 0 and k₂ ≠ 0, k₂ becomes N₂ − k₂.
            let shifted = |piece: &Piece, axis: usize| {
                let by = |one: &PieceAxis| reversed(*one, lengths[axis_of(one)] - usize::from(axis_of(one) != axis));
                piece.iter().map(by).collect::<Piece>()
            };
            let [zero, others] = split(&piece, side, 1);
            let [first, column] = split(&zero, side, 0);
            let column = column.iter().map(|one| if axis_of(one) == 0 { reversed(*one, columns) } else { *one });
            // A factor of 0 makes term 0 of any element. Element 0 may be infinite, since no term depends on it.
            let last = |one: &PieceAxis| if side == 0 { one.along(0, lengths[axis_of(one)] - 1, 1) } else { *one };
            vec![shifted(&others, 1), first.iter().map(last).collect(), column.collect()]
        }
    }
}

/// The parts of a piece whose index along an axis is 0, and is not.
fn split(piece: &Piece, side: usize, axis: usize) -> [Piece; 2] {
    let part = |is_zero: bool| {
        let cut = |one: &PieceAxis| {
            if one.axes[side] != axis { *one } else { one.only(side, if is_zero { 0..1 } else { 1..usize::MAX }) }
        };
        piece.iter().map(cut).collect::<Piece>()
    };
    [part(true), part(false)]
}

/// x_{2n+1} is v_n, and x_{2n} is v_{N−1−n}. n = N₂n₁ + n₂ is in an even row of x if n₂ is in the first half of v's
/// row, and else in the next one.
fn even_odd(rows: usize, columns: usize) -> Vec<Piece> {
    let piece = |row: usize, column: usize, count: usize, start: usize, is_odd: bool| {
        let lines = PieceAxis::new((rows + 1 - row) / 2, [0, 0]).along(0, row, 2);
        let along = PieceAxis::new(count, [1, 1]).along(0, start, 2);
        if is_odd {
            vec![lines, along.along(1, column, 1)]
        } else {
            vec![lines.along(1, rows - 1, -1), along.along(1, (columns - 1).saturating_sub(column), -1)]
        }
    };
    let (less, more) = (columns / 2, columns.div_ceil(2));
    vec![
        piece(0, 0, less, 1, true),
        piece(1, less, more, 2 * less + 1 - columns.min(2 * less + 1), true),
        piece(0, 0, more, 0, false),
        piece(1, more, less, 2 * more - columns, false),
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

/// x_{N−1−2n} is a real part, and x_{2n} an imaginary part.
fn ends(rows: usize, columns: usize) -> Vec<Piece> {
    let (row, column) = (PieceAxis::new(rows, [0, 0]), PieceAxis::new(columns, [1, 1]));
    vec![
        vec![row.along(0, rows - 1, -1), column.along(0, 2 * columns - 1, -2).along(1, 0, 2)],
        vec![row, column.along(0, 0, 2).along(1, 1, 2)],
    ]
}

/// The real part of term k is y_{2k}, and the imaginary part y_{N−1−2k}.
fn from_ends(rows: usize, columns: usize) -> Vec<Piece> {
    let (column, row) = (PieceAxis::new(columns, [1, 0]), PieceAxis::new(rows, [0, 1]));
    vec![
        vec![column, row.along(0, 0, 2).along(1, 0, 2)],
        vec![column.along(1, columns - 1, -1), row.along(0, 1, 2).along(1, 2 * rows - 1, -2)],
    ]
}
