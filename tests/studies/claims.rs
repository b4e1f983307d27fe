//! The language of claims and its evaluation, with a small table.

use gpusched::error::Result;
use gpusched_study::Table;
use gpusched_study::claim::{Claim, Evaluation, Expression, check};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::support::rounds;

/// A table with two analysis variants, three utilizations and two algorithms. In variant `literal`, SMS exceeds BF by 0.1,
/// 0.2 and 0.3. In variant `other`, SMS equals BF.
const RESULTS: &str = "\
point,utilization,tasks,variant,algorithm,rate,mean_sms,note
0,10,50,literal,SMS,1.0,20,
0,10,50,literal,BF,0.9,30,x
1,20,50,literal,SMS,0.75,,
1,20,50,literal,BF,0.55,,y
2,30,50,literal,SMS,0.3,60,
2,30,50,literal,BF,0,,
0,10,50,other,SMS,1,20,
0,10,50,other,BF,1,20,
1,20,50,other,SMS,1,40,
1,20,50,other,BF,1,40,
";

fn results() -> Table {
    Table::from_reader("r.csv", RESULTS.as_bytes()).unwrap()
}

fn evaluate(text: &str, variant: &str) -> Result<Evaluation> {
    text.parse::<Expression>()
        .unwrap()
        .evaluate(&results(), Some(variant))
}

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

const CLAIM: &str = r#"
id = "S21-07"
text = "SMS >= BF"
holds = 'min_gap(rate, (algorithm = "SMS"), (algorithm = "BF")) > 0'
"#;

fn claim(more: &str) -> Claim {
    toml::from_str(&format!("{CLAIM}{more}")).unwrap()
}

#[test]
fn claims_are_checked_per_reading() {
    let table = results();
    let findings = check(&[claim("")], |name| (name == "results").then_some(&table)).unwrap();
    let summary: Vec<_> = findings
        .iter()
        .map(|finding| {
            (
                finding.variant.as_deref(),
                finding.reproduced,
                finding.is_failure(),
            )
        })
        .collect();
    assert_eq!(
        summary,
        [(Some("literal"), true, false), (Some("other"), false, false)]
    );

    let narrow = claim("must_hold = true\nreadings = ['other']");
    let findings = check(&[narrow], |_| Some(&table)).unwrap();
    assert_eq!(findings.len(), 1);
    assert!(findings[0].is_failure());

    let plain = Table::from_reader("p.csv", "point,algorithm,rate\n1,SMS,1\n1,BF,0.5\n".as_bytes()).unwrap();
    let findings = check(&[claim("")], |_| Some(&plain)).unwrap();
    assert_eq!(findings[0].variant, None);
    assert!(findings[0].reproduced);
}

#[test]
fn claims_across_readings_see_all_rows() {
    let table = results();
    let across = |holds: &str| {
        let mut claim = claim("across_variants = true");
        claim.holds = holds.parse().unwrap();
        check(&[claim], |_| Some(&table))
    };
    // Only variant `literal` has a row for the third point.
    let gap = |algorithm: &str| {
        let holds = format!(
            "max_gap(rate, (variant = 'other'), (variant = 'literal'), algorithm = '{algorithm}') >= 0"
        );
        let findings = across(&holds).unwrap();
        assert_eq!((findings.len(), findings[0].variant.as_deref()), (1, None));
        findings[0].figures[0].1
    };
    assert_eq!((gap("SMS"), gap("BF")), (1.0 - 0.75, 1.0 - 0.55));
    let ambiguous = across("min_gap(rate, (algorithm = 'SMS'), (algorithm = 'BF')) >= 0").unwrap_err();
    assert!(
        ambiguous.to_string().contains("are about the same point"),
        "{ambiguous}"
    );
    let both = check(&[claim("across_variants = true\nreadings = ['other']")], |_| {
        Some(&table)
    });
    let both = both.unwrap_err().to_string();
    assert!(both.contains("both `variants` and `across_variants`"), "{both}");
}

#[test]
fn gaps_pair_rows_by_the_columns_of_the_claim() {
    let csv = "kernel,q,quantity,value\na,0,x,3\na,0,y,1\nb,0,x,5\nb,0,y,4\nb,1,y,9\n";
    let table = Table::from_reader("p.csv", csv.as_bytes()).unwrap();
    let paired = |pair_by: &str| {
        let mut claim = claim(pair_by);
        claim.holds = "max_gap(value, (quantity = 'x'), (quantity = 'y'), q = 0) = 2"
            .parse()
            .unwrap();
        check(&[claim], |_| Some(&table))
            .map(|findings| findings[0].reproduced)
            .map_err(|error| error.to_string())
    };
    assert_eq!(paired("pair_by = ['kernel']"), Ok(true));
    assert_eq!(paired("pair_by = ['kernel', 'q']"), Ok(true));
    for (pair_by, part) in [
        ("pair_by = ['q']", "are about the same point"),
        ("pair_by = ['cluster']", "no column `cluster`"),
        ("pair_by = []", "claim S21-07.pair_by: found an empty list"),
        ("", "expected `pair_by` in the claim, or one of the columns point"),
    ] {
        let message = paired(pair_by).unwrap_err();
        assert!(message.contains(part), "{pair_by}: {message}");
    }
}

