//! Provenance of measured tasks: the GPU of the measurement, and its statement.

use gpusched_model::MeasuredOn;
use gpusched_model::device::Device;
use gpusched_model::provenance::{MeasuredOnShape, SameGpu};

/// Compares the GPU of a measurement with `device`.
fn compare(gpu: Option<&str>, sms: Option<u32>, device: &Device) -> SameGpu {
    let shape = MeasuredOnShape {
        gpu: gpu.map(str::to_owned),
        sms,
        tool: Some("nsys".to_owned()),
        ..MeasuredOnShape::default()
    };
    MeasuredOn::new(shape).unwrap().same_gpu(device)
}

#[test]
fn names_of_drivers_and_profilers_mean_built_in_devices() {
    for (name, sms, device) in [
        ("Orin", 16, "orin"),
        ("NVIDIA Orin", 16, "orin"),
        ("orin", 16, "orin"),
        ("NVIDIA Jetson AGX Orin", 16, "orin"),
        ("Orin (nvgpu)", 16, "orin"),
        ("NVIDIA Jetson Orin NX", 8, "orin-nx"),
        ("NVIDIA Jetson Orin Nano 8 GB", 8, "orin-nano"),
        ("NVIDIA Thor", 20, "thor"),
        ("Xavier", 8, "xavier"),
        ("NVIDIA H100 80GB HBM3", 132, "h100"),
        ("NVIDIA H200", 132, "h200"),
        ("NVIDIA A100-SXM4-40GB", 108, "a100"),
        ("NVIDIA A30", 56, "a30"),
        ("NVIDIA GeForce RTX 4090", 128, "rtx4090"),
        ("GeForce RTX 2080 Ti", 68, "rtx2080ti"),
        ("NVIDIA TITAN V", 80, "titanv"),
        ("Quadro K5000", 8, "k5000"),
        ("NVIDIA GB10", 48, "gb10"),
    ] {
        let device = Device::named(device).unwrap();
        for sms in [Some(sms), None] {
            assert_eq!(compare(Some(name), sms, &device), SameGpu::Yes, "{name}");
        }
    }
}

#[test]
fn each_built_in_device_is_itself_by_name_and_by_title_and_no_other() {
    for one in Device::all() {
        for other in Device::all() {
            for name in [one.name(), one.title()] {
                let wanted = match one.name() == other.name() {
                    true => SameGpu::Yes,
                    false => SameGpu::No,
                };
                let found = compare(Some(name), Some(one.sms()), &other);
                assert_eq!(found, wanted, "{name} on {}", other.name());
            }
        }
    }
}

#[test]
fn another_size_or_a_mig_instance_is_another_gpu() {
    let device = |name: &str| Device::named(name).unwrap();
    for (name, sms, planned) in [
        (Some("Orin"), Some(8), "orin"),
        (Some("NVIDIA H100 PCIe"), Some(114), "h100"),
        (Some("NVIDIA H100 PCIe"), None, "h100"),
        (Some("A100-PCIE-40GB"), Some(108), "a100"),
        (Some("NVIDIA A100-SXM4-80GB"), Some(108), "a100"),
        (Some("NVIDIA Jetson AGX Orin 32GB"), None, "orin"),
        (Some("NVIDIA A100-SXM4-40GB MIG 3g.20gb"), None, "a100"),
        (Some("NVIDIA Orin"), None, "thor"),
        (None, Some(8), "orin"),
        (Some("no such GPU"), Some(9), "orin"),
    ] {
        assert_eq!(compare(name, sms, &device(planned)), SameGpu::No, "{name:?}");
    }
}

#[test]
fn unknown_names_cannot_be_compared() {
    let device = Device::named("orin").unwrap();
    for (name, sms) in [
        (Some("AMD Instinct MI300X"), None),
        (None, None),
        (None, Some(16)),
    ] {
        assert_eq!(compare(name, sms, &device), SameGpu::Unknown, "{name:?}");
    }
    let text = r#"{"name":"my-board","sms":16}"#;
    let own: Device = serde_json::from_str(text).unwrap();
    assert_eq!(compare(Some("My Board"), Some(16), &own), SameGpu::Yes);
    assert_eq!(compare(Some("NVIDIA Orin"), Some(16), &own), SameGpu::Unknown);
    assert_eq!(compare(Some("NVIDIA Orin"), Some(8), &own), SameGpu::No);
}

fn read(text: &str) -> Result<MeasuredOn, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

