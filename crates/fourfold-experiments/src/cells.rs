//! Cells of tables.

/// A number with four significant digits.
pub(crate) fn digits(x: f64) -> String {
    let before_point = x.abs().max(1e-9).log10().floor() as i32;
    format!("{x:.*}", (3 - before_point).clamp(0, 9) as usize)
}

/// A factor such as `1.76`.
pub(crate) fn ratio(x: f64) -> String {
    format!("{x:.2}")
}

pub(crate) fn strings(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        assert_eq!([0.012345, 1.0, 123.456, 98765.4].map(digits), ["0.01235", "1.000", "123.5", "98765"]);
    }
}
