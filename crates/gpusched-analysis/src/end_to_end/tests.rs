use super::*;
use gpusched_model::Interference;
use gpusched_model::end_to_end::Draft;
use gpusched_model::reader::Document as _;

fn system(text: &str) -> System {
    let draft = Draft::from_json(text).map_err(|(_, refusal)| refusal).unwrap();
    System::new(&draft, Interference::Conflict).unwrap()
}

fn ends(text: &str) -> Vec<Vec<u64>> {
    let answer = analyze(&system(text));
    let tasks = answer.evidence.bounds.0.iter();
    let ns = |end: &Option<Time>| end.map_or(0, Time::ns); // 0: no bound
    tasks.map(|task| task.ends_ns.iter().map(ns).collect()).collect()
}

/// Returns segments with equal BCETs and WCETs.
fn segments(list: &[(&str, u64)]) -> String {
    let list: Vec<String> = list
        .iter()
        .map(|(on, time)| format!(r#"{{"on":"{on}","wcet":{time},"bcet":{time}}}"#))
        .collect();
    list.join(",")
}

#[test]
fn example_a_alone() {
    let parts = segments(&[("cpu", 2), ("ce", 1), ("gpu", 5), ("ce", 1), ("cpu", 3)]);
    for policy in ["np-fifo", "np-fp", "fp", "lp-fp", "edf", "np-edf", "lp-edf"] {
        for wait in ["busy", "suspend"] {
            for core in ["fp", "edf"] {
                let text = format!(
                    r#"{{"cores":[{{"name":"cpu","policy":"{core}"}}],"copy_engines":[{{"name":"ce","policy":"fifo"}}],
                    "partitions":[{{"name":"gpu","sms":1,"policy":"{policy}"}}],
                    "tasks":[{{"name":"a","period":20,"wait":"{wait}","segments":[{parts}]}}]}}"#
                );
                assert_eq!(ends(&text), [[2, 3, 8, 9, 12]], "{policy} {wait} {core}");
            }
        }
    }
}

#[test]
fn example_b_suspend_or_busy() {
    let text = |core: &str, wait: &str| {
        format!(
            r#"{{"cores":[{{"name":"cpu","policy":"{core}"}}],"partitions":[{{"name":"gpu","sms":1,"policy":"fp"}}],"tasks":[
            {{"name":"1","period":20,"wait":"{wait}","segments":[{}]}},{{"name":"2","period":40,"segments":[{}]}}]}}"#,
            segments(&[("cpu", 2), ("gpu", 4), ("cpu", 2)]),
            segments(&[("cpu", 6)])
        )
    };
    assert_eq!(ends(&text("fp", "suspend")), [vec![2, 6, 8], vec![10]]);
    assert_eq!(ends(&text("fp", "busy")), [vec![2, 6, 8], vec![14]]);
    for wait in ["suspend", "busy"] {
        let found = ends(&text("edf", wait));
        assert_eq!([found[0][2], found[1][0]], [8, 14], "{wait}");
    }
}

#[test]
fn example_c_jitter_of_the_second_segment() {
    let text = r#"{"cores":[{"name":"cpu","policy":"fp"}],"partitions":[{"name":"gpu","sms":1,"policy":"fp"}],"tasks":[
        {"name":"1","period":10,"wait":"suspend","segments":[{"on":"cpu","wcet":1,"bcet":1},{"on":"gpu","wcet":7,"bcet":1},{"on":"cpu","wcet":2,"bcet":2}]},
        {"name":"2","period":40,"segments":[{"on":"cpu","wcet":6,"bcet":6}]}]}"#;
    assert_eq!(ends(text), [vec![1, 8, 10], vec![12]]);
}

#[test]
fn example_d_one_copy_engine() {
    let text = |policy: &str| {
        let tasks: Vec<String> = [2, 3, 4]
            .into_iter()
            .enumerate()
            .map(|(index, copy)| {
                let core = format!("c{index}");
                let parts = segments(&[(&core, 1), ("ce", copy), (&core, 1)]);
                format!(r#"{{"name":"{index}","period":50,"wait":"suspend","segments":[{parts}]}}"#)
            })
            .collect();
        format!(
            r#"{{"cores":[{{"name":"c0","policy":"fp"}},{{"name":"c1","policy":"fp"}},{{"name":"c2","policy":"fp"}}],
            "copy_engines":[{{"name":"ce","policy":"{policy}"}}],"tasks":[{}]}}"#,
            tasks.join(",")
        )
    };
    let last = |text: String| ends(&text).iter().map(|ends| ends[2]).collect::<Vec<u64>>();
    assert_eq!(last(text("fifo")), [11, 11, 11]);
    assert_eq!(last(text("np-fp")), [7, 10, 11]);
}

#[test]
fn example_e_engine_and_partition() {
    let text = |gpu: &str, wait: &str| {
        format!(
            r#"{{"cores":[{{"name":"cpu","policy":"fp"}}],"copy_engines":[{{"name":"ce","policy":"fifo"}}],
            "partitions":[{{"name":"gpu","sms":1,"policy":"{gpu}"}}],"tasks":[
            {{"name":"1","period":30,"wait":"{wait}","segments":[{}]}},{{"name":"2","period":60,"wait":"{wait}","segments":[{}]}}]}}"#,
            segments(&[("cpu", 2), ("ce", 1), ("gpu", 4), ("ce", 1), ("cpu", 2)]),
            segments(&[("cpu", 3), ("ce", 2), ("gpu", 10), ("ce", 2), ("cpu", 3)])
        )
    };
    assert_eq!(
        ends(&text("fp", "suspend")),
        [[2, 5, 9, 12, 14], [7, 10, 24, 27, 34]]
    );
    let busy = ends(&text("fp", "busy"));
    assert_eq!([busy[0][4], busy[1][4]], [14, 54]);
    assert_eq!(ends(&text("np-fifo", "suspend"))[0][4], 24);
}

/// Pitfall: on a partition with one task, the kernels of this task do not block each other.
#[test]
fn own_segments_do_not_block() {
    for policy in ["np-fp", "lp-fp"] {
        let text = format!(
            r#"{{"cores":[{{"name":"cpu","policy":"fp"}}],"partitions":[{{"name":"gpu","sms":1,"policy":"{policy}"}}],
            "tasks":[{{"name":"a","period":20,"wait":"suspend","segments":[{}]}}]}}"#,
            segments(&[("gpu", 5), ("cpu", 2), ("gpu", 5)])
        );
        assert_eq!(ends(&text), [[5, 7, 12]], "{policy}");
    }
}
