//! For every text, the PTX reader succeeds or fails with an existing line of the text; it never panics.

use gpusched::gpu::Program;
use gpusched::gpu::import::ptx::{Argument, Module, Options, PtxError, import};
use gpusched::gpu::program::{Contents, Values};
use proptest::prelude::*;

use crate::support::rounds;

/// Imports every kernel of `text`, if it is a module.
fn try_all(text: &str) {
    let check = |error: &PtxError| {
        let lines = text.split('\n').count();
        assert!(
            !error.message.is_empty() && (1..=lines).contains(&error.line),
            "{error}"
        );
        assert_eq!(error.to_string().lines().count(), 1, "{error}");
    };
    let module = match Module::read(text) {
        Ok(module) => module,
        Err(error) => return check(&error),
    };
    for kernel in &module.kernels {
        let arguments = kernel.parameters.iter().enumerate().map(|(index, parameter)| {
            let name = format!("p{index}");
            if parameter.kind == "u64" {
                Argument::Buffer(name, 4096)
            } else {
                Argument::Number(name, 7)
            }
        });
        // The first four buffers have contents: values of 4, 4, 1 and 1 bytes.
        let buffers = kernel
            .parameters
            .iter()
            .enumerate()
            .filter(|(_, parameter)| parameter.kind == "u64");
        let contents = buffers.zip([4, 4, 1, 1]).map(|((index, _), element)| {
            let values = Values::Numbers((0..64).map(|value| value * 5 % 97).collect());
            (format!("p{index}"), Contents { values, element })
        });
        let contents: Vec<(String, Contents)> = contents.collect();
        let options = Options {
            grid: "3".parse().unwrap(),
            block: "64".parse().unwrap(),
            arguments: arguments.collect(),
            contents: Vec::new(),
            registers: Program::REGISTERS,
            dynamic_shared_memory: 0,
            any_modifier: false,
            pc: 0,
            source: None,
        };
        for contents in [Vec::new(), contents] {
            let options = Options {
                contents,
                ..options.clone()
            };
            match import(&module, &kernel.name, &options) {
                Ok(program) => program.check().unwrap(),
                Err(error) => check(&error),
            }
        }
    }
}

fn kernels(file: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tasksets/kernels/ptx");
    std::fs::read_to_string(folder.join(file)).unwrap()
}

const WORDS: [&str; 48] = [
    ".visible",
    ".entry",
    "k",
    "(",
    ")",
    "{",
    "}",
    ";",
    ",",
    ":",
    "[",
    "]",
    "\n",
    " ",
    ".param",
    ".u64",
    ".u32",
    ".f32",
    ".reg",
    ".b32",
    ".pred",
    "%r<5>",
    "%r1",
    "%r2",
    "%p<2>",
    "%p1",
    "@%p1",
    "@!%p1",
    "bra",
    "$L",
    "ld.param.u32",
    "add.s32",
    "setp.ne.s32",
    "ret",
    "mul.wide.s32",
    "shl.b32",
    "bfi.b32",
    "%tid.x",
    "0x10",
    "-1",
    "1.5",
    "+",
    "|",
    ".shared",
    "\"",
    "/*",
    "//",
    "é",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(rounds(600)))]

    #[test]
    fn any_text(text in "\\PC{0,300}") {
        try_all(&text);
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        try_all(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_words(words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..200)) {
        try_all(&words.join(" "));
    }

    #[test]
    fn damaged_kernels(edits in prop::collection::vec((any::<prop::sample::Index>(), 0..30_usize, prop::sample::select(WORDS.to_vec())), 1..6), file in prop::sample::select(vec!["kernels.ptx", "data.ptx"])) {
        let mut text: Vec<char> = kernels(file).chars().collect();
        for (at, length, word) in edits {
            let at = at.index(text.len());
            let end = (at + length).min(text.len());
            text.splice(at..end, word.chars());
        }
        try_all(&text.into_iter().collect::<String>());
    }

    /// A truncated text is rejected, unless it is cut after the end of a kernel.
    #[test]
    fn kernels_cut_off(at in any::<prop::sample::Index>()) {
        let whole = kernels("kernels.ptx");
        let mut at = at.index(whole.len());
        while !whole.is_char_boundary(at) {
            at -= 1;
        }
        let text = &whole[..at];
        try_all(text);
        let open = text.matches('{').count() > text.matches('}').count();
        prop_assert!(!open || Module::read(text).is_err(), "cut off at {}", at);
    }
}
