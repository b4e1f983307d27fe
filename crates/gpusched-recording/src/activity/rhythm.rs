//! Period and release jitter of jobs.

/// Period and jitter of the observed releases of an activity.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Rhythm {
    /// Period P [ns]. For a periodic activity, P is the mean distance between consecutive releases, rounded down. For
    /// other activities, P is the smallest distance.
    pub period_ns: u64,
    /// Release jitter J [ns]. Arrivals are at least P apart, and each release is at most J after its arrival. J is 0
    /// for activities that are not periodic.
    pub jitter_ns: u64,
    /// Smallest distance between two consecutive releases [ns].
    pub least_distance_ns: u64,
    /// Whether the jitter is at most half of the period.
    pub periodic: bool,
}

impl Rhythm {
    /// Returns the rhythm of `releases`, which are in increasing order. Returns `None` for fewer than two releases, or
    /// for releases at the same time.
    pub fn of(releases: &[i64]) -> Option<Rhythm> {
        let distances: Vec<u64> = releases
            .windows(2)
            .filter_map(|pair| match *pair {
                [one, next] => Some(next.abs_diff(one)),
                _ => None,
            })
            .collect();
        let least_distance_ns = distances.iter().copied().min()?;
        let sporadic = Rhythm {
            period_ns: least_distance_ns,
            jitter_ns: 0,
            least_distance_ns,
            periodic: false,
        };
        if least_distance_ns == 0 {
            return None;
        }
        let periodic = Self::grid(releases, &distances);
        Some(periodic.unwrap_or(sporadic))
    }

    /// Returns the release jitter of `releases` for a stated period [ns]. It is the smallest J with which any k + 1
    /// consecutive releases span at least k·`period_ns` − J. `releases` are in increasing order.
    pub fn jitter_for(releases: &[i64], period_ns: u64) -> u64 {
        Self::latest_for(releases, period_ns).0
    }

    /// Returns the same jitter, and the position of the release that is this long after its arrival.
    pub fn latest_for(releases: &[i64], period_ns: u64) -> (u64, usize) {
        let (mut latest, mut jitter) = ((i128::MIN, 0), (0, 0));
        for (index, &release) in releases.iter().enumerate() {
            let position = i128::from(release) - index as i128 * i128::from(period_ns);
            if position > latest.0 {
                latest = (position, index);
            }
            if latest.0 - position > jitter.0 {
                jitter = (latest.0 - position, latest.1);
            }
        }
        (u64::try_from(jitter.0).unwrap_or(u64::MAX), jitter.1)
    }

    /// Fits periodic arrivals to the releases. A distance of about k periods means that the application skipped k − 1
    /// jobs.
    fn grid(releases: &[i64], distances: &[u64]) -> Option<Rhythm> {
        let mut sorted = distances.to_vec();
        sorted.sort_unstable();
        let median = sorted
            .get((sorted.len() - 1) / 2)
            .copied()
            .filter(|&median| median > 0)?;
        let mut numbers = vec![0u64];
        for &distance in distances {
            let skipped = distance.checked_add(median / 2)? / median;
            numbers.push(numbers.last()?.checked_add(skipped.max(1))?);
        }
        let (first, last) = (releases.first()?, releases.last()?);
        let period = last.abs_diff(*first) / numbers.last()?;
        let offsets = releases
            .iter()
            .zip(&numbers)
            .map(|(&release, &number)| i128::from(release) - i128::from(number) * i128::from(period));
        let least = offsets.clone().min()?;
        let jitter = u64::try_from(offsets.max()? - least).ok()?;
        (period > 0 && jitter <= period / 2).then_some(Rhythm {
            period_ns: period,
            jitter_ns: jitter,
            least_distance_ns: sorted.first().copied()?,
            periodic: true,
        })
    }
}
