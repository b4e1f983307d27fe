//! Results of `partition` as text and CSV.

use std::time::Instant;

use super::{Args, margin, response_times, sensitivity};
use crate::arguments::Case;
use crate::plans::explanation;
use crate::report::{About, Cell, Palette, Report, Table, clip, numbered_for, wrap};
use crate::test::decimals;
use gpusched_analysis::partitioning::{
    HeuristicKind, MARGIN_SEARCHES, Objective, Offer, Problem, default_budget,
};
use gpusched_analysis::schedulability::edf;
use gpusched_model::Policy;
use gpusched_model::counted;
use gpusched_model::device::Place;
use gpusched_model::error::Result;
use gpusched_model::plan::{EndedBy, Failure, Partition, Plan, Proof, SearchStats};
use gpusched_model::policy::Strength;
use gpusched_model::time::Time;

impl Args {
    /// Returns the headline: the verdict in color, and the number of SMs or the reason for the
    /// failure.
    pub(super) fn headline(&self, case: &Case<'_>, plan: &Plan, palette: &Palette) -> String {
        let on = format!("on {} of {}", plan.sms_used, counted(case.problem.sms(), "SM"));
        match &plan.failure {
            None => {
                let words = match case.problem.strength() {
                    Strength::NecessaryOnly => "NECESSARY CONDITION HOLDS",
                    Strength::Exact | Strength::Sufficient => "SCHEDULABLE",
                };
                format!("{} {on}", palette.verdict(true, words))
            }
            Some(Failure::HeuristicFailed) => {
                let headline = palette.verdict(false, "NO PLAN FOUND");
                format!(
                    "{headline} by heuristic `{}` (a plan may still exist)",
                    self.searcher_name()
                )
            }
            Some(failure) if failure.is_open(case.problem.strength()) => {
                let why = match failure {
                    Failure::TaskDoesNotFit { task } => {
                        format!(
                            "task #{task} fails this test even in isolation on all SMs{}",
                            case.naming(Some(*task))
                        )
                    }
                    _ => "every plan that passes this test needs more SMs than the GPU has".to_owned(),
                };
                let headline = palette.verdict(false, "NO PLAN FOUND");
                format!("{headline} by a sufficient test: {why}")
            }
            Some(failure) => {
                let task = failure.task();
                // In the text of `failure`, "all SMs" means the SMs of the largest supported
                // partition.
                let largest = case.problem.offer().map(Offer::largest);
                let largest = largest.filter(|&sms| task.is_some() && sms < case.problem.sms());
                let largest = largest
                    .map(|sms| format!("; the largest supported partition has {}", counted(sms, "SM")));
                format!(
                    "{}: {failure}{}{}",
                    palette.verdict(false, "NOT SCHEDULABLE"),
                    case.naming(task),
                    largest.unwrap_or_default()
                )
            }
        }
    }

