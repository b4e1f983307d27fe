//! Scripts of `budget export`: what they write on a machine, and what they refuse. The scripts run on a stand-in for /sys.

use std::path::{Path, PathBuf};
use std::process::Command;

use gpusched::bandwidth::machine::Machine;
use gpusched::model::{Bandwidth, Factor};
use gpusched::time::Time;
use rand::{RngExt, SeedableRng};

use crate::support::{Answer, rounds, run};

const BUDGET: &str = "budget export --q 0.13 --period 1ms --rate 3.9GB/s --line 64 --cores 1,3";

/// A folder with the files of /sys that the scripts use. CPUs 0 to 3 are online.
fn machine(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let usual = [
        ("module/memguard/parameters/g_period_us", "1000"),
        ("kernel/debug/memguard/control", ""),
        ("kernel/debug/bwlock/corun_threshold_events", ""),
        ("devices/system/cpu/cpu0/topology", ""),
        ("devices/system/cpu/cpu1/online", "1"),
        ("devices/system/cpu/cpu2/online", "1"),
        ("devices/system/cpu/cpu3/online", "1"),
        ("fs/resctrl/info/MB/delay_linear", "1"),
        ("fs/resctrl/info/MB/min_bandwidth", "10"),
        ("fs/resctrl/info/MB/bandwidth_gran", "10"),
        ("fs/resctrl/schemata", "    L3:0=fff;1=fff\n    MB:0=100;1=100\n"),
    ];
    for (name, text) in usual.iter().chain(files) {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

/// Exports with `options`, and runs the script on `folder`.
fn set(options: &str, folder: &Path) -> Answer {
    let script = run(&format!("{BUDGET} {options}"));
    assert_eq!(script.code, 0, "{}", script.stderr);
    let mut shell = Command::new("sh");
    shell.args(["-c", &script.stdout]).env("SYSFS", folder);
    shell.output().unwrap().into()
}

fn read(folder: &Path, name: &str) -> String {
    let path: PathBuf = folder.join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// 3.9 GB/s · 1 ms · 0.13 are 7,921 lines of 64 bytes. Without the 470 of the process, each of two cores gets 3,725.
#[test]
fn scripts_set_the_budget() {
    let folder = machine(&[]);
    let path = folder.path();
    assert_eq!(set("--as memguard", path).code, 0);
    let limits = "2147483647 3725 2147483647 3725\n";
    assert_eq!(read(path, "kernel/debug/memguard/read_limit"), limits);
    assert_eq!(read(path, "kernel/debug/memguard/write_limit"), limits);
    assert_eq!(set("--as bwlock --overshoot 25 --process-misses 0", path).code, 0);
    assert_eq!(read(path, "kernel/debug/bwlock/corun_threshold_events"), "3935\n");
    // No process changes budgets: 7,921 lines per ms are 0.507 GB/s, 11.3 % of the 4.5 GB/s that three cores reach without each other.
    let found = set("--as resctrl --core-rate 1.5GB/s --cores 2", path);
    assert_eq!(found.code, 0, "{}", found.stderr);
    assert_eq!(read(path, "fs/resctrl/best-effort/schemata"), "MB:0=10;1=10\n");
    assert_eq!(read(path, "fs/resctrl/best-effort/cpus_list"), "1,2,3\n");
    // Of 3.9 GB/s, 0.507 GB/s are 33/256. The register has 32 in its upper 8 bits. 12 % are at most 33/256.
    let mpam = "--as mpam --memory-rate 3.9GB/s --share-bits 8";
    let one_percent = machine(&[
        ("fs/resctrl/info/MB/min_bandwidth", "1"),
        ("fs/resctrl/info/MB/bandwidth_gran", "1"),
    ]);
    assert_eq!(set(mpam, one_percent.path()).code, 0);
    assert_eq!(
        read(one_percent.path(), "fs/resctrl/best-effort/schemata"),
        "MB:0=12;1=12\n"
    );
    assert!(
        run(&format!("{BUDGET} {mpam}"))
            .stdout
            .contains("MPAMCFG_MBW_MAX = 0x80002000 ")
    );
}

/// A script that refuses a machine changes no setting.
#[test]
fn scripts_refuse_other_machines() {
    let resctrl = "--as resctrl --core-rate 2GB/s";
    let cases = [
        (
            "--as memguard",
            ("module/memguard/parameters/g_period_us", "100"),
            "g_period_us: found 100, expected 1000",
        ),
        (
            "--as memguard",
            ("devices/system/cpu/cpu2/online", "0"),
            "cpu2: found an offline CPU",
        ),
        ("--as memguard --cores 7", ("x", ""), "cpu4: found no such CPU"),
        (
            resctrl,
            ("fs/resctrl/info/MB/delay_linear", "0"),
            "delay_linear: ",
        ),
        (
            resctrl,
            ("fs/resctrl/info/MB/min_bandwidth", "20"),
            "found 12 percent, and 10 after rounding down to a multiple of 10, expected at least 20: the machine sets no budget below about 0.206, and a budget above the proven one is unsafe",
        ),
        (
            "--as resctrl --core-rate 2GB/s --cores 99",
            ("x", ""),
            "cpu99: found no such CPU",
        ),
        ("--as bwlock --cores 99", ("x", ""), "cpu99: found no such CPU"),
        (
            resctrl,
            ("fs/resctrl/schemata", "MB:0=4294967295"),
            "expected percentages",
        ),
        (resctrl, ("fs/resctrl/schemata", "L3:0=f"), "found no line MB"),
    ];
    for (options, file, expected) in cases {
        let folder = machine(&[file]);
        let refused = set(options, folder.path());
        assert_eq!(refused.code, 1, "{options}: {}", refused.stderr);
        assert!(refused.stderr.contains(expected), "{options}: {}", refused.stderr);
        assert!(!folder.path().join("kernel/debug/memguard/read_limit").exists());
        assert!(!folder.path().join("fs/resctrl/best-effort").exists());
        assert!(!refused.stderr.contains("remain"), "{}", refused.stderr);
    }
}

/// The machine refuses the CPUs of a group, and an error states that an earlier limit remains. The script names CPUs that share a core.
#[test]
fn scripts_state_what_remains_on_the_machine() {
    let folder = machine(&[
        ("fs/resctrl/best-effort/cpus_list/x", ""),
        ("devices/system/cpu/cpu1/topology/thread_siblings_list", "0-1"),
        ("devices/system/cpu/cpu3/topology/thread_siblings_list", "3"),
    ]);
    let refused = set("--as resctrl --core-rate 2GB/s", folder.path());
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    for expected in [
        "best-effort/cpus_list: the machine refused 1,3",
        "its limit remain",
        "CPUs 0-1 share a physical core",
    ] {
        assert!(
            refused.stderr.contains(expected),
            "{expected}: {}",
            refused.stderr
        );
    }
    assert!(!refused.stderr.contains("CPUs 3 share"), "{}", refused.stderr);
    assert!(!folder.path().join("fs/resctrl/best-effort/schemata").exists());
}

/// Budgets that `least` of the library recommends in errors are large enough.
#[test]
fn recommended_budgets_are_large_enough() {
    for (options, period) in [
        ("--as resctrl --core-rate 100GB/s", "1ms"),
        ("--as resctrl --core-rate 70GB/s --process-misses 470", "1ms"),
        ("--as mpam --memory-rate 25GB/s --share-bits 4", "5ms"),
    ] {
        let line = |q: &str| {
            run(&format!(
                "budget export --q {q} --period {period} --rate 3.9GB/s --line 64 --cores 1-3 {options}"
            ))
        };
        let refused = line("0.0123");
        assert_eq!(refused.code, 2, "{options}");
        let (_, rest) =
            { refused.stderr.split_once("at least about ") }.unwrap_or_else(|| panic!("{}", refused.stderr));
        let least = rest.split_whitespace().next().unwrap();
        assert_eq!(line(least).code, 0, "{options} {least}");
    }
}

#[test]
fn bad_machines_are_refused() {
    for (options, expected) in [
        (
            "--as memguard --q 0",
            "q: found 0, which allows 0 misses in 1ms: less than one per core",
        ),
        (
            "--as memguard --q 1.5",
            "--q: found 1.5, expected a number from 0 to 1",
        ),
        (
            "--as memguard --period 1000500ns",
            "period: found 1.0005ms, expected a whole number of microseconds",
        ),
        (
            "--as memguard --period 2s",
            "period: found 2s, expected a regulation period from 1us to 1s",
        ),
        ("--as bwlock --period 2ms", "period: found 2ms, expected 1ms"),
        (
            "--as memguard --cores 1",
            "cores: found CPU 1 twice, expected each CPU once",
        ),
        ("--as memguard --cores 300", "cores: found CPU 300"),
        (
            "--as memguard --cores 7-5",
            "--cores: found 7-5, expected the number of a CPU from 0 to 8191, or an ascending range",
        ),
        (
            "--as memguard --rate 0B/s",
            "rate: found 0B/s, expected a rate above 0",
        ),
        (
            "--as memguard --lead 1ms",
            "lead: found 1ms, expected a time below the regulation period",
        ),
        (
            "--as memguard --core-rate 1GB/s",
            "core-rate: found a value with --as memguard, expected --as resctrl",
        ),
        ("--as resctrl", "core-rate: found no value"),
        (
            "--as resctrl --core-rate 1GB/s",
            "core-rate: found 1GB/s, and 3.9GB/s for 2 cores together",
        ),
        (
            "--as resctrl --core-rate 1TB/s",
            "q: found 0.13, below one percent",
        ),
        ("--as mpam --share-bits 8", "memory-rate: found no value"),
        ("--as mpam --memory-rate 25GB/s", "share-bits: found no value"),
        (
            "--as mpam --memory-rate 3GB/s --share-bits 8",
            "memory-rate: found 3GB/s, below the rate 3.9GB/s",
        ),
        (
            "--as mpam --memory-rate 25GB/s --share-bits 2",
            "q: found 0.13, below the smallest share of 2 bits",
        ),
        (
            "--as memguard --format json",
            "format: found json with --as memguard",
        ),
    ] {
        let mut line = BUDGET.to_owned();
        for (option, usual) in [
            ("--q ", "--q 0.13 "),
            ("--period ", "--period 1ms "),
            ("--rate ", "--rate 3.9GB/s "),
        ] {
            if options.contains(option) {
                line = line.replace(usual, "");
            }
        }
        let refused = run(&format!("{line} {options}"));
        assert_eq!(refused.code, 2, "{options}: {}", refused.stderr);
        assert!(refused.stderr.contains(expected), "{options}: {}", refused.stderr);
    }
}

/// The misses of all cores and of the process never exceed the budget, and one more miss per core would exceed it.
#[test]
fn limits_are_rounded_down() {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(55);
    for _ in 0..rounds(100_000) {
        let pick = |rng: &mut rand_chacha::ChaCha8Rng, ends: [u64; 2]| match rng.random_range(0..4) {
            0 => ends[0],
            1 => ends[1],
            _ => rng.random_range(ends[0]..=ends[1]),
        };
        let cores: Vec<u32> = (0..rng.random_range(1..=16)).collect();
        let machine = Machine {
            cores,
            rate: Bandwidth::new(pick(&mut rng, [1, 1_000_000_000_000_000])).unwrap(),
            line: pick(&mut rng, [1, 4096]),
            process_misses: pick(&mut rng, [0, 1000]),
            overshoot: pick(&mut rng, [0, 1000]),
            lead: Time::ZERO,
            core_rate: None,
            memory_rate: None,
            share_bits: None,
        };
        let q = pick(&mut rng, [0, 1_000_000_000]);
        let period = pick(&mut rng, [1_000, 1_000_000_000]);
        let Ok(found) = machine.allowance(Factor::from_billionths(q).unwrap(), Time::from_ns(period)) else {
            continue;
        };
        let bytes = |per_core: u64| {
            let misses = u128::from(per_core + machine.overshoot) * machine.cores.len() as u128;
            (misses + u128::from(machine.process_misses))
                * u128::from(machine.line)
                * 1_000_000_000_000_000_000
        };
        let budget = u128::from(machine.rate.bytes_per_second()) * u128::from(period) * u128::from(q);
        assert!(bytes(found.per_core) <= budget, "{machine:?} {found:?}");
        assert!(bytes(found.per_core + 1) > budget, "{machine:?} {found:?}");
    }
}
