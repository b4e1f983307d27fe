//! Memory clients of a scenario.

use super::layout::Layout;
use crate::gpu::{Client, ClientAccess, ClientBudget};
use crate::memory::request::CLIENT_BYTES;
use crate::warp_run::{Access, MemoryClient, Order};

/// Converts `client` to the form that the simulator uses, with addresses from `memory`.
pub(super) fn placed(client: &MemoryClient, memory: &mut Layout) -> Client {
    let address = memory.reserve(client.buffer);
    let access = match client.access {
        Access::Read => ClientAccess::Read,
        Access::Write => ClientAccess::Write,
        Access::Copy => ClientAccess::Copy {
            to: memory.reserve(client.buffer),
        },
    };
    Client {
        name: client.name.clone(),
        start: client.start,
        address,
        lines: client.buffer / CLIENT_BYTES,
        access,
        random: client.order == Order::Random,
        total: client.bytes.map(|bytes| bytes / CLIENT_BYTES),
        outstanding: client.outstanding,
        think: client.think,
        interval: client.interval,
        budget: client.budget.as_ref().map(|budget| ClientBudget {
            requests: budget.requests,
            period: budget.period,
            phase: budget.phase,
            first: budget.first.clone(),
        }),
        channels: client.channels.as_ref().map(|set| set.indices().to_vec()),
    }
}
