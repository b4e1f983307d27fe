//! Notes and their importance; notes about the files of a task set: their ranges, and sizes that their names contradict.

use crate::recording::source::Source;
use crate::report::clip;
use gpusched_model::counted;
use gpusched_recording::activity::listed;
use gpusched_recording::tasks::named_size;

/// Widest name in tables and notes [characters].
pub(super) const NAME: usize = 40;

/// Importance of a note.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Rank {
    /// A number can be unsafe.
    Unsafe,
    /// What the user can do next.
    Next,
    /// What the numbers contain.
    Fact,
}

/// A note with its importance.
pub(super) type Note = (Rank, String);

/// Returns notes about launches and ranges of `source` that the rule for jobs treats in a special way.
pub(super) fn of_ranges(source: &Source) -> Vec<String> {
    let (file, activities) = (&source.file, &source.activities);
    let mut notes = Vec::new();
    for (name, launches) in &activities.after {
        notes.push(format!(
            "{file}: jobs of {:?} contain {} after their ranges, because each may have launched them; a range must contain all \
             launches of its job, and other work needs a range",
            clip(name, NAME),
            counted(*launches, "launch")
        ));
    }
    if activities.steps > 0 {
        notes.push(format!(
            "{file}: {} `ProfilerStep` are marks of the profiler, and no jobs (--name ProfilerStep)",
            counted(activities.steps, "range")
        ));
    }
    notes
}

/// Returns a note about ranges inside other ranges, for all recordings together.
pub(super) fn of_inner(sources: &[&Source]) -> Option<String> {
    let with: Vec<&&Source> = { sources.iter() }
        .filter(|source| !source.activities.inner.is_empty())
        .collect();
    let files: Vec<&str> = with.iter().map(|source| source.file.as_str()).collect();
    let mut inner: Vec<&str> = Vec::new();
    for name in with.iter().flat_map(|source| &source.activities.inner) {
        if !inner.contains(&name.as_str()) {
            inner.push(name);
        }
    }
    (!inner.is_empty()).then(|| {
        format!(
            "{}: ranges inside other ranges are parts of the outer jobs: {}; if one of them is the task, choose it with --name",
            place_of(&files),
            listed(inner)
        )
    })
}

/// Names one file, or counts several.
pub(super) fn place_of(files: &[&str]) -> String {
    match files {
        [file] => (*file).to_owned(),
        many => counted(many.len(), "recording"),
    }
}

/// Returns a note if the name of a file states fewer SMs than the user, such as `detector_8sm.sqlite@12`. The opposite is a sign that the
/// task set states.
pub(super) fn of_name(source: &Source) -> Option<String> {
    let (named, stated) = (named_size(&source.file)?, source.sms?);
    (named < stated).then(|| {
        format!(
            "{}: check the size: the name says {}, and you state {}; if the name is right, the task set lacks C({named}), and C({stated}) is \
             pessimistic",
            source.file,
            counted(named, "SM"),
            counted(stated, "SM")
        )
    })
}
