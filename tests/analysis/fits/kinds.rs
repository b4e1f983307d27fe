//! Guarantee: gpusched states a kind only with evidence. A wrong kind is unsafe, and a missing kind is safe.

use insta::assert_snapshot;
use serde_json::Value;

use gpusched::kernel_wcet::fit::classification::{self, Class, Reason};
use gpusched::model::group::MemoryPlatform;
use gpusched::model::memory_profile::MeasuredGpu;
use gpusched::model::{Factor, Kind, MemoryProfile};
use gpusched::prediction::Isolated;

use crate::support::transcript::Transcript;
use crate::support::{answer, gpusched, run_with};

/// Returns a profile with perfect speed-up on up to 30 SMs and a bandwidth of `drawn` GB/s on all SMs.
fn falling(drawn: &str) -> String {
    let rows = [1, 2, 5, 10, 15, 20, 25, 30].map(|m: u32| {
        let bandwidth = drawn.parse::<f64>().unwrap() * f64::from(m) / 30.0;
        let bandwidth = if m == 30 {
            drawn.to_owned()
        } else {
            format!("{bandwidth:.3}")
        };
        format!("{m},{},{bandwidth},30,336000000000\n", 3_000_000 / m)
    });
    format!(
        "sms,time_ns,bandwidth,gpu_sms,gpu_bytes_per_second\n{}",
        rows.concat()
    )
}

fn fit(csv: &str) -> Value {
    let answer = run_with("wcet fit - --format json", csv);
    assert_eq!(answer.code, 0, "{answer:?}");
    serde_json::from_str(&answer.stdout).unwrap()
}

/// Returns the kind and its reason.
fn kind(csv: &str) -> (Option<String>, String) {
    let fit = fit(csv);
    let text = |field: &str| fit.get(field).and_then(Value::as_str).map(str::to_owned);
    (text("kind"), text("kind_reason").unwrap())
}

/// Checks the report lines about the kind, and the fields of the task.
#[test]
fn the_report_says_what_the_kind_rests_on() {
    let all = falling("316");
    let not_on_all = all.replace(",30,336", ",40,336");
    let unknown_gpu = "sms,time_ns,bandwidth\n1,3000,10.5\n30,100,316\n".to_owned();
    let unclear = "sms,time_ns\n1,3000\n2,1500\n30,100\n".to_owned();
    let saturates = "sms,time_ns,bandwidth,gpu_sms,gpu_bytes_per_second\n\
                     1,3000,1,4,336000000000\n2,3000,1,4,336000000000\n4,3000,1,4,336000000000\n";
    let few = "sms,time_ns,bandwidth,gpu_sms,gpu_bytes_per_second\n29,100,1,30,336000000000\n30,97,1,30,336000000000\n";
    let estimate = "sms,time_ns,bandwidth,estimate_rounds\n1,3000,10.5,3\n30,100,316,3\n";
    let traffic = "sms,time_ns,traffic_bytes\n1,3000,640\n2,1500,1280\n";
    let mut told = Transcript::default();
    for csv in [
        all.as_str(),
        &falling("33"),
        &falling("100"),
        &not_on_all,
        &unknown_gpu,
        &unclear,
        saturates,
        few,
        estimate,
        traffic,
        "sms,time_ns,traffic_bytes\n1,3000,640\n2,1500,\n",
    ] {
        let text = run_with("wcet fit -", csv).stdout;
        let lines: Vec<&str> = text.lines().collect();
        let about: Vec<&str> = lines
            .iter()
            .copied()
            .take_while(|line| !line.is_empty())
            .collect();
        told.case(csv, format!("{}\n{}", about.join("\n"), lines.last().unwrap()));
    }
    assert_snapshot!(told);
    let pipe = run_with("wcet fit - --period 1ms", unclear);
    assert!(
        pipe.stderr.contains("note: the result has no `kind`"),
        "{}",
        pipe.stderr
    );
}

/// The kernel gains from every SM and uses 94 % of the bandwidth.
#[test]
fn a_speed_up_does_not_make_a_kernel_compute_intensive() {
    assert_eq!(
        kind(&falling("316")),
        (Some("memory".to_owned()), "bandwidth".to_owned())
    );
    let times: Vec<String> = falling("316")
        .lines()
        .map(|row| row.split(',').take(2).collect::<Vec<_>>().join(","))
        .collect();
    let times = times.join("\n") + "\n";
    assert_eq!(kind(&times), (None, "no-bandwidth".to_owned()));
}

