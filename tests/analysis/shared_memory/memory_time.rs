//! Guarantee: with memory times, the delay is the sum of the memory times of whole jobs. More sectors, slower rates and
//! a larger variation never improve a result. A missing value is an error. `verify` recomputes all numbers.

use std::num::NonZeroU32;

use gpusched::interference::bandwidth::{PortModel, Shared, Source, memory_time};
use gpusched::interference::{Interference, model_of};
use gpusched::model::plan::Plan;
use gpusched::model::{
    Arbitration, Bandwidth, Evidence, MemoryTime, Policy, RateForm, Sectors, SharedMemory, Task, TaskSet,
};
use gpusched::partitioning::{Heuristic, HeuristicKind, Problem, partition};
use gpusched::simulator::validation::shared::draw::policies;
use gpusched::time::Time;
use gpusched::verification::verify;
use rand::Rng;

use crate::shared_memory::{between, capacity, ns, rng, set};
use crate::support::rounds;
use crate::support::run_with;

/// Rates at which a sector takes 1 ns at L2 and 1 ns at DRAM. The memory time of a job is 2R + 3W.
fn simple(form: RateForm, variation_percent: u32) -> MemoryTime {
    time(form, (32, 32), variation_percent)
}

/// Memory times at rates in GB/s.
fn time(form: RateForm, (l2, dram): (u64, u64), variation_percent: u32) -> MemoryTime {
    MemoryTime {
        form,
        l2_bytes_per_second: capacity(l2),
        dram_bytes_per_second: capacity(dram),
        variation_percent,
        own_l2: false,
        camping_limit: None,
    }
}

/// Returns the response times of `set` in isolation on one partition per task, under `policy`.
fn responses(set: &TaskSet, policy: Policy, memory: SharedMemory) -> Vec<Option<Time>> {
    let problem = Problem::new(set, 16, policy, model_of(Interference::Conflict)).unwrap();
    let problem = problem.sharing(memory).unwrap();
    let singles: Vec<Vec<usize>> = (0..set.tasks().len()).map(|task| vec![task]).collect();
    let parts: Vec<(&[usize], u32)> = singles.iter().map(|tasks| (&tasks[..], 1)).collect();
    let verdicts = problem.verdicts(&parts).into_iter();
    let of = |evidence: Evidence| match evidence {
        Evidence::ResponseTimes {
            response_times_ns, ..
        } => response_times_ns.first().copied(),
        _ => None,
    };
    verdicts.map(|verdict| of(verdict.evidence)).collect()
}

