//! What is no configuration: file, line, option, value, and what was expected.

use gpusched::gpgpusim_config::parse;
use gpusched::model::Machine;

use crate::machine::published::{config_with, options};

fn refusal(text: &str) -> String {
    let imported = parse(&[("x.config", text.as_bytes())], "x");
    imported.expect_err(text).to_string()
}

#[test]
fn malformed_values_name_their_place() {
    for (option, value, expected) in [
        ("-gpgpu_n_clusters", "many", "found \"many\", expected a number"),
        ("-gpgpu_n_clusters", "-3", "found \"-3\""),
        ("-gpgpu_n_clusters", "0", "found 0 (clusters), expected 1 to 4096"),
        (
            "-gpgpu_n_clusters",
            "4294967296",
            "expected a number from 0 to 4294967295",
        ),
        ("-gpgpu_n_cores_per_cluster", "200", "found 200 (sms_per_cluster)"),
        ("-gpgpu_n_mem", "", "found no value, expected one"),
        ("-gpgpu_sub_core_model", "yes", "found \"yes\", expected 0 or 1"),
        ("-gpgpu_clock_domains", "1365:1365:1365", "four frequencies"),
        (
            "-gpgpu_clock_domains",
            "1365:1365:1365:3500.5001",
            "found \"3500.5001\" in",
        ),
        ("-gpgpu_clock_domains", "1365:1365:-1:3500", "found \"-1\" in"),
        ("-gpgpu_clock_domains", "0:1:1:1", "core_khz"),
        ("-gpgpu_clock_domains", "99999999:1:1:1", "found \"99999999\" in"),
        ("-gpgpu_shader_core_pipeline", "1024:64", "warps of 32 threads"),
        ("-gpgpu_shader_core_pipeline", "1000:32", "whole warps"),
        ("-gpgpu_shader_core_pipeline", "4096:32", "sm.threads"),
        (
            "-gpgpu_scheduler",
            "two_level_active:6:0:1",
            "expected lrr, gto or old",
        ),
        ("-gpgpu_pipeline_widths", "4,4,4", "13 numbers"),
        (
            "-gpgpu_pipeline_widths",
            "0,4,4,4,4,4,4,4,4,4,8,4,4",
            "sm.widths.id_oc.sp",
        ),
        ("-gpgpu_num_reg_banks", "6", "4 sub-cores"),
        (
            "-gpgpu_operand_collector_num_units_gen",
            "0",
            "sm.register_file.generic.units",
        ),
        ("-ptx_opcode_latency_int", "4,4,4,4", "5 to 6 numbers"),
        ("-ptx_opcode_latency_fp", "4,4,4,4,5,6", "5 numbers"),
        ("-ptx_opcode_latency_fp", "4,4,4,4,x", "found \"x\" in"),
        (
            "-ptx_opcode_latency_fp",
            "4,4,4,4,512",
            "sm.times.single.div.latency",
        ),
        ("-ptx_opcode_latency_sfu", "0", "sm.times.special.latency"),
        ("-gpgpu_cache:dl1", "S:4:128:64", "SECTORED:SETS:LINE:WAYS"),
        (
            "-gpgpu_cache:dl1",
            "X:4:128:64,L:T:m:L:L,A:256:32,16:0,32",
            "found \"X\" in",
        ),
        (
            "-gpgpu_cache:dl1",
            "S:4:128:64,R:T:m:L:L,A:256:32,16:0,32",
            "one of L, F for the replacement",
        ),
        (
            "-gpgpu_cache:dl1",
            "S:4:128:64,L:X:m:L:L,A:256:32,16:0,32",
            "one of R, B, T, E, L",
        ),
        (
            "-gpgpu_cache:dl1",
            "S:4:128:64,L:T:M:L:L,A:256:32,16:0,32",
            "one of m, f, s",
        ),
        (
            "-gpgpu_cache:dl1",
            "S:4:128:64,L:T:m:X:L,A:256:32,16:0,32",
            "one of N, W, F, L",
        ),
        (
            "-gpgpu_cache:dl1",
            "S:4:128:64,L:T:m:L:Q,A:256:32,16:0,32",
            "one of L, X, P, H",
        ),
        (
            "-gpgpu_cache:dl1",
            "S:4:128:64,L:T:m:L:L,B:256:32,16:0,32",
            "one of A, S, F, T",
        ),
        (
            "-gpgpu_cache:dl1",
            "S:4:128:64,L:T:m:L:L,A:a:32,16:0,32",
            "entries of the MSHRs",
        ),
        (
            "-gpgpu_cache:dl1",
            "S:3:128:64,L:T:m:L:L,A:256:32,16:0,32",
            "l1.cache.sets",
        ),
        (
            "-gpgpu_cache:dl1",
            "S:4:64:64,L:T:m:L:L,A:256:32,16:0,32",
            "four sectors of 32",
        ),
        (
            "-gpgpu_cache:dl1",
            "S:4:128:0,L:T:m:L:L,A:256:32,16:0,32",
            "l1.cache.ways",
        ),
        (
            "-gpgpu_cache:dl1",
            "S:4:128:99999999,L:T:m:L:L,A:256:32,16:0,32",
            "l1.cache.ways",
        ),
        (
            "-gpgpu_cache:dl1",
            "S:4:128:64,L:B:f:N:L,A:256:32,16:0,32",
            "allocates on fill",
        ),
        (
            "-gpgpu_cache:dl1",
            "S:4:128:64,L:T:f:L:L,A:256:32,16:0,32",
            "fetches for writes",
        ),
        (
            "-gpgpu_cache:dl1",
            "S:4:128:64,L:T:m:L:P,A:256:32,16:0,32",
            "ipoly over 4",
        ),
        (
            "-gpgpu_cache:dl1",
            "S:4:128:64,L:T:m:L:L,A:256:32,16:0,48",
            "a divisor of the line",
        ),
        ("-gpgpu_cache:dl2", "none", "expected a cache"),
        ("-gpgpu_unified_l1d_size", "100", "a multiple of the L1"),
        ("-gpgpu_shmem_option", "32,96", "l1.adaptive.shared_kib"),
        ("-gpgpu_shmem_size", "65537", "at most what l1.adaptive gives"),
        ("-gpgpu_l1_banks", "3", "a power of two"),
        ("-gpgpu_memory_partition_indexing", "3", "1 (XOR) or 2 (IPOLY)"),
        ("-gpgpu_memory_partition_indexing", "1", "xor over 12 channels"),
        ("-gpgpu_memory_partition_indexing", "2", ""),
        (
            "-gpgpu_n_sub_partition_per_mchannel",
            "3",
            "memory.slices_per_channel",
        ),
        ("-gpgpu_mem_addr_mapping", "dramid@8;RRQ", "found 'Q'"),
        ("-gpgpu_mem_addr_mapping", "dramid@8;RRRR", "found 4 bits"),
        ("-gpgpu_dram_partition_queues", "64:64:64", "4 numbers"),
        (
            "-gpgpu_dram_partition_queues",
            "64:64:64:0",
            "memory.queues.l2_to_icnt",
        ),
        ("-gpgpu_dram_timing_opt", "nbk=16:CCD=4", "RRD=…"),
        ("-gpgpu_dram_timing_opt", "nbk=16:CCD4", "found \"CCD4\" in"),
        ("-gpgpu_dram_timing_opt", "nbk=16:tCCD=4", "found \"tCCD\" in"),
        ("-gpgpu_dram_timing_opt", "nbk=16:CCD=x", "a number of cycles"),
        ("-gpgpu_dram_timing_opt", "16:2:6", "11 to 14 numbers"),
        (
            "-gpgpu_dram_timing_opt",
            "16:2:6:4:28:12:40:12:4:5:12",
            "more than wl",
        ),
        (
            "-gpgpu_mem_addr_mapping",
            "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBBCCCC.BCCSSSSS",
            "at most 4 bits B, for 16 banks",
        ),
        (
            "-gpgpu_mem_addr_mapping",
            "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RRRRCCCC.CCCSSSSS",
            "bits B that tell 2 slices apart",
        ),
        ("-gpgpu_dram_scheduler", "2", "0 (FIFO) or 1 (FR-FCFS)"),
        ("-gpgpu_dram_burst_length", "6", "whole command cycles"),
        ("-dram_bnk_indexing_policy", "7", "2 (IPOLY)"),
        ("-icnt_arbiter_algo", "2", "1 (iSLIP)"),
        ("-icnt_subnets", "3", "interconnect.subnets"),
        ("-gpgpu_coalesce_arch", "12", "l1.coalescing"),
        ("-config", "other.config", "all files on the command line"),
    ] {
        let text = config_with("rtx2060", option, Some(value));
        if expected.is_empty() {
            assert!(
                parse(&[("x.config", text.as_bytes())], "x").is_ok(),
                "{option} {value}"
            );
            continue;
        }
        let line = 1 + text
            .lines()
            .position(|line| line.starts_with(&format!("{option} ")))
            .unwrap();
        let message = refusal(&text);
        assert!(
            message.starts_with(&format!("x.config:{line}: at {option}: found ")),
            "{option} {value}: {message}"
        );
        assert!(message.contains(expected), "{option} {value}: {message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

/// Broken values that come before good ones harm nobody; after them, they do.
#[test]
fn the_last_value_is_what_is_read() {
    let good = config_with("rtx2060", "", None);
    assert!(parse(&[("a", b"-gpgpu_n_mem x"), ("b", good.as_bytes())], "x").is_ok());
    let error = parse(&[("a", good.as_bytes()), ("b", b"\n\n-gpgpu_n_mem x")], "x").unwrap_err();
    assert!(
        error.to_string().starts_with("b:3: at -gpgpu_n_mem: found \"x\""),
        "{error}"
    );
}

#[test]
fn what_is_no_list_of_options() {
    for (text, expected) in [
        (
            "",
            "x.config: at -gpgpu_cache:dl2: found none, expected the option",
        ),
        ("hello", "x.config:1: found \"hello\", expected an option"),
        ("\n3 -a", "x.config:2: found \"3\""),
        ("-a \"b\nc", "x.config:1: found a quote without end"),
        (
            &config_with("rtx2060", "-gpgpu_cache:dl1", Some("none")),
            "at -gpgpu_adaptive_cache_config: found an adaptive L1 (l1.adaptive), expected none where there is no L1",
        ),
        ("-gpgpu_cache:dl2 none", "found \"none\", expected a cache"),
    ] {
        let message = refusal(text);
        assert!(
            message.starts_with(expected) || message.contains(expected),
            "{text}: {message}"
        );
    }
    let error = parse(&[("x", b"-a\n\xff\xfe")], "x").unwrap_err().to_string();
    assert!(
        error.starts_with("x:2: found bytes that are not UTF-8"),
        "{error}"
    );
    let long = format!("-gpgpu_n_mem {}\u{7}", "9".repeat(1000));
    let message = refusal(&format!("{long}\n-gpgpu_cache:dl2 S:64:128:8,L:B:m:L:L,A:16:4,4"));
    assert!(message.len() < 300 && !message.contains('\u{7}'), "{message}");
}

/// No value of any option, however strange, is taken silently for the published one.
#[test]
fn nonsense_is_refused_everywhere() {
    let text_options = [
        "-network_mode",
        "-gpgpu_cache:dl2_texture_only",
        "-gpgpu_mem_address_mask",
    ];
    for name in ["rtx2060", "titanv"] {
        for (option, _) in options(name).filter(|(option, _)| !text_options.contains(option)) {
            for nonsense in ["?", "-1", "1e3", "99999999999", "a:b:c:d", ",,,,"] {
                if option == "-dram_write_queue_size" && name == "rtx2060" {
                    continue;
                }
                let message = refusal(&config_with(name, option, Some(nonsense)));
                assert!(
                    message.contains(option) && message.contains(nonsense),
                    "{option} {nonsense}: {message}"
                );
            }
        }
    }
}

#[test]
fn machines_are_refused_by_field() {
    let mut shape = Machine::named("rtx2060").unwrap().into_shape();
    shape.memory.dram.write_queue = Some(gpusched::model::machine::WriteQueue {
        size: 8,
        high: 9,
        low: 1,
    });
    assert_eq!(
        Machine::new(shape).unwrap_err().to_string(),
        "memory.dram.write_queue.high: found 9, expected 1 to 8"
    );
}
