//! Imports inside each crate run in one direction: neither files nor top-level folders import each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::support::root;

/// For each module of a crate, by its path without `crate::`, the modules that it names.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// Returns the sources of a crate by the path of their module.
fn modules(folder: &Path, path: &[String], found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let inner: Vec<String> = path.iter().cloned().chain([name.clone()]).collect();
        if file.is_dir() {
            modules(&file, &inner, found);
        } else if file.extension().is_some_and(|extension| extension == "rs") {
            let own = if ["mod", "lib", "main"].contains(&name.as_str()) {
                path
            } else {
                &inner
            };
            found.insert(own.join("::"), code(&fs::read_to_string(file).unwrap()));
        }
    }
}

/// Returns `source` without comments and without tests.
fn code(source: &str) -> String {
    let product = source.split("#[cfg(test)]\nmod ").next().unwrap();
    let lines = product.lines().map(|line| line.split("//").next().unwrap());
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the paths of an import such as `super::{a, b::{c, d}}`.
fn paths(tree: &str) -> Vec<String> {
    let Some((before, rest)) = tree.split_once('{') else {
        return vec![tree.split(" as ").next().unwrap().trim().to_owned()];
    };
    let (mut depth, mut parts) = (1, vec![String::new()]);
    for character in rest.chars() {
        depth += i32::from(character == '{') - i32::from(character == '}');
        match character {
            ',' if depth == 1 => parts.push(String::new()),
            _ if depth == 0 => break,
            _ => parts.last_mut().unwrap().push(character),
        }
    }
    let inner = parts.iter().filter(|part| !part.trim().is_empty());
    inner
        .flat_map(|part| paths(part))
        .map(|part| format!("{}{part}", before.trim()))
        .collect()
}

/// Returns the paths that `code` names in imports and in expressions.
fn named(code: &str) -> Vec<String> {
    let import = regex_lite::Regex::new(r"\buse ([^;]+);").unwrap();
    let path = regex_lite::Regex::new(r"\b(?:crate|self|super)(?:::\w+)+").unwrap();
    let imports = import.captures_iter(code).flat_map(|found| paths(&found[1]));
    let inline = path.find_iter(code).map(|found| found.as_str().to_owned());
    imports.chain(inline).collect()
}

/// Returns the imports of the crate with its sources in `folder`.
fn imports(folder: &Path) -> Imports {
    let mut sources = BTreeMap::new();
    modules(folder, &[], &mut sources);
    let module_of = |here: &str, path: &str| -> Option<String> {
        let mut words: Vec<&str> = path.split("::").collect();
        let mut base: Vec<&str> = match *words.first()? {
            "crate" => Vec::new(),
            "self" | "super" => here.split("::").filter(|word| !word.is_empty()).collect(),
            _ => return None,
        };
        while let Some("crate" | "self" | "super") = words.first().copied() {
            if words.remove(0) == "super" {
                base.pop();
            }
        }
        base.append(&mut words);
        let prefixes = (1..=base.len()).rev().map(|length| base[..length].join("::"));
        prefixes.into_iter().find(|module| sources.contains_key(module))
    };
    let targets = |here: &String, code: &String| -> BTreeSet<String> {
        let found = named(code).into_iter().filter_map(|path| module_of(here, &path));
        // A module and the modules inside it are one room.
        let inside = |a: &str, b: &str| a.starts_with(&format!("{b}::"));
        found
            .filter(|other| other != here && !inside(other, here) && !inside(here, other))
            .collect()
    };
    sources
        .iter()
        .map(|(here, code)| (here.clone(), targets(here, code)))
        .collect()
}

/// Returns the modules that reach themselves along `imports`.
fn in_circles(imports: &Imports) -> Vec<&String> {
    let reached = |start: &String| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![start]);
        while let Some(module) = open.pop() {
            for next in imports.get(module).into_iter().flatten() {
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        seen
    };
    imports
        .keys()
        .filter(|module| reached(module).contains(module))
        .collect()
}

/// Returns the imports between the top-level modules.
fn between_rooms(imports: &Imports) -> Imports {
    let room = |module: &str| module.split("::").next().unwrap().to_owned();
    let mut rooms = Imports::new();
    for (module, others) in imports.iter().filter(|(module, _)| !module.is_empty()) {
        let others = others.iter().map(|other| room(other));
        let others = others.filter(|other| *other != room(module));
        rooms.entry(room(module)).or_default().extend(others);
    }
    rooms
}

#[test]
fn no_crate_has_a_circle() {
    let mut checked = 0;
    for house in ["crates", "gpu"] {
        for entry in fs::read_dir(root().join(house)).unwrap() {
            let folder = entry.unwrap().path().join("src");
            if !folder.is_dir() {
                continue;
            }
            let imports = imports(&folder);
            checked += imports.values().map(BTreeSet::len).sum::<usize>();
            let name = folder.display();
            assert_eq!(in_circles(&imports), Vec::<&String>::new(), "files of {name}");
            assert_eq!(
                in_circles(&between_rooms(&imports)),
                Vec::<&String>::new(),
                "folders of {name}"
            );
        }
    }
    assert!(checked > 1_500, "{checked}");
}

#[test]
fn a_circle_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    write("lib.rs", "mod a;\nmod b;\n");
    write("a/mod.rs", "mod inner;\n");
    write("a/inner.rs", "use super::super::{b::{Thing, Other as O}, c};\n");
    write("b.rs", "// use crate::a;\nfn f() { crate::a::inner::g() }\n");
    let circle = imports(folder.path());
    assert_eq!(in_circles(&circle), ["a::inner", "b"]);
    assert_eq!(in_circles(&between_rooms(&circle)), ["a", "b"]);
    write(
        "b.rs",
        "// use crate::a;\n#[cfg(test)]\nmod tests { use crate::a::inner; }\n",
    );
    let straight = imports(folder.path());
    assert!(in_circles(&straight).is_empty() && in_circles(&between_rooms(&straight)).is_empty());
}
