//! The caller's streams and addresses, and graphs.

use crate::api::planner::GpuPlanner;
use crate::backend::device::Device;
use crate::backend::types::Grid;
use crate::device_tests::{LONG, numbers, plan, present, refused};
use crate::limits::Api;
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, result};
use fourfold::baseline::Algorithm;
use fourfold::{ErrorKind, Planner, Problem, Result};
use std::ffi::c_void;
use std::process::Command;
use std::ptr;
use std::sync::Arc;

/// A caller's stream of the primary context.
fn caller(device: &Device) -> Arc<CudaStream> {
    let context = CudaContext::new(device.info().id.number).unwrap();
    context.new_stream().unwrap()
}

fn address(memory: &CudaSlice<f32>, stream: &CudaStream) -> *mut c_void {
    ptr::without_provenance_mut(memory.device_ptr(stream).0 as usize)
}

#[test]
fn plans_run_on_the_caller_s_stream_and_memory() {
    let Some(ours) = present(Api::Cuda) else { return };
    let stream = caller(&ours);
    // SAFETY: a stream that outlives the device.
    let device = unsafe { ours.with_raw_queue(stream.cu_stream().cast()) }.unwrap();
    let plan = plan(&ours, LONG);
    let (x, expected) = numbers(&plan);
    let (a, b) = (stream.clone_htod(&x).unwrap(), stream.alloc_zeros::<f32>(x.len()).unwrap());
    let s = stream.alloc_zeros::<f32>(plan.scratch_bytes().div_ceil(4)).unwrap();
    // SAFETY: memory that outlives the arrays.
    let (mut from, mut to, mut scratch) = unsafe {
        let array = |memory| device.array_from_raw::<f32>(address(memory, &stream), x.len()).unwrap();
        (array(&a), array(&b), device.scratch_from_raw(address(&s, &stream), plan.scratch_bytes()).unwrap())
    };
    plan.execute_on_with(&from, &mut to, &mut scratch).unwrap();
    assert_eq!(stream.clone_dtoh(&b).unwrap(), expected, "out of place");
    plan.execute_on_in_place_with(&mut from, &mut scratch).unwrap();
    assert_eq!(stream.clone_dtoh(&a).unwrap(), expected, "in place");
}

#[test]
fn the_default_streams_are_the_device_s() {
    let Some(ours) = present(Api::Cuda) else { return };
    let plan = plan(&ours, "dct2 f32 64x64");
    let (x, expected) = numbers(&plan);
    for stream in 0..3 {
        // SAFETY: the default streams are always there.
        let device = unsafe { ours.with_raw_queue(ptr::without_provenance_mut(stream)) }.unwrap();
        let mut array = device.upload(&x).unwrap();
        plan.execute_on_in_place(&mut array).unwrap();
        let mut y = vec![0.0; x.len()];
        array.download(&mut y).unwrap();
        assert_eq!(y, expected, "stream {stream}");
    }
}

#[test]
fn graphs_capture_executions_with_given_scratch() {
    let Some(ours) = present(Api::Cuda) else { return };
    for problem in [LONG, "dct2 f32 512x512"] {
        let stream = caller(&ours);
        // SAFETY: a stream that outlives the device.
        let device = unsafe { ours.with_raw_queue(stream.cu_stream().cast()) }.unwrap();
        let plan = plan(&ours, problem);
        let (x, expected) = numbers(&plan);
        let (mut a, mut b) = (device.array(x.len()).unwrap(), device.upload(&vec![0.0f32; x.len()]).unwrap());
        let mut scratch = plan.scratch(&device).unwrap();
        stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL).unwrap();
        if plan.scratch_bytes() > 0 {
            let message = refused(plan.execute_on(&a, &mut b), ErrorKind::Argument);
            assert!(message.contains("execute_on_with"), "{message}");
        }
        plan.execute_on_with(&a, &mut b, &mut scratch).unwrap();
        let graph = stream.end_capture(CUgraphInstantiate_flags(0)).unwrap().expect("something was captured");
        a.upload(&x).unwrap();
        let mut y = vec![0.0; x.len()];
        b.download(&mut y).unwrap();
        assert!(y.iter().all(|y| *y == 0.0), "capturing runs nothing");
        for _ in 0..3 {
            b.upload(&vec![0.0; x.len()]).unwrap();
            graph.launch().unwrap();
            b.download(&mut y).unwrap();
            assert_eq!(y, expected, "{problem}");
        }
    }
}

