//! Conversion between YCbCr and RGB as in libjpeg (jdcolor.c, jccolor.c): the equations of JFIF, in
//! fixed point with 16 fraction bits.

/// Pixels that are converted at a time: they fit the first-level cache, and fill any vector.
const PIXELS: usize = 64;

/// A row of Y, Cb and Cr as interleaved RGB.
#[inline(always)]
pub(crate) fn ycc_to_rgb(y: &[u8], cb: &[u8], cr: &[u8], rgb: &mut [u8]) {
    let (mut red, mut green, mut blue) = ([0; PIXELS], [0; PIXELS], [0; PIXELS]);
    for (index, rgb) in rgb.chunks_mut(3 * PIXELS).enumerate() {
        let count = rgb.len() / 3;
        let at = index * PIXELS..index * PIXELS + count;
        let (y, cb, cr) = (&y[at.clone()], &cb[at.clone()], &cr[at]);
        if let (Ok(y), Ok(cb), Ok(cr)) = (y.try_into(), cb.try_into(), cr.try_into()) {
            convert(y, cb, cr, [&mut red, &mut green, &mut blue]);
        } else {
            convert(&padded(y), &padded(cb), &padded(cr), [&mut red, &mut green, &mut blue]);
        }
        interleave(&red, &green, &blue, rgb);
    }
}

/// Up to [`PIXELS`] samples, padded with zeros.
fn padded(row: &[u8]) -> [u8; PIXELS] {
    let mut all = [0; PIXELS];
    all[..row.len()].copy_from_slice(row);
    all
}

/// The upper half of a product.
#[inline(always)]
fn high(a: i16, b: i16) -> i16 {
    ((i32::from(a) * i32::from(b)) >> 16) as i16
}

/// With Cb and Cr minus 128,
///
/// ```text
/// R = Y + 1.402 Cr,  G = Y − 0.34414 Cb − 0.71414 Cr,  B = Y + 1.772 Cb,
/// ```
///
/// the factors rounded to 16 fraction bits and the results to integers, ties up. So that factors
/// fit 16-bit multiplications, integers are taken out of them: 1.402 = 1 + 26345/2^16, 0.71414 = 1
/// − 18734/2^16, 1.772 = 2 − 14942/2^16. The nearest integer to x f / 2^16 is ⌊(⌊2x f / 2^16⌋ + 1)
/// / 2⌋.
#[inline(always)]
fn convert(y: &[u8; PIXELS], cb: &[u8; PIXELS], cr: &[u8; PIXELS], [red, green, blue]: [&mut [u8; PIXELS]; 3]) {
    for i in 0..PIXELS {
        let (y, cb, cr) = (i16::from(y[i]), i16::from(cb[i]) - 128, i16::from(cr[i]) - 128);
        let r = y + cr + ((high(2 * cr, 26_345) + 1) >> 1);
        let b = y + 2 * cb + ((high(2 * cb, -14_942) + 1) >> 1);
        let g = (-22_554 * i32::from(cb) + 18_734 * i32::from(cr) + (1 << 15)) >> 16;
        let g = y - cr + g as i16;
        red[i] = r.clamp(0, 255) as u8;
        green[i] = g.clamp(0, 255) as u8;
        blue[i] = b.clamp(0, 255) as u8;
    }
}

/// Rows of red, green and blue as one of interleaved pixels.
#[inline(always)]
pub(crate) fn interleave(red: &[u8], green: &[u8], blue: &[u8], rgb: &mut [u8]) {
    let (pixels, _) = rgb.as_chunks_mut::<3>();
    let count = pixels.len();
    let (red, green, blue) = (&red[..count], &green[..count], &blue[..count]);
    for i in 0..count {
        pixels[i] = [red[i], green[i], blue[i]];
    }
}

/// A pixel's Y, Cb and Cr.
pub(crate) fn rgb_to_ycc([red, green, blue]: [u8; 3]) -> [u8; 3] {
    const HALF: i32 = 1 << 15;
    const CENTRE: i32 = (128 << 16) + HALF - 1;
    let sum = |factors: [i32; 3], offset: i32| {
        let [r, g, b] = factors;
        ((r * i32::from(red) + g * i32::from(green) + b * i32::from(blue) + offset) >> 16) as u8
    };
    [
        sum([19_595, 38_470, 7_471], HALF),
        sum([-11_059, -21_709, 32_768], CENTRE),
        sum([32_768, -27_439, -5_329], CENTRE),
    ]
}
