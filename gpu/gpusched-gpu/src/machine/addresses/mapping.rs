//! Mappings from address bits to channel, bank, row and column.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// Mapping from the bits of an address to row, bank and column (`-gpgpu_mem_addr_mapping`).
///
/// GPGPU-Sim uses the same text form. With the prefix `dramid@8;`, the channel is the address without its 8 lowest
/// bits, modulo the number of channels. After the prefix, the text contains one letter per bit, from bit 63 down: `R`
/// row, `B` bank, `C` column, `S` column within a burst, `D` channel (without `dramid@`), `0` unused. The parser
/// ignores `.`, `|` and blanks. If there is a prefix, the letters describe the address without its channel.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct AddressMapping {
    /// The number after `dramid@`: the lowest address bit that determines the channel. `None` if the bits `D` determine
    /// the channel.
    channel_start: Option<u8>,
    channel: u64,
    bank: u64,
    row: u64,
    /// Bits of the column, including the bits within a burst.
    column: u64,
    burst: u64,
}

/// Description of a valid mapping, for error messages.
pub const EXPECTED: &str =
    "an address mapping: optionally \"dramid@BIT;\", then 64 letters out of R, B, C, S, D and 0";

/// The error for a text that is not an [`AddressMapping`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("found {found}, expected {EXPECTED}")]
pub struct ParseMappingError {
    /// Invalid part of the text.
    pub found: String,
}

impl AddressMapping {
    /// Returns the number of the lowest address bit that determines the channel. Returns `None`
    /// if the bits `D` determine the channel.
    pub fn channel_start(&self) -> Option<u8> {
        self.channel_start
    }

    /// Returns the mask of the channel bits. The mask is 0 if a division determines the channel.
    pub fn channel_mask(&self) -> u64 {
        self.channel
    }

    /// Returns the mask of the bank bits.
    pub fn bank_mask(&self) -> u64 {
        self.bank
    }

    /// Returns the mask of the row bits.
    pub fn row_mask(&self) -> u64 {
        self.row
    }

    /// Returns the mask of the column bits, including the bits within a burst.
    pub fn column_mask(&self) -> u64 {
        self.column
    }

    /// Returns the mask of the bits within a burst.
    pub fn burst_mask(&self) -> u64 {
        self.burst
    }
}

impl FromStr for AddressMapping {
    type Err = ParseMappingError;

    fn from_str(text: &str) -> Result<AddressMapping, ParseMappingError> {
        let fault = |found: String| Err(ParseMappingError { found });
        let (start, letters) = match text.split_once(';') {
            Some((start, letters)) => {
                let bit = start
                    .trim()
                    .strip_prefix("dramid@")
                    .and_then(|bit| bit.parse::<u8>().ok());
                match bit {
                    Some(bit @ 1..=32) => (Some(bit), letters),
                    _ => return fault(format!("{:?} before the \";\"", clipped(start))),
                }
            }
            None => (None, text),
        };
        let mut mapping = AddressMapping {
            channel_start: start,
            channel: 0,
            bank: 0,
            row: 0,
            column: 0,
            burst: 0,
        };
        let mut bits = 0_u32;
        for letter in letters.chars() {
            if matches!(letter, '.' | '|') || letter.is_ascii_whitespace() {
                continue;
            }
            bits += 1;
            if bits > 64 {
                return fault("more than 64 letters".to_owned());
            }
            let bit = 1_u64 << (64 - bits);
            match letter.to_ascii_uppercase() {
                'D' if start.is_none() => mapping.channel |= bit,
                'D' => return fault("the letter D together with \"dramid@\"".to_owned()),
                'B' => mapping.bank |= bit,
                'R' => mapping.row |= bit,
                'C' => mapping.column |= bit,
                'S' => {
                    mapping.column |= bit;
                    mapping.burst |= bit;
                }
                '0' => {}
                other => return fault(format!("{other:?}")),
            }
        }
        if bits != 64 {
            return fault(format!("{bits} letters"));
        }
        Ok(mapping)
    }
}

impl fmt::Display for AddressMapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(bit) = self.channel_start {
            write!(f, "dramid@{bit};")?;
        }
        for bit in (0..64).rev() {
            let is = |mask: u64| mask >> bit & 1 == 1;
            let letter = match () {
                () if is(self.channel) => 'D',
                () if is(self.bank) => 'B',
                () if is(self.row) => 'R',
                () if is(self.burst) => 'S',
                () if is(self.column) => 'C',
                () => '0',
            };
            write!(f, "{letter}")?;
            if bit % 8 == 0 && bit > 0 {
                f.write_str(".")?;
            }
        }
        Ok(())
    }
}

fn clipped(text: &str) -> String {
    text.chars().take(40).collect()
}

impl Serialize for AddressMapping {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for AddressMapping {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<AddressMapping, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for AddressMapping {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "AddressMapping".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": EXPECTED,
            "type": "string",
            "pattern": "^(dramid@[0-9]+;)?[RrBbCcSsDd0.| ]+$"
        })
    }
}
