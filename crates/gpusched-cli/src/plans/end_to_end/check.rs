//! Results of `verify` for end-to-end verdicts and plans.

use std::path::Path;

use serde::Serialize;

use super::only;
use crate::plans::identity::{Agreement, IdentityCheck};
use crate::report::{About, Output, Palette, Report, Table, numbered};
use crate::{Global, Outcome};
use gpusched_model::assumptions::Assumption;
use gpusched_model::end_to_end::{Answer, ChosenBudgets, Draft, Environment, System, SystemPlan};
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::identity::{Identity, sha256};
use gpusched_model::reader::{EndToEndAnswers, EndToEndSystems};
use gpusched_model::{Device, counted};
use gpusched_verify::{Fault, budgeted_system, input_faults, verify_chosen, verify_draft};

/// Result of `verify` for an end-to-end verdict.
#[derive(Serialize)]
struct Checked {
    /// Whether `verify` confirms every statement of the verdict.
    verified: bool,
    /// Statement of the verdict.
    schedulable: bool,
    /// First wrong statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<Fault>,
    /// Whether the system is the system of the result. Absent if the result does not state its identity.
    #[serde(skip_serializing_if = "Option::is_none")]
    identity: Option<Agreement>,
    /// Lines about the identity.
    #[serde(skip)]
    lines: String,
    /// Assumptions of the verdict.
    assumptions: Vec<Assumption>,
    /// Whether the verdict is a part of chosen budgets.
    #[serde(skip)]
    chosen: bool,
}

/// A verdict on a system, and the result that contains it.
pub struct Stated {
    /// The system as written in its file.
    pub draft: Draft,
    /// The system of the verdict, with the partitions of the plan or with the WCETs under the chosen budgets.
    pub system: System,
    pub answer: Answer,
    /// The plan that contains the verdict.
    pub plan: Option<SystemPlan>,
    /// The chosen budgets that contain the verdict.
    pub chosen: Option<ChosenBudgets>,
}

/// Reads the verdict, the plan or the chosen budgets in the file `path`, and the only system of the stream. If `environment` states no overheads, the
/// system has the overheads of the verdict.
///
/// # Errors
/// Fails on bad input, and if the plan is for another system.
pub fn read(path: &Path, systems: EndToEndSystems, environment: Environment) -> Result<Stated> {
    let file = systems.file().to_owned();
    let draft = only(systems)?;
    let shown = path.display().to_string();
    let counted = |answer: &Answer| Environment {
        overheads: environment.overheads.or(answer.overheads),
        ..environment
    };
    let raw = EndToEndAnswers::only_raw(path, "verdict")?;
    if raw.has("evidence") {
        let answer: Answer = raw.parse(&shown)?;
        draft.check_budgets().map_err(|refusal| refusal.at(&file, None))?;
        let system = stated_system(&draft, &answer, counted(&answer), (&file, &shown))?;
        return Ok(Stated {
            draft,
            system,
            answer,
            plan: None,
            chosen: None,
        });
    }
    if raw.has("groups") {
        let chosen: ChosenBudgets = raw.parse(&shown)?;
        let answer = chosen.verdict.clone();
        return Ok(Stated {
            draft,
            system: stated_system(&chosen.system, &answer, counted(&answer), (&shown, &shown))?,
            answer,
            plan: None,
            chosen: Some(chosen),
        });
    }
    let plan: SystemPlan = raw.parse(&shown)?;
    if plan.system.is_none() && !plan.schedulable {
        let expected = "a plan: `partition` found none for this system";
        return Err(Error::file(&shown, "no plan", expected));
    }
    plan.check_system(&draft)
        .map_err(|refusal| refusal.at(&shown, None))?;
    let (Some(system), Some(answer)) = (&plan.system, plan.verdict.clone()) else {
        return Err(Error::file(
            &shown,
            "a plan without a verdict",
            "a plan with a system and a verdict",
        ));
    };
    Ok(Stated {
        draft,
        system: stated_system(system, &answer, counted(&answer), (&shown, &shown))?,
        answer,
        plan: Some(plan),
        chosen: None,
    })
}

/// Returns the system of `draft`. With budgets, its WCETs are the WCETs under its budgets that `answer` states. The file names are of
/// the system and of the verdict.
fn stated_system(
    draft: &Draft,
    answer: &Answer,
    environment: Environment,
    (file, verdict): (&str, &str),
) -> Result<System> {
    if draft.budgets.is_none() {
        return System::new(draft, environment).map_err(|refusal| refusal.at(file, None).into());
    }
    budgeted_system(answer, draft, environment)
        .map_err(|fault| Refusal::told(fault.field, fault.message).at(verdict, None).into())
}

impl Stated {
    /// The system whose verdict is stated, with its budgets: the system of the plan or of the chosen budgets, if there are any.
    fn planned(&self) -> &Draft {
        let system = self.plan.as_ref().and_then(|plan| plan.system.as_ref());
        let chosen = self.chosen.as_ref().map(|chosen| &chosen.system);
        system.or(chosen).unwrap_or(&self.draft)
    }

    /// The assumptions of the verdict.
    pub fn assumptions(&self) -> Vec<Assumption> {
        match self.answer.budgets {
            Some(_) => self.planned().assumptions(&self.system),
            None => self.system.assumptions(self.answer.evidence.offsets_ns.is_some()),
        }
    }

