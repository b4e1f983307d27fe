//! The two scripts of a submission. All their paths are relative to the folder of the submission, where Slurm starts them.

use std::fmt::Write as _;

use super::settings::Settings;

/// Name of the script of each shard.
pub const SHARD: &str = "shard.sh";
/// Name of the script that merges the shards.
pub const MERGE: &str = "merge.sh";
/// Folder of the journals, in the folder of the submission.
pub const SHARDS: &str = "shards";
/// Folder of the outputs of all jobs, in the folder of the submission.
pub const LOGS: &str = "logs";

/// All data that the scripts depend on.
pub struct Scripts<'a> {
    /// Name of the study.
    pub study: &'a str,
    /// Command that runs gpusched.
    pub program: &'a str,
    pub shards: u32,
    /// Number of times that the merge may resubmit unfinished shards.
    pub retries: u32,
    pub settings: &'a Settings,
}

impl Scripts<'_> {
    /// Returns the script of a shard. Slurm sets the number of the shard.
    pub fn shard(&self) -> String {
        let threads = self.settings.threads.unwrap_or(1);
        let mut text = self.head("", "shard-%a.log", threads);
        // Writing to a string never fails.
        let _ = writeln!(
            text,
            "exec {} study run {}.toml \\\n    --shard \"$SLURM_ARRAY_TASK_ID/{}\" --threads {threads} --quiet -o {SHARDS}",
            quoted(self.program),
            self.study,
            self.shards
        );
        text
    }

    /// Returns the script of the merge.
    pub fn merge(&self) -> String {
        let program = quoted(self.program);
        let mut text = self.head("-merge", "merge.log", 1);
        let merge = format!("{program} study merge {SHARDS} --quiet -o .");
        // Writing to a string never fails.
        let _ = match self.retries {
            0 => writeln!(text, "{program} study status .\nexec {merge}"),
            retries => writeln!(
                text,
                "if {program} study status .; then\n    exec {merge}\nfi\n\
                 exec {program} study submit {}.toml --retries {} -o .",
                self.study,
                retries - 1
            ),
        };
        text
    }

    fn head(&self, job: &str, log: &str, threads: usize) -> String {
        let Settings {
            partition,
            account,
            time,
            memory,
            modules,
            options,
            threads: _,
        } = self.settings;
        let mut lines = vec![
            format!("--job-name=gpusched-{}{job}", self.study),
            format!("--output={LOGS}/{log}"),
            "--open-mode=append".to_owned(),
            "--requeue".to_owned(),
            "--nodes=1".to_owned(),
            "--ntasks=1".to_owned(),
            format!("--cpus-per-task={threads}"),
        ];
        let named = [
            ("partition", partition),
            ("account", account),
            ("time", time),
            ("mem", memory),
        ];
        for (name, value) in named {
            lines.extend(value.as_ref().map(|value| format!("--{name}={value}")));
        }
        lines.extend(options.iter().cloned());
        let mut text = "#!/bin/bash -l\n# `gpusched study submit` wrote this script.\n".to_owned();
        for line in lines {
            let _ = writeln!(text, "#SBATCH {line}");
        }
        text += "set -e\n";
        for module in modules {
            let _ = writeln!(text, "module load {module}");
        }
        text
    }
}

/// Returns `text` as one word for the shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./+".contains(c);
    match text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// Returns the numbers of shards as Slurm writes them, such as `1-3,7`. The numbers are sorted.
pub fn ranges(shards: &[u32]) -> String {
    let runs = shards.chunk_by(|a, b| a + 1 == *b);
    let runs = runs.filter_map(|run| match (run.first()?, run.last()?) {
        (first, last) if first == last => Some(first.to_string()),
        (first, last) => Some(format!("{first}-{last}")),
    });
    runs.collect::<Vec<_>>().join(",")
}
