//! Loops whose step is not a number: the step depends on the grid, the block, a parameter or the thread.

use gpusched::gpu::import::ptx::{Module, import};
use gpusched::gpu::program::{Dimensions, Overrides};

use crate::programs::twins::{arguments, compare, options};

/// Returns a kernel around `body`. `%i` holds the position of the thread, `%all` the threads of the grid, `%wide` the
/// threads of the block, `%n` and `%s` the parameters, and `%a` a memory address.
fn kernel(body: &str) -> String {
    format!(
        ".visible .entry g(.param .u64 g_param_0, .param .u32 g_param_1, .param .u32 g_param_2)\n{{\n\t.reg .pred %p<5>;\n\t.reg .f32 \
         %f<5>;\n\t.reg .b32 %i, %j, %n, %s, %all, %wide, %t, %r<10>;\n\t.reg .b64 %a, %x, %y, %z, %rd<5>;\n\tld.param.u64 %a, \
         [g_param_0];\n\tld.param.u32 %n, [g_param_1];\n\tld.param.u32 %s, [g_param_2];\n\tmov.u32 %t, %tid.x;\n\tmov.u32 %r1, \
         %ctaid.x;\n\tmov.u32 %wide, %ntid.x;\n\tmov.u32 %r2, %nctaid.x;\n\tmad.lo.s32 %i, %r1, %wide, %t;\n\tmul.lo.s32 %all, %r2, \
         %wide;\n{body}\n\tret;\n}}\n"
    )
}

/// The read of a round, at `%i`.
const READ: &str = "mul.wide.s32 %rd1, %i, 4; add.s64 %rd2, %a, %rd1; ld.global.f32 %f1, [%rd2];";

/// Returns the compiled form of `for (; i < n; i += step)`: an enclosing condition, and a read at the last position.
fn guarded(step: &str) -> String {
    kernel(&format!(
        "setp.ge.s32 %p1, %i, %n; @%p1 bra $END;\n$LOOP:\n{READ} add.s32 %i, %i, {step}; setp.lt.s32 %p2, %i, %n; @%p2 bra $LOOP;\n$END:\n{READ}"
    ))
}

/// Returns a loop with a test only at its end, so the first round always runs.
fn bare(change: &str, test: &str) -> String {
    kernel(&format!(
        "$LOOP:\n{READ} {change}; {test}; @%p2 bra $LOOP;\n{READ}"
    ))
}

fn kernels() -> Vec<String> {
    let mut kernels: Vec<String> = ["%all", "%wide", "%s"].map(guarded).to_vec();
    for (change, test) in [
        ("add.s32 %i, %i, %all", "setp.le.s32 %p2, %i, %n"),
        ("add.s32 %i, %all, %i", "setp.gt.s32 %p2, %n, %i"),
        ("add.s32 %i, %i, %wide", "setp.lt.u32 %p2, %i, %n"),
        ("add.s32 %i, %i, %s", "setp.ls.u32 %p2, %i, %n"),
        ("sub.s32 %i, %i, %s", "setp.gt.s32 %p2, %i, 0"),
        ("sub.s32 %i, %i, %wide", "setp.ge.s32 %p2, %i, %s"),
    ] {
        kernels.push(bare(change, test));
    }
    // A step that depends on the thread, and a step that is a sum.
    kernels.push(kernel(&format!(
        "and.b32 %r4, %t, 3; add.s32 %r5, %r4, 1;\n$LOOP:\n{READ} add.s32 %i, %i, %r5; setp.lt.s32 %p2, %i, %n; @%p2 bra $LOOP;\n{READ}"
    )));
    kernels.push(kernel(&format!(
        "$LOOP:\n{READ} add.s32 %i, %i, %s; add.s32 %i, %i, %wide; add.s32 %i, %i, 3; setp.lt.s32 %p2, %i, %n; @%p2 bra $LOOP;"
    )));
    // A 64-bit index, a moving pointer, and a condition within the loop.
    kernels.push(kernel(
        "cvt.u64.u32 %x, %i; cvt.u64.u32 %y, %all; cvt.u64.u32 %z, %n; mul.wide.u32 %rd1, %i, 4; add.s64 %rd2, %a, %rd1; mul.wide.u32 \
         %rd3, %all, 4; setp.ge.u64 %p1, %x, %z; @%p1 bra $END;\n$LOOP:\nld.global.f32 %f1, [%rd2]; setp.lt.s32 %p3, %t, 9; @%p3 bra \
         $OVER; st.global.f32 [%rd2], %f1;\n$OVER:\nadd.s64 %rd2, %rd2, %rd3; add.s64 %x, %x, %y; setp.lt.u64 %p2, %x, %z; @%p2 bra \
         $LOOP;\n$END:",
    ));
    // The loop is nested in a loop of three rounds.
    kernels.push(kernel(&format!(
        "mov.u32 %j, 0;\n$OUTER:\nadd.s32 %i, %t, 7;\n$LOOP:\n{READ} add.s32 %i, %i, %all; setp.lt.s32 %p2, %i, %n; @%p2 bra \
         $LOOP; add.s32 %j, %j, 1; setp.lt.s32 %p3, %j, 3; @%p3 bra $OUTER;"
    )));
    // An unrolled loop: the remaining rounds run first in their own loop, followed by four rounds at a time.
    kernels.push(kernel(&format!(
        "setp.ge.s32 %p1, %i, %n; @%p1 bra $END; not.b32 %r4, %i; add.s32 %r5, %r4, %n; div.u32 %r6, %r5, %all; add.s32 %r7, %r6, 1; \
         and.b32 %r8, %r7, 3; setp.eq.s32 %p2, %r8, 0; @%p2 bra $FOURS;\n$LEFT:\n{READ} add.s32 %i, %i, %all; add.s32 %r8, %r8, -1; \
         setp.ne.s32 %p3, %r8, 0; @%p3 bra $LEFT;\n$FOURS:\nsetp.lt.u32 %p4, %r6, 3; @%p4 bra $END;\n$LOOP:\n{READ} add.s32 %i, %i, \
         %all; {READ} add.s32 %i, %i, %all; {READ} add.s32 %i, %i, %all; {READ} add.s32 %i, %i, %all; setp.lt.s32 %p2, %i, %n; @%p2 bra \
         $LOOP;\n$END:"
    )));
    kernels
}

