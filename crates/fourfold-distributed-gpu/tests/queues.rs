//! Ranks with queues of one device, beside the oracle.

#[allow(dead_code, reason = "the example uses the rest")]
#[path = "../examples/gpu_ranks/world.rs"]
mod world;

use fourfold::oracle::verify::{Data, check};
use fourfold::{Domain, Multiplier, Pipeline, Planner, Problem, Result};
use fourfold_distributed::{Action, ArrayDesc, Exchange, Moves, Recipe, ThreadRank};
use fourfold_distributed_gpu::{NcclRank, QueueRank, RankPlanner};
use fourfold_gpu::{Device, GpuMemory, GpuPlanner};
use num_complex::Complex;
use std::collections::HashSet;
use std::sync::Arc;
use world::{World, positions, recipe};

/// Ranks with queues of the device that `FOURFOLD_DEVICE` names; the first of OpenCL if it is not set.
/// Nothing and a message if it is not there; in CI it must be.
fn world(ranks: usize) -> Option<World<QueueRank>> {
    let name = std::env::var("FOURFOLD_DEVICE").unwrap_or("opencl:0".into());
    let open = || {
        let device = Device::open(&name)?;
        let planner = Arc::new(GpuPlanner::new(device.clone()));
        World::of_queues(&[planner], &[device], ranks)
    };
    match open() {
        Ok(world) => Some(world),
        Err(e) if std::env::var_os("CI").is_none() => {
            eprintln!("NOT TESTED: {e}");
            None
        }
        Err(e) => panic!("{e}"),
    }
}

/// Compares with the oracle. `copies`: the trips to pack and unpack of all ranks together.
fn compare(world: &World<QueueRank>, case: (&str, &str, &str, Option<&str>), copies: usize) {
    assert_eq!(compare_result(world, case), copies, "{case:?}: trips to pack and unpack");
}

/// Compares with the oracle, and returns the number of trips.
fn compare_result(world: &World<QueueRank>, (problem, grid, input, output): (&str, &str, &str, Option<&str>)) -> usize {
    let recipe = recipe(problem, grid, input, output).unwrap();
    let (verdict, found) = world.compare(&recipe).unwrap_or_else(|e| panic!("{recipe}: {e}"));
    assert!(verdict.holds(), "{recipe}: {verdict:?}");
    found
}

#[test]
fn even_parts_need_no_trip_to_pack() {
    let Some(world) = world(4) else { return };
    for case in [
        ("dct2 f64 8x12", "4", "p,*", None),
        ("dct3,dst2 f32 8x12", "4", "p,*", None),
        ("dct4 f64 8x6x12", "2x2", "p,q,*", None),
        ("dct2,dst2,dct4 f32 8x12x6 ortho", "4", "p,*,*", None),
        ("fft f64 4x8x6", "4", "p,*,*", None),
        ("irfft f32 4x8x4x12", "1x4", "*,q,*,*", None),
        ("rfft f64 8x8x14", "2x2", "p,q,*", None),
        ("fft f64 4x8x4x6", "2x2", "p,q,*,*", None),
        ("dht f64 8x3x12", "4", "p,*,*", Some("*,*,p")),
        ("dct2 f64 8x12 axes=1", "4", "p,*", None),
        ("dct2 f32 16x8 axes=0", "2x2", "q,p", None),
    ] {
        compare(&world, case, if case.3.is_some() || case.0.ends_with("axes=0") { 4 } else { 0 });
    }
}

#[test]
fn exchanges_in_parts_agree() {
    let Some(world) = world(2) else { return };
    let world = World { parts: Some(2), ..world };
    for (problem, parts) in [
        ("dct2 f64 64x64", 2),
        ("rfft f32 128x126", 2),
        ("dct4,dst2,dct3 f64 16x8x32", 2),
        ("ifft f32 64x64 ortho", 2),
        ("dct2 f64 63x64", 2),
        ("dct2 f64 6x10", 1),
    ] {
        let ends = if problem.contains("x8x") { "p,*,*" } else { "p,*" };
        compare(&world, (problem, "2", ends, None), 0);
        let planned = world.on_ranks(|planner, _| Ok(planner.plan(recipe(problem, "2", ends, None))?.parts()));
        assert_eq!(planned.unwrap(), [parts; 2], "{problem}");
    }
    // All ranks measure the same number.
    let tuned = world.on_ranks(|mut planner, _| planner.tune(&recipe("dct2 f64 64x64", "2", "p,*", None)?)).unwrap();
    assert!(tuned[0] == tuned[1] && [1, 2, 4, 8, 16].contains(&tuned[0]), "{tuned:?}");
    // A rank with a wrong argument refuses all parts.
    let found = world.on_ranks(|planner, device| {
        let number = planner.exchange().rank();
        let mut plan = planner.plan(recipe("dct2 f64 64x64", "2", "p,*", None))?;
        let (x, short) = (device.array::<f64>(plan.input_len())?, device.array::<f64>(3)?);
        let mut y = device.array::<f64>(plan.output_len())?;
        let error = plan.execute(if number == 1 { &short } else { &x }, &mut y).unwrap_err().to_string();
        plan.execute(&x, &mut y)?;
        device.finish()?;
        Ok(error)
    });
    let messages = found.unwrap();
    assert!(messages[0].contains("rank 1 does not take part"), "{messages:?}");
}

