//! Every byte sequence is either read or rejected.

use std::io::Cursor;

use gpusched::error::Error;
use gpusched::gpu::code::{Effect, Stream, TracedKernel};
use gpusched::gpu::import::accelsim::{Input, KernelSummary, TraceFile};
use proptest::prelude::*;

use crate::accelsim::model::Kernel;
use crate::support::rounds;

/// Checks that an error is one line and names an existing line of the text. Errors about empty or compressed input name
/// no line.
fn check(error: &Error, bytes: &[u8]) {
    let Error::Refused(refusal) = error else {
        panic!("{error}");
    };
    let lines = bytes.split(|&byte| byte == b'\n').count();
    let message = refusal.message();
    match refusal.line() {
        Some(line) => assert!((1..=lines).contains(&line), "{error}, of {lines} lines"),
        None => assert!(
            message.starts_with("found nothing") || message.starts_with("found a compressed file"),
            "{error}"
        ),
    }
    assert_eq!(error.to_string().lines().count(), 1, "{error}");
}

/// Reads all content in both ways; returns whether it was a trace.
fn read(bytes: &[u8]) -> bool {
    let open = || TraceFile::from_reader("fuzz", Cursor::new(bytes.to_vec()));
    let summary = open().and_then(KernelSummary::read);
    let mut effect = Effect::default();
    let trace = match open() {
        Ok(trace) => trace,
        Err(error) => {
            assert!(summary.is_err());
            check(&error, bytes);
            return false;
        }
    };
    let mut kernel = TracedKernel::new(trace);
    let mut issued = 0;
    let streams = loop {
        match kernel.next_block() {
            Ok(Some(streams)) => {
                for mut stream in streams {
                    while stream.next().is_some() {
                        stream.issue(&mut effect);
                        issued += 1;
                    }
                }
            }
            Ok(None) => break true,
            Err(error) => {
                check(&error, bytes);
                break false;
            }
        }
    };
    assert_eq!(summary.is_ok(), streams);
    if let Ok(summary) = summary {
        assert_eq!(summary.instructions, issued);
    }
    streams
}

/// Words of the format, so that random text passes the first checks.
fn word() -> impl Strategy<Value = String> {
    let known = [
        "-kernel name = k\n",
        "-grid dim = (1,1,1)\n",
        "-block dim = (64,1,1)\n",
        "-shmem = 0\n",
        "-nregs = 8\n",
        "-binary version = 75\n",
        "-accelsim tracer version = 5\n",
        "#traces format\n",
        "#BEGIN_TB\n",
        "thread block = 0,0,0\n",
        "warp = 0\n",
        "warp = 1\n",
        "insts = 1\n",
        "insts = 99999999\n",
        "0000 ",
        "ffffffff ",
        "1 ",
        "2 ",
        "0 ",
        "R1 ",
        "R255 ",
        "LDG.E.64 ",
        "FADD ",
        "0xffffffffffffffff ",
        "-4 ",
        "\n",
        "#END_TB\n",
    ];
    prop_oneof![9 => proptest::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => ".{0,8}"]
}

/// Words of lists, and other words.
fn entry() -> impl Strategy<Value = String> {
    let known = [
        "kernel-1.traceg",
        "kernel-2.traceg.xz",
        "kernel-3.trace",
        "MemcpyHtoD,0x7f00,400",
        "MemcpyHtoD,",
        "MemcpyDtoH,0x7f00,400",
        ",-1",
        "\n",
        "\r\n",
        "\0",
        " ",
    ];
    prop_oneof![6 => proptest::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => "\\PC{0,8}"]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: rounds(1024), ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        prop_assert!(!read(&bytes));
    }

    #[test]
    fn arbitrary_words(words in proptest::collection::vec(word(), 0..60)) {
        let header = "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (64,1,1)\n-shmem = 0\n-nregs = 8\n\
                      -binary version = 75\n-accelsim tracer version = 5\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 3\n";
        read(words.concat().as_bytes());
        read((header.to_owned() + &words.concat()).as_bytes());
    }

    #[test]
    fn a_cut_is_noticed(seed: u64, cut: prop::sample::Index) {
        let text = Kernel::draw(seed).print(seed);
        let end = text.trim_end().len();
        prop_assert!(read(text.as_bytes()));
        prop_assert!(!read(&text.as_bytes()[..cut.index(end)]), "cut off at {} of {end}", cut.index(end));
    }

    #[test]
    fn flipped_bits(seed: u64, flips in proptest::collection::vec((any::<prop::sample::Index>(), 0..8u8), 1..6)) {
        let mut bytes = Kernel::draw(seed).print(seed).into_bytes();
        for (place, bit) in flips {
            let place = place.index(bytes.len());
            bytes[place] ^= 1 << bit;
        }
        read(&bytes);
    }

    #[test]
    fn lists_of_arbitrary_words(words in proptest::collection::vec(entry(), 0..12)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kernelslist.g");
        let text = words.concat();
        std::fs::write(&path, &text).unwrap();
        match Input::open(&path) {
            Ok(Input::List(list)) => prop_assert!(list.kernels().count() <= text.lines().count()),
            Ok(Input::Kernel(_)) => prop_assert!(text.contains("-kernel name")),
            Err(error) if error.to_string().contains("found no kernel") => {
                prop_assert!(!text.lines().any(|line| line.starts_with("kernel")));
            }
            Err(error) => check(&error, text.as_bytes()),
        }
    }

    #[test]
    fn pieces_in_another_order(seed: u64, from: prop::sample::Index, to: prop::sample::Index) {
        let text = Kernel::draw(seed).print(seed);
        let mut lines: Vec<&str> = text.lines().collect();
        let line = lines.remove(from.index(lines.len()));
        lines.insert(to.index(lines.len() + 1), line);
        read(lines.join("\n").as_bytes());
    }
}
