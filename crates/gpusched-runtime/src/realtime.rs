//! Threads, clocks and memory of Linux for the dispatchers on a GPU. A setting that the system refuses makes a run less
//! predictable, but never stops it: each function returns a text about the result.
#![allow(unsafe_code, reason = "calls of the C library")]

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the process received a signal to end.
static STOP: AtomicBool = AtomicBool::new(false);

/// Lets the signals SIGINT (Ctrl-C) and SIGTERM set the returned flag instead of ending the process. A second signal of
/// the same kind ends the process.
pub fn stop_on_signals() -> &'static AtomicBool {
    extern "C" fn stop(_: libc::c_int) {
        STOP.store(true, Ordering::Relaxed);
    }
    // SAFETY: zero bytes are a valid action without flags and with an empty mask.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = stop as extern "C" fn(libc::c_int) as libc::sighandler_t;
    action.sa_flags = libc::SA_RESETHAND | libc::SA_RESTART;
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: the action is valid, and its function only stores to an atomic, which a signal handler may do.
        unsafe { libc::sigaction(signal, &action, std::ptr::null_mut()) };
    }
    &STOP
}

/// Returns the time on CLOCK_MONOTONIC [ns].
pub fn now() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// Returns bounds on the time for which the computer has slept since its start [ns]. CLOCK_MONOTONIC stands still in this time, but
/// CLOCK_BOOTTIME does not.
pub fn slept() -> (u64, u64) {
    let before = now();
    let all = read(libc::CLOCK_BOOTTIME);
    let after = now();
    (all.saturating_sub(after), all.saturating_sub(before))
}

/// Returns the time on `clock` [ns].
fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid place for one result.
    unsafe { libc::clock_gettime(clock, &mut time) };
    (time.tv_sec as u64)
        .wrapping_mul(1_000_000_000)
        .wrapping_add(time.tv_nsec as u64)
}

/// Sleeps until `until` on CLOCK_MONOTONIC [ns]. A signal may end the sleep early.
pub fn sleep_until(until: u64) {
    let time = libc::timespec {
        tv_sec: (until / 1_000_000_000) as libc::time_t,
        tv_nsec: (until % 1_000_000_000) as libc::c_long,
    };
    // SAFETY: `time` is a valid time, and no remaining time is requested.
    unsafe {
        libc::clock_nanosleep(
            libc::CLOCK_MONOTONIC,
            libc::TIMER_ABSTIME,
            &time,
            std::ptr::null_mut(),
        );
    }
}

/// Returns the cores on which this thread may run.
pub fn cores() -> Vec<usize> {
    // SAFETY: a set of cores is plain data, for which zero bytes are the empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the size is the size of the set.
    let result = unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) };
    let all = 0..libc::CPU_SETSIZE as usize;
    // SAFETY: each number is below the size of the set.
    all.filter(|&core| result == 0 && unsafe { libc::CPU_ISSET(core, &set) })
        .collect()
}

/// Settings of the thread of a dispatcher, and what the system said.
pub fn prepare_thread(core: Option<usize>, fifo_priority: i32) -> Vec<(String, String)> {
    let mut settings = Vec::new();
    if let Some(core) = core {
        // SAFETY: as in `cores`.
        let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        // SAFETY: `core` is from `cores`, so it is below the size of the set.
        unsafe { libc::CPU_SET(core, &mut set) };
        // SAFETY: the size is the size of the set, and 0 is this thread.
        let result = unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set) };
        settings.push(("core".to_owned(), format!("{core}: {}", said(result))));
    }
    // SAFETY: the call changes only the timer slack of this thread.
    let result = unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong) };
    settings.push(("timer slack of 1 ns".to_owned(), said(result)));
    if fifo_priority > 0 {
        // SAFETY: zero bytes are a valid parameter, whose priority is set next.
        let mut parameter: libc::sched_param = unsafe { std::mem::zeroed() };
        parameter.sched_priority = fifo_priority;
        // SAFETY: 0 is this thread, and the parameter is valid.
        let result = unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &parameter) };
        settings.push((format!("SCHED_FIFO {fifo_priority}"), said(result)));
    }
    settings
}

/// Locks the present memory of the process, so that no page fault delays a dispatcher. Later memory is not locked,
/// because the driver may reserve large ranges of addresses.
pub fn lock_memory() -> String {
    // SAFETY: the call changes no memory contents.
    said(unsafe { libc::mlockall(libc::MCL_CURRENT) })
}

/// Whether the computer is a virtual machine. The host of a virtual machine can stop its processors at any time. `None` if the
/// processor does not state it.
pub fn is_virtual() -> Option<bool> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let flags = text.lines().find(|line| line.starts_with("flags"))?;
    Some(flags.split_whitespace().any(|flag| flag == "hypervisor"))
}

/// Returns settings of the computer that affect the times of a run.
pub fn computer() -> Vec<(String, String)> {
    let read = |path: &str| fs::read_to_string(path).map(|text| text.trim().to_owned()).ok();
    let files = [
        ("kernel", "/proc/sys/kernel/osrelease"),
        ("version", "/proc/sys/kernel/version"),
        ("sched_rt_runtime_us", "/proc/sys/kernel/sched_rt_runtime_us"),
        (
            "governor of core 0",
            "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
        ),
        ("isolated cores", "/sys/devices/system/cpu/isolated"),
        ("preemption", "/sys/kernel/realtime"),
    ];
    let mut settings: Vec<(String, String)> = files
        .iter()
        .filter_map(|&(name, path)| Some((name.to_owned(), read(path)?)))
        .collect();
    let machine = match is_virtual() {
        Some(true) => "yes",
        Some(false) => "no",
        None => "unknown",
    };
    settings.push(("virtual machine".to_owned(), machine.to_owned()));
    settings.push(("cores".to_owned(), format!("{:?}", cores())));
    for name in ["CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_MODULE_LOADING"] {
        let value = std::env::var(name).unwrap_or_else(|_| "not set".to_owned());
        settings.push((name.to_owned(), value));
    }
    settings
}

fn said(result: libc::c_int) -> String {
    match result {
        0 => "yes".to_owned(),
        _ => format!("no: {}", std::io::Error::last_os_error()),
    }
}
