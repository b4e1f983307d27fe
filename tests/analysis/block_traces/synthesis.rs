//! Synthetic traces: the same bytes for the same seed, and clustering restores the profile.

use gpusched::kernel_wcet::synthesis::{Synthesizer, alternate};
use gpusched::kernel_wcet::trace::Level;
use gpusched::model::{Cluster, Kernel};
use gpusched::time::Time;

use crate::block_traces::scenario::normal;
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

/// Two clusters with known means and deviations in isolation, and constant times under interference.
fn two_clusters(active: u32) -> Kernel {
    let cluster = |blocks, e0, e1, mean| {
        let cluster = Cluster::new(blocks, Time::from_ns(e0), Time::from_ns(e1)).unwrap();
        cluster.with_distributions(normal(mean, 30.0), normal(2.0 * mean, 0.0))
    };
    let clusters = vec![
        cluster(30, 1_050, 2_500, 1_000.0),
        cluster(20, 3_500, 9_000, 3_000.0),
    ];
    Kernel::new(active, Time::from_ns(1_000_000), clusters).unwrap()
}

#[test]
fn blocks_start_in_order_as_soon_as_there_is_room() {
    for active in [1, 3, 100] {
        let synthesizer = Synthesizer::new(&two_clusters(active), 1).unwrap();
        let rows = synthesizer.draw(Level::Isolated, 0);
        assert_eq!(rows.len(), 50);
        let mut times = Vec::new();
        synthesizer.durations(Level::Isolated, 0, |time| times.push(time));
        assert!(times.iter().eq(rows.iter().map(|row| &row.duration)));
        for (index, row) in rows.iter().enumerate() {
            let start = row.start.unwrap();
            let before = &rows[..index];
            let running = |now: u64| {
                before
                    .iter()
                    .filter(|row| row.start.unwrap() + row.duration > now)
                    .count()
            };
            assert_eq!(row.block, index as u64);
            assert!(before.iter().all(|row| row.start.unwrap() <= start));
            assert!(running(start) < active as usize);
            assert!(
                start == 0 || running(start - 1) >= active as usize,
                "it could have started earlier"
            );
        }
    }
}

#[test]
fn no_block_exceeds_its_wcet() {
    let synthesizer = Synthesizer::new(&two_clusters(4), 1).unwrap();
    let (mut short, mut long) = (0, 0);
    for run in 0..200 {
        for row in synthesizer.draw(Level::Isolated, run) {
            let (count, e0) = if row.block < 30 {
                (&mut short, 1_050)
            } else {
                (&mut long, 3_500)
            };
            assert!((1..=e0).contains(&row.duration));
            *count += row.duration;
        }
        for row in synthesizer.draw(Level::Interference, run) {
            assert_eq!(row.duration, if row.block < 30 { 2_000 } else { 6_000 });
        }
    }
    // Truncation at 1.67 σ reduces the mean by φ(5/3)/Φ(5/3)·σ = 3.1 ns. The standard error
    // is 30 ns/√6000 = 0.4 ns.
    let mean = short as f64 / 6_000.0;
    assert!((mean - 996.9).abs() < 2.0, "{mean}");
    assert!((long as f64 / 4_000.0 - 3_000.0).abs() < 2.0);
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let bare = Cluster::new(3, Time::from_ns(10), Time::from_ns(20)).unwrap();
    let bare = Kernel::new(1, Time::from_ns(1), vec![bare]).unwrap();
    let error = Synthesizer::new(&bare, 1).unwrap_err().to_string();
    assert!(
        error.starts_with("clusters[0].isolated: found none, expected a distribution"),
        "{error}"
    );
}

fn clusters(sizes: &[u64]) -> Vec<Cluster> {
    let cluster = |&blocks: &u64| Cluster::new(blocks, Time::from_ns(1), Time::from_ns(2)).unwrap();
    sizes.iter().map(cluster).collect()
}

#[test]
fn intervals_alternate() {
    for (sizes, count) in [
        (&[7][..], 1),
        (&[7, 5], 2),
        (&[7, 5], 9),
        (&[12542, 12542, 12543], 14),
        (&[5, 5, 5], 15),
    ] {
        let clusters = clusters(sizes);
        let intervals = alternate(&clusters, count).unwrap();
        assert_eq!(intervals.len(), count);
        assert!(
            intervals
                .windows(2)
                .all(|pair| pair[0].cluster != pair[1].cluster)
        );
        let kernel = Kernel::new(1, Time::from_ns(1), clusters).unwrap();
        kernel.with_intervals(intervals).unwrap();
    }
}

#[test]
fn impossible_layouts_are_refused() {
    for (sizes, count) in [(&[7, 5][..], 1), (&[7], 2), (&[7, 2], 6), (&[7], 0)] {
        assert!(alternate(&clusters(sizes), count).is_err(), "{sizes:?} {count}");
    }
}
