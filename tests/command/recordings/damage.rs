//! Missing data makes no verdict better: a damaged recording of a run that breaks its plan is never audited as kept, and gives
//! no smaller C(m) and no other period without a note.

use std::path::{Path, PathBuf};

use rand::{Rng, RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rusqlite::Connection;
use serde_json::{Value, json};

use super::audits::{Simulated, simulated};
use super::run::Run;
use super::writers;
use crate::support::{ADAS, rounds, run};

/// Returns a run where a job in the middle takes longer than its WCET and ends after its deadline. Also returns the positions
/// of the kernel and of the range of this job.
fn broken(simulated: &Simulated) -> (Run, [usize; 2]) {
    let mut run = simulated.run.clone();
    let middle = run.kernels.iter().map(|kernel| kernel.end).max().unwrap() / 2;
    let whole = |at: &usize| {
        let name = &simulated.jobs[*at];
        simulated.jobs.iter().filter(|other| *other == name).count() == 1
    };
    let after = |at: &usize| run.kernels[*at].start > middle;
    let at = (0..run.kernels.len()).filter(whole).find(after).unwrap();
    run.kernels[at].end += 500_000_000;
    let (task, job) = &simulated.jobs[at];
    let name = format!("{task}#{job}");
    let range = run.ranges.iter().position(|range| range.name == name).unwrap();
    (run, [at, range])
}

/// Number of a row among `rows`. Half of the rows are of the job that breaks its limits.
fn row(rows: usize, of_job: &[usize], rng: &mut impl Rng) -> usize {
    match rng.random() {
        true => of_job[rng.random_range(0..of_job.len())].min(rows - 1),
        false => rng.random_range(0..rows),
    }
}

/// Damages one row of `events`: removes it, or makes a time zero, swaps times, removes the link, doubles the row, or changes
/// the process.
fn damage_event(events: &mut Vec<Value>, of_job: &[usize], rng: &mut impl Rng) {
    let at = row(events.len(), of_job, rng);
    let event = &mut events[at];
    match rng.random_range(0..7) {
        0 => {
            events.remove(at);
        }
        1 => (event["ts"], event["dur"]) = (json!(0), json!(0)),
        2 => event["ts"] = json!(0),
        3 => event["dur"] = json!(-1.5),
        4 => {
            if let Some(args) = event["args"].as_object_mut() {
                args.remove("correlation");
            }
        }
        5 => {
            let doubled = event.clone();
            events.push(doubled);
        }
        _ => event["pid"] = json!(77),
    }
}

/// Does the same in the tables of an SQLite export.
fn damage_row(database: &Connection, of_job: [usize; 3], rng: &mut impl Rng) {
    let tables = [
        "CUPTI_ACTIVITY_KIND_KERNEL",
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        "NVTX_EVENTS",
    ];
    let number = rng.random_range(0..tables.len());
    let table = tables[number];
    let query = format!("SELECT max(rowid) FROM {table}");
    let rows: i64 = database.query_row(&query, [], |row| row.get(0)).unwrap();
    let place = format!("WHERE rowid = {}", 1 + row(rows as usize, &[of_job[number]], rng));
    let process = if table == tables[0] {
        "globalPid"
    } else {
        "globalTid"
    };
    let change = match rng.random_range(0..7) {
        0 => format!("DELETE FROM {table} {place}"),
        1 => format!("UPDATE {table} SET \"start\" = 0, \"end\" = 0 {place}"),
        2 => format!("UPDATE {table} SET \"start\" = 0 {place}"),
        3 => format!("UPDATE {table} SET \"end\" = \"start\" - 7 {place}"),
        4 if table != "NVTX_EVENTS" => format!("UPDATE {table} SET correlationId = NULL {place}"),
        5 => format!("INSERT INTO {table} SELECT * FROM {table} {place}"),
        _ => format!("UPDATE {table} SET {process} = {process} + (70 << 24) {place}"),
    };
    database.execute_batch(&change).unwrap();
}

/// Name, period and C(m) of a task.
type Derived = (String, u64, Vec<u64>);

/// The tasks and the notes. `None` if the file gives no set.
///
/// An SQLite export states the sizes of the contexts, and a Kineto trace does not.
fn derived(file: &Path) -> Option<(Vec<Derived>, Vec<String>)> {
    let size = if file.extension().unwrap() == "json" {
        "@48"
    } else {
        ""
    };
    let answer = run(&format!("recording tasks {}{size}", file.display()));
    if answer.code != 0 {
        return None;
    }
    let set: Value = serde_json::from_str(&answer.stdout).unwrap();
    let tasks = set["tasks"].as_array().unwrap().iter().map(|task| {
        let table = task["wcet"]["table"].as_array().unwrap().iter();
        (
            task["name"].as_str().unwrap().to_owned(),
            task["period"].as_u64().unwrap(),
            table.map(|row| row[1].as_u64().unwrap()).collect(),
        )
    });
    let place = file.file_name().unwrap().to_str().unwrap();
    let notes = answer
        .stderr
        .lines()
        .map(|line| line.rsplit(place).next().unwrap().to_owned());
    Some((tasks.collect(), notes.collect()))
}

fn check(simulated: &Simulated, intact: &Path, kind: &str, mut damage: impl FnMut(&Path, &mut ChaCha8Rng)) {
    let audit = |file: &Path| {
        let plan = simulated.plan.display();
        run(&format!(
            "recording audit {} --set {ADAS} --plan {plan} -q",
            file.display()
        ))
    };
    let answer = audit(intact);
    assert!(answer.stdout.starts_with("BROKEN"), "{}", answer.stdout);
    let (tasks, notes) = derived(intact).unwrap();
    let damaged: PathBuf = intact.with_file_name(format!(
        "damaged-{}",
        intact.file_name().unwrap().to_string_lossy()
    ));
    let (mut found, mut broken) = (0, 0);
    for seed in 0..rounds(600) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        damage(&damaged, &mut rng);
        let answer = audit(&damaged);
        assert!(
            !answer.stdout.starts_with("KEPT"),
            "{kind}, seed {seed}:\n{}",
            answer.stdout
        );
        broken += usize::from(answer.stdout.starts_with("BROKEN"));
        let Some((changed, told)) = derived(&damaged) else {
            continue;
        };
        let worse = tasks.iter().any(|(name, period, wcet)| {
            let same = changed.iter().find(|(other, ..)| other == name);
            same.is_none_or(|(_, other, times)| {
                other != period || times.iter().zip(wcet).any(|(time, before)| time < before)
            })
        });
        found += usize::from(worse);
        assert!(
            !worse || told != notes,
            "{kind}, seed {seed}: {changed:?}\n{told:?}"
        );
    }
    // The damage has an effect, and most damage does not hide the violation.
    assert!(found > 0 && broken > 0, "{kind}: {found} worse, {broken} broken");
}

