//! Random co-runs of kernels on one simulated GPU.

use gpusched_model::error::{Refusal, Result};
use gpusched_model::streams::below;
use gpusched_model::warp_run::{KernelSource, RunKernel, Share, SmSet, WarpRunShape};
use gpusched_model::{Machine, Program, Scheduler};
use rand::Rng;
use serde_json::{Value, json};

use super::bound::place;

/// Latest launch of a kernel [core cycles].
const LAUNCHES: usize = 5001;

/// Number of base addresses of the first buffer, 256 bytes apart.
const SHIFTS: usize = 4096;

/// Draws a co-run of two or three kernels on `machine`. Each kernel runs one of `programs`, or a synthetic program if
/// `synthetic` is true (in one of two cases), on SMs of its own.
///
/// # Errors
/// Fails without programs if `synthetic` is false.
pub fn co_run(
    machine: &Machine,
    programs: &[Program],
    synthetic: bool,
    random: &mut impl Rng,
) -> Result<WarpRunShape> {
    let clusters = machine.clusters as usize;
    let count = if clusters > 2 && below(random, 5) == 0 {
        3
    } else {
        2
    };
    let mut cuts: Vec<usize> = Vec::new();
    while cuts.len() + 1 < count {
        let cut = 1 + below(random, clusters - 1);
        if !cuts.contains(&cut) {
            cuts.push(cut);
        }
    }
    cuts.sort_unstable();
    let ends = cuts.iter().copied().chain([clusters]);
    let mut kernels = Vec::new();
    let mut first = 0;
    for (index, end) in ends.enumerate() {
        let program = match programs.get(below(random, programs.len().max(1))) {
            Some(program) if !synthetic || below(random, 2) == 0 => program.clone(),
            _ if synthetic => synthetic_program(random)?,
            _ => return Err(Refusal::new("", "no program", "at least one program").into()),
        };
        let per_cluster = machine.sms_per_cluster;
        let sms = first as u32 * per_cluster..end as u32 * per_cluster;
        first = end;
        let mut kernel = RunKernel::new(KernelSource::Program(Box::new(program.clone())));
        kernel.name = Some(format!("{index}-{}", program.name));
        kernel.launch = below(random, LAUNCHES) as u64;
        kernel.sms = SmSet::new(sms.collect());
        kernels.push(kernel);
    }
    let mut run = WarpRunShape {
        name: None,
        machine: machine.clone(),
        scheduler: Some([Scheduler::Lrr, Scheduler::Gto][below(random, 2)]),
        sms: None,
        share: Some(Share::Spatial),
        warm: below(random, 2) == 0,
        launch_latency: false,
        restart_clocks: false,
        kernels,
    };
    place(&mut run, 256 * below(random, SHIFTS) as u64);
    Ok(run)
}

/// Distances of the accesses of neighboring threads, and of successive rounds [bytes]. The large ones are multiples of
/// the distances where addresses return to the same slice, channel or bank on usual GPUs.
const STRIDES: [u64; 14] = [
    0, 4, 32, 128, 256, 2048, 3072, 6144, 16_384, 24_576, 61_440, 393_216, 786_432, 1_048_576,
];

/// Sizes of the accessed buffer [bytes].
const SIZES: [u64; 6] = [1 << 12, 1 << 16, 1 << 20, 1 << 22, 1 << 25, 1 << 29];

/// Returns a program with random accesses to one buffer.
fn synthetic_program(random: &mut impl Rng) -> Result<Program> {
    let size = SIZES[below(random, SIZES.len())];
    let (by_thread, by_round) = (
        STRIDES[below(random, STRIDES.len())],
        STRIDES[below(random, STRIDES.len())],
    );
    let accesses = 1 + below(random, 4);
    let all_random = below(random, 5) == 0;
    let stores = below(random, 3);
    let cache = ["all", "l2"][below(random, 2)];
    let mut body: Vec<Value> = Vec::new();
    for access in 0..accesses {
        let address = match all_random {
            true => format!(
                "a + 32*random({}, block*threads + thread, k, {access})",
                size / 32
            ),
            false => {
                let offset = STRIDES[below(random, STRIDES.len())] * access as u64;
                format!("a + ({by_thread}*(block*threads + thread) + {by_round}*k + {offset}) % {size}")
            }
        };
        let store = match stores {
            0 => false,
            1 => true,
            _ => access % 2 == 1,
        };
        body.push(match store {
            true => json!({"op": "store", "from": "f9", "address": address, "bytes": 4}),
            false => json!({"op": "load", "to": format!("f{access}"), "address": address, "bytes": 4, "cache": cache}),
        });
    }
    for step in 0..below(random, 4) {
        body.push(json!({"op": "mad.single", "to": format!("f{}", 10 + step), "from": ["f0", "f9"]}));
    }
    let rounds = 1 + below(random, 12);
    let program = json!({
        "name": "synthetic",
        "grid": 1 + below(random, 120),
        "block": 32 << below(random, 4),
        "registers": 32,
        "buffers": {"a": size + 16},
        "body": [
            {"op": "other", "to": "f9"},
            {"loop": rounds, "counter": "k", "body": body},
            {"op": "exit"},
        ],
    });
    serde_json::from_value(program).map_err(|error| Refusal::told("", error).into())
}
