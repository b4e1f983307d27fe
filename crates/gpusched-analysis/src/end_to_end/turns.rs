//! Choice of contexts for a time-sliced partition: one of several slices for each context, a number of turns per round, the
//! tasks that share a context, and the priorities of their kernels.

mod choice;

use gpusched_model::Policy;
use gpusched_model::end_to_end::{Answer, Draft, Environment, PartitionPolicy, System};
use gpusched_model::error::Refusal;
use gpusched_model::interrupt;
use gpusched_model::policy::{Preemption, Priorities};
use gpusched_model::time::Time;

use self::choice::{Choice, Choices, Unit};

/// Slices, turns and contexts that a search may choose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TurnSearch<'a> {
    /// Slices [ns]; at least one.
    pub slices: &'a [Time],
    /// Maximum number of turns of a context per round; at least 1.
    pub turns: usize,
    /// Tasks that share contexts. If `None`, the draft states the context of each task.
    pub shared: Option<SharedContexts>,
    /// Maximum number of tests; at least 1.
    pub tests: u64,
    /// Interference model of the system.
    pub environment: Environment,
}

/// Contexts that several tasks may share.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct SharedContexts {
    /// Maximum number of contexts; at least 1.
    pub contexts: usize,
    /// Order of the kernels of one context. With [`Priorities::Audsley`], the
    /// search also chooses the priorities.
    pub policy: Policy,
}

impl SharedContexts {
    /// Checks that the kernels of a context can follow the policy.
    ///
    /// # Errors
    /// Fails with limited preemption, and with a policy that only names a test.
    pub fn check(&self) -> Result<(), Refusal> {
        self.rule().map(|_| ())
    }

    /// Returns the policy of a context, and the order of fixed priorities.
    fn rule(&self) -> Result<(PartitionPolicy, Option<Priorities>), Refusal> {
        Ok(match self.policy {
            Policy::NpFifo => (PartitionPolicy::NpFifo, None),
            Policy::NpEdf => (PartitionPolicy::NpEdf, None),
            Policy::Edf => (PartitionPolicy::Edf, None),
            Policy::FixedPriority(Preemption::NonPreemptive, order) => (PartitionPolicy::NpFp, Some(order)),
            Policy::FixedPriority(Preemption::Preemptive, order) => (PartitionPolicy::Fp, Some(order)),
            other => {
                let expected = "np-fifo, np-edf, edf, or fixed priorities without limited preemption, because contexts \
                                have no other policies";
                return Refusal::refuse("policy", other, expected);
            }
        })
    }
}

/// The best choice of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChosenTurns {
    /// The system with the chosen contexts.
    pub draft: Draft,
    /// Whether all tasks meet their deadlines with this choice.
    pub schedulable: bool,
    /// Number of tests.
    pub tests: u64,
    /// Whether the search tested every choice, or found a choice with which all tasks meet their deadlines.
    pub complete: bool,
}

/// Quality of a choice; smaller is better: number of tasks and chains without a proof, and the largest quotient of bound and
/// deadline [10⁻⁶, rounded up].
type Cost = (usize, u64);

/// Chooses the contexts of the first time-sliced partition of `draft`. If the search may test all choices, the choice is
/// exact. Otherwise, the search changes one context or one task at a time. It starts with a common slice for all contexts: with
/// the contexts of the draft, or with tasks of similar urgency in a context. `watch` receives the number of tests.
///
/// # Errors
/// Fails if the draft is invalid with all tested choices, or if it has no time-sliced partition. With shared contexts, also
/// fails if a task has another context than its own, or a segment on another resource, and if no context knows the policy.
pub fn choose_turns(
    draft: &Draft,
    search: &TurnSearch<'_>,
    watch: &dyn Fn(u64),
) -> Result<ChosenTurns, Refusal> {
    let choices = Choices::new(draft, search)?;
    let mut trial = Trial {
        choices: &choices,
        search,
        watch,
        tests: 0,
        best: None,
        invalid: None,
    };
    let starts: Vec<Choice> = choices.starts().collect();
    for choice in &starts {
        if trial.has_ended() {
            return trial.result(false);
        }
        if trial.test(choice) {
            return trial.result(true);
        }
    }
    if choices.are_at_most(search.tests) {
        for choice in choices.all().filter(|choice| !starts.contains(choice)) {
            if trial.test(&choice) {
                break;
            }
        }
        return trial.result(true);
    }
    trial.improve()
}

struct Trial<'a> {
    choices: &'a Choices<'a>,
    search: &'a TurnSearch<'a>,
    watch: &'a dyn Fn(u64),
    tests: u64,
    best: Option<(Cost, Choice)>,
    /// Refusal of the first invalid choice.
    invalid: Option<Refusal>,
}

impl Trial<'_> {
    /// Tests `choice`, and keeps it if it is better than all earlier choices. Returns whether all tasks meet their deadlines. An
    /// invalid choice does not.
    fn test(&mut self, choice: &Choice) -> bool {
        interrupt::check();
        self.tests += 1;
        (self.watch)(self.tests);
        let system = match System::new(&self.choices.draft(choice), self.search.environment) {
            Ok(system) => system,
            Err(refusal) => {
                self.invalid.get_or_insert(refusal);
                return false;
            }
        };
        let answer = super::analyze(&system);
        let cost = cost(&answer);
        if self.best.as_ref().is_none_or(|(best, _)| cost < *best) {
            self.best = Some((cost, choice.clone()));
        }
        answer.schedulable
    }

    /// Whether the search has made all its tests.
    fn has_ended(&self) -> bool {
        self.tests >= self.search.tests
    }

    /// Changes one context or one task at a time, until no change is better or the search has made all its tests.
    fn improve(mut self) -> Result<ChosenTurns, Refusal> {
        loop {
            let Some((before, start)) = self.best.clone() else {
                return self.result(false);
            };
            let contexts = (0..start.len()).map(Unit::Context);
            for unit in contexts.chain(self.choices.tasks().map(Unit::Task)) {
                let choice = self.best.as_ref().map_or(&start, |(_, choice)| choice);
                for changed in self.choices.beside(choice, unit) {
                    if self.has_ended() {
                        return self.result(false);
                    }
                    if self.test(&changed) {
                        return self.result(true);
                    }
                }
            }
            if self.best.as_ref().is_none_or(|(after, _)| *after == before) {
                return self.result(false);
            }
        }
    }

    /// Returns the best choice. Fails if every tested choice is invalid.
    fn result(self, complete: bool) -> Result<ChosenTurns, Refusal> {
        match (&self.best, self.invalid) {
            (Some(((late, _), choice)), _) => Ok(ChosenTurns {
                draft: self.choices.draft(choice),
                schedulable: *late == 0,
                tests: self.tests,
                complete,
            }),
            (None, Some(refusal)) => Err(refusal),
            (None, None) => Refusal::refuse("slices", "no slices", "one or more slices"),
        }
    }
}

fn cost(answer: &Answer) -> Cost {
    let late = answer.tasks.iter().filter(|task| !task.meets).count();
    let chains = { answer.chains.iter() }.filter(|chain| chain.meets == Some(false));
    let ratios = answer.tasks.iter().filter_map(|task| {
        let bound = u128::from(task.bound_ns?.ns()) * 1_000_000;
        u64::try_from(bound.div_ceil(u128::from(task.deadline_ns.ns().max(1)))).ok()
    });
    (late + chains.count(), ratios.max().unwrap_or(u64::MAX))
}
