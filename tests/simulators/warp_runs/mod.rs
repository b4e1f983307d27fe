//! Full kernels on a machine: the command, its errors, and its agreement with GPGPU-Sim.
#![cfg(feature = "cli")]

mod beside;
mod clients;
mod cycles;
mod equal_sms;
mod estimates;
mod issues;
mod machines;
mod profile;
mod queues;
mod refusals;
mod scenario;
mod schemas;
mod threads;
mod timeline;

use std::path::Path;

use serde_json::Value;

use crate::support::run;

/// A kernel of ten instructions per warp, 8 blocks of 64 threads.
pub const SMALL: &str = r#"{"name":"small","grid":8,"block":64,"parameters":{"n":2},"buffers":{"a":2048,"b":256},"body":[
 {"op":"load","to":"x","address":"a + 4*(block.x*threads.x + thread.x)","bytes":4},
 {"loop":"n","counter":"i","body":[{"op":"add.int","to":"x","from":"x"}]},
 {"op":"store","from":"x","address":"b + 4*(thread.x)","bytes":4},
 {"op":"exit"}]}"#;

/// Writes `text` to the file `name` in `folder` and returns its path.
pub fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// Runs a command and returns its result in JSON.
pub fn json(line: &str) -> Value {
    let answer = run(&format!("{line} --format json"));
    assert_eq!(answer.code, 0, "{line}: {}", answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}
