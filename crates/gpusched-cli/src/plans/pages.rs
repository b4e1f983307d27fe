//! `gpusched report`: one self-contained web page about a plan, an end-to-end system, a kernel, a study or a recording.

use std::path::{Path, PathBuf};

use crate::arguments::notes::Notes;
use crate::arguments::{Memory, named, whole};
use crate::other_tools::recording::audit::{Request, pair};
use crate::other_tools::recording::source::Reading;
use crate::plans::end_to_end::{self, Input};
use crate::plans::{check_input, wrong_plan};
use crate::report::{Content, Output, Progress};
use crate::{Format, Global, Outcome, Run};
use gpusched_analysis::bandwidth::{Nominal, nominal};
use gpusched_analysis::kernel_wcet::Estimator;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::reader::{Bounds, Document, Documents, EndToEndSystems, Kernels, Plans};
use gpusched_model::{Bandwidth, Bound, Interference, Kernel, Plan};
use gpusched_report::{Page, kernel, plan, recording, study, system};
use gpusched_study::{Reasons, Study, studies};
use gpusched_verify::{Effort, Fault, GROUPS, check_identity, verify_bound};

/// Arguments of `gpusched report`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Plan, results folder of a study, or, with --set, recording (FILE[@SIZE])
    ///
    /// For an end-to-end system, INPUT is a plan of `partition`, a verdict of `test --format json`, or budgets of `budget nominal
    /// --deadlines --format json`. For a kernel, INPUT is a bound of `wcet bound --format json`, or a nominal budget of `budget nominal
    /// --format json`.
    #[arg(value_name = "INPUT")]
    input: PathBuf,
    /// Task set, end-to-end system or kernel of INPUT
    #[arg(value_name = "SET", conflicts_with = "set")]
    tasks: Option<PathBuf>,
    /// Examine at most N candidate partitions for the lower bound of the plan [default: 30000000]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..), conflicts_with = "set")]
    search_effort: Option<u64>,
    /// Interference model of the end-to-end system
    #[arg(long, value_parser = named::<Interference>(), help_heading = "End-to-end systems")]
    interference: Option<Interference>,
    /// Guaranteed memory bandwidth of the end-to-end system, e.g., 100GB/s
    #[arg(long, value_name = "RATE", help_heading = "End-to-end systems")]
    memory_bandwidth: Option<Bandwidth>,
    /// Task set of a recorded run; INPUT is the recording
    #[arg(long, value_name = "SET", help_heading = "Recordings")]
    set: Option<PathBuf>,
    /// Plan of a recorded run, to check partitions and contexts
    #[arg(long, value_name = "PLAN", help_heading = "Recordings")]
    plan: Option<PathBuf>,
    /// Activity of a task with another name; may be repeated
    #[arg(long, value_name = "TASK=ACTIVITY", value_parser = pair, help_heading = "Recordings")]
    task: Vec<(String, String)>,
    #[command(flatten, next_help_heading = "Recordings")]
    reading: Reading,
}

const EXAMPLE: &str = "\
The page is one HTML file without network access. The same input gives the same page. The page of a plan or an end-to-end system
shows the result of `gpusched verify` first. The page of a kernel shows its WCET over the budget, and budgets over time. The page of a study requires current results. It shows the reasons of `reasons.json` for
claims that are not reproduced, from the folder of the results or the folder above it. The page of a recording shows its audit.

The page prints on A4, with a table of assumptions whose owner and evidence you fill in. A browser
makes a PDF: chromium --headless --no-pdf-header-footer --print-to-pdf=plan.pdf plan.html

Exit code 0: the plan is proven schedulable, no claim of the study fails, or the recording shows no violation. 1: otherwise.

Examples:
  gpusched partition tasksets/tasksets/adas.json --gpu orin -o plan.json && gpusched report plan.json tasksets/tasksets/adas.json -o plan.html
  gpusched study run analysis/smoke.toml -o results && gpusched report results -o study.html
  gpusched recording tasks tasksets/recordings/robot/alone-8.sqlite@8 -o robot.json && gpusched report tasksets/recordings/robot/alone-8.sqlite@8 --set robot.json -o run.html";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        if let Some(format @ (Format::Json | Format::Csv)) = global.format {
            let expected = "no --format, because the report is a web page";
            return Err(Error::parameter("format", format, expected));
        }
        if let Some(path) = global.file() {
            if path
                .extension()
                .is_some_and(|ending| ending.eq_ignore_ascii_case("pdf"))
            {
                let page = path.with_extension("html");
                let hint = format!("write {}, and print it: {}", page.display(), print(&page, path));
                let expected = "a name that ends in .html or .htm";
                return Err(Refusal::new("--output", path.display(), expected)
                    .hint(hint)
                    .into());
            }
            Content::Html.check("output", path)?;
        }
        let plain = self.plan.is_none() && self.task.is_empty() && self.reading.is_default();
        if self.set.is_none() && !plain {
            let expected = "--set SET, because the options are about a recording";
            return Err(Error::parameter(
                "set",
                "options of a recording without --set",
                expected,
            ));
        }
        let is_plan = self.set.is_none() && !self.input.is_dir();
        if !is_plan {
            self.refuse_environment("another input")?;
        }
        let output = Output::open(global)?;
        let page = match (&self.set, self.input.is_dir()) {
            (Some(set), _) => self.recording(set, global)?,
            (None, true) => self.study(&self.input)?,
            (None, false) => self.plan(global)?,
        };
        output.answer(page.html)?;
        Ok(page.positive.into())
    }
}

