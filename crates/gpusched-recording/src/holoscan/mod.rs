//! Converts graphs of operators of Holoscan applications to end-to-end systems. The files are DOT, as the scripts of HoloHub
//! for response times read them: each operator has an attribute `WCET`, and the edges are connections.
//!
//! The greedy scheduler of Holoscan executes all operators in one thread. So the application is one task: its jobs execute
//! all operators in an order that respects the edges.

mod dot;

use std::collections::BTreeSet;
use std::path::Path;

use gpusched_analysis::operator_graphs::{OperatorGraph, response_time, smallest_period};
use gpusched_model::Refusal;
use gpusched_model::end_to_end::{
    Arrivals, Core, CorePolicy, Draft, Jobs, PartitionDraft, PartitionPolicy, SegmentDraft, System,
    TaskDraft, Wait,
};
use gpusched_model::error::{Error, Result};
use gpusched_model::time::Time;
use gpusched_model::time::decimal::{Rounding, nanoseconds};
use gpusched_model::wcet::{Contention, Form, Table, WcetFunction};
use gpusched_model::{Interference, counted};

use crate::task_files::Unit;
use crate::xml;
use dot::{Graph, Operator};

/// Attribute: execution time of an operator on the core, without its kernels.
const WCET: &str = "WCET";

/// Attribute: execution time of the kernels of an operator.
const GPU_WCET: &str = "GPU_WCET";

/// Maximum size of a file [bytes].
const MAX_BYTES: usize = 1 << 22;

/// Values that the file does not state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Unit of the execution times.
    pub unit: Unit,
    /// Time between two executions of the operator without inputs.
    pub period: Time,
    /// Relative deadline of all operators; `None` for the period.
    pub deadline: Option<Time>,
    /// Number of SMs of the GPU, on which the execution times of kernels hold; required if an operator has kernels.
    pub sms: Option<u32>,
    /// Scheduling rule of the GPU.
    pub gpu_policy: PartitionPolicy,
    /// What the thread does while a kernel executes.
    pub wait: Wait,
}

/// A system from a graph of operators.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Imported {
    /// The system.
    pub result: Draft,
    /// Assumptions about the application. If an assumption is false, a verdict may be unsafe.
    pub assumptions: Vec<String>,
    /// Decisions, and parts of the file without an effect.
    pub notes: Vec<String>,
}

