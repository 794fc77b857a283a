//! What to compute.

use crate::layout::joined;
use crate::{Domain, Edges, Error, ErrorKind, Kind, Layout, Norm, Precision, Result, Sum};

/// The most axes an array may have.
const MAX_AXES: usize = 32;

/// What to compute: y = s · Π_axes (E_out · Sum · E_in) x, or the conjugate transpose of that. Always valid once built.
///
/// A problem holds no data and does not say how to compute. It prints in a short notation, which parses back to an equal
/// problem:
///
/// ```text
/// problem = kinds type shape option…
/// kinds   = kind | kind,kind,…      one for all transformed axes, or one for each, in the order of `axes`
/// type    = f32 | f64               the real type; complex data have parts of this type
/// shape   = 4096x4096 | auto        of the real array, or of the complex one for `fft`; batch axes included
/// option  = axes=0,2 (all)          which axes to transform; -1 is the last
///         | ortho | forward         the norm (else backward)
///         | orthogonalize=yes/no    SciPy's rescaling of single terms (else exactly with ortho)
///         | scale=0.5               a factor on everything
///         | adjoint                 the conjugate transpose of what the rest names
///         | inplace                 output over input
///         | in=s0,s1 | out=s0,s1    element strides, negative allowed (else C order)
/// ```
///
/// ```
/// use fourfold::{Kind, Norm, Precision, Problem};
/// let problem: Problem = "dct2 f64 4096x4096 ortho".parse()?;
/// let same = Problem::builder(Kind::Dct2, Precision::F64, [4096, 4096]).norm(Norm::Ortho).build()?;
/// assert_eq!(problem, same);
/// assert_eq!(problem.to_string(), "dct2 f64 4096x4096 ortho");
/// # Ok::<(), fourfold::Error>(())
/// ```
///
/// `idct_idxst` and `idxst_idct` stand for `dct3,idxst` and `idxst,dct3` with `scale=0.5`.
///
/// `rfft` makes a half spectrum of the last axis, in the order of `axes`, that it is asked on; its other axes are
/// complex FFTs. `irfft` is the reverse. The shape is that of the real array; the complex one has ⌊N/2⌋ + 1 there.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// What was asked for, with every default filled in.
    asked: ProblemBuilder,
    input_domain: Domain,
    output_domain: Domain,
    input: Layout,
    output: Layout,
    transforms: Vec<AxisTransform>,
    scale: f64,
}

/// Collects what a [`Problem`] needs; [`build`](ProblemBuilder::build) checks it.
#[derive(Clone, Debug, PartialEq)]
pub struct ProblemBuilder {
    pub(crate) kinds: Vec<Kind>,
    pub(crate) precision: Precision,
    pub(crate) shape: Vec<usize>,
    pub(crate) axes: Option<Vec<isize>>,
    pub(crate) norm: Norm,
    pub(crate) orthogonalize: Option<bool>,
    pub(crate) scale: f64,
    pub(crate) adjoint: bool,
    pub(crate) in_place: bool,
    pub(crate) input_strides: Option<Vec<isize>>,
    pub(crate) output_strides: Option<Vec<isize>>,
}

/// One axis of a problem with everything resolved: y = E_out · Sum · E_in · x along `axis`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisTransform {
    /// The axis of the array.
    pub axis: usize,
    /// The length N of the sum (of the real side, where one side is a half spectrum).
    pub n: usize,
    /// The unscaled sum.
    pub sum: Sum,
    /// Factors on single terms.
    pub edges: Edges,
}

impl Problem {
    /// Starts a problem: `kinds` is one [`Kind`] for all transformed axes, or a list with one for each.
    ///
    /// `shape` is that of the real array, or of the complex one for FFTs; batch axes included.
    pub fn builder(kinds: impl AsRef<[Kind]>, precision: Precision, shape: impl AsRef<[usize]>) -> ProblemBuilder {
        ProblemBuilder {
            kinds: kinds.as_ref().to_vec(),
            precision,
            shape: shape.as_ref().to_vec(),
            axes: None,
            norm: Norm::Backward,
            orthogonalize: None,
            scale: 1.0,
            adjoint: false,
            in_place: false,
            input_strides: None,
            output_strides: None,
        }
    }

    /// A builder of this problem, with every default filled in.
    pub fn to_builder(&self) -> ProblemBuilder {
        self.asked.clone()
    }

    /// The real type.
    pub fn precision(&self) -> Precision {
        self.asked.precision
    }

    /// Real or complex input.
    pub fn input_domain(&self) -> Domain {
        self.input_domain
    }

    /// Real or complex output.
    pub fn output_domain(&self) -> Domain {
        self.output_domain
    }

