//! Times zune-jpeg, in turn with fourfold-jpeg, on one thread: medians and least times in
//! milliseconds.
//!
//! `cargo run --release -p fourfold-experiments --example zune_jpeg -- photo.jpg`

use std::time::Duration;

use anyhow::{Context, Error, Result};
use fourfold::timing::table::digits;
use fourfold::timing::{Pace, Work, take_turns};
use fourfold_cli::bench_targets::contestant;
use fourfold_jpeg::{Image, Limits, Mode, Transform, decode_into};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;

const SECONDS: u64 = 2;

fn main() -> Result<()> {
    let path = std::env::args().nth(1).context("usage: zune_jpeg FILE.jpg")?;
    let file = std::fs::read(&path).with_context(|| format!("cannot read {path}"))?;
    let mut both = [contestant(Ours::new(file.clone())?)?, contestant(Zune(file))?];
    let times = take_turns(&mut both, &Pace::lasting(Duration::from_secs(SECONDS)))?;
    for (name, time) in ["fourfold-jpeg, exact", "zune-jpeg"].into_iter().zip(times) {
        let time = time.in_unit(1e3);
        println!("{name}: {} ms ({} at least)", digits(time.median), digits(time.min));
    }
    Ok(())
}

/// A file to pixels, in memory that is there.
struct Ours {
    file: Vec<u8>,
    transform: Transform,
    image: Image,
}

impl Ours {
    fn new(file: Vec<u8>) -> Result<Ours> {
        let transform = Transform::builder().mode(Mode::Exact).build()?;
        Ok(Ours { file, transform, image: Image { width: 0, height: 0, channels: 0, samples: vec![] } })
    }
}

impl Work for Ours {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        decode_into(&self.file, &self.transform, &Limits::default(), &mut self.image)?;
        Ok(())
    }
}

struct Zune(Vec<u8>);

impl Work for Zune {
    type Error = Error;

    fn run(&mut self) -> Result<()> {
        JpegDecoder::new(ZCursor::new(&self.0)).decode()?;
        Ok(())
    }
}
