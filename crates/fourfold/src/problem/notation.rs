//! Reads and writes the notation of problems. [`Problem`] documents the grammar.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, ErrorKind, Result};
use crate::problem::builder::ProblemBuilder;
use crate::problem::element::Storage;
use crate::problem::kind::{Kind, Transform1d};
use crate::problem::layout::separated;
use crate::problem::norm::Norm;
use crate::problem::problem::Problem;

const FORM: &str = "a problem reads kinds type shape option…, as in dct2 f64 4096x4096 ortho";

/// The pairs of kinds in the paper by Jiang, Gu and Pan. Its inverse cosine sum is half of
/// [`Kind::Dct3`], hence the factor 1/2.
const PAIRS: [(&str, [Kind; 2]); 2] =
    [("idct_idxst", [Kind::Dct3, Kind::Idxst]), ("idxst_idct", [Kind::Idxst, Kind::Dct3])];
const PAIR_SCALE: f64 = 0.5;

/// An option of the notation.
struct Choice {
    name: &'static str,
    /// An example of it for messages. It contains `=` if the option takes a value.
    form: &'static str,
    /// Sets the option to the given value. Returns `None` if the value is malformed.
    apply: fn(ProblemBuilder, &str) -> Option<ProblemBuilder>,
}

const CHOICES: [Choice; 10] = [
    Choice { name: "axes", form: "axes=0,2", apply: |b, value| Some(b.axes(integers(value)?)) },
    Choice { name: "ortho", form: "ortho", apply: |b, _| Some(b.norm(Norm::Ortho)) },
    Choice { name: "forward", form: "forward", apply: |b, _| Some(b.norm(Norm::Forward)) },
    Choice { name: "backward", form: "backward", apply: |b, _| Some(b.norm(Norm::Backward)) },
    Choice {
        name: "orthogonalize",
        form: "orthogonalize=yes or orthogonalize=no",
        apply: |b, value| Some(b.orthogonalize(yes_or_no(value)?)),
    },
    Choice { name: "scale", form: "scale=0.5", apply: |b, value| scaled(b, value.parse().ok()?) },
    Choice { name: "adjoint", form: "adjoint", apply: |b, _| Some(b.adjoint()) },
    Choice { name: "inplace", form: "inplace", apply: |b, _| Some(b.in_place()) },
    Choice { name: "in", form: "in=4096,1", apply: |b, value| Some(b.input_strides(integers(value)?)) },
    Choice { name: "out", form: "out=4096,1", apply: |b, value| Some(b.output_strides(integers(value)?)) },
];

/// Reads the notation, in capital or small letters. It is an error if the text does not follow the
/// grammar of [`Problem`], or if the problem is not valid, as in [`ProblemBuilder::build`].
impl FromStr for Problem {
    type Err = Error;

    fn from_str(text: &str) -> Result<Problem> {
        let builder = read(text)?;
        if builder.shape.is_empty() {
            return Err(notation("the shape auto needs an array to take it from: write the shape, such as 4096x4096"));
        }
        builder.build()
    }
}

/// Reads a name or an alias of a kind, in capital or small letters. Other texts are errors.
impl FromStr for Kind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Kind> {
        let lower = name.to_ascii_lowercase();
        let known = |kind: &&Kind| kind.name() == lower || kind.aliases().contains(&lower.as_str());
        Kind::ALL.iter().find(known).copied().ok_or_else(|| unknown_kind(&lower))
    }
}

