//! Transforms of one line at a time, for few or long lines: combine → complex DFT → combine, with
//! the lanes along the line.

use crate::arithmetic::twiddle::Roots;
use crate::cpu::base::sizes::single_buffer;
use crate::cpu::base::strided::Strided;
use crate::cpu::batch::batch::Ends;
use crate::cpu::batch::combine::{Combine, CombineAlong};
use crate::cpu::batch::fused_combine::LineFactors;
use crate::cpu::dft::places::Places;
use crate::cpu::simd::dispatch::{Dispatch, Isa};
use crate::cpu::simd::pointer::Ptr;
use crate::cpu::simd::vector::LANES;
use crate::cpu::single::even_odd::{Join, Split};
use crate::cpu::single::four_step::ExecutePass;
use crate::cpu::single::intra_vector::Input;
use crate::cpu::single::line_dft::{Buffers, InputLine, LineDft, copy};
use crate::cpu::single::real_packing::{Finish, Pack, Start, Unpack};
use crate::problem::kind::Transform1d;
use crate::recipe::recipe::AxisRecipe;
use crate::recipe::reduction::Data;
use crate::recipe::rules::cosine_sine::dft_of;
use crate::recipe::rules::four_step::of_line;
use num_complex::Complex;

/// The executable form of a transform of one line.
pub(crate) struct Single<S> {
    ends: Ends<S>,
    data: Data,
    dft: LineDft<S>,
    /// The reals of a buffer.
    buffer: usize,
    /// The reals of the DFT's real side, if it has one.
    reals: usize,
    /// Whether pairs of these reals are complex numbers for the DFT.
    pairs: bool,
    /// w_N^k for k < M/2 + LANES, for real data of length N = 2M in pairs.
    twiddles: Vec<Complex<S>>,
}

impl<S: Dispatch> Single<S> {
    pub(crate) fn new(recipe: &AxisRecipe) -> Self {
        let (data, len) = dft_of(recipe.transform.transform1d, recipe.transform.n);
        let pairs = matches!(data, Data::Real | Data::Hermitian) && len % 2 == 0;
        // The combines of real transforms include the scale.
        let plain = matches!(recipe.transform.transform1d, Transform1d::Forward | Transform1d::Backward);
        let roots = Roots::new(len as u64);
        Single {
            ends: Ends::new(recipe),
            data,
            buffer: single_buffer(&recipe.scheme),
            dft: LineDft::new(&recipe.scheme, of_line(data, len).0, if plain { recipe.scale } else { 1.0 }),
            reals: len,
            pairs,
            twiddles: if pairs { (0..(len / 4 + LANES) as u64).map(|k| S::root(&roots, k)).collect() } else { vec![] },
        }
    }

    /// Whether at least one side is complex.
    pub(crate) fn is_complex(&self) -> bool {
        self.ends.complex
    }

    /// Whether the last combine can multiply the line, which needs no further trip over it then.
    pub(crate) fn can_multiply(&self) -> bool {
        self.data == Data::Real && self.pairs && self.ends.after.as_ref().is_some_and(|after| after.fused().is_some())
    }

    /// Transforms one line, and multiplies the result if there are factors, for which it must be
    /// able to [multiply](Single::can_multiply). Both ends may be the same. `memory` has both buffers.
    ///
    /// # Safety
    /// The line and the factors are in memory, and `execute_pass` may be called on parts of it.
    #[inline]
    pub(crate) unsafe fn execute(
        &self,
        isa: Isa,
        from: InputLine<S>,
        to: Strided<S>,
        factors: Option<LineFactors<S>>,
        memory: Ptr<S>,
        execute_pass: ExecutePass<'_, S>,
    ) {
        let buffers = [memory.first(self.buffer), memory.wrapping_add(self.buffer).first(self.buffer)];
        // SAFETY: the caller guarantees it.
        unsafe {
            match self.data {
                Data::Complex | Data::ComplexBackward if self.ends.complex => {
                    self.dft.between(isa, from, to, buffers, execute_pass);
                }
                _ => self.execute_combined(isa, from, to, factors, buffers, execute_pass),
            }
        }
    }

