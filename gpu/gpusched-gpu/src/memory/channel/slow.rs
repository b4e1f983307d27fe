//! Reference implementation of a channel, as in GPGPU-Sim. In each cycle, this implementation
//! checks every bank and every limit separately.

use super::{Channel, Request};
use crate::machine::DramScheduler;
use crate::memory::events::Column;

/// Channel that the reference implementation simulates without shortcuts.
pub struct Slow(pub Channel);

impl Slow {
    /// Simulates a cycle as [`Channel::cycle`] does.
    pub fn cycle(&mut self, tick: u64) -> Option<Request> {
        let written = self.0.deliver(tick);
        self.schedule();
        self.command();
        written
    }

    fn schedule(&mut self) {
        let channel = &mut self.0;
        if channel.dram.scheduler == DramScheduler::FrFcfs {
            channel.sort_arrivals();
            if channel.pending + channel.pending_writes == 0 {
                return;
            }
            let banks = channel.banks.len();
            for step in 0..banks {
                let index = (step + channel.turn) % banks;
                if channel.banks[index].job.is_some() {
                    continue;
                }
                channel.switch_queue();
                if let Some(job) = channel.choose(index) {
                    channel.banks[index].job = Some(job);
                    channel.turn = (channel.turn + 1) % banks;
                    break;
                }
            }
        } else if let Some(&(bank, job)) = channel.arrivals.front()
            && channel.banks[bank as usize].job.is_none()
        {
            channel.arrivals.pop_front();
            channel.banks[bank as usize].job = Some(job);
        }
    }

    fn command(&mut self) {
        let banks = self.0.banks.len();
        let mut column = false;
        let mut row = false;
        for step in 0..banks {
            // As in GPGPU-Sim, a row command changes the first bank of the rotation even during
            // the loop.
            let bank = (step + self.0.turn) % banks;
            if self.0.banks[bank].job.is_none() {
                continue;
            }
            column = column || self.column(bank);
            if !self.0.dram.dual_bus && !column && !row {
                row = self.row(bank);
            }
            if column {
                break;
            }
        }
        if self.0.dram.dual_bus {
            let first = self.0.turn;
            let _ = (0..banks)
                .map(|step| (step + first) % banks)
                .any(|bank| self.row(bank));
        }
    }

    /// Issues a read or write command to bank `index` if the timing allows the command now.
    fn column(&mut self, index: usize) -> bool {
        let now = self.0.clock;
        let timing = &self.0.dram.timing;
        let group = self.0.dram.bank_group(index as u32) as usize;
        let bank = &mut self.0.banks[index];
        let Some(job) = bank.job.as_mut() else {
            return false;
        };
        if bank.open != Some(job.row) || now < self.0.next_column || now < self.0.next_in_group[group] {
            return false;
        }
        let burst = u64::from(self.0.dram.burst_cycles());
        if job.write {
            if now < bank.column_write || now < self.0.next_write {
                return false;
            }
            self.0.next_read = now + u64::from(self.0.dram.write_to_read());
            bank.precharge = bank
                .precharge
                .max(now + u64::from(self.0.dram.write_to_precharge()));
        } else {
            if now < bank.column_read || now < self.0.next_read {
                return false;
            }
            self.0.next_write = now + u64::from(self.0.dram.read_to_write());
            bank.precharge = bank.precharge.max(now + burst);
            self.0.next_precharge_in_group[group] = now + u64::from(timing.rtpl);
        }
        self.0.issued.column = Some(Column {
            kernel: job.request.kernel,
            bank: index as u8,
            writes: job.write,
        });
        self.0.next_column = now + u64::from(timing.ccd);
        self.0.next_in_group[group] = now + u64::from(timing.ccdl);
        let latency = u64::from(if job.write { timing.wl } else { timing.cl });
        let after_last = self.0.bus.back().map_or(0, |&(at, _, _)| at + 1);
        job.commands -= 1;
        let last = job.commands == 0;
        self.0
            .bus
            .push_back(((now + latency).max(after_last), job.request, last));
        if last {
            bank.job = None;
        }
        true
    }

    /// Opens or closes a row of bank `index` if the job of the bank requires this command and the timing allows it now.
    fn row(&mut self, index: usize) -> bool {
        let now = self.0.clock;
        let timing = &self.0.dram.timing;
        let group = self.0.dram.bank_group(index as u32) as usize;
        let banks = self.0.banks.len();
        let bank = &mut self.0.banks[index];
        let Some(job) = &bank.job else { return false };
        match bank.open {
            None if now >= self.0.next_activate && now >= bank.activate => {
                bank.open = Some(job.row);
                bank.row = job.row;
                self.0.issued.activation = Some(job.request.kernel);
                self.0.next_activate = now + u64::from(timing.rrd);
                bank.column_read = now + u64::from(timing.rcd);
                bank.column_write = now + u64::from(self.0.dram.rcd_write());
                bank.precharge = bank.precharge.max(now + u64::from(timing.ras));
                bank.activate = now + u64::from(timing.rc);
            }
            Some(open)
                if open != job.row
                    && now >= bank.precharge
                    && now >= self.0.next_precharge_in_group[group] =>
            {
                bank.open = None;
                bank.activate = bank.activate.max(now + u64::from(timing.rp));
            }
            _ => return false,
        }
        self.0.turn = (index + 1) % banks;
        true
    }
}
