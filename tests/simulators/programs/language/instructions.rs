//! The translation of threads, repetitions, registers and operations.

use std::sync::Arc;

use gpusched::gpu::code::{Code, Effect, Register, Stream};
use gpusched::gpu::program::Op;

use super::{issues, program, read};

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
    let banks = |registers: &[Register]| registers.iter().map(|register| register.bank).collect::<Vec<_>>();
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
