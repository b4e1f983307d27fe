//! `gpusched verify`: checks plans and their evidence with independent code.

use std::path::PathBuf;

use serde::Serialize;

use crate::arguments::notes;
use crate::arguments::{
    Gpu, Memory, StatedOverheads, check_as_many, memory_rates, named, naming, overheads, pairs, policy, whole,
};
use crate::plans::end_to_end::{self, Input};
use crate::plans::identity::{Agreement, IdentityCheck};
use crate::plans::of_other_set;
use crate::plans::partition::response_times;
use crate::report::{About, Output, Palette, Progress, Report, Table, numbered_for};
use crate::{Global, Outcome};
use gpusched_model::assumptions::Assumption;
use gpusched_model::counted;
use gpusched_model::device::Granularity;
use gpusched_model::end_to_end::Environment;
use gpusched_model::error::Result;
use gpusched_model::plan::{Failure, Plan};
use gpusched_model::reader::Plans;
use gpusched_model::{
    Arbitration, Bandwidth, Interference, MemoryRates, MemoryTime, Policy, RateForm, TaskSet, Times,
};
use gpusched_verify::{
    CheckedBound, CheckedMargin, Conclusion, Effort, Fault, GROUPS, Stated, Taken, Unchecked, Verified,
    identity_faults, verify_with,
};

/// Arguments of `gpusched verify`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// One plan (JSON) or many (JSONL), written by `partition --format json`; or the verdict of `test` or the budgets of `budget
    /// nominal --deadlines` for a system
    #[arg(value_name = "PLAN")]
    plans: PathBuf,
    /// Task sets of the plans, in the order of the plans; or an end-to-end system
    #[arg(value_name = "SET")]
    sets: PathBuf,
    /// Examine at most N candidate partitions per lower bound [default: 30000000]
    #[arg(long, alias = "budget", value_name = "N", value_parser = whole::<u64>(1..))]
    search_effort: Option<u64>,
    #[command(flatten)]
    identity: IdentityCheck,
    #[command(
        flatten,
        next_help_heading = "Expected values, which the plan must match [default: values of the plan]"
    )]
    gpu: Gpu,
    /// Expected granularity of the partitions
    #[arg(long, value_parser = named::<Granularity>())]
    granularity: Option<Granularity>,
    /// Expected guaranteed memory bandwidth, e.g., 100GB/s
    #[arg(long, value_name = "RATE")]
    memory_bandwidth: Option<Bandwidth>,
    /// Expected memory arbiter
    #[arg(long, value_parser = named::<Arbitration>())]
    arbitration: Option<Arbitration>,
    /// Expected measured rates of L2 and DRAM, for memory times
    #[arg(long, value_name = "FILE", value_parser = memory_rates)]
    memory_rates: Option<MemoryRates>,
    /// Expected form of the rates, for memory times
    ///
    /// Counterexamples are known for each form. `verify` accepts a form as proof only if you state it here.
    #[arg(long, value_name = "FORM", value_parser = named::<RateForm>())]
    memory_time: Option<RateForm>,
    /// Expected percentage added to WCETs, for memory times and `concurrent`
    #[arg(long, value_name = "PERCENT", value_parser = whole(0..=MemoryTime::MAX_VARIATION))]
    variation: Option<u32>,
    /// Assume own L2 ways for each partition, for memory times
    ///
    /// Without this option, a plan that assumes such ways proves nothing.
    #[arg(long)]
    own_l2: bool,
    /// Expected interference model
    #[arg(long, value_parser = named::<Interference>())]
    interference: Option<Interference>,
    /// Expected bounds on the overheads of the dispatchers
    ///
    /// The bounds in the plan must equal the bounds in the file. If the task set states `"times": "occupancy"`, the plan states an
    /// occupancy of 0.
    #[arg(long, value_name = "FILE", value_parser = overheads)]
    overheads: Option<StatedOverheads>,
    /// Expected policy of every partition
    ///
    /// The assumption of `concurrent` is only tested. `verify` accepts it only if you state this policy here.
    #[arg(long, value_parser = policy())]
    policy: Option<Policy>,
}

