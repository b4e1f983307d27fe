//! Runs in virtual time.

use super::Case;
use crate::support::run;

const POLICIES: [&str; 5] = ["np-edf", "np-fifo", "np-fp", "np-fp-rm", "np-fp-audsley"];

#[test]
fn a_simulated_run_is_kept_by_the_audit() {
    for policy in POLICIES {
        let case = Case::new(&format!("--gpu h100 --policy {policy}"));
        let ran = run(&case.traced("--backend simulated --duration 2s"));
        assert_eq!(ran.code, 0, "{policy}: {}", ran.stderr);
        assert!(
            ran.stderr
                .starts_with("note: KEPT: 420 jobs until 2s, no deadline miss"),
            "{}",
            ran.stderr
        );
        let audit = case.audit();
        assert_eq!(audit.code, 0, "{policy}: {}{}", audit.stdout, audit.stderr);
        assert!(audit.stdout.starts_with("KEPT"), "{}", audit.stdout);
        let head = &case.read()["gpusched"];
        assert_eq!(head["totals"]["jobs"], 420);
        assert_eq!(head["kept"], true);
    }
}

#[test]
fn an_overrun_breaks_the_run_and_the_audit_names_it() {
    let case = Case::new("--gpu h100 --policy np-edf");
    let ran = run(&case.traced("--backend simulated --duration 2s --execution radar#7=3.5ms"));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("BROKEN: 420 jobs") && ran.stderr.contains("1 overrun"),
        "{}",
        ran.stderr
    );
    let audit = case.audit();
    assert_eq!(audit.code, 1);
    assert!(audit.stdout.starts_with("BROKEN"), "{}", audit.stdout);
    assert!(
        audit.stdout.contains("wcet-exceeded of radar job 7"),
        "{}",
        audit.stdout
    );
    assert_eq!(
        audit.stdout.matches("wcet-exceeded").count(),
        1,
        "{}",
        audit.stdout
    );
    // The guarantee of the partition is suspended until the partition is idle.
    let read = case.read();
    let contexts = read["gpusched"]["contexts"].as_array().unwrap();
    let spans: Vec<_> = contexts
        .iter()
        .flat_map(|context| context["suspensions"].as_array().unwrap())
        .collect();
    assert_eq!(spans.len(), 1);
    assert_eq!(spans[0]["cause"], "overrun");
    assert!(spans[0]["until"].as_u64().unwrap() > spans[0]["from"].as_u64().unwrap());
}

#[test]
fn equal_seeds_give_equal_bytes() {
    let case = Case::new("--gpu h100 --policy np-edf");
    let of = |options: &str| run(&case.line(&format!("--backend simulated --format csv {options}"))).stdout;
    assert_eq!(of("--seed 3"), of("--seed 3"));
    assert_ne!(of("--seed 3"), of("--seed 4"));
    let first = of("").lines().nth(1).unwrap().to_owned();
    assert!(first.starts_with("0,"), "{first}");
    let text = run(&case.line("--backend simulated")).stdout;
    assert!(text.starts_with("KEPT: 210 jobs until 1s"), "{text}");
}

/// Overheads up to the stated bounds never break a plan that is proven with them, and a plan without room is not run.
#[test]
fn overheads_are_part_of_the_proof() {
    let case = Case::new("--gpu h100 --policy np-fp --objective margin");
    let file = case.plan.with_file_name("overheads.json");
    let with = |occupancy: &str, wake: &str| {
        let text = format!(r#"{{"occupancy_ns":"{occupancy}","wake_ns":"{wake}"}}"#);
        std::fs::write(&file, text).unwrap();
        run(&case.traced(&format!(
            "--backend simulated --duration 5s --overheads {}",
            file.display()
        )))
    };
    let ran = with("100us", "50us");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let totals = &case.read()["gpusched"]["totals"];
    assert!(totals["longest_wake"].as_u64().unwrap() > 0);
    let ran = with("9ms", "0ns");
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr
            .starts_with("note: gpusched does not run the plan, because partition "),
        "{}",
        ran.stderr
    );
    std::fs::write(&file, "{}").unwrap();
    let ran = run(&case.line(&format!("--backend simulated --overheads {}", file.display())));
    assert!(
        ran.code == 2 && ran.stderr.contains("occupancy_ns"),
        "{}",
        ran.stderr
    );
}

