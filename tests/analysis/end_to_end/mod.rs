//! End-to-end systems: the analysis against simulation, against the verifier, and against exhaustive searches.

mod attained;
mod baselines;
mod budgets;
mod certificates;
mod equations;
mod independent;
mod mutations;
mod one_segment;
mod one_window;
mod pipelines;
mod random;
mod scripted;
mod sizes;
mod tables;
mod time_slices;
mod traps;
mod waters;

use gpusched::model::Interference;
use gpusched::model::end_to_end::{Draft, System};
use gpusched::model::reader::Document as _;

pub fn draft(text: &str) -> Draft {
    Draft::from_json(text).map_err(|(_, refusal)| refusal).unwrap()
}

pub fn system(text: &str) -> System {
    System::new(&draft(text), Interference::Conflict).unwrap()
}
