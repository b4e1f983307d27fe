//! A small study, and what the tests of studies do with it.

use std::collections::BTreeMap;
use std::path::Path;

use gpusched::error::Result;
use gpusched::study::{self, Overrides, Shard, Spec, Summary};

/// Two readings, four algorithms, ten points of nine sets: a few milliseconds.
pub const SMALL: &str = r#"name = "small"
title = "A small study"
source = "nowhere"
seed = 7
sets = 9
sms = 12

[axis]
utilization = { from = 2, to = 10, step = 2 }
tasks = [5, 8]

[generator]
memory-share = 0.5

[[reading]]
name = "literal"
wcet = "amdahl"
policy = "edf"

[[reading]]
name = "proportional"
wcet = "proportional"
policy = "edf"
interference = "conflict"

[[algorithm]]
name = "1G"
heuristic = "1g"

[[algorithm]]
name = "SMS-INA"
heuristic = "sms"

[[algorithm]]
name = "BF-ACT"
heuristic = "bf"
forbidden = "act"

[[algorithm]]
name = "one, each"
heuristic = "one-per-partition"

[[claim]]
id = "pays"
text = "Partitioning pays"
must_hold = true
holds = 'min_gap(rate, (algorithm = "SMS-INA"), (algorithm = "1G")) >= 0'
"#;

pub fn small() -> Spec {
    parse(SMALL)
}

pub fn parse(text: &str) -> Spec {
    Spec::parse("small.toml", text, Overrides::default()).unwrap()
}

/// Runs `shard` of `spec` on so many threads.
pub fn run(spec: &Spec, folder: &Path, shard: &str, threads: usize) -> Result<Summary> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    let shard: Shard = shard.parse().unwrap();
    study::run(spec, folder, shard, &pool, &mut ())
}

/// The files of a folder that must be the same in every run.
pub fn stable_files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), path))
        .filter(|(name, _)| !name.ends_with(".timing.csv") && !name.ends_with(".checkpoint.jsonl"))
        // What a killed process leaves has names of its own.
        .filter(|(name, _)| !name.starts_with(".gpusched-"))
        .map(|(name, path)| (name, std::fs::read(path).unwrap()))
        .collect()
}
