//! One rank executes a plan with a wrong argument, or another plan of the same shape: all ranks get an error,
//! none waits, and the next execution works. The suite `mpi` runs it under `mpirun` with 3 ranks.

use fourfold::Result;
use fourfold_distributed::{Exchange, Planner, Recipe};
use fourfold_mpi::MpiRank;
use mpi::environment::{Threading, initialize_with_threading};

fn main() -> Result<()> {
    let (universe, _) = initialize_with_threading(Threading::Funneled).expect("MPI is not running yet");
    let rank = MpiRank::new(&universe.world())?;
    let number = rank.rank();
    let rows = "p,*".parse()?;
    let grid = rank.ranks().to_string().parse()?;
    let planner = Planner::new(fourfold::Planner::new(), rank);
    let mut plan = planner.plan(Recipe::new(&"dct2 f64 9x9".parse()?, &grid, &rows, Some(&rows)))?;
    let mut other = planner.plan(Recipe::new(&"dct4 f64 9x9".parse()?, &grid, &rows, Some(&rows)))?;
    let mut shorter = planner.plan(Recipe::new(&"dct2 f64 9x9".parse()?, &grid, &rows, None))?;
    let (x, mut y) = (vec![1.0f64; plan.input_len()], vec![0.0f64; plan.output_len()]);
    for (wrong, says) in [(1, "the input has 26 elements, this rank needs 27"), (0, "the input has 26 elements")] {
        let given = if number == wrong { x.len() - 1 } else { x.len() };
        let message = plan.execute(&x[..given], &mut y).expect_err("a rank has a wrong argument").to_string();
        let expected = if number == wrong { says.to_owned() } else { format!("rank {wrong} does not take part") };
        assert!(message.contains(&expected), "rank {number}: {message}");
        plan.execute(&x, &mut y)?;
        assert_eq!(y[0], if number == 0 { 4.0 * 81.0 } else { 0.0 });
    }
    for odd in 0..3 {
        for unlike in [&mut other, &mut shorter] {
            let executed = if number == odd { unlike } else { &mut plan };
            let mut y = vec![0.0f64; executed.output_len().max(x.len())];
            let message = executed.execute(&x, &mut y).expect_err("a rank has another plan").to_string();
            assert!(message.contains("executes another exchange"), "rank {number}: {message}");
            plan.execute(&x, &mut y)?;
            assert_eq!(y[0], if number == 0 { 4.0 * 81.0 } else { 0.0 });
        }
    }
    if number == 0 {
        println!("a wrong argument or another plan of one rank is an error on all");
    }
    Ok(())
}
