//! Expressions: reading, writing, and evaluation for all lanes.

use std::cell::Cell;
use std::sync::Arc;

use gpusched::gpu::code::{Code, Effect, Stream};
use gpusched::gpu::program::expression::{Binary, Function, Unary};
use gpusched::gpu::program::{Contents, Expression, Statement, Values};
use proptest::prelude::*;

use super::program;

use crate::support::rounds;

fn expression() -> impl Strategy<Value = Expression> {
    let names = [
        "lane", "thread.x", "thread.y", "block", "warp", "n", "a", "k", "threads", "blocks.x",
    ];
    let leaf = prop_oneof![
        prop::sample::select(names.to_vec()).prop_map(Expression::name),
        (-40..40_i64).prop_map(Expression::Number),
        any::<i64>().prop_map(Expression::Number),
    ];
    leaf.prop_recursive(5, 40, 3, |inner| {
        prop_oneof![
            (
                prop::sample::select(vec![Unary::Minus, Unary::Not, Unary::Invert]),
                inner.clone()
            )
                .prop_map(|(operator, operand)| Expression::Unary(operator, Box::new(operand))),
            (
                prop::sample::select(Binary::ALL.to_vec()),
                inner.clone(),
                inner.clone()
            )
                .prop_map(|(operator, x, y)| Expression::binary(operator, x, y)),
            inner.clone().prop_map(|index| {
                let index = Expression::binary(Binary::BitAnd, index, Expression::Number(7));
                Expression::Element("b".into(), Box::new(index))
            }),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(c, x, y)| Expression::Choice(Box::new((c, x, y)))),
            (
                prop::sample::select(Function::ALL.to_vec()),
                prop::collection::vec(inner, 1..9)
            )
                .prop_map(|((_, function), mut arguments)| {
                    let (least, most) = function.arity();
                    while arguments.len() < least {
                        arguments.push(Expression::Number(7));
                    }
                    arguments.truncate(most);
                    Expression::Call(function, arguments.into())
                }),
        ]
    })
}

/// Values of the buffer `b`. Indices up to 7 occur, so values are missing.
const VALUES: [i64; 6] = [3, -5, 0, 1, 100, 127];

/// Evaluates an expression for one thread, directly from the tree. Sets `missing` if the expression reads a value that
/// its buffer does not have.
fn value(expression: &Expression, known: &dyn Fn(&str) -> i64, missing: &Cell<bool>) -> i64 {
    let of = |expression: &Expression| value(expression, known, missing);
    match expression {
        Expression::Binary(Binary::And, operands) if of(&operands.0) == 0 => 0,
        Expression::Binary(Binary::Or, operands) if of(&operands.0) != 0 => 1,
        Expression::Element(_, index) => {
            let found = VALUES.get(usize::try_from(of(index)).unwrap_or(usize::MAX));
            missing.set(missing.get() || found.is_none());
            found.copied().unwrap_or(0)
        }
        Expression::Number(number) => *number,
        Expression::Name(name) => known(name),
        Expression::Unary(operator, operand) => operator.apply(of(operand)),
        Expression::Binary(operator, operands) => operator.apply(of(&operands.0), of(&operands.1)),
        Expression::Choice(parts) => {
            if of(&parts.0) != 0 {
                of(&parts.1)
            } else {
                of(&parts.2)
            }
        }
        Expression::Call(function, arguments) => {
            function.apply(&arguments.iter().map(of).collect::<Vec<_>>())
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(rounds(3000)))]

    /// A compiled expression gives each lane the value that the tree gives its thread. A written expression is read as
    /// the same expression.
    #[test]
    fn expressions_mean_the_same_in_all_lanes(expression in expression(), warp in 0..3_u32, block in 0..2_u64) {
        let text = expression.to_string();
        let read: Expression = text.parse().unwrap();
        let mut program = program("[10,7]", r#"{"loop":2,"counter":"k","body":[{"op":"load","address":0,"bytes":4}]}"#);
        program.buffers[1].1.contents = Some(Contents { values: Values::Numbers(VALUES.into()), element: 1 });
        let Statement::Loop(inner) = &mut program.body[0] else { panic!() };
        let Statement::Instruction(load) = &mut inner.body[0] else { panic!() };
        load.access.as_mut().unwrap().address = read.clone();
        let code = match Code::new(&program) {
            Ok(code) => Arc::new(code),
            Err(error) => {
                prop_assert!(error.to_string().contains("divides by zero"), "{}", error);
                return Ok(());
            }
        };
        let mut stream = code.stream(block, warp);
        let mut effect = Effect::default();
        let missing = Cell::new(false);
        for round in 0..2 {
            stream.issue(&mut effect);
            for lane in (0..32).filter(|lane| effect.lanes >> lane & 1 == 1) {
                let thread = i64::from(32 * warp + lane);
                let known = |name: &str| match name {
                    "lane" => i64::from(lane),
                    "thread.x" => thread % 10,
                    "thread.y" => thread / 10,
                    "block" => block as i64,
                    "warp" => i64::from(warp),
                    "n" => 3,
                    "a" => 0xC000_0000,
                    "k" => round,
                    "threads" => 70,
                    "blocks.x" => 2,
                    _ => panic!("{name}"),
                };
                let (found, expected) = (effect.addresses[lane as usize] as i64, value(&expression, &known, &missing));
                prop_assert_eq!(found, expected, "{} in lane {}", text, lane);
                prop_assert_eq!(value(&read, &known, &missing), expected);
            }
            stream.issue(&mut effect);
        }
        prop_assert_eq!(code.missing().is_some(), missing.get(), "{}", text);
    }
}
