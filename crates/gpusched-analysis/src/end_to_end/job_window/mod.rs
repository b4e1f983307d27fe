//! Windows over several segments of a job: each more urgent job counts once for the window, not once for each segment.
//! `docs/explanation/one-window.md` has the equations and their proofs.
//!
//! * `station`: copy engines, partitions and whole time-sliced GPUs, with their tasks;
//! * `busy`: tasks that occupy the core while they wait;
//! * `turns`: turns of a job on a time-sliced GPU;
//! * `joint`: resources that a window covers, and their delays;
//! * `windows`: the windows of each task.

mod busy;
mod joint;
mod station;
mod turns;
mod windows;

pub(super) use windows::Windows;
