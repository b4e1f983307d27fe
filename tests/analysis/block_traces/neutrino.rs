//! Files of Neutrino give the blocks, times and SMs of the same trace as CSV. Damaged files are refused.

use std::fmt::Write as _;
use std::num::NonZeroU64;

use gpusched::kernel_wcet::trace::{Level, Recorder, Trace};
use gpusched::recording::block_trace::{Format, Input, Residency};
use insta::assert_snapshot;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::support::neutrino::{Launch, Layout};
use crate::support::transcript::Transcript;
use crate::support::{answer, gpusched, rounds};

/// Clock frequency of the SMs [Hz].
const CLOCK: u64 = 1_410_000_000;

/// Returns a launch, with the longest time and the SM of each block.
fn drawn(rng: &mut ChaCha8Rng, blocks: u64) -> (Launch, Vec<(u64, u32)>) {
    let threads: u32 = [2, 31, 32, 33, 64, 100, 1024][rng.random_range(0..7)];
    let mut of = Vec::new();
    let mut warps = Vec::new();
    for _ in 0..blocks {
        let (base, sm) = (rng.random_range(1..1u64 << 40), rng.random_range(0..8));
        let mut span = (u64::MAX, 0);
        for _ in 0..threads.div_ceil(32) {
            let start = base + rng.random_range(0..100);
            let elapsed = rng.random_range(1..5_000u32);
            span = (span.0.min(start), span.1.max(start + u64::from(elapsed)));
            warps.push((start, elapsed, sm));
        }
        let cycles = u128::from(span.1 - span.0);
        let ns = (cycles * 1_000_000_000).div_ceil(u128::from(CLOCK));
        of.push((ns as u64, sm));
    }
    (Launch { threads, warps }, of)
}

#[test]
fn a_file_is_the_same_trace_as_csv() {
    let folder = tempfile::tempdir().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(51);
    for round in 0..rounds(40) {
        let blocks = [1, 2, 7, 40][round as usize % 4];
        let mut both = [Recorder::new(8, 1), Recorder::new(8, 1)];
        for level in Level::ALL {
            let (launch, of) = drawn(&mut rng, blocks);
            let (layout, before, after) = [
                (Layout::Current, None, None),
                (Layout::Early, None, None),
                (Layout::Current, Some(24), Some(8)),
                (Layout::Early, Some(24), Some(8)),
                (Layout::Current, None, Some(16)),
            ][round as usize % 5];
            let [binary, text] = ["0.125.bin", "blocks.csv"].map(|name| folder.path().join(name));
            std::fs::write(&binary, launch.file(layout, before, after)).unwrap();
            let mut rows = "run,block,duration_ns,sm\n".to_owned();
            for (block, (ns, sm)) in of.iter().enumerate() {
                writeln!(rows, "0,{block},{ns},{sm}").unwrap();
            }
            std::fs::write(&text, rows).unwrap();
            let [found, expected] = [&binary, &text].map(|path| Residency::read(path).unwrap());
            assert_eq!((found.sms, found.unknown), (expected.sms, 0));
            let input = Input {
                level: Some(level),
                sm_clock_hz: NonZeroU64::new(CLOCK),
                ..Input::default()
            };
            for (path, recorder) in [binary, text].iter().zip(&mut both) {
                input.read(path, recorder, &mut |_| {}).unwrap();
            }
        }
        let [binary, text]: [Trace; 2] = both.map(|recorder| recorder.finish().unwrap());
        assert_eq!((&binary, binary.active), (&text, None), "round {round}");
    }
}

#[test]
fn the_content_shows_the_format() {
    let launch = Launch {
        threads: 1,
        warps: vec![(5, 1, 0)],
    };
    let file = launch.file(Layout::Current, None, None);
    assert_eq!(Format::of("0.125.bin".as_ref(), &file), Format::Neutrino);
    assert_eq!(Format::of("-".as_ref(), &file), Format::Neutrino);
    let wide: Vec<u8> = "run,block".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(
        Format::of("-".as_ref(), &[&[0xff, 0xfe], &wide[..]].concat()),
        Format::Csv
    );
    assert_eq!(
        Format::of("-".as_ref(), b"run,block,duration_ns,q\n"),
        Format::Csv
    );
    assert_eq!(Format::of("-".as_ref(), b""), Format::Csv);
}

