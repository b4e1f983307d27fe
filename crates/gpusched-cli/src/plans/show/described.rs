//! Descriptions of the files of gpusched.

use std::collections::BTreeMap;

use super::Description;
use crate::report::{Cell, Table, clip, wrap};
use gpusched_model::counted;
use gpusched_model::end_to_end::{Answer, ChosenBudgets, Draft, SystemPlan};
use gpusched_model::error::excerpt;
use gpusched_model::identity::sha256;
use gpusched_model::plan::{Failure, Partition, Plan};
use gpusched_model::{Bound, Identity, Kernel, TaskSet};

fn verdict(schedulable: bool) -> &'static str {
    if schedulable {
        "schedulable"
    } else {
        "not proven schedulable"
    }
}

pub(super) fn of_plan(plan: &Plan, file: &str) -> Description {
    let mut facts = BTreeMap::new();
    let gpu = plan.hardware.as_ref().map(|hardware| {
        format!(
            "{}, partitions of granularity {}",
            hardware.device.name(),
            hardware.granularity
        )
    });
    facts.insert(
        "GPU",
        gpu.unwrap_or_else(|| format!("any with {}", counted(plan.gpu_sms, "SM"))),
    );
    if let Some(interference) = plan.interference {
        facts.insert("interference", interference.to_string());
    }
    let mut policies: Vec<String> = Vec::new();
    for partition in &plan.partitions {
        let policy = partition.verdict.policy.to_string();
        if !policies.contains(&policy) {
            policies.push(policy);
        }
    }
    facts.insert("policy", policies.join(", "));
    if let Some(overheads) = plan.overheads {
        facts.insert("overheads", overheads.to_string());
    }
    if let Some(bound) = &plan.bound {
        facts.insert(
            "lower bound",
            format!("every plan has at least {}", counted(bound.sms, "SM")),
        );
    }
    if let Some(failure) = &plan.failure {
        facts.insert("reason", failure.to_string());
    }
    let identity = plan.identity.as_ref();
    facts.extend(
        identity
            .into_iter()
            .flat_map(|identity| of_identity("task set", identity)),
    );
    if plan.identity.is_none() {
        facts.insert(
            "task set",
            "unknown, because the plan does not state its identity".to_owned(),
        );
    }
    let name = |task: &usize| {
        let tasks = identity.and_then(|identity| identity.tasks.as_ref());
        let name = tasks.and_then(|tasks| tasks.get(*task)?.name.clone());
        name.map_or(format!("#{task}"), |name| clip(&name, 40))
    };
    let names = |partition: &Partition| wrap(partition.tasks.iter().map(name), 60);
    let table = Table::of(plan.partitions.iter().enumerate())
        .number(("partition", "partition"), |(index, _)| *index)
        .number(("SMs", "sms"), |(_, partition)| partition.sms)
        .text(("tasks", "tasks"), |(_, partition)| Cell::from(names(partition)))
        .text(("place", "place"), |(_, partition)| {
            Cell::or(
                partition.place.as_ref().map(|place| clip(&place.to_string(), 40)),
                "-",
            )
        })
        .text(("evidence", "evidence"), |(_, partition)| {
            Cell::from(partition.verdict.evidence.reason().to_owned())
        })
        .done();
    Description {
        kind: "plan",
        claim: format!(
            "a plan of {} for {}: {}, on {} of {}",
            counted(plan.partitions.len(), "partition"),
            counted(
                plan.partitions
                    .iter()
                    .map(|partition| partition.tasks.len())
                    .sum::<usize>(),
                "task"
            ),
            verdict(plan.schedulable),
            plan.sms_used,
            counted(plan.gpu_sms, "SM")
        ),
        facts,
        table,
        assumptions: plan.assumptions.clone().unwrap_or_default(),
        check: Some(format!("gpusched verify {file} SET")),
        negative: { plan.failure.as_ref() }.is_some_and(|failure| *failure != Failure::HeuristicFailed),
        quiet: false,
    }
}

