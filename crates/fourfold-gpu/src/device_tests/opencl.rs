//! The caller's `cl_command_queue`s and `cl_mem`s.

use crate::attributes::DeviceAttributes;
use crate::backend::device::Device;
use crate::backend::types::{Grid, Index};
use crate::device_tests::{LONG, numbers, plan, present, refused};
use crate::limits::{Api, Limits};
use crate::lower::passes::lower;
use crate::print::cuda::CUDA;
use crate::print::opencl::{OPENCL, OPENCL_PTX, OPENCL_SUBGROUPS};
use crate::print::printer::{Dialect, NAME, print};
use crate::run::inspect::Target;
use crate::write::writer::kernel;
use fourfold::{ErrorKind, Planner};
use opencl3::command_queue::{
    CL_QUEUE_CONTEXT, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CommandQueue, get_command_queue_info,
};
use opencl3::context::Context;
use opencl3::context::context::{CL_CONTEXT_REFERENCE_COUNT, get_context_info};
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE, ClMem};
use opencl3::types::{CL_BLOCKING, cl_context, cl_device_id};
use std::ffi::c_void;
use std::ptr;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A caller with a context and a queue.
struct Caller {
    context: Context,
    queue: CommandQueue,
}

fn device_of(queue: &Device) -> cl_device_id {
    // SAFETY: nothing is done with the wrapper's ownership.
    let queue = std::mem::ManuallyDrop::new(CommandQueue::new(queue.raw_queue(), 3));
    queue.device().unwrap()
}

impl Caller {
    fn new(device: &Device) -> Caller {
        let context = Context::from_device(&opencl3::device::Device::new(device_of(device))).unwrap();
        let queue = CommandQueue::create_default_with_properties(&context, 0, 0).unwrap();
        Caller { context, queue }
    }

    fn memory(&self, len: usize) -> Buffer<f32> {
        // SAFETY: no host memory is given.
        unsafe { Buffer::create(&self.context, CL_MEM_READ_WRITE, len, ptr::null_mut()) }.unwrap()
    }

    fn write(&self, memory: &mut Buffer<f32>, data: &[f32]) {
        // SAFETY: blocks.
        unsafe { self.queue.enqueue_write_buffer(memory, CL_BLOCKING, 0, data, &[]) }.unwrap();
    }

    fn read(&self, memory: &Buffer<f32>, len: usize) -> Vec<f32> {
        let mut data = vec![0.0; len];
        // SAFETY: blocks.
        unsafe { self.queue.enqueue_read_buffer(memory, CL_BLOCKING, 0, &mut data, &[]) }.unwrap();
        data
    }
}

#[test]
fn plans_run_on_the_caller_s_queue_and_memory() {
    let Some(ours) = present(Api::OpenCl) else { return };
    let caller = Caller::new(&ours);
    // SAFETY: a queue.
    let device = unsafe { Device::of_opencl_queue(caller.queue.get()) }.unwrap();
    assert_eq!(device.info(), ours.info());
    let plan = plan(&device, LONG);
    let (x, expected) = numbers(&plan);
    let (mut a, b, s) =
        (caller.memory(x.len()), caller.memory(x.len()), caller.memory(plan.scratch_bytes().div_ceil(4)));
    caller.write(&mut a, &x);
    // SAFETY: memory of the caller's context.
    let (mut from, mut to, mut scratch) = unsafe {
        let array = |memory: &Buffer<f32>| device.array_from_raw::<f32>(memory.get(), x.len()).unwrap();
        (array(&a), array(&b), device.scratch_from_raw(s.get(), plan.scratch_bytes()).unwrap())
    };
    assert_eq!(from.raw(), a.get());
    plan.execute_on_with(&from, &mut to, &mut scratch).unwrap();
    assert_eq!(caller.read(&b, x.len()), expected, "out of place");
    plan.execute_on_in_place_with(&mut from, &mut scratch).unwrap();
    assert_eq!(caller.read(&a, x.len()), expected, "in place");
    // What was retained stays.
    drop((a, s, caller));
    plan.execute_on_in_place_with(&mut to, &mut scratch).unwrap();
    device.finish().unwrap();
}

