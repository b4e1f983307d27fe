//! The SMs on which thread blocks and clusters of an idle GPU start.

use gpusched_model::Refusal;

use super::super::context::Device;

/// Sizes of clusters. The largest is the largest cluster that a kernel may have without a portable size.
const SIZES: [u32; 11] = [2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16];

/// Launches of each size.
const LAUNCHES: u32 = 20;

/// First major number of the compute capabilities with clusters.
const SINCE: u32 = 9;

/// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR`.
const MAJOR: i32 = 75;

/// Launches with one thread block per SM.
const STARTS: usize = 5;

/// Time of each block of a cluster [ns]. Blocks that run at the same time start on different SMs.
const SPIN: u64 = 20_000;

/// Longest time for which the blocks of a launch wait for each other [ns].
const MEET: u64 = 20_000_000;

/// Returns the SMs of each cluster of many launches. Sizes that the GPU refuses are absent.
///
/// # Errors
/// Fails if a call of the driver fails, except for the launch of a cluster.
pub fn clusters(device: &Device<'_>) -> Result<Vec<Vec<u32>>, Refusal> {
    if device.attribute(MAJOR)? < SINCE {
        return Ok(Vec::new());
    }
    let (partition, _) = device.single(device.sms)?;
    let mut clusters = Vec::new();
    for size in SIZES {
        for launch in 0..LAUNCHES {
            // Small and large grids, because a full GPU leaves the scheduler less choice.
            let grid = size * (1 + (launch * 7) % 24);
            match partition.placed((grid, Some(size)), (SPIN, u32::MAX))? {
                Some(ids) => clusters.extend(ids.chunks(size as usize).map(<[u32]>::to_vec)),
                // The GPU has no cluster of this size.
                None => break,
            }
        }
    }
    Ok(clusters)
}

/// Returns the SM of each thread block of launches with one block per SM.
///
/// # Errors
/// Fails if a call of the driver fails.
pub fn starts(device: &Device<'_>) -> Result<Vec<Vec<u32>>, Refusal> {
    let (partition, _) = device.single(device.sms)?;
    let start = |_| partition.placed((device.sms, None), (MEET, device.sms));
    let all = (0..STARTS)
        .map(start)
        .collect::<Result<Option<Vec<Vec<u32>>>, Refusal>>()?;
    Ok(all.unwrap_or_default())
}
