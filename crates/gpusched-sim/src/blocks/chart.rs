//! An observer that draws everything on a timeline.

use std::collections::BTreeMap;

use super::Observer;
use crate::timeline::{CounterId, Instant, Mark, Slice, Timeline, TimelineError, TrackId};
use gpusched_model::scenario::{ScenarioShape, Stream};
use gpusched_model::time::Time;

/// A timeline of a scenario: a track per SM with its blocks, one per stream with its kernels and copies, one for the turns of
/// applications; counters for busy SMs, bandwidth, and memory accesses of CPU cores.
#[derive(Debug)]
pub struct Chart<'a> {
    shape: &'a ScenarioShape,
    timeline: Timeline,
    /// What the timeline refused first.
    refused: Option<TimelineError>,
    sms: Vec<TrackId>,
    streams: BTreeMap<(usize, Stream), TrackId>,
    turns: TrackId,
    busy: CounterId,
    bandwidth: Option<CounterId>,
    cpu: Option<CounterId>,
    /// Q, and the regulation period [ns].
    budget: Option<(CounterId, Time)>,
    names: Vec<String>,
    /// Since when each running block runs without a break.
    running: BTreeMap<(usize, u32), (u32, Time)>,
    /// The blocks on each SM.
    blocks: Vec<u32>,
    ready: Vec<Time>,
    turn: Option<(usize, Time)>,
}

impl<'a> Chart<'a> {
    /// Nothing drawn yet.
    ///
    /// # Errors
    /// [`TimelineError::TooManyTracks`] for GPUs and programs that nobody can look at.
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

    /// The timeline.
    ///
    /// # Errors
    /// What it refused first, such as the events of a run too long to look at.
    pub fn finish(self) -> Result<Timeline, TimelineError> {
        match self.refused {
            Some(error) => Err(error),
            None => Ok(self.timeline),
        }
    }

    fn keep(&mut self, drawn: Result<(), TimelineError>) {
        if let Err(error) = drawn {
            self.refused.get_or_insert(error);
        }
    }

    /// A block ran on its SM from `start` to `end`.
    fn draw_block(&mut self, kernel: usize, block: u32, sm: u32, start: Time, end: Time) {
        let name = format!("block {block}");
        let args = [("kernel", (kernel as u64).into())];
        let slice = Slice {
            args: &args,
            ..Slice::new(&name, &self.names[kernel], start, end)
        };
        let drawn = self.timeline.slice(self.sms[sm as usize], slice);
        self.keep(drawn);
    }

    /// One more block on `sm`, or one less.
    fn count(&mut self, now: Time, sm: u32, more: bool) {
        let blocks = &mut self.blocks[sm as usize];
        let before = *blocks;
        *blocks = if more {
            before + 1
        } else {
            before.saturating_sub(1)
        };
        if (before == 0) != (*blocks == 0) {
            let busy = self.blocks.iter().filter(|blocks| **blocks > 0).count();
            let drawn = self.timeline.sample(self.busy, now, busy as f64);
            self.keep(drawn);
        }
    }
}

fn application_name(shape: &ScenarioShape, application: usize) -> String {
    let name = shape
        .applications
        .get(application)
        .and_then(|found| found.name.clone());
    name.unwrap_or_else(|| format!("application {application}"))
}

impl Observer for Chart<'_> {
    fn kernel_ready(&mut self, now: Time, kernel: usize) {
        self.ready[kernel] = now;
        let launch = &self.shape.kernels[kernel];
        let track = self.streams[&(launch.application, launch.stream)];
        let drawn = self
            .timeline
            .instant(track, Instant::new(&self.names[kernel], Mark::Release, now));
        self.keep(drawn);
    }

    fn block_started(&mut self, now: Time, kernel: usize, block: u32, sm: u32) {
        self.running.insert((kernel, block), (sm, now));
        self.count(now, sm, true);
    }

    fn block_ended(&mut self, now: Time, kernel: usize, block: u32, sm: u32, _start: Time) {
        if let Some((_, since)) = self.running.remove(&(kernel, block)) {
            self.draw_block(kernel, block, sm, since, now);
        }
        self.count(now, sm, false);
    }

    fn suspended(&mut self, now: Time, application: usize, running: bool) {
        let of = self.running.iter().map(|(&key, &place)| (key, place));
        let of = of.filter(|((kernel, _), _)| self.shape.kernels[*kernel].application == application);
        for ((kernel, block), (sm, since)) in of.collect::<Vec<_>>() {
            if running {
                self.running.insert((kernel, block), (sm, now));
            } else {
                self.draw_block(kernel, block, sm, since, now);
            }
            self.count(now, sm, running);
        }
    }

    fn kernel_ended(&mut self, now: Time, kernel: usize) {
        let launch = &self.shape.kernels[kernel];
        let track = self.streams[&(launch.application, launch.stream)];
        let args = [("blocks", launch.blocks.into())];
        let slice = Slice {
            args: &args,
            ..Slice::new(&self.names[kernel], &self.names[kernel], self.ready[kernel], now)
        };
        let drawn = self.timeline.slice(track, slice);
        self.keep(drawn);
    }

    fn copy_ended(&mut self, now: Time, copy: usize, start: Time) {
        let found = &self.shape.copies[copy];
        let track = self.streams[&(found.application, found.stream)];
        let name = found.name.clone().unwrap_or_else(|| format!("copy {copy}"));
        let drawn = self.timeline.slice(track, Slice::new(&name, "copy", start, now));
        self.keep(drawn);
    }

    fn turn(&mut self, now: Time, application: Option<usize>) {
        if let Some((before, since)) = self.turn.take() {
            let name = application_name(self.shape, before);
            let drawn = self
                .timeline
                .slice(self.turns, Slice::new(&name, &name, since, now));
            self.keep(drawn);
        }
        self.turn = application.map(|application| (application, now));
    }

    fn cpu(&mut self, now: Time, active: bool) {
        if let Some(cpu) = self.cpu {
            let drawn = self.timeline.sample(cpu, now, f64::from(u8::from(active)));
            self.keep(drawn);
        }
    }

    fn budget(&mut self, now: Time, memory: Time) {
        if let Some((budget, period)) = self.budget {
            let share = memory.ns() as f64 / period.ns() as f64;
            let drawn = self.timeline.sample(budget, now, share);
            self.keep(drawn);
        }
    }

    fn bandwidth(&mut self, now: Time, used: u64) {
        if let Some(bandwidth) = self.bandwidth {
            let drawn = self.timeline.sample(bandwidth, now, used as f64);
            self.keep(drawn);
        }
    }

    fn is_done(&self) -> bool {
        self.refused.is_some()
    }
}
