//! Supported partition sizes, and placements compared with an exhaustive search.

use gpusched::model::device::{Device, Granularity, Place};
use gpusched::partitioning::Offer;

use super::{Profile, least_gpcs, least_instances};

fn offer(name: &str, granularity: Granularity) -> Offer {
    Offer::new(&Device::named(name).unwrap(), granularity).unwrap()
}

/// Returns the supported sizes.
fn sizes(offer: &Offer) -> Vec<u32> {
    let mut sizes: Vec<u32> = (0..=offer.shares()).map(|v| offer.sms_of(v)).collect();
    assert!(sizes.is_sorted());
    assert!((0..=offer.shares()).all(|v| offer.sms_of(v) <= v));
    sizes.dedup();
    sizes
}

#[test]
fn sizes_are_those_of_the_hardware() {
    assert_eq!(
        sizes(&offer("xavier", Granularity::Sm)),
        [0, 1, 2, 3, 4, 5, 6, 7, 8]
    );
    assert_eq!(sizes(&offer("xavier", Granularity::Tpc)), [0, 2, 4, 6, 8]);
    assert_eq!(
        sizes(&offer("orin", Granularity::GreenContext)),
        [0, 4, 6, 8, 10, 12, 14, 16]
    );
    let h100 = sizes(&offer("h100", Granularity::GreenContext));
    assert_eq!((h100[1], h100.len(), h100.last()), (8, 17, Some(&128)));
    assert_eq!(sizes(&offer("orin", Granularity::Gpc)), [0, 8, 16]);
    assert_eq!(sizes(&offer("a100", Granularity::Mig)), [0, 14, 28, 42, 56, 98]);
    assert_eq!(
        sizes(&offer("h100", Granularity::Mig)),
        [0, 16, 26, 32, 60, 64, 132]
    );
    let a100 = sizes(&offer("a100", Granularity::Gpc));
    assert_eq!(a100[..6], [0, 14, 16, 28, 30, 32]);
    assert_eq!(a100.last(), Some(&108));
}

#[test]
fn what_a_device_has_not_is_refused() {
    let xavier = Device::named("xavier").unwrap();
    let error = Offer::new(&xavier, Granularity::Mig).unwrap_err().to_string();
    assert_eq!(
        error,
        "granularity: found mig, expected sm, tpc, gpc, green-context, which device xavier supports"
    );
    let gb10 = Device::named("gb10").unwrap();
    let error = Offer::new(&gb10, Granularity::Tpc).unwrap_err().to_string();
    assert_eq!(
        error,
        "granularity: found tpc, expected sm, which device gb10 supports (the TPCs of this device are \
         unknown)"
    );
}

#[test]
fn whole_units_one_after_the_other() {
    let tpc = offer("xavier", Granularity::Tpc);
    let placed = tpc.place(&[4, 2, 1]).unwrap();
    let places: Vec<String> = placed
        .iter()
        .map(|p| p.place.clone().unwrap().to_string())
        .collect();
    assert_eq!(places, ["TPCs 0-1", "TPCs 2", "TPCs 3"]);
    assert_eq!(placed[2].sms, 2);
    assert_eq!(tpc.place(&[4, 4, 1]), None);
}

#[test]
fn gpcs_are_found_where_there_are_some() {
    let layouts: [&[u32]; 4] = [&[1, 2, 3], &[2, 2, 3, 3], &[1, 1, 1, 4], &[5]];
    let (mut some, mut none) = (0, 0);
    for layout in layouts {
        let gpcs: Vec<u32> = layout.iter().map(|tpcs| 2 * tpcs).collect();
        let device = serde_json::json!({
            "name": "x", "sms": gpcs.iter().sum::<u32>(), "sms_per_tpc": 2, "tpcs_per_gpc": layout
        });
        let offer = Offer::new(&serde_json::from_value(device).unwrap(), Granularity::Gpc).unwrap();
        for a in 1..=10 {
            for b in 0..=10 {
                for c in 0..=6 {
                    let needs: Vec<u32> = [a, b, c].into_iter().filter(|&need| need > 0).collect();
                    let placed = offer.place(&needs);
                    let total = placed.as_ref().map(|placed| placed.iter().map(|p| p.sms).sum());
                    assert_eq!(total, least_gpcs(&gpcs, &needs), "{gpcs:?} {needs:?}");
                    let Some(placed) = placed else {
                        none += 1;
                        continue;
                    };
                    some += 1;
                    let mut seen = vec![false; gpcs.len()];
                    for (placed, need) in placed.iter().zip(&needs) {
                        let Some(Place::Gpcs(own)) = &placed.place else {
                            panic!("no GPCs")
                        };
                        let sms: u32 = own.iter().map(|&gpc| gpcs[gpc as usize]).sum();
                        assert!(sms == placed.sms && sms >= *need);
                        for &gpc in own {
                            assert!(!std::mem::replace(&mut seen[gpc as usize], true));
                        }
                    }
                }
            }
        }
    }
    assert!(some > 100 && none > 100, "{some} {none}");
}

#[test]
fn instances_are_found_where_there_are_some() {
    for name in ["a100", "h100"] {
        let offer = offer(name, Granularity::Mig);
        let mig = offer.hardware().device.mig().unwrap();
        let profiles = mig.profiles.iter();
        let profiles: Vec<Profile> = profiles
            .map(|profile| {
                (
                    profile.sms,
                    profile.compute,
                    profile.memory,
                    profile.starts.clone(),
                )
            })
            .collect();
        let mut sizes: Vec<u32> = mig.profiles.iter().map(|profile| profile.sms).collect();
        sizes.dedup();
        let (mut some, mut none) = (0, 0);
        // All multisets of up to eight instances with the five smallest sizes.
        let mut open: Vec<Vec<usize>> = vec![Vec::new()];
        while let Some(chosen) = open.pop() {
            let needs: Vec<u32> = chosen.iter().map(|&size| sizes[size]).collect();
            let placed = offer.place(&needs);
            let total = placed.as_ref().map(|placed| placed.iter().map(|p| p.sms).sum());
            let least = least_instances(&profiles, &needs, 0, mig.compute_slices);
            assert_eq!(total, least, "{needs:?}");
            if placed.is_none() {
                none += 1;
                continue; // multisets that contain this multiset do not fit either
            }
            some += 1;
            let last = chosen.last().copied().unwrap_or(0);
            for size in last..sizes.len() {
                let mut longer = chosen.clone();
                longer.push(size);
                open.push(longer);
            }
        }
        assert!(some > 30 && none > 30, "{name}: {some} {none}");
    }
}

/// The GPU has enough allocation units for every plan that fits. On the A100, the converse is also true.
#[test]
fn shares_are_necessary() {
    let offer = offer("a100", Granularity::Mig);
    let cost = |sms: u32| (0..).find(|&units| offer.sms_of(units) >= sms).unwrap();
    let all = [14, 28, 42, 56, 98];
    for a in all {
        for b in all {
            for c in [0, 14, 28, 42] {
                let needs: Vec<u32> = [a, b, c].into_iter().filter(|&sms| sms > 0).collect();
                let units: u32 = needs.iter().map(|&sms| cost(sms)).sum();
                assert_eq!(
                    offer.place(&needs).is_some(),
                    units <= offer.shares(),
                    "{needs:?}"
                );
            }
        }
    }
    assert!(offer.place(&[14; 7]).is_some() && offer.place(&[14; 8]).is_none());
    assert!(offer.place(&[42, 42]).is_some() && offer.place(&[42, 42, 14]).is_none());
}
