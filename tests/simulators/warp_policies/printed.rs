//! The listings as printed ([Singh22] Algorithm 1, [Singh21] Algorithm 5). They detect a stall in the cycle after it
//! and do not reproduce the numbers of the figures. Therefore docs/errata.md has another interpretation.

/// The listing of a policy.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Listing {
    Qaws,
    RtPaws,
}

/// Returns `warps` by age; the greedy warp comes first if it is in `warps`.
fn gto(warps: &[usize], greedy: Option<usize>) -> Vec<usize> {
    let (mut first, others): (Vec<usize>, Vec<usize>) = warps.iter().partition(|warp| Some(**warp) == greedy);
    first.extend(others);
    first
}

/// Returns the finishing times of K1 (warps 0 and 1, from cycle 0) and K2 (warps 2 and 3, from cycle 1). Both programs
/// have these latencies.
fn finish(listing: Listing, latencies: &[u64], budgets: [i64; 2]) -> [u64; 2] {
    let (mut next, mut at) = ([0; 4], [0, 0, 1, 1]);
    let mut finish = [0; 2];
    let (mut groups, mut switches, mut left) = ([0, 1], [0; 2], budgets);
    let (mut greedy, mut head, mut head_issued) = (None, None, true);
    for now in 0.. {
        let live: Vec<usize> = (0..4)
            .filter(|&warp| next[warp] < latencies.len() && (warp < 2 || now >= 1))
            .collect();
        if live.is_empty() {
            break;
        }
        let of =
            |group: usize| -> Vec<usize> { live.iter().copied().filter(|warp| warp / 2 == group).collect() };
        let alone = (0..2).find(|&group| of(1 - group).is_empty());
        let stalled = match listing {
            Listing::Qaws => !head_issued,
            Listing::RtPaws => head != greedy,
        };
        let greedy_in_current = greedy.is_some_and(|warp: usize| warp / 2 == groups[0]);
        let queue: Vec<usize> = if let Some(group) = alone {
            groups = [group, 1 - group];
            gto(&live, greedy)
        } else {
            let current = groups[0];
            let mut swapped = false;
            match listing {
                Listing::Qaws if stalled && greedy_in_current && switches[current] < budgets[current] => {
                    switches[current] += 1;
                }
                Listing::Qaws if stalled && greedy_in_current => {
                    switches[current] = 0;
                    swapped = true;
                }
                Listing::RtPaws if stalled => {
                    left[current] -= i64::from(greedy_in_current);
                    if left[current] <= 0 {
                        left[current] = budgets[current];
                        swapped = true;
                    }
                }
                _ => {}
            }
            if swapped {
                groups.swap(0, 1);
            }
            match listing {
                Listing::RtPaws if swapped => [of(groups[0]), of(groups[1])].concat(),
                Listing::RtPaws => [gto(&of(groups[0]), greedy), of(groups[1])].concat(),
                Listing::Qaws => [gto(&of(groups[0]), greedy), gto(&of(groups[1]), greedy)].concat(),
            }
        };
        head = queue.first().copied();
        let issuing = queue.into_iter().find(|&warp| at[warp] <= now);
        head_issued = issuing.is_some() && issuing == head;
        if let Some(warp) = issuing {
            greedy = Some(warp);
            at[warp] = now + latencies[next[warp]];
            next[warp] += 1;
            finish[warp / 2] = now + 1;
        }
    }
    finish
}

#[test]
fn the_listings_as_printed_give_other_numbers() {
    let fig3 = [2, 1, 2, 1, 1, 1, 5, 1, 1];
    assert_eq!(finish(Listing::Qaws, &fig3, [1, 4]), [38, 29]); // the figure: 38, 28
    assert_eq!(finish(Listing::Qaws, &fig3, [1, 6]), [39, 23]); // the figure: 38, 24
    let fig41 = [1, 6, 3, 1, 1, 1];
    assert_eq!(finish(Listing::RtPaws, &fig41, [1, 8]), [27, 19]); // the figure: 25, 20
    assert_eq!(finish(Listing::RtPaws, &fig41, [0, 8]), [27, 19]); // the text: K2 earlier with 0 than with 1
}
