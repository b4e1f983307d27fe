//! `gpusched verify`: an independent check of plans and their evidence.

use std::path::PathBuf;

use serde::Serialize;

use super::output::{Output, Palette};
use super::pairs::pairs;
use super::question::{csv_line, json_line};
use super::{Format, Global, Outcome};
use crate::error::Result;
use crate::model::plan::{Partition, Plan};
use crate::model::policy::Strength;
use crate::model::reader::{Plans, TaskSets};
use crate::verification::{Fault, verify};

/// Checks plans and their evidence with a program of its own.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// What `partition --format json` answered: one plan (JSON) or many (JSONL, one per line).
    #[arg(value_name = "PLAN")]
    plans: PathBuf,
    /// The task sets it was asked about, in the same order.
    #[arg(value_name = "SET")]
    sets: PathBuf,
}

const EXAMPLE: &str = "\
Every number of the plan and of its evidence is recomputed, by code that shares no test with the rest of gpusched.
Exit code 0: every plan is proven schedulable. 1: a plan is wrong, or says itself that it is not schedulable.

Example:
  gpusched partition tasksets/tasksets/adas.json --platform xavier --format json | gpusched verify - tasksets/tasksets/adas.json";

const HEADER: &str = "set,verified,schedulable,proven,field,message\n";

/// The answer for one plan.
#[derive(Serialize)]
struct Answer {
    /// Whether every statement of the plan holds.
    verified: bool,
    /// What the plan says.
    schedulable: bool,
    /// Whether it is verified, schedulable, and rests on no test that is only necessary.
    proven: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<Found>,
}

#[derive(Serialize)]
struct Found {
    field: String,
    message: String,
}

impl Args {
    /// An answer for each plan.
    ///
    /// # Errors
    /// Bad input, more plans than sets or the other way round, or output that cannot be written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        let (format, palette) = (global.format(), Palette::of(global));
        let plans = Plans::open(&self.plans)?;
        let sets = TaskSets::open(&self.sets)?;
        let mut output = Output::open(global)?;
        let mut proven = true;
        for (index, pair) in (0u64..).zip(pairs(plans, sets)) {
            let (plan, set) = pair?;
            if index == 0 && format == Format::Csv {
                output.write(HEADER)?;
            }
            let fault = verify(&plan, &set).err();
            proven &= fault.is_none() && proves(&plan);
            output.write(match format {
                Format::Json => json_line(&answer(&plan, fault))?,
                Format::Csv => csv(index, &plan, fault)?,
                Format::Text => text(index, &plan, fault, &palette),
            })?;
        }
        output.finish()?;
        Ok(if proven {
            Outcome::Positive
        } else {
            Outcome::Negative
        })
    }
}

/// Whether `plan`, if it is verified, is a proof.
fn proves(plan: &Plan) -> bool {
    let necessary_only = |partition: &Partition| partition.verdict.strength == Strength::NecessaryOnly;
    plan.schedulable && !plan.partitions.iter().any(necessary_only)
}

fn answer(plan: &Plan, fault: Option<Fault>) -> Answer {
    Answer {
        verified: fault.is_none(),
        schedulable: plan.schedulable,
        proven: fault.is_none() && proves(plan),
        fault: fault.map(|Fault { field, message }| Found { field, message }),
    }
}

fn csv(index: u64, plan: &Plan, fault: Option<Fault>) -> Result<String> {
    let Answer {
        verified,
        schedulable,
        proven,
        fault,
    } = answer(plan, fault);
    let (field, message) = fault.map_or_else(Default::default, |fault| (fault.field, fault.message));
    csv_line([
        index.to_string(),
        verified.to_string(),
        schedulable.to_string(),
        proven.to_string(),
        field,
        message,
    ])
}

fn text(index: u64, plan: &Plan, fault: Option<Fault>, palette: &Palette) -> String {
    let (good, bad) = (palette.good, palette.bad);
    match fault {
        Some(fault) => format!("{index}: {bad}REFUSED{bad:#} at {fault}\n"),
        None if plan.schedulable && !proves(plan) => {
            format!(
                "{index}: {good}VERIFIED{good:#}, but its conditions are only necessary: it proves nothing\n"
            )
        }
        None if plan.schedulable => format!(
            "{index}: {good}VERIFIED{good:#}: schedulable on {} of {} SMs, {} partitions\n",
            plan.sms_used,
            plan.gpu_sms,
            plan.partitions.len()
        ),
        None => format!("{index}: {good}VERIFIED{good:#}, but it says itself that it is not schedulable\n"),
    }
}
