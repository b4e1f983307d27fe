//! CUDA green contexts: the split of a device into groups of SMs (CUDA Driver API, *Green Contexts*), as a C++ header.
//!
//! One call of `cuDevSmResourceSplitByCount` creates groups of equal size. One descriptor (`cuDevResourceGenerateDesc`)
//! can contain several groups of one call. One call is therefore sufficient if every partition size is a multiple of one
//! group size. If the sizes have no such group size, one call of `cuDevSmResourceSplit` (CUDA 13.1) creates groups of
//! different sizes.
//!
//! The header also contains one dispatcher per partition, if threads can follow the policy. The files in `templates` contain the code;
//! words between two `@` stand for the values of a plan.

use super::content::Export;
use gpusched_model::Policy;
use gpusched_model::error::Error;
use gpusched_model::plan::Partition;
use gpusched_model::policy::Preemption;
use gpusched_model::verdict::Evidence;
use num_integer::gcd;

const PARTITIONS: &str = include_str!("templates/partitions.hpp");
const GROUPS: &str = include_str!("templates/groups.hpp");
const SIZES: &str = include_str!("templates/sizes.hpp");
const DISPATCHERS: &str = include_str!("templates/dispatchers.hpp");
const MAIN: &str = include_str!("templates/main.hpp");

/// Returns a C++ header that creates the partitions and dispatches their jobs.
pub(super) fn export(out: &Export<'_>) -> Result<String, Error> {
    let group = group(out);
    let (minimum, since, refused) = match group {
        Some(_) => (
            12_050,
            "12.5",
            "streams of green contexts need cuda.h of CUDA 12.5 or newer",
        ),
        None => (
            13_010,
            "13.1",
            "the partition sizes have no common group size, so they need cuda.h of CUDA 13.1 or newer",
        ),
    };
    let split = match group {
        Some(group) => GROUPS.replace("@group@", &group.to_string()),
        None => SIZES.to_owned(),
    };
    let count = out.set.tasks().len();
    let mut partition_of_task = vec![0; count];
    for (index, partition) in out.partitions() {
        for &task in &partition.tasks {
            partition_of_task[task] = index;
        }
    }
    let names = identifiers(out);
    let tasks = names.iter().enumerate();
    let tasks: Vec<String> = tasks.map(|(task, name)| format!("{name} = {task}")).collect();
    let sizes = out.plan.partitions.iter().map(|partition| partition.sms);
    let labels = (0..count).map(|task| literal(&out.set.label(task)));
    let dispatch: Option<Vec<Dispatch>> = out.plan.partitions.iter().map(Dispatch::of).collect();
    let mut text = PARTITIONS.replace("@comments@", &comments(out));
    text += &match &dispatch {
        Some(dispatch) => dispatchers(out, dispatch),
        None => {
            let policy = out
                .plan
                .partitions
                .first()
                .map(|partition| partition.verdict.policy);
            let reason = match policy {
                Some(policy) if policy.runs_together() => {
                    format!("Under {policy}, give each task a stream of its own in its partition.")
                }
                policy => {
                    let policy = policy.map_or_else(String::new, |policy| policy.to_string());
                    format!("Plain threads cannot follow the policy {policy}.")
                }
            };
            MAIN.replace("@reason@", &reason)
        }
    };
    for (name, value) in [
        ("@split@", split),
        ("@minimum@", minimum.to_string()),
        ("@since@", since.to_owned()),
        ("@refused@", refused.to_owned()),
        ("@gpu_sms@", out.device().sms().to_string()),
        ("@sizes@", list(sizes)),
        ("@partition_of_task@", list(partition_of_task)),
        ("@tasks@", tasks.join(", ")),
        ("@names@", list(labels)),
    ] {
        text = text.replace(name, &value);
    }
    Ok(text)
}

/// Returns the comments about the plan.
fn comments(out: &Export<'_>) -> String {
    let device = out.device();
    let (min, step) = rule(out);
    let mut text = format!(
        "// Partitions of a plan as CUDA green contexts on device {}: each has at least {min} SMs, in steps of {step} SMs.\n\
         // The driver selects the SMs.\n",
        device.name()
    );
    for (index, partition) in out.partitions() {
        text += &format!("// {}\n", out.comment(index, partition));
    }
    // A name may contain the mark of a value.
    (text + &out.assumptions("//")).replace('@', "(at)")
}

/// Returns the smallest partition and the step of partition sizes.
fn rule(out: &Export<'_>) -> (u32, u32) {
    let rule = out.device().green_context();
    rule.map_or((1, 1), |rule| (rule.min, rule.step))
}

