//! Guarantee: `tpc_masks` in a device file are another form of `gpc_of_tpc`, and exports use them.

use std::process::Command;

use gpusched::model::device::Device;
use rand::RngExt;
use serde_json::{Value, json};

use crate::shared_memory::{between, rng};
use crate::support::{ADAS, rounds, run};

/// Masks of the GPCs of a V100. GPC 0 has the SMs 0, 1, 12, 13, 24, 25, …, because the driver numbers the TPCs of all
/// GPCs in turn (nvgpu, `gv100_gr_config_init_sm_id_table`).
const V100: [&str; 6] = [
    "0x1041041041",
    "0x2082082082",
    "0x4104104104",
    "0x8208208208",
    "0x410410410",
    "0x820820820",
];

/// Masks by the same rule, with the sizes of the GPCs of an A100 (`tasksets/devices/a100.json`).
const A100: [&str; 7] = [
    "2040810204081",
    "0x04081020408102",
    "8102040810204",
    "0X10204081020408",
    "20408102040810",
    "0x810204081020",
    "0x1020408102040",
];

/// Returns the description of a device with TPCs of two SMs.
fn device(sms: u32, capability: &str) -> Value {
    json!({"name": "card", "compute_capability": capability, "sms": sms, "sms_per_tpc": 2})
}

fn read(mut device: Value, fields: &[(&str, Value)]) -> Result<Device, String> {
    for (field, value) in fields {
        device[*field] = value.clone();
    }
    serde_json::from_value(device).map_err(|error| error.to_string())
}

#[test]
fn tpcs_of_real_cards_are_interleaved() {
    let v100 = read(device(80, "7.0"), &[("tpc_masks", json!(V100))]).unwrap();
    assert_eq!(v100.tpcs_per_gpc(), [7, 7, 7, 7, 6, 6]);
    let tpcs = v100.tpcs_of_gpc(0);
    let sms: Vec<u32> = tpcs.into_iter().flat_map(|tpc| v100.sms_of_tpc(tpc)).collect();
    assert_eq!(sms, [0, 1, 12, 13, 24, 25, 36, 37, 48, 49, 60, 61, 72, 73]);
    let a100 = read(device(108, "8.0"), &[("tpc_masks", json!(A100))]).unwrap();
    assert_eq!(a100.tpcs_per_gpc(), [8, 8, 8, 8, 8, 7, 7]);
    let expected = |tpc| Some(if tpc < 49 { tpc % 7 } else { tpc - 49 });
    assert!((0..54).all(|tpc| a100.gpc_of_tpc(tpc) == expected(tpc)));
}

/// The exported mask of a partition disables all TPCs except the TPCs of whole GPCs of the card.
#[test]
fn exports_use_the_masks_of_the_card() {
    let folder = tempfile::tempdir().unwrap();
    for (masks, sms, capability) in [(&V100[..], 80, "7.0"), (&A100[..], 108, "8.0")] {
        let mut card = device(sms, capability);
        card["tpc_masks"] = json!(masks);
        let path = folder.path().join("card.json").display().to_string();
        std::fs::write(&path, card.to_string()).unwrap();
        let plan = folder.path().join("plan.json").display().to_string();
        let found = run(&format!(
            "partition {ADAS} --gpu {path} --granularity gpc --heuristic savings -o {plan}"
        ));
        assert_eq!(found.code, 0, "{}", found.stderr);
        let found = run(&format!("verify {plan} {ADAS}"));
        assert_eq!(found.code, 0, "{}{}", found.stdout, found.stderr);
        let found = run(&format!("export {plan} {ADAS} --as libsmctrl"));
        let number = |text: &str| u64::from_str_radix(text, 16).unwrap();
        let gpcs: Vec<u64> = { masks.iter() }
            .map(|mask| number(&mask.to_lowercase().replace("0x", "")))
            .collect();
        let words = found.stdout.split("UINT64_C(0x").skip(1);
        let enabled: Vec<u64> = words.map(|word| !number(&word[..16])).collect();
        assert!(!enabled.is_empty(), "{}{}", found.stdout, found.stderr);
        for mask in &enabled {
            let whole = gpcs.iter().filter(|gpc| *gpc & mask == **gpc);
            assert_eq!(whole.fold(0, |all, gpc| all | gpc), *mask, "{mask:#x}");
        }
    }
}

