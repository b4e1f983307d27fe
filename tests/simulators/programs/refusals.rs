//! Invalid PTX, and PTX that programs cannot express, is rejected with line and reason.

use gpusched::gpu::import::ptx::{Argument, Module, Options, import};
use insta::assert_snapshot;

use crate::support::transcript::Transcript;

#[test]
fn refusals_name_line_and_reason() {
    let mut told = Transcript::default();
    for lines in [
        "ld.global.u32 %r1, [%rd1];\nmul.wide.s32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd1, %rd2;\nld.global.u32 %r2, [%rd2];",
        "ld.global.u32 %r1, [%rd1];\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra $E;\nmov.u32 %r2, 1;\n$E:",
        "mov.u64 %rd2, %globaltimer;\nld.global.u32 %r1, [%rd2];",
        "mov.u32 %r1, %smid;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra $E;\nmov.u32 %r2, 1;\n$E:",
        "$A:\nsetp.eq.s32 %p1, %r0, 0;\n@%p1 bra $A;",
        "$A:\nbra.uni $A;",
        "bra.uni $E;\nmov.u32 %r1, 1;\n$E:",
        "setp.eq.s32 %p1, %r0, 0;\n@%p1 bra $X;",
        "call.uni foo;",
        "tex.2d.v4.f32.f32 {%f1,%f1,%f1,%f1}, [%rd1];",
        "frob.u32 %r1, %r0;",
        "wmma.foo %r1, %r0;",
        "wmma.load.a.sync.aligned.m16n16k16.row.f16 %r1, [%rd1];",
        "add.rn.foo.f32 %f1, %f1, %f1;",
        "ld.global.cz.u32 %r1, [%rd1];",
        "mov.lo.u32 %r1, 1;",
        "mov.u32 %r1, %r99;",
        "mov.u32 %r1, 1;\n@%q bra $E;\n$E:",
        "mov.u32 %r1, 1;\n$A:\nadd.s32 %r1, %r1, %r1;\nmul.wide.s32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd1, %rd2;\nld.global.u32 %r2, [%rd2];\nadd.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, 9;\n@%p1 bra $A;",
    ] {
        let text = format!(
            ".visible .entry k(.param .u64 k_param_0)\n{{ .reg .b32 %r<5>; .reg .b64 %rd<3>; .reg .pred %p<2>; .reg .f32 %f<2>;\nld.param.u64 %rd1, [k_param_0]; mov.u32 %r0, %tid.x; mov.u32 %r3, 0;\n{lines}\nret;\n}}\n"
        );
        let module = Module::read(&text);
        let options = Options {
            grid: "3".parse().unwrap(),
            block: "64".parse().unwrap(),
            arguments: vec![Argument::Buffer("a".to_owned(), 4096)],
            contents: Vec::new(),
            registers: 16,
            dynamic_shared_memory: 0,
            any_modifier: false,
            pc: 0,
            source: None,
        };
        let error = module
            .and_then(|module| import(&module, "k", &options))
            .expect_err(lines);
        told.case(lines, &error);
        // Unknown modifiers can be ignored. All other errors are reported with and without this option.
        let options = Options {
            any_modifier: true,
            ..options
        };
        let passed = import(&Module::read(&text).unwrap_or_default(), "k", &options).is_ok();
        assert_eq!(passed, error.unknown_modifier, "{lines}");
    }
    for text in [
        "x",
        "\n}",
        ".entry k()",
        ".entry k() {\n",
        ".entry k(.param u64) {}",
        ".entry k() {\n.reg .b33 %r1; }",
        ".entry k() {\n$A:\n$A:\n}",
        ".shard .align 4 .b8 tile[64];\n.entry k() { ret; }",
        ".entry k() {\n.shard .align 4 .b8 tile[64];\nret; }",
    ] {
        told.case(text, Module::read(text).expect_err(text));
    }
    assert_snapshot!(told);
}
