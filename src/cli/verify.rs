//! `gpusched verify`: an independent check of plans and their evidence.

use std::path::PathBuf;

use serde::Serialize;

use super::output::{Output, Palette};
use super::pairs::pairs;
use super::question::{csv_line, json_line};
use super::{Format, Global, Outcome};
use crate::error::{Error, Result};
use crate::model::plan::{Partition, Plan};
use crate::model::policy::Strength;
use crate::model::reader::{Plans, TaskSets};
use crate::verification::{CheckedBound, Fault, Verified, verify};

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
Of a lower bound, it says how much is confirmed: prices are checked against every group of tasks, as far as that is within reason.
Exit code 0: every plan is proven schedulable. 1: a plan is wrong, or says itself that it is not schedulable.

Example:
  gpusched partition tasksets/tasksets/adas.json --platform xavier --format json | gpusched verify - tasksets/tasksets/adas.json";

const HEADER: &str = "set,verified,schedulable,proven,bound,proven_bound,field,message\n";

/// The answer for one plan.
#[derive(Serialize)]
struct Answer {
    /// Whether every statement of the plan holds, but for what `bound` leaves unconfirmed.
    verified: bool,
    /// What the plan says.
    schedulable: bool,
    /// Whether it is verified, schedulable, and rests on no test that is only necessary.
    proven: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<Bound>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<Found>,
}

/// What is known of a lower bound.
#[derive(Serialize)]
struct Bound {
    /// No plan has fewer SMs, says the plan.
    sms: u32,
    /// No plan has fewer SMs, as far as that is confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    proven: Option<u32>,
    /// Why not all of it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    unchecked: Option<String>,
    /// What HiGHS claims beyond `sms`, unconfirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    highs: Option<u32>,
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
        if [&self.plans, &self.sets]
            .iter()
            .all(|path| path.as_os_str() == "-")
        {
            return Err(Error::Usage(
                "SET: found - for the plans and for the sets, expected standard input for one of them"
                    .to_owned(),
            ));
        }
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
            let checked = verify(&plan, &set);
            proven &= checked.is_ok() && proves(&plan);
            output.write(match format {
                Format::Json => json_line(&answer(&plan, checked))?,
                Format::Csv => csv(index, &plan, checked)?,
                Format::Text => text(index, &plan, checked, &palette),
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

type Checked = std::result::Result<Verified, Fault>;

fn answer(plan: &Plan, checked: Checked) -> Answer {
    let verified = checked.is_ok();
    let (bound, fault) = match checked {
        Ok(verified) => (verified.bound, None),
        Err(fault) => (None, Some(fault)),
    };
    Answer {
        verified,
        schedulable: plan.schedulable,
        proven: verified && proves(plan),
        bound: bound.map(|bound| Bound {
            sms: bound.stated,
            proven: bound.proven,
            unchecked: bound.unchecked.map(|why| why.to_string()),
            highs: bound.highs,
        }),
        fault: fault.map(|Fault { field, message }| Found { field, message }),
    }
}

fn csv(index: u64, plan: &Plan, checked: Checked) -> Result<String> {
    let Answer {
        verified,
        schedulable,
        proven,
        bound,
        fault,
    } = answer(plan, checked);
    let (field, message) = fault.map_or_else(Default::default, |fault| (fault.field, fault.message));
    let (sms, proven_sms) = bound.map_or_else(Default::default, |bound| {
        let proven = bound.proven.map_or(String::new(), |sms| sms.to_string());
        (bound.sms.to_string(), proven)
    });
    csv_line([
        index.to_string(),
        verified.to_string(),
        schedulable.to_string(),
        proven.to_string(),
        sms,
        proven_sms,
        field,
        message,
    ])
}

fn text(index: u64, plan: &Plan, checked: Checked, palette: &Palette) -> String {
    let (good, bad) = (palette.good, palette.bad);
    let verified = match checked {
        Err(fault) => return format!("{index}: {bad}REFUSED{bad:#} at {fault}\n"),
        Ok(verified) => verified,
    };
    let bound = verified.bound.as_ref();
    let hopeless = bound.is_some_and(|bound| bound.proven.is_some_and(|sms| sms > plan.gpu_sms));
    let plan = if plan.schedulable && !proves(plan) {
        format!("{index}: {good}VERIFIED{good:#}, but its conditions are only necessary: it proves nothing\n")
    } else if plan.schedulable {
        format!(
            "{index}: {good}VERIFIED{good:#}: schedulable on {} of {} SMs, {} partitions\n",
            plan.sms_used,
            plan.gpu_sms,
            plan.partitions.len()
        )
    } else if hopeless {
        format!(
            "{index}: {good}VERIFIED{good:#}: not schedulable, for no plan fits on {} SMs\n",
            plan.gpu_sms
        )
    } else {
        format!("{index}: {good}VERIFIED{good:#}, but it says itself that it is not schedulable\n")
    };
    plan + &bound.map_or(String::new(), bound_line)
}

/// How much of a lower bound is confirmed.
fn bound_line(bound: &CheckedBound) -> String {
    let stated = bound.stated;
    let line = match (bound.proven, &bound.unchecked) {
        (Some(sms), Some(why)) => {
            format!("   lower bound of {stated} SMs: {sms} confirmed, {why}\n")
        }
        (Some(_), None) => format!("   lower bound of {stated} SMs: confirmed\n"),
        (None, Some(why)) => format!("   lower bound of {stated} SMs: not confirmed, {why}\n"),
        (None, None) => String::new(),
    };
    let claim = bound.highs.map_or(String::new(), |sms| {
        format!("   lower bound of {sms} SMs by HiGHS: not confirmed, it computes with floating point\n")
    });
    line + &claim
}
