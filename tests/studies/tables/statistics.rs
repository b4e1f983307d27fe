//! Statistics in tables: confidence intervals, paired tests, weighted schedulability, and decimals.

use gpusched_study::measures::Labels;
use gpusched_study::wilson::{Z, difference, interval};
use gpusched_study::{Table, WEIGHTED_COLUMNS, decimal, mcnemar, weighted};
use statrs::distribution::{ContinuousCDF as _, Normal};

#[test]
fn the_quantile_is_that_of_the_normal_distribution() {
    let normal = Normal::new(0.0, 1.0).unwrap();
    assert!((normal.inverse_cdf(0.975) - Z).abs() < 1e-9);
}

/// Compares the intervals with Newcombe, Statistics in Medicine 17 (1998), Table I, method 3 (without continuity
/// correction).
#[test]
fn published_intervals() {
    for (successes, trials, low, high) in [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ] {
        let (l, h) = interval(successes, trials);
        assert!(
            (l - low).abs() < 5e-5 && (h - high).abs() < 5e-5,
            "{successes}/{trials}: {l} {h}"
        );
    }
}

/// Compares the intervals with Newcombe, Statistics in Medicine 17 (1998), pages 873–890, Table II, method 10.
#[test]
fn published_intervals_of_differences() {
    for (two, one, low, high) in [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((10, 10), (0, 20), 0.6791, 1.0),
    ] {
        let (l, h) = difference(one, two);
        assert!(
            (l - low).abs() < 5e-5 && (h - high).abs() < 5e-5,
            "{two:?} {one:?}: {l} {h}"
        );
    }
}

/// Checks the defining property: each end of the interval is exactly z standard errors away from the observed
/// share.
#[test]
fn ends_are_z_standard_errors_away() {
    for trials in [1u64, 7, 100, 1_000_000] {
        for successes in [0, 1, trials / 3, trials / 2, trials] {
            let share = successes as f64 / trials as f64;
            let (low, high) = interval(successes, trials);
            assert!(0.0 <= low && low <= share && share <= high && high <= 1.0);
            for end in [low, high] {
                let error = (end * (1.0 - end) / trials as f64).sqrt();
                if error > 0.0 {
                    assert!(
                        ((share - end).abs() / error - Z).abs() < 1e-6,
                        "{successes}/{trials}"
                    );
                }
            }
        }
    }
}

/// The sum over the binomial distribution in integers is the reference.
#[test]
fn p_values_are_those_of_the_sum() {
    for all in 0..40_u32 {
        for one in 0..=all {
            let mut choose = 1_u128;
            let mut tail = 0;
            for k in 0..=one.min(all - one) {
                tail += choose;
                choose = choose * u128::from(all - k) / u128::from(k + 1);
            }
            let expected = (2.0 * tail as f64 / 2f64.powi(all as i32)).min(1.0);
            let found = mcnemar(one.into(), (all - one).into());
            assert!(
                (found - expected).abs() < 1e-9,
                "{one} of {all}: {found}, not {expected}"
            );
        }
    }
    assert!(mcnemar(0, 10_000) < 1e-9);
    assert_eq!(mcnemar(u64::MAX, u64::MAX), 1.0);
}

#[test]
fn decimals_are_exact_and_fixed() {
    assert_eq!(decimal(1, 3, 6), "0.333333");
    assert_eq!(decimal(2, 3, 6), "0.666667");
    assert_eq!(decimal(1, 2, 0), "1");
    assert_eq!(decimal(1, 16, 3), "0.063");
    assert_eq!(decimal(100, 100, 6), "1.000000");
    assert_eq!(decimal(139_000, 100, 3), "1390.000");
    assert_eq!(decimal(5, 0, 3), "");
    assert_eq!(decimal(u64::MAX, 1, 6), "18446744073709551615.000000");
}

/// Returns a table of results with one row of the utilization, schedulable sets and sets.
fn results(rows: &[&str]) -> Table {
    let head = "study,utilization,tasks,variant,algorithm,policy,interference,sms,sets,schedulable\n";
    Table::from_reader("s.csv", format!("{head}{}", rows.concat()).as_bytes()).unwrap()
}

#[test]
fn sets_count_by_their_utilization() {
    let share = |rows: &[&str]| {
        let table = weighted(&results(rows)).unwrap();
        table.column("weighted").unwrap().text(0).to_owned()
    };
    let rows = [
        "s,1,5,r,a,edf,none,8,10,10\n",
        "s,3,5,r,a,edf,none,8,10,5\n",
        "s,0.5,5,r,a,edf,none,8,1,0\n",
    ];
    assert_eq!(share(&["s,1,5,r,a,edf,none,8,0,0\n"]), "0.000000");
    assert_eq!(share(&rows[..1]), "1.000000");
    assert_eq!(share(&rows[..2]), "0.625000"); // (1·10 + 3·5) / (1·10 + 3·10)
    assert_eq!(share(&rows), "0.617284"); // 25 / 40.5
}

#[test]
fn rows_of_one_number_of_tasks_become_one() {
    let found = weighted(&results(&[
        "s,1,5,r,a,edf,none,8,4,4\n",
        "s,1,5,r,b,edf,none,8,4,2\n",
        "s,2.5,5,r,a,edf,none,8,4,1\n",
        "s,2.5,5,r,b,edf,none,8,4,0\n",
        "s,1,6,r,a,edf,none,8,4,3\n",
    ]));
    let found = found.unwrap();
    assert_eq!(found.columns(), WEIGHTED_COLUMNS);
    let row = |row: usize| {
        let cells = found.columns().iter();
        let cells: Vec<&str> = cells
            .map(|column| found.column(column).unwrap().text(row))
            .collect();
        cells.join(",")
    };
    let expected = [
        "s,5,r,a,edf,none,8,2,8,0.464286",
        "s,5,r,b,edf,none,8,2,8,0.142857",
        "s,6,r,a,edf,none,8,1,4,0.750000",
    ];
    assert_eq!((0..found.len()).map(row).collect::<Vec<_>>(), expected);
    let bad = weighted(&results(&["s,1,5,r,a,edf,none,8,4,x\n"])).unwrap_err();
    assert_eq!(
        bad.to_string(),
        "s.csv:2: at schedulable: found \"x\", expected a number"
    );
}

#[test]
fn deviations_are_signed_and_zero_is_not() {
    let deviation = |value: &str, published| {
        Labels::default()
            .row("q", value, "")
            .beside(published)
            .deviation()
    };
    assert_eq!(deviation("0.13", Some(0.14)), "-0.010000");
    assert_eq!(deviation("0.1300000001", Some(0.13)), "0.000000");
    assert_eq!(deviation("0.1299999999", Some(0.13)), "0.000000");
    assert_eq!(deviation("14", Some(13.0)), "1.000000");
    assert_eq!(
        (deviation("0.13", None), deviation("", Some(1.0))),
        Default::default()
    );
}
