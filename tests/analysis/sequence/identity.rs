//! One kernel that starts with a regulation period is a run of `budget simulate`.

use gpusched::bandwidth::{Allocator, BudgetPolicy};
use gpusched::model::system::KernelTaskShape;
use gpusched::model::{Factor, Kernel, KernelTask, Straddling, System};
use gpusched::simulator::regulation::sequence::{Dispatch, Sequencer};
use gpusched::simulator::regulation::{AccessPattern, BlockTimes, Setting, Simulator, tolerance};
use gpusched::time::Time;

fn histo() -> Kernel {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tasksets/kernels/histo-table1.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn one_kernel_is_a_run() {
    let kernel = histo();
    let task = KernelTask::new(KernelTaskShape {
        kernel: kernel.clone(),
        period: None,
        offset: None,
        deadline: None,
        q: None,
        slowdown: None,
    });
    let system = System::new(None, vec![task.unwrap()]).unwrap();
    let q = Factor::from_f64(0.13).unwrap();
    for pattern in AccessPattern::ALL {
        for blocks in [BlockTimes::Wcet, BlockTimes::Drawn] {
            let setting = Setting {
                pattern,
                blocks,
                lead_ns: Time::from_ns(50_000),
                process_requests: 470,
                ..Setting::default()
            };
            let simulator = Simulator::new(&kernel, setting.clone(), 7).unwrap();
            for policy in BudgetPolicy::ALL {
                let mut allocator = Allocator::new(&kernel, q, policy, Straddling::End).unwrap();
                let wcets = [allocator.deadline()];
                let sequencer = Sequencer::new(&system, &wcets, Dispatch::Fifo, setting.clone(), 7).unwrap();
                let one = simulator.run(&simulator.execution(3), policy, &mut allocator, true);
                let all = sequencer.run(3, policy, &mut [allocator.clone()], true);
                let job = &all.jobs[0];
                let finish = one.finish - tolerance(allocator.deadline(), kernel.regulation_period());
                assert_eq!(
                    job.finish_ns.ns(),
                    finish.ceil() as u64,
                    "{pattern} {blocks} {policy}"
                );
                assert_eq!(job.requests, one.requests, "{pattern} {blocks} {policy}");
                let busy: Vec<_> = all
                    .stretches
                    .iter()
                    .filter(|stretch| stretch.job.is_some())
                    .collect();
                assert_eq!(busy.len(), one.periods.len());
                for (stretch, period) in busy.iter().zip(&one.periods) {
                    assert_eq!((stretch.begin, stretch.q), (period.time, period.q));
                    assert_eq!(
                        (&stretch.remaining, stretch.requests),
                        (&period.remaining, period.requests)
                    );
                    assert_eq!(stretch.slack, period.slack);
                }
                assert_eq!(all.idle.ns() + job.finish_ns.ns(), allocator.deadline().ns());
            }
        }
    }
}
