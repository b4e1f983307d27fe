//! Texts of expressions: malformed and very long texts, and the written form of an expression.

use gpusched_study::claim::Expression;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::results;
use crate::support::rounds;

#[test]
fn malformed_expressions_are_located() {
    for (text, position, expected) in [
        ("", 1, "found the end, expected a number"),
        ("   ", 4, "found the end"),
        ("min(rate)", 1, "found a number, expected a condition"),
        ("1 + (2 < 3) > 0", 5, "found a condition, expected a number"),
        ("1 < 2 and 3", 11, "found a number, expected a condition"),
        ("not 3", 5, "found a number, expected a condition"),
        ("min(rate) >", 12, "found the end"),
        ("min(rate >= 1", 10, "found `>=`, expected `)`"),
        ("min() > 1", 5, "found `)`, expected the name of a column"),
        ("min(rate,) > 1", 10, "found `)`, expected the name of a column"),
        ("min(rate, algorithm) > 1", 20, "expected one of =, !="),
        (
            "min(rate, algorithm = SMS) > 1",
            23,
            "found `SMS`, expected a number, or a text in quotes",
        ),
        ("min(rate, algorithm = 'SMS) > 1", 23, "without a closing quote"),
        ("min(rate, algorithm in 'SMS') > 1", 24, "expected `(`"),
        (
            "min(rate, algorithm in ()) > 1",
            25,
            "expected a number, or a text",
        ),
        ("min(rate, utilization < -'1') > 1", 26, "expected a number"),
        (
            "median(rate) > 1",
            1,
            "one of the functions min, max, mean, sum, count, first, last, min_gap",
        ),
        ("min(and) > 1", 5, "found `and`, expected the name of a column"),
        (
            "min_gap(rate, algorithm = 'A', algorithm = 'B') > 0",
            15,
            "expected `(`",
        ),
        ("min_gap(rate, (algorithm = 'A')) > 0", 32, "expected `,`"),
        ("1 < 2 < 3", 7, "found `<`, expected parentheses, or `and`"),
        ("1 == 1", 4, "found `=`"),
        ("1 < 2)", 6, "found `)`"),
        ("(1 < 2", 7, "found the end, expected `)`"),
        ("1 < 2 & 2 < 3", 7, "the character `&` has no meaning"),
        ("1. < 2", 2, "the character `.` has no meaning"),
        ("1e999 < 2", 1, "too large"),
        ("τ(rate) = ü", 1, "found `τ`"),
        ("1 = 1 ÷ 1", 7, "the character `÷`"),
    ] {
        let error = text.parse::<Expression>().unwrap_err();
        assert_eq!(error.position, position, "{text}: {error}");
        assert!(error.message.contains(expected), "{text}: {error}");
    }
}

#[test]
fn absurd_sizes_are_errors_not_crashes() {
    for text in [
        "(".repeat(4000),
        "not ".repeat(1000),
        "-".repeat(4000),
        "1 + ".repeat(2_000_000),
    ] {
        assert!(text.parse::<Expression>().is_err());
    }
    // The longest chain that the parser accepts can be evaluated, printed and parsed again.
    let chain = format!("{}0 = 998", "1+".repeat(998));
    let expression: Expression = chain.parse().unwrap();
    assert!(expression.evaluate(&results(), None).unwrap().holds);
    assert_eq!(expression.to_string().parse(), Ok(expression));
}

/// A part of a claim, as text with all parentheses, and as text with only the necessary parentheses.
#[derive(Clone, Debug)]
struct Formula {
    full: String,
    short: String,
    /// Precedence of the outermost operator.
    level: u8,
}

impl Formula {
    fn leaf(text: String) -> Formula {
        Formula {
            full: text.clone(),
            short: text,
            level: 8,
        }
    }

    /// Returns the short text, in parentheses if its precedence is below `level`.
    fn within(&self, level: u8) -> String {
        match self.level < level {
            true => format!("({})", self.short),
            false => self.short.clone(),
        }
    }

