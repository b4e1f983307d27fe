//! How addresses are divided into channel, bank, row and column.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// Which bits of an address say row, bank and column (`-gpgpu_mem_addr_mapping`).
///
/// The text form is the reference's: `dramid@8;` for channels chosen by the address above bit 8, modulo their number,
/// then one letter per bit from bit 63 down: `R` row, `B` bank, `C` column, `S` column within a burst, `D` channel
/// (without `dramid@`), `0` none; `.`, `|` and blanks are ignored. The letters are of the address without its channel.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct AddressMapping {
    /// The bit above which the channel is, if not said by `D`.
    channel_start: Option<u8>,
    channel: u64,
    bank: u64,
    row: u64,
    /// Includes the burst.
    column: u64,
    burst: u64,
}

/// What is expected where there is something else.
pub const EXPECTED: &str =
    "an address mapping: \"dramid@BIT;\" and one of R, B, C, S, D, 0 for each of 64 bits";

/// Why a text is no [`AddressMapping`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("found {found}, expected {EXPECTED}")]
pub struct ParseMappingError {
    /// What is wrong.
    pub found: String,
}

impl AddressMapping {
    /// The first bit of the channel, where the rest of the address is closed up around it.
    pub fn channel_start(&self) -> Option<u8> {
        self.channel_start
    }

    /// The bits of the channel; 0 where they are taken out by division.
    pub fn channel_mask(&self) -> u64 {
        self.channel
    }

    /// The bits of the bank.
    pub fn bank_mask(&self) -> u64 {
        self.bank
    }

    /// The bits of the row.
    pub fn row_mask(&self) -> u64 {
        self.row
    }

    /// The bits of the column, with those within a burst.
    pub fn column_mask(&self) -> u64 {
        self.column
    }

    /// The bits within a burst.
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
                return fault("more than 64 bits".to_owned());
            }
            let bit = 1_u64 << (64 - bits);
            match letter.to_ascii_uppercase() {
                'D' if start.is_none() => mapping.channel |= bit,
                'D' => return fault("bits D beside dramid@".to_owned()),
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
            return fault(format!("{bits} bits"));
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
