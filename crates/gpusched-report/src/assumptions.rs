//! The assumptions of a claim, with what follows for this claim if one of them is false.
//!
//! A claim that no plan exists is the opposite of a claim that all jobs meet their deadlines. An assumption that counts too much delay is
//! safe for the second claim, and unsafe for the first.

use gpusched_model::assumptions::{Assumption, AssumptionId, Consequence};
use serde::Serialize;

/// Claim of a result.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// All jobs meet their deadlines. `bound`: also, no plan has fewer SMs than the lower bound.
    Deadlines { bound: bool },
    /// No plan exists.
    NoPlan,
    /// An execution time never exceeds a bound.
    Bound,
    /// Nothing about deadlines: the result is refused or not proven. `bound`: no plan has fewer SMs than the lower bound.
    Nothing { bound: bool },
}

/// The assumptions of a claim.
#[derive(Debug, Serialize)]
pub struct Assumptions {
    /// Sentences about what follows from a false assumption.
    intro: Vec<&'static str>,
    list: Vec<Listed>,
}

/// An assumption.
#[derive(Debug, Serialize)]
struct Listed {
    id: String,
    text: String,
    /// What a negative claim needs of the statement.
    needs: Option<&'static str>,
    duty: &'static str,
    /// Whether somebody must ensure the assumption.
    ensure: bool,
}

impl Assumptions {
    /// Creates the section of `list` for `claim`.
    pub fn new(list: &[Assumption], claim: Claim) -> Assumptions {
        let list = list.iter().map(|assumption| {
            let id = assumption.id.to_string();
            let (duty, ensure) = duty(assumption, claim);
            Listed {
                text: assumption.text.clone().unwrap_or_else(|| id.clone()),
                needs: (duty == NOT_MILDER).then(|| needs(assumption.id)),
                duty,
                ensure,
                id,
            }
        });
        Assumptions {
            intro: intro(claim),
            list: list.collect(),
        }
    }
}

/// Duty for a statement of a negative claim, which a milder system makes wrong.
const NOT_MILDER: &str = "not milder";

/// Duty for a statement of a negative claim that only excludes delay.
const NOT_NEEDED: &str = "not needed";

/// Whether a statement only excludes delay. A claim that no plan exists stays true if it is false.
fn excludes_delay(id: AssumptionId) -> bool {
    matches!(
        id,
        AssumptionId::InterferenceNone
            | AssumptionId::PortsOwn
            | AssumptionId::PortsUnknown
            | AssumptionId::MemorySlices
            | AssumptionId::ConflictAsIsolated
    )
}

/// Returns what a claim that no plan exists needs of a statement that is unsafe for positive claims.
fn needs(id: AssumptionId) -> &'static str {
    match id {
        AssumptionId::WcetStated
        | AssumptionId::WcetFitted
        | AssumptionId::WcetMeasured
        | AssumptionId::WcetEstimated
        | AssumptionId::WcetOtherGpu => {
            "The claim needs that jobs can take their WCETs. Smaller WCETs may permit a plan."
        }
        AssumptionId::SporadicReleases => {
            "The claim needs that jobs can arrive as often as stated. Fewer arrivals may permit a plan."
        }
        AssumptionId::DispatchEdf | AssumptionId::DispatchFixedPriority | AssumptionId::DispatchFifo => {
            "The claim needs exactly this dispatcher. Another one may permit a plan."
        }
        AssumptionId::TrafficBounds | AssumptionId::TrafficUnknown | AssumptionId::SectorBounds => {
            "The claim needs that jobs can cause this traffic. Less traffic may permit a plan."
        }
        AssumptionId::InterferenceConflict => {
            "The claim needs that tasks of the same kind contend as stated. Further delay leaves it true."
        }
        AssumptionId::SmsReserved => {
            "The claim is about kernels on SMs of their own partition. It says nothing about shared SMs."
        }
        _ => "The claim needs that the real system is as this statement says. Less delay may permit a plan.",
    }
}

/// Returns the duty of the reader, and whether somebody must ensure the assumption.
fn duty(assumption: &Assumption, claim: Claim) -> (&'static str, bool) {
    match (claim, assumption.if_violated) {
        (Claim::NoPlan, Consequence::Pessimistic) => ("you must ensure", true),
        (Claim::NoPlan, Consequence::Unsafe) if excludes_delay(assumption.id) => (NOT_NEEDED, false),
        (Claim::NoPlan, Consequence::Unsafe) => (NOT_MILDER, true),
        (_, Consequence::Unsafe) => ("you must ensure", true),
        (_, Consequence::Pessimistic) => ("pessimistic", false),
    }
}

const UNCHECKED: &str =
    "The result holds under these statements about the real system. gpusched does not check them.";
const NEGATIVE_BOUND: &str = "The lower bound needs more: statements marked pessimistic must be true too, and jobs must be able to reach the stated limits, such as their WCETs. Otherwise a plan with fewer SMs may exist.";

fn intro(claim: Claim) -> Vec<&'static str> {
    let (first, bound) = match claim {
        Claim::NoPlan => {
            return vec![
                UNCHECKED,
                "The claim is that no plan exists, so it is wrong if the real system delays jobs less than the statements say. If a statement marked you must ensure is false, tasks may contend less and need fewer SMs, and a plan may exist.",
                "For statements marked not milder, somebody must ensure that the real system is not milder than they state: the same dispatcher, and jobs that can reach their WCETs and arrive as often as stated. With another dispatcher or less load, a plan may exist. With more load, the claim still holds.",
                "Statements marked not needed only exclude delay. If one is false, the claim still holds. The field `if_violated` of the plan is about the opposite claim, that tasks meet their deadlines.",
            ];
        }
        Claim::Deadlines { bound } => (
            "If a statement marked you must ensure is false, the verdict is void, and tasks may miss deadlines. If a statement marked pessimistic is false, tasks still meet their deadlines.",
            bound,
        ),
        Claim::Bound => (
            "If a statement marked you must ensure is false, the bound is void, and the kernel may take longer. If a statement marked pessimistic is false, the bound still holds.",
            false,
        ),
        Claim::Nothing { bound } => (
            "The page does not prove that tasks meet or miss deadlines. A proof would also need the statements marked you must ensure. Statements marked pessimistic count more delay than necessary if they are false.",
            bound,
        ),
    };
    let bound = bound.then_some(NEGATIVE_BOUND);
    [UNCHECKED, first].into_iter().chain(bound).collect()
}
