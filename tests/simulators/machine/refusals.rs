//! Invalid configurations: file, line, option, value, and the expected value.

use gpusched::gpu::Machine;
use gpusched::gpu::import::gpgpusim_config::parse;
use insta::assert_snapshot;

use crate::machine::published::{config_with, options};
use crate::support::transcript::Transcript;

fn refusal(text: &str) -> String {
    let imported = parse(&[("x.config", text.as_bytes())], "x");
    imported.expect_err(text).to_string()
}

#[test]
fn malformed_values_name_their_place() {
    let mut told = Transcript::default();
    for (option, value) in [
        ("-gpgpu_n_clusters", "many"),
        ("-gpgpu_n_clusters", "-3"),
        ("-gpgpu_n_clusters", "0"),
        ("-gpgpu_n_clusters", "4294967296"),
        ("-gpgpu_n_cores_per_cluster", "200"),
        ("-gpgpu_n_mem", ""),
        ("-gpgpu_sub_core_model", "yes"),
        ("-gpgpu_clock_domains", "1365:1365:1365"),
        ("-gpgpu_clock_domains", "1365:1365:1365:3500.5001"),
        ("-gpgpu_clock_domains", "1365:1365:-1:3500"),
        ("-gpgpu_clock_domains", "0:1:1:1"),
        ("-gpgpu_clock_domains", "99999999:1:1:1"),
        ("-gpgpu_shader_core_pipeline", "1024:64"),
        ("-gpgpu_shader_core_pipeline", "1000:32"),
        ("-gpgpu_shader_core_pipeline", "4096:32"),
        ("-gpgpu_scheduler", "two_level_active:6:0:1"),
        ("-gpgpu_pipeline_widths", "4,4,4"),
        ("-gpgpu_pipeline_widths", "0,4,4,4,4,4,4,4,4,4,8,4,4"),
        ("-gpgpu_num_reg_banks", "6"),
        ("-gpgpu_operand_collector_num_units_gen", "0"),
        ("-ptx_opcode_latency_int", "4,4,4,4"),
        ("-ptx_opcode_latency_fp", "4,4,4,4,5,6"),
        ("-ptx_opcode_latency_fp", "4,4,4,4,x"),
        ("-ptx_opcode_latency_fp", "4,4,4,4,512"),
        ("-ptx_opcode_latency_sfu", "0"),
        ("-gpgpu_cache:dl1", "S:4:128:64"),
        ("-gpgpu_cache:dl1", "X:4:128:64,L:T:m:L:L,A:256:32,16:0,32"),
        ("-gpgpu_cache:dl1", "S:4:128:64,R:T:m:L:L,A:256:32,16:0,32"),
        ("-gpgpu_cache:dl1", "S:4:128:64,L:X:m:L:L,A:256:32,16:0,32"),
        ("-gpgpu_cache:dl1", "S:4:128:64,L:T:M:L:L,A:256:32,16:0,32"),
        ("-gpgpu_cache:dl1", "S:4:128:64,L:T:m:X:L,A:256:32,16:0,32"),
        ("-gpgpu_cache:dl1", "S:4:128:64,L:T:m:L:Q,A:256:32,16:0,32"),
        ("-gpgpu_cache:dl1", "S:4:128:64,L:T:m:L:L,B:256:32,16:0,32"),
        ("-gpgpu_cache:dl1", "S:4:128:64,L:T:m:L:L,A:a:32,16:0,32"),
        ("-gpgpu_cache:dl1", "S:3:128:64,L:T:m:L:L,A:256:32,16:0,32"),
        ("-gpgpu_cache:dl1", "S:4:64:64,L:T:m:L:L,A:256:32,16:0,32"),
        ("-gpgpu_cache:dl1", "S:4:128:0,L:T:m:L:L,A:256:32,16:0,32"),
        ("-gpgpu_cache:dl1", "S:4:128:99999999,L:T:m:L:L,A:256:32,16:0,32"),
        ("-gpgpu_cache:dl1", "S:4:128:64,L:B:f:N:L,A:256:32,16:0,32"),
        ("-gpgpu_cache:dl1", "S:4:128:64,L:T:f:L:L,A:256:32,16:0,32"),
        ("-gpgpu_cache:dl1", "S:4:128:64,L:T:m:L:P,A:256:32,16:0,32"),
        ("-gpgpu_cache:dl1", "S:4:128:64,L:T:m:L:L,A:256:32,16:0,48"),
        ("-gpgpu_cache:dl2", "none"),
        ("-gpgpu_unified_l1d_size", "100"),
        ("-gpgpu_shmem_option", "32,96"),
        ("-gpgpu_shmem_size", "65537"),
        ("-gpgpu_l1_banks", "3"),
        ("-gpgpu_memory_partition_indexing", "3"),
        ("-gpgpu_memory_partition_indexing", "1"),
        ("-gpgpu_n_sub_partition_per_mchannel", "3"),
        ("-gpgpu_mem_addr_mapping", "dramid@8;RRQ"),
        ("-gpgpu_mem_addr_mapping", "dramid@8;RRRR"),
        ("-gpgpu_dram_partition_queues", "64:64:64"),
        ("-gpgpu_dram_partition_queues", "64:64:64:0"),
        ("-gpgpu_dram_timing_opt", "nbk=16:CCD=4"),
        ("-gpgpu_dram_timing_opt", "nbk=16:CCD4"),
        ("-gpgpu_dram_timing_opt", "nbk=16:tCCD=4"),
        ("-gpgpu_dram_timing_opt", "nbk=16:CCD=x"),
        ("-gpgpu_dram_timing_opt", "16:2:6"),
        ("-gpgpu_dram_timing_opt", "16:2:6:4:28:12:40:12:4:5:12"),
        (
            "-gpgpu_mem_addr_mapping",
            "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBBCCCC.BCCSSSSS",
        ),
        (
            "-gpgpu_mem_addr_mapping",
            "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RRRRCCCC.CCCSSSSS",
        ),
        ("-gpgpu_dram_scheduler", "2"),
        ("-gpgpu_dram_burst_length", "6"),
        ("-dram_bnk_indexing_policy", "7"),
        ("-icnt_arbiter_algo", "2"),
        ("-icnt_subnets", "3"),
        ("-gpgpu_coalesce_arch", "12"),
        ("-config", "other.config"),
    ] {
        let text = config_with("rtx2060", option, Some(value));
        let line = 1 + text
            .lines()
            .position(|line| line.starts_with(&format!("{option} ")))
            .unwrap();
        let message = refusal(&text);
        assert!(
            message.starts_with(&format!("x.config:{line}: at {option}: found ")),
            "{option} {value}: {message}"
        );
        assert_eq!(message.lines().count(), 1, "{message}");
        told.case(format!("{option} {value}"), message);
    }
    assert_snapshot!(told);
    let fine = config_with("rtx2060", "-gpgpu_memory_partition_indexing", Some("2"));
    assert!(parse(&[("x.config", fine.as_bytes())], "x").is_ok());
}

/// Invalid values before valid values of the same option have no effect. Invalid values after them are rejected.
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
    let mut told = Transcript::default();
    for text in [
        "",
        "hello",
        "\n3 -a",
        "-a \"b\nc",
        &config_with("rtx2060", "-gpgpu_cache:dl1", Some("none")),
        "-gpgpu_cache:dl2 none",
    ] {
        told.case(text, refusal(text));
    }
    let error = parse(&[("x", b"-a\n\xff\xfe")], "x").unwrap_err();
    told.case("no UTF-8", error);
    assert_snapshot!(told);
    let long = format!("-gpgpu_n_mem {}\u{7}", "9".repeat(1000));
    let message = refusal(&format!("{long}\n-gpgpu_cache:dl2 S:64:128:8,L:B:m:L:L,A:16:4,4"));
    assert!(message.len() < 300 && !message.contains('\u{7}'), "{message}");
}

/// No invalid value of any option is silently replaced by the published value.
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
    shape.memory.dram.write_queue = Some(gpusched::gpu::machine::WriteQueue {
        size: 8,
        high: 9,
        low: 1,
    });
    assert_eq!(
        Machine::new(shape).unwrap_err().to_string(),
        "memory.dram.write_queue.high: found 9, expected 1 to 8"
    );
}