/// Writes the notation in its canonical form: without defaults, and with options in the order of
/// the grammar.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let asked = self.to_builder();
        let axes: Vec<usize> = self.transforms().iter().map(|transform| transform.axis).collect();
        let one_kind = asked.kinds.iter().all(|kind| *kind == asked.kinds[0]);
        let kinds = if one_kind { &asked.kinds[..1] } else { &asked.kinds[..] };
        let orthogonalize = asked.orthogonalize.unwrap_or_default();
        let mut words = vec![separated(kinds, ","), asked.storage.name().into(), separated(&asked.shape, "x")];
        let mut option = |given: bool, word: String| words.extend(given.then_some(word));
        option(!axes.iter().copied().eq(0..asked.shape.len()), format!("axes={}", separated(&axes, ",")));
        option(asked.norm != Norm::Backward, asked.norm.name().into());
        option(
            orthogonalize != (asked.norm == Norm::Ortho),
            format!("orthogonalize={}", if orthogonalize { "yes" } else { "no" }),
        );
        option(asked.scale != 1.0, format!("scale={:?}", asked.scale));
        option(asked.adjoint, "adjoint".into());
        option(asked.in_place, "inplace".into());
        let (input, output) = (self.input(), self.output());
        option(!input.is_c_order(), format!("in={}", separated(&input.strides, ",")));
        option(!asked.in_place && !output.is_c_order(), format!("out={}", separated(&output.strides, ",")));
        f.pad(&words.join(" "))
    }
}

impl Problem {
    /// Reads the notation for an input array of shape `input`. The text may say `auto` for this
    /// shape.
    ///
    /// Where the input is a half spectrum of m terms, `auto` takes the real length 2(m−1), as SciPy
    /// does. A half spectrum of one term, which SciPy rejects, gives one real.
    ///
    /// ```
    /// use fourfold::Problem;
    /// let problem = Problem::parse_for("dct2 f64 auto ortho", &[480, 640])?;
    /// assert_eq!(problem.to_string(), "dct2 f64 480x640 ortho");
    /// # Ok::<(), fourfold::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the text is not a valid problem, as when parsing, or if its shape does not fit `input`.
    pub fn parse_for(text: &str, input: &[usize]) -> Result<Problem> {
        let mut builder = read(text)?;
        if builder.shape.is_empty() {
            builder.shape = named_shape(&builder, input)?;
        }
        let problem = builder.build()?;
        if problem.input().shape != input {
            let (wanted, found) = (separated(&problem.input().shape, "x"), separated(input, "x"));
            let message =
                format!("the input has shape {found}, but {problem} needs {wanted}: write auto for the shape");
            return Err(Error::new(ErrorKind::Argument, message));
        }
        Ok(problem)
    }
}

/// The problem's shape for an input array of shape `input`. The two differ along an axis where the
/// input is a half spectrum.
fn named_shape(builder: &ProblemBuilder, input: &[usize]) -> Result<Vec<usize>> {
    let mut shape = input.to_vec();
    let probe = ProblemBuilder { shape: shape.clone(), ..builder.clone() }.build()?;
    for transform in probe.transforms().iter().filter(|transform| transform.transform1d == Transform1d::C2R) {
        shape[transform.axis] = (transform.n - 1).saturating_mul(2).max(1);
    }
    Ok(shape)
}

/// Reads the text into a builder. The shape is empty for `auto`.
fn read(text: &str) -> Result<ProblemBuilder> {
    let text = text.to_ascii_lowercase();
    let mut words = text.split_whitespace();
    let mut next = |what| words.next().ok_or_else(|| notation(format!("the {what} is missing: {FORM}")));
    let (kinds, scale) = read_kinds(next("kind of transform")?)?;
    let storage = read_storage(next("type")?)?;
    let shape = read_shape(next("shape")?)?;
    let mut builder = Problem::builder(kinds, storage, shape).scale(scale);
    let mut chosen = Vec::new();
    for word in words {
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let choice = CHOICES.iter().find(|choice| choice.name == name).ok_or_else(|| unknown_option(word))?;
        check_new(choice.name, &chosen)?;
        chosen.push(choice.name);
        let malformed = || notation(format!("{} is not understood: write {}", quoted(word), choice.form));
        if choice.form.contains('=') != value.is_some() {
            return Err(malformed());
        }
        builder = (choice.apply)(builder, value.unwrap_or_default()).ok_or_else(malformed)?;
    }
    Ok(builder)
}

/// The kinds, and the scale that their name implies.
fn read_kinds(word: &str) -> Result<(Vec<Kind>, f64)> {
    if let Some((_, pair)) = PAIRS.iter().find(|(name, _)| *name == word) {
        return Ok((pair.to_vec(), PAIR_SCALE));
    }
    let kinds = word.split(',').map(str::parse).collect::<Result<_>>()?;
    Ok((kinds, 1.0))
}

