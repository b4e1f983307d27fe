//! Assumptions of an end-to-end verdict.

use super::{Communication, Draft, Idle, PartitionPolicy, System, TimeSlices};
use crate::Interference;
use crate::assumptions::{Assumption, AssumptionId as Id, Ports, of_profiles};
use crate::time::Time;

impl System {
    /// Returns the assumptions of the analysis. gpusched does not check these assumptions. `enforced` tells whether
    /// timers release the segments.
    pub fn assumptions(&self, enforced: bool) -> Vec<Assumption> {
        let mut list = Vec::new();
        let mut add = |condition: bool, id: Id, text: &str| {
            if condition {
                list.push(Assumption::new(id, text));
            }
        };
        let has = |policies: &[PartitionPolicy]| {
            self.partitions()
                .iter()
                .any(|partition| policies.contains(&partition.policy))
        };
        use PartitionPolicy::{Edf, Fp, LpEdf, LpFp, NpEdf, NpFifo, NpFp};
        let one = match self.time_slices() {
            [] => {
                "A dispatcher runs at most one kernel of a partition at a time and never waits while a kernel is ready"
            }
            _ => {
                "A partition or context runs at most one kernel at a time, and never waits in its turn while a kernel is ready"
            }
        };
        add(
            has(&[Edf, NpEdf, LpEdf]),
            Id::DispatchEdf,
            &format!("{one}: the earliest deadline first."),
        );
        add(
            has(&[Fp, NpFp, LpFp]),
            Id::DispatchFixedPriority,
            &format!("{one}: the highest priority first."),
        );
        add(
            has(&[NpFifo]),
            Id::DispatchFifo,
            &format!("{one}: first in, first out."),
        );
        add(
            has(&[Fp, Edf]),
            Id::PreemptionAnyPoint,
            "Kernels under `fp` and `edf` preempt each other at any point, without cost beyond the WCETs.",
        );
        add(
            has(&[LpFp, LpEdf]),
            Id::PreemptionBlockBoundaries,
            "Kernels under `lp-` policies preempt each other when the running thread blocks end, without cost beyond the WCETs.",
        );
        add(
            has(&[NpFifo, NpFp, NpEdf]),
            Id::PreemptionNone,
            "A kernel under an `np-` policy that has started runs to its end.",
        );
        if let Some(overheads) = self.overheads() {
            let text = format!(
                "A kernel occupies its partition at most {} beyond its WCET. An idle dispatcher sees a new kernel within {}.",
                overheads.occupancy_ns, overheads.wake_ns
            );
            add(true, Id::DispatchOverheads, &text);
        }
        add(
            !self.partitions().is_empty(),
            Id::SmsReserved,
            "The SMs of each partition are reserved for the partition, for example by TPC masks.",
        );
        let (id, text) = match self.interference() {
            Interference::None => (
                Id::InterferenceNone,
                "No task delays another task by contention in caches or memory.",
            ),
            Interference::Conflict => (
                Id::InterferenceConflict,
                "Only kernels of the same kind on the same partition slow each other down. Cores, copies and partitions of the system do not contend for memory.",
            ),
            // A system refuses interference models with memory time, so these models never occur here. The `match`
            // treats them like the bandwidth models.
            Interference::ConflictBandwidth | Interference::ConflictMemoryTime => (
                Id::InterferenceConflictBandwidth,
                "Cores, copies and partitions slow each other down only by their use of memory bandwidth. Kernels of \
                 the same kind on the same partition also contend.",
            ),
            Interference::Bandwidth | Interference::MemoryTime => (
                Id::InterferenceBandwidth,
                "Cores, copies and partitions slow each other down only by their use of memory bandwidth.",
            ),
        };
        add(
            self.interference() != Interference::None || !self.partitions().is_empty(),
            id,
            text,
        );
        let ports = Ports::of_partitions(self.partitions().len());
        add(!self.partitions().is_empty(), ports.id(), &ports.to_string());
        if let Some(memory) = self.memory() {
            let text = format!(
                "While requests are pending, the memory moves at least {memory}, for every mix of requests. Only the segments use the memory."
            );
            add(true, Id::GuaranteedBandwidth, &text);
            let mut segments = self.tasks().iter().flat_map(|task| &task.segments);
            let stated = segments.any(|segment| segment.traffic.is_some() || segment.bandwidth.is_some());
            let text = "No execution of a segment exceeds its stated `traffic` and `bandwidth`. A copy moves at most twice its `bytes`.";
            add(stated, Id::TrafficBounds, text);
            let mut segments = self.tasks().iter().flat_map(|task| &task.segments);
            let unknown = segments.any(|segment| segment.traffic.is_none());
            let text = "During its WCET, a segment without `traffic` may use its `bandwidth`, or the whole memory bandwidth if it states no `bandwidth`.";
            add(unknown, Id::TrafficUnknown, text);
        }
        add(
            !self.cores().is_empty(),
            Id::CoreScheduling,
            "Each core runs only the tasks of the system, by its policy, with preemption at any point, without cost beyond the WCETs.",
        );
        add(
            self.copy_engines() > 0,
            Id::CopyEngines,
            "Each copy engine executes one copy at a time, by its policy.",
        );
        for gpu in self.time_slices() {
            add(true, Id::TimeSlices, &self.turns(gpu));
            let kernels = match gpu.idle {
                Idle::Skip => "is one kernel, or its kernels follow each other without gaps",
                Idle::Wait | Idle::Fixed => "has a WCET that includes the gaps between its kernels",
            };
            let text = format!("Each segment on a context of {} {kernels}.", gpu.name);
            add(true, Id::OneKernel, &text);
        }
        let pipelined = self.tasks().iter().filter(|task| task.is_pipelined());
        let pipelined = pipelined.count();
        let text = match pipelined {
            0 => "Each task is one thread: a job starts after the end of the previous job.",
            _ => "Each sequential task is one thread: a job starts after the end of the previous job.",
        };
        add(pipelined < self.tasks().len(), Id::OneThreadPerTask, text);
        add(
            pipelined > 0,
            Id::PipelinedJobs,
            "Each segment of a pipelined task is one thread with a first-in, first-out queue. The oldest job of a task goes first.",
        );
        let mut tasks = self.tasks().iter();
        add(
            tasks.any(|task| task.buffers.iter().any(Option::is_some)),
            Id::Buffers,
            "A job takes a slot of a buffer when a segment starts, and leaves it when the next segment ends.",
        );
        add(
            enforced,
            Id::ReleaseTimers,
            "A timer releases each segment at its fixed time after the arrival, never earlier.",
        );
        let jitter = self.tasks().iter().any(|task| task.jitter > Time::ZERO);
        let release = match jitter {
            true => "Each job is released at most `jitter` after its arrival.",
            false => "Each job is released at its arrival.",
        };
        add(
            true,
            Id::SporadicReleases,
            &format!("Two arrivals of a task are at least one period apart. {release}"),
        );
        add(
            !self.chains().is_empty(),
            Id::PeriodicArrivals,
            "Periodic tasks in chains are stricter: their arrivals are exactly one period apart.",
        );
        let by_let = self
            .chains()
            .iter()
            .any(|chain| chain.communication == Communication::Let);
        let reads = match by_let {
            true => {
                "Tasks of a `let` chain read at arrivals and write at deadlines. All other tasks read at starts and write at ends."
            }
            false => {
                "Each task of a chain reads its data when its job starts, and writes its data when its job ends."
            }
        };
        add(!self.chains().is_empty(), Id::ChainCommunication, reads);
        let includes = match self.overheads() {
            None => "launch overhead, caches and preemption",
            Some(_) => "caches, and on cores and copy engines also launch overhead and preemption",
        };
        let text = format!("No segment takes longer than its WCET, which includes {includes}.");
        add(true, Id::WcetStated, &text);
        let stated = self
            .tasks()
            .iter()
            .flat_map(|task| &task.segments)
            .any(|segment| segment.bcet > Time::ZERO);
        add(
            stated && !enforced,
            Id::BcetStated,
            "No segment takes less than its stated BCET.",
        );
        list
    }

