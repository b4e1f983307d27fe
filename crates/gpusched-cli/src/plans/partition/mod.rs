//! `gpusched partition`: divides the SMs of a GPU among tasks.

mod export;
mod margin;
pub mod response_times;
mod sensitivity;
mod text;

pub use margin::times;

use std::time::{Duration, Instant};

use crate::arguments::notes;
use crate::arguments::{Answer, Case, Request, named, offer, whole};
use crate::help::TUNING;
use crate::plans::end_to_end::{self, Input};
use crate::plans::explanation::{self, Trial};
use crate::report::{About, Content, Form, OutputPath, Palette, Progress};
use crate::{Global, Outcome, Run, embedding};
use gpusched_analysis::end_to_end::{Gpu, NO_EFFECT, Search};
use gpusched_analysis::partitioning::forbidden::Forbidden;
use gpusched_analysis::partitioning::order::{BfDirection, BfMeasure, ListOrder, SmsTies};
use gpusched_analysis::partitioning::{
    self, AUTO_BUDGET, Heuristic, HeuristicKind, NoEffect, Objective, Offer, Options, Problem, Traffic,
    listed, near_enough, partition_by,
};
use gpusched_model::assumptions::{Assumption, Basis, Counted, Ports};
use gpusched_model::counted;
use gpusched_model::device::Granularity;
use gpusched_model::error::{Error, Result};
use gpusched_model::interrupt;
use gpusched_model::plan::{Plan, SearchStats};
use gpusched_model::reader::EndToEndSystems;
use gpusched_model::time::Time;
use gpusched_model::wcet::MAX_SMS;
use gpusched_study::own::{self, OwnAlgorithm, Question, Registry};

/// Arguments of `gpusched partition`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    #[command(flatten)]
    request: Request,
    /// Unit of the partition sizes; requires `--gpu` [default: finest unit with an export]
    #[arg(long, value_name = "NAME", value_parser = named::<Granularity>(), help_heading = "GPU")]
    granularity: Option<Granularity>,
    /// Search method [default: auto]
    #[arg(long, value_parser = named::<HeuristicKind>(), help_heading = "Search")]
    heuristic: Option<HeuristicKind>,
    /// Search objective [default: sms]
    ///
    /// `sms`: a plan with the fewest SMs. `feasible`: the first plan that fits on the GPU. `margin`: a plan with the
    /// largest WCET margin. `margin` requires `auto` or `optimal`. `sms` and `feasible` also work with `savings`,
    /// `matching` and `--improve`.
    #[arg(long, value_name = "NAME", value_parser = named::<Objective>(), help_heading = "Search")]
    objective: Option<Objective>,
    /// Stop the search of `auto` or `optimal` after N schedulability tests
    ///
    /// The default of `auto` is 100000, or more for more than 50 tasks without memory traffic. The default of `optimal` is
    /// 10000000, or 100000 with memory traffic. Also limits `--improve`.
    #[arg(long, alias = "budget", value_name = "N", value_parser = whole::<u64>(1..), help_heading = "Search")]
    search_effort: Option<u64>,
    /// Stop the search after TIME; the plan then depends on the speed of the machine
    #[arg(long, value_name = "TIME", help_heading = "Search")]
    time_limit: Option<Time>,
    /// Accepted optimality gap in SMs [default: 0]
    ///
    /// `auto` and `optimal` stop at a plan that fits and is at most N SMs above the lower bound.
    #[arg(long, value_name = "N", value_parser = whole(0..=u32::MAX), help_heading = "Search")]
    gap: Option<u32>,
    /// Improve the plan of the heuristic by local search
    #[arg(long, help_heading = "Search")]
    improve: bool,
    /// Method of `fewest-sms` and `bf` to forbid merges [default: ina]
    ///
    /// `ina` starts with an empty list of forbidden pairs, and adds each pair of partitions whose
    /// merge fails. `act` first tests each pair of tasks.
    #[arg(long, value_name = "NAME", value_parser = named::<Forbidden>(), help_heading = TUNING)]
    forbidden: Option<Forbidden>,
    /// Partition order in `fewest-sms`, `bf` [default: decreasing]
    #[arg(long, value_name = "NAME", value_parser = named::<ListOrder>(), help_heading = TUNING)]
    order: Option<ListOrder>,
    /// Choice of `fewest-sms` among merges with equally many SMs [default: saving]
    #[arg(long, value_name = "NAME", value_parser = named::<SmsTies>(), help_heading = TUNING)]
    sms_ties: Option<SmsTies>,
    /// Measure that `bf` uses to order merges [default: utilization]
    #[arg(long, value_name = "NAME", value_parser = named::<BfMeasure>(), help_heading = TUNING)]
    bf_measure: Option<BfMeasure>,
    /// Order of merges in `bf` [default: ascending]
    #[arg(long, value_name = "NAME", value_parser = named::<BfDirection>(), help_heading = TUNING)]
    bf_direction: Option<BfDirection>,
    /// Number of partitions in `ffd` and `wfd` [default: smallest number that fits]
    #[arg(long, value_name = "K", value_parser = whole(1..=MAX_SMS), help_heading = TUNING)]
    split: Option<u32>,
    /// How the search uses memory traffic [default: all]
    ///
    /// Verdicts always count all traffic. `heed` also counts traffic in the search. `gather` puts tasks with much traffic
    /// together. `ignore` searches without traffic. `all` tries these three in this order.
    #[arg(long, value_name = "NAME", value_parser = named::<Traffic>(), help_heading = TUNING)]
    traffic: Option<Traffic>,
    /// Also report WCET margins of tasks, spare SMs of partitions, and free SMs
    #[arg(long, help_heading = "Output")]
    sensitivity: bool,
    /// Also use the `alternatives` of tasks in an end-to-end system
    #[arg(long, help_heading = "Search")]
    alternatives: bool,
    /// Also write the end-to-end system with its partitions
    #[arg(long, value_name = "PATH", value_parser = OutputPath::of(Content::Json), value_hint = clap::ValueHint::FilePath, help_heading = "Output")]
    system: Option<OutputPath>,
    #[command(flatten)]
    export: export::Export,
}

