//! Synthetic traces: the same bytes for the same seed, and clustering restores the profile.

use crate::support::{run, run_with};

/// Two clusters of five and seven blocks.
pub const PROFILE: &str = r#"{"name":"tiny","active_blocks":3,"regulation_period":"1ms","clusters":[
  {"blocks":5,"e0":"1.7us","e1":"3.69us","isolated":{"mean_ns":1610,"std_ns":35},"interference":{"mean_ns":3440,"std_ns":90}},
  {"blocks":7,"e0":"2.5us","e1":"6.52us","isolated":{"mean_ns":2300,"std_ns":67},"interference":{"mean_ns":6270,"std_ns":99}}]}"#;

fn synth(arguments: &str) -> String {
    let answer = run_with(&format!("wcet synth - {arguments}"), PROFILE);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    answer.stdout
}

#[test]
fn equal_seeds_give_equal_bytes() {
    let trace = synth("--runs 30");
    assert_eq!(trace.lines().count(), 1 + 30 * 2 * 12);
    assert_eq!(trace, synth("--runs 30 --threads 1"));
    assert_eq!(trace, synth("--runs 30 --threads 5 --seed 1"));
    assert_ne!(trace, synth("--runs 30 --seed 2"));
    let more = synth("--runs 31");
    assert!(more.starts_with(&trace), "more runs do not change the first ones");
}

#[test]
fn traces_lead_back_to_their_profile_in_both_formats() {
    let cluster = |trace: &str| run_with("wcet cluster - --format json --quiet --name tiny", trace);
    let csv = cluster(&synth("--runs 40 --intervals 5"));
    assert_eq!(csv.code, 0, "{}", csv.stderr);
    let jsonl = synth("--runs 40 --intervals 5 --format json");
    assert!(
        jsonl.starts_with(r#"{"run":0,"block":0,"start_ns":0,"duration_ns":"#),
        "{jsonl}"
    );
    assert_eq!(cluster(&jsonl), csv);
    let kernel: gpusched::model::Kernel = serde_json::from_str(&csv.stdout).unwrap();
    assert_eq!(
        (kernel.name(), kernel.active_blocks(), kernel.intervals().len()),
        (Some("tiny"), 3, 5)
    );
    let sizes: Vec<u64> = kernel.clusters().iter().map(|cluster| cluster.blocks()).collect();
    assert_eq!(sizes, [5, 7]);
    for cluster in kernel.clusters() {
        let distribution = cluster.isolated_distribution().unwrap();
        assert_eq!(distribution.samples, Some(40 * cluster.blocks()));
        assert!(cluster.isolated() < cluster.contended());
    }
    // The output is a valid input of the command.
    let again = run_with("wcet synth - --runs 2", csv.stdout);
    assert_eq!((again.code, again.stdout.lines().count()), (0, 1 + 2 * 2 * 12));
}

#[test]
fn the_table_and_the_csv_say_the_same() {
    let trace = synth("--runs 40");
    let text = run_with("wcet cluster - --active-blocks 9 --name tiny", trace.clone());
    assert_eq!(text.code, 0);
    assert!(
        text.stderr
            .starts_with("warning: a measured run is longer than 9 concurrent blocks need"),
        "{}",
        text.stderr
    );
    let head = "tiny: 12 thread blocks, 9 at a time, in 2 clusters and 2 intervals\n40 runs in isolation (e0), 40 runs under";
    assert!(text.stdout.starts_with(head), "{}", text.stdout);
    let csv = run_with("wcet cluster - --format csv", trace);
    assert!(
        csv.stderr.contains("note: gpusched uses `--active-blocks 3`,"),
        "{}",
        csv.stderr
    );
    let rows: Vec<Vec<&str>> = csv.stdout.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[0][0..3], ["cluster", "blocks", "e0_ns"]);
    assert_eq!(rows[1][0..2], ["0", "5"]);
    let wcet: u64 = rows[1][2].parse().unwrap();
    assert!(
        text.stdout
            .contains(&gpusched::time::Time::from_ns(wcet).to_string())
    );
}

#[test]
fn what_cannot_be_drawn_from_is_refused() {
    let refused = |profile: &str, arguments: &str, expected: &str| {
        let answer = run_with(&format!("wcet synth - {arguments}"), profile);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{expected}");
        assert!(answer.stderr.contains(expected), "{expected}: {}", answer.stderr);
    };
    refused("", "", "found nothing, expected a kernel");
    let line = PROFILE.replace('\n', " ");
    refused(
        &format!("{line}\n{line}\n"),
        "",
        "-:2: found a second kernel, expected one",
    );
    refused(
        PROFILE,
        "--intervals 1",
        "intervals: found 1, expected at least one interval for each of 2",
    );
    refused(PROFILE, "--intervals 12", "intervals for 5 blocks");
    refused(PROFILE, "--format text", "--format: found text");
    refused(PROFILE, "--runs 0", "--runs");
    let without = PROFILE.replacen(r#","isolated":{"mean_ns":1610,"std_ns":35}"#, "", 1);
    refused(
        &without,
        "",
        "clusters[0].isolated: found none, expected a distribution",
    );
    refused(
        &PROFILE.replacen("1610", "9610", 1),
        "",
        "clusters[0].isolated: found mean_ns 9610.0",
    );
    refused(
        &PROFILE.replacen("\"std_ns\":35", "\"std_ns\":-35", 1),
        "",
        "found std_ns -35.0",
    );
    let answer = run("wcet synth no-such-file.json");
    assert_eq!(answer.code, 2);
}
