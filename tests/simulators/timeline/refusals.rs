//! Invalid events are rejected with a message, and the timeline stays unchanged.

use gpusched::error::Error;
use gpusched::simulator::timeline::{
    Instant, MAX_ARGS, MAX_TRACKS, Mark, Slice, Timeline, TimelineError, Value,
};

use crate::timeline::{example, ns};

fn bytes(timeline: &Timeline) -> Vec<u8> {
    let mut bytes = Vec::new();
    timeline.write_trace(&mut bytes).unwrap();
    bytes
}

#[test]
fn bad_events_change_nothing() {
    let mut timeline = Timeline::new();
    let process = timeline.process("GPU").unwrap();
    let track = timeline.track(process, "SM 0").unwrap();
    let counter = timeline.counter(process, "bandwidth", "GB/s").unwrap();
    let before = bytes(&timeline);

    let backwards = timeline.slice(track, Slice::new("block 7", "conv", ns(2_500), ns(2_499)));
    let message = backwards.unwrap_err().to_string();
    assert_eq!(
        message,
        "slice \"block 7\" ends at 2.499us, before its start at 2.5us"
    );

    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let message = timeline.sample(counter, ns(0), value).unwrap_err().to_string();
        assert!(
            message.contains("bandwidth") && message.contains("finite"),
            "{message}"
        );
    }

    let keys: Vec<String> = (0..=MAX_ARGS).map(|index| index.to_string()).collect();
    let args: Vec<(&str, Value<'_>)> = keys.iter().map(|key| (key.as_str(), 1_u64.into())).collect();
    let slice = Slice::new("block 7", "conv", ns(0), ns(1));
    let many = timeline.slice(track, Slice { args: &args, ..slice });
    assert!(matches!(
        many,
        Err(TimelineError::TooManyArgs { limit: MAX_ARGS, .. })
    ));
    let twice = timeline.slice(
        track,
        Slice {
            args: &[args[0], args[1], args[0]],
            ..slice
        },
    );
    assert!(
        twice
            .unwrap_err()
            .to_string()
            .contains("two arguments with the name \"0\"")
    );
    assert_eq!(timeline.events(), 0);
    assert_eq!(bytes(&timeline), before);
    timeline
        .slice(
            track,
            Slice {
                args: &args[1..],
                ..slice
            },
        )
        .unwrap();
}

#[test]
fn what_belongs_to_another_timeline_is_refused() {
    let mut other = example();
    let process = other.process("late").unwrap();
    let track = other.track(process, "late").unwrap();
    let counter = other.counter(process, "late", "").unwrap();
    let mut timeline = Timeline::new();
    let slice = Slice::new("a", "b", ns(0), ns(1));
    for (answer, what) in [
        (timeline.track(process, "x").map(drop), "process 2"),
        (timeline.counter(process, "x", "").map(drop), "process 2"),
        (timeline.slice(track, slice), "track 4"),
        (
            timeline.instant(track, Instant::new("a", Mark::Miss, ns(0))),
            "track 4",
        ),
        (timeline.sample(counter, ns(0), 1.0), "counter 1"),
    ] {
        let error = answer.unwrap_err();
        assert_eq!(error.to_string(), format!("the timeline has no {what}"));
        // The error is an error of the simulator, not of the user.
        assert!(matches!(Error::from(error), Error::Internal(_)));
    }
    assert_eq!(timeline.span(), None);
}

#[test]
fn there_is_an_end_to_events_and_tracks() {
    let mut timeline = Timeline::with_limit(3);
    let process = timeline.process("GPU").unwrap();
    let track = timeline.track(process, "SM 0").unwrap();
    let counter = timeline.counter(process, "busy", "SMs").unwrap();
    let slice = Slice::new("a", "b", ns(0), ns(1));
    timeline.slice(track, slice).unwrap();
    timeline
        .instant(track, Instant::new("a", Mark::Release, ns(0)))
        .unwrap();
    timeline.sample(counter, ns(0), 1.0).unwrap();
    let full = bytes(&timeline);
    for answer in [
        timeline.slice(track, slice),
        timeline.instant(track, Instant::new("a", Mark::Release, ns(0))),
        timeline.sample(counter, ns(0), 1.0),
    ] {
        let error = answer.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the timeline has more than 3 events; record a shorter run"
        );
        assert!(matches!(Error::from(error), Error::Refused(_)));
    }
    assert_eq!(bytes(&timeline), full);

    for _ in 3..MAX_TRACKS {
        timeline.track(process, "SM").unwrap();
    }
    let error = TimelineError::TooManyTracks { limit: MAX_TRACKS };
    assert_eq!(timeline.process("one more").unwrap_err(), error);
    assert_eq!(timeline.track(process, "one more").unwrap_err(), error);
    assert_eq!(timeline.counter(process, "one more", "").unwrap_err(), error);
}
