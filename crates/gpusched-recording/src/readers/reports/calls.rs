//! Calls of the CUDA API (`cuda_api_trace`). A call and the work that it started have the same number.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use gpusched_model::Refusal;
use gpusched_model::time::decimal::Rounding;

use super::header::{Header, TimeColumn};
use super::{Report, Row, number};
use crate::model::{Call, Recording, StreamKey};
use crate::readers::capture::{Captures, launches};

/// Numbers that link the rows of several reports of one file.
#[derive(Clone, Default)]
pub struct Links(Rc<RefCell<Numbers>>);

#[derive(Default)]
struct Numbers {
    /// Calls by number, each with whether it launched work. `None` if calls of several processes have the number, because the
    /// reports of the work state no process.
    calls: HashMap<i64, Option<(Call, bool)>>,
    captures: Captures,
    /// Position and number of each launch, and of each open launch.
    launches: Vec<(usize, i64)>,
    open: Vec<(usize, i64)>,
    /// Whether the file contains the calls of launches, measured or not.
    called: bool,
    /// Numbers of copies.
    copies: HashSet<i64>,
}

impl Links {
    /// Adds the number of the launch that `recording` contains after its first `before` launches, or else of its last open launch.
    pub fn launch(&self, number: Option<i64>, before: usize, recording: &Recording) {
        let numbers = &mut *self.0.borrow_mut();
        let Some(number) = number else { return };
        match recording.launches.len() > before {
            true => numbers.launches.push((before, number)),
            false => numbers
                .open
                .push((recording.open.len().saturating_sub(1), number)),
        }
    }

    /// Notes that the file states the calls of launches.
    pub fn calls(&self) {
        self.0.borrow_mut().called = true;
    }

    /// Adds the number of a copy.
    pub fn copy(&self, number: Option<i64>) {
        self.0.borrow_mut().copies.extend(number);
    }

    /// Assigns the calls to the launches, and finds calls that launched work without a record.
    pub fn join(self, recording: &mut Recording) {
        let mut numbers = self.0.take();
        // Without a launch, the calls show nothing.
        if numbers.launches.is_empty() && numbers.open.is_empty() {
            numbers.calls.clear();
        } else if !numbers.calls.is_empty() {
            numbers.assign(recording);
        }
        let called = (0..recording.launches.len()).map(|index| recording.call(index).is_some());
        let called: Vec<bool> = called
            .chain(
                { recording.open.iter() }
                    .filter(|open| !recording.names.get(open.name).is_empty())
                    .map(|open| open.call.is_some()),
            )
            .collect();
        if numbers.called || called.contains(&true) {
            let uncalled = called.iter().filter(|&&called| !called);
            recording.missing.uncalled += uncalled.count() as u64;
        }
        numbers.lost(recording);
    }
}

impl Numbers {
    /// Assigns the calls to the launches.
    fn assign(&self, recording: &mut Recording) {
        let numbers = self;
        let call = |number: &i64| numbers.calls.get(number).copied().flatten();
        recording.calls.resize(recording.launches.len(), None);
        for (position, number) in &numbers.launches {
            if let Some((place, (call, _))) = recording.calls.get_mut(*position).zip(call(number)) {
                *place = Some(call);
            }
        }
        for (position, number) in &numbers.open {
            if let Some((open, (call, _))) = recording.open.get_mut(*position).zip(call(number)) {
                open.call = Some(call);
            }
        }
    }

    /// Finds calls that launched work without a record.
    fn lost(mut self, recording: &mut Recording) {
        let numbers = &mut self;
        let recorded: HashSet<i64> = { numbers.launches.iter().chain(&numbers.open) }
            .map(|&(_, number)| number)
            .chain(numbers.copies.iter().copied())
            .collect();
        numbers.captures.sort();
        let lost = numbers.calls.iter().filter_map(|(number, call)| {
            let (call, launches) = (*call)?;
            (launches && !recorded.contains(number) && !numbers.captures.contain(call)).then_some(call)
        });
        let mut lost: Vec<Call> = lost.collect();
        lost.sort_unstable_by_key(|call| (call.start, call.thread));
        recording.missing.unrecorded += lost.len() as u64;
        for call in lost {
            recording.launch("", StreamKey::default(), (None, None), Some(call));
        }
        let doubled = numbers.calls.values().filter(|call| call.is_none()).count();
        if doubled > 0 {
            let numbers = gpusched_model::counted(doubled, "number");
            let note = format!(
                "calls of several processes have the same {numbers}, and the launches state no process: these launches have no host call; \
                 use the SQLite file"
            );
            recording.notes.push(note);
        }
    }
}

/// Reader of the calls. They are no work on the GPU.
pub struct Calls {
    links: Links,
    start: Option<TimeColumn>,
    name: Option<usize>,
    result: Option<usize>,
    number: Option<usize>,
    process: Option<usize>,
    thread: Option<usize>,
}

impl Calls {
    /// Creates a reader for the columns of `header`.
    pub fn of(header: &Header, links: &Links) -> Calls {
        Calls {
            links: links.clone(),
            start: header.time(&["start"]),
            name: header.find(&["name"]),
            result: header.find(&["result"]),
            number: header.find(&["corrid"]),
            process: header.find(&["pid"]),
            thread: header.find(&["tid"]),
        }
    }
}

impl Report for Calls {
    fn row(&mut self, row: &Row<'_>, recording: &mut Recording) -> Result<(), Refusal> {
        // A call that returned an error has launched nothing.
        let failed = number::identity(row, self.result).is_some_and(|result| result != 0);
        let start = number::event_time(row, self.start, "Start", Rounding::Down, &mut recording.missing);
        let name = row.text(self.name);
        let launches = launches(&name);
        let numbers = &mut *self.links.0.borrow_mut();
        numbers.called |= launches && !failed;
        let call = Call::measured(start, number::lane(row, self.process, self.thread)).filter(|_| !failed);
        let (Some(call), Some(id)) = (call, number::identity(row, self.number)) else {
            return Ok(());
        };
        numbers.captures.add(&name, call);
        let other = |known: &Option<(Call, bool)>| {
            known.is_none_or(|(known, _)| known.thread.process() != call.thread.process())
        };
        match numbers.calls.get_mut(&id) {
            Some(known) if other(known) => *known = None,
            Some(Some((_, launched))) => *launched |= launches,
            _ => _ = numbers.calls.insert(id, Some((call, launches))),
        }
        Ok(())
    }

    /// The call may have launched work. The work may have no record, too.
    fn set_aside(&mut self, _: &Row<'_>, recording: &mut Recording) {
        self.links.calls();
        recording.unknown_launch();
    }
}
