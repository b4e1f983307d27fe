//! Options `-gpgpu_cache:*`: the configuration of one cache in one word.

use super::value::{Value, unsigned};
use crate::machine::{Allocation, Cache, Hash, MshrKind, Replacement, WriteAllocation, WritePolicy};
use gpusched_model::error::Result;

const FORM: &str = "SECTORED:SETS:LINE:WAYS,REPLACEMENT:WRITE:ALLOCATION:WRITE_ALLOCATION:SET_INDEX,MSHR:ENTRIES:MERGE,\
                    MISS_QUEUE[:FIFO][,PORT], such as S:64:128:16,L:B:m:L:P,A:192:4,32:0,32";

/// Reads a cache configuration from `value`. The word `none` means that there is no cache.
pub(super) fn cache(value: &Value) -> Result<Option<Cache>> {
    if value.text == "none" {
        return Ok(None);
    }
    let parts: Vec<Vec<&str>> = value
        .text
        .split(',')
        .map(|part| part.split(':').collect())
        .collect();
    let (geometry, policies, mshr, queues, port) = match parts.as_slice() {
        [geometry, policies, mshr, queues] => (geometry, policies, mshr, queues, None),
        [geometry, policies, mshr, queues, port] => (geometry, policies, mshr, queues, Some(port)),
        _ => return Err(value.refuse(FORM)),
    };
    let (&[sectored, sets, line, ways], &[replacement, write, allocation, write_allocation, set_index]) =
        (geometry.as_slice(), policies.as_slice())
    else {
        return Err(value.refuse(FORM));
    };
    let &[mshr_kind, mshr_entries, mshr_merge] = mshr.as_slice() else {
        return Err(value.refuse(FORM));
    };
    let (miss_queue, fifo) = match *queues.as_slice() {
        [miss_queue] => (miss_queue, "0"),
        [miss_queue, fifo] => (miss_queue, fifo),
        _ => return Err(value.refuse(FORM)),
    };
    let port = match port.map(Vec::as_slice) {
        None => "0",
        Some([port]) => port,
        Some(_) => return Err(value.refuse(FORM)),
    };
    let number = |name: &str, text: &str| {
        let number = unsigned(text, 10);
        number.ok_or_else(|| value.refuse_part(text, &format!("a whole number as the {name}")))
    };
    let line_bytes = number("line size", line)?;
    let port_bytes = number("port size", port)?;
    Ok(Some(Cache {
        sectored: letter(value, "the cache kind", sectored, &[("N", false), ("S", true)])?,
        sets: number("number of sets", sets)?,
        line_bytes,
        ways: number("number of ways", ways)?,
        replacement: letter(
            value,
            "the replacement policy",
            replacement,
            &[("L", Replacement::Lru), ("F", Replacement::Fifo)],
        )?,
        write_policy: letter(
            value,
            "the write policy",
            write,
            &[
                ("R", WritePolicy::ReadOnly),
                ("B", WritePolicy::WriteBack),
                ("T", WritePolicy::WriteThrough),
                ("E", WritePolicy::WriteEvict),
                ("L", WritePolicy::LocalBackGlobalThrough),
            ],
        )?,
        allocation: letter(
            value,
            "the allocation policy",
            allocation,
            &[
                ("m", Allocation::OnMiss),
                ("f", Allocation::OnFill),
                ("s", Allocation::Streaming),
            ],
        )?,
        write_allocation: letter(
            value,
            "the write allocation policy",
            write_allocation,
            &[
                ("N", WriteAllocation::None),
                ("W", WriteAllocation::Allocate),
                ("F", WriteAllocation::FetchOnWrite),
                ("L", WriteAllocation::LazyFetchOnRead),
            ],
        )?,
        set_index: letter(
            value,
            "the set index function",
            set_index,
            &[
                ("L", Hash::Linear),
                ("X", Hash::Xor),
                ("P", Hash::Ipoly),
                ("H", Hash::Fermi),
            ],
        )?,
        mshr_kind: letter(
            value,
            "the MSHR kind",
            mshr_kind,
            &[
                ("A", MshrKind::Associative),
                ("S", MshrKind::SectorAssociative),
                ("F", MshrKind::TextureFifo),
                ("T", MshrKind::SectorTextureFifo),
            ],
        )?,
        mshr_entries: number("number of MSHR entries", mshr_entries)?,
        mshr_merge: number("number of requests per MSHR entry", mshr_merge)?,
        miss_queue: number("size of the miss queue", miss_queue)?,
        result_fifo: number("size of the result FIFO", fifo)?,
        // The value 0 means that the port is as wide as a line.
        port_bytes: if port_bytes == 0 { line_bytes } else { port_bytes },
    }))
}

fn letter<T: Copy>(value: &Value, what: &str, found: &str, choices: &[(&str, T)]) -> Result<T> {
    let choice = choices.iter().find(|(letter, _)| *letter == found);
    choice.map(|(_, choice)| *choice).ok_or_else(|| {
        let letters: Vec<&str> = choices.iter().map(|(letter, _)| *letter).collect();
        value.refuse_part(found, &format!("one of {} for {what}", letters.join(", ")))
    })
}