const EXAMPLE: &str = "\
Examples:
  gpusched partition tasksets/tasksets/adas.json --gpu orin
  gpusched partition tasksets/tasksets/adas.json --sms 12 --heuristic optimal -o plan.json
  gpusched partition tasksets/tasksets/shared-memory.json --gpu orin --interference conflict+bandwidth --memory-bandwidth 100GB/s
  gpusched partition tasksets/tasksets/adas.json --gpu a100 --granularity tpc --export libsmctrl";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let sets = match Input::open(self.request.path())? {
            Input::Sets(sets) => sets,
            Input::Systems(systems) => return self.of_system(systems, global),
        };
        self.refuse_for_sets()?;
        let offer = offer(self.request.device(), self.granularity)?;
        let own = embedding::own();
        let searcher = self.searcher(&own, offer.as_ref())?;
        let (form, replaced) = (Form::of(global), self.export.replaces_answer());
        self.export.check(global, offer.as_ref(), self.sensitivity)?;
        let beside = self.export.beside();
        self.request.ask(global, sets, beside, offer.as_ref(), |case| {
            let start = Instant::now();
            let mut plan = searcher.plan(case, self.traffic.unwrap_or_default(), global)?;
            if case.notes_on_conflict(&self.request) {
                notes::conflict(case.set, &plan);
            }
            if case.alone && !global.quiet {
                notes::whole_gpu(case.set, &plan);
            }
            if let Some(hardware) = plan.hardware.as_ref().filter(|_| case.alone && plan.schedulable) {
                notes::ports(
                    &Ports::of_plan(&plan),
                    hardware.granularity,
                    Counted::of_plan(&plan),
                );
            }
            if case.alone {
                notes::packets(case.set, &plan);
            }
            let to_run = global.file().is_some() && self.granularity.is_none() && !self.export.is_used();
            if to_run && case.alone && plan.schedulable && !global.quiet {
                notes::green_contexts(case.set, &plan, self.request.device());
            }
            plan.overheads_origin = self
                .request
                .overheads_origin()
                .filter(|_| plan.overheads.is_some());
            if self.sensitivity {
                plan.sensitivity = partitioning::sensitivity(&case.problem, &plan);
            }
            let assumptions = Basis::of_plan(&plan, case.set).assumptions();
            plan.assumptions = Some(Assumption::listed(assumptions, case.alone));
            let device = plan.hardware.as_ref().map(|hardware| &hardware.device);
            plan.identity = Some(global.identity(case.set, device, case.alone));
            // A file shows the reason only to a reader of JSON.
            if plan.failure.is_some() && case.alone && global.file().is_some() {
                let headline = self.headline(case, &plan, &Palette::default());
                global.note(format_args!("{headline}{}", explanation::in_short(case, &plan)));
            }
            let exported = self.export.run(case, &plan)?;
            let schedulable = plan.schedulable;
            let text = match (replaced, &exported) {
                (true, exported) => exported.clone().unwrap_or_default(),
                (false, _) => form.render(&About((self, case, start), plan), case.index == 0)?,
            };
            Ok(Answer {
                positive: schedulable,
                beside: exported.filter(|_| beside.is_some()),
                text,
            })
        })
    }
}