/// Victim: C = 10 us, and 10.2 us with the variation of 2 %. Its 5 reads evict up to 20 dirty sectors, which take 20 ns. The
/// other job has M = 2·1000 + 3·2000 ns = 8 us, and two of its jobs overlap a window of less than 100 us:
/// 10.2 + 0.02 + 2·8 = 26.22 us. With DRAM at 4 GB/s, the write-backs take 160 ns, M = 3000 + 8·5000 ns = 43 us, and
/// 10.2 + 0.16 + 2·43 = 96.36 us. A source of 65 bytes moves three sectors as writes, so M = 9 ns, and
/// ⌊(t + 150 us)/100 us⌋ + 1 periods overlap t.
#[test]
fn golden_numbers_by_hand() {
    let tasks = r#"{"name":"victim","period":"1ms","sectors":{"reads":5,"writes":0,"drain":{"l2":"100GB/s","dram":"100GB/s"}},"wcet":{"table":[[1,"10us"]]}},
        {"name":"other","period":"100us","sectors":{"reads":1000,"writes":2000,"drain":{"l2":"100GB/s","dram":"4GB/s"}},"wcet":{"table":[[1,"20us"]]}}"#;
    let plain = set(&format!(r#"{{"tasks":[{tasks}]}}"#));
    let noisy = set(&format!(
        r#"{{"tasks":[{tasks}],"other_traffic":[{{"traffic":65,"period":"100us","deadline":"50us"}}]}}"#
    ));
    let dm: Policy = "dm".parse().unwrap();
    let victim = |set: &TaskSet, form, variation| responses(set, dm, simple(form, variation).into())[0];
    assert_eq!(victim(&plain, RateForm::Universal, 2), Some(ns(26_220)));
    assert_eq!(victim(&plain, RateForm::Balanced, 0), Some(ns(26_020)));
    assert_eq!(victim(&plain, RateForm::OwnDrain, 2), Some(ns(96_360)));
    assert_eq!(victim(&noisy, RateForm::Universal, 2), Some(ns(26_238)));
    // With ways of L2 of its own, the other job moves 600 sectors at DRAM: M = 3000 + 600 ns. The victim moves 5 and delays
    // the other job as before.
    let own = set(&format!(
        r#"{{"tasks":[{}]}}"#,
        tasks.replace("2000,", "2000,\"dram\":600,")
    ));
    let own_l2 = MemoryTime {
        own_l2: true,
        ..simple(RateForm::Universal, 0)
    };
    assert_eq!(
        responses(&own, dm, own_l2.into()),
        [Some(ns(17_220)), Some(ns(22_020))]
    );
    assert_eq!(victim(&own, RateForm::Universal, 0), Some(ns(26_020)));
    // The other job finds at most the 2000 sectors that it writes itself. The victim delays it by 2·5 ns per job, and two jobs
    // of the victim may overlap.
    assert_eq!(
        responses(&plain, dm, simple(RateForm::Universal, 0).into())[1],
        Some(ns(22_020))
    );
}

/// The memory time of a job with `reads` and `writes` at two rates [bytes per second].
fn of_job(reads: u64, writes: u64, l2: u64, dram: u64) -> u128 {
    let sectors = Sectors::new(reads, writes, None).unwrap();
    let rates = MemoryTime {
        l2_bytes_per_second: Bandwidth::new(l2).unwrap(),
        dram_bytes_per_second: Bandwidth::new(dram).unwrap(),
        ..simple(RateForm::Universal, 0)
    };
    memory_time::of_job(sectors, rates)
}

/// By hand: 32·3/3 + 32·4/7 = 32 + 18 + 2/7 ns, and 32/3 + 32/3 = 21 + 1/3 ns.
#[test]
fn sums_are_rounded_up_once() {
    let (three, seven) = (3_000_000_000, 7_000_000_000);
    assert_eq!(of_job(2, 1, three, seven), 51);
    assert_eq!(of_job(1, 0, three, three), 22);
    assert_eq!(of_job(3, 0, three, three), 64);
    assert_eq!(of_job(0, 0, 1, 1), 0);
    let most = 1_000_000_000_000;
    assert_eq!(of_job(most, most, 1, 1), 160 * u128::from(most) * 1_000_000_000);
}

/// Computations with the extreme values of files do not overflow.
#[test]
fn large_numbers_stay_exact() {
    let limit = Bandwidth::LIMIT.bytes_per_second();
    let most = limit / 32;
    let by_l2 = u128::from(2 * most) * 32_000_000_000;
    let by_dram = u128::from(3 * most) * 32_000_000_000;
    let rates = (u128::from(limit - 1), u128::from(limit));
    let whole = by_l2 / rates.0 + by_dram / rates.1;
    let found = of_job(most, most, limit - 1, limit);
    assert!(whole <= found && found <= whole + 2, "{found} {whole}");
}

/// A set with `traffic` M·B and `bandwidth` B has the same response time under the bandwidth form, if neither d·C nor
/// a window that contains only a part of a job limits the bytes.
#[test]
fn a_hand_made_set_of_bytes_agrees() {
    let bytes = set(r#"{"tasks":[{"period":"1ms","wcet":{"table":[[1,10200]]}},
        {"period":"100us","traffic":8000,"bandwidth":"1GB/s","wcet":{"table":[[1,"20us"]]}}]}"#);
    let sectors = set(
        r#"{"tasks":[{"period":"1ms","sectors":{"reads":0,"writes":0},"wcet":{"table":[[1,"10us"]]}},
        {"period":"100us","sectors":{"reads":1000,"writes":2000},"wcet":{"table":[[1,"20us"]]}}]}"#,
    );
    let dm: Policy = "dm".parse().unwrap();
    let time = simple(RateForm::Universal, 2).into();
    let bytes = responses(&bytes, dm, SharedMemory::new(capacity(1), Arbitration::Any));
    assert_eq!(bytes[0], responses(&sectors, dm, time)[0]);
    assert_eq!(bytes[0], Some(ns(26_200)));
}

