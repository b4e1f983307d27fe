use gpusched::generation::*;
use gpusched::interference::Conflict;
use gpusched::model::Policy;
use gpusched::partitioning::forbidden::Forbidden;
use gpusched::partitioning::*;
use rayon::prelude::*;
fn main() {
    for (n, sets) in [(50usize, 400u64), (200, 60)] {
        for forbidden in [Forbidden::Ina, Forbidden::Act] {
            let recipe = Recipe {
                wcet: WcetModel::Proportional,
                ..Recipe::default()
            };
            let source = Source::new(&recipe, n, 50.0, 7).unwrap();
            let v: Vec<(f64, bool)> = (0..sets)
                .into_par_iter()
                .map(|i| {
                    let s = source.draw(50, i).unwrap();
                    let p = partition(
                        &Problem::new(&s, 68, Policy::Edf, &Conflict).unwrap(),
                        &Heuristic {
                            forbidden,
                            ..HeuristicKind::Sms.into()
                        },
                    );
                    (p.stats.merges_tested as f64, p.schedulable)
                })
                .collect();
            for ok in [true, false] {
                let w: Vec<f64> = v.iter().filter(|x| x.1 == ok).map(|x| x.0).collect();
                let m = w.iter().sum::<f64>() / w.len() as f64;
                println!(
                    "n={n} {forbidden:?} ok={ok} k={} mean {m:.0} std {:.0}",
                    w.len(),
                    (w.iter().map(|x| (x - m).powi(2)).sum::<f64>() / w.len() as f64).sqrt()
                );
            }
            let m = v.iter().map(|x| x.0).sum::<f64>() / v.len() as f64;
            println!(
                "   all {m:.0} std {:.0}",
                (v.iter().map(|x| (x.0 - m).powi(2)).sum::<f64>() / v.len() as f64).sqrt()
            );
        }
    }
}
