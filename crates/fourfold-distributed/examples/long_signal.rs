//! Times the recipe of one long signal on threads beside one process.
//!
//! `cargo run --release -p fourfold-distributed --example long_signal -- "dct2 f64 4194304" 2`

use fourfold::Result;
use fourfold_distributed::{Exchange, Only, Planner, Recipe, ThreadRank};
use std::sync::Mutex;
use std::time::Instant;

const ROUNDS: usize = 15;

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let problem: fourfold::Problem = words.next().unwrap_or_else(|| "dct2 f64 4194304".to_owned()).parse()?;
    let ranks: usize = words.next().and_then(|word| word.parse().ok()).unwrap_or(2);
    let recipe = Recipe::signal(&problem, &fourfold_distributed::Grid::new([ranks])?, true)?.expect("a matrix");
    println!("{recipe}");
    let plan = fourfold::Planner::new().plan(&problem)?;
    let n = problem.input().len;
    let x: Vec<f64> = (0..n).map(|i| (i * i % 1009) as f64).collect();
    let mut y = vec![0.0; n];
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        plan.execute(&x, &mut y)?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("one rank: {:.2} ms", best * 1e3);
    let slowest = Mutex::new([f64::INFINITY; 3]);
    let slowest = &slowest;
    std::thread::scope(|scope| {
        for rank in ThreadRank::all(ranks) {
            let recipe = recipe.clone();
            scope.spawn(move || {
                let mut plan = Planner::new(fourfold::Planner::new(), rank.clone()).plan(Ok(recipe)).unwrap();
                let (x, mut y) = (vec![1.0f64; plan.input_len()], vec![0.0f64; plan.output_len()]);
                for _ in 0..ROUNDS {
                    for (i, only) in [None, Some(Only::Exchanges), Some(Only::Passes)].into_iter().enumerate() {
                        rank.all_gather(0).unwrap();
                        let start = Instant::now();
                        match only {
                            None => plan.execute(&x, &mut y).unwrap(),
                            Some(only) => plan.execute_only(only, &x, &mut y).unwrap(),
                        }
                        let all = rank.all_gather(start.elapsed().as_nanos() as u64).unwrap();
                        let most = all.into_iter().max().unwrap() as f64 * 1e-9;
                        let mut slowest = slowest.lock().unwrap();
                        slowest[i] = slowest[i].min(most);
                    }
                }
            });
        }
    });
    let [whole, exchanges, passes] = slowest.lock().unwrap().map(|seconds| seconds * 1e3);
    println!("{ranks} ranks: {whole:.2} ms, exchanges {exchanges:.2} ms, passes {passes:.2} ms");
    Ok(())
}
