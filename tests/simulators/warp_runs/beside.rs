//! Kernels that repeat, kernels with a maximum number of blocks on an SM, and the commands that use them.

use gpusched::gpu::gpu::{BlockRecord, Launch, Queued, Results, Settings, run as simulate};
use gpusched::gpu::program::Overrides;
use gpusched::gpu::{Machine, Program};
use gpusched::model::Scheduler;
use gpusched::model::streams::{Purpose, below, stream};

use super::{SMALL, json, write};
use crate::support::run;

const PROGRAMS: [&str; 4] = [
    include_str!("../../../tasksets/kernels/programs/vadd.json"),
    include_str!("../../../tasksets/kernels/programs/pc.json"),
    include_str!("../../../tasksets/kernels/programs/singh22/his.json"),
    include_str!("../../../tasksets/kernels/programs/matmul.json"),
];

/// Returns the launch of a program with `blocks` blocks, at an address that depends on `place`.
fn launch(program: usize, blocks: u64, place: u64) -> Launch {
    let program: Program = serde_json::from_str(PROGRAMS[program]).unwrap();
    let overrides = Overrides {
        grid: Some(blocks.to_string().parse().unwrap()),
        ..Overrides::default()
    };
    let mut program = program.with(&overrides).unwrap();
    let first = &mut program.buffers.first_mut().unwrap().1;
    first.address = Some(0xC000_0000 + (place << 24));
    Launch::of_program(&program).unwrap()
}

fn run_all(machine: &Machine, launches: &[Launch], scheduler: Scheduler) -> Results {
    let settings = Settings {
        scheduler,
        limit: 2_000_000,
        ..Settings::default()
    };
    simulate(machine, launches, &settings).unwrap()
}

/// Number of copies in the reference.
const COPIES: usize = 60;

/// Compares a kernel that repeats with many copies of this kernel in a queue.
#[test]
fn a_kernel_that_repeats_equals_copies_in_a_queue() {
    let mut repeated = 0;
    for index in 0..12 {
        let random = &mut stream(7, Purpose::RunVariants, 0, index);
        let (name, clusters) = [("rtx2060", 4), ("titanv", 2)][below(random, 2)];
        let mut shape = Machine::named(name).unwrap().into_shape();
        shape.clusters = clusters;
        // Half of the runs have separate SMs. In the other runs, all blocks of the victim start at once.
        let shared = below(random, 2) == 0;
        shape.dispatch.share_sms = shared;
        let machine = Machine::new(shape).unwrap();
        let mut victim = launch(below(random, 4), [1, 4, 9][below(random, 3)], 0);
        let mut other = launch(below(random, 4), [1, 4, 8][below(random, 3)], 1);
        victim.at = [0, 1, 100, 5000][below(random, 4)];
        if shared {
            (victim.blocks, other.blocks) = (victim.blocks.min(4), other.blocks.min(4));
        } else {
            let cluster = machine.sms_per_cluster as usize;
            let its = |sm: usize| sm / cluster == 0;
            let all = 0..machine.sms() as usize;
            victim.sms = Some(all.clone().map(its).collect());
            other.sms = Some(all.map(|sm| !its(sm)).collect());
        }
        let scheduler = [Scheduler::Lrr, Scheduler::Gto][below(random, 2)];
        let copy = |priority: usize| Launch {
            source: other.source.clone(),
            name: format!("copy {priority}"),
            sms: other.sms.clone(),
            queue: Some(Queued {
                queue: 0,
                priority: priority as u64,
            }),
            channels: None,
            l2_ways: None,
            ..other
        };
        let copies: Vec<Launch> = (0..COPIES).map(copy).collect();
        let of = |victim: &Launch| Launch {
            source: victim.source.clone(),
            name: victim.name.clone(),
            sms: victim.sms.clone(),
            channels: None,
            l2_ways: None,
            ..*victim
        };
        let all: Vec<Launch> = std::iter::once(of(&victim)).chain(copies).collect();
        let reference = run_all(&machine, &all, scheduler);
        other.repeats = true;
        let results = run_all(&machine, &[victim, other], scheduler);
        let end = reference.kernels[0].finish;
        assert!(reference.cycles > end + 1, "too few copies");
        assert_eq!(results.kernels[0].finish, end);
        assert_eq!(results.kernels[0].first_block, reference.kernels[0].first_block);
        assert_eq!(results.cycles, end + 1);
        let own = |results: &Results| {
            let blocks = results.blocks.iter().filter(|block| block.kernel == 0);
            blocks.copied().collect::<Vec<BlockRecord>>()
        };
        assert_eq!(own(&results), own(&reference));
        assert_eq!(
            results.kernels[0].warp_instructions,
            reference.kernels[0].warp_instructions
        );
        repeated += u32::from(reference.kernels[2].first_block.is_some_and(|start| start < end));
    }
    assert!(repeated >= 4, "only {repeated} runs have a second round");
}

