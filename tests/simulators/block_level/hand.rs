//! Cases that can be computed by hand.

use crate::block_level::scenario::{read, run, sms, spans};
use crate::support::rounds;

const MS: u64 = 1_000_000;

#[test]
fn equal_blocks_run_in_waves() {
    // Each of 2 SMs holds 2 blocks of 1024 threads, so there are M = 4 places. The kernel takes
    // ⌈N/M⌉·e.
    for blocks in 1..40 {
        let text = format!(
            r#"{{"platform":"tx2","kernels":[{{"stream":0,"blocks":{blocks},"threads":1024,"block_time":"3us"}}]}}"#
        );
        assert_eq!(spans(&run(&read(&text))), [(0, u64::div_ceil(blocks, 4) * 3000)]);
    }
}

#[test]
fn streams_are_first_in_first_out() {
    let record = run(&read(
        r#"{"platform":"tx2","kernels":[
            {"stream":0,"blocks":1,"threads":32,"block_time":"3ms"},
            {"stream":0,"blocks":1,"threads":32,"block_time":"1ms"},
            {"stream":1,"blocks":1,"threads":32,"block_time":"2ms"},
            {"stream":1,"blocks":1,"threads":32,"block_time":"1ms","launch":"5ms"}]}"#,
    ));
    assert_eq!(
        spans(&record),
        [(0, 3 * MS), (3 * MS, 4 * MS), (0, 2 * MS), (5 * MS, 6 * MS)]
    );
}

#[test]
fn the_default_stream_waits_for_all_and_all_wait_for_it() {
    let record = run(&read(
        r#"{"platform":"tx2","kernels":[
            {"stream":0,"blocks":1,"threads":32,"block_time":"3ms"},
            {"stream":1,"blocks":1,"threads":32,"block_time":"1ms"},
            {"stream":"default","blocks":1,"threads":32,"block_time":"2ms"},
            {"stream":1,"blocks":1,"threads":32,"block_time":"1ms"},
            {"stream":"default","blocks":1,"threads":32,"block_time":"1ms"},
            {"stream":"default","blocks":1,"threads":32,"block_time":"1ms"},
            {"stream":0,"blocks":1,"threads":32,"block_time":"1ms"}]}"#,
    ));
    let ms = |spans: &[(u64, u64)]| spans.iter().map(|(a, b)| (a / MS, b / MS)).collect::<Vec<_>>();
    assert_eq!(
        ms(&spans(&record)),
        [(0, 3), (0, 1), (3, 5), (5, 6), (6, 7), (7, 8), (8, 9)]
    );
}

#[test]
fn the_default_stream_of_another_application_is_none_of_our_business() {
    let record = run(&read(
        r#"{"platform":"tx2","applications":[{"timeslice":"10ms"},{"timeslice":"10ms"}],
            "kernels":[
            {"stream":0,"blocks":1,"threads":32,"block_time":"3ms"},
            {"application":1,"stream":"default","blocks":1,"threads":32,"block_time":"2ms"},
            {"stream":1,"blocks":1,"threads":32,"block_time":"4ms"}]}"#,
    ));
    assert_eq!(spans(&record), [(0, 3 * MS), (4 * MS, 6 * MS), (0, 4 * MS)]);
}

#[test]
fn a_high_priority_kernel_takes_sms_at_block_boundaries() {
    let record = run(&read(
        r#"{"platform":{"sms":1,"threads_per_sm":1024},"kernels":[
            {"stream":0,"blocks":4,"threads":1024,"block_time":"2ms"},
            {"stream":1,"priority":"high","blocks":1,"threads":1024,"block_time":"1ms","launch":"3ms"}]}"#,
    ));
    let starts: Vec<u64> = record
        .blocks
        .iter()
        .map(|block| block.start_ns.ns() / MS)
        .collect();
    assert_eq!(starts, [0, 2, 5, 7, 4]);
}