#[test]
fn uneven_parts_and_ranks_without_any_agree() {
    let Some(world) = world(3) else { return };
    for (case, copies) in [
        (("dct2 f64 7x10", "3", "p,*", None), 3),
        (("idst3 f32 7x10 ortho", "3", "p,*", Some("p,*")), 6),
        (("irfft f64 5x6x9", "3", "p,*,*", None), 0),
        (("dct1 f64 13", "3", "p", Some("p")), 0),
        (("dst1,dct2 f64 2x9", "3", "p,*", None), 0),
        (("idxst f32 5x6x10", "1x3", "p,q,*", Some("p,*,q")), 3),
    ] {
        compare(&world, case, copies);
    }
}

/// Ranks with one row need no trip to pack, and others do.
#[test]
fn ranks_may_have_unlike_steps() {
    let Some(world) = world(4) else { return };
    for (problem, grid, input, output) in [
        ("dct2 f64 5x10", "4", "p,*", None),
        ("dst4,dst2 f32 7x10", "2x2", "pq,*", None),
        ("dct3 f64 2x3x5", "4", "p,*,*", Some("p,*,*")),
        ("rfft f64 3x5x7", "2x2", "p,q,*", Some("*,q,p")),
        ("ifft f32 3x3x5 ortho", "2x2", "*,qp,*", Some("p,*,q")),
    ] {
        compare_result(&world, (problem, grid, input, output));
    }
}

/// Sums of reals act on both parts of complex arrays, also in slabs.
#[test]
fn real_kinds_agree_beside_complex_ones() {
    let Some(world) = world(4) else { return };
    for (problem, grid, input, output) in [
        ("dct4,fft,dst1 f64 5x3x2", "1x4", "q,*,*", None),
        ("dct2,fft f64 8x12", "4", "p,*", None),
        ("fft,dct2 f64 8x12", "4", "*,p", Some("*,p")),
        ("dct3,rfft f32 7x9", "2x2", "pq,*", None),
        ("dht,ifft,idxst f32 4x8x6", "2x2", "p,q,*", None),
        ("dct2,irfft f64 8x14", "4", "p,*", Some("p,*")),
    ] {
        compare_result(&world, (problem, grid, input, output));
    }
}

#[test]
fn filters_and_long_signals_agree() {
    let Some(world) = world(4) else { return };
    let signal: Problem = "fft f64 2304".parse().unwrap();
    for natural in [true, false] {
        let recipe = Recipe::signal(&signal, &"4".parse().unwrap(), natural).unwrap().unwrap();
        let run = |x: &Data, y: &mut Data| world.transform(&recipe, None, x, y).map(drop);
        let verdict = check(&signal, false, 5, run).unwrap();
        assert!(verdict.holds(), "{recipe}: {verdict:?}");
    }
    // A constant signal to its half spectrum as a matrix of 33×36, and back without scale.
    let grid = "4".parse().unwrap();
    let [there, back] = ["rfft f64 2304", "irfft f64 2304 forward"]
        .map(|text| Recipe::signal(&text.parse().unwrap(), &grid, false).unwrap().unwrap());
    let mut spectrum = Data::filled(signal.precision(), Domain::Complex, there.output().shape.iter().product(), 0.0);
    let (x, mut y) = (Data::F64(vec![1.0; 2304]), Data::F64(vec![0.0; 2304]));
    world.transform(&there, None, &x, &mut spectrum).unwrap();
    world.transform(&back, None, &spectrum, &mut y).unwrap();
    assert!((0..2304).all(|i| (y.get(i).re - 2304.0).abs() < 1e-10), "{there}");
    // Exchanges that reorder are those of ranks with memory of the host.
    let recipe = Recipe::signal(&"dct2 f64 2304".parse().unwrap(), &grid, true).unwrap().unwrap();
    let refused = world.transform(&recipe, None, &x, &mut y).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(refused.contains("make a recipe that one rank computes"), "{refused:?}");
    let [forward, inverse]: [Problem; 2] = ["dct2 f64 8x12", "idct2 f64 8x12"].map(|text| text.parse().unwrap());
    let lists: Vec<Vec<f64>> = [8, 12].map(|n| (0..n).map(|i| 0.5 + i as f64).collect()).into();
    let grid = "4".parse().unwrap();
    let input = "p,*".parse().unwrap();
    let recipe = Recipe::filter(&forward, &inverse, &grid, &input, Some(&input)).unwrap();
    let factors = |ranges: &[std::ops::Range<usize>]| {
        Multiplier::Separable(lists.iter().zip(ranges).map(|(list, range)| list[range.clone()].to_vec()).collect())
    };
    let x: Vec<f64> = (0..96).map(|i| f64::from(i * i % 17) - 8.0).collect();
    let (mut wanted, mut found) = (vec![0.0f64; 96], Data::F64(vec![0.0; 96]));
    let filter = Pipeline::from(&forward).multiply(Multiplier::Separable(lists.clone())).transform(&inverse);
    Planner::new().plan(filter).unwrap().execute(&x, &mut wanted).unwrap();
    world.transform(&recipe, Some(&factors), &Data::F64(x), &mut found).unwrap();
    let largest = wanted.iter().fold(0.0f64, |most, y| most.max(y.abs()));
    for (i, y) in wanted.iter().enumerate() {
        assert!((found.get(i).re - y).abs() < 1e-14 * largest, "{recipe}: {i}");
    }
}