/// Returns the name of `path` without its ending, for an input without a name.
fn stem(path: &Path) -> &str {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    stem.filter(|&stem| stem != "-").unwrap_or("without a name")
}

/// Returns the command that prints `page` to `pdf`.
fn print(page: &Path, pdf: &Path) -> String {
    let (page, pdf) = (page.display(), pdf.display());
    format!("chromium --headless --no-pdf-header-footer --print-to-pdf={pdf} {page}")
}

impl Args {
    fn plan(&self, global: &Global) -> Result<Page> {
        let Some(tasks) = &self.tasks else {
            let found = format!("{} without SET", self.input.display());
            let expected = "a plan with its task set, a results folder, or a recording with --set";
            let hint = "add the task set of the plan, or `--set SET` for a recording";
            return Err(Refusal::new("INPUT", found, expected).hint(hint).into());
        };
        let set = match Input::open(tasks)? {
            Input::Sets(mut sets) => match sets.peek()?.is_some_and(|raw| raw.has("clusters")) {
                true => return self.kernel(sets.retyped(), stem(tasks)),
                false => only(sets, "task set")?,
            },
            Input::Systems(systems) => return self.system(systems, stem(tasks)),
        };
        self.refuse_environment("a task set")?;
        let plan: Plan = Plans::only(&self.input, "plan")?;
        check_identity(&plan, &set).map_err(|fault| wrong_plan(fault).at(&self.input, None))?;
        if let Some(hardware) = &plan.hardware {
            Notes::default().gpu(&set, &hardware.device, global.quiet);
        }
        let progress = Progress::new(global, "candidate partitions examined");
        let effort = Effort {
            groups: self.search_effort.unwrap_or(GROUPS),
            watch: &|groups| progress.at(groups),
        };
        plan::page(&plan, &set, stem(tasks), &effort)
    }

    fn kernel(&self, kernels: Kernels, file: &str) -> Result<Page> {
        let reason = "the bound of a kernel has no candidate partitions";
        end_to_end::refuse("search_effort", self.search_effort.is_some(), reason)?;
        self.refuse_environment("a kernel")?;
        let kernel = only(kernels, "kernel")?;
        let raw = Bounds::only_raw(&self.input, "bound")?;
        let shown = self.input.display().to_string();
        let nominal: Option<Nominal> = raw.has("nominal_q").then(|| raw.parse(&shown)).transpose()?;
        let (bound, wrong) = match &nominal {
            Some(nominal) => nominal_bound(nominal, &kernel)?,
            None => (raw.parse::<Bound>(&shown)?, None),
        };
        let identity = nominal
            .as_ref()
            .map_or(&bound.identity, |nominal| &nominal.identity);
        check_input(identity.as_ref(), &kernel, &self.input)?;
        let (assumptions, fault) = match (verify_bound(&bound, &kernel), wrong) {
            (Ok(assumptions), wrong) => (assumptions, wrong),
            (Err(fault), wrong) => (Vec::new(), Some(wrong.unwrap_or(fault))),
        };
        kernel::page(&kernel::Input {
            file,
            kernel: &kernel,
            bound: &bound,
            nominal: nominal.as_ref(),
            assumptions: &assumptions,
            fault: fault.as_ref(),
        })
    }

    fn system(&self, systems: EndToEndSystems, file: &str) -> Result<Page> {
        let reason = "the verdict of a system has no lower bound";
        end_to_end::refuse("search_effort", self.search_effort.is_some(), reason)?;
        let environment =
            Memory::of(self.memory_bandwidth).environment(self.interference.unwrap_or_default())?;
        let stated = end_to_end::read(&self.input, systems, environment)?;
        check_input(stated.identity(), &stated.draft, &self.input)?;
        let fault = stated.fault(environment);
        let memory = environment.memory;
        let memory = memory.map_or(String::new(), |memory| format!(" --memory-bandwidth {memory}"));
        let interference = environment.interference;
        let command = format!("gpusched verify plan.json system.json --interference {interference}{memory}");
        system::page(&system::Input {
            file,
            fault: fault.as_ref(),
            draft: &stated.draft,
            system: &stated.system,
            answer: &stated.answer,
            assumptions: &stated.assumptions(),
            plan: stated.plan.as_ref(),
            chosen: stated.chosen.as_ref(),
            command: &command,
        })
    }