#[test]
fn the_first_kernel_that_does_not_fit_holds_up_those_behind_it() {
    let record = run(&read(
        r#"{"platform":{"sms":1,"threads_per_sm":1024},"kernels":[
            {"stream":0,"blocks":1,"threads":512,"block_time":"2ms"},
            {"stream":1,"blocks":1,"threads":1024,"block_time":"1ms"},
            {"stream":2,"blocks":1,"threads":512,"block_time":"1ms"}]}"#,
    ));
    assert_eq!(spans(&record), [(0, 2 * MS), (2 * MS, 3 * MS), (3 * MS, 4 * MS)]);
}

#[test]
fn but_not_those_on_other_sms() {
    let record = run(&read(
        r#"{"platform":{"sms":2,"threads_per_sm":1024},"kernels":[
            {"stream":0,"sms":[0],"blocks":1,"threads":512,"block_time":"2ms"},
            {"stream":1,"sms":[0],"blocks":1,"threads":1024,"block_time":"1ms"},
            {"stream":2,"sms":[1],"blocks":3,"threads":1024,"block_time":"1ms"}]}"#,
    ));
    assert_eq!(spans(&record), [(0, 2 * MS), (2 * MS, 3 * MS), (0, 3 * MS)]);
    assert_eq!(sms(&record), [vec![0], vec![0], vec![1, 1, 1]]);
}

#[test]
fn cache_configurations_serialise_streams() {
    let with = |first: &str, second: &str| {
        let text = format!(
            r#"{{"platform":"xavier","kernels":[
            {{"stream":0,"blocks":1,"threads":32,"block_time":"2ms"{first}}},
            {{"stream":1,"blocks":1,"threads":32,"block_time":"1ms"{second}}}]}}"#
        );
        spans(&run(&read(&text)))[1].0 / MS
    };
    let (l1, shared) = (r#","cache":"l1""#, r#","cache":"shared""#);
    assert_eq!(with(l1, shared), 2);
    assert_eq!([with(l1, l1), with(l1, ""), with("", shared)], [0, 0, 0]);
}

#[test]
fn shared_memory_counts_in_steps_of_256_bytes() {
    // Two kernels share one SM with 7 KiB of shared memory.
    let second = |bytes: u32| {
        let kernel = |stream: u32| {
            format!(
                r#"{{"stream":{stream},"blocks":1,"threads":32,"shared_memory":{bytes},"block_time":"1ms"}}"#
            )
        };
        let text = format!(
            r#"{{"platform":{{"sms":1,"threads_per_sm":1024,"shared_memory_per_sm_kib":7}},"kernels":[{},{}]}}"#,
            kernel(0),
            kernel(1)
        );
        spans(&run(&read(&text)))[1].0 / MS
    };
    assert_eq!(
        [second(3072), second(3073), second(3584), second(3585)],
        [0, 0, 0, 1]
    );
}

#[test]
fn turns_shape_the_shares_of_applications() {
    // One SM with endless small blocks: the applications get 4 : 2 : 1 slices in each round of the runlist.
    let kernel = |application: u32| {
        format!(
            r#"{{"application":{application},"stream":0,"blocks":100000,"threads":1024,"block_time":"10us"}}"#
        )
    };
    for switch in ["block", "instruction"] {
        let text = format!(
            r#"{{"platform":{{"sms":1,"threads_per_sm":1024}},"switch":"{switch}","applications":[
                {{"timeslice":"1ms","priority":"high"}},{{"timeslice":"1ms","priority":"medium"}},{{"timeslice":"1ms"}}],
                "kernels":[{},{},{}]}}"#,
            kernel(0),
            kernel(1),
            kernel(2)
        );
        let record = run(&read(&text));
        let horizon = 70 * MS;
        let mut done = [0; 3];
        for block in record.blocks.iter().filter(|block| block.end_ns.ns() <= horizon) {
            done[block.kernel] += 1;
        }
        assert_eq!(done, [4000, 2000, 1000], "{switch}");
        let at = |time: u64| record.blocks.iter().find(|block| block.start_ns.ns() == time);
        let turns = [0, 1, 2, 3, 4, 5, 6].map(|turn| at(turn * MS).unwrap().kernel);
        assert_eq!(turns, [0, 1, 2, 0, 1, 0, 0], "{switch}");
    }
}

