//! Options of caches, shared memory, interconnect and memory partitions.

use super::cache::cache;
use super::dram::dram;
use super::settings::Settings;
use super::value::{Value, quoted};
use crate::machine::{
    Adaptive, AddressMapping, Arbiter, EXPECTED_MAPPING, Hash, Interconnect, L1, Memory, ParseMappingError,
    PartitionIndexing, PartitionQueues, SharedMemory,
};
use gpusched_model::error::Result;

/// Default values of `-gpgpu_mem_addr_mapping` in GPGPU-Sim. The first value applies with
/// `-gpgpu_mem_address_mask` 0, and the second value with mask 1.
const MASKS: [&str; 2] = [
    "dramid@10;00000000.00000000.00000000.00000000.00000RRR.RRRRRRRR.RRRCCCBB.CCCCSSSS",
    "dramid@13;00000000.00000000.00000000.00000000.00000RRR.RRRRRRRR.RRRBBCCC.CCCCSSSS",
];

pub(super) fn l1(settings: &mut Settings) -> Result<L1> {
    Ok(L1 {
        cache: cache(&settings.value("-gpgpu_cache:dl1", "none")?)?,
        latency: settings.number("-gpgpu_l1_latency", "1")?,
        banks: settings.number("-gpgpu_l1_banks", "1")?,
        bank_interleaving_bytes: settings.number("-gpgpu_l1_banks_byte_interleaving", "32")?,
        bank_index: settings.value("-gpgpu_l1_banks_hashing_function", "0")?.choice(
            &[
                (0, Hash::Linear),
                (1, Hash::Xor),
                (2, Hash::Ipoly),
                (3, Hash::Fermi),
            ],
            "0 (linear), 1 (XOR), 2 (IPOLY) or 3 (Fermi)",
        )?,
        skip_global: settings.flag("-gpgpu_gmem_skip_L1D", false)?,
        flush: settings.flag("-gpgpu_flush_l1_cache", false)?,
        write_ratio_percent: settings.number("-gpgpu_l1_cache_write_ratio", "0")?,
        coalescing: settings.number("-gpgpu_coalesce_arch", "13")?,
        ports: settings.number("-gpgpu_mem_unit_ports", "1")?,
        adaptive: adaptive(settings)?,
    })
}

fn adaptive(settings: &mut Settings) -> Result<Option<Adaptive>> {
    if !settings.flag("-gpgpu_adaptive_cache_config", false)? {
        settings.optional("-gpgpu_shmem_option")?;
        settings.optional("-gpgpu_unified_l1d_size")?;
        return Ok(None);
    }
    let sizes = settings.value("-gpgpu_shmem_option", "0")?;
    let mut shared_kib = sizes.numbers(',', 1..=64, "sizes of shared memory in KiB")?;
    shared_kib.sort_unstable();
    shared_kib.dedup();
    Ok(Some(Adaptive {
        unified_kib: settings.number("-gpgpu_unified_l1d_size", "0")?,
        shared_kib,
    }))
}

pub(super) fn shared_memory(settings: &mut Settings) -> Result<SharedMemory> {
    Ok(SharedMemory {
        bytes: settings.number("-gpgpu_shmem_size", "16384")?,
        bytes_per_block: settings.number("-gpgpu_shmem_per_block", "49152")?,
        latency: settings.number("-gpgpu_smem_latency", "3")?,
        banks: settings.number("-gpgpu_shmem_num_banks", "16")?,
        limited_broadcast: settings.flag("-gpgpu_shmem_limited_broadcast", true)?,
        warp_parts: settings.number("-gpgpu_shmem_warp_parts", "2")?,
    })
}

pub(super) fn interconnect(settings: &mut Settings) -> Result<Interconnect> {
    Ok(Interconnect {
        input_buffer: settings.number("-icnt_in_buffer_limit", "64")?,
        output_buffer: settings.number("-icnt_out_buffer_limit", "64")?,
        subnets: settings.number("-icnt_subnets", "2")?,
        arbiter: settings.value("-icnt_arbiter_algo", "1")?.choice(
            &[(0, Arbiter::RoundRobin), (1, Arbiter::Islip)],
            "0 (round robin) or 1 (iSLIP)",
        )?,
        grant_cycles: settings.number("-icnt_grant_cycles", "1")?,
        flit_bytes: settings.number("-icnt_flit_size", "32")?,
        ejection_buffer: settings.number("-gpgpu_n_cluster_ejection_buffer_size", "8")?,
        response_buffer: settings.number("-gpgpu_n_ldst_response_buffer_size", "2")?,
        gpcs: None,
    })
}

pub(super) fn memory(settings: &mut Settings) -> Result<Memory> {
    let l2 = settings.required("-gpgpu_cache:dl2")?;
    Ok(Memory {
        channels: settings.number("-gpgpu_n_mem", "8")?,
        slices_per_channel: settings.number("-gpgpu_n_sub_partition_per_mchannel", "1")?,
        mapping: mapping(settings)?,
        indexing: settings.value("-gpgpu_memory_partition_indexing", "0")?.choice(
            &[
                (0, PartitionIndexing::Consecutive),
                (1, PartitionIndexing::Xor),
                (2, PartitionIndexing::Ipoly),
                (4, PartitionIndexing::Consecutive),
            ],
            "0 or 4 (as in the address mapping), 1 (XOR) or 2 (IPOLY)",
        )?,
        l2: cache(&l2)?.ok_or_else(|| l2.refuse("a cache"))?,
        flush_l2: settings.flag("-gpgpu_flush_l2_cache", false)?,
        copies_fill_l2: settings.flag("-gpgpu_perf_sim_memcpy", true)?,
        rop_latency: settings.number("-gpgpu_l2_rop_latency", "85")?,
        dram_latency: settings.number("-dram_latency", "30")?,
        queues: queues(settings)?,
        dram: dram(settings)?,
    })
}

fn queues(settings: &mut Settings) -> Result<PartitionQueues> {
    let value = settings.value("-gpgpu_dram_partition_queues", "8:8:8:8")?;
    match value
        .numbers(
            ':',
            4..=4,
            "sizes of the queues to L2, to DRAM, back to L2 and back to the SMs",
        )?
        .as_slice()
    {
        &[icnt_to_l2, l2_to_dram, dram_to_l2, l2_to_icnt] => Ok(PartitionQueues {
            icnt_to_l2,
            l2_to_dram,
            dram_to_l2,
            l2_to_icnt,
        }),
        _ => Err(value.refuse("four numbers")),
    }
}

fn mapping(settings: &mut Settings) -> Result<AddressMapping> {
    const OPTION: &str = "-gpgpu_mem_addr_mapping";
    let mask = settings.optional("-gpgpu_mem_address_mask")?;
    let value = match settings.optional(OPTION)? {
        Some(value) => value,
        None => {
            let number = mask.as_ref().map_or(Ok(0), Value::number)?;
            match (MASKS.get(number as usize), mask) {
                (None, Some(mask)) => return Err(mask.refuse(&format!("0 or 1, or the option {OPTION}"))),
                (default, _) => settings.value(OPTION, default.copied().unwrap_or_default())?,
            }
        }
    };
    let parsed = value.text.parse();
    parsed.map_err(|error: ParseMappingError| {
        let (found, text) = (&error.found, quoted(&value.text));
        value.fault(&format!("{found} in {text}"), EXPECTED_MAPPING)
    })
}
