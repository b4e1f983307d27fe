//! Configurations of GPGPU-Sim as machines.

use gpusched::gpu::Machine;
use gpusched::gpu::import::gpgpusim_config::{Imported, option_of, parse};
use gpusched::gpu::machine::{DramScheduler, Hash, PartitionIndexing, Timing, WarpScheduler};

use crate::machine::published::{config, config_with, options};

fn import(text: &str) -> Imported {
    parse(&[("a.config", text.as_bytes())], "a").unwrap_or_else(|error| panic!("{error}"))
}

/// Returns `machine` with the name and source of the preset `like`.
fn renamed(machine: Machine, like: &Machine) -> Machine {
    let mut shape = machine.into_shape();
    shape.name.clone_from(&like.name);
    shape.source.clone_from(&like.source);
    Machine::new(shape).unwrap()
}

#[test]
fn published_values_are_the_presets() {
    for name in ["rtx2060", "titanv"] {
        let preset = Machine::named(name).unwrap();
        let imported = import(&config(name));
        assert_eq!(renamed(imported.machine, &preset), preset);
        assert_eq!((imported.ignored, imported.unmodelled), (vec![], vec![]));
    }
}

/// Options whose default contradicts the other published values.
const NEEDED: [&str; 8] = [
    "-gpgpu_cache:dl1",
    "-gpgpu_cache:dl2",
    "-gpgpu_dram_timing_opt",
    "-gpgpu_operand_collector_num_in_ports_gen",
    "-gpgpu_operand_collector_num_out_ports_gen",
    "-gpgpu_operand_collector_num_units_gen",
    "-gpgpu_shmem_option",
    "-gpgpu_unified_l1d_size",
];

/// A missing option has GPGPU-Sim's default, and the result lists it as missing. An option that is set is not listed.
#[test]
fn what_is_missing_is_said() {
    // The import reads these options only together with other options, or only if they are set.
    let quiet = |name, option| match option {
        "-network_mode" | "-gpgpu_cache:dl2_texture_only" | "-gpgpu_mem_address_mask" => true,
        "-dram_write_queue_size" => name == "rtx2060",
        _ => false,
    };
    for name in ["rtx2060", "titanv"] {
        let mut needed = Vec::new();
        for (option, _) in options(name) {
            let missing = |text: &str| {
                let imported = parse(&[("f", text.as_bytes())], "a")?;
                Ok::<_, gpusched::error::Error>(
                    imported.missing.iter().filter(|one| one.option == option).count(),
                )
            };
            assert_eq!(missing(&config(name)).unwrap(), 0, "{option}");
            match missing(&config_with(name, option, None)) {
                Ok(count) => assert_eq!(count, usize::from(!quiet(name, option)), "{option}"),
                Err(_) => needed.push(option),
            }
        }
        needed.sort_unstable();
        assert_eq!(needed, NEEDED);
    }
    let shuffles = import(&config("rtx2060")).missing;
    let value = |option: &str| {
        shuffles
            .iter()
            .find(|one| one.option == option)
            .map(|one| one.value.as_str())
    };
    assert_eq!(value("-ptx_opcode_latency_int, SHFL"), Some("32"));
    assert_eq!(value("-ptx_opcode_initiation_int, SHFL"), Some("4"));
    assert_eq!(value("-gpgpu_concurrent_kernel_sm"), Some("0"));
}

#[test]
fn every_field_has_an_option() {
    fn leaves(path: &str, value: &serde_json::Value, found: &mut Vec<String>) {
        match value.as_object() {
            None => found.push(path.to_owned()),
            Some(object) => object.iter().for_each(|(field, value)| {
                let path = if path.is_empty() {
                    field.clone()
                } else {
                    format!("{path}.{field}")
                };
                leaves(&path, value, found);
            }),
        }
    }
    let mut shape = Machine::named("titanv").unwrap().into_shape();
    let generic = shape.sm.register_file.generic;
    shape.sm.register_file.specialized = Some(gpusched::gpu::machine::SpecializedCollectors {
        sp: generic,
        dp: generic,
        int: generic,
        sfu: generic,
        mem: generic,
        tensor: generic,
    });
    let unit = gpusched::gpu::machine::SpecializedUnit {
        units: 4,
        id_oc: 4,
        oc_ex: 4,
        time: shape.sm.times.special,
    };
    shape.sm.specialized_units = gpusched::gpu::machine::SpecializedUnits {
        branch: Some(unit),
        texture: Some(unit),
        tensor: Some(unit),
        uniform: Some(unit),
    };
    let mut found = Vec::new();
    leaves(
        "",
        &serde_json::to_value(Machine::new(shape).unwrap()).unwrap(),
        &mut found,
    );
    assert!(found.len() > 150, "{}", found.len());
    for path in found {
        assert_eq!(
            option_of(&path).is_some(),
            path != "name" && path != "source",
            "{path}"
        );
    }
    assert_eq!(
        option_of("sm.registers_per_block"),
        Some("-gpgpu_registers_per_block")
    );
    assert_eq!(option_of("memory.l2.sets"), Some("-gpgpu_cache:dl2"));
    assert_eq!(option_of("memory.l2s"), None);
}

