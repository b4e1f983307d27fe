//! `gpusched test`: tests all tasks in one partition.

use crate::arguments::notes;
use crate::arguments::{Answer, Case, Request, TimeSharing};
use crate::plans::end_to_end::{self, Input};
use crate::plans::explanation;
use crate::report::{About, Cell, Form, Output, Palette, Report, Table, clip, json_lines, numbered_for};
use crate::{Global, Outcome, Run};
use gpusched_analysis::schedulability::{self, Demand};
use gpusched_model::assumptions::{Assumption, Basis, Ports};
use gpusched_model::counted;
use gpusched_model::end_to_end::Draft;
use gpusched_model::error::{Error, Result};
use gpusched_model::policy::Strength;
use gpusched_model::reader::TaskSets;
use gpusched_model::time::Time;
use gpusched_model::{Evidence, Identity, Kind, Policy, Task, TaskSet, Utilization, Verdict};
use serde::Serialize;

/// Arguments of `gpusched test`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    #[command(flatten)]
    request: Request,
    /// Also report response-time bounds under `edf`
    ///
    /// Under fixed-priority policies, gpusched always reports response-time bounds.
    #[arg(long, help_heading = "Output")]
    response_times: bool,
    /// Release the segments of each job at fixed times, by timers
    ///
    /// Only for end-to-end systems.
    #[arg(long, help_heading = "Analysis")]
    enforce: bool,
    /// Also report the largest factors by which WCETs may grow
    ///
    /// Only for end-to-end systems.
    #[arg(long, help_heading = "Output")]
    sensitivity: bool,
    #[command(flatten)]
    sharing: TimeSharing,
}

/// Result of `test`: a verdict, with response times if gpusched computes them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Verdict", deny_unknown_fields))]
pub struct Response {
    /// Whether the tasks pass the schedulability test.
    schedulable: bool,
    /// Scheduling policy and test.
    policy: Policy,
    /// Strength of the test.
    strength: Strength,
    /// Evidence for the verdict.
    evidence: Evidence,
    /// Bound on the response time of each task, from arrival to completion [ns]. A bound may exceed the deadline. An
    /// entry is null if the response time is unbounded, or if gpusched knows no bound. The field is present under fixed
    /// priorities, np-fifo and concurrent, and under edf with --response-times.
    #[serde(skip_serializing_if = "Option::is_none")]
    response_times_ns: Option<Vec<Option<Time>>>,
    /// Assumptions of the verdict that gpusched does not check.
    #[cfg_attr(feature = "schema", schemars(default))]
    assumptions: Vec<Assumption>,
    /// Task set, options and version that led to the verdict. Absent in verdicts of older versions.
    #[cfg_attr(feature = "schema", schemars(default))]
    #[serde(skip_serializing_if = "Option::is_none")]
    identity: Option<Identity>,
}

const EXAMPLE: &str = "\
Task sets and tasks are numbered from 0.

Examples:
  gpusched test tasksets/tasksets/adas.json --gpu rtx2060
  gpusched test tasksets/tasksets/adas.json --sms 24 --policy np-fp
  gpusched test tasksets/tasksets/adas.json --gpu rtx2060 --format json
  gpusched test tasksets/tasksets/shared-memory.json --gpu h100 --time-slice 2ms --switch 100us --overrun 100us
  gpusched test tasksets/end_to_end/waters2019-iii-alt-fp-avg.json";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let sets = match (Input::open(self.request.path())?, self.sharing.is_given()) {
            (Input::Sets(sets), false) => sets,
            (Input::Sets(sets), true) => return self.share(sets, global),
            (Input::Systems(_), true) => {
                let expected = "a task set (a system states the slices of its contexts)";
                return Err(Error::parameter("time_slice", "an end-to-end system", expected));
            }
            (Input::Systems(systems), false) => {
                self.request.refuse_for_systems()?;
                let file = systems.file().to_owned();
                return self.test_systems(&file, systems, Output::open(global)?, global);
            }
        };
        if self.sensitivity {
            return Err(Error::parameter(
                "sensitivity",
                "a task set",
                "an end-to-end system (for a task set, use `gpusched partition`)",
            ));
        }
        if self.enforce {
            return Err(Error::parameter(
                "enforce",
                "a task set",
                "an end-to-end system, whose tasks have segments",
            ));
        }
        let policy = self.request.policy();
        if self.response_times && !(policy == Policy::Edf || bounds_responses(policy)) {
            return Err(Error::parameter(
                "response_times",
                format!("--policy {policy}"),
                "edf, np-fifo, concurrent or a fixed-priority policy, for which gpusched computes response times",
            ));
        }
        if self.response_times && self.request.memory()?.is_some() && !bounds_responses(policy) {
            return Err(Error::parameter(
                "response_times",
                format!("--policy {policy} with memory traffic"),
                "a fixed-priority policy, for which gpusched computes response times",
            ));
        }
        let form = Form::of(global);
        self.request.ask(global, sets, None, None, |case| {
            let verdict = case.problem.verdict(&all(case), case.problem.sms());
            if case.notes_on_conflict(&self.request) {
                notes::conflict_in(case.set, std::iter::once(&all(case)[..]));
            }
            Ok(Answer {
                positive: verdict.schedulable,
                text: form.render(&About((self, case, global), verdict), case.index == 0)?,
                beside: None,
            })
        })
    }
}

