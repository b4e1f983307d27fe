//! The presets: the published configurations and their consequences.

use gpusched::gpu::Machine;
use gpusched::gpu::machine::{
    Hash, MshrKind, PartitionIndexing, WarpScheduler, WriteAllocation, WritePolicy,
};

use crate::support::{files, root};

fn machine(name: &str) -> Machine {
    Machine::named(name).unwrap()
}

#[test]
fn rtx2060_is_the_published_configuration() {
    let machine = machine("rtx2060");
    assert_eq!(
        (machine.sms(), machine.sm.warps(), machine.sm.blocks),
        (30, 32, 16)
    );
    assert_eq!(
        (machine.sm.schedulers, machine.sm.scheduler),
        (4, WarpScheduler::Lrr)
    );
    assert_eq!(
        (machine.clocks.core_khz, machine.clocks.dram_khz),
        (1_365_000, 3_500_500)
    );
    // 12 channels × 2 B × 4 × 3500.5 MHz
    assert_eq!(machine.dram_bytes_per_second(), 336_048_000_000);
    assert_eq!(machine.memory.slices(), 24);
    assert_eq!(machine.memory.l2.bytes(), 128 << 10);
    assert_eq!(machine.memory.l2_bytes(), 3 << 20);
    let l1 = machine.l1.cache.unwrap();
    assert_eq!(
        (l1.write_policy, l1.write_allocation),
        (WritePolicy::WriteThrough, WriteAllocation::LazyFetchOnRead)
    );
    assert_eq!(
        (l1.mshr_kind, l1.mshr_entries, l1.mshr_merge),
        (MshrKind::Associative, 256, 32)
    );
    assert_eq!(
        (machine.memory.l2.set_index, machine.memory.indexing),
        (Hash::Ipoly, PartitionIndexing::Consecutive)
    );
    let dram = &machine.memory.dram;
    assert_eq!((dram.atom_bytes(), dram.burst_cycles()), (32, 4));
    assert_eq!((dram.rcd_write(), dram.read_to_write()), (15, 22));
    assert_eq!((dram.write_to_read(), dram.write_to_precharge()), (22, 36));
    let groups: Vec<u32> = (0..16).map(|bank| dram.bank_group(bank)).collect();
    assert_eq!(groups, [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]);
    let times = &machine.sm.times;
    assert_eq!((times.single.mad.latency, times.single.mad.initiation), (4, 2));
    assert_eq!((times.int.div.latency, times.double.add.initiation), (21, 64));
    // The value is not published, so GPGPU-Sim's default applies.
    assert_eq!((times.int.shuffle.latency, times.int.shuffle.initiation), (32, 4));
}

#[test]
fn titanv_is_the_published_configuration() {
    let machine = machine("titanv");
    assert_eq!(
        (
            machine.sms(),
            machine.clusters,
            machine.sm.warps(),
            machine.sm.blocks
        ),
        (80, 40, 64, 32)
    );
    // 24 channels × 16 B × 2 × 850 MHz
    assert_eq!(machine.dram_bytes_per_second(), 652_800_000_000);
    assert_eq!(
        (machine.memory.slices(), machine.memory.l2.bytes()),
        (48, 96 << 10)
    );
    assert_eq!(2 * machine.memory.l2_bytes(), 9 << 20);
    let dram = &machine.memory.dram;
    assert_eq!(
        (dram.atom_bytes(), dram.burst_cycles(), dram.dual_bus),
        (32, 1, true)
    );
    assert_eq!((dram.rcd_write(), dram.read_to_write()), (9, 13));
    assert_eq!((dram.write_to_read(), dram.write_to_precharge()), (6, 13));
    let queue = dram.write_queue.unwrap();
    assert_eq!((queue.size, queue.high, queue.low), (128, 108, 32));
    let times = &machine.sm.times;
    assert_eq!(
        (
            times.int.max.latency,
            times.int.shuffle.latency,
            times.special.latency
        ),
        (13, 32, 100)
    );
}

#[test]
fn bank_groups_of_high_bits() {
    let mut dram = machine("rtx2060").memory.dram;
    dram.bank_group_index = gpusched::gpu::machine::BankGroupIndex::HighBits;
    let groups: Vec<u32> = (0..16).map(|bank| dram.bank_group(bank)).collect();
    assert_eq!(groups, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]);
    dram.no_turnaround = true;
    assert_eq!((dram.read_to_write(), dram.write_to_read()), (0, 0));
}

/// Without its GPCs, titanv-gpcs is titanv. Its GPCs have as many TPCs as the device file states.
#[test]
fn titanv_with_gpcs_differs_from_titanv_only_in_its_gpcs() {
    let mut shape = machine("titanv-gpcs").into_shape();
    let titanv = machine("titanv").into_shape();
    let gpcs = shape.interconnect.gpcs.take().unwrap();
    (shape.name, shape.source) = (titanv.name.clone(), titanv.source.clone());
    assert_eq!(shape, titanv);
    let file = root().join("tasksets/devices/titanv.json");
    let device: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let sizes = (0..6).map(|gpc| gpcs.of_cluster.iter().filter(|of| **of == gpc).count());
    assert_eq!(
        serde_json::json!(sizes.collect::<Vec<_>>()),
        device["tpcs_per_gpc"]
    );
    let speedup = &device["ports"][1]["speedup"];
    let stated = serde_json::json!({"read": gpcs.reads_per_cycle, "write": gpcs.writes_per_cycle});
    assert_eq!(&stated, speedup);
}

#[test]
fn l1_banks_follow_each_other() {
    let l1 = &machine("rtx2060").l1;
    let banks: Vec<u32> = (0..6).map(|sector| l1.bank(32 * sector + 7)).collect();
    assert_eq!(banks, [0, 1, 2, 3, 0, 1]);
}

#[test]
fn every_file_reads_and_names_its_source() {
    let machines: Vec<_> = Machine::all().collect();
    let is_preset = |file: &std::path::PathBuf| file.extension().is_some_and(|ending| ending == "json");
    let presets = files(&root().join("tasksets/machines"))
        .into_iter()
        .filter(is_preset);
    assert_eq!(machines.len(), presets.count());
    assert!(machines.iter().all(|machine| !machine.source.is_empty()));
    assert!(machines.is_sorted_by_key(|machine| machine.sms()));
}
