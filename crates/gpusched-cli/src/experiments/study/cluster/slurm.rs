//! Calls of the commands of Slurm.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

use gpusched_model::error::{Error, Refusal, Result, excerpt};

/// State of a job in the queue.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum State {
    /// The job has not started.
    Waiting,
    /// The job has started and not ended.
    Running,
}

/// All jobs of the user in the queue. The key contains the number of the job. For a job of an array, the key also
/// contains the number of the shard.
pub type Queue = BTreeMap<(u64, Option<u32>), State>;

/// Whether the commands of Slurm are on the PATH.
pub fn is_available() -> bool {
    let version = Command::new("sbatch")
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    !version.is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// Returns the error for a machine without Slurm.
pub fn missing() -> Error {
    let refusal = Refusal::new("engine", "no command `sbatch`", "the commands of Slurm");
    let hint = "submit on a login node of the cluster, or look at the scripts with `--dry-run`";
    refusal.hint(hint).into()
}

/// Submits a job with `arguments` from `folder`. Returns the number of the job.
///
/// # Errors
/// Fails with [`Error::Refused`] if Slurm does not accept the job.
pub fn submit(folder: &Path, arguments: &[String]) -> Result<u64> {
    let output = run(Some(folder), "sbatch", arguments)?;
    // The output is the number of the job, and possibly `;` and the name of the cluster.
    let number = output.trim().split(';').next().unwrap_or_default();
    number
        .parse()
        .map_err(|_| Error::parameter("sbatch", excerpt(output.trim()), "the number of the job"))
}

/// Cancels a job. Ignores errors, because the job may have ended.
pub fn cancel(job: u64) {
    let _ = run(None, "scancel", &[job.to_string()]);
}

/// Returns all jobs of the user in the queue.
///
/// # Errors
/// Fails with [`Error::Refused`] if Slurm does not respond.
pub fn queue() -> Result<Queue> {
    let arguments = ["--me", "--noheader", "--array", "--format=%i %T"].map(str::to_owned);
    let output = run(None, "squeue", &arguments)?;
    Ok(output.lines().filter_map(job).collect())
}

/// Parses a line of the queue, such as `17_3 RUNNING`.
fn job(line: &str) -> Option<((u64, Option<u32>), State)> {
    let (id, state) = line.trim().split_once(' ')?;
    let (job, shard) = match id.split_once('_') {
        Some((job, shard)) => (job, Some(shard.parse().ok()?)),
        None => (id, None),
    };
    let state = match state.trim() {
        "BOOT_FAIL" | "CANCELLED" | "COMPLETED" | "DEADLINE" | "FAILED" | "NODE_FAIL" | "OUT_OF_MEMORY"
        | "PREEMPTED" | "REVOKED" | "TIMEOUT" => return None,
        "PENDING" | "REQUEUED" | "REQUEUE_FED" | "REQUEUE_HOLD" | "RESV_DEL_HOLD" | "SPECIAL_EXIT" => {
            State::Waiting
        }
        _ => State::Running,
    };
    Some(((job.parse().ok()?, shard), state))
}

/// Runs a command of Slurm and returns its output.
fn run(folder: Option<&Path>, program: &'static str, arguments: &[String]) -> Result<String> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    let output = command.output().map_err(|cause| match cause.kind() {
        ErrorKind::NotFound => missing(),
        _ => Error::io(program, "run", cause),
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        let command = format!("{program} {}", arguments.join(" "));
        let refusal = Refusal::told("", format!("`{}` failed: {said}", excerpt(&command)));
        return Err(match said.contains("array") {
            true => {
                let hint = "choose fewer shards: `scontrol show config` states the limit MaxArraySize";
                refusal.hint(hint).into()
            }
            false => refusal.into(),
        });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
