//! The time for which a context uses the GPU in a window, and the number of its turns that start there.
//!
//! Let a be the arrival of a job. Each kernel executes between a + φ and a + R, so the lag L = R − φ bounds the time from
//! its release to its end. A slice that ends inside a kernel may overrun. If no kernel preempts another kernel of the
//! context, the number of slice ends inside one kernel is limited.

use super::super::stream::Stream;

/// Kernels of one task on a context.
#[derive(Debug)]
struct Kernels {
    period: u128,
    /// The kernels one by one.
    each: Vec<Part>,
    /// All kernels of a job together.
    together: Part,
}

/// One kernel, or all kernels of a job.
#[derive(Copy, Clone, Debug)]
struct Part {
    /// L: time from the earliest release to the latest end.
    lag: u128,
    /// c: WCET.
    cost: u128,
    /// c plus the overruns inside the kernel.
    occupied: u128,
}

impl Part {
    /// Returns ⌈(w + L − c)/T⌉·c, where c is `each`.
    fn within(&self, window: u128, period: u128, each: u128) -> u128 {
        // L is at least c, and at least c plus its overruns, in a valid table. In an invalid table, the check of R fails.
        let early = self.lag.saturating_sub(each);
        jobs(window.saturating_add(early), period).saturating_mul(each)
    }
}

/// Returns ⌈t/T⌉ for the length t > 0. Most windows are not longer than a period, and divisions take most of the time of a check.
fn jobs(length: u128, period: u128) -> u128 {
    match length <= period {
        true => 1,
        false => length.div_ceil(period),
    }
}

impl Kernels {
    /// Returns the smaller of both bounds on the time in a window of length `window`. `each` returns the time of a part.
    fn within(&self, window: u128, each: impl Fn(&Part) -> u128) -> u128 {
        let time = |part: &Part| part.within(window, self.period, each(part));
        let one_by_one = self.each.iter().map(time).fold(0, u128::saturating_add);
        match &self.together {
            // The proof requires at most one period.
            together if each(together) <= self.period => one_by_one.min(time(together)),
            _ => one_by_one,
        }
    }
}

/// A context, as the other contexts of its partition see it.
#[derive(Debug)]
pub(super) struct Occupation {
    /// q: time slice.
    pub slice: u128,
    /// o: longest overrun.
    pub overrun: u128,
    /// Kernels of the context, by task; `None` if a task has no bound.
    kernels: Option<Vec<Kernels>>,
    /// Whether the number of overruns inside each kernel is limited, and a kernel with its overruns takes at most a period.
    limited: bool,
}

impl Occupation {
    /// Creates a context with the kernels `streams`, which are sorted by task. `from_idle` tells whether the context is idle
    /// just before the release of a kernel.
    pub fn new(
        (slice, overrun): (u128, u128),
        preempts: bool,
        streams: &[Stream],
        from_idle: impl Fn(&Stream) -> bool,
    ) -> Occupation {
        let part = |stream: &Stream| {
            let cuts = match from_idle(stream) {
                true => stream.cost.div_ceil(slice).saturating_sub(1),
                false => stream.cost.saturating_sub(1).div_ceil(slice),
            };
            (stream.cost <= stream.period).then_some(())?;
            Some(Part {
                lag: stream.end?.saturating_sub(stream.earliest),
                cost: stream.cost,
                occupied: cuts.saturating_mul(overrun).saturating_add(stream.cost),
            })
        };
        let of_task = |streams: &[Stream]| {
            let each = streams.iter().map(part).collect::<Option<Vec<Part>>>()?;
            let (first, last) = (streams.first()?, streams.last()?); // a task without kernels is not listed
            let sum = |value: fn(&Part) -> u128| each.iter().map(value).fold(0, u128::saturating_add);
            Some(Kernels {
                period: first.period,
                together: Part {
                    lag: last.end?.saturating_sub(first.earliest),
                    cost: sum(|part| part.cost),
                    occupied: sum(|part| part.occupied),
                },
                each,
            })
        };
        let by_task = streams.chunk_by(|a, b| a.task == b.task);
        let kernels = by_task.map(of_task).collect::<Option<Vec<Kernels>>>();
        let fits = |task: &Kernels| task.each.iter().all(|part| part.occupied <= task.period);
        Occupation {
            slice,
            overrun,
            limited: !preempts && kernels.iter().flatten().all(fits),
            kernels,
        }
    }

    /// Returns the use of the GPU in a window of length `window`; `None` if a task has no bound.
    pub fn within(&self, window: u128) -> Option<Use> {
        let kernels = self.kernels.as_ref()?;
        let (mut work, mut occupied, mut ends) = (0u128, 0u128, 0u128);
        for task in kernels {
            work = work.saturating_add(task.within(window, |part| part.cost));
            occupied = occupied.saturating_add(task.within(window, |part| part.occupied));
            for part in &task.each {
                ends = ends.saturating_add(jobs(window.saturating_add(part.lag), task.period));
            }
        }
        let slices = (work / self.slice).saturating_add(1); // two slice ends have a whole slice between them
        let occupied = self.limited.then_some(occupied);
        // Both values bound the execution time.
        let least = occupied.map_or(work, |occupied| occupied.min(work));
        Some(Use {
            work,
            slices,
            overrun: self.overrun,
            turns: ends.saturating_add(least / self.slice),
            occupied,
        })
    }
}

/// Use of the GPU by a context in a window.
#[derive(Copy, Clone, Debug)]
pub(super) struct Use {
    /// W: execution time.
    work: u128,
    /// ⌊W/q⌋ + 1: number of slices that end in the window.
    slices: u128,
    /// o: longest overrun.
    overrun: u128,
    /// Number of turns that start in the window and end there.
    turns: u128,
    /// Execution time and overruns, if the number of overruns inside each kernel is known.
    occupied: Option<u128>,
}

impl Use {
    /// Returns the number of turns that start in the window. The run list allows `most` turns.
    pub fn turns(&self, most: u128) -> u128 {
        self.turns.min(most)
    }

    /// Returns the execution time with all overruns. The run list allows `most` turns.
    pub fn time(&self, most: u128) -> u128 {
        let time = self
            .slices
            .min(most)
            .saturating_mul(self.overrun)
            .saturating_add(self.work);
        self.occupied.map_or(time, |occupied| occupied.min(time))
    }
}
