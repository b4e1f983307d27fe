//! Profiles: published points, computed points, and errors.

use gpusched::model::MemoryProfile;
use gpusched::model::group::MemoryPlatform;
use gpusched::prediction::{Class, Isolated};
use insta::assert_snapshot;

use crate::prediction::near;
use crate::support::transcript::Transcript;

/// The published points are exactly the 19 bandwidths of Table 3 and the 8 times of Table 2.
#[test]
fn published_points_are_those_of_the_paper() {
    let profiles: Vec<MemoryProfile> = MemoryProfile::all_published().collect();
    let names: Vec<&str> = profiles.iter().map(MemoryProfile::name).collect();
    assert_eq!(
        names,
        ["VADD", "SAXPY", "COPY", "RAYTRACE", "DXTC", "CONV", "MVT", "PF"]
    );
    let points = || profiles.iter().flat_map(MemoryProfile::points);
    assert_eq!(points().filter(|point| point.bandwidth.is_some()).count(), 19);
    let times: Vec<(u32, u64)> = points()
        .filter_map(|point| Some((point.sms, point.time?.ns() / 1000)))
        .collect();
    let expected = [379, 379, 271, 2621, 3273, 1089, 2878, 337];
    assert_eq!(times, expected.map(|us| (30, us)));
    let kai: Vec<f64> = profiles
        .iter()
        .filter_map(|profile| Some(profile.kai()?.as_f64()))
        .collect();
    assert_eq!(kai, [0.056, 0.059, 0.064, 3.575, 149.265, 0.291, 0.015, 0.475]);
}

fn alone(name: &str, sms: u32) -> Isolated {
    let profile = MemoryProfile::published(name).unwrap();
    Isolated::new(None, sms, &profile, &MemoryPlatform::default())
}

#[test]
fn what_is_not_published_is_filled_in() {
    for (name, sms, bandwidth) in [
        ("MVT", 10, 74.33),
        ("MVT", 15, 91.915),
        ("MVT", 2, 18.156),
        ("MVT", 30, 164.25),
        ("VADD", 30, 330.0),
    ] {
        near(alone(name, sms).bandwidth, bandwidth, 1e-9);
    }
    // The kernel transfers the same bytes: 379 us · 330 / 325.58
    near(alone("VADD", 20).time, 384_145.2, 1e-6);
    near(alone("VADD", 30).time, 379_000.0, 1e-12);
    assert_eq!(
        (alone("VADD", 20).measured, alone("VADD", 25).measured),
        ((false, true), (false, false))
    );
    assert_eq!(alone("VADD", 20).class, None);
    // Without bandwidth, the time scales with the number of SMs.
    let none: MemoryProfile =
        serde_json::from_str(r#"{"name":"k","points":[{"sms":10,"time":100,"bandwidth":0}]}"#).unwrap();
    let idle = |sms| {
        Isolated::new(
            Some("own"),
            sms,
            &none,
            &MemoryPlatform {
                sms: 10,
                ..MemoryPlatform::default()
            },
        )
    };
    assert_eq!(
        (idle(4).time, idle(20).time, idle(4).class),
        (250.0, 50.0, Some(Class::Compute))
    );
    assert_eq!(idle(4).name, "own");
}

/// Accesses are counted, or follow from the bandwidth as sectors of 32 bytes.
#[test]
fn accesses_are_counted_or_follow_from_bandwidth() {
    let read = |counts: &str| -> MemoryProfile {
        serde_json::from_str(&format!(
            r#"{{"name":"k"{counts},"points":[{{"sms":30,"time":3200,"bandwidth":10}}]}}"#
        ))
        .unwrap()
    };
    let of = |counts: &str| Isolated::new(None, 30, &read(counts), &MemoryPlatform::default());
    assert_eq!((of("").l2_accesses, of("").kai), (1000.0, None));
    let counted = of(r#","l2_accesses":50,"instructions":100000"#);
    assert_eq!((counted.l2_accesses, counted.kai), (50.0, Some(2.0)));
}

#[test]
fn what_is_no_profile_is_refused() {
    let mut told = Transcript::default();
    for points in [
        "[]",
        r#"[{"sms":1}]"#,
        r#"[{"sms":1,"time":5}]"#,
        r#"[{"sms":1,"bandwidth":5}]"#,
        r#"[{"sms":0,"time":5}]"#,
        r#"[{"sms":2,"time":5},{"sms":2,"bandwidth":1}]"#,
        r#"[{"sms":70000,"time":5}]"#,
        r#"[{"sms":1,"time":0}]"#,
        r#"[{"sms":1,"time":1,"bandwidth":-1}]"#,
        r#"[{"sms":1,"time":1,"bandwidth":1}],"kai":1,"instructions":5"#,
        r#"[{"sms":1,"time":1,"bandwidth":1}],"l2_accesses":0"#,
    ] {
        let text = format!(r#"{{"name":"k","points":{points}}}"#);
        told.case(points, serde_json::from_str::<MemoryProfile>(&text).unwrap_err());
    }
    assert_snapshot!(told);
}
