//! A cycle of the crossbar, of the slices of L2 and of the DRAM.

use super::super::memory::Place;
use super::Gpu;
use super::clocks::{self, Domain};
use super::wakes::NEVER;

impl Gpu<'_> {
    pub(super) fn take_responses(&mut self) {
        let places = self.machine.interconnect.ejection_buffer as usize;
        for cluster in self.responding.with(self.replies.filled()).iter() {
            let responses = &mut self.responses[cluster];
            if let Some(&response) = responses.front() {
                let sm = response.sm as usize;
                let ahead = &mut self.ahead[sm];
                if ahead.until > self.now {
                    if ahead.took(self.now) {
                        responses.pop_front();
                        ahead.answered();
                    }
                } else if self.sms[sm].accepts() {
                    responses.pop_front();
                    ahead.answered();
                    self.sms[sm].answer(response);
                    self.sm_wakes[sm] = self.now;
                }
            }
            if responses.len() < places
                && let Some(reply) = self.replies.pop(cluster)
            {
                responses.push_back(reply);
            }
            self.responding.set(cluster, !responses.is_empty());
        }
    }

    pub(super) fn send_replies(&mut self) {
        let per_cluster = self.machine.sms_per_cluster as u16;
        for index in self.replying.iter() {
            let slice = &mut self.slices[index];
            if self.replies.has_room(index)
                && let Some(reply) = slice.outgoing.pop_front()
            {
                self.replies.push(index, reply.sm / per_cluster, reply);
            }
            self.replying.set(index, !slice.outgoing.is_empty());
        }
    }

    pub(super) fn dram_cycle(&mut self) {
        let tick = self.edges.count(Domain::Dram);
        let due = self.partition_wakes.due(tick);
        if due.is_empty() {
            return;
        }
        let per_channel = self.machine.memory.slices_per_channel as usize;
        let decoder = &self.decoder;
        let clocks = &self.machine.clocks;
        let ticks = |cycles| clocks::edges_before(cycles, clocks.core_khz, clocks.dram_khz);
        for channel in due.iter() {
            let partition = &mut self.partitions[channel];
            let first = channel * per_channel;
            let slices = &mut self.slices[first..first + per_channel];
            if !self.skips {
                partition.wake();
            } else if partition.is_quiet(self.now, tick)
                && slices.iter().all(|slice| slice.to_dram.is_empty())
            {
                continue;
            }
            partition.cycle(slices, first, self.now, tick, |address| {
                let location = decoder.locate(address);
                Place {
                    bank: location.bank,
                    row: location.row,
                }
            });
            let mut busy = !self.skips;
            for (index, slice) in slices.iter().enumerate() {
                busy |= !slice.to_dram.is_empty();
                if !slice.from_dram.is_empty() {
                    self.slice_wakes.set(first + index, self.now, self.now);
                }
            }
            let wake = match busy {
                true => 0,
                false => partition.wakes_at(self.now, tick, ticks).unwrap_or(NEVER),
            };
            self.partition_wakes.set(channel, wake, tick + 1);
        }
    }

    pub(super) fn l2_cycle(&mut self) {
        let arriving = self.requests.filled();
        let due = self.slice_wakes.due(self.now);
        let both = arriving.with(due);
        if both.is_empty() {
            return;
        }
        let per_channel = self.machine.memory.slices_per_channel as usize;
        for index in both.iter() {
            if arriving.contains(index)
                && self.slices[index].accepts()
                && let Some(request) = self.requests.pop(index)
            {
                if self.untouched.is_some() {
                    self.touch(request.address);
                }
                let slice = &mut self.slices[index];
                let at = slice.push(request, self.now);
                if self.goes_ahead {
                    self.ahead[request.sm as usize].asked(at);
                }
                let wake = slice.wakes_at(self.now).unwrap_or(NEVER);
                self.slice_wakes.set_earlier(index, wake, self.now);
            }
            if self.slice_wakes.is_due(index, self.now) {
                let slice = &mut self.slices[index];
                slice.cycle(self.now);
                let wake = slice.wakes_at(self.now + 1).unwrap_or(NEVER);
                self.slice_wakes.set(index, wake, self.now + 1);
                self.replying.set(index, !slice.outgoing.is_empty());
                if !slice.to_dram.is_empty() {
                    let channel = index / per_channel;
                    self.partition_wakes.set(channel, 0, 0);
                }
            }
        }
    }
}