#[test]
fn claims_that_cannot_be_checked_are_errors() {
    let table = results();
    let empty = Table::from_reader("e.csv", "rate,variant\n".as_bytes()).unwrap();
    let plain = Table::from_reader("p.csv", "rate\n1\n".as_bytes()).unwrap();
    let message = |claims: &[Claim], table: &Table| {
        let lookup = |name: &str| (name == "results").then_some(table);
        check(claims, lookup).unwrap_err().to_string()
    };
    assert_eq!(
        message(&[claim(""), claim("")], &table),
        "claim: found two claims with the id S21-07, expected different ids"
    );
    assert_eq!(
        message(&[claim("table = 'timing'")], &table),
        "claim S21-07: found no table `timing`, expected a table of the study"
    );
    assert_eq!(
        message(&[claim("")], &empty),
        "e.csv: at claim S21-07.variant: the table has no rows"
    );
    let unknown = message(&[claim("variants = ['work']")], &table);
    assert!(
        unknown.contains("no analysis variant \"work\", expected one of literal, other"),
        "{unknown}"
    );
    assert!(message(&[claim("variants = []")], &table).contains("`variants` is empty"));
    assert!(message(&[claim("variants = ['a']")], &plain).contains("no column `variant`"));
    let column = message(&[claim("")], &plain);
    assert!(
        column.starts_with("p.csv: at claim S21-07: found no column "),
        "{column}"
    );
}

/// If another table has the column, the error names that table and gives a hint.
#[test]
fn columns_of_other_tables_are_pointed_at() {
    let table = results();
    let other = Table::from_reader("w.csv", "tasks,algorithm,weighted\n50,SMS,0.75\n".as_bytes()).unwrap();
    let claim = |holds: &str| -> Claim {
        let text = format!("id = 'W-01'\ntext = 'weighted'\nacross_readings = true\nholds = '{holds}'");
        toml::from_str(&text).unwrap()
    };
    let message = |holds: &str, weighted: Option<&Table>| {
        let lookup = |name: &str| match name {
            "results" => Some(&table),
            "weighted" => weighted,
            _ => None,
        };
        check(&[claim(holds)], lookup).unwrap_err().to_string()
    };
    for holds in [
        "min(weighted) >= 0",
        "not (1 - max(rate, weighted > 0) > 0 or min(rate) < 0)",
        "min_gap(weighted, (algorithm = \"SMS\"), (algorithm = \"1G\")) > 0",
    ] {
        let told = message(holds, Some(&other));
        let hint = "\n\nhint: set `table = \"weighted\"` in the claim, because that table has `weighted`";
        assert!(
            told.contains("no column `weighted`") && told.ends_with(hint),
            "{told}"
        );
        let told = message(holds, None);
        assert!(
            told.contains("hint: set `weighted = true` in a study of partitioning"),
            "{told}"
        );
    }
    assert!(!message("min(speed) >= 0", Some(&other)).contains("table `"));
    let asked = Claim {
        table: "weighted".to_owned(),
        ..claim("min(weighted) >= 0")
    };
    assert!(check(std::slice::from_ref(&asked), |_| Some(&other)).is_ok());
    let none = check(&[asked], |_| None).unwrap_err().to_string();
    assert_eq!(
        none,
        "claim W-01: found no table `weighted`, expected `weighted = true` in the study, which creates this table"
    );
}

#[test]
fn claims_are_strict_toml() {
    let bad = |text: &str| toml::from_str::<Claim>(text).unwrap_err().to_string();
    let syntax = bad("id = 'a'\ntext = 'b'\nholds = 'min(rate) >'");
    assert!(
        syntax.contains("character 12 of the expression: found the end"),
        "{syntax}"
    );
    assert!(bad(&format!("{CLAIM}speed = 1")).contains("unknown field `speed`"));
    assert!(bad("id = 'a'\ntext = 'b'").contains("missing field `holds`"));
    let text = toml::to_string(&claim("")).unwrap();
    assert_eq!(toml::from_str::<Claim>(&text).unwrap(), claim(""));
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
