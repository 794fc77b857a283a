//! What the engines for JPEG's 8×8 blocks share: modes, orders, layouts and tables of blocks, and
//! libjpeg's integer transforms of eight points. The transforms in floating point are `dct8` and
//! `idct8` of [`engine`](crate::engine).

pub(crate) mod block;
pub(crate) mod islow8;

pub use crate::jpeg::block::{Layout, Mode, Order, Table, ZIGZAG};
pub use crate::jpeg::islow8::{Words, dct8_first, dct8_last, divisor, idct8_first, idct8_last, wrapped8};