#[test]
fn later_lines_and_files_count() {
    let preset = config("rtx2060");
    let text = format!("-gpgpu_shader_cta 7\n{preset}-gpgpu_scheduler gto\n");
    let second =
        "-gpgpu_scheduler old -gpgpu_n_clusters 0x10\n-gpgpu_l1_latency 010\n-gpgpu_concurrent_kernel_sm";
    assert_eq!(import(&text).machine.sm.scheduler, WarpScheduler::Gto);
    assert_eq!(import(&text).machine.sm.blocks, 16);
    let files = [("one", text.as_bytes()), ("two", second.as_bytes())];
    let machine = parse(&files, "both").unwrap().machine;
    assert_eq!(
        (machine.sm.scheduler, machine.clusters, machine.l1.latency),
        (WarpScheduler::Oldest, 16, 8)
    );
    assert!(machine.dispatch.share_sms);
    assert_eq!(
        (machine.name.as_str(), machine.source.as_str()),
        ("both", "GPGPU-Sim configuration one, two")
    );
}

#[test]
fn options_without_effect_are_notes_and_unknown_options_are_errors() {
    let text = config("rtx2060")
        + "-visualizer_enabled 0\n-gpgpu_stack_size_limit -1\n-l2_ideal 1\n-specialized_unit_5 1,4,4,4,4,NEW\n";
    let imported = import(&text);
    let ignored: Vec<_> = imported
        .ignored
        .iter()
        .map(|one| (one.option.as_str(), one.value.as_deref()))
        .collect();
    assert_eq!(
        ignored,
        [
            ("-visualizer_enabled", Some("0")),
            ("-gpgpu_stack_size_limit", Some("-1"))
        ]
    );
    assert_eq!(imported.ignored[0].line, text.lines().count() - 3);
    let unmodelled: Vec<_> = imported
        .unmodelled
        .iter()
        .map(|one| one.option.as_str())
        .collect();
    assert_eq!(unmodelled, ["-l2_ideal", "-specialized_unit_5"]);
    // Every option is known or refused, also beside others that have no effect.
    let error = parse(&[("a.config", (text + "-power -1\n").as_bytes())], "a").unwrap_err();
    assert!(
        error.to_string().contains("does not know: -power in line"),
        "{error}"
    );
}

/// The lines are from `trace.config` of Accel-Sim for RTX 2060.
#[test]
fn specialized_units_of_traces() {
    let text = config("rtx2060")
        + "-specialized_unit_1 1,4,4,4,4,BRA\n-trace_opcode_latency_initiation_spec_op_1 4,4\n\
           -specialized_unit_2 1,4,200,4,4,TEX\n-trace_opcode_latency_initiation_spec_op_2 200,4\n\
           -specialized_unit_3 0,4,16,4,4,TENSOR\n-specialized_unit_4 1,4,4,4,4,UDP\n";
    let machine = import(&text).machine;
    let units = machine.sm.specialized_units;
    let times = units
        .named()
        .map(|(_, unit)| unit.map(|unit| (unit.units, unit.time.latency, unit.time.initiation)));
    assert_eq!(times, [Some((4, 4, 4)), Some((4, 200, 4)), None, Some((4, 4, 4))]);
    let again: Machine = serde_json::from_str(&serde_json::to_string(&machine).unwrap()).unwrap();
    assert_eq!(again, machine);
    for (value, expected) in [
        ("1,4,4,4,BRA", "5 numbers"),
        ("1,0,4,4,4,BRA", "1 to 256"),
        ("1,x,4,4,4,BRA", "\"x\""),
    ] {
        let text = format!("{text}-specialized_unit_1 {value}\n");
        let error = parse(&[("c", text.as_bytes())], "c").unwrap_err().to_string();
        assert!(
            error.contains(expected) && error.contains("-specialized_unit_1"),
            "{error}"
        );
    }
}

