//! Measured execution times of one kernel on different numbers of SMs.

use std::collections::BTreeMap;

use gpusched_model::time::Time;
use gpusched_model::wcet::MAX_SMS;

/// Measured execution times for each number of SMs. There is at least one time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Points(BTreeMap<u32, Vec<Time>>);

/// Reason why a measurement is invalid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PointsError {
    /// There are no measurements.
    #[error("found no measurement, expected at least one")]
    Empty,
    /// The number of SMs is invalid.
    #[error("found {found} SMs, expected 1 to {MAX_SMS}")]
    Sms {
        /// Invalid number of SMs.
        found: u32,
    },
    /// The execution time is invalid.
    #[error("found an execution time of {found}, expected 1 ns to 2^63 - 1 ns")]
    Time {
        /// Invalid execution time.
        found: Time,
    },
}

impl Points {
    /// Creates points from pairs of a number of SMs and an execution time, in any order. Several
    /// measurements may have the same number of SMs.
    ///
    /// # Errors
    /// Returns a [`PointsError`] if there are no measurements, if a number of SMs is 0 or above [`MAX_SMS`], or if a time is 0 or
    /// above [`Time::LIMIT`].
    pub fn new(measurements: impl IntoIterator<Item = (u32, Time)>) -> Result<Points, PointsError> {
        let mut points: BTreeMap<u32, Vec<Time>> = BTreeMap::new();
        for (sms, time) in measurements {
            check(sms, time)?;
            points.entry(sms).or_default().push(time);
        }
        if points.is_empty() {
            return Err(PointsError::Empty);
        }
        Ok(Points(points))
    }

    /// Returns each measurement as a number of SMs and a time, sorted by number of SMs.
    pub fn measurements(&self) -> impl Iterator<Item = (u32, Time)> {
        self.0
            .iter()
            .flat_map(|(&sms, times)| times.iter().map(move |&time| (sms, time)))
    }

    /// Returns the number of measurements for each measured number of SMs, sorted by number of
    /// SMs.
    pub fn counts(&self) -> impl Iterator<Item = (u32, usize)> {
        self.0.iter().map(|(&sms, times)| (sms, times.len()))
    }

    /// Returns the longest time for each measured number of SMs, sorted by number of SMs.
    pub fn longest(&self) -> Vec<(u32, Time)> {
        let longest = |(&sms, times): (&u32, &Vec<Time>)| Some((sms, times.iter().max().copied()?));
        self.0.iter().filter_map(longest).collect()
    }
}

/// Checks whether a measurement of `time` on `sms` SMs is valid.
///
/// # Errors
/// Returns a [`PointsError`] if the measurement is invalid.
pub fn check(sms: u32, time: Time) -> Result<(), PointsError> {
    if !(1..=MAX_SMS).contains(&sms) {
        return Err(PointsError::Sms { found: sms });
    }
    if !(Time::from_ns(1)..=Time::LIMIT).contains(&time) {
        return Err(PointsError::Time { found: time });
    }
    Ok(())
}
