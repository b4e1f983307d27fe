//! Crossbar between input queues and output queues. The transfer of a packet takes one cycle,
//! independent of the packet size.

use super::ports::Ports;
use crate::machine::Arbiter;
use crate::memory::ring::Ring;

/// Crossbar with at most 128 inputs and 128 outputs.
#[derive(Debug)]
pub struct Crossbar<T> {
    /// Packets in the queue of each input, each with the number of its output.
    inputs: Vec<Ring<(u16, T)>>,
    /// Packets in the queue of each output, each with the first cycle when the packet is
    /// available.
    outputs: Vec<Ring<(u64, T)>>,
    input_places: usize,
    output_places: usize,
    arbiter: Arbiter,
    /// Input that each output checks first (iSLIP).
    next: Vec<usize>,
    /// For each output, the inputs whose first packet is destined for this output.
    wanted: Vec<Ports>,
    /// Outputs for which at least one input has a packet.
    active: Ports,
    /// Outputs whose queue contains packets.
    filled: Ports,
    /// Number of packets in all input queues.
    entering: usize,
}

impl<T: Copy> Crossbar<T> {
    /// Maximum number of inputs and of outputs.
    pub const MAX_PORTS: usize = 128;

    pub fn new(
        inputs: usize,
        outputs: usize,
        input_places: usize,
        output_places: usize,
        arbiter: Arbiter,
    ) -> Self {
        Self {
            inputs: vec![Ring::new(); inputs],
            outputs: vec![Ring::new(); outputs],
            input_places,
            output_places,
            arbiter,
            next: vec![0; outputs],
            wanted: vec![Ports::default(); outputs],
            active: Ports::default(),
            filled: Ports::default(),
            entering: 0,
        }
    }

    /// Returns whether `input` accepts another packet.
    pub fn has_room(&self, input: usize) -> bool {
        self.inputs[input].len() < self.input_places
    }

    /// Returns the number of packets that `input` can accept.
    pub fn room(&self, input: usize) -> usize {
        self.input_places.saturating_sub(self.inputs[input].len())
    }

    /// Returns the next packet at `output`, with the first cycle when it is available; `None` if the output has no packet.
    pub fn first(&self, output: usize) -> Option<(u64, &T)> {
        self.outputs[output].front().map(|(at, packet)| (*at, packet))
    }

    /// Returns the first cycle when the next packet at `output` is available; `None` if the output has no packet.
    pub fn next_at(&self, output: usize) -> Option<u64> {
        self.first(output).map(|(at, _)| at)
    }

    /// Returns the smallest number of free places at any output.
    pub fn free_places(&self) -> usize {
        let most = self.outputs.iter().map(Ring::len).max().unwrap_or(0);
        self.output_places.saturating_sub(most)
    }

    /// Adds a packet for output `output` to the queue of `input`.
    pub fn push(&mut self, input: usize, output: u16, packet: T) {
        if self.inputs[input].is_empty() {
            self.want(output, input);
        }
        self.inputs[input].push_back((output, packet));
        self.entering += 1;
    }

    /// Removes and returns the next packet at `output`.
    pub fn pop(&mut self, output: usize) -> Option<T> {
        let (_, packet) = self.outputs[output].pop_front()?;
        self.note(output);
        Some(packet)
    }

    /// Returns the queues of all outputs. After a change of a queue, call [`Crossbar::note`].
    pub fn outputs(&mut self) -> &mut [Ring<(u64, T)>] {
        &mut self.outputs
    }

    /// Adds all packets at the outputs of `later` behind the packets at the own outputs.
    pub fn append_outputs(&mut self, later: &mut Self) {
        for (output, queue) in later.outputs.iter_mut().enumerate() {
            while let Some(packet) = queue.pop_front() {
                self.outputs[output].push_back(packet);
            }
            self.note(output);
        }
        later.filled = Ports::default();
    }