    /// Transforms that need combines or a reorder. This is a separate function, because saving its
    /// registers takes visible time in short DFTs.
    ///
    /// # Safety
    /// As for [`Single::execute`].
    #[inline(never)]
    unsafe fn execute_combined(
        &self,
        isa: Isa,
        from: InputLine<S>,
        to: Strided<S>,
        factors: Option<LineFactors<S>>,
        buffers: Buffers<S>,
        execute_pass: ExecutePass<'_, S>,
    ) {
        let [t, z] = buffers;
        let other = |at: Ptr<S>| if at == t { z } else { t };
        // SAFETY: the caller guarantees it.
        unsafe {
            match self.data {
                Data::Real => {
                    let bare = (self.ends.bare && self.pairs && to.stride == 2).then_some(to.base);
                    let spectrum = self.dft.transform(isa, self.read(isa, from, buffers), buffers, bare, execute_pass);
                    match bare {
                        Some(out) => self.unpack_bare(isa, out),
                        None => self.finish(isa, spectrum, to, factors, other(spectrum)),
                    }
                }
                Data::Hermitian => {
                    self.start(isa, from, t, z);
                    let signal = self.dft.transform(isa, Input::Interleaved(z), buffers, None, execute_pass);
                    self.write(isa, signal, to);
                }
                Data::Complex | Data::ComplexBackward => {
                    self.before(isa, from, z, t);
                    let spectrum = self.dft.transform(isa, Input::Interleaved(z), buffers, None, execute_pass);
                    self.after(isa, spectrum, to, other(spectrum));
                }
            }
        }
    }

    /// Converts the DFT of pairs at `half` to the half spectrum in place.
    ///
    /// # Safety
    /// As for [`Single::execute`].
    unsafe fn unpack_bare(&self, isa: Isa, half: Ptr<S>) {
        let m = self.dft.len();
        // SAFETY: the caller guarantees it.
        unsafe {
            S::dispatch(isa, Unpack { m, twiddles: &self.twiddles, z: half, x: half.add(1) });
            // The imaginary parts of the first and the last term are 0.
            half.write(half.add(1).read());
            half.add(1).write(S::of(0.0));
            half.add(2 * m + 1).write(S::of(0.0));
        }
    }

    /// Computes the line from the DFT of pairs, and multiplies it if there are factors. `free` is the
    /// other buffer.
    ///
    /// # Safety
    /// As for [`Single::execute`].
    unsafe fn finish(&self, isa: Isa, spectrum: Ptr<S>, to: Strided<S>, factors: Option<LineFactors<S>>, free: Ptr<S>) {
        let (m, twiddles) = (self.dft.len(), &self.twiddles[..]);
        // SAFETY: the caller guarantees it.
        unsafe {
            if !self.pairs {
                return self.after(isa, spectrum, to, free);
            }
            if let Some(fused) = self.ends.after.as_ref().and_then(Combine::fused) {
                let contiguous = if to.stride == 1 { to.base } else { free };
                let unpack = Unpack { m, twiddles, z: spectrum, x: free.add(1) };
                S::dispatch(isa, Finish { unpack, fused, factors, to: contiguous });
                if to.stride != 1 {
                    copy(Strided { base: free, stride: 1 }, to, 1, self.ends.output);
                }
            } else {
                S::dispatch(isa, Unpack { m, twiddles, z: spectrum, x: free.add(1) });
                self.after(isa, free.add(1), to, spectrum);
            }
        }
    }

    /// Computes pairs at `to` from the line. `free` is the other buffer.
    ///
    /// # Safety
    /// As for [`Single::execute`].
    unsafe fn start(&self, isa: Isa, from: InputLine<S>, free: Ptr<S>, to: Ptr<S>) {
        let (m, twiddles) = (self.dft.len(), &self.twiddles[..]);
        // SAFETY: the caller guarantees it.
        unsafe {
            if !self.pairs {
                return self.before(isa, from, to, free);
            }
            if let Some(fused) = self.ends.before.as_ref().and_then(Combine::fused) {
                let contiguous = self.contiguous(from, free);
                S::dispatch(isa, Start { pack: Pack { m, twiddles, x: free, z: to }, fused, from: contiguous });
            } else {
                self.before(isa, from, free, to);
                S::dispatch(isa, Pack { m, twiddles, x: free, z: to });
            }
        }
    }

