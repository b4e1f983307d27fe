//! Map of the SMs of a GPU. It shows the partition of each SM.

use gpusched_model::device::{Granularity, Place};
use gpusched_model::{Device, Plan, counted};
use serde::Serialize;

/// Maximum number of SMs that a map shows.
const MOST: u32 = 1024;

/// Map of the SMs, in groups such as GPCs.
#[derive(Serialize)]
pub struct Map {
    /// Content of the map as text.
    alternative: String,
    /// Meaning of a position on the map.
    note: String,
    groups: Vec<Group>,
    legend: Vec<Entry>,
}

/// Cells that belong together.
#[derive(Serialize)]
struct Group {
    name: String,
    units: Vec<Unit>,
}

/// A TPC, a MIG instance, or a single cell.
#[derive(Serialize)]
struct Unit {
    /// Name above the cells; absent for a unit without a name.
    name: Option<String>,
    cells: Vec<Cell>,
}

/// One SM or one memory slice.
#[derive(Clone, Serialize)]
struct Cell {
    title: String,
    /// Position of the partition in the plan; absent for a free cell.
    partition: Option<usize>,
    /// Number of the color.
    color: usize,
}

#[derive(Serialize)]
struct Entry {
    text: String,
    partition: Option<usize>,
    color: usize,
}

/// Number of colors in the style of the page.
const COLORS: usize = 8;

impl Map {
    /// Returns the map of `plan`, or `None` if there is no partition or if the GPU is too large for a map.
    pub fn new(plan: &Plan) -> Option<Map> {
        if plan.partitions.is_empty() || plan.gpu_sms > MOST {
            return None;
        }
        let hardware = plan.hardware.as_ref();
        let mig = hardware.filter(|hardware| hardware.granularity == Granularity::Mig);
        if let Some(map) = mig.and_then(|hardware| slices(plan, &hardware.device)) {
            return Some(map);
        }
        let mut owners = vec![None; plan.gpu_sms as usize];
        let placed = place(plan, &mut owners);
        if !placed {
            in_order(plan, &mut owners);
        }
        let device = hardware.map(|hardware| &hardware.device);
        let note = match (placed, device) {
            (true, Some(device)) if !device.tpcs_per_gpc().is_empty() && !device.states_gpc_of_tpc() => {
                "Each cell is an SM. The numbers of the TPCs are the column Placement. Cards differ in the GPC of each TPC, and the map shows one example.".to_owned()
            }
            (true, _) => "Each cell is an SM at its place on the GPU.".to_owned(),
            (false, Some(_)) => "Each cell is an SM. The driver chooses the SMs of each partition, so only the numbers of SMs are exact.".to_owned(),
            (false, None) => "Each cell is an SM. The plan names no GPU, so only the numbers of SMs are exact.".to_owned(),
        };
        let excess = match plan.sms_used > plan.gpu_sms {
            true => format!(
                " The partitions need {}, so the map does not show all of them.",
                counted(plan.sms_used, "SM")
            ),
            false => String::new(),
        };
        Some(Map {
            alternative: alternative(plan),
            note: note + &excess,
            groups: groups(device.filter(|_| placed), &owners),
            legend: legend(
                plan,
                owners.iter().filter(|owner| owner.is_none()).count(),
                "SM",
                |_| None,
            ),
        })
    }
}

fn color(partition: usize) -> usize {
    partition % COLORS
}

/// Sets the partition of each placed SM. Returns whether every partition has a placement on SMs.
fn place(plan: &Plan, owners: &mut [Option<usize>]) -> bool {
    let device = plan.hardware.as_ref().map(|hardware| &hardware.device);
    let mut all = true;
    for (index, partition) in plan.partitions.iter().enumerate() {
        let tpcs = |tpcs: &[u32]| -> Option<Vec<u32>> {
            let device = device?;
            Some(tpcs.iter().flat_map(|&tpc| device.sms_of_tpc(tpc)).collect())
        };
        let sms = match (&partition.place, device) {
            (Some(Place::Sms(sms)), _) => Some(sms.clone()),
            (Some(Place::Tpcs(list)), _) => tpcs(list),
            (Some(Place::Gpcs(gpcs)), Some(device)) => {
                let list: Vec<u32> = gpcs.iter().flat_map(|&gpc| device.tpcs_of_gpc(gpc)).collect();
                tpcs(&list)
            }
            _ => None,
        };
        all &= sms.is_some();
        for sm in sms.into_iter().flatten() {
            if let Some(owner) = owners.get_mut(sm as usize) {
                *owner = Some(index);
            }
        }
    }
    all
}

/// Assigns SMs to the partitions, in the order of the plan.
fn in_order(plan: &Plan, owners: &mut [Option<usize>]) {
    let order = plan.partitions.iter().enumerate();
    let order = order.flat_map(|(index, partition)| std::iter::repeat_n(index, partition.sms as usize));
    owners.fill(None);
    for (owner, index) in owners.iter_mut().zip(order) {
        *owner = Some(index);
    }
}

