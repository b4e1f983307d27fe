//! A file of records contains exactly the complete records after each write, and damage is found.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use gpusched::Time;
use gpusched::interference::model_of;
use gpusched::model::{Factor, Interference, Overheads, Policy};
use gpusched::partitioning::{HeuristicKind, Problem, partition};
use gpusched::runtime::core::{Counters, Job, Order, Overrun, Record, Status, Suspension};
use gpusched::runtime::trace::ring::{Recovered, Ring, recover};
use gpusched::runtime::trace::{self, Heading};
use gpusched::runtime::work::Fault;
use gpusched::runtime::{Control, Part, PlannedTask, Prepared, Program, Work, simulated};
use rand::{Rng, RngExt};

use super::audits::{POLICIES, chunked};
use crate::oracle::random_sets::{rng, task_set};
use crate::support::rounds;

/// A heading of random partitions, with few jobs.
fn heading(rng: &mut impl Rng) -> Heading {
    let mut position = 0;
    let partitions = (0..rng.random_range(1..4)).map(|_| {
        let tasks: Vec<PlannedTask> = (0..rng.random_range(1..4))
            .map(|_| {
                position += 1;
                PlannedTask {
                    position: position - 1,
                    name: ["", "é \"x\"", "camera"][rng.random_range(0..3)].to_owned(),
                    period: Time::from_ns([1, 10, u64::MAX >> 2][rng.random_range(0..3)]),
                    deadline: Time::from_ns(rng.random_range(0..50)),
                    wcet: Time::from_ns(3),
                    block: [None, Some(Time::from_ns(2))][rng.random_range(0..2)],
                    budget: Time::from_ns(4),
                    chunk: Time::from_ns(3),
                    sporadic: rng.random_bool(0.5),
                }
            })
            .collect();
        let ranks = (0..tasks.len()).rev().collect();
        Part {
            sms: 8,
            policy: "np-fp".parse().unwrap(),
            order: [Order::Deadlines, Order::Arrivals, Order::Ranks(ranks)][rng.random_range(0..3)].clone(),
            tasks,
        }
    });
    let partitions: Vec<Part> = partitions.collect();
    Heading {
        work: Some(Work {
            seed: rng.random(),
            shortest: Factor::from_f64(0.25).unwrap(),
            stated: [((0, 3), Time::from_ns(9))].into_iter().collect(),
            faults: [((0, 1), Fault::Lost), ((0, 2), Fault::LateEnd(Time::from_ns(7)))].into(),
        }),
        places: None,
        backend: "simulated".to_owned(),
        duration: Time::from_ns(rng.random_range(1..30)),
        wake_bound: rng.random_bool(0.5).then_some(Time::from_ns(5)),
        machine: None,
        contexts: vec![None; partitions.len()],
        program: Program {
            partitions,
            overheads: [None, Some(Overheads::default())][rng.random_range(0..2)],
            overrun: [Overrun::Record, Overrun::SkipNext, Overrun::Abort][rng.random_range(0..3)],
            gpu_sms: 132,
            hardware: None,
            unproven: [None, Some("a reason".to_owned())][rng.random_range(0..2)].clone(),
            plan_sha256: "0".repeat(64),
            set_sha256: "1".repeat(64),
        },
    }
}

