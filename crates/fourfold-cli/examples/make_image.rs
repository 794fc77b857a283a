//! Makes a test image that resembles a photograph: smooth light, edges at all angles, fine texture,
//! a little noise.
//!
//! Every run makes the same image:
//!
//! `cargo run --release -p fourfold-cli --example make_image -- photo.png [WIDTHxHEIGHT]`

use std::error::Error;
use std::f64::consts::TAU;
use std::fs::File;

use fourfold_cli::picture::png_file::write_rgb;

const SKY_TOP: [f64; 3] = [58.0, 108.0, 181.0];
const SKY_LOW: [f64; 3] = [238.0, 196.0, 152.0];
const SUN: [f64; 3] = [255.0, 236.0, 190.0];
const FAR_HILLS: [f64; 3] = [112.0, 122.0, 158.0];
const NEAR_HILLS: [f64; 3] = [66.0, 84.0, 92.0];
const WALL: [f64; 3] = [168.0, 92.0, 64.0];
const MORTAR: [f64; 3] = [206.0, 194.0, 178.0];
const WINDOW: [f64; 3] = [38.0, 52.0, 70.0];
const MEADOW: [f64; 3] = [86.0, 128.0, 52.0];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: make_image FILE.png [WIDTHxHEIGHT]")?;
    let size = arguments.next().unwrap_or("1536x1024".into());
    let (width, height) = size.split_once('x').ok_or("the size reads WIDTHxHEIGHT")?;
    let (width, height) = (width.parse()?, height.parse()?);
    Ok(write_rgb(File::create(path)?, [width, height], &scene(width, height))?)
}

/// Averages four points for each pixel, so that edges are as soft as those of a lens.
fn scene(width: usize, height: usize) -> Vec<u8> {
    let unit = height.max(1) as f64;
    let pixel = |row: usize, column: usize| {
        let mut sum = [0.0; 3];
        for (dx, dy) in [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)] {
            let point = color((column as f64 + dx) / unit, (row as f64 + dy) / unit);
            sum.iter_mut().zip(point).for_each(|(sum, part)| *sum += part / 4.0);
        }
        let noise = 6.0 * (hash(column as i64, row as i64, 99) - 0.5);
        sum.map(|part| (part + noise).round().clamp(0.0, 255.0) as u8)
    };
    (0..height).flat_map(|row| (0..width).flat_map(move |column| pixel(row, column))).collect()
}

/// The colour at a point; y runs from 0 at the top to 1, x in the same unit.
fn color(x: f64, y: f64) -> [f64; 3] {
    let near = 0.62 + 0.05 * (TAU * 0.7 * x).sin() + 0.03 * (noise(6.0 * x, 1.5, 1) - 0.5);
    let far = 0.50 + 0.08 * noise(2.5 * x, 0.5, 2) + 0.02 * (TAU * 1.9 * x).cos();
    let ground = 0.80 + 0.01 * (TAU * 1.3 * x).sin();
    if (0.85..1.2).contains(&x) && y > 0.45 - 0.4 * (0.175 - (x - 1.025).abs()).min(0.09) && y < ground + 0.02 {
        house(x - 0.85, y - 0.41)
    } else if y > ground {
        let blade = noise(240.0 * x, 45.0 * y, 3) + 0.5 * noise(31.0 * x, 23.0 * y, 4);
        shade(MEADOW, 0.55 + 0.45 * blade + 0.3 * (y - ground))
    } else if y > near {
        shade(NEAR_HILLS, 0.7 + 0.5 * clouds(9.0 * x, 9.0 * y, 5))
    } else if y > far {
        shade(FAR_HILLS, 0.9 + 0.2 * clouds(5.0 * x, 5.0 * y, 6))
    } else {
        sky(x, y)
    }
}

fn sky(x: f64, y: f64) -> [f64; 3] {
    let base = blend(SKY_TOP, SKY_LOW, (y / 0.6).clamp(0.0, 1.0).powf(1.4));
    let distance = (x - 0.42).hypot(y - 0.27);
    let glow = if distance < 0.055 { 1.0 } else { 0.6 * (-(distance - 0.055) / 0.12).exp() };
    let cloud = (1.8 * clouds(3.0 * x, 7.0 * y, 7) - 0.9).clamp(0.0, 0.7);
    blend(blend(base, SUN, glow), [246.0, 240.0, 236.0], cloud)
}

/// Bricks in courses, with windows; x and y are measured from the upper left corner.
fn house(x: f64, y: f64) -> [f64; 3] {
    let (column, row) = ((x - 0.04) / 0.11, (y - 0.1) / 0.15);
    let in_window = (0.0..3.0).contains(&column) && (0.0..2.0).contains(&row);
    if in_window && column.fract() < 0.55 && row.fract() < 0.6 {
        let bar = (column.fract() - 0.275).abs() < 0.02 || (row.fract() - 0.3).abs() < 0.02;
        return if bar { MORTAR } else { shade(WINDOW, 0.8 + 0.6 * row.fract()) };
    }
    let course = (y / 0.012).floor();
    let along = x / 0.03 + 0.5 * course.rem_euclid(2.0);
    let seam = (y / 0.012).fract() < 0.15 || along.fract() < 0.06;
    let brick = 0.8 + 0.35 * hash(along.floor() as i64, course as i64, 8);
    if seam { shade(MORTAR, 0.85) } else { shade(WALL, brick + 0.1 * (noise(400.0 * x, 400.0 * y, 9) - 0.5)) }
}

fn shade(color: [f64; 3], light: f64) -> [f64; 3] {
    color.map(|part| part * light)
}

fn blend(from: [f64; 3], to: [f64; 3], share: f64) -> [f64; 3] {
    std::array::from_fn(|part| from[part] + share * (to[part] - from[part]))
}

/// Five octaves of noise, each half as strong as the one before; from 0 to 1.
fn clouds(x: f64, y: f64, seed: i64) -> f64 {
    let octave = |k: i32| noise(x * 2f64.powi(k), y * 2f64.powi(k), seed + 100 * i64::from(k)) / 2f64.powi(k);
    (0..5).map(octave).sum::<f64>() / 1.9375
}

/// Random values at integer points, with smooth interpolation; from 0 to 1.
fn noise(x: f64, y: f64, seed: i64) -> f64 {
    let smooth = |t: f64| t * t * (3.0 - 2.0 * t);
    let (column, row) = (x.floor(), y.floor());
    let (u, v) = (smooth(x - column), smooth(y - row));
    let corner = |dx, dy| hash(column as i64 + dx, row as i64 + dy, seed);
    let upper = corner(0, 0) + u * (corner(1, 0) - corner(0, 0));
    let lower = corner(0, 1) + u * (corner(1, 1) - corner(0, 1));
    upper + v * (lower - upper)
}

/// A number from 0 to 1 for an integer point, by the finaliser of SplitMix64.
fn hash(x: i64, y: i64, seed: i64) -> f64 {
    let mut z = (x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (y as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    z ^= (seed as u64).wrapping_mul(0x1656_67b1_9e37_79f9);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}
