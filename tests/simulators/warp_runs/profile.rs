//! `simulate profile`, and `wcet fit` on its output.

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::transcript::Transcript;
use crate::support::{root, run, run_with};
use crate::warp_runs::{SMALL, json, write};

const PC: &str = "simulate profile tasksets/kernels/programs/pc.json --machine rtx2060";

#[test]
fn a_profile_feeds_the_fit() {
    let folder = tempfile::tempdir().unwrap();
    let points = folder.path().join("points.csv");
    let line = format!("{PC} --sms 5..20:5 -o {}", points.display());
    let answer = run(&line);
    assert_eq!(
        (answer.code, answer.stdout.as_str()),
        (0, ""),
        "{}",
        answer.stderr
    );
    let csv = std::fs::read_to_string(&points).unwrap();
    assert_eq!(
        csv.lines().next(),
        Some(
            "sms,cycles,time_ns,l2_bytes_per_second,dram_bytes_per_second,warp_instructions,thread_instructions,l2_accesses,traffic_bytes,gpu_sms,gpu_bytes_per_second,gpu,tool,core_khz,dram_khz,longest_block_ns"
        )
    );
    // GPGPU-Sim gives these cycles, too: 20 SMs are slower than 15 SMs.
    let cycles: Vec<&str> = csv
        .lines()
        .skip(1)
        .map(|row| row.split(',').nth(1).unwrap())
        .collect();
    assert_eq!(cycles[2..], ["6216", "6295"], "{csv}");
    assert!(
        answer.stderr.contains("slower on 20 SMs than on 15 SMs"),
        "{}",
        answer.stderr
    );

    let fit = json(&format!("wcet fit {} --form table", points.display()));
    let longest: Vec<(u64, u64)> = fit["isolated"]["points"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| {
            (
                point["longest_ns"].as_u64().unwrap(),
                point["monotone_ns"].as_u64().unwrap(),
            )
        })
        .collect();
    let times: Vec<u64> = csv
        .lines()
        .skip(1)
        .map(|row| row.split(',').nth(2).unwrap().parse().unwrap())
        .collect();
    let found: Vec<u64> = longest.iter().map(|&(time, _)| time).collect();
    assert_eq!(found, times);
    // C(15) equals the measured time on 20 SMs.
    assert_eq!(longest[2].1, times[3]);
    assert!(times[3] > times[2]);
}

/// From a program to a plan, with memory traffic counted.
#[test]
fn a_profile_becomes_a_plan() {
    let profile =
        "simulate profile tasksets/kernels/programs/copyl.json --machine rtx2060 --cold --sms 5..30:5";
    let csv = run(&format!("{profile} --format csv -q")).stdout;
    let set = run_with("wcet fit - --form table --period 1ms -q", csv);
    assert_eq!((set.code, set.stderr.as_str()), (0, ""));
    let tasks: Value = serde_json::from_str(&set.stdout).unwrap();
    let task = &tasks["tasks"][0];
    assert_eq!(task["kind"], "memory", "{tasks}");
    // The longest of all blocks bounds how long the kernel delays a kernel with higher priority.
    let block = task["block"].as_u64().unwrap();
    let longest = task["wcet"]["table"][0][1].as_u64().unwrap();
    assert!(0 < block && block < longest, "{tasks}");
    let measured = &task["measured_on"];
    assert_eq!(
        (&measured["gpu"], &measured["sms"]),
        (&"rtx2060".into(), &30.into())
    );
    assert_eq!(
        (&measured["samples"], &measured["margin"]),
        (&6.into(), &1.0.into())
    );
    assert_eq!(measured["clocks"]["core_khz"], 1_365_000);
    // The kernel reads 15,360 sectors and writes as many sectors, and the bound exceeds this traffic.
    assert!(task["traffic"].as_u64().unwrap() >= 32 * 2 * 15_360, "{tasks}");
    let partition = "partition - --sms 30 --interference conflict+bandwidth --memory-bandwidth 100GB/s -q";
    let plan = run_with(partition, set.stdout);
    assert_eq!(plan.code, 0, "{}", plan.stderr);
}

/// The bound from one number of SMs covers the traffic on every other number of SMs. It assumes that all sectors miss
/// in L2 and are written back.
#[test]
fn traffic_is_bounded_on_any_number_of_sms() {
    for program in ["conv2d", "matmul", "chasecg", "vadd"] {
        let program = format!("tasksets/kernels/programs/{program}.json");
        let profile = json(&format!(
            "simulate profile {program} --machine rtx2060 --sms 1..30:29 --cold"
        ));
        let points = profile["points"].as_array().unwrap();
        for (bound, other) in points
            .iter()
            .flat_map(|bound| points.iter().map(move |other| (bound, other)))
        {
            let bound = bound["traffic_bytes"].as_u64().unwrap();
            let worst = 2 * 32 * other["l2_accesses"].as_u64().unwrap();
            assert!(bound >= worst, "{program}: {bound} {worst}");
        }
    }
}

