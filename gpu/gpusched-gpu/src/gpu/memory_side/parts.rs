//! Parts of the memory that kernels use: DRAM channels with their slices, and ways of L2.

use crate::gpu::{Client, Failure, Launch};
use crate::machine::{Decoder, Location, MachineShape};

/// The part of the memory that each kernel and each memory client uses. The channels of two kernels are equal or disjoint, and so are their ways.
#[derive(Debug)]
pub struct Parts {
    /// Channels of each part of the memory.
    parts: Vec<Channels>,
    /// Ways of each part of L2.
    ways: Vec<Option<Vec<u32>>>,
    /// For each kernel and then for each client, its positions in `parts` and in `ways`. Clients do not use L2.
    of: Vec<(usize, usize)>,
}

#[derive(Debug)]
struct Channels {
    /// Channel numbers; `None` means all channels.
    numbers: Option<Vec<u32>>,
    /// Decoder of a memory that consists of these channels.
    decoder: Decoder,
}

impl Parts {
    /// Creates the parts of `kernels` and `clients`.
    ///
    /// # Errors
    /// Fails if a kernel or client uses no channel or no way, or if it uses a channel or way that does not exist. Also
    /// fails if the address mapping of the machine does not permit the number of channels.
    pub fn new(machine: &MachineShape, kernels: &[Launch], clients: &[Client]) -> Result<Self, Failure> {
        let mut parts = Self {
            parts: Vec::new(),
            ways: Vec::new(),
            of: Vec::new(),
        };
        let of_kernels = kernels
            .iter()
            .map(|kernel| (&kernel.name, &kernel.channels, &kernel.l2_ways));
        let of_clients = clients
            .iter()
            .map(|client| (&client.name, &client.channels, &None));
        for (name, channels, l2_ways) in of_kernels.chain(of_clients) {
            let memory = &machine.memory;
            check(name, "channels", channels.as_deref(), memory.channels)?;
            check(name, "l2_ways", l2_ways.as_deref(), memory.l2.ways)?;
            let known = parts.parts.iter().position(|part| part.numbers == *channels);
            let ways = parts.ways.iter().position(|ways| *ways == *l2_ways);
            parts.of.push((
                known.unwrap_or(parts.parts.len()),
                ways.unwrap_or(parts.ways.len()),
            ));
            if ways.is_none() {
                parts.ways.push(l2_ways.clone());
            }
            if known.is_none() {
                let numbers = channels.clone();
                let count = numbers
                    .as_ref()
                    .map_or(machine.memory.channels, |numbers| numbers.len() as u32);
                let memory = machine.memory.part(count).map_err(|_| Failure::Part {
                    kernel: name.clone(),
                    field: "channels",
                    found: format!("{count} channels"),
                    expected: "a number of channels that the address mapping permits".to_owned(),
                })?;
                parts.parts.push(Channels {
                    numbers,
                    decoder: memory.decoder(),
                });
            }
        }
        Ok(parts)
    }

    /// Returns the number of the L2 slice of `address`, for kernel `kernel`.
    #[inline]
    pub fn slice(&self, kernel: u8, address: u64) -> u32 {
        let part = self.channels(kernel);
        let slice = part.decoder.slice(address);
        match &part.numbers {
            None => slice,
            Some(numbers) => {
                let count = part.decoder.slices_per_channel();
                numbers[(slice / count) as usize] * count + slice % count
            }
        }
    }

    /// Returns the location of `address` in its channel, for kernel `kernel`. The channel number and the slice number
    /// count only the channels of the kernel.
    #[inline]
    pub fn locate(&self, kernel: u8, address: u64) -> Location {
        self.channels(kernel).decoder.locate(address)
    }

    /// Returns the part of L2 that kernel `kernel` uses, and `address` without the bits of its channel and its slice.
    #[inline]
    pub fn within_slice(&self, kernel: u8, address: u64) -> (usize, u64) {
        let (part, ways) = self.of[usize::from(kernel)];
        (ways, self.parts[part].decoder.within_slice(address))
    }

    /// Returns the number of lines of a set in each part of L2, where `all` is the number of ways of L2.
    pub fn ways(&self, all: u32) -> impl Iterator<Item = u32> {
        let count = move |ways: &Option<Vec<u32>>| ways.as_ref().map_or(all, |ways| ways.len() as u32);
        self.ways.iter().map(count)
    }

    fn channels(&self, kernel: u8) -> &Channels {
        &self.parts[self.of[usize::from(kernel)].0]
    }
}

/// Checks that the channels or ways `own` of the kernel or client `name` have numbers less than `count`.
fn check(name: &str, field: &'static str, own: Option<&[u32]>, count: u32) -> Result<(), Failure> {
    match own {
        Some(own) if own.is_empty() || own.iter().any(|&number| number >= count) => Err(Failure::Part {
            kernel: name.to_owned(),
            field,
            found: format!("{own:?}"),
            expected: format!("one or more numbers below {count}"),
        }),
        _ => Ok(()),
    }
}