/// Without masks in the device file, the exported header reads them from the card, here a stand-in with interleaved TPCs.
#[test]
fn a_header_reads_the_masks_of_the_card() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let plan = path("plan.json");
    let found = run(&format!(
        "partition {ADAS} --gpu a100 --granularity gpc --heuristic savings -o {plan}"
    ));
    assert_eq!(found.code, 0, "{}", found.stderr);
    let value: Value = serde_json::from_str(&std::fs::read_to_string(&plan).unwrap()).unwrap();
    let sms: Vec<u64> = { value["partitions"].as_array().unwrap().iter() }
        .map(|partition| partition["sms"].as_u64().unwrap())
        .collect();
    let header = run(&format!("export {plan} {ADAS} --as libsmctrl"));
    assert_eq!(header.code, 0, "{}", header.stderr);
    std::fs::write(path("masks.h"), &header.stdout).unwrap();
    let library =
        "#include <stdint.h>\nint libsmctrl_get_gpc_info(uint32_t *count, uint64_t **of_gpc, int device);\n";
    std::fs::write(path("libsmctrl.h"), library).unwrap();
    let program = r#"#include <stdio.h>
#include "masks.h"
static uint64_t card[] = {CARD};
int libsmctrl_get_gpc_info(uint32_t *count, uint64_t **of_gpc, int device) {
    *count = sizeof card / sizeof *card;
    *of_gpc = card;
    return device == 1 ? 0 : 5;
}
int main(int arguments, char **argument) {
    (void)argument;
    printf("%x", (unsigned)gpusched_read_masks(arguments));
    for (int i = 0; i < GPUSCHED_PARTITIONS; i++) printf(" %llx", (unsigned long long)~gpusched_tpc_mask[i]);
}
"#;
    let on_card = |masks: &[&str], options: &[&str]| {
        let masks: Vec<String> = { masks.iter() }
            .map(|mask| format!("0x{}", mask.to_lowercase().replace("0x", "")))
            .collect();
        std::fs::write(path("main.c"), program.replace("CARD", &masks.join(", "))).unwrap();
        let mut compiler = Command::new("cc");
        compiler.args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-o"]);
        let built = compiler.args([path("main"), path("main.c")]).output().unwrap();
        assert!(
            built.status.success(),
            "{}",
            String::from_utf8_lossy(&built.stderr)
        );
        let output = Command::new(path("main")).args(options).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let words: Vec<u64> = text
            .split(' ')
            .map(|word| u64::from_str_radix(word, 16).unwrap())
            .collect();
        (words[0], words[1..].to_vec())
    };
    let gpcs = A100.map(|mask| u64::from_str_radix(&mask.to_lowercase().replace("0x", ""), 16).unwrap());
    let (error, enabled) = on_card(&A100, &[]);
    assert_eq!((error, enabled.len()), (0, sms.len()));
    for (index, (mask, sms)) in enabled.iter().zip(&sms).enumerate() {
        assert_eq!(u64::from(mask.count_ones()) * 2, *sms);
        let whole = gpcs.iter().filter(|gpc| *gpc & mask == **gpc);
        assert_eq!(whole.fold(0, |all, gpc| all | gpc), *mask, "{mask:#x}");
        assert!(enabled[..index].iter().all(|other| other & mask == 0));
    }
    // Another card, GPCs that overlap, and an error of the library: all TPCs stay disabled.
    let none = vec![0; sms.len()];
    let mut overlap = A100;
    overlap[6] = A100[5];
    assert_eq!(on_card(&V100, &[]), (19, none.clone()));
    assert_eq!(on_card(&overlap, &[]), (19, none.clone()));
    assert_eq!(on_card(&A100, &["x"]), (5, none));
}