/// The pass that multiplies has transforms of reals on both parts of complex arrays.
#[test]
fn filters_of_complex_arrays_agree() {
    let Some(world) = world(4) else { return };
    let [forward, inverse]: [Problem; 2] =
        ["fft,dct2 f64 8x12", "ifft,idct2 f64 8x12"].map(|text| text.parse().unwrap());
    let lists: Vec<Vec<f64>> = [8, 12].map(|n| (0..n).map(|i| 0.5 + i as f64).collect()).into();
    let ends = "*,p".parse().unwrap();
    let recipe = Recipe::filter(&forward, &inverse, &"4".parse().unwrap(), &ends, Some(&ends)).unwrap();
    let factors = |ranges: &[std::ops::Range<usize>]| {
        Multiplier::Separable(lists.iter().zip(ranges).map(|(list, range)| list[range.clone()].to_vec()).collect())
    };
    let x: Vec<_> = (0..96).map(|i| Complex::new(f64::from(i * i % 17) - 8.0, f64::from(i * i % 13))).collect();
    let (mut wanted, mut found) = (vec![Complex::default(); 96], Data::ComplexF64(vec![Complex::default(); 96]));
    let filter = Pipeline::from(&forward).multiply(Multiplier::Separable(lists.clone())).transform(&inverse);
    Planner::new().plan(filter).unwrap().execute(&x, &mut wanted).unwrap();
    world.transform(&recipe, Some(&factors), &Data::ComplexF64(x), &mut found).unwrap();
    let largest = wanted.iter().fold(0.0f64, |most, y| most.max(y.norm()));
    for (i, y) in wanted.iter().enumerate() {
        assert!((found.get(i) - y).norm() < 1e-14 * largest, "{recipe}: {i}");
    }
}

/// The elements that a rank must get from others in an exchange: those that it has after it, and not
/// before.
fn floor(recipe: &Recipe, before: &ArrayDesc, after: &ArrayDesc, rank: usize) -> usize {
    let held = |array: &ArrayDesc| -> HashSet<usize> {
        positions(&array.shape, &array.ranges(recipe.grid(), rank), &array.order).into_iter().collect()
    };
    held(after).difference(&held(before)).count()
}

#[test]
fn bytes_are_at_their_floor_and_memory_at_most_one_array() {
    let Some(world) = world(4) else { return };
    for (problem, grid, input, output) in
        [("dct2 f64 13x10", "4", "p,*", None), ("rfft f32 7x8x10", "2x2", "p,q,*", Some("p,q,*"))]
    {
        let recipe = recipe(problem, grid, input, output).unwrap();
        let data = Data::filled(recipe.problem().precision(), recipe.input().domain, recipe.problem().input().len, 1.0);
        let reports = world.run(&recipe, None, &data).unwrap();
        let bytes = |array: &ArrayDesc| recipe.problem().precision().bytes() * array.domain.reals();
        let is_exchange = |i: &usize| matches!(recipe.steps()[*i].action, Action::Exchange { .. });
        let mut sent = 0;
        for (number, i) in (0..recipe.steps().len()).filter(is_exchange).enumerate() {
            let (before, after) = (&recipe.arrays()[i], &recipe.arrays()[i + 1]);
            let needed: usize = (0..4).map(|rank| floor(&recipe, before, after, rank) * bytes(before)).sum();
            assert_eq!(reports.iter().map(|report| report.bytes_sent[number]).sum::<usize>(), needed, "{recipe}");
            sent += needed;
        }
        assert!(sent > 0);
        assert_eq!(reports.iter().map(|report| report.bytes_received).sum::<usize>(), sent, "{recipe}");
        for (rank, report) in reports.iter().enumerate() {
            let largest = recipe.arrays().iter().map(|array| array.elements(recipe.grid(), rank) * bytes(array)).max();
            assert!(report.work_bytes.max(report.output_bytes) <= largest.unwrap(), "{recipe}: rank {rank}");
        }
    }
}

