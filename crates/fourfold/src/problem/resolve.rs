//! Makes a problem of a builder: checks the fields and fills in every default.

use crate::error::{Error, Result};
use crate::problem::builder::ProblemBuilder;
use crate::problem::element::{Domain, Precision, Storage};
use crate::problem::kind::{Kind, Transform1d};
use crate::problem::layout::{Layout, separated};
use crate::problem::norm::{EndWeights, Norm};
use crate::problem::problem::{AxisTransform, Problem};

/// The most axes an array may have.
const MAX_AXES: usize = 32;

impl ProblemBuilder {
    /// Checks the fields and makes the problem.
    ///
    /// # Errors\nIf the shape, the axes or the list of kinds are empty, too long or out of range;
    /// if a length is below [`Kind::min_length`]; if kinds and norm contradict each other; if the
    /// scale is zero, not finite, or out of the range of the precision; if an array does not fit
    /// the address space; or if elements of the output overlap.
    pub fn build(self) -> Result<Problem> {
        check_shape(&self.shape, self.storage)?;
        let axes = resolve_axes(self.axes.as_deref(), self.shape.len())?;
        let kinds = resolve_kinds(&self.kinds, axes.len())?;
        let orthogonalize = self.orthogonalize.unwrap_or(self.norm == Norm::Ortho);
        check_kinds(&kinds, self.norm, orthogonalize)?;
        for (&kind, &axis) in kinds.iter().zip(&axes) {
            check_length(kind, axis, self.shape[axis])?;
        }
        let named = Self {
            kinds,
            axes: Some(axes.iter().map(|&axis| axis as isize).collect()),
            orthogonalize: Some(orthogonalize),
            ..self
        };
        let half = half_position(&named.kinds);
        let named_scale = named.scale / named.divisor(&axes);
        check_scale(named.scale, named_scale, named.storage.precision())?;
        let (transforms, factors): (Vec<_>, Vec<f64>) = named.resolve_transforms(&axes, half).unzip();
        let scale = named_scale * factors.iter().product::<f64>();
        let (input_domain, output_domain) = named.domains();
        let (input, output) = named.layouts(half.map(|position| axes[position]))?;
        let asked =
            Self { input_strides: Some(input.strides.clone()), output_strides: Some(output.strides.clone()), ..named };
        Ok(Problem { asked, input_domain, output_domain, input, output, transforms, scale })
    }

    /// The divisor of the norm for all axes together.
    fn divisor(&self, axes: &[usize]) -> f64 {
        let lengths = self.kinds.iter().zip(axes).map(|(kind, &axis)| kind.scaled_length(self.shape[axis], self.norm));
        self.norm.divisor(lengths.product())
    }

    /// The transform along each axis, and a factor that multiplies it.
    fn resolve_transforms(&self, axes: &[usize], half: Option<usize>) -> impl Iterator<Item = (AxisTransform, f64)> {
        self.kinds.iter().zip(axes).enumerate().map(move |(position, (kind, &axis))| {
            let transform1d = full_unless(kind.transform1d(), half == Some(position));
            let end_weights =
                if self.orthogonalize == Some(true) { transform1d.orthogonal_weights() } else { EndWeights::ONE };
            let transform = AxisTransform { axis, n: self.shape[axis], transform1d, end_weights };
            if self.adjoint { transform.adjoint() } else { (transform, 1.0) }
        })
    }

    /// The domains of input and output. An `rfft` or `irfft` along one axis makes the data of the
    /// other axes complex, so it decides before complex FFTs do. Real kinds decide only if there is
    /// no FFT.
    fn domains(&self) -> (Domain, Domain) {
        let half = self.kinds.iter().find(|kind| is_half(kind));
        let complex = || self.kinds.iter().find(|kind| kind.domains() == (Domain::Complex, Domain::Complex));
        let (input, output) = half.or_else(complex).unwrap_or(&self.kinds[0]).domains();
        if self.adjoint { (output, input) } else { (input, output) }
    }

    /// The layouts of input and output. Along the axis `half`, the complex side has ⌊N/2⌋ + 1
    /// elements.
    fn layouts(&self, half: Option<usize>) -> Result<(Layout, Layout)> {
        let (input, output) = self.domains();
        let (mut input_strides, mut output_strides) = (self.input_strides.as_deref(), self.output_strides.as_deref());
        if self.in_place {
            self.check_in_place(input != output)?;
            input_strides = input_strides.or(output_strides);
            output_strides = input_strides;
        }
        let input = self.layout(input, half, input_strides).map_err(|e| Error::problem(format!("input: {e}")))?;
        let output = self.layout(output, half, output_strides).map_err(|e| Error::problem(format!("output: {e}")))?;
        if output.overlaps() {
            return Err(Error::problem(format!(
                "output: the strides {} put two elements of {} at one address: every element needs a different one",
                separated(&output.strides, ","),
                separated(&output.shape, "x")
            )));
        }
        Ok((input, output))
    }

    fn layout(&self, domain: Domain, half: Option<usize>, strides: Option<&[isize]>) -> Result<Layout> {
        let mut shape = self.shape.clone();
        if let (Some(axis), Domain::Complex) = (half, domain) {
            shape[axis] = shape[axis] / 2 + 1;
        }
        let bytes = self.storage.bytes() * domain.reals();
        match strides {
            Some(strides) => Layout::strided(&shape, strides, bytes),
            None => Layout::c_order(&shape, bytes),
        }
    }

