//! Parts of a model that have no effect on the system, by kind.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use gpusched_model::counted;

use super::model::{Model, Node, child, children, kind, name};

/// Parts of one kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ignored {
    /// Noun for one part, such as `label`.
    pub noun: String,
    /// Number of parts.
    pub count: usize,
    /// Names or values of the parts, without duplicates.
    pub names: Vec<String>,
}

/// Maximum number of names in the displayed form.
const SHOWN: usize = 12;

impl Ignored {
    /// Creates an entry for `count` parts called `noun`.
    pub fn new(noun: impl Into<String>, count: usize, names: impl IntoIterator<Item = String>) -> Ignored {
        let mut known = BTreeSet::new();
        let names = names
            .into_iter()
            .filter(|name| known.insert(name.clone()))
            .collect();
        Ignored {
            noun: noun.into(),
            count,
            names,
        }
    }

    /// Creates an entry for the parts `names`.
    pub fn named(noun: impl Into<String>, names: Vec<String>) -> Ignored {
        Ignored::new(noun, names.len(), names)
    }
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Only the first noun gets the plural form: "task of …", "items of …".
        let (noun, rest) = self
            .noun
            .split_once(" of ")
            .map_or((self.noun.as_str(), ""), |parts| parts);
        f.write_str(&counted(self.count, noun))?;
        if !rest.is_empty() {
            write!(f, " of {rest}")?;
        }
        let shown: Vec<&str> = self.names.iter().take(SHOWN).map(String::as_str).collect();
        match (shown.is_empty(), self.names.len() > SHOWN) {
            (true, _) => Ok(()),
            (false, false) => write!(f, " ({})", shown.join(", ")),
            (false, true) => write!(f, " ({}, …)", shown.join(", ")),
        }
    }
}

/// Each entry has a part of the model, a child element, and possibly a noun. If the entry has a noun, no other module
/// reads the element. If not, another module reads the element or lists it differently.
const KINDS: [(&str, &str, Option<&str>); 16] = [
    ("swModel", "tasks", None),
    ("swModel", "isrs", None),
    ("swModel", "runnables", None),
    ("swModel", "labels", Some("label")),
    ("swModel", "events", Some("OS event")),
    ("hwModel", "definitions", None),
    ("hwModel", "featureCategories", None),
    ("hwModel", "structures", None),
    ("hwModel", "domains", None),
    ("stimuliModel", "stimuli", None),
    ("constraintsModel", "requirements", None),
    ("osModel", "operatingSystems", None),
    ("mappingModel", "schedulerAllocation", None),
    ("mappingModel", "taskAllocation", None),
    ("mappingModel", "runnableAllocation", None),
    ("mappingModel", "memoryMapping", Some("memory mapping")),
];

/// Lists the parts of `model` that no other module reads. `used` contains the names of schedulers with an effect.
pub fn unread(model: &Model<'_>, used: &BTreeSet<String>) -> Vec<Ignored> {
    let mut groups: BTreeMap<(usize, String), (usize, Vec<String>)> = BTreeMap::new();
    for part in model.parts() {
        let part_name = part.tag_name().name();
        for element in part.children().filter(Node::is_element) {
            let tag = element.tag_name().name();
            let known = KINDS
                .iter()
                .position(|(part, child, _)| (*part, *child) == (part_name, tag));
            let noun = match known.map(|known| KINDS[known].2) {
                Some(None) => continue,
                Some(Some(noun)) => noun.to_owned(),
                None => format!("element `{tag}` of {part_name}"),
            };
            let (count, names) = groups.entry((known.unwrap_or(usize::MAX), noun)).or_default();
            *count += 1;
            names.extend(element.attribute("name").map(str::to_owned));
        }
    }
    let entries = groups.into_iter();
    let entries = entries.map(|((_, noun), (count, names))| Ignored::new(noun, count, names));
    let mut ignored: Vec<Ignored> = entries.collect();
    ignored.extend(activation(model));
    ignored.extend(hardware(model));
    ignored.extend(scheduling(model, used));
    ignored.retain(|entry| entry.count > 0);
    ignored
}

