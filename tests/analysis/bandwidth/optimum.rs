//! Compares the maximum memory time over all budgets with linear programs and with simulated
//! runs.

use good_lp::{Expression, ProblemVariables, Solution as _, SolverModel, Variable, variable};
use gpusched::bandwidth::{Allocator, BudgetPolicy};
use gpusched::model::{Factor, Kernel, Straddling};
use gpusched::simulator::regulation::optimum::knapsack::{Item, fill};
use gpusched::simulator::regulation::optimum::{Cut, Segment, by_period, demand_limit, flow, limit};
use gpusched::simulator::regulation::{
    AccessPattern, Block, BlockTimes, Governor, Process, REQUESTS_PER_NS, Setting, Simulator, tolerance,
};
use gpusched::time::Time;
use rand::{Rng, RngExt};

use crate::bandwidth::cases::Case;
use crate::kernel_wcet::random;
use crate::support::rounds;

fn block(rng: &mut impl Rng) -> Block {
    let alone = f64::from(rng.random_range(1..=100));
    let slower = [1.0, 2.0, 1.0 + 3.0 * rng.random_range(0.0..1.0)][rng.random_range(0..3)];
    Block::new(alone, alone * slower)
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-6 * (1.0 + expected.abs())
}

/// Returns max (Σyᵢ + (M − 1)Z)/M under the three conditions of [`limit`], with one variable per block.
fn limit_by_lp(blocks: &[Block], active: usize, deadline: f64) -> f64 {
    let mut variables = ProblemVariables::new();
    let ys: Vec<Variable> = blocks
        .iter()
        .map(|block| variables.add(variable().min(0).max(block.alone / block.speed)))
        .collect();
    let contended = blocks.iter().map(|block| block.alone / block.speed);
    let z = variables.add(variable().min(0).max(contended.fold(0.0, f64::max)));
    let places = active as f64;
    let memory = (ys.iter().sum::<Expression>() + (places - 1.0) * z) / places;
    let pairs = blocks.iter().zip(&ys);
    let time: Expression = pairs.map(|(block, &y)| (1.0 - block.speed) * y).sum();
    let alone: f64 = blocks.iter().map(|block| block.alone).sum();
    let solution = variables
        .maximise(memory.clone())
        .using(good_lp::default_solver)
        .with((time + z).leq(places * deadline - alone))
        .with(memory.clone().leq(deadline))
        .solve();
    solution.map_or(0.0, |solution| solution.eval(&memory))
}

#[test]
fn limit_is_the_linear_program() {
    let mut rng = random::rng(51);
    let (mut partly, mut never) = (0, 0);
    for _ in 0..rounds(5_000) {
        let blocks: Vec<Block> = (0..rng.random_range(1..=12)).map(|_| block(&mut rng)).collect();
        let active = rng.random_range(1..=5);
        let alone: f64 = blocks.iter().map(|block| block.alone).sum();
        let deadline = alone / active as f64 * rng.random_range(0.9..3.0);
        let (found, expected) = (
            limit(&blocks, active, deadline),
            limit_by_lp(&blocks, active, deadline),
        );
        assert!(
            close(found, expected),
            "{found} {expected} {active} {deadline} {blocks:?}"
        );
        partly += u32::from(found > 0.0 && found < 0.99 * deadline);
        never += u32::from(found == 0.0);
    }
    println!("{partly} in part, {never} never");
    assert!(partly > rounds(1_000) && never > rounds(100), "{partly} {never}");
}

/// An allocator that returns random budgets of arbitrary size.
struct Whim<R> {
    rng: R,
    period: Time,
    deadline: Time,
}

impl<R: Rng> Governor for Whim<R> {
    fn deadline(&self) -> Time {
        self.deadline
    }

    fn nominal(&self) -> Time {
        self.period
    }

    fn restart(&mut self) {}

    fn decide(&mut self, _: Time, _: &[u64]) -> Time {
        match self.rng.random_range(0..3) {
            0 => Time::ZERO,
            1 => self.period,
            _ => Time::from_ns(self.rng.random_range(0..=self.period.ns())),
        }
    }

    fn memory(&self, _: u64, _: &[u64]) -> Option<u64> {
        None
    }
}

