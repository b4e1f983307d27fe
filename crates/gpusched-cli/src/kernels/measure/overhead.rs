//! `gpusched measure overhead`: bounds on the overheads of dispatchers.

use std::sync::atomic::AtomicBool;

use super::source::Sizes;
use crate::arguments::{named, refused, whole};
use crate::report::{About, Cell, Output, Palette, Report, Table};
use crate::{Format, Global, Outcome, Run};
use gpusched_model::error::{Error, Result};
use gpusched_model::time::{ParseTimeError, Time};
use gpusched_model::{MeasuredOverheads, Overheads};
use gpusched_runtime::measure::overhead::{Observed, bounds, observed, program, work};
use gpusched_runtime::{Backend, Control, simulated};

/// Arguments of `gpusched measure overhead`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Sizes of the partitions whose dispatchers run at the same time, e.g., 8,8,16
    #[arg(long, value_name = "SIZES", required = true)]
    sms: Sizes,
    /// Where the dispatchers run
    #[arg(long, value_parser = named::<Backend>(), default_value_t = Backend::Cuda)]
    backend: Backend,
    /// Time after which no job arrives
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = positive)]
    duration: Time,
    /// Shortest period of the jobs of a dispatcher
    #[arg(long, value_name = "TIME", default_value = "1ms", value_parser = positive)]
    period: Time,
    /// Percentage that the bounds add to the longest measured overhead
    #[arg(long, value_name = "PERCENT", default_value_t = 20, value_parser = whole(0..=1_000_000_u32))]
    margin: u32,
    /// Longest overhead of a job in virtual time [default: 20us]
    ///
    /// Only with `--backend simulated`. The simulated dispatchers draw their overheads up to this time.
    #[arg(long, value_name = "TIME")]
    cost: Option<Time>,
    /// Longest delay of a wake-up in virtual time [default: 10us]
    ///
    /// Only with `--backend simulated`.
    #[arg(long, value_name = "TIME")]
    wake_cost: Option<Time>,
    /// Time before an arrival from which an idle dispatcher spins [default: 100us]
    ///
    /// Only with `--backend cuda`. State the value that you use for `run`.
    #[arg(long, value_name = "TIME")]
    spin: Option<Time>,
}

const EXAMPLE: &str = "\
One dispatcher per partition runs kernels with known times. The overhead of a job is the time from the decision of the dispatcher to
its next decision, minus the time of the kernel. The JSON result is a file for `--overheads`.

The bounds are the longest measured overheads with a margin. On a GPU, the bound per job also contains the step of the timer of the GPU,
by which the kernels count their time. The bounds are evidence and no proof: the operating system may delay a dispatcher
for longer. Measure with as many dispatchers as the plan has, on an otherwise idle computer.

Example:
  gpusched measure overhead --backend simulated --sms 8,8,16 -o overheads.json \
    && gpusched partition tasksets/tasksets/adas.json --gpu orin --overheads overheads.json";

fn positive(text: &str) -> Result<Time, String> {
    let time: Time = text.parse().map_err(|error: ParseTimeError| error.to_string())?;
    match time {
        Time::ZERO => Err(refused(text, "a positive time, such as 1s")),
        time => Ok(time),
    }
}

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        for (option, given, backend) in [
            ("cost", self.cost, Backend::Simulated),
            ("wake-cost", self.wake_cost, Backend::Simulated),
            ("spin", self.spin, Backend::Cuda),
        ] {
            if given.is_some() && self.backend != backend {
                let found = format!("--backend {}", self.backend);
                let expected = format!("--backend {backend}, where the option has an effect");
                return Err(Error::parameter(option, found, expected));
            }
        }
        let output = Output::open(global)?;
        let found = match self.backend {
            Backend::Simulated => self.simulated(global)?,
            Backend::Cuda => self.cuda(global)?,
        };
        let said = global.format() == Format::Text && global.file().is_none();
        if !said {
            found.0.notes.iter().for_each(|note| global.note(note));
        }
        output.measured(&found)?;
        Ok(Outcome::Positive)
    }
}

/// The overheads of each dispatcher, and what is uncertain about them.
struct Details {
    observed: Vec<Observed>,
    notes: Vec<String>,
}

/// A measurement ends at its duration.
static NEVER: AtomicBool = AtomicBool::new(false);

type Answer = About<Details, MeasuredOverheads>;