/// The delay by memory times is never below the delay by equal bytes, which count only parts of the outer jobs.
#[test]
fn whole_jobs_count_at_least_their_bytes() {
    let mut rng = rng(81);
    for _ in 0..rounds(2_000) {
        let (period, deadline) = (between(&mut rng, 2, 60), between(&mut rng, 2, 120));
        let (reads, writes) = (between(&mut rng, 0, 20), between(&mut rng, 0, 20));
        let sectors = Sectors::new(reads, writes, None).unwrap();
        let form = simple(RateForm::Universal, 0);
        let m = memory_time::of_job(sectors, form);
        assert_eq!(m, u128::from(2 * reads + 3 * writes));
        let task: Task = serde_json::from_str(&format!(
            r#"{{"period":{period},"deadline":{deadline},"sectors":{{"reads":{reads},"writes":{writes}}},
            "traffic":{m},"bandwidth":"1GB/s","wcet":{{"table":[[1,{deadline}]]}}}}"#
        ))
        .unwrap();
        let of_bytes = Source::of_task(&task, 1, None, capacity(1));
        let of_time = Source::of_task_time(&task, form, &PortModel::default(), Shared::default());
        for window in 0..150 {
            // Every arrival pattern with the first job at `first` overlaps the window with at most this many jobs.
            let jobs = (0..=deadline)
                .map(|late| (late + window) / period + 1)
                .max()
                .unwrap();
            let whole = (u128::from(jobs) * m).min(window.into());
            assert_eq!(of_time.within(window), whole);
            assert!(of_bytes.within(window) <= whole * 1_000_000_000);
        }
    }
}

