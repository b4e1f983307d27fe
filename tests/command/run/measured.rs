//! The whole path on the simulated GPU: measure → fit → partition → run → audit.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Case, read};
use crate::support::{Answer, root, run};

/// Path of a program of the repository.
fn program(name: &str) -> PathBuf {
    root().join(format!("tasksets/kernels/programs/{name}.json"))
}

/// Measures the simulated kernel `name` on several sizes, with `options`.
fn measure(name: &str, options: &str, output: &Path) -> Answer {
    run(&format!(
        "measure kernel {} --backend simulated --machine rtx2060 {options} -o {}",
        program(name).display(),
        output.display()
    ))
}

/// Measures the kernel `name`, and returns its task with the period `period`.
fn task(name: &str, period: &str, folder: &Path) -> Value {
    let measured = folder.join(format!("{name}.csv"));
    let answer = measure(name, "--sms 6..30:6 --samples 3 -q", &measured);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let line = format!("wcet fit {} --period {period} --format json", measured.display());
    let answer = run(&line);
    let mut set: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{}", answer.stderr));
    assert_eq!(set["times"], "gpu");
    let task = set["tasks"][0].take();
    assert_eq!(task["measured_on"]["gpu"], "rtx2060");
    assert_eq!(task["measured_on"]["samples"], 15);
    // The clocks of a simulated GPU never change.
    assert_eq!(task["measured_on"]["locked"], "yes");
    assert_eq!(task["measured_on"]["throttling"], json!([]));
    assert_eq!(task["measured_on"]["date"], Value::Null);
    assert_eq!(task["name"], name);
    task
}

