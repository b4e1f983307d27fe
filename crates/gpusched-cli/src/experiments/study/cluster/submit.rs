//! `gpusched study submit`: runs the shards of a study as jobs of a batch system.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::record::{Engine, Jobs, Record};
use super::scripts::{LOGS, MERGE, SHARD, SHARDS, Scripts, ranges};
use super::settings::{Options, Settings};
use super::slurm::{self, Queue, State};
use crate::arguments::{named, whole};
use crate::report::{Output, Palette, Report, Table, json_document};
use crate::{Global, Outcome, Run, embedding};
use gpusched_model::artifact::Outputs;
use gpusched_model::counted;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_study::{self, Estimate, FINISH_TRIAL, Folder, Overrides, Progress, Shards, Spec, Study};

/// Arguments of `gpusched study submit`.
///
/// The command writes a copy of the study and two scripts to the folder of `--output`, and submits an array of jobs and
/// a merge. Each job of the array runs one shard. The merge starts when all shards have ended. If shards are lost, the
/// merge submits them again. Otherwise, it writes the results to the same folder. The results are byte-identical to the
/// results of `study run`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Study file (TOML)
    #[arg(value_name = "SPEC")]
    spec: PathBuf,
    /// Number of shards, which is the number of jobs of the array
    ///
    /// Required for the first submission to a folder.
    #[arg(long, value_name = "N", value_parser = whole(1..=MOST_SHARDS))]
    shards: Option<u32>,
    /// Batch system
    #[arg(long, value_parser = named::<Engine>(), default_value = "slurm")]
    engine: Engine,
    /// Number of task sets per point [default: from the study]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..))]
    sets: Option<u64>,
    /// Output folder of a trial run of the study with fewer task sets
    ///
    /// gpusched estimates the total time from the times of the trial. It refuses a number of shards if the longest
    /// shard would take more than twice the mean time of all shards.
    #[arg(long, value_name = "DIR")]
    trial: Option<PathBuf>,
    /// Number of times that the merge may resubmit unfinished shards [default: 3]
    #[arg(long, value_name = "N", value_parser = whole(0..=MOST_RETRIES))]
    retries: Option<u32>,
    /// Print the scripts and the commands; write and submit nothing
    #[arg(long)]
    dry_run: bool,
    /// Command that the jobs run [default: this command]
    #[arg(long, value_name = "COMMAND")]
    program: Option<String>,
    #[command(flatten)]
    jobs: Options,
}

/// Upper limit of `--shards`.
const MOST_SHARDS: u32 = 1_000_000;

/// Upper limit of `--retries`.
const MOST_RETRIES: u32 = 1000;

const DEFAULT_RETRIES: u32 = 3;

const EXAMPLE: &str = "\
The jobs need the folder of --output on a file system that all nodes share, with file locks. With --threads N, each job uses N
CPU cores (default: 1).

To submit unfinished shards again, repeat the command with the same folder. Finished task sets stay finished, and options that you
do not repeat keep their values. `study status DIR` shows the progress.

Example:
  gpusched study submit analysis/smoke.toml --shards 8 --time 30 --dry-run -o cluster";

/// A submission in a folder.
struct Submission<'a> {
    spec: &'a Spec,
    folder: &'a Path,
    program: String,
    shards: u32,
    retries: u32,
    settings: Settings,
    engine: Engine,
    /// Estimated time of all shards on one core [h].
    hours: Option<f64>,
}

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let folder = global
            .file()
            .ok_or_else(|| Error::parameter("output", "none", "-o DIR, the folder for the submission"))?;
        let overrides = Overrides {
            sets: self.sets,
            seed: global.seed,
        };
        let spec = Spec::read(&self.spec, overrides)?;
        let record = Record::read(folder)?;
        if let Some(record) = &record {
            record.check(folder, &spec)?;
        }
        let submission = self.submission(&spec, folder, record.as_ref(), global)?;
        let report = match (record, self.dry_run) {
            (None, true) => submission.preview((1..=submission.shards).collect(), &[]),
            (None, false) => submission.first()?,
            (Some(record), dry) => submission.again(record, dry)?,
        };
        Output::open(&global.to_stdout())?.last(&report)?;
        Ok(Outcome::Positive)
    }
}

