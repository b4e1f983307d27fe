//! Golden values of histo, [Aghilinasab20] Tables I and II.

use gpusched::bandwidth::nominal;
use gpusched::kernel_wcet::{Estimator, list_scheduling};
use gpusched::model::{Cluster, Factor, Kernel, Straddling};
use gpusched::time::Time;

/// Returns the kernel of Table I with the blocks of Table II: `active` concurrent blocks, and `first` and `second`
/// blocks in the first two clusters.
fn histo(active: u32, first: u64, second: u64) -> Kernel {
    let us = |text: &str| format!("{text}us").parse::<Time>().unwrap();
    let clusters = [
        (first, "1.70", "3.69"),
        (second, "2.50", "6.52"),
        (37_627 - first - second, "3.30", "8.83"),
    ];
    let clusters = clusters.map(|(blocks, e0, e1)| Cluster::new(blocks, us(e0), us(e1)).unwrap());
    Kernel::new(active, "1ms".parse().unwrap(), clusters.to_vec()).unwrap()
}

fn nominal_budget(active: u32, (first, second): (u64, u64)) -> f64 {
    let kernel = histo(active, first, second);
    let found = nominal(&kernel, Factor::from_f64(0.1).unwrap(), false, Straddling::End).unwrap();
    found.nominal_q.as_f64()
}

/// The nominal budget for 10 % slowdown is 0.130 ± 0.001 at M = 4 (published: 13 %). At M = 8 and M = 16, it lies in
/// the ranges found by an independent implementation.
#[test]
fn nominal_budget_of_histo() {
    const THIRDS: (u64, u64) = (12_543, 12_542);
    for split in [
        THIRDS,
        (20_000, 10_000),
        (2_000, 3_000),
        (12_000, 10_000),
        (15_000, 8_000),
    ] {
        let q = nominal_budget(4, split);
        assert!((q - 0.130).abs() <= 0.001, "split {split:?}: {q}");
    }
    assert!((0.122..=0.126).contains(&nominal_budget(8, THIRDS)));
    for split in [THIRDS, (20_000, 10_000), (30_000, 5_000), (2_000, 3_000)] {
        let q = nominal_budget(16, split);
        assert!((0.107..=0.118).contains(&q), "split {split:?}: {q}");
    }
}

/// The budget depends on the split. These values are from a transcription in another language in floating point, which
/// solves Eqs 8–12 by trying all vertices of the dual.
#[test]
fn nominal_budgets_of_other_splits() {
    for (active, split, expected) in [
        (4, (12_543, 12_542), 0.1300139289078288),
        (4, (20_000, 10_000), 0.129726630042569),
        (4, (5_000, 30_000), 0.12720838875611662),
        (4, (30_000, 5_000), 0.12805876108114118),
        (4, (37_625, 1), 0.1518653120883755),
        (8, (12_543, 12_542), 0.12475867879857105),
        (8, (20_000, 10_000), 0.11983863141722395),
        (8, (37_625, 1), 0.14360543593102193),
        (16, (12_543, 12_542), 0.10754115181498491),
        (16, (5_000, 30_000), 0.10517397731200617),
        (16, (37_625, 1), 0.1182526790207703),
    ] {
        // Q·T is rounded up to a nanosecond, which is 10⁻⁶ of the period.
        let found = nominal_budget(active, split);
        assert!(
            (found - expected).abs() < 1.5e-6,
            "M {active} {split:?}: {found} {expected}"
        );
    }
}

/// G(1)/G(0) = 2.54 for equal thirds.
#[test]
fn slowdown_of_histo_without_regulation() {
    let kernel = histo(4, 12_543, 12_542);
    let estimator = Estimator::new(&kernel);
    let wcet = |q| estimator.bound(q, false).unwrap().wcet_ns.ns() as f64;
    let ratio = wcet(Factor::ONE) / wcet(Factor::ZERO);
    assert!((ratio - 2.54).abs() < 0.005, "{ratio}");
    assert_eq!(
        estimator.bound(Factor::ZERO, false).unwrap().wcet_ns,
        list_scheduling::isolated(&kernel)
    );
}
