//! The memory of the file.
#![allow(unsafe_code, reason = "calls of the C library")]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::sync::atomic::{AtomicU64, Ordering};

/// A shared mapping of a file.
#[derive(Debug)]
pub struct Map {
    start: *mut libc::c_void,
    words: usize,
}

// SAFETY: the mapping belongs to the value until it is dropped, and threads access it only as atomic words.
unsafe impl Send for Map {}
// SAFETY: as above.
unsafe impl Sync for Map {}

impl Map {
    /// Allocates `words` words of `file`, and maps them.
    pub fn new(file: &File, words: usize) -> io::Result<Map> {
        let bytes = words * 8;
        let length = libc::off_t::try_from(bytes).map_err(io::Error::other)?;
        // Without allocated blocks, a full disk would end the process at a write.
        // SAFETY: the descriptor is open.
        let code = unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, length) };
        if code != 0 {
            return Err(io::Error::from_raw_os_error(code));
        }
        // SAFETY: the system chooses an unused address, and the file has the mapped length.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_POPULATE,
                file.as_raw_fd(),
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let map = Map { start, words };
        // A write to each page of 4 KiB now, so that the first write of a dispatcher meets no page fault.
        for word in map.words().iter().step_by(512) {
            word.store(word.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        Ok(map)
    }

    /// Returns the words of the file.
    pub fn words(&self) -> &[AtomicU64] {
        // SAFETY: the mapping has this length and the alignment of a page, and it lasts as long as `self`. Another
        // process that changes the file changes only values of atomic words. If another process cuts the file, an
        // access behind its end raises SIGBUS, which ends this process without any wrong value. `Ring` relies on
        // other processes to respect its lock, so that this does not happen.
        unsafe { std::slice::from_raw_parts(self.start.cast::<AtomicU64>(), self.words) }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: the mapping has this start and length, and nothing borrows it any more.
        unsafe { libc::munmap(self.start, self.words * 8) };
    }
}
