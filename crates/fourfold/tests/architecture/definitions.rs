//! Finds the names that a file defines.

use crate::sources::Source;

/// What a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// A type or a trait.
    Type,
    Variant,
    Module,
    Field,
    /// A function, a constant, a parameter or a variable.
    Value,
}

/// A name that is defined, with the number of its line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Definition {
    pub(crate) line: usize,
    pub(crate) sort: Sort,
    pub(crate) name: String,
}

/// A token: an identifier or a number, or a character of something else.
type Token<'a> = (usize, &'a str);

fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut found = vec![];
    for (i, line) in code.lines().enumerate() {
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let end = if is_word(c) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { c.len_utf8() };
            if !c.is_whitespace() {
                found.push((i + 1, &rest[..end]));
            }
            rest = &rest[end..];
        }
    }
    found
}

/// The code with empty string literals, as long as these end on their lines.
fn without_strings(code: &str) -> String {
    let line = |line: &str| {
        let parts: Vec<_> = line.split('"').collect();
        if parts.len() % 2 == 0 {
            line.to_owned()
        } else {
            parts.iter().step_by(2).copied().collect::<Vec<_>>().join("\"\"")
        }
    };
    code.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The names that a file defines, outside of its unit tests.
pub(crate) fn definitions(file: &Source) -> Vec<Definition> {
    let code = without_strings(&file.code());
    let tokens = tokens(&code);
    let word = |i: usize| tokens.get(i).map_or("", |token| token.1);
    let mut found = vec![];
    let mut add = |i: usize, sort: Sort| {
        if word(i).starts_with(|c: char| c.is_alphabetic() || c == '_') {
            found.push(Definition { line: tokens[i].0, sort, name: word(i).to_owned() });
        }
    };
    for i in 0..tokens.len() {
        match word(i) {
            "struct" | "trait" | "type" | "union" => add(i + 1, Sort::Type),
            "enum" => {
                add(i + 1, Sort::Type);
                variants(&tokens, i + 2).into_iter().for_each(|at| add(at, Sort::Variant));
            }
            "mod" => add(i + 1, Sort::Module),
            "fn" | "const" | "static" => add(i + 1, Sort::Value),
            "let" => pattern(&tokens, i + 1).into_iter().for_each(|at| add(at, Sort::Value)),
            "|" if word(i + 2) == "|" || word(i + 2) == ":" => add(i + 1, Sort::Value),
            // `name: Type`, of a field or of a parameter, but no path.
            ":" if word(i + 1) != ":" && i > 1 && word(i - 1) != ":" => {
                let before = word(i - 2);
                let sort = if ["(", "|", "mut"].contains(&before) { Sort::Value } else { Sort::Field };
                add(i - 1, sort);
            }
            _ => {}
        }
    }
    found
}

/// The variants of the enum whose body begins at or after token `at`.
fn variants(tokens: &[Token], at: usize) -> Vec<usize> {
    let Some(open) = (at..tokens.len()).find(|&i| ["{", ";"].contains(&tokens[i].1)) else { return vec![] };
    let (mut depth, mut found, mut is_next) = (0, vec![], true);
    for i in open..tokens.len() {
        match tokens[i].1 {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            "," if depth == 1 => is_next = true,
            name if depth == 1 && is_next && name.starts_with(char::is_uppercase) => {
                found.push(i);
                is_next = false;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    found
}

/// The variables in the pattern that begins at token `at`.
fn pattern(tokens: &[Token], at: usize) -> Vec<usize> {
    let end = (at..tokens.len()).find(|&i| ["=", ";", ":"].contains(&tokens[i].1)).unwrap_or(tokens.len());
    let is_variable =
        |&i: &usize| tokens[i].1.starts_with(char::is_lowercase) && !["mut", "ref"].contains(&tokens[i].1);
    (at..end).filter(is_variable).collect()
}

#[test]
fn all_sorts_of_definitions_are_found() {
    let text = "pub(crate) struct Line {\n    pub(crate) back: Vec<u8>,\n    n: usize,\n}\n\
        enum Scheme<'a> {\n    /// As lines.\n    Lanes(Vec<A>),\n    #[doc(hidden)]\n    Cut { parts: &'a str },\n    Along,\n}\n\
        mod fold;\nfn turn(apart: usize) {\n    let (a, mut past) = path::of(\"let once = 1\");\n    list.map(|skips| skips);\n}\n\
        // let comment = 1;\nconst SKEW: usize = 1;\n#[cfg(test)]\nmod tests {\n    fn hidden() {}\n}\n";
    let found = definitions(&Source { path: String::new(), text: text.into() });
    let of = |sort| found.iter().filter(|found| found.sort == sort).map(|found| &*found.name).collect::<Vec<_>>();
    assert_eq!(of(Sort::Type), ["Line", "Scheme"]);
    assert_eq!(of(Sort::Variant), ["Lanes", "Cut", "Along"]);
    assert_eq!(of(Sort::Module), ["fold"]);
    assert_eq!(of(Sort::Field), ["back", "n", "parts", "SKEW"]);
    assert_eq!(of(Sort::Value), ["turn", "apart", "a", "past", "skips", "SKEW"]);
}