    fn after(self, operator: &str, level: u8) -> Formula {
        Formula {
            full: format!("{operator}({})", self.full),
            short: format!("{operator}{}", self.within(level)),
            level,
        }
    }

    /// Joins two parts by an operator that is left-associative.
    fn joined(self, operator: &str, level: u8, other: &Formula) -> Formula {
        Formula {
            full: format!("({}) {operator} ({})", self.full, other.full),
            short: format!("{} {operator} {}", self.within(level), other.within(level + 1)),
            level,
        }
    }
}

const COMPARISONS: [&str; 6] = ["=", "!=", "<", "<=", ">", ">="];

fn filters(sizes: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let literal = || {
        prop_oneof![
            (-1e6..1e6f64).prop_map(|number| number.to_string()),
            "[a-zA-Zµ0-9 ,()<=-]{0,6}".prop_map(|text| format!("\"{text}\"")),
            "[a-z]{0,3}[\"][a-z]{0,3}".prop_map(|text| format!("'{text}'")),
        ]
    };
    let test = prop_oneof![
        (select(&COMPARISONS), literal()).prop_map(|(comparison, literal)| format!("{comparison} {literal}")),
        vec(literal(), 1..4).prop_map(|literals| format!("in ({})", literals.join(", "))),
    ];
    let filter = (column(), test).prop_map(|(column, test)| format!("{column} {test}"));
    vec(filter, sizes).prop_map(|filters| filters.join(", "))
}

fn column() -> impl Strategy<Value = &'static str> {
    select(&["rate", "mean_sms", "utilization", "x1", "_"])
}

fn quantity() -> impl Strategy<Value = Formula> {
    let functions = select(&["min", "max", "mean", "sum", "count", "first", "last"]);
    let aggregate = (functions, column(), filters(0..3)).prop_map(|(function, column, filters)| {
        let comma = if filters.is_empty() { "" } else { ", " };
        format!("{function}({column}{comma}{filters})")
    });
    let functions = select(&["min_gap", "mean_gap", "max_gap", "mean_ratio"]);
    let sides = (filters(1..3), filters(1..3), filters(0..2));
    let gap = (functions, column(), sides).prop_map(|(function, column, (minuend, subtrahend, common))| {
        let comma = if common.is_empty() { "" } else { ", " };
        format!("{function}({column}, ({minuend}), ({subtrahend}){comma}{common})")
    });
    let leaf = prop_oneof![
        (0.0..1e9f64).prop_map(|number| number.to_string()),
        (0..100u8).prop_map(|number| number.to_string()),
        aggregate,
        gap,
    ];
    leaf.prop_map(Formula::leaf).prop_recursive(3, 8, 2, |inner| {
        let operator = select(&[("+", 5), ("-", 5), ("*", 6), ("/", 6)]);
        prop_oneof![
            inner.clone().prop_map(|inner| inner.after("-", 7)),
            (inner.clone(), operator, inner)
                .prop_map(|(one, (operator, level), other)| one.joined(operator, level, &other)),
        ]
    })
}

fn condition() -> impl Strategy<Value = Formula> {
    let leaf = (quantity(), select(&COMPARISONS), quantity())
        .prop_map(|(one, comparison, other)| one.joined(comparison, 4, &other));
    leaf.prop_recursive(3, 6, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| inner.after("not ", 3)),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| one.joined("and", 2, &other)),
            (inner.clone(), inner).prop_map(|(one, other)| one.joined("or", 1, &other)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(rounds(2560)))]

    /// gpusched writes an expression with only the necessary parentheses, and reads the written form as the same expression.
    #[test]
    fn the_printed_form_is_short_and_reads_back(condition in condition()) {
        let expression: Expression = condition.full.parse().unwrap();
        prop_assert_eq!(expression.to_string(), &*condition.short);
        prop_assert_eq!(condition.short.parse::<Expression>(), Ok(expression));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[a-z0-9 ()<>=!,.'\"+*/µ-]{0,40}") {
        if let Ok(expression) = text.parse::<Expression>() {
            prop_assert_eq!(expression.to_string().parse::<Expression>(), Ok(expression));
        }
    }
}
