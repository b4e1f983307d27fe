//! `--identity`: comparison of an input with the identity that a result states.

use serde::Serialize;

use crate::arguments::named;
use gpusched_model::error::excerpt;
use gpusched_model::{Identity, counted};
use gpusched_verify::Fault;

/// Number of differences that the text lists.
const LISTED: usize = 10;

/// The option `--identity`.
#[derive(Debug, clap::Args)]
pub struct IdentityCheck {
    /// Comparison of the input with the identity in the result [default: strict]
    ///
    /// `strict`: refuse a result that was computed for another input, such as a task set with other names. `logical`: list the
    /// differences, and check only what the evidence proves. A result without identity has no such check.
    #[arg(long = "identity", value_name = "CHECK", value_parser = named::<Mode>())]
    mode: Option<Mode>,
}

/// Comparison of an input with the identity in a result.
#[derive(
    Copy, Clone, PartialEq, Eq, Debug, Default, strum::Display, strum::EnumMessage, strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
enum Mode {
    /// Refuse a result that was computed for another input.
    #[default]
    Strict,
    /// List the differences.
    Logical,
}

impl IdentityCheck {
    /// Returns whether the comparison only lists differences.
    pub fn is_logical(&self) -> bool {
        self.mode == Some(Mode::Logical)
    }

    /// Checks that `agreement` has no difference, unless the comparison only lists them.
    ///
    /// # Errors
    /// Returns the first difference.
    pub fn check(&self, agreement: Option<&Agreement>) -> Result<(), Fault> {
        let other = agreement.and_then(|agreement| agreement.differences.first());
        match other.filter(|_| !self.is_logical()) {
            Some(fault) => Err(fault.clone()),
            None => Ok(()),
        }
    }
}

/// Agreement of an input with the identity in a result.
#[derive(Serialize)]
pub struct Agreement {
    /// Whether all names and digests agree.
    pub agrees: bool,
    /// Each difference, with its field in the result. The result is only logically compatible with the input.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differences: Vec<Fault>,
}

impl Agreement {
    /// Returns the agreement of an input with `identity`, from their differences. Returns `None` if the result states no identity.
    pub fn new(identity: Option<&Identity>, differences: Vec<Fault>) -> Option<Agreement> {
        identity.map(|_| Agreement {
            agrees: differences.is_empty(),
            differences,
        })
    }

    /// Returns lines that state whether the result was computed for the input. `stated` is the identity in the result. If `brief`,
    /// an agreement has no line.
    pub fn lines(&self, stated: &Identity, (input, result): (&str, &str), brief: bool) -> String {
        if self.agrees && brief {
            return String::new();
        }
        if self.agrees {
            let digest: String = stated.set_sha256.chars().take(12).collect();
            let version = match stated.gpusched.as_str() {
                env!("CARGO_PKG_VERSION") => String::new(),
                other => format!("; gpusched {} wrote the {result}", excerpt(other)),
            };
            return format!("   identity: agrees with the {input} (SHA-256 {digest}…){version}\n");
        }
        let count = counted(self.differences.len(), "difference");
        let line =
            format!("   identity: the {result} is only logically compatible with the {input}, {count}\n");
        line + &self.listed()
    }

    /// Returns a line that counts the differences of a result that does not prove its claim for the input, and the differences.
    pub fn other(&self) -> String {
        if self.agrees {
            return String::new();
        }
        let count = counted(self.differences.len(), "difference");
        format!("   identity: computed for another input, {count}\n") + &self.listed()
    }

    fn listed(&self) -> String {
        let listed = self.differences.iter().take(LISTED);
        listed.map(|fault| format!("      {fault}\n")).collect()
    }
}
