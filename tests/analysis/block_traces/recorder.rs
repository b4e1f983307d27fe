//! The recorder of traces: complete runs, samples of measured times, and the number of blocks that run at one time.

use gpusched::kernel_wcet::trace::{Level, Recorder, Row, Summary, Trace};

use crate::block_traces::scenario::recorded;

fn row(run: u64, block: u64, level: Level) -> Row {
    Row {
        run,
        block,
        start: Some(block.saturating_mul(10).saturating_add(block % 2)),
        duration: 25 + run,
        level,
    }
}

fn record(rows: &[(u64, u64, u8)]) -> Result<Trace, String> {
    let mut recorder = Recorder::new(4, 1);
    for &(run, block, q) in rows {
        recorder.row(&row(run, block, Level::ALL[usize::from(q)]))?;
    }
    recorder.end_file()?;
    recorder.finish().map_err(|error| error.to_string())
}

#[test]
fn blocks_come_in_any_order() {
    let trace = record(&[(7, 2, 0), (7, 0, 0), (7, 1, 0), (7, 1, 1), (7, 0, 1), (7, 2, 1)]).unwrap();
    assert_eq!((trace.blocks(), trace.active), (3, Some(3)));
    assert_eq!((trace.isolated.runs(), trace.interference.runs()), (1, 1));
    assert_eq!(trace.isolated.summary(2).max, 32);
}

#[test]
fn what_is_no_trace_is_refused() {
    for (rows, expected) in [
        (&[(0, 0, 0), (0, 0, 0)][..], "block 0 twice in run 0 at q = 0"),
        (
            &[(0, 0, 0), (0, 2, 0)],
            "ends without block 1, expected each block from 0 to 2, the highest block",
        ),
        (&[(0, 1, 0)], "ends without block 0"),
        (
            &[(0, 0, 0), (1, 1, 0)],
            "found block 1 in run 1 at q = 0, expected 0 to 0",
        ),
        (
            &[(0, 0, 0), (0, 1, 0), (1, 1, 0)],
            "ends without block 0, expected each block from 0 to 1, as in",
        ),
        (&[(0, 0, 0), (1, 0, 0), (0, 0, 0)], "found run 0 at q = 0 again"),
        (&[(0, 0, 0), (0, 0, 1), (0, 0, 0)], "found run 0 at q = 0 again"),
        (&[(0, 1 << 24, 0)], "below 16777216"),
        (&[(0, u64::MAX, 0)], "below 16777216"),
        (&[(0, 0, 0)], "no run at q = 1"),
        (&[(0, 0, 1)], "no run at q = 0"),
        (&[], "no run at q = 0"),
    ] {
        let error = record(rows).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn files_have_runs_of_their_own() {
    // Only runs with known starts show how many blocks run at one time.
    for (start, active) in [(None, None), (Some(7), Some(1))] {
        let mut recorder = Recorder::new(4, 1);
        for level in Level::ALL {
            for _ in 0..2 {
                let row = row(0, 0, level);
                recorder.row(&Row { start, ..row }).unwrap();
                recorder.end_file().unwrap();
            }
        }
        let trace = recorder.finish().unwrap();
        assert_eq!((trace.isolated.runs(), trace.active), (2, active));
    }
}

#[test]
fn figures_are_those_of_all_runs() {
    let measurements = recorded(Recorder::new(2, 1), &[vec![4, 100], vec![6, 100], vec![11, 100]]).isolated;
    let summary = measurements.summary(0);
    assert_eq!((summary.count, summary.max, summary.mean), (3, 11, 7.0));
    assert!((summary.squares - 26.0).abs() < 1e-12);
    assert_eq!(measurements.summary(1).std(), 0.0);
    assert_eq!((measurements.kept(), measurements.blocks()), (2, 2));
    let both = summary.merge(measurements.summary(1));
    assert_eq!((both.count, both.max, both.mean), (6, 100, 53.5));
    let squares: f64 = [4.0, 6.0, 11.0, 100.0, 100.0, 100.0]
        .map(|x: f64| (x - 53.5) * (x - 53.5))
        .iter()
        .sum();
    assert!((both.squares - squares).abs() < 1e-9);
    assert_eq!(Summary::default().merge(summary), summary);
}

#[test]
fn what_is_kept_is_a_uniform_sample() {
    // The sample keeps each of 40 runs with probability 8/40. Over 5,000 blocks, it keeps
    // each run 1,000 ± 28 times.
    let runs: Vec<Vec<u64>> = (0..40).map(|run| vec![run + 1; 5_000]).collect();
    let measurements = recorded(Recorder::new(8, 3), &runs).isolated;
    let mut counts = [0u32; 41];
    for block in 0..5_000 {
        let mut kept: Vec<u64> = measurements.sample(block).collect();
        kept.iter().for_each(|&run| counts[run as usize] += 1);
        kept.sort_unstable();
        kept.dedup();
        assert_eq!(kept.len(), 8, "the sample has a run twice");
    }
    assert_eq!(counts[0], 0);
    assert!(
        counts[1..].iter().all(|count| count.abs_diff(1_000) < 5 * 28),
        "{counts:?}"
    );
}

/// Times that need more than 32 bits replace short times in a sample, and the other way round.
#[test]
fn long_and_short_times_are_kept() {
    let runs: Vec<Vec<u64>> = (0..40)
        .map(|run| {
            vec![
                if run % 2 == 0 { run + 1 } else { 1 << (20 + run) },
                u64::from(u32::MAX) + run,
            ]
        })
        .collect();
    for seed in 0..20 {
        let measurements = recorded(Recorder::new(3, seed), &runs).isolated;
        for block in 0..2 {
            let mut places: Vec<usize> = measurements
                .sample(block)
                .map(|time| runs.iter().position(|run| run[block] == time).unwrap())
                .collect();
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), 3, "{seed} {block}");
        }
    }
    let first = recorded(Recorder::first(2), &[vec![1, u32::MAX.into()], vec![1 << 40, 7]]).isolated;
    assert_eq!(first.run(0).collect::<Vec<_>>(), [1, u32::MAX.into()]);
    assert_eq!(first.run(1).collect::<Vec<_>>(), [1 << 40, 7]);
}

