//! Code that all searches share. A *group* is a candidate partition: a set of tasks that a search
//! considers as one partition.
//!
//! * [`tester`]: a fast test for searches, with tables and shortcuts;
//! * [`candidate`], [`group`], [`work`]: partitions under construction, and pairs of partitions that a search may merge;
//! * [`lemmas`]: Lemmas 1–3 of [Singh21];
//! * [`sizes`]: the number of SMs that a group needs, within the search effort ([`budget`]);
//! * [`part`]: a group with its number of SMs;
//! * [`aim`]: the end condition of a search;
//! * [`placed`]: the last plan of a search for which the hardware has a placement;
//! * [`outcome`]: the result of a search.

pub(crate) mod aim;
pub(crate) mod budget;
pub(crate) mod candidate;
pub(crate) mod group;
pub(crate) mod lemmas;
pub(crate) mod outcome;
pub(crate) mod part;
pub(crate) mod placed;
pub(crate) mod sizes;
pub(crate) mod tester;
mod work;

pub(crate) use aim::Aim;
pub(crate) use candidate::{Candidate, parts_of};
pub(crate) use group::Group;
pub(crate) use outcome::{Found, Outcome};
pub(crate) use part::{Experience, Part, total};
pub(crate) use placed::LastPlaced;
pub(crate) use sizes::Sizes;
pub(crate) use tester::GroupTester;
