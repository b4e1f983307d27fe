//! The parts that an assessor keeps with each result: its inputs with their digests, its origin, and what it does not cover.

use gpusched_model::Identity;
use gpusched_model::identity::{Identified, sha256};
use serde::Serialize;

use crate::file::File;
use crate::view::Table;

/// Inputs, origin and limits of a result. The macros `origin` and `uncovered` show them.
#[derive(Debug, Serialize)]
pub struct Dossier {
    /// Kind of the result, such as `plan`.
    result: &'static str,
    inputs: Table,
    origin: Vec<(String, String)>,
    /// First digits of the SHA-256 of the result file, at the foot of each printed page.
    digest: String,
    not_covered: Vec<String>,
}

/// An input: its kind, its description, and the SHA-256 of its canonical form.
pub type Input = (&'static str, String, String);

/// Returns `input` as an input of the kind `kind`. `about` describes its size.
pub fn described(kind: &'static str, input: &impl Identified, about: &str) -> Input {
    let name = input.name().unwrap_or("without a name");
    (kind, format!("{name}, {about}"), sha256(input))
}

impl Dossier {
    /// Creates the parts of a `result`, whose identity agrees with its input. `measured` states the origin of the WCETs. `not_covered`
    /// are the points that concern only this kind of result; the points that concern each result follow.
    pub fn new(
        (result, identity): (&'static str, Option<&Identity>),
        inputs: &[Input],
        measured: Vec<(String, String)>,
        not_covered: Vec<String>,
    ) -> Dossier {
        let table = Table::of(inputs)
            .text("Input", |(input, ..)| *input)
            .heading()
            .text("Description", |(_, about, _)| about.clone())
            .text("SHA-256 of the canonical form", |(.., digest)| digest.clone());
        let mut origin = computed_by(result, identity);
        origin.extend(measured);
        let everywhere = [
            "The values that the kernels compute, faults of the hardware, and the qualification of gpusched as a tool.",
            "Errors in the code that the analysis and the verifier share: data types, file reader and the list of assumptions.",
        ];
        let first = "The assumptions above. gpusched has no access to the real system, so somebody must show that each statement holds.";
        let points = std::iter::once(first.to_owned()).chain(not_covered);
        Dossier {
            result,
            inputs: table.done().on_page("inputs", format!("Inputs of the {result}")),
            origin,
            digest: String::new(),
            not_covered: points.chain(everywhere.map(str::to_owned)).collect(),
        }
    }
}

impl Dossier {
    /// Sets the file that contains the result.
    #[must_use]
    pub fn in_file(mut self, file: &File) -> Dossier {
        self.digest = file.sha256.chars().take(16).collect();
        self
    }
}

/// Returns facts about the version and the options that led to the result.
fn computed_by(result: &'static str, identity: Option<&Identity>) -> Vec<(String, String)> {
    let Some(identity) = identity else {
        let text = format!("The {result} states no identity, so its inputs and options are unknown.");
        return vec![("Identity".to_owned(), text)];
    };
    let revision = identity.revision.as_deref().unwrap_or("not stated by the build");
    let options: Vec<String> = { identity.options.iter() }
        .map(|(option, value)| match value.as_str() {
            "" => format!("--{option}"),
            value => format!("--{option} {value}"),
        })
        .collect();
    let options = match options.is_empty() {
        true => "not stated".to_owned(),
        false => options.join(" "),
    };
    let agrees = "The names and digests agree with the inputs above.".to_owned();
    let version = format!("gpusched {}, revision {revision}", identity.gpusched);
    let facts = [
        ("Computed by", version),
        ("Identity", agrees),
        ("Options", options),
    ];
    facts.map(|(name, value)| (name.to_owned(), value)).to_vec()
}
