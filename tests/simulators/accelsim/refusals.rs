//! What is no trace is refused, with file, line, column, what was found and what was expected.

use std::io::Cursor;

use gpusched::accelsim::{KernelList, TraceFile};

/// A trace of one warp with a load and an exit.
pub fn small() -> String {
    "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 8\n\
     -binary version = 75\n-accelsim tracer version = 5\n\n#traces format = …\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\n\
     warp = 0\ninsts = 2\n0000 0000000f 1 R2 LDG.E.64 1 R4 8 2 0x7f00 8 8 16 0\n0010 ffffffff 0 EXIT 0 0 0\n\n#END_TB\n"
        .to_owned()
}

fn message(text: impl Into<Vec<u8>>) -> String {
    let trace = TraceFile::from_reader("bad.traceg", Cursor::new(text.into()));
    let mut trace = match trace {
        Ok(trace) => trace,
        Err(error) => return error.to_string(),
    };
    loop {
        match trace.next_block() {
            Ok(Some(_)) => {}
            Ok(None) => return String::new(),
            Err(error) => {
                assert!(trace.next_block().unwrap().is_none(), "nothing after an error");
                return error.to_string();
            }
        }
    }
}

/// What replaces what in the small trace, and what the message must say.
#[rustfmt::skip] // a table
const CHANGES: &[(&str, &str, &[&str])] = &[
    ("-kernel name = k\n", "", &["bad.traceg:9: at kernel name: found none in the header"]),
    ("-grid dim = (1,1,1)\n", "", &["at grid dim: found none"]),
    ("-grid dim = (1,1,1)", "-grid dim = (0,1,1)", &["bad.traceg:3: at grid dim: found \"(0,1,1)\", expected (x,y,z) with x from 1"]),
    ("-grid dim = (1,1,1)", "-grid dim = (1,1)", &["bad.traceg:3: at grid dim"]),
    ("-grid dim = (1,1,1)", "-grid dim = (1,1,1,1)", &["bad.traceg:3: at grid dim"]),
    ("-grid dim = (1,1,1)", "-grid dim = (1,1,70000)", &["bad.traceg:3: at grid dim", "y and z from 1 to 65535"]),
    ("-grid dim = (1,1,1)", "-grid dim = (99999999999999999999,1,1)", &["bad.traceg:3: at grid dim"]),
    ("(32,1,1)", "(32,32,2)", &["bad.traceg:4: at block dim: found \"(32,32,2)\"", "at most 1024 threads"]),
    ("(32,1,1)", "(4294967295,4294967295,4294967295)", &["bad.traceg:4: at block dim"]),
    ("-shmem = 0", "-shmem = -1", &["bad.traceg:5: at shmem: found \"-1\", expected 0 to 1048576 bytes"]),
    ("-nregs = 8", "-nregs = 300", &["bad.traceg:6: at nregs: found \"300\", expected 0 to 256"]),
    ("-nregs = 8", "-nregs = 8\n-nregs = 8", &["bad.traceg:7: at nregs: found it a second time"]),
    ("-nregs = 8", "-nregs", &["bad.traceg:6: found \"nregs\", expected `-field = value`"]),
    ("-binary version = 75", "-binary version = 7", &["bad.traceg:7: at binary version: found \"7\"", "75 for Turing"]),
    ("version = 5", "version = 2", &["bad.traceg:8: at accelsim tracer version: found \"2\", expected 3 or more: trace the program again"]),
    ("-accelsim tracer version = 5\n", "", &["at accelsim tracer version: found none"]),
    ("version = 5", "version = 5\n-enable lineinfo = 2", &["bad.traceg:9: at enable lineinfo: found \"2\", expected 0 or 1"]),
    ("version = 5", "version = 5\n-enable lineinfo = 1", &["bad.traceg:19: at dest_num: found \"R2\", expected 0 to 8 registers"]),
    ("version = 5", "version = 5\n-shmem base_addr = 7f0g", &["bad.traceg:9: at shmem base_addr: found \"7f0g\", expected a hexadecimal address"]),
    ("#BEGIN_TB\n", "#END_TB\n", &["bad.traceg:12: found \"#END_TB\", expected #BEGIN_TB"]),
    ("#BEGIN_TB\n", "", &["bad.traceg:13: found \"thread block = 0,0,0\", expected #BEGIN_TB"]),
    ("#traces format = …\n\n#BEGIN_TB\n", "0 0 0 0 0000 ffffffff 0 NOP 0 0\n", &["bad.traceg:10: found \"0 0 0 0 0000", "raw traces (.trace) must go through post-traces-processing"]),
    ("thread block = 0,0,0\n", "", &["bad.traceg:15: found \"warp = 0\", expected `thread block = x,y,z`"]),
    ("thread block = 0,0,0", "thread block = 1,0,0", &["bad.traceg:14: at thread block: found \"1,0,0\", expected 0,0,0"]),
    ("thread block = 0,0,0", "thread block = 0,0", &["bad.traceg:14: at thread block: found \"0,0\""]),
    ("warp = 0\n", "", &["bad.traceg:16: at insts: found it before the first warp"]),
    ("warp = 0", "warp = 1", &["bad.traceg:16: found \"warp = 1\", expected `warp = N` with N below 1, as block dim says"]),
    ("warp = 0", "warp = 18446744073709551616", &["bad.traceg:16", "`warp = N`"]),
    ("0\n\n#END_TB", "0\nwarp = 0\n\n#END_TB", &["bad.traceg:20: at warp: found 0 a second time"]),
    ("insts = 2\n", "", &["bad.traceg:17: found \"0000 0000000f", "expected `warp = N`, then `insts = N`"]),
    ("insts = 2\n", "insts = 2\ninsts = 2\n", &["bad.traceg:18: found \"insts = 2\", expected one `insts = N`"]),
    ("insts = 2", "insts = 3", &["bad.traceg:21: at insts: found 3 in warp 0, which has 2 instructions"]),
    ("insts = 2", "insts = 1", &["bad.traceg:19: found \"0010 ffffffff", "after the 1 instructions of insts"]),
    ("insts = 2", "insts = 4294967295", &["bad.traceg:21: at insts: found 4294967295 in warp 0"]),
    ("insts = 2", "insts = 4294967296", &["bad.traceg:17: found \"insts = 4294967296\""]),
    ("insts = 2", "insts = two", &["bad.traceg:17: found \"insts = two\""]),
    ("0000 0000000f", "zzzz 0000000f", &["bad.traceg:18: at PC: found \"zzzz\""]),
    ("0000 0000000f", "100000000 0000000f", &["bad.traceg:18: at PC: found \"100000000\""]),
    ("0000 0000000f", "0000 10000000f", &["bad.traceg:18: at mask: found \"10000000f\", expected 32 lanes"]),
    ("1 R2 LDG", "9 R2 LDG", &["bad.traceg:18: at dest_num: found \"9\", expected 0 to 8 registers"]),
    ("1 R2 LDG", "2 R2 LDG", &["bad.traceg:18: at reg_dests: found \"LDG.E.64\", expected R0 to R255"]),
    ("1 R2 LDG", "1 R256 LDG", &["bad.traceg:18: at reg_dests: found \"R256\", expected R0 to R255"]),
    ("1 R2 LDG", "1 UR2 LDG", &["bad.traceg:18: at reg_dests: found \"UR2\""]),
    ("LDG.E.64", "64", &["bad.traceg:18: at opcode: found \"64\", expected an opcode"]),
    ("LDG.E.64", "LDG/E", &["bad.traceg:18: at opcode: found \"LDG/E\""]),
    ("LDG.E.64", "LDG.E.256", &["bad.traceg:18: at mem_width: found 32 in \"LDG.E.256\", expected 1 to 16 bytes per lane"]),
    ("LDG.E.64 1 R4 8", "LDG.E 1 R4 99999999999", &["bad.traceg:18: at mem_width: found 4294967295 in \"LDG.E\""]),
    ("1 R4 8 2 0x7f00 8 8 16 0", "1 R4 0", &["bad.traceg:18: at mem_width: found 0 in \"LDG.E.64\", expected the bytes"]),
    ("LDG.E.64", "UTMALDG.2D", &["bad.traceg:18: at opcode: found \"UTMALDG.2D\"", "(TMA)"]),
    ("1 R4 8", "1 R4", &["bad.traceg:18: at address mode: found \"0x7f00\", expected 0 (a list)"]),
    (" 8 8 16 0", " 8 8", &["bad.traceg:18: at mem_addresses: found the end of the line, expected a distance for each lane"]),
    ("0x7f00 8 8 16 0", "0x7f00 8 8 16 0 0", &["bad.traceg:18: found \"0\", expected the end of the line after LDG.E.64"]),
    ("0x7f00 8 8 16 0", "0x7f00 8 8 16 x", &["bad.traceg:18: at immediate: found \"x\", expected an immediate value"]),
    ("8 2 0x7f00 8 8 16 0", "8 3 0x7f00", &["bad.traceg:18: at address mode: found 3, expected 0 (a list)"]),
    ("8 2 0x7f00 8", "8 2 0xffffffffffffffff 8", &["bad.traceg:18: at mem_addresses: found an address beyond 64 bits"]),
    ("0000000f 1 R2 LDG.E.64 1 R4 8 2 0x7f00 8 8 16 0", "00000005 1 R2 LDG.E.64 1 R4 8 1 0x7f00 8", &["bad.traceg:18: at mem_addresses: found a stride with mask 00000005"]),
    ("\n#END_TB\n", "", &["bad.traceg:19: found the end within thread block 0,0,0, expected #END_TB: is the file cut off?"]),
    ("\n#END_TB\n", "\n#BEGIN_TB\n", &["bad.traceg:21: found \"#BEGIN_TB\", expected `warp = N`"]),
    ("\n#END_TB\n", "\n#END_TB\n#BEGIN_TB\n", &["bad.traceg:22: at #BEGIN_TB: found another thread block, expected the end after the 1 of the grid"]),
    ("\n#END_TB\n", "\n#END_TB\ngarbage\n", &["bad.traceg:22: found \"garbage\", expected #BEGIN_TB"]),
    ("(1,1,1)", "(2,1,1)", &["bad.traceg:21: found the end after 1 of 2 thread blocks: is the file cut off?"]),
];

