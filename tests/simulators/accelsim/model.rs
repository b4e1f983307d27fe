//! Random executions of warps, printed as the tracer and its post-processor print them. This model is independent of
//! the reader.

use std::fmt::Write as _;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A kernel and its executed instructions.
#[derive(Debug, Clone)]
pub struct Kernel {
    pub version: u32,
    pub line_numbers: bool,
    pub binary_version: u32,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Executed instructions by block, then by warp.
    pub blocks: Vec<Vec<Vec<Executed>>>,
}

/// One line of a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct Executed {
    pub pc: u32,
    pub lanes: u32,
    pub writes: Vec<u8>,
    pub opcode: &'static str,
    pub reads: Vec<u8>,
    /// Bytes per lane; 0 without a memory access.
    pub bytes: u8,
    /// Addresses of the lanes that executed the instruction.
    pub addresses: Vec<u64>,
}

pub const SHARED: u64 = 0x7f06_7500_0000;
pub const LOCAL: u64 = 0x7f06_7700_0000;

/// Opcodes without addresses.
const PLAIN: [&str; 16] = [
    "FADD",
    "FFMA.FTZ",
    "IMAD.MOV.U32",
    "IADD3.X",
    "ISETP.GE.AND",
    "MUFU.RCP",
    "DFMA",
    "HMMA.1688.F32",
    "SHFL.IDX",
    "BAR.SYNC.DEFER_BLOCKING",
    "BRA",
    "EXIT",
    "S2R",
    "UIADD3",
    "LDC.64",
    "NOP",
];

/// Opcodes with addresses, and their bytes per lane.
const MEMORY: [(&str, u8); 14] = [
    ("LDG.E.SYS", 4),
    ("LDG.E.128.CONSTANT.SYS", 16),
    ("LDG.E.U8.SYS", 1),
    ("LDG.E.64.STRONG.GPU", 8),
    ("STG.E.SYS", 4),
    ("STG.E.U16", 2),
    ("LDS.U.128", 16),
    ("STS", 4),
    ("LDL.64", 8),
    ("STL", 4),
    ("LD.E", 4),
    ("ST.E.64", 8),
    ("RED.E.ADD.STRONG.GPU", 4),
    ("ATOM.E.ADD.F64.RN", 8),
];

impl Kernel {
    /// Generates a small kernel, which depends only on the seed.
    pub fn draw(seed: u64) -> Kernel {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let pick = |rng: &mut ChaCha8Rng| [1, 1, 2, 3][rng.random_range(0..4)];
        let grid = [pick(&mut rng), pick(&mut rng), pick(&mut rng)];
        let block = [rng.random_range(1..=40), pick(&mut rng), pick(&mut rng)];
        let version = rng.random_range(3..=5);
        let program: Vec<Executed> = (0..rng.random_range(1..=20))
            .map(|at| instruction(&mut rng, at))
            .collect();
        let warps = block.iter().product::<u32>().div_ceil(32);
        let count = grid.iter().product::<u32>();
        let mut warp = || -> Vec<Executed> {
            let count = rng.random_range(0..=30);
            (0..count)
                .map(|_| execute(&program[rng.random_range(0..program.len())], &mut rng))
                .collect()
        };
        let blocks = (0..count).map(|_| (0..warps).map(|_| warp()).collect()).collect();
        Kernel {
            version,
            line_numbers: version >= 4 && seed % 2 == 1,
            binary_version: [70, 75, 80, 86][(seed % 4) as usize],
            grid,
            block,
            blocks,
        }
    }

    /// Prints the trace; `seed` decides the choices that the format permits.
    pub fn print(&self, seed: u64) -> String {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut text = self.header();
        for (number, block) in self.blocks.iter().enumerate() {
            let [x, y, _] = self.grid.map(|size| size as usize);
            let (bx, by, bz) = (number % x, number / x % y, number / x / y);
            write!(text, "\n#BEGIN_TB\n\nthread block = {bx},{by},{bz}\n").unwrap();
            for (warp, executed) in block.iter().enumerate() {
                write!(text, "\nwarp = {warp}\ninsts = {}\n", executed.len()).unwrap();
                for line in executed {
                    text += &self.line(line, &mut rng);
                }
            }
            text += "\n#END_TB\n";
        }
        text
    }

