//! Recipes: steps, text, errors.

mod common;

use common::recipe;
use fourfold_distributed::{Grid, Recipe};

/// The number of exchanges of a recipe.
fn exchanges(problem: &str, grid: &str, input: &str, output: Option<&str>) -> usize {
    recipe(problem, grid, input, output).unwrap().exchanges()
}

#[test]
fn a_recipe_has_the_fewest_exchanges() {
    assert_eq!(exchanges("dct2 f64 64x48", "4", "p,*", None), 1);
    assert_eq!(exchanges("dct2 f64 64x48", "4", "p,*", Some("*,p")), 1);
    assert_eq!(exchanges("dct2 f64 64x48", "4", "p,*", Some("p,*")), 2);
    assert_eq!(exchanges("dct2 f64 64x48", "2x2", "pq,*", None), 1);
    assert_eq!(exchanges("dct2 f64 64x48x40", "4", "p,*,*", None), 1);
    assert_eq!(exchanges("dct2 f64 64x48x40", "2x3", "p,q,*", None), 2);
    assert_eq!(exchanges("dct2 f64 64x48x40", "2x3", "p,q,*", Some("*,p,q")), 2);
    assert_eq!(exchanges("dct2 f64 64x48x40", "2x3", "p,q,*", Some("p,q,*")), 3);
    assert_eq!(exchanges("rfft f64 8x9x10x11", "2x3", "p,q,*,*", None), 2);
    // A batch needs none, and dimensions of length 1 divide nothing.
    assert_eq!(exchanges("dct2 f64 64x48 axes=1", "4", "p,*", None), 0);
    assert_eq!(exchanges("dct2 f64 64x48x40", "1x1", "p,q,*", Some("p,q,*")), 0);
    // One signal is sent to one rank, and back.
    assert_eq!(exchanges("dct2 f64 64", "4", "p", None), 1);
    assert_eq!(exchanges("dct2 f64 64", "4", "p", Some("p")), 2);
}

#[test]
fn the_text_says_every_step() {
    let text = "dct2 f64 64x48x36 on 2x3 from p,q,* to *,p,q\n\
        input -> output axis 2: dct2\n\
        output -> work exchange to p,*,q\n\
        work -> work axis 1: dct2\n\
        work -> output exchange to *,p,q\n\
        output -> output axis 0: dct2";
    assert_eq!(recipe("dct2 f64 64x48x36", "2x3", "p,q,*", None).unwrap().to_string(), text);
    let grid: Grid = "4".parse().unwrap();
    let [forward, inverse] = ["dct2 f64 8x6", "idct2 f64 8x6"].map(|text| text.parse().unwrap());
    let slabs = "p,*".parse().unwrap();
    let filter = Recipe::filter(&forward, &inverse, &grid, &slabs, Some(&slabs)).unwrap();
    // Forward and back would take four exchanges.
    let text = "dct2 f64 8x6 | multiply | idct2 f64 8x6 on 4 from p,* to p,*\n\
        input -> output axis 1: dct2\n\
        output -> work exchange to *,p\n\
        work -> work axis 0: dct2 | multiply | dct3\n\
        work -> output exchange to p,*\n\
        output -> output axis 1: dct3";
    assert_eq!(filter.to_string(), text);
    let signal = Recipe::signal(&"fft f64 60".parse().unwrap(), &grid, true).unwrap().unwrap();
    let text = "fft f64 60 as 10x6 on 4 from p,* to *,p\n\
        input -> work exchange to *,p\n\
        work -> work axis 0: forward | multiply\n\
        work -> output exchange to p,*\n\
        output -> work axis 1: forward\n\
        work -> output exchange to *,p";
    assert_eq!(signal.to_string(), text);
    let signal = Recipe::signal(&"dst2 f64 60".parse().unwrap(), &grid, true).unwrap().unwrap();
    let text = "dst2 f64 60 as 10x6 on 4 from p,* to p,*\n\
        input -> work exchange to *,p even-odd\n\
        work -> work negate 30\n\
        work -> output axis 0: real_to_half | multiply\n\
        output -> work exchange to p,*\n\
        work -> work axis 1: forward | multiply\n\
        work -> output exchange to p,* from pairs";
    assert_eq!(signal.to_string(), text);
    assert!(text.replace("negate 30", "negate 36").parse::<Recipe>().is_err());
    assert!(text.replace("as 10x6", "as 8x7").parse::<Recipe>().is_err());
}