const EXAMPLE: &str = "\
`verify` recomputes all statements of the plan and its evidence. `verify` shares no schedulability test with the rest of gpusched.
`verify` accepts every interval (`interval_ns`) that is long enough to prove the verdict.
`verify` checks that every partition passes its test if all WCETs grow by the common factor of `margin` and `sensitivity`. The
margins of single tasks (`sensitivity`) and the search statistics (`stats`) are not checked, because the proof does not use them.
`verify` also checks lower bounds. It compares candidate partitions with their dual prices, up to the limit `--search-effort`. The
result states which part of a bound is confirmed.
State the GPU, the memory bandwidth and the models of your system as options. `verify` refuses a plan with other values. Without
an option, `verify` takes the value from the plan and lists it in the result. If a plan names a built-in GPU, it must contain the
description of this GPU.
Memory times are only tested, and counterexamples are known for each form. `--memory-time` accepts a form as an assumption.
Exit code 0: every plan is proven schedulable. 1: a plan is wrong or not schedulable.

Examples:
  gpusched partition tasksets/tasksets/adas.json --gpu orin -o plan.json && gpusched verify plan.json tasksets/tasksets/adas.json --gpu orin
  gpusched partition tasksets/tasksets/adas.json --gpu orin --format json | gpusched verify - tasksets/tasksets/adas.json";

/// Result for one plan.
#[derive(Serialize)]
struct Answer {
    /// Whether `verify` confirms every statement of the plan. The field `bound` may still contain
    /// an unconfirmed part.
    verified: bool,
    /// Verdict of the plan.
    schedulable: bool,
    /// Whether the plan is verified and schedulable, and the test of every partition is exact or sufficient. If the
    /// plan uses memory times, the user must also state `--memory-time`, because memory times are only tested. For plans
    /// under `concurrent`, the user must also state `--policy concurrent`.
    proven: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<Bound>,
    #[serde(skip_serializing_if = "Option::is_none")]
    margin: Option<Margin>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<NoPlan>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<Fault>,
    /// Whether the task set is the set that the plan was computed for. Absent if the plan does not state its identity.
    #[serde(skip_serializing_if = "Option::is_none")]
    identity: Option<Agreement>,
    /// Values that `verify` takes from the plan, because no option states them: the GPU and the
    /// models.
    #[serde(skip_serializing_if = "Option::is_none")]
    taken_from_plan: Option<Taken>,
    /// Assumptions of the verdicts in the plan. `verify` recomputes this list.
    #[serde(skip_serializing_if = "Option::is_none")]
    assumptions: Option<Vec<Assumption>>,
}

/// The reason why no plan exists, which `verify` has confirmed.
#[derive(Serialize)]
struct NoPlan {
    reason: &'static str,
    /// Position of the task that caused the failure; absent if the cause is not one task.
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<usize>,
    /// Reason as text for display.
    message: String,
}

/// Confirmation of a lower bound.
#[derive(Serialize)]
struct Bound {
    /// Lower bound on the number of SMs, as the plan states it.
    sms: u32,
    /// Lower bound that `verify` confirms, on the number of SMs.
    #[serde(skip_serializing_if = "Option::is_none")]
    proven: Option<u32>,
    /// Reason why `verify` does not confirm the whole bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    unchecked: Option<String>,
}

/// Confirmation of a WCET margin.
#[derive(Serialize)]
struct Margin {
    /// Common factor on all WCETs, in thousandths. The plan states this factor.
    wcet_scaling_permille: u64,
    /// Whether `verify` confirms the factor.
    confirmed: bool,
    /// Upper limit on the factor of every plan, in thousandths. The plan states this limit.
    at_most_permille: u64,
    /// Whether `verify` confirms the limit `at_most_permille`.
    limit_confirmed: bool,
}

