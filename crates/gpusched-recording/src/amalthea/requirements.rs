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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_by_their_essential_words() {
        let words = essential("Deadline_Task_Lane_Detection");
        assert_eq!(words, ["lane", "detection"]);
        for same in [
            "PRE_Lane_detection_gpu_POST",
            "Lane_detection",
            "LaneDetection",
            "lane-detection",
        ] {
            assert_eq!(essential(same), words, "{same}");
        }
        assert_eq!(essential("Deadline_Task_CAN"), ["can"]);
        assert_eq!(essential("CANbus_polling"), ["canbus", "polling"]);
        assert_eq!(essential("Deadline_10"), ["10"]);
        assert!(essential("Task_Deadline").is_empty());
    }

    fn release(period_ms: u64, path: &[&str]) -> Release {
        Release {
            period: Time::from_ms(period_ms).unwrap(),
            path: path.iter().map(|&task| task.to_owned()).collect(),
        }
    }

    fn row(name: &str, task: &str, limit_ms: u64) -> Row {
        Row {
            name: name.to_owned(),
            tasks: BTreeSet::from([task.to_owned()]),
            limit: Time::from_ms(limit_ms).unwrap(),
        }
    }

    fn decided(rows: Vec<Row>) -> (Vec<Option<Time>>, usize) {
        let releases = [
            release(200, &["PRE_Detect", "Detect"]),
            release(66, &["PRE_Lane", "Lane"]),
        ];
        let mut deadlines = Deadlines {
            rows,
            unused: Vec::new(),
        };
        let warnings = deadlines.decide(&releases).len();
        let shortest = deadlines.shortest();
        let limit = |release: &Release| {
            let limits = release.path.iter().filter_map(|task| shortest.get(task.as_str()));
            limits.min().copied()
        };
        (releases.iter().map(limit).collect(), warnings)
    }

    #[test]
    fn contradictions_are_decided_by_periods_or_safely() {
        let ms = |ms| Some(Time::from_ms(ms).unwrap());
        let right = vec![row("Detect", "PRE_Detect", 200), row("Lane", "Lane", 66)];
        assert_eq!(decided(right), (vec![ms(200), ms(66)], 0));
        let swapped = vec![row("Detect", "PRE_Lane", 200), row("Lane", "PRE_Detect", 66)];
        assert_eq!(decided(swapped), (vec![ms(200), ms(66)], 2));
        // The limit is not a period, so the row applies to both tasks.
        let unclear = vec![row("Detect", "PRE_Lane", 150)];
        assert_eq!(decided(unclear), (vec![ms(150), ms(150)], 1));
        // The limit equals the period of the stated task, so the row applies to this task.
        let by_task = vec![row("Detect", "Lane", 66)];
        assert_eq!(decided(by_task), (vec![None, ms(66)], 1));
        // A name without a task, and tasks without GPU work.
        let other = vec![
            row("D1", "PRE_Lane", 50),
            row("Lane", "Lane", 60),
            row("X", "CAN", 10),
        ];
        assert_eq!(decided(other), (vec![None, ms(50)], 0));
    }
}
