//! The Gantt chart for terminals.

use gpusched::plot::gantt::{self, Options, Terminal};
use gpusched::simulator::timeline::{Slice, Timeline};

use crate::support::rounds;
use crate::timeline::{example, ns, random};

fn drawn(columns: usize, unicode: bool, options: &Options) -> String {
    gantt::text(&example(), options, &Terminal { columns, unicode }).unwrap()
}

#[test]
fn ascii() {
    let options = Options {
        title: Some("Two SMs".to_owned()),
        ..Options::default()
    };
    let picture = drawn(72, false, &options);
    let expected = r"Two SMs
GPU
SM 0 . 0                 |A-----------------  B------------------------|
SM 0 . 1                 | A-------------------                        |
SM 1 . 0                 |A------------------B-----------------------  |
SM 1 . 1                 |                   B-------                  |
bandwidth (max 51.2 GB/~ |999999999999999999995555555222222222222222222|
partition of 2 SMs
                         |^                     ^                      |
lidar                    |C--------             C---------             |
                         |^                                !           |
camera                   |         D-------------        D-------      |
                         ++---+----+---+----+---+----+---+----+---+---++
                          0   2    4   6    8  10   12  14   16  18  20 us
A conv   B gemm   C lidar   D camera   ^ release   v deadline
! deadline miss
";
    assert_eq!(picture, expected, "\n{picture}");
}

#[test]
fn unicode_and_a_window() {
    let options = Options {
        title: None,
        from: Some(ns(8_400)),
        to: Some(ns(10_400)),
    };
    let picture = drawn(64, true, &options);
    let expected = r"GPU
SM 0 · 0              │            B━━━━━━━━━━━━━━━━━━━━━━━━━━━│
SM 0 · 1              │A━━━━━━━━━━━                            │
SM 1 · 0              │A━B━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━│
SM 1 · 1              │  B━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━│
bandwidth (max 51.2 … │██▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄│
partition of 2 SMs
                      │                                ↑       │
lidar                 │                                C━━━━━━━│
camera                │D━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━        │
                      └──┴─────────┴─────────┴─────────┴───────┘
                        8.5       9.0       9.5      10.0 µs
A conv   B gemm   C lidar   D camera   ↑ release
";
    assert_eq!(picture, expected, "\n{picture}");
}

#[test]
fn slices_too_short_for_a_column_are_not_lost() {
    let mut timeline = Timeline::new();
    let process = timeline.process("").unwrap();
    let track = timeline.track(process, "µ").unwrap();
    for (start, end) in [(0, 1), (1, 2), (500, 500), (998, 999), (999, 1_000)] {
        timeline
            .slice(track, Slice::new("b", "κ", ns(start), ns(end)))
            .unwrap();
    }
    let terminal = Terminal {
        columns: 0,
        unicode: false,
    };
    let picture = gantt::text(&timeline, &Options::default(), &terminal).unwrap();
    let expected = "u |#                 A                #|";
    assert!(picture.starts_with(expected), "{picture}");
    assert!(picture.contains("A ?   # several start here"), "{picture}");
}

/// In every lane, exactly the columns that a slice touches show the slice.
#[test]
fn a_column_is_blank_exactly_where_nothing_runs() {
    let (mut busy, mut idle) = (0, 0);
    for seed in 0..rounds(1_000) {
        let (timeline, events) = random(seed);
        if events.slices.iter().any(|(_, _, start, end)| start == end) {
            continue; // slices without duration are shown
        }
        let (from, to) = timeline.span().unwrap();
        let terminal = Terminal {
            columns: 70,
            unicode: false,
        };
        let picture = gantt::text(&timeline, &Options::default(), &terminal).unwrap();
        let mut lines = picture.lines().filter(|line| line.starts_with("track "));
        for track in timeline.layout().iter().flat_map(|process| &process.tracks) {
            for lane in 0..track.lanes {
                let (_, cells) = lines.next().unwrap().split_once('|').unwrap();
                let cells: Vec<char> = cells.trim_end_matches('|').chars().collect();
                for (index, &cell) in cells.iter().enumerate() {
                    // Times are in fractions of a nanosecond, so column boundaries are exact.
                    let end = |index: usize| index as u128 * u128::from(to.ns() - from.ns());
                    let place = |at: u64| u128::from(at - from.ns()) * cells.len() as u128;
                    let covered = track.slices.iter().any(|piece| {
                        piece.lane == lane
                            && place(piece.start.ns()) < end(index + 1)
                            && place(piece.end.ns()) > end(index)
                    });
                    assert_eq!(cell != ' ', covered, "seed {seed}, column {index}\n{picture}");
                    *if covered { &mut busy } else { &mut idle } += 1;
                }
            }
        }
        assert_eq!(lines.next(), None);
    }
    assert!(busy > 10_000 && idle > 10_000, "{busy} {idle}");
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for seed in 0..rounds(200) {
        let (timeline, _) = random(seed);
        for columns in [40, 77, 200] {
            for unicode in [false, true] {
                let terminal = Terminal { columns, unicode };
                let picture = gantt::text(&timeline, &Options::default(), &terminal).unwrap();
                // The unit of time is after its axis.
                let wide = picture.lines().find(|line| line.chars().count() > columns + 3);
                assert_eq!(wide, None, "{picture}");
                assert!(unicode || picture.is_ascii());
                assert!(picture.lines().all(|line| line.trim_end() == line));
            }
        }
    }
}
