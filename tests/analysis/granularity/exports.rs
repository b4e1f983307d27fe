//! Exports agree with the plan. For each export format, the test has its own parser.

use gpusched::interference::model_of;
use std::collections::BTreeSet;

use gpusched::export::{Target, finest};
use gpusched::generation::{Recipe, Source};
use gpusched::interference::Interference;
use gpusched::model::device::{Device, Granularity, Hardware, Place};
use gpusched::model::{Arbitration, Plan, Policy, SharedMemory, TaskSet};
use gpusched::partitioning::{HeuristicKind, Offer, Problem, partition};
use gpusched::simulator::validation::draw::rounded;
use gpusched::verification::verify;

use crate::own_plans::TARGETS;

/// Returns plans of generated task sets on `device`, each with its set. Every third set shares a memory, and every fourth
/// set has round times.
fn plans(device: &Device, granularity: Granularity) -> Vec<(Plan, TaskSet)> {
    let recipe: Recipe = serde_json::from_str(r#"{"wcet": "proportional", "saturation": 90}"#).unwrap();
    let load = f64::from(device.sms()) * 0.4;
    let source = Source::new(&recipe, 12, load, 5).unwrap();
    let offer = Offer::new(device, granularity).unwrap();
    let plans = (0..12).map(|index| {
        let set = source.draw(0, index).unwrap();
        let set = match index % 4 {
            3 => rounded(&set, &[1, 2, 4, 8, 16, 32, 64, 128]).unwrap(),
            _ => set,
        };
        let problem = Problem::new(&set, device.sms(), Policy::Edf, model_of(Interference::Conflict))
            .unwrap()
            .offered(&offer)
            .unwrap();
        let memory = SharedMemory::new("400GB/s".parse().unwrap(), Arbitration::Any);
        let problem = match index % 3 {
            2 => problem.sharing(memory).unwrap(),
            _ => problem,
        };
        let kind = [HeuristicKind::Sms, HeuristicKind::Savings][index as usize % 2];
        let plan = partition(&problem, &kind.into());
        if plan.schedulable {
            verify(&plan, &set).unwrap();
        }
        (plan, set)
    });
    let plans: Vec<(Plan, TaskSet)> = plans.filter(|(plan, _)| plan.schedulable).collect();
    let beside = plans.iter().filter(|(plan, _)| plan.memory.is_some()).count();
    assert!(
        plans.len() >= 4 && beside > 0,
        "{granularity} on {}: {}",
        device.name(),
        plans.len()
    );
    plans
}

/// Returns a device with 71 TPCs, which needs masks of 128 bits.
fn wide() -> Device {
    serde_json::from_str(
        r#"{"name":"wide","sms":142,"sms_per_tpc":2,"tpcs_per_gpc":[6,6,6,6,6,6,6,6,6,6,6,5],"compute_capability":"8.9"}"#,
    )
    .unwrap()
}

/// Returns `device` with a map from TPCs to GPCs. As on real cards, consecutive TPCs belong to different GPCs.
fn mapped(device: &Device) -> Device {
    let sizes = device.tpcs_per_gpc();
    let rounds = 0..*sizes.iter().max().unwrap();
    let of_tpc: Vec<u32> = rounds
        .flat_map(|round| (0u32..).zip(sizes).filter(move |&(_, &size)| size > round))
        .map(|(gpc, _)| gpc)
        .collect();
    let mut value = serde_json::to_value(device).unwrap();
    value["name"] = "mapped".into();
    value["gpc_of_tpc"] = of_tpc.into();
    serde_json::from_value(value).unwrap()
}

/// Returns the lines that are not comments.
fn code(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.starts_with("//") && !line.starts_with('#') || line.starts_with("#define"))
        .collect()
}