fn draw(rng: &mut impl Rng) -> TaskSet {
    let tasks: Vec<String> = (0..between(rng, 3, 7))
        .map(|_| {
            let period = between(rng, 1, 10) * 10;
            let work = period * between(rng, 20, 200) / 100;
            let kind = ["compute", "memory"][usize::from(between(rng, 0, 1) == 0)];
            let drain = format!(
                r#","drain":{{"l2":"{}GB/s","dram":"{}GB/s"}}"#,
                between(rng, 5, 90),
                between(rng, 1, 60)
            );
            let dram = match between(rng, 0, 2) {
                0 => String::new(),
                _ => format!(r#","dram":{}"#, between(rng, 0, 200_000)),
            };
            format!(
                r#"{{"period":"{period}ms","kind":"{kind}","sectors":{{"reads":{},"writes":{}{dram}{drain},"camping_percent":300}},
                "wcet":{{"amdahl":{{"work":"{work}ms","serial":0.02,"conflict":1.3}}}}}}"#,
                between(rng, 0, 400_000),
                between(rng, 0, 200_000)
            )
        })
        .collect();
    let other = match between(rng, 0, 2) {
        0 => r#","other_traffic":[{"traffic":"90kB","period":"1ms"}]"#,
        _ => "",
    };
    set(&format!(r#"{{"tasks":[{}]{other}}}"#, tasks.join(",")))
}

fn drawn_time(rng: &mut impl Rng) -> MemoryTime {
    let forms = [RateForm::Universal, RateForm::Balanced, RateForm::OwnDrain];
    let form = forms[usize::try_from(between(rng, 0, 2)).unwrap()];
    MemoryTime {
        own_l2: between(rng, 0, 1) == 0,
        camping_limit: NonZeroU32::new(3 * u32::from(between(rng, 0, 1) == 0)),
        ..time(
            form,
            (between(rng, 10, 100), between(rng, 2, 60)),
            u32::try_from(between(rng, 0, 5)).unwrap(),
        )
    }
}

/// More sectors, slower rates or a larger variation never make a partition schedulable or faster.
#[test]
fn more_is_never_better() {
    let (mut rng, mut changed, mut failed) = (rng(82), 0, 0);
    let dm: Policy = "dm".parse().unwrap();
    for round in 0..rounds(400) {
        let (set, time) = (draw(&mut rng), drawn_time(&mut rng));
        let mut worse = time;
        let mut heavier = set.clone();
        match round % 4 {
            0 => worse.variation_percent += 3,
            1 => worse.l2_bytes_per_second = capacity(5),
            2 => worse.dram_bytes_per_second = capacity(1),
            _ => {
                let mut json = serde_json::to_value(&set).unwrap();
                for field in ["reads", "writes"] {
                    let number = &mut json["tasks"][0]["sectors"][field];
                    *number = (number.as_u64().unwrap() * 3 + 1).into();
                }
                heavier = serde_json::from_value(json).unwrap();
            }
        }
        let before = responses(&set, dm, time.into());
        let after = responses(&heavier, dm, worse.into());
        for (before, after) in before.iter().zip(&after) {
            match (before, after) {
                (None, after) => assert_eq!(*after, None),
                (Some(_), None) => failed += 1,
                (Some(before), Some(after)) => {
                    assert!(after >= before);
                    changed += usize::from(after > before);
                }
            }
        }
    }
    assert!(changed > rounds(100) && failed > rounds(10), "{changed} {failed}");
}

fn plan(set: &TaskSet, policy: Policy, memory: SharedMemory, kind: HeuristicKind) -> Plan {
    let problem = Problem::new(set, 16, policy, model_of(Interference::Conflict)).unwrap();
    partition(&problem.sharing(memory).unwrap(), &Heuristic::from(kind))
}

/// `verify` accepts plans of all policies and heuristics, and refuses plans with other rates, another variation,
/// another form, other evidence, or for other sectors.
#[test]
fn plans_are_verified_and_their_changes_noticed() {
    let kinds = [
        HeuristicKind::Auto,
        HeuristicKind::Sms,
        HeuristicKind::OnePerPartition,
        HeuristicKind::Ffd,
    ];
    let (mut rng, policies) = (rng(83), policies());
    let (mut schedulable, mut refused, mut ways) = (0, 0, 0);
    for round in 0..rounds(300) {
        let (set, time) = (draw(&mut rng), drawn_time(&mut rng));
        let policy = policies[round % policies.len()];
        let plan = plan(
            &set,
            policy,
            time.into(),
            kinds[round / policies.len() % kinds.len()],
        );
        verify(&plan, &set).unwrap_or_else(|fault| panic!("{fault}: {plan:?}"));
        assert_eq!(plan.interference, Some(Interference::ConflictMemoryTime));
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
        if !plan.schedulable || plan.partitions.len() < 2 {
            continue;
        }
        schedulable += 1;
        let with = |memory: Option<SharedMemory>, interference| {
            let changed = Plan {
                memory,
                interference: Some(interference),
                ..plan.clone()
            };
            verify(&changed, &set)
        };
        let both = Interference::ConflictMemoryTime;
        assert_eq!(with(None, both).unwrap_err().field, "memory");
        let bandwidth = SharedMemory::new(capacity(9), Arbitration::Any);
        assert_eq!(
            with(Some(bandwidth), both).unwrap_err().field,
            "memory.memory_time"
        );
        let wrong = with(plan.memory, Interference::ConflictBandwidth);
        assert_eq!(wrong.unwrap_err().field, "memory.memory_time");
        let other = MemoryTime {
            variation_percent: time.variation_percent + 40,
            ..time
        };
        let slower = MemoryTime {
            l2_bytes_per_second: capacity(1),
            dram_bytes_per_second: capacity(1),
            ..time
        };
        for memory in [other, slower] {
            refused += usize::from(with(Some(memory.into()), both).is_err());
        }
        let stricter = MemoryTime {
            camping_limit: NonZeroU32::new(2),
            ..time
        };
        let fault = with(Some(stricter.into()), both).unwrap_err();
        assert_eq!(fault.field, "memory.memory_time.camping_limit");
        let other_l2 = MemoryTime {
            own_l2: !time.own_l2,
            ..time
        };
        ways += usize::from(with(Some(other_l2.into()), both).is_err());
        let mut json = serde_json::to_value(&set).unwrap();
        for task in json["tasks"].as_array_mut().unwrap() {
            let number = &mut task["sectors"]["writes"];
            *number = (number.as_u64().unwrap() * 20 + 1_000_000).into();
        }
        refused += usize::from(verify(&plan, &serde_json::from_value(json.clone()).unwrap()).is_err());
        json["tasks"][0].as_object_mut().unwrap().remove("sectors");
        let silent: TaskSet = serde_json::from_value(json).unwrap();
        assert_eq!(verify(&plan, &silent).unwrap_err().field, "memory.memory_time");
        for partition in 0..plan.partitions.len() {
            let mut changed = plan.clone();
            let less = |time: &mut Time| *time = Time::from_ns(time.ns() - 1);
            match &mut changed.partitions[partition].verdict.evidence {
                Evidence::ResponseTimes {
                    response_times_ns, ..
                } => less(&mut response_times_ns[0]),
                Evidence::DemandWithinSupply { checked, .. } if !checked.is_empty() => {
                    less(&mut checked[0].1)
                }
                _ => continue,
            }
            assert!(verify(&changed, &set).is_err(), "{changed:?}");
        }
    }
    assert!(
        schedulable > rounds(50) && refused > rounds(100),
        "{schedulable} {refused}"
    );
    assert!(ways > rounds(20), "{ways}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let silent = set(r#"{"tasks":[{"name":"lidar","period":9,"wcet":{"table":[[1,1]]}}]}"#);
    let stated = set(r#"{"tasks":[{"period":9,"sectors":{"reads":1,"writes":1},"wcet":{"table":[[1,1]]}}]}"#);
    let shared = |set: &TaskSet, policy: &str, memory: SharedMemory| {
        let policy: Policy = policy.parse().unwrap();
        let problem = Problem::new(set, 1, policy, model_of(Interference::None)).unwrap();
        problem
            .sharing(memory)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    let memory: SharedMemory = simple(RateForm::Universal, 2).into();
    let message = shared(&silent, "edf", memory).unwrap_err();
    assert!(
        message.contains("tasks[0].sectors: found none") && message.contains("\"lidar\""),
        "{message}"
    );
    assert!(message.contains("hint: count the sectors"), "{message}");
    // The balanced rates would be optimistic for a kernel that camps and does not state its own rates.
    let own: SharedMemory = simple(RateForm::OwnDrain, 2).into();
    let message = shared(&stated, "edf", own).unwrap_err();
    assert!(
        message.contains("tasks[0].sectors.drain: found none"),
        "{message}"
    );
    let fair = SharedMemory {
        arbitration: Arbitration::MaxMin,
        ..memory
    };
    assert!(
        shared(&stated, "edf", fair)
            .unwrap_err()
            .contains("arbitration: found max-min")
    );
    assert!(
        shared(&stated, "lp-edf", memory)
            .unwrap_err()
            .contains("policy: found lp-edf")
    );
    assert_eq!(shared(&stated, "edf", memory), Ok(()));
    let limited = MemoryTime {
        camping_limit: NonZeroU32::new(4),
        ..simple(RateForm::Universal, 2)
    };
    let camps = |percent: &str| {
        let text = format!(
            r#"{{"tasks":[{{"period":9,"sectors":{{"reads":1,"writes":1{percent}}},"wcet":{{"table":[[1,1]]}}}}]}}"#
        );
        shared(&set(&text), "edf", limited.into())
    };
    assert_eq!(camps(r#","camping_percent":400"#), Ok(()));
    for (factor, found) in [("", "found none"), (r#","camping_percent":401"#, "found 401")] {
        let message = camps(factor).unwrap_err();
        assert!(
            message.contains(&format!("tasks[0].sectors.camping_percent: {found}"))
                && message.contains("at most 400"),
            "{message}"
        );
    }
}

const RATES: &str = r#"{"machine":"rtx2060","cycles":7,
 "universal":{"l2_bytes_per_second":43500000000,"dram_bytes_per_second":1350000000,"kernel":"x"},
 "balanced":{"l2_bytes_per_second":367000000000,"dram_bytes_per_second":110000000000}}"#;

const SET: &str = r#"{"tasks":[
 {"name":"copy","period":"10ms","kind":"memory","sectors":{"reads":61440,"writes":61440,"accepting":true,"drain":{"l2":"300GB/s","dram":"200GB/s"}},"wcet":{"table":[[10,"1ms"]]}},
 {"name":"filter","period":"10ms","kind":"memory","sectors":{"reads":2304,"writes":1024,"accepting":true,"drain":{"l2":"300GB/s","dram":"200GB/s"}},"wcet":{"table":[[10,"500us"]]}}]}"#;

/// The text and the JSON of each verdict state the strength of the form. `verify` accepts a form that is only tested
/// as proof only if the user states this form.
#[test]
fn every_verdict_states_its_strength() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("rates.json"), RATES).unwrap();
    std::fs::write(path("set.json"), SET).unwrap();
    let rates = path("rates.json");
    let strength = "counterexamples known";
    for (form, id) in [
        ("", "memory-time-universal"),
        ("--memory-time universal", "memory-time-universal"),
        ("--memory-time balanced", "memory-time-tested"),
        ("--memory-time own-drain", "memory-time-tested"),
    ] {
        for command in ["test", "partition"] {
            let ask = |format: &str| {
                let line = format!(
                    "{command} - --gpu rtx2060 --interference memory-time --memory-rates {rates} {form} {format}"
                );
                let answer = run_with(&line, SET);
                let warned = answer
                    .stderr
                    .lines()
                    .all(|line| line.starts_with("warning: partitions "));
                assert!(answer.code == 0 && warned, "{line}: {answer:?}");
                answer.stdout
            };
            let text = ask("");
            assert!(text.matches(strength).count() >= 2, "{text}");
            assert!(ask("-q").contains(strength));
            let json: serde_json::Value = serde_json::from_str(&ask("--format json")).unwrap();
            let list = json["assumptions"].as_array().unwrap();
            assert!(list.iter().any(|one| one["id"] == id), "{list:?}");
        }
        let plan = path("plan.json");
        let line = format!(
            "partition - --sms 30 --heuristic one-per-partition --interference memory-time --memory-rates {rates} {form} -o {plan}"
        );
        assert_eq!(run_with(&line, SET).code, 0);
        let verify = |options: &str| run_with(&format!("verify {plan} - {options}"), SET);
        let plain = verify("");
        assert!(plain.stdout.contains(strength), "{}", plain.stdout);
        assert!(
            plain.code == 1 && plain.stdout.contains("not proven"),
            "{}",
            plain.stdout
        );
        // The page has no option that accepts a form.
        let page = run_with(&format!("report {plan} -"), SET);
        assert!(page.code == 1 && page.stdout.contains("</span> Not proven</h2>"));
        let accepted = verify(&format!("--memory-rates {rates} --variation 20 {form}"));
        assert_eq!(accepted.code, i32::from(form.is_empty()), "{}", accepted.stdout);
        let other = verify("--variation 3");
        assert!(
            other
                .stdout
                .contains("memory.memory_time.variation_percent: found 20, expected 3"),
            "{}",
            other.stdout
        );
    }
}

/// A plan for partitions with ways of L2 of their own proves something only if the user states these ways.
#[test]
fn own_ways_must_be_stated() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("rates.json"), RATES).unwrap();
    let (rates, plan) = (path("rates.json"), path("plan.json"));
    let set = SET.replace(
        r#""writes":61440,"#,
        r#""writes":61440,"dram":70000,"camping_percent":250,"#,
    );
    let set = set.replace(r#""writes":1024,"#, r#""writes":1024,"camping_percent":400,"#);
    let times = format!("--interference memory-time --memory-rates {rates}");
    let line = format!(
        "partition - --sms 30 --heuristic one-per-partition {times} --own-l2 --camping-limit 4 -o {plan}"
    );
    let answer = run_with(&line, set.as_str());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let verify = |options: &str| run_with(&format!("verify {plan} - {options}"), set.as_str());
    let plain = verify("");
    assert_eq!(plain.code, 1, "{}", plain.stdout);
    assert!(
        plain.stdout.contains("counterexamples known") && plain.stdout.contains("--own-l2"),
        "{}",
        plain.stdout
    );
    assert_eq!(verify("--own-l2").code, 1);
    assert_eq!(verify("--memory-time universal").code, 1);
    assert_eq!(verify("--memory-time universal --own-l2").code, 0);
    let limited = run_with(&line.replace("limit 4", "limit 3"), set.as_str());
    assert_eq!(limited.code, 2);
    assert!(
        limited
            .stderr
            .contains("tasks[1].sectors.camping_percent: found 400")
            && limited
                .stderr
                .contains(", with --camping-limit 3\n\nhint: `simulate profile"),
        "{}",
        limited.stderr
    );
}

/// `--memory-bandwidth` from the peak on causes a warning. If the peak is unknown, there is a note. Rates of another GPU cause a note, too.
#[test]
fn rates_that_cannot_be_right_cause_a_note() {
    let task = r#"{"tasks":[{"period":"10ms","wcet":{"table":[[1,"1ms"]]}}]}"#;
    let notes = |gpu: &str, rate: &str| {
        let line = format!("test - --gpu {gpu} --interference bandwidth --memory-bandwidth {rate}");
        run_with(&line, task).stderr
    };
    assert_eq!(notes("rtx2060", "335GB/s"), "");
    let note = notes("rtx2060", "336GB/s");
    assert!(
        note.contains("`--memory-bandwidth 336GB/s` is unsafe: the peak of `rtx2060`"),
        "{note}"
    );
    let note = notes("pegasus", "1TB/s");
    assert!(
        note.contains("does not know the peak memory bandwidth of `pegasus`"),
        "{note}"
    );
    let folder = tempfile::tempdir().unwrap();
    let rates = folder.path().join("rates.json");
    std::fs::write(&rates, RATES).unwrap();
    let line = format!(
        "test - --gpu titanv --interference memory-time --memory-rates {}",
        rates.display()
    );
    let answer = run_with(&line, SET);
    assert!(
        answer
            .stderr
            .contains("are rates of `rtx2060`, but the GPU is `titanv`"),
        "{}",
        answer.stderr
    );
    for (options, expected) in [
        ("--sms 9 --interference memory-time", "--memory-rates: found none"),
        (
            "--sms 9 --variation 3",
            "--variation: found --interference conflict, expected conflict+memory-time",
        ),
        (
            "--sms 9 --interference memory-time --memory-bandwidth 9GB/s",
            "--memory-bandwidth: found --interference memory-time",
        ),
    ] {
        let answer = run_with(&format!("test - {options}"), SET);
        assert_eq!(answer.code, 2, "{options}");
        assert!(answer.stderr.contains(expected), "{options}: {}", answer.stderr);
    }
    let line = format!(
        "partition - --gpu a100 --granularity mig --interference memory-time --memory-rates {}",
        rates.display()
    );
    let answer = run_with(&line, SET);
    assert!(
        answer
            .stderr
            .contains("--granularity: found mig with memory times"),
        "{}",
        answer.stderr
    );
}
