//! Targets in the documents exist: files, headings, functions, options.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::docs::markdown::{Page, code_spans, pages};
use crate::help::Help;
use crate::support::root;

#[test]
fn links_lead_somewhere() {
    let pages = pages();
    let (mut links, mut broken) = (0, Vec::new());
    for page in &pages {
        for target in page
            .prose
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            links += 1;
            if target.starts_with("https://") {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = match file {
                "" => page.path.clone(),
                file => normal(&page.path.parent().unwrap().join(file)),
            };
            let other = pages.iter().find(|other| other.path == path);
            let found = heading.is_empty() || other.is_some_and(|other| headings(other).contains(heading));
            if !root().join(&path).exists() || !found {
                broken.push(format!("{}: {target}", page.path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(links >= 15, "{links}");
}

#[test]
fn the_summary_lists_every_page() {
    let pages = pages();
    let summary = pages
        .iter()
        .find(|page| page.path == Path::new("docs/SUMMARY.md"))
        .unwrap();
    let listed: BTreeSet<PathBuf> = summary
        .prose
        .split("](")
        .skip(1)
        .filter_map(|rest| Some(Path::new("docs").join(rest.split(')').next()?)))
        .collect();
    let all = pages.iter().map(|page| page.path.clone());
    let expected: BTreeSet<PathBuf> = all
        .filter(|path| path.starts_with("docs") && *path != summary.path)
        .collect();
    assert_eq!(listed, expected);
}

/// Returns `path` without its `..` parts.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => assert!(normal.pop(), "{}", path.display()),
            part => normal.push(part),
        }
    }
    normal
}

/// The anchors that GitHub gives to the headings of `page`.
fn headings(page: &Page) -> BTreeSet<String> {
    let titles = page.prose.lines().filter_map(|line| {
        let title = line.trim_start_matches('#');
        (title.len() < line.len()).then(|| title.trim().to_lowercase())
    });
    let keep = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    titles
        .map(|title| title.chars().filter(keep).collect::<String>().replace(' ', "-"))
        .collect()
}

const FOLDERS: [&str; 9] = [
    "src", "crates", "gpu", "tests", "docs", "analysis", "tasksets", "benches", ".ci",
];

#[test]
fn files_exist() {
    let (mut found, mut missing) = (0, Vec::new());
    for page in pages() {
        for span in code_spans(&page.prose) {
            let placeholder = span.contains(['*', '<', ' ', '…']) || span.contains("NAME");
            let below = |folder: &&str| {
                span.strip_prefix(folder)
                    .is_some_and(|rest| rest.starts_with('/'))
            };
            if placeholder || !FOLDERS.iter().any(below) {
                continue;
            }
            found += 1;
            if !root().join(span).exists() {
                missing.push(format!("{}: {span}", page.path.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(found >= 10, "{found}");
}

#[test]
fn functions_are_where_the_documents_say() {
    let (mut found, mut missing) = (0, Vec::new());
    for page in pages() {
        for span in code_spans(&page.prose).filter(|span| span.contains("::")) {
            let name =
                |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let parts: Vec<&str> = span.split("::").collect();
            if !parts.iter().all(|part| name(part)) {
                continue;
            }
            found += 1;
            if !defined(&parts) {
                missing.push(format!("{}: {span}", page.path.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(found >= 30, "{found}");
}

/// The crates that the facade exports as modules.
const CRATES: [(&str, &str); 6] = [
    ("gpu", "gpu/gpusched-gpu"),
    ("model", "crates/gpusched-model"),
    ("recording", "crates/gpusched-recording"),
    ("simulator", "crates/gpusched-sim"),
    ("study", "crates/gpusched-study"),
    ("verification", "crates/gpusched-verify"),
];

/// Whether the modules exist in the crate of the facade module, and their files define all following names.
pub fn defined(parts: &[&str]) -> bool {
    let Some((first, rest)) = parts.split_first() else {
        return false;
    };
    if let Some((_, name)) = CRATES.iter().find(|(module, _)| module == first) {
        return defined_below(root().join(name).join("src"), rest);
    }
    let houses = ["crates", "gpu"].map(|house| std::fs::read_dir(root().join(house)).unwrap());
    houses
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path().join("src"))
        .filter(|folder| module(folder, first).is_some())
        .any(|folder| defined_below(folder, parts))
}

/// Path of the module `name` without extension: in `folder`, or in a subfolder that exports its modules.
fn module(folder: &Path, name: &str) -> Option<PathBuf> {
    let below = std::fs::read_dir(folder).into_iter().flatten();
    std::iter::once(folder.to_path_buf())
        .chain(below.map(|entry| entry.unwrap().path()))
        .map(|folder| folder.join(name))
        .find(|place| place.is_dir() || place.with_extension("rs").is_file())
}

fn defined_below(mut place: PathBuf, parts: &[&str]) -> bool {
    let mut names = parts.iter();
    let mut sources = Vec::new();
    collect(&place, &mut sources);
    for part in names.by_ref() {
        let Some(folder) = module(&place, part) else {
            return !sources.is_empty()
                && [part]
                    .into_iter()
                    .chain(names)
                    .all(|name| defines(&sources, name));
        };
        sources.clear();
        let file = folder.with_extension("rs");
        if file.is_file() {
            sources.push(std::fs::read_to_string(file).unwrap());
        }
        collect(&folder, &mut sources);
        place = folder;
    }
    true
}

fn collect(folder: &Path, sources: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, sources);
        } else {
            sources.push(std::fs::read_to_string(path).unwrap());
        }
    }
}

/// Whether a line defines `name`, as an item or as a variant of an enum.
fn defines(sources: &[String], name: &str) -> bool {
    let after = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    sources.iter().flat_map(|source| source.lines()).any(|line| {
        let line = line.trim_start();
        let item = ["fn ", "struct ", "enum ", "trait ", "const ", "type "]
            .into_iter()
            .any(|keyword| {
                line.split_once(keyword).is_some_and(|(before, rest)| {
                    before
                        .split_whitespace()
                        .all(|word| word.starts_with("pub") || word == "const")
                        && rest.strip_prefix(name).is_some_and(after)
                })
            });
        let variant = line
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with([',', '(']) || rest.starts_with(" {"));
        item || variant
    })
}

#[test]
fn definitions_are_told_from_mentions() {
    let defined = |span: &str| defined(&span.split("::").collect::<Vec<_>>());
    for good in [
        "model::wcet::Form::Affine",
        "schedulability::edf::test",
        "study::wilson",
        "generation::Source::draw",
    ] {
        assert!(defined(good), "{good}");
    }
    for bad in [
        "model::wcet::Form::Cubic",
        "schedulability::fp::test",
        "study::wilson::between",
        "Source::draw",
    ] {
        assert!(!defined(bad), "{bad}");
    }
}

/// Options of other programs in the documents.
const OTHER_OPTIONS: [&str; 10] = [
    "--release",
    "--open",
    "--features",
    "--profile",
    "--test",
    "--cuda-graph-trace=node",
    "--exportTimes",
    "--requeue",
    "--install",
    "--no-sandbox",
];

#[test]
fn options_exist() {
    let helps = Help::all();
    let known: BTreeSet<&str> = helps.iter().flat_map(Help::options).collect();
    let (mut found, mut missing) = (0, Vec::new());
    for page in pages() {
        for span in code_spans(&page.prose) {
            for word in span
                .split_whitespace()
                .filter(|word| word.starts_with("--") && word.len() > 2)
            {
                let option = word
                    .trim_start_matches('-')
                    .split(['=', ',', ')', '['])
                    .next()
                    .unwrap();
                found += 1;
                if !known.contains(option) && !OTHER_OPTIONS.contains(&word) {
                    missing.push(format!("{}: {word}", page.path.display()));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(found >= 15, "{found}");
}
