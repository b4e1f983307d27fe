//! A small study, and what the tests of studies do with it.

pub mod files;

use std::path::Path;

use gpusched::error::Result;
use gpusched::study::{self, Overrides, Shard, Spec, Summary};

/// Two analysis variants, four algorithms, ten points of nine sets: a few milliseconds.
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