    fn check_in_place(&self, domains_differ: bool) -> Result<()> {
        if domains_differ {
            return Err(Error::problem(
                "in place is not possible with rfft or irfft, whose input and output differ in type and shape: \
                 leave out inplace",
            ));
        }
        match (&self.input_strides, &self.output_strides) {
            (Some(input), Some(output)) if input != output => {
                Err(Error::problem("in place has one layout: give in= or out=, or both alike"))
            }
            _ => Ok(()),
        }
    }
}

fn check_shape(shape: &[usize], storage: Storage) -> Result<()> {
    match shape.len() {
        0 => Err(Error::problem("the shape is empty: give at least one length")),
        d if d > MAX_AXES => Err(Error::problem(format!("the shape has {d} axes: at most {MAX_AXES} are supported"))),
        _ => Layout::c_order(shape, storage.bytes()).map(|_| ()),
    }
}

/// The axes as indices below `dimensions`. It is an error if there is none, or one is out of range
/// or named twice.
fn resolve_axes(axes: Option<&[isize]>, dimensions: usize) -> Result<Vec<usize>> {
    let Some(axes) = axes else { return Ok((0..dimensions).collect()) };
    if axes.is_empty() {
        return Err(Error::problem("no axis to transform: name at least one in axes, or leave axes out for all"));
    }
    let mut resolved = Vec::new();
    for &axis in axes {
        let index = if axis < 0 { axis.checked_add_unsigned(dimensions).unwrap_or(-1) } else { axis };
        let index = usize::try_from(index).ok().filter(|&index| index < dimensions).ok_or_else(|| {
            let last = dimensions - 1;
            Error::problem(format!(
                "there is no axis {axis}: the axes are 0 to {last}, or -{dimensions} to -1 from the end"
            ))
        })?;
        if resolved.contains(&index) {
            return Err(Error::problem(format!("axis {index} is named twice: each axis is transformed at most once")));
        }
        resolved.push(index);
    }
    Ok(resolved)
}

/// One kind for each axis.
fn resolve_kinds(kinds: &[Kind], axes: usize) -> Result<Vec<Kind>> {
    match kinds {
        [] => Err(Error::problem("no kind of transform is named: give one, such as dct2")),
        [kind] => Ok(vec![*kind; axes]),
        _ if kinds.len() == axes => Ok(kinds.to_vec()),
        _ => Err(Error::problem(format!(
            "{} kinds for {axes} transformed axes: give one kind for all, or one for each (axes= chooses the axes)",
            kinds.len()
        ))),
    }
}

fn check_kinds(kinds: &[Kind], norm: Norm, orthogonalize: bool) -> Result<()> {
    let mut halves = kinds.iter().filter(|kind| is_half(kind)).map(|kind| kind.domains());
    if let Some(first) = halves.next()
        && halves.any(|other| other != first)
    {
        return Err(Error::problem(
            "rfft and irfft cannot stand in one problem: use rfft with ifft, or irfft with fft",
        ));
    }
    if let Some(kind) = kinds.iter().find(|kind| kind.inverse().is_none()) {
        if norm != Norm::Backward {
            return Err(Error::problem(format!("{kind} has no norm {norm}, for it has no inverse: leave out {norm}")));
        }
        if orthogonalize {
            return Err(Error::problem(format!(
                "{kind} cannot be made orthogonal, for it has no inverse: leave out orthogonalize=yes",
            )));
        }
    }
    Ok(())
}

fn check_length(kind: Kind, axis: usize, n: usize) -> Result<()> {
    let least = kind.min_length();
    if n < least {
        return Err(Error::problem(format!("axis {axis} has length {n}: {kind} needs at least {least}")));
    }
    Ok(())
}

/// `total` is the scale without `adjoint`. The adjoint's scale may be half or twice as large, hence
/// the margin of 4.
fn check_scale(asked: f64, total: f64, precision: Precision) -> Result<()> {
    if !asked.is_finite() || asked == 0.0 {
        return Err(Error::problem(format!("the scale is {asked}: it must be finite and not 0")));
    }
    let (least, most) = match precision {
        Precision::F32 => (f32::MIN_POSITIVE.into(), f32::MAX.into()),
        Precision::F64 => (f64::MIN_POSITIVE, f64::MAX),
    };
    if !(4.0 * least..=most / 4.0).contains(&total.abs()) {
        let name = precision.name();
        return Err(Error::problem(format!(
            "the total scale is {total:e}: beyond the range of {name}, choose another scale"
        )));
    }
    Ok(())
}

/// Whether the kind has a half spectrum on one side, as `rfft` and `irfft` have.
fn is_half(kind: &Kind) -> bool {
    let (input, output) = kind.domains();
    input != output
}

/// The position of the transform with a half spectrum on one side: the last `rfft` or `irfft`.
fn half_position(kinds: &[Kind]) -> Option<usize> {
    kinds.iter().rposition(is_half)
}

/// The transform to or from a half spectrum if `half`, else its complex counterpart.
fn full_unless(transform: Transform1d, half: bool) -> Transform1d {
    match transform {
        Transform1d::R2C if !half => Transform1d::Forward,
        Transform1d::C2R if !half => Transform1d::Backward,
        transform => transform,
    }
}
