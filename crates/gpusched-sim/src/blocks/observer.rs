//! Who looks on while a scenario is simulated.

use gpusched_model::time::Time;

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

    /// From now on CPU cores may access memory for `memory` in each regulation period; told at the beginning and at changes.
    fn budget(&mut self, now: Time, memory: Time) {
        let _ = (now, memory);
    }

    /// The bandwidth that is used from now on [bytes per second]; only where bandwidth is shared.
    fn bandwidth(&mut self, now: Time, used: u64) {
        let _ = (now, used);
    }

    /// Whether it has seen enough: then the simulation ends before the next instant.
    fn is_done(&self) -> bool {
        false
    }
}

/// Nobody.
impl Observer for () {}

/// Two that look on at once; the simulation goes on until both have seen enough.
impl<A: Observer, B: Observer> Observer for (&mut A, &mut B) {
    fn kernel_ready(&mut self, now: Time, kernel: usize) {
        self.0.kernel_ready(now, kernel);
        self.1.kernel_ready(now, kernel);
    }

    fn block_started(&mut self, now: Time, kernel: usize, block: u32, sm: u32) {
        self.0.block_started(now, kernel, block, sm);
        self.1.block_started(now, kernel, block, sm);
    }

    fn block_ended(&mut self, now: Time, kernel: usize, block: u32, sm: u32, start: Time) {
        self.0.block_ended(now, kernel, block, sm, start);
        self.1.block_ended(now, kernel, block, sm, start);
    }

    fn suspended(&mut self, now: Time, application: usize, running: bool) {
        self.0.suspended(now, application, running);
        self.1.suspended(now, application, running);
    }

    fn kernel_ended(&mut self, now: Time, kernel: usize) {
        self.0.kernel_ended(now, kernel);
        self.1.kernel_ended(now, kernel);
    }

    fn copy_ended(&mut self, now: Time, copy: usize, start: Time) {
        self.0.copy_ended(now, copy, start);
        self.1.copy_ended(now, copy, start);
    }

    fn turn(&mut self, now: Time, application: Option<usize>) {
        self.0.turn(now, application);
        self.1.turn(now, application);
    }

    fn cpu(&mut self, now: Time, active: bool) {
        self.0.cpu(now, active);
        self.1.cpu(now, active);
    }

    fn budget(&mut self, now: Time, memory: Time) {
        self.0.budget(now, memory);
        self.1.budget(now, memory);
    }

    fn bandwidth(&mut self, now: Time, used: u64) {
        self.0.bandwidth(now, used);
        self.1.bandwidth(now, used);
    }

    fn is_done(&self) -> bool {
        self.0.is_done() && self.1.is_done()
    }
}
