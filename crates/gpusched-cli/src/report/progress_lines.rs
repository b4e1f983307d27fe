//! Lines about the progress of a run, for standard error that is not a terminal, such as the log file of a server.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar};

use crate::complain;
use gpusched_model::time::Time;

/// Name of the units of a search. A search has a description in place of a count.
pub(super) const SEARCH: &str = "";

/// Time between two lines, unless the environment variable [`INTERVAL`] states another time.
const EVERY: Duration = Duration::from_secs(30);

/// Environment variable with the time between two lines, such as `5s`. gpusched ignores other texts.
const INTERVAL: &str = "GPUSCHED_PROGRESS";

/// A thread that writes a line about the progress from time to time. It ends when this value is dropped.
pub struct Lines {
    /// Whether the run has ended.
    ended: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Lines {
    /// Starts the thread for a run called `name` that counts its `units` in `bar`. Earlier runs finished `resumed` units.
    /// Returns `None` if the operating system cannot create a thread.
    pub fn start(bar: &ProgressBar, (name, units): (&str, &str), resumed: u64) -> Option<Lines> {
        let stated = std::env::var(INTERVAL).ok();
        let stated = stated.and_then(|text| text.parse::<Time>().ok());
        let every = stated.map_or(EVERY, |time| Duration::from_nanos(time.ns().max(1_000_000)));
        let ended = Arc::new((Mutex::new(false), Condvar::new()));
        let (seen, bar) = (Arc::clone(&ended), bar.clone());
        let name = if name.is_empty() {
            String::new()
        } else {
            format!("{name}: ")
        };
        let units = units.to_owned();
        let write = move || {
            let start = Instant::now();
            let (lock, signal) = &*seen;
            let mut is_over = lock.lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                let waited = signal.wait_timeout_while(is_over, every, |is_over| !*is_over);
                is_over = waited.unwrap_or_else(PoisonError::into_inner).0;
                if *is_over {
                    return;
                }
                let counts = (bar.position(), bar.length(), resumed);
                let state = match units.as_str() {
                    SEARCH => format!(
                        "{}, after {}",
                        bar.message(),
                        duration(start.elapsed().as_secs_f64())
                    ),
                    units => line(counts, units, start.elapsed()),
                };
                complain(&format!("progress: {name}{state}"));
            }
        };
        let thread = thread::Builder::new()
            .name("progress".to_owned())
            .spawn(write)
            .ok()?;
        Some(Lines {
            ended,
            thread: Some(thread),
        })
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let (lock, signal) = &*self.ended;
        *lock.lock().unwrap_or_else(PoisonError::into_inner) = true;
        signal.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Returns the text of a line. The counts are the finished units, all units, and the units of earlier runs.
fn line((done, total, resumed): (u64, Option<u64>, u64), units: &str, elapsed: Duration) -> String {
    let shown = |count: u64| match units {
        "bytes" => HumanBytes(count).to_string(),
        units => format!("{count} {units}"),
    };
    let seconds = elapsed.as_secs_f64().max(1e-3);
    let per_second = done.saturating_sub(resumed) as f64 / seconds;
    let earlier = match resumed {
        0 => String::new(),
        resumed => format!(", {resumed} of them resumed"),
    };
    let Some(total) = total else {
        return format!("{}, after {}", shown(done), duration(seconds));
    };
    let percent = u128::from(done) * 100 / u128::from(total.max(1));
    let left = match per_second > 0.0 {
        true => format!(
            "about {} left",
            duration(total.saturating_sub(done) as f64 / per_second)
        ),
        false => "time left unknown".to_owned(),
    };
    let done = if units == "bytes" {
        shown(done)
    } else {
        done.to_string()
    };
    format!("{done} of {} ({percent} %{earlier}), {left}", shown(total))
}

/// Returns a duration in seconds as text with two units at most, rounded up.
fn duration(seconds: f64) -> String {
    let seconds = seconds.ceil() as u64; // saturates
    let (days, hours) = (seconds / 86_400, seconds / 3_600 % 24);
    let (minutes, rest) = (seconds / 60 % 60, seconds % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{rest} s"),
        (0, 0, minutes) => format!("{minutes} min {rest} s"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}
