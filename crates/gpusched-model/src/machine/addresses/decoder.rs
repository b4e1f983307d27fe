//! Where in the memory an address is.

use super::bits::{Gather, insert_gap, lowest_bits};
use crate::machine::{Hash, Memory, PartitionIndexing};

/// A place in the memory.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Location {
    /// The channel.
    pub channel: u32,
    /// The L2 slice, from 0 over all channels; slice *s* is of channel *s* / (slices per channel).
    pub slice: u32,
    /// The bank of the channel.
    pub bank: u32,
    /// The row of the bank.
    pub row: u64,
    /// The column of the row [bytes].
    pub column: u64,
}

/// Tells where in the memory an address is.
///
/// With `dramid@b` and a number of channels that is no power of two, the address above bit *b* is divided by their number:
/// the remainder is the channel, and the quotient above the *b* lowest bits is decoded further. With a power of two, the
/// channel is cut out of the address in the same way, which is the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decoder {
    channels: u64,
    slices_per_channel: u32,
    /// The bit above which the channel is a remainder.
    division: Option<u32>,
    channel: Gather,
    bank: Gather,
    row: Gather,
    column: Gather,
    /// What is left without channel and slice.
    rest: Gather,
    /// Where the bits begin that a hash mixes in, where nothing is divided.
    higher: u32,
    indexing: PartitionIndexing,
    bank_index: Hash,
    banks: u32,
}

impl Memory {
    /// Tells where in this memory an address is.
    pub fn decoder(&self) -> Decoder {
        let mapping = &self.mapping;
        let slice_bits = self.slices_per_channel.ilog2();
        let channel_bits = self.channels.ilog2();
        let start = mapping.channel_start().map(u32::from);
        let division = start.filter(|_| !self.channels.is_power_of_two());
        // With a power of two of channels, their bits are inserted into the letters of the mapping.
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
    /// The channel of `address` before any hash, what is decoded further, and what a hash mixes in.
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

    /// The channel and the slice of `address`, whose bank by the mapping is `bank`.
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

    /// Where `address` is.
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

    /// The L2 slice of `address`: [`Location::slice`] alone.
    #[inline]
    pub fn slice(&self, address: u64) -> u32 {
        let (channel, rest, higher) = self.split(address);
        self.slice_of(channel, self.bank.of(rest) as u32, higher).1
    }

    /// The address within its slice, without the bits of channel and slice: what the sets of L2 are chosen by, so that
    /// all of them are used.
    #[inline]
    pub fn within_slice(&self, address: u64) -> u64 {
        let (_, rest, _) = self.split(address);
        self.rest.of(rest)
    }
}
