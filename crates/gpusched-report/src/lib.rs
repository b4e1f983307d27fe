//! Results for readers. The tables of a result ([`view`]) have a text form, a CSV form and a form on a page. A web page is one
//! self-contained HTML file about a plan, an end-to-end system, a kernel, a study or a recording.
//!
//! A page contains its style, its script and its figures. Its content security policy forbids network access. The
//! script only adds sorting, search, zoom and downloads, so a page is complete without the script. The bytes of a page
//! depend only on the inputs.
//!
//! * [`plan`]: verdict, assumptions, map of the SMs, tasks, demand, a simulated run, memory traffic, evidence, export;
//! * [`system`]: verdict, assumptions, bounds of tasks and chains, resources, evidence of an end-to-end system;
//! * [`kernel`]: verdict, assumptions, WCET over the budget, budgets over time, evidence of a kernel;
//! * [`study`]: figures, claims, tables of results, provenance;
//! * [`recording`]: audit of a recorded run;
//! * [`definitions`]: definition and source of each column;
//! * [`view`]: tables as text, as CSV and on pages;
//! * `page`: the frame of all pages, and the templates;
//! * `assumptions`, `verdict`, `figure`, `lines`, `steps`, `file`: the parts that the pages share.

mod assumptions;
pub mod definitions;
mod dossier;
mod figure;
mod file;
pub mod kernel;
mod lines;
mod page;
pub mod plan;
pub mod recording;
mod sources;
pub mod steps;
pub mod study;
pub mod system;
mod verdict;
pub mod view;

/// A finished page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    /// The HTML document.
    pub html: String,
    /// Whether the result on the page is positive, which determines the exit code of the command.
    pub positive: bool,
}
