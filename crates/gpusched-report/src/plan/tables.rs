//! Facts, partitions and tasks of a plan.

use gpusched_model::plan::Proof;
use gpusched_model::time::Time;
use gpusched_model::{Partition, Plan, Policy, RateForm, TaskSet, counted};

use super::memory::{is_divided, of_instance};
use super::origin;
use super::system::System;
use super::verdict::naming;
use crate::table::{Cell, Table, Tone, factor};

/// Returns the key numbers of the plan, each with its name.
pub fn facts(plan: &Plan, set: &TaskSet) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if let Some(hardware) = &plan.hardware {
        facts.push(("GPU", hardware.device.name().to_owned()));
        facts.push(("Granularity", hardware.granularity.to_string()));
    }
    facts.extend(origin::gpus(plan, set).map(|gpus| ("WCETs measured on", gpus)));
    facts.push(("Tasks", set.tasks().len().to_string()));
    facts.push(("Partitions", plan.partitions.len().to_string()));
    facts.push(("SMs used", format!("{} of {}", plan.sms_used, plan.gpu_sms)));
    if let Some(bound) = &plan.bound {
        let proof = match bound.proof {
            Proof::Prices => "sum of the dual prices of the tasks",
            Proof::Search => "by complete search",
        };
        facts.push(("Lower bound", format!("{} ({proof})", counted(bound.sms, "SM"))));
    }
    facts.push(("Policy", policies(plan)));
    let interference = plan.interference.map(|model| model.to_string());
    facts.push((
        "Interference model",
        interference.unwrap_or_else(|| "unnamed".to_owned()),
    ));
    if let Some(time) = plan.memory.and_then(|memory| memory.time) {
        facts.push(("Memory time", format!("{time}; {}", RateForm::STRENGTH)));
    } else if let Some(memory) = plan.memory {
        facts.push(("Guaranteed memory bandwidth", memory.bandwidth.to_string()));
        facts.push(("Memory arbiter", memory.arbitration.to_string()));
    }
    if let Some(margin) = &plan.margin {
        facts.push(("WCET margin", factor(margin.wcet_scaling_permille)));
    } else if let Some(sensitivity) = &plan.sensitivity {
        facts.push(("WCET margin", factor(sensitivity.wcet_scaling_permille)));
    }
    facts
}

