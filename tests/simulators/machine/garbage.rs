//! Every byte sequence gives a machine or a one-line error, and never a panic.

use gpusched::error::Error;
use gpusched::gpu::import::gpgpusim_config::parse;
use proptest::prelude::*;

use crate::machine::published::{config, options};
use crate::support::rounds;

fn never_panics(bytes: &[u8]) {
    match parse(&[("f", bytes)], "x") {
        Ok(imported) => {
            // An accepted machine supports all queries.
            let machine = imported.machine;
            let decoder = machine.memory.decoder();
            for address in [0, 1 << 20, u64::MAX] {
                assert!(decoder.locate(address).slice < machine.memory.slices());
                machine.memory.l2.set(decoder.within_slice(address));
                machine.l1.bank(address);
            }
            let need = gpusched::gpu::machine::BlockNeed {
                threads: 256,
                registers: 33,
                shared_bytes: 1024,
            };
            machine.l1_beside(1024 * machine.blocks_per_sm_of_grid(&need, 100));
            machine.dram_bytes_per_second();
            let dram = &machine.memory.dram;
            let _ = (
                dram.rcd_write(),
                dram.read_to_write(),
                dram.write_to_read(),
                dram.write_to_precharge(),
            );
            assert!(dram.bank_group(dram.timing.banks - 1) < dram.timing.bank_groups);
            let json = serde_json::to_string(&machine).unwrap();
            assert_eq!(
                serde_json::from_str::<gpusched::gpu::Machine>(&json).unwrap(),
                machine
            );
        }
        Err(error) => check(&error, bytes),
    }
}

/// Checks that an error is one line and names an existing line of the text, or an option that no line sets.
fn check(error: &Error, bytes: &[u8]) {
    let Error::Refused(refusal) = error else {
        panic!("{error}");
    };
    let lines = bytes.split(|&byte| byte == b'\n').count();
    match refusal.line() {
        Some(line) => assert!((1..=lines).contains(&line), "{error}, of {lines} lines"),
        None => assert!(refusal.field().starts_with('-'), "{error}"),
    }
    let text = error.to_string();
    let told = text.split("\n\nhint: ").next().unwrap_or_default();
    assert_eq!((refusal.file(), told.lines().count()), (Some("f"), 1), "{error}");
}

/// Typical values: numbers, lists of numbers, caches, mappings.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9]{1,5}",
        Just("0".to_owned()),
        Just("1".to_owned()),
        "[0-9]{1,3}([:,][0-9]{1,3}){0,13}",
        "[NS]:(1|2|4|16|32|64|128):(32|64|128):[0-9]{1,4},[LF]:[RBTEL]:[mfs]:[NWFL]:[LXPH],[ASFT]:[0-9]{1,3}:[0-9]{1,2},[0-9]{1,2}(:[0-9])?(,(0|32|128))?",
        "(dramid@[0-9]{1,2};)?[RBCSD0.]{60,70}",
        "nbk=16(:[A-Za-z]{2,4}=[0-9]{1,2}){0,14}",
        "[ -~]{0,20}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(rounds(512)) })]

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        never_panics(&bytes);
    }

    #[test]
    fn bytes_of_the_language(text in "[-a-z0-9#\":,=;\n \t]{0,300}") {
        never_panics(text.as_bytes());
    }

    #[test]
    fn a_configuration_with_a_hole(at in 0..4000_usize, length in 0..40_usize, put in prop::collection::vec(any::<u8>(), 0..6)) {
        let mut bytes = config("titanv").into_bytes();
        let start = at.min(bytes.len());
        let end = (start + length).min(bytes.len());
        bytes.splice(start..end, put);
        never_panics(&bytes);
    }

    #[test]
    fn a_configuration_cut_off(at in any::<prop::sample::Index>()) {
        let bytes = config("titanv").into_bytes();
        never_panics(&bytes[..at.index(bytes.len())]);
    }

    #[test]
    fn other_values(changes in prop::collection::vec((any::<prop::sample::Index>(), value()), 1..4)) {
        let all: Vec<&str> = options("titanv").map(|(option, _)| option).collect();
        let mut text = config("titanv");
        for (option, value) in &changes {
            text += &format!("{} {value}\n", option.get(&all));
        }
        never_panics(text.as_bytes());
    }
}