#[test]
fn text_parses_back() {
    let mut recipes = vec![];
    for (problem, grid, input, output) in [
        ("dct2 f64 64x48x40", "2x3", "p,q,*", Some("p,q,*")),
        ("rfft f32 7x9x10 ortho", "2x3", "*,qp,*", None),
        ("idst3 f64 12", "3", "p", None),
        ("dct2,fft f64 5x6x7 axes=0,2", "2x2", "q,p,*", Some("*,p,q")),
    ] {
        recipes.push(recipe(problem, grid, input, output).unwrap());
    }
    let grid: Grid = "2x3".parse().unwrap();
    let forward = "rfft f64 12x10".parse().unwrap();
    let inverse = "irfft f64 12x10".parse().unwrap();
    recipes.push(Recipe::filter(&forward, &inverse, &grid, &"pq,*".parse().unwrap(), None).unwrap());
    recipes.push(Recipe::signal(&"ifft f32 4096".parse().unwrap(), &grid, false).unwrap().unwrap());
    for recipe in recipes {
        assert_eq!(recipe.to_string().parse::<Recipe>().unwrap(), recipe, "{recipe}");
    }
}

#[test]
fn steps_in_another_order_are_a_recipe() {
    let text = "dct2 f64 8x6 on 2 from *,* to *,*";
    assert!(text.parse::<Recipe>().is_err(), "the grid divides nothing");
    let text = "dct2 f64 8x6x4 on 2 from p,*,* to *,*,p\n\
        input -> output axis 1: dct2\n\
        output -> output axis 2: dct2\n\
        output -> output axis 0: dct2";
    assert!(text.parse::<Recipe>().is_err(), "axis 0 is divided");
    let text = "dct2 f64 8x6x4 on 2 from p,*,* to *,*,p\n\
        input -> work axis 1: dct2\n\
        work -> work axis 2: dct2\n\
        work -> output exchange to *,*,p\n\
        output -> output axis 0: dct2";
    let other: Recipe = text.parse().unwrap();
    assert_eq!(other.to_string(), text);
    assert_ne!(other, recipe("dct2 f64 8x6x4", "2", "p,*,*", Some("*,*,p")).unwrap());
    common::compare(&other);
}

/// The message of an error.
fn message<T>(result: fourfold::Result<T>) -> String {
    match result {
        Ok(_) => panic!("no error"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn bad_input_is_an_error() {
    let says = |message: String, text: &str| assert!(message.contains(text), "{message:?} does not say {text:?}");
    says(message("2x2x2".parse::<Grid>()), "one or two");
    says(message("0".parse::<Grid>()), "at least 1");
    says(message("a".parse::<Grid>()), "such as 4 or 2x2");
    says(message(recipe("dct2 f64 8x8", "2", "r,*", None)), "expected p, q, pq or *");
    says(message(recipe("dct2 f64 8x8", "2", "p", None)), "1 axes, and the array 2");
    says(message(recipe("dct2 f64 8x8", "2", "*,*", None)), "names p 0 times");
    says(message(recipe("dct2 f64 8x8", "2", "p,p", None)), "names p 2 times");
    says(message(recipe("dct2 f64 8x8", "2", "p,q", None)), "names q, and the grid 2 has one");
    says(message(recipe("dct2 f64 8x8", "2x2", "p,*", None)), "names q 0 times");
    says(message(recipe("dct2 f64 8x8 inplace", "2", "p,*", None)), "leave out inplace");
    says(message(recipe("dct2 f64 8x8 out=1,8", "2", "p,*", None)), "out=");
    let [forward, inverse] = ["dct2 f64 8x6", "idct2 f64 8x7"].map(|text| text.parse().unwrap());
    let filter = Recipe::filter(&forward, &inverse, &"2".parse().unwrap(), &"p,*".parse().unwrap(), None);
    says(message(filter), "must agree");
    for text in ["", "dct2 f64 8x8", "dct2 f64 8x8 on 2 from p,* to", "fft f64 60 as 7x9 on 2 from p,* to *,p"] {
        assert!(text.parse::<Recipe>().is_err(), "{text}");
    }
    let good = recipe("dct2 f64 8x6", "2", "p,*", None).unwrap().to_string();
    for (from, to) in
        [("axis 1", "axis 7"), ("work -> output", "output -> work"), ("to *,p\ni", "to p,*\ni"), ("dct2\n", "dct3\n")]
    {
        let bad = good.replacen(from, to, 1);
        assert_ne!(bad, good);
        assert!(bad.parse::<Recipe>().is_err(), "{bad}");
    }
}
