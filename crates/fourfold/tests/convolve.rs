//! Convolutions against sums over every element of the kernel, and filters against their responses.

use fourfold::convolve::{Band, Boundary, Convolution, ConvolutionMethod, FrequencyFilter, Mode, Rolloff, fast_length};
use fourfold::{Error, Planner, Precision};

const MODES: [Mode; 3] = [Mode::Full, Mode::Same, Mode::Valid];
const BOUNDARIES: [Boundary; 3] = [Boundary::Zero, Boundary::Periodic, Boundary::Reflect];
const METHODS: [ConvolutionMethod; 2] = [ConvolutionMethod::Direct, ConvolutionMethod::Transform];

fn random(count: usize, seed: u64) -> Vec<f64> {
    let mut source = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| 2.0 * source.f64() - 1.0).collect()
}

/// The index within `n` elements that an index beyond them stands for, found step by step.
fn inside(boundary: Boundary, mut i: isize, n: isize) -> Option<usize> {
    while i < 0 || i >= n {
        i = match boundary {
            Boundary::Zero => return None,
            Boundary::Periodic => i + if i < 0 { n } else { -n },
            Boundary::Reflect => (if i < 0 { -1 } else { 2 * n - 1 }) - i,
        };
    }
    Some(i as usize)
}

/// All indices of an array, in C order.
fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    shape
        .iter()
        .fold(vec![vec![]], |all, &n| all.iter().flat_map(|head| (0..n).map(|i| [&head[..], &[i]].concat())).collect())
}

fn at(shape: &[usize], index: &[usize]) -> usize {
    shape.iter().zip(index).fold(0, |at, (n, i)| at * n + i)
}

struct Case<'a> {
    shape: &'a [usize],
    kernel: &'a [usize],
    mode: Mode,
    boundary: Boundary,
    correlate: bool,
}

impl Case<'_> {
    /// The shape of the output of one array, and the full convolution's index of its first element.
    fn output(&self) -> (Vec<usize>, Vec<usize>) {
        let axes = self.shape.iter().zip(self.kernel).map(|(n, k)| match self.mode {
            Mode::Full => (n + k - 1, 0),
            Mode::Same => (*n, (k - 1) / 2),
            Mode::Valid => (n - k + 1, k - 1),
        });
        axes.unzip()
    }

    /// Σ_j h_j x_{n−j}, or with the kernel reversed.
    fn summed(&self, x: &[f64], h: &[f64]) -> Vec<f64> {
        let (shape, first) = self.output();
        let term = |n: &[usize], j: &[usize]| {
            let place = (0..n.len()).map(|a| {
                let index = (n[a] + first[a]) as isize - j[a] as isize;
                inside(self.boundary, index, self.shape[a] as isize)
            });
            let x = place.collect::<Option<Vec<_>>>().map_or(0.0, |place| x[at(self.shape, &place)]);
            let kernel = at(self.kernel, j);
            x * if self.correlate { h[h.len() - 1 - kernel] } else { h[kernel] }
        };
        let taps = indices(self.kernel);
        indices(&shape).iter().map(|n| taps.iter().map(|j| term(n, j)).sum()).collect()
    }

    /// Compares both methods with the sums, for `batch` arrays.
    fn check(&self, batch: usize, planner: &Planner) {
        let (count, taps) = (self.shape.iter().product(), self.kernel.iter().product());
        let (x, h) = (random(batch * count, 1), random(taps, 2));
        let want: Vec<f64> = x.chunks(count).flat_map(|x| self.summed(x, &h)).collect();
        let shape: Vec<_> = (batch > 1).then_some(batch).into_iter().chain(self.shape.iter().copied()).collect();
        let (mode, boundary) = (self.mode, self.boundary);
        for method in METHODS {
            let builder = Convolution::builder(&shape, self.kernel, &h).mode(mode).boundary(boundary).method(method);
            let builder = if self.correlate { builder.correlate() } else { builder };
            let convolution = builder.build(planner).unwrap();
            assert_eq!(convolution.method().0, method);
            assert_eq!(convolution.output_shape().iter().product::<usize>(), want.len());
            let mut y = vec![f64::NAN; want.len()];
            // The second time it finds its memory used.
            for _ in 0..2 {
                convolution.apply(&x, &mut y).unwrap();
            }
            let error = y.iter().zip(&want).map(|(y, want)| (y - want).abs()).fold(0.0, f64::max);
            let (shape, kernel) = (self.shape, self.kernel);
            assert!(error <= 1e-14 * taps as f64, "{shape:?} by {kernel:?}, {mode} {boundary} {method:?}: {error:e}");
        }
    }
}