    /// Returns the assumption on the turns of the contexts of `gpu`.
    fn turns(&self, gpu: &TimeSlices) -> String {
        let order = match gpu.idle {
            Idle::Skip => "if they have kernels",
            Idle::Wait => "also without kernels",
            Idle::Fixed => "at fixed times",
        };
        let overruns = gpu.contexts.iter().map(|context| context.overrun);
        format!(
            "Contexts of {} take turns {order}, with the stated slices. An overrun takes at most {}, a switch {}, and a segment more than 0ns.",
            gpu.name,
            overruns.max().unwrap_or_default(),
            gpu.switch,
        )
    }
}

impl Draft {
    /// Returns the assumptions of the analysis of the system, which is `system` without its budgets. Timers release no segment.
    pub fn assumptions(&self, system: &System) -> Vec<Assumption> {
        let mut list = system.assumptions(false);
        let Some(budgets) = &self.budgets else {
            return list;
        };
        let segments = self.tasks.iter().flat_map(|task| &task.segments);
        let profiles = segments.clone().filter_map(|segment| segment.profile.as_ref());
        let clusters = profiles.flat_map(|profile| &profile.clusters);
        let measured = segments.clone().any(|segment| segment.profile.is_none());
        list.retain(|assumption| assumption.id != Id::WcetStated || measured);
        for assumption in &mut list {
            if assumption.id == Id::WcetStated {
                let text = "No segment takes longer than its `wcet` in isolation, or than its `e1`. Both include caches and preemption. \
                     One ns of memory accesses delays it by at most `delay_rate` ns.";
                *assumption = Assumption::new(Id::WcetStated, text);
            }
        }
        list.extend(budgets.assumptions());
        let text = "When a segment starts, the regulation limits best-effort cores to its budget at once, including requests in flight.";
        list.push(Assumption::new(Id::CoresLocked, text));
        if clusters.clone().next().is_some() {
            list.extend(of_profiles(clusters));
        }
        list
    }
}
