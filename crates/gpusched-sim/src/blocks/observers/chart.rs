//! Observer that draws a run on a timeline.

use std::collections::BTreeMap;

use crate::blocks::{Block, Event};
use crate::timeline::{CounterId, Instant, Mark, Slice, Timeline, TimelineError, TrackId};
use gpusched_model::Observer;
use gpusched_model::scenario::{ScenarioShape, Stream};
use gpusched_model::time::Time;

/// The timeline of a run of a scenario. Each SM has a track with its blocks. Each stream has a
/// track with its kernels and copies. One track shows the turns of applications. Counters show
/// busy SMs, used bandwidth, and memory accesses of CPU cores.
#[derive(Debug)]
pub struct Chart<'a> {
    shape: &'a ScenarioShape,
    timeline: Timeline,
    /// First error that the timeline returned.
    refused: Option<TimelineError>,
    sms: Vec<TrackId>,
    streams: BTreeMap<(usize, Stream), TrackId>,
    turns: TrackId,
    busy: CounterId,
    bandwidth: Option<CounterId>,
    cpu: Option<CounterId>,
    /// Counter of the budget Q, and the regulation period [ns].
    budget: Option<(CounterId, Time)>,
    names: Vec<String>,
    /// Running blocks, by kernel and block number. The start of a resumed block is the time of
    /// its last resumption.
    running: BTreeMap<(usize, u32), Block>,
    /// Number of running blocks on each SM.
    blocks: Vec<u32>,
    ready: Vec<Time>,
    turn: Option<(usize, Time)>,
}

