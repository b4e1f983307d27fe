//! Evaluation of the expression of a claim over the rows of a results table.

use gpusched_model::Refusal;
use std::collections::HashMap;

use super::expression::{
    Aggregate, Arithmetic, Comparison, Condition, Expression, Filter, Function, GapFunction, Literal,
    Quantity, Test,
};
use crate::table::{Column, Table};
use gpusched_model::error::Result;

/// The column that names the analysis variant. gpusched checks each claim separately for each
/// variant.
pub(super) const VARIANT: &str = "variant";

/// The columns that identify a point of a study. A table may lack some of these columns.
const POINT: [&str; 4] = ["point", "utilization", "tasks", VARIANT];

/// Result of evaluating the expression of a claim: true or false, and the value of each aggregate.
#[derive(Clone, PartialEq, Debug)]
pub struct Evaluation {
    /// Whether the expression is true.
    pub holds: bool,
    /// Text and value of each aggregate, in the order of the expression.
    pub figures: Vec<(String, f64)>,
}

impl Expression {
    /// Evaluates the expression over the rows of the analysis variant `variant`. If `variant` is `None`, the function
    /// uses all rows. In this case, a gap function can pair rows of different variants.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`](gpusched_model::error::Error::Refused), which names the table and the aggregate.
    /// Causes of the error are an unknown column, a text that does not occur in its column, an aggregate without filled
    /// cells, and a text instead of a number. Further causes are several rows for one point in a gap function, and a
    /// division by zero.
    pub fn evaluate(&self, table: &Table, variant: Option<&str>) -> Result<Evaluation> {
        self.evaluate_paired(table, variant, None)
    }

    /// Evaluates the expression like [`Expression::evaluate`]. A gap function pairs two rows if their cells in all
    /// columns of `pair_by` are equal.
    ///
    /// # Errors
    /// Fails under the same conditions as [`Expression::evaluate`], and if `pair_by` is empty or names an unknown column.
    pub fn evaluate_paired(
        &self,
        table: &Table,
        variant: Option<&str>,
        pair_by: Option<&[String]>,
    ) -> Result<Evaluation> {
        let rows = match variant {
            None => (0..table.len()).collect(),
            Some(variant) => {
                let column = table.column(VARIANT)?;
                (0..table.len())
                    .filter(|&row| column.text(row) == variant)
                    .collect()
            }
        };
        let mut scope = Scope {
            table,
            rows,
            point: point(table, variant.is_none(), pair_by)?,
            figures: Vec::new(),
        };
        let holds = scope.condition(&self.0)?;
        let figures = scope.figures;
        Ok(Evaluation { holds, figures })
    }
}

/// The rows for the evaluation of an expression, and the values of all aggregates that were computed so far.
struct Scope<'t> {
    table: &'t Table,
    rows: Vec<usize>,
    /// Columns that identify a point. Rows with equal cells in all of these columns belong to one
    /// point.
    point: Vec<Column<'t>>,
    figures: Vec<(String, f64)>,
}

impl<'t> Scope<'t> {
    fn condition(&mut self, condition: &Condition) -> Result<bool> {
        Ok(match condition {
            Condition::Compare(a, comparison, b) => {
                let (a, b) = (self.quantity(a)?, self.quantity(b)?);
                comparison.holds(&a, &b)
            }
            Condition::Not(inner) => !self.condition(inner)?,
            // Evaluates both sides even if the first side decides, because the result contains the figures of both sides.
            Condition::And(a, b) => self.condition(a)? & self.condition(b)?,
            Condition::Or(a, b) => self.condition(a)? | self.condition(b)?,
        })
    }

