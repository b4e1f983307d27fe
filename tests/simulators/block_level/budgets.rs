//! CPU cores with a budget under a policy, concurrent with the protected kernel ([Aghilinasab20] §V).

use gpusched::bandwidth::{Allocator, BudgetPolicy};
use gpusched::model::kernel::Interval;
use gpusched::model::{Cluster, Factor, Kernel, Observer, Scenario, Straddling};
use gpusched::simulator::blocks::{Event, simulate};
use gpusched::simulator::regulation::{Setting, Simulator};
use gpusched::time::Time;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use crate::block_level::scenario::{read, run, spans};
use crate::support::rounds;

/// The observed budgets and CPU cores, and the times when the first kernel ran.
#[derive(Default)]
struct Watch {
    budgets: Vec<(u64, u64)>,
    cpu: Vec<(u64, bool)>,
    start: Option<u64>,
    end: u64,
}

impl Watch {
    fn of(scenario: &Scenario) -> Watch {
        let mut watch = Watch::default();
        simulate(scenario, 1, &mut watch).unwrap();
        watch
    }

    /// Returns the budget at `time`.
    fn budget(&self, time: u64) -> u64 {
        let known = self.budgets.iter().rev().find(|(since, _)| *since <= time);
        known.unwrap().1
    }
}

impl Observer<Event> for Watch {
    fn see(&mut self, now: Time, event: Event) {
        match event {
            Event::BlockStart(block) if block.kernel == 0 => {
                self.start.get_or_insert(now.ns());
            }
            Event::KernelComplete(0) => self.end = now.ns(),
            Event::CpuAccess(active) => self.cpu.push((now.ns(), active)),
            Event::Budget(memory) => self.budgets.push((now.ns(), memory.ns())),
            _ => {}
        }
    }
}

/// One kernel on a GPU, with CPU cores.
struct Case {
    kernel: Kernel,
    nominal: Factor,
    policy: BudgetPolicy,
    launch: u64,
    scenario: Scenario,
}

impl Case {
    /// Generates a case whose blocks take between a fraction and a few times `unit` ns.
    fn new(rng: &mut impl Rng, unit: u64) -> Case {
        let (sms, slots) = (rng.random_range(1..=3), rng.random_range(1..=3));
        let period = rng.random_range(8 * unit..80 * unit);
        let launch = [0, 2 * period, rng.random_range(0..3 * period)][rng.random_range(0..3)];
        let nominal = Factor::from_billionths(rng.random_range(0..700) * 1_000_000).unwrap();
        let policy = BudgetPolicy::ALL[rng.random_range(0..4)];
        let clusters: Vec<Cluster> = (0..rng.random_range(1..=3))
            .map(|_| {
                let alone = rng.random_range(unit / 4..4 * unit);
                let contended = alone + rng.random_range(0..3 * alone);
                let times = [alone, contended].map(Time::from_ns);
                Cluster::new(rng.random_range(2..100), times[0], times[1]).unwrap()
            })
            .collect();
        let kernel = Kernel::new(sms * slots, Time::from_ns(period), clusters).unwrap();
        let kernel = match rng.random_bool(0.5) {
            true => interleaved(kernel),
            false => kernel,
        };
        let scenario = json!({
            "platform": {"sms": sms, "threads_per_sm": 32 * slots},
            "cpu": {"regulation_period": period, "budget": nominal, "policy": policy, "kernel": 0},
            "kernels": [{"stream": 0, "blocks": kernel.blocks(), "threads": 32, "launch": launch,
                "block_time": {"profile": {"clusters": kernel.clusters(), "intervals": kernel.intervals()}}}],
        });
        Case {
            scenario: read(&scenario.to_string()),
            kernel,
            nominal,
            policy,
            launch,
        }
    }

    fn allocator(&self) -> Allocator {
        Allocator::new(&self.kernel, self.nominal, self.policy, Straddling::default()).unwrap()
    }
}

/// Returns `kernel` with each cluster split into two parts.
fn interleaved(kernel: Kernel) -> Kernel {
    let mut intervals: Vec<Interval> = Vec::new();
    for part in 0..2 {
        for (cluster, times) in kernel.clusters().iter().enumerate() {
            let half = times.blocks() / 2;
            let length = [half, times.blocks() - half][part];
            let first = intervals.last().map_or(0, |interval| interval.last + 1);
            let last = first + length - 1;
            intervals.push(Interval { first, last, cluster });
        }
    }
    kernel.with_intervals(intervals).unwrap()
}

