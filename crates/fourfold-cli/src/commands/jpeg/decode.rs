//! `fourfold jpeg decode`: decodes JPEG files to PNG or PNM.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf, is_separator};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Error, Result, bail, ensure};
use fourfold_jpeg::{Image, Transform, color_profile, decode};
use png::EncodingError;
use serde::Serialize;

use crate::args::jpeg::Decode;
use crate::array::affordable_threads;
use crate::commands::jpeg::files::read;
use crate::files::output::{Output, check_outputs};
use crate::picture::png_file::encoder;
use crate::print::{print_json, told};
use crate::program::warn;
use crate::progress::Progress;

/// Decodes one file to a file, or several into a folder.
pub(super) fn decode_files(args: &Decode) -> Result<()> {
    let outputs = outputs(args)?;
    let paths = |paths| Vec::from_iter(<[PathBuf]>::iter(paths).map(PathBuf::as_path));
    check_outputs(&paths(&args.input), &paths(&outputs))?;
    let progress = Progress::new(args.input.len());
    let all = affordable_threads(args.how.threads);
    let threads = all.min(args.input.len());
    // While there are enough files, each gets one thread: that is faster than two for each.
    let transform = args.how.transform((all / threads).max(1))?;
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        let work = || {
            while let Some((input, output)) = args.input.iter().zip(&outputs).nth(next.fetch_add(1, Ordering::Relaxed))
            {
                let result = decode_file(input, output, &transform, args);
                results.lock().expect("nothing panics while it holds the lock").push((input, result));
                progress.step();
            }
        };
        // Where the system starts no thread, there are fewer.
        (1..threads).for_each(|_| drop(thread::Builder::new().spawn_scoped(scope, work)));
        work();
    });
    drop(progress);
    let mut results = results.into_inner().expect("as above");
    results.sort_by_key(|(path, _)| args.input.iter().position(|input| input == *path));
    finish(results, args)
}

/// Reports the files that were decoded; fails if any was not.
fn finish(results: Vec<(&PathBuf, Result<Report>)>, args: &Decode) -> Result<()> {
    let (mut reports, mut errors): (Vec<_>, Vec<Error>) = (Vec::new(), Vec::new());
    for (input, result) in results {
        match result {
            Ok(report) => {
                warn(input, &report.warnings);
                reports.push(report);
            }
            Err(error) => errors.push(error),
        }
    }
    if args.json {
        print_json(&reports)?;
    }
    match errors.len() {
        0 => Ok(()),
        1 => Err(errors.remove(0)),
        count => {
            let messages = errors.iter().map(|error| told(error.chain())).collect::<Vec<_>>();
            bail!("{count} of {} files: {}", args.input.len(), messages.join("; "))
        }
    }
}

/// The answer for one input.
#[derive(Serialize)]
struct Report {
    input: String,
    output: String,
    width: usize,
    height: usize,
    channels: usize,
    warnings: Vec<String>,
}

/// The files to write, all different. Makes their folder if it does not exist.
fn outputs(args: &Decode) -> Result<Vec<PathBuf>> {
    let folder = &args.output;
    let says_folder = folder.to_string_lossy().ends_with(is_separator) || folder.is_dir();
    if args.input.len() == 1 && !says_folder {
        return Ok(vec![folder.clone()]);
    }
    let is_image = Format::of(folder).is_ok() && !says_folder;
    ensure!(!is_image, "cannot write {}: for several files it must be a folder", folder.display());
    let outputs = args.input.iter().map(|input| Ok(folder.join(png_name(input)?))).collect::<Result<_>>()?;
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    Ok(outputs)
}

/// The input's name with its last suffix replaced by .png.
fn png_name(input: &Path) -> Result<OsString> {
    let stem = input.file_stem().with_context(|| format!("cannot read {}: it names no file", input.display()))?;
    Ok([stem, OsStr::new(".png")].into_iter().collect())
}

fn decode_file(input: &Path, output: &Path, transform: &Transform, args: &Decode) -> Result<Report> {
    let format = Format::of(output)?;
    let file = read(input)?;
    let mut to = Output::create(output)?;
    let cannot = || format!("cannot decode {}", input.display());
    let decoded = decode(&file, transform, &args.limit.limits()).with_context(cannot)?;
    let Image { width, height, channels, .. } = decoded.value;
    ensure!(format != Format::Pgm || channels == 1, "cannot write {}: the image has colours", output.display());
    match format {
        Format::Png => {
            let profile = color_profile(&file).with_context(cannot)?;
            to.fill(|to| write_png(to, &decoded.value, profile.as_deref()))?;
        }
        Format::Ppm | Format::Pgm => to.fill(|to| write_pnm(to, &decoded.value))?,
    }
    to.commit()?;
    // Text in JSON is UTF-8.
    let [input, output] = [input, output].map(|path| path.to_string_lossy().into_owned());
    Ok(Report { input, output, width, height, channels, warnings: decoded.warnings })
}

#[derive(PartialEq)]
enum Format {
    Png,
    Ppm,
    Pgm,
}

impl Format {
    fn of(path: &Path) -> Result<Format> {
        match path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase).as_deref() {
            Some("png") => Ok(Format::Png),
            Some("ppm" | "pnm") => Ok(Format::Ppm),
            Some("pgm") => Ok(Format::Pgm),
            _ => bail!("cannot write {}: name it .png, .ppm or .pgm", path.display()),
        }
    }
}

/// Compresses while it writes, since a compressed file in memory would take as much again.
fn write_png(to: &mut impl Write, image: &Image, profile: Option<&[u8]>) -> Result<(), EncodingError> {
    let Image { width, height, channels, .. } = *image;
    let mut writer = encoder(to, [width, height], channels, profile)?.write_header()?;
    let mut stream = writer.stream_writer()?;
    stream.write_all(&image.samples)?;
    stream.finish()?;
    writer.finish()
}

fn write_pnm(to: &mut impl Write, image: &Image) -> io::Result<()> {
    let kind = if image.channels == 1 { 5 } else { 6 };
    write!(to, "P{kind}\n{} {}\n255\n", image.width, image.height)?;
    to.write_all(&image.samples)
}