#[test]
fn steps_that_are_no_numbers_run_as_the_ptx_does() {
    for text in kernels() {
        let module = Module::read(&text).unwrap();
        for (grid, block, n, s) in [
            ("3", "64", 0, 1),
            ("3", "64", 50, 64),
            ("3", "40", 700, 33),
            ("2", "70", 1121, 7),
            ("1", "32", 96, 32),
        ] {
            let given = arguments(&format!("a:65536 n={n} s={s}"));
            let program = import(&module, "g", &options(grid, block, given.clone()))
                .unwrap_or_else(|error| panic!("{error}\n{text}"));
            compare(&text, &program, "g", &given, 3);
        }
    }
}

/// The number of rounds depends on grid, block and parameters.
#[test]
fn steps_follow_another_launch() {
    for text in kernels() {
        let module = Module::read(&text).unwrap();
        let given = arguments("a:65536 n=3000 s=33");
        let program = import(&module, "g", &options("4", "64", given.clone())).unwrap();
        for (grid, block, n, s) in [(2, 32, 300, 5), (3, 70, 210, 9), (1, 33, 699, 30), (3, 70, 0, 9)] {
            let overrides = Overrides {
                grid: Some(Dimensions::line(grid)),
                block: Some(Dimensions::line(block)),
                values: vec![("n".to_owned(), n), ("s".to_owned(), s)],
                ..Default::default()
            };
            compare(&text, &program.with(&overrides).unwrap(), "g", &given, 3);
        }
    }
}

#[test]
fn steps_that_tell_nothing_are_refused() {
    let by_thread = bare("add.s32 %i, %i, %t", "setp.lt.s32 %p2, %i, %n");
    for (text, n, s, expected) in [
        (guarded("%s"), 100, 0, "unknown number of rounds"), // the loop never ends
        (guarded("%s"), 100, -4, "unknown number of rounds"), // the step leads away from the end
        (by_thread, 100, 1, "unknown number of rounds"),     // the loop never ends in thread 0
        (guarded("%i"), 100, 1, "unknown number of rounds"), // the value doubles
        (guarded("%all"), i64::from(i32::MAX) - 5, 1, "may overflow"),
        (guarded("%s"), 100, i64::from(i32::MAX), "may overflow"),
    ] {
        let module = Module::read(&text).unwrap();
        let given = arguments(&format!("a:65536 n={n} s={s}"));
        let error = import(&module, "g", &options("3", "64", given))
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}\n{text}");
    }
}
