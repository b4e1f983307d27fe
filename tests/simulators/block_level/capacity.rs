//! No SM holds more than it has, and a slow reference implementation places all blocks on the same SMs.

use gpusched::model::scenario::{BlockTime, DeviceShape};
use gpusched::model::time::Time;
use gpusched::model::{Platform, Scenario};
use gpusched::simulator::blocks::{BlockRecord, Record};
use proptest::prelude::*;

use crate::block_level::scenario::{read, run};

/// Resources of one block, as stated in the scenario: threads, registers of all threads, and shared memory [bytes].
fn stated(scenario: &Scenario, kernel: usize) -> [u64; 3] {
    let launch = &scenario.shape().kernels[kernel];
    [
        u64::from(launch.threads),
        u64::from(launch.threads) * u64::from(launch.registers),
        u64::from(launch.shared_memory),
    ]
}

/// Resources of one block, rounded up to allocation units: warps, registers in units of 256 per warp, and shared memory
/// in units of 256 bytes.
fn allocated(scenario: &Scenario, kernel: usize) -> [u64; 3] {
    let launch = &scenario.shape().kernels[kernel];
    let warps = u64::from(launch.threads.div_ceil(32));
    let per_warp = (u64::from(launch.registers) * 32).next_multiple_of(256);
    let shared = u64::from(launch.shared_memory).next_multiple_of(256);
    [warps, warps * per_warp, shared]
}

/// Resources of one block that count in the ranking of SMs.
fn ranked(scenario: &Scenario, kernel: usize) -> [u64; 3] {
    let launch = &scenario.shape().kernels[kernel];
    let [warps, registers, shared] = allocated(scenario, kernel);
    let registers = if launch.registers > 32 { registers } else { 0 };
    let shared = if launch.shared_memory > 3072 { shared } else { 0 };
    [warps, registers, shared]
}

/// Resources of an SM: warps, registers and shared memory [bytes].
fn of_sm(device: &DeviceShape) -> [u64; 3] {
    [
        device.threads_per_sm / 32,
        device.registers_per_sm,
        1024 * device.shared_memory_per_sm_kib,
    ]
    .map(u64::from)
}

/// Returns the resources of the blocks in `running` that are on `sm`, where `of` returns the resources of a block.
fn sum(running: &[BlockRecord], sm: u32, of: impl Fn(usize) -> [u64; 3]) -> [u64; 3] {
    let on_sm = running.iter().filter(|block| block.sm == sm);
    on_sm.fold([0; 3], |sum, block| {
        let block = of(block.kernel);
        [0, 1, 2].map(|resource| sum[resource] + block[resource])
    })
}

/// Returns the largest use of an SM at any time: threads, registers, shared memory [bytes], and blocks.
fn peaks(scenario: &Scenario, record: &Record) -> [u64; 4] {
    let mut peaks = [0; 4];
    for at in record.blocks.iter().map(|block| block.start_ns) {
        let running = record.blocks.iter().copied();
        let running: Vec<BlockRecord> = running
            .filter(|block| block.start_ns <= at && at < block.end_ns)
            .collect();
        for sm in 0..scenario.shape().platform.shape().sms {
            let [threads, registers, shared] = sum(&running, sm, |kernel| stated(scenario, kernel));
            let blocks = running.iter().filter(|block| block.sm == sm).count() as u64;
            for (peak, found) in peaks.iter_mut().zip([threads, registers, shared, blocks]) {
                *peak = found.max(*peak);
            }
        }
    }
    peaks
}

/// Returns the blocks of a run. All kernels are released at time 0 in streams of their own. The function counts the
/// resources of each SM again for each block.
fn reference(scenario: &Scenario) -> Vec<BlockRecord> {
    let shape = scenario.shape();
    let device = shape.platform.shape();
    let room = of_sm(device);
    let mut order: Vec<u32> = (0..device.sms).step_by(2).collect();
    order.extend((1..device.sms).step_by(2));
    let (mut running, mut ended): (Vec<BlockRecord>, Vec<BlockRecord>) = (Vec::new(), Vec::new());
    let mut waiting: Vec<(usize, u32)> = Vec::new();
    for (kernel, launch) in shape.kernels.iter().enumerate() {
        waiting.extend((0..launch.blocks).map(|block| (kernel, block)));
    }
    waiting.reverse();
    let mut now = 0;
    loop {
        let (over, left) = running.into_iter().partition(|block| block.end_ns.ns() == now);
        ended.extend::<Vec<BlockRecord>>(over);
        running = left;
        while let Some(&(kernel, block)) = waiting.last() {
            let rank = |sm: u32| {
                let blocks = running.iter().filter(|block| block.sm == sm).count();
                let used = sum(&running, sm, |kernel| allocated(scenario, kernel));
                let need = allocated(scenario, kernel);
                let fits = (0..3).all(|resource| used[resource] + need[resource] <= room[resource]);
                if blocks as u32 == device.blocks_per_sm || !fits {
                    return 0;
                }
                let used = sum(&running, sm, |kernel| ranked(scenario, kernel));
                let need = ranked(scenario, kernel);
                let more = |count: u64| {
                    (0..3).all(|resource| used[resource] + count * need[resource] <= room[resource])
                };
                (1..).take_while(|&count| more(count)).count()
            };
            let best = order.iter().map(|&sm| rank(sm)).max().unwrap();
            if best == 0 {
                break;
            }
            let sm = order.iter().copied().find(|&sm| rank(sm) == best).unwrap();
            let BlockTime::Fixed(time) = shape.kernels[kernel].block_time else {
                panic!("a fixed block time")
            };
            running.push(BlockRecord {
                kernel,
                block,
                sm,
                start_ns: Time::from_ns(now),
                end_ns: Time::from_ns(now + time.ns()),
            });
            waiting.pop();
        }
        match running.iter().map(|block| block.end_ns.ns()).min() {
            Some(next) => now = next,
            None => return ended,
        }
    }
}