/// Returns the TPCs of the words of a mask.
fn enabled(words: &[u64], tpcs: u32) -> Vec<u32> {
    let bit = |tpc: u32| words[(tpc / 64) as usize] >> (tpc % 64) & 1;
    for tpc in tpcs..64 * words.len() as u32 {
        assert_eq!(bit(tpc), 1, "TPC {tpc} does not exist");
    }
    (0..tpcs).filter(|&tpc| bit(tpc) == 0).collect()
}

#[test]
fn masks_enable_the_tpcs_of_the_plan() {
    let titanv = Device::named("titanv").unwrap();
    for (device, words) in [(titanv, 1), (wide(), 2)] {
        for (device, granularity) in [
            (device.clone(), Granularity::Tpc),
            (mapped(&device), Granularity::Tpc),
            (mapped(&device), Granularity::Gpc),
        ] {
            for (plan, set) in plans(&device, granularity) {
                let text = Target::Libsmctrl.export(&plan, &set).unwrap();
                let masks: Vec<Vec<u64>> = code(&text)
                    .iter()
                    .filter(|line| line.contains("UINT64_C("))
                    .map(|line| {
                        let words = line.split("UINT64_C(0x").skip(1);
                        words
                            .map(|word| u64::from_str_radix(&word[..16], 16).unwrap())
                            .collect()
                    })
                    .collect();
                assert_eq!(masks.len(), plan.partitions.len());
                let mut taken = BTreeSet::new();
                for (mask, partition) in masks.iter().zip(&plan.partitions) {
                    assert_eq!(mask.len(), words);
                    let tpcs = enabled(mask, device.tpcs().unwrap());
                    assert_eq!(tpcs.len() as u32 * 2, partition.sms);
                    let mut planned = match partition.place.as_ref().unwrap() {
                        Place::Tpcs(tpcs) => tpcs.clone(),
                        Place::Gpcs(gpcs) => gpcs.iter().flat_map(|&gpc| device.tpcs_of_gpc(gpc)).collect(),
                        other => panic!("{other}"),
                    };
                    planned.sort_unstable();
                    assert_eq!(tpcs, planned);
                    assert!(tpcs.iter().all(|tpc| taken.insert(*tpc)));
                }
            }
        }
    }
}

/// Returns the sizes of the partitions that a script creates, in order.
fn partitions(script: &str) -> Vec<&str> {
    let calls = script.lines().filter_map(|line| line.strip_prefix("partition "));
    let sizes = calls.enumerate().map(|(index, call)| {
        let command = format!(" \"${{{}-}}\"", index + 1);
        let size = call
            .strip_suffix(&command)
            .and_then(|call| call.strip_prefix(&format!("{index} ")));
        size.unwrap_or_else(|| panic!("{call}"))
    });
    sizes.collect()
}

#[test]
fn chunks_are_those_of_the_plan() {
    for name in ["a100", "h100"] {
        let device = Device::named(name).unwrap();
        let chunk = device.mps().unwrap().chunk;
        for (plan, set) in plans(&device, Granularity::Mps) {
            let text = Target::Mps.export(&plan, &set).unwrap();
            let sizes: Vec<u32> = partitions(&text)
                .iter()
                .map(|chunks| chunks.parse::<u32>().unwrap() * chunk)
                .collect();
            // The file of MPS v3 has the same sizes.
            let third = Target::MpsV3.export(&plan, &set).unwrap();
            let chunks = third.lines().filter_map(|line| line.strip_prefix("chunks = "));
            let again: Vec<u32> = chunks
                .map(|chunks| chunks.parse::<u32>().unwrap() * chunk)
                .collect();
            assert_eq!(sizes, again);
            let (_, file) = third.split_once("<<END\n").unwrap();
            let file: toml::Table = file
                .split_once("\nEND\n")
                .unwrap()
                .0
                .replace("$(id -u)", "0")
                .parse()
                .unwrap();
            let server = &file["servers"]["gpusched"];
            assert_eq!(
                server["devices"][0]["sm_partitions"].as_array().unwrap().len(),
                sizes.len()
            );
            assert_eq!(server["namespaces"].as_table().unwrap().len(), sizes.len());
            let planned: Vec<u32> = plan.partitions.iter().map(|partition| partition.sms).collect();
            assert_eq!(sizes, planned);
            assert!(sizes.iter().sum::<u32>() <= device.sms());
        }
    }
}

