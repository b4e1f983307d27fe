//! Slices of one lane never overlap, and each slice is on the lowest free lane.

use gpusched::simulator::timeline::{Piece, TrackLayout};

use crate::support::rounds;
use crate::timeline::{ns, random};

/// Reference implementation that checks lanes one by one.
fn lowest_free_lanes(track: &TrackLayout<'_>) -> Vec<usize> {
    let mut until: Vec<u64> = Vec::new();
    let mut lanes = Vec::new();
    for piece in &track.slices {
        let free = until.iter().position(|&end| end <= piece.start.ns());
        let lane = free.unwrap_or(until.len());
        match until.get_mut(lane) {
            Some(end) => *end = piece.end.ns(),
            None => until.push(piece.end.ns()),
        }
        lanes.push(lane);
    }
    lanes
}

#[test]
fn lanes_are_those_of_the_slow_twin_and_never_overlap() {
    let (mut several, mut longest) = (0, 0);
    for seed in 0..rounds(10_000) {
        let (timeline, events) = random(seed);
        let layout = timeline.layout();
        let mut count = 0;
        for (p, process) in layout.iter().enumerate() {
            for (t, track) in process.tracks.iter().enumerate() {
                // Tracks 0 and 3 belong to process 0, and so on.
                assert_eq!(track.name, format!("track {}", p + 3 * t));
                let lanes: Vec<usize> = track.slices.iter().map(|piece| piece.lane).collect();
                assert_eq!(lanes, lowest_free_lanes(track), "seed {seed}");
                assert_eq!(track.lanes, lanes.iter().max().map_or(1, |lane| lane + 1));
                several += usize::from(track.lanes > 1);
                longest = longest.max(track.lanes);
                assert!(track.slices.is_sorted_by_key(|piece| piece.start));
                assert!(track.instants.is_sorted_by_key(|point| point.at));
                for (i, a) in track.slices.iter().enumerate() {
                    for b in &track.slices[..i] {
                        assert!(a.lane != b.lane || apart(a, b), "seed {seed}: {a:?} {b:?}");
                    }
                }
                count += track.slices.len();
                for piece in &track.slices {
                    let event = (p + 3 * t, piece.name.to_owned(), piece.start.ns(), piece.end.ns());
                    assert!(events.slices.contains(&event), "seed {seed}: {event:?}");
                }
            }
        }
        assert_eq!(count, events.slices.len());
    }
    assert!(several > rounds(10_000) && longest > 4, "{several} {longest}");
}

fn apart(a: &Piece<'_>, b: &Piece<'_>) -> bool {
    a.end <= b.start || b.end <= a.start
}

#[test]
fn counters_have_one_value_per_time() {
    for seed in 0..rounds(1_000) {
        let (timeline, events) = random(seed);
        for (index, process) in timeline.layout().iter().enumerate() {
            let [counter] = &process.counters[..] else {
                panic!("one counter each")
            };
            assert!(counter.values.windows(2).all(|pair| pair[0].0 < pair[1].0));
            for &(_, at, _) in events.samples.iter().filter(|sample| sample.0 == index) {
                let mut same = events
                    .samples
                    .iter()
                    .filter(|sample| (sample.0, sample.1) == (index, at));
                let last = same.next_back().unwrap().2;
                assert!(counter.values.contains(&(ns(at), last)), "seed {seed}");
            }
        }
    }
}

#[test]
fn lanes_have_names() {
    let timeline = crate::timeline::example();
    let layout = timeline.layout();
    assert_eq!(layout[0].tracks[0].lane_name(1), "SM 0 · 1");
    assert_eq!(layout[1].tracks[0].lane_name(0), "lidar");
    assert_eq!(timeline.categories(), ["conv", "gemm", "lidar", "camera"]);
}