#[test]
fn plans_that_a_dispatcher_cannot_follow_are_refused() {
    let expected = "policy: found edf, expected np-edf, np-fifo, np-fp…, lp-edf or lp-fp…, because a GPU cannot preempt at any point\n\nhint: `gpusched partition --policy np-edf`\n";
    let case = Case::new("--gpu h100 --policy edf");
    let ran = run(&case.line("--backend simulated"));
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
}

#[test]
fn wrong_plans_and_options_are_refused() {
    let case = Case::new("--gpu h100 --policy np-edf");
    let refused = |options: &str, expected: &str| {
        let ran = run(&case.line(options));
        assert_eq!(ran.code, 2, "{options}: {}", ran.stdout);
        assert!(ran.stderr.contains(expected), "{options}: {}", ran.stderr);
    };
    refused(
        "--backend simulated --reserve 1us",
        "--backend cuda, where the option has an effect",
    );
    refused(
        "--backend simulated --execution sonar#1=1ms",
        "the name of a task of the set",
    );
    refused("--backend simulated --execution radar=1ms", "TASK#JOB=TIME");
    refused("--backend simulated --duration 0s", "a positive time");
    // A plan of another set does not verify.
    let other = Case::of(
        &super::SET.replace("[[8,\"3ms\"],[16,\"2ms\"]]", "[[8,\"9ms\"],[16,\"9ms\"]]"),
        "--gpu h100 --policy np-edf",
    );
    let line = format!(
        "run {} {} --backend simulated",
        case.plan.display(),
        other.set.display()
    );
    let ran = run(&line);
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert!(
        ran.stderr.contains("at identity.tasks[2]: found another WCET"),
        "{}",
        ran.stderr
    );
}

/// One partition. Jobs have chunks of 1 ms.
const CHUNKS: &str = r#"{"tasks":[
  {"name":"radar","period":"10ms","block":"1ms","wcet":{"table":[[8,"3ms"]]}},
  {"name":"map","period":"50ms","block":"1ms","wcet":{"table":[[8,"10ms"]]}}]}"#;