/// `simulator::regulation` runs the same kernel period by period with floating-point times. Blocks take milliseconds,
/// so no end lies within rounding distance of a boundary. Budgets must be equal in all periods, to the nanosecond. Ends
/// may differ only by rounding.
#[test]
fn budgets_and_ends_are_those_of_the_simulator_of_one_kernel() {
    let mut rng = ChaCha8Rng::seed_from_u64(71);
    let (mut compared, mut raised, mut furthest) = (0, 0, 0.0f64);
    for number in 0..rounds(1_500) {
        let case = Case::new(&mut rng, 4_000_000);
        let period = case.kernel.regulation_period().ns();
        let mut allocator = case.allocator();
        let nominal = allocator.nominal().ns();
        let setting = Setting {
            offset_ns: Some(Time::from_ns(case.launch % period)),
            ..Setting::default()
        };
        let simulator = Simulator::new(&case.kernel, setting, 1).unwrap();
        let twin = simulator.run(&simulator.execution(0), case.policy, &mut allocator, true);
        let found = Watch::of(&case.scenario);
        assert_eq!(found.start, Some(case.launch), "{number}");
        let first = case.launch / period * period;
        for (begin, of_twin) in (first..).step_by(period as usize).zip(&twin.periods) {
            let expected = (of_twin.q * period as f64).round() as u64;
            assert_eq!(
                found.budget(begin),
                expected,
                "{number} at {begin}: {:?}",
                case.kernel
            );
            compared += 1;
            raised += u32::from(expected > nominal);
        }
        // The budget is nominal again after the end.
        assert!(
            found.budgets.iter().all(|&(since, _)| since < found.end),
            "{number}"
        );
        let finish = (found.end - case.launch) as f64;
        furthest = furthest.max((finish - twin.finish).abs() / twin.periods.len() as f64);
        // In a period, two blocks of a place overlap an end of memory time. Within memory time, a delay grows by the
        // factor e1/e0, at most 4.
        let most = 8.0 * twin.periods.len() as f64;
        assert!(
            (finish - twin.finish).abs() < most,
            "{number}: {finish} {} {:?}",
            twin.finish,
            case.kernel
        );
    }
    println!("{compared} periods, {raised} above the nominal budget; {furthest} ns apart per period");
    assert!(
        compared > rounds(5_000) && raised > rounds(2_000),
        "{compared} {raised}"
    );
}

/// Lemma 1 of [Aghilinasab20], block by block on SMs: in no run does the kernel end after its bound under the nominal
/// budget.
#[test]
fn no_policy_makes_the_protected_kernel_late() {
    let mut rng = ChaCha8Rng::seed_from_u64(72);
    let (mut worst, mut raised) = (0.0f64, 0);
    for number in 0..rounds(6_000) {
        let case = Case::new(&mut rng, 2_000);
        let found = Watch::of(&case.scenario);
        let finish = found.end - case.launch;
        let allocator = case.allocator();
        let deadline = allocator.deadline().ns();
        assert!(
            finish <= deadline,
            "{number}: {finish} {deadline} {:?} {:?}",
            case.policy,
            case.kernel
        );
        worst = worst.max(finish as f64 / deadline as f64);
        raised += u32::from(
            found
                .budgets
                .iter()
                .any(|&(_, memory)| memory > allocator.nominal().ns()),
        );
    }
    println!("at most {worst} of the bound, more than the nominal budget in {raised} runs");
    assert!(worst > 0.97 && raised > rounds(2_000), "{worst} {raised}");
}

/// The scenario in the repository: the profile in the repository, on a GPU.
#[test]
fn histo_ends_by_its_bound() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tasksets");
    let text = |path: &str| std::fs::read_to_string(folder.join(path)).unwrap();
    let histo: Kernel = serde_json::from_str(&text("kernels/histo-table1.json")).unwrap();
    let scenario = text("scenarios/histo-greedy.json");
    let simulator = Simulator::new(&histo, Setting::default(), 1).unwrap();
    for policy in BudgetPolicy::ALL {
        let found = Watch::of(&read(&scenario.replace("greedy", policy.name())));
        let q = Factor::from_f64(0.13).unwrap();
        let mut allocator = Allocator::new(&histo, q, policy, Straddling::default()).unwrap();
        let twin = simulator.run(&simulator.execution(0), policy, &mut allocator, false);
        assert!(found.end <= allocator.deadline().ns(), "{policy}: {}", found.end);
        // Blocks take microseconds, so a few of 37,627 blocks end on the other side of a boundary.
        let apart = found.end as f64 - twin.finish;
        assert!(apart.abs() < 1_000.0, "{policy}: {} {}", found.end, twin.finish);
    }
}

