//! The order of lanes in loops, conditions and exits.

use std::sync::Arc;

use gpusched::gpu::code::{Code, Effect, Operation, Stream};

use super::{ALL, issues, program};

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
    // The number of rounds depends on the lane. Lanes that have finished wait.
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
    // 0 is the branch, 1 the then part, 2 the branch over the else part, 3 the else part, 4 the barrier.
    let expected = [
        (0, !0xFF, true),
        (3, !0xFF, true),
        (1, 0xFF, false),
        (2, 0xFF, true),
        (4, ALL, false),
        (5, ALL, false),
    ];
    assert_eq!(issues(&program("32", body), 0, 0), expected);
    // All lanes take the same side.
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
    // No exit is added if the program already ends with an exit.
    let code = Code::new(&program("32", r#"{"op":"exit"}"#)).unwrap();
    assert_eq!(code.instructions().len(), 1);
}