/// Returns the number of active blocks of one run, and the number that explains the length of the run.
fn active(starts: &[u64], durations: &[u64]) -> (usize, usize) {
    let mut recorder = Recorder::first(1);
    for level in Level::ALL {
        for (block, (&start, &duration)) in (0..).zip(starts.iter().zip(durations)) {
            let row = Row {
                run: 0,
                block,
                start: Some(start),
                duration,
                level,
            };
            recorder.row(&row).unwrap();
        }
    }
    recorder.end_file().unwrap();
    let trace = recorder.finish().unwrap();
    (trace.active.unwrap(), trace.explained.unwrap())
}

/// The number of active blocks is the largest number of blocks that overlap by more than the clock rounds, or the number that
/// explains the length of the run, whichever is smaller.
#[test]
fn overlaps_are_counted() {
    assert_eq!(active(&[0, 100, 201], &[100, 101, 100]), (1, 1));
    assert_eq!(active(&[0, 1, 0, 50], &[53, 90, 91, 10]), (4, usize::MAX));
    assert_eq!(active(&[0, 7, 107, 107], &[100; 4]), (2, 2));
}

#[test]
fn a_run_bounds_its_places() {
    assert_eq!(active(&[5], &[10]), (1, usize::MAX));
    assert_eq!(active(&[0, 0, 10, 10], &[10, 10, 10, 10]).1, 3);
    assert_eq!(active(&[0, 50], &[10, 10]), (1, 0));
}

/// Starts and durations are rounded independently: up, down, or to the nearest value, with ticks of 1, 32 and 1000 ns.
#[test]
fn rounded_times_do_not_add_places() {
    for places in [1usize, 3, 16] {
        for tick in [1u64, 32, 1000] {
            for [start_offset, duration_offset] in [[0, 0], [0, 999], [499, 499], [999, 0], [999, 999]] {
                // Exact times are in thousandths of a tick. Each place runs its blocks without pauses.
                let (mut starts, mut durations) = (Vec::new(), Vec::new());
                for place in 0..places as u64 {
                    let mut now = 7_321 * place;
                    for block in 0..20u64 {
                        let duration = 60_000 + 7_919 * ((3 * block + 5 * place) % 11);
                        starts.push((now + start_offset) / 1000 * tick);
                        durations.push((duration + duration_offset) / 1000 * tick);
                        now += duration;
                    }
                }
                let (found, _) = active(&starts, &durations);
                assert!(found <= places, "{found} places instead of {places}, tick {tick}");
                assert!(
                    found + places / 8 >= places,
                    "{found} places instead of {places}, tick {tick}"
                );
            }
        }
    }
}