fn groups(device: Option<&Device>, owners: &[Option<usize>]) -> Vec<Group> {
    let cell = |sm: u32, tpc: Option<u32>| {
        let partition = owners.get(sm as usize).copied().flatten();
        let tpc = tpc.map_or_else(String::new, |tpc| format!(", TPC {tpc}"));
        Cell {
            title: format!("SM {sm}{tpc}: {}", owner(partition)),
            partition,
            color: color(partition.unwrap_or_default()),
        }
    };
    let unit = |device: &Device, tpc: u32| Unit {
        name: None,
        cells: device.sms_of_tpc(tpc).map(|sm| cell(sm, Some(tpc))).collect(),
    };
    let sms = u32::try_from(owners.len()).unwrap_or(u32::MAX);
    match device.and_then(|device| Some((device, device.tpcs()?))) {
        Some((device, _)) if !device.tpcs_per_gpc().is_empty() => (0u32..)
            .zip(device.tpcs_per_gpc())
            .map(|(gpc, _)| Group {
                name: format!("GPC {gpc}"),
                units: device
                    .tpcs_of_gpc(gpc)
                    .into_iter()
                    .map(|tpc| unit(device, tpc))
                    .collect(),
            })
            .collect(),
        Some((device, tpcs)) => vec![Group {
            name: "SMs by TPC".to_owned(),
            units: (0..tpcs).map(|tpc| unit(device, tpc)).collect(),
        }],
        None => vec![Group {
            name: "SMs".to_owned(),
            units: (0..sms)
                .map(|sm| Unit {
                    name: None,
                    cells: vec![cell(sm, None)],
                })
                .collect(),
        }],
    }
}

fn owner(partition: Option<usize>) -> String {
    partition.map_or_else(|| "free".to_owned(), |partition| format!("partition {partition}"))
}

/// Returns the map of the memory slices of MIG instances, or `None` if an instance has no placement.
fn slices(plan: &Plan, device: &Device) -> Option<Map> {
    let mig = device.mig()?;
    let mut owners: Vec<Option<usize>> = vec![None; mig.memory_slices as usize];
    let mut compute = 0;
    let mut instances = Vec::new();
    for (index, partition) in plan.partitions.iter().enumerate() {
        let Some(Place::Instance(instance)) = &partition.place else {
            return None;
        };
        let profile = mig.profile(&instance.profile)?;
        compute += profile.compute;
        instances.push((profile.name.as_str(), profile.memory));
        for slice in instance.start..instance.start.saturating_add(profile.memory) {
            if let Some(owner) = owners.get_mut(slice as usize) {
                *owner = Some(index);
            }
        }
    }
    let cell = |(slice, partition): (usize, Option<usize>)| Cell {
        title: format!("memory slice {slice}: {}", owner(partition)),
        partition,
        color: color(partition.unwrap_or_default()),
    };
    let slices: Vec<(usize, Option<usize>)> = owners.iter().copied().enumerate().collect();
    let units = slices.chunk_by(|(_, left), (_, right)| left == right).map(|run| {
        let instance = run.first().and_then(|&(_, owner)| instances.get(owner?));
        Unit {
            name: Some(instance.map_or("free", |(profile, _)| profile).to_owned()),
            cells: run.iter().copied().map(cell).collect(),
        }
    });
    let free = owners.iter().filter(|owner| owner.is_none()).count();
    Some(Map {
        alternative: alternative(plan),
        note: format!(
            "Each cell is a memory slice of the GPU, below the profile of its MIG instance. The instances use {compute} of {}. The driver chooses the SMs of an instance.",
            counted(mig.compute_slices, "compute slice")
        ),
        groups: vec![Group {
            name: "Memory slices".to_owned(),
            units: units.collect(),
        }],
        legend: legend(plan, free, "memory slice", |index| {
            let (profile, memory) = instances.get(index)?;
            Some(format!(
                ", {profile} with {memory} of {}",
                counted(mig.memory_slices, "memory slice")
            ))
        }),
    })
}

/// The placement of all partitions as one text.
fn alternative(plan: &Plan) -> String {
    let parts = plan.partitions.iter().enumerate().map(|(index, partition)| {
        let place = partition.place.as_ref().map(|place| format!(", {place}"));
        format!(
            "partition {index}: {}{}",
            counted(partition.sms, "SM"),
            place.unwrap_or_default()
        )
    });
    format!("Map of the GPU. {}.", parts.collect::<Vec<_>>().join("; "))
}

/// Returns the legend. `more` returns a further text about a partition.
fn legend(plan: &Plan, free: usize, noun: &str, more: impl Fn(usize) -> Option<String>) -> Vec<Entry> {
    let mut legend: Vec<Entry> = plan
        .partitions
        .iter()
        .enumerate()
        .map(|(index, partition)| Entry {
            text: format!(
                "partition {index}: {}, {}{}",
                counted(partition.tasks.len(), "task"),
                counted(partition.sms, "SM"),
                more(index).unwrap_or_default()
            ),
            partition: Some(index),
            color: color(index),
        })
        .collect();
    if free > 0 {
        legend.push(Entry {
            text: format!("free: {}", counted(free, noun)),
            partition: None,
            color: 0,
        });
    }
    legend
}
