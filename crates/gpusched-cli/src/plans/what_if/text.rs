//! Results of `what-if` as text and CSV.

use super::answer::{Answer, Change, Changed, TaskAnswer};
use crate::arguments::naming;
use crate::plans::partition::times;
use crate::report::{About, Cell, Palette, Report, Table, clip, numbered_for};
use gpusched_analysis::partitioning::Problem;
use gpusched_model::error::Result;
use gpusched_model::plan::{Failure, Partition};
use gpusched_model::policy::Strength;
use gpusched_model::time::Time;
use gpusched_model::{Plan, counted};

type Told<'a> = About<(&'a Problem<'a>, &'a Changed<'a>, &'a Plan), Answer>;

impl Report for Told<'_> {
    fn table(&self) -> Table {
        rows(self)
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let About((problem, changed, new), answer) = self;
        let mut text = format!("{}\n{}", headline(self, palette), differences(self));
        let fails = |partition: &Partition| !partition.verdict.schedulable;
        let shows = new.schedulable || (changed.kept > 0 && new.partitions.iter().any(fails));
        if shows && !answer.tasks.is_empty() {
            text += &format!("\n{}", rows(self).render(palette.header));
        }
        let failing = new.partitions.iter().enumerate();
        let failing = failing.filter(|(_, partition)| shows && fails(partition));
        for (number, (index, partition)) in failing.enumerate() {
            let evidence = &partition.verdict.evidence;
            let before = if number == 0 { "\n" } else { "" };
            let task = naming(changed.set, evidence.task());
            text += &format!("{before}partition {index}: {evidence}{task}\n");
        }
        text += &limit(self);
        let may_move = !new.schedulable && changed.kept > 0;
        if may_move {
            text += "\nhint: allow other partitions to change with `--move`, such as `--move all`\n";
        }
        if problem.strength() == Strength::NecessaryOnly && new.schedulable {
            text += "\nThe policy has only a necessary test, so jobs may miss their deadlines.\n";
        }
        let list = new.assumptions.as_deref().filter(|_| !changed.quiet);
        let negative = { new.failure.as_ref() }.is_some_and(|failure| !failure.is_open(problem.strength()));
        Ok(text
            + &list.map_or(String::new(), |list| {
                format!("\n{}", numbered_for(list, negative))
            }))
    }
}

/// Returns the verdict, with the number of SMs or the reason why no plan was found.
fn headline(told: &Told<'_>, palette: &Palette) -> String {
    let About((problem, changed, new), answer) = told;
    let granularity = { problem.offer() }.map_or(String::new(), |offer| {
        format!(" with granularity {}", offer.hardware().granularity)
    });
    let policy = { new.partitions.first().or(changed.old.partitions.first()) }.map_or(String::new(), |one| {
        format!(", under {}: {}", one.verdict.policy, one.verdict.policy.meaning())
    });
    let after = match changed.scale {
        Some(factor) => format!(", with WCETs {factor} times as long"),
        None => String::new(),
    };
    let verdict = match &new.failure {
        None => {
            let words = match problem.strength() {
                Strength::NecessaryOnly => "NECESSARY CONDITION HOLDS",
                Strength::Exact | Strength::Sufficient => "SCHEDULABLE",
            };
            let sms = counted(answer.gpu_sms, "SM");
            format!("{} on {} of {sms}", palette.verdict(true, words), answer.sms_used)
        }
        Some(Failure::HeuristicFailed) if changed.kept > 0 => {
            let kept = counted(changed.kept, "kept partition");
            format!(
                "{} with {kept} (a plan may still exist)",
                palette.verdict(false, "NO PLAN FOUND")
            )
        }
        Some(failure) if *failure == Failure::HeuristicFailed || failure.is_open(problem.strength()) => {
            format!(
                "{} (a plan may still exist)",
                palette.verdict(false, "NO PLAN FOUND")
            )
        }
        Some(failure) => format!(
            "{}: {failure}{}",
            palette.verdict(false, "NOT SCHEDULABLE"),
            naming(changed.set, failure.task())
        ),
    };
    format!("{verdict}{granularity}{policy}{after}")
}

