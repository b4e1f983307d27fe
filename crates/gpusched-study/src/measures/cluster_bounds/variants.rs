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
pub(super) struct Variant {
    split: String,
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
/// results. The function fails if the total number of rows is too large.
pub(super) fn variants(
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

#[cfg(test)]
mod tests {
    use super::*;
    use gpusched_model::time::Time;

    fn kernel() -> Kernel {
        let cluster = |blocks, e0| Cluster::new(blocks, Time::from_ns(e0), Time::from_ns(2 * e0)).unwrap();
        let clusters = vec![cluster(1, 10), cluster(2, 20), cluster(4, 30)];
        Kernel::new(4, Time::from_ns(1000), clusters).unwrap()
    }

    fn blocks(splits: &str) -> Vec<Vec<(u64, u64)>> {
        let splits: Splits = serde_json::from_str(splits).unwrap();
        let variants = variants(&kernel(), None, Some(&splits), 1).unwrap();
        let of = |variant: Variant| {
            let clusters = variant.kernel.clusters().iter();
            clusters
                .map(|cluster| (cluster.blocks(), cluster.isolated().ns()))
                .collect()
        };
        variants.into_iter().map(of).collect()
    }

    #[test]
    fn no_block_is_lost() {
        assert_eq!(blocks("[[1, 1, 1]]"), [[(3, 10), (2, 20), (2, 30)]]);
        assert_eq!(blocks("[[1, 2, 4]]"), [[(1, 10), (2, 20), (4, 30)]]);
        assert_eq!(blocks("[[0, 0.5, 0.5]]"), [[(4, 20), (3, 30)]]);
        assert_eq!(blocks("[[0, 0, 9]]"), [[(7, 30)]]);
        assert_eq!(blocks("[[1, 1, 1000000]]"), [[(7, 30)]]);
        for variant in blocks(r#"{"parts": 9}"#) {
            assert_eq!(variant.iter().map(|(blocks, _)| blocks).sum::<u64>(), 7);
        }
    }

    #[test]
    fn a_kernel_is_a_variant_of_itself() {
        let own = variants(&kernel(), None, None, 1).unwrap();
        assert_eq!(
            (own.len(), own[0].split.as_str(), &own[0].kernel),
            (1, "1:2:4", &kernel())
        );
        let splits = Splits::List(vec![vec![Factor::ONE; 3]; 2]);
        let many = variants(&kernel(), Some(&[4, 8]), Some(&splits), 1).unwrap();
        assert_eq!(
            many.iter().map(|v| v.kernel.active_blocks()).collect::<Vec<_>>(),
            [4, 4, 8, 8]
        );
        for (active, rows, field) in [
            (vec![], 1, "active_blocks"),
            (vec![0], 1, "active_blocks"),
            (vec![4], 100_001, ""),
        ] {
            let refusal = variants(&kernel(), Some(&active), None, rows).unwrap_err();
            assert_eq!(refusal.field(), field, "{refusal:?}");
        }
    }
}
