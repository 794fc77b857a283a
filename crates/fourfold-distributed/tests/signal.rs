//! One long signal, as columns and rows of a matrix.

mod common;

use common::distributed;
use fourfold::oracle::verify::{Data, check};
use fourfold::{Domain, Kind, Problem};
use fourfold_distributed::{Grid, Recipe};

#[test]
fn long_signals_agree_with_the_oracle() {
    for (problem, grid) in [
        ("fft f64 60", "4"),
        ("ifft f64 60 ortho", "4"),
        ("fft f32 1001", "3"),
        ("ifft f64 4096 scale=0.5", "2x3"),
        ("fft f64 2310 adjoint", "5"),
        ("fft f64 65536", "4"),
    ] {
        let (problem, grid): (Problem, Grid) = (problem.parse().unwrap(), grid.parse().unwrap());
        for natural in [true, false] {
            let recipe = Recipe::signal(&problem, &grid, natural).unwrap().unwrap();
            assert_eq!(recipe.exchanges(), if natural { 3 } else { 2 });
            let run = |x: &Data, y: &mut Data| {
                distributed(&recipe, None, x, y);
                Ok(())
            };
            let verdict = check(&problem, false, 5, run).unwrap();
            assert!(verdict.holds(), "{recipe}: {verdict:?}");
        }
    }
}

/// The matrix of a real signal's spectrum has every term, or its conjugate.
#[test]
fn long_real_signals_agree_with_the_oracle() {
    for (problem, grid) in [
        ("rfft f64 60", "2"),
        ("rfft f64 60 ortho", "3"),
        ("rfft f32 1001 scale=0.5", "4"),
        ("rfft f64 2310", "2x3"),
        ("rfft f64 65536", "8"),
        ("irfft f64 60", "2"),
        ("irfft f64 60 ortho", "3"),
        ("irfft f32 1001 scale=0.5", "4"),
        ("irfft f64 2310", "2x3"),
        ("irfft f64 65536", "8"),
    ] {
        let (problem, grid): (Problem, Grid) = (problem.parse().unwrap(), grid.parse().unwrap());
        if problem.transforms()[0].n < 10_000 {
            compare_signal(&problem.to_string(), &grid.to_string(), 3);
        }
        let recipe = Recipe::signal(&problem, &grid, false).unwrap().unwrap();
        assert_eq!(recipe.exchanges(), 2, "{recipe}");
        assert_eq!(recipe.to_string().parse::<Recipe>().unwrap(), recipe);
        let n = problem.transforms()[0].n;
        let columns = recipe.input().shape[0].max(recipe.output().shape[0]);
        let matrix = [columns / 2 + 1, n / columns];
        // The term k of row k₁ and column k₂.
        let term = |at: usize| at / matrix[1] + columns * (at % matrix[1]);
        let filled = || Data::filled(problem.precision(), Domain::Complex, matrix[0] * matrix[1], 0.0);
        let run = |x: &Data, y: &mut Data| {
            let mut spectrum = filled();
            if problem.input_domain() == Domain::Complex {
                assert_eq!(recipe.input().shape, matrix);
                for at in 0..matrix[0] * matrix[1] {
                    let k = term(at);
                    spectrum.set(at, if k <= n / 2 { x.get(k) } else { x.get(n - k).conj() });
                }
                distributed(&recipe, None, &spectrum, y);
                return Ok(());
            }
            assert_eq!(recipe.output().shape, matrix);
            distributed(&recipe, None, x, &mut spectrum);
            for at in 0..matrix[0] * matrix[1] {
                let k = term(at);
                y.set(k.min(n - k), if k <= n / 2 { spectrum.get(at) } else { spectrum.get(at).conj() });
            }
            Ok(())
        };
        let verdict = check(&problem, false, 5, run).unwrap();
        assert!(verdict.holds(), "{recipe}: {verdict:?}");
    }
}