/// Algorithm that searches for a plan: a heuristic of gpusched, or an algorithm of the calling program with its name.
enum Searcher<'a> {
    Heuristic(Heuristic),
    Own(&'a str, &'a dyn OwnAlgorithm),
}

impl Searcher<'_> {
    fn plan(&self, case: &Case<'_>, traffic: Traffic, global: &Global) -> Result<Plan> {
        match self {
            Searcher::Heuristic(heuristic) => {
                heuristic.kind().check_tasks(case.set.tasks().len())?;
                if !case.alone || !heuristic.has_limits() {
                    return Ok(partition_by(&case.problem, heuristic, traffic));
                }
                interrupt::end_searches_on(embedding::stop_flag());
                let progress = Progress::of_search(global);
                let watch = |sms: u32, bound: u32| {
                    progress.tell(format!("best plan so far: {sms} SMs, lower bound: {bound} SMs"));
                };
                Ok(partition_by(&case.problem.watched(&watch), heuristic, traffic))
            }
            Searcher::Own(name, algorithm) => {
                let (plan, reason) = own::plan(name, *algorithm, &Question::new(case.set, &case.problem))?;
                if let Some(reason) = reason {
                    global.note(format_args!("{name}: its partitions are rejected: {reason}"));
                }
                Ok(plan)
            }
        }
    }
}

