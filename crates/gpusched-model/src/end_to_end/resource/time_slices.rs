//! Partitions whose contexts take turns. A context is, for example, a process with its own CUDA context, or a virtual GPU.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{Partition, PartitionDraft, PartitionPolicy};
use crate::Refusal;
use crate::time::Time;

/// Maximum number of turns per round.
const MAX_TURNS: usize = 1000;

/// Turns of contexts without kernels.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Idle {
    /// Only contexts with kernels have turns. A turn ends early if its context has no kernel left.
    #[default]
    Skip,
    /// Each turn takes its whole slice, even without kernels. An overrun delays all later turns.
    Wait,
    /// Turns start at fixed times. An overrun shortens the next turn.
    Fixed,
}

/// A context as written in a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "a context: an object with \"name\" and \"slice\""
)]
pub struct ContextDraft {
    /// Name of the context. The names of all resources differ.
    pub name: String,
    /// q: time slice, the length of a turn [ns]; > 0.
    #[serde(deserialize_with = "crate::time::positive_time")]
    pub slice: Time,
    /// Scheduling rule for the kernels of the context: `np-fifo` (default), `np-fp`, `fp`, `edf` or `np-edf`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PartitionPolicy>,
    /// o: maximum time for which a running kernel keeps the GPU after its slice [ns]; by default the longest `block`.
    #[serde(
        default,
        deserialize_with = "crate::time::optional_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub overrun: Option<Time>,
}

/// A context of a time-sliced partition.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Context {
    /// Position of the context in the list of partitions of the system.
    pub partition: usize,
    /// q: time slice [ns]; > 0.
    pub slice: Time,
    /// o: maximum overrun of a slice [ns].
    pub overrun: Time,
}

/// A time-sliced partition: contexts that take turns on the same SMs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimeSlices {
    /// Name of the partition.
    pub name: String,
    /// θ: time to switch to another context [ns].
    pub switch: Time,
    /// Turns of contexts without kernels.
    pub idle: Idle,
    /// Contexts; at least one.
    pub contexts: Vec<Context>,
    /// Positions in `contexts`, in the order of the turns. Each context occurs at least once.
    pub runlist: Vec<usize>,
}

impl TimeSlices {
    /// Checks the time slices of `draft`, a partition with `sms` SMs. Adds its contexts to `partitions`. Returns `None` if
    /// the partition has another policy.
    pub(in super::super) fn add(
        draft: &PartitionDraft,
        sms: u32,
        partitions: &mut Vec<Partition>,
    ) -> Result<Option<TimeSlices>, Refusal> {
        if let Some(policy) = draft.policy.of_kernels() {
            let stated = [
                ("switch", draft.switch.is_some()),
                ("contexts", !draft.contexts.is_empty()),
                ("runlist", draft.runlist.is_some()),
                ("idle", draft.idle.is_some()),
            ];
            if let Some((field, _)) = stated.into_iter().find(|(_, stated)| *stated) {
                let found = format!("a partition with the policy {policy}");
                Refusal::refuse(field, found, "this field only with the policy time-sliced")?;
            }
            partitions.push(Partition {
                name: draft.name.clone(),
                sms,
                policy,
            });
            return Ok(None);
        }
        let Some(switch) = draft.switch else {
            let expected = "the time to switch to another context, such as \"100us\"";
            return Refusal::refuse("switch", "no field `switch`", expected);
        };
        if switch > Time::LIMIT {
            Refusal::refuse("switch", switch, "less than 2^63 ns")?;
        }
        let idle = draft.idle.unwrap_or_default(); // the rule of GPUs that share their time
        let contexts = draft.contexts.iter().enumerate();
        let contexts = contexts.map(|(index, context)| {
            let context = self::context(context, sms, partitions);
            context.map_err(|refusal| refusal.within(&format!("contexts[{index}]")))
        });
        let contexts: Vec<Context> = contexts.collect::<Result<_, _>>()?;
        if contexts.is_empty() {
            Refusal::refuse("contexts", "no contexts", "one or more contexts")?;
        }
        let runlist = runlist(draft)?;
        Ok(Some(TimeSlices {
            name: draft.name.clone(),
            switch,
            idle,
            contexts,
            runlist,
        }))
    }

