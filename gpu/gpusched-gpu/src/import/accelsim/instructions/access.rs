//! Addresses of a memory instruction.

use crate::import::accelsim::token::{Fault, Tokens, decimal, hexadecimal, signed};

const FIELD: &str = "mem_addresses";

/// Addresses of the lanes that execute a memory instruction, stored as compactly as in the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Consecutive lanes, with a constant distance between the addresses of neighboring lanes.
    Stride {
        /// Address of the first lane [bytes].
        base: u64,
        /// Distance between the addresses of neighboring lanes [bytes].
        stride: i64,
    },
    /// Any other pattern. The addresses are in the address list of the warp, and the value is the index of the first
    /// address.
    Listed(u32),
}

impl Access {
    /// Reads the columns after `mem_width`. Appends the addresses to `listed` if they have no
    /// constant stride.
    pub(in crate::import::accelsim) fn read(
        words: &mut Tokens<'_>,
        lanes: u32,
        listed: &mut Vec<u64>,
    ) -> Result<Access, Fault> {
        const EXPECTED: &str =
            "0 (list of addresses), 1 (base address and stride) or 2 (base address and deltas)";
        match words.read("address mode", decimal, EXPECTED)? {
            0 => {
                let start = start(listed)?;
                for _ in 0..lanes.count_ones() {
                    let expected = "one address for each lane in the mask";
                    listed.push(words.read(FIELD, hexadecimal, expected)?);
                }
                Ok(Access::Listed(start))
            }
            1 => {
                let base = words.read(FIELD, hexadecimal, "a hexadecimal base address")?;
                let stride = words.read(FIELD, signed, "a stride in bytes")?;
                contiguous(lanes, base, stride)
            }
            2 => {
                let base = words.read(FIELD, hexadecimal, "a hexadecimal base address")?;
                let start = start(listed)?;
                let mut address = base;
                for lane in 0..lanes.count_ones() {
                    if lane > 0 {
                        let expected =
                            "one address delta in bytes for each lane in the mask, except the first lane";
                        let delta = words.read(FIELD, signed, expected)?;
                        address = address.checked_add_signed(delta).ok_or_else(overflow)?;
                    }
                    listed.push(address);
                }
                Ok(Access::Listed(start))
            }
            mode => Err(Fault::new(
                "address mode",
                format!("found {mode}, expected {EXPECTED}"),
            )),
        }
    }

    /// Writes the addresses of the lanes in `lanes` to `addresses`. The entries of all other
    /// lanes stay unchanged.
    pub(in crate::import::accelsim) fn expand(self, lanes: u32, listed: &[u64], addresses: &mut [u64; 32]) {
        let slots = (0..32u32)
            .zip(addresses)
            .filter(|(lane, _)| lanes >> lane & 1 == 1);
        match self {
            Access::Stride { base, stride } => {
                let mut address = base;
                for (_, slot) in slots {
                    *slot = address;
                    address = address.wrapping_add_signed(stride); // the reader has checked the range
                }
            }
            Access::Listed(start) => {
                let listed = listed.get(start as usize..).unwrap_or_default();
                for ((_, slot), &address) in slots.zip(listed) {
                    *slot = address;
                }
            }
        }
    }
}

fn start(listed: &[u64]) -> Result<u32, Fault> {
    u32::try_from(listed.len()).map_err(|_| {
        Fault::new(
            FIELD,
            "found more than 2^32 addresses without a common stride in one warp, expected at most 2^32",
        )
    })
}

fn contiguous(lanes: u32, base: u64, stride: i64) -> Result<Access, Fault> {
    let run = lanes.checked_shr(lanes.trailing_zeros()).unwrap_or(0);
    if run & run.wrapping_add(1) != 0 {
        let message = format!(
            "found address mode 1 (stride) with mask {lanes:08x}, expected a mask of contiguous lanes"
        );
        return Err(Fault::new(FIELD, message));
    }
    let steps = i64::from(lanes.count_ones().saturating_sub(1));
    let last = stride
        .checked_mul(steps)
        .and_then(|way| base.checked_add_signed(way));
    last.ok_or_else(overflow)?;
    Ok(Access::Stride { base, stride })
}

fn overflow() -> Fault {
    Fault::new(
        FIELD,
        "found an address outside 64 bits, expected a 64-bit address",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, lanes: u32) -> Result<Vec<u64>, String> {
        let mut listed = vec![7];
        let mut words = Tokens::new(text.as_bytes());
        let access = Access::read(&mut words, lanes, &mut listed).map_err(|fault| fault.message)?;
        assert_eq!(words.next(), None, "{text}");
        let mut addresses = [u64::MAX; 32];
        access.expand(lanes, &listed, &mut addresses);
        let lanes = (0..32).filter(|lane| lanes >> lane & 1 == 1);
        Ok(lanes.map(|lane: usize| addresses[lane]).collect())
    }

    #[test]
    fn three_ways_to_say_the_same() {
        let expected = Ok(vec![0x10, 0x14, 0x18]);
        assert_eq!(read("0 0x10 0x14 0x0018", 0b1110), expected);
        assert_eq!(read("1 0x10 4", 0b1110), expected);
        assert_eq!(read("2 0x10 4 4", 0b1110), expected);
        assert_eq!(read("2 0x18 -8", 0x8000_0001), Ok(vec![0x18, 0x10]));
        assert_eq!(read("1 0x18 -4", u32::MAX).unwrap_err(), overflow().message);
        for none in ["0", "1 0x0 0", "2 0x0"] {
            assert_eq!(read(none, 0), Ok(vec![]), "{none}");
        }
        let whole = read("1 0xfffffffffffffffc 0", u32::MAX).unwrap();
        assert_eq!(whole, vec![0xffff_ffff_ffff_fffc; 32]);
    }

    #[test]
    fn refusals() {
        for (text, lanes, expected) in [
            ("", 1, "expected 0 (list of addresses)"),
            ("3 0x0", 1, "found 3, expected 0 (list of addresses)"),
            ("0 0x10", 3, "each lane in the mask"),
            (
                "1 0x10 4",
                0b101,
                "found address mode 1 (stride) with mask 00000005, expected a mask of contiguous lanes",
            ),
            ("1 10h 4", 1, "a hexadecimal base address"),
            ("2 0x10 4", 0b111, "each lane in the mask, except the first lane"),
            ("2 0x10 -17", 0b11, "outside 64 bits"),
            ("1 0xffffffffffffffff 1", 0b11, "outside 64 bits"),
        ] {
            let message = read(text, lanes).unwrap_err();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