/// Draws a record. The arrival follows from the number of the job, and the occupancy from all records of the job.
fn record(rng: &mut impl Rng, part: &Part, origin: u64, before: &[Record]) -> Record {
    let task = rng.random_range(0..part.tasks.len());
    let chunk = [0, 1, u32::MAX][rng.random_range(0..3)];
    let mut time = || match rng.random_range(0..4) {
        0 => 0,
        1 => u64::MAX,
        _ => rng.random(),
    };
    let (number, planned) = (time(), &part.tasks[task]);
    let arrival = origin.saturating_add(number.saturating_mul(planned.period.ns()));
    let mut times = [time(), time(), time()];
    times.sort_unstable();
    let [decision, enqueued, completion] = times;
    let earlier = before.iter().rev().find(|record| record.job.task == task);
    let earlier = earlier.filter(|record| record.job.number == number && chunk > 0);
    let span = completion.saturating_sub(decision);
    Record {
        job: Job {
            task,
            number,
            arrival,
            deadline: arrival.saturating_add(planned.deadline.ns()),
            chunk,
            resumed: time() % 2 == 0,
        },
        last: time() % 2 == 0,
        visible: time(),
        decision,
        wake: [None, Some(time())][time() as usize % 2],
        enqueued,
        completion,
        occupancy: earlier.map_or(span, |earlier| earlier.occupancy.saturating_add(span)),
        status: Status {
            missed: time() % 2 == 0,
            overrun: time() % 2 == 0,
            late_wake: time() % 2 == 0,
            failed: time() % 2 == 0,
            overhead: time() % 2 == 0,
        },
    }
}

/// The file of a complete run contains the run: records, counts and spans.
#[test]
fn a_recovered_run_equals_the_run() {
    let mut rng = rng(0x2107);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ring.bin");
    let (mut ran, mut found) = (0, Counters::default());
    for round in 0..rounds(3_000u64) {
        let tasks = rng.random_range(1..7);
        let load = f64::from(rng.random_range(1..8)) / 8.0;
        let set = task_set(&mut rng, tasks, load);
        let policy: Policy = POLICIES[rng.random_range(0..POLICIES.len())].parse().unwrap();
        let set = match policy.counts_blocks() {
            true => chunked(&mut rng, &set),
            false => set,
        };
        let problem =
            Problem::new(&set, rng.random_range(1..9), policy, model_of(Interference::None)).unwrap();
        let plan = partition(&problem, &HeuristicKind::Sms.into());
        let overheads = Overheads {
            occupancy_ns: Time::from_ns(rng.random_range(0..3)),
            wake_ns: Time::from_ns([0, 3, 90_000][rng.random_range(0..3)]),
        };
        let Ok(Prepared::Ready(mut program)) = Program::prepare(&plan, &set, Some(overheads)) else {
            continue;
        };
        program.overrun = [Overrun::Record, Overrun::SkipNext, Overrun::Abort][rng.random_range(0..3)];
        let periods = || set.tasks().iter().map(|task| task.period().ns());
        let (shortest, longest) = (periods().min().unwrap(), periods().max().unwrap());
        let duration = Time::from_ns((2 * longest + 1).min(200 * shortest));
        let (mut stated, mut faults) = (BTreeMap::new(), BTreeMap::new());
        for _ in 0..rng.random_range(0..12) {
            let job = (rng.random_range(0..set.tasks().len()), rng.random_range(0..40));
            let time = Time::from_ns(rng.random_range(0..2 * shortest));
            match rng.random_range(0..5) {
                0 => drop(faults.insert(job, Fault::LateEnd(time))),
                1 => drop(faults.insert(job, Fault::LateWake(time))),
                2 => drop(faults.insert(job, [Fault::Fails, Fault::NoLaunch][rng.random_range(0..2)])),
                _ => drop(stated.insert(job, time)),
            }
        }
        let work = Work {
            seed: round,
            shortest: Factor::from_f64(0.5).unwrap(),
            stated,
            faults,
        };
        let ring = Ring::create(&path).unwrap();
        let control = Control {
            stop: &AtomicBool::new(false),
            ring: Some(&ring),
        };
        let run = simulated::run(&program, &work, duration, control).unwrap();
        let recovered = recover(&path).unwrap();
        assert_eq!((recovered.incomplete, recovered.lost), (0, 0));
        assert_eq!(recovered.heading.program, *program);
        assert_eq!(recovered.heading.work, Some(work));
        let totals = run.totals();
        for (mut is, mut of) in recovered.run.partitions.into_iter().zip(run.partitions) {
            // The records do not show that another partition ended the run, nor the wake-ups for skipped jobs.
            if of.lost.is_some() {
                assert!(is.lost.is_none() || is.lost == of.lost, "round {round}");
                of.lost = is.lost.clone();
                let open = |spans: &mut Vec<Suspension>| spans.last_mut().map(|last| last.until = None);
                open(&mut is.suspensions);
                open(&mut of.suspensions);
            }
            if of.counters.skipped > 0 {
                let (longest, late) = (of.counters.longest_wake, of.counters.late_wakes);
                assert!(is.counters.longest_wake <= longest && is.counters.late_wakes <= late);
                if is.counters.late_wakes < late {
                    continue;
                }
                is.counters.longest_wake = longest;
            }
            assert_eq!(is, of, "round {round}: {program:?}");
        }
        ran += 1;
        found.overruns += totals.overruns;
        found.skipped += totals.skipped;
        found.failed += totals.failed;
        found.late_wakes += totals.late_wakes;
        found.overheads += totals.overheads;
    }
    let least = rounds(3_000u64) / 20;
    let counts = [
        found.overruns,
        found.skipped,
        found.failed,
        found.late_wakes,
        found.overheads,
    ];
    assert!(
        ran > least && counts.iter().all(|&count| count > least / 4),
        "{ran}, {found:?}"
    );
}

