//! Bounds on the reaction time and the data age of cause-effect chains (END_TO_END of the documentation names the
//! sources of each bound).

use gpusched_model::end_to_end::{Chain, ChainBound, Communication, CorePolicy, Hop, Method, System};
use gpusched_model::time::Time;

/// Maximum number of arrivals that the enumeration of known phases examines.
const ARRIVALS: u64 = 1_000_000;

/// One task of a chain [ns].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Link {
    /// T: maximum time between two arrivals.
    period: u64,
    /// R: bound on the response time, from the arrival.
    response: u64,
    /// θ: whether the next task may read its input before this task has written its output.
    late: bool,
    phase: Option<u64>,
}

/// Returns the bounds of `chain`. `responses` are the bounds on the response times of all tasks of the system.
/// `enforced` states whether timers release the segments.
pub(super) fn bound(
    system: &System,
    chain: &Chain,
    responses: &[Option<Time>],
    enforced: bool,
) -> ChainBound {
    let links = links(system, chain, responses, enforced);
    let (reaction, age, method, hops) = match (&links, chain.communication) {
        (None, Communication::Asynchronous) => (None, None, Method::Davare, Vec::new()),
        (None, Communication::Let) => (None, None, Method::Let, Vec::new()),
        (Some(links), communication) => {
            let (reaction, age, method) = match communication {
                Communication::Let => (davare(links).0, davare(links).1, Method::Let),
                Communication::Asynchronous => asynchronous(links),
            };
            let hops = chain.tasks.iter().zip(links).map(|(&task, link)| Hop {
                task,
                sampling_ns: Time::from_ns(link.period),
                processing_ns: Time::from_ns(link.response),
            });
            (Some(reaction), Some(age), method, hops.collect())
        }
    };
    let time = |ns: Option<u64>| ns.map(Time::from_ns).filter(|&time| time <= Time::LIMIT);
    let reaction = time(reaction);
    ChainBound {
        name: chain.name.clone(),
        reaction_ns: reaction,
        age_ns: time(age),
        method,
        limit_ns: chain.limit,
        meets: chain
            .limit
            .map(|limit| reaction.is_some_and(|reaction| reaction <= limit)),
        hops,
    }
}

/// Returns the tasks of the chain; `None` if a task has no bound on its response time or on the time between its
/// arrivals.
fn links(system: &System, chain: &Chain, responses: &[Option<Time>], enforced: bool) -> Option<Vec<Link>> {
    let mut links = Vec::with_capacity(chain.tasks.len());
    for (position, &index) in chain.tasks.iter().enumerate() {
        let task = system.tasks().get(index)?;
        let response = (*responses.get(index)?)?;
        let response = match chain.communication {
            Communication::Asynchronous => response,
            // Under logical execution time, the output appears at the deadline, which the task must meet.
            Communication::Let if response <= task.deadline => task.deadline,
            Communication::Let => return None,
        };
        let next = chain
            .tasks
            .get(position + 1)
            .and_then(|&next| system.tasks().get(next));
        let on_core = task.segments.first().is_some_and(|segment| segment.on.is_core());
        let preempts = next.is_some_and(|next| {
            let policy = task
                .core
                .and_then(|core| system.cores().get(core))
                .map(|core| core.policy);
            let next_on_core = next.segments.first().is_some_and(|segment| segment.on.is_core());
            policy == Some(CorePolicy::Fp)
                && task.core == next.core
                && next_on_core
                && task.priority < next.priority
        });
        let one_piece = on_core && (task.segments.len() == 1 || task.spins());
        links.push(Link {
            period: task.max_interarrival?.ns(),
            response: response.ns(),
            late: !(preempts && one_piece && task.jitter == Time::ZERO && !enforced),
            phase: task.phase.map(Time::ns),
        });
    }
    Some(links)
}

/// Returns the smallest bound on the reaction time, the method that computes this bound, and the reduced data age.
fn asynchronous(links: &[Link]) -> (u64, u64, Method) {
    let (davare, durr) = (davare(links), durr(links));
    let kloda = kloda(links).unwrap_or(u64::MAX);
    let age = davare.1.min(durr.1);
    let least = davare.0.min(durr.0).min(kloda);
    let method = match least {
        least if least == davare.0 => Method::Davare,
        least if least == durr.0 => Method::Durr,
        _ => Method::Kloda,
    };
    (least, age, method)
}

/// Reaction time Σ (T + R) over all tasks, and reduced data age Rₙ + Σ (T + R) over all tasks except the last (Davare
/// et al. 2007).
fn davare(links: &[Link]) -> (u64, u64) {
    let sum = links
        .iter()
        .map(|link| link.period.saturating_add(link.response))
        .fold(0, u64::saturating_add);
    let last = links.last().map_or(0, |link| link.period);
    (sum, sum.saturating_sub(last))
}

/// Reaction time T₁ + Rₙ + Σ max(Rᵢ, Tᵢ₊₁ + θᵢ·Rᵢ), and reduced data age Rₙ + Σ (Tᵢ + θᵢ·Rᵢ), where both sums are
/// over all tasks except the last (Dürr et al. 2019).
fn durr(links: &[Link]) -> (u64, u64) {
    let Some((first, last)) = links.first().zip(links.last()) else {
        return (0, 0);
    };
    let mut reaction = first.period.saturating_add(last.response);
    let mut age = last.response;
    for pair in links.windows(2) {
        if let [link, next] = pair {
            let late = if link.late { link.response } else { 0 };
            reaction = reaction.saturating_add(link.response.max(next.period.saturating_add(late)));
            age = age.saturating_add(link.period).saturating_add(late);
        }
    }
    (reaction, age)
}

/// Reaction time of tasks with known phases: the maximum over all arrivals of the first task (Kloda et al. 2019).
/// Returns `None` if a phase is unknown, or if there are more than [`ARRIVALS`] arrivals.
fn kloda(links: &[Link]) -> Option<u64> {
    let phases = links
        .iter()
        .map(|link| link.phase)
        .collect::<Option<Vec<u64>>>()?;
    let hyperperiod = links.iter().try_fold(1u64, |multiple, link| {
        (multiple / num_integer::gcd(multiple, link.period)).checked_mul(link.period)
    })?;
    let (first, last) = (links.first()?, links.last()?);
    let end = phases.iter().max()?.checked_add(hyperperiod)?;
    let start = *phases.first()?;
    if end.checked_sub(start)? / first.period > ARRIVALS {
        return None;
    }
    let mut longest = 0;
    let mut arrival = start;
    while arrival <= end {
        let mut read = arrival.checked_add(first.period)?;
        for (position, pair) in links.windows(2).enumerate() {
            if let [link, next] = pair {
                let written = read.checked_add(if link.late { link.response } else { 0 })?;
                let phase = *phases.get(position + 1)?;
                read = match written.checked_sub(phase) {
                    Some(after) => {
                        phase.checked_add(after.div_ceil(next.period).checked_mul(next.period)?)?
                    }
                    None => phase,
                };
            }
        }
        longest = longest.max(read.checked_add(last.response)? - arrival);
        arrival = arrival.checked_add(first.period)?;
    }
    Some(longest)
}
