//! Kernels, systems of kernels, and published values of benchmarks.

use gpusched_model::time::Time;
use gpusched_model::{Benchmarks, Cluster, Kernel, System};

const HISTO: &str = r#"{"name":"histo","active_blocks":4,"regulation_period":"1ms","clusters":[
    {"blocks":2,"e0":"1.70us","e1":"3.69us"},{"blocks":3,"e0":"2.5us","e1":"6.52us"}],
    "intervals":[{"first":0,"last":0,"cluster":0},{"first":1,"last":3,"cluster":1},{"first":4,"last":4,"cluster":0}]}"#;

#[test]
fn kernels_survive_a_round_trip() {
    let kernel: Kernel = serde_json::from_str(HISTO).unwrap();
    assert_eq!((kernel.name(), kernel.blocks()), (Some("histo"), 5));
    assert_eq!(kernel.intervals().len(), 3);
    let json = serde_json::to_string(&kernel).unwrap();
    assert_eq!(serde_json::from_str::<Kernel>(&json).unwrap(), kernel);
}

#[test]
fn what_is_no_kernel_is_refused() {
    for (from, to, expected) in [
        (
            "\"active_blocks\":4",
            "\"active_blocks\":0",
            "active_blocks: found 0",
        ),
        ("\"1ms\"", "0", "expected a positive time"),
        ("\"blocks\":2", "\"blocks\":0", "blocks"),
        ("\"3.69us\"", "\"1.69us\"", "the value of `e0`"),
        ("\"1.70us\"", "\"0us\"", "expected a positive time"),
        ("\"3.69us\"", "\"2000s\"", "e1"),
        (
            "\"last\":3",
            "\"last\":2",
            "intervals[2].first: found 4, expected 3",
        ),
        ("\"last\":0", "\"last\":null", "invalid type: null"),
        ("\"cluster\":1", "\"cluster\":2", "intervals[1].cluster: found 2"),
        (
            "{\"first\":4,\"last\":4,\"cluster\":0}",
            "{\"first\":4,\"last\":4,\"cluster\":1}",
            "cluster 0",
        ),
        ("\"first\":1", "\"first\":9", "intervals[1].first"),
        ("\"name\"", "\"title\"", "unknown field `title`"),
    ] {
        let text = HISTO.replacen(from, to, 1);
        assert_ne!(text, HISTO, "{from}");
        let message = serde_json::from_str::<Kernel>(&text).unwrap_err().to_string();
        assert!(message.contains(expected), "{to}: {message}");
    }
    let cluster = Cluster::new(1 << 32, Time::from_ns(1), Time::from_ns(1 << 40)).unwrap();
    let error = Kernel::new(4, Time::from_ns(1), vec![cluster; 2]).unwrap_err();
    assert!(error.to_string().contains("ns of work"), "{error}");
    assert!(Kernel::new(4, Time::from_ns(1), Vec::new()).is_err());
}

const TINY: &str =
    r#"{"active_blocks":4,"regulation_period":"1ms","clusters":[{"blocks":2,"e0":"1.70us","e1":"3.69us"}]}"#;