/// Returns the facts of `identity`. `input` is the kind of the input.
fn of_identity(input: &'static str, identity: &Identity) -> Vec<(&'static str, String)> {
    let name = identity
        .set_name
        .as_ref()
        .map_or("without a name".to_owned(), |name| {
            format!("`{}`", clip(name, 40))
        });
    let revision = identity.revision.as_ref().map_or(String::new(), |revision| {
        format!(", revision {}", excerpt(revision))
    });
    let options: Vec<String> = { identity.options.iter() }
        .map(|(name, value)| {
            if value.is_empty() {
                format!("--{name}")
            } else {
                format!("--{name} {value}")
            }
        })
        .collect();
    let mut facts = vec![
        (input, format!("{name}, SHA-256 {}", digits(&identity.set_sha256))),
        (
            "written by",
            format!("gpusched {}{revision}", excerpt(&identity.gpusched)),
        ),
    ];
    facts.extend(
        identity
            .device_sha256
            .as_ref()
            .map(|digest| ("device", format!("SHA-256 {}", digits(digest)))),
    );
    facts.extend((!options.is_empty()).then(|| ("options", clip(&options.join(" "), 300))));
    facts
}

/// Returns the hexadecimal digits of a digest.
fn digits(digest: &str) -> String {
    digest.chars().filter(char::is_ascii_hexdigit).take(64).collect()
}

pub(super) fn of_bound(bound: Bound, file: &str) -> Description {
    let name = bound.kernel.as_ref().map_or("a kernel".to_owned(), |name| {
        format!("kernel `{}`", clip(name, 40))
    });
    let mut facts = BTreeMap::new();
    facts.insert("memory bandwidth budget Q", bound.q.to_string());
    facts.insert(
        "start",
        if bound.sync {
            "with a regulation period"
        } else {
            "at any time"
        }
        .to_owned(),
    );
    facts.insert(
        "memory time of best-effort cores",
        bound.memory_time_ns.to_string(),
    );
    facts.extend(
        bound
            .identity
            .iter()
            .flat_map(|identity| of_identity("kernel", identity)),
    );
    let proof = match bound.certificate {
        Some(_) => "multipliers of weak duality, which `wcet verify` evaluates",
        None => "none: the bound is from a linear program in floating point",
    };
    facts.insert("proof", proof.to_owned());
    Description {
        kind: "bound",
        claim: format!("a WCET bound: {name} takes at most {}", bound.wcet_ns),
        facts,
        table: Table::default(),
        assumptions: bound.assumptions.unwrap_or_default(),
        check: Some(format!("gpusched wcet verify {file} KERNEL")),
        negative: false,
        quiet: false,
    }
}

pub(super) fn of_answer(answer: Answer, file: &str) -> Description {
    let bounded = answer.response_times_ns.iter().flatten().count();
    let mut facts = BTreeMap::new();
    facts.insert(
        "tasks with a bound",
        format!("{bounded} of {}", answer.response_times_ns.len()),
    );
    facts.insert("chains", answer.chains.len().to_string());
    facts.extend(
        answer
            .identity
            .iter()
            .flat_map(|identity| of_identity("system", identity)),
    );
    Description {
        kind: "verdict on a system",
        claim: format!(
            "the verdict on an end-to-end system: {}",
            verdict(answer.schedulable)
        ),
        facts,
        table: Table::default(),
        assumptions: answer.assumptions,
        check: Some(format!("gpusched verify {file} SYSTEM")),
        negative: false,
        quiet: false,
    }
}

pub(super) fn of_system_plan(plan: SystemPlan, file: &str) -> Description {
    let mut facts = BTreeMap::new();
    facts.insert("partitions", plan.partitions.len().to_string());
    facts.extend(
        plan.identity
            .iter()
            .flat_map(|identity| of_identity("system", identity)),
    );
    Description {
        kind: "plan of a system",
        claim: format!("a plan of an end-to-end system: {}", verdict(plan.schedulable)),
        facts,
        table: Table::default(),
        assumptions: plan.verdict.map(|answer| answer.assumptions).unwrap_or_default(),
        check: Some(format!("gpusched verify {file} SYSTEM")),
        negative: false,
        quiet: false,
    }
}

