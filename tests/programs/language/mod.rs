//! The program language: what programs mean, and which are refused, where.

use std::io::Cursor;
use std::sync::Arc;

use gpusched::model::Program;
use gpusched::model::program::expression::{Binary, Function, Unary};
use gpusched::model::program::{Expression, Op, Overrides};
use gpusched::model::reader::Programs;
use gpusched::simulator::warp::code::{Code, Effect, Operation, Stream};
use proptest::prelude::*;

/// The one program in `text`, or what is wrong with it.
fn read(text: &str) -> Result<Program, String> {
    let mut programs = Programs::new("x", Cursor::new(text.to_owned().into_bytes()));
    programs
        .next()
        .unwrap()
        .map(|(_, program)| program)
        .map_err(|error| error.to_string())
}

/// A program of one block of `block` threads, two parameters and two buffers.
fn program(block: &str, body: &str) -> Program {
    read(&format!(
        r#"{{"name":"t","grid":2,"block":{block},"parameters":{{"n":3,"m":-1}},"buffers":{{"a":1000,"b":10}},"body":[{body}]}}"#
    ))
    .unwrap()
}

/// Position, lanes, whether it jumped, of what a warp issues.
fn issues(program: &Program, block: u64, warp: u32) -> Vec<(u32, u32, bool)> {
    let code = Arc::new(Code::new(program).unwrap());
    let mut stream = code.stream(block, warp);
    let mut effect = Effect::default();
    let mut issues = Vec::new();
    while let Some(instruction) = stream.next() {
        let index = (instruction.pc - program.pc) / 8;
        stream.issue(&mut effect);
        issues.push((index, effect.lanes, effect.jumped));
        assert!(issues.len() < 1000);
    }
    issues
}

const ALL: u32 = u32::MAX;

