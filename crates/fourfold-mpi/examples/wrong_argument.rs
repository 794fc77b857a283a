//! One rank executes a plan with a wrong argument: all ranks get an error, none waits, and the next
//! execution works. The suite `mpi` runs it under `mpirun` with 3 ranks.

use fourfold::Result;
use fourfold_distributed::{Exchange, Planner, Recipe};
use fourfold_mpi::MpiRank;
use mpi::environment::{Threading, initialize_with_threading};

fn main() -> Result<()> {
    let (universe, _) = initialize_with_threading(Threading::Funneled).expect("MPI is not running yet");
    let rank = MpiRank::new(&universe.world())?;
    let number = rank.rank();
    let rows = "p,*".parse()?;
    let recipe = Recipe::new(&"dct2 f64 9x9".parse()?, &rank.ranks().to_string().parse()?, &rows, Some(&rows));
    let mut plan = Planner::new(fourfold::Planner::new(), rank).plan(recipe)?;
    let (x, mut y) = (vec![1.0f64; plan.input_len()], vec![0.0f64; plan.output_len()]);
    for (wrong, says) in [(1, "the input has 26 elements, this rank needs 27"), (0, "the input has 26 elements")] {
        let given = if number == wrong { x.len() - 1 } else { x.len() };
        let message = plan.execute(&x[..given], &mut y).expect_err("a rank has a wrong argument").to_string();
        let expected = if number == wrong { says.to_owned() } else { format!("rank {wrong} does not take part") };
        assert!(message.contains(&expected), "rank {number}: {message}");
        plan.execute(&x, &mut y)?;
        assert_eq!(y[0], if number == 0 { 4.0 * 81.0 } else { 0.0 });
    }
    if number == 0 {
        println!("a wrong argument of one rank is an error on all");
    }
    Ok(())
}