impl crate::Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let sets = match Input::open(&self.sets)? {
            Input::Sets(sets) => sets,
            Input::Systems(systems) => {
                let reason = "the system states its resources";
                end_to_end::refuse("granularity", self.granularity.is_some(), reason)?;
                end_to_end::refuse("arbitration", self.arbitration.is_some(), reason)?;
                end_to_end::refuse("policy", self.policy.is_some(), reason)?;
                let of_times = self.memory_rates.is_some()
                    || self.memory_time.is_some()
                    || self.variation.is_some()
                    || self.own_l2;
                end_to_end::refuse(
                    "interference",
                    of_times,
                    "the analysis of systems counts no memory times",
                )?;
                let memory = Memory::of(self.memory_bandwidth);
                let interference = self.interference.unwrap_or_default();
                let environment = Environment {
                    overheads: self.overheads.as_ref().map(|stated| stated.bounds),
                    ..memory.environment(interference)?
                };
                let gpu = (self.gpu.given_sms()?, self.gpu.device());
                return end_to_end::verify(&self.plans, systems, (environment, gpu), &self.identity, global);
            }
        };
        check_as_many::<Plan, TaskSet>(&self.plans, &self.sets)?;
        let progress = Progress::new(global, "candidate partitions examined");
        let effort = Effort {
            groups: self.search_effort.unwrap_or(GROUPS),
            watch: &|groups| progress.at(groups),
        };
        let mut stated = self.stated()?;
        let plans = Plans::open(&self.plans)?;
        let mut output = Output::open(global)?;
        let (mut proven, mut whole) = (true, true);
        let mut written = notes::Notes::default();
        let mut pairs = pairs(plans, sets).peekable();
        let mut index = 0u64;
        while let Some(pair) = pairs.next() {
            if !output.has_reader() {
                whole = false;
                break;
            }
            let (plan, set) = pair?;
            stated.overheads = self.overheads.as_ref().map(|stated| stated.bounds.of(&set));
            if !global.quiet {
                written.on(&set);
            }
            if !global.quiet && plan.overheads.is_none() && is_dispatchable(&plan) {
                written.overheads(&set);
            }
            let agreement = Agreement::new(plan.identity.as_ref(), identity_faults(&plan, &set));
            let checked = self.identity.check(agreement.as_ref());
            let checked = checked.and_then(|()| stated.check(&plan)).and_then(|taken| {
                let verified = verify_with(&plan, &set, &effort)?;
                let conclusion = stated.conclusion(&plan, &verified);
                Ok((verified, taken, conclusion))
            });
            proven &= matches!(checked, Ok((.., Conclusion::Schedulable)));
            let alone = index == 0 && pairs.peek().is_none();
            let notes = match (global.quiet, alone) {
                (true, _) => Notes::No,
                (false, true) => Notes::All,
                (false, false) => Notes::Short,
            };
            let answer = answer(&plan, &set, &checked, agreement, alone);
            output.report(&About((index, &plan, &set, &checked, &effort, notes), answer))?;
            index += 1;
        }
        drop(progress);
        output.finish()?;
        Ok(Outcome::of_answers(proven, whole))
    }
}

impl Args {
    /// Returns the values of the options, which the plans must match.
    fn stated(&self) -> Result<Stated> {
        Ok(Stated {
            sms: self.gpu.given_sms()?,
            device: self.gpu.device().cloned(),
            granularity: self.granularity,
            memory_bandwidth: self.memory_bandwidth,
            arbitration: self.arbitration,
            memory_rates: self.memory_rates.clone(),
            memory_time: self.memory_time,
            variation: self.variation,
            own_l2: self.own_l2,
            interference: self.interference,
            overheads: None, // depends on the task set
            policy: self.policy,
        })
    }
}

/// Amount of text after the verdict on a plan.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Notes {
    No,
    /// The values that `verify` takes from the plan.
    Short,
    /// The values that `verify` takes from the plan, and the assumptions of the verdicts.
    All,
}

type Checked<'p> = std::result::Result<(Verified, Taken, Conclusion<'p>), Fault>;

/// Whether the partitions of `plan` have policies that a dispatcher can follow.
fn is_dispatchable(plan: &Plan) -> bool {
    { plan.partitions.iter() }.all(|partition| partition.verdict.policy.is_dispatchable())
}

/// Returns `failure` as text, with the name of the task that caused it.
fn in_words(failure: &Failure, set: &TaskSet) -> String {
    format!("{failure}{}", naming(set, failure.task()))
}

