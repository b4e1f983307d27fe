//! The fields of a log that gpusched uses.

use std::io::{self, Read};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::MAX_BYTES;

/// Exponent e of the unit of times: the unit is 10^e ns.
pub(crate) const SECONDS: u32 = 9;

/// A log with the fields that gpusched uses. Only an import uses some of these fields, so gpusched parses them later.
#[derive(Deserialize)]
#[serde(expecting = "the output of cuda_scheduling_examiner: an object with a list \"times\"")]
pub(crate) struct Document<'a> {
    #[serde(borrow)]
    pub scenario_name: Option<&'a RawValue>,
    #[serde(borrow)]
    pub label: Option<&'a RawValue>,
    #[serde(borrow)]
    pub max_resident_threads: Option<&'a RawValue>,
    #[serde(borrow, rename = "PID")]
    pub process: Option<&'a RawValue>,
    #[serde(borrow, rename = "TID")]
    pub thread: Option<&'a RawValue>,
    #[serde(borrow)]
    pub times: Vec<Entry<'a>>,
}

/// Entry of a log. An entry with a kernel name describes an execution of this kernel.
#[derive(Deserialize)]
pub(crate) struct Entry<'a> {
    pub kernel_name: Option<String>,
    #[serde(borrow)]
    pub block_count: Option<&'a RawValue>,
    #[serde(borrow)]
    pub thread_count: Option<&'a RawValue>,
    #[serde(borrow)]
    pub shared_memory: Option<&'a RawValue>,
    /// Times before the launch, after the launch, and after the end of the kernel [s]. A time of 0 means that the time
    /// was not measured.
    #[serde(borrow)]
    pub cuda_launch_times: Option<&'a RawValue>,
    /// Start and end of each block [s]: two times per block.
    #[serde(borrow)]
    block_times: Option<Vec<&'a RawValue>>,
    pub block_smids: Option<Vec<u64>>,
}

/// An error in a log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fault {
    pub line: Option<u64>,
    /// Field with the error. Empty if the error concerns the whole document.
    pub field: &'static str,
    pub message: String,
}

/// Reads all of `bytes`. Returns `None` if the size exceeds the limit.
pub(crate) fn read_text(bytes: impl Read) -> io::Result<Option<String>> {
    let mut text = String::new();
    let count = bytes.take(MAX_BYTES + 1).read_to_string(&mut text)? as u64;
    Ok((count <= MAX_BYTES).then_some(text))
}

impl<'a> Document<'a> {
    /// Parses the log in `text`.
    pub fn parse(text: &'a str) -> Result<Document<'a>, Fault> {
        serde_json::from_str(text).map_err(|error| {
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or(&message);
            Fault {
                line: Some(error.line() as u64),
                field: "",
                message: format!("{message} (column {})", error.column()),
            }
        })
    }
}

impl<'a> Entry<'a> {
    /// Returns the start and the end of each block of the execution with number `run`. Checks that at least one block
    /// exists. If the log states the SMs of the blocks, also checks that the log states one SM for each block.
    pub fn pairs(&self, text: &str, run: u64) -> Result<&[[&'a RawValue; 2]], Fault> {
        let fault = |field, message| {
            let line = self.line(text);
            Err(Fault { line, field, message })
        };
        let times = self.block_times.as_deref().unwrap_or_default();
        let (pairs, rest) = times.as_chunks::<2>();
        if pairs.is_empty() || !rest.is_empty() {
            let message = format!(
                "found {} times in run {run}, expected the start and the end of each block",
                times.len()
            );
            return fault("block_times", message);
        }
        match &self.block_smids {
            Some(smids) if smids.len() != pairs.len() => {
                let message = format!(
                    "found {} SMs in run {run}, expected one SM per block, {}",
                    smids.len(),
                    pairs.len()
                );
                fault("block_smids", message)
            }
            _ => Ok(pairs),
        }
    }

    /// Returns the line of the document where the block times begin.
    pub fn line(&self, text: &str) -> Option<u64> {
        let first = self.block_times.as_deref().and_then(<[_]>::first);
        first.map(|value| line_of(text, value.get()))
    }
}

/// Returns the line of `part` in `text`. The first line has number 1.
pub(crate) fn line_of(text: &str, part: &str) -> u64 {
    let offset = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let before = text.as_bytes().get(..offset).unwrap_or_default();
    1 + before.iter().filter(|&&byte| byte == b'\n').count() as u64
}
