//! The condition of a claim about the columns of a results table. [`super::parser`] defines the grammar.

use std::fmt;

/// A condition about a results table, such as `min(rate, algorithm = "1G", utilization < 35) >= 0.99`.
///
/// In files, an expression is a string. gpusched writes every expression in one normal form, with
/// uniform spacing and with only the necessary parentheses.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Expression(pub(super) Condition);

/// A condition, which is either true or false.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Condition {
    Compare(Quantity, Comparison, Quantity),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
}

/// A number, or a formula for a number.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Quantity {
    /// A finite number that the claim states; ≥ 0.
    Number(f64),
    Aggregate(Aggregate),
    Negate(Box<Quantity>),
    Arithmetic(Box<Quantity>, Arithmetic, Box<Quantity>),
}

/// A number that is computed from rows of the table.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Aggregate {
    /// An aggregate over cells of `column`. The aggregate uses the filled cells in all rows that pass every filter in
    /// `filters`.
    Column {
        function: Function,
        column: String,
        filters: Vec<Filter>,
    },
    /// An aggregate over the differences of all points. The difference of a point is the cell in the row that passes
    /// `minuend`, minus the cell in the row that passes `subtrahend`. `mean_ratio` divides these cells instead.
    Gap {
        function: GapFunction,
        column: String,
        minuend: Vec<Filter>,
        subtrahend: Vec<Filter>,
        common: Vec<Filter>,
    },
}

/// A condition about one cell of a row.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Filter {
    pub column: String,
    pub test: Test,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Test {
    Compare(Comparison, Literal),
    In(Vec<Literal>),
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Literal {
    Number(f64),
    Text(String),
}

/// Defines an enum. Each variant has a name in the text form of a claim.
macro_rules! named {
    ($(#[$doc:meta])* $type:ident { $($variant:ident = $name:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        pub(super) enum $type { $($variant),+ }

        impl $type {
            pub(super) const ALL: &[$type] = &[$($type::$variant),+];

            pub(super) fn from_name(name: &str) -> Option<$type> {
                $type::ALL.iter().copied().find(|item| item.name() == name)
            }

            pub(super) fn name(self) -> &'static str {
                match self { $($type::$variant => $name),+ }
            }
        }
    };
}

named!(Comparison { Equal = "=", NotEqual = "!=", Less = "<", AtMost = "<=", Greater = ">", AtLeast = ">=" });
named!(Arithmetic { Add = "+", Subtract = "-", Multiply = "*", Divide = "/" });
named!(Function {
    Min = "min",
    Max = "max",
    Mean = "mean",
    Sum = "sum",
    Count = "count",
    First = "first",
    Last = "last",
});
named!(GapFunction {
    Min = "min_gap",
    Mean = "mean_gap",
    Max = "max_gap",
    MeanRatio = "mean_ratio",
});

impl Comparison {
    /// Returns whether the comparison of `a` with `b` is true. The comparison is false if the
    /// values have no order, such as NaN and 1.
    pub(super) fn holds<T: PartialOrd + ?Sized>(self, a: &T, b: &T) -> bool {
        match self {
            Comparison::Equal => a == b,
            Comparison::NotEqual => a != b,
            Comparison::Less => a < b,
            Comparison::AtMost => a <= b,
            Comparison::Greater => a > b,
            Comparison::AtLeast => a >= b,
        }
    }
}

impl Condition {
    /// Precedence of `or`, which is the lowest. Each following precedence is higher, up to [`Quantity::NEGATION`].
    pub(super) const OR: u8 = 1;
    pub(super) const AND: u8 = 2;
    const NOT: u8 = 3;
    pub(super) const COMPARISON: u8 = 4;

    /// Returns the precedence of the outermost operator of the condition.
    fn level(&self) -> u8 {
        match self {
            Condition::Or(..) => Condition::OR,
            Condition::And(..) => Condition::AND,
            Condition::Not(_) => Condition::NOT,
            Condition::Compare(..) => Condition::COMPARISON,
        }
    }
}

impl Arithmetic {
    /// Returns the precedence of this operator.
    pub(super) fn precedence(self) -> u8 {
        match self {
            Arithmetic::Add | Arithmetic::Subtract => 5,
            Arithmetic::Multiply | Arithmetic::Divide => 6,
        }
    }
}

impl Quantity {
    /// Precedence of a minus sign before an operand.
    pub(super) const NEGATION: u8 = 7;

    fn level(&self) -> u8 {
        match self {
            Quantity::Arithmetic(_, operator, _) => operator.precedence(),
            Quantity::Negate(_) => Quantity::NEGATION,
            Quantity::Number(_) | Quantity::Aggregate(_) => 8,
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<Expression> for String {
    fn from(expression: Expression) -> String {
        expression.to_string()
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nested = |f: &mut fmt::Formatter<'_>, inner: &Condition, level| {
            if inner.level() < level {
                write!(f, "({inner})")
            } else {
                write!(f, "{inner}")
            }
        };
        let level = self.level();
        match self {
            Condition::Compare(a, comparison, b) => write!(f, "{a} {} {b}", comparison.name()),
            Condition::Not(inner) => {
                f.write_str("not ")?;
                nested(f, inner, level)
            }
            Condition::And(a, b) | Condition::Or(a, b) => {
                nested(f, a, level)?;
                f.write_str(if level == 1 { " or " } else { " and " })?;
                nested(f, b, level + 1)
            }
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nested = |f: &mut fmt::Formatter<'_>, inner: &Quantity, level| {
            if inner.level() < level {
                write!(f, "({inner})")
            } else {
                write!(f, "{inner}")
            }
        };
        let level = self.level();
        match self {
            Quantity::Number(value) => write!(f, "{value}"),
            Quantity::Aggregate(aggregate) => write!(f, "{aggregate}"),
            Quantity::Negate(inner) => {
                f.write_str("-")?;
                nested(f, inner, level)
            }
            Quantity::Arithmetic(a, operator, b) => {
                nested(f, a, level)?;
                write!(f, " {} ", operator.name())?;
                nested(f, b, level + 1)
            }
        }
    }
}

impl fmt::Display for Aggregate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Aggregate::Column {
                function,
                column,
                filters,
            } => {
                write!(f, "{}({column}", function.name())?;
                filters.iter().try_for_each(|filter| write!(f, ", {filter}"))?;
            }
            Aggregate::Gap {
                function,
                column,
                minuend,
                subtrahend,
                common,
            } => {
                let (minuend, subtrahend) = (list(minuend), list(subtrahend));
                write!(f, "{}({column}, ({minuend}), ({subtrahend})", function.name())?;
                common.iter().try_for_each(|filter| write!(f, ", {filter}"))?;
            }
        }
        f.write_str(")")
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.test {
            Test::Compare(comparison, literal) => {
                write!(f, "{} {} {literal}", self.column, comparison.name())
            }
            Test::In(literals) => write!(f, "{} in ({})", self.column, list(literals)),
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Number(value) => write!(f, "{value}"),
            Literal::Text(text) if text.contains('"') => write!(f, "'{text}'"),
            Literal::Text(text) => write!(f, "\"{text}\""),
        }
    }
}

/// Returns the items as text, separated by commas.
pub(super) fn list<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    items.join(", ")
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Expression {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Expression".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Condition over the columns of a results table, such as \
                min(rate, algorithm = \"1G\", utilization < 35) >= 0.99",
            "type": "string"
        })
    }
}
