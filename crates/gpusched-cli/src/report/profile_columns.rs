//! CSV columns of the times of a kernel in isolation on several numbers of SMs. `simulate profile` writes these tables.
//! `wcet fit` and `predict` read them.

/// CSV columns: the fields of a point.
pub const COLUMNS: [&str; 9] = [
    "sms",
    "cycles",
    "time_ns",
    "l2_bytes_per_second",
    "dram_bytes_per_second",
    "warp_instructions",
    "thread_instructions",
    "l2_accesses",
    "traffic_bytes",
];

/// Further CSV columns: the number of SMs of the whole GPU, and the peak bandwidth of its DRAM.
pub const GPU_COLUMNS: [&str; 2] = ["gpu_sms", "gpu_bytes_per_second"];

/// Further CSV columns: the name of the simulated GPU, the tool with its version, and two clock frequencies.
pub const ORIGIN_COLUMNS: [&str; 4] = ["gpu", "tool", "core_khz", "dram_khz"];

/// Further CSV columns of a measurement: the GPU and its state. A column `…_most` follows a column `…_least`.
pub const STATE_COLUMNS: [&str; 13] = [
    "uuid",
    "driver",
    "split",
    "wait",
    "date",
    "locked",
    "throttling",
    "core_khz_least",
    "core_khz_most",
    "dram_khz_least",
    "dram_khz_most",
    "celsius_least",
    "celsius_most",
];

/// Text of an empty list of reasons in the column `throttling`. An empty cell means that the reasons are unknown.
pub const NO_REASONS: &str = "none";

/// Mark between reasons in the column `throttling`.
pub const REASON_MARK: &str = "; ";

/// Further CSV column: time of the longest thread block [ns]. The cell is empty if not all blocks were simulated.
pub const BLOCK_COLUMN: &str = "longest_block_ns";

/// Further CSV columns of runs with several variants.
pub const VARIATION_COLUMNS: [&str; 2] = ["runs", "shortest_cycles"];

/// Further CSV columns of `--traffic`.
pub const TRAFFIC_COLUMNS: [&str; 17] = [
    "l2_reads",
    "l2_writes",
    "l2_misses",
    "dram_reads",
    "dram_writes",
    "activations",
    "left_dirty",
    "slice_share",
    "channel_share",
    "bank_share",
    "drain_l2_bytes_per_second",
    "drain_dram_bytes_per_second",
    "camping_percent",
    "l2_ways",
    "hold",
    "accepting",
    "blocks",
];

/// CSV column, only for estimated points. A reader of the CSV recognizes estimates by this column.
pub const ESTIMATE_COLUMN: &str = "estimate_rounds";

/// CSV column after [`ESTIMATE_COLUMN`].
pub const UNCERTAINTY_COLUMN: &str = "uncertainty_percent";
