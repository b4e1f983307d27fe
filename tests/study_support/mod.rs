//! A small study, and functions that run it.

pub mod files;

use std::path::Path;

use gpusched::error::Result;
use gpusched::study::{self, Overrides, Shard, Spec, Summary};

/// A study of two analysis variants, four algorithms and ten points of nine sets. A run takes a
/// few milliseconds.
pub const SMALL: &str = include_str!("small.toml");

pub fn small() -> Spec {
    parse(SMALL)
}

pub fn parse(text: &str) -> Spec {
    Spec::parse("small.toml", text, Overrides::default()).unwrap()
}

/// Runs `shard` of `spec` on the given number of threads.
pub fn run(spec: &Spec, folder: &Path, shard: &str, threads: usize) -> Result<Summary> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    let shard: Shard = shard.parse().unwrap();
    study::run(spec, folder, shard, &pool, &mut ())
}
