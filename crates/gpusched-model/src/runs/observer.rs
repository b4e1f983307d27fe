//! Observers of a simulation.

use crate::time::Time;

/// An observer of a simulation. It receives events in chronological order. Events have type `E`. Times have type `T`,
/// and are in nanoseconds or cycles.
///
/// Observers of jobs always inline [`see`](Observer::see). Without inlining, the simulator also constructs the events
/// that an observer ignores, and executes up to 20 % more instructions.
pub trait Observer<E, T = Time> {
    /// Receives `event`, which happens at time `now`.
    fn see(&mut self, now: T, event: E);

    /// Returns whether the simulation continues. The simulator calls this function between
    /// events.
    #[inline(always)]
    fn goes_on(&self) -> bool {
        true
    }
}

/// An observer that ignores all events.
impl<E, T> Observer<E, T> for () {
    #[inline(always)]
    fn see(&mut self, _: T, _: E) {}
}

impl<E, T, O: Observer<E, T> + ?Sized> Observer<E, T> for &mut O {
    #[inline(always)]
    fn see(&mut self, now: T, event: E) {
        (**self).see(now, event);
    }

    #[inline(always)]
    fn goes_on(&self) -> bool {
        (**self).goes_on()
    }
}

impl<E, T, O: Observer<E, T>> Observer<E, T> for Option<O> {
    #[inline(always)]
    fn see(&mut self, now: T, event: E) {
        if let Some(observer) = self {
            observer.see(now, event);
        }
    }

    #[inline(always)]
    fn goes_on(&self) -> bool {
        self.as_ref().is_none_or(O::goes_on)
    }
}

/// Two observers. The simulation continues while `goes_on` returns true for both observers.
impl<E: Copy, T: Copy, A: Observer<E, T>, B: Observer<E, T>> Observer<E, T> for (A, B) {
    #[inline(always)]
    fn see(&mut self, now: T, event: E) {
        self.0.see(now, event);
        self.1.see(now, event);
    }

    #[inline(always)]
    fn goes_on(&self) -> bool {
        self.0.goes_on() && self.1.goes_on()
    }
}

/// Two observers. The simulation continues while `goes_on` returns true for the second observer. Example: the first
/// observer writes rows to a closed output, and the second observer draws a chart.
#[derive(Debug)]
pub struct Following<A, B>(pub A, pub B);

impl<E: Copy, T: Copy, A: Observer<E, T>, B: Observer<E, T>> Observer<E, T> for Following<A, B> {
    #[inline(always)]
    fn see(&mut self, now: T, event: E) {
        self.0.see(now, event);
        self.1.see(now, event);
    }

    #[inline(always)]
    fn goes_on(&self) -> bool {
        self.1.goes_on()
    }
}
