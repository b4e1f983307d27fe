//! Missing data makes no verdict better: a damaged recording of a run that breaks its plan is never audited as kept, and gives
//! no smaller C(m) and no other period without a note.

use std::ffi::OsString;
use std::path::Path;

use gpusched::model::error::Error;
use gpusched_cli::embedding::{Answer, Failure, Watch, call};
use rand::{Rng, RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rusqlite::Connection;
use serde_json::{Value, json};

use super::audits::{Simulated, simulated};
use super::run::Run;
use super::writers;
use crate::support::{ADAS, rounds};

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

/// A kind of damage.
#[derive(Copy, Clone, PartialEq, Debug)]
enum Damage {
    /// One or two rows are missing.
    Dropped,
    /// Times are 0.
    Zero,
    /// A row ends before its start.
    Swapped,
    /// A launch or a call has no number that links it.
    Unlinked,
    /// Rows exist twice.
    Doubled,
    /// Rows are of another process.
    Process,
    /// The end of the file is missing.
    Cut,
}

const KINDS: [Damage; 7] = [
    Damage::Dropped,
    Damage::Zero,
    Damage::Swapped,
    Damage::Unlinked,
    Damage::Doubled,
    Damage::Process,
    Damage::Cut,
];

/// Damages one row of `events`.
fn damage_event(events: &mut Vec<Value>, of_job: &[usize], kind: Damage, rng: &mut impl Rng) {
    let at = row(events.len(), of_job, rng);
    let event = &mut events[at];
    match kind {
        Damage::Dropped => {
            events.remove(at);
        }
        Damage::Zero if rng.random() => event["ts"] = json!(0),
        Damage::Zero => (event["ts"], event["dur"]) = (json!(0), json!(0)),
        Damage::Swapped => event["dur"] = json!(-1.5),
        Damage::Unlinked => {
            if let Some(args) = event["args"].as_object_mut() {
                args.remove("correlation");
            }
        }
        Damage::Doubled => {
            let doubled = event.clone();
            events.push(doubled);
        }
        Damage::Process => event["pid"] = json!(77),
        Damage::Cut => {}
    }
}

/// Does the same in the tables of an SQLite export.
fn damage_row(database: &Connection, of_job: [usize; 3], kind: Damage, rng: &mut impl Rng) {
    let tables = [
        "CUPTI_ACTIVITY_KIND_KERNEL",
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        "NVTX_EVENTS",
    ];
    let number = match kind {
        Damage::Unlinked => rng.random_range(0..2),
        _ => rng.random_range(0..tables.len()),
    };
    let table = tables[number];
    let query = format!("SELECT max(rowid) FROM {table}");
    let rows: i64 = database.query_row(&query, [], |row| row.get(0)).unwrap();
    let place = format!("WHERE rowid = {}", 1 + row(rows as usize, &[of_job[number]], rng));
    let process = if table == tables[0] {
        "globalPid"
    } else {
        "globalTid"
    };
    let change = match kind {
        Damage::Dropped => format!("DELETE FROM {table} {place}"),
        Damage::Zero if rng.random() => format!("UPDATE {table} SET \"start\" = 0 {place}"),
        Damage::Zero => format!("UPDATE {table} SET \"start\" = 0, \"end\" = 0 {place}"),
        Damage::Swapped => format!("UPDATE {table} SET \"end\" = \"start\" - 7 {place}"),
        Damage::Unlinked => format!("UPDATE {table} SET correlationId = NULL {place}"),
        Damage::Doubled => format!("INSERT INTO {table} SELECT * FROM {table} {place}"),
        Damage::Process => format!("UPDATE {table} SET {process} = {process} + (70 << 24) {place}"),
        Damage::Cut => return,
    };
    database.execute_batch(&change).unwrap();
}

/// Runs the command in this process, because the start of a process takes longer. Returns `None` for a refused file.
fn run_here(line: &str) -> Option<Answer> {
    let arguments: Vec<OsString> = ["gpusched"]
        .into_iter()
        .chain(line.split_whitespace())
        .map(OsString::from)
        .collect();
    match call(&arguments, &Watch::default()) {
        Ok(answer) => Some(answer),
        Err(Failure::Failed(error)) => {
            assert!(!matches!(error, Error::Internal(_)), "{line}: {error}");
            None
        }
        Err(Failure::Interrupted) => panic!("{line}: interrupted"),
    }
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
    let answer = run_here(&format!("recording tasks {}{size}", file.display()))?;
    let set: Value = serde_json::from_slice(&answer.output).unwrap();
    let tasks = set["tasks"].as_array().unwrap().iter().map(|task| {
        let table = task["wcet"]["table"].as_array().unwrap().iter();
        (
            task["name"].as_str().unwrap().to_owned(),
            task["period"].as_u64().unwrap(),
            table.map(|row| row[1].as_u64().unwrap()).collect(),
        )
    });
    let place = file.file_name().unwrap().to_str().unwrap();
    let notes = answer.notes.iter();
    let notes = notes.map(|line| line.rsplit(place).next().unwrap().to_owned());
    Some((tasks.collect(), notes.collect()))
}

/// Results of the damaged files of one kind.
#[derive(Copy, Clone, Default, Debug)]
struct Seen {
    /// Files that gpusched refuses.
    refused: usize,
    /// Files whose audit still shows the violation.
    broken: usize,
    /// Files that give a smaller C(m), another period, or fewer tasks, with a note.
    worse: usize,
}

impl Seen {
    fn plus(self, other: Seen) -> Seen {
        Seen {
            refused: self.refused + other.refused,
            broken: self.broken + other.broken,
            worse: self.worse + other.worse,
        }
    }
}

/// Damages the recording `intact` in each way, and checks the audits and the task sets. `damage` writes a damaged file.
fn check(
    simulated: &Simulated,
    intact: &Path,
    damage: impl Fn(&Path, Damage, &mut ChaCha8Rng) + Sync,
) -> [Seen; 7] {
    let plan = simulated.plan.display().to_string();
    let audit = |file: &Path| {
        let line = format!("recording audit {} --set {ADAS} --plan {plan} -q", file.display());
        run_here(&line).map_or(String::new(), |answer| String::from_utf8(answer.output).unwrap())
    };
    let found = audit(intact);
    assert!(found.starts_with("BROKEN"), "{found}");
    let (tasks, notes) = derived(intact).unwrap();
    let name = intact.file_name().unwrap().to_string_lossy();
    let one = |kind: Damage, seed: u64| {
        let damaged = intact.with_file_name(format!("{kind:?}-{seed}-{name}"));
        damage(&damaged, kind, &mut ChaCha8Rng::seed_from_u64(seed));
        let found = audit(&damaged);
        assert!(
            !found.starts_with("KEPT"),
            "{name}: {kind:?}, seed {seed}:\n{found}"
        );
        let mut seen = Seen {
            refused: usize::from(found.is_empty()),
            broken: usize::from(found.starts_with("BROKEN")),
            worse: 0,
        };
        if let Some((changed, told)) = derived(&damaged) {
            let worse = tasks.iter().any(|(name, period, wcet)| {
                let same = changed.iter().find(|(other, ..)| other == name);
                same.is_none_or(|(_, other, times)| {
                    other != period || times.iter().zip(wcet).any(|(time, before)| time < before)
                })
            });
            seen.worse = usize::from(worse);
            assert!(
                !worse || told != notes,
                "{name}: {kind:?}, seed {seed}: {changed:?}\n{told:?}"
            );
        }
        std::fs::remove_file(&damaged).unwrap();
        seen
    };
    // Each thread has its own calls. A thread of a pool could start a call while another call waits on it.
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    KINDS.map(|kind| {
        std::thread::scope(|scope| {
            let seeds = |first: u64| (first..rounds(200u64)).step_by(threads as usize);
            let one = &one;
            let started: Vec<_> = (0..threads)
                .map(|first| {
                    let seeds = seeds(first);
                    scope.spawn(move || {
                        seeds
                            .map(|seed| one(kind, seed))
                            .fold(Seen::default(), Seen::plus)
                    })
                })
                .collect();
            let found = started.into_iter().map(|thread| thread.join().unwrap());
            found.fold(Seen::default(), Seen::plus)
        })
    })
}

/// With `GPUSCHED_TESTS=50`, the test damages 10,000 files of each kind and each format.
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
    let of_job = [
        1 + 2 * kernel,
        2 + 2 * kernel,
        1 + 2 * recorded.kernels.len() + range,
    ];
    let kineto = check(&simulated, &file, |damaged, kind, rng| {
        let mut trace = trace.clone();
        let events = trace["traceEvents"].as_array_mut().unwrap();
        (0..rng.random_range(1..3)).for_each(|_| damage_event(events, &of_job, kind, rng));
        let mut bytes = trace.to_string().into_bytes();
        if kind == Damage::Cut {
            bytes.truncate(rng.random_range(0..bytes.len()));
        }
        std::fs::write(damaged, bytes).unwrap();
    });

    let file = path("broken.sqlite");
    writers::sqlite(&file, &recorded, &writers::SCHEMAS[4]);
    let bytes = std::fs::read(&file).unwrap();
    let sqlite = check(&simulated, &file, |damaged, kind, rng| {
        if kind == Damage::Cut {
            std::fs::write(damaged, &bytes[..rng.random_range(0..bytes.len())]).unwrap();
            return;
        }
        std::fs::write(damaged, &bytes).unwrap();
        let database = Connection::open(damaged).unwrap();
        database
            .execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")
            .unwrap();
        // Each launch has two calls: its own, and one of another process.
        let of_job = [kernel, 2 * kernel, range];
        (0..rng.random_range(1..3)).for_each(|_| damage_row(&database, of_job, kind, rng));
    });

    // The damage has an effect, and most damage does not hide the violation.
    let all = rounds(200usize);
    for (format, found) in [("Kineto", kineto), ("SQLite", sqlite)] {
        for (kind, seen) in KINDS.iter().zip(found) {
            eprintln!("{format}, {kind:?}: {seen:?} of {all}");
            match kind {
                Damage::Cut => assert!(2 * seen.refused > all, "{format}, {kind:?}: {seen:?}"),
                _ => assert!(10 * seen.broken > all, "{format}, {kind:?}: {seen:?}"),
            }
        }
        let worse: usize = found.iter().map(|seen| seen.worse).sum();
        assert!(worse > 0, "{format}: {found:?}");
    }
}