    /// Shape and strides of the input, in its own elements.
    pub fn input(&self) -> &Layout {
        &self.input
    }

    /// Shape and strides of the output, in its own elements.
    pub fn output(&self) -> &Layout {
        &self.output
    }

    /// The transformed axes, resolved, in the order in which they were named.
    ///
    /// They commute, but for the domains: [`Sum::RealToHalf`], of which there is at most one, comes before every
    /// [`Sum::Forward`] and [`Sum::Backward`], and [`Sum::HalfToReal`] after.
    pub fn transforms(&self) -> &[AxisTransform] {
        &self.transforms
    }

    /// The product of all scale factors, to be applied once. Finite and not zero, also in the problem's precision.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Whether input and output are the same memory.
    pub fn in_place(&self) -> bool {
        self.asked.in_place
    }

    /// The kinds as named, one for each transformed axis.
    pub fn kinds(&self) -> &[Kind] {
        &self.asked.kinds
    }

    /// The norm as named.
    pub fn norm(&self) -> Norm {
        self.asked.norm
    }

    /// Whether this is the conjugate transpose of what [`kinds`](Problem::kinds) name.
    pub fn is_adjoint(&self) -> bool {
        self.asked.adjoint
    }

    /// The problem that undoes this one: inverse kinds under the same norm, 1/scale, and the layouts exchanged.
    ///
    /// An `rfft` of any real array is undone exactly; an `irfft`, like SciPy's, only where the half spectrum is that of a
    /// real array. If the input repeats elements (stride 0), the inverse writes its output in C order.
    ///
    /// # Errors
    /// [`Kind::Idxst`] has no inverse: it ignores x_0. Nor has a scale whose reciprocal the precision cannot hold.
    pub fn inverse(&self) -> Result<Problem> {
        let inverse = |kind: &Kind| {
            kind.inverse().ok_or_else(|| invalid(format!("{kind} has no inverse: it ignores the first element, x_0")))
        };
        let kinds = self.kinds().iter().map(inverse).collect::<Result<_>>()?;
        ProblemBuilder { kinds, scale: 1.0 / self.asked.scale, ..self.exchanged() }.build()
    }

    /// The conjugate transpose, with the layouts exchanged. Where one side is a half spectrum, it is the transpose of the
    /// real linear map, with ⟨a, b⟩ = Re Σ conj(a_k) b_k.
    ///
    /// The adjoint of the adjoint is this problem, unless the input repeats elements (stride 0): then the adjoint writes
    /// its output in C order.
    pub fn adjoint(&self) -> Problem {
        let adjoint = ProblemBuilder { adjoint: !self.asked.adjoint, ..self.exchanged() };
        adjoint.build().expect("sizes, scale and layouts are those of a valid problem")
    }

    /// This problem with input and output layouts exchanged; an output must not overlap.
    fn exchanged(&self) -> ProblemBuilder {
        let output_strides = (!self.input.overlaps()).then(|| self.input.strides.clone());
        ProblemBuilder { input_strides: Some(self.output.strides.clone()), output_strides, ..self.to_builder() }
    }
}

impl ProblemBuilder {
    /// The axes to transform, −1 being the last; otherwise all, in order.
    pub fn axes(mut self, axes: impl AsRef<[isize]>) -> Self {
        self.axes = Some(axes.as_ref().to_vec());
        self
    }

    /// The norm; otherwise [`Norm::Backward`].
    pub fn norm(mut self, norm: Norm) -> Self {
        self.norm = norm;
        self
    }

    /// SciPy's `orthogonalize`: whether single terms are rescaled so that the orthonormal matrix is orthogonal (k = 0 of
    /// DCT-II, n = 0 of DCT-III, k = N−1 of DST-II, n = N−1 of DST-III, both ends on both sides of DCT-I; nothing for
    /// other kinds). Otherwise exactly with [`Norm::Ortho`].
    pub fn orthogonalize(mut self, yes: bool) -> Self {
        self.orthogonalize = Some(yes);
        self
    }

    /// A factor on everything, besides the norm's: finite and not zero.
    pub fn scale(mut self, factor: f64) -> Self {
        self.scale = factor;
        self
    }

    /// The conjugate transpose of what the rest names.
    pub fn adjoint(mut self) -> Self {
        self.adjoint = true;
        self
    }

    /// Output over input: both sides then have one layout, that of whichever strides are given.
    pub fn in_place(mut self) -> Self {
        self.in_place = true;
        self
    }

    /// Strides of the input in its own elements, one for each axis; 0 repeats, negative runs backwards. Otherwise C order.
    pub fn input_strides(mut self, strides: impl AsRef<[isize]>) -> Self {
        self.input_strides = Some(strides.as_ref().to_vec());
        self
    }