/// Returns the number of SMs of a group, if every partition consists of groups of this size. If possible, the group is the smallest of
/// the device, because small groups fit best into GPCs.
fn group(out: &Export<'_>) -> Option<u32> {
    let (min, step) = rule(out);
    let smallest = min.div_ceil(step).saturating_mul(step);
    let sizes = out.plan.partitions.iter().map(|partition| partition.sms);
    let common = sizes.fold(0, gcd);
    match common {
        0 => None,
        _ if common % smallest == 0 => Some(smallest),
        _ => Some(common).filter(|&common| common >= min && common % step == 0),
    }
}

/// How a dispatcher chooses among the jobs that wait.
enum Dispatch {
    /// The earliest deadline is first.
    Deadlines,
    /// The earliest arrival is first.
    Arrivals,
    /// Positions of the tasks in the partition, from the highest to the lowest priority.
    Ranks(Vec<usize>),
}

impl Dispatch {
    /// Returns `None` if a dispatcher that runs one job at a time to its end cannot follow the policy.
    fn of(partition: &Partition) -> Option<Dispatch> {
        let verdict = &partition.verdict;
        match (verdict.policy, &verdict.evidence) {
            (Policy::NpEdf, _) => Some(Dispatch::Deadlines),
            (Policy::NpFifo, _) => Some(Dispatch::Arrivals),
            (
                Policy::FixedPriority(Preemption::NonPreemptive, _),
                Evidence::ResponseTimes { priorities, .. },
            ) => Some(Dispatch::Ranks(priorities.clone())),
            _ => None,
        }
    }
}

/// Returns the dispatchers.
fn dispatchers(out: &Export<'_>, dispatch: &[Dispatch]) -> String {
    let mut ranks = vec![0; out.set.tasks().len()];
    for (partition, dispatch) in out.plan.partitions.iter().zip(dispatch) {
        for (rank, &task) in partition.tasks.iter().enumerate() {
            ranks[task] = match dispatch {
                Dispatch::Deadlines | Dispatch::Arrivals => rank,
                Dispatch::Ranks(order) => order.iter().position(|&index| index == rank).unwrap_or(rank),
            };
        }
    }
    let by_time = dispatch.iter().map(|dispatch| match dispatch {
        Dispatch::Deadlines | Dispatch::Arrivals => true,
        Dispatch::Ranks(_) => false,
    });
    let mut orders = vec![0; out.set.tasks().len()];
    for (partition, dispatch) in out.plan.partitions.iter().zip(dispatch) {
        for &task in &partition.tasks {
            orders[task] = match dispatch {
                Dispatch::Deadlines => out.set.tasks()[task].deadline().ns(),
                Dispatch::Arrivals | Dispatch::Ranks(_) => 0,
            };
        }
    }
    let tasks = out.set.tasks();
    DISPATCHERS
        .replace("@periods@", &list(tasks.iter().map(|task| task.period().ns())))
        .replace(
            "@deadlines@",
            &list(tasks.iter().map(|task| task.deadline().ns())),
        )
        .replace("@ranks@", &list(ranks))
        .replace("@orders@", &list(orders))
        .replace("@by_time@", &list(by_time))
}

fn list<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    items.join(", ")
}

/// Words that are no names in C++17, or that are macros of common headers.
const RESERVED: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "assert",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "class",
    "compl",
    "const",
    "const_cast",
    "constexpr",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "errno",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "i386",
    "if",
    "inline",
    "int",
    "linux",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "stderr",
    "stdin",
    "stdout",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unix",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
];

/// Returns one name in C++ per task: the name of the task in lower case, with `_` for other characters, if that is a new name. Otherwise,
/// the name is `task_` and the position of the task.
fn identifiers(out: &Export<'_>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (index, task) in out.set.tasks().iter().enumerate() {
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                ' '
            }
        };
        let plain: String = task.name().unwrap_or_default().chars().map(plain).collect();
        let name: String = plain.split_whitespace().collect::<Vec<_>>().join("_");
        let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.len() <= 60
            && !name.starts_with("task_")
            && !RESERVED.contains(&name.as_str())
            && !names.contains(&name);
        names.push(if is_name { name } else { format!("task_{index}") });
    }
    names
}

/// Returns `text` as a string of C++. Bytes that are not plain letters, digits or marks are octal numbers.
fn literal(text: &str) -> String {
    let mut literal = String::from('"');
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b' ' | b'_' | b'-' | b'.' | b'/' | b'#' | b'+' => {
                literal.push(byte as char)
            }
            other => literal += &format!("\\{other:03o}"),
        }
    }
    literal + "\""
}
