#[path = "../tests/oracle/mod.rs"]
mod oracle;
use gpusched::interference::Interference;
use gpusched::model::{Policy, TaskSet};
use gpusched::partitioning::{Heuristic, HeuristicKind, Problem, partition};
use rand::RngExt;
use std::time::Instant;
fn set(rng: &mut rand_chacha::ChaCha8Rng, n: usize, u: f64) -> TaskSet {
    let mut sum = u;
    let mut tasks = vec![];
    for i in 0..n {
        let share = if i + 1 == n {
            sum
        } else {
            let next = sum * rng.random::<f64>().powf(1.0 / (n - 1 - i) as f64);
            let s = sum - next;
            sum = next;
            s
        };
        let period = [50u64, 80, 100, 200, 250, 400, 500, 800, 1000, 2000, 4000][rng.random_range(0..11)];
        let work = (share * period as f64 * 1e6) as u64;
        let (kind, b, k) = if rng.random_bool(0.5) {
            ("compute", 0.02, 1.2)
        } else {
            ("memory", 0.1, 2.3)
        };
        tasks.push(format!(r#"{{"period":"{period}ms","deadline":{},"kind":"{kind}","wcet":{{"proportional":{{"work":{work},"serial":{b},"conflict":{k}}}}}}}"#, period * 750_000));
    }
    serde_json::from_str(&format!(r#"{{"tasks":[{}]}}"#, tasks.join(","))).unwrap()
}
fn main() {
    let mut rng = oracle::random_sets::rng(1);
    for (n, sets) in [(50, 20), (200, 4)] {
        let sets: Vec<TaskSet> = (0..sets).map(|_| set(&mut rng, n, 50.0)).collect();
        let h = Heuristic::from(HeuristicKind::Sms);
        let (mut a, mut b, mut merges, mut ok) = (0.0, 0.0, 0, 0);
        for s in &sets {
            let t = Instant::now();
            let p = partition(
                &Problem::new(s, 68, Policy::Edf, Interference::Conflict.model()).unwrap(),
                &h,
            );
            a += t.elapsed().as_secs_f64();
            merges += p.stats.merges_tested;
            ok += p.schedulable as usize;
            if std::env::args().count() > 1 {
                continue;
            }
            let t = Instant::now();
            let q = oracle::transcription::machine(s, 68, Policy::Edf, Interference::Conflict)
                .partition_and_allocate(&h);
            b += t.elapsed().as_secs_f64();
            assert_eq!(q.merges, p.stats.merges_tested);
        }
        let k = sets.len() as f64;
        println!(
            "n={n}: ours {:.3} ms, transcription {:.3} ms, merges {}, ok {ok}/{}",
            a / k * 1e3,
            b / k * 1e3,
            merges / sets.len() as u64,
            sets.len()
        );
    }
}
