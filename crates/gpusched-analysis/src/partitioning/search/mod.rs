//! What all searches share.
//!
//! * [`problem`]: the tasks, the GPU, the test and the interference model; [`scale`]: a common factor on the WCETs;
//! * [`tester`]: the test as the searches ask it, with its tables and its short cuts;
//! * [`candidate`], [`group`], [`work`]: a partition in the making, and two that may merge;
//! * [`lemmas`]: Lemmas 1–3;
//! * [`sizes`]: the SMs that a group of tasks needs, within a [`budget`]; [`part`]: that group with its SMs;
//! * [`objective`]: what a search aims for;
//! * [`placed`]: the last plan that had a place on the hardware; [`outcome`]: what a search ends with.

pub(crate) mod budget;
pub(crate) mod candidate;
pub(crate) mod group;
pub(crate) mod lemmas;
pub(crate) mod objective;
pub(crate) mod outcome;
pub(crate) mod part;
pub(crate) mod placed;
pub(crate) mod problem;
pub(crate) mod scale;
pub(crate) mod sizes;
pub(crate) mod tester;
mod work;

pub(crate) use budget::Limits;
pub use budget::SearchLimits;
pub(crate) use candidate::{Candidate, parts_of};
pub(crate) use group::Group;
pub(crate) use objective::Aim;
pub use objective::Objective;
pub(crate) use outcome::Outcome;
pub(crate) use part::{Experience, Part, total};
pub(crate) use placed::LastPlaced;
pub use problem::Problem;
pub(crate) use scale::Scale;
pub(crate) use sizes::Sizes;
pub(crate) use tester::GroupTester;
