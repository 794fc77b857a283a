//! The reductions. Each file splits a transform into smaller ones; its head comment has the formula
//! and the source.
//!
//! | file | from | to |
//! |---|---|---|
//! | [`cosine_sine`] | DCT, DST, DHT, IDXST, real DFT | one DFT of real or complex data between two combines |
//! | [`extension`] | DCT-I, DST-I | three DFTs of a quarter of their even or odd extension |
//! | [`symmetric`] | DCT-I, DST-I, DHT, odd DCT-IV and DST-IV | the same DFT, from a spectrum |
//! | [`mixed_radix`] | a DFT of length N = r·m | m butterflies of radix r between r DFTs of length m |
//! | [`rader`] | a DFT of prime length p | a cyclic convolution of length p − 1 |
//! | [`bluestein`] | a DFT of any length | a convolution of any longer length |
//! | [`four_step`] | one long DFT of length N₁·N₂ | N₂ DFTs of length N₁ and N₁ of length N₂ |
//! | [`intra_vector`] | a DFT of one signal | the same with neighbouring butterflies in one vector |
//! | [`line_convolution`] | a DFT of one signal of any length | Bluestein's convolution of that signal |
//! | [`axes`] | a transform of several axes | one pass an axis |
//!
//! [`candidates`] lists other recipes of the same transforms, which tuning measures.

pub(crate) mod axes;
pub(crate) mod bluestein;
pub(crate) mod candidates;
pub(crate) mod cosine_sine;
pub(crate) mod extension;
pub(crate) mod four_step;
pub(crate) mod intra_vector;
pub(crate) mod line_convolution;
pub(crate) mod mixed_radix;
pub(crate) mod rader;
pub(crate) mod symmetric;