/// Returns the largest number of blocks of `kernel` on one SM at the same time.
fn most_at_once(results: &Results, kernel: usize) -> usize {
    let blocks: Vec<&BlockRecord> = results
        .blocks
        .iter()
        .filter(|block| block.kernel == kernel)
        .collect();
    let at = |now: &BlockRecord| {
        let others = blocks
            .iter()
            .filter(|of| of.sm == now.sm && of.start <= now.start && now.start < of.end);
        others.count()
    };
    blocks.iter().map(|block| at(block)).max().unwrap_or(0)
}

#[test]
fn a_kernel_has_at_most_its_number_of_blocks_on_an_sm() {
    for (name, share) in [("rtx2060", true), ("titanv", true), ("rtx2060", false)] {
        let mut shape = Machine::named(name).unwrap().into_shape();
        shape.clusters = 2;
        shape.dispatch.share_sms = share;
        let machine = Machine::new(shape).unwrap();
        for most in [1, 2, 3] {
            let mut launches = [launch(0, 40, 0), launch(1, 40, 1)];
            launches[0].resident = Some(most);
            let results = run_all(&machine, &launches, Scheduler::Lrr);
            assert_eq!(most_at_once(&results, 0), most as usize, "{name}");
            if share {
                assert!(most_at_once(&results, 1) > 0);
                // The second kernel does not wait for the last block of the first kernel.
                let last = results
                    .blocks
                    .iter()
                    .filter(|block| block.kernel == 0)
                    .map(|block| block.start)
                    .max();
                assert!(results.kernels[1].first_block < last, "{name}");
            }
        }
    }
}

const PROFILE: &str = "simulate profile tasksets/kernels/programs/pc.json --machine rtx2060 --sms 2..4:2 --grid 24 --vary 2 --seed 3 \
     --beside tasksets/kernels/programs/vadd.json";

#[test]
fn a_profile_beside_a_kernel_feeds_the_fit() {
    let folder = tempfile::tempdir().unwrap();
    let one = run(&format!("{PROFILE} --traffic --format csv --threads 1 -q"));
    let four = run(&format!("{PROFILE} --traffic --format csv --threads 4 -q"));
    assert_eq!((one.code, one.stderr.as_str()), (0, ""));
    assert_eq!(one, four);
    let rows: Vec<Vec<&str>> = one.stdout.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!(rows[0][..5], ["sms", "contention", "other", "cycles", "time_ns"]);
    let labels: Vec<[&str; 3]> = rows[1..].iter().map(|row| [row[0], row[1], row[2]]).collect();
    let expected = [
        ["2", "isolated", ""],
        ["2", "conflict", "vadd"],
        ["4", "isolated", ""],
        ["4", "conflict", "vadd"],
    ];
    assert_eq!(labels, expected);
    let cycles = |row: usize| rows[row][3].parse::<u64>().unwrap();
    assert!(cycles(2) > cycles(1) && cycles(4) > cycles(3), "{}", one.stdout);

    let csv = write(folder.path(), "points.csv", &one.stdout);
    let fit = json(&format!("wcet fit {csv} --form table"));
    let ns = |of: &str, point: usize| fit[of]["points"][point]["longest_ns"].as_u64().unwrap();
    for (point, row) in [(0, 1), (1, 3)] {
        assert_eq!(ns("isolated", point).to_string(), rows[row][4]);
        assert_eq!(ns("conflict", point).to_string(), rows[row + 1][4]);
    }

    let profile = json(PROFILE);
    assert_eq!(profile["beside"], "vadd");
    assert_eq!(profile["points"][1]["conflict"], true);
    // Instructions and L2 accesses of the second kernel do not count.
    for field in ["warp_instructions", "l2_accesses", "traffic_bytes"] {
        assert_eq!(
            profile["points"][0][field], profile["points"][1][field],
            "{field}"
        );
    }
}