#[test]
fn the_same_bytes_whatever_the_threads() {
    for format in ["text", "csv", "json"] {
        let answers = [1, 2, 7].map(|threads| {
            run(&format!(
                "{PC} --sms 1..9:4 --format {format} --threads {threads}"
            ))
        });
        assert_eq!(answers[0].code, 0);
        assert_eq!(answers[0], answers[1]);
        assert_eq!(answers[0], answers[2]);
    }
}

#[test]
fn points_are_those_of_single_runs() {
    let profile = json(&format!("{PC} --sms 3 --cold --scheduler gto -p n=4"));
    let alone = json(
        "simulate warps tasksets/kernels/programs/pc.json --machine rtx2060 --sms 3 --cold --scheduler gto -p n=4",
    );
    let point = &profile["points"][0];
    assert_eq!(
        (&profile["warm"], &profile["scheduler"]),
        (&Value::from(false), &Value::from("gto"))
    );
    for field in ["sms", "cycles", "time_ns"] {
        assert_eq!(point[field], alone[field], "{field}");
    }
    for field in ["l2_bytes_per_second", "dram_bytes_per_second", "l2_accesses"] {
        assert_eq!(point[field], alone["traffic"][field], "{field}");
    }
    let length = |block: &Value| 1 + block["end"].as_u64().unwrap() - block["start"].as_u64().unwrap();
    let longest = alone["blocks"]
        .as_array()
        .unwrap()
        .iter()
        .map(length)
        .max()
        .unwrap();
    assert_eq!(
        point["longest_block_ns"],
        (longest * 1_000_000).div_ceil(1_365_000)
    );
    assert_ne!(point["dram_bytes_per_second"], 0);
    assert_eq!(
        point["warp_instructions"],
        alone["kernels"][0]["warp_instructions"]
    );
    // The time is cycles / 1.365 GHz, rounded up.
    let cycles = alone["cycles"].as_u64().unwrap();
    assert_eq!(
        alone["time_ns"].as_u64().unwrap(),
        (cycles * 1_000_000).div_ceil(1_365_000)
    );
}

#[test]
fn clocks_and_clusters() {
    let slow = json(&format!("{PC} --sms 2 --clock core=682.5 -p n=1"));
    let fast = json(&format!("{PC} --sms 2 -p n=1"));
    let [slow, fast] = [&slow, &fast].map(|answer| answer["points"][0].clone());
    assert!(slow["time_ns"].as_u64() > fast["time_ns"].as_u64());
    // Slower SMs wait fewer core cycles for memory.
    assert!(slow["cycles"].as_u64() < fast["cycles"].as_u64());
    let titan = PC.replace("rtx2060", "titanv");
    let pair = json(&format!("{titan} --sms 2..6:2 -p n=1"));
    assert_eq!(pair["points"].as_array().unwrap().len(), 3);
    let odd = run(&format!("{titan} --sms 1..6"));
    assert_eq!(odd.code, 2);
    assert!(
        odd.stderr.contains("--sms: found 1, expected multiples of 2"),
        "{}",
        odd.stderr
    );
}

#[test]
fn a_trace_has_a_profile() {
    let trace = "simulate profile tasksets/traces/accelsim/kernel-1.traceg --machine titanv --sms 2..4:2";
    let points = json(trace);
    assert!(root().join("tasksets/traces/accelsim/kernel-1.traceg").exists());
    // The trace is read once per point.
    assert_eq!(points["points"][0]["warp_instructions"], 120);
    assert_eq!(points["points"][1]["warp_instructions"], 120);
}

#[test]
fn what_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let points = write(folder.path(), "points.csv", "sms,cycles,time_ns\n1,x,5\n2,x,4\n");
    assert_eq!(
        run(&format!("wcet fit {points}")).code,
        0,
        "other columns do not matter"
    );
    let mut told = Transcript::default();
    for options in [
        "--sms 0..3",
        "--sms 31",
        "--clock core=0",
        "--grid 0",
        "-p x=1",
        "--scheduler qaws",
        "--budget 3",
        "--limit 10",
        "--l2-ways 17",
        "--l2-ways 0",
        "--channels 13",
        "--format csv --limit 10",
    ] {
        told.refusal(options, &run(&format!("{PC} {options}")));
    }
    assert_snapshot!(told);
}