/// Checks every mode and boundary, convolution and correlation.
fn check(shape: &[usize], kernel: &[usize], batch: usize) {
    let planner = Planner::builder().threads(2).build().unwrap();
    for (mode, boundary) in MODES.into_iter().flat_map(|mode| BOUNDARIES.map(|boundary| (mode, boundary))) {
        if mode == Mode::Valid && shape.iter().zip(kernel).any(|(n, k)| k > n) {
            continue;
        }
        for correlate in [false, true] {
            Case { shape, kernel, mode, boundary, correlate }.check(batch, &planner);
        }
    }
}

#[test]
fn one_dimension() {
    for (n, k) in [(1, 1), (1, 4), (2, 1), (5, 2), (7, 3), (8, 8), (3, 11), (40, 7), (65, 64)] {
        check(&[n], &[k], 1);
    }
    check(&[19], &[4], 37);
}

#[test]
fn long_signals_are_cut_into_tiles() {
    let planner = Planner::builder().threads(3).build().unwrap();
    for boundary in BOUNDARIES {
        let case = Case { shape: &[5000], kernel: &[33], mode: Mode::Full, boundary, correlate: false };
        case.check(1, &planner);
        case.check(3, &planner);
    }
    let h = random(33, 2);
    let long = Convolution::builder([5000], [33], &h).method(ConvolutionMethod::Transform).build(&planner).unwrap();
    assert!(long.method().1[0] < 2500, "{:?}", long.method());
    let tall =
        Case { shape: &[3000, 3], kernel: &[9, 2], mode: Mode::Same, boundary: Boundary::Reflect, correlate: true };
    tall.check(2, &planner);
}

#[test]
fn more_dimensions() {
    check(&[6, 7], &[3, 2], 1);
    check(&[4, 9], &[5, 4], 3);
    check(&[20, 1], &[1, 3], 1);
    check(&[3, 4, 5], &[2, 3, 2], 2);
}

#[test]
fn single_precision() {
    let (x, h) = (random(900, 1), random(49, 2));
    let case = Case { shape: &[30, 30], kernel: &[7, 7], mode: Mode::Same, boundary: Boundary::Zero, correlate: false };
    let want = case.summed(&x, &h);
    let [x, h] = [x, h].map(|list| list.into_iter().map(|x| x as f32).collect::<Vec<_>>());
    for method in METHODS {
        let convolution = Convolution::builder([30, 30], [7, 7], &h).method(method).build(&Planner::new()).unwrap();
        let mut y = vec![0.0f32; 900];
        convolution.apply(&x, &mut y).unwrap();
        assert!(y.iter().zip(&want).all(|(y, want)| (f64::from(*y) - want).abs() < 1e-5), "{method:?}");
    }
}

#[test]
fn fast_lengths_are_the_least_products() {
    let is_product = |mut n: usize| {
        for prime in [2, 3, 5, 7, 11, 13] {
            while n % prime == 0 {
                n /= prime;
            }
        }
        n == 1
    };
    for n in 3..4000 {
        let least = (n..).find(|n| n % 2 == 0 && is_product(*n)).unwrap();
        assert_eq!(fast_length(n), least, "{n}");
    }
    assert_eq!([0, 1, 2].map(fast_length), [1, 1, 2]);
    assert!(fast_length((1 << 40) + 1) < (1 << 40) + (1 << 32));
    assert_eq!(fast_length(usize::MAX), usize::MAX);
}

fn says<T>(result: Result<T, Error>, hint: &str) {
    let error = result.err().unwrap_or_else(|| panic!("{hint}"));
    assert!(error.to_string().contains(hint), "{error}");
}

