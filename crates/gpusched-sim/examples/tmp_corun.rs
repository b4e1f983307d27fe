use gpusched_model::{Machine, Program, WarpRun};
use gpusched_sim::validation::warps::{Campaign, Examiner, Form};
use gpusched_warp::stress::Stress;
fn main() {
    let name = std::env::args().nth(1).unwrap();
    let machine = Machine::find(&name).unwrap();
    let t = std::time::Instant::now();
    let stress = Stress::measure(&machine, || ()).unwrap();
    for (p, r) in &stress.patterns { println!("{:20} {:?} {:8.2} {:8.2}", p.name, p.level, r.l2 as f64/1e9, r.dram as f64/1e9); }
    println!("balanced {:?} universal {:?} {:?}", stress.balanced(), stress.universal(), t.elapsed());
    let examiner = Examiner::new(machine, &stress);
    let n: u64 = std::env::args().nth(2).unwrap().parse().unwrap();
    let made_up = std::env::args().nth(3).unwrap() == "made-up";
    let seed: u64 = std::env::args().nth(4).unwrap().parse().unwrap();
    let files: Vec<String> = std::env::args().skip(5).collect();
    if n == 0 {
        for f in files {
            let run: WarpRun = serde_json::from_str(&std::fs::read_to_string(&f).unwrap()).unwrap();
            let victims = examiner.examine(run.shape()).unwrap();
            println!("{f}");
            for v in victims.unwrap_or_default() {
                println!("   {} {} alone {} slowdown {:.3} ratios {:?}", v.name, v.together, v.alone, v.together as f64 / v.alone as f64, v.bounds.map(|b| (1000.0 * v.together as f64 / b as f64).round() / 1000.0));
            }
        }
        return;
    }
    let programs: Vec<Program> = files.iter().map(|f| serde_json::from_str(&std::fs::read_to_string(f).unwrap()).unwrap()).collect();
    let form = match std::env::var("FORM").as_deref() { Ok("own") => Form::OwnDrain, Ok("peak") => Form::Peak, Ok("balanced") => Form::Balanced, _ => Form::Universal };
    let c = Campaign { examiner, programs, made_up, systems: n, seed, form };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let t = std::time::Instant::now();
    let r = c.run(&pool, || ()).unwrap();
    println!("{} corun {} left {} kernels {} slow {:.3} max {:.2} {:?}", r.co_runs, r.co_runs, r.left_out, r.kernels, r.slowdown, r.largest_slowdown, t.elapsed());
    for f in &r.forms { println!("{:?}", f); }
    if let Some((i, shape)) = r.violation { println!("violation {i}"); std::fs::write(format!("/tmp/violation-{seed}.json"), serde_json::to_string(&shape).unwrap()).unwrap(); }
}
