//! Runs of one file over the values of a parameter.

use gpusched_gpu::warp_run::KernelSource;
use gpusched_model::Refusal;
use gpusched_model::error::Result;

use super::bench::Bench;

/// Maximum number of values.
const MOST: usize = 100;

/// Returns a run for each of `values` of `parameter`, or `bench` alone without a parameter.
pub(super) fn sweep(
    bench: Bench,
    parameter: Option<&str>,
    values: &[i64],
) -> Result<Vec<(Option<i64>, Bench)>, Refusal> {
    if parameter.is_some() == values.is_empty() || values.len() > MOST {
        let expected = format!("1 to {MOST} values, together with `parameter`");
        return Err(Refusal::new("values", format_args!("{values:?}"), expected));
    }
    match parameter {
        None => Ok(vec![(None, bench)]),
        Some(parameter) => {
            let run = |value: &i64| Ok((Some(*value), with(&bench, parameter, *value)?));
            values.iter().map(run).collect()
        }
    }
}

/// Returns `bench` with `value` for `parameter`, in each kernel that has this parameter.
fn with(bench: &Bench, parameter: &str, value: i64) -> Result<Bench, Refusal> {
    let mut bench = bench.clone();
    let mut found = false;
    for kernel in &mut bench.shape_mut().kernels {
        let KernelSource::Program(program) = &kernel.program else {
            continue;
        };
        if program.parameters.iter().any(|(name, _)| name == parameter) {
            found = true;
            kernel.parameters.0.retain(|(name, _)| name != parameter);
            kernel.parameters.0.push((parameter.to_owned(), value));
        }
    }
    match found {
        true => Ok(bench),
        false => Err(Refusal::new(
            "parameter",
            format_args!("{parameter:?}"),
            "a parameter of a program",
        )),
    }
}
