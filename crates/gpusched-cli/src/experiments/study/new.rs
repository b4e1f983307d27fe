//! `gpusched study new`: writes a study file to start from.

use crate::report::Output;
use crate::{Global, Outcome, Run};
use gpusched_model::error::{Error, Result};
use gpusched_study::{Overrides, Spec};

/// Arguments of `gpusched study new`. You can run the study file without changes. Its comments show alternatives.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Name of the study: letters, digits, `.`, `-` and `_`
    #[arg(value_name = "NAME")]
    name: String,
}

const EXAMPLE: &str = "\
With -o, the file must not exist yet.

Example:
  gpusched study new mine -o mine.toml && gpusched study run mine.toml -o mine";

/// The study file, with `NAME` in place of the name.
const TEMPLATE: &str = include_str!("new.toml");

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let text = TEMPLATE.replace("NAME", &self.name);
        // The template is valid, so only the name can be at fault.
        if !Spec::parse("NAME", &text, Overrides::default()).is_ok_and(|spec| spec.name() == self.name) {
            return Err(Error::parameter(
                "NAME",
                &self.name,
                "1 to 100 letters, digits, `.`, `-` or `_`, beginning with a letter or digit",
            ));
        }
        if let Some(file) = global.file().filter(|file| file.exists()) {
            return Err(Error::file(file, "a file that exists", "a new file"));
        }
        Output::open(global)?.answer(text)?;
        Ok(Outcome::Positive)
    }
}
