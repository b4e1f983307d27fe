//! Promise: documents, comments, help and messages are in plain words: short sentences, standard terms, short lines and pages.

pub mod prose;
pub mod rules;

use std::path::{Path, PathBuf};

use self::prose::{Passage, contains, of_comments, of_markdown, of_strings, sentences, words};
use self::rules::{EXCEPTIONS, LENGTH, LINE, PAGE, PHRASES, WORDS};

/// Files of these endings below `folder`, without build outputs and snapshots, in order.
fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir()
            && !name.starts_with('.')
            && !["target", "snapshots", "book"].contains(&name.as_str())
        {
            files(&path, ending, found);
        } else if name.ends_with(ending) {
            found.push(path);
        }
    }
}

fn is_exception(file: &str, what: &str) -> bool {
    EXCEPTIONS
        .iter()
        .any(|(path, allowed, _)| *path == file && *allowed == what)
}

/// Adds a complaint for every broken rule in `passages` of the file `name`.
fn complaints(name: &str, passages: &[Passage], complaints: &mut Vec<String>) {
    for Passage { line, text } in passages {
        for (phrase, better) in PHRASES {
            if contains(text, phrase) && !is_exception(name, phrase) {
                complaints.push(format!("{name}:{line}: \"{phrase}\" (better: {better}): {text}"));
            }
        }
        let too_long = |sentence: &&str| words(sentence) > WORDS && !is_exception(name, LENGTH);
        for sentence in sentences(text).into_iter().filter(too_long) {
            complaints.push(format!("{name}:{line}: {} words: {sentence}", words(sentence)));
        }
    }
}

/// Everything that breaks a rule of [`rules`] in the repository at `root`, by file.
pub fn all_complaints(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let name = |path: &Path| path.strip_prefix(root).unwrap().display().to_string();
    let mut pages = Vec::new();
    files(root, ".md", &mut pages);
    assert!(pages.len() >= 8, "{pages:?}");
    for path in pages {
        let (name, text) = (name(&path), std::fs::read_to_string(&path).unwrap());
        complaints(&name, &of_markdown(&text), &mut found);
        let lines = text.lines().count();
        if lines > PAGE && !is_exception(&name, LENGTH) {
            found.push(format!("{name}: {lines} lines"));
        }
        for (index, line) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| line.chars().count() > LINE && !is_exception(&name, LENGTH))
        {
            found.push(format!(
                "{name}:{}: {} characters",
                index + 1,
                line.chars().count()
            ));
        }
    }
    let mut sources = Vec::new();
    for folder in ["src", "crates", "gpu", "tests", "benches"] {
        files(&root.join(folder), ".rs", &mut sources);
    }
    assert!(sources.len() >= 100, "{}", sources.len());
    for path in sources {
        let (name, text) = (name(&path), std::fs::read_to_string(&path).unwrap());
        if name.starts_with("tests/command/words/") {
            continue;
        }
        complaints(&name, &of_comments(&text), &mut found);
        if !name.starts_with("tests/") {
            complaints(&name, &of_strings(&text), &mut found);
        }
    }
    found
}

#[test]
fn everything_is_said_in_plain_words() {
    let complaints = all_complaints(Path::new(env!("CARGO_MANIFEST_DIR")));
    assert!(
        complaints.is_empty(),
        "{} complaints:\n{}",
        complaints.len(),
        complaints.join("\n")
    );
}

#[test]
fn a_complaint_names_the_place() {
    let mut found = Vec::new();
    let text =
        "# T\n\nThe `of which` span is code. A\n[link of which](x.md) is not.\n\n```sh\nof which\n```\n";
    complaints("a.md", &of_markdown(text), &mut found);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("a.md:3: \"of which\""), "{found:?}");
    let long = format!("/// One{}. Two.\n", " word".repeat(35));
    let mut found = Vec::new();
    complaints("a.rs", &of_comments(&long), &mut found);
    assert!(
        found.len() == 1 && found[0].starts_with("a.rs:1: 36 words"),
        "{found:?}"
    );
    let source = "fn f() { // \"of which in a comment\"\n    g(\"a text, \\\n       of which more\", '\"', \"short\") }\n";
    let mut found = Vec::new();
    complaints("a.rs", &of_strings(source), &mut found);
    assert!(
        found.len() == 1 && found[0].starts_with("a.rs:2: \"of which\""),
        "{found:?}"
    );
    assert_eq!(
        sentences("One, e.g. Two. Three [Singh21] Eq. 8. Four"),
        ["One, e.g. Two.", " Three [Singh21] Eq. 8.", " Four"]
    );
    assert!(!contains("a side-effect of whichever", "of which") && contains("Of which", "of which"));
}
