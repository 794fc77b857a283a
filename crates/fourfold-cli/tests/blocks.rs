//! JPEG's blocks on a device and on the CPU, with all options. The exact mode gives the same bits;
//! the fast mode may differ where a result lies halfway between two integers.

#[path = "../../fourfold/tests/common/sample.rs"]
mod sample;

use fourfold::engine::jpeg::ZIGZAG;
use fourfold_gpu::Device;
use fourfold_gpu::blocks::{BlockArrays, BlockComponent, BlockPlan, BlockPlanBuilder, BlockSample, BlockWork};
use fourfold_jpeg::blocks::{Forward, Inverse, Layout, Order, Sample, Table};
use fourfold_jpeg::{Mode, Transform};
use sample::sample;

/// The device that `FOURFOLD_DEVICE` names, or the first one of OpenCL. In CI it must exist.
fn present() -> Option<Device> {
    let name = std::env::var("FOURFOLD_DEVICE").unwrap_or("opencl:0".into());
    match Device::open(&name) {
        Ok(device) => Some(device),
        Err(e) if std::env::var_os("CI").is_none() => {
            eprintln!("NOT TESTED: {e}");
            None
        }
        Err(e) => panic!("{e}"),
    }
}

/// Three components with different tables. Those of the exact mode are coarse, with values beyond
/// 15 bits.
fn components(mode: Mode, rows: bool) -> [BlockComponent; 3] {
    let mut rng = fastrand::Rng::with_seed(5);
    let most = if mode == Mode::Exact { [9, 255, u16::MAX] } else { [1, 9, 20] };
    let mut component = |most: u16, down: usize, across: usize, stride: usize| {
        let layout = if rows { Layout::Rows { across, stride } } else { Layout::Blocks };
        let table = Table::raster(std::array::from_fn(|_| rng.u16(1..=most)));
        BlockComponent { table, blocks: across * down, layout }
    };
    [component(most[0], 3, 25, 208), component(most[1], 2, 16, 128), component(most[2], 1, 3, 40)]
}

/// Blocks with small and large spectra, some with only a first row. Those of the exact mode have
/// any 16-bit numbers.
fn coefficients(mode: Mode, order: Order, component: &BlockComponent) -> Vec<i16> {
    let mut rng = fastrand::Rng::with_seed(6);
    let sizes = if mode == Mode::Exact { [3, 40, 400, i16::MAX] } else { [3, 10, 20, 40] };
    let row = |at: usize| if order == Order::Raster { at / 8 } else { ZIGZAG[at] / 8 };
    let mut value = |i: usize| {
        let (most, is_there) = (sizes[i / 64 % 4], i / 64 % 3 > 0 || row(i % 64) == 0);
        if is_there && rng.u8(..) < 60 { rng.i16(-most..=most) } else { 0 }
    };
    (0..64 * component.blocks).map(&mut value).collect()
}

/// Every order and layout in every mode.
const OPTIONS: [(Mode, Order, bool); 4] = [
    (Mode::Fast, Order::Raster, true),
    (Mode::Fast, Order::Zigzag, false),
    (Mode::Exact, Order::Raster, false),
    (Mode::Exact, Order::Zigzag, true),
];

fn plan(device: &Device, builder: BlockPlanBuilder, components: &[BlockComponent]) -> (BlockPlan, BlockArrays) {
    let plan = components.iter().copied().fold(builder, BlockPlanBuilder::component).build(device).unwrap();
    let arrays = plan.arrays().unwrap();
    (plan, arrays)
}

/// Fails unless the results agree. In the fast mode one of 500 may differ, by 1.
fn agree<T: Copy + Into<i32>>(what: &str, mode: Mode, ours: &[T], theirs: &[T]) {
    let differences: Vec<i32> = ours.iter().zip(theirs).map(|(&a, &b)| (a.into() - b.into()).abs()).collect();
    let (most, count) =
        (differences.iter().max().copied().unwrap_or(0), differences.iter().filter(|&&d| d > 0).count());
    match mode {
        Mode::Exact => assert_eq!(count, 0, "{what}: {count} of {} differ, by up to {most}", differences.len()),
        Mode::Fast => assert!(most <= 1 && count * 500 <= differences.len(), "{what}: {count} differ, by up to {most}"),
    }
}

