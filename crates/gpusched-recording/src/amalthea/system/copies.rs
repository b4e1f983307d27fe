//! Copies between host and device memory: amounts of data, and the data rate of the GPU.

use std::collections::BTreeMap;

use gpusched_model::Refusal;
use gpusched_model::time::Time;

use super::flow::Flows;
use crate::amalthea::hardware::missing;
use crate::amalthea::model::{Model, Node, child, children, owner};
use crate::amalthea::quantity::bits;

/// Labels by name.
pub struct Labels<'a>(BTreeMap<&'a str, Node<'a>>);

impl<'a> Labels<'a> {
    /// Reads the labels of `model`.
    pub fn read(model: &Model<'a>) -> Result<Labels<'a>, Refusal> {
        Ok(Labels(model.by_name(model.elements("swModel", "labels"))?))
    }

    /// Returns the amounts of data that `flows` reads and writes [bits]. `node` is the runnable with the accesses.
    pub fn volume(&self, model: &Model<'a>, node: Node<'a>, flows: &Flows) -> Result<(u128, u128), Refusal> {
        // A statistic changes the number of accesses.
        let counted = node
            .descendants()
            .find(|node| ["statistic", "statistics"].contains(&node.tag_name().name()));
        if let Some(statistic) = counted {
            let found = "a number of label accesses in a copy";
            return Err(model.refuse(statistic, owner(node), found, "one access per item"));
        }
        let (mut read, mut written) = (0u128, 0u128);
        for (label, flow) in &flows.0 {
            let size = self.size(model, label)?;
            let times = |count: u64| size.checked_mul(count.into());
            let sums = times(flow.read_count).and_then(|more| read.checked_add(more));
            let sums = sums.zip(times(flow.write_count).and_then(|more| written.checked_add(more)));
            (read, written) = sums.ok_or_else(|| {
                let found = "a copy of more than 2^128 bits";
                model.refuse(node, owner(node), found, "a smaller amount of data")
            })?;
        }
        Ok((read, written))
    }

    /// Returns the size of the label `name` [bits].
    fn size(&self, model: &Model<'a>, name: &str) -> Result<u128, Refusal> {
        let label = self.0.get(name).copied();
        let label = label.ok_or_else(|| missing(model, "label", name))?;
        let size = child(label, "size").ok_or_else(|| {
            let field = format!("labels {name:?}.size");
            model.refuse(label, field, "no size", "the size of a label that the GPU copies")
        })?;
        bits(model, size, "")
    }
}

/// Data rate of a GPU [bits/s].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Rate(u128);

impl Rate {
    /// Returns the smallest data rate of the memory accesses of the processing unit `unit`.
    pub fn read(model: &Model<'_>, unit: Node<'_>) -> Result<Rate, Refusal> {
        let rates = children(unit, "accessElements").filter_map(|element| child(element, "dataRate"));
        let mut least = None;
        for rate in rates {
            let found = bits(model, rate, "PerSecond")?;
            if found == 0 {
                return Err(model.refuse(rate, "accessElements.dataRate", "0", "a data rate above 0"));
            }
            least = Some(least.map_or(found, |least: u128| least.min(found)));
        }
        least.map(Rate).ok_or_else(|| {
            let field = format!("modules {:?}.accessElements", crate::amalthea::model::name(unit));
            model.refuse(
                unit,
                field,
                "no data rate",
                "a data rate, because tasks on the GPU copy labels",
            )
        })
    }

    /// Returns the time to transfer `bits`, rounded up to a whole nanosecond. Returns `None` above [`Time::LIMIT`].
    pub fn duration(self, bits: u128) -> Option<Time> {
        let ns = u64::try_from(bits.checked_mul(1_000_000_000)?.div_ceil(self.0)).ok()?;
        Some(Time::from_ns(ns)).filter(|&time| time <= Time::LIMIT)
    }
}
