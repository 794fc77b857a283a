//! Reads the Python dict literal in the header of a `.npy` file, and no other Python.
//!
//! ```text
//! dict  = '{' [ pair { ',' pair } [ ',' ] ] '}'
//! pair  = text ':' value
//! value = text | 'True' | 'False' | tuple
//! tuple = '(' [ whole { ',' whole } [ ',' ] ] ')'
//! text  = a string in single or double quotes, without escapes
//! ```
//!
//! The grammar has no recursion, so no input can exhaust the stack. Records (a list for `descr`)
//! are not part of it.

use anyhow::{Context, Result, bail, ensure};

/// A value of the dict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Text(&'a str),
    Bool(bool),
    Tuple(Vec<usize>),
}

/// Reads a whole dict, which blanks and line ends may follow.
pub(crate) fn dict(text: &str) -> Result<Vec<(&str, Value<'_>)>> {
    let mut cursor = Cursor { rest: text };
    cursor.expect('{')?;
    let pairs = cursor.items('}', |cursor| {
        let key = cursor.text()?;
        cursor.expect(':')?;
        Ok((key, cursor.value(key)?))
    })?;
    cursor.skip_blanks();
    ensure!(cursor.rest.is_empty(), "something follows its end");
    Ok(pairs)
}

/// The text that has not been read yet.
struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
    }

    /// Skips blanks, then reads `token` if it is next.
    fn take(&mut self, token: &str) -> bool {
        self.skip_blanks();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: char) -> Result<()> {
        ensure!(self.take(token.encode_utf8(&mut [0; 4])), "{token:?} is missing");
        Ok(())
    }

    /// Reads the text up to `end`, and skips `end`.
    fn until(&mut self, end: char) -> Option<&'a str> {
        let (found, rest) = self.rest.split_once(end)?;
        self.rest = rest;
        Some(found)
    }

    /// Items with commas between them, up to `close`; a comma may follow the last.
    fn items<T>(&mut self, close: char, item: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::new();
        let close = close.to_string();
        while !self.take(&close) {
            items.push(item(self)?);
            if !self.take(",") {
                ensure!(self.take(&close), "\",\" or {close:?} is missing");
                break;
            }
        }
        Ok(items)
    }

    fn text(&mut self) -> Result<&'a str> {
        let quote = ['\'', '"'].into_iter().find(|quote| self.take(quote.encode_utf8(&mut [0; 4])));
        let quote = quote.context("a text in quotes is missing")?;
        let text = self.until(quote).context("a text has no end")?;
        ensure!(!text.contains('\\'), "a text has an escape");
        Ok(text)
    }

    fn value(&mut self, key: &str) -> Result<Value<'a>> {
        if self.take("True") {
            Ok(Value::Bool(true))
        } else if self.take("False") {
            Ok(Value::Bool(false))
        } else if self.take("(") {
            self.tuple()
        } else if self.take("[") {
            match key {
                "descr" => bail!("records (a structured array) are not read; save one field of it"),
                _ => bail!("{key:?} is a list, where a tuple such as (6, 8) is expected"),
            }
        } else {
            Ok(Value::Text(self.text()?))
        }
    }

    /// Reads a tuple after its opening bracket. In Python `(4)` is a number, and `(4,)` a tuple.
    fn tuple(&mut self) -> Result<Value<'a>> {
        let text = self.rest;
        let lengths = self.items(')', Self::whole)?;
        let comma = text[..text.len() - self.rest.len()].contains(',');
        ensure!(lengths.len() != 1 || comma, "({0}) is a number: the shape of one axis is ({0},)", lengths[0]);
        Ok(Value::Tuple(lengths))
    }

    /// Reads a number without a sign. Python 2 wrote an `L` after it.
    fn whole(&mut self) -> Result<usize> {
        self.skip_blanks();
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        ensure!(!digits.is_empty(), "a length is missing or negative");
        self.rest = rest.strip_prefix('L').unwrap_or(rest);
        digits.parse().context("a length is too large")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dicts_as_numpy_writes_them() {
        let text = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }          \n";
        let expected = vec![
            ("descr", Value::Text("<f8")),
            ("fortran_order", Value::Bool(false)),
            ("shape", Value::Tuple(vec![3, 4])),
        ];
        assert_eq!(dict(text).unwrap(), expected);
        assert_eq!(dict("{\"shape\": (5L,)}").unwrap(), [("shape", Value::Tuple(vec![5]))]);
        assert_eq!(dict("{'shape':()}").unwrap(), [("shape", Value::Tuple(vec![]))]);
        assert_eq!(dict("{}").unwrap(), []);
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "{",
            "{'a'}",
            "{'a': }",
            "{'a': 'b'",
            "{'a': 'b' 'c': 'd'}",
            "{'a': (1}",
            "{'a': (-1,)}",
            "{'a': (4)}",
            "{'a': ( 4 ) }",
            "{'a': (99999999999999999999,)}",
            "{'a': ((1,),)}",
            "{'a': 'b\\'}",
            "{'a': 1}",
            "{'a': True} x",
            "{'a': [1]}",
            "{,}",
        ] {
            assert!(dict(text).is_err(), "{text}");
        }
    }
}
