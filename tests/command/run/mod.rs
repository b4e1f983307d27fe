//! Guarantee: `gpusched run` dispatches a proven plan, its trace passes the audit, and each injected fault is found.
#![cfg(feature = "cli")]

mod c_programs;
mod chunks;
mod exported;
mod faults;
mod guides;
mod measured;
pub(crate) mod on_gpu;
mod overheads;
pub mod ring;
mod simulated;

use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::run;

/// Four tasks, which every policy without preemption puts into two partitions of 8 SMs of an H100.
const SET: &str = r#"{"tasks":[
  {"name":"lidar","period":"20ms","deadline":"15ms","wcet":{"table":[[8,"6ms"],[16,"3ms"]]}},
  {"name":"camera","period":"25ms","wcet":{"table":[[8,"6ms"],[16,"4ms"]]}},
  {"name":"radar","period":"10ms","wcet":{"table":[[8,"3ms"],[16,"2ms"]]}},
  {"name":"map","period":"50ms","wcet":{"table":[[8,"10ms"],[16,"8ms"]]}}]}"#;

/// A plan, its task set, and the file of its trace.
struct Case {
    _folder: TempDir,
    plan: PathBuf,
    set: PathBuf,
    trace: PathBuf,
}

impl Case {
    /// Plans [`SET`] with `options` of `partition`.
    fn new(options: &str) -> Case {
        Case::of(SET, options)
    }

    /// Plans `set` with `options` of `partition`.
    fn of(set: &str, options: &str) -> Case {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (plan, file, trace) = (path("plan.json"), path("set.json"), path("trace.json"));
        std::fs::write(&file, set).unwrap();
        let line = format!("partition {} {options} -q -o {}", file.display(), plan.display());
        let planned = run(&line);
        assert_eq!(planned.code, 0, "{}", planned.stderr);
        Case {
            _folder: folder,
            plan,
            set: file,
            trace,
        }
    }

    fn line(&self, options: &str) -> String {
        format!("run {} {} {options}", self.plan.display(), self.set.display())
    }

    /// Options that write the trace.
    fn traced(&self, options: &str) -> String {
        self.line(&format!("{options} -o {}", self.trace.display()))
    }

    fn audit(&self) -> crate::support::Answer {
        let (trace, set, plan) = (self.trace.display(), self.set.display(), self.plan.display());
        run(&format!("recording audit {trace} --set {set} --plan {plan}"))
    }

    fn read(&self) -> Value {
        read(&self.trace)
    }
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}