impl Args {
    fn submission<'a>(
        &self,
        spec: &'a Spec,
        folder: &'a Path,
        record: Option<&Record>,
        global: &Global,
    ) -> Result<Submission<'a>> {
        let before = record.map(|record| record.shards);
        let shards = self.shards.or(before).ok_or_else(|| {
            Error::parameter(
                "shards",
                "no number of shards",
                "--shards N for the first submission",
            )
        })?;
        if let Some(before) = before.filter(|before| *before != shards) {
            let found = format!("{shards} for a study that was submitted with {before} shards");
            let refusal = Refusal::new("shards", found, before);
            return Err(refusal
                .hint("omit `--shards`, or choose another folder with `-o`")
                .into());
        }
        let chunks = spec.work().len();
        if shards as usize > chunks {
            let expected = format!("at most {chunks}, the number of chunks of the study");
            return Err(Error::parameter("shards", shards, expected));
        }
        let estimate = match &self.trial {
            Some(trial) => Some(Estimate::of_trial(spec, trial).map_err(|error| {
                error.map_refusal(|refusal| match refusal.advice() {
                    Some(FINISH_TRIAL) => refusal.hint("repeat `study run` for the trial"),
                    _ => refusal,
                })
            })?),
            None => None,
        };
        if let Some(most) = estimate
            .map(|estimate| estimate.most_shards)
            .filter(|most| shards > *most)
        {
            let expected = format!("at most {most}, so that no shard takes more than twice the mean");
            return Err(Error::parameter("shards", shards, expected));
        }
        let settings = record.map(|record| record.settings.clone()).unwrap_or_default();
        Ok(Submission {
            spec,
            folder,
            program: self.program.clone().map_or_else(program, Ok)?,
            shards,
            retries: self.retries.unwrap_or(DEFAULT_RETRIES),
            settings: self.jobs.settings(global.threads, &settings)?,
            engine: self.engine,
            hours: estimate.map(|estimate| estimate.total_ns as f64 / 3.6e12),
        })
    }
}

/// Returns the command that runs gpusched. If another program, such as Python, embeds gpusched, this is the gpusched
/// command on the PATH.
fn program() -> Result<String> {
    let name = format!("gpusched{}", env::consts::EXE_SUFFIX);
    let is_ours = |path: &Path| {
        let file = path.file_name().map(|file| file.to_string_lossy());
        file.is_some_and(|file| file.starts_with("gpusched"))
    };
    let this = env::current_exe().ok().filter(|path| is_ours(path));
    let folders = env::var_os("PATH").unwrap_or_default();
    let mut known = env::split_paths(&folders).map(|folder| folder.join(&name));
    let found = match this.filter(|_| !embedding::is_active()) {
        Some(path) => Some(path),
        None => known.find(|path| path.is_absolute() && path.is_file()),
    };
    let found = found.and_then(|path| path.into_os_string().into_string().ok());
    found.ok_or_else(|| {
        let refusal = Refusal::new(
            "program",
            "no command `gpusched` on the PATH",
            "the command of the jobs",
        );
        refusal.hint("add `--program COMMAND`").into()
    })
}

