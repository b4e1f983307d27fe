//! Choice of slices and turns: for each context of a time-sliced partition, one of several slices, and a number of turns per
//! round.

use gpusched_model::end_to_end::{Answer, Draft, DraftPolicy, Environment, PartitionDraft, System};
use gpusched_model::error::Refusal;
use gpusched_model::interrupt;
use gpusched_model::time::Time;

/// Slices and turns that a search may choose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TurnSearch<'a> {
    /// Slices [ns]; at least one.
    pub slices: &'a [Time],
    /// Maximum number of turns of a context per round; at least 1.
    pub turns: usize,
    /// Maximum number of tests; at least 1.
    pub tests: u64,
    /// Interference model of the system.
    pub environment: Environment,
}

/// The best choice of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChosenTurns {
    /// The system with the chosen slices and turns.
    pub draft: Draft,
    /// Number of tests.
    pub tests: u64,
    /// Whether the search tested every choice, or found a choice with which all tasks meet their deadlines.
    pub complete: bool,
}

/// For each context: position of its slice, and number of its turns minus 1.
type Choice = Vec<(usize, usize)>;

/// Quality of a choice; smaller is better: number of tasks without a proof, and the largest quotient of bound and deadline
/// [10⁻⁶, rounded up].
type Cost = (usize, u64);

/// Chooses the slices and turns of all contexts of the first time-sliced partition of `draft`. If the search may test all
/// choices, the choice is exact. Otherwise, the search changes one context at a time, from the best common slice.
///
/// # Errors
/// Fails if the draft is invalid with all tested choices, or if it has no time-sliced partition.
pub fn choose_turns(draft: &Draft, search: &TurnSearch<'_>) -> Result<ChosenTurns, Refusal> {
    let sliced = |partition: &PartitionDraft| partition.policy == DraftPolicy::TimeSliced;
    let Some(gpu) = draft.partitions.iter().position(sliced) else {
        return Refusal::refuse(
            "partitions",
            "no time-sliced partition",
            "a time-sliced partition",
        );
    };
    let contexts = draft.partitions.get(gpu).map_or(0, |found| found.contexts.len());
    let mut trial = Trial {
        draft,
        gpu,
        search,
        tests: 0,
        best: None,
        invalid: None,
    };
    let options: Vec<(usize, usize)> = (0..search.turns.max(1))
        .flat_map(|turns| (0..search.slices.len()).map(move |slice| (slice, turns)))
        .collect();
    for slice in 0..search.slices.len() {
        if trial.test(&vec![(slice, 0); contexts]) {
            return trial.result(true);
        }
    }
    let exponent = u32::try_from(contexts).unwrap_or(u32::MAX);
    let all = (options.len() as u64).checked_pow(exponent);
    match all.filter(|&all| all <= search.tests) {
        Some(all) => {
            for number in 0..all {
                if trial.test(&trial.numbered(number, contexts, &options)) {
                    break;
                }
            }
            trial.result(true)
        }
        None => trial.improve(&options),
    }
}

struct Trial<'a> {
    draft: &'a Draft,
    /// Position of the time-sliced partition.
    gpu: usize,
    search: &'a TurnSearch<'a>,
    tests: u64,
    best: Option<(Cost, Choice)>,
    /// Refusal of the first invalid choice.
    invalid: Option<Refusal>,
}

impl Trial<'_> {
    /// Tests `choice`, and keeps it if it is better than all earlier choices. Returns whether all tasks meet their deadlines. An
    /// invalid choice does not.
    fn test(&mut self, choice: &[(usize, usize)]) -> bool {
        interrupt::check();
        self.tests += 1;
        let system = match System::new(&self.with(choice), self.search.environment) {
            Ok(system) => system,
            Err(refusal) => {
                self.invalid.get_or_insert(refusal);
                return false;
            }
        };
        let answer = super::analyze(&system);
        let cost = cost(&answer);
        if self.best.as_ref().is_none_or(|(best, _)| cost < *best) {
            self.best = Some((cost, choice.to_vec()));
        }
        answer.schedulable
    }

    /// Changes one context at a time, until no change is better or the search has made all its tests.
    fn improve(mut self, options: &[(usize, usize)]) -> Result<ChosenTurns, Refusal> {
        loop {
            let Some((before, start)) = self.best.clone() else {
                return self.result(false);
            };
            for context in 0..start.len() {
                let choice = self
                    .best
                    .as_ref()
                    .map_or_else(|| start.clone(), |(_, choice)| choice.clone());
                for &option in options {
                    let mut changed = choice.clone();
                    if let Some(place) = changed.get_mut(context) {
                        *place = option;
                    }
                    if self.tests >= self.search.tests || changed == choice {
                        continue;
                    }
                    if self.test(&changed) {
                        return self.result(true);
                    }
                }
            }
            if self.best.as_ref().is_none_or(|(after, _)| *after == before) || self.tests >= self.search.tests
            {
                return self.result(false);
            }
        }
    }

    /// Returns choice `number` of all choices.
    fn numbered(&self, mut number: u64, contexts: usize, options: &[(usize, usize)]) -> Choice {
        let count = options.len().max(1) as u64;
        let digits = (0..contexts).map(|_| {
            let digit = usize::try_from(number % count).unwrap_or(0);
            number /= count;
            options.get(digit).copied().unwrap_or_default() // a digit is below the number of options
        });
        digits.collect()
    }

    /// Returns the draft with `choice`. Turns of one context are as far apart as possible.
    fn with(&self, choice: &[(usize, usize)]) -> Draft {
        let mut draft = self.draft.clone();
        let Some(gpu) = draft.partitions.get_mut(self.gpu) else {
            return draft;
        };
        // The turns of a context divide the round into equal parts, and contexts with equal places keep their order.
        let mut turns: Vec<(u128, usize)> = Vec::new();
        for (position, (context, &(slice, more))) in gpu.contexts.iter_mut().zip(choice).enumerate() {
            if let Some(&slice) = self.search.slices.get(slice) {
                context.slice = slice;
            }
            let count = more as u128 + 1;
            turns.extend((0..count).map(|turn| (turn * ROUND / count, position)));
        }
        turns.sort_unstable();
        let names = turns
            .into_iter()
            .filter_map(|(_, position)| gpu.contexts.get(position));
        gpu.runlist = Some(names.map(|context| context.name.clone()).collect());
        draft
    }

    /// Returns the best choice. Fails if every tested choice is invalid.
    fn result(self, complete: bool) -> Result<ChosenTurns, Refusal> {
        match (&self.best, self.invalid.clone()) {
            (Some((_, choice)), _) => Ok(ChosenTurns {
                draft: self.with(choice),
                tests: self.tests,
                complete,
            }),
            (None, Some(refusal)) => Err(refusal),
            (None, None) => Refusal::refuse("slices", "no slices", "one or more slices"),
        }
    }
}

/// Length of a round in the units of places in it.
const ROUND: u128 = 1 << 64;

fn cost(answer: &Answer) -> Cost {
    let late = answer.tasks.iter().filter(|task| !task.meets).count();
    let ratios = answer.tasks.iter().filter_map(|task| {
        let bound = u128::from(task.bound_ns?.ns()) * 1_000_000;
        u64::try_from(bound.div_ceil(u128::from(task.deadline_ns.ns().max(1)))).ok()
    });
    (late, ratios.max().unwrap_or(u64::MAX))
}
