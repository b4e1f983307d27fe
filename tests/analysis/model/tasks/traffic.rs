//! Memory traffic: amounts, rates and peaks with units.

use gpusched_model::{Bandwidth, Bytes, Peak};

#[test]
fn units_are_per_second() {
    let rate = |text: &str| text.parse().ok().map(Bandwidth::bytes_per_second);
    assert_eq!(rate("120GB/s"), Some(120_000_000_000));
    assert_eq!(rate("0.5 MiB/s"), Some(1 << 19));
    assert_eq!(rate("120GB"), None);
    let refused = "120".parse::<Bandwidth>().unwrap_err().to_string();
    assert!(
        refused.contains("\"120\", expected a bandwidth with its unit") && !refused.contains("integer"),
        "{refused}"
    );
    assert_eq!("3.9GB/s".parse::<Bandwidth>().unwrap().to_string(), "3.9GB/s");
}

fn bytes(text: &str) -> Option<u64> {
    text.parse().ok().map(Bytes::bytes)
}

#[test]
fn amounts_are_exact() {
    assert_eq!(bytes("48MB"), Some(48_000_000));
    assert_eq!(bytes("0.3 kB"), Some(300));
    assert_eq!(bytes("1.5KiB"), Some(1536));
    assert_eq!(bytes("0B"), Some(0));
    assert_eq!(bytes("1000TB"), Some(Bytes::LIMIT.bytes()));
    for bad in [
        "", "48", "MB", "-1MB", "1.5B", "1mb", "1.2.3MB", ".5MB", "5.MB", "1001TB", "1e3MB",
    ] {
        assert_eq!(bytes(bad), None, "{bad}");
    }
    for text in ["48MB", "1.5kB", "0B", "999B", "12.000001GB"] {
        assert_eq!(text.parse::<Bytes>().unwrap().to_string(), text);
    }
}

#[test]
fn amounts_in_json_are_integers_or_strings() {
    assert_eq!(serde_json::from_str::<Bytes>("7").ok(), Bytes::new(7));
    assert_eq!(serde_json::to_string(&Bytes::new(7)).unwrap(), "7");
    for bad in ["-1", "2.5", "1000000000000001", "\"7\"", "null", "[1]"] {
        let message = serde_json::from_str::<Bytes>(bad).unwrap_err().to_string();
        assert!(message.contains("expected an amount of data"), "{bad}: {message}");
    }
}

#[test]
fn curves_round_up_to_measured_sms() {
    let peak: Peak = serde_json::from_str(r#"[[2, "20GB/s"], [4, "50GB/s"]]"#).unwrap();
    let at = |sms| peak.at(sms).map(|rate| rate.to_string());
    assert_eq!(at(1).as_deref(), Some("20GB/s"));
    assert_eq!(at(2).as_deref(), Some("20GB/s"));
    assert_eq!(at(3).as_deref(), Some("50GB/s"));
    assert_eq!(at(5), None);
    let text = serde_json::to_string(&peak).unwrap();
    assert_eq!(serde_json::from_str::<Peak>(&text).unwrap(), peak);
}

#[test]
fn what_is_no_peak_is_refused() {
    for (bad, expected) in [
        ("[]", "found no points"),
        (r#"[[2, 1], [2, 1]]"#, "[1]: found 2 SMs"),
        (r#"[[0, 1]]"#, "[0]: found 0 SMs"),
        (r#"[[1, 2], [2, 1]]"#, "[1]: found 1B/s after 2B/s"),
        (r#""120GB""#, "expected a bandwidth"),
        ("-1", "expected a bandwidth"),
        ("true", "expected a bandwidth such as"),
        ("{}", "expected a bandwidth such as"),
        (r#"[[1]]"#, "expected a tuple of size 2"),
    ] {
        let message = serde_json::from_str::<Peak>(bad).unwrap_err().to_string();
        assert!(message.contains(expected), "{bad}: {message}");
    }
}
