//! Bursts of memory accesses by best-effort cores in one regulation period.

/// Disjoint bursts of memory accesses in one regulation period, in time order. Times count from
/// the start of the period [ns].
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Bursts {
    period: f64,
    spans: Vec<(f64, f64)>,
}

/// Progress of a block in one regulation period.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) enum Progress {
    /// The block ends at this time, counted from the start of the period [ns].
    Done(f64),
    /// The block continues in the next period. The number is its remaining work, as execution
    /// time in isolation [ns].
    Left(f64),
}

impl Bursts {
    /// Removes all bursts. The next period is `period` ns long.
    pub fn clear(&mut self, period: f64) {
        self.period = period;
        self.spans.clear();
    }

    /// Adds a burst after all other bursts. A burst without length is ignored.
    pub fn push(&mut self, start: f64, end: f64) {
        let start = self.spans.last().map_or(start, |last| start.max(last.1)).max(0.0);
        let end = end.min(self.period);
        if start < end {
            self.spans.push((start, end));
        }
    }

    /// Returns the total length of all bursts before `end` [ns].
    pub fn before(&self, end: f64) -> f64 {
        let spans = self.spans.iter().take_while(|span| span.0 < end);
        spans.map(|span| span.1.min(end) - span.0).sum()
    }

    /// Returns the number of bursts that have ended by `now`. The caller knows that at least
    /// `past` bursts have ended.
    pub fn past(&self, now: f64, mut past: usize) -> usize {
        while self.spans.get(past).is_some_and(|span| span.1 <= now) {
            past += 1;
        }
        past
    }

    /// Returns the progress of a block that has `left` ns of work at time `now`. During a burst,
    /// the block progresses at rate `speed`, and otherwise at rate 1. `past` is the number of
    /// bursts that have ended by `now`.
    pub fn advance(&self, mut now: f64, mut left: f64, speed: f64, past: usize) -> Progress {
        for &(start, end) in self.spans.get(past..).unwrap_or_default() {
            if now < start {
                let pause = start - now;
                if left <= pause {
                    return Progress::Done(now + left);
                }
                left -= pause;
                now = start;
            }
            let done = (end - now) * speed;
            if left <= done {
                return Progress::Done(now + left / speed);
            }
            left -= done;
            now = end;
        }
        let pause = self.period - now;
        match left <= pause {
            true => Progress::Done(now + left),
            false => Progress::Left(left - pause),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_slower_in_memory_time() {
        let mut bursts = Bursts::default();
        bursts.clear(100.0);
        bursts.push(10.0, 30.0);
        bursts.push(25.0, 40.0); // The burst is shortened to start at 30.
        bursts.push(90.0, 120.0); // The burst is shortened to end at 100.
        bursts.push(100.0, 120.0); // The burst is ignored.
        assert_eq!(bursts.spans, [(10.0, 30.0), (30.0, 40.0), (90.0, 100.0)]);
        let advance = |now, left| bursts.advance(now, left, 0.5, bursts.past(now, 0));
        assert_eq!(advance(0.0, 10.0), Progress::Done(10.0));
        assert_eq!(advance(0.0, 12.0), Progress::Done(14.0));
        assert_eq!(advance(0.0, 25.0), Progress::Done(40.0));
        assert_eq!(advance(35.0, 3.5), Progress::Done(41.0));
        assert_eq!(advance(80.0, 15.0), Progress::Done(100.0));
        assert_eq!(advance(80.0, 16.0), Progress::Left(1.0));
        assert_eq!(advance(100.0, 16.0), Progress::Left(16.0));
        assert_eq!(
            [0.0, 20.0, 50.0, 95.0, 100.0].map(|end| bursts.before(end)),
            [0.0, 10.0, 30.0, 35.0, 40.0]
        );
    }
}