#[test]
fn invalid_masks_are_refused() {
    for (masks, part) in [
        (json!([]), "0 masks"),
        (json!(vec!["0x1"; 17]), "17 masks"),
        (json!(["0x5", "0x"]), "tpc_masks[1]: found \"0x\""),
        (json!(["0x5", "+a"]), "tpc_masks[1]: found \"+a\""),
        (json!(["0x5", "0x0"]), "tpc_masks[1]: found \"0x0\""),
        (json!(["0x5", "1".repeat(33)]), "tpc_masks[1]: found \"1111"),
        (
            json!(["0x5", "0xe"]),
            "tpc_masks[1]: found TPC 2, expected only TPCs that are not in `tpc_masks[0]`",
        ),
        (
            json!(["0x5", "0x1a"]),
            "tpc_masks[1]: found TPC 4, expected only the 4 TPCs of the device",
        ),
        (json!(["0x5", "0x2"]), "found no mask with TPC 3"),
        (json!([5, 10]), "expected a string"),
    ] {
        let error = read(device(8, "8.0"), &[("tpc_masks", masks.clone())]).unwrap_err();
        assert!(error.contains(part), "{masks}: {error}");
    }
    let huge = read(device(u32::MAX, "8.0"), &[("tpc_masks", json!(["0x1"]))]).unwrap_err();
    assert!(huge.contains("at most 128 TPCs"), "{huge}");
    let good = ("tpc_masks", json!(["0x5", "0xa"]));
    for (field, value, part) in [
        (
            "gpc_of_tpc",
            json!([0, 1, 0, 1]),
            "both `tpc_masks` and `gpc_of_tpc`",
        ),
        (
            "tpcs_per_gpc",
            json!([3, 1]),
            "tpc_masks: found masks of GPCs with [2, 2] TPCs, expected [3, 1]",
        ),
        ("tpcs_per_gpc", json!([4]), "found masks of GPCs with [2, 2] TPCs"),
        ("sms_per_tpc", Value::Null, "sms_per_tpc"),
        ("sms_per_tpc", json!(0), "sms_per_tpc"),
        ("sms_per_tpc", json!(3), "found TPC 2, expected only the 2 TPCs"),
    ] {
        let error = read(device(8, "8.0"), &[good.clone(), (field, value.clone())]).unwrap_err();
        assert!(error.contains(part), "{field} {value}: {error}");
    }
    read(device(8, "8.0"), &[good, ("tpcs_per_gpc", json!([2, 2]))]).unwrap();
}

/// A device with masks is equal to the device with the numbers of the GPCs.
#[test]
fn masks_and_numbers_are_one_map() {
    for seed in 0..rounds(2_000) {
        let mut random = rng(seed);
        let tpcs = [
            between(&mut random, 1, 8),
            between(&mut random, 1, 128),
            64,
            65,
            128,
        ][random.random_range(0..5)];
        let gpcs = between(&mut random, 1, 4).min(tpcs);
        // Each GPC has a TPC.
        let of_tpc = (0..tpcs).map(|tpc| {
            if tpc < gpcs {
                tpc
            } else {
                between(&mut random, 0, gpcs - 1)
            }
        });
        let of_tpc: Vec<u64> = of_tpc.collect();
        let tpcs_of = |gpc: u64| {
            (0u32..)
                .zip(&of_tpc)
                .filter(move |&(_, &of)| of == gpc)
                .map(|(tpc, _)| tpc)
        };
        let masks = (0..gpcs).map(|gpc| format!("{:#x}", tpcs_of(gpc).map(|tpc| 1u128 << tpc).sum::<u128>()));
        let masks: Vec<String> = masks.collect();
        let sizes: Vec<usize> = (0..gpcs).map(|gpc| tpcs_of(gpc).count()).collect();
        let plain = device(2 * tpcs as u32, "8.0");
        let numbers = [("gpc_of_tpc", json!(of_tpc)), ("tpcs_per_gpc", json!(sizes))];
        let expected = read(plain.clone(), &numbers).unwrap();
        assert_eq!(
            read(plain, &[("tpc_masks", json!(masks))]).unwrap(),
            expected,
            "{seed}"
        );
    }
}