/// Reads the graph of operators at `path` and derives an end-to-end system with one task. The path `-` is standard input.
///
/// # Errors
/// Fails with [`Error::Io`] if the file cannot be read. Fails with
/// [`Error::Refused`] for a file that is not a directed graph in DOT, for an operator
/// without a WCET, for cycles, and for a graph with several operators without inputs. Also fails for a period of 0, for a
/// deadline that is 0 or above the period, and for kernels without a number of SMs.
pub fn system(path: impl AsRef<Path>, options: &Options) -> Result<Imported> {
    let path = path.as_ref();
    if options.period == Time::ZERO {
        Refusal::refuse("period", options.period, "a time above 0")?;
    }
    if let Some(deadline) = options
        .deadline
        .filter(|&time| time == Time::ZERO || time > options.period)
    {
        let expected = format!("a time above 0 and at most the period, {}", options.period);
        Refusal::refuse("deadline", deadline, expected)?;
    }
    let text = xml::read_text(path, "DOT")?;
    if text.len() > MAX_BYTES {
        return Err(Error::file(path, "more than 4 MiB", "at most 4 MiB"));
    }
    // Editors of Windows write a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let graph = dot::parse(path, text, &[WCET, GPU_WCET])?;
    let order = order(path, &graph)?;
    let mut segments = Vec::new();
    for &position in &order {
        segments.extend(of_operator(path, &graph.operators[position], options)?);
    }
    let name = xml::stem(path).or(graph.name.clone());
    let name = name.unwrap_or_else(|| "application".to_owned());
    let on_gpu = segments.iter().any(|segment| segment.on == GPU);
    let partition = PartitionDraft::new(GPU, options.sms, options.gpu_policy);
    let draft = Draft {
        name: Some(name.clone()),
        cores: vec![Core {
            name: CORE.to_owned(),
            kind: None,
            policy: CorePolicy::Fp,
        }],
        copy_engines: Vec::new(),
        partitions: Vec::from_iter(on_gpu.then_some(partition)),
        tasks: vec![TaskDraft {
            name,
            period: options.period,
            deadline: options.deadline,
            jitter: None,
            arrivals: Arrivals::Periodic,
            max_interarrival: None,
            phase: None,
            priority: None,
            gpu_priority: None,
            wait: on_gpu.then_some(options.wait),
            jobs: Jobs::Sequential,
            buffers: None,
            segments,
            alternatives: Vec::new(),
        }],
        chains: Vec::new(),
        budgets: None,
    };
    System::new(&draft, Interference::None).map_err(|refusal| refusal.at(path, None))?;
    let names: Vec<&str> = order
        .iter()
        .map(|&position| &*graph.operators[position].name)
        .collect();
    let root = names.first().copied().unwrap_or_default(); // `order` refuses an empty graph
    let mut assumptions = vec![
        format!("the greedy scheduler of Holoscan executes all operators in one thread, on the core {CORE}"),
        format!(
            "operator {root} executes once per period, and each other operator once per execution of {root}"
        ),
        format!(
            "the thread executes the operators in the order {}",
            names.join(", ")
        ),
        "each WCET contains the overheads of the scheduler and of messages".to_owned(),
    ];
    if let Some(sms) = options.sms.filter(|_| on_gpu) {
        assumptions.push(format!(
            "each operator waits for its kernels ({GPU_WCET}) before it ends, and these execute after the work on the core"
        ));
        assumptions.push(format!(
            "each {GPU_WCET} holds on {}, and on more SMs",
            counted(sms, "SM")
        ));
    }
    let mut notes = vec![format!(
        "the times are in {}, because the format states no unit",
        options.unit
    )];
    if !graph.ignored.is_empty() {
        let ignored: Vec<&str> = graph.ignored.iter().map(String::as_str).collect();
        notes.push(format!("left out: {}", ignored.join(", ")));
    }
    notes.push(format!(
        "{} and {}",
        counted(graph.operators.len(), "operator"),
        counted(graph.edges.len(), "connection")
    ));
    notes.extend(in_parallel(&graph, &order, &draft, options.period));
    Ok(Imported {
        result: draft,
        assumptions,
        notes,
    })
}

/// Most operators of a graph for which the import computes a bound on parallel execution.
const MOST: usize = 1000;

/// Returns a note with the response time if each operator has a thread and a core of its own. Kernels share the GPU, so the note
/// is absent if there are kernels.
fn in_parallel(graph: &Graph, order: &[usize], draft: &Draft, period: Time) -> Option<String> {
    let segments = &draft.tasks.first()?.segments;
    // Without kernels, each operator has one segment.
    if graph.operators.len() > MOST || segments.len() != order.len() || !draft.partitions.is_empty() {
        return None;
    }
    let mut positions = vec![0; order.len()];
    for (position, &operator) in order.iter().enumerate() {
        *positions.get_mut(operator)? = position;
    }
    let wcets = segments
        .iter()
        .map(|segment| segment.wcet.as_ref()?.at(1, Contention::Isolated));
    let wcets = wcets.collect::<Option<Vec<Time>>>()?;
    let edges = graph
        .edges
        .iter()
        .map(|&(from, to)| (positions[from], positions[to]));
    let parallel = OperatorGraph::new(wcets, edges).ok()?;
    let found = match response_time(&parallel, period) {
        Some(bound) => format!("a message takes at most {bound}"),
        None => format!("the smallest period is {}", smallest_period(&parallel)?),
    };
    Some(format!(
        "with the multi-thread scheduler, and a worker and a core for each operator, {found}"
    ))
}

/// Name of the core that executes all operators.
const CORE: &str = "cpu";

/// Name of the GPU.
const GPU: &str = "gpu";

