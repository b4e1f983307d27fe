//! Which programs are refused, and where.

use super::read;

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
            "found `foo`, expected one of the functions min",
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
            "found 1 bytes, expected an end below address 2^48",
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
