//! Permitted modifiers of each opcode (PTX ISA 8.7). The check prevents a misspelled modifier from silently changing an
//! instruction.

use super::Instruction;
use super::error::PtxError;
use super::instruction::clip;

/// Type modifiers, which are permitted for every instruction. The class of an instruction
/// determines the valid types.
const TYPES: &str = "b1 b8 b16 b16x2 b32 b64 b128 u4 u8 u16 u32 u64 s4 s8 s16 s32 s64 u16x2 s16x2 f16 f16x2 bf16 bf16x2 tf32 f32 f32x2 f64 \
    e4m3 e5m2 e3m2 e2m3 e2m1 e4m3x2 e5m2x2 e3m2x2 e2m3x2 e2m1x2 e4m3x4 e5m2x4 e3m2x4 e2m3x4 e2m1x4 ue8m0 ue8m0x2 ue4m3 \
    pred";

const COMPARISONS: &str = "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor ftz";
const ROUNDED: &str = "rn rz rm rp approx full ftz";
const ARITHMETIC: &str = "rn rz rm rp ftz sat cc lo hi wide relu oob";
const SPACES: &str = "global local shared const param shared:: param::";
const MEMORY: &str = "weak volatile relaxed acquire release acq_rel mmio cta cluster gpu sys global local shared const param shared:: \
    param:: unified ca cg cs lu cv nc wb wt v2 v4 v8 L1:: L2:: level::";
const MATRICES: &str =
    "mma sync aligned row col satfinite rn rz rm rp xor and popc sp sp:: kind:: block_scale scale_vec::";

/// Returns the permitted modifiers of the opcode `name`, except types. Returns `None` for opcodes that cannot be
/// imported.
fn modifiers(name: &str) -> Option<[&'static str; 2]> {
    Some(match name {
        "add" | "sub" | "addc" | "subc" | "mul" | "mad" | "fma" | "madc" | "mul24" | "mad24" => {
            [ARITHMETIC, ""]
        }
        "min" | "max" => ["ftz NaN xorsign abs relu", ""],
        "div" | "sqrt" | "rsqrt" | "rcp" | "sin" | "cos" | "ex2" | "lg2" | "tanh" => [ROUNDED, ""],
        "abs" | "neg" | "selp" | "slct" => ["ftz", ""],
        "set" | "setp" => [COMPARISONS, ""],
        "cvt" => [ROUNDED, "rni rzi rmi rpi rna rs sat satfinite relu pack scaled::"],
        "cvta" => [SPACES, "to"],
        "isspacep" => [SPACES, ""],
        "bfind" => ["shiftamt", ""],
        "bmsk" | "szext" => ["clamp wrap", ""],
        "shf" => ["l r clamp wrap", ""],
        "shfl" => ["up down bfly idx sync", ""],
        "prmt" => ["f4e b4e rc8 ecl ecr rc16", ""],
        "lop3" => ["and or", ""],
        "dp2a" | "dp4a" => ["lo hi", ""],
        "elect" => ["sync", ""],
        "testp" => ["finite infinite number notanumber normal subnormal", ""],
        "match" | "vote" => ["any all uni ballot sync", ""],
        "redux" => ["sync add min max and or xor abs NaN", ""],
        "vabsdiff" | "vadd" | "vmax" | "vmin" => ["sat add min max", ""],
        "bar" | "barrier" => [
            "sync arrive wait red cta cluster warp aligned popc and or release relaxed acquire",
            "",
        ],
        "membar" | "fence" => [
            "cta cluster gpu gl sys sc acq_rel acquire release relaxed proxy alias async global",
            "generic tensormap mbarrier_init async:: shared:: sync_restrict:: tensormap:: to_proxykind:: from_proxykind::",
        ],
        "bra" | "ret" => ["uni", ""],
        "ld" | "ldu" | "st" => [MEMORY, ""],
        "atom" | "red" => [MEMORY, "add inc dec min max and or xor exch cas noftz"],
        "mma" | "wmma" => [MATRICES, ""],
        "activemask" | "and" | "bfe" | "bfi" | "brev" | "clz" | "cnot" | "copysign" | "exit" | "fns"
        | "mov" | "nop" | "not" | "or" | "popc" | "rem" | "sad" | "shl" | "shr" | "xor" => ["", ""],
        _ => return None,
    })
}

/// Fails if `instruction` has an unknown modifier, and reports the first unknown modifier.
pub fn check(instruction: &Instruction) -> Result<(), PtxError> {
    let Some(known) = modifiers(instruction.name()) else {
        return Ok(());
    };
    let words = || known.iter().flat_map(|words| words.split_whitespace());
    let is_matrix = matches!(instruction.name(), "mma" | "wmma");
    if is_matrix && (instruction.is("load") || instruction.is("store")) {
        return Ok(()); // the importer rejects these opcodes anyway
    }
    let fits = |modifier: &str| {
        let stem = modifier.find("::").and_then(|at| modifier.get(..at + 2));
        words()
            .chain(TYPES.split_whitespace())
            .any(|word| word == modifier || Some(word) == stem)
            || (is_matrix && is_shape(modifier))
    };
    let Some(unknown) = instruction.opcode.iter().skip(1).find(|modifier| !fits(modifier)) else {
        return Ok(());
    };
    let known: Vec<&str> = words().collect();
    let known = match known.is_empty() {
        true => "a type".to_owned(),
        false => format!("a type or one of {}", known.join(", ")),
    };
    let opcode = instruction.opcode.join(".");
    let found = format!(
        "found the modifier {} of {}, expected {known}",
        clip(unknown),
        clip(&opcode)
    );
    Err(PtxError {
        unknown_modifier: true,
        ..PtxError::new(instruction.line, found)
    })
}

/// Returns whether `modifier` is a matrix shape, such as `m16n8k16`.
fn is_shape(modifier: &str) -> bool {
    let mut sizes = modifier.split(['m', 'n', 'k']);
    let is_size = |size: &str| !size.is_empty() && size.chars().all(|c| c.is_ascii_digit());
    let letters: String = modifier.chars().filter(char::is_ascii_alphabetic).collect();
    letters == "mnk" && sizes.next() == Some("") && sizes.all(is_size)
}
