//! `gpusched partition`: which tasks share how many SMs.

mod export;
mod margin;
mod response_times;
mod sensitivity;
mod solver;

use std::time::Duration;

use super::test::decimals;
use super::{Global, Outcome};
use crate::cli::arguments::{Answer, Case, Question, named, offer, whole};
use crate::cli::report::{About, Column, Form, Palette, Report, Rows, Table, clip, wrap};
use crate::error::{Error, Result};
use crate::model::Policy;
use crate::model::device::{Granularity, Place};
use crate::model::plan::{EndedBy, Failure, Partition, Plan, Proof, SearchStats};
use crate::model::policy::Strength;
use crate::model::wcet::MAX_SMS;
use crate::model::words::counted;
use crate::partitioning::forbidden::Forbidden;
use crate::partitioning::order::{BfDirection, BfMeasure, ListOrder};
use crate::partitioning::{
    self, Heuristic, HeuristicKind, MARGIN_SEARCHES, NoEffect, Objective, Offer, Options, Traffic,
    default_budget, listed, near_enough, partition_by,
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
    /// How partitions are found.
    #[arg(long, value_parser = named::<HeuristicKind>(), default_value_t)]
    heuristic: HeuristicKind,
    /// sms, bf: how the list of forbidden pairs is filled [default: ina].
    #[arg(long, value_parser = named::<Forbidden>())]
    forbidden: Option<Forbidden>,
    /// sms, bf: how the list of partitions is kept [default: decreasing].
    #[arg(long, value_parser = named::<ListOrder>())]
    order: Option<ListOrder>,
    /// bf: what the utilization of a prospective merge means [default: utilization].
    #[arg(long, value_parser = named::<BfMeasure>())]
    bf_measure: Option<BfMeasure>,
    /// bf: which utilization is preferred [default: ascending].
    #[arg(long, value_parser = named::<BfDirection>())]
    bf_direction: Option<BfDirection>,
    /// ffd, wfd: the number of equal partitions [default: the smallest that fits].
    #[arg(long, value_name = "K", value_parser = whole(1..=MAX_SMS))]
    split: Option<u32>,
    /// conflict+bandwidth, bandwidth: what the search makes of memory traffic [default: all].
    #[arg(long, value_parser = named::<Traffic>())]
    traffic: Option<Traffic>,
    /// savings, matching, auto, optimal, and --improve: what to aim for; margin with auto and optimal alone [default: sms].
    #[arg(long, value_parser = named::<Objective>())]
    objective: Option<Objective>,
    /// Follow the heuristic with local search: a few partitions are divided anew, again and again.
    #[arg(long)]
    improve: bool,
    /// auto, optimal, and --improve: test at most so many groups of tasks, or do as much other work; what the search starts from is tested whatever the budget [default: 100000, of auto more beyond 50 tasks; optimal: 10000000, but where partitions share a memory 100000].
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..))]
    budget: Option<u64>,
    /// auto, optimal, and --improve: stop after so much time, such as 50ms, if that is earlier; the plan then depends on the machine.
    #[arg(long, value_name = "TIME")]
    time_limit: Option<Time>,
    /// auto, optimal: stop as soon as the plan fits and has at most N SMs more than the lower bound [default: 0].
    #[arg(long, value_name = "N", value_parser = whole(0..=u32::MAX))]
    gap: Option<u32>,
    /// optimal: what chooses among known groups; highs needs a build with the cargo feature of that name [default: exact].
    #[arg(long, value_parser = named::<Solver>())]
    solver: Option<Solver>,
    /// --gpu: what a partition consists of [default: sm].
    #[arg(long, value_parser = named::<Granularity>())]
    granularity: Option<Granularity>,
    #[command(flatten)]
    export: export::Export,
    /// Also say how far the plan is from the edge: the largest WCET scaling of each task, spare and free SMs.
    #[arg(long)]
    sensitivity: bool,
}

const EXAMPLE: &str = "\
Slack (edf) is the extra work that any one busy period of a partition absorbs without a deadline miss.
Task sets, partitions and tasks are numbered from 0.

