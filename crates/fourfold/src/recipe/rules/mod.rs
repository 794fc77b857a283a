//! The reductions: each file splits a sum into smaller ones, its derivation and source in the head
//! comment.
//!
//! | file | from | to |
//! |---|---|---|
//! | [`cosine_sine`] | DCT, DST, DHT, IDXST, real DFT | one DFT of real or complex data between two combines |
//! | [`extension`] | DCT-I, DST-I | three DFTs of a quarter of their even or odd extension |
//! | [`mixed_radix`] | a DFT of length N = r·m | m butterflies of radix r between r DFTs of length m |
//! | [`rader`] | a DFT of prime length p | a cyclic convolution of length p − 1 |
//! | [`bluestein`] | a DFT of any length | a convolution of any longer length |
//! | [`cut`] | one long DFT of length N₁·N₂ | N₂ DFTs of length N₁ and N₁ of length N₂ |
//! | [`along`] | a DFT of one signal | the same with butterflies side by side |
//! | [`axes`] | a transform of several axes | one pass an axis |
//! | [`three_stage`] | a transform of up to three axes | one real FFT of all of them between a reorder and a combine |
//! | [`levels`] | complex FFTs of powers of two | levels of radix 2 through memory; or sums |
//! | [`ladder`] | complex FFTs of matrices | levels of rows and transposes |
//! | [`row_column`] | a transform of several axes | three stages and a transpose for each |
//! | [`one_dimension`] | a DCT-II along one axis | a real FFT of four, two or one times the length |
//!
//! [`candidates`] has other ways to the same sums, to be measured; [`methods`] has the names by
//! which whole recipes are asked for.

pub(crate) mod axes;
pub(crate) mod bluestein;
pub(crate) mod candidates;
pub(crate) mod cosine_sine;
pub(crate) mod extension;
pub(crate) mod four_step;
pub(crate) mod intra_vector;
pub(crate) mod mixed_radix;
pub(crate) mod rader;