/// Three blocks of two warps.
fn good() -> Launch {
    let warps = (0..6u64).map(|warp| (1_000 * warp + 1, 900, (warp / 2) as u32));
    Launch {
        threads: 40,
        warps: warps.collect(),
    }
}

#[test]
fn bad_files_are_named() {
    let file = good().file(Layout::Current, None, None);
    let with = |at: usize, value: u32| {
        let mut file = file.clone();
        file[at..at + 4].copy_from_slice(&value.to_le_bytes());
        file
    };
    let of = |change: &dyn Fn(&mut Launch)| {
        let mut launch = good();
        change(&mut launch);
        launch.file(Layout::Current, None, None)
    };
    let cases = [
        ("a header that is cut", file[..20].to_vec()),
        ("a section that is cut", file[..40].to_vec()),
        ("a record that is cut", file[..file.len() - 3].to_vec()),
        ("a longer file", [&file[..], &[0]].concat()),
        ("no blocks", with(4, 0)),
        ("2^64 blocks", [with(0, u32::MAX), file.clone()].concat()),
        ("2^24 blocks", with(4, 1 << 24)),
        ("2^24 + 1 blocks", with(4, (1 << 24) + 1)),
        ("1025 threads", with(12, 1025)),
        ("no probes", with(28, 0)),
        ("2^32 - 1 probes", with(28, u32::MAX)),
        ("1024 probes", with(28, 1024)),
        ("8 bytes per warp", with(32, 8)),
        ("16 bytes per thread", with(36, 1)),
        ("two probes with 16 bytes per warp", {
            let warps = vec![(5, 1, 0)];
            Launch { threads: 1, warps }.file(Layout::Early, None, Some(16))
        }),
        (
            "data of 2^66 bytes",
            [1 << 24, 1, 1, 1024, 1, 1, 0, 2, u32::MAX, 1, 64, 0, 16, 32, 64, 0]
                .into_iter()
                .flat_map(u32::to_le_bytes)
                .collect(),
        ),
        ("data before its section", with(40, 32)),
        ("data beyond the file", with(44, 1)),
        ("another SM in a block", of(&|launch| launch.warps[3].2 = 7)),
        ("SM 65536", of(&|launch| launch.warps[5].2 = 65536)),
        ("a start near 2^64", of(&|launch| launch.warps[2].0 = u64::MAX)),
        (
            "a warp without a record",
            of(&|launch| launch.warps[1] = (0, 0, 0)),
        ),
        (
            "a block without records",
            of(&|launch| launch.warps[2..4].fill((0, 0, 0))),
        ),
        (
            "a block of 0 cycles",
            of(&|launch| launch.warps[2..4].fill((5, 0, 1))),
        ),
    ];
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("good.bin"), &file).unwrap();
    let cluster = |line: &str| {
        let mut command = gpusched(format!("wcet cluster {line} --active-blocks 2").split_whitespace());
        answer(command.current_dir(folder.path()).args(["-o", "kernel.json"]))
    };
    let mut told = Transcript::default();
    for (label, bytes) in cases {
        std::fs::write(folder.path().join("bad.bin"), bytes).unwrap();
        let answer = cluster("--isolated bad.bin --interference good.bin --sm-clock 1GHz");
        told.refusal(label, &answer);
    }
    std::fs::write(folder.path().join("bad.bin"), &file).unwrap();
    told.refusal("no clock", &cluster("--isolated good.bin --interference bad.bin"));
    for clock in ["1410", "0MHz", "20GHz", "-1GHz", "xGHz", ""] {
        let line = format!("--isolated good.bin --interference bad.bin --sm-clock={clock}");
        told.refusal(format!("clock {clock:?}"), &cluster(&line));
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    assert_snapshot!(told);
}

#[test]
fn no_change_of_a_byte_and_no_cut_ends_in_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("changed.bin");
    let file = good().file(Layout::Current, Some(8), None);
    for at in 0..file.len() {
        std::fs::write(&path, &file[..at]).unwrap();
        Residency::read(&path).unwrap_err();
        for bit in 0..8 {
            let mut changed = file.clone();
            changed[at] ^= 1 << bit;
            std::fs::write(&path, changed).unwrap();
            // A change of a time or of another probe gives a valid file.
            let found = Residency::read(&path).unwrap_or_default();
            assert!(matches!(found.blocks(), 0 | 3), "byte {at}, bit {bit}: {found:?}");
        }
    }
}