/// Cosine, sine and Hartley transforms of a signal, from blocks to blocks.
#[test]
fn long_sums_of_reals_agree_with_the_oracle() {
    let lengths = [(48, "2"), (60, "3"), (144, "4"), (84, "2x3"), (1000, "8"), (4096, "8")];
    for kind in ["dct2", "dct3", "dct4", "dst2", "dst3", "dst4", "idxst", "dht"] {
        for (n, grid) in lengths {
            // The IDXST has no inverse, so it has no norms.
            let norms = if kind == "idxst" { ["", ""] } else { ["ortho", "forward"] };
            let [ortho, forward] = norms;
            for options in [
                "f64 {}",
                &format!("f32 {{}} {ortho}"),
                "f64 {} adjoint",
                &format!("f64 {{}} {forward} adjoint scale=0.5"),
            ] {
                compare_signal(&format!("{kind} {}", options.replace("{}", &n.to_string())), grid, 3);
            }
        }
    }
    for (kind, n) in
        ["dct2", "dct3", "dst2", "dst3", "idxst", "dht"].into_iter().flat_map(|kind| [(kind, 63), (kind, 1001)])
    {
        compare_signal(&format!("{kind} f64 {n}"), "3", 3);
        compare_signal(&format!("{kind} f64 {n} adjoint"), "2x2", 3);
    }
    for kind in ["dct2", "dst3", "dct4", "idxst"] {
        // Both lengths of the matrix are even, or one of them is.
        for n in [36, 42, 90, 210] {
            compare_signal(&format!("{kind} f64 {n}"), "1x2", 3);
            compare_signal(&format!("{kind} f64 {n} adjoint"), "3", 3);
        }
    }
    compare_signal("dct2 f64 2310", "6", 3);
    compare_signal("dst3 f64 1022 forward orthogonalize=yes", "5", 3);
}

/// The DFTs of these kinds have 2(N − 1) and 2(N + 1) elements.
#[test]
fn long_extended_signals_agree_with_the_oracle() {
    for (m, grid) in [(48, "2"), (60, "3"), (144, "4"), (84, "2x3"), (9, "2"), (35, "3"), (25, "1x3"), (600, "8")] {
        for options in ["f64", "f32 ortho", "f64 adjoint", "f64 forward orthogonalize=yes adjoint scale=0.5"] {
            let (precision, options) = options.split_at(3);
            compare_signal(&format!("dct1 {precision} {}{options}", m + 1), grid, 3);
            let options = options.replace(" orthogonalize=yes", "");
            compare_signal(&format!("dst1 {precision} {}{options}", m - 1), grid, 3);
        }
        compare_signal(&format!("idct1 f64 {}", m + 1), grid, 3);
        compare_signal(&format!("idst1 f32 {}", m - 1), grid, 3);
    }
    compare_signal("dct1 f64 4097", "8", 3);
    compare_signal("dst1 f64 4095", "8", 3);
}

#[test]
fn long_signals_of_odd_lengths_agree_with_the_oracle() {
    for (n, grid) in [(9, "2"), (15, "3"), (45, "2"), (63, "3"), (105, "2x2"), (729, "8")] {
        for options in ["f64", "f32 ortho", "f64 adjoint", "f64 forward adjoint scale=0.5"] {
            let (precision, options) = options.split_at(3);
            compare_signal(&format!("dct4 {precision} {n}{options}"), grid, 3);
            compare_signal(&format!("dst4 {precision} {n}{options}"), grid, 3);
        }
    }
    compare_signal("dct4 f64 3969", "5", 3);
}

