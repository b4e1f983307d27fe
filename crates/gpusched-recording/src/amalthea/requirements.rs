//! Deadlines: upper limits of response times. The name of a row can contradict the task that the row states.

use std::collections::{BTreeMap, BTreeSet};

use gpusched_model::Refusal;
use gpusched_model::time::Time;

use super::activation::Release;
use super::model::{Model, child, kind, name};
use super::quantity::{picoseconds, rounded_down};
use super::reference::reference;

/// Deadlines of tasks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Deadlines {
    rows: Vec<Row>,
    /// Names of requirements that are not upper limits of the response time of a task.
    pub unused: Vec<String>,
}

/// A row of the file that states a deadline.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Row {
    name: String,
    /// Task of the requirement. After a call of [`Deadlines::decide`], the set contains all tasks to which the deadline
    /// applies.
    tasks: BTreeSet<String>,
    limit: Time,
}

impl Deadlines {
    /// Reads the requirements of `model`.
    pub fn read(model: &Model<'_>) -> Result<Deadlines, Refusal> {
        let mut deadlines = Deadlines::default();
        for requirement in model.elements("constraintsModel", "requirements") {
            let limit = child(requirement, "limit").filter(|limit| {
                let is = |field, value| limit.attribute(field) == Some(value);
                kind(requirement) == "ProcessRequirement"
                    && kind(*limit) == "TimeRequirementLimit"
                    && is("limitType", "UpperLimit")
                    && is("metric", "ResponseTime")
            });
            let (Some(limit), Some(task)) = (limit, reference(requirement, "process")) else {
                deadlines.unused.push(name(requirement).to_owned());
                continue;
            };
            let field = format!("requirements {:?}.limitValue", name(requirement));
            let refuse = |node, found: String| {
                model.refuse(node, &field, found, "a time from 1 ns to less than 2^63 ns")
            };
            let value = child(limit, "limitValue").ok_or_else(|| refuse(limit, "no time".to_owned()))?;
            let picoseconds = picoseconds(model, value)?;
            deadlines.rows.push(Row {
                name: name(requirement).to_owned(),
                tasks: BTreeSet::from([task]),
                limit: rounded_down(picoseconds).ok_or_else(|| refuse(value, format!("{picoseconds} ps")))?,
            });
        }
        Ok(deadlines)
    }

    /// Decides to which tasks a row applies if its name is the name of a task other than the stated task. `releases`
    /// contains the releases of the tasks. Returns one warning per contradiction.
    ///
    /// If the limit equals the period of only one of the two tasks, the row applies to this task. In all other cases,
    /// the row applies to both tasks, which is safe.
    pub fn decide(&mut self, releases: &[Release]) -> Vec<String> {
        let mut by_task: BTreeMap<&str, Vec<&Release>> = BTreeMap::new();
        let mut by_words: BTreeMap<Vec<String>, BTreeSet<String>> = BTreeMap::new();
        for release in releases {
            for task in &release.path {
                by_task.entry(task).or_default().push(release);
                by_words.entry(essential(task)).or_default().insert(task.clone());
            }
        }
        let releases_of = |tasks: &BTreeSet<String>| -> Vec<&Release> {
            let of = tasks.iter().filter_map(|task| by_task.get(task.as_str()));
            of.flatten().copied().collect()
        };
        let periods = |tasks: &BTreeSet<String>| -> BTreeSet<Time> {
            releases_of(tasks).iter().map(|release| release.period).collect()
        };
        let mut warnings = Vec::new();
        for row in &mut self.rows {
            let words = essential(&row.name);
            let named = by_words
                .get(&words)
                .filter(|_| !words.is_empty())
                .cloned()
                .unwrap_or_default();
            let together = releases_of(&row.tasks);
            let mut together = together.iter().flat_map(|release| &release.path);
            if named.is_empty() || !named.is_disjoint(&row.tasks) || together.any(|task| named.contains(task))
            {
                continue;
            }
            let limit = BTreeSet::from([row.limit]);
            let (of_name, of_task) = (periods(&named), periods(&row.tasks));
            let list = |tasks: &BTreeSet<String>| tasks.iter().cloned().collect::<Vec<String>>().join(", ");
            let contradiction = format!(
                "requirement {:?} ({}) names {}, but refers to {}",
                row.name,
                row.limit,
                list(&named),
                list(&row.tasks)
            );
            let decision = match (of_name == limit, of_task == limit) {
                (true, false) => {
                    row.tasks = named;
                    format!(
                        "it applies to the named task, because only the period of this task is {}",
                        row.limit
                    )
                }
                (false, true) => {
                    format!(
                        "it applies to the task of the reference, because only its period is {}",
                        row.limit
                    )
                }
                _ => {
                    row.tasks.extend(named);
                    "it applies to all these tasks, because the periods leave the choice open".to_owned()
                }
            };
            warnings.push(format!("{contradiction}: {decision}"));
        }
        warnings
    }

    /// Returns the shortest deadline of each task.
    pub fn shortest(&self) -> BTreeMap<&str, Time> {
        let mut shortest: BTreeMap<&str, Time> = BTreeMap::new();
        for row in &self.rows {
            for task in &row.tasks {
                let limit = shortest.entry(task).or_insert(row.limit);
                *limit = row.limit.min(*limit);
            }
        }
        shortest
    }

    /// Returns the names of the rows that apply to no task in `releases`.
    pub fn others(&self, releases: &[Release]) -> Vec<String> {
        let tasks: BTreeSet<&String> = releases.iter().flat_map(|release| &release.path).collect();
        let others = self
            .rows
            .iter()
            .filter(|row| !row.tasks.iter().any(|task| tasks.contains(task)));
        others.map(|row| row.name.clone()).collect()
    }
}

/// Words that the comparison of names ignores.
const COMMON: [&str; 17] = [
    "constraint",
    "cpu",
    "deadline",
    "for",
    "gpu",
    "isr",
    "limit",
    "max",
    "of",
    "post",
    "pre",
    "process",
    "requirement",
    "response",
    "task",
    "time",
    "timing",
];

/// Returns the words of `name` in lower case, without common words. A capital letter after a small letter starts a
/// word.
fn essential(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && after_small) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
        after_small = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty() && !COMMON.contains(&word.as_str()));
    words
}
