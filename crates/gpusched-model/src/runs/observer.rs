//! Observers of a simulation.

use crate::time::Time;

/// An observer receives the events `E` of a simulation in the order of time. `T` counts nanoseconds or cycles.
///
/// Observers of jobs always inline [`see`](Observer::see). Otherwise the simulator builds events that they ignore, and executes
/// up to 20 % more instructions.
pub trait Observer<E, T = Time> {
    /// Receives `event`, which happens at time `now`.
    fn see(&mut self, now: T, event: E);

    /// Whether the simulation continues. The simulator asks between events.
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

impl<E, T, O: Observer<E, T>> Observer<E, T> for &mut O {
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

/// Two observers. The simulation continues while both want it to continue.
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

/// Two observers. The simulation continues while at least one of them wants it to continue.
#[derive(Debug)]
pub struct Either<A, B>(pub A, pub B);

impl<E: Copy, T: Copy, A: Observer<E, T>, B: Observer<E, T>> Observer<E, T> for Either<A, B> {
    #[inline(always)]
    fn see(&mut self, now: T, event: E) {
        self.0.see(now, event);
        self.1.see(now, event);
    }

    #[inline(always)]
    fn goes_on(&self) -> bool {
        self.0.goes_on() || self.1.goes_on()
    }
}