#[test]
fn the_least_that_is_a_machine() {
    let text = "-gpgpu_cache:dl2 S:64:128:8,L:B:m:L:L,A:16:4,4";
    let imported = import(text);
    let machine = imported.machine;
    assert_eq!(
        (machine.sms(), machine.clocks.core_khz, machine.l1.cache),
        (30, 500_000, None)
    );
    assert_eq!(
        (
            machine.sm.scheduler,
            machine.sm.issue_per_warp,
            machine.sm.sub_cores
        ),
        (WarpScheduler::Gto, 2, false)
    );
    assert_eq!(machine.memory.l2.port_bytes, 128);
    assert!(machine.sm.register_file.specialized.is_some());
    assert_eq!(
        (
            machine.memory.mapping.bank_mask(),
            machine.memory.mapping.row_mask()
        ),
        (0x300, 0x7ff_e000)
    );
    assert_eq!(
        (
            machine.memory.mapping.column_mask(),
            machine.memory.mapping.burst_mask()
        ),
        (0x1cff, 0xf)
    );
    let unmodelled: Vec<_> = imported
        .unmodelled
        .iter()
        .map(|one| one.option.as_str())
        .collect();
    assert_eq!(unmodelled, ["-network_mode", "-gpgpu_cache:dl2_texture_only"]);
    assert!(imported.missing.len() > 80, "{}", imported.missing.len());
    let masked = import(&format!("{text} -gpgpu_mem_address_mask 1"))
        .machine
        .memory
        .mapping;
    assert_eq!(
        (masked.bank_mask(), masked.column_mask(), masked.channel_start()),
        (0x1800, 0x7ff, Some(13))
    );
}

#[test]
fn other_values_of_options() {
    let with = |option, value| import(&config_with("rtx2060", option, Some(value))).machine;
    assert_eq!(
        with("-dram_bnk_indexing_policy", "2").memory.dram.bank_index,
        Hash::Ipoly
    );
    assert_eq!(
        with("-gpgpu_memory_partition_indexing", "4").memory.indexing,
        PartitionIndexing::Consecutive
    );
    assert_eq!(
        with("-gpgpu_dram_scheduler", "0").memory.dram.scheduler,
        DramScheduler::Fifo
    );
    assert_eq!(
        with("-gpgpu_clock_domains", "1.5:2.25:3.125:4").clocks.l2_khz,
        3125
    );
    assert_eq!(
        with("-gpgpu_shmem_option", "64,32,32")
            .l1
            .adaptive
            .clone()
            .unwrap()
            .shared_kib,
        [32, 64]
    );
    assert_eq!(with("-gpgpu_tensor_core_avail", "0").sm.units.tensor, 0);
    // The old form of timing parameters, without bank groups.
    let timing = with("-gpgpu_dram_timing_opt", "16:2:6:12:28:12:40:12:4:5:12")
        .memory
        .dram
        .timing;
    assert_eq!((timing.banks, timing.cl, timing.wl, timing.wr), (16, 12, 4, 12));
    assert_eq!((timing.bank_groups, timing.ccdl, timing.rtpl), (1, 0, 0));
    // Accel-Sim's timings of units.
    let times = with("-trace_opcode_latency_initiation_int", "2,3").sm.times;
    let unit = Timing {
        latency: 2,
        initiation: 3,
    };
    assert_eq!(
        (times.int.add, times.int.div, times.single.add.latency),
        (unit, unit, 4)
    );
}

/// Returns the message about the configuration in `text`.
fn refusal(text: &[u8]) -> String {
    parse(&[("f", text)], "a").unwrap_err().to_string()
}

