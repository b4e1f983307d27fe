//! A run of kernels in CSV: a row per kernel.

use super::Answer;
use crate::cli::question::csv_line;
use crate::error::Result;

/// The columns.
const COLUMNS: [&str; 10] = [
    "kernel",
    "name",
    "blocks",
    "launch",
    "first_block",
    "finish",
    "response",
    "warp_instructions",
    "thread_instructions",
    "warp_ipc",
];

/// The kernels.
///
/// # Errors
/// None that a string brings about.
pub fn csv(answer: &Answer) -> Result<String> {
    let mut text = csv_line(COLUMNS)?;
    for (index, kernel) in answer.kernels.iter().enumerate() {
        text += &csv_line([
            index.to_string(),
            kernel.name.clone(),
            kernel.blocks.to_string(),
            kernel.launch.to_string(),
            kernel.first_block.to_string(),
            kernel.finish.to_string(),
            kernel.response.to_string(),
            kernel.warp_instructions.to_string(),
            kernel.thread_instructions.to_string(),
            format!("{:.6}", kernel.warp_ipc),
        ])?;
    }
    Ok(text)
}