    /// Sets each overrun that `draft` does not state to the longest time for which a kernel of the context keeps the GPU:
    /// `longest` of its partition. Then checks the overruns.
    pub(in super::super) fn complete(
        &mut self,
        draft: &PartitionDraft,
        longest: impl Fn(usize) -> Time,
    ) -> Result<(), Refusal> {
        for (context, draft) in self.contexts.iter_mut().zip(&draft.contexts) {
            context.overrun = draft.overrun.unwrap_or_else(|| longest(context.partition));
        }
        match self.idle {
            Idle::Fixed => check_fixed(&self.contexts, &self.runlist),
            Idle::Skip | Idle::Wait => Ok(()),
        }
    }

    /// Whether each overrun is shorter than the slice of the next turn.
    pub(in super::super) fn overruns_fit(&self) -> bool {
        check_fixed(&self.contexts, &self.runlist).is_ok()
    }

    /// Returns the context that is partition `partition` of the system, as a position in `contexts`.
    pub fn position(&self, partition: usize) -> Option<usize> {
        self.contexts
            .iter()
            .position(|context| context.partition == partition)
    }
}

/// Checks a context, and adds it to `partitions`.
fn context(draft: &ContextDraft, sms: u32, partitions: &mut Vec<Partition>) -> Result<Context, Refusal> {
    for (field, time) in [("slice", Some(draft.slice)), ("overrun", draft.overrun)] {
        if let Some(found) = time.filter(|&time| time > Time::LIMIT) {
            Refusal::refuse(field, found, "less than 2^63 ns")?;
        }
    }
    if draft.slice == Time::ZERO {
        Refusal::refuse("slice", draft.slice, "more than 0 ns")?;
    }
    let policy = draft.policy.unwrap_or(PartitionPolicy::NpFifo); // the order of kernels in one stream
    if let PartitionPolicy::LpFp | PartitionPolicy::LpEdf = policy {
        let expected =
            "np-fifo, np-fp, fp, edf or np-edf, because no analysis counts thread blocks and time slices";
        Refusal::refuse("policy", policy, expected)?;
    }
    partitions.push(Partition {
        name: draft.name.clone(),
        sms,
        policy,
    });
    Ok(Context {
        partition: partitions.len() - 1,
        slice: draft.slice,
        overrun: draft.overrun.unwrap_or_default(), // `complete` replaces a missing overrun
    })
}

/// Returns the positions of the contexts in the order of their turns.
fn runlist(draft: &PartitionDraft) -> Result<Vec<usize>, Refusal> {
    let names = draft.contexts.iter().map(|context| context.name.as_str());
    let positions: HashMap<&str, usize> = names.clone().zip(0..).collect();
    let Some(list) = &draft.runlist else {
        return Ok((0..draft.contexts.len()).collect());
    };
    if !(1..=MAX_TURNS).contains(&list.len()) {
        let found = format!("{} turns", list.len());
        Refusal::refuse("runlist", found, format!("1 to {MAX_TURNS} turns"))?;
    }
    let turns = list.iter().enumerate().map(|(index, name)| {
        let expected = || {
            format!(
                "a context of the partition: {}",
                names.clone().collect::<Vec<_>>().join(", ")
            )
        };
        match positions.get(name.as_str()) {
            Some(&position) => Ok(position),
            None => Refusal::refuse(format!("runlist[{index}]"), format!("{name:?}"), expected()),
        }
    });
    let turns = turns.collect::<Result<Vec<usize>, Refusal>>()?;
    if let Some(missing) = (0..draft.contexts.len()).find(|position| !turns.contains(position)) {
        let name = draft
            .contexts
            .get(missing)
            .map_or("", |context| context.name.as_str());
        Refusal::refuse(
            "runlist",
            format!("no turn of {name:?}"),
            "one or more turns of each context",
        )?;
    }
    Ok(turns)
}

/// Checks that no overrun is as long as the slice of the next turn. With fixed turns, such an overrun would shift later turns.
fn check_fixed(contexts: &[Context], runlist: &[usize]) -> Result<(), Refusal> {
    let next = runlist.iter().cycle().skip(1);
    for (&before, &after) in runlist.iter().zip(next) {
        let (Some(overruns), Some(shortened)) = (contexts.get(before), contexts.get(after)) else {
            continue;
        };
        if overruns.overrun >= shortened.slice {
            let expected = format!(
                "less than {}, the slice of the next turn, with fixed turns",
                shortened.slice
            );
            Refusal::refuse(format!("contexts[{before}].overrun"), overruns.overrun, expected)?;
        }
    }
    Ok(())
}
