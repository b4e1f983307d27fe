//! A certificate, and what it is about.

use gpusched_model::end_to_end::{Answer, ChosenBudgets, Draft, Environment, SystemPlan};
use gpusched_model::{Bound, Interference, Kernel, Plan, TaskSet};
use gpusched_verify::{Fault, Stated, verify, verify_bound, verify_chosen, verify_draft};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::change::Change;

/// The parsed parts of a case.
#[derive(PartialEq)]
enum Parts {
    Plan(Box<Plan>, TaskSet),
    Bound(Bound, Kernel),
    System(Box<Answer>, Box<Draft>),
    Chosen(Box<ChosenBudgets>, Box<Draft>),
    Planned(Box<SystemPlan>, Box<Draft>),
}

pub struct Case {
    pub json: Value,
    parts: Parts,
}

fn parsed<T: DeserializeOwned>(value: &Value) -> Option<T> {
    serde_json::from_value(value.clone()).ok()
}

impl Parts {
    fn new(case: &Value) -> Option<Parts> {
        let (claim, of) = (&case["claim"], &case["of"]);
        Some(match case["kind"].as_str()? {
            "plan" => Parts::Plan(parsed(claim)?, parsed(of)?),
            "bound" => Parts::Bound(parsed(claim)?, parsed(of)?),
            "system" => Parts::System(parsed(claim)?, parsed(of)?),
            "chosen" => Parts::Chosen(parsed(claim)?, parsed(of)?),
            _ => Parts::Planned(parsed(claim)?, parsed(of)?),
        })
    }
}

impl Case {
    /// Returns the case of a line of a file, and its name.
    pub fn read(line: &str) -> (String, Case) {
        let json: Value = serde_json::from_str(line).unwrap();
        let name = json["name"].as_str().unwrap().to_owned();
        let parts = Parts::new(&json).unwrap_or_else(|| panic!("{name}"));
        (name, Case { json, parts })
    }

    /// Returns the changed case, or `None` if the reader refuses it or reads the same.
    pub fn with(&self, changes: &[Change]) -> Option<Case> {
        let mut json = self.json.clone();
        changes.iter().for_each(|change| change.apply(&mut json));
        let parts = Parts::new(&json).filter(|parts| *parts != self.parts)?;
        Some(Case { json, parts })
    }

    /// The environment of an end-to-end system.
    fn environment(&self) -> Environment {
        let stated = &self.json["environment"];
        Environment {
            interference: parsed(&stated["interference"]).unwrap_or(Interference::Conflict),
            memory: parsed(&stated["memory"]),
            overheads: parsed(&stated["overheads"]),
        }
    }

    /// Verifies the certificate, and compares what the verifier concludes with `proves`.
    pub fn check(&self) -> Result<(), Fault> {
        let proves = match &self.parts {
            Parts::Plan(plan, set) => {
                let verified = verify(plan, set)?;
                format!("{:?}", Stated::default().conclusion(plan, &verified))
            }
            Parts::Bound(bound, kernel) => format!("{} assumptions", verify_bound(bound, kernel)?.len()),
            Parts::System(answer, draft) => format!("{:?}", verify_draft(answer, draft, self.environment())?),
            Parts::Chosen(found, draft) => format!("{:?}", verify_chosen(found, draft, self.environment())?),
            Parts::Planned(plan, draft) => {
                plan.check_system(draft).map_err(|refusal| Fault {
                    field: refusal.field().to_owned(),
                    message: refusal.message(),
                })?;
                let system = plan.system.as_ref().unwrap();
                let verdict = plan.verdict.as_ref().unwrap();
                format!("{:?}", verify_draft(verdict, system, self.environment())?)
            }
        };
        match self.json["proves"].as_str() {
            stated if stated != Some(&proves) => Err(Fault {
                field: "proves".to_owned(),
                message: proves,
            }),
            _ => Ok(()),
        }
    }
}
