//! Rejected programs, with the place of the error.

use insta::assert_snapshot;

use super::read;
use crate::support::transcript::Transcript;

#[test]
fn refusals_name_line_field_and_reason() {
    let wrap = |fields: &str, body: &str| {
        format!(
            "{{\"name\":\"t\",\n\"grid\":2,\n\"block\":32,\n{fields}\"body\":[\n{{\"op\":\"other\"}},\n{body}]}}"
        )
    };
    let bodies = [
        r#"{"op":"others"}"#,
        r#"{"op":"other","too":"r1"}"#,
        r#"{}"#,
        r#"{"op":"other","bytes":4}"#,
        r#"{"loop":2,"op":"other","body":[]}"#,
        r#"{"op":"store","bytes":4,"address":0,"cache":"l2"}"#,
        r#"{"op":"load","bytes":4}"#,
        "{\"op\":\"load\",\"bytes\":4,\n\"address\":\"a + 1\"}",
        r#"{"op":"load","bytes":3,"address":0}"#,
        r#"{"op":"load","bytes":4,"address":"1 +"}"#,
        r#"{"op":"load","bytes":4,"address":"min(1)"}"#,
        r#"{"op":"load","bytes":4,"address":"foo(1)"}"#,
        r#"{"op":"load","bytes":4,"address":"1 < 2 < 3"}"#,
        r#"{"op":"load","bytes":4,"address":"4 $ 5"}"#,
        r#"{"op":"load","bytes":4,"address":"99999999999999999999"}"#,
        r#"{"op":"load","bytes":4,"address":"1/(threads - 32)"}"#,
        r#"{"op":"store","bytes":4,"address":0,"space":"constant"}"#,
        r#"{"op":"other","lanes":0.3}"#,
        r#"{"op":"other","to":"r 1"}"#,
        "{\"loop\":2,\"counter\":\"k\",\n\"body\":[{\"loop\":2,\n\"counter\":\"k\",\"body\":[]}]}",
        r#"{"loop":2,"counter":"lane","body":[]}"#,
        r#"{"repeat":"lane","body":[]}"#,
        r#"{"repeat":2000000,"body":[{"op":"other"}]}"#,
    ];
    let fields = [
        "\"pc\":4,\n",
        "\"buffers\":{\"a\":1,\n\"a\":2},\n",
        "\"parameters\":{\"a\":1},\n\"buffers\":{\n\"a\":2},\n",
        "\"buffers\":{\"a\":{\"bytes\":1,\"address\":9223372036854775807}},\n",
        "\"colour\":1,\n",
    ];
    let mut told = Transcript::default();
    for body in bodies {
        told.case(body, read(&wrap("", body)).expect_err(body));
    }
    for fields in fields {
        told.case(fields, read(&wrap(fields, r#"{"op":"exit"}"#)).expect_err(fields));
    }
    for text in [
        r#"{"name":"t","grid":1,"block":[32,33],"body":[]}"#,
        r#"{"name":"t","grid":[0],"block":32,"body":[]}"#,
    ] {
        told.case(text, read(text).expect_err(text));
    }
    assert_snapshot!(told);
}
