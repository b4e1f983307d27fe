//! Guarantee: a timeline shows all its events in viewers and figures, to the nanosecond.

mod command;
mod figure;
mod lanes;
mod refusals;
mod trace;

use gpusched::simulator::timeline::{Instant, Mark, Slice, Timeline};
use gpusched::time::Time;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn ns(ns: u64) -> Time {
    Time::from_ns(ns)
}

/// The events on a timeline.
#[derive(Default)]
struct Events {
    /// Track, name, start, end.
    slices: Vec<(usize, String, u64, u64)>,
    /// Track and time.
    instants: Vec<(usize, u64)>,
    /// Counter, time and value.
    samples: Vec<(usize, u64, f64)>,
}

/// Returns a random timeline of three processes with two tracks and one counter each. Every fourth timeline has times
/// up to 2⁵⁰ ns. Most timelines have few distinct times, so starts and ends coincide. The slices are unordered.
fn random(seed: u64) -> (Timeline, Events) {
    let mut draw = ChaCha8Rng::seed_from_u64(seed);
    let (mut timeline, mut events) = (Timeline::new(), Events::default());
    let processes: Vec<_> = (0..3)
        .map(|i| timeline.process(&format!("process {i}")).unwrap())
        .collect();
    let (mut tracks, mut counters) = (Vec::new(), Vec::new());
    for i in 0..6 {
        // The tracks of a process need not be created one after the other.
        tracks.push(timeline.track(processes[i % 3], &format!("track {i}")).unwrap());
    }
    for (i, &process) in processes.iter().enumerate() {
        counters.push(
            timeline
                .counter(process, &format!("counter {i}"), "GB/s")
                .unwrap(),
        );
    }
    let horizon = if seed.is_multiple_of(4) { 1_u64 << 49 } else { 60 };
    for i in 0..draw.random_range(1..40) {
        let track = draw.random_range(0..tracks.len());
        let start = draw.random_range(0..horizon);
        let end = start + draw.random_range(0..horizon / 4);
        let name = format!("block {i}");
        let slice = Slice {
            args: &[("threads", 128_u32.into()), ("stream", "a \"b\"".into())],
            ..Slice::new(&name, ["conv", "gemm", "<&>"][i % 3], ns(start), ns(end))
        };
        timeline.slice(tracks[track], slice).unwrap();
        events.slices.push((track, name, start, end));
    }
    for i in 0..draw.random_range(0..20) {
        let (track, at) = (draw.random_range(0..tracks.len()), draw.random_range(0..horizon));
        timeline
            .instant(tracks[track], Instant::new("job", Mark::ALL[i % 4], ns(at)))
            .unwrap();
        events.instants.push((track, at));
    }
    for _ in 0..draw.random_range(0..20) {
        let (counter, at) = (
            draw.random_range(0..counters.len()),
            draw.random_range(0..horizon),
        );
        let value = f64::from(draw.random_range(0..1_000_u32)) / 8.0;
        timeline.sample(counters[counter], ns(at), value).unwrap();
        events.samples.push((counter, at, value));
    }
    (timeline, events)
}

/// Returns an example for charts: two SMs with concurrent blocks, and two tasks; one task misses a deadline.
fn example() -> Timeline {
    let mut timeline = Timeline::new();
    let gpu = timeline.process("GPU").unwrap();
    for (sm, blocks) in [
        (
            0,
            [("conv", 0, 8_000), ("conv", 500, 9_000), ("gemm", 9_000, 20_000)].as_slice(),
        ),
        (
            1,
            &[
                ("conv", 0, 8_500),
                ("gemm", 8_500, 19_000),
                ("gemm", 8_500, 12_000),
            ],
        ),
    ] {
        let track = timeline.track(gpu, &format!("SM {sm}")).unwrap();
        for (index, &(kernel, start, end)) in blocks.iter().enumerate() {
            let name = format!("block {index}");
            timeline
                .slice(track, Slice::new(&name, kernel, ns(start), ns(end)))
                .unwrap();
        }
    }
    let busy = timeline.counter(gpu, "bandwidth", "GB/s").unwrap();
    for (at, value) in [(0, 51.2), (8_500, 25.6), (12_000, 6.4), (20_000, 0.0)] {
        timeline.sample(busy, ns(at), value).unwrap();
    }
    let partition = timeline.process("partition of 2 SMs").unwrap();
    for (task, pieces, marks) in [
        (
            "lidar",
            [(0, 4_000), (10_000, 14_000)].as_slice(),
            [(Mark::Release, 0), (Mark::Release, 10_000)].as_slice(),
        ),
        (
            "camera",
            &[(4_000, 10_000), (14_000, 17_000)],
            &[(Mark::Release, 0), (Mark::Deadline, 15_000), (Mark::Miss, 15_000)],
        ),
    ] {
        let track = timeline.track(partition, task).unwrap();
        for &(start, end) in pieces {
            timeline
                .slice(track, Slice::new("job 0", task, ns(start), ns(end)))
                .unwrap();
        }
        for &(mark, at) in marks {
            timeline
                .instant(track, Instant::new("job 0", mark, ns(at)))
                .unwrap();
        }
    }
    timeline
}

#[test]
fn the_span_is_that_of_all_events() {
    assert_eq!(Timeline::new().span(), None);
    assert_eq!(example().span(), Some((ns(0), ns(20_000))));
    assert_eq!(example().events(), 6 + 4 + 4 + 5);
}