/// Another job preempts a job between two chunks.
#[test]
fn jobs_with_chunks_are_preempted_between_them() {
    for policy in ["lp-edf", "lp-fp"] {
        let case = Case::of(CHUNKS, &format!("--sms 8 --policy {policy}"));
        let ran = run(&case.line("--backend simulated --duration 1s --shortest 1 --format csv"));
        assert_eq!(ran.code, 0, "{policy}: {}", ran.stderr);
        let rows: Vec<Vec<&str>> = ran.stdout.lines().map(|line| line.split(',').collect()).collect();
        let column = |name: &str| rows[0].iter().position(|&column| column == name).unwrap();
        let (task, job, chunk, last) = (column("task"), column("job"), column("chunk"), column("last"));
        // The first job of `map` starts after 3 ms, runs 7 chunks until the next job of `radar`, and 3 chunks after it.
        let first: Vec<&Vec<&str>> = rows[1..]
            .iter()
            .filter(|row| row[task] == "1" && row[job] == "0")
            .collect();
        assert_eq!(first.len(), 10, "{policy}: {first:?}");
        assert_eq!((first[9][chunk], first[9][last]), ("9", "true"));
        let at = |row: usize, name: &str| first[row][column(name)].parse::<u64>().unwrap();
        assert_eq!(
            (at(6, "completion_ns"), at(7, "decision_ns")),
            (10_000_000, 13_000_000)
        );
        // One radar job per 10 ms, and one map job per 50 ms.
        assert_eq!(rows[1..].iter().filter(|row| row[last] == "true").count(), 120);
        let traced = run(&case.traced("--backend simulated --duration 1s --shortest 1"));
        assert_eq!(traced.code, 0, "{}", traced.stderr);
        assert_eq!(case.read()["gpusched"]["totals"]["jobs"], 120);
        let audit = case.audit();
        assert!(
            audit.code == 0 && audit.stdout.starts_with("KEPT"),
            "{}",
            audit.stdout
        );
    }
    // Without `block`, a job is one chunk.
    let whole = CHUNKS
        .replace("\"block\":\"1ms\",", "")
        .replace("10ms\"]]", "4ms\"]]");
    let case = Case::of(&whole, "--sms 8 --policy lp-edf");
    let ran = run(&case.line("--backend simulated --duration 1s"));
    assert!(
        ran.code == 0 && ran.stdout.starts_with("KEPT: 120 jobs"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    // A trace of too many chunks would not fit into memory.
    let many = CHUNKS.replace("\"block\":\"1ms\"", "\"block\":\"1us\"");
    let case = Case::of(&many, "--sms 8 --policy lp-edf");
    let ran = run(&case.line("--backend simulated --duration 3600s"));
    assert!(
        ran.code == 2 && ran.stderr.contains("launches of chunks"),
        "{}",
        ran.stderr
    );
}

/// The overheads count once per chunk: 10 chunks of 1 ms have 10 overheads.
#[test]
fn each_chunk_has_an_overhead() {
    let set = CHUNKS
        .replace("\"10ms\",", "\"10ms\",\"launches\":3,")
        .replace("\"50ms\",", "\"50ms\",\"launches\":10,");
    let case = Case::of(&set, "--sms 8 --policy lp-edf");
    let file = case.plan.with_file_name("overheads.json");
    let with = |occupancy: &str| {
        std::fs::write(
            &file,
            format!(r#"{{"occupancy_ns":"{occupancy}","wake_ns":"10us"}}"#),
        )
        .unwrap();
        run(&case.traced(&format!(
            "--backend simulated --duration 5s --overheads {}",
            file.display()
        )))
    };
    let ran = with("50us");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let tasks = case.read()["gpusched"]["contexts"][0]["tasks"].clone();
    assert_eq!(
        (&tasks[0]["budget_ns"], &tasks[1]["budget_ns"]),
        (&3_150_000.into(), &10_500_000.into())
    );
    let ran = with("2ms");
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(ran.stderr.contains("does not run the plan"), "{}", ran.stderr);
}

/// What follows an overrun: by default, all jobs run. The next job is skipped, or the run of all partitions ends.
#[test]
fn overruns_are_recorded_skip_a_job_or_end_the_run() {
    let case = Case::new("--gpu h100 --policy np-edf");
    let with = |overrun: &str| {
        let ran = run(&case.traced(&format!(
            "--backend simulated --duration 2s --execution radar#7=3.5ms --overrun {overrun}"
        )));
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        let head = case.read()["gpusched"].clone();
        assert_eq!(
            (&head["totals"]["overruns"], &head["totals"]["suspended"]),
            (&1.into(), &1.into())
        );
        assert!(
            head["contexts"]
                .as_array()
                .unwrap()
                .iter()
                .all(|context| context["overrun"] == overrun)
        );
        (ran.stderr, head)
    };
    let (_, head) = with("record");
    assert_eq!(
        (&head["totals"]["jobs"], &head["totals"]["skipped"]),
        (&420.into(), &0.into())
    );
    let (said, head) = with("skip-next");
    assert!(
        said.contains("419 jobs") && said.contains(", 1 job skipped"),
        "{said}"
    );
    let skipped: Vec<_> = head["contexts"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|context| context["skipped_jobs"].as_array().cloned().unwrap_or_default())
        .collect();
    assert_eq!(skipped.len(), 1);
    assert_eq!(
        (&skipped[0]["job"], &skipped[0]["arrival"]),
        (&8.into(), &80_000_000.into())
    );
    let (said, head) = with("abort");
    assert!(said.contains(", 2 partitions lost"), "{said}");
    let lost = head["contexts"].to_string();
    assert!(
        lost.contains("radar#7 exceeded its budget, and the run ended"),
        "{lost}"
    );
    assert!(
        lost.contains("another partition ended the run of all partitions"),
        "{lost}"
    );
    // Job 7 of radar arrives at 70 ms. No later decision launches a job.
    let jobs = head["totals"]["jobs"].as_u64().unwrap();
    assert!((12..40).contains(&jobs), "{jobs}");
}

/// Each fault of one job has its consequence, and all other jobs run.
#[test]
fn each_fault_has_its_consequence() {
    let case = Case::new("--gpu h100 --policy np-edf --objective margin");
    let file = case.plan.with_file_name("overheads.json");
    std::fs::write(&file, r#"{"occupancy_ns":"100us","wake_ns":"50us"}"#).unwrap();
    let with = |options: &str| {
        let ran = run(&case.traced(&format!(
            "--backend simulated --duration 2s --overheads {} {options}",
            file.display()
        )));
        (ran.code, ran.stderr, case.read()["gpusched"].clone())
    };
    let causes = |head: &serde_json::Value| -> Vec<String> {
        let contexts = head["contexts"].as_array().unwrap().iter();
        let spans = contexts.flat_map(|context| context["suspensions"].as_array().unwrap().clone());
        spans
            .map(|span| span["cause"].as_str().unwrap().to_owned())
            .collect()
    };
    // Within the bound o, a late observation is part of the proof.
    let (code, said, head) = with("--fault radar#7=late-end:100us");
    assert_eq!((code, causes(&head).len()), (0, 0), "{said}");
    for (fault, cause, count) in [
        ("late-end:101us", "overhead-exceeded", "overheads"),
        ("late-wake:60us", "wake-exceeded", "late_wakes"),
        ("fails", "job-failed", "failed"),
        ("no-launch", "job-failed", "failed"),
    ] {
        // Each task has its own partition, so jobs of `radar` arrive while it is idle.
        let (code, said, head) = with(&format!("--fault radar#7={fault}"));
        assert_eq!(code, 1, "{fault}: {said}");
        assert_eq!(causes(&head), [cause], "{fault}");
        assert_eq!(
            (&head["totals"][count], &head["totals"]["jobs"]),
            (&1.into(), &420.into()),
            "{fault}"
        );
        assert!(!case.audit().stdout.starts_with("KEPT"), "{fault}");
        let span = &head["contexts"]
            .as_array()
            .unwrap()
            .iter()
            .find_map(|context| context["suspensions"].get(0))
            .unwrap()
            .clone();
        assert!(span["until"].as_u64() >= span["from"].as_u64(), "{fault}: {span}");
        if cause == "wake-exceeded" {
            // The guarantee ends with the bound, and not with the decision.
            assert_eq!(span["from"], 70_050_000);
        }
    }
    let (code, said, head) = with("--fault radar#7=lost");
    let lost = head["contexts"].to_string();
    assert!(
        code == 1 && said.contains(", 4 partitions lost") && lost.contains("radar#7: a fault ended"),
        "{said}{lost}"
    );
    let (code, said, head) = with("--fault radar#7=endless");
    let lost = head["contexts"].to_string();
    assert!(code == 1 && said.contains(", 1 partition lost"), "{said}");
    assert!(
        lost.contains("radar#7 has not ended 21ms after its decision, ten times its budget"),
        "{lost}"
    );
    let (code, said, _) = with("--fault radar#7=endless --overrun abort");
    assert!(code == 1 && said.contains(", 4 partitions lost"), "{said}");
    let (code, said, head) = with("--fault radar#7=suspend:5s");
    assert!(code == 1 && said.contains(", interrupted for 5s"), "{said}");
    assert_eq!(
        (&head["interrupted_ns"], &head["totals"]["misses"]),
        (&5_000_000_000u64.into(), &0.into())
    );
    // The trace alone shows no violation, but the dispatcher states one.
    let audit = case.audit();
    assert!(
        audit.code == 1
            && audit.stdout.starts_with("NOT VISIBLE")
            && audit
                .stderr
                .contains("the dispatcher states that the run broke a bound"),
        "{}{}",
        audit.stdout,
        audit.stderr
    );
    for (fault, expected) in [
        ("radar#7=melts", "TASK#JOB=FAULT"),
        ("radar#7=fails:1ms", "TASK#JOB=FAULT"),
        ("radar#7=late-end", "TASK#JOB=FAULT"),
        ("radar#900=fails", "a job below 200"),
        ("sonar#1=fails", "the name of a task of the set"),
    ] {
        let ran = run(&case.line(&format!("--backend simulated --duration 2s --fault {fault}")));
        assert!(
            ran.code == 2 && ran.stderr.contains(expected),
            "{fault}: {}",
            ran.stderr
        );
    }
    let ran = run(&case.line("--backend cuda --fault radar#7=fails"));
    assert!(
        ran.code == 2 && ran.stderr.contains("--backend simulated, because"),
        "{}",
        ran.stderr
    );
}