impl Args {
    /// Returns what searches for plans.
    ///
    /// # Errors
    /// Fails for an option that has no effect.
    fn searcher<'a>(&self, own: &'a Registry, offer: Option<&Offer>) -> Result<Searcher<'a>> {
        let Some((name, algorithm)) = own.first() else {
            return Ok(Searcher::Heuristic(self.heuristic(offer)?));
        };
        let is_given = self.heuristic.is_some() || self.traffic.is_some();
        if is_given || self.options() != Options::default() {
            let found = "an algorithm of your own with an option for a search of gpusched";
            return Err(Error::parameter("heuristic", found, "no such option"));
        }
        Ok(Searcher::Own(name, algorithm))
    }

    /// Returns the name of what searches for plans.
    fn searcher_name(&self) -> String {
        let own = embedding::own();
        let own = own.first().map(|(name, _)| name.to_owned());
        own.unwrap_or_else(|| self.kind().to_string())
    }

    /// Chooses partitions for an end-to-end system.
    fn of_system(&self, systems: EndToEndSystems, global: &Global) -> Result<Outcome> {
        if !embedding::own().is_empty() {
            let found = "an algorithm of your own for an end-to-end system";
            return Err(Error::parameter("heuristic", found, "a task set"));
        }
        self.request.refuse_for_plans_of_systems()?;
        Search::check_options(&self.options(), self.traffic)?;
        end_to_end::refuse("sensitivity", self.sensitivity, NO_EFFECT)?;
        end_to_end::refuse("export", self.export.is_given(), NO_EFFECT)?;
        let offer = offer(self.request.device(), self.granularity)?;
        let search = Search {
            heuristic: self.kind(),
            environment: self.request.environment()?,
            alternatives: self.alternatives,
            tests: self.search_effort.unwrap_or(AUTO_BUDGET),
        };
        search.check_memory(offer.as_ref())?;
        let gpu = Gpu {
            sms: self.request.sms()?,
            offer: offer.as_ref(),
        };
        end_to_end::partition(
            systems,
            (gpu, self.request.device(), search),
            self.system.as_ref(),
            global,
        )
    }

    /// Refuses the options that have no effect on task sets.
    fn refuse_for_sets(&self) -> Result<()> {
        let expected = "an end-to-end system, whose tasks have segments";
        match (self.alternatives, &self.system) {
            (true, _) => Err(Error::parameter("alternatives", "a task set", expected)),
            (_, Some(_)) => Err(Error::parameter("system", "a task set", expected)),
            _ => Ok(()),
        }
    }

    /// Returns the heuristic that `--heuristic` selects, or the default heuristic.
    fn kind(&self) -> HeuristicKind {
        self.heuristic.unwrap_or_default()
    }

    /// Returns the options of the heuristic.
    fn options(&self) -> Options {
        Options {
            improve: self.improve,
            objective: self.objective,
            search_effort: self.search_effort,
            time_limit: self.time_limit.map(|limit| Duration::from_nanos(limit.ns())),
            forbidden: self.forbidden,
            order: self.order,
            sms_ties: self.sms_ties,
            bf_measure: self.bf_measure,
            bf_direction: self.bf_direction,
            split: self.split,
            gap: self.gap,
        }
    }

    /// Returns the time that is left for searches; `None` without a time limit. `start` is the start of the work on the
    /// task set.
    fn time_left(&self, start: Instant) -> Option<Duration> {
        let limit = Duration::from_nanos(self.time_limit?.ns());
        Some(limit.saturating_sub(start.elapsed()))
    }

    /// Searches for a plan of `problem` with the requested heuristic and a small search effort. Returns `None` without
    /// a search if no time is left since `start`.
    fn find(&self, problem: &Problem<'_>, start: Instant) -> Option<Trial> {
        let late = || self.time_left(start).is_some_and(|left| left.is_zero());
        if late() {
            return None;
        }
        let options = Options {
            time_limit: self.time_left(start),
            ..self.options()
        };
        let short = self.kind().with(&options.shortened());
        let heuristic = short.or_else(|_| self.kind().with(&options));
        let plan =
            heuristic.map(|heuristic| partition_by(problem, &heuristic, self.traffic.unwrap_or_default()));
        let stats = plan
            .as_ref()
            .map_or_else(|_| SearchStats::default(), |plan| plan.stats);
        let tests = stats.merges_tested.saturating_add(stats.other_work);
        Some(Trial {
            found: plan.is_ok_and(|plan| plan.schedulable),
            tests: tests.saturating_add(stats.prefill_merges),
            late: late(),
        })
    }

    /// Returns the heuristic with its options.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] for an option without effect, or if `--split` exceeds the number of SMs.
    fn heuristic(&self, offer: Option<&Offer>) -> Result<Heuristic> {
        let heuristic = self
            .kind()
            .with(&self.options())
            .map_err(|error| self.refusal(&error))?;
        if self.traffic.is_some() && self.request.memory()?.is_none() {
            return Err(Error::parameter(
                "traffic",
                "an interference model that does not count memory traffic",
                "--interference conflict+bandwidth, bandwidth, conflict+memory-time or memory-time, where the option has an effect",
            ));
        }
        self.check_gap(offer)?;
        let sms = self.request.sms()?;
        if let Some(split) = self.split.filter(|&split| split > sms) {
            return Err(Error::parameter(
                "split",
                split,
                format!("at most the {} of the GPU", counted(sms, "SM")),
            ));
        }
        Ok(heuristic)
    }

    /// Converts `refused` to an error that names the option.
    fn refusal(&self, refused: &NoEffect) -> Error {
        let heuristic = self.kind();
        let named = match self.heuristic {
            Some(heuristic) => format!("--heuristic {heuristic}"),
            None => format!("the default heuristic {heuristic}"),
        };
        let (found, expected) = match refused {
            NoEffect::Option { with, or_improve, .. } => {
                let improve = if *or_improve { ", or also --improve" } else { "" };
                (
                    named,
                    format!("{}{improve}, where the option has an effect", listed(with)),
                )
            }
            NoEffect::Improve { after } => {
                let why = match heuristic {
                    HeuristicKind::OneGpu => "whose single partition cannot be improved",
                    _ => "which already includes a local search",
                };
                (
                    format!("{named}, {why}"),
                    format!("no --improve, or --improve with {}", listed(after)),
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
    /// Fails with [`Error::Refused`] for `--gap` if the search does not compare plans with a lower bound.
    fn check_gap(&self, offer: Option<&Offer>) -> Result<()> {
        let Some(gap) = self.gap else {
            return Ok(());
        };
        if self.traffic == Some(Traffic::Heed) {
            return Err(Error::parameter(
                "gap",
                format!("{gap} with --traffic heed"),
                "another value of --traffic, for which gpusched compares the plan with a lower bound",
            ));
        }
        let granularity = offer.map(|offer| offer.hardware().granularity);
        let Some(granularity) = granularity.filter(|&granularity| !near_enough(Some(granularity))) else {
            return Ok(());
        };
        Err(Error::parameter(
            "gap",
            format!("{gap} with granularity {granularity}"),
            "sm, tpc, green-context or mps, for which gpusched compares the plan with a lower bound",
        ))
    }
}