#[test]
fn loops_are_tested_at_their_end() {
    let body = |rounds: &str| format!(r#"{{"loop":"{rounds}","body":[{{"op":"other"}}]}}"#);
    let end = (2, ALL, false);
    let round = |again| [(0, ALL, false), (1, if again { ALL } else { 0 }, again)];
    let three = [&round(true)[..], &round(true), &round(false), &[end]].concat();
    assert_eq!(issues(&program("32", &body("n")), 0, 0), three);
    for rounds in ["1", "0", "m"] {
        assert_eq!(
            issues(&program("32", &body(rounds)), 0, 0),
            [&round(false)[..], &[end]].concat()
        );
    }
    // By lane: those that are done wait.
    let uneven = issues(&program("32", &body("lane < 4 ? 3 : lane < 8 ? 2 : 1")), 0, 0);
    let expected = [
        (0, ALL, false),
        (1, 0xFF, true),
        (0, 0xFF, false),
        (1, 0xF, true),
        (0, 0xF, false),
        (1, 0, false),
        (2, ALL, false),
    ];
    assert_eq!(uneven, expected);
}

#[test]
fn nested_loops_start_again() {
    let body = r#"{"loop":2,"counter":"i","body":[{"loop":"i + 1","counter":"j","body":[{"op":"load","address":"a + 10*i + j","bytes":4}]}]}"#;
    let code = Arc::new(Code::new(&program("32", body)).unwrap());
    let mut stream = code.stream(0, 0);
    let mut effect = Effect::default();
    let mut addresses = Vec::new();
    while let Some(instruction) = stream.next() {
        let load = matches!(instruction.operation, Operation::Load { .. });
        stream.issue(&mut effect);
        if load {
            addresses.push(effect.addresses[0] - 0xC000_0000);
        }
    }
    assert_eq!(addresses, [0, 10, 11]);
}

#[test]
fn lanes_that_jump_run_first() {
    let body = r#"{"if":"lane < 8","then":[{"op":"other"}],"else":[{"op":"special"}]},{"op":"barrier"}"#;
    // 0 branch, 1 then, 2 branch over else, 3 else, 4 barrier.
    let expected = [
        (0, !0xFF, true),
        (3, !0xFF, true),
        (1, 0xFF, false),
        (2, 0xFF, true),
        (4, ALL, false),
        (5, ALL, false),
    ];
    assert_eq!(issues(&program("32", body), 0, 0), expected);
    // All on one side.
    let body = r#"{"if":"n > 3","then":[{"op":"other"}],"else":[{"op":"special"}]}"#;
    assert_eq!(
        issues(&program("32", body), 0, 0),
        [(0, ALL, true), (3, ALL, false), (4, ALL, false)]
    );
    let body = r#"{"if":"n == 3","then":[{"op":"other"}]}"#;
    assert_eq!(
        issues(&program("32", body), 0, 0),
        [(0, 0, false), (1, ALL, false), (2, ALL, false)]
    );
}

#[test]
fn predicates_shares_and_ends() {
    let body = r#"{"op":"other","lanes":0.25},{"op":"other","lanes":0.5,"when":"lane % 2 == 0"},{"op":"other","lanes":1},{"op":"other","lanes":0},
        {"op":"exit","when":"lane >= 16"},{"op":"other"}"#;
    let expected = [
        (0, 0xFF, false),
        (1, 0x5555, false),
        (2, ALL, false),
        (3, 0, false),
        (4, 0xFFFF_0000, false),
        (5, 0xFFFF, false),
        (6, 0xFFFF, false),
    ];
    assert_eq!(issues(&program("32", body), 0, 0), expected);
    // An exit is not added where one ends the program already.
    let code = Code::new(&program("32", r#"{"op":"exit"}"#)).unwrap();
    assert_eq!(code.instructions().len(), 1);
}

#[test]
fn warps_may_be_partial_and_blocks_have_axes() {
    let body =
        r#"{"op":"load","address":"thread.x + 100*thread.y + 10000*thread.z + 1000000*block.x","bytes":4}"#;
    let program = program("[5,4,3]", body);
    let code = Arc::new(Code::new(&program).unwrap());
    assert_eq!(code.warps(), 2);
    for warp in 0..2 {
        let mut stream = code.stream(1, warp);
        let mut effect = Effect::default();
        stream.issue(&mut effect);
        let count = if warp == 0 { 32 } else { 28 };
        assert_eq!(effect.lanes.count_ones(), count);
        for lane in 0..count {
            let thread = u64::from(32 * warp + lane);
            let expected = thread % 5 + 100 * (thread / 5 % 4) + 10_000 * (thread / 20) + 1_000_000;
            assert_eq!(effect.addresses[lane as usize], expected);
        }
    }
    assert!(code.stream(2, 0).next().is_none() && code.stream(0, 2).next().is_none());
}

#[test]
fn repetitions_stand_several_times() {
    let body = r#"{"repeat":"n","counter":"u","body":[{"op":"load","address":"b + u","bytes":1}]},{"repeat":0,"body":[{"op":"other"}]}"#;
    let code = Arc::new(Code::new(&program("32", body)).unwrap());
    assert_eq!(code.instructions().len(), 4);
    let mut stream = code.stream(0, 0);
    let mut effect = Effect::default();
    for round in 0..3 {
        stream.issue(&mut effect);
        // The second buffer starts at the next multiple of 256 bytes.
        assert_eq!(effect.addresses[7], 0xC000_0400 + round);
    }
}

#[test]
fn registers_have_numbers_and_banks() {
    let body = r#"{"op":"mad.single","to":"f7","from":["f3","rd12","f3"],"on":"p1"},{"op":"store","from":["f7","x"],"address":"a","by":"rd12","bytes":16}"#;
    let code = Code::new(&program("32", body)).unwrap();
    let [mad, store, _] = code.instructions() else {
        panic!()
    };
    let banks = |registers: &[gpusched::simulator::warp::code::Register]| {
        registers.iter().map(|register| register.bank).collect::<Vec<_>>()
    };
    assert_eq!((banks(&mad.writes), banks(&mad.reads)), (vec![7], vec![3, 12]));
    assert_eq!(mad.guard.unwrap().bank, 1);
    assert_eq!(store.reads[0], mad.writes[0]);
    assert_eq!(store.reads[2], mad.reads[1]);
    assert_eq!(store.reads.len(), 3);
}

#[test]
fn every_op_can_be_written() {
    for op in Op::ALL {
        let access = if op.accesses_memory() {
            r#","address":"a","bytes":4"#
        } else {
            ""
        };
        let program = program("32", &format!(r#"{{"op":"{}"{access}}}"#, op.name()));
        assert!(!issues(&program, 0, 0).is_empty());
        let text = program.to_text().unwrap();
        assert_eq!(read(&text).unwrap(), program, "{text}");
    }
}

#[test]
fn refusals_name_line_field_and_reason() {
    let wrap = |fields: &str, body: &str| {
        format!(
            "{{\"name\":\"t\",\n\"grid\":2,\n\"block\":32,\n{fields}\"body\":[\n{{\"op\":\"other\"}},\n{body}]}}"
        )
    };
    for (fields, body, expected) in [
        ("", r#"{"op":"others"}"#, "x:6: at body[1].op: unknown variant"),
        (
            "",
            r#"{"op":"other","too":"r1"}"#,
            "x:6: at body[1].too: unknown field `too`",
        ),
        (
            "",
            r#"{}"#,
            "x:6: at body[1]: found none of the fields `op`, `loop`, `if`, `repeat`",
        ),
        (
            "",
            r#"{"op":"other","bytes":4}"#,
            "x:6: at body[1]: found the field `bytes` in a statement with `op`",
        ),
        (
            "",
            r#"{"loop":2,"op":"other","body":[]}"#,
            "x:6: at body[1]: found the field `loop` in a statement with `op`",
        ),
        (
            "",
            r#"{"op":"store","bytes":4,"address":0,"cache":"l2"}"#,
            "found the field `cache`",
        ),
        (
            "",
            r#"{"op":"load","bytes":4}"#,
            "x:6: at body[1]: missing field `address`",
        ),
        (
            "",
            "{\"op\":\"load\",\"bytes\":4,\n\"address\":\"a + 1\"}",
            "x:7: at body[1].address: found the name \"a\", expected a parameter",
        ),
        (
            "",
            r#"{"op":"load","bytes":3,"address":0}"#,
            "x:6: at body[1].bytes: found 3, expected 1, 2, 4, 8 or 16",
        ),
        (
            "",
            r#"{"op":"load","bytes":4,"address":"1 +"}"#,
            "x:6: at body[1].address: character 4 of the expression: found the end",
        ),
        (
            "",
            r#"{"op":"load","bytes":4,"address":"min(1)"}"#,
            "found `)`, expected 2 arguments of min",
        ),
        (
            "",
            r#"{"op":"load","bytes":4,"address":"foo(1)"}"#,
            "found \"foo\", expected one of the functions min",
        ),
        (
            "",
            r#"{"op":"load","bytes":4,"address":"1 < 2 < 3"}"#,
            "expected parentheses",
        ),
        (
            "",
            r#"{"op":"load","bytes":4,"address":"4 $ 5"}"#,
            "the character `$` has no meaning here",
        ),
        (
            "",
            r#"{"op":"load","bytes":4,"address":"99999999999999999999"}"#,
            "expected a whole number less than 2^63",
        ),
        (
            "",
            r#"{"op":"load","bytes":4,"address":"1/(threads - 32)"}"#,
            "x:6: at body[1].address: `1 / (threads - 32)` divides by zero",
        ),
        (
            "",
            r#"{"op":"store","bytes":4,"address":0,"space":"constant"}"#,
            "x:6: at body[1].space: found a store to constants",
        ),
        (
            "",
            r#"{"op":"other","lanes":0.3}"#,
            "x:6: at body[1].lanes: found 0.3, expected a multiple of 1/32",
        ),
        (
            "",
            r#"{"op":"other","to":"r 1"}"#,
            "x:6: at body[1].to: found the register \"r 1\"",
        ),
        (
            "",
            "{\"loop\":2,\"counter\":\"k\",\n\"body\":[{\"loop\":2,\n\"counter\":\"k\",\"body\":[]}]}",
            "x:8: at body[1].body[0].counter: found the name \"k\" a second time",
        ),
        (
            "",
            r#"{"loop":2,"counter":"lane","body":[]}"#,
            "which expressions know already",
        ),
        (
            "",
            r#"{"repeat":"lane","body":[]}"#,
            "x:6: at body[1].repeat: found `lane`, expected a number that parameters decide",
        ),
        (
            "",
            r#"{"repeat":2000000,"body":[{"op":"other"}]}"#,
            "more than 2^20 instructions",
        ),
        (
            "\"pc\":4,\n",
            "{\"op\":\"exit\"}",
            "x:4: at pc: found 4, expected a multiple of 8",
        ),
        (
            "\"buffers\":{\"a\":1,\n\"a\":2},\n",
            "{\"op\":\"exit\"}",
            "duplicate field `a`",
        ),
        (
            "\"parameters\":{\"a\":1},\n\"buffers\":{\n\"a\":2},\n",
            "{\"op\":\"exit\"}",
            "x:6: at buffers.a: found the name \"a\" a second time",
        ),
        (
            "\"buffers\":{\"a\":{\"bytes\":1,\"address\":9223372036854775807}},\n",
            "{\"op\":\"exit\"}",
            "ends beyond address 2^48",
        ),
        (
            "\"colour\":1,\n",
            "{\"op\":\"exit\"}",
            "x:4: at colour: unknown field `colour`",
        ),
    ] {
        let error = read(&wrap(fields, body)).expect_err(body);
        assert!(error.contains(expected), "{fields}{body}\n{error}\n{expected}");
    }
    let block = read(r#"{"name":"t","grid":1,"block":[32,33],"body":[]}"#).unwrap_err();
    assert!(
        block.contains("at block: found 1056 threads, expected at most 1024"),
        "{block}"
    );
    let grid = read(r#"{"name":"t","grid":[0],"block":32,"body":[]}"#).unwrap_err();
    assert!(
        grid.contains("at grid: found [0], expected up to three sizes"),
        "{grid}"
    );
}

#[test]
fn launches_are_overridden() {
    let program = program(
        "32",
        r#"{"loop":"n","body":[{"op":"load","address":"b","bytes":4}]}"#,
    );
    let values = vec![("n".to_owned(), 5), ("a".to_owned(), 5000)];
    let other = program
        .with(&Overrides {
            values,
            pc: Some(64),
            ..Overrides::default()
        })
        .unwrap();
    assert_eq!(issues(&other, 0, 0).len(), 11);
    assert_eq!((other.value("n"), other.value("b")), (Some(5), Some(0xC000_1400)));
    for (overrides, expected) in [
        (
            Overrides {
                values: vec![("x".to_owned(), 1)],
                ..Overrides::default()
            },
            "found the name \"x\", expected a parameter or a buffer of t: n, m, a, b",
        ),
        (
            Overrides {
                values: vec![("a".to_owned(), -1)],
                ..Overrides::default()
            },
            "buffers.a: found -1",
        ),
        (
            Overrides {
                block: Some("2000".parse().unwrap()),
                ..Overrides::default()
            },
            "block: found 2000 threads",
        ),
        (
            Overrides {
                pc: Some(3),
                ..Overrides::default()
            },
            "pc: found 3",
        ),
    ] {
        let error = program.with(&overrides).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

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

/// The value for one thread, straight from the tree.
fn value(expression: &Expression, known: &dyn Fn(&str) -> i64) -> i64 {
    let of = |expression: &Expression| value(expression, known);
    match expression {
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
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// Compiled for a warp, an expression gives each lane what it gives that thread alone; written, it is read as the same.
    #[test]
    fn expressions_mean_the_same_in_all_lanes(expression in expression(), warp in 0..3_u32, block in 0..2_u64) {
        let text = expression.to_string();
        let read: Expression = text.parse().unwrap();
        let mut program = program("[10,7]", r#"{"loop":2,"counter":"k","body":[{"op":"load","address":0,"bytes":4}]}"#);
        let gpusched::model::program::Statement::Loop(inner) = &mut program.body[0] else { panic!() };
        let gpusched::model::program::Statement::Instruction(load) = &mut inner.body[0] else { panic!() };
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
                let (found, expected) = (effect.addresses[lane as usize] as i64, value(&expression, &known));
                prop_assert_eq!(found, expected, "{} in lane {}", text, lane);
                prop_assert_eq!(value(&read, &known), expected);
            }
            stream.issue(&mut effect);
        }
    }
}
