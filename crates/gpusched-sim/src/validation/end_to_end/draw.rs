//! Generator of random end-to-end systems. System i depends only on the seed and on i.

use gpusched_model::WcetFunction;
use gpusched_model::end_to_end::{
    Arrivals, ChainDraft, Communication, CopyEngine, Core, CorePolicy, Draft, EnginePolicy, Jobs,
    PartitionDraft, PartitionPolicy, SegmentDraft, TaskDraft, Wait,
};
use gpusched_model::streams::{Purpose, below, stream};
use gpusched_model::time::Time;
use rand::Rng;

/// Possible periods [ns]. The periods have a small least common multiple.
const PERIODS: [u64; 10] = [10, 12, 15, 20, 24, 30, 40, 48, 60, 120];

const PARTITIONS: [PartitionPolicy; 7] = [
    PartitionPolicy::NpFifo,
    PartitionPolicy::NpFp,
    PartitionPolicy::Fp,
    PartitionPolicy::LpFp,
    PartitionPolicy::Edf,
    PartitionPolicy::NpEdf,
    PartitionPolicy::LpEdf,
];

/// Returns the system with number `index`. The system has 1 or 2 cores, up to 2 copy engines, 1 or 2 partitions and 2
/// to 5 tasks. Returns `None` if a WCET is invalid, which never happens.
pub fn system(seed: u64, index: u64) -> Option<Draft> {
    let rng = &mut stream(seed, Purpose::EndToEndSystems, index, 0);
    let cores: Vec<Core> = (0..1 + below(rng, 2))
        .map(|core| Core {
            name: format!("core{core}"),
            kind: None,
            policy: [CorePolicy::Fp, CorePolicy::Fp, CorePolicy::Edf][below(rng, 3)],
        })
        .collect();
    let engines: Vec<CopyEngine> = (0..below(rng, 3))
        .map(|engine| CopyEngine {
            name: format!("copy{engine}"),
            policy: [EnginePolicy::Fifo, EnginePolicy::NpFp][below(rng, 2)],
            bandwidth: None,
            contended_bandwidth: None,
        })
        .collect();
    let partitions: Vec<PartitionDraft> = (0..1 + below(rng, 2))
        .map(|partition| {
            let policy = PARTITIONS[below(rng, PARTITIONS.len())];
            PartitionDraft::new(format!("gpu{partition}"), Some(1), policy)
        })
        .collect();
    let count = 2 + below(rng, 4);
    // On average, one of four systems has only two priority levels, so that some priorities are equal.
    let levels = if below(rng, 4) == 0 { 2 } else { 100 };
    let tasks = (0..count).map(|task| {
        let period = PERIODS[below(rng, PERIODS.len())] * [1, 1, 2, 5][below(rng, 4)];
        let core = &cores[below(rng, cores.len())].name;
        let gpu = &partitions[below(rng, partitions.len())].name;
        let mut places: Vec<&String> = Vec::new();
        match below(rng, 8) {
            0 => places.push(core),
            1 => places.push(gpu),
            kind => {
                places.push(core);
                if let (Some(engine), true) = (pick(rng, &engines), below(rng, 2) == 0) {
                    places.push(&engine.name);
                }
                places.push(gpu);
                if let (Some(engine), true) = (pick(rng, &engines), below(rng, 2) == 0) {
                    places.push(&engine.name);
                }
                if kind > 3 {
                    places.push(core);
                }
                if kind == 7 {
                    places.extend([gpu, core]);
                }
            }
        }
        let budget = (period / (count as u64 + places.len() as u64 / 2)).max(1);
        let exact = below(rng, 3) == 0;
        let segments = places.iter().map(|place| {
            let wcet = 1 + below(rng, usize::try_from(budget.min(1000)).unwrap_or(1)) as u64 / 2;
            let bcet = if exact {
                wcet
            } else {
                below(rng, usize::try_from(wcet).unwrap_or(0) + 1) as u64
            };
            let on_gpu = partitions.iter().any(|partition| partition.name == **place);
            Some(SegmentDraft {
                on: (*place).clone(),
                wcet: Some(WcetFunction::constant(Time::from_ns(wcet)).ok()?),
                bcet: Some(Time::from_ns(bcet)),
                bytes: None,
                block: (on_gpu && below(rng, 2) == 0)
                    .then(|| Time::from_ns(1 + below(rng, usize::try_from(wcet).unwrap_or(1)) as u64)),
                kind: None,
                traffic: None,
                bandwidth: None,
                e1: None,
                delay_rate: None,
                profile: None,
            })
        });
        let segments = segments.collect::<Option<Vec<SegmentDraft>>>()?;
        let jitter = if below(rng, 3) == 0 {
            below(rng, usize::try_from(period / 4).unwrap_or(1) + 1)
        } else {
            0
        };
        Some(TaskDraft {
            name: format!("task{task}"),
            period: Time::from_ns(period),
            deadline: None,
            jitter: Some(Time::from_ns(jitter as u64)),
            arrivals: Arrivals::Periodic,
            max_interarrival: None,
            phase: None,
            priority: Some(u32::try_from(below(rng, levels)).unwrap_or(0)),
            gpu_priority: (below(rng, 2) == 0).then(|| u32::try_from(below(rng, levels)).unwrap_or(0)),
            wait: Some([Wait::Busy, Wait::Suspend][below(rng, 2)]),
            segments,
            jobs: Jobs::Sequential,
            buffers: None,
            alternatives: Vec::new(),
        })
    });
    let tasks = tasks.collect::<Option<Vec<TaskDraft>>>()?;
    let chains = (0..below(rng, 3))
        .map(|_| {
            let length = 1 + below(rng, count.min(4));
            let mut rest: Vec<usize> = (0..count).collect();
            let chosen = (0..length).map(|_| rest.swap_remove(below(rng, rest.len())));
            ChainDraft {
                name: None,
                tasks: chosen.map(|task| format!("task{task}")).collect(),
                limit: None,
                communication: [
                    Communication::Asynchronous,
                    Communication::Asynchronous,
                    Communication::Let,
                ][below(rng, 3)],
            }
        })
        .collect();
    Some(Draft {
        name: Some(format!("end-to-end {seed}:{index}")),
        cores,
        copy_engines: engines,
        partitions,
        tasks,
        chains,
        budgets: None,
    })
}

fn pick<'a, T>(rng: &mut impl Rng, list: &'a [T]) -> Option<&'a T> {
    match list.len() {
        0 => None,
        count => list.get(below(rng, count)),
    }
}