fn sorted(mut blocks: Vec<BlockRecord>) -> Vec<BlockRecord> {
    blocks.sort_by_key(|block| (block.kernel, block.block));
    blocks
}

/// One kernel per entry: blocks, threads, registers per thread, shared memory [bytes], block time [us].
fn scenario(device: &str, kernels: &[[u32; 5]]) -> Scenario {
    let kernels: Vec<String> = (0..)
        .zip(kernels)
        .map(|(stream, [blocks, threads, registers, shared, us]): (u32, _)| {
            format!(
                r#"{{"stream":{stream},"blocks":{blocks},"threads":{threads},"registers":{registers},
                "shared_memory":{shared},"block_time":"{us}us"}}"#
            )
        })
        .collect();
    read(&format!(
        r#"{{"platform":{device},"kernels":[{}]}}"#,
        kernels.join(",")
    ))
}

/// Small amounts that the ranking ignores: earlier, they did not count at all.
#[test]
fn small_amounts_count_in_the_capacity() {
    // On Xavier, a block with 45 KiB and 31 blocks with 3 KiB on each SM would need 138 of 96 KiB.
    let memory = scenario(
        "\"xavier\"",
        &[[8, 32, 0, 45 * 1024, 9], [31 * 8, 32, 0, 3072, 9]],
    );
    assert_eq!(peaks(&memory, &run(&memory)), [18 * 32, 0, 96 * 1024, 18]);
    // One block with 64 registers per thread uses all registers, and one with 32 uses half of them.
    let registers = scenario("\"xavier\"", &[[8, 1024, 64, 0, 9], [8, 1024, 32, 0, 9]]);
    let record = run(&registers);
    assert_eq!(peaks(&registers, &record), [1024, 65_536, 0, 1]);
    assert!(
        record
            .blocks
            .iter()
            .all(|block| block.kernel == 0 || block.start_ns.ns() == 9000)
    );
    // On the TX2, 32 blocks with 3 KiB would need 96 of 64 KiB.
    let small = scenario("\"tx2\"", &[[64, 32, 0, 3072, 9]]);
    assert_eq!(peaks(&small, &run(&small)), [21 * 32, 0, 63 * 1024, 21]);
    for name in ["tx2", "xavier"] {
        let platform = Platform::named(name).unwrap();
        let all = platform.threads_per_sm * platform.sms / 1024;
        // The largest blocks that use 32 registers per thread still fill each SM.
        let full = scenario(&format!("\"{name}\""), &[[all, 1024, 32, 0, 9]]);
        assert_eq!(peaks(&full, &run(&full)), [2048, 65_536, 0, 2]);
    }
}

/// A GPU, and kernels whose blocks fit on its SMs.
fn random() -> impl Strategy<Value = Scenario> {
    let device = (1u32..6, 0usize..2, 0usize..3, 0usize..3, 0usize..3);
    let kernel = (1u32..40, 1u32..=1024, 0usize..9, 0usize..9, 1u32..5);
    (device, prop::collection::vec(kernel, 2..7)).prop_map(
        |((sms, threads, blocks, registers, shared), kernels)| {
            let threads = [1024, 2048][threads];
            let (registers, shared_kib) = ([8192, 32_768, 65_536][registers], [7, 64, 96][shared]);
            let device = format!(
                r#"{{"sms":{sms},"threads_per_sm":{threads},"blocks_per_sm":{},"registers_per_sm":{registers},
            "shared_memory_per_sm_kib":{shared_kib}}}"#,
                [4, 16, 32][blocks]
            );
            let fitting = kernels
                .into_iter()
                .map(|(blocks, threads, own_registers, own_shared, us)| {
                    let most = registers / (256 * threads.div_ceil(32)) * 8;
                    let own_registers = [0, 1, 16, 31, 32, 33, 40, 64, 255][own_registers].min(most);
                    let bytes = [0, 1, 256, 2816, 3071, 3072, 3073, 6000, 50_000][own_shared];
                    [blocks, threads, own_registers, bytes.min(1024 * shared_kib), us]
                });
            scenario(&device, &fitting.collect::<Vec<_>>())
        },
    )
}

proptest! {
    #[test]
    fn no_sm_holds_more_than_it_has_and_the_reference_agrees(scenario in random()) {
        let record = run(&scenario);
        let device = scenario.shape().platform.shape();
        let has = [
            device.threads_per_sm,
            device.registers_per_sm,
            1024 * device.shared_memory_per_sm_kib,
            device.blocks_per_sm,
        ];
        let found = peaks(&scenario, &record);
        for (found, has) in found.into_iter().zip(has) {
            prop_assert!(found <= u64::from(has), "{found} {has}");
        }
        prop_assert_eq!(sorted(record.blocks), sorted(reference(&scenario)));
    }
}
