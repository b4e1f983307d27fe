//! Where blocks ran in fact, beside where the simulation puts them.

use serde::Serialize;

use super::{Observer, Sm, simulate};
use crate::error::Result;
use crate::model::Scenario;
use crate::model::scenario::Need;
use crate::time::Time;

/// The SM of each block that was measured: by kernel, then by number.
pub type Measured = Vec<Vec<u32>>;

/// Why the simulation puts a block elsewhere; the first that applies.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A block ended on one of the two SMs at about that time: what was free depends on the order in which ends are noticed.
    RefillOrder,
    /// Both SMs have room for as many further blocks: the order of the SMs decides.
    SmOrder,
    /// The measured SM has room for fewer further blocks: the rule prefers the other.
    FewerSlots,
    /// In the simulation the measured SM has no room at all.
    NoRoom,
}

/// A block that the simulation puts elsewhere.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
pub struct Difference {
    /// The kernel's position in the scenario.
    pub kernel: usize,
    /// The number of the block in its kernel.
    pub block: u32,
    /// When the simulation starts it [ns].
    pub start_ns: Time,
    /// Where it ran.
    pub measured_sm: u32,
    /// Where the simulation puts it.
    pub simulated_sm: u32,
    /// How many further blocks of the kernel had room on the measured SM, in the simulation.
    pub measured_slots: u32,
    /// How many had on the other, this one included.
    pub simulated_slots: u32,
    /// Blocks that ended at about that time, anywhere.
    pub ends_nearby: usize,
    /// Why.
    pub reason: Reason,
}

/// One kernel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
pub struct KernelComparison {
    /// The kernel's position in the scenario.
    pub kernel: usize,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its blocks.
    pub blocks: usize,
    /// Those that ran where the simulation puts them.
    pub equal: usize,
    /// The same if blocks of this kernel are not told apart: only how many ran on each SM counts.
    pub equal_by_load: usize,
}

/// How many blocks differ for each reason.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Reasons {
    /// Those of [`Reason::RefillOrder`].
    pub refill_order: usize,
    /// Those of [`Reason::SmOrder`].
    pub sm_order: usize,
    /// Those of [`Reason::FewerSlots`].
    pub fewer_slots: usize,
    /// Those of [`Reason::NoRoom`].
    pub no_room: usize,
}

/// All of a scenario.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
pub struct Comparison {
    /// The scenario's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Blocks of all kernels.
    pub blocks: usize,
    /// Those that ran where the simulation puts them.
    pub equal: usize,
    /// The same if blocks of a kernel are not told apart.
    pub equal_by_load: usize,
    /// How close in time an end counts as near [ns].
    pub window_ns: Time,
    /// In the order of the scenario.
    pub kernels: Vec<KernelComparison>,
    /// How many differ for which reason.
    pub reasons: Reasons,
    /// In the order in which the simulation starts them; what follows the first may be its consequence.
    pub differences: Vec<Difference>,
}

impl Comparison {
    /// Simulates `scenario` and compares; an end up to `window` before or after counts as near. `observer` looks on, too.
    ///
    /// # Errors
    /// Those of the simulation.
    pub fn new(
        scenario: &Scenario,
        measured: &Measured,
        window: Time,
        seed: u64,
        observer: &mut impl Observer,
    ) -> Result<Comparison> {
        let mut watch = Watch::new(scenario, measured);
        simulate(scenario, seed, &mut (&mut watch, observer))?;
        Ok(watch.compare(window))
    }
}

/// A block that started elsewhere.
struct Elsewhere {
    kernel: usize,
    block: u32,
    start: Time,
    /// (SM, slots) as measured, and as simulated.
    measured: (u32, u32),
    simulated: (u32, u32),
}

/// The observer that compares.
struct Watch<'a> {
    scenario: &'a Scenario,
    measured: &'a Measured,
    needs: Vec<Need>,
    /// What is free on the SMs, as each application sees them.
    rooms: Vec<Vec<Sm>>,
    /// (measured, simulated) blocks by kernel and SM.
    loads: Vec<Vec<(usize, usize)>>,
    elsewhere: Vec<Elsewhere>,
    /// In the order of time.
    ends: Vec<(Time, u32)>,
}

impl<'a> Watch<'a> {
    fn new(scenario: &'a Scenario, measured: &'a Measured) -> Watch<'a> {
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

    /// Lets `change` have its way with the SM `sm` as the application of `kernel` sees it.
    fn change(&mut self, kernel: usize, sm: u32, change: impl Fn(&mut Sm, &Need)) {
        let application = self.application(kernel);
        let room = self.rooms.get_mut(application);
        let room = room.and_then(|sms| sms.get_mut(sm as usize));
        if let (Some(room), Some(need)) = (room, self.needs.get(kernel)) {
            change(room, need);
        }
    }

    /// Counts a block of `kernel` on `sm`.
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

    fn compare(mut self, window: Time) -> Comparison {
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
        let mut reasons = Reasons::default();
        let mut different = vec![0; self.measured.len()];
        for difference in &differences {
            if let Some(count) = different.get_mut(difference.kernel) {
                *count += 1;
            }
            *match difference.reason {
                Reason::RefillOrder => &mut reasons.refill_order,
                Reason::SmOrder => &mut reasons.sm_order,
                Reason::FewerSlots => &mut reasons.fewer_slots,
                Reason::NoRoom => &mut reasons.no_room,
            } += 1;
        }
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

impl Observer for Watch<'_> {
    fn block_started(&mut self, now: Time, kernel: usize, block: u32, sm: u32) {
        let measured = self.measured.get(kernel).and_then(|sms| sms.get(block as usize));
        if let Some(&measured) = measured.filter(|measured| **measured != sm) {
            self.elsewhere.push(Elsewhere {
                kernel,
                block,
                start: now,
                measured: (measured, self.slots(kernel, measured)),
                simulated: (sm, self.slots(kernel, sm)),
            });
        }
        self.change(kernel, sm, Sm::take);
        self.load(kernel, sm, |(_, simulated)| *simulated += 1);
    }

    fn block_ended(&mut self, now: Time, kernel: usize, _: u32, sm: u32, _: Time) {
        self.ends.push((now, sm));
        self.change(kernel, sm, Sm::give);
    }
}
