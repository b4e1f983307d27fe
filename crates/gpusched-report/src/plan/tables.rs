//! Facts, partitions and tasks of a plan.

use gpusched_model::plan::Proof;
use gpusched_model::time::Time;
use gpusched_model::{Partition, Plan, Policy, RateForm, TaskSet, counted};

use super::memory::{is_divided, of_instance};
use super::origin;
use super::system::System;
use super::verdict::naming;
use crate::view::cell::factor;
use crate::view::{Cell, Table, Tone};

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
    facts.push(match plan.sms_used > plan.gpu_sms {
        true => (
            "SMs needed",
            format!("{}, but only {} exist", plan.sms_used, plan.gpu_sms),
        ),
        false => ("SMs used", format!("{} of {}", plan.sms_used, plan.gpu_sms)),
    });
    if let Some(bound) = &plan.bound {
        let proof = match bound.proof {
            Proof::Prices => "sum of the dual prices of the tasks, rounded up",
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
    facts.extend(plan.overheads.map(|overheads| {
        let origin = plan
            .overheads_origin
            .as_ref()
            .map(|origin| format!(" ({origin})"));
        ("Overheads", format!("{overheads}{}", origin.unwrap_or_default()))
    }));
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
    let partitions = plan.partitions.iter().enumerate();
    let table = Table::of(partitions.map(|(index, partition)| {
        let slack = system.and_then(|system| system.slack(partition));
        (index, partition, slack)
    }));
    let with_slack = table.rows().iter().any(|(.., slack)| slack.is_some());
    let with_place = plan.partitions.iter().any(|partition| partition.place.is_some());
    let table = table
        .number("Partition", |(index, ..)| *index)
        .number("SMs", |(_, partition, _)| partition.sms)
        .text("Verdict", |(_, partition, _)| {
            verdict(plan, partition, set, verified)
        })
        .text("Tasks", |(_, partition, _)| {
            let names = partition.tasks.iter().map(|&task| set.label(task));
            names.collect::<Vec<String>>().join(", ")
        })
        .number("Utilization", |(_, partition, _)| {
            let utilization =
                { system }.and_then(|of| of.problem.utilization(&partition.tasks, partition.sms));
            Cell::of(utilization.map(|utilization| Cell::share(utilization.as_f64())))
        })
        .when(with_slack, |table| {
            table.time("Slack", |(.., slack)| Cell::of(*slack))
        })
        .each(&plan.sensitivity, |table, sensitivity| {
            table.number("Spare SMs", |(index, ..)| {
                let found = sensitivity.partitions.get(*index);
                Cell::of(found.map(|found| found.spare_sms))
            })
        })
        .text("Test", |(_, partition, _)| {
            format!("{}, {}", partition.verdict.policy, partition.verdict.strength)
        })
        .when(with_place, |table| {
            table.text("Placement", |(_, partition, _)| {
                Cell::of(partition.place.as_ref().map(ToString::to_string))
            })
        })
        .when(is_divided(plan), |table| {
            table.valued("Bandwidth of the instance", "B/s", |(_, partition, _)| {
                let bandwidth = of_instance(plan, partition);
                Cell::of(bandwidth.map(|rate| Cell::valued(rate, rate.bytes_per_second())))
            })
        });
    let table = table.done().on_page("partitions", "Partitions of the plan");
    (!table.is_empty()).then_some(table)
}

/// Returns the verdict of a partition. If the plan is not verified, the verdict is only a statement of the plan.
fn verdict(plan: &Plan, partition: &Partition, set: &TaskSet, verified: bool) -> Cell {
    let evidence = &partition.verdict.evidence;
    match (partition.verdict.schedulable, verified) {
        (true, true) if plan.schedulable => Cell::toned("passes", Tone::Good),
        (true, true) => Cell::toned("passes, but there is no plan for all tasks", Tone::Plain),
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
    let known = found.wcets.iter().any(Option::is_some);
    let bounded = found.response_times.iter().any(Option::is_some);
    let (wcet, utilization) = match is_divided(plan) {
        true => ("WCET C'", "C' / T"),
        false => ("WCET C", "C / T"),
    };
    let tasks = set.tasks().iter().enumerate();
    let table = Table::of(tasks.map(|(index, task)| {
        let of = |list: &[Option<Time>]| list.get(index).copied().flatten();
        (index, task, of(&found.wcets), of(&found.response_times))
    }));
    let share = |part: Option<Time>, whole: Time| {
        let share = part.map(|part| part.ns() as f64 / whole.ns().max(1) as f64);
        Cell::of(share.map(Cell::share))
    };
    let table = table
        .number("#", |(index, ..)| *index)
        .text("Task", |(index, ..)| set.label(*index))
        .heading()
        .number("Partition", |(index, ..)| {
            Cell::of(found.partitions.get(*index).copied().flatten())
        })
        .time("Period T", |(_, task, ..)| task.period())
        .time("Deadline D", |(_, task, ..)| task.deadline())
        .when(jitter, |table| {
            table.time("Jitter J", |(_, task, ..)| task.jitter())
        })
        .when(known, |table| {
            table
                .time(wcet, |(_, _, wcet, _)| Cell::of(*wcet))
                .number(utilization, |(_, task, wcet, _)| share(*wcet, task.period()))
        })
        .when(bounded, |table| {
            table
                .time("Response time R", |(.., response)| Cell::of(*response))
                .time("Margin D − R", |(_, task, _, response)| {
                    Cell::of(response.map(|response| Cell::margin(task.deadline(), response)))
                })
                .number("R / D", |(_, task, _, response)| {
                    share(*response, task.deadline())
                })
        })
        .when(plan.sensitivity.is_some(), |table| {
            table.number("WCET may grow", |(index, ..)| {
                let growth = found.growths.get(*index).copied().flatten();
                Cell::of(growth.map(Cell::factor))
            })
        })
        .when(kind, |table| {
            table.text("Kind", |(_, task, ..)| {
                Cell::of(task.kind().map(|kind| kind.to_string()))
            })
        })
        .when(traffic, |table| {
            table.valued("Traffic per job", "bytes", |(_, task, ..)| {
                let traffic = task.traffic();
                Cell::of(traffic.map(|traffic| Cell::valued(traffic, traffic.bytes())))
            })
        })
        .each(&plan.bound, |table, bound| {
            table.number("Dual price", |(index, ..)| {
                let price = bound.prices.get(*index);
                Cell::of(price.map(|price| {
                    let exact = format!("{}.{:06}", price / 1_000_000, price % 1_000_000);
                    Cell::valued(&exact, &exact)
                }))
            })
        });
    table.done().on_page("tasks", "Tasks of the task set")
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

/// Whether two tasks of one partition under EDF have equal margins.
fn has_equal_margins(plan: &Plan, set: &TaskSet, system: Option<&System<'_>>) -> bool {
    plan.partitions.iter().any(|partition| {
        let times = { system }.and_then(|system| system.response_times(partition));
        let tasks = partition.tasks.iter().filter_map(|&task| set.tasks().get(task));
        let margins = tasks
            .zip(times.unwrap_or_default())
            .map(|(task, time)| task.deadline().checked_sub(time));
        let mut margins: Vec<Option<Time>> = margins.collect();
        let count = margins.len();
        margins.sort_unstable();
        margins.dedup();
        partition.verdict.policy == Policy::Edf && margins.len() < count
    })
}

/// How the WCET C follows from the task set.
const WCETS: &str = "The task set in the section How to verify states each WCET as a function of the number m of SMs. The form amdahl is k · work · (1/m + serial). The form proportional is k · work · (1 + serial)/m. The form affine is a/m + b. A table contains the time of its largest number of SMs that is at most m. A task that contends with another task of its partition has k = conflict, or the entries of conflict. Other tasks have k = 1, or the entries of isolated. All times are rounded up to whole ns.";

/// Returns sentences about the columns of the table of tasks.
pub fn notes(plan: &Plan, set: &TaskSet, system: Option<&System<'_>>, verified: bool) -> Vec<&'static str> {
    let mut notes = vec![response_times_note(plan, verified)];
    if has_equal_margins(plan, set, system) {
        notes.push(
            "Tasks of one partition with equal margins share the deadline where the demand of the busy interval is closest to the supply. The margin is this least slack of the demand bound.",
        );
    }
    if verified && !plan.partitions.is_empty() {
        notes.push(WCETS);
    }
    if verified && is_divided(plan) {
        notes.push(
            "WCET C' is the WCET in the MIG instance. It exceeds the stated WCET if the task can use more memory bandwidth than the instance has.",
        );
    }
    if plan.bound.is_some() {
        notes.push(
            "The dual price of a task is its part of the lower bound. The dual prices of the tasks in a partition never exceed the SMs that they need together, so every plan has at least as many SMs as the sum of all dual prices. The lower bound is this sum, rounded up to the next number of SMs that partitions can have: whole SMs, TPCs or instances.",
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
    let has_bounds = |policy: Policy| {
        matches!(
            policy,
            Policy::FixedPriority(..) | Policy::NpFifo | Policy::Concurrent
        )
    };
    if plan.partitions.is_empty() {
        "The plan assigns no task to a partition, so there are no response times."
    } else if policies.clone().all(has_bounds) {
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