/// Returns the value of [`limit`] under the wrong assumption that all places are busy to the end.
fn without_tail(blocks: &[Block], active: usize, deadline: f64) -> f64 {
    let item = |block: &Block| Item {
        gain: block.alone / block.speed,
        cost: 1.0 - block.speed,
    };
    let items: Vec<Item> = blocks.iter().map(item).collect();
    let alone: f64 = blocks.iter().map(|block| block.alone).sum();
    fill(&items, active as f64 * deadline - alone).iter().sum::<f64>() / active as f64
}

/// No run has more memory time than the limit for the end of the run, for every policy, budget,
/// pattern, demand and start. Some runs reach the limit. Some runs exceed the limit of
/// [`without_tail`].
#[test]
fn no_run_exceeds_the_limit() {
    let mut rng = random::rng(52);
    let (mut most, mut longer) = (0.0f64, 0);
    for run in 0..rounds(20_000) {
        let case = Case::new(&mut rng, 52, run, &AccessPattern::ALL);
        let found = if rng.random_bool(0.5) {
            case.run(&mut case.allocator.clone(), false)
        } else {
            let mut whim = Whim {
                rng: random::rng(run),
                period: case.allocator.period(),
                deadline: case.allocator.deadline(),
            };
            let none = Process::default();
            case.simulator
                .simulate(&case.execution, case.policy, &mut whim, none, false)
        };
        // The end is rounded up to a nanosecond, and the tolerance covers rounding in sums.
        let end = Time::from_ns(found.finish.ceil() as u64);
        let limit = case.simulator.memory_limit(&case.execution, end);
        let memory = found.requests / REQUESTS_PER_NS;
        assert!(
            memory <= limit * (1.0 + 1e-9) + tolerance(end, case.allocator.period()),
            "{memory} {limit} {found:?} {:?} {:?}",
            case.setting,
            case.kernel
        );
        if end.ns() > 1_000 && limit > 0.0 {
            most = most.max(memory / limit);
        }
        let active = case.kernel.active_blocks() as usize;
        longer += u32::from(memory > 1.0 + without_tail(&case.execution.blocks, active, end.ns() as f64));
    }
    println!("at most {most} of the limit; {longer} runs have more than there is without the tail");
    assert!(most > 0.999 && longer > rounds(100), "{most} {longer}");
}

/// Compares the demand limit in a window with a nanosecond-by-nanosecond count.
#[test]
fn demand_is_limited_period_by_period() {
    let mut rng = random::rng(53);
    for _ in 0..rounds(2_000) {
        let period = rng.random_range(1..40u64);
        let (most, offset) = (rng.random_range(0..=period), rng.random_range(0..period));
        let deadline = rng.random_range(0..200u64);
        let mut per_period = vec![0; 300];
        let times = offset..offset + deadline;
        times.for_each(|now| per_period[(now / period) as usize] += 1);
        let expected: u64 = per_period.iter().map(|&time: &u64| time.min(most)).sum();
        let found = demand_limit(
            most,
            Time::from_ns(offset),
            Time::from_ns(deadline),
            Time::from_ns(period),
        );
        assert_eq!(found, expected, "{most} {offset} {deadline} {period}");
    }
}

/// Returns max Σyₛ with Σtₛ ≤ D, tₛ = aₛ + (1 − s)yₛ and yₛ ≤ d·tₛ.
fn flow_by_lp(segments: &[Segment], deadline: f64, demand: f64) -> f64 {
    let mut variables = ProblemVariables::new();
    let pairs: Vec<(Variable, Variable)> = segments
        .iter()
        .map(|_| (variables.add(variable().min(0)), variables.add(variable().min(0))))
        .collect();
    let memory: Expression = pairs.iter().map(|pair| pair.1).sum();
    let time: Expression = pairs.iter().map(|pair| pair.0).sum();
    let mut model = variables
        .maximise(memory.clone())
        .using(good_lp::default_solver)
        .with(time.leq(deadline));
    for (segment, &(t, y)) in segments.iter().zip(&pairs) {
        model = model
            .with((t - (1.0 - segment.speed) * y).eq(segment.alone))
            .with((y - demand * t).leq(0));
    }
    model.solve().unwrap().eval(&memory)
}

