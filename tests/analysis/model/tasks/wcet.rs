//! WCET functions: values of each form, and refused forms.

use gpusched_model::Contention::{self, Conflict, Isolated};
use gpusched_model::WcetFunction;
use gpusched_model::time::Time;
use gpusched_model::wcet::MAX_SMS;

fn wcet(json: &str) -> Result<WcetFunction, String> {
    serde_json::from_str(json).map_err(|e| e.to_string())
}

fn ns(function: &WcetFunction, sms: u32, contention: Contention) -> Option<u64> {
    function.at(sms, contention).map(Time::ns)
}

#[test]
fn amdahl_follows_the_printed_formula() {
    let f = wcet(r#"{"amdahl":{"work":"10ms","serial":0.1,"conflict":2.3}}"#).unwrap();
    assert_eq!(ns(&f, 1, Isolated), Some(11_000_000));
    assert_eq!(ns(&f, 4, Isolated), Some(3_500_000));
    assert_eq!(ns(&f, 4, Conflict), Some(8_050_000));
    // 10^7/3 + 10^6 = 4333333.3…, rounded up
    assert_eq!(ns(&f, 3, Isolated), Some(4_333_334));
}

#[test]
fn proportional_scales_everything() {
    let f = wcet(r#"{"proportional":{"work":"10ms","serial":0.02,"conflict":1.2}}"#).unwrap();
    assert_eq!(ns(&f, 1, Isolated), Some(10_200_000));
    assert_eq!(ns(&f, 4, Conflict), Some(3_060_000));
}

#[test]
fn affine_with_and_without_conflict() {
    let f = wcet(r#"{"affine":{"isolated":{"a":100,"b":7}}}"#).unwrap();
    assert_eq!(ns(&f, 3, Isolated), Some(41));
    assert_eq!(ns(&f, 3, Conflict), Some(41));
    let f = wcet(r#"{"affine":{"isolated":{"a":100,"b":7},"conflict":{"a":200,"b":7}}}"#).unwrap();
    assert_eq!(ns(&f, 3, Conflict), Some(74));
}

#[test]
fn tables_use_the_largest_measured_point_below() {
    let f = wcet(r#"{"table":[[2,"30us"],[4,"20us"],[8,"20us"]]}"#).unwrap();
    assert_eq!(ns(&f, 1, Isolated), None);
    assert_eq!(ns(&f, 2, Isolated), Some(30_000));
    assert_eq!(ns(&f, 3, Conflict), Some(30_000));
    assert_eq!(ns(&f, 100, Isolated), Some(20_000));
    assert_eq!(f.smallest_sms(Isolated), 2);
    assert_eq!(f.least_work(Isolated), 60_000);
    let f = wcet(r#"{"table":{"isolated":[[1,90],[2,30]],"conflict":[[2,50]]}}"#).unwrap();
    assert_eq!(ns(&f, 1, Conflict), None);
    // The speed-up is superlinear: two SMs need less SM time than one SM.
    assert_eq!(f.least_work(Isolated), 60);
}

#[test]
fn a_time_is_a_constant() {
    for (json, time) in [(r#""2ms""#, 2_000_000), ("2000", 2_000)] {
        let f = wcet(json).unwrap();
        for sms in [1, 7, MAX_SMS] {
            assert_eq!(
                [Isolated, Conflict].map(|c| ns(&f, sms, c)),
                [Some(time); 2],
                "{json}"
            );
        }
        assert_eq!(f, WcetFunction::constant(Time::from_ns(time)).unwrap());
    }
}

#[test]
fn conflict_may_be_left_out_of_every_form() {
    for (without, with) in [
        (
            r#"{"amdahl":{"work":5,"serial":0.1}}"#,
            r#"{"amdahl":{"work":5,"serial":0.1,"conflict":1}}"#,
        ),
        (
            r#"{"proportional":{"work":5,"serial":0.1}}"#,
            r#"{"proportional":{"work":5,"serial":0.1,"conflict":1}}"#,
        ),
        (
            r#"{"affine":{"isolated":{"a":100,"b":7}}}"#,
            r#"{"affine":{"isolated":{"a":100,"b":7},"conflict":{"a":100,"b":7}}}"#,
        ),
        (
            r#"{"table":{"isolated":[[2,9]]}}"#,
            r#"{"table":{"isolated":[[2,9]],"conflict":[[2,9]]}}"#,
        ),
    ] {
        let (without, with) = (wcet(without).unwrap(), wcet(with).unwrap());
        assert!(!without.states_conflict() && with.states_conflict());
        for sms in [1, 2, 3, MAX_SMS] {
            assert_eq!(ns(&without, sms, Conflict), ns(&with, sms, Conflict));
        }
    }
}

#[test]
fn what_is_no_wcet_function_is_refused() {
    for (json, expected) in [
        (
            r#"{"amdahl":{"work":0,"serial":0.1,"conflict":2.3}}"#,
            "expected a positive time",
        ),
        (
            r#"{"amdahl":{"work":5,"serial":-0.1,"conflict":2.3}}"#,
            "at most nine decimals",
        ),
        (
            r#"{"amdahl":{"work":5,"serial":0.1,"conflict":0.9}}"#,
            "at least 1",
        ),
        (
            r#"{"amdahl":{"work":"9e9s","serial":0.1,"conflict":2.3}}"#,
            "expected a time",
        ),
        (
            r#"{"amdahl":{"work":9223372036854775807,"serial":1,"conflict":1}}"#,
            "below 2^63 ns",
        ),
        (r#""0ms""#, "at least 1 ns"),
        ("-5", "expected a time"),
        (r#""2""#, "expected a time"),
        ("2.5", "expected a WCET: a time such as"),
        (
            r#"{"amdahl":{"work":5,"serial":0.1,"conflict":2,"x":1}}"#,
            "unknown field `x`",
        ),
        (r#"{"quadratic":{}}"#, "unknown variant `quadratic`"),
        (r#"{"affine":{"isolated":{"a":0,"b":0}}}"#, "at least 1 ns"),
        (
            r#"{"affine":{"isolated":{"a":9,"b":2},"conflict":{"a":9,"b":1}}}"#,
            "at least the isolated",
        ),
        (r#"{"table":[]}"#, "at least one"),
        (r#"{"table":[[0,5]]}"#, "strictly ascending"),
        (r#"{"table":[[2,5],[2,4]]}"#, "strictly ascending"),
        (r#"{"table":[[1,5],[2,6]]}"#, "does not grow"),
        (r#"{"table":[[1,0]]}"#, "at least 1 ns"),
        (r#"{"table":[[1,5,3]]}"#, ""),
        (
            r#"{"table":{"isolated":[[1,5]],"conflict":[[1,4]]}}"#,
            "at least the isolated",
        ),
        (
            r#"{"table":{"isolated":[[1,5]],"conflict":[[1,5]],"isolated":[[1,5]]}}"#,
            "duplicate field",
        ),
        (r#"{"table":"fast"}"#, "a list of [sms, time]"),
    ] {
        let message = wcet(json).expect_err(json);
        assert!(message.contains(expected), "{json}: {message}");
    }
}

#[test]
fn serialised_forms_read_back() {
    for json in [
        r#"{"amdahl":{"work":10000000,"serial":0.1,"conflict":2.3}}"#,
        r#"{"amdahl":{"work":10000000,"serial":0.1}}"#,
        r#"{"affine":{"isolated":{"a":100,"b":7}}}"#,
        r#"{"table":[[2,30000],[4,20000]]}"#,
        r#"{"table":{"isolated":[[2,30000],[4,20000]]}}"#,
        r#"{"table":{"isolated":[[1,90]],"conflict":[[2,90]]}}"#,
    ] {
        assert_eq!(serde_json::to_string(&wcet(json).unwrap()).unwrap(), json);
    }
}
