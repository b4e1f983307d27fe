//! Divides the SMs of a GPU among tasks, and checks the plan with separate code.

use gpusched::interference::Conflict;
use gpusched::partitioning::{HeuristicKind, Problem, partition};
use gpusched::{Kind, Policy, Task, TaskSet, WcetFunction, verification};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let lidar = WcetFunction::amdahl("80ms".parse()?, "0.1".parse()?, "2.3".parse()?)?;
    let camera = WcetFunction::amdahl("90ms".parse()?, "0.02".parse()?, "1.2".parse()?)?;
    let lidar = Task::new("50ms".parse()?, lidar)
        .name("lidar")
        .kind(Kind::Memory)
        .build()?;
    let camera = Task::new("33ms".parse()?, camera).name("camera").build()?;
    let set = TaskSet::new(None, vec![lidar, camera])?;

    let problem = Problem::new(&set, 8, Policy::NpEdf, &Conflict)?;
    let plan = partition(&problem, &HeuristicKind::Auto.into());
    assert!(plan.schedulable);
    for part in &plan.partitions {
        let names = part.tasks.iter().map(|&task| set.label(task));
        println!("{} SMs: {}", part.sms, names.collect::<Vec<_>>().join(", "));
    }
    verification::verify(&plan, &set)?;
    Ok(())
}
