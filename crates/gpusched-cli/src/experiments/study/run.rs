//! `gpusched study run` and `gpusched study merge`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::check::report;
use super::figure;
use super::progress::Progress;
use crate::arguments::{named, whole};
use crate::report::{Columns, Picture};
use crate::{Global, Outcome, Run, complain, embedding};
use gpusched_model::counted;
use gpusched_model::error::{Error, Result};
use gpusched_study::{self, Findings, Folder, Merged, Overrides, Rejected, Shard, Spec, Study};

/// Arguments of `gpusched study run`. To continue an interrupted run, repeat the command.
///
/// For each study, the command writes NAME.csv (results), NAME.timing.csv (measured times),
/// NAME.weighted.csv (weighted schedulability), NAME.svg (figure), NAME.claims.json (findings),
/// NAME.provenance.json (origin), NAME.toml (the study as run), NAME.inputs.json (input files)
/// and NAME.checkpoint.jsonl (progress).
#[derive(Debug, clap::Args)]
#[command(after_help = RUN_EXAMPLE)]
pub struct Args {
    /// Study files (TOML)
    #[arg(required = true, value_name = "SPEC")]
    specs: Vec<PathBuf>,
    /// Run only part i of n; `study merge` combines the results of all parts
    #[arg(long, value_name = "i/n")]
    shard: Option<Shard>,
    /// Number of task sets per point, for a quick trial [default: from the study]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..))]
    sets: Option<u64>,
    /// Start anew: delete the results of earlier runs in the folder
    #[arg(long)]
    fresh: bool,
    /// Also write the tables in this format
    #[arg(long, value_parser = named::<Columns>(), value_name = "FORMAT")]
    columns: Option<Columns>,
}

/// Hint of every error about results in the folder.
const START_ANEW: &str = "delete the old results with `--fresh`, or choose another folder with `-o`";

const RUN_EXAMPLE: &str = "\
Shards: run SPEC with --shard 1/2 -o part1 and with --shard 2/2 -o part2, on any machines and in any order. Then combine the
results with `gpusched study merge part1 part2 -o whole`.
Exit code 1: a claim that must hold is not reproduced. gpusched writes the results in any case.

Examples:
  gpusched study run analysis/smoke.toml -o results
  gpusched study run analysis/singh21-fig3.4.toml --sets 2 -o look
  gpusched study run analysis/smoke.toml --fresh -o results
  gpusched study run analysis/smoke.toml --shard 1/2 -o part1";

const MERGE_EXAMPLE: &str = "\
Example:
  gpusched study run analysis/smoke.toml -o parts && gpusched study merge parts -o whole";

/// Arguments of `gpusched study merge`. The merged files equal the files of a run without shards.
#[derive(Debug, clap::Args)]
#[command(after_help = MERGE_EXAMPLE)]
pub struct MergeArgs {
    /// Output folders of the shards
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Also write the tables in this format
    #[arg(long, value_parser = named::<Columns>(), value_name = "FORMAT")]
    columns: Option<Columns>,
}

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        if self.specs.iter().any(|path| path.as_os_str() == "-") {
            let expected = "a file, because a study cannot be read from standard input";
            return Err(Error::parameter("SPEC", "-", expected));
        }
        check(self.columns)?;
        let output = folder(global)?;
        let shard = self.shard.unwrap_or(Shard::WHOLE);
        let overrides = Overrides {
            sets: self.sets,
            seed: global.seed,
        };
        let own = embedding::algorithms();
        let specs = { self.specs.iter() }.map(|path| Spec::read_with(path, overrides, &own));
        let specs: Vec<Spec> = specs.collect::<Result<_>>()?;
        let mut names = HashSet::new();
        if let Some(twice) = specs.iter().find(|spec| !names.insert(spec.name())) {
            return Err(Error::file(
                twice.file(),
                format!("the name `{}`, which another study also has", twice.name()),
                "another name",
            ));
        }
        let pool = global.pool()?;
        for spec in &specs {
            let summary = {
                if self.fresh {
                    gpusched_study::discard(spec, output, shard)?;
                }
                let mut progress = Progress::new(spec, global);
                gpusched_study::run(spec, output, shard, &pool, &mut progress).map_err(|error| {
                    error.map_refusal(|refusal| match refusal.advice() {
                        Some(gpusched_study::START_ANEW) => refusal.hint(START_ANEW),
                        _ => refusal,
                    })
                })?
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
            for (algorithm, rejected) in spec.partitioning().into_iter().flat_map(|of| of.rejected()) {
                note(global, &of_rejected(algorithm, &rejected));
            }
        }
        match shard.is_whole() {
            true => finish(specs, output, self.columns, global),
            false => Ok(Outcome::Positive),
        }
    }
}

impl Run for MergeArgs {
    fn run(&self, global: &Global) -> Result<Outcome> {
        check(self.columns)?;
        let output = folder(global)?;
        let merged = gpusched_study::merge(&self.folders, output)?;
        for Merged {
            spec,
            journals,
            balance,
        } in &merged
        {
            let balance = balance.filter(|_| *journals > 1).map(|balance| {
                format!("; the longest of {journals} shards took {balance:.2} times the mean")
            });
            note(
                global,
                &format!(
                    "{}: merged into {}{}",
                    spec.name(),
                    output.display(),
                    balance.unwrap_or_default()
                ),
            );
        }
        finish(
            merged.into_iter().map(|merged| merged.spec).collect(),
            output,
            self.columns,
            global,
        )
    }
}

/// Before a study runs, checks that this build of gpusched can write tables in the format `columns`.
fn check(columns: Option<Columns>) -> Result<()> {
    columns.map_or(Ok(()), |columns| columns.check("columns", columns))
}

/// Draws the figures and writes the findings of all studies, in the order of their names. Writes the tables in the
/// format `columns`. The outcome is negative if the results do not reproduce a claim that must hold.
fn finish(mut specs: Vec<Spec>, output: &Path, columns: Option<Columns>, global: &Global) -> Result<Outcome> {
    specs.sort_by(|a, b| a.name().cmp(b.name()));
    let (mut findings, mut studies) = (Vec::new(), Vec::new());
    for spec in specs {
        let folder = Folder::new(output, spec.name());
        if let Some(columns) = columns {
            let tables = [folder.results(), folder.weighted(), folder.paired()];
            let mut written = tables.iter().filter(|table| table.exists());
            written.try_for_each(|table| columns.copy(table))?;
        }
        let study = Study::new(spec, folder)?;
        figure::draw(&study, Picture::Svg)?;
        findings.push(study.findings()?);
        studies.push(study);
    }
    report(&findings, &studies, &global.to_stdout())?;
    Ok((!findings.iter().any(Findings::is_failure)).into())
}

/// Returns the folder of `--output`.
fn folder(global: &Global) -> Result<&Path> {
    global
        .file()
        .ok_or_else(|| Error::parameter("output", "none", "-o DIR, the folder for the results"))
}

/// Returns the note that gpusched rejected the partitions of `algorithm` for some task sets.
fn of_rejected(algorithm: &str, rejected: &Rejected) -> String {
    let Rejected {
        sets,
        point,
        index,
        variant,
        reason,
    } = rejected;
    let sets = counted(*sets, "task set");
    format!(
        "note: algorithm {algorithm:?}: gpusched rejected the partitions for {sets} of this run; the first is set {index} of point \
         {point}, variant {variant:?}: {reason}"
    )
}

/// Writes a line to standard error, but not with `--quiet`.
fn note(global: &Global, line: &str) {
    if !global.quiet {
        complain(line);
    }
}