/// A warning about accesses outside buffers names kernel, instruction, buffer and distance, for every number of
/// threads.
#[test]
fn accesses_outside_of_buffers_are_told() {
    let vadd = "tasksets/kernels/programs/vadd.json --machine rtx2060";
    let mut told = Transcript::default();
    for line in [
        format!("simulate warps {vadd} --grid 8 --sms 2"),
        format!("simulate warps {vadd} --grid 8 --sms 2 -p b=4 -p c=8188"),
        format!("simulate profile {vadd} --grid 8 --sms 1..3 -p b=4"),
        format!("simulate profile {vadd} --grid 8 --sms 1..3 -p b=4 --estimate"),
    ] {
        let answer = run(&line);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        told.case(&line, answer.stderr);
    }
    let before = SMALL.replace("a + 4", "a - 16 + 4");
    let answer = run_with("simulate warps - --machine rtx2060", before);
    told.case("a - 16", answer.stderr);
    assert_snapshot!(told);
}

const VADD: &str = "simulate profile tasksets/kernels/programs/vadd.json --machine rtx2060 --sms 10";

/// The 122,880 threads of `vadd` read two numbers and write one: 4 bytes each, without reuse.
#[test]
fn the_traffic_of_a_job() {
    let profile = json(&format!("{VADD} --l2 thrashed --traffic"));
    let point = &profile["points"][0];
    let traffic = &point["traffic"];
    assert_eq!(
        (&traffic["l2_reads"], &traffic["l2_writes"]),
        (&30_720.into(), &15_360.into())
    );
    assert_eq!(
        (&profile["thrashed"], &profile["warm"]),
        (&true.into(), &false.into())
    );
    // Each sector is read once. What is not yet written back is dirty.
    assert_eq!(traffic["dram_reads"], 30_720);
    let written = traffic["dram_writes"].as_u64().unwrap() + traffic["left_dirty"].as_u64().unwrap();
    assert_eq!(written, 15_360);
    let share = |name: &str| traffic[name].as_f64().unwrap();
    assert!((1.0 / 24.0..0.2).contains(&share("slice_share")), "{traffic}");
    assert!((1.0 / 12.0..0.3).contains(&share("channel_share")), "{traffic}");
    assert!(share("bank_share") <= share("channel_share"));
    assert!(profile["drain"]["dram_bytes_per_second"].as_u64().unwrap() > 100_000_000_000);
    // Each sector has one reply, and the SM accepts it in the first cycle.
    assert_eq!(
        (&traffic["hold"], &profile["accepting"], &profile["blocks"]),
        (&(30_720 + 15_360).into(), &true.into(), &480.into())
    );

    // With all data in L2, nothing moves at DRAM.
    let warm = json(&format!("{VADD} --traffic"));
    let traffic = &warm["points"][0]["traffic"];
    assert_eq!(
        (&traffic["dram_reads"], &traffic["left_dirty"]),
        (&0.into(), &15_360.into())
    );
    assert!(traffic.get("bank_share").is_none(), "{traffic}");
    assert!(point["cycles"].as_u64() > warm["points"][0]["cycles"].as_u64());
}

#[test]
fn variants_keep_the_longest_run() {
    let one = json(&format!("{VADD} --l2 cold"));
    assert!(one["points"][0].get("variation").is_none());
    let several = json(&format!("{VADD} --l2 cold --vary 4"));
    let point = &several["points"][0];
    let cycles = |value: &Value| value.as_u64().unwrap();
    assert_eq!(point["variation"]["runs"], 4);
    assert!(cycles(&point["cycles"]) > cycles(&point["variation"]["shortest_cycles"]));
    assert!(cycles(&point["cycles"]) >= cycles(&one["points"][0]["cycles"]));
    assert!(cycles(&one["points"][0]["cycles"]) >= cycles(&point["variation"]["shortest_cycles"]));
    let other = json(&format!("{VADD} --l2 cold --vary 4 --seed 2 --threads 1"));
    assert_ne!(other, several);
    assert_eq!(several, json(&format!("{VADD} --l2 cold --vary 4 --threads 1")));
}

