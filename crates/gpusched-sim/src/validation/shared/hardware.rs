//! Random partitions of real GPUs. Each GPU supports the sizes and placements of its partitions
//! at one granularity, such as TPCs.

use rand::Rng;
use strum::VariantArray;

use super::draw::{OnDevice, System, policies};
use gpusched_analysis::partitioning::Offer;
use gpusched_model::device::{Device, Granularity};
use gpusched_model::streams::{Purpose, below, stream};
use gpusched_model::time::Time;
use gpusched_model::wcet::{Form, Table};
use gpusched_model::{Bandwidth, Peak, Task, TaskSet, TaskShape, WcetFunction};

/// Maximum number of random attempts to find partitions that fit on a device.
const TRIES: usize = 1_000;

/// Returns `system` on a random GPU with random partition sizes. `index` is the number of the system for the seed
/// `seed`. Successive systems use the granularities in turn. The WCETs and the peak rate of each task keep their
/// values, but now apply to the number of SMs of the new partition. Returns `None` if no device has space for the
/// partitions, which never happens.
pub fn on_device(system: System, seed: u64, index: u64) -> Option<System> {
    let mut rng = stream(seed, Purpose::SharedMemorySystems, index, 1);
    let turn = usize::try_from(index).ok()? / (2 * policies().len());
    let granularity = *Granularity::VARIANTS.get(turn % Granularity::VARIANTS.len())?;
    let devices: Vec<Device> = Device::all()
        .filter(|device| device.granularities().contains(&granularity))
        .collect();
    let device = (0..TRIES).find_map(|attempt| {
        let device = devices.get(below(&mut rng, devices.len()))?;
        let offer = Offer::new(device, granularity).ok()?;
        let shares = usize::try_from(offer.shares()).ok()?;
        // In every second attempt, each partition has at most an equal share of the GPU.
        let shares = if attempt % 2 == 0 {
            shares
        } else {
            shares.div_ceil(system.parts.len())
        };
        let mut size = || offer.sms_of(u32::try_from(1 + below(&mut rng, shares)).unwrap_or(1));
        let sizes: Vec<u32> = system.parts.iter().map(|_| size()).collect();
        let placed = offer.place(&sizes).filter(|_| !sizes.contains(&0))?;
        Some(OnDevice { offer, placed })
    })?;
    let tasks = system.set.tasks().iter().enumerate().map(|(position, task)| {
        let part = system.parts.iter().position(|part| part.contains(&position))?;
        scaled(task, device.placed.get(part)?.sms, &mut rng)
    });
    let set = TaskSet::new(
        system.set.name().map(str::to_owned),
        tasks.collect::<Option<_>>()?,
    )
    .ok()?;
    Some(System {
        set: set.beside(system.set.other_traffic().to_vec()),
        device: Some(device),
        ..system
    })
}

/// Returns `task` with its WCETs as the WCETs on `sms` SMs. On one SM, the WCETs are three times as long. On twice
/// `sms` SMs, the WCETs are a quarter shorter.
fn scaled(task: &Task, sms: u32, rng: &mut impl Rng) -> Option<Task> {
    let shape: TaskShape = task.clone().into();
    let Form::Table(Table::Each { isolated, conflict }) = task.wcet().form() else {
        return None;
    };
    let points = |points: &[(u32, Time)]| {
        let time = points.first()?.1.ns();
        let shorter = time - time / 4;
        let mut all = vec![(sms, Time::from_ns(time)), (2 * sms, Time::from_ns(shorter))];
        if sms > 1 {
            all.insert(0, (1, Time::from_ns(3 * time)));
        }
        Some(all)
    };
    let function = Form::Table(Table::Each {
        isolated: points(isolated)?,
        conflict: points(conflict)?,
    });
    let bandwidth = match (&shape.bandwidth, below(rng, 2)) {
        (Some(Peak::Flat(rate)), 0) => {
            let rate = rate.bytes_per_second();
            let curve = vec![
                (sms, Bandwidth::new(rate)?),
                (2 * sms, Bandwidth::new(rate + rate / 2)?),
            ];
            Some(Peak::curve(curve).ok()?)
        }
        (stated, _) => stated.clone(),
    };
    Task::from_shape(TaskShape {
        bandwidth,
        wcet: WcetFunction::new(function).ok()?,
        ..shape
    })
    .ok()
}
