//! Events of a stream, and times between them.
#![allow(unsafe_code, reason = "calls of the CUDA driver")]

use gpusched_model::Refusal;

use super::library::{Code, Driver, Handle};

/// Events of a stream.
pub struct Events<'a, const N: usize> {
    driver: &'a Driver,
    /// `None` if the driver refuses events.
    pub handles: Option<[Handle; N]>,
}

impl<'a, const N: usize> Events<'a, N> {
    pub fn new(driver: &'a Driver) -> Events<'a, N> {
        let mut handles = [0; N];
        let created = handles.iter_mut().all(|handle| {
            // SAFETY: the result is a valid place.
            unsafe { (driver.event_create)(handle, 0) == 0 }
        });
        let mut events = Events {
            driver,
            handles: Some(handles),
        };
        if !created {
            events.destroy();
        }
        events
    }
}

impl<const N: usize> Events<'_, N> {
    /// Destroys the events that exist.
    fn destroy(&mut self) {
        let handles = self.handles.take().into_iter().flatten();
        for handle in handles.filter(|&handle| handle != 0) {
            // SAFETY: the event exists, and no job uses it any more.
            unsafe { (self.driver.event_destroy)(handle) };
        }
    }
}

impl<const N: usize> Drop for Events<'_, N> {
    fn drop(&mut self) {
        self.destroy();
    }
}

/// Two events that time one kernel after the other.
pub struct Timer<'a>(Events<'a, 2>);

impl<'a> Timer<'a> {
    pub fn new(driver: &'a Driver) -> Timer<'a> {
        Timer(Events::new(driver))
    }

    /// Calls `launch`, which enqueues a kernel on `stream`, and waits for its end. Returns its time on the GPU [ns]; `None` if the stream
    /// refuses events.
    ///
    /// # Errors
    /// Fails if the launch or its kernel fails.
    pub fn time(&self, stream: Handle, launch: impl FnOnce() -> Code) -> Result<Option<u64>, Refusal> {
        let driver = self.0.driver;
        // SAFETY: the event and the stream exist.
        let record = |event: Handle| unsafe { (driver.event_record)(event, stream) == 0 };
        let begun = self.0.handles.filter(|[start, _]| record(*start));
        driver.check("cuLaunchKernel", launch())?;
        let ended = begun.filter(|[_, end]| record(*end));
        // SAFETY: the stream exists.
        driver.check("cuStreamSynchronize", unsafe {
            (driver.stream_synchronize)(stream)
        })?;
        let Some([start, end]) = ended else {
            return Ok(None);
        };
        let mut milliseconds = 0.0;
        // SAFETY: both events exist and were recorded, and the result is a valid place.
        let code = unsafe { (driver.event_elapsed)(&mut milliseconds, start, end) };
        // A time of 0 is below the resolution of events.
        Ok((code == 0 && milliseconds > 0.0).then(|| (f64::from(milliseconds) * 1e6).round() as u64))
    }
}
