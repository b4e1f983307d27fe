//! `gpusched study run` and `gpusched study merge`.

use std::collections::HashSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::check::report;
use super::figure;
use super::progress::Progress;
use crate::cli::arguments::whole;
use crate::cli::{Global, Outcome};
use crate::error::{Error, Result};
use crate::study::{self, Findings, Folder, Overrides, Shard, Spec, Study};

/// Runs studies, or continues where they were interrupted: repeat the command, nothing is lost.
///
/// Writes for each study NAME.csv (results), NAME.timing.csv (where times are measured), NAME.weighted.csv (weighted schedulability, if asked for), NAME.svg, NAME.claims.json, NAME.provenance.json,
/// NAME.toml (the study as run), NAME.inputs.json (the files that its cases name) and NAME.checkpoint.jsonl (what is done so far). Prints what became of the claims.
#[derive(Debug, clap::Args)]
#[command(after_help = RUN_EXAMPLE)]
pub struct Args {
    /// Study files (TOML)
    #[arg(required = true, value_name = "SPEC")]
    specs: Vec<PathBuf>,
    /// Run only part i of n; `study merge` combines the parts
    #[arg(long, value_name = "i/n")]
    shard: Option<Shard>,
    /// Task sets per point, for a quick look [default: as in the study]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..))]
    sets: Option<u64>,
}

const RUN_EXAMPLE: &str = "\
Shards: run SPEC with --shard 1/2 -o part1 and with --shard 2/2 -o part2, on any machines and in any
order, then `gpusched study merge part1 part2 -o whole`.
Exit code 1 if a claim that must hold is not reproduced; the results are written all the same.

Examples:
  gpusched study run analysis/smoke.toml -o results
  gpusched study run analysis/singh21-fig3.4.toml --sets 2 -o look
  gpusched study run analysis/smoke.toml --shard 1/2 -o part1";

const MERGE_EXAMPLE: &str = "\
Example:
  gpusched study run analysis/smoke.toml -o parts && gpusched study merge parts -o whole";

/// Puts the shards of studies together; the files are those of an undivided run.
#[derive(Debug, clap::Args)]
#[command(after_help = MERGE_EXAMPLE)]
pub struct MergeArgs {
    /// Folders with the journals of shards.
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
}

impl Args {
    /// Runs the studies one after the other.
    ///
    /// # Errors
    /// Those of [`Spec::read`] for any study, before the first is run, and those of [`study::run`].
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        if self.specs.iter().any(|path| path.as_os_str() == "-") {
            let expected = "a file: a study is not read from standard input";
            return Err(Error::parameter("SPEC", "-", expected));
        }
        let output = folder(global)?;
        let shard = self.shard.unwrap_or(Shard::WHOLE);
        let overrides = Overrides {
            sets: self.sets,
            seed: global.seed,
        };
        let specs: Vec<Spec> = self
            .specs
            .iter()
            .map(|path| Spec::read(path, overrides))
            .collect::<Result<_>>()?;
        let mut names = HashSet::new();
        if let Some(twice) = specs.iter().find(|spec| !names.insert(spec.name())) {
            return Err(Error::file(
                twice.file(),
                format!("the name `{}` a second time", twice.name()),
                "another name",
            ));
        }
        let pool = global.pool()?;
        for spec in &specs {
            let summary = {
                let mut progress = Progress::new(spec, global);
                study::run(spec, output, shard, &pool, &mut progress)?
            };
            let part = if shard.is_whole() {
                String::new()
            } else {
                format!(" of shard {shard}")
            };
            let resumed = match summary.resumed {
                0 => String::new(),
                units => format!(" ({units} were done before)"),
            };
            let (done, units) = (summary.units, spec.kind().units());
            note(
                global,
                &format!(
                    "{}: {done} {units}{part} done{resumed} in {}",
                    spec.name(),
                    output.display()
                ),
            );
        }
        match shard.is_whole() {
            true => finish(specs, output, global),
            false => Ok(Outcome::Positive),
        }
    }
}

impl MergeArgs {
    /// Merges all studies in the folders.
    ///
    /// # Errors
    /// Those of [`study::merge`].
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        let output = folder(global)?;
        let specs = study::merge(&self.folders, output)?;
        for spec in &specs {
            note(
                global,
                &format!("{}: merged into {}", spec.name(), output.display()),
            );
        }
        finish(specs, output, global)
    }
}

/// Draws the figures and prints what became of the claims, study by study in the order of their names; negative if one that
/// must hold does not. Whatever else is in the folder does not matter.
fn finish(mut specs: Vec<Spec>, output: &Path, global: &Global) -> Result<Outcome> {
    specs.sort_by(|a, b| a.name().cmp(b.name()));
    let mut findings = Vec::new();
    for spec in specs {
        let folder = Folder::new(output, spec.name());
        let study = Study::new(spec, folder)?;
        figure::draw(&study)?;
        findings.push(study.findings()?);
    }
    let stdout = Global {
        output: None,
        ..global.clone()
    };
    report(&findings, &stdout)?;
    Ok(match findings.iter().any(Findings::is_failure) {
        true => Outcome::Negative,
        false => Outcome::Positive,
    })
}

/// The folder of `--output`.
fn folder(global: &Global) -> Result<&Path> {
    global
        .file()
        .ok_or_else(|| Error::parameter("output", "none", "-o DIR, the folder for the results"))
}

/// A line on standard error, unless nobody wants it.
fn note(global: &Global, line: &str) {
    if !global.quiet {
        let _ = writeln!(anstream::stderr(), "{line}"); // if nobody listens, there is nobody to tell
    }
}
