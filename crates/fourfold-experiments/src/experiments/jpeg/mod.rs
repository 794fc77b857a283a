//! The ladder of GPUDCT (nolmoonen/gpudct): kernels that make samples of the coefficients of JPEG's
//! 8 × 8 blocks. Times and errors of its rungs on a device.

pub(super) mod page;
mod rungs;
mod speeds;

use std::rc::Rc;

use anyhow::{Context, Error, Result};
use fourfold::ErrorKind;
use fourfold_cli::bench_targets::contestant;
use fourfold_cli::block_targets::device::{BlockAlgorithm, OnDevice};
use fourfold_cli::block_targets::source::{Direction, Source};
use fourfold_gpu::Device;
use fourfold_jpeg::Sampling;

use crate::experiments::jpeg::page::{Errors, MISSING, Measured};
use crate::experiments::jpeg::rungs::{COUNT, RUNGS};
use crate::experiments::jpeg::speeds::Speeds;
use crate::measure::Setting;
use crate::page::Outcome;
use crate::photographs::Photograph;

/// MiB of coefficients: the document's benchmark, whose GiB/s times its ms are 2 GiB, and a quick
/// run's.
const MIB: u32 = 2048;
const QUICK_MIB: u32 = 256;

const SAMPLINGS: [(Sampling, &str); 2] = [(Sampling::Full, "4:4:4"), (Sampling::Quarter, "4:2:0")];

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    let why = "the ladder is one of kernels for devices; `fourfold jpeg bench` times blocks on a CPU";
    let left_out = |_: &_| Ok(Outcome::LeftOut(why.into()));
    setting.contender().0.with_planner(left_out, |device, _| on_device(setting, device))
}

fn on_device(setting: &Setting, device: &Device) -> Result<Outcome> {
    let mut measured = Measured::default();
    measured.errors_of(device, &setting.photographs, setting.quick)?;
    if device.info().is_cpu && setting.photographs.is_empty() {
        return Ok(Outcome::LeftOut(format!("this device is a CPU, on which only errors are measured, and {MISSING}")));
    }
    match device.info().is_cpu {
        true => measured.left_out.push("all speeds: this device is a CPU".into()),
        false => measured.speeds = Some(measured.speeds_of(setting, device)?),
    }
    Ok(measured.outcome(setting))
}

/// The inverse transforms, each with its rung's number.
fn rungs() -> Result<Vec<BlockAlgorithm>> {
    let named = |name: &str| {
        let is_it = |algorithm: &BlockAlgorithm| algorithm.direction == Direction::Inverse && algorithm.name == name;
        BlockAlgorithm::all().into_iter().find(is_it).with_context(|| format!("there is no algorithm {name}"))
    };
    RUNGS.iter().map(|rung| named(rung.name)).collect()
}

/// The largest size whose coefficients and samples, 2 bytes and 1, take at most half of a device's
/// memory.
fn mib(quick: bool, memory: u64) -> u32 {
    let fits = |mib: &u32| 2 * u64::from(*mib) * (3 << 19) <= memory;
    let mut sizes = std::iter::successors(Some(if quick { QUICK_MIB } else { MIB }), |mib| Some(mib / 2));
    sizes.find(|mib| fits(mib) || *mib == 1).unwrap_or(1)
}

/// Whether the device lacks what was asked of it.
fn is_unavailable(error: &Error) -> bool {
    error.downcast_ref::<fourfold::Error>().is_some_and(|error| error.kind() == ErrorKind::Unavailable)
}

impl Measured {
    /// Measures the errors of all rungs on all photographs, and on the first one enlarged.
    fn errors_of(&mut self, device: &Device, photographs: &[Photograph], quick: bool) -> Result<()> {
        let first = photographs.first().filter(|_| !quick);
        let enlarged = first.map(Photograph::enlarged).transpose()?.flatten();
        self.has_enlarged = enlarged.is_some();
        let mut there = rungs()?.into_iter().map(Some).collect::<Vec<_>>();
        for photograph in photographs.iter().chain(&enlarged) {
            self.sizes.push(format!("{} ({} pixels)", photograph.name, photograph.size()));
            for (sampling, name) in SAMPLINGS {
                let components = Rc::new(photograph.components(sampling)?);
                let on_device = OnDevice::new(device, &components, Direction::Inverse)?;
                let psnr = self.each(&on_device, &mut there)?;
                self.errors.push(Errors { photograph: photograph.name.clone(), sampling: name, psnr });
            }
        }
        Ok(())
    }

