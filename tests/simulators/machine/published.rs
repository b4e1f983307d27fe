//! The published values of GPGPU-Sim's configurations SM75_RTX2060 and SM7_TITANV: common options, different options,
//! and the text of each configuration.

use std::fmt::Write as _;

/// Options with the same value in both.
const COMMON: &[(&str, &str)] = &[
    ("-gpgpu_max_concurrent_kernel", "128"),
    ("-gpgpu_TB_launch_latency", "0"),
    ("-gpgpu_n_sub_partition_per_mchannel", "2"),
    ("-gpgpu_shader_registers", "65536"),
    ("-gpgpu_registers_per_block", "65536"),
    ("-gpgpu_num_sched_per_core", "4"),
    ("-gpgpu_scheduler", "lrr"),
    ("-gpgpu_max_insn_issue_per_warp", "1"),
    ("-gpgpu_dual_issue_diff_exec_units", "1"),
    ("-gpgpu_sub_core_model", "1"),
    ("-gpgpu_num_sp_units", "4"),
    ("-gpgpu_num_sfu_units", "4"),
    ("-gpgpu_num_dp_units", "4"),
    ("-gpgpu_num_int_units", "4"),
    ("-gpgpu_tensor_core_avail", "1"),
    ("-gpgpu_num_tensor_core_units", "4"),
    ("-gpgpu_pipeline_widths", "4,4,4,4,4,4,4,4,4,4,8,4,4"),
    ("-gpgpu_enable_specialized_operand_collector", "0"),
    ("-gpgpu_operand_collector_num_units_gen", "8"),
    ("-gpgpu_operand_collector_num_in_ports_gen", "8"),
    ("-gpgpu_operand_collector_num_out_ports_gen", "8"),
    ("-gpgpu_num_reg_banks", "8"),
    ("-gpgpu_reg_file_port_throughput", "2"),
    ("-gpgpu_inst_fetch_throughput", "4"),
    ("-gpgpu_perfect_inst_const_cache", "1"),
    ("-ptx_opcode_initiation_fp", "2,2,2,2,4"),
    ("-ptx_opcode_initiation_sfu", "8"),
    ("-ptx_opcode_latency_tesnor", "64"),
    ("-ptx_opcode_initiation_tensor", "64"),
    ("-gpgpu_adaptive_cache_config", "1"),
    ("-gpgpu_l1_banks", "4"),
    ("-gpgpu_gmem_skip_L1D", "0"),
    ("-gpgpu_flush_l1_cache", "1"),
    ("-gpgpu_l1_cache_write_ratio", "25"),
    ("-gpgpu_shmem_num_banks", "32"),
    ("-gpgpu_shmem_limited_broadcast", "0"),
    ("-gpgpu_shmem_warp_parts", "1"),
    ("-gpgpu_cache:dl2_texture_only", "0"),
    ("-gpgpu_dram_partition_queues", "64:64:64:64"),
    ("-gpgpu_perf_sim_memcpy", "1"),
    ("-network_mode", "2"),
    ("-icnt_in_buffer_limit", "512"),
    ("-icnt_out_buffer_limit", "512"),
    ("-icnt_subnets", "2"),
    ("-icnt_flit_size", "40"),
    ("-icnt_arbiter_algo", "1"),
    ("-gpgpu_n_cluster_ejection_buffer_size", "32"),
    ("-gpgpu_dram_scheduler", "1"),
    ("-gpgpu_frfcfs_dram_sched_queue_size", "64"),
    ("-gpgpu_dram_return_queue_size", "192"),
    ("-gpgpu_n_mem_per_ctrlr", "1"),
    ("-gpgpu_mem_address_mask", "1"),
    ("-dram_bnkgrp_indexing_policy", "1"),
];