/// Block times of a kernel with a profile: e0 in isolation, e1 while CPU cores access memory, independent of the factor
/// of other kernels.
#[test]
fn blocks_of_a_profile_by_hand() {
    let text = |budget: &str, others: &str| {
        format!(
            r#"{{"platform":"tx2","interference":{{"factors":{{"cpu":8}}}},"cpu":{{"regulation_period":"1ms","budget":{budget}}},
            "kernels":[{{"stream":0,"sms":[0],"blocks":3,"threads":2048,"memory_share":1,"block_time":{{"profile":{{"clusters":[
                {{"blocks":2,"e0":"1.5ms","e1":"3ms"}},{{"blocks":1,"e0":"1ms","e1":"1ms"}}],
                "intervals":[{{"first":0,"last":0,"cluster":0}},{{"first":1,"last":1,"cluster":1}},{{"first":2,"last":2,"cluster":0}}]}}}}}}
            {others}]}}"#
        )
    };
    let ends = |budget: &str| {
        let record = run(&read(&text(budget, "")));
        record
            .blocks
            .iter()
            .map(|block| block.end_ns.ns())
            .collect::<Vec<_>>()
    };
    assert_eq!(ends("0"), [1_500_000, 2_500_000, 4_000_000]);
    assert_eq!(ends("1"), [3_000_000, 4_000_000, 7_000_000]);
    // Half of each millisecond runs at half speed, so a period completes 0.75 ms of work. The second half runs at full
    // speed.
    assert_eq!(ends("0.5"), [2_000_000, 3_000_000, 5_000_000]);
    // No time is rounded to whole nanoseconds.
    let odd = text("1", "").replace("3ms", "3690ns").replace("1.5ms", "1700ns");
    assert_eq!(spans(&run(&read(&odd))), [(0, 2 * 3690 + 1_000_000)]);
    let other = r#",{"stream":1,"sms":[1],"blocks":1,"threads":32,"memory_share":1,"block_time":"1ms"}"#;
    let both = spans(&run(&read(&text("1", other))));
    assert_eq!(both, [(0, 7_000_000), (0, 8_000_000)]);
}

/// The budget is nominal before the start and after the end. Observers see only changes.
#[test]
fn observers_are_told_of_budgets() {
    // FAIR detects at 2 ms that the kernel can bear full traffic: the last block ends by its e1 before the bound.
    let scenario = |policy: &str, budget: &str| {
        read(&format!(
            r#"{{"platform":"tx2","cpu":{{"regulation_period":"1ms","budget":{budget}{policy}}},"kernels":[
            {{"stream":0,"sms":[0],"blocks":2,"threads":2048,"launch":"1.5ms",
              "block_time":{{"profile":{{"clusters":[{{"blocks":2,"e0":"0.5ms","e1":"0.5ms"}}]}}}}}},
            {{"stream":1,"sms":[1],"blocks":1,"threads":32,"block_time":"4ms"}}]}}"#
        ))
    };
    let found = Watch::of(&scenario(r#","policy":"fair","kernel":0"#, "0.25"));
    assert_eq!((found.start, found.end), (Some(1_500_000), 2_500_000));
    assert_eq!(
        found.budgets,
        [(0, 250_000), (2_000_000, 1_000_000), (3_000_000, 250_000)]
    );
    let on = [
        (0, true),
        (250_000, false),
        (1_000_000, true),
        (1_250_000, false),
        (2_000_000, true),
    ];
    assert_eq!(
        found.cpu,
        [&on[..], &[(3_250_000, false), (4_000_000, true)][..]].concat()
    );
    for (policy, budget) in [("", "0"), (r#","kernel":0"#, "0")] {
        let found = Watch::of(&scenario(policy, budget));
        assert_eq!((found.budgets, found.cpu), (vec![(0, 0)], vec![]));
    }
    let found = Watch::of(&scenario("", "1"));
    assert_eq!(
        (found.budgets, found.cpu),
        (vec![(0, 1_000_000)], vec![(0, true)])
    );
}