#[test]
fn each_complete_record_survives_and_damage_is_found() {
    let mut rng = rng(0x2106);
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("ring.bin"), folder.path().join("copy.bin"));
    for _ in 0..rounds(300) {
        let heading = heading(&mut rng);
        let work = heading.work.clone().unwrap();
        let ring = Ring::create(&path).unwrap();
        let locked = Ring::create(&path).unwrap_err().to_string();
        assert!(
            locked.contains("found the file of a run that has not ended"),
            "{locked}"
        );
        ring.prepare(&heading).unwrap();
        let origin: u64 = rng.random();
        ring.begin(origin);
        let parts = heading.program.partitions.iter();
        let mut expected: Vec<Vec<Record>> = parts.clone().map(|_| Vec::new()).collect();
        let mut slots: Vec<_> = (0..expected.len())
            .map(|index| ring.slots(index).unwrap())
            .collect();
        assert!(ring.slots(expected.len()).is_none());
        let places = parts.map(|part| work.launches(&part.tasks, heading.duration) as usize);
        let places: Vec<usize> = places.collect();
        // More records than places: the last ones are counted.
        let mut lost = 0;
        for step in 0..places.iter().sum::<usize>() + 3 {
            let index = rng.random_range(0..expected.len());
            let part = &heading.program.partitions[index];
            let new = record(&mut rng, part, origin, &expected[index]);
            slots[index].push(&new);
            match expected[index].len() < places[index] {
                true => expected[index].push(new),
                false => lost += 1,
            }
            if step % 7 == 0 || lost > 0 {
                std::fs::copy(&path, &copy).unwrap();
                let found = recover(&copy).unwrap();
                assert_eq!((&found.heading, found.run.origin), (&heading, origin));
                assert_eq!((found.incomplete, found.lost), (0, lost));
                let records = found.run.partitions.into_iter().map(|part| part.records);
                assert_eq!(records.collect::<Vec<_>>(), expected);
            }
        }
        // One wrong bit in the place of a record loses this record only. A bit elsewhere never makes a record.
        let bytes = std::fs::read(&path).unwrap();
        let mut damaged = bytes.clone();
        let at = rng.random_range(0..damaged.len());
        damaged[at] ^= 1 << rng.random_range(0..8);
        std::fs::write(&copy, &damaged).unwrap();
        let total: usize = expected.iter().map(Vec::len).sum();
        match recover(&copy) {
            Err(_) => {}
            Ok(found) => {
                let records: usize = found.run.partitions.iter().map(|part| part.records.len()).sum();
                assert!(
                    records == total || records + 1 == total && found.incomplete == 1,
                    "at {at}"
                );
                for (part, expected) in found.run.partitions.iter().zip(&expected) {
                    // The loss of a chunk shortens the occupancy of its job.
                    let same = |one: &Record, other: &Record| {
                        Record { occupancy: 0, ..*one }
                            == Record {
                                occupancy: 0,
                                ..*other
                            }
                    };
                    let known = |record: &Record| expected.iter().any(|other| same(record, other));
                    assert!(part.records.iter().all(known), "at {at}");
                }
            }
        }
        std::fs::write(&copy, &bytes[..rng.random_range(0..bytes.len())]).unwrap();
        assert!(recover(&copy).is_err());
        drop(slots);
        drop(ring);
        assert!(!path.exists());
    }
}

