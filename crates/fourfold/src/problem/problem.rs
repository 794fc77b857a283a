//! Problems: what to compute.

use crate::error::{Error, ErrorKind, Result};
use crate::problem::builder::ProblemBuilder;
use crate::problem::element::{Domain, Precision, Storage};
use crate::problem::kind::{Kind, Transform1d};
use crate::problem::layout::Layout;
use crate::problem::norm::{EndWeights, Norm};

/// A problem says what to compute: y = s · Π_axes (W_out · T · W_in) x, or the conjugate transpose
/// of that. T is an unscaled [`Transform1d`], W are [`EndWeights`], and s is one scale. Every
/// `Problem` is valid, because building checks it.
///
/// A problem holds no data and does not say how to compute. It prints in a short notation, which
/// parses back to an equal problem:
///
/// ```text
/// problem = kinds type shape option…
/// kinds   = kind | kind,kind,…      one for all transformed axes, or one for each, in the order of `axes`
///         | idct_idxst | idxst_idct the pairs of two axes below
/// type    = f32 | f64 | f16 | bf16  the real type; complex data have parts of this type
/// shape   = 4096x4096 | auto        of the real array, or of the complex one for `fft`; batch axes included
/// option  = axes=0,2 (all)          which axes to transform; -1 is the last
///         | ortho | forward | backward   the norm (else backward)
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
/// The arrays of `f16` and `bf16` have 16 bits a real ([`Storage`]), for GPUs only.
///
/// `idct_idxst` and `idxst_idct` stand for `dct3,idxst` and `idxst,dct3` with `scale=0.5`.
///
/// `rfft` computes a half spectrum along the last axis of those that have this kind, in the order
/// of `axes`. Along the others it is a complex FFT. `irfft` is the inverse. The shape is that of
/// the real array. Along the axis of the half spectrum, the complex array has ⌊N/2⌋ + 1 elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The builder's fields, with every default filled in.
    pub(crate) asked: ProblemBuilder,
    pub(crate) input_domain: Domain,
    pub(crate) output_domain: Domain,
    pub(crate) input: Layout,
    pub(crate) output: Layout,
    pub(crate) transforms: Vec<AxisTransform>,
    pub(crate) scale: f64,
}

/// The transform along one axis of a problem: y = W_out · T · W_in · x along `axis`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisTransform {
    /// The axis of the array.
    pub axis: usize,
    /// The length N of the sum. Where one side is a half spectrum, it is that of the real side.
    pub n: usize,
    /// The unscaled transform T.
    pub transform1d: Transform1d,
    /// The factors W on the first and last terms.
    pub end_weights: EndWeights,
}

impl Problem {
    /// Starts a problem: `kinds` is one [`Kind`] for all transformed axes, or a list with one for
    /// each.
    ///
    /// `shape` has the lengths of all axes, including those that are not transformed. It is the
    /// shape of the real array, or of the complex array for complex FFTs.
    ///
    /// `storage` is the type of the arrays: a [`Precision`], or a [`Storage`] of 16 bits.
    pub fn builder(
        kinds: impl AsRef<[Kind]>,
        storage: impl Into<Storage>,
        shape: impl AsRef<[usize]>,
    ) -> ProblemBuilder {
        ProblemBuilder::new(kinds.as_ref(), storage.into(), shape.as_ref())
    }

    /// A builder of this problem, with every default filled in.
    pub fn to_builder(&self) -> ProblemBuilder {
        self.asked.clone()
    }

    /// The real type of the arrays.
    pub fn storage(&self) -> Storage {
        self.asked.storage
    }

    /// The real type that it is computed in.
    pub fn precision(&self) -> Precision {
        self.storage().precision()
    }

    /// Whether the input is real or complex.
    pub fn input_domain(&self) -> Domain {
        self.input_domain
    }

    /// Whether the output is real or complex.
    pub fn output_domain(&self) -> Domain {
        self.output_domain
    }

    /// Shape and strides of the input, in elements of the input.
    pub fn input(&self) -> &Layout {
        &self.input
    }

    /// Shape and strides of the output, in elements of the output.
    pub fn output(&self) -> &Layout {
        &self.output
    }

