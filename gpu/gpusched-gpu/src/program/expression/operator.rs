//! Operators of expressions and their results.

/// A prefix operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `-x`.
    Minus,
    /// `!x`: 1 if x is 0, else 0.
    Not,
    /// `~x`: all bits inverted.
    Invert,
}

impl Unary {
    /// Precedence of prefix operators, which is higher than the precedence of any [`Binary`]
    /// operator.
    pub const PRECEDENCE: u8 = 10;

    /// Returns the text of the operator.
    pub fn sign(self) -> char {
        match self {
            Unary::Minus => '-',
            Unary::Not => '!',
            Unary::Invert => '~',
        }
    }

    /// Computes the result of the operator.
    #[inline]
    pub fn apply(self, x: i64) -> i64 {
        match self {
            Unary::Minus => x.wrapping_neg(),
            Unary::Not => i64::from(x == 0),
            Unary::Invert => !x,
        }
    }
}

/// An infix operator. The result of a comparison or logical operator is 0 or 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Binary {
    /// `||`: logical or, without short-circuit evaluation.
    Or,
    /// `&&`: logical and, without short-circuit evaluation.
    And,
    /// `==`.
    Equal,
    /// `!=`.
    Unequal,
    /// `<`.
    Less,
    /// `<=`.
    AtMost,
    /// `>`.
    Greater,
    /// `>=`.
    AtLeast,
    /// `|`.
    BitOr,
    /// `^`.
    BitXor,
    /// `&`.
    BitAnd,
    /// `<<`: left shift. The result is 0 if the shift count is not from 0 to 63.
    ShiftLeft,
    /// `>>`: arithmetic right shift. A shift count that is not from 0 to 63 counts as 63.
    ShiftRight,
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`: quotient, rounded towards 0. The result of x/0 is 0.
    Divide,
    /// `%`: remainder, with the sign of the left side. The result of x%0 is x.
    Remainder,
}

impl Binary {
    /// All infix operators.
    pub const ALL: [Binary; 18] = [
        Binary::Or,
        Binary::And,
        Binary::Equal,
        Binary::Unequal,
        Binary::ShiftLeft,
        Binary::ShiftRight,
        Binary::AtMost,
        Binary::AtLeast,
        Binary::Less,
        Binary::Greater,
        Binary::BitOr,
        Binary::BitXor,
        Binary::BitAnd,
        Binary::Add,
        Binary::Subtract,
        Binary::Multiply,
        Binary::Divide,
        Binary::Remainder,
    ];

    /// Returns the text of the operator.
    pub fn sign(self) -> &'static str {
        match self {
            Binary::Or => "||",
            Binary::And => "&&",
            Binary::Equal => "==",
            Binary::Unequal => "!=",
            Binary::Less => "<",
            Binary::AtMost => "<=",
            Binary::Greater => ">",
            Binary::AtLeast => ">=",
            Binary::BitOr => "|",
            Binary::BitXor => "^",
            Binary::BitAnd => "&",
            Binary::ShiftLeft => "<<",
            Binary::ShiftRight => ">>",
            Binary::Add => "+",
            Binary::Subtract => "-",
            Binary::Multiply => "*",
            Binary::Divide => "/",
            Binary::Remainder => "%",
        }
    }

    /// Returns the precedence of the operator. The lowest precedence is 1.
    pub const fn precedence(self) -> u8 {
        match self {
            Binary::Or => 1,
            Binary::And => 2,
            Binary::Equal
            | Binary::Unequal
            | Binary::Less
            | Binary::AtMost
            | Binary::Greater
            | Binary::AtLeast => 3,
            Binary::BitOr => 4,
            Binary::BitXor => 5,
            Binary::BitAnd => 6,
            Binary::ShiftLeft | Binary::ShiftRight => 7,
            Binary::Add | Binary::Subtract => 8,
            Binary::Multiply | Binary::Divide | Binary::Remainder => 9,
        }
    }

    /// Whether the operator is a comparison.
    pub fn compares(self) -> bool {
        self.precedence() == 3
    }

    /// Computes the result of the operator.
    #[inline]
    pub fn apply(self, x: i64, y: i64) -> i64 {
        match self {
            Binary::Or => i64::from(x != 0 || y != 0),
            Binary::And => i64::from(x != 0 && y != 0),
            Binary::Equal => i64::from(x == y),
            Binary::Unequal => i64::from(x != y),
            Binary::Less => i64::from(x < y),
            Binary::AtMost => i64::from(x <= y),
            Binary::Greater => i64::from(x > y),
            Binary::AtLeast => i64::from(x >= y),
            Binary::BitOr => x | y,
            Binary::BitXor => x ^ y,
            Binary::BitAnd => x & y,
            Binary::ShiftLeft => match u32::try_from(y) {
                Ok(count @ 0..=63) => x << count,
                _ => 0,
            },
            Binary::ShiftRight => match u32::try_from(y) {
                Ok(count @ 0..=63) => x >> count,
                _ => x >> 63,
            },
            Binary::Add => x.wrapping_add(y),
            Binary::Subtract => x.wrapping_sub(y),
            Binary::Multiply => x.wrapping_mul(y),
            Binary::Divide if y == 0 => 0,
            Binary::Divide => x.wrapping_div(y),
            Binary::Remainder if y == 0 => x,
            Binary::Remainder => x.wrapping_rem(y),
        }
    }
}