impl Args {
    /// Tests task sets whose tasks share the GPU by time slices.
    fn share(&self, mut sets: TaskSets, global: &Global) -> Result<Outcome> {
        let policy = self.request.stated_policy();
        self.sharing.check(policy)?;
        self.request.refuse_arbitration()?;
        let sms = self.request.sms()?;
        let environment = self.request.environment()?;
        let file = sets.file().to_owned();
        let mut noted = notes::Notes::default();
        let mut system = |line: usize, set: &TaskSet| {
            noted.time_sliced(set, self.request.device(), global.quiet);
            let system = self.sharing.system((set, sms), policy, environment, global);
            Ok::<Draft, Error>(system.map_err(|refusal| refusal.at(&file, line))?)
        };
        let mut output = Output::open(global)?;
        let beside = output.beside(self.sharing.system.as_ref())?;
        if let Some(beside) = beside {
            let (first, next) = (sets.next().transpose()?, sets.next().transpose()?);
            let (Some((line, set)), None) = (first, next) else {
                return Err(Error::parameter("system", "several task sets", "one task set"));
            };
            let draft = system(line, &set)?;
            output.complete(beside, json_lines([&draft])?)?;
            let systems = std::iter::once(Ok((line, draft)));
            return self.test_systems(&file, systems, output, global);
        }
        let systems = sets.map(|read| {
            let (line, set) = read?;
            Ok((line, system(line, &set)?))
        });
        self.test_systems(&file, systems, output, global)
    }

    fn test_systems(
        &self,
        file: &str,
        systems: impl Iterator<Item = Result<(usize, Draft)>>,
        output: Output,
        global: &Global,
    ) -> Result<Outcome> {
        let options = (self.enforce, self.sensitivity);
        end_to_end::test(
            file,
            systems,
            self.request.environment()?,
            options,
            output,
            global,
        )
    }
}

/// Returns the positions of all tasks in the task set.
fn all(case: &Case<'_>) -> Vec<usize> {
    (0..case.set.tasks().len()).collect()
}

impl Report for About<(&Args, &Case<'_>, &Global), Verdict> {
    fn json(&self) -> Result<String> {
        let About((args, case, global), verdict) = self;
        json_lines([Response {
            schedulable: verdict.schedulable,
            policy: verdict.policy,
            strength: verdict.strength,
            evidence: verdict.evidence.clone(),
            response_times_ns: args.response_times(case, verdict),
            assumptions: args.assumptions(case),
            identity: Some(global.identity(case.set, args.request.device(), case.alone)),
        }])
    }

    fn table(&self) -> Table {
        let About((_, case, _), verdict) = self;
        let sms = case.problem.sms();
        let table = Table::of([verdict])
            .exact("set", |_| case.index)
            .exact("name", |_| case.set.name())
            .exact("schedulable", |verdict| verdict.schedulable)
            .exact("policy", |verdict| verdict.policy.to_string())
            .exact("reason", |verdict| verdict.evidence.reason())
            .exact("strength", |verdict| verdict.strength.to_string())
            .exact("sms", |_| sms)
            .exact("utilization", |_| {
                let utilization = case.problem.utilization(&all(case), sms);
                utilization.map(|utilization| format!("{:.6}", utilization.as_f64()))
            })
            .exact("evidence", |verdict| verdict.evidence.to_string());
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let About((args, case, _), verdict) = self;
        Ok(match case.alone {
            true => args.report(case, verdict, palette),
            false => line(case, verdict, palette),
        })
    }
}

impl Args {
    /// Returns the assumptions of the verdict.
    fn assumptions(&self, case: &Case<'_>) -> Vec<Assumption> {
        let basis = Basis {
            set: case.set,
            policies: vec![self.request.policy()],
            interference: Some(self.request.interference()),
            variation_percent: case.problem.variation_percent().unwrap_or_default(),
            memory: case.problem.memory(),
            overheads: case.problem.overheads(),
            unmeasured_overheads: { self.request.overheads_origin() }
                .is_some_and(|origin| !origin.is_of_gpu()),
            granularity: None,
            device: self.request.device(),
            several: false,
            ports: Ports::Unknown,
        };
        Assumption::listed(basis.assumptions(), case.alone)
    }

    /// Returns the response-time bounds under fixed priorities and FIFO, and with `--response-times`, or `None` in all other
    /// cases.
    fn response_times(&self, case: &Case<'_>, verdict: &Verdict) -> Option<Vec<Option<Time>>> {
        let policy = self.request.policy();
        if !self.response_times && !bounds_responses(policy) {
            return None;
        }
        if case.problem.memory().is_some() {
            return match &verdict.evidence {
                Evidence::ResponseTimes {
                    response_times_ns, ..
                } => Some(response_times_ns.iter().copied().map(Some).collect()),
                _ => None,
            };
        }
        let demands = case.problem.demands(&all(case), case.problem.sms()).ok()?;
        schedulability::response_times(policy, &demands)
    }

