//! Shared by engines for JPEG's 8×8 blocks: how a block is transformed, and libjpeg's integer
//! transforms of eight points. The others are `dct8` and `idct8` of [`engine`](crate::engine).

pub(crate) mod block;
pub(crate) mod islow8;

pub use crate::jpeg::block::{Layout, Mode, Order, Table, ZIGZAG};
pub use crate::jpeg::islow8::{Words, dct8_first, dct8_last, divisor, idct8_first, idct8_last, wrapped8};
