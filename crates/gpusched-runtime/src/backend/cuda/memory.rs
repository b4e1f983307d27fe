//! Memory: flags that the GPU writes and the host reads, and memory of the GPU.
#![allow(unsafe_code, reason = "calls of the CUDA driver")]

use std::ffi::c_void;

use gpusched_model::Refusal;

use super::library::{Address, Driver};

/// `CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP`.
const PORTABLE_AND_MAPPED: u32 = 3;

/// Bytes between two flags.
const LINE: usize = 128;

/// Pinned memory of the host that the GPU writes: one flag per partition, each in its own cache line.
pub struct Flags<'a> {
    driver: &'a Driver,
    count: usize,
    host: usize,
    device: Address,
}

impl<'a> Flags<'a> {
    /// Allocates `count` flags with the value 0.
    ///
    /// # Errors
    /// Fails if a call of the driver fails.
    pub fn new(driver: &'a Driver, count: usize) -> Result<Flags<'a>, Refusal> {
        let mut host = std::ptr::null_mut();
        let bytes = count.max(1) * LINE;
        let mut device = 0;
        // SAFETY: the result is a valid place, and the memory has `bytes` bytes.
        unsafe {
            driver.check(
                "cuMemHostAlloc",
                (driver.host_alloc)(&mut host, bytes, PORTABLE_AND_MAPPED),
            )?;
            std::ptr::write_bytes(host.cast::<u8>(), 0, bytes);
            let code = (driver.host_address)(&mut device, host, 0);
            driver.check("cuMemHostGetDevicePointer", code)?;
        }
        Ok(Flags {
            driver,
            count,
            host: host as usize,
            device,
        })
    }

    /// Returns the flag of partition `index`, as the host reads it, and its address on the GPU.
    ///
    /// # Panics
    /// Panics if there is no flag of this index.
    pub fn get(&self, index: usize) -> (&std::sync::atomic::AtomicU32, Address) {
        assert!(index < self.count, "flag {index} of {}", self.count);
        let offset = index * LINE;
        // SAFETY: the flag is inside the memory, which lives as long as `self`, is aligned, and only atomic reads of the host and the GPU use it.
        let flag = unsafe { &*((self.host + offset) as *const std::sync::atomic::AtomicU32) };
        (flag, self.device + offset as u64)
    }
}

impl Drop for Flags<'_> {
    fn drop(&mut self) {
        // SAFETY: the memory is from `Flags::new`.
        unsafe { (self.driver.host_free)(self.host as *mut c_void) };
    }
}

/// Memory of the GPU.
pub struct Memory<'a> {
    driver: &'a Driver,
    pub address: Address,
    bytes: usize,
}

impl<'a> Memory<'a> {
    /// Allocates `bytes` bytes.
    ///
    /// # Errors
    /// Fails if the call of the driver fails.
    pub fn new(driver: &'a Driver, bytes: usize) -> Result<Memory<'a>, Refusal> {
        let mut address = 0;
        // SAFETY: the result is a valid place.
        let code = unsafe { (driver.alloc)(&mut address, bytes) };
        driver.check("cuMemAlloc", code)?;
        Ok(Memory {
            driver,
            address,
            bytes,
        })
    }
}

impl Memory<'_> {
    /// Returns the first `count` words of 64 bits. Waits for copies, but not for kernels of streams.
    ///
    /// # Errors
    /// Fails if the call of the driver fails.
    ///
    /// # Panics
    /// Panics if the memory is smaller.
    pub fn words(&self, count: usize) -> Result<Vec<u64>, Refusal> {
        assert!(count * 8 <= self.bytes, "{count} words of {} bytes", self.bytes);
        let mut words = vec![0u64; count];
        // SAFETY: both memories have this size.
        let code = unsafe { (self.driver.copy_to_host)(words.as_mut_ptr().cast(), self.address, count * 8) };
        self.driver.check("cuMemcpyDtoH", code)?;
        Ok(words)
    }
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        // SAFETY: the memory is from `Memory::new`.
        unsafe { (self.driver.free)(self.address) };
    }
}