    /// The transformed axes, resolved, in the order in which they were named.
    ///
    /// They commute, except that [`Transform1d::R2C`] must come before every
    /// [`Transform1d::Forward`] and [`Transform1d::Backward`], and [`Transform1d::C2R`] after. A
    /// problem has at most one of R2C and C2R.
    pub fn transforms(&self) -> &[AxisTransform] {
        &self.transforms
    }

    /// The product s of all scale factors. It is finite and not zero in the problem's precision.
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

    /// The problem that undoes this one. It has the inverse kinds under the same norm, the scale
    /// 1/s, and the layouts of input and output exchanged.
    ///
    /// An `rfft` has an inverse on every real array. An `irfft` is undone only if the half spectrum
    /// is that of a real array, as in SciPy. If the input repeats elements (stride 0), the inverse
    /// writes its output in C order.
    ///
    /// # Errors
    /// If a kind is [`Kind::Idxst`], which ignores x_0 and so has no inverse, or if the precision
    /// cannot represent the reciprocal of the scale.
    pub fn inverse(&self) -> Result<Problem> {
        let inverse = |kind: &Kind| {
            kind.inverse()
                .ok_or_else(|| Error::problem(format!("{kind} has no inverse: it ignores the first element, x_0")))
        };
        let kinds = self.kinds().iter().map(inverse).collect::<Result<_>>()?;
        ProblemBuilder { kinds, scale: 1.0 / self.asked.scale, ..self.exchanged() }.build()
    }

    /// The layout of an input that is shorter along transformed axes, in the strides of this problem's
    /// input. Zeros stand for the elements that it lacks.
    ///
    /// # Errors
    /// If `shape` is longer than the input's shape, or has another length along an axis that is not
    /// transformed.
    pub fn padded_input(&self, shape: &[usize]) -> Result<Layout> {
        self.check_padded(shape)?;
        Layout::strided(shape, &self.input.strides, self.storage().bytes() * self.input_domain().reals())
    }

    /// Checks that zeros can fill up an input of this shape.
    pub(crate) fn check_padded(&self, shape: &[usize]) -> Result<()> {
        let (whole, fail) = (&self.input.shape, |message: String| Err(Error::new(ErrorKind::Argument, message)));
        if shape.len() != whole.len() {
            return fail(format!("the input has {} axes, `{self}` has {}", shape.len(), whole.len()));
        }
        let is_transformed = |axis| self.transforms().iter().any(|transform| transform.axis == axis);
        for (axis, (&n, &most)) in shape.iter().zip(whole).enumerate().filter(|(_, (n, most))| n != most) {
            if n > most || !is_transformed(axis) {
                let which = if is_transformed(axis) { "at most " } else { "" };
                return fail(format!("axis {axis} of the input has length {n}, `{self}` takes {which}{most}"));
            }
        }
        Ok(())
    }

    /// The conjugate transpose, with the layouts exchanged. Where one side is a half spectrum, it
    /// is the transpose of the real linear map, with ⟨a, b⟩ = Re Σ conj(a_k) b_k.
    ///
    /// The adjoint of the adjoint is this problem, unless the input repeats elements (stride 0):
    /// then the adjoint writes its output in C order.
    pub fn adjoint(&self) -> Problem {
        let adjoint = ProblemBuilder { adjoint: !self.asked.adjoint, ..self.exchanged() };
        adjoint.build().expect("sizes, scale and layouts are those of a valid problem")
    }

    /// This problem with the layouts of input and output exchanged. The output is in C order if the
    /// input overlaps, which an output may not.
    fn exchanged(&self) -> ProblemBuilder {
        let output_strides = (!self.input.overlaps()).then(|| self.input.strides.clone());
        ProblemBuilder { input_strides: Some(self.output.strides.clone()), output_strides, ..self.to_builder() }
    }
}

impl AxisTransform {
    /// The conjugate transpose along this axis, and a factor that multiplies it.
    pub(crate) fn adjoint(self) -> (AxisTransform, f64) {
        let (transform1d, mut weights, factor) = self.transform1d.adjoint();
        let odd_half = matches!(transform1d, Transform1d::R2C | Transform1d::C2R) && self.n % 2 == 1;
        if odd_half {
            weights = EndWeights { input_last: 1.0, output_last: 1.0, ..weights };
        }
        (AxisTransform { transform1d, end_weights: self.end_weights.swapped().times(weights), ..self }, factor)
    }
}