    fn quantity(&mut self, quantity: &Quantity) -> Result<f64> {
        let value = match quantity {
            Quantity::Number(value) => *value,
            Quantity::Negate(inner) => -self.quantity(inner)?,
            Quantity::Aggregate(aggregate) => {
                let value = self.aggregate(aggregate)?;
                let figure = (aggregate.to_string(), value);
                if !self.figures.contains(&figure) {
                    self.figures.push(figure);
                }
                value
            }
            Quantity::Arithmetic(a, operator, b) => {
                let (a, b) = (self.quantity(a)?, self.quantity(b)?);
                match operator {
                    Arithmetic::Add => a + b,
                    Arithmetic::Subtract => a - b,
                    Arithmetic::Multiply => a * b,
                    Arithmetic::Divide if b == 0.0 => {
                        let message = format!("division by zero in {quantity}");
                        return Err(self.table.error(None, Refusal::told("", message)));
                    }
                    Arithmetic::Divide => a / b,
                }
            }
        };
        if !value.is_finite() {
            let message = format!("the value of {quantity} is not a finite number");
            return Err(self.table.error(None, Refusal::told("", message)));
        }
        Ok(value)
    }

    fn aggregate(&self, aggregate: &Aggregate) -> Result<f64> {
        let fail = |problem: String| {
            self.table
                .error(None, Refusal::told("", format!("{aggregate}: {problem}")))
        };
        let function;
        let values: Vec<f64> = match aggregate {
            Aggregate::Column {
                function: of_column,
                column,
                filters,
            } => {
                let column = self.table.column(column)?;
                let rows = self.select(&self.rows, filters, &fail)?;
                if *of_column == Function::Count {
                    let filled = rows.iter().filter(|&&row| !column.text(row).is_empty());
                    return Ok(filled.count() as f64);
                }
                if rows.is_empty() {
                    return Err(fail("no row passes the filters".to_owned()));
                }
                function = *of_column;
                let values = rows.iter().map(|&row| column.number(row));
                values.filter_map(Result::transpose).collect::<Result<_>>()?
            }
            Aggregate::Gap {
                function: of_gap,
                column,
                minuend,
                subtrahend,
                common,
            } => {
                function = match of_gap {
                    GapFunction::Min => Function::Min,
                    GapFunction::Mean | GapFunction::MeanRatio => Function::Mean,
                    GapFunction::Max => Function::Max,
                };
                let column = self.table.column(column)?;
                let rows = self.select(&self.rows, common, &fail)?;
                let minuend = self.by_point(self.select(&rows, minuend, &fail)?, &fail)?;
                let subtrahend = self.by_point(self.select(&rows, subtrahend, &fail)?, &fail)?;
                let subtrahend: HashMap<_, _> = subtrahend.into_iter().collect();
                let mut gaps = Vec::new();
                for (point, row) in minuend {
                    let Some(&other) = subtrahend.get(&point) else {
                        continue;
                    };
                    if let (Some(a), Some(b)) = (column.number(row)?, column.number(other)?) {
                        gaps.push(match of_gap {
                            GapFunction::MeanRatio if b == 0.0 => {
                                return Err(fail("division by zero".to_owned()));
                            }
                            GapFunction::MeanRatio => a / b,
                            _ => a - b,
                        });
                    }
                }
                gaps
            }
        };
        reduce(function, &values).ok_or_else(|| {
            fail(match aggregate {
                Aggregate::Column { .. } => "all cells that pass the filters are empty".to_owned(),
                Aggregate::Gap { .. } => "no point has values in the rows of both filters".to_owned(),
            })
        })
    }

    /// Returns the rows in `rows` that pass every filter in `filters`.
    fn select(
        &self,
        rows: &[usize],
        filters: &[Filter],
        fail: &impl Fn(String) -> gpusched_model::error::Error,
    ) -> Result<Vec<usize>> {
        let mut rows = rows.to_vec();
        for filter in filters {
            let column = self.table.column(&filter.column)?;
            check_literals(column, &filter.test).map_err(fail)?;
            let mut passed = Vec::with_capacity(rows.len());
            for row in rows {
                if passes(column, row, &filter.test)? {
                    passed.push(row);
                }
            }
            rows = passed;
        }
        Ok(rows)
    }

