//! The page of a kernel under a memory bandwidth budget shows the verdict, the assumptions, and the WCET over the budget. Simulated runs
//! show budgets over time, and the bandwidth that budget policies gain. The evidence is last.

mod runs;

use gpusched_analysis::bandwidth::Nominal;
use gpusched_analysis::kernel_wcet::{Estimator, curve, list_scheduling};
use gpusched_model::assumptions::Assumption;
use gpusched_model::error::Result;
use gpusched_model::kernel::Distribution;
use gpusched_model::{Bound, Cluster, Factor, Kernel, Straddling, counted};
use gpusched_verify::Fault;
use serde::Serialize;

use crate::assumptions::{Assumptions, Claim};
use crate::definitions::{self, Definitions};
use crate::dossier::{Dossier, described};
use crate::figure::Figure;
use crate::file::File;
use crate::lines::Lines;
use crate::verdict::{Check, Verdict};
use crate::view::{Cell, Table, Tone};
use crate::{Page, page};

/// Number of steps of the curve from Q = 0 to Q = 1.
const STEPS: u64 = 40;

/// A WCET bound of a kernel under a budget, and the result of the verifier.
#[derive(Debug)]
pub struct Input<'a> {
    /// The kernel as the user wrote it.
    pub kernel: &'a Kernel,
    /// The bound, with its certificate.
    pub bound: &'a Bound,
    /// The nominal budget, if the bound is the WCET under this budget.
    pub nominal: Option<&'a Nominal>,
    /// Name of a kernel without a name.
    pub file: &'a str,
    /// The assumptions of the bound.
    pub assumptions: &'a [Assumption],
    /// The first wrong statement that the verifier found.
    pub fault: Option<&'a Fault>,
}

#[derive(Serialize)]
struct Content<'a> {
    heading: &'a str,
    verdict: Verdict,
    facts: Vec<(&'static str, String)>,
    assumptions: Assumptions,
    curve: Figure,
    points: Table,
    clusters: Table,
    runs: Option<runs::Section>,
    /// Command that computes the numbers of the page that the verifier does not read.
    again: String,
    files: Vec<File>,
    definitions: Definitions,
    dossier: Dossier,
}

/// Creates the page of a bound.
///
/// # Errors
/// Fails with [`Error::Internal`](gpusched_model::error::Error::Internal) if a template does not match the content.
pub fn page(input: &Input<'_>) -> Result<Page> {
    let Input { kernel, bound, .. } = *input;
    let heading = kernel.name().unwrap_or(input.file);
    let (curve, points) = curve_of(kernel, bound)?;
    let about = "The bound with its certificate";
    let stated = File::json("file-bound", "bound.json", about, bound)?;
    let dossier = dossier(input).in_file(&stated);
    let kernel_file = File::json("file-kernel", "kernel.json", "The kernel", kernel)?;
    let mut files = vec![stated, kernel_file];
    if let Some(nominal) = input.nominal {
        let about = "The nominal budget";
        files.insert(0, File::json("file-nominal", "nominal.json", about, nominal)?);
    }
    let mut content = Content {
        heading,
        verdict: verdict(input),
        facts: facts(input),
        assumptions: Assumptions::new(
            input.assumptions,
            match input.fault {
                None => Claim::Bound,
                Some(_) => Claim::Nothing { bound: false },
            },
        ),
        curve,
        points,
        clusters: clusters(kernel),
        runs: { input.fault.is_none() }.then(|| runs::section(kernel, bound.q, bound.straddling)),
        again: again(input),
        files,
        dossier,
        definitions: Definitions::default(),
    };
    let runs = content.runs.as_ref().and_then(runs::Section::policies);
    let tables = [&content.points, &content.clusters].into_iter().chain(runs);
    content.definitions = definitions::of(tables);
    Ok(Page {
        html: page::render("kernel.html", &format!("Kernel: {heading}"), &content)?,
        positive: input.fault.is_none(),
    })
}

fn verdict(input: &Input<'_>) -> Verdict {
    let (bound, kernel) = (input.bound, input.kernel);
    if let Some(fault) = input.fault {
        let text = format!("At `{}`: {}.", fault.field, fault.message);
        return Verdict {
            tone: Tone::Bad,
            word: "Refused".to_owned(),
            sentence: "The verifier refuses the result, so its numbers are not proven.".to_owned(),
            checks: vec![Check::new(Tone::Bad, "refused", text)],
            positive: false,
        };
    }
    let mut checks: Vec<Check> = { exceedable(kernel).into_iter() }
        .map(|text| Check::new(Tone::Open, "not a worst case", text))
        .collect();
    checks.push(Check::new(
        Tone::Good,
        "proven",
        "Separate code confirmed the bound by its certificate.".to_owned(),
    ));
    checks.extend(assumed(kernel).map(|text| Check::new(Tone::Open, "not checked", text)));
    let alone = format!(
        "In isolation, the kernel takes at most {}. The section How to verify has the command that computes it.",
        list_scheduling::isolated(kernel)
    );
    checks.push(Check::new(Tone::Open, "not checked by the command below", alone));
    if let Some(nominal) = input.nominal {
        let text = format!(
            "Each larger budget slows the kernel down by more than {} %, according to the search.",
            100.0 * nominal.slowdown.as_f64()
        );
        checks.push(Check::new(Tone::Open, "not checked", text));
    }
    let (tone, condition) = match exceedable(kernel) {
        None => (Tone::Good, ""),
        Some(_) => (Tone::Open, ", if no block takes longer than e⁰ and e¹"),
    };
    Verdict {
        tone,
        word: format!("At most {} at Q = {}{condition}", bound.wcet_ns, bound.q),
        sentence: format!(
            "Best-effort cores may access memory for {} of each regulation period of {}. The bound holds under the assumptions below.",
            bound.q,
            kernel.regulation_period()
        ),
        checks,
        positive: true,
    }
}