/// Any matrix of a signal will do, also one of which some ranks have nothing.
#[test]
fn any_matrix_of_a_signal_agrees() {
    for (problem, matrix, elements) in [
        ("dct2 f64 60", "10x6", 60),
        ("dst3 f64 60", "10x6", 60),
        ("dst4 f64 60", "5x6", 30),
        ("dct4 f64 45", "9x5", 45),
        ("dst4 f64 105", "15x7", 105),
        ("idxst f64 60", "10x6", 60),
        ("dht f64 60", "10x6", 60),
        ("dct1 f64 31 ortho", "10x6", 60),
        ("dst1 f64 29", "10x6", 60),
        ("dct1 f64 46 adjoint", "10x9", 90),
        ("dst1 f64 44", "10x9", 90),
        ("rfft f64 60", "10x6", 60),
        ("irfft f64 60", "10x6", 60),
        ("rfft f64 45", "9x5", 45),
        ("irfft f64 45", "9x5", 45),
        ("irfft f64 90", "10x9", 90),
    ] {
        let (problem, grid) = (problem.parse::<Problem>().unwrap(), "3".parse().unwrap());
        let recipe = Recipe::signal(&problem, &grid, true).unwrap().unwrap().to_string();
        assert!(recipe.contains(matrix), "{recipe}");
        // The elements of an odd extension that change sign are the rows of its first half.
        let is_odd = problem.kinds() == [Kind::Dst1];
        let negated = |rows: usize| format!("negate {}", rows / 2 * (elements / rows / 2 + 1));
        for rows in (1..=elements).filter(|rows| elements % rows == 0) {
            let other = recipe.replacen(matrix, &format!("{rows}x{}", elements / rows), 1);
            let other = if is_odd { other.replacen(&negated(10), &negated(rows), 1) } else { other };
            compare_recipe(&problem, &other.parse().unwrap_or_else(|e| panic!("{other}: {e}")));
        }
    }
}

/// No term of the IDXST depends on the first element.
#[test]
fn an_ignored_element_may_be_infinite() {
    let problem: Problem = "idxst f64 60".parse().unwrap();
    let recipe = Recipe::signal(&problem, &"3".parse().unwrap(), true).unwrap().unwrap();
    let filled = || Data::filled(problem.precision(), Domain::Real, 60, 1.0);
    let (mut x, mut plain, mut y) = (filled(), filled(), filled());
    distributed(&recipe, None, &x, &mut plain);
    x.set(0, f64::INFINITY.into());
    distributed(&recipe, None, &x, &mut y);
    assert_eq!(y, plain);
}

/// Compares the recipe of a real signal with the oracle.
fn compare_signal(problem: &str, grid: &str, exchanges: usize) {
    let (problem, grid): (Problem, Grid) = (problem.parse().unwrap(), grid.parse().unwrap());
    let recipe = Recipe::signal(&problem, &grid, true).unwrap().unwrap_or_else(|| panic!("{problem} on {grid}"));
    assert_eq!(recipe.exchanges(), exchanges, "{recipe}");
    assert_eq!(recipe.to_string().parse::<Recipe>().unwrap(), recipe);
    compare_recipe(&problem, &recipe);
}

fn compare_recipe(problem: &Problem, recipe: &Recipe) {
    let run = |x: &Data, y: &mut Data| {
        distributed(recipe, None, x, y);
        Ok(())
    };
    let verdict = check(problem, false, 5, run).unwrap();
    assert!(verdict.holds(), "{recipe}: {verdict:?}");
}

/// Parts are blocks of the signal, and of its spectrum if that is in natural order.
#[test]
fn parts_of_a_signal_are_blocks() {
    let recipe = Recipe::signal(&"fft f64 60".parse().unwrap(), &"3".parse().unwrap(), true).unwrap().unwrap();
    let (input, output) = (recipe.input(), recipe.output());
    assert_eq!((&input.shape[..], &input.order[..]), (&[10, 6][..], &[0, 1][..]));
    assert_eq!(input.ranges(recipe.grid(), 0), [0..4, 0..6]);
    assert_eq!((&output.shape[..], &output.order[..]), (&[10, 6][..], &[1, 0][..]));
    assert_eq!(output.ranges(recipe.grid(), 0), [0..10, 0..2]);
}

/// A signal without factors for all ranks has no such recipe, and is computed by one rank.
#[test]
fn some_signals_have_no_matrix() {
    for (problem, grid) in [
        ("fft f64 61", "2"),
        ("fft f64 62", "3"),
        ("dct2 f64 61", "2"),
        ("dct4 f64 61", "2"),
        ("dst4 f64 63", "8"),
        ("dct4 f64 60", "6"),
        ("dct1 f64 32", "5"),
        ("dst1 f64 30", "5"),
        ("rfft f64 61", "2"),
        ("rfft f64 60 adjoint", "2"),
        ("dct2 f64 60", "7"),
        ("fft f64 8x8", "2"),
    ] {
        assert!(
            Recipe::signal(&problem.parse().unwrap(), &grid.parse().unwrap(), true).unwrap().is_none(),
            "{problem}"
        );
    }
}