fn inverse_agrees<T: Sample + BlockSample + Default + Into<i32>>(device: &Device, name: &str, turn: usize) {
    for (mode, order, rows) in sample(OPTIONS, 2, turn) {
        let (what, components) =
            (format!("inverse {mode:?} {order:?} to {name}, rows: {rows}"), components(mode, rows));
        let transform = Transform::builder().mode(mode).order(order).build().unwrap();
        let builder = BlockPlan::builder(BlockWork::Inverse).mode(mode).order(order).samples::<T>();
        let (plan, mut arrays) = plan(device, builder, &components);
        for (number, component) in components.iter().enumerate() {
            arrays.upload_coefficients(number, &coefficients(mode, order, component)).unwrap();
            // The samples between rows must not change.
            let before = vec![T::default(); component.layout.samples(component.blocks).unwrap()];
            arrays.upload_samples(number, &before).unwrap();
        }
        plan.enqueue(&mut arrays).unwrap();
        for (number, BlockComponent { table, blocks, layout }) in components.iter().enumerate() {
            let mut samples = vec![T::default(); layout.samples(*blocks).unwrap()];
            let mut expected = samples.clone();
            arrays.download_samples(number, &mut samples).unwrap();
            let coefficients = &coefficients(mode, order, &components[number]);
            let component = Inverse { coefficients, table, samples: &mut expected[..], layout: *layout };
            transform.inverse(&mut [component]).unwrap();
            agree(&format!("{what}, component {number}"), mode, &samples, &expected);
        }
    }
}

#[test]
fn the_inverse_to_bytes_is_the_processor_s() {
    let Some(device) = present() else { return };
    inverse_agrees::<u8>(&device, "u8", 0);
}

#[test]
fn the_inverse_to_16_bits_is_the_processor_s() {
    let Some(device) = present() else { return };
    inverse_agrees::<i16>(&device, "i16", 1);
}

#[test]
fn the_forward_transform_is_the_processor_s() {
    let Some(device) = present() else { return };
    for (mode, order, rows) in sample(OPTIONS, 2, 0) {
        let (what, components) = (format!("forward {mode:?} {order:?}, rows: {rows}"), components(mode, rows));
        let transform = Transform::builder().mode(mode).order(order).build().unwrap();
        let (plan, mut arrays) =
            plan(&device, BlockPlan::builder(BlockWork::Forward).mode(mode).order(order), &components);
        let mut rng = fastrand::Rng::with_seed(7);
        let samples = components.map(|BlockComponent { blocks, layout, .. }| {
            let spanned = layout.samples(blocks).unwrap();
            // Noise, with runs of extreme values.
            (0..spanned).map(|i| if i / 97 % 3 == 0 { 255 * u8::from(i / 29 % 2 == 0) } else { rng.u8(..) }).collect()
        });
        for (number, samples) in samples.iter().enumerate() {
            let samples: &Vec<u8> = samples;
            arrays.upload_samples(number, samples).unwrap();
        }
        plan.enqueue(&mut arrays).unwrap();
        for (number, BlockComponent { table, blocks, layout }) in components.iter().enumerate() {
            let (mut ours, mut expected) = (vec![7; 64 * blocks], vec![0; 64 * blocks]);
            arrays.download_coefficients(number, &mut ours).unwrap();
            let (samples, coefficients) = (&samples[number], &mut expected[..]);
            transform.forward(&mut [Forward { samples, layout: *layout, table, coefficients }]).unwrap();
            agree(&format!("{what}, component {number}"), mode, &ours, &expected);
        }
    }
}
