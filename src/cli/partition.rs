//! `gpusched partition`: which tasks share how many SMs.

mod export;
mod margin;
mod response_times;
mod sensitivity;
mod solver;

use std::time::Duration;

use super::test::decimals;
use super::{Global, Outcome};
use crate::cli::arguments::notes;
use crate::cli::arguments::{Answer, Case, Question, named, offer, whole};
use crate::cli::explanation;
use crate::cli::help::TUNING;
use crate::cli::report::{About, Column, Form, Palette, Report, Rows, Table, clip, numbered, wrap};
use crate::error::{Error, Result};
use crate::model::Policy;
use crate::model::assumptions::{Assumption, Basis};
use crate::model::device::{Granularity, Place};
use crate::model::plan::{EndedBy, Failure, Partition, Plan, Proof, SearchStats};
use crate::model::policy::Strength;
use crate::model::wcet::MAX_SMS;
use crate::model::words::counted;
use crate::partitioning::forbidden::Forbidden;
use crate::partitioning::order::{BfDirection, BfMeasure, ListOrder};
use crate::partitioning::{
    self, AUTO_BUDGET, Heuristic, HeuristicKind, MARGIN_SEARCHES, NoEffect, Objective, Offer, Options,
    Problem, Traffic, default_budget, listed, near_enough, partition_by,
};
use crate::schedulability::edf;
use crate::time::Time;
use solver::Solver;

/// Divides the SMs of a GPU among the tasks.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    #[command(flatten)]
    question: Question,
    /// Unit of a partition; requires `--gpu` [default: sm]
    #[arg(long, value_name = "NAME", value_parser = named::<Granularity>(), help_heading = "GPU")]
    granularity: Option<Granularity>,
    /// Search method [default: auto]
    #[arg(long, value_parser = named::<HeuristicKind>(), help_heading = "Search")]
    heuristic: Option<HeuristicKind>,
    /// Search objective [default: sms]
    ///
    /// `sms`: as few SMs as possible. `feasible`: the first plan that fits. `margin`: WCETs may grow the most; only with `auto` and
    /// `optimal`, others also with `savings`, `matching` or `--improve`.
    #[arg(long, value_name = "NAME", value_parser = named::<Objective>(), help_heading = "Search")]
    objective: Option<Objective>,
    /// Stop the search of `auto` or `optimal` after N tests
    ///
    /// Other work is converted to tests. The initial plan is always tested. The default is 100000. `auto` does more from 51 tasks on.
    /// `optimal` does 10000000, but 100000 with memory traffic. The option also limits `--improve`.
    #[arg(long, alias = "budget", value_name = "N", value_parser = whole::<u64>(1..), help_heading = "Search")]
    search_effort: Option<u64>,
    /// Stop this search after a time; the plan then depends on the machine
    #[arg(long, value_name = "TIME", help_heading = "Search")]
    time_limit: Option<Time>,
    /// Accepted optimality gap in SMs [default: 0]
    ///
    /// `auto` and `optimal` stop when a plan fits and has at most N SMs more than the lower bound.
    #[arg(long, value_name = "N", value_parser = whole(0..=u32::MAX), help_heading = "Search")]
    gap: Option<u32>,
    /// Local search after the heuristic
    #[arg(long, help_heading = "Search")]
    improve: bool,
    /// Forbidden pairs in `fewest-sms` and `bf` [default: ina]
    ///
    /// `ina` starts with an empty list and adds pairs of partitions whose merge failed. `act` first tests each pair of tasks.
    #[arg(long, value_name = "NAME", value_parser = named::<Forbidden>(), help_heading = TUNING)]
    forbidden: Option<Forbidden>,
    /// Order of their partitions [default: decreasing]
    #[arg(long, value_name = "NAME", value_parser = named::<ListOrder>(), help_heading = TUNING)]
    order: Option<ListOrder>,
    /// Measure of a merge in `bf` [default: utilization]
    #[arg(long, value_name = "NAME", value_parser = named::<BfMeasure>(), help_heading = TUNING)]
    bf_measure: Option<BfMeasure>,
    /// Order of merges in `bf` [default: ascending]
    #[arg(long, value_name = "NAME", value_parser = named::<BfDirection>(), help_heading = TUNING)]
    bf_direction: Option<BfDirection>,
    /// Equal partitions in `ffd` and `wfd` [default: smallest that fits]
    #[arg(long, value_name = "K", value_parser = whole(1..=MAX_SMS), help_heading = TUNING)]
    split: Option<u32>,
    /// Memory traffic in the search [default: all]
    ///
    /// Verdicts always count all traffic. `heed` counts it in every test, `gather` puts tasks with much traffic together, `ignore`
    /// searches without it, and `all` tries them in this order.
    #[arg(long, value_name = "NAME", value_parser = named::<Traffic>(), help_heading = TUNING)]
    traffic: Option<Traffic>,
    /// Solver of `optimal` [default: exact]
    #[arg(long, value_name = "NAME", value_parser = named::<Solver>(), help_heading = TUNING)]
    solver: Option<Solver>,
    /// Also report the WCET margin of each task, and spare and free SMs
    #[arg(long, help_heading = "Output")]
    sensitivity: bool,
    #[command(flatten)]
    export: export::Export,
}

