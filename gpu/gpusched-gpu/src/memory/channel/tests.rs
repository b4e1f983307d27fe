use super::slow::Slow;
use super::{Channel, Place};
use crate::machine::Machine;
use crate::machine::{BankGroupIndex, Dram, DramScheduler, WriteQueue};
use crate::memory::request::{Kind, Request};

/// Generator of pseudo-random numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, below: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32 % below
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    /// Returns a DRAM channel with small random timing parameters.
    fn dram(&mut self) -> Dram {
        let mut dram = Machine::named("rtx2060").unwrap().into_shape().memory.dram;
        dram.scheduler = if self.below(4) == 0 {
            DramScheduler::Fifo
        } else {
            DramScheduler::FrFcfs
        };
        dram.queue = self.below(12);
        dram.return_queue = self.below(6);
        dram.write_queue = (dram.scheduler == DramScheduler::FrFcfs && self.coin()).then(|| WriteQueue {
            size: 8,
            high: 3 + self.below(5),
            low: self.below(3),
        });
        dram.dual_bus = self.coin();
        dram.no_turnaround = self.coin();
        dram.bank_group_index = if self.coin() {
            BankGroupIndex::LowBits
        } else {
            BankGroupIndex::HighBits
        };
        let timing = &mut dram.timing;
        timing.banks = 1 << self.below(5);
        timing.bank_groups = timing.banks.min(1 << self.below(3));
        timing.wl = self.below(5);
        timing.rcd = timing.wl + 1 + self.below(8);
        timing.cl = timing.wl + self.below(8);
        for time in [
            &mut timing.ccd,
            &mut timing.rrd,
            &mut timing.ras,
            &mut timing.rp,
            &mut timing.rc,
            &mut timing.cdlr,
            &mut timing.wr,
            &mut timing.ccdl,
            &mut timing.rtpl,
        ] {
            *time = self.below(12);
        }
        dram
    }

    fn request(&mut self, number: u32) -> Request {
        Request {
            address: u64::from(number) * 32,
            bytes: u32::MAX,
            kind: match self.below(3) {
                0 => Kind::WriteBack {
                    sectors: 1 + self.below(4) as u8,
                },
                _ => Kind::Read { past_l1: false },
            },
            kernel: number as u8,
            sm: 0,
            slot: 0,
            flight: number,
            slice: 0,
            lanes: 0,
        }
    }
}

#[test]
fn equals_a_look_at_every_bank_in_every_cycle() {
    let mut dice = Dice(11);
    let mut answers = 0;
    let mut written = 0;
    let (mut columns, mut activations) = (0, 0);
    for _ in 0..300 {
        let dram = dice.dram();
        let mut fast = Channel::new(dram);
        let mut twin = Slow(Channel::new(dram));
        let often = 1 + dice.below(20);
        for tick in 0..600 {
            let request = dice.request(tick);
            assert_eq!(fast.is_full(request.writes()), twin.0.is_full(request.writes()));
            if dice.below(often) == 0 && !fast.is_full(request.writes()) {
                let place = Place {
                    bank: dice.below(dram.timing.banks),
                    row: dice.below(3).into(),
                };
                fast.push(request, place);
                twin.0.push(request, place);
            }
            let number = |request: Option<Request>| request.map(|request| request.flight);
            let done = number(fast.cycle(tick.into()));
            assert_eq!(done, number(twin.cycle(tick.into())), "{dram:?}, cycle {tick}");
            written += u32::from(done.is_some());
            if dice.coin() {
                let answer = number(fast.take_answer());
                assert_eq!(answer, number(twin.0.take_answer()), "{dram:?}, cycle {tick}");
                answers += u32::from(answer.is_some());
            }
            let issued = std::mem::take(&mut fast.issued);
            assert_eq!(issued, std::mem::take(&mut twin.0.issued));
            columns += u32::from(issued.column.is_some());
            activations += u32::from(issued.activation.is_some());
        }
    }
    assert!(
        answers > 5_000 && written > 2_000 && columns > 10_000 && activations > 2_000,
        "{answers} answers, {written} written, {columns} columns, {activations} activations"
    );
}