    /// Returns a hint if the search found no plan and a plan may still exist. The hint names an
    /// option.
    fn advice(&self, case: &Case<'_>, plan: &Plan) -> &'static str {
        let found_none = plan.failure == Some(Failure::HeuristicFailed);
        if (found_none || plan.is_bound_with_traffic()) && explanation::lacks_traffic(case) {
            return "\nhint: state the `traffic` of each task\n";
        }
        if !found_none {
            return "";
        }
        // With memory traffic on a device, `optimal` proves as little as `auto`.
        let searched = plan.memory.is_some() && plan.hardware.is_some();
        let optimal = HeuristicKind::Optimal.check_tasks(case.set.tasks().len()).is_ok();
        match (self.kind(), plan.stats.ended_by) {
            (HeuristicKind::Auto | HeuristicKind::Optimal, None | Some(EndedBy::Choices)) if searched => "",
            (_, Some(EndedBy::Budget)) => "\nhint: try a larger `--search-effort`\n",
            (_, Some(EndedBy::Time)) => "\nhint: try a longer `--time-limit`\n",
            (_, Some(EndedBy::Interrupt)) => "\nhint: let the search run longer\n",
            (HeuristicKind::Auto, _) if !optimal => "",
            (HeuristicKind::Auto, _) => "\nhint: try `--heuristic optimal` for a plan or a proof\n",
            (HeuristicKind::Optimal, _) => "",
            _ if plan.memory.is_some() || !optimal => "\nhint: try `--heuristic auto`\n",
            _ => "\nhint: try `--heuristic auto`, or `--heuristic optimal` for a proof\n",
        }
    }

    /// Returns the full text for one task set. The work on the task set started at `start`.
    fn report(&self, (case, start): (&Case<'_>, Instant), plan: &Plan, palette: &Palette) -> String {
        let granularity = { case.problem.offer() }.map_or(String::new(), |offer| {
            format!(" with granularity {}", offer.hardware().granularity)
        });
        let mut text = format!(
            "{}{granularity}, under {}\n{}: {}, heuristic {}{}{}\n",
            self.headline(case, plan, palette),
            self.request.policy_in_words(),
            case.set
                .name()
                .map_or("task set".to_owned(), |name| clip(name, 40)),
            counted(case.set.tasks().len(), "task"),
            self.searcher_name(),
            self.request.interference_in_words(),
            self.request.overheads_in_words(case.set)
        );
        if plan.failure.is_some() {
            let find = |problem: &Problem<'_>| self.find(problem, start);
            text += &explanation::of_plan(&self.request, case, plan, &find);
            text += self.advice(case, plan);
        }
        if !plan.partitions.is_empty() {
            text.push('\n');
            text += &self.table(case, plan, false).render(palette.header);
            if let Some(table) = response_times::table(case.set, plan) {
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
                    Proof::Prices => "by dual prices",
                    Proof::Search => "by complete search",
                },
                match gap {
                    // Dual prices neglect memory traffic. With memory traffic, the task set may be unschedulable on any
                    // number of SMs.
                    _ if plan.memory.is_some() && !plan.schedulable => match bound.proof {
                        Proof::Prices => ", without memory traffic".to_owned(),
                        Proof::Search => String::new(),
                    },
                    1.. if plan.memory.is_some() && bound.proof == Proof::Prices => {
                        format!(", gap {gap}: the bound neglects memory traffic")
                    }
                    0 => ", gap 0: no plan has fewer SMs".to_owned(),
                    _ => format!(", gap {gap}"),
                }
            );
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
            return text; // a lemma gave the result without a search
        }
        text += &format!(
            "\n{dim}search: {} tested{} in {}{dim:#}",
            counted(stats.merges_tested, "merge"),
            match stats.other_work {
                0 => String::new(),
                other => format!(", and other work that takes as long as {other} further merges,"),
            },
            microseconds(stats.search_ns)
        );
        if stats.prefill_merges > 0 {
            text += &format!(
                "{dim}; {} more tested before the search in {}, to fill the forbidden list{dim:#}",
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

    /// Returns a line that names the limit that ended the search, and the option that allows a longer search.
    fn ended_by(&self, by: EndedBy, tasks: usize, beside_memory: bool) -> String {
        match by {
            EndedBy::Budget => {
                let searches = match self.objective {
                    Some(Objective::Margin) => MARGIN_SEARCHES,
                    _ => 1,
                };
                // With shared memory, there is no single default limit.
                let default = (!beside_memory).then(|| searches * default_budget(self.kind(), tasks, false));
                let effort = self.search_effort.or(default);
                let effort = effort.map_or(String::new(), |effort| {
                    format!(" after {} of work", counted(effort, "test"))
                });
                format!("the search ended{effort}; a larger --search-effort may lead to a better plan\n")
            }
            EndedBy::Time => "the search ended at the --time-limit; a longer time limit may lead to a \
                              better plan\n"
                .to_owned(),
            EndedBy::Interrupt => {
                "the search was interrupted; a longer search may lead to a better plan\n".to_owned()
            }
            EndedBy::Choices => {
                "the search is incomplete: there are more candidate partitions than the search examines \
                 with any --search-effort\n"
                    .to_owned()
            }
        }
    }

    /// Returns the partitions with their columns in text and in CSV. CSV also describes the whole plan in each row. For a
    /// plan without partitions, CSV has one row with empty cells.
    fn table(&self, case: &Case<'_>, plan: &Plan, is_csv: bool) -> Table {
        let is_edf = self.request.policy() == Policy::Edf;
        // Omit the SM numbers of a partition, because no tool can reserve single SMs.
        let told = |place: &Place| !matches!(place, Place::Sms(_));
        let mut places = plan
            .partitions
            .iter()
            .filter_map(|partition| partition.place.as_ref());
        let bound = plan.bound.as_ref().map(|bound| bound.sms);
        let (margin, edge) = (plan.margin.as_ref(), plan.sensitivity.as_ref());
        let scaling = margin.map(|margin| margin.wcet_scaling_permille);
        let rows = plan.partitions.iter().enumerate().map(Some);
        let without = (is_csv && plan.partitions.is_empty()).then_some(None);
        let table = Table::of(rows.chain(without))
            .exact("set", |_| case.index)
            .exact("name", |_| case.set.name())
            .exact("schedulable", |_| plan.schedulable)
            .exact("failure", |_| plan.failure.as_ref().map(Failure::reason))
            .exact("sms_used", |_| plan.sms_used)
            .number(("partition", "partition"), |row| row.map(|(index, _)| index))
            .number(("SMs", "sms"), |row| row.map(|(_, partition)| partition.sms))
            .text(("tasks", "tasks"), |row| {
                row.map(|(_, partition)| tasks(case, partition))
            })
            .number(("utilization", "utilization"), |row| {
                let of = |partition: &Partition| case.problem.utilization(&partition.tasks, partition.sms);
                row.map(|(_, partition)| of(partition)).map(|utilization| {
                    let exact = utilization.map(|utilization| format!("{:.6}", utilization.as_f64()));
                    Cell::valued(decimals(utilization), exact.unwrap_or_default())
                })
            })
            .time(("slack", "slack_ns"), |row| {
                let partition = row.filter(|_| is_edf);
                Cell::or(partition.and_then(|(_, partition)| slack(case, partition)), "-")
            })
            .shown(is_edf && case.problem.memory().is_none())
            .text("place", |row| {
                let place = row.and_then(|(_, partition)| partition.place.as_ref());
                let place = place.map(ToString::to_string).unwrap_or_default();
                wrap(place.split(", ").map(str::to_owned), 40)
            })
            .shown(places.any(told))
            .text(("verdict", "reason"), |row| {
                row.map(|(_, partition)| {
                    let evidence = &partition.verdict.evidence;
                    let words = format!("{evidence}{}", case.naming(evidence.task()));
                    Cell::valued(words, evidence.reason())
                })
            })
            .shown({ plan.partitions.iter() }.any(|partition| !partition.verdict.schedulable))
            .exact("bound", |_| bound)
            .exact("gap", |_| {
                bound.and_then(|bound| plan.sms_used.checked_sub(bound))
            })
            .exact("ended_by", |_| plan.stats.ended_by.map(EndedBy::name))
            .exact("wcet_scaling_permille", |_| {
                scaling.or(edge.map(|edge| edge.wcet_scaling_permille))
            })
            .exact("at_most_permille", |_| {
                margin.map(|margin| margin.at_most_permille)
            });
        table.done()
    }
}

/// Returns the tasks of a partition: their names, and for CSV their positions.
fn tasks(case: &Case<'_>, partition: &Partition) -> Cell {
    let names = partition
        .tasks
        .iter()
        .map(|&task| clip(&case.set.label(task), 40));
    let positions: Vec<String> = partition.tasks.iter().map(usize::to_string).collect();
    Cell::valued(wrap(names, 60), positions.join(" "))
}

/// The tuple contains the arguments, the task set, and the start of the work on the task set.
impl Report for About<(&Args, &Case<'_>, Instant), Plan> {
    fn table(&self) -> Table {
        let About((args, case, _), plan) = self;
        args.table(case, plan, true)
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let About((args, case, start), plan) = self;
        Ok(match case.alone {
            true => {
                let list = plan.assumptions.as_deref().filter(|_| !case.quiet);
                let strength = case.problem.strength();
                let negative = { plan.failure.as_ref() }.is_some_and(|failure| !failure.is_open(strength));
                let list = list.map(|list| format!("\n{}", numbered_for(list, negative)));
                args.report((case, *start), plan, palette) + &list.unwrap_or_default()
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
        return None; // if WCETs grow, the delay that other partitions cause may also grow
    }
    let demands = case.problem.demands(&partition.tasks, partition.sms).ok()?;
    edf::slack(&demands)
}

/// Rounds a measured time down to whole microseconds, because nanoseconds are noise.
fn microseconds(ns: u64) -> Time {
    Time::from_ns(ns - ns % 1_000)
}
