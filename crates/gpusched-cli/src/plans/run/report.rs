//! The summary of a run, and its rows.

use std::fmt::Write as _;

use crate::report::{Palette, Table, clip};
use gpusched_model::counted;
use gpusched_model::time::Time;
use gpusched_runtime::core::Record;
use gpusched_runtime::{Program, Run};

/// Returns the summary.
pub fn text(program: &Program, run: &Run, palette: &Palette) -> String {
    let headline = run.headline(program);
    let (verdict, rest) = headline.split_once(':').unwrap_or((&headline, ""));
    let mut text = format!(
        "{}:{rest}\n\n",
        palette.verdict(run.kept() && !run.stopped, verdict)
    );
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
    let parts = program.partitions.iter().zip(&run.partitions).enumerate();
    let table = Table::of(parts.map(|(index, (part, run))| (index, part, run)))
        .number("partition", |(index, ..)| *index)
        .number("SMs", |(_, part, _)| part.sms)
        .text("policy", |(_, part, _)| part.policy.to_string())
        .number("jobs", |(.., run)| run.counters.jobs)
        .number("missed", |(.., run)| run.counters.misses)
        .number("overruns", |(.., run)| run.counters.overruns)
        .number("late wake-ups", |(.., run)| run.counters.late_wakes)
        .time("longest wake-up", |(.., run)| {
            Time::from_ns(run.counters.longest_wake)
        })
        .number("busy", |(.., run)| {
            let records = || run.records.iter();
            let first = records().map(|record| record.job.arrival).min().unwrap_or(0);
            let last = records().last().map_or(first, |record| record.completion);
            let busy = records().map(Record::span).fold(0, u64::saturating_add);
            format!(
                "{:.1} %",
                busy as f64 / last.saturating_sub(first).max(1) as f64 * 100.0
            )
        });
    table.done()
}

fn tasks(program: &Program, run: &Run) -> Table {
    let parts = program.partitions.iter().zip(&run.partitions).enumerate();
    let table = Table::of(parts.flat_map(|(index, (part, run))| {
        let tasks = part.tasks.iter().enumerate();
        tasks.map(move |(position, task)| {
            let of = run.records.iter().filter(|record| record.job.task == position);
            (index, task, of.collect::<Vec<&Record>>())
        })
    }));
    let longest = |of: &[&Record], time: fn(&Record) -> u64| {
        Time::from_ns(of.iter().map(|record| time(record)).max().unwrap_or(0))
    };
    let table = table
        .text("task", |(_, task, _)| clip(&task.name, 40))
        .number("partition", |(index, ..)| *index)
        .number("jobs", |(.., of)| of.iter().filter(|record| record.last).count())
        .number("missed", |(.., of)| {
            of.iter().filter(|record| record.status.missed).count()
        })
        .time("longest response", |(.., of)| {
            longest(of, |record| record.completion.saturating_sub(record.job.arrival))
        })
        .time("D", |(_, task, _)| task.deadline)
        .time("longest occupancy", |(.., of)| {
            longest(of, |record| record.occupancy)
        })
        .time("budget", |(_, task, _)| task.budget);
    table.done()
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
                "{index},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
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
                status.failed,
                job.chunk,
                record.last
            );
        }
    }
    text
}