const RTX2060: &[(&str, &str)] = &[
    ("-gpgpu_n_clusters", "30"),
    ("-gpgpu_n_cores_per_cluster", "1"),
    ("-gpgpu_clock_domains", "1365:1365:1365:3500.5"),
    ("-gpgpu_kernel_launch_latency", "5000"),
    ("-gpgpu_shader_core_pipeline", "1024:32"),
    ("-gpgpu_shader_cta", "16"),
    ("-ptx_opcode_latency_int", "4,4,4,4,21"),
    ("-ptx_opcode_initiation_int", "2,2,2,2,2"),
    ("-ptx_opcode_latency_fp", "4,4,4,4,39"),
    ("-ptx_opcode_latency_dp", "64,64,64,64,330"),
    ("-ptx_opcode_initiation_dp", "64,64,64,64,130"),
    ("-ptx_opcode_latency_sfu", "21"),
    ("-gpgpu_shmem_option", "32,64"),
    ("-gpgpu_unified_l1d_size", "96"),
    ("-gpgpu_cache:dl1", "S:4:128:64,L:T:m:L:L,A:256:32,16:0,32"),
    ("-gpgpu_l1_latency", "32"),
    ("-gpgpu_shmem_size", "65536"),
    ("-gpgpu_shmem_per_block", "49152"),
    ("-gpgpu_smem_latency", "30"),
    ("-gpgpu_coalesce_arch", "75"),
    ("-gpgpu_cache:dl2", "S:64:128:16,L:B:m:L:P,A:192:4,32:0,32"),
    ("-gpgpu_memory_partition_indexing", "0"),
    ("-gpgpu_n_mem", "12"),
    ("-gpgpu_l2_rop_latency", "194"),
    ("-dram_latency", "96"),
    ("-gpgpu_dram_buswidth", "2"),
    ("-gpgpu_dram_burst_length", "16"),
    ("-dram_data_command_freq_ratio", "4"),
    ("-dram_dual_bus_interface", "0"),
    ("-dram_bnk_indexing_policy", "0"),
    (
        "-gpgpu_mem_addr_mapping",
        "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS",
    ),
    (
        "-gpgpu_dram_timing_opt",
        "nbk=16:CCD=4:RRD=12:RCD=24:RAS=55:RP=24:RC=78:CL=24:WL=8:CDLR=10:WR=24:nbkgrp=4:CCDL=6:RTPL=4",
    ),
];

const TITANV: &[(&str, &str)] = &[
    ("-gpgpu_n_clusters", "40"),
    ("-gpgpu_n_cores_per_cluster", "2"),
    ("-gpgpu_clock_domains", "1200.0:1200.0:1200.0:850.0"),
    ("-gpgpu_shader_core_pipeline", "2048:32"),
    ("-gpgpu_shader_cta", "32"),
    ("-ptx_opcode_latency_int", "4,13,4,5,145,32"),
    ("-ptx_opcode_initiation_int", "2,2,2,2,8,4"),
    ("-ptx_opcode_latency_fp", "4,13,4,5,39"),
    ("-ptx_opcode_latency_dp", "8,19,8,8,330"),
    ("-ptx_opcode_initiation_dp", "4,4,4,4,130"),
    ("-ptx_opcode_latency_sfu", "100"),
    ("-gpgpu_shmem_option", "0,8,16,32,64,96"),
    ("-gpgpu_unified_l1d_size", "128"),
    ("-gpgpu_cache:dl1", "S:4:128:64,L:T:m:L:L,A:512:8,16:0,32"),
    ("-gpgpu_l1_latency", "20"),
    ("-gpgpu_shmem_size", "98304"),
    ("-gpgpu_shmem_per_block", "65536"),
    ("-gpgpu_smem_latency", "20"),
    ("-gpgpu_coalesce_arch", "60"),
    ("-gpgpu_cache:dl2", "S:32:128:24,L:B:m:L:P,A:192:4,32:0,32"),
    ("-gpgpu_memory_partition_indexing", "2"),
    ("-gpgpu_n_mem", "24"),
    ("-gpgpu_l2_rop_latency", "160"),
    ("-dram_latency", "100"),
    ("-gpgpu_dram_buswidth", "16"),
    ("-gpgpu_dram_burst_length", "2"),
    ("-dram_data_command_freq_ratio", "2"),
    ("-dram_dual_bus_interface", "1"),
    ("-dram_bnk_indexing_policy", "1"),
    ("-dram_seperate_write_queue_enable", "1"),
    ("-dram_write_queue_size", "128:108:32"),
    (
        "-gpgpu_mem_addr_mapping",
        "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS",
    ),
    (
        "-gpgpu_dram_timing_opt",
        "\"nbk=16:CCD=1:RRD=3:RCD=12:RAS=28:RP=12:RC=40: # goes on\n  CL=12:WL=2:CDLR=3:WR=10:nbkgrp=4:CCDL=2:RTPL=3\"",
    ),
];

/// Returns the options of the preset `name` that differ.
fn own(name: &str) -> &'static [(&'static str, &'static str)] {
    match name {
        "rtx2060" => RTX2060,
        "titanv" => TITANV,
        other => panic!("{other}"),
    }
}

/// Returns the options of the preset `name`.
pub fn options(name: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    COMMON.iter().chain(own(name)).copied()
}

/// Returns a configuration with the published values of the preset `name`, where `option` has the value `value`. `None`
/// removes the option. An option that the preset does not have is appended.
pub fn config_with(name: &str, option: &str, value: Option<&str>) -> String {
    let mut text = format!("# {name}\n");
    let mut found = false;
    for (known, published) in options(name) {
        let value = if known == option { value } else { Some(published) };
        found |= known == option;
        if let Some(value) = value {
            writeln!(text, "{known} {value}").unwrap();
        }
    }
    if let (false, Some(value)) = (found, value) {
        writeln!(text, "{option} {value}").unwrap();
    }
    text
}

/// Returns a configuration with the published values of the preset `name`.
pub fn config(name: &str) -> String {
    config_with(name, "", None)
}
