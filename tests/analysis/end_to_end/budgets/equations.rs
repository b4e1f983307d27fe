//! WCETs under budgets against brute force.

use std::collections::HashMap;

use gpusched::end_to_end::analyze_draft;
use gpusched::kernel_wcet::{Estimator, list_scheduling};
use gpusched::model::end_to_end::{BudgetedSegment, share};
use gpusched::model::time::Time;
use gpusched::model::{Factor, Interference, Kernel};

use super::draft;

/// Returns the segments of the system in `text`.
fn segments(text: &str) -> Vec<BudgetedSegment> {
    let found = analyze_draft(&draft(text), Interference::Conflict.into()).unwrap();
    found.answer.budgets.unwrap().segments.concat()
}

/// Longest time until a segment with `left` ns of execution and at most `delay` ns of delay ends. `now` is the time in the
/// regulation period, and `account` the memory time until the next period.
fn longest(
    (left, delay): (u64, u64),
    (now, account): (u64, u64),
    (period, burst): (u64, u64),
    known: &mut HashMap<(u64, u64, u64, u64), u64>,
) -> u64 {
    if left == 0 {
        return 0;
    }
    let (now, account) = if now == period { (0, burst) } else { (now, account) };
    if let Some(&time) = known.get(&(left, delay, now, account)) {
        return time;
    }
    let mut time = 1 + longest((left - 1, delay), (now + 1, account), (period, burst), known);
    if account > 0 && delay > 0 {
        let stalled = longest((left, delay - 1), (now + 1, account - 1), (period, burst), known);
        time = time.max(1 + stalled);
    }
    known.insert((left, delay, now, account), time);
    time
}

#[test]
fn an_uninterrupted_segment_never_takes_longer() {
    let mut attained = 0;
    for (period, isolated, delay) in (0..6 * 7 * 7).map(|code| (1 + code % 6, 1 + code / 6 % 7, code / 42)) {
        for burst in 0..=period {
            let text = format!(
                r#"{{"copy_engines":[{{"name":"copy","policy":"fifo"}}],
                "budgets":{{"regulation_period":{period},"q":{}}},
                "tasks":[{{"name":"t","period":1000,"segments":[{{"on":"copy","wcet":{isolated},"e1":{}}}]}}]}}"#,
                share(burst, Time::from_ns(period)),
                isolated + delay
            );
            let found = segments(&text)[0];
            assert_eq!(found.memory_time_ns.ns(), burst);
            // The least solution of (3), by iteration.
            let mut least = isolated;
            while burst > 0 && least != isolated + delay.min(burst * (least.div_ceil(period) + 1)) {
                least = isolated + delay.min(burst * (least.div_ceil(period) + 1));
            }
            assert_eq!(found.wcet_ns.ns(), least, "{text}");
            let starts = (0..period).map(|start| {
                longest(
                    (isolated, delay),
                    (start, burst),
                    (period, burst),
                    &mut HashMap::new(),
                )
            });
            let exact = starts.max().unwrap();
            assert!(exact <= least, "{text}: {exact} > {least}");
            attained += u64::from(exact == least);
        }
    }
    assert!(attained > 900, "{attained}");
}

#[test]
fn a_delay_rate_limits_the_delay() {
    let text = |rate: &str| {
        format!(
            r#"{{"copy_engines":[{{"name":"copy","policy":"fifo","bandwidth":"1GB/s","contended_bandwidth":"500MB/s"}}],
            "budgets":{{"regulation_period":"1us","q":0.25}},
            "tasks":[{{"name":"t","period":"1ms","segments":[{{"on":"copy","bytes":2000{rate}}}]}}]}}"#
        )
    };
    // Without a rate: e⁰ = 2 us, and 4 periods with 250 ns each, which the whole delay of 2 us does not limit.
    let whole = segments(&text(""))[0].wcet_ns.ns();
    assert_eq!(whole, 3000);
    // Half of it: ⌈0.5·250·(k + 1)⌉ with k = 3.
    assert_eq!(segments(&text(r#","delay_rate":0.5"#))[0].wcet_ns.ns(), 2500);
}

#[test]
fn preempted_segments_count_the_periods_of_their_windows() {
    let text = |first: &str| {
        format!(
            r#"{{"cores":[{{"name":"cpu","policy":"fp"}}],"budgets":{{"regulation_period":10,"q":0.1}},
            "tasks":[{{"name":"a","period":50,"segments":[{{"on":"cpu","wcet":{first}}}]}},
                     {{"name":"b","period":200,"segments":[{{"on":"cpu","wcet":20,"e1":40}}]}}]}}"#
        )
    };
    // Task a never waits for memory, and preempts task b once. R = 20 + 4 + 1 = 25 overlaps up to 4 periods.
    let alone = segments(&text(r#"1,"e1":1"#));
    assert_eq!(
        (alone[1].wcet_ns.ns(), alone[1].window_ns),
        (24, Some(Time::from_ns(25)))
    );
    // Two jobs of task a preempt task b. R = 20 + 10 + 60 = 90 overlaps up to 10 periods.
    let late = segments(&text(r#"30,"e1":30"#));
    assert_eq!(
        (late[1].wcet_ns.ns(), late[1].window_ns),
        (30, Some(Time::from_ns(90)))
    );
    // A task without a bound has its WCET under full interference.
    let never = segments(&text(r#"50,"e1":50"#));
    assert_eq!((never[1].wcet_ns.ns(), never[1].window_ns), (40, None));
}

#[test]
fn kernels_with_a_profile_have_the_bound_of_their_blocks() {
    let clusters = r#"[{"blocks":40,"e0":170,"e1":369},{"blocks":25,"e0":250,"e1":652}]"#;
    let system = |policy: &str, q: &str| {
        segments(&format!(
            r#"{{"partitions":[{{"name":"gpu","sms":2,"policy":"{policy}"}}],
            "budgets":{{"regulation_period":1000,"q":{q}}},
            "tasks":[{{"name":"t","period":100000,"segments":[
            {{"on":"gpu","profile":{{"blocks_per_sm":2,"clusters":{clusters}}}}}]}}]}}"#
        ))[0]
    };
    let text = format!(r#"{{"active_blocks":4,"regulation_period":1000,"clusters":{clusters}}}"#);
    let kernel: Kernel = serde_json::from_str(&text).unwrap();
    let most = list_scheduling::contended(&kernel);
    for q in ["0", "0.1", "0.13", "0.5", "1"] {
        let factor: Factor = q.parse().unwrap();
        let bound = Estimator::new(&kernel).bound(factor, false).unwrap().wcet_ns;
        assert_eq!(system("np-fp", q).wcet_ns, bound, "{q}");
        let divided = if q == "0" { bound } else { most };
        assert_eq!(system("fp", q).wcet_ns, divided, "{q}");
    }
}
