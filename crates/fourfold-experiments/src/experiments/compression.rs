//! Algorithm 3: an image compressed by a DCT, dropped coefficients and an IDCT, fused and in three
//! stages.

use anyhow::Result;
use fourfold::Problem;
use fourfold::timing::table::{digits, ratio};

use crate::codec::{self, Part};
use crate::measure::{QUICK_SIDE, Setting};
use crate::page::{Outcome, Page, WHOLE, strings};
use crate::plot::{Line, Plot};

/// Rows and columns of images.
const IMAGES: [[usize; 2]; 6] = [[512, 512], [720, 1280], [1024, 1024], [1080, 1920], [2160, 3840], [4096, 4096]];

const METHODS: [&str; 2] = ["three-stage", "fused"];

pub(crate) fn run(setting: &Setting) -> Result<Outcome> {
    let quick = |image: &&[usize; 2]| !setting.quick || image[0] * image[1] <= QUICK_SIDE * QUICK_SIDE;
    let (mut rows, mut lines) = (vec![], [vec![], vec![]]);
    for &[height, width] in IMAGES.iter().filter(quick) {
        let forward: Problem = format!("dct2 f64 {height}x{width} ortho").parse()?;
        let wholes = METHODS.map(|method| (method, Part::Whole));
        let [staged, fused] = codec::times(setting, wholes, [&forward, &forward.inverse()?])?;
        let megapixels = (height * width) as f64 / 1e6;
        lines.iter_mut().zip([staged, fused]).for_each(|(line, ms)| line.push((megapixels, ms)));
        let cells = [staged, fused, 1e3 * megapixels / fused].map(digits);
        rows.push([format!("{height} × {width}")].into_iter().chain(cells).chain([ratio(staged / fused)]).collect());
    }
    Ok(Outcome::page(Page {
        title: format!("Algorithm 3: image compression, on {}", setting.engine()),
        text: vec![
            "Milliseconds of DCT → drop → IDCT on one channel of an image. A device drops as the DCT's last pass writes where the method is fused, and in a trip through \
             memory of its own where it is three-stage; a processor drops in a loop of its own, by one thread, both times. The samples are random, and half of the \
             coefficients are dropped; times do not depend on either. The paper gives no times for this, but the speed-up of its transforms (table-v)."
                .into(),
            format!(
                "{} FFTs: {}.",
                setting.how_of_steps("the transforms' results of every method with the default's"),
                setting.fft_library(&"dct2 f64 512x512".parse()?)?
            ),
        ],
        columns: strings(&["image", "three-stage", "fused", "fused, megapixels/s", "three-stage/fused"]),
        parts: WHOLE,
        rows,
        teaches: String::new(),
        plot: Plot {
            title: "Compression of an image".into(),
            labels: ["megapixels".into(), "ms".into()],
            lines: METHODS.into_iter().zip(lines).map(|(name, points)| Line { name: name.into(), points }).collect(),
            bars: vec![],
        },
    }))
}