impl<'a> Chart<'a> {
    /// Creates the tracks of an empty timeline.
    ///
    /// # Errors
    /// Fails with [`TimelineError::TooManyTracks`] if the GPU or the program is too large for a
    /// timeline.
    pub fn new(shape: &'a ScenarioShape) -> Result<Chart<'a>, TimelineError> {
        let mut timeline = Timeline::new();
        let gpu = timeline.process("GPU")?;
        let count = shape.platform.shape().sms;
        let sms = (0..count).map(|sm| timeline.track(gpu, &format!("SM {sm}")));
        let sms = sms.collect::<Result<Vec<_>, _>>()?;
        let busy = timeline.counter(gpu, "busy SMs", "SMs")?;
        let bandwidth = match shape.interference.bandwidth {
            Some(_) => Some(timeline.counter(gpu, "bandwidth", "bytes/s")?),
            None => None,
        };
        let cpu = match &shape.cpu {
            Some(_) => Some(timeline.counter(gpu, "CPU accesses memory", "on")?),
            None => None,
        };
        let budget = match &shape.cpu {
            Some(cpu) => Some((timeline.counter(gpu, "CPU budget", "Q")?, cpu.regulation_period)),
            None => None,
        };
        let programs = timeline.process("streams")?;
        let kernels = shape
            .kernels
            .iter()
            .map(|kernel| (kernel.application, kernel.stream));
        let copies = shape.copies.iter().map(|copy| (copy.application, copy.stream));
        let mut streams: BTreeMap<(usize, Stream), TrackId> = BTreeMap::new();
        let mut all: Vec<(usize, Stream)> = kernels.chain(copies).collect();
        all.sort_unstable();
        all.dedup();
        for (application, stream) in all {
            let name = match stream {
                Stream::Default => "default stream".to_owned(),
                Stream::Numbered(number) => format!("stream {number}"),
            };
            let name = match shape.applications.len() {
                0 | 1 => name,
                _ => format!("{}: {name}", application_name(shape, application)),
            };
            streams.insert((application, stream), timeline.track(programs, &name)?);
        }
        let turns = timeline.track(programs, "application")?;
        let names = shape.kernels.iter().enumerate();
        let names =
            names.map(|(index, kernel)| kernel.name.clone().unwrap_or_else(|| format!("kernel {index}")));
        Ok(Chart {
            shape,
            timeline,
            refused: None,
            sms,
            streams,
            turns,
            busy,
            bandwidth,
            cpu,
            budget,
            names: names.collect(),
            running: BTreeMap::new(),
            blocks: vec![0; count as usize],
            ready: vec![Time::ZERO; shape.kernels.len()],
            turn: None,
        })
    }

    /// Returns the finished timeline.
    ///
    /// # Errors
    /// Fails with the first error that the timeline returned, for example if the run has too many
    /// events.
    pub fn finish(self) -> Result<Timeline, TimelineError> {
        match self.refused {
            Some(error) => Err(error),
            None => Ok(self.timeline),
        }
    }

    fn draw(&mut self, now: Time, event: Event) -> Result<(), TimelineError> {
        match event {
            Event::KernelRelease(kernel) => {
                self.ready[kernel] = now;
                let launch = &self.shape.kernels[kernel];
                let track = self.streams[&(launch.application, launch.stream)];
                let instant = Instant::new(&self.names[kernel], Mark::Release, now);
                self.timeline.instant(track, instant)
            }
            Event::BlockStart(block) => {
                self.running.insert((block.kernel, block.number), block);
                self.count(now, block.sm, true)
            }
            Event::BlockComplete(block) => {
                if let Some(running) = self.running.remove(&(block.kernel, block.number)) {
                    self.ran(running, now)?;
                }
                self.count(now, block.sm, false)
            }
            Event::Preempt(application) => {
                for block in self.blocks_of(application) {
                    self.ran(block, now)?;
                    self.count(now, block.sm, false)?;
                }
                Ok(())
            }
            Event::Resume(application) => {
                for block in self.blocks_of(application) {
                    let again = Block { start: now, ..block };
                    self.running.insert((block.kernel, block.number), again);
                    self.count(now, block.sm, true)?;
                }
                Ok(())
            }
            Event::KernelComplete(kernel) => {
                let launch = &self.shape.kernels[kernel];
                let track = self.streams[&(launch.application, launch.stream)];
                let args = [("blocks", launch.blocks.into())];
                let name = &self.names[kernel];
                let slice = Slice {
                    args: &args,
                    ..Slice::new(name, name, self.ready[kernel], now)
                };
                self.timeline.slice(track, slice)
            }
            Event::CopyComplete(copy, start) => {
                let found = &self.shape.copies[copy];
                let track = self.streams[&(found.application, found.stream)];
                let name = found.name.clone().unwrap_or_else(|| format!("copy {copy}"));
                self.timeline.slice(track, Slice::new(&name, "copy", start, now))
            }
            Event::Turn(application) => {
                let before = std::mem::replace(&mut self.turn, application.map(|next| (next, now)));
                let Some((before, since)) = before else {
                    return Ok(());
                };
                let name = application_name(self.shape, before);
                let slice = Slice::new(&name, &name, since, now);
                self.timeline.slice(self.turns, slice)
            }
            Event::CpuAccess(active) => self.sample(self.cpu, now, f64::from(u8::from(active))),
            Event::Budget(memory) => {
                let Some((budget, period)) = self.budget else {
                    return Ok(());
                };
                let share = memory.ns() as f64 / period.ns() as f64;
                self.timeline.sample(budget, now, share)
            }
            Event::Bandwidth(used) => self.sample(self.bandwidth, now, used as f64),
        }
    }

    /// Returns all blocks of `application` that run or are preempted.
    fn blocks_of(&self, application: usize) -> Vec<Block> {
        let of = |block: &Block| self.shape.kernels[block.kernel].application == application;
        self.running.values().copied().filter(of).collect()
    }

    /// Draws the execution of `block` up to `end`.
    fn ran(&mut self, block: Block, end: Time) -> Result<(), TimelineError> {
        let name = format!("block {}", block.number);
        let args = [("kernel", (block.kernel as u64).into())];
        let slice = Slice {
            args: &args,
            ..Slice::new(&name, &self.names[block.kernel], block.start, end)
        };
        self.timeline.slice(self.sms[block.sm as usize], slice)
    }

    /// Increments the number of running blocks on `sm` if `more` is true, and decrements the number if `more` is false.
    fn count(&mut self, now: Time, sm: u32, more: bool) -> Result<(), TimelineError> {
        let blocks = &mut self.blocks[sm as usize];
        let before = *blocks;
        *blocks = if more {
            before + 1
        } else {
            before.saturating_sub(1)
        };
        if (before == 0) == (*blocks == 0) {
            return Ok(());
        }
        let busy = self.blocks.iter().filter(|blocks| **blocks > 0).count();
        self.timeline.sample(self.busy, now, busy as f64)
    }

    /// Adds a sample to a counter, if the counter exists.
    fn sample(&mut self, counter: Option<CounterId>, now: Time, value: f64) -> Result<(), TimelineError> {
        counter.map_or(Ok(()), |counter| self.timeline.sample(counter, now, value))
    }
}

fn application_name(shape: &ScenarioShape, application: usize) -> String {
    let name = shape
        .applications
        .get(application)
        .and_then(|found| found.name.clone());
    name.unwrap_or_else(|| format!("application {application}"))
}

impl Observer<Event> for Chart<'_> {
    fn see(&mut self, now: Time, event: Event) {
        if let Err(error) = self.draw(now, event) {
            self.refused.get_or_insert(error);
        }
    }

    fn goes_on(&self) -> bool {
        self.refused.is_none()
    }
}
