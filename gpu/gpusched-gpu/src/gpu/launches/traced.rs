//! Launches of traced kernels.

use std::sync::{Arc, Mutex, PoisonError};

use super::kernel::{Launch, Source};
use crate::code::{BlockKey, Stream, TracedKernel, Unlike};
use crate::machine::BlockNeed;

/// Trace of a kernel as a source of instructions. gpusched reads the next block of the trace when
/// a block starts.
struct TraceSource(Arc<Mutex<TracedKernel>>);

impl Source for TraceSource {
    /// Returns the instruction streams of the next block in the trace. Blocks start in ascending order, and the
    /// trace contains the blocks in this order.
    fn warps(&self, _: u64) -> Result<Vec<Box<dyn Stream + Send>>, String> {
        let mut kernel = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match kernel.next_block() {
            Ok(Some(warps)) => Ok(warps
                .into_iter()
                .map(|warp| Box::new(warp) as Box<dyn Stream + Send>)
                .collect()),
            Ok(None) => Err("the trace contains no further thread block".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn key(&self, _: u64) -> Result<BlockKey, Unlike> {
        Err(Unlike::Trace)
    }
}

impl Launch {
    /// Creates a launch of `kernel` at core cycle 0, on all SMs, with budget 0. The caller must
    /// not have read a block of `kernel` before.
    pub fn of_trace(kernel: &Arc<Mutex<TracedKernel>>) -> Launch {
        let header = {
            let kernel = kernel.lock().unwrap_or_else(PoisonError::into_inner);
            kernel.header().clone()
        };
        Launch {
            name: header.name.clone(),
            blocks: header.grid.count(),
            need: BlockNeed {
                threads: u32::try_from(header.block.count()).unwrap_or(u32::MAX),
                registers: header.registers,
                shared_bytes: header.shared_memory,
            },
            at: 0,
            latency: 0,
            resident: None,
            repeats: false,
            channels: None,
            l2_ways: None,
            queue: None,
            budget: 0,
            sms: None,
            source: Arc::new(TraceSource(Arc::clone(kernel))),
        }
    }
}
