//! Runs in virtual time.

use super::Case;
use crate::support::run;

const POLICIES: [&str; 4] = ["np-edf", "np-fp", "np-fp-rm", "np-fp-audsley"];

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
    let preemptive = "policy: found edf, expected np-edf, np-fp…, because a GPU cannot preempt at any point\n\nhint: `gpusched partition --policy np-edf`\n";
    let chunks = "policy: found lp-fp, expected np-edf, np-fp…, because the runtime launches whole jobs\n";
    for (policy, expected) in [("edf", preemptive), ("lp-fp", chunks)] {
        let case = Case::new(&format!("--gpu h100 --policy {policy}"));
        let ran = run(&case.line("--backend simulated"));
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    }
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
    assert!(ran.stderr.contains("partitions["), "{}", ran.stderr);
}
