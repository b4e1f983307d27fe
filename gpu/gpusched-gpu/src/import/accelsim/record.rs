//! Line of a trace: the execution of one instruction by a warp.

use super::token::{Fault, Tokens, decimal, hexadecimal, signed};
use super::{Access, Code, Header, Record, Warp};

/// Value of `Record::access` for a record without addresses.
const NO_ACCESS: u32 = u32::MAX;

impl Record {
    /// Reads `line` and appends its addresses to `warp`.
    pub(super) fn read(
        line: &[u8],
        header: &Header,
        code: &mut Code,
        warp: &mut Warp,
    ) -> Result<Record, Fault> {
        let mut words = Tokens::new(line);
        if header.line_numbers {
            let expected = "a line number of the source code, because the header has `enable lineinfo = 1`";
            words.read("line_num", decimal, expected)?;
        }
        let narrow = |word: &[u8]| u32::try_from(hexadecimal(word)?).ok();
        let expected = "an instruction that begins with a hexadecimal address";
        let pc = words.read("PC", narrow, expected)?;
        let lanes = words.read("mask", narrow, "a hexadecimal mask of 32 lanes")?;
        let known = code.recognize(pc, &mut words, header)?;
        let (mut access, mut first) = (NO_ACCESS, None);
        if known.accesses {
            let found = Access::read(&mut words, lanes, &mut warp.listed)?;
            access = u32::try_from(warp.accesses.len()).unwrap_or(NO_ACCESS);
            warp.accesses.push(found);
            first = match found {
                _ if lanes == 0 => None,
                Access::Stride { base, .. } => Some(base),
                Access::Listed(start) => warp.listed.get(start as usize).copied(),
            };
        }
        // From version 5 of the tracer on, a line may end with an immediate value.
        let immediate = words.next();
        let number = |word| signed(word).is_some() || hexadecimal(word).is_some();
        if !immediate.is_none_or(number) {
            let expected = format!(
                "an immediate value or the end of the line after {}",
                code.opcode(&known)
            );
            return Err(Fault::found("immediate", immediate, &expected));
        }
        if let Some(word) = words.next() {
            let expected = format!("the end of the line after {}", code.opcode(&known));
            return Err(Fault::found("", Some(word), &expected));
        }
        Ok(Record {
            instruction: code.resolve(&known, first, header)?,
            lanes,
            access,
        })
    }
}
