//! Guarantee: each option of a heuristic has an effect or is refused, the default search effort has the documented size, and
//! a matching has the largest weight.

mod budgets;
mod matching;
mod options;