#[test]
fn what_is_wrong_is_named() {
    assert_eq!(message(small()), "", "the trace itself is fine");
    let mut wrong = Vec::new();
    for (from, to, expected) in CHANGES {
        assert!(small().contains(from), "{from:?}");
        let message = message(small().replacen(from, to, 1));
        if message.len() > 300 || !expected.iter().all(|part| message.contains(part)) {
            wrong.push(format!("{from:?} → {to:?}: {message}, expected {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn files_that_are_something_else() {
    let long = format!("-kernel name = {}", "x".repeat(1 << 20));
    for (bytes, expected) in [
        (b"".to_vec(), "bad.traceg: found nothing, expected a trace"),
        (b"\n \n".to_vec(), "bad.traceg: found nothing, expected a trace"),
        (
            b"{\"tasks\":[]}".to_vec(),
            "bad.traceg:1: found \"{\\\"tasks\\\":[]}\", expected the header of a trace",
        ),
        (
            b"-kernel name = k\n".to_vec(),
            "bad.traceg:1: found no thread block after the header",
        ),
        (
            b"\xfd7zXZ\0\0\x04".to_vec(),
            "found a compressed file, expected text: decompress it first, such as with `xz -dk FILE`",
        ),
        (b"\x1f\x8b\x08".to_vec(), "`gzip -dk FILE`"),
        (b"\x28\xb5\x2f\xfd".to_vec(), "`zstd -dk FILE`"),
        (
            b"\x00\xff\x7fELF".to_vec(),
            "bad.traceg:1: found \"\\0\u{fffd}\\u{7f}ELF\", expected the header",
        ),
        (
            long.into_bytes(),
            "bad.traceg:1: found a line of more than 65536 bytes",
        ),
    ] {
        let message = message(bytes);
        assert!(message.contains(expected), "{expected}: {message}");
    }
}

#[test]
fn no_end_of_different_instructions_at_one_address() {
    let lines: String = (0..2000)
        .map(|number| format!("0000 1 0 X{number} 0 0\n"))
        .collect();
    let text = small().replacen("insts = 2\n", &format!("insts = 2002\n{lines}"), 1);
    assert!(message(text).contains("at PC: found more than 1024 different instructions at 0000"));
}

#[test]
fn lists() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernelslist.g");
    let refused = |text: &str| {
        std::fs::write(&path, text).unwrap();
        KernelList::read(&path).unwrap_err().to_string()
    };
    for (text, expected) in [
        ("", "kernelslist.g: found no kernel"),
        ("MemcpyHtoD,0x10,4\n", "kernelslist.g: found no kernel"),
        (
            "kernel-1.traceg\nlaunch\n",
            "kernelslist.g:2: found \"launch\", expected `kernel-N.traceg` or `MemcpyHtoD",
        ),
        (
            "MemcpyHtoD,0x10\n",
            "kernelslist.g:1: at MemcpyHtoD: found \"MemcpyHtoD,0x10\"",
        ),
        ("MemcpyHtoD,0x10,-4\n", "kernelslist.g:1: at MemcpyHtoD"),
        ("MemcpyHtoD,0x10,4,4\n", "kernelslist.g:1: at MemcpyHtoD"),
        (
            "kernel-1.traceg.xz\n",
            "kernelslist.g:1: found \"kernel-1.traceg.xz\", expected a decompressed trace: run `xz -dk`",
        ),
        ("kernel-1.traceg.gz\n", "run `gzip -dk`"),
        (
            "kernel-1.trace\n",
            "kernelslist.g:1: found \"kernel-1.trace\", expected a .traceg",
        ),
    ] {
        let message = refused(text);
        assert!(message.contains(expected), "{text:?}: {message}");
    }
    std::fs::write(folder.path().join("kernel-1.traceg"), small()).unwrap();
    std::fs::write(&path, "MemcpyHtoD,0x10,4\r\nMemcpyDtoH,1\nkernel-1.traceg.xz\n").unwrap();
    let list = KernelList::read(&path).unwrap();
    assert_eq!(list.commands().len(), 2);
    let kernels: Vec<_> = list.kernels().collect();
    assert_eq!(
        kernels,
        [folder.path().join("kernel-1.traceg")],
        "decompressed, it is found"
    );
}