#[test]
fn an_application_that_is_alone_is_not_interrupted() {
    let record = run(&read(
        r#"{"platform":{"sms":1,"threads_per_sm":1024},"switch":"instruction",
            "applications":[{"timeslice":"1ms"},{"timeslice":"1ms"}],"kernels":[
            {"application":0,"stream":0,"blocks":1,"threads":1024,"block_time":"5ms"},
            {"application":1,"stream":0,"blocks":1,"threads":1024,"block_time":"1ms","launch":"2500us"}]}"#,
    ));
    // The current slice at 2.5 ms ends at 3 ms.
    assert_eq!(spans(&record), [(0, 6 * MS), (3 * MS, 4 * MS)]);
}

#[test]
fn a_block_boundary_may_be_late() {
    let record = run(&read(
        r#"{"platform":{"sms":1,"threads_per_sm":1024},
            "applications":[{"timeslice":"1ms"},{"timeslice":"1ms"}],"kernels":[
            {"application":0,"stream":0,"blocks":2,"threads":1024,"block_time":"5ms"},
            {"application":1,"stream":0,"blocks":1,"threads":1024,"block_time":"1ms"}]}"#,
    ));
    assert_eq!(spans(&record), [(0, 11 * MS), (5 * MS, 6 * MS)]);
}

#[test]
fn copies_run_beside_kernels_of_any_application() {
    let record = run(&read(
        r#"{"platform":"tx2","applications":[{},{}],
            "kernels":[{"stream":0,"blocks":1,"threads":32,"block_time":"4ms"}],
            "copies":[{"application":1,"stream":0,"kind":"memcpy","time":"1ms"},
                      {"application":0,"stream":1,"kind":"memset","time":"2ms"}]}"#,
    ));
    let copies: Vec<_> = record.copies.iter().map(|copy| copy.start_ns.ns() / MS).collect();
    assert_eq!(copies, [0, 1], "one copy engine");
    assert_eq!(spans(&record), [(0, 4 * MS)]);
}

#[test]
fn copy_in_kernel_copy_out() {
    let record = run(&read(
        r#"{"platform":"tx2","kernels":[{"stream":0,"blocks":1,"threads":32,"block_time":"4ms"}],
            "copies":[{"stream":0,"kind":"memcpy","time":"1ms","after":0},{"stream":0,"kind":"memcpy","time":"2ms"}]}"#,
    ));
    assert_eq!(spans(&record), [(MS, 5 * MS)]);
    let copies: Vec<_> = record.copies.iter().map(|copy| copy.start_ns.ns() / MS).collect();
    assert_eq!(copies, [0, 5]);
}

#[test]
fn bandwidth_is_shared_max_min_fairly() {
    // The demands 20, 100 and 160 of 100 give the shares 20, 40 and 40. The second kernel (4 ms of work at rate 0.4)
    // ends at 10 ms. The third kernel has then done 2.5 of its 4 ms at rate 0.25. It continues at rate 80/160 and takes
    // 3 ms more. The first kernel never waits.
    let record = run(&read(
        r#"{"platform":"xavier","interference":{"bandwidth":100},"kernels":[
            {"stream":0,"blocks":1,"threads":32,"block_time":"20ms","bandwidth":20},
            {"stream":1,"blocks":1,"threads":32,"block_time":"4ms","bandwidth":100},
            {"stream":2,"blocks":1,"threads":32,"block_time":"4ms","bandwidth":160}]}"#,
    ));
    assert_eq!(
        spans(&record),
        [(0, 20 * MS), (0, 10 * MS + 1), (0, 13 * MS + 1)].map(near(&record))
    );
}