/// Entries of the table of slowdowns of the programs of [Singh22] on 4 SMs of titanv under LRR, measured independently
/// with particular launch times and a given content of L2. Our times are the longest over both contents, so an entry may
/// differ by up to 15 %.
#[test]
fn slowdowns_agree_with_an_independent_table() {
    let folder = "tasksets/kernels/programs/singh22";
    let line = format!("simulate matrix {folder}/pc.json {folder}/vec.json --machine titanv --sms 4 --scale");
    let matrix = json(&line);
    for (index, expected) in [1.99, 1.41, 1.07, 1.82].into_iter().enumerate() {
        let pair = &matrix["pairs"][index];
        let found = pair["slowdown_permille"].as_u64().unwrap() as f64 / 1000.0;
        assert!((found / expected - 1.0).abs() < 0.15, "{pair}: {expected}");
    }
}

#[test]
fn a_matrix_has_a_row_for_each_pair_and_setting() {
    let folder = tempfile::tempdir().unwrap();
    let small = write(folder.path(), "small.json", SMALL);
    let line = format!(
        "simulate matrix {small} {small} --machine rtx2060 --sms 1,2 --scheduler lrr,qaws --budgets 1:1,1:2 --l2 cold --vary 2 --seed 5"
    );
    let one = run(&format!("{line} --format csv --threads 1"));
    assert_eq!((one.code, one.stderr.as_str()), (0, ""));
    assert_eq!(one, run(&format!("{line} --format csv --threads 3")));
    assert_eq!(one.stdout.lines().count(), 1 + 3 * 2 * 4);
    let text = run(&line).stdout;
    assert_eq!(text.matches("slowdown of the row").count(), 6, "{text}");
    let matrix = json(&line);
    assert_eq!(matrix["kernels"], serde_json::json!(["small", "small-2"]));
    // Equal kernels have equal slowdowns.
    let slowdowns: Vec<u64> = (0..4)
        .map(|pair| matrix["pairs"][pair]["beside_cycles"].as_u64().unwrap())
        .collect();
    assert!(
        slowdowns.iter().all(|cycles| *cycles == slowdowns[0]),
        "{slowdowns:?}"
    );
}

#[test]
fn bad_pairs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let large = write(
        folder.path(),
        "large.json",
        &SMALL.replace(r#""block":64"#, r#""block":1024"#),
    );
    let small = write(folder.path(), "small.json", SMALL);
    let trace = "tasksets/traces/accelsim/kernel-1.traceg";
    let profile = format!("simulate profile {small} --machine rtx2060 --sms 1");
    let matrix = format!("simulate matrix {small} --machine rtx2060");
    for (line, expected) in [
        (format!("{profile} --beside {trace}"), "a program"),
        (format!("{profile} --beside {large}"), "more than half of an SM"),
        (
            format!("{profile} --beside {small} --l2 thrashed"),
            "warm or cold",
        ),
        (
            format!("{profile} --beside {small} --scheduler qaws --budget 1"),
            "beside-budget",
        ),
        (
            format!("{profile} --beside {small} --beside-budget 1"),
            "beside-budget",
        ),
        (format!("{profile} --beside missing.json"), "missing.json"),
        (
            format!("simulate profile {large} --machine rtx2060 --sms 1 --beside {small}"),
            "more than half of an SM",
        ),
        (format!("{matrix} {large}"), "more than half of an SM"),
        (format!("{matrix} {trace}"), "a program"),
        (format!("{matrix} --sms 31"), "1 to 30"),
        (format!("{matrix} --scheduler qaws"), "budgets"),
        (format!("{matrix} --budgets 1:1"), "budgets"),
        (format!("{matrix} --budgets 1"), "OWN:OTHER"),
    ] {
        run(&line).assert_refused(&line, expected);
    }
    let run_file = |kernels: &str| {
        let text = format!(r#"{{"machine":"rtx2060","kernels":[{kernels}]}}"#);
        write(folder.path(), "run.json", &text)
    };
    for (kernels, expected) in [
        (
            format!(r#"{{"program":"{small}","repeats":true}}"#),
            "at least one kernel that runs once",
        ),
        (format!(r#"{{"program":"{small}","resident":0}}"#), "at least 1"),
        (
            format!(r#"{{"program":"{small}"}},{{"program":{{"trace":"k.traceg"}},"repeats":true}}"#),
            "each block once",
        ),
    ] {
        let line = format!("simulate warps {}", run_file(&kernels));
        run(&line).assert_refused(&line, expected);
    }
}