pub(super) fn of_chosen(found: &ChosenBudgets, file: &str) -> Description {
    let mut facts = BTreeMap::new();
    facts.insert("regulation period", found.regulation_period_ns.to_string());
    facts.insert("budgets per", found.per.to_string());
    let optimal = match found.optimal {
        true => "no better budgets pass the test (`verify` does not check this)",
        false => "better budgets may exist",
    };
    facts.insert("optimality", optimal.to_owned());
    facts.extend(
        found
            .identity
            .iter()
            .flat_map(|identity| of_identity("system", identity)),
    );
    let name = { found.system.name.as_ref() }.map_or(String::new(), |name| format!(" `{}`", clip(name, 40)));
    Description {
        kind: "budgets of a system",
        claim: format!(
            "memory bandwidth budgets of the end-to-end system{name}: {} with them",
            verdict(found.verdict.schedulable)
        ),
        facts,
        table: Table::of(&found.groups)
            .text(("group", "group"), |group| Cell::from(clip(&group.name, 40)))
            .text(("Q", "q"), |group| Cell::from(group.q.to_string()))
            .time(("memory time", "memory_time_ns"), |group| group.memory_time_ns)
            .done(),
        assumptions: found.verdict.assumptions.clone(),
        check: Some(format!("gpusched verify {file} SYSTEM")),
        negative: false,
        quiet: false,
    }
}

pub(super) fn of_set(set: &TaskSet, file: &str) -> Description {
    let mut facts = BTreeMap::new();
    facts.insert("SHA-256 of the canonical form", sha256(set));
    let measured = { set.tasks().iter() }
        .filter(|task| set.measured_on(task).is_some())
        .count();
    facts.insert(
        "tasks with a stated measurement",
        format!("{measured} of {}", set.tasks().len()),
    );
    Description {
        kind: "task set",
        claim: format!(
            "a task set{} with {}",
            set.name()
                .map_or(String::new(), |name| format!(" `{}`", clip(name, 40))),
            counted(set.tasks().len(), "task")
        ),
        facts,
        table: Table::default(),
        assumptions: Vec::new(),
        check: Some(format!("gpusched partition {file} --gpu GPU")),
        negative: false,
        quiet: false,
    }
}

pub(super) fn of_kernel(kernel: &Kernel, file: &str) -> Description {
    let facts = [
        ("SHA-256 of the canonical form", sha256(kernel)),
        ("clusters", kernel.clusters().len().to_string()),
        ("regulation period", kernel.regulation_period().to_string()),
    ];
    Description {
        kind: "kernel",
        claim: format!(
            "a kernel{} with {}",
            { kernel.name() }.map_or(String::new(), |name| format!(" `{}`", clip(name, 40))),
            counted(kernel.blocks(), "thread block")
        ),
        facts: facts.into_iter().collect(),
        table: Table::default(),
        assumptions: Vec::new(),
        check: Some(format!("gpusched budget nominal {file}")),
        negative: false,
        quiet: false,
    }
}

pub(super) fn of_system(draft: &Draft, file: &str) -> Description {
    let mut facts = BTreeMap::new();
    facts.insert("SHA-256 of the canonical form", sha256(draft));
    facts.insert("cores", draft.cores.len().to_string());
    facts.insert("copy engines", draft.copy_engines.len().to_string());
    facts.insert("partitions", draft.partitions.len().to_string());
    facts.insert("chains", draft.chains.len().to_string());
    let unsized_parts = draft
        .partitions
        .iter()
        .filter(|partition| partition.sms.is_none())
        .count();
    if unsized_parts > 0 {
        let sizes = format!("{unsized_parts} without `sms`, which `test` requires");
        facts.insert("partition sizes", sizes);
    }
    // `partition` chooses sizes for systems without budgets.
    let check = match unsized_parts > 0 && draft.budgets.is_none() {
        true => format!("gpusched partition {file} --sms M"),
        false => format!("gpusched test {file}"),
    };
    Description {
        kind: "system",
        claim: format!(
            "an end-to-end system{} with {}",
            draft
                .name
                .as_ref()
                .map_or(String::new(), |name| format!(" `{}`", clip(name, 40))),
            counted(draft.tasks.len(), "task")
        ),
        facts,
        table: Table::default(),
        assumptions: Vec::new(),
        check: Some(check),
        negative: false,
        quiet: false,
    }
}
