//! `fourfold-mpi bench`: times a transform, its exchanges alone, and its passes alone.

use crate::any_plan::AnyPlan;
use crate::args::Bench;
use crate::data::Arrays;
use crate::session::Session;
use anyhow::{Context, Result, ensure};
use fourfold::timing::Summary;
use fourfold_distributed::Only;
use fourfold_mpi::MpiRank;
use serde::Serialize;

/// What rank 0 prints.
#[derive(Serialize)]
struct Answer {
    problem: String,
    ranks: usize,
    grid: String,
    from: String,
    to: String,
    exchanges: usize,
    /// The most parts into which an exchange is cut.
    parts: usize,
    /// Bytes that each rank sends to others in one execution.
    bytes_sent: Vec<u64>,
    rounds: usize,
    /// The least seconds of the rounds, of the slowest rank in each.
    seconds: f64,
    median_seconds: f64,
    exchange_seconds: f64,
    pass_seconds: f64,
    /// The exchanges alone and the passes alone.
    limit_seconds: f64,
    /// The limit as a share of the time.
    share: f64,
    recipe: String,
}

/// What is timed, in turns.
const CONTESTANTS: [Option<Only>; 3] = [None, Some(Only::Exchanges), Some(Only::Passes)];

/// Times, and prints the answer as JSON.
pub(crate) fn bench(rank: &MpiRank, args: &Bench) -> Result<()> {
    ensure!(args.rounds > 0, "0 rounds: at least 1 is needed");
    let session = Session::new(rank, &args.division)?;
    let mut plan = session.plan(&args.problem, 0)?;
    let mut arrays = session.together(Arrays::new(&plan))?;
    for only in CONTESTANTS {
        seconds(&session, &mut plan, &mut arrays, only)?;
    }
    let mut times = CONTESTANTS.map(|_| vec![]);
    for round in 0..args.rounds {
        for turn in 0..CONTESTANTS.len() {
            let number = (round + turn) % CONTESTANTS.len();
            times[number].push(seconds(&session, &mut plan, &mut arrays, CONTESTANTS[number])?);
        }
    }
    let sent = plan.bytes_sent().iter().sum::<usize>() as f64;
    let bytes_sent = session.all(sent)?.into_iter().map(|bytes| bytes as u64).collect();
    let [whole, exchanges, passes] = times.map(|times| Summary::of(&times).expect("there are rounds"));
    let recipe = plan.recipe();
    let limit = exchanges.min + passes.min;
    let answer = Answer {
        problem: args.problem.to_string(),
        ranks: recipe.grid().ranks(),
        grid: recipe.grid().to_string(),
        from: recipe.input().distribution.to_string(),
        to: recipe.output().distribution.to_string(),
        exchanges: recipe.exchanges(),
        parts: plan.parts(),
        bytes_sent,
        rounds: args.rounds,
        seconds: whole.min,
        median_seconds: whole.median,
        exchange_seconds: exchanges.min,
        pass_seconds: passes.min,
        limit_seconds: limit,
        share: limit / whole.min,
        recipe: recipe.to_string(),
    };
    let text = serde_json::to_string(&answer)?;
    session.say(|| Ok(text))
}

/// The seconds of one execution on the slowest rank. All begin together.
fn seconds(session: &Session, plan: &mut AnyPlan, arrays: &mut Arrays, only: Option<Only>) -> Result<f64> {
    let executed = arrays.execute(plan, only, &|is_ready| session.meet(is_ready));
    let mine = session.together(executed.with_context(|| format!("cannot time `{}`", plan.recipe().problem())))?;
    Ok(session.all(mine)?.into_iter().fold(0.0, f64::max))
}