impl Submission<'_> {
    fn scripts(&self) -> [(&'static str, String); 2] {
        let scripts = Scripts {
            study: self.spec.name(),
            program: &self.program,
            shards: self.shards,
            retries: self.retries,
            settings: &self.settings,
        };
        [(SHARD, scripts.shard()), (MERGE, scripts.merge())]
    }

    /// Returns the scripts and the commands that submit `shards` and a merge. The merge starts after the jobs `active`.
    fn preview(&self, shards: Vec<u32>, active: &[u64]) -> Submitted {
        let mut after: Vec<String> = active.iter().map(u64::to_string).collect();
        let mut commands = Vec::new();
        if !shards.is_empty() {
            commands.push(array(&ranges(&shards)));
            after.push("ARRAY_JOB".to_owned());
        }
        commands.push(after_any(&after));
        Submitted {
            dry_run: Some(Preview {
                scripts: self.scripts().into(),
                commands: commands
                    .iter()
                    .map(|words| format!("sbatch {}", words.join(" ")))
                    .collect(),
            }),
            ..self.submitted(shards, None, None)
        }
    }

    /// Writes the folder and submits all shards.
    fn first(&self) -> Result<Submitted> {
        if !slurm::is_available() {
            return Err(slurm::missing());
        }
        let existed = self.folder.exists();
        if existed {
            let fail = |cause| Error::io(self.folder, "read", cause);
            if fs::read_dir(self.folder).map_err(fail)?.next().is_some() {
                let found = "a folder with files, without a submission";
                let refusal = Refusal::new("", found, "an empty or a new folder").at(self.folder, None);
                return Err(refusal.hint("choose another folder with `-o`").into());
            }
        }
        let submitted = self.write().and_then(|()| {
            let shards = (1..=self.shards).collect();
            let record = Record {
                study: self.spec.name().to_owned(),
                experiment: self.spec.experiment()?,
                gpusched: env!("CARGO_PKG_VERSION").to_owned(),
                engine: self.engine,
                shards: self.shards,
                settings: self.settings.clone(),
                jobs: Vec::new(),
            };
            self.submit(record, shards, &[])
        });
        if submitted.is_err() {
            self.remove(existed);
        }
        submitted
    }

    /// Writes the study and the scripts.
    fn write(&self) -> Result<()> {
        gpusched_study::copy(self.spec, self.folder)?;
        // A copy for all shards, so that no shard writes it.
        gpusched_study::copy(self.spec, self.folder.join(SHARDS))?;
        let logs = self.folder.join(LOGS);
        fs::create_dir(&logs).map_err(|cause| Error::io(logs, "create folder", cause))?;
        let mut outputs = Outputs::default();
        for (name, text) in self.scripts() {
            outputs.write(self.folder.join(name), text)?;
        }
        outputs.commit()
    }

    /// Removes the files of a submission that failed. The folder was empty before the submission.
    fn remove(&self, existed: bool) {
        let files = Folder::new(self.folder, self.spec.name());
        let names = [SHARD, MERGE].map(|name| self.folder.join(name));
        // The error of the submission is more important than an error here.
        for file in names.into_iter().chain([files.spec(), files.inputs()]) {
            let _ = fs::remove_file(file);
        }
        for name in [SHARDS, LOGS] {
            let _ = fs::remove_dir_all(self.folder.join(name));
        }
        if !existed {
            let _ = fs::remove_dir(self.folder);
        }
    }

    /// Submits `shards` and the merge, and adds them to the record. The merge starts after these shards and after the jobs
    /// `active` of earlier submissions.
    fn submit(&self, mut record: Record, shards: Vec<u32>, active: &[u64]) -> Result<Submitted> {
        let array = match shards.is_empty() {
            true => None,
            false => Some(slurm::submit(self.folder, &array(&ranges(&shards)))?),
        };
        let after: Vec<String> = active
            .iter()
            .copied()
            .chain(array)
            .map(|job| job.to_string())
            .collect();
        let cancel = |merge: Option<u64>| array.into_iter().chain(merge).for_each(slurm::cancel);
        let merge = slurm::submit(self.folder, &after_any(&after)).inspect_err(|_| cancel(None))?;
        record.settings = self.settings.clone();
        record.jobs.push(Jobs {
            array,
            shards: ranges(&shards),
            merge,
        });
        record.write(self.folder).inspect_err(|_| cancel(Some(merge)))?;
        Ok(self.submitted(shards, array, Some(merge)))
    }

    fn submitted(&self, shards: Vec<u32>, array: Option<u64>, merge: Option<u64>) -> Submitted {
        Submitted {
            study: self.spec.name().to_owned(),
            folder: self.folder.display().to_string(),
            shards,
            array,
            merge,
            hours: self.hours,
            dry_run: None,
        }
    }

    /// Submits the shards that are unfinished and not in the queue.
    fn again(&self, record: Record, dry: bool) -> Result<Submitted> {
        let of_shards = Shards::of(self.spec, self.folder.join(SHARDS), self.shards)?;
        let queue = slurm::queue()?;
        let active = Active::new(&record, &queue);
        let lost: Vec<u32> = (1..)
            .zip(&of_shards.progress)
            .filter(|(shard, progress)| **progress != Progress::Finished && !active.has(*shard))
            .map(|(shard, _)| shard)
            .collect();
        let merges = active.merge_waits || active.merge_runs.iter().any(|job| Some(*job) != this_job());
        if lost.is_empty() && (merges || is_merged(self.spec, self.folder)?) {
            return Ok(self.submitted(lost, None, None));
        }
        if dry {
            return Ok(self.preview(lost, &active.arrays));
        }
        let mut outputs = Outputs::default();
        for (name, text) in self.scripts() {
            outputs.write(self.folder.join(name), text)?;
        }
        outputs.commit()?;
        self.submit(record, lost, &active.arrays)
    }
}

/// The jobs of a submission that are in the queue.
pub(super) struct Active {
    /// State of each shard in the queue.
    pub shards: Vec<(u32, State)>,
    /// Array jobs in the queue.
    pub arrays: Vec<u64>,
    /// Whether a merge is in the queue and has not started.
    pub merge_waits: bool,
    /// Merges that are running.
    pub merge_runs: Vec<u64>,
}

