//! A copy of the files that a user has after a fresh checkout, and a shell in it with `gpusched` on the PATH.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::root;

/// Studies and task sets in a temporary folder.
pub struct Checkout {
    folder: tempfile::TempDir,
    path: OsString,
}

/// Result of a shell command; standard output and standard error are joined as on a terminal.
pub struct Shown {
    pub code: i32,
    pub text: String,
}

impl Checkout {
    pub fn new() -> Checkout {
        let folder = tempfile::tempdir().unwrap();
        for name in ["tasksets", "analysis"] {
            copy(&root().join(name), &folder.path().join(name));
        }
        let program = Path::new(env!("CARGO_BIN_EXE_gpusched"));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = [program.parent().unwrap().to_owned()];
        let path = std::env::join_paths(folders.into_iter().chain(std::env::split_paths(&path))).unwrap();
        Checkout { folder, path }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs `command` in a shell in this folder.
    pub fn sh(&self, command: &str) -> Shown {
        let output = Command::new("sh")
            .args(["-c", &format!("exec 2>&1\n{command}")])
            .current_dir(&self.folder)
            .env("PATH", &self.path)
            // A line about the progress would change the output on a busy computer.
            .env("GPUSCHED_PROGRESS", "3600s")
            .env_remove("CLICOLOR_FORCE")
            .output()
            .unwrap();
        Shown {
            code: output.status.code().unwrap_or(-1),
            text: String::from_utf8_lossy(&output.stdout).into_owned(),
        }
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
