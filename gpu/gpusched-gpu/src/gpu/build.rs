//! Construction of a GPU before the first cycle.

use std::sync::Arc;

use super::super::memory::{Crossbar, Ports};
use super::super::sm::Sm;
use super::alike::Classes;
use super::launches::dispatch::Dispatcher;
use super::memory_side::below::Below;
use super::memory_side::gpcs::Gpcs;
use super::memory_side::l1::Divisions;
use super::memory_side::parts::Parts;
use super::memory_side::port::Port;
use super::pace::ahead::Ahead;
use super::pace::clocks::Edges;
use super::pace::restart;
use super::pace::wakes::NEVER;
use super::{Failure, Gpu, Launch, Results, Settings, WarmBuffer, supported};
use crate::machine::Machine;
use crate::memory::request::{LINE, SECTOR};
use gpusched_sim::warps::policy;

impl<'a> Gpu<'a> {
    /// Creates the GPU. If `shares` is true, one simulated SM represents all equal SMs. The caller must have proven
    /// that equal SMs stay equal.
    pub(super) fn new(
        machine: &Machine,
        kernels: &'a [Launch],
        settings: &Settings,
        shares: bool,
    ) -> Result<Self, Failure> {
        let mut shape = machine.clone().into_shape();
        if let Some(sms) = settings.sms {
            shape.clusters = sms.div_ceil(shape.sms_per_cluster).clamp(1, shape.clusters);
        }
        supported::machine(&shape)?;
        supported::kernels(&shape, kernels)?;
        let machine = Arc::new(shape);
        let parts = Arc::new(Parts::new(&machine, kernels, &settings.clients)?);
        let clusters = machine.clusters as usize;
        let per_cluster = machine.sms_per_cluster as usize;
        let budgets: Vec<u32> = kernels.iter().map(|kernel| kernel.budget).collect();
        let classes = match shares {
            true => Classes::one(clusters * per_cluster),
            false => Classes::single(clusters * per_cluster),
        };
        let l1 = Divisions::of_empty(&machine);
        let mut sms: Vec<Sm> = (0..classes.simulated())
            .map(|sm| {
                let policies = (0..machine.sm.schedulers)
                    .map(|first| policy::of_slots_from(first as usize, settings.scheduler, &budgets))
                    .collect();
                Sm::new(sm as u16, &machine, l1.clone(), policies)
            })
            .collect();
        if settings.record_issues.is_some() {
            for sm in &mut sms {
                sm.record = Some(Vec::new());
            }
        }
        let slices = machine.memory.slices() as usize;
        let net = &machine.interconnect;
        let (inputs, outputs) = (net.input_buffer as usize, net.output_buffer as usize);
        let places = net.ejection_buffer as usize;
        let mut gpu = Self {
            edges: Edges::new(&machine.clocks),
            restarts: restart::launches(kernels, settings),
            #[cfg(test)]
            restarted: 0,
            sm_wakes: vec![NEVER; sms.len()],
            ahead: sms.iter().map(|_| Ahead::new()).collect(),
            goes_ahead: false,
            parallel: settings.parallel && rayon::current_num_threads() > 1,
            sms,
            classes,
            requests: Crossbar::new(clusters, slices, inputs, outputs, net.arbiter),
            gpcs: net.gpcs.as_ref().map(|gpcs| Gpcs::new(gpcs, clusters)),
            ports: (0..clusters)
                .map(|number| Port::new(number, places, kernels.len()))
                .collect(),
            responding: Ports::default(),
            front: None,
            sms_first: true,
            windowed: false,
            below: Box::new(Below::new(
                &machine,
                &parts,
                kernels.len(),
                &settings.clients,
                settings.camping,
            )),
            lead: 0,
            dispatcher: Dispatcher::new(clusters, per_cluster, kernels),
            divisions: Divisions::new(&machine, kernels, clusters * per_cluster),
            now: 0,
            skips: true,
            results: Results::new(kernels),
            enough: usize::MAX,
            most_issues: settings.record_issues,
            kernels,
            parts,
            machine,
        };
        gpu.warm(&settings.warm);
        Ok(gpu)
    }

    /// Loads buffers into L2. The effect equals a copy to the GPU before the kernels start. The function loads lines in
    /// ascending order of addresses. For each slice, it loads all sectors of a line together.
    fn warm(&mut self, buffers: &[WarmBuffer]) {
        let used = |buffer: &&WarmBuffer| usize::from(buffer.kernel) < self.kernels.len();
        for buffer in buffers.iter().filter(used) {
            let start = buffer.address;
            let end = start.saturating_add(buffer.bytes);
            let mut line = start & !(LINE - 1);
            while line < end {
                self.warm_line(buffer.kernel, line, start, end);
                line += LINE;
            }
        }
    }

    /// Loads the sectors of `line` that overlap the range from `start` to `end` into L2. For each
    /// slice, the function loads all sectors together.
    fn warm_line(&mut self, kernel: u8, line: u64, start: u64, end: u64) {
        let mut sectors = [0_u8; (LINE / SECTOR) as usize];
        let mut slices = [0; (LINE / SECTOR) as usize];
        for (sector, at) in (line..line.saturating_add(LINE))
            .step_by(SECTOR as usize)
            .enumerate()
        {
            slices[sector] = self.parts.slice(kernel, at) as usize;
            let first = slices
                .iter()
                .position(|&slice| slice == slices[sector])
                .unwrap_or(sector);
            if at + SECTOR > start && at < end {
                sectors[first] |= 1 << sector;
            }
        }
        for (slice, sectors) in slices
            .into_iter()
            .zip(sectors)
            .filter(|&(_, sectors)| sectors != 0)
        {
            self.below.slices[slice].preload(kernel, line, sectors);
        }
    }
}
