//! Blocks per SM, and the size of L1 next to their shared memory.

use gpusched::gpu::Machine;
use gpusched::gpu::machine::{Allocation, BlockNeed, WritePolicy};

fn need(threads: u32, registers: u32, shared_bytes: u32) -> BlockNeed {
    BlockNeed {
        threads,
        registers,
        shared_bytes,
    }
}

#[test]
fn each_resource_can_be_the_limit() {
    let machine = Machine::named("rtx2060").unwrap();
    for (need, blocks, why) in [
        (need(256, 16, 0), 4, "1024 threads"),
        (need(257, 16, 0), 3, "9 warps each"),
        (need(32, 16, 0), 16, "16 blocks"),
        (need(256, 65, 0), 3, "65 registers count as 68: 65536 / 17408"),
        (need(256, 64, 0), 4, "64 registers count as 64"),
        (need(64, 16, 20_000), 3, "65536 bytes of shared memory"),
        (need(1024, 16, 0), 1, "all threads"),
        (need(1025, 16, 0), 0, "too many threads"),
        (need(32, 16, 65_537), 0, "too much shared memory"),
        (need(1024, 65, 0), 0, "too many registers"),
        (need(0, 0, 0), 16, "nothing"),
        (need(u32::MAX, u32::MAX, u32::MAX), 0, "everything"),
    ] {
        assert_eq!(machine.blocks_per_sm(&need), blocks, "{why}");
    }
}

#[test]
fn small_grids_are_spread_evenly() {
    let machine = Machine::named("rtx2060").unwrap();
    let need = need(256, 16, 0);
    for (grid, blocks) in [
        (1, 1),
        (30, 1),
        (31, 2),
        (60, 2),
        (119, 4),
        (120, 4),
        (480, 4),
        (u64::MAX, 4),
    ] {
        assert_eq!(machine.blocks_per_sm_of_grid(&need, grid), blocks, "{grid}");
    }
}

#[test]
fn l1_gets_what_shared_memory_leaves() {
    let kib = |name: &str, shared| Machine::named(name).unwrap().l1_beside(shared).unwrap().bytes() >> 10;
    for (shared, size) in [
        (0, 64),
        (1, 64),
        (32 << 10, 64),
        ((32 << 10) + 1, 32),
        (64 << 10, 32),
        (u32::MAX, 32),
    ] {
        assert_eq!(kib("rtx2060", shared), size, "{shared}");
    }
    for (shared, size) in [
        (0, 128),
        (1, 120),
        (9 << 10, 112),
        (17 << 10, 96),
        (33 << 10, 64),
        (65 << 10, 32),
    ] {
        assert_eq!(kib("titanv", shared), size, "{shared}");
    }
}

#[test]
fn l1_is_fixed_absent_or_streaming() {
    let mut shape = Machine::named("rtx2060").unwrap().into_shape();
    shape.l1.adaptive = None;
    assert_eq!(
        Machine::new(shape.clone())
            .unwrap()
            .l1_beside(1 << 15)
            .unwrap()
            .bytes(),
        32 << 10
    );
    shape.l1.cache = None;
    assert_eq!(Machine::new(shape).unwrap().l1_beside(0), None);

    let mut shape = Machine::named("titanv").unwrap().into_shape();
    let cache = shape.l1.cache.as_mut().unwrap();
    cache.allocation = Allocation::Streaming;
    cache.write_policy = WritePolicy::LocalBackGlobalThrough;
    cache.write_allocation = gpusched::gpu::machine::WriteAllocation::None;
    let machine = Machine::new(shape).unwrap();
    let allocation = |shared| machine.l1_beside(shared).unwrap().allocation;
    assert_eq!(
        (allocation(0), allocation(1)),
        (Allocation::OnMiss, Allocation::OnFill)
    );
}
