//! The kernel histo as a fluid model: three clusters of equal size, M = 4, Q̄ = 0.13, and the
//! mean block times of [Aghilinasab20] Table I.

use gpusched::bandwidth::{Allocator, BudgetPolicy};
use gpusched::model::{Factor, Kernel, Straddling};
use gpusched::simulator::regulation::{AccessPattern, BlockTimes, Run, Setting, Simulator};

const PERIOD: f64 = 1e6;

/// Returns whether a value of a run and a value of the fluid model agree within 1 %.
fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 0.01 * expected
}

fn histo() -> Kernel {
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tasksets/kernels/histo-table1.json"
    ));
    serde_json::from_str(&text.unwrap()).unwrap()
}

fn allocator(kernel: &Kernel, policy: BudgetPolicy) -> Allocator {
    Allocator::new(kernel, Factor::from_f64(0.13).unwrap(), policy, Straddling::End).unwrap()
}

fn run(pattern: AccessPattern, policy: BudgetPolicy) -> Run {
    let kernel = histo();
    let setting = Setting {
        pattern,
        blocks: BlockTimes::Mean,
        ..Setting::default()
    };
    let simulator = Simulator::new(&kernel, setting, 1).unwrap();
    let run = simulator.run(
        &simulator.execution(0),
        policy,
        &mut allocator(&kernel, policy),
        true,
    );
    assert!(!run.late);
    run
}

/// Simulates the kernel without blocks and bursts: work flows continuously, and more slowly for a larger Q. Returns the
/// end [ns], the memory time [ns], and the values of Q.
fn fluid(policy: BudgetPolicy) -> (f64, f64, Vec<f64>) {
    let kernel = histo();
    let mut allocator = allocator(&kernel, policy);
    let clusters = kernel.clusters();
    let mut left: Vec<f64> = clusters.iter().map(|cluster| cluster.blocks() as f64).collect();
    let (mut now, mut memory, mut qs) = (0.0, 0.0, Vec::new());
    while left.iter().any(|&blocks| blocks > 0.0) {
        let remaining: Vec<u64> = left.iter().map(|blocks| blocks.ceil() as u64).collect();
        let elapsed = gpusched::time::Time::from_ns(now as u64);
        let budget = if now > 0.0 {
            allocator.decide(elapsed, &remaining)
        } else {
            allocator.nominal()
        };
        let q = budget.ns() as f64 / PERIOD;
        let mut places = 4.0 * PERIOD;
        for (cluster, left) in clusters.iter().zip(&mut left) {
            let alone = cluster.isolated_distribution().unwrap().mean_ns;
            let contended = cluster.interference_distribution().unwrap().mean_ns;
            let time = alone / (1.0 - q + q * alone / contended);
            let done = left.min(places / time);
            *left -= done;
            places -= done * time;
            if *left > 0.0 {
                break;
            }
        }
        let used = PERIOD - places / 4.0;
        (now, memory) = (now + used, memory + q * used);
        qs.push(q);
    }
    (now, memory, qs)
}

/// Blocks with 64 bursts per period approximate the fluid.
#[test]
fn blocks_flow() {
    for policy in BudgetPolicy::ALL {
        let (finish, memory, qs) = fluid(policy);
        let found = run(AccessPattern::Uniform, policy);
        let mean = qs.iter().sum::<f64>() / qs.len() as f64;
        println!(
            "{policy} {finish} {memory} {mean}: {} {} {}",
            found.finish,
            found.requests / 0.06,
            found.q_mean
        );
        assert!(
            close(found.finish, finish) && close(found.requests / 0.06, memory) && close(found.q_mean, mean)
        );
    }
}

/// FAIR gives best-effort cores about 69 % more memory time than NOMINAL, GREEDY about 77 %.
#[test]
fn improvements_are_those_of_the_model() {
    let nominal = run(AccessPattern::Back, BudgetPolicy::Nominal).requests;
    for (policy, expected) in [(BudgetPolicy::Fair, 0.69), (BudgetPolicy::Greedy, 0.77)] {
        let improvement = run(AccessPattern::Back, policy).requests / nominal - 1.0;
        println!("{policy} {improvement}");
        assert!((improvement - expected).abs() < 0.05, "{policy} {improvement}");
    }
}

/// [Aghilinasab20] Fig. 3: FAIR rises, GREEDY is highest early, SMOOTH varies least.
#[test]
fn budgets_have_the_shapes_of_the_figure() {
    let qs = |run: &Run| -> Vec<f64> { run.periods.iter().map(|period| period.q).collect() };
    let [fair, greedy, smooth] = [BudgetPolicy::Fair, BudgetPolicy::Greedy, BudgetPolicy::Smooth]
        .map(|policy| run(AccessPattern::Front, policy));
    let rises = qs(&fair).windows(2).filter(|pair| pair[1] > pair[0]).count();
    assert!(rises + 2 >= fair.periods.len() - 1, "{:?}", qs(&fair));
    let all = qs(&greedy);
    let highest = (0..all.len()).max_by(|&a, &b| all[a].total_cmp(&all[b])).unwrap();
    assert!(highest <= 3, "{all:?}");
    println!("{} {} {}", fair.q_std, greedy.q_std, smooth.q_std);
    assert!(smooth.q_std < greedy.q_std && smooth.q_std < fair.q_std);
}