/// Lists the offsets and the counters of stimuli. With a counter, only some triggers of a stimulus have an effect.
fn activation(model: &Model<'_>) -> Vec<Ignored> {
    let stimuli = model.elements("stimuliModel", "stimuli");
    let with_offset = stimuli.filter(|stimulus| {
        let offset = child(*stimulus, "offset").and_then(|offset| offset.attribute("value"));
        offset.is_some_and(|value| value != "0")
    });
    let offsets = with_offset.map(|stimulus| name(stimulus).to_owned()).collect();
    let parts = model
        .parts()
        .filter(|part| ["swModel", "stimuliModel"].contains(&part.tag_name().name()));
    let counters = parts
        .flat_map(|part| part.descendants())
        .filter(|node| node.has_tag_name("counter"));
    vec![
        Ignored::named("offset of stimuli", offsets),
        Ignored::new("counter of stimuli and triggers", counters.count(), []),
    ]
}

/// Lists caches, memories and other hardware.
fn hardware(model: &Model<'_>) -> Option<Ignored> {
    let parts = model.parts().filter(|part| part.tag_name().name() == "hwModel");
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for node in parts.flat_map(|part| part.descendants()) {
        let kind = match node.tag_name().name() {
            "modules" | "caches" => Some(kind(node)).filter(|kind| *kind != "ProcessingUnit"),
            "accessElements" => Some("HwAccessElement"),
            "connections" => Some("HwConnection"),
            _ => None,
        };
        if let Some(kind) = kind {
            *kinds.entry(kind).or_default() += 1;
        }
    }
    let count = kinds.values().sum();
    let names = kinds.iter().map(|(kind, count)| format!("{count} {kind}"));
    (count > 0).then(|| Ignored::new("memory and connection element", count, names))
}

/// Lists priorities, other parameters of scheduling, and all schedulers that `used` does not contain.
fn scheduling(model: &Model<'_>, used: &BTreeSet<String>) -> Vec<Ignored> {
    let systems: Vec<Node<'_>> = model.elements("osModel", "operatingSystems").collect();
    let of_systems = |tag| systems.iter().flat_map(move |system| children(*system, tag));
    let schedulers = of_systems("taskSchedulers").chain(of_systems("interruptControllers"));
    let schedulers: Vec<Node<'_>> = schedulers.collect();
    let unused = schedulers
        .iter()
        .filter(|scheduler| !used.contains(name(**scheduler)));
    let described = unused.map(|scheduler| {
        let algorithm = child(*scheduler, "schedulingAlgorithm")
            .map(kind)
            .unwrap_or_default();
        match algorithm {
            "" => name(*scheduler).to_owned(),
            algorithm => format!("{}: {algorithm}", name(*scheduler)),
        }
    });
    let allocations: Vec<Node<'_>> = ["taskAllocation", "isrAllocation"]
        .iter()
        .flat_map(|tag| model.elements("mappingModel", tag))
        .collect();
    let of_parameters = |allocation: &Node<'_>| {
        child(*allocation, "schedulingParameters")?
            .attribute("priority")
            .map(str::to_owned)
    };
    let priorities: Vec<String> = allocations.iter().filter_map(of_parameters).collect();
    let algorithms = schedulers
        .iter()
        .filter_map(|scheduler| child(*scheduler, "schedulingAlgorithm"));
    let extensions = algorithms.chain(allocations.iter().copied());
    let extensions = extensions.flat_map(|node| children(node, "parameterExtensions"));
    let parameters = extensions.map(|extension| {
        let of = |field| extension.attribute(field).unwrap_or_default();
        format!("{} = {}", of("key"), of("value"))
    });
    vec![
        Ignored::named("scheduler", described.collect()),
        Ignored::named("priority", priorities),
        Ignored::named("parameter of scheduling", parameters.collect()),
    ]
}
