//! The page of a plan shows first the verdict, then the statements of the plan, and the evidence for these statements.
//!
//! * `verdict`: result of the verifier in words;
//! * `tables`: partitions and tasks;
//! * `dossier`: inputs with their digests, provenance, commands that check the plan, and what it does not cover;
//! * `origin`: GPUs on which the WCETs were measured;
//! * `system`: the plan as an input of the analysis;
//! * `map`: SMs of the GPU, with their partitions;
//! * `demand`: demand against supply;
//! * `run`: Gantt chart of a simulated run;
//! * `memory`: memory traffic;
//! * `evidence`: evidence, files and exports.

mod demand;
mod dossier;
mod evidence;
mod map;
mod memory;
mod origin;
mod run;
mod system;
mod tables;
mod verdict;

pub use demand::steps as demand_steps;

use gpusched_model::error::Result;
use gpusched_model::{Plan, TaskSet};
use gpusched_verify::{Effort, Stated, verify_with};
use serde::Serialize;

use crate::assumptions::Assumptions;
use crate::definitions::{self, Definitions};
use crate::dossier::Dossier;
use crate::file::File;
use crate::verdict::Verdict;
use crate::view::Table;
use crate::{Page, page};
use system::System;

#[derive(Serialize)]
struct Content {
    heading: String,
    verdict: Verdict,
    facts: Vec<(&'static str, String)>,
    assumptions: Assumptions,
    map: Option<map::Map>,
    partitions: Option<Table>,
    tasks: Table,
    task_notes: Vec<&'static str>,
    demand: demand::Section,
    run: run::Section,
    memory: memory::Section,
    /// Evidence of the claims that concern all partitions.
    claim: Vec<String>,
    evidence: Vec<evidence::Proof>,
    files: [File; 2],
    exports: Vec<File>,
    export_note: &'static str,
    dossier: Dossier,
    commands: [String; 2],
    /// Command that searches for changes with which a plan exists.
    search: Option<String>,
    definitions: Definitions,
}

impl Content {
    fn tables(&self) -> impl Iterator<Item = &Table> {
        let optional = [&self.partitions, self.run.jobs(), self.memory.table()];
        let evidence = self.evidence.iter().map(evidence::Proof::table);
        let optional = optional.into_iter().chain(evidence).flatten();
        std::iter::once(&self.tasks).chain(optional)
    }
}

/// Verifies `plan` and creates its page. A set without a name has the name `file` in the title. `effort` limits the check of a lower bound.
///
/// # Errors
/// Fails with [`Error::Internal`](gpusched_model::error::Error::Internal) if a template does not match the content.
pub fn page(plan: &Plan, set: &TaskSet, file: &str, effort: &Effort<'_>) -> Result<Page> {
    let stated = Stated::default();
    let checked = stated.check(plan).and_then(|taken| {
        let verified = verify_with(plan, set, effort)?;
        let conclusion = stated.conclusion(plan, &verified);
        Ok((verified, taken, conclusion))
    });
    let verdict = verdict::of(plan, set, &checked);
    // The analysis accepts only partitions that the verifier has checked.
    let offer = system::offer(plan);
    let system = checked
        .is_ok()
        .then(|| System::new(plan, set, offer.as_ref()))
        .flatten();
    let name = set.name().unwrap_or(file);
    let gpu = plan.hardware.as_ref().map(|hardware| hardware.device.name());
    let heading = match gpu {
        Some(gpu) => format!("{name} on GPU {gpu}"),
        None => format!("{name} on {}", gpusched_model::counted(plan.gpu_sms, "SM")),
    };
    let (exports, export_note) = evidence::exports(plan, set, checked.is_ok());
    let positive = verdict.positive;
    let files = evidence::files(plan, set)?;
    let commands = dossier::commands(plan);
    let mut content = Content {
        dossier: dossier::of(plan, set, &files[0]),
        search: (checked.is_ok() && plan.failure.is_some()).then(|| dossier::search(&commands)),
        commands,
        definitions: Definitions::default(),
        facts: tables::facts(plan, set),
        assumptions: verdict::assumptions(plan, &checked),
        map: map::Map::new(plan),
        partitions: tables::partitions(plan, set, system.as_ref(), checked.is_ok()),
        tasks: tables::tasks(plan, set, system.as_ref()),
        task_notes: tables::notes(plan, set, system.as_ref(), checked.is_ok()),
        demand: demand::section(plan, set, system.as_ref()),
        run: run::section(plan, set, system.as_ref()),
        memory: memory::section(plan, set),
        claim: evidence::claim(plan),
        evidence: evidence::proofs(plan, set),
        files,
        exports,
        export_note,
        heading,
        verdict,
    };
    content.definitions = definitions::of(content.tables());
    let title = format!("Plan: {}", content.heading);
    Ok(Page {
        html: page::render("plan.html", &title, &content)?,
        positive,
    })
}
