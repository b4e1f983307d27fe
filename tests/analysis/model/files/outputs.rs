//! Output files: all or none appear, and no input is lost.

use std::fs;
use std::path::Path;

use gpusched_model::artifact::Outputs;
use gpusched_model::error::Result;

use crate::support::files;

fn write(path: impl AsRef<Path>, content: &str) -> Result<()> {
    let mut outputs = Outputs::default();
    outputs.write(path, content)?;
    outputs.commit()
}

/// Returns the sorted names of all files in `folder`.
fn names(folder: &Path) -> Vec<String> {
    let names = files(folder).into_iter();
    names.map(|name| name.display().to_string()).collect()
}

#[test]
fn appears_on_commit_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    let mut outputs = Outputs::default();
    outputs.write(&path, "half").unwrap();
    outputs.sync().unwrap();
    drop(outputs);
    assert_eq!(names(folder.path()), [""; 0]);

    write(&path, "whole").unwrap();
    write(&path, "again").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "again");
    assert_eq!(names(folder.path()), ["a.txt"]);
}

/// Checks that a file does not appear if the program drops it before it is complete, and that the other file
/// appears.
#[test]
fn only_complete_files_appear() {
    let folder = tempfile::tempdir().unwrap();
    let mut outputs = Outputs::default();
    let mut dropped = outputs.create(folder.path().join("a.txt")).unwrap();
    dropped.put("half").unwrap();
    outputs.write(folder.path().join("b.txt"), "whole").unwrap();
    drop(dropped);
    outputs.commit().unwrap();
    assert_eq!(names(folder.path()), ["b.txt"]);
}

/// The last of four renames fails. The test checks that new files are removed and that replaced files are restored.
#[test]
fn a_rename_that_fails_takes_back_those_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("old.txt"), "old").unwrap();
    let mut outputs = Outputs::default();
    for name in ["new.txt", "old.txt", "more.txt", "blocked.txt"] {
        outputs.write(path(name), "written").unwrap();
    }
    // A file cannot replace a folder.
    fs::create_dir(path("blocked.txt")).unwrap();
    let message = outputs.commit().unwrap_err().to_string();
    assert!(message.contains("blocked.txt: cannot write"), "{message}");
    assert_eq!(names(folder.path()), ["blocked.txt", "old.txt"]);
    assert_eq!(fs::read_to_string(path("old.txt")).unwrap(), "old");

    fs::remove_dir(path("blocked.txt")).unwrap();
    let mut outputs = Outputs::default();
    for name in ["old.txt", "new.txt"] {
        outputs.write(path(name), "written").unwrap();
    }
    outputs.commit().unwrap();
    assert_eq!(names(folder.path()), ["new.txt", "old.txt"]);
    assert_eq!(fs::read_to_string(path("old.txt")).unwrap(), "written");
}

#[test]
fn two_outputs_are_two_files() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("inner")).unwrap();
    let mut outputs = Outputs::default();
    outputs.write(folder.path().join("a.txt"), "one").unwrap();
    let twice = outputs.create(folder.path().join("inner/../a.txt"));
    let message = twice.unwrap_err().to_string();
    assert!(message.contains("a.txt: found the same file"), "{message}");
}

#[test]
fn what_is_read_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (path, late) = (folder.path().join("a.txt"), folder.path().join("b.txt"));
    for path in [&path, &late] {
        fs::write(path, "read").unwrap();
    }
    fs::create_dir(folder.path().join("inner")).unwrap();
    let mut outputs = Outputs::default();
    outputs.keep(&path).unwrap();
    let kept = outputs.create(folder.path().join("inner/../a.txt"));
    let message = kept.unwrap_err().to_string();
    assert!(
        message.contains("a.txt: found an output that is also an input"),
        "{message}"
    );
    outputs.write(&late, "new").unwrap();
    assert!(outputs.keep(&late).is_err());
    drop(outputs);
    assert_eq!(fs::read_to_string(&late).unwrap(), "read");

    let mut outputs = Outputs::default();
    outputs.keep(folder.path().join("missing.txt")).unwrap();
    outputs.write(folder.path().join("missing.txt"), "new").unwrap();
    outputs.commit().unwrap();
}

#[test]
fn refuses_folders_and_missing_folders() {
    let folder = tempfile::tempdir().unwrap();
    assert!(write(folder.path(), "").is_err());
    let missing = folder.path().join("missing/a.txt");
    let message = write(&missing, "").unwrap_err().to_string();
    let start = format!("{}: cannot create: ", missing.display());
    assert!(
        message.starts_with(&start) && !message.contains(".gpusched-"),
        "{message}"
    );
}

/// Checks that gpusched removes only temporary files of killed processes. Temporary files of running processes and
/// temporary files for other destinations remain.
#[test]
fn remnants_go_with_the_next_file_of_that_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    let names = || names(folder.path());
    let others = [
        ".gpusched-a.txt-",
        ".gpusched-a.txt-Ab12C",
        ".gpusched-Ab12Cd",
        ".gpusched-b.txt-Ab12Cd",
        "a.txt-Ab12Cd",
    ];
    for name in others
        .iter()
        .chain(&[".gpusched-a.txt-Ab12Cd", ".gpusched-a.txt-000000"])
    {
        fs::write(folder.path().join(name), "half").unwrap();
    }
    let mut slow = Outputs::default();
    slow.write(&path, "slow").unwrap();
    assert_eq!(names().len(), others.len() + 1, "{:?}", names());
    write(&path, "fast").unwrap();
    assert_eq!(names().len(), others.len() + 2, "{:?}", names());
    slow.commit().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "slow");
    let mut expected: Vec<&str> = others.into_iter().chain(["a.txt"]).collect();
    expected.sort_unstable();
    assert_eq!(names(), expected);
}

#[cfg(unix)]
#[test]
fn devices_are_written_not_replaced() {
    let mut outputs = Outputs::default();
    for _ in 0..2 {
        outputs.write("/dev/null", "gone").unwrap();
    }
    outputs.commit().unwrap();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}
