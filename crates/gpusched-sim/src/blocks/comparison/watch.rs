//! The observer that compares measured and simulated placements.

use super::super::{Event, Sm, simulate};
use super::{Comparison, Difference, KernelComparison, Measured, Reason, Reasons};
use gpusched_model::error::Result;
use gpusched_model::observer::Following;
use gpusched_model::scenario::Need;
use gpusched_model::time::Time;
use gpusched_model::{Observer, Scenario};

/// A block whose simulated SM differs from its measured SM.
struct Elsewhere {
    kernel: usize,
    block: u32,
    start: Time,
    /// Number of the measured SM, and number of further blocks that fit on it. The next field states these numbers for
    /// the simulated SM.
    measured: (u32, u32),
    simulated: (u32, u32),
}

impl Comparison {
    /// Simulates `scenario` and compares the placements with `measured`. The end of a block is near the start of
    /// another block if at most the time `window` is between them. The `observer` receives all events of the run.
    ///
    /// # Errors
    /// Fails under the same conditions as [`simulate`].
    pub fn new(
        scenario: &Scenario,
        measured: &Measured,
        window: Time,
        seed: u64,
        observer: &mut impl Observer<Event>,
    ) -> Result<Comparison> {
        let mut watch = Watch::new(scenario, measured);
        simulate(scenario, seed, &mut Following(&mut watch, observer))?;
        Ok(watch.compare(window))
    }
}

/// Compares the SM of each simulated block with the measured SM.
struct Watch<'a> {
    scenario: &'a Scenario,
    measured: &'a Measured,
    needs: Vec<Need>,
    /// For each application: free resources of each SM.
    rooms: Vec<Vec<Sm>>,
    /// For each kernel and SM: number of measured blocks, and number of simulated blocks.
    loads: Vec<Vec<(usize, usize)>>,
    elsewhere: Vec<Elsewhere>,
    /// Ends of blocks, sorted by time.
    ends: Vec<(Time, u32)>,
}