#[test]
fn fluid_is_the_linear_program() {
    let mut rng = random::rng(54);
    let mut partly = 0;
    for _ in 0..rounds(3_000) {
        let segment = |rng: &mut _| {
            let Block { alone, speed } = block(rng);
            Segment { alone, speed }
        };
        let segments: Vec<Segment> = (0..rng.random_range(1..=8)).map(|_| segment(&mut rng)).collect();
        let alone: f64 = segments.iter().map(|segment| segment.alone).sum();
        let (deadline, demand) = (alone * rng.random_range(1.0..3.0), rng.random_range(0.0..=1.0));
        let found = flow(&segments, deadline, demand);
        let memory: f64 = found.iter().map(|part| part.1).sum();
        let time: f64 = found.iter().map(|part| part.0).sum();
        assert!(time <= deadline * (1.0 + 1e-12));
        assert!(
            close(memory, flow_by_lp(&segments, deadline, demand)),
            "{segments:?} {deadline} {demand}"
        );
        partly += u32::from(memory < 0.99 * demand * time);

        // The periods contain the whole memory time, except for rounding down.
        let (offset, period) = (rng.random_range(0..50), 50);
        let [part, whole] =
            Cut::ALL.map(|cut| by_period(&found, Time::from_ns(offset), Time::from_ns(period), cut));
        let sum = part.iter().sum::<u64>() as f64;
        assert!(
            sum <= memory + 1e-6 && sum + part.len() as f64 >= memory - 1e-6,
            "{part:?} {found:?}"
        );
        assert_eq!(part.len(), whole.len());
        let inner = 1..part.len().saturating_sub(1);
        for (index, (part, whole)) in part.iter().zip(&whole).enumerate() {
            assert!(part <= whole && *whole <= period);
            assert!(part == whole || !inner.contains(&index));
        }
    }
    println!("{partly} in part");
    assert!(partly > rounds(300));
}

/// Plans meet their deadlines, and no plan exceeds the limit.
#[test]
fn plans_are_below_the_limit_and_in_time() {
    let mut rng = random::rng(55);
    let (mut best, mut late, mut sum) = (0.0f64, 0, 0.0);
    for run in 0..rounds(1_000) {
        let case = Case::new(&mut rng, 55, run, &AccessPattern::ALL);
        let optimum = case
            .simulator
            .optimum(&case.execution, case.allocator.deadline(), false);
        assert!(optimum.run.late || optimum.run.requests <= optimum.limit * (1.0 + 1e-9) + 1e-3);
        late += u32::from(optimum.run.late);
        if optimum.limit > 0.0 && !optimum.run.late {
            best = best.max(optimum.run.requests / optimum.limit);
            sum += optimum.run.requests / optimum.limit;
        }
    }
    println!(
        "at most {best} of the limit, {} on average; {late} late",
        sum / 1_000.0
    );
    assert!(best > 0.999 && best <= 1.0 + 1e-9 && late < 50, "{best} {late}");
}

/// For the kernel histo with the means of Table I, the plan almost reaches the limit, and all
/// policies are far below it.
#[test]
fn optimum_of_histo_is_known_to_two_hundredths() {
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tasksets/kernels/histo-table1.json"
    ));
    let kernel: Kernel = serde_json::from_str(&text.unwrap()).unwrap();
    let q = Factor::from_f64(0.13).unwrap();
    for pattern in [AccessPattern::Front, AccessPattern::Back, AccessPattern::Uniform] {
        let setting = Setting {
            pattern,
            blocks: BlockTimes::Mean,
            ..Setting::default()
        };
        let simulator = Simulator::new(&kernel, setting, 1).unwrap();
        let execution = simulator.execution(0);
        let allocator = |policy| Allocator::new(&kernel, q, policy, Straddling::End).unwrap();
        let deadline = allocator(BudgetPolicy::Fair).deadline();
        let optimum = simulator.optimum(&execution, deadline, true);
        assert_eq!(optimum.run.periods.len() as u64, optimum.run.count);
        assert!(!optimum.run.late && optimum.run.requests > 0.98 * optimum.limit);
        // Cluster 0 has the smallest delay, so it gets the whole memory time, at the beginning. The last cluster gets
        // none.
        let periods = &optimum.run.periods;
        assert!(
            periods[1].q > 0.7 && periods[periods.len() - 2].q == 0.0,
            "{periods:?}"
        );
        for policy in BudgetPolicy::ALL {
            let run = simulator.run(&execution, policy, &mut allocator(policy), false);
            println!("{pattern} {policy} {}", run.requests / optimum.limit);
            assert!(run.requests < 0.9 * optimum.limit);
        }
    }
}
