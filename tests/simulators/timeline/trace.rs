//! The trace follows the Trace Event Format, is ordered, and keeps every nanosecond.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use gpusched::simulator::timeline::{Instant, Mark, Slice, Timeline};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::support::rounds;
use crate::timeline::{example, ns, random};

fn written(timeline: &Timeline) -> String {
    let mut bytes = Vec::new();
    timeline.write_trace(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// An event with its times as written.
#[derive(Deserialize, Debug)]
pub struct Event {
    pub name: String,
    pub ph: String,
    pub pid: usize,
    pub tid: Option<usize>,
    ts: Option<Box<RawValue>>,
    dur: Option<Box<RawValue>>,
    #[serde(default)]
    pub args: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct Trace {
    #[serde(rename = "traceEvents")]
    events: Vec<Event>,
}

impl Event {
    pub fn start(&self) -> u64 {
        nanoseconds(self.ts.as_ref().unwrap().get())
    }

    pub fn end(&self) -> u64 {
        self.start() + nanoseconds(self.dur.as_ref().unwrap().get())
    }
}

/// Converts decimal text in microseconds to nanoseconds, exactly and without floating point.
fn nanoseconds(text: &str) -> u64 {
    let (whole, rest) = text.split_once('.').unwrap();
    assert_eq!(rest.len(), 3, "{text}");
    whole.parse::<u64>().unwrap() * 1_000 + rest.parse::<u64>().unwrap()
}

pub fn events(trace: &str) -> Vec<Event> {
    serde_json::from_str::<Trace>(trace).unwrap().events
}

fn schema() -> crate::support::schema::Validator {
    let schema: Value = serde_json::from_str(include_str!("trace_event.schema.json")).unwrap();
    crate::support::schema::validator_for(&schema)
}

/// Returns the violations of the Trace Event Format in `trace`.
pub fn faults(trace: &str) -> Vec<String> {
    let trace: Value = serde_json::from_str(trace).unwrap();
    let schema = schema();
    schema.errors(&trace)
}

#[test]
fn the_schema_holds() {
    let schema = schema();
    for seed in 0..rounds(300) {
        assert_eq!(faults(&written(&random(seed).0)), [""; 0], "seed {seed}");
    }
    let empty: Value = serde_json::from_str(&written(&Timeline::new())).unwrap();
    assert!(schema.is_valid(&empty));
    // The schema also rejects invalid traces.
    let good: Value = serde_json::from_str(&written(&example())).unwrap();
    let events = good["traceEvents"].as_array().unwrap().len();
    for (index, event) in good["traceEvents"].as_array().unwrap().iter().enumerate() {
        for key in event.as_object().unwrap().keys() {
            if key == "tid" && event["ph"] == "M" {
                continue; // names of processes have no thread
            }
            let mut bad = good.clone();
            bad["traceEvents"][index].as_object_mut().unwrap().remove(key);
            assert!(!schema.is_valid(&bad), "without {key}: {event}");
        }
    }
    assert!(events > 20);
}

#[test]
fn slices_of_a_thread_are_disjoint_and_all_is_in_order() {
    for seed in 0..rounds(2_000) {
        let (timeline, given) = random(seed);
        let events = events(&written(&timeline));
        let names = events.iter().take_while(|event| event.ph == "M").count();
        let (names, timed) = events.split_at(names);
        assert!(timed.iter().all(|event| event.ph != "M"));
        assert!(timed.is_sorted_by_key(Event::start), "seed {seed}");

        // Each number occurs once, as process or as thread, and each thread belongs to one process.
        let named = |what: &'static str| names.iter().filter(move |event| event.name == what);
        let numbers: Vec<usize> = named("process_name")
            .map(|event| event.pid)
            .chain(named("thread_name").map(|event| event.tid.unwrap()))
            .collect();
        let distinct: BTreeSet<usize> = numbers.iter().copied().collect();
        assert_eq!(distinct.len(), numbers.len());
        let process: HashMap<usize, usize> = named("thread_name").map(|e| (e.tid.unwrap(), e.pid)).collect();
        for index in names.iter().filter(|event| event.name.ends_with("sort_index")) {
            assert_eq!(index.args["sort_index"], index.tid.unwrap_or(index.pid));
        }

        let mut until: HashMap<usize, u64> = HashMap::new();
        let mut counts = [0; 3];
        for event in timed {
            counts[["X", "i", "C"].iter().position(|ph| event.ph == *ph).unwrap()] += 1;
            let Some(tid) = event.tid else { continue };
            assert_eq!(process[&tid], event.pid);
            if event.ph == "X" {
                let until = until.entry(tid).or_default();
                assert!(
                    *until <= event.start(),
                    "seed {seed}: {event:?} overlaps or nests"
                );
                *until = event.end();
            }
        }
        assert_eq!(
            counts,
            [given.slices.len(), given.instants.len(), given.samples.len()]
        );
    }
}

#[test]
fn every_nanosecond_survives() {
    for seed in 0..rounds(2_000) {
        let (timeline, given) = random(seed);
        let events = events(&written(&timeline));
        let threads: HashMap<usize, &str> = events
            .iter()
            .filter(|event| event.name == "thread_name")
            .map(|event| (event.tid.unwrap(), event.args["name"].as_str().unwrap()))
            .collect();
        let mut expected: Vec<(String, String, u64, u64)> = Vec::new();
        for (track, name, start, end) in given.slices {
            expected.push((format!("track {track}"), name, start, end));
        }
        let mut found = Vec::new();
        for event in events.iter().filter(|event| event.ph == "X") {
            let track = threads[&event.tid.unwrap()]
                .split(" · ")
                .next()
                .unwrap()
                .to_owned();
            assert_eq!(
                (&event.args["threads"], &event.args["stream"]),
                (&128.into(), &"a \"b\"".into())
            );
            found.push((track, event.name.clone(), event.start(), event.end()));
            // Viewers read times as floating-point numbers, rounded to a nanosecond.
            let read = |text: &RawValue| (text.get().parse::<f64>().unwrap() * 1_000.0).round() as u64;
            assert_eq!(read(event.ts.as_ref().unwrap()), event.start());
            assert_eq!(read(event.dur.as_ref().unwrap()), event.end() - event.start());
        }
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "seed {seed}");

        let instants = events.iter().filter(|event| event.ph == "i").map(Event::start);
        let mut instants: Vec<u64> = instants.collect();
        let mut expected: Vec<u64> = given.instants.iter().map(|&(_, at)| at).collect();
        instants.sort_unstable();
        expected.sort_unstable();
        assert_eq!(instants, expected);

        let counters = events.iter().filter(|event| event.ph == "C");
        let mut counters: Vec<(String, u64, u64)> = counters
            .map(|event| {
                (
                    event.name.clone(),
                    event.start(),
                    event.args["GB/s"].as_f64().unwrap().to_bits(),
                )
            })
            .collect();
        let given = given.samples.into_iter();
        let mut expected: Vec<_> = given
            .map(|(c, at, value)| (format!("counter {c}"), at, value.to_bits()))
            .collect();
        counters.sort();
        expected.sort();
        assert_eq!(counters, expected);
    }
}

#[test]
fn the_largest_time_is_exact() {
    let mut timeline = Timeline::new();
    let process = timeline.process("p").unwrap();
    let track = timeline.track(process, "t").unwrap();
    timeline
        .slice(track, Slice::new("a", "b", ns(1), ns(u64::MAX)))
        .unwrap();
    let trace = written(&timeline);
    assert!(
        trace.contains(r#""ts":0.001,"dur":18446744073709551.614,"#),
        "{trace}"
    );
    assert_eq!(events(&trace).last().unwrap().end(), u64::MAX);
}

#[test]
fn the_bytes_are_these() {
    let mut timeline = Timeline::new();
    let gpu = timeline.process("GPU \"0\"").unwrap();
    let sm = timeline.track(gpu, "SM\n0").unwrap();
    timeline
        .slice(sm, Slice::new("b", "conv\u{7f}", ns(1_500), ns(3_000)))
        .unwrap();
    let args = &[("threads", 128_u64.into()), ("end", ns(7).into())];
    timeline
        .slice(
            sm,
            Slice {
                args,
                ..Slice::new("a", "conv", ns(0), ns(2_500))
            },
        )
        .unwrap();
    let budget = timeline.counter(gpu, "budget", "share").unwrap();
    timeline.sample(budget, ns(0), 0.13).unwrap();
    timeline
        .instant(sm, Instant::new("job 0", Mark::Miss, ns(2_500)))
        .unwrap();
    let head = format!(
        r#"{{"displayTimeUnit":"ns","otherData":{{"generator":"gpusched {}"}},"traceEvents":["#,
        env!("CARGO_PKG_VERSION")
    );
    let expected = r#"
{"name":"process_name","ph":"M","pid":1,"args":{"name":"GPU \"0\""}},
{"name":"process_sort_index","ph":"M","pid":1,"args":{"sort_index":1}},
{"name":"thread_name","ph":"M","pid":1,"tid":2,"args":{"name":"SM 0 · 0"}},
{"name":"thread_sort_index","ph":"M","pid":1,"tid":2,"args":{"sort_index":2}},
{"name":"thread_name","ph":"M","pid":1,"tid":3,"args":{"name":"SM 0 · 1"}},
{"name":"thread_sort_index","ph":"M","pid":1,"tid":3,"args":{"sort_index":3}},
{"name":"budget","ph":"C","ts":0.000,"pid":1,"args":{"share":0.13}},
{"name":"a","cat":"conv","ph":"X","ts":0.000,"dur":2.500,"pid":1,"tid":2,"args":{"threads":128,"end":7}},
{"name":"b","cat":"conv�","ph":"X","ts":1.500,"dur":1.500,"pid":1,"tid":3},
{"name":"deadline miss: job 0","cat":"deadline miss","ph":"i","s":"t","ts":2.500,"pid":1,"tid":2}
]}
"#;
    assert_eq!(written(&timeline), head + expected);
}

/// The trace in docs/reference/traces.md equals the output of gpusched.
#[test]
fn the_documentation_shows_a_trace() {
    let mut timeline = Timeline::new();
    let gpu = timeline.process("GPU").unwrap();
    let sm = timeline.track(gpu, "SM 0").unwrap();
    let busy = timeline.counter(gpu, "busy SMs", "SMs").unwrap();
    timeline.sample(busy, ns(0), 1.0).unwrap();
    let args = &[("threads", 128_u64.into())];
    timeline
        .slice(
            sm,
            Slice {
                args,
                ..Slice::new("block 0", "conv", ns(0), ns(2_500))
            },
        )
        .unwrap();
    timeline
        .instant(sm, Instant::new("frame 0", Mark::Miss, ns(2_000)))
        .unwrap();
    let formats = include_str!("../../../docs/reference/traces.md");
    let trace = written(&timeline).replace(env!("CARGO_PKG_VERSION"), "0.1.0");
    assert!(formats.contains(&format!("```\n{trace}```\n")), "{trace}");
}
