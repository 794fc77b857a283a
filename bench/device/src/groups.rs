//! What is timed, and the targets.

use crate::solvers::{CUFFT, PREFIX, TWO_PLANS};

/// A target: at most so many times …
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bar {
    /// … the time of cuFFT's transform of the same shape, enqueued and from a graph.
    CuFft(f64),
    /// … that of another contestant of the same problem, enqueued and from a graph.
    Contestant(&'static str, f64),
    /// … that of a copy of the array.
    Copy(f64),
    /// … fourfold's own time for another problem of the group.
    Problem(&'static str, f64),
    /// … VkFFT's, as multiples of copies in both processes; from a graph.
    VkFft(f64),
}

/// Problems of one table.
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) problems: Vec<(String, Vec<Bar>)>,
}

/// All of them.
pub(crate) fn all() -> Vec<Group> {
    vec![
        Group { name: "2d", title: "2D DCT-II and DCT-III", problems: squares() },
        Group { name: "kinds", title: "Other kinds", problems: kinds() },
        Group { name: "sizes", title: "Other sizes", problems: sizes() },
        Group { name: "3d", title: "3D DCT-II", problems: cubes() },
        Group { name: "batches", title: "4096 signals", problems: batches() },
        Group { name: "signals", title: "One signal", problems: signals() },
        Group { name: "fft", title: "2D FFTs", problems: ffts() },
        Group { name: "solvers", title: "Neumann solves", problems: solves() },
    ]
}

const TYPES: [&str; 2] = ["f32", "f64"];

fn squares() -> Vec<(String, Vec<Bar>)> {
    let mut list = vec![];
    for (shape, n) in [512, 1024, 2048, 4096, 8192, 16384].map(|n| (format!("{n}x{n}"), n)) {
        for real in TYPES.into_iter().filter(|real| (n, *real) != (16384, "f64")) {
            let most = match (n, real) {
                (512, _) => 1.0,
                (8192, "f32") => 0.95,
                (8192, _) => 0.75,
                _ => 0.85,
            };
            let copies = (n >= 4096).then_some(Bar::Copy(if (n, real) == (8192, "f32") { 3.0 } else { 2.8 }));
            let bars: Vec<Bar> = [Bar::CuFft(most), Bar::VkFft(1.0)].into_iter().chain(copies).collect();
            list.extend(["dct2", "dct3"].map(|kind| (format!("{kind} {real} {shape}"), bars.clone())));
        }
    }
    for (shape, most) in [("100x10000", 0.85), ("10000x100", 1.0)] {
        for real in TYPES {
            let bars = vec![Bar::CuFft(most), Bar::VkFft(1.0)];
            list.extend(["dct2", "dct3"].map(|kind| (format!("{kind} {real} {shape}"), bars.clone())));
        }
    }
    list
}

/// Pairs of a kind with the one that it is measured by.
const KINDS: [(&str, &str, f64); 12] = [
    ("dct2 {} 4096x4096", "", 0.0),
    ("dct3 {} 4096x4096", "", 0.0),
    ("idct_idxst {} 4096x4096", "dct3 {} 4096x4096", 1.05),
    ("idxst_idct {} 4096x4096", "dct3 {} 4096x4096", 1.05),
    ("dst2 {} 4096x4096", "dct2 {} 4096x4096", 1.05),
    ("dst3 {} 4096x4096", "dct3 {} 4096x4096", 1.05),
    ("dct4 {} 4096x4096", "dct2 {} 4096x4096", 1.15),
    ("dst4 {} 4096x4096", "dct2 {} 4096x4096", 1.15),
    ("dct2 {} 1024x1024", "", 0.0),
    ("dct1 {} 1025x1025", "dct2 {} 1024x1024", 1.5),
    ("dst1 {} 1023x1023", "dct2 {} 1024x1024", 1.5),
    ("dct1 {} 4097x4097", "dct2 {} 4096x4096", 1.5),
];

fn kinds() -> Vec<(String, Vec<Bar>)> {
    let with = |real: &'static str| {
        KINDS.into_iter().map(move |(text, beside, most)| {
            let bars = if beside.is_empty() { vec![] } else { vec![Bar::Problem(leaked(beside, real), most)] };
            (text.replace("{}", real), bars)
        })
    };
    TYPES
        .into_iter()
        .flat_map(with)
        .chain(
            TYPES.map(|real| {
                (format!("dst1 {real} 4095x4095"), vec![Bar::Problem(leaked("dct2 {} 4096x4096", real), 1.5)])
            }),
        )
        .collect()
}

/// One of a few texts, for as long as the program runs.
fn leaked(text: &str, real: &str) -> &'static str {
    text.replace("{}", real).leak()
}

fn sizes() -> Vec<(String, Vec<Bar>)> {
    let bars = |n| if n == 4099 { vec![Bar::VkFft(1.0)] } else { vec![Bar::CuFft(0.9), Bar::VkFft(1.0)] };
    let of = |n: usize| TYPES.map(|real| (format!("dct2 {real} {n}x{n}"), bars(n)));
    [1000, 1536, 2187, 2310, 4099].into_iter().flat_map(of).collect()
}

fn cubes() -> Vec<(String, Vec<Bar>)> {
    let of = |n: usize| TYPES.map(|real| (format!("dct2 {real} {n}x{n}x{n}"), vec![Bar::CuFft(0.95), Bar::VkFft(1.0)]));
    [128, 256, 512].into_iter().flat_map(of).collect()
}

fn batches() -> Vec<(String, Vec<Bar>)> {
    let of = |(n, most)| TYPES.map(|real| (format!("dct2 {real} 4096x{n} axes=1"), vec![Bar::Copy(most)]));
    [(256, 1.5), (1024, 1.3), (4096, 1.3)].into_iter().flat_map(of).collect()
}

fn signals() -> Vec<(String, Vec<Bar>)> {
    let of = |bits: u32| TYPES.map(|real| (format!("dct2 {real} {}", 1 << bits), vec![Bar::VkFft(1.0)]));
    [14, 16, 18].into_iter().flat_map(of).collect()
}

fn ffts() -> Vec<(String, Vec<Bar>)> {
    let mut list = vec![];
    for n in [1024, 2048, 4096, 8192] {
        for real in TYPES {
            list.extend(["fft", "rfft"].map(|kind| (format!("{kind} {real} {n}x{n}"), vec![Bar::CuFft(1.0)])));
        }
    }
    list
}

fn solves() -> Vec<(String, Vec<Bar>)> {
    let bars = || vec![Bar::Contestant(TWO_PLANS, 0.88), Bar::Contestant(CUFFT, 0.5)];
    let of = |shape: &str| TYPES.map(|real| (format!("{PREFIX}{real} {shape}"), bars()));
    ["4096x4096", "512x512x512"].into_iter().flat_map(of).collect()
}
