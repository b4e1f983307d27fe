//! Commands of a DRAM channel: the earliest cycle and the effect of each command.

use super::{Channel, NEVER, rotated};
use crate::memory::events::Column;

impl Channel {
    /// Issues the commands of the current cycle.
    pub(super) fn command(&mut self) {
        if self.clock < self.quiet_until {
            return;
        }
        self.quiet_until = if self.dram.dual_bus {
            self.command_on_both()
        } else {
            self.command_in_turn()
        };
    }

    /// Issues commands on separate buses for row and column commands. Returns 0 if the function
    /// issued a command. If no command was issued, returns the first cycle when a command may be allowed.
    fn command_on_both(&mut self) -> u64 {
        let column = rotated(self.working, self.turn).any(|bank| self.column(bank));
        let row = rotated(self.working, self.turn).any(|bank| self.row(bank));
        if column || row {
            return 0;
        }
        let earliest = rotated(self.working, 0).map(|bank| self.earliest(bank));
        earliest.min().unwrap_or(NEVER)
    }

    /// Issues commands on one common bus. As in GPGPU-Sim, a row command changes the first bank of the rotation even
    /// during the loop over banks. Returns 0 if the function issued a command. If no command was issued, returns the
    /// first cycle when a command may be allowed.
    fn command_in_turn(&mut self) -> u64 {
        let (banks, turn) = (self.banks.len(), self.turn);
        let mut earliest = NEVER;
        for bank in rotated(self.working, turn) {
            let allowed = self.earliest(bank);
            if self.clock < allowed {
                earliest = earliest.min(allowed);
                continue;
            }
            if self.column(bank) {
                return 0;
            }
            if self.row(bank) {
                let steps = (bank + banks - turn) % banks + 1;
                (steps..banks).any(|step| self.column((step + self.turn) % banks));
                return 0;
            }
        }
        earliest
    }

    /// Returns the earliest cycle for the next command of bank `index`, if the channel issues no command of another
    /// bank before.
    fn earliest(&self, index: usize) -> u64 {
        let bank = &self.banks[index];
        let Some(job) = &bank.job else { return NEVER };
        let group = self.dram.bank_group(index as u32) as usize;
        match bank.open {
            None => self.next_activate.max(bank.activate),
            Some(open) if open != job.row => bank.precharge.max(self.next_precharge_in_group[group]),
            Some(_) => {
                let kind = match job.write {
                    true => bank.column_write.max(self.next_write),
                    false => bank.column_read.max(self.next_read),
                };
                kind.max(self.next_column).max(self.next_in_group[group])
            }
        }
    }

    /// Issues a read or write command to bank `index` if the timing allows the command now.
    /// Returns whether the function issued a command.
    fn column(&mut self, index: usize) -> bool {
        let now = self.clock;
        let bank = &self.banks[index];
        let Some(mut job) = bank.job else { return false };
        if bank.open != Some(job.row) || now < self.earliest(index) {
            return false;
        }
        let timing = &self.dram.timing;
        let group = self.dram.bank_group(index as u32) as usize;
        let bank = &mut self.banks[index];
        if job.write {
            self.next_read = now + u64::from(self.dram.write_to_read());
            bank.precharge = bank
                .precharge
                .max(now + u64::from(self.dram.write_to_precharge()));
        } else {
            self.next_write = now + u64::from(self.dram.read_to_write());
            bank.precharge = bank.precharge.max(now + u64::from(self.dram.burst_cycles()));
            self.next_precharge_in_group[group] = now + u64::from(timing.rtpl);
        }
        self.issued.column = Some(Column {
            kernel: job.request.kernel,
            bank: index as u8,
            writes: job.write,
        });
        self.next_column = now + u64::from(timing.ccd);
        self.next_in_group[group] = now + u64::from(timing.ccdl);
        let latency = u64::from(if job.write { timing.wl } else { timing.cl });
        let after_last = self.bus.back().map_or(0, |&(at, _, _)| at + 1);
        job.commands -= 1;
        let last = job.commands == 0;
        self.bus
            .push_back(((now + latency).max(after_last), job.request, last));
        bank.job = (!last).then_some(job);
        if last {
            self.working &= !(1 << index);
        }
        true
    }

    /// Opens or closes a row of bank `index` if the job of the bank requires this command and the timing allows it now.
    /// Returns whether the function issued a command.
    fn row(&mut self, index: usize) -> bool {
        let now = self.clock;
        let bank = &self.banks[index];
        let Some(job) = bank.job else { return false };
        if bank.open == Some(job.row) || now < self.earliest(index) {
            return false;
        }
        let timing = &self.dram.timing;
        let bank = &mut self.banks[index];
        if bank.open.is_none() {
            bank.open = Some(job.row);
            bank.row = job.row;
            self.issued.activation = Some(job.request.kernel);
            self.next_activate = now + u64::from(timing.rrd);
            bank.column_read = now + u64::from(timing.rcd);
            bank.column_write = now + u64::from(self.dram.rcd_write());
            bank.precharge = bank.precharge.max(now + u64::from(timing.ras));
            bank.activate = now + u64::from(timing.rc);
        } else {
            bank.open = None;
            bank.activate = bank.activate.max(now + u64::from(timing.rp));
        }
        self.turn = (index + 1) % self.banks.len();
        true
    }
}
