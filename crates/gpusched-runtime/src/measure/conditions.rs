//! The GPU of a measurement, and its state while the jobs ran.

/// The GPU and its state during a measurement. gpusched observes the state and never changes it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Conditions {
    /// Name of the GPU, as its driver states it.
    pub gpu: String,
    /// Identity of the GPU, such as `GPU-…`.
    pub uuid: Option<String>,
    /// Number of SMs of the GPU.
    pub sms: u32,
    /// Driver and its version. `None` for a simulated GPU.
    pub driver: Option<String>,
    /// How the SMs were split, and how the dispatcher waited for the end of jobs.
    pub settings: Vec<(String, String)>,
    /// Clock frequency of the SMs [kHz]. `None` if it is unknown.
    pub core_khz: Option<Range>,
    /// Clock frequency of the memory [kHz]. `None` if it is unknown.
    pub dram_khz: Option<Range>,
    /// Temperature of the GPU [degrees Celsius]. `None` if it is unknown.
    pub celsius: Option<Range>,
    /// Reasons for which the driver reduced the clocks. `None` if they are unknown.
    pub throttling: Option<Vec<String>>,
    /// Whether the clocks cannot change. `None` if it is unknown.
    pub locked: Option<bool>,
}

/// Smallest and largest observed value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Range {
    /// Smallest value.
    pub least: u32,
    /// Largest value.
    pub most: u32,
}

impl Range {
    /// Adds the observation `value` to `range`.
    pub fn add(range: &mut Option<Range>, value: u32) {
        *range = Some(range.map_or(
            Range {
                least: value,
                most: value,
            },
            |range| Range {
                least: range.least.min(value),
                most: range.most.max(value),
            },
        ));
    }

    /// Returns the largest value if all values differ by at most 2 %. A time measured at a clock is not valid for a lower clock.
    pub fn steady(self) -> Option<u32> {
        let change = u64::from(self.most - self.least) * 50;
        (change <= u64::from(self.most)).then_some(self.most)
    }
}
