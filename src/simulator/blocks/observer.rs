//! Who looks on while a scenario is simulated.

use crate::time::Time;

/// Is told what happens, in the order of time. Every method does nothing unless it is written out, and an observer that needs
/// nothing costs nothing.
pub trait Observer {
    /// Kernel `kernel` no longer waits for its stream: its blocks may start.
    fn kernel_ready(&mut self, now: Time, kernel: usize) {
        let _ = (now, kernel);
    }

    /// A block starts on `sm`.
    fn block_started(&mut self, now: Time, kernel: usize, block: u32, sm: u32) {
        let _ = (now, kernel, block, sm);
    }

    /// A block that started at `start` has ended.
    fn block_ended(&mut self, now: Time, kernel: usize, block: u32, sm: u32, start: Time) {
        let _ = (now, kernel, block, sm, start);
    }

    /// All running blocks of an application are put aside, or go on (`running`).
    fn suspended(&mut self, now: Time, application: usize, running: bool) {
        let _ = (now, application, running);
    }

    /// All blocks of a kernel have ended.
    fn kernel_ended(&mut self, now: Time, kernel: usize) {
        let _ = (now, kernel);
    }

    /// A copy that started at `start` has ended.
    fn copy_ended(&mut self, now: Time, copy: usize, start: Time) {
        let _ = (now, copy, start);
    }

    /// It is the turn of `application` from now on; of none, if `None`.
    fn turn(&mut self, now: Time, application: Option<usize>) {
        let _ = (now, application);
    }

    /// CPU cores begin or end accessing memory.
    fn cpu(&mut self, now: Time, active: bool) {
        let _ = (now, active);
    }

    /// The bandwidth that is used from now on [bytes per second]; only where bandwidth is shared.
    fn bandwidth(&mut self, now: Time, used: u64) {
        let _ = (now, used);
    }
}

/// Nobody.
impl Observer for () {}
