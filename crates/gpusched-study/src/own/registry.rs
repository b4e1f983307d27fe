//! Algorithms of the user that a study can use by their names.

use std::fmt;
use std::sync::Arc;

use super::answer::OwnAlgorithm;

/// Algorithms for a study, with their names and versions. A study adds each algorithm to its list of algorithms.
///
/// The version is part of the identity of the experiment. Change the version whenever answers may change: otherwise, a resumed
/// run would mix answers of both versions.
#[derive(Clone, Default)]
pub struct Registry(Vec<Entry>);

/// An algorithm of a registry.
#[derive(Clone)]
pub(crate) struct Entry {
    /// Name of the algorithm in the study.
    pub name: String,
    /// Version, as the study states it in the field `function`.
    pub version: String,
    pub algorithm: Arc<dyn OwnAlgorithm>,
}

impl Registry {
    /// Returns the registry with one more algorithm.
    #[must_use]
    pub fn with(
        mut self,
        name: impl Into<String>,
        version: impl Into<String>,
        algorithm: impl OwnAlgorithm + 'static,
    ) -> Registry {
        self.0.push(Entry {
            name: name.into(),
            version: version.into(),
            algorithm: Arc::new(algorithm),
        });
        self
    }

    /// Returns whether the registry has no algorithm.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the first algorithm and its name, for a command that uses one algorithm.
    pub fn first(&self) -> Option<(&str, &dyn OwnAlgorithm)> {
        let entry = self.0.first()?;
        Some((&entry.name, &*entry.algorithm))
    }

    /// Returns all algorithms.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.0
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.0).finish()
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut entry = f.debug_struct("Entry");
        entry.field("name", &self.name).field("version", &self.version);
        entry.finish_non_exhaustive()
    }
}