/// What is dropped while a graph is captured is given back later: waiting for the context would end
/// the capture.
#[test]
fn graphs_are_captured_while_other_threads_drop_plans() {
    let Some(ours) = present(Api::Cuda) else { return };
    let stream = caller(&ours);
    // SAFETY: a stream that outlives the device.
    let device = unsafe { ours.with_raw_queue(stream.cu_stream().cast()) }.unwrap();
    let plan = plan(&ours, LONG);
    let (x, expected) = numbers(&plan);
    let (a, mut b) = (device.upload(&x).unwrap(), device.array(x.len()).unwrap());
    let mut scratch = plan.scratch(&device).unwrap();
    let used = || ours.info().memory - ours.free_memory().unwrap();
    let others = || -> Vec<_> {
        let planner = GpuPlanner::with_cache(ours.clone(), None);
        let problem: Problem = "dct2 f32 256x384".parse().unwrap();
        let staged = "three-stage".parse::<Algorithm>().unwrap().recipe(&problem).unwrap();
        let plans = vec![planner.plan(&problem).unwrap(), planner.plan_recipe(staged).unwrap()];
        plans.iter().for_each(|plan| drop(numbers(plan)));
        plans
    };
    drop(others());
    let before = used();
    let (plans, array) = (others(), ours.array::<f32>(1 << 24).unwrap());
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL).unwrap();
    plan.execute_on_with(&a, &mut b, &mut scratch).unwrap();
    std::thread::spawn(move || drop((plans, array))).join().unwrap();
    plan.execute_on_with(&a, &mut b, &mut scratch).unwrap();
    let graph = stream.end_capture(CUgraphInstantiate_flags(0)).unwrap().expect("something was captured");
    graph.launch().unwrap();
    let mut y = vec![0.0; x.len()];
    b.download(&mut y).unwrap();
    assert_eq!(y, expected);
    drop(ours.array::<f32>(1).unwrap());
    assert!(used() <= before + (1 << 24), "what was kept is given back");
}

#[test]
fn addresses_that_no_kernel_can_use_are_errors() {
    let Some(device) = present(Api::Cuda) else { return };
    let array = device.array::<f32>(100).unwrap();
    let host = vec![0.0f32; 1 << 20];
    // SAFETY: nothing is done with what is refused.
    unsafe {
        let odd = array.raw().wrapping_byte_add(4);
        let message = refused(device.array_from_raw::<f32>(odd, 10), ErrorKind::Argument);
        assert!(message.contains("multiple of 16"), "{message}");
        refused(device.scratch_from_raw(array.raw().wrapping_byte_add(16), 10), ErrorKind::Argument);
        refused(device.array_from_raw::<f32>(ptr::null_mut(), 10), ErrorKind::Argument);
        let message = refused(device.array_from_raw::<f32>(host.as_ptr() as *mut c_void, 10), ErrorKind::Argument);
        assert!(message.contains("no address of CUDA"), "{message}");
        let message = refused(device.array_from_raw::<f32>(array.raw(), 1 << 20), ErrorKind::Argument);
        assert!(message.contains("not of 4194304"), "{message}");
        assert_eq!(device.array_from_raw::<f32>(array.raw(), 100).unwrap().len(), 100);
    }
}

#[test]
fn streams_and_memory_of_another_context_are_errors() {
    let Some(device) = present(Api::Cuda) else { return };
    let other = CudaContext::new_non_primary(device.info().id.number, 0).unwrap();
    let stream = other.new_stream().unwrap();
    // SAFETY: nothing is done with what is refused; the memory is freed with its context.
    unsafe {
        let message = refused(device.with_raw_queue(stream.cu_stream().cast()), ErrorKind::Argument);
        assert!(message.contains("another context"), "{message}");
        other.bind_to_thread().unwrap();
        let memory = ptr::without_provenance_mut(result::malloc_sync(400).unwrap() as usize);
        let message = refused(device.array_from_raw::<f32>(memory, 100), ErrorKind::Argument);
        assert!(message.contains("another context"), "{message}");
    }
}

/// A fault loses the device for its process: so it happens in another one.
#[test]
fn a_fault_is_an_error_and_the_process_goes_on() {
    let Some(_) = present(Api::Cuda) else { return };
    let test = "device_tests::cuda::a_process_whose_device_is_lost";
    let mut child = Command::new(std::env::current_exe().unwrap());
    let output = child.args(["--exact", test, "--ignored", "--nocapture"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
#[ignore = "`a_fault_is_an_error_and_the_process_goes_on` starts it"]
fn a_process_whose_device_is_lost() {
    let device = present(Api::Cuda).expect("a device");
    let problem = "dct2 f32 64x64";
    let plan = plan(&device, problem);
    let (x, expected) = numbers(&plan);
    let (array, second) = (device.upload(&x).unwrap(), device.new_queue().unwrap());
    let source = "extern \"C\" __global__ void pass(const float* input, float* output, const float* table, \
                  const int* indices, float* scratch) { *(volatile float*)16 = 1.0f; }";
    let (kernel, _) = device.runtime.compile(source, 0).unwrap();
    let grid = Grid { blocks: 1, threads: 32, shared_bytes: 0, range: None, follows: false };
    device.queue.launch(&kernel, grid, [&array.buffer; 5]).unwrap();
    let lost = |result: Result<()>| {
        let message = refused(result, ErrorKind::Unavailable);
        assert!(message.contains("lost to this process"), "{message}");
    };
    // All that is asked of the device from now on is an error, and nothing panics.
    lost(device.finish());
    lost(plan.execute(&x, &mut vec![0.0f32; x.len()]));
    lost(array.download(&mut vec![0.0; x.len()]));
    lost(second.upload(&x).map(drop));
    lost(device.pinned::<f32>(100).map(drop));
    lost(GpuPlanner::with_cache(device.clone(), None).plan(&"dct2 f32 60".parse().unwrap()).map(drop));
    drop((array, kernel, plan, second, device));
    // The processor computes the same.
    let cpu = Planner::new().plan(&problem.parse().unwrap()).unwrap();
    let mut y = vec![0.0f32; x.len()];
    cpu.execute(&x, &mut y).unwrap();
    let largest = expected.iter().fold(0.0f32, |largest, y| largest.max(y.abs()));
    assert!(y.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-5 * largest));
}