/// The file of a program has fixed places. The last records of a partition replace its first ones, which stay counted.
#[test]
fn later_records_replace_earlier_ones_and_stay_counted() {
    let mut rng = rng(0x2107);
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("ring.bin"), folder.path().join("copy.bin"));
    for _ in 0..rounds(300) {
        let mut heading = heading(&mut rng);
        heading.work = None;
        let most = rng.random_range(1..5);
        heading.places = Some(most);
        let ring = Ring::create(&path).unwrap();
        ring.prepare(&heading).unwrap();
        let origin: u64 = rng.random_range(0..1000);
        ring.begin(origin);
        for (index, part) in heading.program.partitions.iter().enumerate() {
            let mut slots = ring.slots(index).unwrap();
            let (mut all, mut now) = (Vec::new(), origin);
            let mut numbers = vec![0; part.tasks.len()];
            for _ in 0..rng.random_range(0..30) {
                let task = rng.random_range(0..part.tasks.len());
                let planned = &part.tasks[task];
                let periodic = origin.saturating_add(planned.period.ns().saturating_mul(numbers[task]));
                let decision = now + rng.random_range(0..3);
                let arrival = match planned.sporadic {
                    true => decision.saturating_sub(rng.random_range(0..50)),
                    false => periodic,
                };
                now = decision + rng.random_range(1..5);
                // After an idle time, the job becomes visible at the decision.
                let woken = rng.random_bool(0.5);
                let record = Record {
                    job: Job {
                        task,
                        number: numbers[task],
                        arrival,
                        deadline: arrival.saturating_add(planned.deadline.ns()),
                        chunk: 0,
                        resumed: false,
                    },
                    last: true,
                    visible: if woken { decision } else { rng.random() },
                    decision,
                    wake: woken.then(|| rng.random()),
                    enqueued: rng.random_range(decision..=now),
                    completion: now,
                    occupancy: now - decision,
                    status: Status {
                        missed: rng.random_bool(0.5),
                        late_wake: rng.random_bool(0.5),
                        failed: rng.random_bool(0.5),
                        overhead: rng.random_bool(0.5),
                        overrun: rng.random_bool(0.5),
                    },
                };
                numbers[task] += 1;
                slots.push(&record);
                all.push(record);
            }
            std::fs::copy(&path, &copy).unwrap();
            let found = recover(&copy).unwrap();
            let run = &found.run.partitions[index];
            let kept = all.len().min(most * part.tasks.len());
            assert_eq!(run.records, all[all.len() - kept..]);
            let count =
                |of: fn(&Status) -> bool| all.iter().filter(|record| of(&record.status)).count() as u64;
            let counters = run.counters;
            let expected = [
                all.len() as u64,
                count(|status| status.missed),
                count(|status| status.overrun),
                count(|status| status.late_wake),
                count(|status| status.failed),
                count(|status| status.overhead),
            ];
            let Counters {
                jobs,
                misses,
                overruns,
                late_wakes,
                failed,
                overheads,
                ..
            } = counters;
            assert_eq!([jobs, misses, overruns, late_wakes, failed, overheads], expected);
            assert_eq!(
                (run.omitted(), found.lost, found.incomplete),
                ((all.len() - kept) as u64, 0, 0)
            );
            assert!(found.run.own);
        }
    }
}

