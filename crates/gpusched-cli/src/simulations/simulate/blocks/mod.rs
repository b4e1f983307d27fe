//! `gpusched simulate blocks`: thread blocks of kernels on the SMs of a GPU.

mod matrix;
mod result;
mod rows;
mod table;

pub use result::Answer;

use std::path::PathBuf;

use self::rows::{COLUMNS, Rows};
use crate::arguments::named;
use crate::report::Growing;
use crate::report::TimelineFiles;
use crate::report::{Output, Palette};
use crate::{Format, Global, Outcome, Run, complain};
use gpusched_model::error::{Error, Result};
use gpusched_model::observer::Following;
use gpusched_model::reader::Scenarios;
use gpusched_model::scenario::{BlockScheduler, Device};
use gpusched_model::time::Time;
use gpusched_model::{Observer, Platform, Scenario};
use gpusched_sim::blocks::{Chart, Event, Overview, Record, Sharing, simulate};
use gpusched_sim::timeline::Timeline;

/// Arguments of `gpusched simulate blocks`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// One scenario (JSON); `-` is standard input
    #[arg(value_name = "SCENARIO")]
    scenario: PathBuf,
    /// Mapping of blocks to SMs [default: as in the scenario]
    #[arg(long, value_parser = named::<BlockScheduler>())]
    block_scheduler: Option<BlockScheduler>,
    /// GPU that replaces the GPU in the scenario
    #[arg(long, alias = "platform", value_name = "NAME", value_parser = crate::arguments::platform)]
    gpu: Option<Platform>,
    /// Slowdowns of pairs of kernels on one SM: CSV of `simulate matrix`
    #[arg(long, value_name = "FILE")]
    matrix: Option<PathBuf>,
    #[command(flatten)]
    timeline_files: TimelineFiles,
}

const EXAMPLE: &str = "\
The result has the time and the SMs of each kernel. With --format json or csv (or -o NAME.csv), the result has the time and the SM
of each thread block. The CSV rows are sorted by the end time of the block.

Examples:
  gpusched simulate blocks tasksets/scenarios/sanudo20-fig5-left.json
  gpusched simulate blocks tasksets/scenarios/sanudo20-fig5-left.json --gantt blocks.svg -o blocks.csv";

/// Maximum number of thread blocks in a run.
const MOST: u64 = 200_000_000;

/// Maximum number of thread blocks in a JSON result. gpusched sorts this result in memory.
const MOST_BLOCKS: u64 = 20_000_000;

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let scenario = self.scenario()?;
        let shape = scenario.shape();
        let blocks: u64 = shape.kernels.iter().map(|kernel| u64::from(kernel.blocks)).sum();
        let expected = match global.format() {
            _ if blocks > MOST => format!("at most {MOST} in all kernels together (field `blocks`)"),
            Format::Json if blocks > MOST_BLOCKS => {
                format!(
                    "at most {MOST_BLOCKS} for JSON, which must fit in memory; --format csv supports {MOST}"
                )
            }
            _ => String::new(),
        };
        if !expected.is_empty() {
            let found = format!("{blocks} thread blocks");
            return Err(Error::file(&self.scenario, found, expected));
        }
        self.timeline_files.expect(blocks)?; // one event for each block
        let mut output = Output::open(global)?;
        let canvas = self.timeline_files.open(&mut output)?;
        let draw = |timeline: Option<Timeline>, output: &mut Output| {
            let title = shape.name.as_deref().unwrap_or("thread blocks on SMs");
            timeline.map_or(Ok(()), |timeline| canvas.draw(&timeline, title, output))
        };
        match global.format() {
            Format::Csv => {
                let mut rows = Rows(Growing::new(&mut output, Some(COLUMNS)));
                let (_, timeline) = self.simulate(&scenario, global, &mut rows)?;
                rows.0.finish()?;
                draw(timeline, &mut output)?;
                output.finish()?;
            }
            Format::Json => {
                let mut record = Record::default();
                let (end, timeline) = self.simulate(&scenario, global, &mut record)?;
                draw(timeline, &mut output)?;
                record.sort();
                output.json(&Answer::new(shape, end, &record))?;
            }
            Format::Text => {
                let mut overview = Overview::default();
                let (end, timeline) = self.simulate(&scenario, global, &mut overview)?;
                draw(timeline, &mut output)?;
                output.answer(table::text(shape, end, &overview, &Palette::of(global)))?;
            }
        }
        Ok(Outcome::Positive)
    }
}

impl Args {
    /// Simulates the scenario. Records a timeline if an output file requires one. Error messages
    /// name the scenario file.
    fn simulate(
        &self,
        scenario: &Scenario,
        global: &Global,
        observer: &mut dyn Observer<Event>,
    ) -> Result<(Time, Option<Timeline>)> {
        let refuse = |error: Error| error.map_refusal(|refusal| refusal.at(&self.scenario, None));
        let mut sharing = Sharing::new(scenario.shape());
        let mut both = (observer, &mut sharing);
        // Writing a row takes longer than a dynamic call, so all outputs share one copy of the simulator.
        let run =
            |observer: &mut dyn Observer<Event>| simulate(scenario, global.seed(), observer).map_err(refuse);
        let (end, timeline) = match self.timeline_files.wanted() {
            false => (run(&mut both)?, None),
            true => {
                let mut chart =
                    Chart::new(scenario.shape()).map_err(|error| self.timeline_files.refuse(error))?;
                let end = run(&mut Following(both, &mut chart))?;
                let timeline = chart
                    .finish()
                    .map_err(|error| self.timeline_files.refuse(error))?;
                (end, Some(timeline))
            }
        };
        if sharing.found() && !scenario.shape().interference.within_sms() && !global.quiet {
            complain(
                "note: blocks of different kernels run on one SM at the same time; gpusched assumes that they do not delay \
                 each other, because the scenario states neither `intra_sm` nor `same_sm`",
            );
        }
        Ok((end, timeline))
    }

    /// Returns the scenario in the file. The values of the given options replace the values in the file.
    fn scenario(&self) -> Result<Scenario> {
        let scenario = Scenarios::only(&self.scenario, "scenario")?;
        if self.block_scheduler.is_none() && self.gpu.is_none() && self.matrix.is_none() {
            return Ok(scenario);
        }
        let mut shape = scenario.shape().clone();
        if let Some(rule) = self.block_scheduler {
            shape.block_scheduler = rule;
        }
        if let Some(platform) = &self.gpu {
            shape.platform = Device::from(platform);
        }
        if let Some(path) = &self.matrix {
            matrix::add(path, &mut shape)?;
        }
        Scenario::new(shape).map_err(|refusal| {
            let on = self.gpu.as_ref();
            let on = on.map_or(String::new(), |platform| format!(", on {}", platform.name));
            refusal.and(&on).at(&self.scenario, None).into()
        })
    }
}