const EXAMPLE: &str = "\
Examples:
  gpusched partition tasksets/tasksets/adas.json --gpu xavier
  gpusched partition tasksets/tasksets/adas.json --sms 12 --heuristic optimal -o plan.json
  gpusched partition tasksets/tasksets/shared-memory.json --gpu xavier \\
    --interference conflict+bandwidth --memory-bandwidth 100GB/s
  gpusched partition tasksets/tasksets/adas.json --gpu a100 --granularity tpc --export libsmctrl";

const COLUMNS: &str = "set,name,schedulable,failure,sms_used,partition,sms,tasks,utilization,slack_ns,reason,bound,gap,\
    ended_by,wcet_scaling_permille,at_most_permille";

impl Args {
    /// Answers for each task set.
    ///
    /// # Errors
    /// Bad usage, bad input, or output that cannot be written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        let heuristic = self.heuristic()?;
        let (form, replaced) = (Form::of(global), self.export.replaces_answer());
        let header = match replaced {
            true => String::new(),
            false => form.header(COLUMNS),
        };
        let offer = offer(self.question.device(), self.granularity)?;
        self.export.check(global, offer.as_ref(), self.sensitivity)?;
        let beside = self.export.beside();
        self.question
            .ask(global, (&header, beside), offer.as_ref(), |case| {
                let mut plan = partition_by(&case.problem, &heuristic, self.traffic.unwrap_or_default());
                if case.notes_on_conflict(&self.question) {
                    notes::conflict(case.set, &plan);
                }
                if self.sensitivity {
                    plan.sensitivity = partitioning::sensitivity(&case.problem, &plan);
                }
                let assumptions = Basis::of_plan(&plan, case.set).assumptions();
                plan.assumptions = Some(Assumption::listed(assumptions, case.alone));
                let exported = self.export.run(case, &plan)?;
                let schedulable = plan.schedulable;
                let text = match (replaced, &exported) {
                    (true, exported) => exported.clone().unwrap_or_default(),
                    (false, _) => form.render(&About((self, case), plan))?,
                };
                Ok(Answer {
                    positive: schedulable,
                    beside: exported.filter(|_| beside.is_some()),
                    text,
                })
            })
    }

    /// The heuristic that was named, or the default.
    fn kind(&self) -> HeuristicKind {
        self.heuristic.unwrap_or_default()
    }

    /// The options of the heuristic.
    ///
    /// # Errors
    /// [`Error::Refused`] for a solver that this build lacks.
    fn options(&self) -> Result<Options> {
        Ok(Options {
            improve: self.improve,
            objective: self.objective,
            search_effort: self.search_effort,
            time_limit: self.time_limit.map(|limit| Duration::from_nanos(limit.ns())),
            forbidden: self.forbidden,
            order: self.order,
            bf_measure: self.bf_measure,
            bf_direction: self.bf_direction,
            split: self.split,
            solver: self.solver.map(Solver::of_the_library).transpose()?,
            gap: self.gap,
        })
    }

    /// Whether a short search by the same heuristic finds any plan for `problem`, and its tests.
    fn finds(&self, problem: &Problem<'_>) -> (bool, u64) {
        let options = self.options().unwrap_or_default();
        let short = Options {
            search_effort: Some(options.search_effort.unwrap_or(AUTO_BUDGET).min(AUTO_BUDGET)),
            objective: Some(Objective::Feasible),
            gap: None,
            ..options
        };
        let heuristic = { self.kind().with(&short) }.or_else(|_| self.kind().with(&options));
        let Ok(heuristic) = heuristic else {
            return (false, 0);
        };
        let plan = partition_by(problem, &heuristic, self.traffic.unwrap_or_default());
        let stats = plan.stats;
        let tests = stats.merges_tested.saturating_add(stats.other_work);
        (plan.schedulable, tests.saturating_add(stats.prefill_merges))
    }

    /// The heuristic with its options.
    ///
    /// # Errors
    /// [`Error::Refused`] for an option that would have no effect, or more partitions than SMs.
    fn heuristic(&self) -> Result<Heuristic> {
        let heuristic = self
            .kind()
            .with(&self.options()?)
            .map_err(|error| self.refusal(&error))?;
        if self.traffic.is_some() && self.question.memory()?.is_none() {
            return Err(Error::parameter(
                "traffic",
                "a model without memory traffic",
                "--interference conflict+bandwidth or bandwidth, where the option has an effect",
            ));
        }
        self.check_gap()?;
        let sms = self.question.sms()?;
        if let Some(split) = self.split.filter(|&split| split > sms) {
            return Err(Error::parameter(
                "split",
                split,
                format!("at most the {} of the GPU", counted(sms, "SM")),
            ));
        }
        Ok(heuristic)
    }

    /// `refused` as a refusal of an option.
    fn refusal(&self, refused: &NoEffect) -> Error {
        let heuristic = self.kind();
        let named = match self.heuristic {
            Some(heuristic) => format!("--heuristic {heuristic}"),
            None => format!("the default heuristic {heuristic}"),
        };
        let (found, expected) = match refused {
            NoEffect::Option { with, or_improve, .. } => {
                let improve = if *or_improve {
                    ", or --improve beside it"
                } else {
                    ""
                };
                (
                    named,
                    format!("{}{improve}, where the option has an effect", listed(with)),
                )
            }
            NoEffect::Improve { after } => {
                let why = match heuristic {
                    HeuristicKind::OneGpu => "whose one partition leaves nothing to divide anew",
                    _ => "which has a local search of its own, so that another one after it has no effect",
                };
                (
                    format!("{named}, {why}"),
                    format!("no --improve, or it after {}", listed(after)),
                )
            }
            NoEffect::GapBeside { gap, objective } => (
                format!("{gap} with --objective {objective}"),
                "--objective sms, where the option has an effect".to_owned(),
            ),
        };
        Error::parameter(refused.option(), found, expected)
    }

    /// # Errors
    /// [`Error::Refused`] for a gap to a bound that nothing is compared with.
    fn check_gap(&self) -> Result<()> {
        let Some(gap) = self.gap else {
            return Ok(());
        };
        if self.traffic == Some(Traffic::Heed) {
            return Err(Error::parameter(
                "gap",
                format!("{gap} with --traffic heed"),
                "another --traffic, where gpusched compares the plan with a lower bound",
            ));
        }
        if near_enough(self.granularity) {
            return Ok(());
        }
        Err(Error::parameter(
            "gap",
            format!(
                "{gap} with --granularity {}",
                self.granularity.unwrap_or_default()
            ),
            "sm, tpc, green-context or mps, where gpusched compares the plan with a lower bound",
        ))
    }

    /// The answer first, in color, then on how many SMs or why not.
    fn headline(&self, case: &Case<'_>, plan: &Plan, palette: &Palette) -> String {
        let on = format!("on {} of {}", plan.sms_used, counted(case.problem.sms(), "SM"));
        match &plan.failure {
            None if self.question.policy().strength() == Strength::NecessaryOnly => {
                let style = palette.good;
                format!(
                    "{style}NECESSARY CONDITION HOLDS{style:#} {on} ({} proves nothing)",
                    self.question.policy()
                )
            }
            None => {
                let style = palette.good;
                format!("{style}SCHEDULABLE{style:#} {on}")
            }
            Some(Failure::HeuristicFailed) => {
                let style = palette.bad;
                format!(
                    "{style}NO PLAN FOUND{style:#} by heuristic `{}` (a plan may still exist)",
                    self.kind()
                )
            }
            Some(failure) if self.is_open(failure) => {
                let (style, policy) = (palette.bad, self.question.policy());
                let why = match failure {
                    Failure::TaskDoesNotFit { task } => {
                        format!(
                            "task #{task} fails it even alone on all SMs{}",
                            case.naming(Some(*task))
                        )
                    }
                    _ => "every plan that passes it needs more SMs than the GPU has".to_owned(),
                };
                format!("{style}NO PLAN FOUND{style:#} under the sufficient test `{policy}`: {why}")
            }
            Some(failure) => {
                let style = palette.bad;
                let task = failure.task();
                // "All SMs" are those of the largest partition there is.
                let largest = case.problem.offer().map(Offer::largest);
                let largest = largest.filter(|&sms| task.is_some() && sms < case.problem.sms());
                let largest =
                    largest.map(|sms| format!("; the largest partition has {}", counted(sms, "SM")));
                format!(
                    "{style}NOT SCHEDULABLE{style:#}: {failure}{}{}",
                    case.naming(task),
                    largest.unwrap_or_default()
                )
            }
        }
    }

    /// Whether a plan may exist in spite of `failure`, which rests on a test that is only sufficient.
    fn is_open(&self, failure: &Failure) -> bool {
        let by_test = matches!(failure, Failure::TaskDoesNotFit { .. } | Failure::BoundExceedsGpu);
        by_test && self.question.policy().strength() == Strength::Sufficient
    }

    /// What to do where no plan was found and none is excluded.
    fn advice(&self, case: &Case<'_>, plan: &Plan) -> &'static str {
        if plan.failure != Some(Failure::HeuristicFailed) {
            return "";
        }
        if explanation::lacks_traffic(case) {
            return "\nhint: state the `traffic` of each task\n";
        }
        // With memory traffic, no search proves that there is no plan.
        match (self.kind(), plan.stats.ended_by) {
            (HeuristicKind::Auto | HeuristicKind::Optimal, None) if plan.memory.is_some() => "",
            (_, Some(EndedBy::Budget)) => "\nhint: try a larger `--search-effort`\n",
            (_, Some(EndedBy::Time)) => "\nhint: try a longer `--time-limit`\n",
            (HeuristicKind::Auto, _) => "\nhint: try `--heuristic optimal` for a plan or a proof\n",
            (HeuristicKind::Optimal, _) => "",
            _ if plan.memory.is_some() => "\nhint: try `--heuristic auto`\n",
            _ => "\nhint: try `--heuristic auto`, or `--heuristic optimal` for a proof\n",
        }
    }

    /// All there is to say about one task set.
    fn report(&self, case: &Case<'_>, plan: &Plan, palette: &Palette) -> String {
        let mut text = format!(
            "{}\n{}: {}, heuristic {}, each partition under {}\n",
            self.headline(case, plan, palette),
            case.set
                .name()
                .map_or("task set".to_owned(), |name| clip(name, 40)),
            counted(case.set.tasks().len(), "task"),
            self.kind(),
            self.question.test_name()
        );
        if plan.failure.is_some() {
            let find = |problem: &Problem<'_>| self.finds(problem);
            text += &explanation::of_plan(&self.question, case, plan, &find);
            text += self.advice(case, plan);
        }
        if !plan.partitions.is_empty() {
            text.push('\n');
            text += &self.table(case, plan).render(palette.header);
            if let Some(table) = response_times::table(case, plan) {
                text.push('\n');
                text += &table.render(palette.header);
            }
        }
        if let Some(bound) = &plan.bound {
            let gap = plan.sms_used.saturating_sub(bound.sms);
            text += &format!(
                "\nlower bound: {} ({}){}\n",
                counted(bound.sms, "SM"),
                match bound.proof {
                    Proof::Prices => "by prices",
                    Proof::Search => "by complete search",
                },
                match gap {
                    // More SMs may not help such a plan.
                    _ if plan.memory.is_some() && !plan.schedulable => ", without memory traffic".to_owned(),
                    0 => ", gap 0: no plan has fewer".to_owned(),
                    _ => format!(", gap {gap}"),
                }
            );
            if let Some(claimed) = bound.highs {
                text += &format!(
                    "HiGHS: no plan has fewer than {} (floating point, no proof)\n",
                    counted(claimed, "SM")
                );
            }
        }
        if let Some(margin) = &plan.margin {
            text += &margin::line(margin);
        }
        if let Some(sensitivity) = &plan.sensitivity {
            text += &sensitivity::edge(case, sensitivity, palette);
        }
        let stats = plan.stats;
        let dim = palette.dim;
        if stats == SearchStats::default() {
            return text; // a lemma decided
        }
        text += &format!(
            "\n{dim}search: {} tested{} in {}{dim:#}",
            counted(stats.merges_tested, "merge"),
            match stats.other_work {
                0 => String::new(),
                other => format!(", and other work that takes as long as {other} more,"),
            },
            microseconds(stats.search_ns)
        );
        if stats.prefill_merges > 0 {
            text += &format!(
                "{dim}, before it {} to fill the forbidden list in {}{dim:#}",
                stats.prefill_merges,
                microseconds(stats.prefill_ns)
            );
        }
        text.push('\n');
        let tasks = plan
            .partitions
            .iter()
            .map(|partition| partition.tasks.len())
            .sum();
        text + &stats.ended_by.map_or(String::new(), |by| {
            self.ended_by(by, tasks, plan.memory.is_some())
        })
    }

    /// What ended the search, and which option would let it go on.
    fn ended_by(&self, by: EndedBy, tasks: usize, beside_memory: bool) -> String {
        match by {
            EndedBy::Budget => {
                let searches = match self.objective {
                    Some(Objective::Margin) => MARGIN_SEARCHES,
                    _ => 1,
                };
                // Beside a memory, searches with and without traffic differ in what they may spend.
                let default = (!beside_memory).then(|| searches * default_budget(self.kind(), tasks, false));
                let effort = self.search_effort.or(default);
                let effort = effort.map_or(String::new(), |effort| format!(" after {} of work", counted(effort, "test")));
                format!("it ended{effort}; a larger --search-effort may lead to a better answer\n")
            }
            EndedBy::Time => "it ended by --time-limit; a longer one may lead to a better answer\n".to_owned(),
            EndedBy::Choices => {
                "it is incomplete: there are more candidate partitions than it examines with any --search-effort\n".to_owned()
            }
        }
    }

    fn table(&self, case: &Case<'_>, plan: &Plan) -> Table {
        let with_slack = self.question.policy() == Policy::Edf && case.problem.memory().is_none();
        let failed = |partition: &Partition| !partition.verdict.schedulable;
        let with_verdict = plan.partitions.iter().any(failed);
        let mut columns = vec![
            Column::Right("partition"),
            Column::Right("SMs"),
            Column::Left("tasks"),
            Column::Right("utilization"),
        ];
        if with_slack {
            columns.push(Column::Right("slack"));
        }
        // Which single SMs a partition has is arbitrary: no tool can reserve them.
        let told = |place: &Place| !matches!(place, Place::Sms(_));
        let with_place = plan
            .partitions
            .iter()
            .any(|partition| partition.place.as_ref().is_some_and(told));
        if with_place {
            columns.push(Column::Left("place"));
        }
        if with_verdict {
            columns.push(Column::Left("verdict"));
        }
        let mut table = Table::new(columns);
        for (index, partition) in plan.partitions.iter().enumerate() {
            let names = partition
                .tasks
                .iter()
                .map(|&task| clip(&case.set.label(task), 40));
            let utilization = case.problem.utilization(&partition.tasks, partition.sms);
            let mut row = vec![
                index.to_string(),
                partition.sms.to_string(),
                wrap(names, 60),
                decimals(utilization),
            ];
            if with_slack {
                row.push(slack(case, partition).map_or("-".to_owned(), |slack| slack.to_string()));
            }
            if with_place {
                let place = partition.place.as_ref().map(ToString::to_string);
                row.push(wrap(place.unwrap_or_default().split(", ").map(str::to_owned), 40));
            }
            if with_verdict {
                let evidence = &partition.verdict.evidence;
                row.push(format!("{evidence}{}", case.naming(evidence.task())));
            }
            table.row(row);
        }
        table
    }
}