    /// Returns the row of each point, in the order of the table. Fails if a point has several rows.
    fn by_point(
        &self,
        rows: Vec<usize>,
        fail: &impl Fn(String) -> gpusched_model::error::Error,
    ) -> Result<Vec<(Vec<&'t str>, usize)>> {
        if self.point.is_empty() {
            return Err(fail(format!(
                "found no column that identifies a point, expected `pair_by` in the claim, or one of the \
                 columns {}",
                POINT.join(", ")
            )));
        }
        let mut seen = HashMap::new();
        let mut points = Vec::with_capacity(rows.len());
        for row in rows {
            let point: Vec<&str> = self.point.iter().map(|column| column.text(row)).collect();
            if let Some(other) = seen.insert(point.clone(), row) {
                let line = |row| self.table.line(row).unwrap_or(0);
                return Err(fail(format!(
                    "lines {} and {} are about the same point and pass the same filters, expected a filter \
                     that only one of these lines passes",
                    line(other),
                    line(row)
                )));
            }
            points.push((point, row));
        }
        Ok(points)
    }
}

/// Returns the columns that identify a point: the columns in `pair_by`. If `pair_by` is absent, returns the columns in
/// `POINT` that the table has, except for the analysis variant if `across` is true.
fn point<'t>(table: &'t Table, across: bool, pair_by: Option<&[String]>) -> Result<Vec<Column<'t>>> {
    match pair_by {
        Some([]) => Err(table.error(
            None,
            Refusal::new("pair_by", "an empty list", "at least one column"),
        )),
        Some(names) => names.iter().map(|name| table.column(name)).collect(),
        None => {
            let names = POINT.iter().filter(|&&name| name != VARIANT || !across);
            Ok(names.filter_map(|name| table.find(name)).collect())
        }
    }
}

/// Applies `function` to `values`; returns `None` if there are no values. The function adds values
/// in the order of the table, so rounding is equal in every run.
fn reduce(function: Function, values: &[f64]) -> Option<f64> {
    let (&first, &last) = (values.first()?, values.last()?);
    let sum = || values.iter().fold(0.0, |sum, value| sum + value);
    Some(match function {
        Function::Min => values.iter().copied().fold(first, f64::min),
        Function::Max => values.iter().copied().fold(first, f64::max),
        Function::Sum => sum(),
        Function::Mean => sum() / values.len() as f64,
        Function::Count => values.len() as f64,
        Function::First => first,
        Function::Last => last,
    })
}

/// Checks that the literals of a test match the column. Without this check, gpusched would accept a
/// misspelt name, which selects no row.
fn check_literals(column: Column<'_>, test: &Test) -> Result<(), String> {
    let (exact, literals) = match test {
        Test::Compare(comparison, literal) => (
            matches!(comparison, Comparison::Equal | Comparison::NotEqual),
            std::slice::from_ref(literal),
        ),
        Test::In(literals) => (true, literals.as_slice()),
    };
    for literal in literals {
        let Literal::Text(text) = literal else { continue };
        let name = column.name();
        if column.is_numeric() {
            return Err(format!(
                "column `{name}` contains numbers, expected a number without quotes instead of {literal}"
            ));
        }
        if exact && !column.distinct().contains(&text.as_str()) {
            return Err(format!(
                "no row has {name} = {literal}, expected one of {}",
                column.examples()
            ));
        }
    }
    Ok(())
}

fn passes(column: Column<'_>, row: usize, test: &Test) -> Result<bool> {
    let compare = |comparison: Comparison, literal: &Literal| {
        Ok(match literal {
            Literal::Text(text) => comparison.holds(column.text(row), text.as_str()),
            Literal::Number(number) => column
                .number(row)?
                .is_some_and(|value| comparison.holds(&value, number)),
        })
    };
    match test {
        Test::Compare(comparison, literal) => compare(*comparison, literal),
        Test::In(literals) => {
            for literal in literals {
                if compare(Comparison::Equal, literal)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
    }
}
