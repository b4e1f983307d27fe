use gpusched_sim::campaign::Campaign as _;
use gpusched_sim::validation::end_to_end::budgets::Campaign;
fn main() {
    let args: Vec<u64> = std::env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let c = Campaign {
        systems: args[0],
        seed: args[1],
        beyond: args[2],
    };
    let mut record = c.record(0);
    let mut first = None;
    for i in 0..args[0] {
        if let Err(e) = c.check(i, &mut record) {
            println!("system {i}: {e}");
            first.get_or_insert(i);
            if args.len() < 4 {
                break;
            }
        }
    }
    let r = c.report(record).unwrap();
    println!("{:?}\n{:?}", r.tally, r.excess);
    if let Some(d) = r.draft {
        println!("{}", serde_json::to_string(&d).unwrap());
    }
}