/// A record of job `number` of task 0.
fn job(number: u64, [decision, enqueued, completion]: [u64; 3], status: Status) -> Record {
    Record {
        job: Job {
            task: 0,
            number,
            arrival: 10 * number,
            deadline: 10 * number + 10,
            chunk: 0,
            resumed: false,
        },
        last: true,
        visible: decision,
        decision,
        wake: None,
        enqueued,
        completion,
        occupancy: completion.saturating_sub(decision),
        status,
    }
}

/// A heading of `partitions` equal partitions with one task, whose file has `places` places.
fn simple(partitions: usize, places: usize) -> Heading {
    let mut heading = heading(&mut rng(0x2108));
    let part = |position| Part {
        sms: 8,
        policy: "np-edf".parse().unwrap(),
        order: Order::Deadlines,
        tasks: vec![PlannedTask {
            position,
            name: "camera".to_owned(),
            period: Time::from_ns(10),
            deadline: Time::from_ns(10),
            wcet: Time::from_ns(3),
            block: None,
            budget: Time::from_ns(4),
            chunk: Time::from_ns(4),
            sporadic: false,
        }],
    };
    (heading.work, heading.places) = (None, Some(places));
    heading.contexts = vec![None; partitions];
    heading.program.overrun = Overrun::Record;
    heading.program.partitions = (0..partitions).map(part).collect();
    heading
}

/// Writes a file with `jobs` in each partition, and returns its words.
fn words_of(heading: &Heading, jobs: &[Record]) -> Vec<u64> {
    let folder = tempfile::tempdir().unwrap();
    let ring = Ring::create(&folder.path().join("ring.bin")).unwrap();
    ring.prepare(heading).unwrap();
    ring.begin(0);
    for index in 0..heading.program.partitions.len() {
        let mut slots = ring.slots(index).unwrap();
        jobs.iter().for_each(|job| slots.push(job));
    }
    let bytes = std::fs::read(folder.path().join("ring.bin")).unwrap();
    let words = bytes.as_chunks::<8>().0.iter();
    words.map(|&word| u64::from_le_bytes(word)).collect()
}

/// Reads a file of `words`, and writes the trace of its run.
fn read(words: &[u64]) -> gpusched::error::Result<Recovered> {
    let file = tempfile::NamedTempFile::new().unwrap();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(file.path(), bytes).unwrap();
    let found = recover(file.path())?;
    let program = &found.heading.program;
    found.run.headline(program);
    trace::write(&mut Vec::new(), (program, None), &found.run, "simulated").unwrap();
    Ok(found)
}

