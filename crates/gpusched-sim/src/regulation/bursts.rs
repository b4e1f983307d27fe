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
