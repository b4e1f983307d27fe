//! Launches of traced kernels.

use std::sync::{Arc, Mutex, PoisonError};

use super::kernel::{Launch, Source};
use crate::code::{BlockKey, Stream, TracedKernel, Unlike};
use gpusched_model::machine::BlockNeed;

/// The warps of a trace. The trace is read while blocks start.
struct TraceSource(Arc<Mutex<TracedKernel>>);

impl Source for TraceSource {
    /// Returns the streams of the next block. Blocks start in the order of their numbers, which is also the order in
    /// the trace.
    fn warps(&self, _: u64) -> Result<Vec<Box<dyn Stream + Send>>, String> {
        let mut kernel = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match kernel.next_block() {
            Ok(Some(warps)) => Ok(warps
                .into_iter()
                .map(|warp| Box::new(warp) as Box<dyn Stream + Send>)
                .collect()),
            Ok(None) => Err("found no further thread block in the trace".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn key(&self, _: u64) -> Result<BlockKey, Unlike> {
        Err(Unlike::Trace)
    }
}

impl Launch {
    /// Creates the launch of `kernel` at core cycle 0 on all SMs, with budget 0. No block of `kernel` may have been
    /// read.
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
            resident: None,
            budget: 0,
            sms: None,
            source: Arc::new(TraceSource(Arc::clone(kernel))),
        }
    }
}
