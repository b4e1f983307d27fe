//! File formats of block traces.

use std::path::Path;

use serde_json::Value;

/// A file format of block traces.
#[derive(Copy, Clone, PartialEq, Eq, Debug, strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Format {
    /// Comma-separated values with a header.
    Csv,
    /// One JSON object per line, whose fields are the CSV columns.
    Jsonl,
    /// Output of cuda_scheduling_examiner.
    Examiner,
    /// Output of the tool `block_sched` of Neutrino: one execution of a kernel.
    Neutrino,
}

impl Format {
    /// Detects the format from the extension of `path`. If the extension is unknown, the first bytes of the file
    /// determine the format.
    pub fn of(path: &Path, start: &[u8]) -> Format {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("csv") => return Format::Csv,
            Some("jsonl" | "ndjson") => return Format::Jsonl,
            _ => {}
        }
        // Texts contain no byte 0, and the number of blocks is far below 2^24. UTF-16 starts with a byte order mark.
        let head = start.get(..32).unwrap_or(start);
        if head.contains(&0) && !matches!(head, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
            return Format::Neutrino;
        }
        let start = start.trim_ascii_start();
        if !start.starts_with(b"{") {
            return Format::Csv;
        }
        let line = start.split(|&byte| byte == b'\n').next().unwrap_or(start);
        match serde_json::from_slice::<Value>(line) {
            Ok(value) if value.get("times").is_none() => Format::Jsonl,
            _ => Format::Examiner,
        }
    }
}