/// `wcet fit` reads the columns of `--traffic` and `--vary`.
#[test]
fn profiles_with_traffic_are_fitted() {
    let folder = tempfile::tempdir().unwrap();
    let points = folder.path().join("points.csv");
    let line = format!("{VADD} --l2 cold --vary 2 --traffic -o {}", points.display());
    let answer = run(&line);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let csv = std::fs::read_to_string(&points).unwrap();
    let (columns, row) = csv.split_once('\n').unwrap();
    assert_eq!(
        columns.split(',').count(),
        row.trim_end().split(',').count(),
        "{csv}"
    );
    let fit = json(&format!("wcet fit {} --form table", points.display()));
    let row: Vec<&str> = row.split(',').collect();
    assert_eq!(fit["isolated"]["points"][0]["longest_ns"].to_string(), row[2]);
    let sectors = &fit["sectors"];
    assert_eq!(
        (&sectors["hold"], &sectors["accepting"], &sectors["blocks"]),
        (&(30_720 + 15_360).into(), &true.into(), &480.into())
    );
    // A missing value stays absent, and an invalid value is an error.
    let fitted = |csv: String| {
        std::fs::write(&points, csv).unwrap();
        run(&format!("wcet fit {} --form table", points.display()))
    };
    let unknown = fitted(csv.replace(",46080,true,480", ",,,"));
    assert_eq!(unknown.code, 0, "{}", unknown.stderr);
    for field in ["hold", "accepting", "\"blocks\""] {
        assert!(!unknown.stdout.contains(field), "{field}: {}", unknown.stdout);
    }
    let wrong = fitted(csv.replace(",46080,true,480", ",46080,yes,480"));
    assert_eq!(wrong.code, 2);
    assert!(
        wrong.stderr.contains("found \"yes\", expected true or false"),
        "{}",
        wrong.stderr
    );
}

/// With ways of L2 of its own, the kernel has the traffic of a GPU with a smaller L2. `wcet fit` states the sectors at DRAM
/// only for a stated number of ways and an L2 that is empty at the start.
#[test]
fn own_parts_of_the_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let sectors = |options: &str| {
        let points = path("points.csv");
        let answer = run(&format!("{VADD} --traffic {options} -o {points}"));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let task = run(&format!("wcet fit {points} --period 10ms -q"));
        let set: Value = serde_json::from_str(&task.stdout).unwrap();
        set["tasks"][0]["sectors"].clone()
    };
    let plain = sectors("--l2 cold");
    assert!(
        plain.get("dram").is_none() && sectors("--l2-ways 2").get("dram").is_none(),
        "{plain}"
    );
    // A stream loads all channels nearly alike. Each sector is read or written once.
    let camping = plain["camping_percent"].as_u64().unwrap();
    assert!((100..=400).contains(&camping), "{plain}");
    let own = sectors("--l2 cold --l2-ways 2");
    assert_eq!((&own["reads"], &own["dram"]), (&30_720.into(), &46_080.into()));
    let cycles = |options: &str| json(&format!("{VADD} --l2 cold {options}"))["points"][0]["cycles"].clone();
    assert_eq!(cycles("--l2-ways 16 --channels 12"), cycles(""));
    assert!(cycles("--channels 3").as_u64() > cycles("").as_u64());
}

#[test]
fn rates_of_a_machine() {
    let folder = tempfile::tempdir().unwrap();
    let programs = folder.path().display();
    let rates = json(&format!(
        "simulate profile --stress --machine rtx2060 --programs {programs}"
    ));
    let dram = |name: &str| rates[name]["dram_bytes_per_second"].as_u64().unwrap();
    assert!(dram("universal") * 20 < dram("balanced"));
    let bank = folder.path().join("one-bank-reads.json");
    let profile = json(&format!(
        "simulate profile {} --machine rtx2060 --sms 30 --l2 cold --traffic",
        bank.display()
    ));
    let traffic = &profile["points"][0]["traffic"];
    assert_eq!(
        (&traffic["bank_share"], &traffic["channel_share"]),
        (&1.0.into(), &1.0.into())
    );
    assert_eq!(traffic["activations"], traffic["dram_reads"]);
    let with = run("simulate profile --stress --machine rtx2060 --sms 4");
    assert_eq!(with.code, 2, "{}", with.stderr);
    let neither = run("simulate profile --machine rtx2060");
    assert_eq!(neither.code, 2, "{}", neither.stderr);
}

/// The numbers of SMs are a range with an optional step, or one number. Frequencies have whole kilohertz.
#[test]
fn ranges_and_frequencies_are_read_or_refused() {
    let complaint = |option: &str, value: &str| {
        let refused = run(&format!("simulate profile x --{option}={value}"));
        assert_eq!(refused.code, 2, "{refused:?}");
        refused.stderr.starts_with(&format!("error: --{option}: "))
    };
    for (option, good, bad) in [
        (
            "sms",
            &["1..4", "2..9:3", "8"][..],
            &["", "0..3", "3..1", "1..", "1..5:0", "1...5", "1..4097", "-1"][..],
        ),
        (
            "clock",
            &["dram=3500.5", "core=0.001"],
            &[
                "core",
                "core=",
                "core=0",
                "core=1.",
                "core=1.0001",
                "mem=1",
                "l2=-1",
                "l2=100000.001",
                "l2=+1",
            ],
        ),
    ] {
        assert!(good.iter().all(|value| !complaint(option, value)), "{option}");
        for value in bad {
            assert!(complaint(option, value), "{option} {value}");
        }
    }
}
