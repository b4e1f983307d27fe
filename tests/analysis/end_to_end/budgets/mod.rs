//! Systems with memory bandwidth budgets: WCETs against brute force, bounds against simulated runs, and chosen budgets against
//! exhaustive search.

mod campaign;
mod choice;
mod corrupted;
mod equations;
mod fields;
mod process;
mod runs;
mod slack;

use gpusched::model::end_to_end::Draft;

use super::draft;

/// Regulation period of the drawn systems [ns].
const PERIOD: u64 = 5;

/// A generator of random numbers.
pub struct Numbers(u64);

impl Numbers {
    pub fn new(index: u64) -> Numbers {
        Numbers(index.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xdead_beef)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// Returns a small system with CPU segments, copies and kernels, and without budgets. All times are a few nanoseconds. With
/// `measured`, each kernel states e⁰ and e¹; otherwise, some kernels have a profile.
fn random(index: u64, measured: bool) -> Draft {
    let mut numbers = Numbers::new(index);
    let mut below = |bound: u64| numbers.below(bound);
    let core = ["fp", "fp", "edf"][usize::try_from(below(3)).unwrap()];
    let gpu = ["np-fifo", "np-fp", "fp", "edf"][usize::try_from(below(4)).unwrap()];
    let times = |below: &mut dyn FnMut(u64) -> u64| {
        let isolated = 1 + below(5);
        format!(r#""wcet":{isolated},"e1":{}"#, isolated + below(14))
    };
    let tasks: Vec<String> = (0..2 + below(2))
        .map(|task| {
            let mut segments = Vec::new();
            for _ in 0..1 + below(3) {
                segments.push(match below(4) {
                    0 | 1 => format!(r#"{{"on":"cpu",{}}}"#, times(&mut below)),
                    2 => format!(r#"{{"on":"copy",{}}}"#, times(&mut below)),
                    _ if measured || below(2) == 0 => format!(r#"{{"on":"gpu",{}}}"#, times(&mut below)),
                    _ => {
                        let (blocks, time) = (1 + below(3), 1 + below(3));
                        format!(
                            r#"{{"on":"gpu","profile":{{"blocks_per_sm":1,"clusters":[{{"blocks":{blocks},"e0":{time},"e1":{}}}]}}}}"#,
                            time + below(4)
                        )
                    }
                });
            }
            let (period, wait) = (12 + 6 * below(8), ["suspend", "busy"][usize::try_from(below(2)).unwrap()]);
            format!(
                r#"{{"name":"t{task}","period":{period},"wait":"{wait}","segments":[{}]}}"#,
                segments.join(",")
            )
        })
        .collect();
    draft(&format!(
        r#"{{"cores":[{{"name":"cpu","policy":"{core}"}}],"copy_engines":[{{"name":"copy","policy":"fifo"}}],
        "partitions":[{{"name":"gpu","sms":2,"policy":"{gpu}"}}],"budgets":{{"regulation_period":{PERIOD}}},
        "tasks":[{}]}}"#,
        tasks.join(",")
    ))
}