/// Returns the result for a plan.
fn answer(
    plan: &Plan,
    set: &TaskSet,
    checked: &Checked<'_>,
    identity: Option<Agreement>,
    alone: bool,
) -> Answer {
    let found = checked.as_ref().ok().map(|(verified, ..)| verified);
    let failure = match checked {
        Ok((.., Conclusion::NoPlan(failure))) => Some(*failure),
        _ => None,
    };
    let bound = found.and_then(|verified| verified.bound.as_ref());
    Answer {
        verified: found.is_some(),
        schedulable: plan.schedulable,
        proven: matches!(checked, Ok((.., Conclusion::Schedulable))),
        bound: bound.map(|bound| Bound {
            sms: bound.stated,
            proven: bound.proven,
            unchecked: bound.unchecked.as_ref().map(ToString::to_string),
        }),
        margin: found.and_then(|verified| {
            let margin = verified.margin.as_ref()?;
            Some(Margin {
                wcet_scaling_permille: margin.stated,
                confirmed: margin.confirmed,
                at_most_permille: margin.at_most,
                limit_confirmed: margin.limit.is_ok(),
            })
        }),
        failure: failure.map(|failure| NoPlan {
            reason: failure.reason(),
            task: failure.task(),
            message: in_words(failure, set),
        }),
        fault: checked.as_ref().err().cloned(),
        identity,
        taken_from_plan: checked.as_ref().ok().map(|(_, taken, _)| taken.clone()),
        assumptions: found.map(|verified| Assumption::listed(verified.assumptions.clone(), alone)),
    }
}

impl Report for About<(u64, &Plan, &TaskSet, &Checked<'_>, &Effort<'_>, Notes), Answer> {
    fn table(&self) -> Table {
        let About((index, ..), answer) = self;
        let (bound, fault) = (answer.bound.as_ref(), answer.fault.as_ref());
        let table = Table::of([answer])
            .exact("set", |_| *index)
            .exact("verified", |answer| answer.verified)
            .exact("schedulable", |answer| answer.schedulable)
            .exact("proven", |answer| answer.proven)
            .exact("bound", |_| bound.map(|bound| bound.sms))
            .exact("proven_bound", |_| bound.and_then(|bound| bound.proven))
            .exact("field", |_| fault.map(|fault| &fault.field))
            .exact("message", |_| fault.map(|fault| &fault.message))
            .exact("failure", |answer| {
                answer.failure.as_ref().map(|failure| failure.reason)
            });
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let About((index, plan, set, checked, effort, notes), ref answer) = *self;
        let (good, bad) = (palette.good, palette.bad);
        let (verified, taken, conclusion) = match checked {
            Err(fault) => {
                // A value that the user states as an option says nothing about the task set.
                let stated = fault.message.ends_with("the stated value");
                let is_sure = fault.field.starts_with("identity") || (!stated && notes == Notes::All);
                let hint = of_other_set(&fault.field).filter(|_| is_sure);
                let hint = hint.map_or(String::new(), |hint| format!("\nhint: {hint}\n"));
                let differences = { answer.identity.as_ref() }
                    .filter(|_| !fault.field.starts_with("identity"))
                    .map_or(String::new(), Agreement::other);
                return Ok(format!(
                    "{index}: {bad}REFUSED{bad:#} at {fault}\n{differences}{hint}"
                ));
            }
            Ok((verified, taken, conclusion)) => (verified, taken, conclusion),
        };
        let bound = verified.bound.as_ref();
        let time = plan.memory.and_then(|memory| memory.time);
        let strength = time.map_or(String::new(), |time| {
            format!("; memory time {}", time.form.described())
        });
        let rest = match conclusion {
            Conclusion::Tested(time) => {
                let (form, own) = (time.form, if time.own_l2 { " --own-l2" } else { "" });
                format!(", but not proven{strength}; accept this form with `--memory-time {form}{own}`")
            }
            Conclusion::SerialSum => {
                let variation = plan
                    .variation_percent
                    .filter(|&percent| percent < Policy::VARIATION);
                let variation = variation.map_or(String::new(), |percent| format!(" --variation {percent}"));
                format!(
                    ", but not proven, because the rate of concurrent kernels is only tested; accept it with `--policy \
                     concurrent{variation}`"
                )
            }
            Conclusion::Necessary => {
                ", but the test is only a necessary condition: the plan does not prove schedulability"
                    .to_owned()
            }
            Conclusion::Schedulable => format!(
                ": schedulable on {} of {}, {}{strength}",
                plan.sms_used,
                counted(plan.gpu_sms, "SM"),
                counted(plan.partitions.len(), "partition")
            ),
            Conclusion::NoPlan(Failure::BoundExceedsGpu) => format!(
                ": not schedulable, because no plan fits on {}",
                counted(plan.capacity(), "SM")
            ),
            Conclusion::NoPlan(failure) => format!(": not schedulable: {}", in_words(failure, set)),
            Conclusion::Unconfirmed => format!(
                ", except for the claim that no plan fits on {}, which is not confirmed",
                counted(plan.capacity(), "SM")
            ),
            Conclusion::Open => ", but the plan states `schedulable: false`".to_owned(),
        };
        let line = format!("{index}: {good}VERIFIED{good:#}{rest}\n");
        let bound = bound.map_or(String::new(), |bound| bound_line(bound, plan.schedulable, effort));
        let margin = verified.margin.as_ref();
        let margin = margin.map_or(String::new(), |margin| margin_line(margin, effort));
        let taken = taken.line().filter(|_| notes != Notes::No);
        let taken = taken.map(|taken| format!("   taken from the plan, not checked: {taken}\n"));
        let identity = { answer.identity.as_ref().zip(plan.identity.as_ref()) }
            .map_or(String::new(), |(agreement, stated)| {
                agreement.lines(stated, ("task set", "plan"), notes != Notes::All)
            });
        let list = (notes == Notes::All).then(|| {
            let negative = matches!(conclusion, Conclusion::NoPlan(_));
            numbered_for(&verified.assumptions, negative)
        });
        let measured = notes == Notes::All && set.times() == Some(Times::Gpu);
        let tasks = Some(plan).filter(|_| measured);
        let tasks = tasks.and_then(|plan| response_times::table(set, plan));
        let tasks = tasks.map(|table| table.render(palette.header) + "\n");
        let texts = [Some(bound), Some(margin), Some(identity), taken, tasks, list];
        Ok(line + &texts.into_iter().flatten().collect::<String>())
    }
}

