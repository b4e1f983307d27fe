use gpusched_analysis::end_to_end::analyze_draft;
use gpusched_model::Interference;
use gpusched_model::time::Time;
use gpusched_sim::validation::end_to_end::budgets::Campaign;
use gpusched_verify::verify_draft;
fn main() {
    let args: Vec<u64> = std::env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let c = Campaign {
        systems: args[0],
        seed: args[1],
        beyond: 0,
    };
    let (mut bad, mut ok, mut refused, mut accepted) = (0, 0, 0, 0);
    for i in 0..args[0] {
        let d = c.draft(i).unwrap();
        let b = match analyze_draft(&d, Interference::None.into()) {
            Ok(b) => b,
            Err(e) => {
                println!("{i}: analysis {e:?}");
                continue;
            }
        };
        let b = b.with_assumptions(&d);
        match verify_draft(&b.answer, &d, Interference::None.into()) {
            Ok(_) => ok += 1,
            Err(f) => {
                bad += 1;
                if bad < 6 {
                    println!(
                        "{i}: {f}\n{}\n{}",
                        serde_json::to_string(&d).unwrap(),
                        serde_json::to_string(&b.answer.budgets).unwrap()
                    );
                }
            }
        }
        let found = b.answer.budgets.clone().unwrap();
        for t in 0..found.segments.len() {
            for s in 0..found.segments[t].len() {
                for (k, delta) in [(0, 1i64), (0, -1), (1, 1), (1, -1), (2, 1), (2, -1), (2, 1000)] {
                    let mut a = b.answer.clone();
                    let seg = &mut a.budgets.as_mut().unwrap().segments[t][s];
                    let shift = |x: Time| Time::from_ns((x.ns() as i64 + delta).max(0) as u64);
                    match k {
                        0 => seg.memory_time_ns = shift(seg.memory_time_ns),
                        1 => seg.wcet_ns = shift(seg.wcet_ns),
                        _ => {
                            seg.window_ns = match seg.window_ns {
                                Some(w) if delta < 1000 => Some(shift(w)),
                                Some(_) => None,
                                None => Some(Time::from_ns(7)),
                            }
                        }
                    }
                    if a == b.answer {
                        continue;
                    }
                    if verify_draft(&a, &d, Interference::None.into()).is_ok() {
                        accepted += 1;
                        if accepted < 4 {
                            println!(
                                "{i}: ACCEPTED {t} {s} {k} {delta} {:?} {:?}",
                                d.tasks[t].segments[s], found.segments[t][s]
                            );
                        }
                    } else {
                        refused += 1;
                    }
                }
            }
        }
    }
    println!("ok {ok} bad {bad} refused {refused} accepted {accepted}");
}