/// Allows ends one nanosecond later, because rates are rounded down.
fn near(record: &gpusched::simulator::blocks::Record) -> impl Fn((u64, u64)) -> (u64, u64) {
    let found = spans(record);
    move |(start, end)| {
        let close = found.iter().find(|(a, b)| *a == start && b.abs_diff(end) <= 1);
        close.copied().unwrap_or((start, end))
    }
}

#[test]
fn factors_slow_down_what_depends_on_memory() {
    // With share 1, the block runs at 1/8 speed during the memset of 1 ms, which completes 1/8 ms, and 1.875 ms remain.
    // With share 0, the block is not delayed.
    let with = |share: f64| {
        let text = format!(
            r#"{{"platform":"tx2","interference":{{"factors":"tx2"}},
            "kernels":[{{"stream":0,"blocks":1,"threads":32,"block_time":"2ms","memory_share":{share}}}],
            "copies":[{{"stream":1,"kind":"memset","time":"1ms"}}]}}"#
        );
        spans(&run(&read(&text)))[0].1
    };
    assert_eq!([with(1.0), with(0.0)], [2_875_000, 2_000_000]);
}

#[test]
fn gpcs_matter() {
    // [Sanudo20] Fig. 9: a kernel on SMs 0, 2, 4, 6, and one block on SM 1 (in the same GPC as SM 0) or alone on SM 0.
    let end = |sm: u32, order: &str| {
        let text = format!(
            r#"{{"platform":{{"sms":8,"threads_per_sm":2048,"sms_per_gpc":2,"sm_order":"{order}"}},
            "interference":{{"factors":{{"intra_gpc":10,"inter_gpc":2}}}},"kernels":[
            {{"stream":0,"sms":[0],"blocks":1,"threads":32,"block_time":"1ms","memory_share":1}},
            {{"stream":1,"sms":[{sm}],"blocks":1,"threads":32,"block_time":"20ms","memory_share":1}}]}}"#
        );
        spans(&run(&read(&text)))[0].1 / MS
    };
    assert_eq!(
        [end(1, "even-odd"), end(3, "even-odd"), end(0, "even-odd")],
        [10, 2, 1]
    );
}

#[test]
fn blocks_of_different_kernels_on_one_sm_slow_each_other_down() {
    // Both kernels run at half speed until 2 ms. Then the second kernel has 2 ms left.
    let ends = |sms: [u32; 2], factors: &str| {
        let text = format!(
            r#"{{"platform":"xavier","interference":{factors},"kernels":[
            {{"stream":0,"sms":[{}],"blocks":1,"threads":32,"block_time":"1ms"}},
            {{"stream":1,"sms":[{}],"blocks":2,"threads":32,"block_time":"3ms"}}]}}"#,
            sms[0], sms[1]
        );
        spans(&run(&read(&text)))
            .into_iter()
            .map(|(_, end)| end / MS)
            .collect::<Vec<_>>()
    };
    let factor = r#"{"factors":{"intra_sm":2}}"#;
    assert_eq!(ends([0, 0], factor), [2, 4]);
    // The two blocks of the second kernel do not slow each other down: their times include this effect.
    assert_eq!(ends([0, 1], factor), [1, 3]);
    assert_eq!(ends([0, 0], r#"{"factors":{"intra_gpc":2}}"#), [1, 3]);
    // The largest factor counts.
    let text = r#"{"platform":"xavier","interference":{"factors":{"intra_sm":2,"memset":4}},
        "copies":[{"stream":2,"kind":"memset","time":"100ms"}],"kernels":[
        {"stream":0,"sms":[0],"blocks":1,"threads":32,"block_time":"1ms","memory_share":1},
        {"stream":1,"sms":[0],"blocks":1,"threads":32,"block_time":"3ms"}]}"#;
    let ends: Vec<u64> = spans(&run(&read(text)))
        .into_iter()
        .map(|(_, end)| end / MS)
        .collect();
    assert_eq!(ends, [4, 5]);
}