/// Returns the segments of an operator: its work on the core, and then its kernels. Work of length 0 has no segment.
fn of_operator(path: &Path, operator: &Operator, options: &Options) -> Result<Vec<SegmentDraft>, Refusal> {
    let time = |attribute: &'static str| {
        let field = format!("{:?}.{attribute}", operator.name);
        let Some((value, line)) = operator.attributes.get(attribute) else {
            return match attribute {
                WCET => {
                    Err(Refusal::new(field, "no attribute", "the WCET of the operator")
                        .at(path, operator.line))
                }
                _ => Ok(Time::ZERO),
            };
        };
        let time = nanoseconds(value.as_bytes(), options.unit.exponent(), Rounding::Up);
        let time = time.ok_or_else(|| Refusal::new(&*field, value, "a time, such as 200").at(path, *line))?;
        Ok(Time::from_ns(time))
    };
    let (wcet, kernels) = (time(WCET)?, time(GPU_WCET)?);
    if wcet == Time::ZERO && kernels == Time::ZERO {
        let field = format!("{:?}.{WCET}", operator.name);
        return Err(Refusal::new(field, "0", "a time above 0").at(path, operator.line));
    }
    let parts = [(CORE, wcet), (GPU, kernels)].into_iter();
    let parts = parts.filter(|&(_, time)| time > Time::ZERO).map(|(on, time)| {
        let wcet = match (on, options.sms) {
            (CORE, _) => WcetFunction::constant(time),
            // On fewer SMs, the kernels may take longer.
            (_, Some(sms)) => WcetFunction::new(Form::Table(Table::Isolated {
                isolated: vec![(sms, time)],
            })),
            (_, None) => {
                let found = format!("no number, but operator {:?} has kernels", operator.name);
                let expected = format!("the number of SMs on which each {GPU_WCET} holds");
                return Refusal::refuse("sms", found, expected);
            }
        };
        let wcet = wcet
            .map_err(|error| Refusal::told(format!("{:?}", operator.name), error).at(path, operator.line))?;
        Ok(SegmentDraft {
            on: on.to_owned(),
            wcet: Some(wcet),
            bcet: None,
            bytes: None,
            block: None,
            kind: None,
            traffic: None,
            bandwidth: None,
            e1: None,
            delay_rate: None,
            profile: None,
        })
    });
    parts.collect()
}

/// Returns the operators in an order that respects the edges. Among operators whose inputs are ready, the first one of the
/// file is next.
fn order(path: &Path, graph: &Graph) -> Result<Vec<usize>, Refusal> {
    let count = graph.operators.len();
    let (mut inputs, mut outputs) = (vec![0usize; count], vec![Vec::new(); count]);
    for &(from, to) in &graph.edges {
        inputs[to] += 1;
        outputs[from].push(to);
    }
    let roots: Vec<usize> = (0..count).filter(|&position| inputs[position] == 0).collect();
    let names = |positions: &[usize]| {
        let names: Vec<&str> = positions
            .iter()
            .map(|&position| &*graph.operators[position].name)
            .collect();
        names.join(", ")
    };
    match roots[..] {
        [_] => {}
        [] if count == 0 => {
            return Err(Refusal::new("", "no operator", "at least one operator").at(path, None));
        }
        [] => {
            return Err(
                Refusal::new("", "a cycle through all operators", "a graph without cycles").at(path, None),
            );
        }
        [_, second, ..] => {
            let found = format!("the operators {} without inputs", names(&roots));
            let refusal = Refusal::new("", found, "one operator without inputs");
            return Err(refusal.at(path, graph.operators[second].line));
        }
    }
    let mut ready: BTreeSet<usize> = roots.into_iter().collect();
    let mut order = Vec::with_capacity(count);
    while let Some(next) = ready.pop_first() {
        order.push(next);
        for &to in &outputs[next] {
            inputs[to] -= 1;
            if inputs[to] == 0 {
                ready.insert(to);
            }
        }
    }
    let rest: Vec<usize> = (0..count).filter(|&position| inputs[position] > 0).collect();
    match rest.first() {
        None => Ok(order),
        Some(&first) => {
            let found = format!("a cycle before or through the operators {}", names(&rest));
            let refusal = Refusal::new("", found, "a graph without cycles");
            Err(refusal.at(path, graph.operators[first].line))
        }
    }
}
