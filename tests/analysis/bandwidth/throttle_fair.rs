//! Guarantee: throttle-fair scheduling divides the time of a best-effort core without more memory time than its budget, so kernels keep
//! their deadlines.

use gpusched::model::Factor;
use gpusched::simulator::regulation::{AccessPattern, CoreTasks, Received, Setting, Simulator};
use gpusched::time::Time;
use rand::{Rng, RngExt};
use serde_json::Value;

use super::cases::Case;
use crate::kernel_wcet::random;
use crate::support::{rounds, run};

fn core(demands: &[f64], throttle_factor: u32) -> CoreTasks {
    CoreTasks {
        demands: demands
            .iter()
            .map(|&demand| Factor::from_f64(demand).unwrap())
            .collect(),
        throttle_factor,
        tick_ns: Time::from_ns(1_000_000),
    }
}

/// Returns the times of the tasks of `core`, and the memory time in each period.
fn shared(core: &CoreTasks, period: Time, budgets: &[u64]) -> (Vec<Received>, Vec<u64>) {
    let mut tasks = vec![Received::default(); core.demands.len()];
    let memory = budgets
        .iter()
        .map(|&budget| core.spend(period, budget, &mut tasks));
    let memory = memory.collect();
    (tasks, memory)
}

fn throttled(tasks: &[Received]) -> u64 {
    tasks.iter().map(|task| task.throttled).sum()
}

/// Without TFS, a task that accesses memory all the time is chosen in ten of eleven periods, although it executes only for a tenth of each
/// period. With ρ = 1, both tasks have equally many periods, and with ρ = 3 the task has fewer.
#[test]
fn throttled_time_counts_with_tfs_only() {
    let period = Time::from_ns(1_000_000);
    let of = |demands: &[f64], factor| shared(&core(demands, factor), period, &[100_000; 1_100]).0;
    let slices = |tasks: &[Received]| tasks.iter().map(|task| task.slices).collect::<Vec<_>>();
    let [plain, tfs, strict] = [0, 1, 3].map(|factor| of(&[1.0, 0.05], factor));
    assert_eq!(slices(&plain), [1_000, 100]);
    assert_eq!(slices(&tfs), [550, 550]);
    assert_eq!(slices(&strict), [290, 810]);
    assert_eq!(throttled(&plain), 1_000 * 900_000);
    assert_eq!(throttled(&tfs), 550 * 900_000);
    assert_eq!(throttled(&strict), 290 * 900_000);
    // Both tasks execute equally long without TFS.
    assert_eq!(plain[0].execution, plain[1].execution);
    // Tasks within the budget are never stopped, so ρ has no effect.
    let calm = |factor| of(&[0.05, 0.1, 0.0], factor);
    assert_eq!(calm(0), calm(3));
    assert_eq!(slices(&calm(0)), [367, 367, 366]);
}

/// The same core in steps of 1 ns: a task executes while its memory time in the slice, rounded up, fits into the rest of the budget.
fn by_nanoseconds(core: &CoreTasks, period: u64, budgets: &[u64]) -> (Vec<[u64; 3]>, Vec<u64>) {
    let mut tasks = vec![[0; 3]; core.demands.len()];
    let mut virtual_times = vec![0_u128; tasks.len()];
    let mut memory = Vec::new();
    for &budget in budgets {
        let (mut used, mut chosen, mut in_slice, mut before, mut stopped) = (0_u64, 0, 0_u64, 0, false);
        for now in 0..if tasks.is_empty() { 0 } else { period } {
            if !stopped && now % core.tick_ns.ns() == 0 {
                let least = *virtual_times.iter().min().unwrap();
                chosen = virtual_times.iter().position(|&time| time == least).unwrap();
                (in_slice, before) = (0, used);
                tasks[chosen][0] += 1;
            }
            let (numerator, denominator) = core.demands[chosen].ratio();
            let wanted = (u128::from(in_slice + 1) * u128::from(numerator)).div_ceil(u128::from(denominator));
            if stopped || u128::from(before) + wanted > u128::from(budget) {
                (stopped, used) = (true, budget);
                tasks[chosen][2] += 1;
                virtual_times[chosen] += u128::from(core.throttle_factor);
            } else {
                in_slice += 1;
                used = before + u64::try_from(wanted).unwrap();
                tasks[chosen][1] += 1;
                virtual_times[chosen] += 1;
            }
        }
        memory.push(used);
    }
    (tasks, memory)
}

fn drawn(rng: &mut impl Rng, least_tick: u64, period: u64) -> CoreTasks {
    let demand = |rng: &mut _| match RngExt::random_range(rng, 0..4) {
        0 => 0,
        1 => 1_000_000_000,
        _ => RngExt::random_range(rng, 0..=1_000_000_000),
    };
    CoreTasks {
        demands: (0..rng.random_range(0..=4))
            .map(|_| Factor::from_billionths(demand(rng)).unwrap())
            .collect(),
        throttle_factor: [0, 0, 1, 3, u32::MAX][rng.random_range(0..5)],
        // Few decisions per period, or one.
        tick_ns: Time::from_ns(rng.random_range(least_tick..=2 * period)),
    }
}

