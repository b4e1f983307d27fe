//! Traces of machine code (SASS) that the tracer of
//! [Accel-Sim](https://github.com/accel-sim/accel-sim-framework) recorded. A trace contains the
//! instructions and memory addresses of every warp in a real run [Khairy20].
//!
//! The files of a run are a `kernelslist.g` ([`KernelList`]) and one `kernel-N.traceg` per kernel
//! ([`TraceFile`]). The trace of a kernel may have a size of several gigabytes. gpusched
//! therefore reads the trace block by block, and keeps only the current block in memory.
//!
//! ```
//! use gpusched_gpu::import::accelsim::TraceFile;
//!
//! let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tasksets/traces/accelsim");
//! let mut trace = TraceFile::open(format!("{folder}/kernel-1.traceg"))?;
//! let (mut instructions, mut loads) = (0, 0);
//! while let Some(block) = trace.next_block()? {
//!     for warp in block.warps() {
//!         instructions += warp.records().len();
//!         let kinds = warp.records().iter().filter_map(|record| trace.code().get(record));
//!         loads += kinds.filter(|instruction| instruction.kind.is_load()).count();
//!     }
//! }
//! assert_eq!((trace.header().grid.x, instructions, loads), (4, 120, 16));
//! # Ok::<(), gpusched_model::error::Error>(())
//! ```

mod block;
mod dimension;
mod footprint;
mod header;
mod instructions;
mod kernel_list;
mod lines;
mod record;
mod summary;
mod token;
mod trace;

pub use block::{Block, Record, Warp};
pub use dimension::Dimension;
pub use header::{Header, LEAST_VERSION};
pub use instructions::access::Access;
pub use instructions::code::Code;
pub use instructions::instruction::SassInstruction;
pub use instructions::opcode::{Kind, Number, Space, Unit};
pub use kernel_list::{Command, Input, KernelList};
pub use summary::{Copies, KernelSummary, MemoryTraffic, OpcodeCount, TraceSummary, UnitCounts};
pub use trace::TraceFile;
