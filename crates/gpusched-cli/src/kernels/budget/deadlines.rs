//! `gpusched budget nominal --deadlines`: the largest budgets with which an end-to-end system meets its deadlines.

use std::path::Path;

use crate::arguments::{default_interference, named, whole};
use crate::plans::end_to_end::{only, verdict_text};
use crate::report::{About, Cell, Output, Palette, Progress, Report, Table, clip, numbered};
use crate::{Global, Outcome};
use gpusched_analysis::end_to_end::{BudgetSearch, Budgeted, analyze_draft, choose_budgets};
use gpusched_model::counted;
use gpusched_model::end_to_end::{ChosenBudgets, ChosenGroup, Environment, Grouping};
use gpusched_model::error::Result;
use gpusched_model::reader::EndToEndSystems;
use gpusched_model::{Factor, Policy};

/// Options for the budgets of a system.
#[derive(Debug, clap::Args)]
pub struct Deadlines {
    /// Choose budgets with which an end-to-end system meets its deadlines
    ///
    /// The budgets maximize the memory time of best-effort cores, weighted by time. All deadlines and limits of chains are proven.
    /// The search ignores budgets in the file. Largest budgets may leave no slack, so state shorter deadlines to keep a margin.
    #[arg(long, conflicts_with_all = ["slowdown", "sync", "straddling"], help_heading = "System")]
    pub deadlines: bool,
    /// Segments that have equal budgets
    #[arg(long, value_name = "NAME", value_parser = named::<Grouping>(), default_value = "all", requires = "deadlines", help_heading = "System")]
    per: Grouping,
    /// Stop the search for budgets after N schedulability tests
    ///
    /// The output then states an upper bound on better budgets.
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..), default_value = "2000", requires = "deadlines", help_heading = "System")]
    search_effort: u64,
}

impl Deadlines {
    /// Chooses the budgets of the system in the file `path`.
    pub fn run(&self, path: &Path, global: &Global) -> Result<Outcome> {
        let systems = EndToEndSystems::open(path)?;
        let file = systems.file().to_owned();
        let draft = only(systems)?;
        let stated = draft
            .budgets
            .as_ref()
            .and_then(|budgets| budgets.grouping().ok().flatten());
        if let Some(stated) = stated {
            let field = match stated {
                Grouping::All => "q",
                Grouping::Kind => "by_kind",
                Grouping::Task => "by_task",
            };
            global.note(format_args!(
                "the search ignores `budgets.{field}` of {file}, because it chooses the budgets"
            ));
        }
        let output = Output::open(global)?;
        let search = BudgetSearch {
            grouping: self.per,
            tests: self.search_effort,
        };
        let environment = Environment::from(default_interference(Policy::DEFAULT));
        let progress = Progress::new(global, "schedulability tests");
        let found = choose_budgets(&draft, environment, search, &|tests| progress.at(tests));
        drop(progress);
        let found = found.map_err(|refusal| refusal.at(&file, None))?;
        let Budgeted { system, answer } =
            analyze_draft(&found.system, environment)?.with_assumptions(&found.system);
        let found = ChosenBudgets {
            verdict: answer,
            identity: Some(global.identity(&draft, None, true)),
            ..found
        };
        let schedulable = found.verdict.schedulable;
        output.last(&About((&system, !global.quiet), found))?;
        Ok(schedulable.into())
    }
}

/// The tuple contains the system under the chosen budgets, and whether to write the assumptions.
impl Report for About<(&gpusched_model::end_to_end::System, bool), ChosenBudgets> {
    fn table(&self) -> Table {
        let found = &self.1;
        let table = Table::of(&found.groups)
            .text(("group", "group"), |group: &&ChosenGroup| clip(&group.name, 30))
            .text(("Q", "q"), |group| group.q.to_string())
            .time(("memory time", "memory_time_ns"), |group| group.memory_time_ns)
            .text(("weight", "weight_ppb"), |group| {
                let weight = group.weight_ppb;
                Cell::valued(format!("{:.3}", weight as f64 / 1e9), weight.to_string())
            })
            .exact("schedulable", |_| found.verdict.schedulable)
            .exact("optimal", |_| found.optimal);
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let About((system, assumptions), found) = self;
        let (good, bad) = (palette.good, palette.bad);
        let mut text = match (found.verdict.schedulable, found.optimal) {
            (false, _) => format!("{bad}no budget{bad:#}: the system fails without best-effort accesses\n"),
            (true, true) => format!("{good}largest budgets{good:#}: no better budgets pass the test"),
            (true, false) => {
                let gap = found.upper_bound.saturating_sub(found.value) as f64 / found.value.max(1) as f64;
                format!(
                    "{good}budgets{good:#}: better budgets improve the objective by at most {:.2} %",
                    100.0 * gap
                )
            }
        };
        if found.verdict.schedulable {
            let tests = counted(found.tests, "test");
            text += &format!(" ({tests}, regulation period {})\n\n", found.regulation_period_ns);
            text += &self.table().render(palette.header);
            for group in &found.groups {
                text += &reason(group, found);
            }
            text += &constant(found);
        }
        text += &format!("\n{}", verdict_text(system, &found.verdict, palette, false));
        if *assumptions {
            text += &format!("\n{}", numbered(&found.verdict.assumptions));
        }
        Ok(text)
    }
}

/// Returns what a constant setting of a machine may be: no regulation if all budgets are 1, or the least of different budgets.
fn constant(found: &ChosenBudgets) -> String {
    let Some(least) = found.groups.iter().min_by_key(|group| group.q) else {
        return String::new();
    };
    if least.q == Factor::ONE {
        return "Q = 1 needs no regulation: the deadlines hold while best-effort cores access memory all the time\n".to_owned();
    }
    match found.groups.iter().any(|group| group.q > least.q) {
        true => format!(
            "a constant setting must use the least budget, Q = {} of {}, because resctrl and MPAM cannot switch between segments; \
             `--per all` chooses the largest equal budget\n",
            least.q,
            clip(&least.name, 30)
        ),
        false => String::new(),
    }
}

/// Returns why the next larger budget of `group` fails; empty if no larger budget exists.
fn reason(group: &ChosenGroup, found: &ChosenBudgets) -> String {
    let Some(next) = &group.next else {
        return String::new();
    };
    let answer = &found.verdict;
    let tasks = next.late_tasks.iter().filter_map(|&task| answer.tasks.get(task));
    let chains = next
        .late_chains
        .iter()
        .filter_map(|&chain| answer.chains.get(chain));
    let names = tasks
        .map(|task| &task.name)
        .chain(chains.map(|chain| &chain.name));
    let names: Vec<String> = names.map(|name| clip(name, 30)).collect();
    let names = match names.is_empty() {
        true => "no valid WCETs".to_owned(),
        false => format!("no proof for {}", names.join(", ")),
    };
    format!(
        "with {} for {}: {names}\n",
        next.memory_time_ns,
        clip(&group.name, 30)
    )
}
