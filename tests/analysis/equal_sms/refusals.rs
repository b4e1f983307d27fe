//! Kernels whose SMs differ, so that the shortcut for equal SMs is impossible, and the reasons.

use gpusched::gpu::Program;
use gpusched::gpu::gpu::stay_equal;
use gpusched::model::Scheduler;

use crate::equal_sms::{compare, launch, machine, settings};

/// Returns two kernels; the second kernel has `statement` in its loop.
fn kernels(statement: &str) -> [Program; 2] {
    let text = |name: &str, statement: &str| {
        format!(
            r#"{{"name":"{name}","grid":20,"block":64,"shared_memory":1024,"parameters":{{"n":3}},"buffers":{{"a":65536}},"body":[
 {{"op":"add.int","to":"x","from":"x"}},
 {{"loop":"n","counter":"i","body":[{statement},{{"op":"add.int","to":"x","from":"x"}}]}}]}}"#
        )
    };
    let parse = |text: String| serde_json::from_str(&text).unwrap();
    [
        parse(text("plain", r#"{"op":"special","to":"x"}"#)),
        parse(text("other", statement)),
    ]
}

#[test]
fn what_is_refused_is_run_in_full() {
    let beyond = "accesses memory outside the SM";
    let banks = "accesses shared memory at an address that depends on the block";
    let rounds = "depends on both the block and the round of a loop";
    for (statement, reason) in [
        (
            r#"{"op":"load","text":"ld.global.f32","to":"x","address":"a + 4*thread","bytes":4}"#,
            beyond,
        ),
        (
            r#"{"op":"store","from":"x","address":"a","bytes":4,"when":"0"}"#,
            beyond,
        ),
        (
            r#"{"op":"load","to":"x","address":"4*thread","bytes":4,"space":"local"}"#,
            beyond,
        ),
        (r#"{"op":"atomic","to":"x","address":"a","bytes":4}"#, beyond),
        (
            r#"{"op":"load","to":"x","address":"4*thread*block","bytes":4,"space":"shared"}"#,
            banks,
        ),
        (
            r#"{"op":"store","from":"x","address":"4*block.x + i","bytes":4,"space":"shared"}"#,
            banks,
        ),
        (
            r#"{"op":"atomic","to":"x","address":"4*thread*block","bytes":4,"space":"shared"}"#,
            banks,
        ),
        (r#"{"op":"other","to":"x","when":"random(2, block, i)"}"#, rounds),
        (
            r#"{"loop":"1 + block*i","body":[{"op":"other","to":"x"}]}"#,
            rounds,
        ),
    ] {
        let launches = kernels(statement).map(|program| launch(&program));
        let unlike = stay_equal(&launches).unwrap_err();
        assert_eq!(unlike.kernel, "other");
        let message = unlike.to_string();
        assert!(
            message.starts_with("kernel \"other\": ") && message.ends_with(reason),
            "{message}"
        );
        assert!(
            message.contains(" at 008 ") || message.contains(" at 010 "),
            "{message}"
        );
        assert!(!compare(
            &machine("rtx2060", false),
            &launches,
            &settings(Scheduler::Gto, 4)
        ));
    }
}

#[test]
fn what_is_the_same_in_every_block_is_not_refused() {
    for statement in [
        r#"{"op":"load","to":"x","address":"4*(thread + i)","bytes":4,"space":"shared"}"#,
        r#"{"op":"load","to":"x","address":"8*block","bytes":8,"space":"constant"}"#,
        r#"{"op":"other","to":"x","when":"block % 3"}"#,
        // The expression is a sum of a term that depends on the block and a term that depends on the round.
        r#"{"loop":"block + i","body":[{"op":"other","to":"x"}]}"#,
        r#"{"if":"random(2, thread, i)","then":[{"op":"other","to":"x"}]}"#,
    ] {
        let launches = kernels(statement).map(|program| launch(&program));
        assert!(
            compare(
                &machine("rtx2060", false),
                &launches,
                &settings(Scheduler::Gto, 4)
            ),
            "{statement}"
        );
    }
}

#[test]
fn failures_are_the_same() {
    // In some blocks, half of the lanes of one warp never reach a barrier.
    let deadlock =
        r#"{"if":"warp + block % 2","then":[{"op":"barrier"},{"op":"other","to":"x"},{"op":"barrier"}]}"#;
    let tensor = r#"{"if":"block % 3","then":[{"op":"tensor","to":"x"}]}"#;
    for statement in [deadlock, tensor] {
        let launches = kernels(statement).map(|program| launch(&program));
        for limit in [10, 200, 300, 300_000] {
            let mut settings = settings(Scheduler::Lrr, 3);
            settings.limit = limit;
            assert!(compare(&machine("rtx2060", true), &launches, &settings));
            let mut without = machine("rtx2060", true).into_shape();
            without.sm.units.tensor = 0;
            without.sm.widths.id_oc.tensor = 0;
            without.sm.widths.oc_ex.tensor = 0;
            let without = gpusched::gpu::Machine::new(without).unwrap();
            assert!(compare(&without, &launches, &settings));
        }
    }
}