    fn header(&self) -> String {
        let [x, y, z] = self.grid;
        let [a, b, c] = self.block;
        let mut text = format!(
            "-kernel name = _Z6kernelPf\n-kernel id = 7\n-grid dim = ({x},{y},{z})\n-block dim = ({a},{b},{c})\n\
             -shmem = 512\n-nregs = 40\n-binary version = {}\n-cuda stream id = 0\n-shmem base_addr = 0x{SHARED:016x}\n\
             -local mem base_addr = 0x{LOCAL:016x}\n-nvbit version = 1.5.5\n-accelsim tracer version = {}\n",
            self.binary_version, self.version
        );
        if self.version >= 4 {
            writeln!(text, "-enable lineinfo = {}", u32::from(self.line_numbers)).unwrap();
        }
        text + "\n#traces format = threadblock_x threadblock_y threadblock_z warpid_tb PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses]\n\n"
    }

    fn line(&self, executed: &Executed, rng: &mut ChaCha8Rng) -> String {
        let mut words = Vec::new();
        if self.line_numbers {
            words.push(rng.random_range(0..500u32).to_string());
        }
        words.push(format!("{:04x}", executed.pc));
        words.push(format!("{:08x}", executed.lanes));
        let registers = |words: &mut Vec<String>, registers: &[u8]| {
            words.push(registers.len().to_string());
            words.extend(registers.iter().map(|register| format!("R{register}")));
        };
        registers(&mut words, &executed.writes);
        words.push(executed.opcode.to_owned());
        registers(&mut words, &executed.reads);
        words.push(executed.bytes.to_string());
        if executed.bytes > 0 {
            words.push(addresses(executed, rng));
        }
        if self.version >= 5 {
            words.push(rng.random_range(-3..3i32).to_string());
        }
        words.join(" ") + " \n"
    }
}

/// Prints the addresses in one of the forms that can express them.
fn addresses(executed: &Executed, rng: &mut ChaCha8Rng) -> String {
    let list = &executed.addresses;
    let distances: Vec<i64> = list
        .windows(2)
        .map(|two| two[1].wrapping_sub(two[0]) as i64)
        .collect();
    let lanes: Vec<usize> = (0..32).filter(|lane| executed.lanes >> lane & 1 == 1).collect();
    let contiguous = lanes.windows(2).all(|two| two[1] == two[0] + 1);
    let equal = distances.windows(2).all(|two| two[0] == two[1]);
    let base = list.first().copied().unwrap_or(0);
    match rng.random_range(0..3) {
        0 => {
            let list: Vec<String> = list.iter().map(|address| format!("0x{address:016x}")).collect();
            format!("0 {}", list.join(" "))
        }
        1 if contiguous && equal => format!("1 0x{base:x} {}", distances.first().unwrap_or(&0)),
        _ => {
            let distances: Vec<String> = distances.iter().map(i64::to_string).collect();
            format!("2 0x{base:x} {}", distances.join(" "))
        }
    }
}

/// Generates the instruction at position `at` of a program, without lanes and addresses.
fn instruction(rng: &mut ChaCha8Rng, at: u32) -> Executed {
    let (opcode, bytes) = match rng.random_range(0..2) {
        0 => (PLAIN[rng.random_range(0..PLAIN.len())], 0),
        _ => MEMORY[rng.random_range(0..MEMORY.len())],
    };
    let mut registers = |most: usize| -> Vec<u8> {
        let count = rng.random_range(0..=most);
        (0..count)
            .map(|_| [0, 1, 7, 7, 254, 255][rng.random_range(0..6)])
            .collect()
    };
    Executed {
        pc: at * 16,
        lanes: 0,
        writes: registers(1),
        opcode,
        reads: registers(4),
        bytes,
        addresses: Vec::new(),
    }
}

fn execute(instruction: &Executed, rng: &mut ChaCha8Rng) -> Executed {
    let mut executed = instruction.clone();
    executed.lanes = match rng.random_range(0..4) {
        0 => u32::MAX,
        1 => rng.next_u32(),
        2 => (1u32 << rng.random_range(0..32)) - 1,
        _ => [0, 1, 1 << 31, 0x00ff_ff00][rng.random_range(0..4)],
    };
    if executed.bytes > 0 {
        let base = match executed.opcode.split('.').next().unwrap() {
            "LDS" | "STS" => rng.random_range(4 << 10..48 << 10),
            "LDL" | "STL" => rng.random_range(0xff_f000..0x100_0000),
            "LD" | "ST" | "ATOM" => [SHARED + 64, LOCAL + 4096, 0x7f00_0000_0000][rng.random_range(0..3)],
            _ => 0x7f00_0000_0000 + rng.random_range(0..1 << 20),
        };
        let stride = [0, 4, 4, 8, -4, 128][rng.random_range(0..6)];
        let regular = rng.random_bool(0.6);
        let count = u64::from(executed.lanes.count_ones());
        executed.addresses = (0..count)
            .map(|lane| match regular {
                true => base.wrapping_add_signed(stride * lane as i64),
                false => base + rng.random_range(0..1 << 12),
            })
            .collect();
    }
    executed
}