/// Returns a line that states whether the WCET margin of a plan and its limit are confirmed.
fn margin_line(margin: &CheckedMargin, effort: &Effort<'_>) -> String {
    let factor = |permille: u64| format!("{}.{:03}", permille / 1000, permille % 1000);
    let confirmed = match margin.confirmed {
        true => "confirmed",
        false => "not confirmed",
    };
    let limit = match &margin.limit {
        Ok(()) => "confirmed".to_owned(),
        Err(Some(why)) => format!("not confirmed, because {}", in_full(why, effort)),
        Err(None) => "not checked".to_owned(),
    };
    format!(
        "   WCET margin of {}: {confirmed}; no plan has a margin above {}: {limit}\n",
        factor(margin.stated),
        factor(margin.at_most)
    )
}

/// Returns the reason why a statement is not confirmed, with the option that may help.
fn in_full(why: &Unchecked, effort: &Effort<'_>) -> String {
    match why {
        Unchecked::Groups => format!(
            "{why}; a --search-effort above {} examines more of them",
            effort.groups
        ),
        _ => why.to_string(),
    }
}

/// Returns a line that states which part of the lower bound of a plan is confirmed.
fn bound_line(bound: &CheckedBound, schedulable: bool, effort: &Effort<'_>) -> String {
    let stated = counted(bound.stated, "SM");
    let why = bound.unchecked.as_ref().map(|why| in_full(why, effort));
    match (bound.proven, why) {
        (Some(sms), Some(why)) => {
            let sms = counted(sms, "SM");
            format!("   lower bound of {stated}: confirmed only for {sms}, because {why}\n")
        }
        (Some(_), None) => {
            format!("   lower bound of {stated}: confirmed, every plan has at least {stated}\n")
        }
        (None, Some(why)) => {
            let rest = if schedulable {
                "; the plan itself is confirmed"
            } else {
                ""
            };
            format!("   lower bound of {stated}: not confirmed, because {why}{rest}\n")
        }
        (None, None) => String::new(),
    }
}
