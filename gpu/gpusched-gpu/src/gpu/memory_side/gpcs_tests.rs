//! Tests of the ports of GPCs: wide ports change nothing, and narrow ports pass what they state, in turns.

use std::collections::VecDeque;

use gpusched_model::{Factor, Scheduler};

use super::*;
use crate::gpu::{Launch, Results, Settings};
use crate::machine::{Arbiter, Machine};
use crate::program::Program;

fn rate(billionths: u64) -> Factor {
    Factor::from_billionths(billionths).unwrap()
}

/// Returns titanv with two SMs per cluster, or one. `gpcs` GPCs take turns over the clusters.
fn machine(sms_per_cluster: u32, gpcs: Option<(u32, [u64; 2])>, small: bool) -> Machine {
    let mut shape = Machine::named("titanv").unwrap().into_shape();
    shape.sms_per_cluster = sms_per_cluster;
    if small {
        shape.interconnect.output_buffer = 3;
        shape.interconnect.input_buffer = 5;
        shape.interconnect.ejection_buffer = 1;
        shape.interconnect.arbiter = Arbiter::RoundRobin;
        shape.clocks.interconnect_khz = 1_700_000;
    }
    shape.interconnect.gpcs = gpcs.map(|(count, [reads, writes])| machine::Gpcs {
        of_cluster: (0..shape.clusters).map(|cluster| cluster % count).collect(),
        reads_per_cycle: rate(reads),
        writes_per_cycle: rate(writes),
    });
    Machine::new(shape).unwrap()
}

fn run(machine: &Machine, skips: bool, scheduler: Scheduler) -> Results {
    let texts = [
        include_str!("../../../../../tasksets/kernels/programs/vadd.json"),
        include_str!("../../../../../tasksets/kernels/programs/chasecg.json"),
        include_str!("../../../../../tasksets/kernels/programs/singh22/his.json"),
    ];
    let mut launches: Vec<Launch> = texts
        .iter()
        .map(|text| Launch::of_program(&serde_json::from_str::<Program>(text).unwrap()).unwrap())
        .collect();
    for (index, launch) in launches.iter_mut().enumerate() {
        launch.blocks = launch.blocks.min(10);
        launch.at = 500 * index as u64;
    }
    let settings = Settings {
        scheduler,
        sms: Some(4),
        limit: 2_000_000,
        ..Settings::default()
    };
    let mut gpu = Gpu::new(machine, &launches, &settings, false).unwrap();
    gpu.skips = skips;
    gpu.run(settings.limit, &mut |_| ()).unwrap();
    assert!(gpu.has_no_requests());
    gpu.finish()
}

/// A port that passes all packets of its clusters at once has no effect. Idle cycles have no effect either.
#[test]
fn wide_ports_change_nothing_and_narrow_ports_delay() {
    const WIDE: [u64; 2] = [128_000_000_000; 2];
    const NARROW: [u64; 2] = [1_000_000_000, 1_250_000_000];
    let mut delayed = 0;
    for (sms_per_cluster, small, scheduler) in [
        (2, false, Scheduler::Lrr),
        (1, false, Scheduler::Gto),
        (2, true, Scheduler::Gto),
        (1, true, Scheduler::Lrr),
    ] {
        let plain = run(&machine(sms_per_cluster, None, small), true, scheduler);
        for count in [1, 2] {
            let wide = run(
                &machine(sms_per_cluster, Some((count, WIDE)), small),
                true,
                scheduler,
            );
            assert!(wide == plain, "{sms_per_cluster} {small} {count}");
        }
        let narrow = machine(sms_per_cluster, Some((1, NARROW)), small);
        let skipping = run(&narrow, true, scheduler);
        assert!(skipping == run(&narrow, false, scheduler));
        delayed += u32::from(skipping.cycles > plain.cycles);
    }
    assert!(delayed >= 2, "{delayed}");
}

/// Returns a request of `kind` whose address is `number`.
fn request(kind: Kind, number: u64, slice: u8) -> Request {
    Request {
        address: number,
        bytes: 1,
        kind,
        kernel: 0,
        sm: 0,
        slot: 0,
        flight: 0,
        slice,
        lanes: 1,
    }
}