/// Numbers are decimal, hexadecimal after `0x`, or octal after `0`.
#[test]
fn numbers_are_read_as_by_gpgpu_sim() {
    for (text, number) in [("12", 12), ("0x1F", 31), ("010", 8)] {
        let imported = import(&config_with("rtx2060", "-gpgpu_n_clusters", Some(text)));
        assert_eq!(imported.machine.clusters, number, "{text}");
    }
    // These numbers are no numbers of clusters of a machine.
    for (text, number) in [("0", "0"), ("4294967295", "4294967295")] {
        let text = config_with("rtx2060", "-gpgpu_n_clusters", Some(text));
        assert!(
            refusal(text.as_bytes()).contains(&format!("found {number} (clusters)")),
            "{number}"
        );
    }
    for bad in ["\"\"", "-1", "+1", "1.5", "08", "0x", "4294967296", "1k", "0x-1"] {
        let message = refusal(format!("\n\n-gpgpu_n_clusters {bad}").as_bytes());
        assert!(
            message.starts_with("f:3: at -gpgpu_n_clusters: found"),
            "{message}"
        );
    }
    for bad in ["1", "1:2:3:4:5", "1:b:3:4", "1:-2:3:4"] {
        let text = config_with("rtx2060", "-gpgpu_clock_domains", Some(bad));
        assert!(
            refusal(text.as_bytes()).contains("at -gpgpu_clock_domains: found"),
            "{bad}"
        );
    }
}

/// A misspelled option is refused with the most similar option of GPGPU-Sim.
#[test]
fn a_slip_is_near_what_was_meant() {
    let names = include_str!("../../../gpu/gpusched-gpu/src/import/gpgpusim_config/names/options.txt");
    let names: Vec<&str> = names.lines().filter(|line| line.starts_with('-')).collect();
    assert!(names.is_sorted_by(|a, b| a < b) && names.len() > 200);
    for (slip, meant) in [
        ("-gpgpu_l1_latncy", "-gpgpu_l1_latency"),
        ("-smem_latency", "-gpgpu_smem_latency"),
        ("-rop_latency", "-gpgpu_l2_rop_latency"),
        ("-gmem_skip_L1D", "-gpgpu_gmem_skip_L1D"),
        ("-gpgpu_n_cluster", "-gpgpu_n_clusters"),
        ("-gpgpu_cache:d1", "-gpgpu_cache:dl1"),
        ("-ptx_opcode_latency_tensor", "-ptx_opcode_latency_tesnor"),
    ] {
        let message = refusal(format!("{slip} 1").as_bytes());
        assert!(message.contains(&format!("did you mean {meant}?")), "{message}");
    }
    for far in ["-bogus_1", "-", "-colour"] {
        let message = refusal(format!("{far} 1").as_bytes());
        assert!(
            message.starts_with("f:1: ") && !message.contains("did you mean"),
            "{message}"
        );
    }
}

#[test]
fn comments_quotes_and_lines_are_read() {
    for (text, line, found) in [
        ("# all\n-gpgpu_n_clusters 1x # one\n", 2, "1x"),
        ("\n\t-gpgpu_n_clusters\r\n2x", 2, "2x"),
        ("-gpgpu_n_clusters \"x=1:\n   y=2\"", 1, "x=1: y=2"),
        ("-gpgpu_n_clusters \" two \"", 1, " two "),
        ("-gpgpu_n_clusters a#b\"\n", 1, "a"),
        ("\n-gpgpu_n_clusters \"c # d\n e\"", 2, "c e"),
    ] {
        let start = format!("f:{line}: at -gpgpu_n_clusters: found {found:?}");
        let message = refusal(text.as_bytes());
        assert!(message.starts_with(&start), "{text}: {message}");
    }
    for (text, line, word) in [
        ("-gpgpu_n_clusters \"x=1:\n   y=2\" z", 2, "z"),
        ("\n-gpgpu_n_clusters \"c # d\n e\" f", 3, "f"),
        ("-gpgpu_n_clusters \"one\" \"\"", 1, ""),
    ] {
        let start = format!("f:{line}: found {word:?}, expected an option");
        let message = refusal(text.as_bytes());
        assert!(message.starts_with(&start), "{text}: {message}");
    }
    for (text, line) in [
        (&b"-a\n\"b c\n"[..], 2),
        (b"-a\n\n\xff", 3),
        (b"# \xff\n-gpgpu_n_clusters x", 2),
    ] {
        let message = refusal(text);
        assert!(message.starts_with(&format!("f:{line}: ")), "{message}");
    }
}