impl Args {
    fn simulated(&self, global: &Global) -> Result<Answer> {
        let costs = Overheads {
            occupancy_ns: self.cost.unwrap_or(Time::from_ns(20_000)),
            wake_ns: self.wake_cost.unwrap_or(Time::from_ns(10_000)),
        };
        let all = self
            .sms
            .0
            .iter()
            .fold(0, |all: u32, sms| all.saturating_add(*sms));
        let program = program(&self.sms.0, all, self.period, Some(costs))?;
        let work = work(global.seed());
        work.check(&program, self.duration)?;
        let control = Control {
            stop: &NEVER,
            ring: None,
        };
        let run = simulated::run(&program, &work, self.duration, control)?;
        let observed = observed(&program, &run)?;
        let virtual_time = || Some(MeasuredOverheads::VIRTUAL.to_owned());
        let file = bounds(
            &observed,
            self.margin,
            None,
            [virtual_time(), None, virtual_time()],
        )?;
        let notes =
            vec!["the overheads are drawn in virtual time, so they say nothing about a GPU".to_owned()];
        Ok(About(Details { observed, notes }, file))
    }

    #[cfg(target_os = "linux")]
    fn cuda(&self, global: &Global) -> Result<Answer> {
        use super::source::no_gpu;
        use crate::report::Progress;
        use gpusched_runtime::{cuda, is_virtual};

        let driver = no_gpu(cuda::Driver::load())?;
        let (_, sms) = cuda::gpu(&driver, 0)?;
        let program = program(&self.sms.0, sms, self.period, None)?;
        let still = || Error::parameter("timer", "no step within 500 ms", "a timer of the GPU that counts");
        let tick = cuda::tick(&driver, 0)?.map(Time::from_ns).ok_or_else(still)?;
        let work = work(global.seed());
        work.check(&program, self.duration)?;
        let options = cuda::Options {
            duration: self.duration,
            // The kernel of a job lasts for its whole time.
            reserve: Time::ZERO,
            spin: self.spin.unwrap_or(Time::from_ns(100_000)),
            fifo_priority: 50,
            wake_bound: None,
        };
        let progress = Progress::new(global, "jobs");
        let control = Control {
            stop: &NEVER,
            ring: None,
        };
        let run = cuda::run(
            &driver,
            &program,
            &work,
            options,
            (control, &|jobs| progress.at(jobs)),
        )?;
        drop(progress);
        let observed = observed(&program, &run)?;
        let of = run.machine.as_ref();
        let version =
            of.map(|machine| format!("CUDA {}.{}", machine.driver / 1000, machine.driver % 1000 / 10));
        let origin = [
            of.map(|machine| machine.gpu.clone()),
            version,
            of.map(|machine| machine.wait.clone()),
        ];
        let file = bounds(&observed, self.margin, Some(tick), origin)?;
        let mut notes = vec![
            "the longest measured overheads are no proven bounds: the operating system may delay a dispatcher for longer".to_owned(),
        ];
        if is_virtual() == Some(true) {
            let text = "the computer is a virtual machine, so its host can stop a dispatcher at any time: these numbers bound no later run";
            notes.push(text.to_owned());
        }
        Ok(About(Details { observed, notes }, file))
    }

    #[cfg(not(target_os = "linux"))]
    fn cuda(&self, _: &Global) -> Result<Answer> {
        Err(Error::parameter(
            "backend",
            "cuda",
            "simulated, because the CUDA backend requires Linux",
        ))
    }
}

impl Report for Answer {
    fn json(&self) -> Result<String> {
        crate::report::json_document(&self.1)
    }

    fn table(&self) -> Table {
        let time = |ns: u64| Cell::from(Time::from_ns(ns));
        let rows = self.0.observed.iter().enumerate();
        let table = Table::of(rows)
            .number(("partition", "partition"), |(index, _)| *index)
            .number(("SMs", "sms"), |(_, of)| of.sms)
            .number(("jobs", "jobs"), |(_, of)| of.overhead.count)
            .time(("median overhead", "median_overhead_ns"), |(_, of)| {
                time(of.overhead.p50)
            })
            .time(("99.9 %", "p999_overhead_ns"), |(_, of)| time(of.overhead.p999))
            .time(("longest", "longest_overhead_ns"), |(_, of)| {
                time(of.overhead.max)
            })
            .number(("wake-ups", "wakes"), |(_, of)| of.wake.count)
            .time(("longest wake-up", "longest_wake_ns"), |(_, of)| {
                time(of.wake.max)
            });
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let About(details, file) = self;
        let margin = file.fields().margin.unwrap_or_default();
        let mut text = self.table().render(palette.header);
        text += &format!("bounds with a margin of {margin} %: {}\n", file.bounds());
        for note in &details.notes {
            text += &format!("note: {note}\n");
        }
        Ok(text)
    }
}
