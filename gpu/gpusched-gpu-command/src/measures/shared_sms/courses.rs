//! Simulations of kernels, in isolation and concurrently.

use super::SharedSms;
use gpusched_gpu::gpu::{Launch, Settings, run};
use gpusched_model::Scheduler;
use gpusched_model::error::{Refusal, Result};

/// A request for one simulation.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Question {
    /// Simulates one kernel in isolation, under the first scheduler of the case.
    Isolated(usize),
    /// Simulates all kernels concurrently.
    Together {
        /// Warp scheduler of the simulation.
        scheduler: Scheduler,
        /// Issue budget of the last kernel.
        budget: u32,
    },
}

/// The result of one simulation.
#[derive(Clone, Debug)]
pub(super) struct Course {
    pub(super) question: Question,
    /// Response time of each simulated kernel: time from its launch to its finish [core cycles].
    pub(super) responses: Vec<u64>,
    /// Time when the last kernel finishes [core cycles].
    pub(super) last: u64,
}

impl Course {
    /// Returns a result with arbitrary numbers for a request about `kernels` kernels.
    pub(super) fn made_up(question: Question, kernels: usize) -> Course {
        let kernels = if matches!(question, Question::Isolated(_)) {
            1
        } else {
            kernels
        };
        Course {
            question,
            responses: vec![1; kernels],
            last: 1,
        }
    }
}

/// Maximum length of a simulation [core cycles]. gpusched aborts longer simulations.
const LIMIT: u64 = 100_000_000;

impl SharedSms {
    pub(super) fn course(&self, &question: &Question) -> Result<Course> {
        let first = self.schedulers.first().copied().unwrap_or(Scheduler::Lrr);
        let (taking_part, scheduler, budget) = match question {
            Question::Isolated(kernel) => (kernel..kernel + 1, first, 1),
            Question::Together { scheduler, budget } => (0..self.programs.len(), scheduler, budget),
        };
        let last = self.programs.len().saturating_sub(1);
        let mut launches = Vec::new();
        for (index, program) in self.programs.iter().enumerate() {
            if !taking_part.contains(&index) {
                continue;
            }
            let mut launch = Launch::of_program(program)?;
            launch.at = u64::from(self.gap) * launches.len() as u64;
            launch.budget = if index == last { budget } else { 1 };
            launches.push(launch);
        }
        let settings = Settings {
            scheduler,
            sms: None,
            warm: Vec::new(),
            record_issues: None,
            clients: Vec::new(),
            camping: false,
            restart_clocks: false,
            limit: LIMIT,
            parallel: false,
        };
        let results =
            run(&self.machine, &launches, &settings).map_err(|failure| Refusal::told("", failure))?;
        let responses = results.kernels.iter().zip(&launches);
        Ok(Course {
            question,
            responses: responses
                .map(|(kernel, launch)| kernel.finish.saturating_sub(launch.at))
                .collect(),
            last: results.cycles,
        })
    }
}
