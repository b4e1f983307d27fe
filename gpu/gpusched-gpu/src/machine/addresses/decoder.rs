//! Decoder from addresses to locations in memory.

use super::bits::{Gather, insert_gap, lowest_bits};
use crate::machine::{Hash, Memory, PartitionIndexing};

/// A location in memory.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Location {
    /// Number of the DRAM channel, from 0.
    pub channel: u32,
    /// Number of the L2 slice. The slices of all channels are numbered together, from 0. Slice
    /// *s* belongs to channel *s* / (slices per channel).
    pub slice: u32,
    /// Number of the bank in the channel.
    pub bank: u32,
    /// Number of the row in the bank.
    pub row: u64,
    /// Column in the row [bytes].
    pub column: u64,
}

/// Decoder from addresses to locations in memory.
///
/// With `dramid@b`, the decoder removes the *b* lowest bits of the address and divides the rest by the number of
/// channels. The remainder of this division is the channel. The quotient and the *b* lowest bits form the address
/// without the channel. The decoder extracts row, bank and column from this address. If the number of channels is a
/// power of two, the decoder extracts the channel bits without a division, with the same result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decoder {
    channels: u64,
    slices_per_channel: u32,
    /// Number of the lowest address bit of the dividend. The remainder of the division is the channel. `None` if the
    /// decoder needs no division.
    division: Option<u32>,
    channel: Gather,
    bank: Gather,
    row: Gather,
    column: Gather,
    /// Extracts all address bits except the bits of the channel and the slice.
    rest: Gather,
    /// Number of the lowest address bit that a hash uses as a higher bit. Only for a decoder without a division.
    higher: u32,
    indexing: PartitionIndexing,
    bank_index: Hash,
    banks: u32,
}

impl Memory {
    /// Creates the decoder for this memory.
    pub fn decoder(&self) -> Decoder {
        let mapping = &self.mapping;
        let slice_bits = self.slices_per_channel.ilog2();
        let channel_bits = self.channels.ilog2();
        let start = mapping.channel_start().map(u32::from);
        let division = start.filter(|_| !self.channels.is_power_of_two());
        // If the number of channels is a power of two, `widen` inserts the channel bits into the
        // masks of the mapping.
        let widen = |mask| match start {
            Some(start) if division.is_none() => insert_gap(mask, start, channel_bits),
            _ => mask,
        };
        let channel = match start {
            Some(_) if division.is_some() => 0,
            Some(start) => (u64::from(self.channels) - 1) << start,
            None => mapping.channel_mask(),
        };
        let bank = widen(mapping.bank_mask());
        Decoder {
            channels: u64::from(self.channels),
            slices_per_channel: self.slices_per_channel,
            division,
            channel: Gather::new(channel),
            bank: Gather::new(bank),
            row: Gather::new(widen(mapping.row_mask())),
            column: Gather::new(widen(mapping.column_mask())),
            rest: Gather::new(!(channel | lowest_bits(bank, slice_bits))),
            higher: start.unwrap_or(0) + channel_bits + slice_bits,
            indexing: self.indexing,
            bank_index: self.dram.bank_index,
            banks: self.dram.timing.banks,
        }
    }
}

impl Decoder {
    /// Returns the number of L2 slices of one channel.
    #[inline]
    pub fn slices_per_channel(&self) -> u32 {
        self.slices_per_channel
    }

    /// Returns three parts of `address`: the channel before any hash, the address without the channel, and the higher
    /// bits for a hash. If the decoder needs no division, the second part is the whole address.
    #[inline]
    fn split(&self, address: u64) -> (u32, u64, u64) {
        match self.division {
            Some(start) => {
                let above = address >> start;
                let (quotient, channel) = (above / self.channels, above % self.channels);
                (
                    channel as u32,
                    quotient << start | address & ((1 << start) - 1),
                    quotient,
                )
            }
            None => (self.channel.of(address) as u32, address, address >> self.higher),
        }
    }

    /// Returns the channel and the slice of an address. `bank` is the bank number before the hash function `bank_index`
    /// changes it.
    #[inline]
    fn slice_of(&self, channel: u32, bank: u32, higher: u64) -> (u32, u32) {
        let count = self.slices_per_channel;
        let plain = |channel: u32| (channel, channel * count + (bank & (count - 1)));
        let channels = self.channels as u32;
        match self.indexing {
            PartitionIndexing::Consecutive => plain(channel),
            PartitionIndexing::Xor => plain(Hash::Xor.mix(channel, higher, channels).unwrap_or(channel)),
            PartitionIndexing::Ipoly => {
                let (_, slice) = plain(channel);
                let buckets = channels.next_power_of_two() * count;
                let hashed = Hash::Ipoly.mix(slice, higher, buckets).unwrap_or(slice);
                let slice = hashed % (channels * count);
                (slice / count, slice)
            }
        }
    }

    /// Returns the location of `address`.
    pub fn locate(&self, address: u64) -> Location {
        let (channel, rest, higher) = self.split(address);
        let bank = self.bank.of(rest) as u32;
        let (channel, slice) = self.slice_of(channel, bank, higher);
        let row = self.row.of(rest);
        Location {
            channel,
            slice,
            bank: self.bank_index.mix(bank, row, self.banks).unwrap_or(bank),
            row,
            column: self.column.of(rest),
        }
    }

    /// Returns the L2 slice of `address`, which equals [`Location::slice`].
    #[inline]
    pub fn slice(&self, address: u64) -> u32 {
        let (channel, rest, higher) = self.split(address);
        self.slice_of(channel, self.bank.of(rest) as u32, higher).1
    }

    /// Returns `address` without the bits of the channel and the slice. The L2 computes the set from this result. So
    /// the addresses of a slice use all sets of the slice.
    #[inline]
    pub fn within_slice(&self, address: u64) -> u64 {
        let (_, rest, _) = self.split(address);
        self.rest.of(rest)
    }
}
