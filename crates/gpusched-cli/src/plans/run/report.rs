//! The summary of a run, and its rows.

use std::fmt::Write as _;

use crate::report::{Column, Palette, Table, clip};
use gpusched_model::counted;
use gpusched_model::time::Time;
use gpusched_runtime::core::Record;
use gpusched_runtime::{Program, Run};

/// Returns the result in one line.
pub fn headline(run: &Run, duration: Time) -> String {
    let all = run.totals();
    let verdict = if run.kept() { "KEPT" } else { "BROKEN" };
    let mut text = format!("{verdict}: {} until {duration}", counted(all.jobs, "job"));
    for (count, noun) in [
        (all.misses, "deadline miss"),
        (all.overruns, "overrun"),
        (all.late_wakes, "late wake-up"),
        (all.failed, "failed job"),
    ] {
        if noun == "late wake-up" && !run.wakes_checked {
            text += ", wake-ups not checked";
            continue;
        }
        let plural = if noun.ends_with('s') { "es" } else { "s" };
        match count {
            0 => text += &format!(", no {noun}"),
            1 => text += &format!(", 1 {noun}"),
            _ => text += &format!(", {count} {noun}{plural}"),
        }
    }
    let other = run.on_other_sms();
    if other > 0 {
        text += &format!(", {} on other SMs", counted(other, "partition"));
    }
    let lost = run.partitions.iter().filter(|part| part.lost.is_some()).count();
    if lost > 0 {
        text += &format!(", {} lost", counted(lost, "partition"));
    }
    text
}

/// Returns the summary.
pub fn text(program: &Program, run: &Run, duration: Time, palette: &Palette) -> String {
    let style = if run.kept() { palette.good } else { palette.bad };
    let headline = headline(run, duration);
    let (verdict, rest) = headline.split_once(':').unwrap_or((&headline, ""));
    let mut text = format!("{style}{verdict}{style:#}:{rest}\n\n");
    if let Some(machine) = &run.machine {
        let (major, minor) = (machine.driver / 1000, machine.driver % 1000 / 10);
        let _ = writeln!(
            text,
            "{}, {}, driver of CUDA {major}.{minor}",
            machine.gpu,
            counted(machine.sms, "SM")
        );
        let _ = writeln!(text, "split: {}\nwait: {}", machine.split, machine.wait);
        for (name, value) in &machine.settings {
            let _ = writeln!(text, "{name}: {value}");
        }
        for note in &machine.notes {
            let _ = writeln!(text, "note: {note}");
        }
        text.push('\n');
    }
    text += &partitions(program, run).render(palette.header);
    text.push('\n');
    text += &tasks(program, run).render(palette.header);
    for (index, part) in run.partitions.iter().enumerate() {
        if let Some(error) = &part.lost {
            let _ = writeln!(text, "\npartition {index} lost: {error}");
        }
        let Some(context) = &part.context else { continue };
        let thread: Vec<String> = context
            .thread
            .iter()
            .map(|(name, said)| format!("{name}: {said}"))
            .collect();
        let _ = writeln!(text, "\npartition {index}: SMs {:?}", context.sm_ids);
        let _ = writeln!(
            text,
            "  equal SMs at the end: {:?}; {}",
            context.same_at_end,
            thread.join("; ")
        );
        for (name, found) in [
            ("enqueue", context.enqueue),
            ("overhead", context.overhead),
            ("wake-up", context.wake),
        ] {
            let of = Time::from_ns;
            let _ = writeln!(
                text,
                "  {name}: median {}, 99 % {}, 99.9 % {}, longest {} ({} times)",
                of(found.p50),
                of(found.p99),
                of(found.p999),
                of(found.max),
                found.count
            );
        }
        for problem in context.problems.iter().take(10) {
            let _ = writeln!(text, "  problem: {problem}");
        }
    }
    text
}

fn partitions(program: &Program, run: &Run) -> Table {
    let mut table = Table::new([
        Column::Right("partition"),
        Column::Right("SMs"),
        Column::Left("policy"),
        Column::Right("jobs"),
        Column::Right("missed"),
        Column::Right("overruns"),
        Column::Right("late wake-ups"),
        Column::Right("longest wake-up"),
        Column::Right("busy"),
    ]);
    for (index, (part, run)) in program.partitions.iter().zip(&run.partitions).enumerate() {
        let first = run
            .records
            .iter()
            .map(|record| record.job.arrival)
            .min()
            .unwrap_or(0);
        let last = run.records.last().map_or(first, |record| record.completion);
        let busy: u64 = run
            .records
            .iter()
            .map(Record::occupancy)
            .fold(0, u64::saturating_add);
        let counters = run.counters;
        table.row([
            index.to_string(),
            part.sms.to_string(),
            part.policy.to_string(),
            counters.jobs.to_string(),
            counters.misses.to_string(),
            counters.overruns.to_string(),
            counters.late_wakes.to_string(),
            Time::from_ns(counters.longest_wake).to_string(),
            format!(
                "{:.1} %",
                busy as f64 / last.saturating_sub(first).max(1) as f64 * 100.0
            ),
        ]);
    }
    table
}

fn tasks(program: &Program, run: &Run) -> Table {
    let mut table = Table::new([
        Column::Left("task"),
        Column::Right("partition"),
        Column::Right("jobs"),
        Column::Right("missed"),
        Column::Right("longest response"),
        Column::Right("D"),
        Column::Right("longest occupancy"),
        Column::Right("budget"),
    ]);
    for (index, (part, run)) in program.partitions.iter().zip(&run.partitions).enumerate() {
        for (position, task) in part.tasks.iter().enumerate() {
            let of = || {
                run.records
                    .iter()
                    .filter(move |record| record.job.task == position)
            };
            let longest =
                |time: fn(&Record) -> u64| Time::from_ns(of().map(time).max().unwrap_or(0)).to_string();
            table.row([
                clip(&task.name, 40),
                index.to_string(),
                of().count().to_string(),
                of().filter(|record| record.status.missed).count().to_string(),
                longest(|record| record.completion.saturating_sub(record.job.arrival)),
                task.deadline.to_string(),
                longest(Record::occupancy),
                task.budget.to_string(),
            ]);
        }
    }
    table
}

/// Returns one CSV row per job, sorted by partition and completion. Times count from the first arrivals.
pub fn rows(program: &Program, run: &Run) -> String {
    let mut text = String::new();
    for (index, (part, of)) in program.partitions.iter().zip(&run.partitions).enumerate() {
        for record in &of.records {
            let (job, status) = (record.job, record.status);
            let since = |time: u64| i128::from(time) - i128::from(run.origin);
            let _ = writeln!(
                text,
                "{index},{},{},{},{},{},{},{},{},{},{},{},{}",
                part.tasks[job.task].position,
                job.number,
                since(job.arrival),
                since(record.visible),
                since(record.decision),
                since(record.enqueued),
                since(record.completion),
                since(job.deadline),
                status.missed,
                status.overrun,
                status.late_wake,
                status.failed
            );
        }
    }
    text
}
