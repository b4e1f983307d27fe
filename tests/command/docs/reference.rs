//! Generated parts of docs/reference: the options of gpusched and the schemas of its files.
//!
//! A generated part starts at `<!-- commands: wcet, budget -->` or `<!-- schema: task-set -->`
//! and ends at `<!-- end -->`. With `GPUSCHED_UPDATE=1`, the test writes the parts. Otherwise,
//! the test compares the parts with gpusched.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

use crate::docs::markdown::pages;
use crate::help::Help;
use crate::support::{root, run};

/// Maximum length of a line that has a blank to break it at [characters].
const WIDTH: usize = 140;

/// Types that docs/reference/README.md explains once for all files.
const PLAIN: [(&str, &str); 6] = [
    ("Time", "time"),
    ("Bytes", "bytes"),
    ("Bandwidth", "bandwidth"),
    ("Factor", "factor"),
    ("Expression", "text"),
    ("Ratio", "factor"),
];

#[test]
fn generated_parts_are_what_the_command_says() {
    let pages: Vec<_> = pages()
        .into_iter()
        .map(|page| page.path.display().to_string())
        .filter(|path| path.starts_with("docs/reference/"))
        .collect();
    let update = std::env::var_os("GPUSCHED_UPDATE").is_some();
    let help = Help::all();
    let (mut parts, mut schemas, mut all) = (0, Schemas::default(), String::new());
    for page in pages {
        let path = root().join(&page);
        let text = std::fs::read_to_string(&path).unwrap();
        let mut new = String::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            writeln!(new, "{line}").unwrap();
            let marker = line
                .strip_prefix("<!-- ")
                .and_then(|line| line.strip_suffix(" -->"));
            let part = match marker.and_then(|marker| marker.split_once(": ")) {
                Some(("commands", names)) => commands(&help, names),
                Some(("schema", name)) => schemas.file(name, &page),
                Some(("types", names)) => schemas.types(names, &page),
                _ => continue,
            };
            parts += 1;
            write!(
                new,
                "\n{}\n<!-- end -->\n",
                part.trim_end_matches('\n').to_owned() + "\n"
            )
            .unwrap();
            assert!(
                lines.any(|line| line == "<!-- end -->"),
                "{page}: {line} without an end"
            );
        }
        all += &new;
        if update && new != text {
            std::fs::write(&path, new).unwrap();
        } else {
            let changed = new.lines().zip(text.lines()).find(|(new, old)| new != old);
            assert!(
                new == text,
                "{page} is outdated at {changed:?}: run the test with GPUSCHED_UPDATE=1"
            );
        }
    }
    assert!(parts >= 10, "{parts}");
    let commands = help.iter().filter(|help| !help.has_subcommands);
    let missing: Vec<&str> = { commands.map(|help| help.name.as_str()) }
        .filter(|name| !all.contains(&format!("## `{name}`\n")))
        .collect();
    assert!(missing.is_empty(), "commands that no page describes: {missing:?}");
    let list = run("schema").stdout;
    let names = list
        .lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().next());
    let missing: Vec<&str> = names.filter(|name| !schemas.files.contains_key(*name)).collect();
    assert!(missing.is_empty(), "files that no page describes: {missing:?}");
}

/// The commands that start with one of `names`, with their options.
fn commands(help: &[Help], names: &str) -> String {
    let mut text = String::new();
    for name in names.split(", ") {
        let name = format!("gpusched {name}");
        let below = |help: &&Help| help.name == name || help.name.starts_with(&format!("{name} "));
        let found: Vec<&Help> = help.iter().filter(below).collect();
        assert!(!found.is_empty(), "no command {name}");
        for help in found.into_iter().filter(|help| !help.has_subcommands) {
            writeln!(text, "## `{}`\n", help.name).unwrap();
            let short = run(&format!("{} -h", help.name.strip_prefix("gpusched").unwrap())).stdout;
            command(&short, &mut text);
        }
    }
    text
}

/// One command: what it does, its usage, and a list of its arguments and options.
fn command(help: &str, text: &mut String) {
    let mut lines = help.lines().peekable();
    let about: Vec<&str> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
    text.push_str(&wrapped(
        &format!("{}.", about.join(" ").trim_end_matches('.')),
        "",
    ));
    text.push('\n');
    while let Some(line) = lines.next() {
        let entry = line.trim_start();
        if let Some(usage) = line.strip_prefix("Usage: ") {
            writeln!(text, "`{usage}`\n").unwrap();
        } else if line.starts_with(' ') && (entry.starts_with('-') || entry.starts_with(['[', '<'])) {
            let (names, about) = entry.split_once("  ").unwrap_or((entry, ""));
            let mut about = about.trim().to_owned();
            while let Some(more) = lines.next_if(|line| line.starts_with("         ")) {
                write!(about, " {}", more.trim()).unwrap();
            }
            if !names.contains("--help") {
                let item = format!("`{}`: {}", names.trim(), about.trim());
                text.push_str(&wrapped(&item, "* "));
            }
        } else if line.starts_with("Example") || line.starts_with("Global options") {
            break;
        }
    }
    text.push('\n');
}

