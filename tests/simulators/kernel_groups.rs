//! Random groups of kernels: all assignments of SMs are equally probable.

use std::collections::BTreeMap;

use gpusched::model::streams::{Purpose, stream};
use gpusched_gpu_command::draw::{draw, possible};

/// If each of two kernels has 5, 10, … or 25 SMs, there are 15 assignments with at most 30 SMs in total. The test
/// checks that all assignments are about equally frequent.
#[test]
fn every_way_is_as_likely() {
    let mut rng = stream(1, Purpose::KernelGroups, 0, 0);
    let mut found: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    for _ in 0..15_000 {
        let group = draw(&mut rng, 8, 2, &[5, 10, 15, 20, 25], 30);
        assert!(group[0].0 != group[1].0 && group.iter().all(|&(kernel, _)| kernel < 8));
        *found
            .entry(group.iter().map(|&(_, sms)| sms).collect())
            .or_default() += 1;
    }
    assert_eq!(found.len(), 15);
    assert!(
        found.values().all(|count| (850..1150).contains(count)),
        "{found:?}"
    );
    assert!(found.keys().all(|sms| sms.iter().sum::<u32>() <= 30));
}

#[test]
fn six_kernels_have_one_way() {
    let mut rng = stream(1, Purpose::KernelGroups, 0, 0);
    let group = draw(&mut rng, 8, 6, &[5, 10, 15], 30);
    assert!(group.iter().all(|&(_, sms)| sms == 5) && group.len() == 6);
    assert!(possible(&[5], 6, 30) && !possible(&[5], 7, 30) && !possible(&[], 1, 30));
}
