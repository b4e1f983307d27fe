//! The assumptions of a verdict, for people.

use crate::model::assumptions::Assumption;

/// A numbered list under the verdict.
pub fn numbered(assumptions: &[Assumption]) -> String {
    let lines = (1..).zip(assumptions);
    let lines: String = lines
        .map(|(number, assumption)| format!("  {number}. {assumption}\n"))
        .collect();
    format!("assumptions, which gpusched does not check:\n{lines}")
}
