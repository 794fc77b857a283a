//! Numbers of the tables: three significant digits, since times of the same problem differ by
//! several percent from one measurement to the next.

use std::fmt::Write;

/// A quantity with a unit, such as milliseconds: `0.0123`, `1.00`, `98800`.
pub(crate) fn digits(x: f64) -> String {
    significant(x, 9)
}

/// A quotient: at most two decimals, as in `0.05`, `1.76` and `129`.
pub(crate) fn ratio(x: f64) -> String {
    significant(x, 2)
}

/// Three significant digits, but at most so many decimals.
fn significant(x: f64, most: usize) -> String {
    let mut text = String::new();
    // The exponent is that of the number when it is rounded: 9.996 is 10.0.
    let rounded = format!("{x:.2e}");
    let Some((_, exponent)) = rounded.split_once('e') else { return rounded };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let _ = match exponent {
        ..=2 => write!(text, "{x:.*}", usize::try_from(2 - exponent).unwrap_or(0).min(most)),
        _ => write!(text, "{}", rounded.parse().unwrap_or(x)),
    };
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let times = [0.012345, 1.0, 9.996, 123.456, 999.6, 98765.4, 0.0000123456].map(digits);
        assert_eq!(times, ["0.0123", "1.00", "10.0", "123", "1000", "98800", "0.0000123"]);
        assert_eq!([0.0, 1e-12].map(digits), ["0.00", "0.000000000"]);
        let ratios = [0.0512, 0.7, 1.755, 22.917, 128.54, 8538.99, f64::INFINITY].map(ratio);
        assert_eq!(ratios, ["0.05", "0.70", "1.75", "22.9", "129", "8540", "inf"]);
        assert_eq!(ratio(f64::NAN), "NaN");
    }
}