#[test]
fn a_second_queue_of_the_caller_s_shares_the_plans() {
    let Some(ours) = present(Api::OpenCl) else { return };
    let caller = Caller::new(&ours);
    // SAFETY: a queue.
    let device = unsafe { Device::of_opencl_queue(caller.queue.get()) }.unwrap();
    let plan = plan(&device, "dct2 f32 64x64");
    let (x, expected) = numbers(&plan);
    let second = CommandQueue::create_default_with_properties(&caller.context, 0, 0).unwrap();
    // SAFETY: a queue.
    let second = unsafe { device.with_raw_queue(second.get()) }.unwrap();
    let (a, mut b) = (second.upload(&x).unwrap(), second.array::<f32>(x.len()).unwrap());
    plan.execute_on(&a, &mut b).unwrap();
    let mut y = vec![0.0; x.len()];
    b.download(&mut y).unwrap();
    assert_eq!(y, expected);
}

#[test]
fn queues_and_memory_of_another_context_are_errors() {
    let Some(device) = present(Api::OpenCl) else { return };
    let caller = Caller::new(&device);
    let memory = caller.memory(100);
    // SAFETY: a queue, and memory.
    unsafe {
        let message = refused(device.with_raw_queue(caller.queue.get()), ErrorKind::Argument);
        assert!(message.contains("another context"), "{message}");
        let message = refused(device.array_from_raw::<f32>(memory.get(), 100), ErrorKind::Argument);
        assert!(message.contains("another context"), "{message}");
    }
}

#[test]
fn short_memory_and_unordered_queues_are_errors() {
    let Some(ours) = present(Api::OpenCl) else { return };
    let caller = Caller::new(&ours);
    let memory = caller.memory(100);
    // SAFETY: a queue, and memory.
    unsafe {
        let device = Device::of_opencl_queue(caller.queue.get()).unwrap();
        let message = refused(device.array_from_raw::<f32>(memory.get(), 101), ErrorKind::Argument);
        assert!(message.contains("400 bytes, not 404"), "{message}");
        refused(device.array_from_raw::<f32>(ptr::null_mut::<c_void>(), 1), ErrorKind::Argument);
        let flags = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        let unordered = CommandQueue::create_default_with_properties(&caller.context, flags, 0).unwrap();
        refused(device.with_raw_queue(unordered.get()), ErrorKind::Argument);
    }
}

/// References to the context of a device: every program, queue and memory object has one.
fn references(device: &Device) -> u32 {
    let context = get_command_queue_info(device.raw_queue(), CL_QUEUE_CONTEXT).unwrap();
    get_context_info(isize::from(context) as cl_context, CL_CONTEXT_REFERENCE_COUNT).unwrap().into()
}

#[test]
fn plans_and_arrays_give_back_all_that_they_have() {
    let Some(device) = present(Api::OpenCl) else { return };
    let before = references(&device);
    for problem in ["dct2 f32 12x20", LONG] {
        let plan = plan(&device, problem);
        let (x, _) = numbers(&plan);
        let second = device.new_queue().unwrap();
        let mut array = second.upload(&x).unwrap().move_to(&device).unwrap();
        plan.execute_on_in_place(&mut array).unwrap();
        array.download_async(device.pinned(x.len()).unwrap()).unwrap().wait().unwrap();
        assert!(references(&device) > before, "{problem}: nothing is counted");
    }
    device.finish().unwrap();
    // A driver's own threads may hold what a command used a little longer than the command takes.
    let start = Instant::now();
    while references(&device) != before && start.elapsed() < Duration::from_secs(10) {
        sleep(Duration::from_millis(1));
    }
    assert_eq!(references(&device), before);
}

/// What a pass on rows becomes in a language, on a device whose threads exchange registers.
fn exchanging(dialect: &Dialect, precision: &str) -> String {
    let problem = format!("dct3 {precision} 512x512 axes=1").parse().unwrap();
    let typical = Target::opencl().attributes().clone();
    let limits = Limits::new("such a device", DeviceAttributes { exchanges_registers: true, ..typical });
    let recipe = Planner::new().recipe(&problem).unwrap();
    let descs = lower(&limits, &recipe, false, None, &[]).unwrap().descs();
    descs.iter().map(|desc| print(dialect, &desc.frame(), &kernel(desc))).collect()
}