#[test]
fn a_rank_with_a_wrong_argument_fails_on_all() {
    let Some(world) = world(3) else { return };
    let found = world.on_ranks(|planner, device| -> Result<String> {
        let number = planner.exchange().rank();
        let mut plan = planner.plan(recipe("dct2 f64 9x9", "3", "p,*", Some("p,*")))?;
        let (x, short) = (device.array::<f64>(plan.input_len())?, device.array::<f64>(3)?);
        let mut y = device.array::<f64>(plan.output_len())?;
        let error = plan.execute(if number == 1 { &short } else { &x }, &mut y).unwrap_err().to_string();
        // The next execution works.
        plan.execute(&x, &mut y)?;
        device.finish()?;
        let elsewhere = device.new_queue()?.array::<f64>(plan.input_len())?;
        let wrong_queue = plan.execute(&elsewhere, &mut y).unwrap_err().to_string();
        assert!(wrong_queue.contains("another queue"), "{wrong_queue}");
        Ok(error)
    });
    let messages = found.unwrap();
    assert!(messages[1].contains("the input has 3 elements, this rank needs 27"), "{messages:?}");
    assert!(messages[0].contains("rank 1 does not take part") && messages[0] == messages[2], "{messages:?}");
}

#[test]
fn ranks_must_agree_about_the_problem() {
    let Some(world) = world(2) else { return };
    let messages = world.on_ranks(|planner, _| {
        let problem = ["dct2 f64 8x8", "dct2 f64 8x9"][planner.exchange().rank()];
        Ok(planner.plan(recipe(problem, "2", "p,*", None)).err().unwrap().to_string())
    });
    assert!(messages.unwrap().iter().all(|message| message.contains("rank 1 plans another problem")));
}

/// A rank that plans for a device, whose exchanges nobody executes.
#[derive(Clone)]
struct Planning(ThreadRank);

impl Exchange for Planning {
    type Memory = GpuMemory;
    type Route = ();

    fn rank(&self) -> usize {
        self.0.rank()
    }

    fn ranks(&self) -> usize {
        self.0.ranks()
    }

    fn all_gather(&self, mine: u64) -> Result<Vec<u64>> {
        self.0.all_gather(mine)
    }

    fn route(&self, _: Moves) -> Result<()> {
        Ok(())
    }

    fn exchange(&self, (): &mut (), _: &GpuMemory, _: &mut GpuMemory) -> Result<usize> {
        unreachable!("nothing is executed")
    }
}

/// Messages of devices have another order than those of the host. Without an agreement about it, this problem
/// has the same steps and bytes on both, and a wrong result.
#[test]
fn ranks_must_agree_about_the_engine() {
    let Some(_) = world(1) else { return };
    let device = Device::open(&std::env::var("FOURFOLD_DEVICE").unwrap_or("opencl:0".into())).unwrap();
    let plans = |rank: ThreadRank| {
        let recipe = recipe("dct2 f64 8x8x8 axes=0,1", "2", "*,p,*", None);
        let planned = if rank.rank() == 0 {
            fourfold_distributed::Planner::new(Planner::new(), rank).plan(recipe).map(drop)
        } else {
            let core = GpuPlanner::new(device.clone());
            RankPlanner::new(core, device.clone(), Planning(rank)).plan(recipe).map(drop)
        };
        planned.err().map(|error| error.to_string()).unwrap_or_default()
    };
    let messages: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = ThreadRank::all(2).into_iter().map(|rank| scope.spawn(|| plans(rank))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(messages.iter().all(|message| message.contains("rank 1 plans another")), "{messages:?}");
}

/// OpenCL has no NCCL, and one rank without a device tells the others.
#[test]
fn ranks_without_nccl_say_so() {
    let Some(_) = world(1) else { return };
    let name = std::env::var("FOURFOLD_DEVICE").unwrap_or("opencl:0".into());
    if !name.starts_with("opencl") {
        return;
    }
    let join = |host| NcclRank::join(host, Device::open(&name)).err().unwrap().to_string();
    let messages: Vec<String> = std::thread::scope(|scope| {
        let ranks = fourfold_distributed::ThreadRank::all(2);
        let threads: Vec<_> = ranks.into_iter().map(|host| scope.spawn(|| join(host))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(messages.iter().all(|message| message.contains("NCCL connects devices of CUDA only")), "{messages:?}");
}