    /// Strides of the output in its own elements, one for each axis; no two elements may share a place. Otherwise C order.
    pub fn output_strides(mut self, strides: impl AsRef<[isize]>) -> Self {
        self.output_strides = Some(strides.as_ref().to_vec());
        self
    }

    /// The problem, or what is wrong with it.
    pub fn build(self) -> Result<Problem> {
        check_shape(&self.shape, self.precision)?;
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
        let named_scale = named.scale * named.norm_factor(&axes);
        check_scale(named.scale, named_scale, named.precision)?;
        let (transforms, factors): (Vec<_>, Vec<f64>) = named.resolve_transforms(&axes, half).unzip();
        let scale = named_scale * factors.iter().product::<f64>();
        let (input_domain, output_domain) = named.domains();
        let (input, output) = named.layouts(half.map(|position| axes[position]))?;
        let asked =
            Self { input_strides: Some(input.strides.clone()), output_strides: Some(output.strides.clone()), ..named };
        Ok(Problem { asked, input_domain, output_domain, input, output, transforms, scale })
    }

    /// The norm's factor over all axes.
    fn norm_factor(&self, axes: &[usize]) -> f64 {
        let divisors = self.kinds.iter().zip(axes).map(|(kind, &axis)| kind.divisor(self.shape[axis], self.norm));
        self.norm.factor(divisors.product())
    }

    /// Each axis resolved, and a factor on it.
    fn resolve_transforms(&self, axes: &[usize], half: Option<usize>) -> impl Iterator<Item = (AxisTransform, f64)> {
        self.kinds.iter().zip(axes).enumerate().map(move |(position, (kind, &axis))| {
            let sum = full_unless(kind.sum(), half == Some(position));
            let edges = if self.orthogonalize == Some(true) { Edges::orthogonalize(sum) } else { Edges::ONE };
            let transform = AxisTransform { axis, n: self.shape[axis], sum, edges };
            if self.adjoint { transform.adjoint() } else { (transform, 1.0) }
        })
    }

    /// Input and output domain. An FFT of real data first makes them complex for all other axes, so it decides before
    /// complex FFTs do; real kinds take what there is.
    fn domains(&self) -> (Domain, Domain) {
        let deciding = [Kind::Rfft, Kind::Irfft, Kind::Fft, Kind::Ifft];
        let deciding = deciding.iter().find(|kind| self.kinds.contains(kind)).unwrap_or(&self.kinds[0]);
        let (input, output) = deciding.domains();
        if self.adjoint { (output, input) } else { (input, output) }
    }

    /// Input and output layout; along `half` the complex side has ⌊N/2⌋ + 1 elements.
    fn layouts(&self, half: Option<usize>) -> Result<(Layout, Layout)> {
        let (input, output) = self.domains();
        let (mut input_strides, mut output_strides) = (self.input_strides.as_deref(), self.output_strides.as_deref());
        if self.in_place {
            self.check_in_place(input != output)?;
            input_strides = input_strides.or(output_strides);
            output_strides = input_strides;
        }
        let input = self.layout(input, half, input_strides).map_err(|e| invalid(format!("input: {e}")))?;
        let output = self.layout(output, half, output_strides).map_err(|e| invalid(format!("output: {e}")))?;
        if output.overlaps() {
            return Err(invalid(format!(
                "output: the strides {} put two elements of {} at one place: every element needs a place of its own",
                joined(&output.strides, ","),
                joined(&output.shape, "x")
            )));
        }
        Ok((input, output))
    }

    fn layout(&self, domain: Domain, half: Option<usize>, strides: Option<&[isize]>) -> Result<Layout> {
        let mut shape = self.shape.clone();
        if let (Some(axis), Domain::Complex) = (half, domain) {
            shape[axis] = shape[axis] / 2 + 1;
        }
        let bytes = self.precision.bytes() * domain.reals();
        match strides {
            Some(strides) => Layout::strided(&shape, strides, bytes),
            None => Layout::c_order(&shape, bytes),
        }
    }

    fn check_in_place(&self, domains_differ: bool) -> Result<()> {
        if domains_differ {
            return Err(invalid(
                "in place is not possible with rfft or irfft, whose input and output differ in type and shape: \
                 leave out inplace",
            ));
        }
        match (&self.input_strides, &self.output_strides) {
            (Some(input), Some(output)) if input != output => {
                Err(invalid("in place has one layout: give in= or out=, or both alike"))
            }
            _ => Ok(()),
        }
    }
}