impl<'a> Watch<'a> {
    pub fn new(scenario: &'a Scenario, measured: &'a Measured) -> Watch<'a> {
        let shape = scenario.shape();
        let device = shape.platform.shape();
        let sms = device.sms as usize;
        Watch {
            scenario,
            measured,
            needs: shape.kernels.iter().map(Need::from).collect(),
            rooms: vec![vec![Sm::new(device); sms]; shape.applications.len().max(1)],
            loads: vec![Vec::new(); shape.kernels.len()],
            elsewhere: Vec::new(),
            ends: Vec::new(),
        }
    }

    fn application(&self, kernel: usize) -> usize {
        let kernel = self.scenario.shape().kernels.get(kernel);
        kernel.map_or(0, |kernel| kernel.application)
    }

    fn slots(&self, kernel: usize, sm: u32) -> u32 {
        let room = self.rooms.get(self.application(kernel));
        let room = room.and_then(|sms| sms.get(sm as usize));
        match (room, self.needs.get(kernel)) {
            (Some(room), Some(need)) => room.slots(need),
            _ => 0,
        }
    }

    /// Applies `change` to `sm` in the list of the application that owns `kernel`.
    fn change(&mut self, kernel: usize, sm: u32, change: impl Fn(&mut Sm, &Need)) {
        let application = self.application(kernel);
        let room = self.rooms.get_mut(application);
        let room = room.and_then(|sms| sms.get_mut(sm as usize));
        if let (Some(room), Some(need)) = (room, self.needs.get(kernel)) {
            change(room, need);
        }
    }

    /// Applies `count` to the numbers of measured and simulated blocks of `kernel` on `sm`.
    fn load(&mut self, kernel: usize, sm: u32, count: impl Fn(&mut (usize, usize))) {
        let Some(loads) = self.loads.get_mut(kernel) else {
            return;
        };
        let sm = sm as usize;
        if loads.len() <= sm {
            loads.resize(sm + 1, (0, 0));
        }
        loads.get_mut(sm).into_iter().for_each(count);
    }

    pub fn compare(mut self, window: Time) -> Comparison {
        for (kernel, sms) in self.measured.iter().enumerate() {
            for &sm in sms {
                self.load(kernel, sm, |(measured, _)| *measured += 1);
            }
        }
        let differences: Vec<Difference> = self
            .elsewhere
            .iter()
            .map(|block| self.explain(block, window))
            .collect();
        let mut different = vec![0; self.measured.len()];
        for difference in &differences {
            different
                .get_mut(difference.kernel)
                .into_iter()
                .for_each(|count| *count += 1);
        }
        let due_to = |reason| differences.iter().filter(|found| found.reason == reason).count();
        let reasons = Reasons {
            refill_order: due_to(Reason::RefillOrder),
            sm_order: due_to(Reason::SmOrder),
            fewer_slots: due_to(Reason::FewerSlots),
            no_room: due_to(Reason::NoRoom),
        };
        let launches = &self.scenario.shape().kernels;
        let kernels: Vec<KernelComparison> =
            (self.measured.iter().zip(&different).zip(&self.loads).enumerate())
                .map(|(kernel, ((sms, different), loads))| KernelComparison {
                    kernel,
                    name: launches.get(kernel).and_then(|launch| launch.name.clone()),
                    blocks: sms.len(),
                    equal: sms.len().saturating_sub(*different),
                    equal_by_load: loads
                        .iter()
                        .map(|&(measured, simulated)| measured.min(simulated))
                        .sum(),
                })
                .collect();
        Comparison {
            name: self.scenario.shape().name.clone(),
            blocks: kernels.iter().map(|kernel| kernel.blocks).sum(),
            equal: kernels.iter().map(|kernel| kernel.equal).sum(),
            equal_by_load: kernels.iter().map(|kernel| kernel.equal_by_load).sum(),
            window_ns: window,
            kernels,
            reasons,
            differences,
        }
    }

    fn explain(&self, block: &Elsewhere, window: Time) -> Difference {
        let from = Time::from_ns(block.start.ns().saturating_sub(window.ns()));
        let to = Time::from_ns(block.start.ns().saturating_add(window.ns()));
        let first = self.ends.partition_point(|(end, _)| *end < from);
        let nearby = self.ends.iter().skip(first).take_while(|(end, _)| *end <= to);
        let ((measured_sm, measured_slots), (simulated_sm, simulated_slots)) =
            (block.measured, block.simulated);
        let (mut ends_nearby, mut on_either) = (0, false);
        for (_, sm) in nearby {
            ends_nearby += 1;
            on_either |= [measured_sm, simulated_sm].contains(sm);
        }
        Difference {
            kernel: block.kernel,
            block: block.block,
            start_ns: block.start,
            measured_sm,
            simulated_sm,
            measured_slots,
            simulated_slots,
            ends_nearby,
            reason: match measured_slots {
                _ if on_either => Reason::RefillOrder,
                0 => Reason::NoRoom,
                slots if slots >= simulated_slots => Reason::SmOrder,
                _ => Reason::FewerSlots,
            },
        }
    }
}

impl Observer<Event> for Watch<'_> {
    fn see(&mut self, now: Time, event: Event) {
        match event {
            Event::BlockStart(block) => {
                let (kernel, number, sm) = (block.kernel, block.number, block.sm);
                let measured = self.measured.get(kernel).and_then(|sms| sms.get(number as usize));
                if let Some(&measured) = measured.filter(|measured| **measured != sm) {
                    self.elsewhere.push(Elsewhere {
                        kernel,
                        block: number,
                        start: now,
                        measured: (measured, self.slots(kernel, measured)),
                        simulated: (sm, self.slots(kernel, sm)),
                    });
                }
                self.change(kernel, sm, Sm::take);
                self.load(kernel, sm, |(_, simulated)| *simulated += 1);
            }
            Event::BlockComplete(block) => {
                self.ends.push((now, block.sm));
                self.change(block.kernel, block.sm, Sm::give);
            }
            _ => {}
        }
    }
}
