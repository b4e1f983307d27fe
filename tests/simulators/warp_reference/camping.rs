//! Partition camping: with a stride that is a multiple of 3072 bytes, a warp accesses only one slice of L2.
//!
//! GPGPU-Sim showed the effect with an older copyl, with 60 blocks of 256 threads and a stride of 61440 bytes. It took
//! 4868 cycles under LRR, 9235 under GTO and 9233 under OLD. With 58 or 59 blocks, it took 3391 to 3827 cycles under
//! all three policies. The instructions of the older copyl are not available. This test uses the copyl in the
//! repository, with addresses without its 96 additional elements per round.

use gpusched::gpu::Program;
use gpusched::gpu::gpu::{Launch, Settings, run};
use gpusched::gpu::program::FIRST_ADDRESS;

use crate::warp_reference::reference::{LIMIT, extents, file, machine, shaped};

fn copy(blocks: u32) -> Program {
    let text = file("tasksets/kernels/programs/copyl.json");
    let strides = [" + 1536*k", " + 384\"", " + 768\"", " + 1152\""];
    let text = strides.into_iter().fold(text, |text, stride| {
        assert!(text.contains(stride));
        text.replace(stride, if stride.ends_with('"') { "\"" } else { "" })
    });
    let program: Program = serde_json::from_str(&text).unwrap();
    shaped(&program, &format!("copyl:{blocks}:8"), FIRST_ADDRESS)
}

fn cycles(blocks: u32, scheduler: &str) -> u64 {
    let program = copy(blocks);
    let settings = Settings {
        scheduler: scheduler.parse().unwrap(),
        warm: extents(&program),
        limit: LIMIT,
        ..Settings::default()
    };
    let launches = [Launch::of_program(&program).unwrap()];
    run(&machine(false), &launches, &settings).unwrap().cycles
}

#[test]
fn a_stride_of_all_slices_costs_greedy_schedulers_most() {
    for (scheduler, expected) in [("lrr", 4868.0), ("gto", 9235.0), ("oldest", 9233.0)] {
        for blocks in [58, 59] {
            let cycles = cycles(blocks, scheduler);
            assert!((3250..4100).contains(&cycles), "{scheduler}, {blocks}: {cycles}");
        }
        let error = cycles(60, scheduler) as f64 / expected - 1.0;
        assert!(error.abs() < 0.1, "{scheduler}: {error}");
    }
}
