//! Text form of the assumptions of a verdict.

use gpusched_model::assumptions::Assumption;

/// Returns a numbered list of assumptions.
pub fn numbered(assumptions: &[Assumption]) -> String {
    let lines = (1..).zip(assumptions);
    let lines: String = lines
        .map(|(number, assumption)| format!("  {number}. {assumption}\n"))
        .collect();
    format!("assumptions, which gpusched does not check:\n{lines}")
}