impl AxisTransform {
    /// The conjugate transpose along this axis, and a factor on it.
    fn adjoint(self) -> (AxisTransform, f64) {
        let (sum, mut edges, factor) = self.sum.adjoint();
        let odd_half = matches!(sum, Sum::RealToHalf | Sum::HalfToReal) && self.n % 2 == 1;
        if odd_half {
            edges = Edges { input_last: 1.0, output_last: 1.0, ..edges };
        }
        (AxisTransform { sum, edges: self.edges.swapped().times(edges), ..self }, factor)
    }
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Problem, message)
}

fn check_shape(shape: &[usize], precision: Precision) -> Result<()> {
    match shape.len() {
        0 => Err(invalid("the shape is empty: give at least one length")),
        d if d > MAX_AXES => Err(invalid(format!("the shape has {d} axes: at most {MAX_AXES} are supported"))),
        _ => Layout::c_order(shape, precision.bytes()).map(|_| ()),
    }
}

/// The axes as indices: each within `dimensions`, none twice, at least one.
fn resolve_axes(axes: Option<&[isize]>, dimensions: usize) -> Result<Vec<usize>> {
    let Some(axes) = axes else { return Ok((0..dimensions).collect()) };
    if axes.is_empty() {
        return Err(invalid("no axis to transform: name at least one in axes, or leave axes out for all"));
    }
    let mut resolved = Vec::new();
    for &axis in axes {
        let index = if axis < 0 { axis.checked_add_unsigned(dimensions).unwrap_or(-1) } else { axis };
        let index = usize::try_from(index).ok().filter(|&index| index < dimensions).ok_or_else(|| {
            let last = dimensions - 1;
            invalid(format!("there is no axis {axis}: the axes are 0 to {last}, or -{dimensions} to -1 from the end"))
        })?;
        if resolved.contains(&index) {
            return Err(invalid(format!("axis {index} is named twice: each axis is transformed at most once")));
        }
        resolved.push(index);
    }
    Ok(resolved)
}

/// One kind for each axis.
fn resolve_kinds(kinds: &[Kind], axes: usize) -> Result<Vec<Kind>> {
    match kinds {
        [] => Err(invalid("no kind of transform is named: give one, such as dct2")),
        [kind] => Ok(vec![*kind; axes]),
        _ if kinds.len() == axes => Ok(kinds.to_vec()),
        _ => Err(invalid(format!(
            "{} kinds for {axes} transformed axes: give one kind for all, or one for each (axes= chooses the axes)",
            kinds.len()
        ))),
    }
}

fn check_kinds(kinds: &[Kind], norm: Norm, orthogonalize: bool) -> Result<()> {
    if kinds.contains(&Kind::Rfft) && kinds.contains(&Kind::Irfft) {
        return Err(invalid("rfft and irfft cannot stand in one problem: use rfft with ifft, or irfft with fft"));
    }
    if kinds.contains(&Kind::Idxst) {
        if norm != Norm::Backward {
            return Err(invalid(format!("idxst has no norm {norm}, for it has no inverse: leave out {norm}")));
        }
        if orthogonalize {
            return Err(invalid("idxst cannot be made orthogonal, for it has no inverse: leave out orthogonalize=yes"));
        }
    }
    Ok(())
}

fn check_length(kind: Kind, axis: usize, n: usize) -> Result<()> {
    let least = kind.min_length();
    if n < least {
        return Err(invalid(format!("axis {axis} has length {n}: {kind} needs at least {least}")));
    }
    Ok(())
}

/// `total` is that of the problem without `adjoint`. The adjoint's may be half or twice that, whence the margin.
fn check_scale(asked: f64, total: f64, precision: Precision) -> Result<()> {
    if !asked.is_finite() || asked == 0.0 {
        return Err(invalid(format!("the scale is {asked}: it must be finite and not 0")));
    }
    let (least, most) = match precision {
        Precision::F32 => (f32::MIN_POSITIVE.into(), f32::MAX.into()),
        Precision::F64 => (f64::MIN_POSITIVE, f64::MAX),
    };
    if !(4.0 * least..=most / 4.0).contains(&total.abs()) {
        let name = precision.name();
        return Err(invalid(format!("the total scale is {total:e}: beyond the range of {name}, choose another scale")));
    }
    Ok(())
}

/// Which of the transforms has a half spectrum on one side: the last `rfft` or `irfft`.
fn half_position(kinds: &[Kind]) -> Option<usize> {
    kinds.iter().rposition(|kind| matches!(kind, Kind::Rfft | Kind::Irfft))
}

/// The sum on a half spectrum if `half`, else its complex counterpart.
fn full_unless(sum: Sum, half: bool) -> Sum {
    match sum {
        Sum::RealToHalf if !half => Sum::Forward,
        Sum::HalfToReal if !half => Sum::Backward,
        sum => sum,
    }
}