#[test]
fn kernels_that_do_not_fit_are_refused() {
    let planner = Planner::new();
    let build = |shape: &[usize], kernel_shape: &[usize], kernel: &[f64], mode: Mode| {
        Convolution::builder(shape, kernel_shape, kernel).mode(mode).build(&planner)
    };
    let valid = build(&[4, 3], &[2, 5], &[1.0; 10], Mode::Valid);
    says(valid, "the kernel has 5 elements along axis 1, and the array 3: expected at most 3 in mode valid");
    says(build(&[4], &[2, 2], &[1.0; 4], Mode::Same), "a kernel of 2 axes for arrays of 1: expected 1");
    says(build(&[4, 4], &[2; 3], &[1.0; 8], Mode::Same), "a kernel of 3 axes for arrays of 2: expected 1 to 2");
    says(build(&[4], &[], &[1.0], Mode::Same), "a kernel of 0 axes, which is one number, for arrays of 1: expected 1");
    says(build(&[], &[], &[1.0], Mode::Same), "an array of 0 axes, which is one number: expected 1 or more");
    says(build(&[4], &[3], &[1.0; 2], Mode::Same), "a kernel of 2 elements: expected those of the shape [3]");
    says(build(&[4], &[0], &[], Mode::Same), "axis 0 has 4 elements, and the kernel 0: expected 1 or more");
    says(build(&[0, 4], &[2], &[1.0; 2], Mode::Same), "axis 0 has no elements");
    says(build(&[4, 0], &[2], &[1.0; 2], Mode::Full), "axis 1 has 0 elements");
    says(build(&[4], &[2], &[1.0, f64::NAN], Mode::Same), "element 1 of the kernel is NaN: expected finite numbers");
    says(build(&[1 << 40, 1 << 40], &[1], &[1.0], Mode::Same), "expected one that fits the address space");
    let memory = |shape: &[usize], kernel: &[usize]| Convolution::<f64>::memory(shape, kernel, Mode::Same, 1);
    for kernel in [usize::MAX, 1 << 60, 1 << 63] {
        says(memory(&[8], &[kernel]), "expected one that fits the address space");
    }
    says(memory(&[1 << 30, 1], &[1, 1 << 31]), "expected one that fits the address space");
    assert!(memory(&[1; 64], &[1; 64]).is_ok(), "of one element there is one tile of one");
    says(build(&[usize::MAX], &[2], &[1.0; 2], Mode::Full), "expected");
    let convolution = build(&[4], &[2], &[1.0; 2], Mode::Full).unwrap();
    says(convolution.apply(&[1.0; 3], &mut [0.0; 5]), "the input has 3 elements: expected 4");
    says(convolution.apply(&[1.0; 4], &mut [0.0; 4]), "the output has 4 elements: expected 5");
    says("circular".parse::<Boundary>(), "the boundary `circular`: expected zero, periodic or reflect");
    says("half".parse::<Mode>(), "the mode `half`: expected full, same or valid");
}

/// A wave of each frequency leaves a filter multiplied by the response.
#[test]
fn filters_multiply_waves_by_their_response() {
    let filters = [
        (Band::Low(0.4), Rolloff::Ideal),
        (Band::High(0.4), Rolloff::Gaussian),
        (Band::Pass(0.2, 0.7), Rolloff::Butterworth(2)),
        (Band::Pass(0.25, 0.5), Rolloff::Ideal),
    ];
    let (height, width) = (12, 15);
    for (band, rolloff) in filters {
        let filter = FrequencyFilter::new(band, rolloff).unwrap();
        let plan = Planner::new().plan(filter.pipeline(&[height, width], Precision::F64).unwrap()).unwrap();
        for (k, l) in [(0, 0), (1, 0), (0, 3), (5, 2), (6, 7)] {
            let angle = |i: usize| (k * (i / width)) as f64 / height as f64 + (l * (i % width)) as f64 / width as f64;
            let wave: Vec<_> = (0..height * width).map(|i| (std::f64::consts::TAU * angle(i)).cos()).collect();
            let mut filtered = vec![0.0; wave.len()];
            plan.execute(&wave, &mut filtered).unwrap();
            let frequency = (2.0 * k as f64 / height as f64).hypot(2.0 * l as f64 / width as f64);
            let by = filter.response(frequency);
            let error = filtered.iter().zip(&wave).map(|(y, x)| (y - by * x).abs()).fold(0.0, f64::max);
            assert!(error < 1e-14, "{band:?} {rolloff:?}, {k} {l}: {error:e}");
        }
    }
}

