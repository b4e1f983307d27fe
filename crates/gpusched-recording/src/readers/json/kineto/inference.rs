//! Inferences that `trtexec --exportTimes` writes: copy in, compute, copy out.

use gpusched_model::time::decimal::Rounding;

use super::super::number::Decimal;
use super::Events;
use super::event::Event;
use crate::model::{Call, Lane, Recording, Side, StreamKey};

impl Event<'_> {
    /// Whether the event is an inference. A damaged inference lacks some of its times.
    pub(super) fn is_inference(&self) -> bool {
        let starts = [&self.start_in, &self.start_compute, &self.start_out];
        let ends = [&self.end_in, &self.end_compute, &self.end_out];
        starts.into_iter().chain(ends).any(Option::is_some)
    }
}

impl Events {
    /// Adds an inference of trtexec: a job of three launches. Its release is the start of the copy to the GPU. Inferences
    /// on several streams overlap, so each has a lane of its own.
    pub(super) fn inference(&mut self, event: &Event<'_>, recording: &mut Recording) {
        let thread = Lane::Thread {
            process: None,
            thread: i64::try_from(self.count).unwrap_or(i64::MAX),
        };
        let parts = [
            ("copy in", &event.start_in, &event.end_in),
            ("compute", &event.start_compute, &event.end_compute),
            ("copy out", &event.start_out, &event.end_out),
        ];
        let mut time = |value: &Option<Decimal>, rounding| {
            value.as_ref()?.ns(6, rounding).unwrap_or_else(|text| {
                let missing = &mut recording.missing;
                missing.impossible(format_args!("an inference with the time {text:?}"));
                None
            })
        };
        let parts =
            parts.map(|(name, start, end)| (name, time(start, Rounding::Down), time(end, Rounding::Up)));
        let [(_, release, _), .., (_, _, end)] = parts;
        recording.range("inference", Side::Host, (release, end), Some(thread));
        for (name, start, end) in parts {
            // Without a copy, its start is its end.
            if name != "compute" && start == end && start.is_some() {
                continue;
            }
            let call = release.map(|start| Call { start, thread });
            recording.launch(name, StreamKey::default(), (start, end), call);
        }
        self.trtexec = true;
    }
}
