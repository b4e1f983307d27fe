//! Hardware partitions that share one memory. Plans of all granularities are verified, and changed plans are rejected.
//! Bounds hold, and the WCET of a kernel on memory slices is tight.

use gpusched::generation::{Recipe, Source};
use gpusched::interference::{Interference, model_of};
use gpusched::model::device::{Device, Granularity, Instance, Place};
use gpusched::model::plan::{Plan, Proof};
use gpusched::model::policy::Strength;
use gpusched::model::{Arbitration, Bandwidth, Interference as Model, Policy, SharedMemory, TaskSet};
use gpusched::partitioning::{Heuristic, HeuristicKind, Offer, Options, Problem, partition};
use gpusched::simulator::validation::draw::rounded;
use gpusched::simulator::validation::shared::draw::policies;
use gpusched::time::Time;
use gpusched::verification::verify;
use rand::Rng;

use crate::granularity::GRANULARITIES;
use crate::shared_memory::{between, rng};
use crate::support::rounds;

/// GPUs that support all granularities.
const DEVICES: [&str; 2] = ["a100", "h100"];

/// Generates a set with traffic, and in a third of the cases with copies. A third of the sets has round times.
fn draw(rng: &mut impl Rng, load: f64) -> TaskSet {
    let saturation = between(rng, 16, 96);
    let recipe = format!(r#"{{"wcet":"amdahl","saturation":{saturation}}}"#);
    let recipe: Recipe = serde_json::from_str(&recipe).unwrap();
    let tasks = between(rng, 3, 9) as usize;
    let source = Source::new(&recipe, tasks, load, between(rng, 0, 1 << 40)).unwrap();
    let set = source.draw(0, 0).unwrap();
    let set = match between(rng, 0, 2) {
        0 => rounded(&set, &[1, 2, 4, 8, 16, 32, 64, 128]).unwrap(),
        _ => set,
    };
    let copies = r#"[{"traffic":"3MB","period":"5ms","bandwidth":"12GB/s","batch":true}]"#;
    match between(rng, 0, 2) {
        0 => set.beside(serde_json::from_str(copies).unwrap()),
        _ => set,
    }
}

fn memory(rng: &mut impl Rng) -> SharedMemory {
    SharedMemory::new(
        Bandwidth::new(between(rng, 100, 900) * 1_000_000_000).unwrap(),
        [Arbitration::Any, Arbitration::MaxMin][usize::from(between(rng, 0, 1) == 0)],
    )
}

/// Returns plans of several heuristics, granularities and policies in turn, with their sets.
fn plans(count: usize, seed: u64) -> impl Iterator<Item = (Granularity, TaskSet, Plan)> {
    let mut rng = rng(seed);
    let kinds = [
        HeuristicKind::Auto,
        HeuristicKind::Sms,
        HeuristicKind::Bf,
        HeuristicKind::Savings,
        HeuristicKind::OnePerPartition,
        HeuristicKind::Ffd,
    ];
    (0..count).map(move |round| {
        let granularity = GRANULARITIES[round % 6];
        let kind = kinds[round / 6 % kinds.len()];
        let policy = policies()[round / 36 % policies().len()];
        let device = Device::named(DEVICES[round / 7 % 2]).unwrap();
        let load = f64::from(device.sms()) * between(&mut rng, 2, 30) as f64 / 100.0;
        let (set, memory) = (draw(&mut rng, load), memory(&mut rng));
        let offer = Offer::new(&device, granularity).unwrap();
        let problem = Problem::new(&set, device.sms(), policy, model_of(Interference::Conflict)).unwrap();
        let problem = problem.offered(&offer).unwrap().sharing(memory).unwrap();
        let budget = Options {
            search_effort: (kind == HeuristicKind::Auto).then_some(500),
            ..Options::default()
        };
        let plan = partition(&problem, &kind.with(&budget).unwrap());
        (granularity, set, plan)
    })
}

/// Returns changes that make a statement of a schedulable plan false, each with a label.
fn changes(plan: &Plan) -> Vec<(&'static str, Plan)> {
    let mut all: Vec<(&'static str, Plan)> = Vec::new();
    let mut add = |what, change: &dyn Fn(&mut Plan)| {
        let mut changed = plan.clone();
        change(&mut changed);
        if changed != *plan {
            all.push((what, changed));
        }
    };
    add("no memory", &|plan| plan.memory = None);
    add("a model without memory", &|plan| {
        plan.interference = Some(Model::Conflict)
    });
    add("no hardware", &|plan| {
        // A plan by single SMs is valid without hardware, but then it must have no placements.
        plan.hardware = None;
        plan.partitions[0].place.get_or_insert(Place::Sms(vec![0]));
    });
    add("a smaller GPU", &|plan| plan.gpu_sms -= 1);
    let places = |plan: &Plan| plan.partitions.iter().filter(|part| part.place.is_some()).count();
    for index in 0..plan.partitions.len() {
        add("one more SM", &|plan| {
            plan.partitions[index].sms += 1;
            plan.sms_used += 1;
        });
        add("one SM fewer", &|plan| {
            plan.partitions[index].sms -= 1;
            plan.sms_used -= 1;
        });
        add("no place", &|plan| plan.partitions[index].place = None);
        if places(plan) == 0 {
            add("a place of its own", &|plan| {
                plan.partitions[index].place = Some(Place::Sms((0..plan.partitions[index].sms).collect()));
            });
        }
        let other = (index + 1) % plan.partitions.len();
        add("the place of another", &|plan| {
            plan.partitions[index].place = plan.partitions[other].place.clone();
        });
        add("the task of another", &|plan| {
            let task = plan.partitions[other].tasks[0];
            plan.partitions[index].tasks.push(task);
            plan.partitions[index].tasks.sort_unstable();
        });
        add(
            "a place beyond the GPU",
            &|plan| match &mut plan.partitions[index].place {
                Some(Place::Sms(units) | Place::Tpcs(units) | Place::Gpcs(units)) => {
                    *units.last_mut().unwrap() = 1_000;
                }
                Some(Place::Instance(Instance { start, .. })) => *start = 15,
                None => {}
            },
        );
        add("a unit twice", &|plan| match &mut plan.partitions[index].place {
            Some(Place::Sms(units) | Place::Tpcs(units) | Place::Gpcs(units)) => {
                units.insert(0, units[0]);
            }
            Some(Place::Instance(Instance { profile, .. })) => profile.push('x'),
            None => {}
        });
    }
    all
}

/// The documented count is from this test with `rounds` = 6,000.
#[test]
fn plans_of_all_granularities_are_verified_and_changed_ones_refused() {
    let rounds = 1_080;
    let mut schedulable = [0; 6];
    let (mut refused, mut bounds, mut confirmed) = (0, 0, 0);
    for (round, (granularity, set, plan)) in plans(rounds, 31).enumerate() {
        let verified = verify(&plan, &set).unwrap_or_else(|fault| panic!("{fault}: {plan:?}"));
        if let Some(bound) = verified.bound {
            assert!(plan.sms_used >= bound.stated || !plan.schedulable);
            // A complete search leaves no evidence that `verify` could confirm.
            if plan
                .bound
                .as_ref()
                .is_some_and(|bound| bound.proof == Proof::Prices)
            {
                bounds += 1;
                confirmed += usize::from(bound.proven == Some(bound.stated));
            }
        }
        if !plan.schedulable {
            continue;
        }
        schedulable[round % 6] += 1;
        for (what, changed) in changes(&plan) {
            assert!(
                verify(&changed, &set).is_err(),
                "{granularity}, {what}: {changed:?}"
            );
            refused += 1;
        }
    }
    assert!(schedulable.iter().all(|&count| count > 30), "{schedulable:?}");
    assert!(refused > 10_000, "{refused}");
    assert!(
        bounds > 60 && confirmed * 10 > bounds * 9,
        "{confirmed} of {bounds}"
    );
}

/// Returns the fewest SMs of all plans of `problem` by exhaustion: every partitioning of the tasks with every size of
/// each partition.
fn fewest(problem: &Problem<'_>) -> Option<u32> {
    fn divisions(tasks: usize) -> Vec<Vec<Vec<usize>>> {
        (0..tasks).fold(vec![Vec::new()], |all, task| {
            let with = |parts: Vec<Vec<usize>>| {
                (0..=parts.len()).map(move |place| {
                    let mut parts = parts.clone();
                    match parts.get_mut(place) {
                        Some(part) => part.push(task),
                        None => parts.push(vec![task]),
                    }
                    parts
                })
            };
            all.into_iter().flat_map(with).collect()
        })
    }
    fn sizes(parts: usize, left: u32) -> Vec<Vec<u32>> {
        if parts == 0 {
            return vec![Vec::new()];
        }
        let more = |first: u32| {
            sizes(parts - 1, left - first).into_iter().map(move |mut rest| {
                rest.push(first);
                rest
            })
        };
        (1..=left).flat_map(more).collect()
    }
    let mut best = None;
    for division in divisions(problem.tasks().len()) {
        for sizes in sizes(division.len(), problem.sms()) {
            let total: u32 = sizes.iter().sum();
            if best.is_some_and(|best| best <= total) {
                continue;
            }
            let parts: Vec<(&[usize], u32)> = division
                .iter()
                .map(|part| &part[..])
                .zip(sizes.iter().copied())
                .collect();
            if problem.verdicts(&parts).iter().all(|verdict| verdict.schedulable) {
                best = Some(total);
            }
        }
    }
    best
}

/// With a shared memory, no plan has fewer SMs than the bound. `auto` and `optimal` often reach the optimum.
#[test]
fn bounds_beside_a_memory_hold() {
    let mut rng = rng(33);
    let (mut plans, mut best, mut tight) = (0, 0, 0);
    for round in 0..rounds(240) {
        let set = super::plans::draw(&mut rng);
        let few = TaskSet::new(None, set.tasks().iter().take(4).cloned().collect()).unwrap();
        let set = few.beside(set.other_traffic().to_vec());
        let memory = super::plans::memory(&mut rng);
        let policy = policies()[round % policies().len()];
        let problem = Problem::new(&set, 8, policy, model_of(Interference::Conflict)).unwrap();
        let problem = problem.sharing(memory).unwrap();
        let fewest = fewest(&problem);
        let options = Options {
            search_effort: Some(3_000),
            ..Options::default()
        };
        let kind = [HeuristicKind::Auto, HeuristicKind::Optimal][round / policies().len() % 2];
        let heuristic: Heuristic = kind.with(&options).unwrap();
        let plan = partition(&problem, &heuristic);
        verify(&plan, &set).unwrap();
        let Some(bound) = &plan.bound else {
            assert!(!plan.schedulable, "{plan:?}");
            assert_eq!(fewest, None, "{plan:?}");
            continue;
        };
        assert!(
            fewest.is_none_or(|fewest| bound.sms <= fewest),
            "{bound:?} {fewest:?}"
        );
        if plan.schedulable {
            plans += 1;
            assert!(fewest.is_some_and(|fewest| fewest <= plan.sms_used));
            best += usize::from(fewest == Some(plan.sms_used));
            tight += usize::from(bound.sms == plan.sms_used);
        }
    }
    assert!(
        plans > rounds(60) && best * 10 > plans * 8 && tight * 2 > plans,
        "{best} {tight} of {plans}"
    );
}

/// The simulated time of a kernel on an instance never exceeds C' in all shapes, and some shape reaches C'.
#[test]
fn a_kernel_on_memory_slices_takes_as_long_as_it_says() {
    use gpusched::simulator::shared::{Client, Division, Stage, Task, simulate};
    use gpusched::simulator::tasks::{Discipline, Order};
    let mut rng = rng(34);
    let device = Device::named("h100").unwrap();
    let mig = device.mig().unwrap();
    let offer = Offer::new(&device, Granularity::Mig).unwrap();
    let (mut slower, mut reached) = (0, 0);
    for round in 0..rounds(600) {
        let profile = &mig.profiles[round % mig.profiles.len()];
        let capacity = Bandwidth::new(between(&mut rng, 8, 800) * 1_000_000_000).unwrap();
        let peak = between(&mut rng, 1, 100) * (capacity.bytes_per_second() / 100);
        let alone = between(&mut rng, 1_000, 1_000_000);
        // Memory time at the peak is a whole number of nanoseconds.
        let busy = alone * between(&mut rng, 0, 100) / 100;
        let bytes = peak / 1_000_000_000 * busy;
        let peak = peak / 1_000_000_000 * 1_000_000_000;
        if peak == 0 {
            continue;
        }
        let json = format!(
            r#"{{"tasks":[{{"period":"1s","traffic":{bytes},"bandwidth":{peak},"wcet":{{"table":[[1,{alone}]]}}}}]}}"#
        );
        let set: TaskSet = serde_json::from_str(&json).unwrap();
        let memory = SharedMemory::new(capacity, Arbitration::Any);
        let problem =
            Problem::new(&set, device.sms(), Policy::Edf, model_of(Interference::Conflict)).unwrap();
        let problem = problem.offered(&offer).unwrap().sharing(memory).unwrap();
        let stated = problem.demands(&[0], profile.sms).unwrap()[0].wcet;
        let own = capacity.share(profile.memory, mig.memory_slices);
        let evenly = u64::try_from(u128::from(bytes) * 1_000_000_000 / u128::from(alone)).unwrap();
        let memory_first = vec![
            Stage {
                time: busy,
                rate: peak,
            },
            Stage {
                time: alone - busy,
                rate: 0,
            },
        ];
        let mut longest = 0;
        for stages in [
            memory_first,
            vec![Stage {
                time: alone,
                rate: evenly,
            }],
        ] {
            let client = Client {
                tasks: vec![Task {
                    stages,
                    first: 0,
                    jitter: 0,
                    period: 1_000_000_000,
                    deadline: 1_000_000_000,
                }],
                discipline: Discipline {
                    order: Order::Deadlines,
                    preemption: gpusched::model::policy::Preemption::Preemptive,
                },
                drops: false,
            };
            let run = simulate(
                &[client.within(own)],
                own.bytes_per_second(),
                &Division::MaxMin,
                1,
            );
            longest = longest.max(run.longest[0][0]);
        }
        assert!(
            Time::from_ns(longest) <= stated,
            "{longest} {stated}: {json} on {}",
            profile.name
        );
        // Larger instances are also permitted and never slower here. Rounding costs 2 ns.
        assert!(
            stated.ns() <= longest + 2,
            "{longest} {stated}: {json} on {}",
            profile.name
        );
        slower += usize::from(stated.ns() > alone);
        reached += usize::from(stated.ns() == longest);
    }
    assert!(
        slower > rounds(100) && reached > rounds(200),
        "{slower} {reached}"
    );
}

/// The A100 has eight memory slices with 100 B/s each. An instance below 28 SMs has one slice, below 42 SMs two, and below 98
/// SMs four.
#[test]
fn a_kernel_is_slower_by_the_bytes_that_its_slices_move_later() {
    let device = Device::named("a100").unwrap();
    let offer = Offer::new(&device, Granularity::Mig).unwrap();
    let memory = SharedMemory::new(Bandwidth::new(800).unwrap(), Arbitration::Any);
    let set = |fields: &str, deadline: u64| -> TaskSet {
        let task =
            format!(r#"{{"period":9000,"deadline":{deadline},"wcet":{{"table":[[1,1000]]}}{fields}}}"#);
        serde_json::from_str(&format!(r#"{{"tasks":[{task}]}}"#)).unwrap()
    };
    for (fields, sms, wcet) in [
        // A task without stated memory traffic always uses the whole memory bandwidth.
        ("", 14, 8000),
        ("", 28, 4000),
        ("", 42, 2000),
        ("", 98, 1000),
        (r#","bandwidth":100"#, 14, 1000),
        (r#","bandwidth":101"#, 14, 1010),
        (r#","traffic":0"#, 14, 1000),
        // A larger instance with the same number of memory slices may use more bandwidth. The WCET for fewer SMs accounts
        // for this larger instance.
        (r#","bandwidth":[[42,400],[56,800]]"#, 42, 2000),
    ] {
        let tasks = set(fields, wcet);
        let problem = Problem::new(&tasks, 108, Policy::Edf, model_of(Interference::Conflict)).unwrap();
        let problem = problem.offered(&offer).unwrap().sharing(memory).unwrap();
        assert_eq!(
            problem.demands(&[0], sms).unwrap()[0].wcet,
            Time::from_ns(wcet),
            "{fields}"
        );
        let plan = partition(&problem, &HeuristicKind::OnePerPartition.into());
        assert!(
            plan.schedulable && plan.sms_used <= sms,
            "{fields}: {}",
            plan.sms_used
        );
        let used = problem.demands(&[0], plan.sms_used).unwrap()[0].wcet;
        assert_eq!(used, Time::from_ns(wcet), "{fields}");
        verify(&plan, &tasks).unwrap();
        // The verifier computes the same WCET: it exceeds a deadline that is 1 ns shorter.
        let fault = verify(&plan, &set(fields, wcet - 1)).unwrap_err();
        assert!(
            fault.field.starts_with("partitions[0].verdict"),
            "{fields}: {fault}"
        );
        let beyond = problem.demands(&[0], 99).map(|demands| demands[0].wcet.ns());
        assert_eq!(
            beyond,
            if fields.contains("traffic") {
                Ok(1000)
            } else {
                Err(0)
            },
            "{fields}"
        );
    }
}

/// On one memory slice, `half` may end between two nanoseconds, and `long` may then start less than 1 ns before `urgent`
/// is released. So `long` delays `urgent` by up to 8 ns, and no partition may contain both tasks.
#[test]
fn a_kernel_on_memory_slices_blocks_for_its_whole_wcet() {
    let json = r#"{"tasks":[
        {"name":"urgent","period":100,"deadline":8,"wcet":{"table":{"isolated":[[1,1]]}},"traffic":0},
        {"name":"half","period":100,"deadline":100,"wcet":{"table":{"isolated":[[1,1]]}},"traffic":6},
        {"name":"long","period":100,"deadline":100,"wcet":{"table":{"isolated":[[1,2]]}},"traffic":16}]}"#;
    let set: TaskSet = serde_json::from_str(json).unwrap();
    let device = Device::named("a30").unwrap();
    let offer = Offer::new(&device, Granularity::Mig).unwrap();
    let memory = SharedMemory::new(Bandwidth::new(8_000_000_000).unwrap(), Arbitration::Any);
    for policy in ["np-fp", "np-fp-rm", "np-fp-given", "np-fp-audsley", "np-edf"] {
        let policy: Policy = policy.parse().unwrap();
        let problem = Problem::new(&set, device.sms(), policy, model_of(Interference::None)).unwrap();
        let problem = problem.offered(&offer).unwrap().sharing(memory).unwrap();
        let plan = partition(&problem, &HeuristicKind::Optimal.into());
        assert_eq!((plan.schedulable, plan.sms_used), (true, 28), "{policy}");
        for part in &plan.partitions {
            assert!(!(part.tasks.contains(&0) && part.tasks.contains(&2)), "{policy}");
            assert_eq!(part.verdict.strength, Strength::Sufficient);
        }
        verify(&plan, &set).unwrap();
        // With a blocking of C − 1 ns, 14 SMs would suffice.
        let alone = problem.verdict(&[0, 1, 2], 14);
        assert!(!alone.schedulable, "{policy}");
    }
}