    /// The identity of the result. Absent in results of older versions.
    pub fn identity(&self) -> Option<&Identity> {
        match (&self.plan, &self.chosen) {
            (Some(plan), _) => plan.identity.as_ref(),
            (None, Some(chosen)) => chosen.identity.as_ref(),
            (None, None) => self.answer.identity.as_ref(),
        }
    }

    /// Removes the identity from the result, so that [`Self::fault`] checks only what the evidence proves.
    fn forget_identity(&mut self) {
        self.answer.identity = None;
        if let Some(chosen) = &mut self.chosen {
            chosen.identity = None;
        }
    }

    /// Recomputes and checks every statement of the result, and for a plan all except its identity. Returns the first fault.
    pub fn fault(&self, environment: Environment) -> Option<Fault> {
        let environment = Environment {
            overheads: environment.overheads.or(self.answer.overheads),
            ..environment
        };
        match &self.chosen {
            Some(chosen) => verify_chosen(chosen, &self.draft, environment).err(),
            None => verify_draft(&self.answer, self.planned(), environment).err(),
        }
    }
}

/// Checks whether the verdict, the plan or the chosen budgets in the file `path` is correct for the only system of the stream. `sms` is the
/// number of SMs of the GPU, if the user states it.
///
/// # Errors
/// Fails on bad input, or if output cannot be written.
pub fn verify(
    path: &Path,
    systems: EndToEndSystems,
    (environment, (sms, device)): (Environment, (Option<u32>, Option<&Device>)),
    check: &IdentityCheck,
    global: &Global,
) -> Result<Outcome> {
    let mut stated = read(path, systems, environment)?;
    let mut other = input_faults(stated.identity(), &stated.draft);
    let planned_on = stated
        .identity()
        .and_then(|identity| identity.device_sha256.clone());
    if let (Some(planned_on), Some(device)) = (planned_on, device)
        && planned_on != sha256(device)
    {
        let message = format!(
            "found another GPU than {}, expected the stated GPU",
            device.name()
        );
        let field = "identity.device_sha256".to_owned();
        other.push(Fault { field, message });
    }
    let agreement = Agreement::new(stated.identity(), other);
    let lines = { agreement.as_ref().zip(stated.identity()) }.map_or(String::new(), |(agreement, stated)| {
        agreement.lines(stated, ("system", "result"), global.quiet)
    });
    if check.is_logical() {
        stated.forget_identity();
    }
    let Stated {
        system, answer, plan, ..
    } = &stated;
    let shown = path.display().to_string();
    let place = if plan.is_some() { "verdict." } else { "" };
    let used = system.sms();
    if let Some(sms) = sms.filter(|&sms| used > u64::from(sms)) {
        let found = format!("partitions with {} in total", counted(used, "SM"));
        return Err(Error::file(
            &shown,
            found,
            format!("at most {}", counted(sms, "SM")),
        ));
    }
    let refused = check.check(agreement.as_ref()).err();
    let is_other = refused.is_some();
    let fault = refused.or_else(|| stated.fault(environment));
    let place = if is_other { "" } else { place };
    let assumptions = stated.assumptions();
    let checked = Checked {
        verified: fault.is_none(),
        schedulable: answer.schedulable,
        fault: fault.map(|fault| Fault {
            field: format!("{place}{}", fault.field),
            message: fault.message,
        }),
        identity: agreement,
        lines,
        assumptions,
        chosen: stated.chosen.is_some(),
    };
    let proven = checked.verified && checked.schedulable;
    Output::open(global)?.last(&About(!global.quiet, checked))?;
    Ok(proven.into())
}

/// The flag states whether to write the assumptions.
impl Report for About<bool, Checked> {
    fn table(&self) -> Table {
        let fault = self.1.fault.as_ref();
        let table = Table::of([&self.1])
            .exact("verified", |checked| checked.verified)
            .exact("schedulable", |checked| checked.schedulable)
            .exact("field", |_| fault.map(|fault| &fault.field))
            .exact("message", |_| fault.map(|fault| &fault.message));
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let About(assumptions, checked) = self;
        let (good, bad) = (palette.good, palette.bad);
        let mut text = match (&checked.fault, checked.schedulable) {
            (None, true) => format!(
                "{good}VERIFIED{good:#}: all bounds are confirmed, and all deadlines and limits are met\n{}",
                match checked.chosen {
                    true =>
                        "each next larger budget fails; whether other budgets are better is not checked\n",
                    false => "",
                }
            ),
            (None, false) => {
                format!("{bad}VERIFIED, BUT NOT PROVEN SCHEDULABLE{bad:#}: all stated bounds are confirmed\n")
            }
            (Some(fault), _) => format!("{bad}WRONG{bad:#}: {}: {}\n", fault.field, fault.message),
        };
        let agrees = checked.identity.as_ref().is_none_or(|identity| identity.agrees);
        if checked.fault.is_none() && (*assumptions || !agrees) {
            text += &checked.lines;
        }
        if *assumptions && checked.fault.is_none() {
            text += &format!("\n{}", numbered(&checked.assumptions));
        }
        Ok(text)
    }
}
