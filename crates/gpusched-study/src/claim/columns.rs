//! List of those columns of the results table that a claim uses.

use super::expression::{Aggregate, Condition, Expression, Filter, Quantity};

impl Expression {
    /// Returns the names of the columns in the order of their use in the expression. A name may occur several times.
    pub(super) fn columns(&self) -> Vec<&str> {
        let mut columns = Vec::new();
        of_condition(&self.0, &mut columns);
        columns
    }
}

fn of_condition<'e>(condition: &'e Condition, columns: &mut Vec<&'e str>) {
    match condition {
        Condition::Compare(a, _, b) => [a, b].into_iter().for_each(|side| of_quantity(side, columns)),
        Condition::Not(inner) => of_condition(inner, columns),
        Condition::And(a, b) | Condition::Or(a, b) => {
            [a, b].into_iter().for_each(|side| of_condition(side, columns));
        }
    }
}

fn of_quantity<'e>(quantity: &'e Quantity, columns: &mut Vec<&'e str>) {
    match quantity {
        Quantity::Number(_) => {}
        Quantity::Aggregate(aggregate) => of_aggregate(aggregate, columns),
        Quantity::Negate(inner) => of_quantity(inner, columns),
        Quantity::Arithmetic(a, _, b) => [a, b].into_iter().for_each(|side| of_quantity(side, columns)),
    }
}

fn of_aggregate<'e>(aggregate: &'e Aggregate, columns: &mut Vec<&'e str>) {
    let (column, filters): (_, [&'e [Filter]; 3]) = match aggregate {
        Aggregate::Column { column, filters, .. } => (column, [filters, &[], &[]]),
        Aggregate::Gap {
            column,
            minuend,
            subtrahend,
            common,
            ..
        } => (column, [minuend, subtrahend, common]),
    };
    columns.push(column);
    columns.extend(filters.into_iter().flatten().map(|filter| filter.column.as_str()));
}
