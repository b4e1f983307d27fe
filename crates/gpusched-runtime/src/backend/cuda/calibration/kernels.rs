//! The kernels of the calibration, and the kernels that load the memory beside a measured kernel.
#![allow(unsafe_code, reason = "calls of the CUDA driver")]

use std::ffi::c_void;

use gpusched_model::Refusal;

use super::super::context::{Device, Module};
use super::super::library::{Address, Code, Handle};

/// The kernels in PTX.
pub const TEXT: &str = include_str!("kernels.ptx");

/// Thread blocks per SM of the kernels that read and write memory.
const BLOCKS: u32 = 8;

/// Threads of their thread blocks.
const THREADS: u32 = 256;

/// Part of the memory that a kernel reads or writes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Stream {
    /// Start of the memory.
    pub data: Address,
    /// Number of bytes, a multiple of 16.
    pub bytes: u64,
    /// Number of passes over the memory.
    pub rounds: u32,
    /// Whether the kernel writes.
    pub writes: bool,
}

impl Stream {
    /// Returns the number of bytes that the kernel moves.
    pub fn moved(self) -> u64 {
        self.bytes.saturating_mul(u64::from(self.rounds))
    }
}

/// The kernels on one GPU.
pub struct Kernels<'a> {
    device: &'a Device<'a>,
    /// Keeps the functions valid.
    _module: Module<'a>,
    ticks: Handle,
    log: Handle,
    read: Handle,
    write: Handle,
    pipe: Handle,
}

impl<'a> Kernels<'a> {
    /// Loads the kernels. The primary context must be current.
    ///
    /// # Errors
    /// Fails if a call of the driver fails.
    pub fn load(device: &'a Device<'a>) -> Result<Kernels<'a>, Refusal> {
        let module = Module::load(device.driver, TEXT)?;
        Ok(Kernels {
            device,
            ticks: module.function("gpusched_ticks")?,
            log: module.function("gpusched_log")?,
            read: module.function("gpusched_read")?,
            write: module.function("gpusched_write")?,
            pipe: module.function("gpusched_pipe")?,
            _module: module,
        })
    }

    /// Enqueues the kernel that writes `count` values of the timer and their number to `out`, for at most `limit` ns.
    pub fn ticks(&self, stream: Handle, (mut out, mut count, mut limit): (Address, u32, u64)) -> Code {
        let mut arguments = [place(&mut out), place(&mut count), place(&mut limit)];
        // SAFETY: `gpusched_ticks` takes these arguments, and the caller keeps the memory until the stream ends.
        unsafe { self.device.launch(self.ticks, stream, (1, 1, 0), &mut arguments) }
    }

    /// Enqueues a kernel with `blocks` blocks of `threads` threads, which last `duration` ns. Each block writes three words to `out`.
    pub fn log(
        &self,
        stream: Handle,
        (blocks, threads): (u32, u32),
        (mut out, mut duration): (Address, u64),
    ) -> Code {
        let mut arguments = [place(&mut out), place(&mut duration)];
        // SAFETY: as in `ticks`.
        unsafe {
            self.device
                .launch(self.log, stream, (blocks, threads, 0), &mut arguments)
        }
    }

    /// Enqueues a kernel with `blocks` blocks of `threads` threads, which run `rounds` rounds of the execution pipe number `pipe`. Each
    /// block writes three words to `out`. `sink` is the address of an unused word.
    pub fn pipe(
        &self,
        stream: Handle,
        (blocks, threads): (u32, u32),
        (mut pipe, mut rounds): (u32, u32),
        (mut out, mut sink): (Address, Address),
    ) -> Code {
        let mut arguments = [
            place(&mut out),
            place(&mut pipe),
            place(&mut rounds),
            place(&mut sink),
        ];
        // SAFETY: as in `ticks`.
        unsafe {
            self.device
                .launch(self.pipe, stream, (blocks, threads, 0), &mut arguments)
        }
    }

    /// Enqueues a kernel on `sms` SMs that reads or writes the memory `of`. `sink` is the address of an unused word.
    pub fn stream(&self, stream: Handle, sms: u32, of: Stream, mut sink: Address) -> Code {
        let (mut data, mut vectors, mut rounds) = (of.data, of.bytes / 16, of.rounds);
        let mut arguments = [
            place(&mut data),
            place(&mut vectors),
            place(&mut rounds),
            place(&mut sink),
        ];
        let size = (sms.saturating_mul(BLOCKS), THREADS, 0);
        // SAFETY: `gpusched_read` takes four arguments and `gpusched_write` the first three of them. The caller keeps the memory until the
        // stream ends.
        unsafe {
            match of.writes {
                true => self.device.launch(self.write, stream, size, &mut arguments[..3]),
                false => self.device.launch(self.read, stream, size, &mut arguments),
            }
        }
    }
}

fn place<T>(value: &mut T) -> *mut c_void {
    (&raw mut *value).cast()
}