/// The checksum of a file with the first word `magic`.
fn mixed(magic: u64, words: impl IntoIterator<Item = u64>) -> u64 {
    let mut sum = magic;
    for word in words {
        sum = (sum ^ word).wrapping_add(0x9E37_79B9_7F4A_7C15);
        sum = (sum ^ (sum >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        sum = (sum ^ (sum >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        sum ^= sum >> 31;
    }
    sum.max(1)
}

/// Two jobs with all findings, whose records two further jobs replace.
fn replaced() -> (Heading, Vec<Record>) {
    let all = Status {
        missed: true,
        overrun: true,
        late_wake: true,
        failed: true,
        overhead: true,
    };
    let status = |number| if number < 2 { all } else { Status::default() };
    let jobs = (0..4).map(|number| {
        let decision = 10 * number;
        job(number, [decision, decision + 1, decision + 3], status(number))
    });
    (simple(2, 2), jobs.collect())
}

/// No damaged word hides that replaced records stated findings, and none ends the recovery with a panic.
#[test]
fn no_damaged_word_hides_a_finding_of_a_replaced_record() {
    let (heading, jobs) = replaced();
    let words = words_of(&heading, &jobs);
    let whole = read(&words).unwrap();
    let totals = whole.run.totals();
    assert_eq!(
        (whole.replaced, totals.jobs, totals.misses, totals.overheads),
        (4, 8, 4, 4)
    );
    // The last partition has 16 words with counts before its two records: two of lost records, and twice six of replaced ones.
    let counts = words.len() - 2 * 8 - 16;
    assert_eq!(
        words[counts..][..16],
        [[0; 2].as_slice(), &[2; 12], &[0; 2]].concat()
    );
    for at in 0..words.len() {
        for value in [0, u64::MAX, words[at] ^ 1, words[at].wrapping_add(1 << 56)] {
            let mut damaged = words.clone();
            damaged[at] = value;
            if let Ok(found) = read(&damaged) {
                assert!(!found.run.kept(), "word {at} is {value}");
                let counters = found.run.partitions[1].counters;
                let least = [
                    counters.misses,
                    counters.overruns,
                    counters.late_wakes,
                    counters.failed,
                    counters.overheads,
                ];
                assert!(
                    least.iter().all(|&count| count >= 2),
                    "word {at} is {value}: {least:?}"
                );
            }
        }
    }
    // All counts are the largest number.
    let mut damaged = words;
    damaged[counts..][..16].fill(u64::MAX);
    let found = read(&damaged).unwrap();
    assert!(!found.run.kept());
    assert_eq!((found.lost, found.run.totals().jobs), (u64::MAX, u64::MAX));
}

/// A file of the previous version has blocks of 8 words with counts, and states each count of replaced records once.
#[test]
fn a_file_of_the_previous_version_is_read() {
    let (heading, jobs) = replaced();
    let words = words_of(&heading, &jobs);
    let previous = u64::from_le_bytes(*b"GPURING2");
    let length = usize::try_from(words[1]).unwrap();
    let text = words[8..].iter().flat_map(|word| word.to_le_bytes()).take(length);
    let sum = mixed(previous, text.map(u64::from));
    let blocks = words.len() - 2 * (16 + 2 * 8);
    let mut old = words[..blocks].to_vec();
    (old[0], old[2], old[4]) = (previous, sum, mixed(previous, [0]));
    for (partition, block) in (0..).zip(words[blocks..].chunks(16 + 2 * 8)) {
        old.extend(&block[..8]);
        for (index, record) in (0..).zip(block[16..].chunks(8)) {
            old.extend(&record[..7]);
            let place = [partition, index].into_iter();
            old.push(mixed(previous, place.chain(record[..7].iter().copied())));
        }
    }
    assert_eq!(read(&old).unwrap(), read(&words).unwrap());
    // Neither version is taken for the other one.
    for (mut words, magic) in [(old, words[0]), (words, previous)] {
        words[0] = magic;
        assert!(read(&words).is_err());
    }
}

/// A record whose times are in no possible order is incomplete.
#[test]
fn a_record_with_impossible_times_is_incomplete() {
    for times in [
        [5, 6, 7],
        [5, 5, 5],
        [0, 0, u64::MAX],
        [7, 6, 5],
        [u64::MAX, 0, 0],
        [5, 7, 6],
        [6, 5, 7],
        [5, 4, 4],
    ] {
        let found = read(&words_of(&simple(1, 3), &[job(0, times, Status::default())])).unwrap();
        let records = usize::from(times.is_sorted());
        assert_eq!(found.run.partitions[0].records.len(), records, "{times:?}");
        assert_eq!(found.incomplete, 1 - records as u64, "{times:?}");
    }
}

/// Of several runs that create one file at the same time, one gets it.
#[test]
fn one_of_several_runs_gets_the_file() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..rounds(3_000) {
        let path = folder.path().join(format!("{round}.bin"));
        let start = std::sync::Barrier::new(3);
        let create = || {
            start.wait();
            Ring::create(&path)
        };
        let rings: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(create)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let refused = rings.iter().filter_map(|ring| ring.as_ref().err());
        let refused: Vec<String> = refused.map(ToString::to_string).collect();
        assert_eq!(refused.len(), 2, "round {round}: {refused:?}");
        for text in refused {
            assert!(
                text.contains("found the file of a run that has not ended"),
                "{text}"
            );
        }
    }
}