/// The memory time is at most each budget, and all time is accounted for.
#[test]
fn a_core_is_its_slow_reference() {
    let mut rng = random::rng(76);
    let mut stopped = 0;
    for _ in 0..rounds(20_000) {
        let period = rng.random_range(1..=40);
        let core = drawn(&mut rng, 1, period);
        let budget = |rng: &mut rand_chacha::ChaCha8Rng| match rng.random_range(0..4) {
            0 => [0, period][rng.random_range(0..2)],
            _ => rng.random_range(0..=period),
        };
        let budgets: Vec<u64> = (0..rng.random_range(1..=8)).map(|_| budget(&mut rng)).collect();
        let (tasks, memory) = shared(&core, Time::from_ns(period), &budgets);
        let times: Vec<[u64; 3]> = tasks
            .iter()
            .map(|task| [task.slices, task.execution, task.throttled])
            .collect();
        assert_eq!(
            (times, memory.clone()),
            by_nanoseconds(&core, period, &budgets),
            "{core:?} {budgets:?}"
        );
        assert!(memory.iter().zip(&budgets).all(|(used, budget)| used <= budget));
        stopped += u32::from(throttled(&tasks) > 0);
    }
    assert!(stopped > rounds(5_000), "{stopped}");
}

/// The kernel ends within its bound if tasks of a core use the budgets of a policy, with and without TFS. The times of the tasks follow
/// from the budgets.
#[test]
fn the_budget_remains_a_limit() {
    let mut rng = random::rng(75);
    let (mut stopped, mut less) = (0, 0);
    for run in 0..rounds(3_000) {
        let mut case = Case::new(&mut rng, 75, run, &AccessPattern::ALL);
        let period = case.kernel.regulation_period();
        let mut core = drawn(&mut rng, period.ns().div_ceil(20), period.ns());
        let mut of = |throttle_factor| {
            core.throttle_factor = throttle_factor;
            let setting = Setting {
                tasks: Some(core.clone()),
                ..case.setting.clone()
            };
            let simulator = Simulator::new(&case.kernel, setting, 75).unwrap();
            let allocator = &mut case.allocator;
            let found = simulator.simulate(&case.execution, case.policy, allocator, case.process, true);
            assert!(!found.late, "{run}: {found:?}");
            let granted = |q: f64| (q * period.ns() as f64).round() as u64;
            let budgets: Vec<u64> = found.periods.iter().map(|period| granted(period.q)).collect();
            assert_eq!(found.tasks, shared(&core, period, &budgets).0, "{run}");
            let all: u64 = found
                .tasks
                .iter()
                .map(|task| task.execution + task.throttled)
                .sum();
            assert!(found.tasks.is_empty() || all == found.core_time.ns(), "{run}");
            throttled(&found.tasks)
        };
        let plain = of(0);
        let tfs = of([1, 3, u32::MAX][rng.random_range(0..3)]);
        stopped += u32::from(plain > 0);
        less += u32::from(tfs < plain);
    }
    println!("{stopped} stopped, {less} less");
    assert!(stopped > rounds(500) && less > rounds(50), "{stopped} {less}");
}

/// `budget simulate` states the times of the tasks. With TFS, the core is stopped for less time, and the bound of the kernel is equal.
#[test]
fn the_command_compares_schedulers() {
    let of = |factor| -> Value {
        let options = "--tasks bandwidth,0.05 --budget-policy nominal --format json";
        let line =
            format!("budget simulate tasksets/kernels/histo-m4.json {options} --throttle-factor {factor}");
        let found = run(&line);
        assert_eq!(found.code, 0, "{}", found.stderr);
        serde_json::from_str(&found.stdout).unwrap()
    };
    let [plain, tfs] = [0, 3].map(of);
    assert_eq!(plain["wcet_nominal_ns"], tfs["wcet_nominal_ns"]);
    let share = |found: &Value, name: &str| found["policies"][0].pointer(name).unwrap().as_f64().unwrap();
    assert!(share(&tfs, "/throttled/mean") < share(&plain, "/throttled/mean") / 2.0);
    assert!(share(&tfs, "/tasks/1/mean") > 3.0 * share(&plain, "/tasks/1/mean"));
    for found in [plain, tfs] {
        let all = ["/throttled/mean", "/tasks/0/mean", "/tasks/1/mean"].map(|name| share(&found, name));
        assert!((all.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{all:?}");
        assert_eq!(found["policies"][0]["late_runs"], 0);
    }
    for (options, expected) in [
        (
            "--tasks 1 --tick 999ns",
            "tick: found 999ns, expected at most 1000 ticks in 1ms",
        ),
        (
            "--tasks 1 --tick 0ns",
            "tick: found 0ns, expected at most 1000 ticks in 1ms",
        ),
        ("--tasks 2", "--tasks: found \"2\", expected bandwidth"),
        (
            "--tasks 1 --throttle-factor -1",
            "expected a whole number from 0 to 1000000",
        ),
        ("--tasks 1 --optimum", "--optimum"),
        ("--tick 1us", "--tasks"),
    ] {
        let refused = run(&format!(
            "budget simulate tasksets/kernels/histo-m4.json {options}"
        ));
        assert_eq!(refused.code, 2, "{options}: {}", refused.stderr);
        assert!(refused.stderr.contains(expected), "{options}: {}", refused.stderr);
    }
}
