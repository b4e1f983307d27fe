//! Damaged recordings are read or refused: no panic, no endless run, little memory.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gpusched::recording::activity::{Grouping, Options as Jobs, group};
use gpusched::recording::readers::{Options, read};
use gpusched::recording::summary::Summary;
use rand::{Rng, RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::run::random;
use super::writers;
use crate::support::root;
use crate::support::rounds;

/// Changes a few bytes, removes or repeats a part, or cuts the file off.
fn mutate(bytes: &[u8], rng: &mut impl Rng) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    let length = changed.len();
    match rng.random_range(0..5) {
        0 => changed.truncate(rng.random_range(0..length)),
        1 => {
            let start = rng.random_range(0..length);
            let end = (start + rng.random_range(1..200)).min(length);
            changed.drain(start..end);
        }
        2 => {
            let start = rng.random_range(0..length);
            let end = (start + rng.random_range(1..200)).min(length);
            let part = changed[start..end].to_vec();
            changed.splice(start..start, part);
        }
        3 => {
            // Numbers become large, negative or empty.
            let digits: Vec<usize> = (0..length).filter(|&at| changed[at].is_ascii_digit()).collect();
            if let Some(&at) = digits.get(rng.random_range(0..digits.len().max(1))) {
                let texts: [&[u8]; 6] = [
                    b"99999999999999999999",
                    b"-",
                    b"",
                    b"1e300",
                    b"9223372036854775807",
                    b"0.5.5",
                ];
                changed.splice(at..=at, texts[rng.random_range(0..texts.len())].iter().copied());
            }
        }
        _ => {}
    }
    for _ in 0..rng.random_range(0..8) {
        if let Some(byte) = {
            let at = rng.random_range(0..changed.len().max(1));
            changed.get_mut(at)
        } {
            *byte = rng.random();
        }
    }
    changed
}

/// Reads the file at `path` in all ways. A result and an error are both fine.
fn use_file(path: &Path) {
    let options = Options {
        tool: None,
        calls: true,
        ..Options::default()
    };
    let Ok(recording) = read(path, options, &mut |_| {}) else {
        return;
    };
    for by in [Grouping::Range, Grouping::Kernel, Grouping::Stream] {
        let jobs = Jobs {
            by,
            names: &[],
            borrow: true,
            gap_ns: None,
        };
        let _ = group(&recording, &jobs);
    }
    let _ = Summary::of(recording);
}

fn check(name: &str, original: &[u8], ending: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join(format!("damaged.{ending}"));
    let mut rng = ChaCha8Rng::seed_from_u64(original.len() as u64);
    for number in 0..rounds(300) {
        std::fs::write(&path, mutate(original, &mut rng)).unwrap();
        let start = Instant::now();
        use_file(&path);
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{name}, mutation {number}"
        );
    }
}

#[test]
fn damaged_files_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = random(5);
    let path = |name: &str| folder.path().join(name);
    for schema in &writers::SCHEMAS[..] {
        let file = path(schema.version);
        writers::sqlite(&file, &run, schema);
        check("nsys SQLite", &std::fs::read(&file).unwrap(), "sqlite");
    }
    let file = path("kineto");
    for packed in [false, true] {
        writers::kineto(&file, &run, false, packed);
        check("Kineto", &std::fs::read(&file).unwrap(), "json");
    }
    writers::gpu_trace(&file, &run, "ns");
    check("nsys stats", &std::fs::read(&file).unwrap(), "csv");
    for old in [false, true] {
        writers::rocprof(&file, &run, old);
        check("rocprof", &std::fs::read(&file).unwrap(), "csv");
        writers::rocprofv3(&file, &run, old);
        check("rocprofv3", &std::fs::read(&file).unwrap(), "json");
    }
    for real in [
        "gemv-ncu-details.csv",
        "clip-cuda_gpu_kern_sum.csv",
        "nbody-nvtx_pushpop_trace.csv",
    ] {
        check(
            real,
            &std::fs::read(root().join("tasksets/recordings").join(real)).unwrap(),
            "csv",
        );
    }
    #[cfg(target_os = "linux")]
    {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let peak = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .unwrap();
        let kib: u64 = peak.trim().strip_suffix("kB").unwrap().trim().parse().unwrap();
        println!("{} mutations of each file, {kib} KiB", rounds(300));
    }
}
