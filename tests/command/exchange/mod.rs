//! Files of other tools: CSV tables, SimSo, SchedCAT and Holoscan.

mod holoscan;
mod other_tools;
#[allow(dead_code, reason = "this module uses some of it")]
#[path = "../../oracle/random_sets.rs"]
mod random_sets;
mod refused;
#[allow(dead_code, reason = "this module uses some of it")]
#[path = "../../oracle/round_sets.rs"]
mod round_sets;
mod tables;

use gpusched_model::TaskSet;
use gpusched_model::reader::TaskSets;

/// The task sets in `text`, a file called `name`.
fn read(name: &str, text: impl Into<Vec<u8>>) -> Result<Vec<TaskSet>, String> {
    let sets = TaskSets::new(name, std::io::Cursor::new(text.into()));
    sets.map(|set| set.map(|(_, set)| set).map_err(|error| error.to_string()))
        .collect()
}
