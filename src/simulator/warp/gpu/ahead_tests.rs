//! SMs that go ahead against SMs that go cycle by cycle.

use std::collections::VecDeque;

use super::super::{Launch, Settings};
use super::*;
use crate::model::Scheduler;
use crate::model::machine::Machine;
use crate::model::program::Program;

/// When an answer that is not at the port yet is taken, if it comes as early as it can.
fn taken(waiting: usize, behind: usize, together: bool, places: usize) -> u64 {
    let new = waiting + behind;
    let mut responses: VecDeque<usize> = (0..waiting).collect();
    let mut output: VecDeque<usize> = (waiting..new).collect();
    for cycle in 1.. {
        if cycle == 1 && !together {
            output.push_back(new);
        }
        if responses.pop_front() == Some(new) {
            return cycle;
        }
        if responses.len() < places {
            responses.extend(output.pop_front());
        }
        if cycle == 1 && together {
            output.push_back(new);
        }
    }
    unreachable!("it is taken some time")
}

#[test]
fn answers_that_are_not_there_come_no_earlier_than_known() {
    for waiting in 0..6 {
        for behind in 0..6 {
            for together in [false, true] {
                let known = known(waiting, behind, together);
                assert_eq!(taken(waiting, behind, together, 32), known);
                for places in waiting.max(1)..32 {
                    assert!(taken(waiting, behind, together, places) >= known);
                }
            }
        }
    }
}

#[test]
fn going_ahead_changes_nothing() {
    let texts = [
        include_str!("../../../../tasksets/kernels/programs/vadd.json"),
        include_str!("../../../../tasksets/kernels/programs/conv2d.json"),
        include_str!("../../../../tasksets/kernels/programs/pc.json"),
    ];
    let mut launches: Vec<Launch> = texts
        .iter()
        .map(|text| Launch::of_program(&serde_json::from_str::<Program>(text).unwrap()).unwrap())
        .collect();
    for (index, launch) in launches.iter_mut().enumerate() {
        launch.blocks = launch.blocks.min(14);
        launch.at = 700 * index as u64;
    }
    let named = Machine::named("rtx2060").unwrap();
    let (mut ahead, mut in_step) = (0, 0);
    for (interconnect_khz, l2_khz, ejection, responses, input, latency) in [
        (1_365_000, 1_365_000, 32, 2, 512, 194),
        (1_000_000, 1_365_000, 3, 1, 64, 20),
        (2_500_000, 3_000_000, 1, 2, 512, 1),
        (1_365_000, 2_900_000, 1, 1, 66, 1),
        (1_365_000, 700_000, 2, 3, 512, 2),
        (1_365_000, 1_365_000, 32, 2, 512, 1),
        (1_365_000, 1_365_000, 2, 3, 4, 5),
    ] {
        let mut shape = named.clone().into_shape();
        shape.clocks.interconnect_khz = interconnect_khz;
        shape.clocks.l2_khz = l2_khz;
        shape.interconnect.ejection_buffer = ejection;
        shape.interconnect.response_buffer = responses;
        shape.interconnect.input_buffer = input;
        shape.memory.rop_latency = latency;
        let machine = Machine::new(shape).unwrap();
        for (scheduler, sms) in [(Scheduler::Gto, 3), (Scheduler::RtPaws, 2), (Scheduler::Lrr, 1)] {
            let settings = Settings {
                scheduler,
                sms: Some(sms),
                warm: vec![(0xC000_0000, 1 << 17)],
                record_issues: true,
                limit: 1_000_000,
            };
            let mut run = |skips: bool| {
                let mut gpu = Gpu::new(&machine, &launches, &settings, false).unwrap();
                gpu.skips = skips;
                gpu.run(settings.limit, &mut |_| ()).unwrap();
                match gpu.goes_ahead && gpu.ahead.iter().any(|ahead| ahead.most > 1) {
                    true => ahead += 1,
                    false => in_step += 1,
                }
                gpu.finish()
            };
            assert!(run(true) == run(false), "{interconnect_khz} {scheduler} {sms}");
        }
    }
    assert_eq!((ahead, in_step), (18, 24));
}