#[test]
fn a_statement_is_written_as_it_was_read() {
    let text = r#"{"gpu":"NVIDIA Orin","sms":16,"clocks":{"core_khz":1300500,"dram_khz":3199000},"tool":"nsys 2025.3.2","date":"2026-11-27","samples":120,"margin":1.2,"warm_up":"200ms"}"#;
    assert_eq!(serde_json::to_string(&read(text).unwrap()).unwrap(), text);
    let state = r#"{"gpu":"NVIDIA H100","uuid":"GPU-00010203","driver":"580.95.05, CUDA 13.0","split":"cuDevSmResourceSplitByCount, flags 0","wait":"cuStreamQuery","clocks":{"core_range_khz":[1200000,1980000],"dram_range_khz":[0,4294967295]},"locked":"unknown","throttling":["software power cap"],"celsius":[41,41]}"#;
    assert_eq!(serde_json::to_string(&read(state).unwrap()).unwrap(), state);
    let none = r#"{"locked":"yes","throttling":[],"tool":"nsys"}"#;
    assert_eq!(serde_json::to_string(&read(none).unwrap()).unwrap(), none);
    let jobs = r#"{"tool":"nsys","warm_up":1}"#;
    assert_eq!(serde_json::to_string(&read(jobs).unwrap()).unwrap(), jobs);
}

#[test]
fn names_in_texts_are_short_and_harmless() {
    let label = |gpu: &str| {
        let shape = MeasuredOnShape {
            gpu: Some(gpu.to_owned()),
            ..MeasuredOnShape::default()
        };
        MeasuredOn::new(shape).unwrap().gpu_label().unwrap()
    };
    assert_eq!(label("NVIDIA H100 80GB HBM3"), "`NVIDIA H100 80GB HBM3`");
    assert_eq!(label("a */ $(b) \\ `c`"), "`a ?/ ?(b) ? ?c?`");
    assert_eq!(label(&"é".repeat(99)), format!("`{}…`", "é".repeat(24)));
}

#[test]
fn wrong_values_are_errors_that_name_the_field() {
    for (text, wanted) in [
        (r#"{"sms":16}"#, "neither `gpu` nor `tool`"),
        (r#"{"gpu":" "}"#, "gpu: found \" \""),
        (r#"{"tool":"a\nb"}"#, "tool: found"),
        (r#"{"gpu":"orin","sms":0}"#, "sms: found 0, expected 1 to 65536"),
        (r#"{"gpu":"orin","margin":0.9}"#, "margin: found 0.9"),
        (r#"{"gpu":"orin","date":"27.11.2026"}"#, "date: found"),
        (r#"{"gpu":"orin","date":"2026-13-01"}"#, "date: found"),
        (r#"{"gpu":"orin","date":"ä026-13-01ä"}"#, "date: found"),
        (r#"{"gpu":"orin","warm_up":"soon"}"#, "a number of jobs"),
        (r#"{"gpu":"orin","warm_up":-1}"#, "a number of jobs"),
        (r#"{"gpu":"orin","clock":1}"#, "unknown field `clock`"),
        (r#"{"gpu":"orin","uuid":""}"#, "uuid: found"),
        (r#"{"gpu":"orin","driver":"\u0007"}"#, "driver: found"),
        (r#"{"gpu":"orin","wait":" "}"#, "wait: found"),
        (r#"{"gpu":"orin","locked":"no"}"#, "unknown variant `no`"),
        (r#"{"gpu":"orin","throttling":[""]}"#, "throttling: found"),
        (r#"{"gpu":"orin","celsius":[42,41]}"#, "celsius: found [42, 41]"),
        (r#"{"gpu":"orin","celsius":[42]}"#, "invalid length 1"),
        (
            r#"{"gpu":"orin","clocks":{"core_range_khz":[2,1]}}"#,
            "clocks.core_range_khz: found [2, 1]",
        ),
        (
            r#"{"gpu":"orin","clocks":{"dram_range_khz":[1,-1]}}"#,
            "invalid value",
        ),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(wanted), "{text}: {error}");
    }
    let reasons = |count: usize| {
        format!(
            r#"{{"gpu":"orin","throttling":[{}]}}"#,
            vec!["\"a\""; count].join(",")
        )
    };
    assert!(read(&reasons(20)).is_ok());
    let error = read(&reasons(21)).unwrap_err();
    assert!(
        error.contains("throttling: found 21 reasons, expected at most 20"),
        "{error}"
    );
    assert!(read(&format!(r#"{{"gpu":"orin","split":"{}"}}"#, "a".repeat(101))).is_err());
    assert!(read(r#"{"gpu":"orin","date":"2026-11-27T10:05:00.5Z"}"#).is_ok());
}
