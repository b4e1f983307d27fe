//! A process of a program of the user. It answers each line with one line.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::process::{self, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Longest line of an answer [bytes].
const LONGEST: u64 = 16 << 20;
/// Largest number of lines that wait for each other: of questions that the process has not answered, and of answers that no one
/// has read.
pub(super) const AHEAD: usize = 16;
/// Time between two checks whether the run was stopped.
const TICK: Duration = Duration::from_millis(50);
/// Time for which a process without further input may finish.
const PATIENCE: Duration = Duration::from_secs(1);

/// A fault of a process.
#[derive(Debug)]
pub(super) enum Fault {
    /// The program does not start.
    Start(io::Error),
    /// The process ended.
    Ended(String),
    /// The time is over.
    Late,
    /// A line is too long.
    Long,
    /// A line is not UTF-8.
    Bytes,
    /// The process wrote more lines than it received task sets.
    Extra,
    /// The process does not end after the end of its input.
    Endless,
}

/// A running process. The end of this value ends the process.
#[derive(Debug)]
pub(super) struct Child {
    process: process::Child,
    input: Option<Sender<Vec<u8>>>,
    /// Lines that the process has received, for their memory.
    written: Receiver<Vec<u8>>,
    lines: Receiver<io::Result<String>>,
    /// Number of questions so far.
    pub asked: u64,
}

impl Child {
    /// Starts the program `arguments[0]` with the other arguments. Its error messages go to the error output of gpusched.
    pub fn start(arguments: &[String]) -> Result<Child, Fault> {
        let (program, rest) = arguments
            .split_first()
            .ok_or_else(|| Fault::Start(io::ErrorKind::NotFound.into()))?;
        let mut process = process::Command::new(program)
            .args(rest)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(Fault::Start)?;
        let (stdin, output) = (process.stdin.take(), process.stdout.take());
        // Threads write and read, because neither has a time limit.
        let (input, questions) = channel::<Vec<u8>>();
        let (used, written) = channel();
        thread::spawn(move || {
            let Some(mut stdin) = stdin else { return };
            for question in questions {
                if stdin.write_all(&question).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
                let _ = used.send(question);
            }
        });
        let (sender, lines) = sync_channel(AHEAD);
        thread::spawn(move || {
            let Some(output) = output else { return };
            let mut output = BufReader::new(output);
            loop {
                let mut line = String::new();
                let read = output.by_ref().take(LONGEST).read_line(&mut line);
                let whole = matches!(read, Ok(count) if count > 0 && line.ends_with('\n'));
                if matches!(read, Ok(0)) || sender.send(read.map(|_| line)).is_err() || !whole {
                    return;
                }
            }
        });
        Ok(Child {
            process,
            input: Some(input),
            written,
            lines,
            asked: 0,
        })
    }

    /// Returns an empty line, with the memory of an earlier line.
    pub fn empty_line(&self) -> Vec<u8> {
        let mut line = self.written.try_recv().unwrap_or_default();
        line.clear();
        line
    }

    /// Sends `line` to the process. If the process has ended, [`Child::receive`] states it.
    pub fn send(&mut self, line: Vec<u8>) {
        self.asked += 1;
        let _ = self.input.as_ref().map(|input| input.send(line));
    }

    /// Returns whether the process wrote a line that no one waits for.
    pub fn says_more(&self) -> bool {
        matches!(self.lines.try_recv(), Ok(Ok(_)))
    }

    /// Waits for the next line of the process. Returns `None` if the run was stopped.
    pub fn receive(
        &mut self,
        timeout: Duration,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Option<String>, Fault> {
        let begin = Instant::now();
        loop {
            let rest = timeout.saturating_sub(begin.elapsed());
            match self.lines.recv_timeout(rest.min(TICK)) {
                Ok(Ok(answer)) if answer.ends_with('\n') => return Ok(Some(answer)),
                Ok(Ok(answer)) if answer.len() as u64 >= LONGEST => return Err(Fault::Long),
                Ok(Err(cause)) if cause.kind() == io::ErrorKind::InvalidData => return Err(Fault::Bytes),
                Ok(_) | Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
                Err(RecvTimeoutError::Timeout) if rest <= TICK => return Err(Fault::Late),
                Err(RecvTimeoutError::Timeout) if !goes_on() => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Ends the process, and checks that it wrote no line beyond its answers.
    pub fn end(mut self) -> Result<(), Fault> {
        self.close();
        match self.lines.recv_timeout(PATIENCE) {
            Err(RecvTimeoutError::Disconnected) => Ok(()),
            Err(RecvTimeoutError::Timeout) => Err(Fault::Endless),
            Ok(_) => Err(Fault::Extra),
        }
    }

    /// Closes the input of the process, so that the process ends.
    pub fn close(&mut self) {
        self.input = None;
    }

    /// Returns the fault of a process that ended, or that does not read or write any more.
    fn ended(&mut self) -> Fault {
        match self.finish() {
            Some(status) => Fault::Ended(status.to_string()),
            None => Fault::Ended("it closed its input or output".to_owned()),
        }
    }

    /// Closes the input, and waits a moment for the end of the process.
    fn finish(&mut self) -> Option<process::ExitStatus> {
        self.close();
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            if let Ok(Some(status)) = self.process.try_wait() {
                return Some(status);
            }
            thread::sleep(Duration::from_millis(5));
        }
        None
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.finish().is_none() {
            // The process ignores the end of its input.
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }
}
