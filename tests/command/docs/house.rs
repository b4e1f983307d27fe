//! The seam between the toolkit in `crates/` and the cycle-level GPU in `gpu/`: `docs/design.md` states it, and the manifests and
//! the sources keep to it.

use std::fs;
use std::path::Path;

use crate::support::root;

/// Returns the manifest of each crate in `house`, and the text of all its sources.
fn crates(house: &str) -> Vec<(String, String, String)> {
    let entries = fs::read_dir(root().join(house)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.is_dir())
        .map(|folder| {
            let mut text = String::new();
            sources(&folder.join("src"), &mut text);
            let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
            (folder.display().to_string(), manifest, text)
        })
        .collect()
}

fn sources(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, text),
            false => *text += &fs::read_to_string(path).unwrap(),
        }
    }
}

#[test]
fn the_toolkit_does_not_know_the_cycle_level_gpu() {
    let toolkit = crates("crates");
    assert!(toolkit.len() >= 8);
    for (name, manifest, text) in toolkit {
        assert!(!manifest.contains("gpusched-gpu"), "{name}");
        assert!(!text.contains("gpusched_gpu"), "{name}");
    }
}

#[test]
fn the_simulator_does_not_know_studies_and_the_command() {
    let house = crates("gpu");
    assert_eq!(house.len(), 2);
    for (name, manifest, text) in house {
        let is_command = name.ends_with("-command");
        for above in ["study", "cli", "report", "verify", "recording"] {
            let allowed = is_command && ["study", "cli"].contains(&above);
            let named = manifest.contains(&format!("gpusched-{above}"));
            let used = text.contains(&format!("gpusched_{above}::"));
            assert!(allowed || !(named || used), "{name}: {above}");
        }
    }
}

#[test]
fn only_the_root_package_hands_the_cycle_level_gpu_over() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    assert!(read("src/lib.rs").contains("&gpusched_gpu_command::PART"));
    assert!(!read("python/Cargo.toml").contains("gpusched-gpu"));
    for program in ["src/main.rs", "python/src/lib.rs"] {
        assert!(read(program).contains("gpusched::register_parts()"), "{program}");
    }
}

/// `cargo run` and `cargo install` compile the dependencies of the root package, and only its tests need the C library.
#[test]
fn the_c_library_is_no_part_of_the_command() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    assert!(manifest["dev-dependencies"].get("gpusched-runtime-c").is_some());
    assert!(manifest["dependencies"].get("gpusched-runtime-c").is_none());
    for (name, manifest, _) in crates("crates") {
        assert!(!manifest.contains("\ngpusched-runtime-c"), "{name}");
    }
}