/// The types that pages describe.
#[derive(Default)]
struct Schemas {
    /// The page of each file.
    files: BTreeMap<String, String>,
    /// The page and the heading of each type, by its definition.
    types: BTreeMap<String, (String, String)>,
}

impl Schemas {
    /// The file called `name` and the types that appear here first.
    fn file(&mut self, name: &str, page: &str) -> String {
        let schema = schema(name);
        let before = self.files.insert(name.to_owned(), page.to_owned());
        assert!(before.is_none(), "{name} is described twice");
        let definitions = definitions(&schema);
        let new = self.add(
            definitions
                .iter()
                .map(|(name, definition)| (name.as_str(), definition)),
            page,
        );
        let context = Context {
            schemas: self,
            definitions: &definitions,
            page,
        };
        let mut text = format!("## File `{name}`\n\n");
        context.definition(&schema, &mut text);
        text + &context.sections(&new)
    }

    /// Some types of a file, which come before the file: `study: Case, Level`.
    fn types(&mut self, names: &str, page: &str) -> String {
        let (file, names) = names.split_once(": ").unwrap();
        let definitions = definitions(&schema(file));
        let chosen = names
            .split(", ")
            .map(|name| (name, definitions.get(name).expect(name)));
        let new = self.add(chosen, page);
        let context = Context {
            schemas: self,
            definitions: &definitions,
            page,
        };
        context.sections(&new)
    }

    /// Records that `page` describes these types. Returns the types that no earlier page
    /// describes.
    fn add<'d>(
        &mut self,
        types: impl Iterator<Item = (&'d str, &'d Value)>,
        page: &str,
    ) -> Vec<(&'d str, &'d Value)> {
        let mut new = Vec::new();
        for (name, definition) in types {
            let known = PLAIN.iter().any(|(plain, _)| *plain == name) || is_plain(definition);
            let key = definition.to_string();
            if !known && !self.types.contains_key(&key) {
                self.types.insert(key, (page.to_owned(), name.to_owned()));
                new.push((name, definition));
            }
        }
        new
    }
}

fn schema(name: &str) -> Value {
    let schema = run(&format!("schema {name}"));
    assert_eq!(schema.code, 0, "{name}: {}", schema.stderr);
    serde_json::from_str(&schema.stdout).unwrap()
}

fn definitions(schema: &Value) -> serde_json::Map<String, Value> {
    schema["$defs"].as_object().cloned().unwrap_or_default()
}

/// Whether a type needs no section of its own, because it is a number, a text or a list of values
/// without descriptions.
fn is_plain(definition: &Value) -> bool {
    ["properties", "oneOf", "anyOf"]
        .iter()
        .all(|key| definition.get(key).is_none())
}

/// One schema and the page that describes it.
struct Context<'a> {
    schemas: &'a Schemas,
    definitions: &'a serde_json::Map<String, Value>,
    page: &'a str,
}

