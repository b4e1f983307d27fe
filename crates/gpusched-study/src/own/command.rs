//! A program of the user that answers lines. gpusched writes some questions ahead, so the program computes while gpusched
//! prepares the next question.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::child::{AHEAD, Child, Fault};
use gpusched_model::error::{Error, Refusal, Result};

/// Length of the waiting lines from which no further line is written [bytes]. A line has about 20 bytes per task and SM, so a
/// line for the largest GPU may have 1 GB.
const BYTES_AHEAD: usize = 64 << 20;

/// A program with its arguments, and the processes of this program that wait for a question.
#[derive(Clone, Debug)]
pub(crate) struct Command {
    /// File and field of the study that states the command, for messages.
    field: String,
    arguments: Vec<String>,
    /// Longest time for one answer.
    timeout: Duration,
    idle: Arc<Idle>,
}

#[derive(Debug, Default)]
struct Idle(Mutex<Vec<Child>>);

impl Drop for Idle {
    fn drop(&mut self) {
        // The processes end at the same time.
        let idle = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        idle.iter_mut().for_each(Child::close);
    }
}

/// One process that answers the questions of one chunk.
pub(crate) struct Session<'a> {
    command: &'a Command,
    child: Option<Child>,
    /// Whether each answer so far repeated the number of its question.
    numbered: bool,
    /// Place of the last question.
    last: String,
}

/// Questions to a program.
pub(crate) trait Questions {
    /// Returns the number of questions.
    fn count(&self) -> usize;
    /// Returns a text that names what question number `index` is about.
    fn place(&self, index: usize) -> String;
    /// Writes the line of question number `index` to the empty `line`. `id` is its number for the process.
    fn line(&self, index: usize, id: u64, line: &mut Vec<u8>) -> serde_json::Result<()>;
    /// Takes the answer to question number `index`, which arrived after `ns`. Returns the number of the question if the answer repeats it.
    fn take(&mut self, index: usize, line: &str, ns: u64) -> Result<Option<u64>, Refusal>;
}

impl Command {
    /// Creates the command of `arguments`, which the study states in `field`.
    pub fn new(field: String, arguments: Vec<String>, timeout: Duration) -> Command {
        Command {
            field,
            arguments,
            timeout,
            idle: Arc::default(),
        }
    }

    /// Starts to answer the questions of a chunk.
    pub fn session(&self) -> Session<'_> {
        Session {
            command: self,
            child: None,
            numbered: true,
            last: String::new(),
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Child>> {
        self.idle.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fault(&self, place: &str, fault: Fault) -> Error {
        let (found, expected) = match fault {
            Fault::Start(cause) => {
                let program = self.arguments.first().map_or("", String::as_str);
                let found = format!("a command that does not start: {program:?}: {cause}");
                (found, "a program")
            }
            Fault::Ended(status) => (
                format!("the end of the process ({status}) at {place}"),
                "one line for each task set",
            ),
            Fault::Late => (
                format!("no answer within {:?} for {place}", self.timeout),
                "an answer, or a larger `timeout`",
            ),
            Fault::Long => (
                format!("a line of more than 16 MiB for {place}"),
                "one JSON object",
            ),
            Fault::Bytes => (format!("a line that is not UTF-8 for {place}"), "one JSON object"),
            Fault::Extra => (
                format!("a further line at {place}"),
                "one line for each task set, and no other output",
            ),
            Fault::Endless => (
                format!("a process that continues after {place}"),
                "its end after the end of its input, or answers that repeat `id`",
            ),
        };
        Refusal::new(&self.field, found, expected).into()
    }

    fn refused(&self, place: &str, line: &str, refusal: &Refusal) -> Error {
        let start: String = line.chars().take(200).collect();
        let message = format!("the answer for {place}, {start:?}: {refusal}");
        Refusal::told(&self.field, message).into()
    }
}

/// Returns whether a further line may wait beside the lines with the lengths `waiting`. One line always may.
fn may_send(waiting: &VecDeque<usize>) -> bool {
    waiting.is_empty() || waiting.len() < AHEAD && waiting.iter().sum::<usize>() < BYTES_AHEAD
}

impl Session<'_> {
    /// Asks all `questions`, and takes their answers in the same order. Returns `None` if the run was stopped.
    ///
    /// # Errors
    /// Fails if the command does not start, ends, needs too much time, or gives a wrong answer.
    pub fn ask(&mut self, questions: &mut dyn Questions, goes_on: &dyn Fn() -> bool) -> Result<Option<()>> {
        let (command, count) = (self.command, questions.count());
        if count == 0 {
            return Ok(Some(()));
        }
        let first = questions.place(0);
        let mut child = match self.child.take().or_else(|| command.idle().pop()) {
            Some(child) => child,
            None => Child::start(&command.arguments).map_err(|fault| command.fault(&first, fault))?,
        };
        if child.says_more() {
            return Err(command.fault(&first, Fault::Extra));
        }
        let before = child.asked;
        let id = |index: usize| before.saturating_add(index as u64).saturating_add(1);
        let (mut sent, mut begin) = (0, Instant::now());
        // Lengths of the lines that the process has not answered [bytes].
        let mut waiting: VecDeque<usize> = VecDeque::new();
        for index in 0..count {
            if !goes_on() {
                return Ok(None);
            }
            while sent < count && may_send(&waiting) {
                let mut line = child.empty_line();
                let written = questions.line(sent, id(sent), &mut line);
                written.map_err(|error| Error::Internal(error.to_string()))?;
                waiting.push_back(line.len());
                child.send(line);
                sent += 1;
            }
            let line = child.receive(command.timeout, goes_on);
            let line = line.map_err(|fault| command.fault(&questions.place(index), fault))?;
            let Some(line) = line else { return Ok(None) };
            waiting.pop_front();
            let ns = u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
            begin = Instant::now();
            let numbered = questions.take(index, &line, ns).and_then(|found| match found {
                Some(found) if found != id(index) => {
                    let expected = format!("{}, the `id` of the question", id(index));
                    Refusal::refuse("id", found, expected)
                }
                found => Ok(found.is_some()),
            });
            let refuse = |refusal| command.refused(&questions.place(index), &line, &refusal);
            self.numbered &= numbered.map_err(refuse)?;
        }
        self.last = questions.place(count - 1);
        if child.says_more() {
            return Err(command.fault(&self.last, Fault::Extra));
        }
        // A process that gave a wrong answer gets no further question.
        self.child = Some(child);
        Ok(Some(()))
    }

    /// Ends the chunk. A process whose answers do not repeat the numbers of their questions ends, because only its end shows
    /// whether it wrote a further line, which would have been taken for an answer.
    ///
    /// # Errors
    /// Fails if the process wrote a further line, or does not end.
    pub fn end(mut self) -> Result<()> {
        let Some(child) = self.child.take() else {
            return Ok(());
        };
        if self.numbered {
            self.command.idle().push(child);
            return Ok(());
        }
        child.end().map_err(|fault| self.command.fault(&self.last, fault))
    }
}
