//! Events of a stream.
#![allow(unsafe_code, reason = "calls of the CUDA driver and of plugins")]

use super::super::library::{Driver, Handle};

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
        Events {
            driver,
            handles: created.then_some(handles),
        }
    }
}

impl<const N: usize> Drop for Events<'_, N> {
    fn drop(&mut self) {
        for handle in self.handles.into_iter().flatten() {
            // SAFETY: the event exists, and no job uses it any more.
            unsafe { (self.driver.event_destroy)(handle) };
        }
    }
}