    /// Returns the full text for one task set.
    fn report(&self, case: &Case<'_>, verdict: &Verdict, palette: &Palette) -> String {
        let times = self.response_times(case, verdict);
        let tasks = &all(case);
        let sms = case.problem.sms();
        let name = case
            .set
            .name()
            .map_or("task set".to_owned(), |name| clip(name, 40));
        let mut text = format!(
            "{}: {name}, {} in one partition of {}{}{}, under {}\n{}{}\n\n",
            headline(verdict, palette),
            counted(tasks.len(), "task"),
            counted(sms, "SM"),
            self.request.interference_in_words(),
            self.request.overheads_in_words(case.set),
            self.request.policy_in_words(),
            verdict.evidence,
            case.naming(verdict.evidence.task())
        );
        let jitter = |task: &Task| case.problem.jitter(task);
        let with_jitter = case.set.tasks().iter().any(|task| jitter(task) > Time::ZERO);
        // With overheads, the columns contain the sums C + o and J + w.
        let (wcet_title, jitter_title) = match case.problem.overheads() {
            Some(_) => ("C'(m)", "J'"),
            None => ("C(m)", "J"),
        };
        let with_block = case.set.tasks().iter().any(|task| task.block().is_some());
        let demands = case.problem.demands(tasks, sms);
        let demand = |index: usize| demands.as_ref().ok().and_then(|demands| demands.get(index));
        let table = Table::of(case.set.tasks().iter().enumerate())
            .number("#", |(index, _)| *index)
            .text("task", |(_, task)| {
                Cell::or(task.name().map(|name| clip(name, 40)), "-")
            })
            .foot("total")
            .text("kind", |(_, task)| match task.kind() {
                Some(Kind::Compute) => "compute",
                Some(Kind::Memory) => "memory",
                None => "-",
            })
            .time(wcet_title, |(index, _)| {
                Cell::or(demand(*index).map(|demand| demand.wcet), "?")
            })
            .when(with_block, |table| {
                table.time("block", |(index, _)| {
                    Cell::or(demand(*index).map(|demand| demand.block), "?")
                })
            })
            .when(with_jitter, |table| {
                table.time(jitter_title, |(_, task)| jitter(task))
            })
            .each(&times, |table, times| {
                table.time("response", |(index, _)| {
                    Cell::or(times.get(*index).copied().flatten(), "?")
                })
            })
            .time("D", |(_, task)| task.deadline())
            .time("T", |(_, task)| task.period())
            .number("utilization", |(index, _)| {
                let utilization = |demand: &Demand| Utilization::of(demand.wcet, demand.period);
                decimals(demand(*index).map(utilization))
            })
            .foot(decimals(case.problem.utilization(tasks, sms)));
        text += &table.done().render(palette.header);
        if !verdict.schedulable {
            text.push('\n');
            text += &explanation::of_verdict(&self.request, case, verdict);
        }
        if !case.quiet {
            let open = matches!(
                verdict.evidence,
                Evidence::BoundExceeded | Evidence::Undecided { .. }
            );
            let negative = !verdict.schedulable && !open;
            text += &format!("\n{}", numbered_for(&self.assumptions(case), negative));
        }
        text
    }
}

/// Whether the test of `policy` computes response-time bounds.
fn bounds_responses(policy: Policy) -> bool {
    matches!(
        policy,
        Policy::FixedPriority(..) | Policy::NpFifo | Policy::Concurrent
    )
}

/// Returns the verdict as a colored text of one to three words.
fn headline(verdict: &Verdict, palette: &Palette) -> String {
    let words = match (verdict.schedulable, verdict.strength) {
        (true, Strength::NecessaryOnly) => "NECESSARY CONDITION HOLDS",
        (true, _) => "SCHEDULABLE",
        (false, Strength::Sufficient) if verdict.evidence == Evidence::BoundExceeded => "BOUND EXCEEDED",
        (false, _) if matches!(verdict.evidence, Evidence::Undecided { .. }) => "INCONCLUSIVE",
        (false, _) => "NOT SCHEDULABLE",
    };
    palette.verdict(verdict.schedulable, words)
}

/// Returns one line for a list of task sets.
fn line(case: &Case<'_>, verdict: &Verdict, palette: &Palette) -> String {
    format!(
        "{}: {}: {}{}{}\n",
        case.index,
        headline(verdict, palette),
        verdict.evidence,
        case.naming(verdict.evidence.task()),
        case.in_brackets()
    )
}

/// Returns a utilization with three decimals.
pub(super) fn decimals(utilization: Option<Utilization>) -> String {
    utilization.map_or("?".to_owned(), |u| format!("{:.3}", u.as_f64()))
}
