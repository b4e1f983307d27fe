//! Scenarios of thread blocks: block times, devices and resources, and observers of runs.

use gpusched_model::SmOrder;
use gpusched_model::observer::{Following, Observer};
use gpusched_model::scenario::{BlockTime, Device, Need};
use gpusched_model::time::Time;

#[test]
fn block_times_and_their_faults() {
    let read = |text: &str| serde_json::from_str::<BlockTime>(text);
    assert_eq!(read("\"2us\"").unwrap(), BlockTime::Fixed(Time::from_ns(2000)));
    assert_eq!(read("7").unwrap(), BlockTime::Fixed(Time::from_ns(7)));
    assert!(read(r#"{"uniform":["1us","2us"]}"#).is_ok());
    assert!(read(r#"{"wcet":{"affine":{"isolated":{"a":"8us","b":"1us"}}}}"#).is_ok());
    for (text, found) in [
        ("0", "found 0ns"),
        ("-1", "a time such as"),
        (r#"{"uniform":["2us","1us"]}"#, "the shorter time first"),
        (
            r#"{"normal":{"mean":"3us","std":"1us","max":"2us"}}"#,
            "normal.mean",
        ),
        (r#"{"times":[]}"#, "found 0 times"),
        (r#"{"times":["1us",0]}"#, "found 0ns"),
        (r#"{"gauss":1}"#, "gauss"),
        (r#""400h""#, "expected"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(found), "{text}: {error}");
    }
}

#[test]
fn devices_are_platforms_or_figures() {
    let read = |text: &str| serde_json::from_str::<Device>(text);
    assert_eq!(read("\"xavier\"").unwrap().shape().threads_per_sm, 2048);
    assert_eq!(read("\"k5000\"").unwrap().shape().sm_order, SmOrder::Descending);
    let own = read(r#"{"sms":2,"threads_per_sm":64,"sm_order":"descending"}"#).unwrap();
    assert_eq!((own.shape().sms, own.shape().blocks_per_sm), (2, 32));
    for (text, found) in [
        ("\"gtx1\"", "gtx1"),
        (r#"{"sms":0,"threads_per_sm":64}"#, "found 0"),
        (r#"{"sms":5000,"threads_per_sm":64}"#, "found 5000"),
        (r#"{"sms":2}"#, "threads_per_sm"),
        (r#"{"sms":2,"threads_per_sm":40}"#, "threads_per_sm: found 40"),
        (
            r#"{"sms":2,"threads_per_sm":64,"sms_per_gpc":0}"#,
            "sms_per_gpc: found 0",
        ),
        ("7", "the name of a platform"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(found), "{text}: {error}");
    }
}

#[test]
fn needs_have_thresholds_and_units() {
    let shared = |bytes| {
        let need = Need::new(32, 0, bytes);
        [need.shared_memory, need.ranked().shared_memory]
    };
    assert_eq!(
        [0, 1, 256, 257].map(shared),
        [[0, 0], [256, 0], [256, 0], [512, 0]]
    );
    assert_eq!(
        [3072, 3073, 3328, 3329].map(shared),
        [[3072, 0], [3328, 3328], [3328, 3328], [3584, 3584]]
    );
    let registers = |count| {
        let need = Need::new(64, count, 0);
        [need.registers, need.ranked().registers]
    };
    assert_eq!(
        [0, 1, 32, 33, 40, 41].map(registers),
        [
            [0, 0],
            [512, 0],
            [2048, 0],
            [2560, 2560],
            [2560, 2560],
            [3072, 3072]
        ]
    );
    assert_eq!(Need::new(33, 0, 0).warps, 2);
}

#[test]
fn slots_are_the_least_of_all() {
    let room = Need {
        warps: 64,
        registers: 65_536,
        shared_memory: 98_304,
    };
    assert_eq!(Need::new(160, 0, 0).slots(&room), 12);
    assert_eq!(Need::new(32, 0, 49_152).slots(&room), 2);
    assert_eq!(Need::new(1024, 64, 0).slots(&room), 1);
}

/// Counts events up to the second number.
struct Until(u32, u32);

impl Observer<()> for Until {
    fn see(&mut self, _: Time, (): ()) {
        self.0 += 1;
    }

    fn goes_on(&self) -> bool {
        self.0 < self.1
    }
}

/// A chart that is full ends a run, although rows are still written. Rows without a reader do not end a run.
#[test]
fn the_second_observer_decides() {
    for rows in [1, 9] {
        let mut both = Following(Until(0, rows), Until(0, 3));
        while Observer::<(), Time>::goes_on(&both) {
            both.see(Time::ZERO, ());
        }
        assert_eq!((both.0.0, both.1.0), (3, 3));
    }
}