/// Transcription of the rules for requests of one GPC: in turns, each cluster sends all requests without a sector, and then
/// one request with a sector, until no cluster can send.
fn slow(queues: &mut [VecDeque<(bool, u64)>], mut left: u64, next: &mut usize) -> Vec<(usize, u64)> {
    let mut sent = Vec::new();
    loop {
        let before = sent.len();
        let first = *next;
        for step in 0..queues.len() {
            let cluster = (first + step) % queues.len();
            while let Some(&(sector, number)) = queues[cluster].front() {
                if sector && left == 0 {
                    break;
                }
                sent.push((cluster, number));
                queues[cluster].pop_front();
                if sector {
                    left -= 1;
                    *next = (cluster + 1) % queues.len();
                    break;
                }
            }
        }
        if sent.len() == before {
            return sent;
        }
    }
}

#[test]
fn requests_and_replies_of_a_gpc_take_turns() {
    let mut state = 11_u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for round in 0..60 {
        let count = 1 + random(6) as usize;
        let per_cycle = rate([1_000_000_000, 1_500_000_000, 2_302_000_000, 7_000_000_000][round % 4]);
        let shape = machine::Gpcs {
            of_cluster: vec![0; count],
            reads_per_cycle: per_cycle,
            writes_per_cycle: per_cycle,
        };
        let (numerator, denominator) = per_cycle.ratio();
        let mut gpcs = Gpcs::new(&shape, count);
        let mut requests = Crossbar::new(count, 1, usize::MAX, usize::MAX, Arbiter::Islip);
        let mut twins = vec![VecDeque::new(); count];
        let (mut next, mut number, mut passed) = (0, 0, 0);
        for now in 0..300_u64 {
            // The queues fill for two thirds of the run, and then drain.
            for (cluster, twin) in twins.iter_mut().enumerate() {
                for _ in 0..random(if now < 200 { 4 } else { 1 }) {
                    let kind = match random(4) {
                        0 => Kind::Read {
                            past_l1: number % 2 == 0,
                        },
                        1 => Kind::Atomic,
                        _ => Kind::Write,
                    };
                    gpcs.waiting[cluster].push_back(request(kind, number, 0));
                    gpcs.count += 1;
                    twin.push_back((matches!(kind, Kind::Write | Kind::Atomic), number));
                    number += 1;
                }
            }
            let left = (now + 1) * numerator / denominator - now * numerator / denominator;
            let waiting: usize = twins.iter().flatten().filter(|(sector, _)| *sector).count();
            let expected = slow(&mut twins, left, &mut next);
            gpcs.pass_requests(now, &mut requests);
            let mut sent = Vec::new();
            for _ in 0..expected.len() {
                requests.advance(now, now);
            }
            while let Some(request) = requests.pop(0) {
                sent.push(request.address);
            }
            assert!(requests.is_empty());
            sent.sort_unstable();
            let mut all: Vec<u64> = expected.iter().map(|(_, number)| *number).collect();
            all.sort_unstable();
            assert_eq!(sent, all, "{round} {now}");
            let after: usize = twins.iter().flatten().filter(|(sector, _)| *sector).count();
            assert!((waiting - after) as u64 <= left);
            passed += waiting - after;
            assert_eq!(gpcs.count, twins.iter().map(VecDeque::len).sum::<usize>());
        }
        assert!(passed as u64 <= 300 * numerator / denominator);

        // Replies: each cluster has as many replies as the run has cycles, so the port is always busy.
        let mut replies = Crossbar::new(count, count, usize::MAX, usize::MAX, Arbiter::Islip);
        let mut ports: Vec<Port> = (0..count).map(|port| Port::new(port, usize::MAX, 1)).collect();
        let mut filled = Ports::default();
        for cluster in 0..count {
            filled.insert(cluster);
            for number in 0..100 {
                replies.push(
                    cluster,
                    cluster as u16,
                    request(Kind::Read { past_l1: false }, number, 0),
                );
            }
        }
        for _ in 0..100 {
            replies.advance(0, 0);
        }
        let mut gpcs = Gpcs::new(&shape, count);
        let mut got = vec![0_u64; count];
        for now in 0..100 {
            gpcs.pass_replies(now, filled, &mut ports, &mut replies);
            for (port, got) in ports.iter_mut().zip(&mut got) {
                *got += u64::from(port.pop(now).is_some());
            }
            let least = got.iter().min().copied().unwrap_or(0);
            assert!(got.iter().all(|got| got - least <= 1), "{got:?}");
            let most = ((now + 1) * numerator / denominator).min((now + 1) * count as u64);
            // A cluster receives at most one reply per cycle.
            let total: u64 = got.iter().sum();
            assert!(
                total <= most && (numerator / denominator >= count as u64 || total == most),
                "{got:?}"
            );
        }
    }
}
