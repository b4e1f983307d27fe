//! `gpusched schema`: prints the JSON schemas of the file formats.
//!
//! The schemas are files in `schemas/`. A test with the feature `schema` compares them with the types ([`types`]).

#[cfg(feature = "schema")]
pub mod types;

use crate::formats::formats;
use crate::report::{Output, Table};
use crate::{Global, Outcome, Run};
use gpusched_model::error::{Error, Result};

/// Arguments of `gpusched schema`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Name of the file format [default: list all formats]
    name: Option<String>,
}

const EXAMPLE: &str = "\
Example:
  gpusched schema task-set";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let text = match &self.name {
            None => list(),
            Some(name) => match formats().iter().find(|(known, ..)| known == name) {
                Some((.., schema)) => (*schema).to_owned(),
                None => {
                    let known: Vec<&str> = formats().iter().map(|(name, ..)| *name).collect();
                    return Err(Error::parameter(
                        "schema",
                        format!("{name:?}"),
                        format!("one of {}", known.join(", ")),
                    ));
                }
            },
        };
        Output::open(global)?.answer(text)?;
        Ok(Outcome::Positive)
    }
}

fn list() -> String {
    let table = Table::of(formats())
        .text("schema", |(name, ..)| *name)
        .text("of", |(_, description, _)| *description);
    table.done().render(anstyle::Style::new())
}
