//! Each equation of [Masola23] against values computed by hand, including limit cases.

use gpusched::model::group::MemoryPlatform;
use gpusched::prediction::Class;
use gpusched::prediction::masola::*;

use crate::prediction::near;

#[test]
fn eq_1_utilization() {
    assert_eq!(utilization(174.0, 348.0), 0.5);
    near(utilization(330.0, 348.0), 0.948_276, 1e-6);
}

#[test]
fn eq_2_saturation() {
    let s_p = saturation_point(24, 30);
    assert_eq!((s_p, saturation(s_p, 100.0, s_p)), (0.8, 0.5));
    near(saturation(0.81, 100.0, 0.8), 0.731_058_58, 1e-7);
    near(saturation(0.79, 100.0, 0.8), 0.268_941_42, 1e-7);
    assert!(saturation(0.95, 100.0, 0.8) > 0.999_999 && saturation(0.05, 100.0, 0.8) < 1e-30);
}

/// VADD: 21 instructions of 32 threads for 12 sectors; Table 2 has 0.056.
#[test]
fn eq_3_intensity() {
    near(kai(21.0 * 32.0, 12.0), 0.056, 1e-12);
}

/// Without memory accesses, the latency scales with n. For a saturated kernel on all SMs, the result is half of the
/// measured time, which is the error of 50 % in the printed equation.
#[test]
fn eq_4_latency() {
    assert_eq!(latency(100.0, 0.0, 30, 0.0, 0.5, 30), 100.0);
    assert_eq!(latency(100.0, 0.0, 30, 0.0, 0.5, 10), 300.0);
    assert_eq!(latency(100.0, 1.0, 30, 0.0, 0.95, 30), 50.0);
    assert_eq!(latency(100.0, 1.0, 30, 0.0, 0.95, 15), 100.0);
    // 100 / (1 · (30 − 10·0.3)) · 900/30
    near(latency(100.0, 0.0, 30, 10.0, 0.3, 30), 111.111_111, 1e-8);
}

#[test]
fn eq_5_overlap() {
    assert_eq!(overlap(25.0, 100.0), 0.25);
}

#[test]
fn eq_6_no_penalty_below_the_effective_bandwidth() {
    assert_eq!(penalty(329.99, 330.0, 1.4), 1.0);
    assert_eq!(penalty(330.0, 330.0, 1.4), 1.4);
}

#[test]
fn eq_7_interference() {
    assert_eq!(interference(278.4, 348.0, 0.8), 1.0);
    assert_eq!(interference(3.0, 348.0, 0.8), 1.0);
    // Experiment 4: 542.1 / 278.4
    near(interference(542.1, 348.0, 0.8), 1.947_198, 1e-6);
}

#[test]
fn eq_10_penalty_sm() {
    assert_eq!(penalty_sm(30, 15, 2), 1.0);
    assert_eq!(penalty_sm(30, 5, 3), 2.0);
    assert_eq!(penalty_sm(30, 25, 2), 0.6);
}

#[test]
fn eqs_11_and_13_penalty_access() {
    near(penalty_access(60.0, 60.0 + 40.0, 0.5), 0.3, 1e-12);
    assert_eq!(penalty_access(0.0, 0.0, 0.5), 0.0);
}

#[test]
fn eqs_12_and_14_penalty_bandwidth() {
    assert_eq!(equity(348.0, 2), 174.0);
    near(penalty_bandwidth(250.33, equity(348.0, 2)), 1.438_678, 1e-6);
    near(penalty_bandwidth(291.77, equity(348.0, 2)), 1.676_839, 1e-6);
}

#[test]
fn eq_15_branches() {
    // Columns: product, elected, Penalty_BW, I(w), Penalty_MPD
    assert_eq!(penalties(0.99, false, 1.4, 1.9, 0.5), 1.4);
    assert_eq!(penalties(0.99, false, 2.4, 1.9, 0.5), 1.9);
    assert_eq!(penalties(1.0, false, 1.4, 1.9, 0.5), 1.0);
    assert_eq!(penalties(1.99, false, 1.4, 1.9, 0.5), 1.99);
    assert_eq!(penalties(2.0, false, 1.4, 1.9, 0.5), 0.5);
    assert_eq!(penalties(2.5, true, 1.4, 1.9, 0.5), 1.4);
    // The printed equation allows a value below 1: a kernel that rarely uses memory then takes almost no time.
    assert_eq!(penalties(0.001, false, 0.0005, 1.9, 0.5), 0.0005);
}

#[test]
fn eqs_16_densities() {
    assert_eq!(request_density(60.0, 100.0), 0.6);
    near(penalty_density(0.6, 1.2), 0.5, 1e-12);
    assert_eq!(penalty_density(1.2, 1.2), 1.0);
    assert_eq!(penalty_density(0.0, 0.0), 1.0);
}

#[test]
fn eq_17_bandwidth() {
    let platform = MemoryPlatform::default();
    // EM_BW · (1 − e^(−n/6)): [Masola23] §8 for VADD
    near(bandwidth(330.0, 15, &platform), 302.9, 2e-4);
    near(bandwidth(330.0, 5, &platform), 186.6, 2e-4);
    // The formula applies to bandwidths of at least BW_max · S_p.
    near(bandwidth(278.4, 15, &platform), 302.9, 2e-4);
    near(bandwidth(278.39, 15, &platform), 139.195, 1e-9);
    assert_eq!(bandwidth(120.0, 10, &platform), 40.0);
    // With at least as many banks as SMs: max(1, …)
    let banks = MemoryPlatform {
        l2_banks: 40,
        ..platform
    };
    near(bandwidth(470.0, 1, &banks), 330.0 * 0.632_120_56, 1e-7);
}

#[test]
fn classes_are_those_of_section_5_1() {
    let class = |share| Class::of(share);
    assert_eq!([class(1.0), class(0.7)], [Class::Memory; 2]);
    assert_eq!([class(0.6999), class(0.1)], [Class::Hybrid; 2]);
    assert_eq!([class(0.0999), class(0.0)], [Class::Compute; 2]);
}