#[test]
fn measured_tasks_are_planned_run_and_audited() {
    let folder = tempfile::tempdir().unwrap();
    let overheads = folder.path().join("overheads.json");
    let line = "measure overhead --backend simulated --sms 12,12 --cost 2us --wake-cost 1us";
    let answer = run(&format!("{line} -o {}", overheads.display()));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let bounds = read(&overheads);
    // The longest of many overheads up to 2 us, with a margin of 20 %.
    let of = |field: &str| bounds[field].as_u64().unwrap();
    assert!(
        (2300..=2400).contains(&of("occupancy_ns")) && (1100..=1200).contains(&of("wake_ns")),
        "{bounds}"
    );
    assert!(
        bounds["timer_ns"] == Value::Null
            && of("longest") <= 2000
            && of("dispatchers") == 2
            && of("samples") > 1000,
        "{bounds}"
    );

    let tasks = [
        task("copyl", "40us", folder.path()),
        task("saxpyl", "60us", folder.path()),
    ];
    let set = json!({"times": "gpu", "tasks": tasks});
    let options = format!(
        "--gpu rtx2060 --policy np-edf --overheads {}",
        overheads.display()
    );
    let case = Case::of(&set.to_string(), &options);
    let ran = run(&case.traced("--backend simulated --duration 10ms"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let audit = case.audit();
    assert!(
        audit.code == 0 && audit.stdout.starts_with("KEPT"),
        "{}",
        audit.stdout
    );

    // A kernel that is slower than every measurement.
    let ran = run(&case.traced("--backend simulated --duration 10ms --execution copyl#3=20us"));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let audit = case.audit();
    assert!(
        audit.code == 1 && audit.stdout.starts_with("BROKEN"),
        "{}",
        audit.stdout
    );
    assert!(
        audit.stdout.contains("wcet-exceeded of copyl job 3"),
        "{}",
        audit.stdout
    );
    // Times on the GPU alone need overheads.
    let bare = Case::of(&set.to_string(), "--gpu rtx2060 --policy np-edf");
    let ran = run(&bare.line("--backend simulated --duration 1ms"));
    assert!(
        ran.code == 2 && ran.stderr.contains("overheads: found none"),
        "{}",
        ran.stderr
    );
}

#[test]
fn every_sample_is_kept_in_all_formats() {
    let folder = tempfile::tempdir().unwrap();
    let (csv, json) = (folder.path().join("m.csv"), folder.path().join("m.json"));
    let other = program("saxpyl");
    let options = format!("--sms 30,6 --samples 4 --cold --other {}", other.display());
    for file in [&csv, &json] {
        let answer = measure("copyl", &options, file);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        assert!(
            answer.stderr.contains("times on the GPU alone"),
            "{}",
            answer.stderr
        );
    }
    let (table, document) = (std::fs::read_to_string(&csv).unwrap(), read(&json));
    let mut rows = table.lines();
    assert!(
        rows.next()
            .unwrap()
            .starts_with("sms,time_ns,contention,gpu_ns,cache,other,sample,times,kernel,gpu,")
    );
    let series = document["series"].as_array().unwrap();
    let keys: Vec<String> = { series.iter() }
        .map(|one| format!("{} {} {}", one["sms"], one["cache"], one["contention"]).replace('"', ""))
        .collect();
    let of = |sms| ["warm isolated", "cold isolated", "warm alternate"].map(|key| format!("{sms} {key}"));
    assert_eq!(keys, [of(6), of(30)].concat());
    for one in series {
        let times: Vec<u64> = { one["time_ns"].as_array().unwrap().iter() }
            .map(|time| time.as_u64().unwrap())
            .collect();
        assert_eq!((times.len(), one["samples"].as_u64()), (4, Some(4)));
        assert_eq!(one["longest_ns"].as_u64(), times.iter().max().copied());
        for (sample, time) in times.iter().enumerate() {
            let (contention, other) = match one["other"].as_str() {
                None => ("isolated", ""),
                Some(other) => ("conflict", other),
            };
            let (sms, cache) = (&one["sms"], one["cache"].as_str().unwrap());
            let expected =
                format!("{sms},{time},{contention},{time},{cache},{other},{sample},gpu,copyl,rtx2060,30,");
            let row = rows.next().unwrap();
            assert!(row.starts_with(&expected), "{row} {expected}");
        }
    }
    assert_eq!(rows.next(), None);
    // A cold cache, and a cache with the data of another kernel, make this kernel slower.
    let longest = |index: usize| series[index]["longest_ns"].as_u64().unwrap();
    assert!(longest(1) > longest(0) && longest(2) > longest(0), "{document}");
    // `wcet fit` reads the rows in conflict, too.
    let fitted = run(&format!("wcet fit {} --format json", csv.display()));
    let fitted: Value = serde_json::from_str(&fitted.stdout).unwrap();
    assert_eq!(fitted["conflict"]["points"][0]["measurements"], 4);
}

#[test]
fn the_samples_do_not_depend_on_the_threads() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["1", "4"].map(|threads| {
        let file = folder.path().join(threads);
        let answer = measure(
            "vadd",
            &format!("--sms 4,9 --samples 5 --threads {threads} --format csv -q"),
            &file,
        );
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        std::fs::read_to_string(file).unwrap()
    });
    assert_eq!(files[0], files[1]);
}

#[test]
fn wrong_requests_are_one_sentence() {
    let path = program("copyl");
    let path = path.display();
    let simulated = format!("measure kernel {path} --backend simulated --machine rtx2060");
    for (line, expected) in [
        (
            "measure kernel --plugin libjobs.so".to_owned(),
            "found no CUDA driver (libcuda-none.so does not load), expected a driver of CUDA 12.5 or newer",
        ),
        (
            "measure overhead --sms 8,8".to_owned(),
            "found no CUDA driver (libcuda-none.so does not load), expected a driver of CUDA 12.5 or newer",
        ),
        (
            format!("measure kernel {path}"),
            "program: found --backend cuda, expected --backend simulated",
        ),
        (
            format!("measure kernel {path} --backend simulated"),
            "--machine: found none, expected a simulated GPU",
        ),
        (
            "measure kernel --backend simulated --machine rtx2060".to_owned(),
            "program: found none, expected a program",
        ),
        (
            format!("{simulated} --plugin x.so"),
            "--plugin: found --backend simulated, expected --backend cuda",
        ),
        (
            format!("{simulated} --sms 31"),
            "--sms: found 31, expected sizes that the GPU grants: 1, 2,",
        ),
        (
            format!("{simulated} --sms 0"),
            "--sms: found 0, expected numbers of SMs",
        ),
        (
            format!("{simulated} --sms 8..4"),
            "--sms: found 8..4, expected numbers of SMs",
        ),
        (
            format!("{simulated} --sms 4:0"),
            "--sms: found 4:0, expected numbers of SMs",
        ),
        (
            format!("{simulated} --samples 0"),
            "--samples: found 0, expected a whole number from 1",
        ),
        (
            format!("{simulated} --exceedance 1"),
            "--exceedance: found 1, expected a probability",
        ),
        (
            format!("{simulated} --contention concurrent"),
            "--contention: found concurrent, expected another kernel",
        ),
        (
            "measure overhead --backend simulated --sms 8 --duration 1us".to_owned(),
            "--duration: found a time with 4 jobs and 1 wake-ups",
        ),
        (
            "measure overhead --backend simulated --sms 8 --period 1us".to_owned(),
            "--period: found 1us, expected 10us to 3600s",
        ),
        (
            "measure overhead --backend simulated --sms 8 --duration 3000s".to_owned(),
            "--duration: found 3000s with",
        ),
        (
            "measure overhead --sms 8 --cost 1us".to_owned(),
            "--cost: found --backend cuda, expected --backend simulated",
        ),
    ] {
        let mut command = crate::support::gpusched(line.split_whitespace());
        command.env("GPUSCHED_CUDA_LIBRARY", "libcuda-none.so");
        let answer = crate::support::answer(&mut command);
        answer.assert_refused(&line, expected);
    }
}

#[test]
fn kernels_on_other_sms_are_a_table_of_factors() {
    let (measured, beside) = (program("copyl"), program("saxpyl"));
    let line = format!(
        "measure interference {} --backend simulated --machine rtx2060 --samples 1 --beside {}",
        measured.display(),
        beside.display()
    );
    let [table, document] = ["csv", "json"].map(|format| {
        let answer = run(&format!("{line} --sms 24,6 --format {format} -q"));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        answer.stdout
    });
    let document: Value = serde_json::from_str(&document).unwrap();
    let factors = document["factors"].as_array().unwrap();
    let mut rows = table.lines();
    assert_eq!(
        rows.next(),
        Some("victim,aggressor,sms,aggressor_sms,isolated_ns,beside_ns,factor,gpu,tool")
    );
    for (factor, sms) in factors.iter().zip([6, 24]) {
        let of = |field: &str| factor[field].as_u64().unwrap();
        let (isolated, beside, permille) = (of("isolated_ns"), of("beside_ns"), of("factor_permille"));
        assert_eq!((of("sms"), permille), (sms, (1000 * beside).div_ceil(isolated)));
        assert_eq!(of("aggressor_sms"), 30 - sms);
        // Both kernels use the memory, so the other kernel delays this kernel.
        assert!(permille > 1000, "{factor}");
        let start = format!(
            "copyl,saxpyl,{sms},{},{isolated},{beside},{}.{:03},rtx2060,",
            30 - sms,
            permille / 1000,
            permille % 1000
        );
        assert!(
            rows.next().is_some_and(|row| row.starts_with(&start)),
            "{table} {start}"
        );
        let longest = |other: bool| {
            let series = document["series"].as_array().unwrap().iter();
            let found = series.filter(|one| one["sms"] == sms && (one["other"] == "saxpyl") == other);
            found
                .map(|one| one["longest_ns"].as_u64().unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!((longest(false), longest(true)), (vec![isolated], vec![beside]));
    }
    assert_eq!((rows.next(), factors.len()), (None, 2));
    // Kernels of gpusched load the memory of the simulated GPU. Reads of DRAM delay this kernel more than writes to L2.
    let built_in = format!(
        "measure interference {} --backend simulated --machine rtx2060 --samples 1 --sms 24 -q --format json \
         --beside dram-read,l2-write",
        measured.display()
    );
    let answer = run(&built_in);
    let document: Value =
        serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{}", answer.stderr));
    let factors = document["factors"].as_array().unwrap();
    let of = |index: usize, field: &str| factors[index][field].clone();
    let names: Vec<Value> = (0..factors.len()).map(|index| of(index, "aggressor")).collect();
    assert_eq!(names, ["dram-read", "l2-write"]);
    let permille = |index: usize| of(index, "factor_permille").as_u64().unwrap();
    assert!(
        (0..2).all(|index| permille(index) >= 1000 && of(index, "aggressor_sms") == 6),
        "{document}"
    );
    assert!(permille(0) > 1100 && permille(0) > permille(1), "{document}");
    let all = run(&format!("{line} --sms 30"));
    assert!(
        all.code == 2 && all.stderr.contains("--sms: found 30, expected fewer SMs"),
        "{}",
        all.stderr
    );
}
