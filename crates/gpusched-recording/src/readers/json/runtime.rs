//! The object `gpusched` in a trace of `gpusched run`: what the dispatcher knows, and the events do not show.

use serde::Deserialize;

use crate::model::{Context, Recording};

/// The parts of the object that an audit uses. The reader ignores all other fields.
#[derive(Deserialize)]
pub struct Head {
    #[serde(default)]
    overheads: Overheads,
    #[serde(default)]
    contexts: Vec<Partition>,
}

#[derive(Deserialize, Default)]
struct Overheads {
    #[serde(default)]
    occupancy_ns: u64,
}

#[derive(Deserialize)]
struct Partition {
    context: i64,
    /// Absent for a run in virtual time.
    #[serde(default)]
    granted: Option<Granted>,
}

#[derive(Deserialize)]
struct Granted {
    granted: u32,
}

impl Head {
    /// Adds the content of the object to `recording`.
    pub fn add(self, recording: &mut Recording) {
        recording.overhead_ns = self.overheads.occupancy_ns;
        let contexts = self.contexts.into_iter().filter_map(|partition| {
            Some(Context {
                process: None,
                device: 0,
                id: partition.context,
                parent: None,
                green: true,
                sms: Some(partition.granted?.granted),
            })
        });
        recording.contexts.extend(contexts);
    }
}