    /// The line in the order of the DFT's real side: its own memory if possible, or a copy in the
    /// second buffer.
    ///
    /// # Safety
    /// As for [`Single::execute`].
    unsafe fn read(&self, isa: Isa, from: InputLine<S>, [t, z]: Buffers<S>) -> Input<S> {
        let n = self.reals;
        let contiguous = from.is_contiguous(1, self.ends.input);
        // SAFETY: the caller guarantees it.
        unsafe {
            match self.ends.even_odd {
                _ if contiguous && !self.ends.has_order() => return Input::Interleaved(from.at.base),
                Some(odd) if contiguous => {
                    let places = Places { n, odd, from: from.at.base };
                    if self.dft.takes_places() {
                        return Input::Places(places);
                    }
                    S::dispatch(isa, Split { places, to: z });
                }
                _ if from.is_whole(1, self.ends.input) => self.ends.ordered(from.at).read(z, n),
                _ => {
                    from.copy_to(t, 1, self.ends.input);
                    self.ends.ordered(Strided { base: t, stride: 1 }).read(z, n);
                }
            }
        }
        Input::Interleaved(z)
    }

    /// The contiguous memory of a line: its own if possible, or a copy in `free`.
    ///
    /// # Safety
    /// As for [`Single::execute`].
    unsafe fn contiguous(&self, from: InputLine<S>, free: Ptr<S>) -> Ptr<S> {
        if from.is_contiguous(self.parts(), self.ends.input) {
            return from.at.base;
        }
        // SAFETY: the caller guarantees it.
        unsafe { from.copy_to(free, self.parts(), self.ends.input) };
        free
    }

    /// Writes the real side of the DFT at `from` to the line.
    ///
    /// # Safety
    /// As for [`Single::execute`].
    unsafe fn write(&self, isa: Isa, from: Ptr<S>, to: Strided<S>) {
        let n = self.reals;
        // SAFETY: the caller guarantees it.
        unsafe {
            match self.ends.even_odd {
                Some(odd) if to.stride == 1 => S::dispatch(isa, Join { n, odd, from, to: to.base }),
                _ => self.ends.ordered(to).write(from, n),
            }
        }
    }

    /// The reals of an element of the line: 1, or 2 for complex ones.
    fn parts(&self) -> usize {
        if self.ends.complex { 2 } else { 1 }
    }

    /// The first combine. Lanes need contiguous memory, so any other line is copied to `free`
    /// before.
    ///
    /// # Safety
    /// As for [`Single::execute`].
    unsafe fn before(&self, isa: Isa, from: InputLine<S>, to: Ptr<S>, free: Ptr<S>) {
        let combine = self.ends.before.as_ref();
        let combine: &Combine<S> = combine.expect("sums that do not start with reals in order start with a combine");
        // SAFETY: the caller guarantees it.
        unsafe {
            let from = Strided { base: self.contiguous(from, free), stride: 1 };
            S::dispatch(isa, CombineAlong { combine, from, to: Strided { base: to, stride: 1 } });
        }
    }

    /// The last combine. Lanes need contiguous memory, so for any other line the result is copied
    /// from `free`.
    ///
    /// # Safety
    /// As for [`Single::execute`].
    unsafe fn after(&self, isa: Isa, from: Ptr<S>, to: Strided<S>, free: Ptr<S>) {
        let combine = self.ends.after.as_ref();
        let combine: &Combine<S> = combine.expect("sums that do not end with reals in order end with a combine");
        let strided = to.stride != self.parts() as isize;
        let contiguous = Strided { base: if strided { free } else { to.base }, stride: 1 };
        // SAFETY: the caller guarantees it.
        unsafe {
            S::dispatch(isa, CombineAlong { combine, from: Strided { base: from, stride: 1 }, to: contiguous });
            if strided {
                copy(Strided { base: free, stride: self.parts() as isize }, to, self.parts(), self.ends.output);
            }
        }
    }
}
