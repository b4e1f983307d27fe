//! Values of aggregates and conditions, and expressions without a value.

use gpusched_study::Table;
use gpusched_study::claim::Expression;

use super::evaluate;

/// Evaluates the expression `text >= 0` and returns the value of `text`, or the error.
fn value(text: &str) -> String {
    match evaluate(&format!("{text} >= 0"), "literal") {
        Ok(evaluation) => format!(
            "{:.6}",
            evaluation.figures.first().map_or(f64::NAN, |figure| figure.1)
        ),
        Err(error) => error.to_string(),
    }
}

#[test]
fn aggregates() {
    for (text, expected) in [
        ("min(rate)", 0.0),
        ("max(rate, algorithm = 'BF')", 0.9),
        ("mean(rate, algorithm = 'SMS')", (1.0 + 0.75 + 0.3) / 3.0),
        ("sum(rate, utilization <= 20)", 3.2),
        ("first(rate)", 1.0),
        ("last(rate)", 0.0),
        ("last(rate, algorithm != 'BF')", 0.3),
        ("mean(mean_sms)", (20.0 + 30.0 + 60.0) / 3.0), // empty cells are skipped
        ("count(mean_sms)", 3.0),
        ("count(algorithm)", 6.0),
        ("count(algorithm, rate < 0.5, rate > 0.5)", 0.0),
        ("count(rate, mean_sms != 20)", 2.0), // an empty cell passes no filter against a number
        ("count(rate, utilization in (10, 30))", 4.0),
        ("count(rate, algorithm in ('BF', \"SMS\"), algorithm > 'C')", 3.0),
        ("count(rate, note = '')", 4.0),
        ("min_gap(rate, (algorithm = 'SMS'), (algorithm = 'BF'))", 0.1),
        ("max_gap(rate, (algorithm = 'SMS'), (algorithm = 'BF'))", 0.3),
        (
            "mean_gap(rate, (algorithm = 'SMS'), (algorithm = 'BF'), utilization > 10)",
            0.25,
        ),
        (
            "min_gap(mean_sms, (algorithm = 'SMS'), (algorithm = 'BF'))",
            -10.0,
        ), // the other points have empty cells
        (
            "mean_ratio(mean_sms, (algorithm = 'SMS'), (algorithm = 'BF'))",
            20.0 / 30.0,
        ),
        (
            "min_gap(rate, (algorithm = 'SMS', rate > 0.5), (algorithm = 'BF'))",
            0.1,
        ),
    ] {
        assert_eq!(value(text), format!("{expected:.6}"), "{text}");
    }
}

#[test]
fn conditions() {
    for (text, expected) in [
        ("1 + 2 * 3 = 7", true),
        ("(1 + 2) * 3 = 9", true),
        ("8 - 4 - 2 = 2", true),
        ("8 / 4 / 2 = 1", true),
        ("-2 * -3 = 6", true),
        ("- - 2 = 2", true),
        ("2 != 2", false),
        ("1 < 1 or 1 <= 1", true),
        ("1 > 1 or 1 >= 1", true),
        // The operator `and` binds tighter than `or`. The operator `not` binds tighter than `and`,
        // but less tightly than a comparison.
        ("1 = 1 or 1 = 1 and 1 = 2", true),
        ("(1 = 1 or 1 = 1) and 1 = 2", false),
        ("not 1 = 2 and 1 = 1", true),
        ("not (1 = 2 or 1 = 1)", false),
        ("not not 1 = 1", true),
        ("max(rate) - min(rate) = 1 and not (max(rate) < 1)", true),
    ] {
        assert_eq!(evaluate(text, "literal").unwrap().holds, expected, "{text}");
    }
}

#[test]
fn figures_are_complete_and_listed_once() {
    let text = "max( rate ) < 0.5 and min(rate,algorithm='SMS') > 0 and max(rate) < 0.6";
    let evaluation = evaluate(text, "literal").unwrap();
    assert!(!evaluation.holds);
    let expected = [
        ("max(rate)".to_owned(), 1.0),
        ("min(rate, algorithm = \"SMS\")".to_owned(), 0.3),
    ];
    assert_eq!(evaluation.figures, expected);
}

#[test]
fn what_cannot_be_evaluated_is_an_error() {
    for (text, expected) in [
        ("min(speed)", "no column `speed`, expected one of point, "),
        ("min(rate, speed = 1)", "no column `speed`"),
        (
            "min(algorithm)",
            "r.csv:2: at algorithm: found \"SMS\", expected a finite number",
        ),
        (
            "min(rate, utilization > 99)",
            "min(rate, utilization > 99): no row passes the filters",
        ),
        (
            "mean(mean_sms, utilization = 20)",
            "all cells that pass the filters are empty",
        ),
        (
            "min(rate, algorithm = 'SMS-IAN')",
            "no row has algorithm = \"SMS-IAN\", expected one of \"SMS\", \"BF\"",
        ),
        ("count(rate, algorithm != 'SMS-IAN')", "no row has algorithm"),
        (
            "count(rate, algorithm in ('SMS', 'SMS-IAN'))",
            "no row has algorithm",
        ),
        (
            "min(rate, utilization < '20')",
            "column `utilization` contains numbers",
        ),
        (
            "min(rate, algorithm < 20)",
            "at algorithm: found \"SMS\", expected a finite number",
        ),
        ("1 / min(rate)", "division by zero in 1 / min(rate)"),
        ("1e300 * 1e300", "is not a finite number"),
        (
            "min_gap(rate, (algorithm = 'SMS'), (rate >= 0))",
            "lines 2 and 3 are about the same point",
        ),
        (
            "min_gap(rate, (algorithm = 'SMS'), (algorithm = 'BF', rate > 5))",
            "no point has values in the rows of both filters",
        ),
    ] {
        let message = value(text);
        assert!(message.starts_with("r.csv"), "{text}: {message}");
        assert!(message.contains(expected), "{text}: {message}");
    }
    let table = Table::from_reader("p.csv", "a,b\n1,2\n".as_bytes()).unwrap();
    let gap: Expression = "min_gap(b, (a = 1), (a = 1)) = 0".parse().unwrap();
    let message = gap.evaluate(&table, None).unwrap_err().to_string();
    assert!(message.contains("no column that identifies a point"), "{message}");
}
