//! Variants of a kernel. A variant has another number of active blocks, or another split of the blocks among clusters.

use crate::measures::limits::combinations;
use crate::measures::{Labels, Splits};
use gpusched_model::error::Refusal;
use gpusched_model::{Cluster, Factor, Kernel};

/// Columns that identify a variant of a kernel.
pub(super) const KEYS: [&str; 3] = ["kernel", "active_blocks", "split"];

/// Maximum number of rows in one case.
const MAX_ROWS: usize = 100_000;

/// One variant of a kernel.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Shares of the clusters, such as `1:2:4`.
    pub split: String,
    /// The kernel with this split.
    pub kernel: Kernel,
}

impl Variant {
    /// Returns the columns whose texts identify the variant of a row.
    pub fn labels(&self) -> Labels {
        let [kernel, active_blocks, split] = KEYS;
        Labels::of(kernel, self.kernel.name().unwrap_or(""))
            .with(active_blocks, self.kernel.active_blocks())
            .with(split, &self.split)
    }
}

/// Returns one variant of `kernel` for each number in `active_blocks` and each split in `splits`. If a list is absent,
/// all variants have the number of active blocks, or the split, of `kernel`. Each variant has `rows` rows in the
/// results.
///
/// # Errors
/// Fails if a list or the total number of rows is invalid, with a [`Refusal`] that names the field.
pub fn variants(
    kernel: &Kernel,
    active_blocks: Option<&[u32]>,
    splits: Option<&Splits>,
    rows: usize,
) -> Result<Vec<Variant>, Refusal> {
    let active_blocks = match active_blocks {
        Some([]) => {
            return Err(Refusal::new(
                "active_blocks",
                "an empty list",
                "at least one number of blocks",
            ));
        }
        Some(list) => list.to_vec(),
        None => vec![kernel.active_blocks()],
    };
    let splits = match splits {
        Some(splits) => splits
            .of(kernel.clusters().len())
            .map_err(Refusal::about("splits"))?,
        None => Vec::new(),
    };
    combinations(
        "",
        "rows",
        &[active_blocks.len(), splits.len().max(1), rows],
        MAX_ROWS,
    )?;
    let mut variants = Vec::new();
    for &active in &active_blocks {
        let mut push = |split: String, clusters: Vec<Cluster>, field: &str| {
            let variant =
                Kernel::new(active, kernel.regulation_period(), clusters).map_err(Refusal::about(field))?;
            let kernel = variant.with_name(kernel.name().map(str::to_owned));
            variants.push(Variant { split, kernel });
            Ok::<_, Refusal>(())
        };
        if splits.is_empty() {
            let blocks: Vec<String> = kernel
                .clusters()
                .iter()
                .map(|cluster| cluster.blocks().to_string())
                .collect();
            push(blocks.join(":"), kernel.clusters().to_vec(), "active_blocks")?;
        }
        for split in &splits {
            let shares: Vec<String> = split.iter().map(Factor::to_string).collect();
            let clusters = share_out(kernel, split).map_err(Refusal::in_file("splits", &shares.join(":")))?;
            push(shares.join(":"), clusters, "active_blocks")?;
        }
    }
    Ok(variants)
}

/// Returns the clusters of `kernel` with another split of its blocks. The function rounds each share down to whole
/// blocks. It assigns the remaining blocks to the clusters with the largest remainders. If remainders are equal,
/// earlier clusters have precedence. It omits clusters without blocks.
fn share_out(kernel: &Kernel, split: &[Factor]) -> Result<Vec<Cluster>, String> {
    let blocks = u128::from(kernel.blocks());
    let weights = split.iter().map(|share| {
        let (numerator, denominator) = share.ratio();
        u128::from(numerator) * u128::from(1_000_000_000 / denominator)
    });
    let weights: Vec<u128> = weights.collect();
    let total: u128 = weights.iter().sum();
    if total == 0 {
        return Err("found only shares of 0, expected a positive share".to_owned());
    }
    // Each triple has the remainder, the position and the number of blocks of a cluster. No
    // overflow occurs, because a product is at most 2^42 blocks times 10^15 billionths.
    let quotas = weights.iter().enumerate();
    let mut quotas: Vec<(u128, usize, u128)> = quotas
        .map(|(position, weight)| (blocks * weight % total, position, blocks * weight / total))
        .collect();
    let given: u128 = quotas.iter().map(|&(.., blocks)| blocks).sum();
    quotas.sort_by_key(|&(missing, position, _)| (std::cmp::Reverse(missing), position));
    for (_, (.., blocks)) in (given..blocks).zip(&mut quotas) {
        *blocks += 1;
    }
    quotas.sort_by_key(|&(_, position, _)| position);
    let clusters = kernel.clusters().iter().zip(quotas);
    clusters
        .filter(|(_, (.., blocks))| *blocks > 0)
        .map(|(cluster, (.., blocks))| {
            let blocks = u64::try_from(blocks).map_err(|error| error.to_string())?;
            Cluster::new(blocks, cluster.isolated(), cluster.contended()).map_err(|error| error.to_string())
        })
        .collect()
}
