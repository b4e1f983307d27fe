//! Invalid traces are rejected with file, line, column, the value found and the value expected.

use std::io::Cursor;

use gpusched::gpu::import::accelsim::{KernelList, TraceFile};
use insta::assert_snapshot;

use crate::support::transcript::{Transcript, variants};

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

/// Replacements in the small trace.
const CHANGES: &str = r"
-kernel name = k\n →
-grid dim = (1,1,1)\n →
-grid dim = (1,1,1) → -grid dim = (0,1,1)
-grid dim = (1,1,1) → -grid dim = (1,1)
-grid dim = (1,1,1) → -grid dim = (1,1,1,1)
-grid dim = (1,1,1) → -grid dim = (1,1,70000)
-grid dim = (1,1,1) → -grid dim = (99999999999999999999,1,1)
(32,1,1) → (32,32,2)
(32,1,1) → (4294967295,4294967295,4294967295)
-shmem = 0 → -shmem = -1
-nregs = 8 → -nregs = 300
-nregs = 8 → -nregs = 8\n-nregs = 8
-nregs = 8 → -nregs
-binary version = 75 → -binary version = 7
version = 5 → version = 2
-accelsim tracer version = 5\n →
version = 5 → version = 5\n-enable lineinfo = 2
version = 5 → version = 5\n-enable lineinfo = 1
version = 5 → version = 5\n-shmem base_addr = 7f0g
#BEGIN_TB\n → #END_TB\n
#BEGIN_TB\n →
#traces format = …\n\n#BEGIN_TB\n → 0 0 0 0 0000 ffffffff 0 NOP 0 0\n
thread block = 0,0,0\n →
thread block = 0,0,0 → thread block = 1,0,0
thread block = 0,0,0 → thread block = 0,0
warp = 0\n →
warp = 0 → warp = 1
warp = 0 → warp = 18446744073709551616
0\n\n#END_TB → 0\nwarp = 0\n\n#END_TB
insts = 2\n →
insts = 2\n → insts = 2\ninsts = 2\n
insts = 2 → insts = 3
insts = 2 → insts = 1
insts = 2 → insts = 4294967295
insts = 2 → insts = 4294967296
insts = 2 → insts = two
0000 0000000f → zzzz 0000000f
0000 0000000f → 100000000 0000000f
0000 0000000f → 0000 10000000f
1 R2 LDG → 9 R2 LDG
1 R2 LDG → 2 R2 LDG
1 R2 LDG → 1 R256 LDG
1 R2 LDG → 1 UR2 LDG
LDG.E.64 → 64
LDG.E.64 → LDG/E
LDG.E.64 → LDG.E.256
LDG.E.64 1 R4 8 → LDG.E 1 R4 99999999999
1 R4 8 2 0x7f00 8 8 16 0 → 1 R4 0
LDG.E.64 → UTMALDG.2D
1 R4 8 → 1 R4
 8 8 16 0 →  8 8
0x7f00 8 8 16 0 → 0x7f00 8 8 16 0 0
0x7f00 8 8 16 0 → 0x7f00 8 8 16 x
8 2 0x7f00 8 8 16 0 → 8 3 0x7f00
8 2 0x7f00 8 → 8 2 0xffffffffffffffff 8
0000000f 1 R2 LDG.E.64 1 R4 8 2 0x7f00 8 8 16 0 → 00000005 1 R2 LDG.E.64 1 R4 8 1 0x7f00 8
\n#END_TB\n →
\n#END_TB\n → \n#BEGIN_TB\n
\n#END_TB\n → \n#END_TB\n#BEGIN_TB\n
\n#END_TB\n → \n#END_TB\ngarbage\n
(1,1,1) → (2,1,1)
";

#[test]
fn what_is_wrong_is_named() {
    assert_eq!(message(small()), "", "the trace itself is fine");
    let mut told = Transcript::default();
    for (given, text) in variants(&small(), CHANGES) {
        let message = message(text);
        assert!(message.len() <= 300, "{given}: {message}");
        told.case(given, message);
    }
    assert_snapshot!(told);
}

#[test]
fn files_that_are_something_else() {
    let long = format!("-kernel name = {}", "x".repeat(1 << 20));
    let mut told = Transcript::default();
    for bytes in [
        b"".to_vec(),
        b"\n \n".to_vec(),
        b"{\"tasks\":[]}".to_vec(),
        b"-kernel name = k\n".to_vec(),
        b"\xfd7zXZ\0\0\x04".to_vec(),
        b"\x1f\x8b\x08".to_vec(),
        b"\x28\xb5\x2f\xfd".to_vec(),
        b"\x00\xff\x7fELF".to_vec(),
        long.into_bytes(),
    ] {
        told.case(String::from_utf8_lossy(&bytes), message(bytes.clone()));
    }
    assert_snapshot!(told);
}

#[test]
fn no_end_of_different_instructions_at_one_address() {
    let lines: String = (0..2000)
        .map(|number| format!("0000 1 0 X{number} 0 0\n"))
        .collect();
    let text = small().replacen("insts = 2\n", &format!("insts = 2002\n{lines}"), 1);
    assert_snapshot!(message(text));
}

#[test]
fn lists() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernelslist.g");
    let refused = |text: &str| {
        std::fs::write(&path, text).unwrap();
        KernelList::read(&path).unwrap_err().to_string()
    };
    let mut told = Transcript::in_folder(folder.path());
    for text in [
        "",
        "MemcpyHtoD,0x10,4\n",
        "kernel-1.traceg\nlaunch\n",
        "MemcpyHtoD,0x10\n",
        "MemcpyHtoD,0x10,-4\n",
        "MemcpyHtoD,0x10,4,4\n",
        "MemcpyHtd,0x10,4\nkernel-1.traceg\n",
        "MemcpyHtoDD,0x10,4\nkernel-1.traceg\n",
        "kernel-1.traceg.xz\n",
        "kernel-1.traceg.gz\n",
        "kernel-1.trace\n",
    ] {
        told.case(text, refused(text));
    }
    assert_snapshot!(told);
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