/// Returns the differences from the old plan in one line.
fn differences(told: &Told<'_>) -> String {
    let About((_, changed, _), answer) = told;
    let names = |tasks: &[usize]| {
        let names: Vec<String> = tasks
            .iter()
            .map(|&task| clip(&changed.set.label(task), 40))
            .collect();
        names.join(", ")
    };
    let count = |wanted: Change| {
        let partitions = answer.partitions.iter();
        partitions.filter(|partition| partition.change == wanted).count()
    };
    let kinds = [
        (Change::Unchanged, "unchanged partition"),
        (Change::Joined, "partition with further tasks"),
        (Change::Resized, "partition with other SMs"),
        (Change::New, "new partition"),
    ];
    let mut parts: Vec<String> = kinds
        .into_iter()
        .map(|(kind, words)| (count(kind), words))
        .filter(|&(count, _)| count > 0 && answer.schedulable)
        .map(|(count, words)| match count {
            1 => format!("1 {words}"),
            many => format!("{many} {}", words.replacen("partition", "partitions", 1)),
        })
        .collect();
    let (before, after) = (changed.old.sms_used, answer.sms_used);
    if before != after && answer.schedulable {
        parts.push(format!("{} instead of {before}", counted(after, "SM")));
    }
    if !answer.added.is_empty() {
        parts.push(format!("added {}", names(&answer.added)));
    }
    if !answer.moved.is_empty() && answer.schedulable {
        parts.push(format!("moved {}", names(&answer.moved)));
    }
    match parts.is_empty() {
        true => String::new(),
        false => format!("compared with the plan: {}\n", parts.join("; ")),
    }
}

/// Returns the common factor on all WCETs, and the deadline that is missed first.
fn limit(told: &Told<'_>) -> String {
    let About((_, changed, _), answer) = told;
    let Some(permille) = answer.wcet_scaling_permille else {
        return String::new();
    };
    let miss = answer.first_miss.as_ref().map_or(String::new(), |miss| {
        let what = match miss.task {
            Some(task) => {
                let task = clip(&changed.set.label(task), 40);
                match (miss.job, miss.late_ns) {
                    (Some(1), Some(late)) => {
                        format!("the first job of `{task}` in a busy period misses its deadline, by {late}")
                    }
                    (Some(job), Some(late)) => {
                        format!("job {job} of `{task}` in a busy period is the first to miss its deadline, by {late}")
                    }
                    (None, Some(late)) => format!("`{task}` misses its deadline first, by {late}"),
                    (_, None) => format!("`{task}` and its co-located tasks fail their test first"),
                }
            }
            None => "the test fails first".to_owned(),
        };
        format!(
            "\nwith {}, in partition {}, {what}",
            times(miss.permille),
            miss.partition
        )
    });
    format!("\nall WCETs may grow together to {}{miss}\n", times(permille))
}

/// Returns one row per task.
fn rows(told: &Told<'_>) -> Table {
    let About((_, changed, _), answer) = told;
    let first = |row: &(usize, &TaskAnswer)| {
        let (index, task) = *row;
        let before = index.checked_sub(1).and_then(|before| answer.tasks.get(before));
        before.is_none_or(|before| before.partition != task.partition)
    };
    let shown = |row: &(usize, &TaskAnswer), text: String, value: String| match first(row) {
        true => Cell::valued(text, value),
        false => Cell::valued("", value),
    };
    let of = |row: &(usize, &TaskAnswer)| answer.partitions.get(row.1.partition);
    let table = Table::of(answer.tasks.iter().enumerate())
        .number(("partition", "partition"), |row| {
            let number = row.1.partition.to_string();
            shown(row, number.clone(), number)
        })
        .number(("SMs", "sms"), |row| {
            let sms = of(row)
                .map(|partition| partition.sms.to_string())
                .unwrap_or_default();
            shown(row, sms.clone(), sms)
        })
        .text(("change", "change"), |row| {
            let name: &'static str = of(row).map_or("", |partition| partition.change.into());
            shown(row, name.to_owned(), name.to_owned())
        })
        .exact("before", |row| of(row).and_then(|partition| partition.before))
        .text(("task", "task"), |row| {
            Cell::valued(clip(&changed.set.label(row.1.task), 40), row.1.task)
        })
        .time(("WCET", "wcet_ns"), |row| Cell::or(row.1.wcet_ns, "-"))
        .time(("may grow by", "more_ns"), |row| {
            let more = row.1.more_ns.filter(|&more| more < Time::LIMIT);
            Cell::or(more, "-")
        })
        .exact("schedulable", |_| answer.schedulable)
        .exact("wcet_scaling_permille", |_| answer.wcet_scaling_permille);
    table.done()
}
