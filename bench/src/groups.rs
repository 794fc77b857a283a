//! What is timed, and the targets.

/// Problems with targets in common.
pub(crate) struct Group {
    pub(crate) title: &'static str,
    pub(crate) problems: Vec<String>,
    pub(crate) extra: Extra,
    pub(crate) bars: Vec<Bar>,
}

/// Who takes part besides everybody.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extra {
    None,
    /// fourfold's DCT-II of 1024 × 1024, in the precision of the problem.
    Dct2,
    /// fourfold and ducc, both for AVX2, alone.
    Avx2,
    /// fourfold and ducc with two threads, and fourfold with one, alone.
    Threads,
}

/// `subject` takes at most `limit` times what the fastest of `against` takes.
pub(crate) struct Bar {
    pub(crate) subject: &'static str,
    pub(crate) against: Against,
    pub(crate) limit: f64,
    /// Problems that it is about: those that contain this.
    pub(crate) only: &'static str,
}

#[derive(Clone, Copy)]
pub(crate) enum Against {
    Peers,
    /// Those peers whose names begin like one of these.
    Named(&'static [&'static str]),
    /// All peers but those whose names begin so.
    PeersBut(&'static str),
}

pub(crate) const OURS: &str = "fourfold";
pub(crate) const DCT2: &str = "fourfold, DCT-II 1024x1024";
pub(crate) const AVX2: &str = "fourfold, AVX2";
pub(crate) const TWO: &str = "fourfold, 2 threads";

/// Faster means by so much that a repetition would say the same.
const FASTER: f64 = 0.95;

const DUCC: Against = Against::Named(&["ducc"]);

impl Bar {
    const fn new(against: Against, limit: f64) -> Bar {
        Bar { subject: OURS, against, limit, only: "" }
    }

    const fn of(self, subject: &'static str) -> Bar {
        Bar { subject, ..self }
    }

    const fn only(self, only: &'static str) -> Bar {
        Bar { only, ..self }
    }
}

/// Every shape in both precisions.
fn problems(kind: &str, shapes: &[&str], option: &str) -> Vec<String> {
    let both = |shape: &&str| ["f64", "f32"].map(|real| format!("{kind} {real} {shape}{option}"));
    let mut all: Vec<_> = shapes.iter().flat_map(both).collect();
    all.sort_by_key(|problem| problem.contains("f32"));
    all
}

fn powers(kind: &str, from: u32, to: u32) -> Vec<String> {
    let shapes: Vec<_> = (from..=to).map(|log| (1u64 << log).to_string()).collect();
    problems(kind, &shapes.iter().map(String::as_str).collect::<Vec<_>>(), "")
}

/// All of it.
pub(crate) fn all() -> Vec<Group> {
    [matrices(), lines(), kinds(), special()].into_iter().flatten().collect()
}

fn group(title: &'static str, problems: Vec<String>, bars: Vec<Bar>) -> Group {
    Group { title, problems, extra: Extra::None, bars }
}

fn matrices() -> Vec<Group> {
    const SQUARES: &[&str] = &["512x512", "1024x1024", "2048x2048", "4096x4096", "100x10000", "10000x100"];
    const OTHERS: &[&str] = &["1000x1000", "1536x1536", "2187x2187", "2310x2310", "1009x1009"];
    let bars = || {
        let mkl = Against::Named(&["MKL rfft"]);
        vec![Bar::new(Against::Peers, FASTER), Bar::new(mkl, 1.5), Bar::new(mkl, 1.0).only("f64 4096x4096")]
    };
    vec![
        group("2D DCT-II", problems("dct2", SQUARES, ""), bars()),
        group("2D DCT-III", problems("dct3", SQUARES, ""), bars()),
        // The composite is not a library, and the target for these lengths is about libraries.
        group(
            "2D DCT-II, other lengths",
            problems("dct2", OTHERS, ""),
            vec![Bar::new(Against::PeersBut("composite"), FASTER)],
        ),
        group("3D DCT-II", problems("dct2", &["128x128x128", "256x256x256"], ""), vec![Bar::new(DUCC, 0.8)]),
        group(
            "2D RFFT",
            problems("rfft", &["512x512", "1024x1024", "2048x2048", "4096x4096"], ""),
            vec![Bar::new(Against::Named(&["MKL"]), 1.5)],
        ),
    ]
}

fn lines() -> Vec<Group> {
    const BATCHES: &[&str] = &["4096x64", "4096x256", "4096x1024", "4096x4096"];
    vec![
        group(
            "4096 signals, DCT-II",
            problems("dct2", BATCHES, " axes=1"),
            vec![Bar::new(Against::Named(&["IPP", "ducc"]), 1.0)],
        ),
        group(
            "One signal, DCT-II",
            powers("dct2", 14, 20),
            vec![Bar::new(Against::Named(&["IPP"]), 1.25), Bar::new(Against::PeersBut("IPP"), FASTER)],
        ),
        group("One signal, FFT", powers("fft", 8, 20), vec![Bar::new(Against::Named(&["rustfft"]), FASTER)]),
        group("One signal, RFFT", powers("rfft", 8, 20), vec![Bar::new(Against::Named(&["realfft"]), FASTER)]),
    ]
}

fn kinds() -> Vec<Group> {
    let own = Against::Named(&[DCT2]);
    let several = ["dct4", "dst2", "dst3", "dst4", "dht"];
    let shaped = |real: &str| several.map(|kind| format!("{kind} {real} 1024x1024"));
    let group = |title, problems, limit| Group {
        title,
        problems,
        extra: Extra::Dct2,
        bars: vec![Bar::new(own, limit), Bar::new(DUCC, FASTER)],
    };
    vec![
        group("Other kinds", [shaped("f64"), shaped("f32")].concat(), 1.25),
        group("DCT-I", problems("dct1", &["1025x1025"], ""), 1.6),
        // No peer has it.
        Group {
            title: "IDCT_IDXST",
            problems: problems("idct_idxst", &["1024x1024"], ""),
            extra: Extra::Dct2,
            bars: vec![Bar::new(own, 1.25)],
        },
    ]
}

fn special() -> Vec<Group> {
    const SQUARES: &[&str] = &["512x512", "1024x1024", "2048x2048", "4096x4096"];
    vec![
        Group {
            title: "2D DCT-II with AVX2 alone",
            problems: problems("dct2", SQUARES, ""),
            extra: Extra::Avx2,
            bars: vec![Bar::new(DUCC, FASTER).of(AVX2)],
        },
        Group {
            title: "2D DCT-II with two threads",
            problems: problems("dct2", &["2048x2048", "4096x4096"], ""),
            extra: Extra::Threads,
            bars: vec![Bar::new(Against::Named(&[OURS]), 1.0 / 1.8).of(TWO)],
        },
    ]
}