    /// The PSNR of all components by each rung. What the device cannot do is said and taken away.
    fn each(&mut self, on_device: &OnDevice, there: &mut [Option<BlockAlgorithm>]) -> Result<[Vec<f64>; COUNT]> {
        let mut psnr = std::array::from_fn(|_| Vec::new());
        for (place, psnr) in there.iter_mut().zip(&mut psnr) {
            let Some(rung) = place else { continue };
            match on_device.prepare(rung) {
                Ok((_, errors)) => *psnr = errors.into_iter().map(|db| db.unwrap_or(f64::INFINITY)).collect(),
                Err(error) if is_unavailable(&error) => {
                    self.left_out.push(format!("errors of {}: {error}", rung.name));
                    *place = None;
                }
                Err(error) => return Err(error.context(format!("cannot measure {}", rung.name))),
            }
        }
        Ok(psnr)
    }

    /// Times every rung that the device does as it is meant, and moving the same bytes.
    fn speeds_of(&mut self, setting: &Setting, device: &Device) -> Result<Speeds> {
        let mib = mib(setting.quick, device.info().memory);
        let on_device = OnDevice::new(device, &Rc::new(vec![Source::random(mib)?]), Direction::Inverse)?;
        let is_move = |algorithm: &BlockAlgorithm| algorithm.direction == Direction::Inverse && algorithm.is_move;
        let mut timed: Vec<_> = BlockAlgorithm::all().into_iter().filter(is_move).collect();
        let mut places = vec![];
        for (place, rung) in rungs()?.into_iter().enumerate() {
            match rung.lacks(device) {
                Some(why) => self.left_out.push(format!("the speed of {}: {why}", rung.name)),
                None => {
                    places.push(place);
                    timed.push(rung);
                }
            }
        }
        // The kernels are the same twice, but not their arrays.
        let times = setting.each(&[()], |()| {
            let work = |algorithm: &BlockAlgorithm| {
                Ok((algorithm.name.to_owned(), contestant(on_device.prepare(algorithm)?.0)?))
            };
            setting.fastest("the rungs", timed.iter().map(work).collect::<Result<_>>()?)
        })?;
        let times = &times[0];
        let mut speeds = Speeds { mib, moving: times[0], ms: [None; COUNT] };
        places.into_iter().zip(&times[1..]).for_each(|(place, &ms)| speeds.ms[place] = Some(ms));
        Ok(speeds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Circumstances;
    use fourfold_cli::algorithm::AlgorithmName;
    use fourfold_cli::block_targets::errors;
    use fourfold_cli::engine::Engine;
    use fourfold_cli::planner::EnginePlanner;
    use fourfold_cli::wisdom::Tuning;
    use fourfold_jpeg::Transform;
    use fourfold_jpeg::blocks::{Inverse, Layout};

    #[test]
    fn rungs_exist_and_small_devices_get_less() {
        assert_eq!(rungs().unwrap().len(), COUNT);
        assert_eq!([mib(false, 8 << 30), mib(true, 8 << 30)], [2048, 256], "an RTX 2070");
        assert_eq!([mib(false, 6 << 30), mib(false, 5 << 30), mib(false, 1)], [2048, 1024, 1]);
    }

    /// Samples of 1 MiB of coefficients, of which every one is wrong by as much.
    fn psnr(source: &Source, error: u8) -> f64 {
        let mut samples = vec![0u8; source.coefficients.len()];
        let (transform, layout) = (Transform::builder().build().unwrap(), Layout::Blocks);
        let (coefficients, table) = (&source.coefficients, &source.table);
        transform.inverse(&mut [Inverse { coefficients, table, samples: &mut samples[..], layout }]).unwrap();
        samples.iter_mut().for_each(|sample| *sample = sample.checked_add(error).unwrap_or_else(|| *sample - error));
        errors::of_samples(source, &samples).unwrap_or(f64::INFINITY)
    }

    /// All rungs with no error but one, whose samples are wrong by `error`.
    fn outcome(error: u8, speeds: Option<Speeds>) -> (String, Option<String>) {
        let source = Source::random(1).unwrap();
        let mut values: [Vec<f64>; COUNT] = std::array::from_fn(|_| vec![psnr(&source, 0); 3]);
        values[6][1] = psnr(&source, error);
        let errors =
            ["4:4:4", "4:2:0"].map(|sampling| Errors { photograph: "cat".into(), sampling, psnr: values.clone() });
        let sizes = vec!["cat (9 × 9 pixels)".into()];
        let measured = Measured { speeds, errors: errors.into(), sizes, ..Measured::default() };
        let contender = EnginePlanner::new(Engine::Cpu(None), AlgorithmName::FUSED, 1, &Tuning::default()).unwrap();
        let Outcome::Page { page, fault } = measured.outcome(&Setting::new(contender, 1, true)) else {
            panic!("there are numbers");
        };
        assert!(page.rows.iter().all(|row| row.len() == page.columns.len()), "{:?}", page.rows);
        (page.markdown(&Circumstances::default()), fault)
    }

    /// 20 log₁₀(255 / 2) = 42.1 dB and less than 50; 48.1 dB for errors of 1.
    #[test]
    fn an_error_below_50_db_is_a_fault() {
        let (page, fault) = outcome(2, None);
        let verdict = "2 of 60 values of PSNR are below 50 dB; the lowest is 42.1 dB (next16, cat in 4:4:4, Cb).";
        assert_eq!(fault.as_deref(), Some(verdict));
        assert!(page.contains(verdict) && page.contains("| 42.1 |"), "{page}");
        let claim = "| all values of PSNR are at least 50 dB | the lowest is 42.1 dB (next16, cat in 4:4:4, Cb) | – | **no** |\n";
        assert!(page.contains(claim), "{page}");
        assert!(page.ends_with("\nThe lowest PSNR is 42.1 dB (50 are needed).\n"), "{page}");
        assert!(outcome(1, None).1.is_some_and(|fault| fault.contains("48.1 dB")));
        let (page, fault) = outcome(0, None);
        assert_eq!(fault, None);
        assert!(page.contains("\nAll 60 values of PSNR are at least 50 dB; the lowest is "), "{page}");
    }

    #[test]
    fn speeds_stand_beside_the_published_ones() {
        let mut ms = [Some(4.0); COUNT];
        (ms[0], ms[2], ms[5], ms[6]) = (Some(40.0), Some(5.0), None, Some(2.0));
        let (page, fault) = outcome(0, Some(Speeds { mib: 2048, moving: 1.0, ms }));
        assert_eq!(fault, None);
        let head = "| rung | GiB/s, published | share of the bandwidth, published | share, GPUDCT's on an H200 | ms |";
        assert!(page.contains(head), "{page}");
        assert!(page.contains("| next16 | 226.23 | 1.08 | 0.576 | 2.00 | 1000 | 0.500 |\n"), "{page}");
        assert!(page.contains("| next | 216.51 | 1.04 | 0.473 | – | – | – |\n"), "{page}");
        assert!(page.contains("| move, without arithmetic | – | – | – | 1.00 | 2000 | 1.00 |\n"), "{page}");
        let claims = [
            "| each rung is faster than the one before | `separable` takes 1.25 times as long as `lut` | 0.800 | **no** |\n",
            "| the last rung reaches the bandwidth (95 % or more) | 50 % by `next16` | 0.526 | **no** |\n",
        ];
        assert!(claims.iter().all(|claim| page.contains(claim)), "{page}");
        let why = "`next16` gains 20.0 times over `naive` here, and published about 129 times. GPUDCT's own kernels gain 77 to 89 times on an H200, by shares with three decimals. ";
        assert!(page.contains(why), "{page}");
        // 1/40 of 0.007, …, 1/4 of 0.515, and 1/2 of 0.576; `next` was not timed.
        let shares = "are these multiples of GPUDCT's: `naive` 4, `lut` 11, `separable` 1.85, `decomposed` 0.485, `no-shared` 0.546, `next16` 0.868, `gpujpeg` 0.503.";
        assert!(page.contains(shares), "{page}");
        assert!(!page.contains("× f"), "no photograph is enlarged: {page}");
        let lesson = "\n`next16` is 20.0 times as fast as `naive` (published: about 129) and takes 2.00 times as long as \
                      moving its bytes; the lowest PSNR is ";
        assert!(page.contains(lesson), "{page}");
    }
}