#[test]
fn instances_are_those_of_the_plan() {
    for name in ["a100", "h100"] {
        let device = Device::named(name).unwrap();
        for (plan, set) in plans(&device, Granularity::Mig) {
            let text = Target::Mig.export(&plan, &set).unwrap();
            let instances: Vec<(&str, u32)> = partitions(&text)
                .into_iter()
                .map(|tuple| tuple.split_once(':').unwrap())
                .map(|(profile, start)| (profile, start.parse().unwrap()))
                .collect();
            assert_eq!(instances.len(), plan.partitions.len());
            assert!(instances.len() <= 7);
            let mut taken = BTreeSet::new();
            for (&(name, start), partition) in instances.iter().zip(&plan.partitions) {
                let profile = device.mig().unwrap().profile(name).unwrap();
                assert_eq!(profile.sms, partition.sms);
                assert!((start..start + profile.memory).all(|slice| slice < 8 && taken.insert(slice)));
            }
        }
    }
}

/// Returns the numbers of an array of constants.
fn array(text: &str, name: &str) -> Vec<u32> {
    let (_, rest) = text
        .split_once(&format!("constexpr unsigned {name}[] = {{"))
        .unwrap();
    let (inside, _) = rest.split_once('}').unwrap();
    inside.split(", ").map(|number| number.parse().unwrap()).collect()
}

#[test]
fn groups_make_the_sizes_of_the_plan() {
    let (mut equal, mut various) = (0, 0);
    for name in ["a100", "h100", "titanv"] {
        let device = Device::named(name).unwrap();
        let rule = device.green_context().unwrap();
        for (plan, set) in plans(&device, Granularity::GreenContext) {
            let text = Target::GreenContext.export(&plan, &set).unwrap();
            let planned: Vec<u32> = plan.partitions.iter().map(|partition| partition.sms).collect();
            let sizes = array(&text, "partition_sms");
            match text.split_once("static constexpr unsigned group = ") {
                Some((_, rest)) => {
                    equal += 1;
                    let group: u32 = rest.split_once(';').unwrap().0.parse().unwrap();
                    assert!(group >= rule.min && group.is_multiple_of(rule.step));
                    assert!(sizes.iter().all(|size| size % group == 0));
                }
                None => {
                    various += 1;
                    assert!(
                        text.contains("#if CUDA_VERSION < 13010") && text.contains("cuDevSmResourceSplit(")
                    );
                }
            }
            let of_task = array(&text, "partition_of_task");
            for (index, partition) in plan.partitions.iter().enumerate() {
                assert!(text.contains(&format!("// partition {index}: {} SM", partition.sms)));
                assert!(partition.tasks.iter().all(|&task| of_task[task] == index as u32));
            }
            assert!(!text.contains('@'), "{text}");
            assert_eq!(sizes, planned);
            assert!(sizes.iter().sum::<u32>() <= device.sms());
        }
    }
    assert!(equal > 10 && various > 2, "{equal} {various}");
}

