//! Text form of the assumptions of a verdict.

use gpusched_model::assumptions::Assumption;

use crate::Global;

/// Returns a numbered list of assumptions.
pub fn numbered(assumptions: &[Assumption]) -> String {
    let lines = (1..).zip(assumptions);
    let lines: String = lines
        .map(|(number, assumption)| format!("  {number}. {assumption}\n"))
        .collect();
    format!("assumptions, which gpusched does not check:\n{lines}")
}

/// Returns the list of [`numbered`], or for a `negative` claim, that no plan exists, a list without consequences: this claim falls if an
/// assumption counts too much delay, and `pessimistic` would have the opposite meaning.
pub fn numbered_for(assumptions: &[Assumption], negative: bool) -> String {
    if !negative {
        return numbered(assumptions);
    }
    let lines = (1..).zip(assumptions).map(|(number, assumption)| {
        let text = assumption.text.clone();
        let text = text.unwrap_or_else(|| assumption.id.to_string());
        format!("  {number}. {text}\n")
    });
    let lines: String = lines.collect();
    format!(
        "assumptions, which gpusched does not check; if the real system has less delay than they state, the tasks may be schedulable:\n{lines}"
    )
}

/// How the results of a command show their assumptions.
#[derive(Copy, Clone, Debug)]
pub struct Shown {
    alone: bool,
    quiet: bool,
}

impl Shown {
    /// `alone` states whether the command has only one result.
    pub fn new(global: &Global, alone: bool) -> Shown {
        Shown {
            alone,
            quiet: global.quiet,
        }
    }

    /// Returns the list for a result file.
    pub fn listed(self, list: Vec<Assumption>) -> Option<Vec<Assumption>> {
        Some(Assumption::listed(list, self.alone))
    }

    /// Returns the list as text below a result. The text is empty with `--quiet` or for several results.
    pub fn text(self, list: Option<&[Assumption]>) -> String {
        match list {
            Some(list) if self.alone && !self.quiet => format!("\n{}", numbered(list)),
            _ => String::new(),
        }
    }
}