fn read_storage(word: &str) -> Result<Storage> {
    let known = Storage::ALL.into_iter().find(|storage| storage.name() == word);
    known.ok_or_else(|| {
        let word = quoted(word);
        notation(format!("{word} is no type: write f32 or f64, or on GPUs f16 or bf16, after the kinds; {FORM}"))
    })
}

/// The lengths, or an empty list for `auto`.
fn read_shape(word: &str) -> Result<Vec<usize>> {
    if word == "auto" {
        return Ok(Vec::new());
    }
    let lengths: Option<_> = word.split('x').map(|length| length.parse().ok()).collect();
    lengths.ok_or_else(|| {
        let word = quoted(word);
        notation(format!("{word} is no shape: write lengths below 2^63 separated by x, such as 4096x4096, or auto"))
    })
}

fn integers(list: &str) -> Option<Vec<isize>> {
    list.split(',').map(|number| number.parse().ok()).collect()
}

fn yes_or_no(word: &str) -> Option<bool> {
    match word {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

/// Multiplies the scale by `factor`, since the name of a pair has set a scale already.
fn scaled(builder: ProblemBuilder, factor: f64) -> Option<ProblemBuilder> {
    let scale = builder.scale * factor;
    Some(builder.scale(scale))
}

/// Checks that no option and no norm is given twice.
fn check_new(name: &str, chosen: &[&str]) -> Result<()> {
    if chosen.contains(&name) {
        return Err(notation(format!("the option {name} is given twice: give it once")));
    }
    let is_norm = |name: &&&str| ["ortho", "forward", "backward"].contains(name);
    match (is_norm(&&name), chosen.iter().find(is_norm)) {
        (true, Some(other)) => Err(notation(format!("both {other} and {name} are given: a problem has one norm"))),
        _ => Ok(()),
    }
}

fn unknown_kind(name: &str) -> Error {
    let quoted = quoted(name);
    match name {
        "" => notation("a kind is missing beside a comma: write kinds such as dct2,dst2, without spaces"),
        "r2hc" | "hc2r" => notation(format!("{quoted}: half-complex storage is not supported; use rfft or irfft")),
        _ if PAIRS.iter().any(|(pair, _)| *pair == name) => {
            notation(format!("{quoted} names both kinds of two axes, and stands alone"))
        }
        _ => {
            let aliases = Kind::ALL.iter().flat_map(|kind| kind.aliases()).copied();
            let names = Kind::ALL.iter().map(|kind| kind.name()).chain(aliases).chain(PAIRS.map(|(pair, _)| pair));
            let kinds = "dct1 to dct4, dst1 to dst4, dht, idxst, fft, rfft, and with i before it what undoes one";
            notation(format!("there is no kind {quoted}: did you mean {}? Kinds are {kinds}", nearest(name, names)))
        }
    }
}

fn unknown_option(word: &str) -> Error {
    if word.parse::<usize>().is_ok() {
        let word = quoted(word);
        return notation(format!(
            "{word} is no option: a shape is one word, its lengths separated by x, such as 4096x4096"
        ));
    }
    let near = nearest(word, CHOICES.iter().map(|choice| choice.name));
    let forms = CHOICES.map(|choice| choice.form);
    notation(format!(
        "there is no option {}: did you mean {near}? Options are {}, after kinds, type and shape",
        quoted(word),
        separated(&forms, ", ")
    ))
}

/// More characters than any kind's or option's name has.
const NAME: usize = 16;

/// The candidate with the least edit distance from the start of `name`, since the time of each is
/// proportional to its length.
fn nearest(name: &str, candidates: impl Iterator<Item = &'static str>) -> &'static str {
    let start: String = name.chars().take(NAME).collect();
    candidates.min_by_key(|candidate| strsim::damerau_levenshtein(&start, candidate)).unwrap_or_default()
}

/// The most characters of the user's text that a message repeats.
const QUOTED: usize = 40;

/// The start of the user's text, quoted and in one line.
fn quoted(text: &str) -> String {
    let start: String = text.chars().take(QUOTED).collect();
    format!("{start:?}{}", if start.len() < text.len() { "…" } else { "" })
}

fn notation(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Notation, message)
}
