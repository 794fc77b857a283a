//! The caller's streams and addresses, and graphs.

use crate::backend::device::Device;
use crate::device_tests::{LONG, numbers, plan, present, refused};
use crate::limits::Api;
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, result};
use fourfold::ErrorKind;
use std::ffi::c_void;
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
