//! For every byte sequence, the program reader succeeds or fails with an existing line of the text; it never panics.

use std::io::Cursor;

use gpusched::error::Error;
use gpusched::gpu::Program;
use gpusched::gpu::code::Code;
use gpusched::gpu::program::Programs;
use proptest::prelude::*;

use crate::support::rounds;
use crate::support::run;

/// Reads all programs in `bytes`. Returns whether `bytes` contains at least one program and no error.
fn read(bytes: &[u8]) -> bool {
    let lines = bytes.split(|&byte| byte == b'\n').count();
    for program in Programs::new("fuzz", Cursor::new(bytes.to_vec())) {
        match program {
            Ok((line, program)) => {
                assert!((1..=lines).contains(&line));
                program.check().unwrap();
                // A copy of a repeated body may divide by zero, which shows only when the copies are made.
                if let Err(refusal) = Code::new(&program) {
                    let message = refusal.message();
                    assert!(message.ends_with("divides by zero"), "{message}");
                    return false;
                }
                let text = program.to_text().unwrap();
                assert_eq!(serde_json::from_str::<Program>(&text).unwrap(), program);
            }
            Err(Error::Refused(refusal)) => {
                let message = refusal.message();
                match refusal.line() {
                    Some(line) => assert!((1..=lines).contains(&line), "{line}: {message}, of {lines} lines"),
                    None => assert!(message.starts_with("found nothing"), "{message}"),
                }
                assert_eq!(message.lines().count(), 1, "{message}");
                return false;
            }
            Err(error) => panic!("{error}"),
        }
    }
    true
}

fn chase() -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tasksets/kernels/programs/chase.json");
    std::fs::read_to_string(path).unwrap()
}

const WORDS: [&str; 44] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\n",
    "\"",
    "\\",
    "\"name\":\"k\",",
    "\"grid\":1,",
    "\"block\":32,",
    "\"body\":[",
    "\"parameters\":{\"n\":4},",
    "\"buffers\":{\"a\":256},",
    "\"pc\":8,",
    "{\"op\":\"exit\"}",
    "{\"op\":\"other\"},",
    "{\"op\":\"load\",\"bytes\":4,\"address\":",
    "{\"loop\":",
    "{\"repeat\":",
    "{\"if\":",
    "\"counter\":\"k\",",
    "\"then\":[",
    "\"else\":[",
    "\"lane + n*k\"",
    "\"a + 4*(thread % 7)\"",
    "\"1/0\"",
    "\"(((\"",
    "\"min(\"",
    "-1",
    "0",
    "3",
    "1e9",
    "9223372036854775808",
    "0.25",
    "null",
    "true",
    "\"to\":\"r1\",",
    "\"from\":[\"r1\",\"r2\"],",
    "\"when\":",
    "\"lanes\":",
    "\u{e9}",
    "\0",
];

/// Found by `flipped_bits`: in the first copy of the repeated body, `u` is 0.
#[test]
fn a_copy_that_divides_by_zero_is_refused() {
    let text = chase().replace("4*k + u", "4*k / u");
    assert!(!read(text.as_bytes()));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("chase.json");
    std::fs::write(&file, text).unwrap();
    let refused = run(&format!("simulate warps {} --machine rtx2060", file.display()));
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
    assert!(
        refused.stderr.contains("`4*k / u` divides by zero"),
        "{}",
        refused.stderr
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(rounds(600)) })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(!read(&bytes));
    }

    #[test]
    fn any_words(words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..60)) {
        let words = words.concat();
        read(words.as_bytes());
        read(format!("{{\"name\":\"k\",\"grid\":1,\"block\":32,\"body\":[{words}]}}").as_bytes());
    }

    #[test]
    fn a_cut_is_noticed(at in any::<prop::sample::Index>()) {
        let text = chase();
        let end = text.trim_end().len();
        prop_assert!(read(text.as_bytes()));
        prop_assert!(!read(&text.as_bytes()[..at.index(end)]), "cut off at {} of {end}", at.index(end));
    }

    #[test]
    fn flipped_bits(flips in prop::collection::vec((any::<prop::sample::Index>(), 0..8_u8), 1..4)) {
        let mut bytes = chase().into_bytes();
        for (at, bit) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        read(&bytes);
    }

    #[test]
    fn damaged_programs(at in any::<prop::sample::Index>(), length in 0..20_usize, put in "\\PC{0,8}") {
        let mut text: Vec<char> = chase().chars().collect();
        let at = at.index(text.len());
        let end = (at + length).min(text.len());
        text.splice(at..end, put.chars());
        read(text.into_iter().collect::<String>().as_bytes());
    }
}
