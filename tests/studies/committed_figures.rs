//! The figures in `analysis/` are what gpusched draws.

use std::fs;
use std::path::{Path, PathBuf};

use crate::plot::files;
use assert_cmd::Command;

/// The committed figures are the figures that gpusched draws from the committed results, the copies of the study files are
/// up to date, and nothing else changes.
#[test]
fn committed_figures_are_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let copy = tempfile::tempdir().unwrap();
    let to = copy.path().join("analysis");
    fs::create_dir(&to).unwrap();
    let mut committed: Vec<PathBuf> = Vec::new();
    for entry in files(&root.join("analysis")) {
        let name = entry.file_name().unwrap();
        if entry.is_dir() {
            fs::create_dir(to.join(name)).unwrap();
            committed.extend(files(&entry));
        } else {
            committed.push(entry);
        }
    }
    let of = |path: &Path| to.join(path.strip_prefix(root.join("analysis")).unwrap());
    for path in &committed {
        if path.extension().is_none_or(|ending| ending != "svg") {
            fs::copy(path, of(path)).unwrap();
        }
    }
    let mut draw = Command::new(env!("CARGO_BIN_EXE_gpusched"));
    draw.current_dir(root)
        .args(["study", "draw"])
        .arg(&to)
        .assert()
        .success();
    let mut drawn: Vec<PathBuf> = files(&to)
        .iter()
        .filter(|path| path.is_dir())
        .flat_map(|path| files(path))
        .collect();
    drawn.extend(files(&to).into_iter().filter(|path| path.is_file()));
    let mut expected: Vec<PathBuf> = committed.iter().map(|path| of(path)).collect();
    drawn.sort();
    expected.sort();
    assert_eq!(drawn, expected, "draw again: gpusched study draw analysis");
    for path in &committed {
        assert!(
            fs::read(path).unwrap() == fs::read(of(path)).unwrap(),
            "{} is not up to date: gpusched study draw analysis",
            path.display()
        );
    }
}