impl Context<'_> {
    fn sections(&self, types: &[(&str, &Value)]) -> String {
        let mut text = String::new();
        for (name, definition) in types {
            writeln!(text, "### {name}\n").unwrap();
            self.definition(definition, &mut text);
        }
        text
    }

    /// Writes the description, the fields and the values of `definition`.
    fn definition(&self, definition: &Value, text: &mut String) {
        if let Some(about) = definition["description"].as_str() {
            for paragraph in about.split("\n\n") {
                text.push_str(&wrapped(&plain(paragraph), ""));
                text.push('\n');
            }
        }
        self.fields(definition, "* ", text);
        for key in ["oneOf", "anyOf"] {
            for variant in definition[key].as_array().into_iter().flatten() {
                match variant["enum"].as_array() {
                    Some(values) if variant.get("description").is_none() => {
                        let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
                        text.push_str(&wrapped(&values.join(", "), "* "));
                    }
                    _ => self.variant(variant, text),
                }
            }
        }
        text.push('\n');
    }

    fn variant(&self, variant: &Value, text: &mut String) {
        let about = variant["description"].as_str().map(plain).unwrap_or_default();
        let fields = variant["properties"].as_object();
        let kind = match fields {
            Some(fields) => {
                let tags = fields
                    .iter()
                    .filter_map(|(name, field)| Some((name, field.get("const")?)));
                let tags: Vec<String> = tags
                    .map(|(name, value)| format!("`\"{name}\": {value}`"))
                    .collect();
                let names = fields.keys().map(|name| format!("`{name}`"));
                let names = if tags.is_empty() { names.collect() } else { tags };
                names.join(", ")
            }
            None => self.kind(variant),
        };
        let colon = if about.is_empty() { "" } else { ": " };
        text.push_str(&wrapped(&format!("{kind}{colon}{about}"), "* "));
        self.fields(variant, "  * ", text);
    }

    fn fields(&self, definition: &Value, bullet: &str, text: &mut String) {
        let required: Vec<&str> = definition["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for (name, field) in definition["properties"].as_object().into_iter().flatten() {
            if field.get("const").is_some() {
                continue;
            }
            let need = match required.contains(&name.as_str()) {
                true => ", required".to_owned(),
                false => field
                    .get("default")
                    .filter(|value| {
                        !matches!(value, Value::Null | Value::Object(_))
                            && **value != Value::Array(Vec::new())
                    })
                    .map_or_else(String::new, |value| format!(", default {value}")),
            };
            let about = field["description"].as_str().map(plain).unwrap_or_default();
            let item = format!(
                "`{name}` ({}{need}): {}",
                self.kind(field),
                about.replace("\n\n", " ")
            );
            text.push_str(&wrapped(item.trim_end_matches([':', ' ']), bullet));
        }
    }

    /// Returns a text that names the type of `schema`.
    fn kind(&self, schema: &Value) -> String {
        if let Some(name) = schema["$ref"]
            .as_str()
            .and_then(|path| path.strip_prefix("#/$defs/"))
        {
            return self.name(name);
        }
        if let Some(value) = schema.get("const") {
            return format!("`{value}`");
        }
        if let Some(values) = schema["enum"].as_array() {
            let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
            return values.join(", ");
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(variants) = schema[key].as_array() {
                let variants = variants.iter().filter(|variant| variant["type"] != "null");
                return variants
                    .map(|variant| self.kind(variant))
                    .collect::<Vec<_>>()
                    .join(" or ");
            }
        }
        let kind = |name: &str| match name {
            "array" => match schema.get("items") {
                Some(items) if items.is_object() => format!("list of {}", self.kind(items)),
                _ => match schema["prefixItems"].as_array() {
                    Some(items) => {
                        let items: Vec<String> = items.iter().map(|item| self.kind(item)).collect();
                        format!("[{}]", items.join(", "))
                    }
                    None => "list".to_owned(),
                },
            },
            "object" => match schema
                .get("additionalProperties")
                .filter(|value| value.is_object())
            {
                Some(value) => format!("map to {}", self.kind(value)),
                None => "object".to_owned(),
            },
            "string" => "text".to_owned(),
            "boolean" => "true or false".to_owned(),
            name => name.to_owned(),
        };
        match &schema["type"] {
            Value::String(name) => kind(name),
            Value::Array(names) => {
                let names = names
                    .iter()
                    .filter_map(Value::as_str)
                    .filter(|name| *name != "null");
                names.map(kind).collect::<Vec<_>>().join(" or ")
            }
            _ => "value".to_owned(),
        }
    }

    /// The type called `name`, with a link to where it is described.
    fn name(&self, name: &str) -> String {
        if let Some((_, plain)) = PLAIN.iter().find(|(plain, _)| *plain == name) {
            return (*plain).to_owned();
        }
        let definition = &self.definitions[name];
        match self.schemas.types.get(&definition.to_string()) {
            Some((page, heading)) => {
                let page = if page == self.page {
                    ""
                } else {
                    page.rsplit('/').next().unwrap_or(page)
                };
                format!("[{name}]({page}#{})", heading.to_lowercase())
            }
            None => self.kind(definition),
        }
    }
}

/// A description without the brackets of its links to code, on one line.
fn plain(text: &str) -> String {
    let text = text.replace("[`", "`").replace("`]", "`");
    text.split('\n').map(str::trim).collect::<Vec<_>>().join(" ")
}

/// `text` after `bullet`, broken where a line would be longer than [`WIDTH`].
fn wrapped(text: &str, bullet: &str) -> String {
    let indent = " ".repeat(bullet.len());
    let mut lines = vec![bullet.to_owned()];
    let mut empty = true;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let line = lines.last_mut().unwrap();
        if !empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(format!("{indent}{word}"));
        } else {
            line.push_str(if empty { "" } else { " " });
            line.push_str(word);
        }
        empty = false;
    }
    lines.join("\n") + "\n"
}