fn policies(plan: &Plan) -> String {
    let mut names: Vec<&str> = Vec::new();
    for partition in &plan.partitions {
        let name = partition.verdict.policy.name();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.is_empty() {
        true => "–".to_owned(),
        false => names.join(", "),
    }
}

/// Returns the table of partitions, or `None` for a plan without partitions.
pub fn partitions(plan: &Plan, set: &TaskSet, system: Option<&System<'_>>, verified: bool) -> Option<Table> {
    let mut table = Table::new("partitions", "Partitions of the plan")
        .number("Partition")
        .number("SMs")
        .text("Verdict")
        .text("Tasks")
        .number("Utilization");
    let slacks: Vec<Option<Time>> = plan
        .partitions
        .iter()
        .map(|partition| system?.slack(partition))
        .collect();
    let with_slack = slacks.iter().any(Option::is_some);
    let with_place = plan.partitions.iter().any(|partition| partition.place.is_some());
    if with_slack {
        table = table.time("Slack");
    }
    if plan.sensitivity.is_some() {
        table = table.number("Spare SMs");
    }
    table = table.text("Test");
    if with_place {
        table = table.text("Placement");
    }
    let divided = is_divided(plan);
    if divided {
        table = table.valued("Bandwidth of the instance", "B/s");
    }
    for (index, (partition, slack)) in plan.partitions.iter().zip(slacks).enumerate() {
        let names: Vec<String> = partition.tasks.iter().map(|&task| set.label(task)).collect();
        let utilization =
            system.and_then(|system| system.problem.utilization(&partition.tasks, partition.sms));
        let mut row: Vec<Cell> = vec![
            index.into(),
            partition.sms.into(),
            verdict(partition, set, verified),
            names.join(", ").into(),
            utilization.map_or_else(Cell::none, |utilization| Cell::share(utilization.as_f64())),
        ];
        if with_slack {
            row.push(Cell::of(slack));
        }
        if let Some(sensitivity) = &plan.sensitivity {
            row.push(Cell::of(
                sensitivity.partitions.get(index).map(|found| found.spare_sms),
            ));
        }
        let test = format!("{}, {}", partition.verdict.policy, partition.verdict.strength);
        row.push(test.into());
        if with_place {
            row.push(Cell::of(partition.place.as_ref().map(ToString::to_string)));
        }
        if divided {
            let bandwidth = of_instance(plan, partition);
            row.push(bandwidth.map_or_else(Cell::none, |rate| Cell::valued(rate, rate.bytes_per_second())));
        }
        table.rows.push(row);
    }
    (!table.rows.is_empty()).then_some(table)
}

/// Returns the verdict of a partition. If the plan is not verified, the verdict is only a statement of the plan.
fn verdict(partition: &Partition, set: &TaskSet, verified: bool) -> Cell {
    let evidence = &partition.verdict.evidence;
    match (partition.verdict.schedulable, verified) {
        (true, true) => Cell::toned("passes", Tone::Good),
        (true, false) => Cell::toned("passes according to the plan, not proven", Tone::Open),
        (false, _) => Cell::toned(
            format!("fails: {evidence}{}", naming(set, evidence.task())),
            Tone::Bad,
        ),
    }
}

/// Returns the table of tasks, in the order of the task set.
pub fn tasks(plan: &Plan, set: &TaskSet, system: Option<&System<'_>>) -> Table {
    let found = Found::of(plan, set.tasks().len(), system);
    let has = |has: fn(&gpusched_model::Task) -> bool| set.tasks().iter().any(has);
    let jitter = has(|task| task.jitter() > Time::ZERO);
    let (kind, traffic) = (
        has(|task| task.kind().is_some()),
        has(|task| task.traffic().is_some()),
    );
    let mut table = Table::new("tasks", "Tasks of the task set")
        .number("#")
        .text("Task")
        .number("Partition")
        .time("Period T")
        .time("Deadline D");
    table.head = 1;
    if jitter {
        table = table.time("Jitter J");
    }
    let known = found.wcets.iter().any(Option::is_some);
    let bounded = found.response_times.iter().any(Option::is_some);
    if known {
        table = match is_divided(plan) {
            true => table.time("WCET C'").number("C' / T"),
            false => table.time("WCET C").number("C / T"),
        };
    }
    if bounded {
        table = table.time("Response time R").time("Margin D − R").number("R / D");
    }
    if plan.sensitivity.is_some() {
        table = table.number("WCET may grow");
    }
    if kind {
        table = table.text("Kind");
    }
    if traffic {
        table = table.valued("Traffic per job", "bytes");
    }
    if plan.bound.is_some() {
        table = table.number("Dual price");
    }
    for (index, task) in set.tasks().iter().enumerate() {
        let of = |list: &[Option<Time>]| list.get(index).copied().flatten();
        let (wcet, response) = (of(&found.wcets), of(&found.response_times));
        let (period, deadline) = (task.period(), task.deadline());
        let share = |part: Time, whole: Time| Cell::share(part.ns() as f64 / whole.ns().max(1) as f64);
        let mut row: Vec<Cell> = vec![
            index.into(),
            set.label(index).into(),
            Cell::of(found.partitions.get(index).copied().flatten()),
            period.into(),
            deadline.into(),
        ];
        if jitter {
            row.push(task.jitter().into());
        }
        if known {
            row.push(Cell::of(wcet));
            row.push(wcet.map_or_else(Cell::none, |wcet| share(wcet, period)));
        }
        if bounded {
            row.push(Cell::of(response));
            row.push(response.map_or_else(Cell::none, |response| Cell::margin(deadline, response)));
            row.push(response.map_or_else(Cell::none, |response| share(response, deadline)));
        }
        if plan.sensitivity.is_some() {
            let growth = found.growths.get(index).copied().flatten();
            row.push(growth.map_or_else(Cell::none, |permille| {
                let exact = format!("{}.{:03}", permille / 1000, permille % 1000);
                Cell::valued(factor(permille), exact)
            }));
        }
        if kind {
            row.push(Cell::of(task.kind().map(|kind| kind.to_string())));
        }
        if traffic {
            let traffic = task.traffic();
            row.push(traffic.map_or_else(Cell::none, |traffic| Cell::valued(traffic, traffic.bytes())));
        }
        if let Some(bound) = &plan.bound {
            let price = bound.prices.get(index).copied();
            row.push(price.map_or_else(Cell::none, |price| {
                let exact = format!("{}.{:06}", price / 1_000_000, price % 1_000_000);
                Cell::valued(&exact, &exact)
            }));
        }
        table.rows.push(row);
    }
    table
}

/// Values of each task, by the position of the task.
struct Found {
    partitions: Vec<Option<usize>>,
    wcets: Vec<Option<Time>>,
    response_times: Vec<Option<Time>>,
    growths: Vec<Option<u64>>,
}

impl Found {
    fn of(plan: &Plan, tasks: usize, system: Option<&System<'_>>) -> Found {
        let mut found = Found {
            partitions: vec![None; tasks],
            wcets: vec![None; tasks],
            response_times: vec![None; tasks],
            growths: vec![None; tasks],
        };
        for (index, partition) in plan.partitions.iter().enumerate() {
            let demands = system.and_then(|system| system.demands(partition));
            let times = system.and_then(|system| system.response_times(partition));
            for (position, &task) in partition.tasks.iter().enumerate() {
                set(&mut found.partitions, task, Some(index));
                let demand = demands.as_ref().and_then(|demands| demands.get(position));
                set(&mut found.wcets, task, demand.map(|demand| demand.wcet));
                let time = times.as_ref().and_then(|times| times.get(position));
                set(&mut found.response_times, task, time.copied());
            }
        }
        let slacks = plan
            .sensitivity
            .iter()
            .flat_map(|sensitivity| &sensitivity.partitions);
        for slack in slacks.flat_map(|partition| &partition.tasks) {
            set(&mut found.growths, slack.task, Some(slack.wcet_scaling_permille));
        }
        found
    }
}

fn set<T>(list: &mut [Option<T>], index: usize, value: Option<T>) {
    if let Some(place) = list.get_mut(index) {
        *place = value;
    }
}

/// Returns sentences about the columns of the table of tasks.
pub fn notes(plan: &Plan, verified: bool) -> Vec<&'static str> {
    let mut notes = vec![response_times_note(plan, verified)];
    if verified && is_divided(plan) {
        notes.push(
            "WCET C' is the WCET in the MIG instance. It exceeds the stated WCET if the task can use more memory bandwidth than the instance has.",
        );
    }
    if plan.bound.is_some() {
        notes.push(
            "The dual price of a task is its part of the lower bound. The dual prices of the tasks in a partition never exceed the SMs that they need together, so every plan has at least as many SMs as the sum of all dual prices.",
        );
    }
    notes
}

/// Returns a sentence about the source of the response times.
fn response_times_note(plan: &Plan, verified: bool) -> &'static str {
    if !verified {
        return "The page shows no WCETs and no response times, because the verifier refuses the plan.";
    }
    let mut policies = plan.partitions.iter().map(|partition| partition.verdict.policy);
    let is_fixed = |policy: Policy| matches!(policy, Policy::FixedPriority(..));
    if plan.partitions.is_empty() {
        "The plan assigns no task to a partition, so there are no response times."
    } else if policies.clone().all(is_fixed) {
        "The evidence of the plan contains the response times, and the verifier checks them."
    } else if is_divided(plan) {
        "With memory traffic, the analysis of EDF bounds no response times. The proof is the demand test."
    } else if plan.memory.is_some() {
        "WCETs exclude the interference delay by other partitions. Tasks under EDF have no bound on the response time with shared memory; their evidence is the demand test."
    } else if policies.any(|policy| policy == Policy::Edf) {
        "The analysis computes response times under preemptive EDF. The verifier does not check them, because the proof uses the demand test."
    } else {
        "The test of these partitions bounds no response times. The proof uses only the test."
    }
}