Examples:
  gpusched partition tasksets/tasksets/adas.json --gpu xavier
  gpusched partition tasksets/tasksets/adas.json --sms 12 --heuristic bf --forbidden act -o plan.json
  gpusched partition tasksets/tasksets/adas.json --gpu a100 --granularity tpc --export libsmctrl";

const COLUMNS: &str = "set,name,schedulable,failure,sms_used,partition,sms,tasks,utilization,slack_ns,reason,bound,gap,ended_by,wcet_scaling_permille,at_most_permille";

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
                if self.sensitivity {
                    plan.sensitivity = partitioning::sensitivity(&case.problem, &plan);
                }
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

    /// The heuristic with its options.
    ///
    /// # Errors
    /// [`Error::Refused`] for an option that would have no effect, or more partitions than SMs.
    fn heuristic(&self) -> Result<Heuristic> {
        let options = Options {
            improve: self.improve,
            objective: self.objective,
            budget: self.budget,
            time_limit: self.time_limit.map(|limit| Duration::from_nanos(limit.ns())),
            forbidden: self.forbidden,
            order: self.order,
            bf_measure: self.bf_measure,
            bf_direction: self.bf_direction,
            split: self.split,
            solver: self.solver.map(Solver::of_the_library).transpose()?,
            gap: self.gap,
        };
        let heuristic = self
            .heuristic
            .with(&options)
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
        let heuristic = self.heuristic;
        let (found, expected) = match refused {
            NoEffect::Option { with, or_improve, .. } => {
                let improve = if *or_improve {
                    ", or --improve beside it"
                } else {
                    ""
                };
                (
                    format!("--heuristic {heuristic}"),
                    format!("{}{improve}, where the option has an effect", listed(with)),
                )
            }
            NoEffect::Improve { after } => {
                let why = match heuristic {
                    HeuristicKind::OneGpu => "whose one partition leaves nothing to divide anew",
                    _ => "which has a local search of its own, so that another one after it has no effect",
                };
                (
                    format!("--heuristic {heuristic}, {why}"),
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
        let memory = self.question.memory()?;
        if near_enough(self.granularity, memory) {
            return Ok(());
        }
        let (found, expected) = match memory {
            Some(_) => (
                format!("--interference {}", self.question.interference()),
                "conflict or none",
            ),
            None => (
                format!("--granularity {}", self.granularity.unwrap_or_default()),
                "sm, tpc, green-context or mps",
            ),
        };
        Err(Error::parameter(
            "gap",
            format!("{gap} with {found}"),
            format!(
                "{expected}, where plans are held against a lower bound, so that the option has an effect"
            ),
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

    /// All there is to say about one task set.
    fn report(&self, case: &Case<'_>, plan: &Plan, palette: &Palette) -> String {
        let mut text = format!(
            "{}\n{}: {}, heuristic {}, each partition under {}\n",
            self.headline(case, plan, palette),
            case.set
                .name()
                .map_or("task set".to_owned(), |name| clip(name, 40)),
            counted(case.set.tasks().len(), "task"),
            self.heuristic,
            self.question.test_name()
        );
        if plan.failure.is_some() && !plan.partitions.is_empty() {
            text += &format!(
                "where the heuristic ended: {} of {}\n",
                counted(plan.sms_used, "SM"),
                case.problem.sms()
            );
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
                "\nlower bound: {} ({}), gap {gap}{}\n",
                counted(bound.sms, "SM"),
                match bound.proof {
                    Proof::Prices => "by prices",
                    Proof::Search => "by complete search",
                },
                if gap == 0 { ": no plan has fewer" } else { "" }
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
                let default = || searches * default_budget(self.heuristic, tasks, beside_memory);
                let budget = self.budget.unwrap_or_else(default);
                format!("its budget of {budget} ended it: a larger --budget may lead to a better answer\n")
            }
            EndedBy::Time => "--time-limit ended it: a longer one may lead to a better answer\n".to_owned(),
            EndedBy::Choices => {
                "it was not through: there are more ways to group the tasks than it looks at, whatever its --budget\n".to_owned()
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
            true => args.report(case, plan, palette),
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
