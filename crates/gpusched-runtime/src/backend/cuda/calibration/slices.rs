//! Time slices of two contexts. Without MPS and MIG, the GPU runs kernels of two contexts in turn.
#![allow(unsafe_code, reason = "calls of the CUDA driver")]

use std::ffi::c_void;
use std::sync::Barrier;

use gpusched_model::error::{Error, Result};

use super::super::context::{Context, Device, Module};
use super::super::library::Handle;
use super::super::memory::Memory;
use super::kernels;
use crate::run::Statistics;

/// Time for which both contexts run a kernel [ns].
const DURATION: u64 = 200_000_000;

/// Shortest pause that counts [ns].
const PAUSE: u64 = 100_000;

/// Largest number of pauses that a kernel records.
const MOST: u32 = 4096;

/// Time slices of two contexts whose kernels run at the same time.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Slices {
    /// Times for which a kernel paused [ns].
    pub away: Statistics,
    /// Times between two pauses [ns].
    pub on: Statistics,
}

/// Observes the time slices. Returns `None` if no kernel paused twice.
///
/// # Errors
/// Fails if a call of the driver fails.
pub fn slices(device: &Device<'_>) -> Result<Option<Slices>> {
    let second = Context::create(device)?;
    let begin = Barrier::new(2);
    let pauses = |context: Option<&Context<'_>>| -> Result<Vec<[u64; 2]>> {
        let prepared = prepare(device, context);
        // Also after an error, the other thread waits here.
        begin.wait();
        let (_module, kernel, memory) = prepared?;
        run(device, kernel, &memory)
    };
    let (first, second) = std::thread::scope(|scope| {
        let other = scope.spawn(|| pauses(Some(&second)));
        let own = pauses(None);
        let panicked = |_| Err(Error::Internal("a thread panicked".to_owned()));
        (own, other.join().unwrap_or_else(panicked))
    });
    let (mut away, mut on) = (Vec::new(), Vec::new());
    for pauses in [first?, second?] {
        away.extend(pauses.iter().map(|[start, end]| end.saturating_sub(*start)));
        on.extend(
            pauses
                .windows(2)
                .map(|pair| pair[1][0].saturating_sub(pair[0][1])),
        );
    }
    Ok((!on.is_empty()).then(|| Slices {
        away: Statistics::of(away),
        on: Statistics::of(on),
    }))
}

/// Loads the kernel into a context, by default the primary context, and allocates its memory there.
fn prepare<'a>(
    device: &'a Device<'a>,
    context: Option<&Context<'_>>,
) -> Result<(Module<'a>, Handle, Memory<'a>)> {
    match context {
        Some(context) => context.make_current()?,
        None => device.make_current()?,
    }
    let module = Module::load(device.driver, kernels::TEXT)?;
    let kernel = module.function("gpusched_gaps")?;
    let memory = Memory::new(device.driver, WORDS * 8)?;
    Ok((module, kernel, memory))
}

/// Words that the kernel writes.
const WORDS: usize = 2 * MOST as usize + 1;

/// Runs the kernel on the default stream of the current context. Returns the start and the end of each pause.
fn run(device: &Device<'_>, kernel: Handle, memory: &Memory<'_>) -> Result<Vec<[u64; 2]>> {
    let (mut out, mut most, mut duration, mut threshold) = (memory.address, MOST, DURATION, PAUSE);
    let mut arguments: [*mut c_void; 4] = [
        (&raw mut out).cast(),
        (&raw mut most).cast(),
        (&raw mut duration).cast(),
        (&raw mut threshold).cast(),
    ];
    // SAFETY: `gpusched_gaps` takes these arguments, and the memory lives until the synchronization below.
    let code = unsafe { device.launch(kernel, 0, (1, 1, 0), &mut arguments) };
    device.driver.check("cuLaunchKernel", code)?;
    // SAFETY: stream 0 is the default stream.
    let code = unsafe { (device.driver.stream_synchronize)(0) };
    device.driver.check("cuStreamSynchronize", code)?;
    let words = memory.words(WORDS)?;
    let count = words.last().map_or(0, |&count| count.min(u64::from(MOST)));
    let pauses = words.chunks_exact(2).take(usize::try_from(count).unwrap_or(0));
    Ok(pauses.map(|pair| [pair[0], pair[1]]).collect())
}
