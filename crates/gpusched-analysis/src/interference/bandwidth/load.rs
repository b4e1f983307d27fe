//! The number of bytes that one partition transfers in any window of time.

use super::Source;

/// The sources of memory traffic in one partition. At any time, at most one source transfers
/// data.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Load {
    sources: Vec<Source>,
    peak: u128,
}

impl Load {
    /// Creates a load from sources that never access memory at the same time.
    pub fn new(sources: impl IntoIterator<Item = Source>) -> Load {
        let sources: Vec<Source> = sources.into_iter().filter(|source| source.rate() > 0).collect();
        Load {
            peak: sources.iter().map(Source::rate).max().unwrap_or(0),
            sources,
        }
    }

    /// Returns the largest peak rate among the sources [nano-bytes per nanosecond].
    pub fn peak(&self) -> u128 {
        self.peak
    }

    /// Returns an upper bound on the total traffic of all sources in any window of length
    /// `window` [ns], in nano-bytes. The bound assumes that all jobs meet their deadlines.
    pub fn within(&self, window: u64) -> u128 {
        let most = self.peak.saturating_mul(window.into());
        let mut sum = 0u128;
        for source in &self.sources {
            sum = sum.saturating_add(source.within(window));
            if sum >= most {
                return most;
            }
        }
        sum
    }

    /// Returns a rate [nano-bytes per nanosecond] such that [`Load::within`] is at least this rate multiplied by the length
    /// of the window, for every window.
    pub(super) fn least_rate(&self) -> u128 {
        let rates = self.sources.iter().map(Source::least_rate);
        rates.fold(0u128, u128::saturating_add).min(self.peak)
    }
}