/// Returns the command that computes the time in isolation and, with a nominal budget, this budget.
fn again(input: &Input<'_>) -> String {
    let bound = input.bound;
    let mut command = match input.nominal {
        Some(nominal) => format!(
            "gpusched budget nominal kernel.json --slowdown {}",
            nominal.slowdown
        ),
        None => "gpusched wcet bound kernel.json --q 0".to_owned(),
    };
    if bound.sync {
        command += " --sync";
    }
    if bound.straddling == Straddling::Both {
        command += " --straddling both";
    }
    command
}

/// Returns the fields of values that the kernel file itself calls assumptions.
fn assumed(kernel: &Kernel) -> impl Iterator<Item = String> {
    let assumed = kernel.sources().iter();
    let assumed = assumed.filter(|(_, source)| source.to_lowercase().contains("assum"));
    let assumed: Vec<&str> = assumed.map(|(field, _)| field.as_str()).collect();
    let assumed = (!assumed.is_empty()).then(|| {
        format!(
            "Values that the kernel file itself calls assumptions: {}. The section of inputs cites them.",
            assumed.join(", ")
        )
    });
    assumed.into_iter()
}

/// The measured times of the blocks of a cluster, in isolation and under memory accesses.
fn measured(cluster: &Cluster) -> [Option<&Distribution>; 2] {
    [
        cluster.isolated_distribution(),
        cluster.interference_distribution(),
    ]
}

/// Returns a statement about e⁰ and e¹ if the kernel file itself states distributions that some blocks exceed.
fn exceedable(kernel: &Kernel) -> Option<String> {
    let times = { kernel.clusters().iter() }.flat_map(|cluster| measured(cluster).into_iter().flatten());
    let percentiles = times.clone().filter_map(|times| times.percentile);
    let below = percentiles.filter(|&percentile| percentile < 1.0);
    let fitted = times.filter(|times| times.goodness_of_fit.is_some() || times.tail.is_some());
    match (below.reduce(f64::min), fitted.count()) {
        (None, 0) => None,
        (Some(least), _) => Some(format!(
            "The file states that e⁰ and e¹ are percentiles, from {least} on: some blocks may take longer, and the bound then does not hold."
        )),
        (None, _) => Some(
            "The file states distributions that were fitted to measured times of blocks: some blocks may take longer than e⁰ and e¹, and \
             the bound then does not hold."
                .to_owned(),
        ),
    }
}

/// Returns the inputs and the origin of the bound, and what it does not cover.
fn dossier(input: &Input<'_>) -> Dossier {
    let (kernel, bound) = (input.kernel, input.bound);
    let identity = input.nominal.map_or(&bound.identity, |nominal| &nominal.identity);
    let sources = kernel.sources().iter();
    let exceedable = exceedable(kernel).is_some();
    let cited = |field: &str, source: &str| match exceedable && matches!(field, "clusters.e0" | "clusters.e1")
    {
        true => format!("the file says: \"{source}\". By its own distributions, some blocks may take longer"),
        false => source.to_owned(),
    };
    let mut origin: Vec<(String, String)> = sources
        .map(|(field, source)| (format!("Source of {field}"), cited(field, source)))
        .collect();
    if origin.is_empty() {
        let text = "The kernel states no source, so the origin of the WCETs is unknown.";
        origin.push(("Source of the WCETs".to_owned(), text.to_owned()));
    }
    for (index, cluster) in kernel.clusters().iter().enumerate() {
        if let [Some(alone), Some(contended)] = measured(cluster).map(|found| found?.samples) {
            let text = format!("{alone} in isolation, {contended} under memory accesses");
            origin.push((format!("Measurements of cluster {index}"), text));
        }
    }
    let points = [
        "The numbers of the kernel. The proof takes e⁰, e¹, the numbers of blocks and the regulation period as they are stated.",
        "Other kernels and copies on the GPU while the kernel runs, and the time from the launch to the start of the first block.",
        "The regulation of the best-effort cores. Whether the cores keep to the budget is a matter of measurement.",
        "The curve of other budgets and the simulated runs. The proof does not use them.",
    ];
    let about = counted(kernel.blocks(), "thread block");
    let inputs = [described("Kernel", kernel, &about)];
    Dossier::new(
        ("bound", identity.as_ref()),
        &inputs,
        origin,
        points.map(str::to_owned).to_vec(),
    )
}

