//! What PTX programs cannot say, and what is no PTX, is refused with its line and the reason.

use gpusched::ptx::{Argument, Module, Options, import};

#[test]
fn refusals_name_line_and_reason() {
    for (lines, expected) in [
        (
            "ld.global.u32 %r1, [%rd1];\nmul.wide.s32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd1, %rd2;\nld.global.u32 %r2, [%rd2];",
            "line 7: the address depends on the value loaded in line 4",
        ),
        (
            "ld.global.u32 %r1, [%rd1];\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra $E;\nmov.u32 %r2, 1;\n$E:",
            "line 6: the guard depends on the value loaded in line 4",
        ),
        (
            "$A:\nsetp.eq.s32 %p1, %r0, 0;\n@%p1 bra $A;",
            "line 6: found a loop whose rounds are not known",
        ),
        (
            "$A:\nbra.uni $A;",
            "line 5: found a loop that is tested at its start or not at all",
        ),
        (
            "bra.uni $E;\nmov.u32 %r1, 1;\n$E:",
            "line 4: found a jump that closes no condition and no loop",
        ),
        (
            "setp.eq.s32 %p1, %r0, 0;\n@%p1 bra $X;",
            "line 5: found a branch without a label of this kernel",
        ),
        (
            "call.uni foo;",
            "line 4: found call.uni, but calls cannot be imported",
        ),
        (
            "tex.2d.v4.f32.f32 {%f1,%f1,%f1,%f1}, [%rd1];",
            "line 4: found tex.2d.v4.f32.f32, but textures",
        ),
        (
            "frob.u32 %r1, %r0;",
            "line 4: found frob.u32, which the importer does not know",
        ),
        (
            "mov.u32 %r1, %r99;",
            "line 4: found the operand \"%r99\", expected a declared register",
        ),
        (
            "mov.u32 %r1, 1;\n@%q bra $E;\n$E:",
            "line 5: found the guard \"%q\", expected a declared predicate",
        ),
        (
            "mov.u32 %r1, 1;\n$A:\nadd.s32 %r1, %r1, %r1;\nmul.wide.s32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd1, %rd2;\nld.global.u32 %r2, [%rd2];\nadd.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, 9;\n@%p1 bra $A;",
            "line 9: the address depends on a value carried from round to round",
        ),
    ] {
        let text = format!(
            ".visible .entry k(.param .u64 k_param_0)\n{{ .reg .b32 %r<5>; .reg .b64 %rd<3>; .reg .pred %p<2>; .reg .f32 %f<2>;\nld.param.u64 %rd1, [k_param_0]; mov.u32 %r0, %tid.x; mov.u32 %r3, 0;\n{lines}\nret;\n}}\n"
        );
        let module = Module::read(&text);
        let options = Options {
            grid: "3".parse().unwrap(),
            block: "64".parse().unwrap(),
            arguments: vec![Argument::Buffer("a".to_owned(), 4096)],
            registers: 16,
            dynamic_shared_memory: 0,
            pc: 0,
            source: None,
        };
        let error = module
            .and_then(|module| import(&module, "k", &options))
            .expect_err(lines)
            .to_string();
        assert!(error.starts_with(expected), "{lines}\n{error}\n{expected}");
    }
    for (text, expected) in [
        ("x", "line 1: found \"x\", expected a directive"),
        ("\n}", "line 2: found } without {"),
        (".entry k()", "line 1: kernel k has no body"),
        (".entry k() {\n", "line 1: kernel \"k\" does not end"),
        (".entry k(.param u64) {}", "line 1: found the parameter"),
        (
            ".entry k() {\n.reg .b33 %r1; }",
            "line 2: found \".reg .b33 %r1\", expected .reg, a type and names",
        ),
        (
            ".entry k() {\n$A:\n$A:\n}",
            "line 3: found the label \"$A\" a second time",
        ),
    ] {
        let error = Module::read(text).expect_err(text).to_string();
        assert!(error.starts_with(expected), "{text}\n{error}");
    }
}