#[test]
fn tables_have_the_sms_of_the_plan() {
    for granularity in crate::granularity::GRANULARITIES {
        let device = Device::named("a100").unwrap();
        for (plan, set) in plans(&device, granularity) {
            let text = Target::Csv.export(&plan, &set).unwrap();
            let mut lines = text.lines();
            assert_eq!(
                lines.next(),
                Some("device,granularity,partition,sms,place,sm_ids,tasks,policy")
            );
            let mut taken = BTreeSet::new();
            for (index, partition) in plan.partitions.iter().enumerate() {
                let fields: Vec<&str> = lines.next().unwrap().split(',').collect();
                let [name, by, number, sms, place, ids, tasks, policy] = fields[..] else {
                    panic!("{fields:?}")
                };
                assert_eq!((name, by), ("a100", granularity.to_string().as_str()));
                assert_eq!(
                    (number, sms),
                    (index.to_string().as_str(), partition.sms.to_string().as_str())
                );
                assert_eq!(policy, "edf");
                let numbers = |list: &str| -> Vec<u32> {
                    list.split_whitespace().map(|n| n.parse().unwrap()).collect()
                };
                let tasks: Vec<usize> = numbers(tasks).into_iter().map(|task| task as usize).collect();
                assert_eq!(tasks, partition.tasks);
                // The device does not state the TPCs of a GPC.
                let known = matches!(granularity, Granularity::Sm | Granularity::Tpc);
                let ids = numbers(ids);
                assert_eq!(ids.len() as u32, if known { partition.sms } else { 0 });
                assert!(ids.iter().all(|&sm| sm < 108 && taken.insert(sm)));
                match partition.place.as_ref() {
                    Some(Place::Tpcs(units) | Place::Gpcs(units)) => assert_eq!(&numbers(place), units),
                    Some(Place::Instance(at)) => assert_eq!(place, format!("{}:{}", at.profile, at.start)),
                    Some(Place::Sms(_)) | None => assert_eq!(place, ""),
                }
            }
            assert_eq!(lines.next(), None);
        }
    }
}

/// Task names are user input, so they must not end a comment.
#[test]
fn names_stay_inside_their_comments() {
    let set: TaskSet = serde_json::from_str(
        r#"{"tasks":[{"name":"a\nrm -rf \\","period":"10ms","wcet":{"table":[[1,"1ms"]]}}]}"#,
    )
    .unwrap();
    let device = Device::named("a100").unwrap();
    for (granularity, target) in [
        (Granularity::Tpc, Target::Libsmctrl),
        (Granularity::Mps, Target::Mps),
        (Granularity::Mig, Target::Mig),
        (Granularity::GreenContext, Target::GreenContext),
    ] {
        let offer = Offer::new(&device, granularity).unwrap();
        let problem = Problem::new(&set, 108, Policy::Edf, model_of(Interference::Conflict))
            .unwrap()
            .offered(&offer)
            .unwrap();
        let plan = partition(&problem, &HeuristicKind::Sms.into());
        let text = target.export(&plan, &set).unwrap();
        assert!(
            text.lines()
                .all(|line| !line.starts_with("rm") && !line.ends_with('\\')),
            "{text}"
        );
        assert!(text.contains(r#"#0 "a\nrm -rf \\""#), "{text}");
    }
}

#[test]
fn the_finest_granularity_has_an_export() {
    let found: Vec<(String, Option<Granularity>)> = Device::all()
        .map(|device| (device.name().to_owned(), finest(&device)))
        .collect();
    for (name, expected) in [
        ("tx2", None),
        ("gb10", None),
        ("xavier", Some(Granularity::Tpc)),
        ("orin", Some(Granularity::Tpc)),
        ("a100", Some(Granularity::Tpc)),
        ("pegasus", Some(Granularity::GreenContext)),
        ("thor", Some(Granularity::GreenContext)), // masks of libsmctrl end below compute capability 9.0
        ("h100", Some(Granularity::GreenContext)),
        ("b200", Some(Granularity::GreenContext)),
    ] {
        assert!(found.contains(&(name.to_owned(), expected)), "{name}: {found:?}");
    }
    for (name, granularity) in found {
        let device = Device::named(&name).unwrap();
        let Some(granularity) = granularity else { continue };
        let hardware = Hardware::new(&device, granularity);
        let targets = TARGETS.iter().filter(|target| target.check(&hardware).is_ok());
        assert_eq!(targets.count(), 2, "{name}: the tool and the table");
    }
}