    /// Exchanges the packets at the outputs with the packets at the outputs of `other`.
    pub fn swap_outputs(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.outputs, &mut other.outputs);
        std::mem::swap(&mut self.filled, &mut other.filled);
    }

    /// Notes whether the queue of `output` contains packets.
    pub fn note(&mut self, output: usize) {
        self.filled.set(output, !self.outputs[output].is_empty());
    }

    /// Returns the outputs whose queue contains packets.
    pub fn filled(&self) -> Ports {
        self.filled
    }

    /// Returns whether the queues of all inputs are empty.
    pub fn rests(&self) -> bool {
        self.entering == 0
    }

    /// Returns whether the queues of all inputs and outputs are empty.
    pub fn is_empty(&self) -> bool {
        self.rests() && self.filled.is_empty()
    }

    fn want(&mut self, output: u16, input: usize) {
        self.wanted[output as usize].insert(input);
        self.active.insert(output as usize);
    }

    /// Moves the first packet of `input` to the queue of `output`. The packet is available from cycle `at` on.
    fn transfer(&mut self, input: usize, output: usize, at: u64) {
        let from = &mut self.inputs[input];
        let Some((_, packet)) = from.pop_front() else {
            return;
        };
        self.entering -= 1;
        self.outputs[output].push_back((at, packet));
        self.filled.insert(output);
        let next = from.front().map(|&(next, _)| next);
        if next == Some(output as u16) {
            return;
        }
        self.wanted[output].remove(input);
        if self.wanted[output].is_empty() {
            self.active.remove(output);
        }
        if let Some(next) = next {
            self.want(next, input);
        }
    }

    /// Simulates cycle `edge` of the crossbar clock; the first cycle is 0. Packets that move in this cycle are
    /// available from cycle `at` on. `at` may be a cycle of another clock.
    pub fn advance(&mut self, edge: u64, at: u64) {
        match self.arbiter {
            _ if self.active.is_empty() => {}
            Arbiter::Islip => self.advance_islip(at),
            Arbiter::RoundRobin => self.advance_round_robin(edge, at),
        }
    }

    /// Lets each output choose an input, in ascending order of outputs. If an input has sent a packet, it can send its
    /// next packet to a later output in the same cycle.
    fn advance_islip(&mut self, at: u64) {
        let mut output = 0;
        while let Some(next) = self.active.next_from(output) {
            output = next + 1;
            if self.outputs[next].len() < self.output_places
                && let Some(input) = self.wanted[next].first_from(self.next[next])
            {
                self.next[next] = if input + 1 == self.inputs.len() {
                    0
                } else {
                    input + 1
                };
                self.transfer(input, next, at);
            }
        }
    }

    /// Lets the inputs send packets in rotation. Each input sends at most one packet, and each
    /// output receives at most one packet.
    fn advance_round_robin(&mut self, edge: u64, at: u64) {
        let mut served = 0_u128;
        let turn = (edge % self.inputs.len() as u64) as usize;
        for step in 0..self.inputs.len() {
            let input = (step + turn) % self.inputs.len();
            let Some(&(output, _)) = self.inputs[input].front() else {
                continue;
            };
            let output = output as usize;
            if served >> output & 1 == 0 && self.outputs[output].len() < self.output_places {
                served |= 1 << output;
                self.transfer(input, output, at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    /// Reference implementation of iSLIP, as in GPGPU-Sim. Outputs choose in ascending order. Each output checks the
    /// inputs in rotation, and chooses the first input whose next packet is destined for this output.
    fn slow(
        inputs: &mut [VecDeque<(u16, u32)>],
        outputs: &mut [VecDeque<u32>],
        next: &mut [usize],
        places: usize,
    ) {
        for output in 0..outputs.len() {
            if outputs[output].len() >= places {
                continue;
            }
            for step in 0..inputs.len() {
                let input = (next[output] + step) % inputs.len();
                if inputs[input]
                    .front()
                    .is_some_and(|&(to, _)| to as usize == output)
                {
                    let (_, packet) = inputs[input].pop_front().unwrap();
                    outputs[output].push_back(packet);
                    next[output] = (input + 1) % inputs.len();
                    break;
                }
            }
        }
    }

    #[test]
    fn equals_a_search_of_all_pairs() {
        let mut state = 7_u64;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..50 {
            let (inputs, outputs) = (1 + random(9) as usize, 1 + random(9) as usize);
            let places = 1 + random(4) as usize;
            let mut fast = Crossbar::new(inputs, outputs, 8, places, Arbiter::Islip);
            let mut twin_in = vec![VecDeque::new(); inputs];
            let mut twin_out = vec![VecDeque::new(); outputs];
            let mut next = vec![0; outputs];
            let mut packet = 0_u32;
            for cycle in 0..200 {
                for (input, twin) in twin_in.iter_mut().enumerate() {
                    if random(2) == 0 && fast.has_room(input) {
                        let output = random(outputs as u64) as u16;
                        fast.push(input, output, packet);
                        twin.push_back((output, packet));
                        packet += 1;
                    }
                }
                fast.advance(cycle, cycle);
                slow(&mut twin_in, &mut twin_out, &mut next, places);
                for (output, twin) in twin_out.iter_mut().enumerate() {
                    assert_eq!(fast.filled().contains(output), !twin.is_empty());
                    if random(3) > 0 {
                        assert_eq!(fast.pop(output), twin.pop_front());
                    }
                }
            }
            let left = twin_in.iter().map(VecDeque::len).sum::<usize>()
                + twin_out.iter().map(VecDeque::len).sum::<usize>();
            assert_eq!(fast.is_empty(), left == 0);
        }
    }
}