fn facts(input: &Input<'_>) -> Vec<(&'static str, String)> {
    let (bound, kernel) = (input.bound, input.kernel);
    vec![
        ("Thread blocks", kernel.blocks().to_string()),
        ("Active blocks M", kernel.active_blocks().to_string()),
        ("Regulation period T", kernel.regulation_period().to_string()),
        ("Budget Q", bound.q.to_string()),
        ("WCET bound G(Q)", bound.wcet_ns.to_string()),
        ("Memory time within G(Q)", bound.memory_time_ns.to_string()),
        (
            "Start",
            match bound.sync {
                true => "with a regulation period".to_owned(),
                false => "at any time".to_owned(),
            },
        ),
        (
            "Blocks that overlap a memory time in part",
            match bound.straddling {
                Straddling::End => "counted at its end".to_owned(),
                Straddling::Both => "counted at its start and end".to_owned(),
            },
        ),
    ]
}

/// Returns the curve G(Q) and its values.
fn curve_of(kernel: &Kernel, bound: &Bound) -> Result<(Figure, Table)> {
    let billionths = (0..=STEPS).filter_map(|step| Factor::from_billionths(step * 1_000_000_000 / STEPS));
    let mut budgets: Vec<Factor> = billionths.collect();
    if bound.q <= Factor::ONE {
        budgets.push(bound.q);
    }
    budgets.sort();
    budgets.dedup();
    let estimator = Estimator::new(kernel).straddling(bound.straddling);
    let points = curve(&estimator, &budgets, bound.sync)?;
    let milliseconds = |ns: u64| ns as f64 / 1e6;
    let lines = Lines {
        id: "curve",
        caption: "WCET bound G over the budget Q of best-effort cores, with G at the stated budget",
        alternative: "Curve of the WCET bound G over the budget Q. The table below contains the values."
            .to_owned(),
        titles: ("Budget Q", "WCET bound G [ms]"),
        reference: Some((milliseconds(bound.wcet_ns.ns()), "G at the stated Q")),
        range: None,
    };
    let figure = lines.draw(points.iter().map(|point| {
        (
            "G",
            point.bound.q.as_f64(),
            milliseconds(point.bound.wcet_ns.ns()),
        )
    }))?;
    // The chart shows all points, and the table only tenths.
    let tenths = |q: Factor| {
        let (numerator, denominator) = q.ratio();
        u128::from(numerator) * 10 % u128::from(denominator.max(1)) == 0
    };
    let shown = |q: Factor| q == bound.q || tenths(q);
    let table = Table::of(points.iter().filter(|point| shown(point.bound.q)))
        .number("Budget Q", |point| point.bound.q.to_string())
        .time("WCET bound G", |point| point.bound.wcet_ns)
        .number("Slowdown", |point| {
            Cell::valued(
                format!("{:+.2} %", 100.0 * point.slowdown),
                format!("{:.6}", point.slowdown),
            )
        })
        .time("Memory time within G", |point| point.bound.memory_time_ns)
        .done()
        .on_page("points", "WCET bound G for budgets Q");
    Ok((figure, table))
}

/// Returns a statistic of the times of `cluster` in isolation and under memory accesses.
fn pair(cluster: &Cluster, statistic: impl Fn(&Distribution) -> Option<f64>) -> String {
    let texts = measured(cluster).map(|times| {
        times
            .and_then(&statistic)
            .map_or_else(|| "–".to_owned(), |value| value.to_string())
    });
    texts.join("; ")
}

fn clusters(kernel: &Kernel) -> Table {
    let fitted = |statistic: fn(&Distribution) -> Option<f64>| {
        let mut times =
            { kernel.clusters().iter() }.flat_map(|cluster| measured(cluster).into_iter().flatten());
        times.any(|times| statistic(times).is_some())
    };
    Table::of(kernel.clusters().iter().enumerate())
        .number("Cluster", |(index, _)| *index)
        .number("Blocks", |(_, cluster)| cluster.blocks())
        .time("WCET in isolation e⁰", |(_, cluster)| cluster.isolated())
        .time("WCET under memory accesses e¹", |(_, cluster)| {
            cluster.contended()
        })
        .when(fitted(|times| times.percentile), |table| {
            table.text("Percentiles of e⁰ and e¹", |(_, cluster)| {
                pair(cluster, |times| times.percentile)
            })
        })
        .when(fitted(|times| times.goodness_of_fit), |table| {
            table.text("Goodness of fit of e⁰ and e¹", |(_, cluster)| {
                pair(cluster, |times| times.goodness_of_fit)
            })
        })
        .done()
        .on_page("clusters", "Clusters of thread blocks")
}