#[test]
fn damage_makes_no_verdict_better() {
    let simulated = simulated();
    let (recorded, [kernel, range]) = broken(&simulated);
    let path = |name: &str| simulated.folder.path().join(name);

    let file = path("broken.json");
    writers::kineto(&file, &recorded, false, false);
    let text = std::fs::read_to_string(&file).unwrap();
    let text = text.replace("NaN", "0").replace("Infinity", "0");
    let trace: Value = serde_json::from_str(&text).unwrap();
    check(&simulated, &file, "Kineto", |damaged, rng| {
        let mut trace = trace.clone();
        let events = trace["traceEvents"].as_array_mut().unwrap();
        let of_job = [
            1 + 2 * kernel,
            2 + 2 * kernel,
            1 + 2 * recorded.kernels.len() + range,
        ];
        (0..rng.random_range(1..3)).for_each(|_| damage_event(events, &of_job, rng));
        std::fs::write(damaged, trace.to_string()).unwrap();
    });

    let file = path("broken.sqlite");
    writers::sqlite(&file, &recorded, &writers::SCHEMAS[4]);
    let bytes = std::fs::read(&file).unwrap();
    check(&simulated, &file, "SQLite", |damaged, rng| {
        std::fs::write(damaged, &bytes).unwrap();
        let database = Connection::open(damaged).unwrap();
        // Each launch has two calls: its own, and one of another process.
        let of_job = [kernel, 2 * kernel, range];
        (0..rng.random_range(1..3)).for_each(|_| damage_row(&database, of_job, rng));
        drop(database);
        if rng.random_ratio(1, 20) {
            let cut = rng.random_range(0..bytes.len());
            std::fs::write(damaged, &bytes[..cut]).unwrap();
        }
    });
}