impl Report for About<(&Args, &Case<'_>), Plan> {
    /// One row per partition; a row without partition where there is none.
    fn rows(&self, rows: &mut Rows) -> Result<()> {
        let About((args, case), plan) = self;
        let system = (
            case.index,
            case.set.name(),
            plan.schedulable,
            plan.failure.as_ref().map(Failure::reason),
            plan.sms_used,
        );
        let bound = plan.bound.as_ref().map(|bound| bound.sms);
        let gap = bound.and_then(|bound| plan.sms_used.checked_sub(bound));
        let (margin, edge) = (plan.margin.as_ref(), plan.sensitivity.as_ref());
        let scaling = margin.map(|margin| margin.wcet_scaling_permille);
        let search = (
            (bound, gap, plan.stats.ended_by.map(EndedBy::name)),
            scaling.or(edge.map(|edge| edge.wcet_scaling_permille)),
            margin.map(|margin| margin.at_most_permille),
        );
        if plan.partitions.is_empty() {
            return rows.add((system, [""; 6], search));
        }
        for (index, partition) in plan.partitions.iter().enumerate() {
            let tasks: Vec<String> = partition.tasks.iter().map(usize::to_string).collect();
            let utilization = case.problem.utilization(&partition.tasks, partition.sms);
            let slack = (args.question.policy() == Policy::Edf)
                .then(|| slack(case, partition))
                .flatten();
            let own = (
                index,
                partition.sms,
                tasks.join(" "),
                utilization.map(|u| format!("{:.6}", u.as_f64())),
                slack.map(Time::ns),
                partition.verdict.evidence.reason(),
            );
            rows.add((system, own, search))?;
        }
        Ok(())
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let About((args, case), plan) = self;
        Ok(match case.alone {
            true => {
                let list = plan.assumptions.as_deref().filter(|_| !case.quiet);
                let list = list.map(|list| format!("\n{}", numbered(list)));
                args.report(case, plan, palette) + &list.unwrap_or_default()
            }
            false => {
                let headline = args.headline(case, plan, palette);
                format!("{}: {headline}{}\n", case.index, case.in_brackets())
            }
        })
    }
}

fn slack(case: &Case<'_>, partition: &Partition) -> Option<Time> {
    if case.problem.memory().is_some() {
        return None; // what others take is not known to be less
    }
    let demands = case.problem.demands(&partition.tasks, partition.sms).ok()?;
    edf::slack(&demands)
}

/// A measured time: its nanoseconds are noise.
fn microseconds(ns: u64) -> Time {
    Time::from_ns(ns - ns % 1_000)
}
