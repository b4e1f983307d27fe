//! A kernel that runs on other SMs beside the measured jobs.
#![allow(unsafe_code, reason = "calls of the CUDA driver and of plugins")]

use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use super::super::events::Events;
use super::super::library::{Driver, Handle};
use super::fault::{Fault, poll};

/// Half of the jobs of a kernel on other SMs that wait in its stream.
const HALF: usize = 8;

/// Whether the stream of a kernel on other SMs never ran empty.
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum Supply {
    Gapless,
    /// The streams refuse events, so the kernel pauses after every second group of [`HALF`] jobs.
    Pauses,
}

/// Calls `enqueue`, which enqueues one job on its stream, again and again on `stream` until `stop`, and waits for its end.
/// Sends a message to `begun` after the launch of the first group, so that no job is measured before.
///
/// An event follows each group of [`HALF`] jobs. The next group but one waits for this event, so one group always waits in the stream. The
/// stream runs empty only if the GPU ends jobs faster than the host launches them.
pub fn run_beside(
    driver: &Driver,
    stream: Handle,
    enqueue: &dyn Fn(Handle) -> Result<(), Fault>,
    (begun, stop): (&Sender<()>, &AtomicBool),
) -> Result<Supply, Fault> {
    let mut events = ManuallyDrop::new(Events::<2>::new(driver));
    let mut supply = Supply::Gapless;
    // SAFETY: the stream exists.
    let all = || poll("cuStreamQuery", || unsafe { (driver.stream_query)(stream) });
    for group in 0usize.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        for _ in 0..HALF {
            enqueue(stream)?;
        }
        if group == 0 {
            let _ = begun.send(());
        }
        // SAFETY: the events and the stream exist.
        let recorded = |[a, b]: [Handle; 2]| unsafe { (driver.event_record)([a, b][group % 2], stream) == 0 };
        match events.handles.filter(|&handles| recorded(handles)) {
            None => {
                (events.handles, supply) = (None, Supply::Pauses);
                if group % 2 == 1 {
                    all()?;
                }
            }
            Some([a, b]) if group > 0 => {
                let older = [b, a][group % 2];
                // SAFETY: the event exists and was recorded.
                poll("cuEventQuery", || unsafe { (driver.event_query)(older) })?;
            }
            Some(_) => {}
        }
    }
    all()?;
    drop(ManuallyDrop::into_inner(events));
    Ok(supply)
}
