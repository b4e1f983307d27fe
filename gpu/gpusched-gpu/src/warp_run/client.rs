//! A memory client of a warp run: a CPU core or a copy engine.

use serde::{Deserialize, Serialize};

use super::IndexSet;
use crate::machine::Machine;
use crate::memory::request::CLIENT_BYTES;
use gpusched_model::Refusal;
use gpusched_model::warp_scenario::MAX_CYCLES;

/// A memory client: a CPU core or a copy engine, which accesses DRAM beside the kernels and does not use L2. Each request
/// accesses a line of 64 bytes. The client runs until the kernels end.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a memory client: an object with \"name\"")]
pub struct MemoryClient {
    /// Unique name of the client.
    pub name: String,
    /// Accesses of the client to its buffer; `read` by default.
    #[serde(default, skip_serializing_if = "is_default")]
    pub access: Access,
    /// Order of the accesses to the lines of the buffer; `sequential` by default.
    #[serde(default, skip_serializing_if = "is_default")]
    pub order: Order,
    /// Size of the buffer [bytes]: a multiple of 64 up to 2^40. A client that copies has a second buffer of this size. The
    /// buffers follow the buffers of the kernels in memory.
    pub buffer: u64,
    /// Number of bytes that the client transfers before it stops: a multiple of 64. By default, the client never stops.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Maximum number of lines that the client transfers at the same time, such as the outstanding cache misses of a CPU
    /// core, from 1 to 1024.
    pub outstanding: u32,
    /// Time from the end of a request to the next request in its place [core cycles]; 0 by default.
    #[serde(default, skip_serializing_if = "is_default")]
    pub think: u64,
    /// Minimum time between two requests [core cycles]; 1 by default.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub interval: u64,
    /// First cycle when the client may send a request [core cycles].
    #[serde(default, skip_serializing_if = "is_default")]
    pub start: u64,
    /// Regulation of the client. By default, the client is not regulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<RequestBudget>,
    /// Numbers of the DRAM channels that hold the buffers of the client; all channels by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channels: Option<IndexSet>,
}

/// Accesses of a memory client.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schemars(rename = "ClientAccess"))]
pub enum Access {
    /// The client reads lines.
    #[default]
    Read,
    /// The client writes lines, as a memset does.
    Write,
    /// The client reads each line, and writes it to its second buffer when it has arrived, as a memcpy does.
    Copy,
}

/// Order of the lines that a memory client accesses.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schemars(rename = "ClientOrder"))]
pub enum Order {
    /// Ascending addresses, from the start of the buffer again after its end.
    #[default]
    Sequential,
    /// Pseudo-random lines of the buffer, equal in each run.
    Random,
}

/// Regulation of a memory client, as in MemGuard: after `requests` requests in a period, the client waits for the next
/// period.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "a budget: an object with \"requests\" and \"period\""
)]
pub struct RequestBudget {
    /// Maximum number of requests in a period. Each read and each write of a line counts.
    pub requests: u64,
    /// Length of a regulation period [core cycles], at least 1.
    pub period: u64,
    /// First start of a period after cycle 0 [core cycles], below `period`; 0 by default. Before this cycle, the client
    /// also has the budget of a period.
    #[serde(default, skip_serializing_if = "is_default")]
    pub phase: u64,
    /// Maximum number of requests in each of the first periods, in place of `requests`: at most 1,000,000 numbers. The first
    /// number is for the period that contains cycle 0. No numbers by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<u64>,
}

/// Maximum size of the buffer of a client, and maximum number of bytes that it transfers.
const MAX_BYTES: u64 = 1 << 40;

/// Maximum number of periods with a budget of their own.
const MAX_FIRST: usize = 1_000_000;

/// Maximum number of lines in transfer.
const MAX_OUTSTANDING: u32 = 1024;

fn one() -> u64 {
    1
}

fn is_one(value: &u64) -> bool {
    *value == 1
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl MemoryClient {
    /// Checks the fields of the client. `of` returns the full name of a field.
    pub(super) fn check(&self, machine: &Machine, of: &dyn Fn(&str) -> String) -> Result<(), Refusal> {
        let lines = |bytes: u64| bytes.is_multiple_of(CLIENT_BYTES) && (1..=MAX_BYTES).contains(&bytes);
        let expected = format!("a multiple of {CLIENT_BYTES} from {CLIENT_BYTES} to {MAX_BYTES}");
        for (field, bytes) in [("buffer", Some(self.buffer)), ("bytes", self.bytes)] {
            if let Some(bytes) = bytes.filter(|&bytes| !lines(bytes)) {
                return Refusal::refuse(of(field), bytes, expected);
            }
        }
        if !(1..=MAX_OUTSTANDING).contains(&self.outstanding) {
            let expected = format!("from 1 to {MAX_OUTSTANDING}");
            return Refusal::refuse(of("outstanding"), self.outstanding, expected);
        }
        for (field, cycles, least) in [
            ("think", self.think, 0),
            ("interval", self.interval, 1),
            ("start", self.start, 0),
        ] {
            if !(least..=MAX_CYCLES).contains(&cycles) {
                return Refusal::refuse(of(field), cycles, format!("from {least} to {MAX_CYCLES}"));
            }
        }
        if let Some(budget) = &self.budget {
            if !(1..=MAX_CYCLES).contains(&budget.period) {
                let expected = format!("from 1 to {MAX_CYCLES}");
                return Refusal::refuse(of("budget.period"), budget.period, expected);
            }
            if budget.phase >= budget.period {
                let expected = format!("less than {}, the value of `period`", budget.period);
                return Refusal::refuse(of("budget.phase"), budget.phase, expected);
            }
            if budget.first.len() > MAX_FIRST {
                let found = format!("{} numbers", budget.first.len());
                return Refusal::refuse(of("budget.first"), found, format!("at most {MAX_FIRST} numbers"));
            }
        }
        let Some(channels) = &self.channels else {
            return Ok(());
        };
        let count = machine.memory.channels;
        if let Some(&found) = channels.indices().last()
            && found >= count
        {
            return Refusal::refuse(of("channels"), found, format!("numbers from 0 to {}", count - 1));
        }
        let part = machine.memory.part(channels.indices().len() as u32);
        part.map(|_| ())
            .map_err(|refusal| refusal.of_field(of("channels")))
    }
}