    /// Refuses the options about end-to-end systems. `found` is the input.
    fn refuse_environment(&self, found: &str) -> Result<()> {
        let options = [
            ("interference", self.interference.is_some()),
            ("memory_bandwidth", self.memory_bandwidth.is_some()),
        ];
        for (option, given) in options {
            if given {
                let expected = "an end-to-end system, because a plan of a task set states its models";
                return Err(Error::parameter(option, found, expected));
            }
        }
        Ok(())
    }

    fn study(&self, folder: &Path) -> Result<Page> {
        if let Some(tasks) = &self.tasks {
            let found = format!("{} with the folder of a study", tasks.display());
            return Err(Error::parameter("SET", found, "only the folder"));
        }
        if self.search_effort.is_some() {
            let found = "the folder of a study";
            return Err(Error::parameter(
                "search_effort",
                found,
                "a plan with its task set",
            ));
        }
        let found: Vec<Study> = studies(folder)?;
        match found.as_slice() {
            [one] => {
                let run = format!("gpusched study run {}.toml -o results", one.spec.name());
                study::page(
                    one,
                    &reasons(folder)?,
                    &format!("{run}\ngpusched study check results"),
                )
            }
            several => {
                let found = format!("{} studies", several.len());
                Err(Error::file(folder, found, "the results folder of one study"))
            }
        }
    }

    fn recording(&self, set: &Path, global: &Global) -> Result<Page> {
        let request = Request {
            blocks: &[],
            file: &self.input,
            set,
            plan: self.plan.as_deref(),
            names: &self.task,
            reading: &self.reading,
        };
        let audited = request.audited(global)?;
        let name = Path::new(&audited.source.file).file_name().unwrap_or_default();
        recording::page(&recording::Input {
            file: &name.to_string_lossy(),
            audit: &audited.found,
            timeline: &audited.timeline()?,
            notes: &audited.notes,
        })
    }
}

/// Reads the reasons in `reasons.json`, in the folder of the results or in the folder above it.
fn reasons(folder: &Path) -> Result<Reasons> {
    let files = [
        folder.join("reasons.json"),
        folder.join("..").join("reasons.json"),
    ];
    let file = files.iter().find(|file| file.exists());
    file.map_or_else(|| Ok(Reasons::default()), Reasons::read)
}

/// Returns the only document of `documents`. `what` names its kind.
fn only<T: Document>(documents: Documents<T>, what: &str) -> Result<T> {
    let file = documents.file().to_owned();
    let mut found = None;
    for document in documents {
        let (line, document) = document?;
        if found.replace(document).is_some() {
            let refusal = Refusal::new("", format!("a second {what}"), format!("one {what}"));
            return Err(refusal.at(&file, line).into());
        }
    }
    found.ok_or_else(|| Error::file(&file, "nothing", format!("a {what}")))
}

/// Returns the bound under the nominal budget of `kernel`, and the first field of `stated` that is wrong.
fn nominal_bound(stated: &Nominal, kernel: &Kernel) -> Result<(Bound, Option<Fault>)> {
    let Nominal { sync, straddling, .. } = *stated;
    let found = nominal(kernel, stated.slowdown, sync, straddling)?;
    let name = |name: &Option<String>| {
        name.as_ref()
            .map_or("none".to_owned(), |name| format!("{name:?}"))
    };
    let fields = [
        ("kernel", name(&stated.kernel), name(&found.kernel)),
        (
            "nominal_q",
            stated.nominal_q.to_string(),
            found.nominal_q.to_string(),
        ),
        (
            "wcet_isolated_ns",
            stated.wcet_isolated_ns.to_string(),
            found.wcet_isolated_ns.to_string(),
        ),
        (
            "wcet_nominal_ns",
            stated.wcet_nominal_ns.to_string(),
            found.wcet_nominal_ns.to_string(),
        ),
    ];
    let wrong = fields.into_iter().find(|(_, stated, found)| stated != found);
    let estimator = Estimator::new(kernel).straddling(straddling);
    Ok((
        estimator.bound(found.nominal_q, sync)?,
        wrong.map(|(field, stated, found)| Fault {
            field: field.to_owned(),
            message: format!("found {stated}, expected {found}"),
        }),
    ))
}