#[test]
fn cpu_cores_spend_their_budget_at_the_beginning_of_each_period() {
    // A quarter of each millisecond runs at half speed, so each millisecond completes 7/8 ms of work.
    let record = run(&read(
        r#"{"platform":"tx2","interference":{"factors":{"cpu":2}},"cpu":{"regulation_period":"1ms","budget":0.25},
            "kernels":[{"stream":0,"blocks":1,"threads":32,"block_time":"7ms","memory_share":1}]}"#,
    ));
    assert_eq!(spans(&record), [(0, 8 * MS)]);
}

#[test]
fn unequal_blocks_keep_the_list_scheduling_bound() {
    // The bound is (Σe − max e)/M + max e ([Aghilinasab20] Eq. 3) on 4 places. The lower bound is Σe/M.
    let mut worst = 0.0f64;
    for seed in 1..=rounds(300u64) {
        let count = 1 + seed * 7 % 60;
        let times: Vec<u64> = (0..count)
            .map(|block| 1 + (block * block * 97 + seed * 31) % 1000)
            .collect();
        let text = format!(
            r#"{{"platform":"tx2","kernels":[{{"stream":0,"blocks":{count},"threads":1024,"block_time":{{"times":{times:?}}}}}]}}"#
        );
        let end = spans(&run(&read(&text)))[0].1;
        let (sum, most) = (times.iter().sum::<u64>(), *times.iter().max().unwrap());
        assert!(4 * end <= sum - most + 4 * most, "seed {seed}: {end}");
        assert!(4 * end >= sum && end >= most, "seed {seed}: {end}");
        worst = worst.max(4.0 * end as f64 / (sum + 3 * most) as f64);
    }
    assert!(worst > 0.95, "the bound is met nearly: {worst}");
}

#[test]
fn block_times_follow_their_forms() {
    let with = |time: &str, sms: &str, blocks: u32| {
        let text = format!(
            r#"{{"platform":"tx2","kernels":[{{"stream":0,{sms}"blocks":{blocks},"threads":1024,"block_time":{time}}}]}}"#
        );
        run(&read(&text))
    };
    // C(m) = 8/m + 1 us on the SMs of the kernel, with two blocks of 1024 threads per SM. 6 blocks take two waves on
    // two SMs and one wave on three SMs.
    let wcet = r#"{"wcet":{"affine":{"isolated":{"a":"8us","b":"1us"}}}}"#;
    assert_eq!(spans(&with(wcet, "", 6)), [(0, 5000)]);
    assert_eq!(spans(&with(wcet, r#""sms":[1],"#, 6)), [(0, 9000)]);
    // Lists repeat, and generated values stay in their range.
    let list = with(r#"{"times":["1us","2us","3us"]}"#, "", 4);
    let durations = |record: &gpusched::simulator::blocks::Record| -> Vec<u64> {
        let blocks = record.blocks.iter();
        blocks
            .map(|block| block.end_ns.ns() - block.start_ns.ns())
            .collect()
    };
    assert_eq!(durations(&list), [1000, 2000, 3000, 1000]);
    let uniform = durations(&with(r#"{"uniform":[3,6]}"#, "", 400));
    assert!((3..=6).all(|time| uniform.iter().filter(|&&drawn| drawn == time).count() > 60));
    assert!(uniform.iter().all(|time| (3..=6).contains(time)));
    let normal = durations(&with(
        r#"{"normal":{"mean":"1us","std":"100ns","max":"1050ns"}}"#,
        "",
        400,
    ));
    assert!(normal.iter().all(|&time| time <= 1050) && normal.iter().any(|&time| time < 950));
}
