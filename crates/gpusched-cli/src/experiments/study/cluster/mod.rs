//! Runs the shards of a study as jobs of a batch system.
//!
//! ```text
//! study submit   writes DIR: the study, two scripts, a record; submits the array of shards and the merge
//! shard i        runs `study run --shard i/n -o shards`; after a kill, its journal remains
//! merge          starts when all shards have ended: merges, or submits the unfinished shards again
//! study status   counts the shards by state, from the files in DIR and from the queue
//! ```
//!
//! The files in DIR show which shards are finished. gpusched uses the queue only to select the unfinished shards that
//! it submits again. So wrong data about the queue cost time, but never change results. Each journal has one writer,
//! and the merge checks that every chunk exists.

mod record;
mod scripts;
mod settings;
mod slurm;
pub mod status;
pub mod submit;