/// The device of other tests has neither such a compiler nor the extension.
#[test]
fn registers_are_exchanged_by_sub_groups_without_barriers() {
    for precision in ["f32", "f64"] {
        let [shuffles, cuda] = [&OPENCL_SUBGROUPS, &CUDA].map(|dialect| exchanging(dialect, precision));
        let count = |text: &String, what: &str| text.matches(what).count();
        assert_eq!(count(&shuffles, "= sub_group_shuffle_xor("), count(&cuda, "= __shfl_xor_sync("), "{shuffles}");
        assert_eq!(count(&shuffles, "barrier("), count(&cuda, "__syncthreads()"), "{shuffles}");
        let required = ["intel_reqd_sub_group_size(32)", "__kernel OF_SUBGROUPS "].map(|text| count(&shuffles, text));
        assert_eq!(required, [1, 1], "{shuffles}");
        // Work items are numbered by their sub-groups.
        assert!(shuffles.contains("get_sub_group_local_id()") && !shuffles.contains("get_local_id"), "{shuffles}");
    }
}

/// The device of other tests has no such compiler.
#[test]
fn registers_are_exchanged_by_ptx_without_barriers() {
    for precision in ["f32", "f64"] {
        let [ptx, other, cuda] = [&OPENCL_PTX, &OPENCL, &CUDA].map(|dialect| exchanging(dialect, precision));
        let count = |text: &String, what: &str| text.matches(what).count();
        let exchanges = count(&cuda, "= __shfl_xor_sync(");
        assert!(exchanges > 0, "{cuda}");
        assert_eq!(count(&ptx, "= exchanged_real("), exchanges, "{ptx}");
        assert_eq!(count(&ptx, ", 15, 0xffffu);"), exchanges, "{ptx}");
        assert_eq!(count(&ptx, "barrier("), count(&cuda, "__syncthreads()"), "{ptx}");
        assert!(count(&other, "barrier(") > count(&ptx, "barrier("), "{other}");
        assert!(!ptx.contains("vstore4(") && other.contains("vstore4(") == (precision == "f32"), "{ptx}");
    }
}

/// Sums are two words each, and a map may have up to 2^31 of them: more words than 32 bits count. An
/// index that is unsigned would wrap around where an `int` overflows, which compilers need not do.
/// The sums begin so far before the memory that number 2^31 + 3 is the fourth in it.
#[test]
fn sums_whose_words_are_beyond_32_bits_are_where_they_belong() {
    let Some(device) = present(Api::OpenCl) else { return };
    let add = (OPENCL.add_fixed)("sums", "v1", "5.0f");
    let source = format!(
        "__kernel void {NAME}(__global const float* input, __global float* output, __global const float* table,\n    \
         __global const int* indices, __global float* scratch) {{\n    \
         const uint v1 = (uint)indices[0];\n    \
         __global float* sums = (__global float*)((__global char*)scratch - (16L << 30));\n    {add}\n}}\n"
    );
    let (kernel, _) = device.runtime.compile(&source, 0).unwrap();
    let buffer = || device.runtime.allocate(64).unwrap();
    let (mut indices, mut sums) = (buffer(), buffer());
    device.queue.upload(&[Index((1 << 31) + 3)], &mut indices).unwrap();
    device.queue.upload(&[0.0f64; 8], &mut sums).unwrap();
    let grid = Grid { blocks: 1, threads: 1, shared_bytes: 0, range: None, follows: false };
    device.queue.launch(&kernel, grid, [&buffer(), &buffer(), &buffer(), &indices, &sums]).unwrap();
    let mut found = [0.0f64; 8];
    device.queue.download(&sums, &mut found).unwrap();
    assert_eq!(found.map(f64::to_bits), [0, 0, 0, 5, 0, 0, 0, 0]);
}