#[test]
fn responses_are_their_formulas() {
    let response = |band, rolloff, frequency| FrequencyFilter::new(band, rolloff).unwrap().response(frequency);
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{a} {b}");
    for rolloff in [Rolloff::Gaussian, Rolloff::Butterworth(1), Rolloff::Butterworth(7)] {
        near(response(Band::Low(0.3), rolloff, 0.3), 0.5f64.sqrt());
        near(response(Band::High(0.3), rolloff, 0.3), 0.5f64.sqrt());
        near(response(Band::Low(0.3), rolloff, 0.0), 1.0);
        near(response(Band::High(0.3), rolloff, 0.0), 0.0);
        near(response(Band::Low(0.0), rolloff, 0.1), 0.0);
        near(response(Band::High(0.0), rolloff, 0.1), 1.0);
        let [low, high] = [Band::Low(0.3), Band::High(0.3)].map(|band| response(band, rolloff, 0.45));
        near(low * low + high * high, 1.0);
    }
    near(response(Band::Low(0.2), Rolloff::Gaussian, 0.4), 0.25);
    near(response(Band::Low(0.2), Rolloff::Butterworth(2), 0.4), 1.0 / 17f64.sqrt());
    near(response(Band::High(0.2), Rolloff::Gaussian, 1e3), 1.0);
    assert_eq!([0.2, 0.3, 0.6, 0.7].map(|f| response(Band::Pass(0.3, 0.6), Rolloff::Ideal, f)), [0.0, 1.0, 1.0, 0.0]);
}

#[test]
fn cut_offs_outside_the_band_are_refused() {
    let build = |band| FrequencyFilter::new(band, Rolloff::Ideal);
    says(build(Band::Low(-0.1)), "a cut-off of -0.1: expected a finite number from 0 on");
    says(build(Band::High(f64::NAN)), "a cut-off of NaN");
    says(build(Band::Pass(0.1, f64::INFINITY)), "a cut-off of inf");
    says(build(Band::Pass(0.5, 0.5)), "a band from 0.5 to 0.5: expected the lower cut-off first");
    says(FrequencyFilter::new(Band::Low(0.5), Rolloff::Butterworth(0)), "a Butterworth filter of order 0");
    says(build(Band::Low(1.1)).unwrap().factors(&[8]), "a cut-off of 1.1: expected one within the band, from 0 to 1");
    assert!(build(Band::Low(2f64.sqrt())).unwrap().factors(&[8, 8]).is_ok());
    says("butterworth".parse::<Rolloff>(), "the roll-off `butterworth`: expected ideal, gaussian or butterworth:ORDER");
    assert_eq!("butterworth:3".parse::<Rolloff>().unwrap(), Rolloff::Butterworth(3));
}

/// Direct sums spread a NaN to the outputs that include it, and transforms to those of every tile that
/// includes it, as documented.
#[test]
fn a_nan_spreads_as_documented() {
    let (n, k, at) = (2000, 31, 700);
    for method in METHODS {
        let h = random(k, 2);
        let convolution = Convolution::<f64>::builder([3, n], [k], &h)
            .method(method)
            .mode(Mode::Full)
            .build(&Planner::new())
            .unwrap();
        let outputs = convolution.output_shape()[1];
        let mut x = random(3 * n, 1);
        let [mut clean, mut y] = [(); 2].map(|()| vec![0.0; 3 * outputs]);
        convolution.apply(&x, &mut clean).unwrap();
        x[n + at] = f64::NAN;
        convolution.apply(&x, &mut y).unwrap();
        let step = convolution.method().1[0] - (k - 1);
        assert!(method == ConvolutionMethod::Direct || outputs > 2 * step, "there are several tiles");
        for (i, (y, clean)) in y.iter().zip(&clean).enumerate() {
            let (array, output) = (i / outputs, i % outputs);
            // Output m includes the elements from m − K + 1 to m.
            let tile = output / step * step;
            let reads =
                if method == ConvolutionMethod::Direct { output..output + k } else { tile..tile + step + k - 1 };
            let is_bad = array == 1 && reads.contains(&(at + k - 1));
            assert!(if is_bad { y.is_nan() } else { y == clean }, "{method:?}: {i} {y}");
        }
    }
}
