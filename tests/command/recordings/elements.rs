//! The reader of Kineto traces takes most events from its buffer, and the others from a stream. Both ways give the same.

use std::io::Read as _;

use gpusched::recording::model::Recording;
use gpusched::recording::readers::{Cleaned, Options, read};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::support::rounds;

const ALL: Options = Options {
    tool: None,
    calls: true,
    unpacked: 1 << 30,
};

fn recorded(text: &[u8]) -> Result<Recording, String> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let place = file.path().display().to_string();
    read(file.path(), ALL, &mut |_| {}).map_err(|error| error.to_string().replace(&place, "FILE"))
}

/// Random events: launches with their calls, ranges, copies, and events that are damaged or have long names and arguments.
fn events(rng: &mut ChaCha8Rng, count: usize) -> Vec<String> {
    let event = |id: usize, rng: &mut ChaCha8Rng| {
        let category = [
            "kernel",
            "cuda_runtime",
            "user_annotation",
            "gpu_memcpy",
            "cpu_op",
            "Kernel",
        ];
        let category = category[rng.random_range(0..6)];
        let length = match rng.random_range(0..60) {
            0 => 200_000,
            1 => 700_000,
            _ => rng.random_range(0..60),
        };
        let name = ["cudaLaunchKernel", "k", "\\u00fc\\n", "ä", "\\ud800", "\\x"][rng.random_range(0..6)];
        let value =
            ["1", "1.5", "-3", "\"x\"", "null", "NaN", "[]", "{\"a\":[1,{}]}"][rng.random_range(0..8)];
        let (gap, at) = ([" ", "\n", "", "\n\n "][rng.random_range(0..4)], 10 * id);
        format!(
            "{{{gap}\"ph\":\"X\",\"cat\":\"{category}\",\"name\":{gap}\"{name}{}\",\"ts\":{at}.125,\"dur\":{gap}3.5,\"pid\":1,\"tid\":7,\
             \"x\":{value},\"args\":{{\"device\":0,\"stream\":7,\"correlation\":{},\"y\":{value}{gap}}}}}",
            "n".repeat(length),
            id / 2
        )
    };
    (0..count).map(|id| event(id, rng)).collect()
}

fn document(events: &[String], between: &str) -> String {
    format!(
        "{{\"schemaVersion\": 1,\n\"traceEvents\": [{}\n]}}",
        events.join(between)
    )
}

/// A value that is no object stops the buffer, so the stream reads each event.
#[test]
fn events_from_the_buffer_are_those_of_the_stream() {
    for seed in 0..rounds(200u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let count = rng.random_range(0..60);
        let events = events(&mut rng, count);
        let of_buffer = recorded(document(&events, " \n, ").as_bytes()).unwrap();
        let mut of_stream = recorded(document(&events, ", 1, ").as_bytes()).unwrap();
        let unknown = count.saturating_sub(1);
        let open = of_stream.open.len();
        of_stream
            .open
            .retain(|launch| launch.key != Default::default() || launch.call.is_some());
        assert_eq!(
            open - of_stream.open.len(),
            unknown + of_buffer.open.len() - of_stream.open.len()
        );
        let [one, other] = [&of_buffer, &of_stream].map(|recording| {
            let launches = recording.launches.iter();
            let launches =
                launches.map(|launch| (launch.start, launch.end, Some(launch.stream), launch.name));
            let ranges = recording.ranges.iter();
            let ranges = ranges.map(|range| (range.start, range.end, None, range.name));
            // The numbers of the names differ, because the events between have an empty name.
            let named = { launches.chain(ranges) }
                .map(|(start, end, stream, name)| (start, end, stream, recording.names.get(name).to_owned()));
            named.collect::<Vec<_>>()
        });
        assert_eq!(one, other, "{seed}");
        assert_eq!(of_buffer.copies, of_stream.copies, "{seed}");
        assert_eq!(of_buffer.calls, of_stream.calls, "{seed}");
        assert_eq!(
            of_buffer.missing.unrecorded, of_stream.missing.unrecorded,
            "{seed}"
        );
    }
}

/// A message about a damaged document states the same fault and the same line as a message of the stream.
#[test]
fn a_damaged_document_has_the_message_of_the_stream() {
    let (mut refused, all) = (0, rounds(2_000u64));
    for seed in 0..all {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut events = events(&mut rng, 12);
        events.retain(|event| event.len() < 1_000);
        let mut text = document(&events, ",\n").into_bytes();
        let at = rng.random_range(0..text.len());
        match rng.random_range(0..3) {
            0 => text.truncate(at),
            1 => text[at] = b"{}[],:\"1 "[rng.random_range(0..9)],
            _ => _ = text.remove(at),
        }
        let mut cleaned = String::new();
        Cleaned::new(&text[..]).read_to_string(&mut cleaned).unwrap();
        // The message depends on whether serde_json skips the value or stores it.
        let skipped = serde_json::from_str::<IgnoredAny>(&cleaned).err();
        let stored = serde_json::from_str::<Value>(&cleaned).err();
        let Some(expected) = skipped.zip(stored) else {
            continue;
        };
        refused += 1;
        let found = recorded(&text).unwrap_err();
        // Another type is a fault, too, and it can be earlier.
        if found.contains("invalid type") {
            continue;
        }
        let is_told = |expected: &serde_json::Error| {
            let message = expected.to_string();
            let message = message.split(" at line ").next().unwrap();
            found.contains(message) && found.contains(&format!("FILE:{}:", expected.line()))
        };
        assert!(
            is_told(&expected.0) || is_told(&expected.1),
            "{seed}: {found}, expected {expected:?}\n{}",
            String::from_utf8_lossy(&text)
        );
    }
    assert!(2 * refused > all, "{refused}");
}