impl Active {
    pub fn new(record: &Record, queue: &Queue) -> Active {
        let mut active = Active {
            shards: Vec::new(),
            arrays: Vec::new(),
            merge_waits: false,
            merge_runs: Vec::new(),
        };
        for (&(job, shard), &state) in queue {
            let array = record.jobs.iter().find(|jobs| jobs.array == Some(job));
            if let (Some(_), Some(shard)) = (array, shard) {
                active.shards.push((shard, state));
                if active.arrays.last() != Some(&job) {
                    active.arrays.push(job);
                }
            }
            if record.jobs.iter().any(|jobs| jobs.merge == job) {
                match state {
                    State::Waiting => active.merge_waits = true,
                    State::Running => active.merge_runs.push(job),
                }
            }
        }
        active.shards.sort_unstable();
        active
    }

    /// Whether `shard` is in the queue.
    fn has(&self, shard: u32) -> bool {
        self.shards
            .binary_search_by_key(&shard, |(shard, _)| *shard)
            .is_ok()
    }
}

/// Returns the number of the job that this process belongs to.
fn this_job() -> Option<u64> {
    env::var("SLURM_JOB_ID").ok()?.parse().ok()
}

/// Returns the arguments of `sbatch` for an array of `shards`.
fn array(shards: &str) -> Vec<String> {
    ["--parsable", &format!("--array={shards}"), SHARD]
        .map(str::to_owned)
        .to_vec()
}

/// Returns the arguments of `sbatch` for a merge that starts after the `jobs`.
fn after_any(jobs: &[String]) -> Vec<String> {
    let mut arguments = vec!["--parsable".to_owned()];
    if !jobs.is_empty() {
        arguments.push(format!("--dependency=afterany:{}", jobs.join(":")));
    }
    arguments.push(MERGE.to_owned());
    arguments
}

/// Result of a submission.
#[derive(Serialize)]
struct Submitted {
    study: String,
    folder: String,
    /// The submitted shards.
    shards: Vec<u32>,
    /// Number of the array job.
    #[serde(skip_serializing_if = "Option::is_none")]
    array: Option<u64>,
    /// Number of the merge.
    #[serde(skip_serializing_if = "Option::is_none")]
    merge: Option<u64>,
    /// Estimated time of all shards on one core [h].
    #[serde(skip_serializing_if = "Option::is_none")]
    hours: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dry_run: Option<Preview>,
}

/// The scripts and the commands of a submission.
#[derive(Serialize)]
struct Preview {
    /// Text of each script, by name.
    scripts: BTreeMap<&'static str, String>,
    commands: Vec<String>,
}

impl Report for Submitted {
    fn json(&self) -> Result<String> {
        json_document(self)
    }

    fn table(&self) -> Table {
        let table = Table::of([self])
            .exact("study", |submitted| &submitted.study)
            .exact("folder", |submitted| &submitted.folder)
            .exact("shards", |submitted| ranges(&submitted.shards))
            .exact("array", |submitted| submitted.array)
            .exact("merge", |submitted| submitted.merge);
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let mut text = match self.hours {
            Some(hours) => format!("estimate: {hours:.2} hours of one core for all shards\n"),
            None => String::new(),
        };
        let header = palette.header;
        if let Some(Preview { scripts, commands }) = &self.dry_run {
            // Writing to a string never fails.
            for (name, script) in scripts.iter().rev() {
                let _ = writeln!(text, "{header}{}/{name}{header:#}\n\n{script}", self.folder);
            }
            let _ = writeln!(text, "{header}Commands{header:#}, in {}\n", self.folder);
            commands
                .iter()
                .for_each(|command| text = format!("{text}{command}\n"));
            return Ok(text);
        }
        let shards = counted(self.shards.len() as u64, "shard");
        let _ = match (self.array, self.merge) {
            (Some(array), Some(merge)) => writeln!(
                text,
                "{}: submitted {shards} as job {array}, and the merge as job {merge}",
                self.study
            ),
            (None, Some(merge)) => writeln!(
                text,
                "{}: all shards are finished or in the queue; submitted the merge as job {merge}",
                self.study
            ),
            _ => writeln!(
                text,
                "{}: all shards are finished or in the queue; nothing to submit",
                self.study
            ),
        };
        let _ = writeln!(text, "progress: gpusched study status {}", self.folder);
        Ok(text)
    }
}

/// Whether `folder` contains the results of the study `spec`.
pub(super) fn is_merged(spec: &Spec, folder: &Path) -> Result<bool> {
    let study = Study::new(spec.clone(), Folder::new(folder, spec.name()))?;
    Ok(study.state == gpusched_study::State::Current)
}