/// Returns the results of `predict` and `wcet fit` for one file.
fn both(csv: &str) -> (Option<String>, Option<String>) {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("k.csv"), csv).unwrap();
    std::fs::write(file("group.json"), r#"{"kernels":[{"sms":1,"profile":"k.csv"}]}"#).unwrap();
    let predict = ["predict", "--format", "json"].map(str::to_owned);
    let group = file("group.json").display().to_string();
    let predicted = answer(&mut gpusched(predict.into_iter().chain([group])));
    assert_eq!(predicted.code, 0, "{predicted:?}");
    let predicted: Value = serde_json::from_str(&predicted.stdout).unwrap();
    let class = &predicted["predictions"][0]["kernels"][0]["class"];
    (class.as_str().map(str::to_owned), kind(csv).0)
}

/// Returns whether `class` and `kind` are equal, or `kind` is missing.
fn agree(class: Option<&str>, kind: Option<&str>) -> bool {
    match kind {
        Some(kind) => class == Some(kind),
        None => class.is_none_or(|class| class == "hybrid"),
    }
}

#[test]
fn predict_and_fit_agree_at_every_bound() {
    for (drawn, expected) in [
        ("0", Some("compute")),
        ("33.599999", Some("compute")),
        ("33.6", None),
        ("34.7", None),
        ("235.199999", None),
        ("235.2", Some("memory")),
        ("240", Some("memory")),
        ("316", Some("memory")),
        ("900", Some("memory")),
    ] {
        let (class, kind) = both(&falling(drawn));
        assert_eq!(kind.as_deref(), expected, "{drawn}");
        assert!(
            agree(class.as_deref(), kind.as_deref()),
            "{drawn}: {class:?} {kind:?}"
        );
    }
}

/// Profiles as published without the bandwidth on all SMs, and with the bandwidth that `predict` computes.
#[test]
fn predict_and_fit_agree_on_published_profiles() {
    let platform = MemoryPlatform::default();
    let mut kinds = Vec::new();
    for profile in MemoryProfile::all_published() {
        let row = |sms| {
            let alone = Isolated::new(None, sms, &profile, &platform);
            format!(
                "{sms},{},{:.6},30,348000000000\n",
                alone.time as u64, alone.bandwidth
            )
        };
        let measured = profile.points().iter().filter(|point| point.bandwidth.is_some());
        let rows: String = measured.map(|point| row(point.sms)).collect();
        let header = "sms,time_ns,bandwidth,gpu_sms,gpu_bytes_per_second\n";
        assert_eq!(
            both(&format!("{header}{rows}")),
            (None, None),
            "{}",
            profile.name()
        );
        let (class, kind) = both(&format!("{header}{rows}{}", row(30)));
        let compute_that_saturates = class.as_deref() == Some("compute") && kind.is_none();
        assert!(
            agree(class.as_deref(), kind.as_deref()) || compute_that_saturates,
            "{}: {class:?} {kind:?}",
            profile.name()
        );
        kinds.push((profile.name().to_owned(), kind.unwrap_or_default()));
    }
    assert_snapshot!(format!("{kinds:?}"));
}

#[test]
fn kinds_end_where_classes_do() {
    let known = |u, by_times| classification::kind(Ok(u), by_times);
    let (compute, memory) = (Some(Kind::Compute), Some(Kind::Memory));
    for by_times in [compute, memory, None] {
        assert_eq!(known(0.7, by_times), (Some(Kind::Memory), Reason::Bandwidth));
        assert_eq!(known(1.5, by_times), (Some(Kind::Memory), Reason::Bandwidth));
        assert_eq!(known(0.699_999, by_times), (None, Reason::Hybrid));
        assert_eq!(known(0.1, by_times), (None, Reason::Hybrid));
    }
    for u in [0.0, 0.099_999] {
        assert_eq!(known(u, compute), (Some(Kind::Compute), Reason::Bandwidth));
        assert_eq!(known(u, memory), (None, Reason::Saturates));
        assert_eq!(known(u, None), (None, Reason::FewSms));
    }
}

/// If the bandwidth on all SMs is unknown, the kind is absent. The times do not matter.
#[test]
fn without_the_bandwidth_on_all_sms_there_is_no_kind() {
    for reason in [
        Reason::NotOnAllSms,
        Reason::UnknownGpu,
        Reason::NoBandwidth,
        Reason::Estimated,
    ] {
        for by_times in [Some(Kind::Compute), Some(Kind::Memory), None] {
            assert_eq!(classification::kind(Err(reason), by_times), (None, reason));
        }
    }
}

#[test]
fn utilization_is_exact_at_the_bounds() {
    let at = |bandwidth| {
        let of = |value| Factor::from_f64(value).unwrap();
        let gpu = MeasuredGpu {
            sms: 30,
            bandwidth: of(336.0),
        };
        Class::of(classification::utilization(of(bandwidth), gpu))
    };
    assert_eq!(
        [at(316.0), at(235.2), at(235.199_999)],
        [Class::Memory, Class::Memory, Class::Hybrid]
    );
    assert_eq!([at(33.6), at(33.599_999)], [Class::Hybrid, Class::Compute]);
}