fn system(tasks: &[&str]) -> Result<System, String> {
    let tasks: Vec<String> = tasks
        .iter()
        .map(|task| format!("{{\"kernel\":{TINY}{task}}}"))
        .collect();
    let text = format!("{{\"kernels\":[{}]}}", tasks.join(","));
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

#[test]
fn hyperperiods_are_least_common_multiples() {
    let found = system(&[r#","period":"4ms""#, r#","period":"6ms","deadline":"5ms""#, ""]).unwrap();
    assert_eq!(found.hyperperiod(), Some(Time::from_ns(12_000_000)));
    let jobs: Vec<u64> = found.kernels().iter().map(|task| found.jobs(task)).collect();
    assert_eq!(jobs, [3, 2, 1]);
    let deadlines: Vec<Option<u64>> = found
        .kernels()
        .iter()
        .map(|task| task.deadline().map(Time::ns))
        .collect();
    assert_eq!(deadlines, [Some(4_000_000), Some(5_000_000), None]);
    let json = serde_json::to_string(&found).unwrap();
    assert_eq!(serde_json::from_str::<System>(&json).unwrap(), found);
    assert_eq!(system(&["", ""]).unwrap().hyperperiod(), None);
}

#[test]
fn what_is_no_system_is_refused() {
    for (tasks, expected) in [
        (&[][..], "kernels: found 0 kernels, expected 1 to 1024"),
        (&[r#","period":0"#], "expected a positive time"),
        (
            &[r#","period":"1ms","offset":"1ms""#],
            "offset: found 1ms, expected less than 1ms, the period",
        ),
        (&[r#","q":1.5"#], "q: found 1.5, expected a number from 0 to 1"),
        (
            &[r#","q":0.5,"slowdown":0.1"#],
            "q: found `q` of 0.5 together with `slowdown` of 0.1, expected only one of the two fields",
        ),
        (&[r#","periode":1"#], "unknown field `periode`"),
        (
            &[r#","period":1"#, r#","period":"1s""#],
            "kernels: found 1000000001 jobs in a hyperperiod of 1s, expected periods with at most 100000 jobs in a hyperperiod",
        ),
        (
            &[r#","period":4294967291"#, r#","period":4294967279"#],
            "kernels[1].period: found 4.294967279s, expected a period for which the hyperperiod of all kernels is below 2^63 ns",
        ),
    ] {
        let message = system(tasks).unwrap_err();
        assert!(message.contains(expected), "{message}");
    }
    let text = format!(
        r#"{{"kernels":[{{"kernel":{TINY}}},{{"kernel":{}}}]}}"#,
        TINY.replace("1ms", "2ms")
    );
    let message = serde_json::from_str::<System>(&text).unwrap_err().to_string();
    assert!(
        message.contains("kernels[1].kernel.regulation_period: found 2ms, expected 1ms, the regulation period of kernels[0]"),
        "{message}"
    );
}

const TWO: &str = r#"{"benchmarks":[{"name":"histo","bound":"memory","blocks":37627,"nominal_q":0.13},{"name":"sad"}],
    "sources":{"bound":"Table II","blocks":"Table II","nominal_q":"Table II"}}"#;

#[test]
fn what_is_not_known_stays_away() {
    let benchmarks: Benchmarks = serde_json::from_str(TWO).unwrap();
    let [histo, sad] = benchmarks.benchmarks() else {
        panic!("two benchmarks")
    };
    let figures: Vec<_> = histo.figures().into_iter().map(|figure| figure.value).collect();
    assert_eq!(
        (figures, sad.figures()),
        (vec!["37627".to_owned(), "0.13".to_owned()], vec![])
    );
    let json = serde_json::to_string(&benchmarks).unwrap();
    assert_eq!(serde_json::from_str::<Benchmarks>(&json).unwrap(), benchmarks);
    assert!(!json.contains("intervals") && !json.contains("null"), "{json}");
}

#[test]
fn what_is_no_list_of_benchmarks_is_refused() {
    for (from, to, expected) in [
        ("\"sad\"", "\"histo\"", "benchmarks[1].name: found \"histo\""),
        ("\"sad\"", "\"\"", "benchmarks[1].name: found \"\""),
        ("0.13", "1.3", "benchmarks[0].nominal_q: found 1.3"),
        ("\"bound\":\"Table II\",", "", "sources: found no source of bound"),
        (
            "\"blocks\":\"Table II\"",
            "\"blocks\":\"\",\"clusters\":\"\"",
            "sources.clusters",
        ),
        ("\"blocks\":37627", "\"block\":37627", "unknown field `block`"),
        ("memory", "both", "unknown variant `both`"),
    ] {
        let text = TWO.replacen(from, to, 1);
        assert_ne!(text, TWO, "{from}");
        let message = serde_json::from_str::<Benchmarks>(&text).unwrap_err().to_string();
        assert!(message.contains(expected), "{to}: {message}");
    }
    let message = serde_json::from_str::<Benchmarks>(r#"{"benchmarks":[],"sources":{}}"#).unwrap_err();
    assert!(message.to_string().contains("at least one"), "{message}");
}
