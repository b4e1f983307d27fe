//! The C interface. `include/gpusched_budget.h` describes the functions and structures.

use core::ffi::c_int;
use core::mem::MaybeUninit;
use core::slice::{from_raw_parts, from_raw_parts_mut};

use crate::intervals::table_length;
use crate::{Allocator, Cluster, Fault, Interval, Intervals, MAX_ACTIVE, MAX_CLUSTERS, Policy, Setting};

/// Version of the interface, `GB_ABI`.
const ABI: c_int = 1;
/// Marks a prepared allocator.
const ALLOCATOR: u64 = 0x6770_7573_6368_6564;
/// Marks a prepared table.
const TABLE: u64 = ALLOCATOR + 1;

const NULL: c_int = -1;
const UNPREPARED: c_int = -2;
const LENGTH: c_int = -9;
const BLOCKS: c_int = -10;
const POLICY: c_int = -11;
const LATE: c_int = -12;

/// `gb_setting`.
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct CSetting {
    /// `gb_policy`.
    pub policy: u32,
    /// M: blocks that run at the same time.
    pub active: u32,
    /// T: regulation period [ns].
    pub period: u64,
    /// Nominal memory time per period [ns].
    pub nominal: u64,
    /// WCET under the nominal budget [ns].
    pub deadline: u64,
    /// Whether both ends of a memory time may extend a block: 0 or 1.
    pub both_ends: u32,
    /// 0.
    pub reserved: u32,
}

/// A structure of C with `WORDS` private words: a mark, and a value of Rust that is valid if the mark is right.
#[repr(C)]
pub struct Opaque<T, const WORDS: usize> {
    mark: u64,
    value: MaybeUninit<T>,
}

impl<T, const WORDS: usize> Opaque<T, WORDS> {
    const FITS: () = assert!(size_of::<Self>() <= WORDS * 8 && align_of::<Self>() <= align_of::<u64>());

    /// Marks the structure as not prepared.
    ///
    /// # Safety
    /// `at` is valid for writes.
    unsafe fn clear(at: *mut Self) {
        let () = Self::FITS;
        // SAFETY: `at` is valid for writes of the mark.
        unsafe { (&raw mut (*at).mark).write(0) };
    }

    /// # Safety
    /// `at` is valid for writes.
    unsafe fn set(at: *mut Self, mark: u64, value: T) {
        let () = Self::FITS;
        let value = MaybeUninit::new(value);
        // SAFETY: `at` is valid for writes.
        unsafe { at.write(Opaque { mark, value }) };
    }

    /// Returns the value to read; `None` without the right mark.
    ///
    /// # Safety
    /// `at` is valid for reads for `'a`.
    unsafe fn peek<'a>(at: *const Self, mark: u64) -> Option<&'a T> {
        // SAFETY: the mark is a number, which the program or `clear` wrote. The value is valid if the mark is right.
        unsafe { ((&raw const (*at).mark).read() == mark).then(|| (*at).value.assume_init_ref()) }
    }

    /// Returns the value to change; `None` without the right mark.
    ///
    /// # Safety
    /// `at` is valid for reads and writes, and nothing else uses it for `'a`.
    unsafe fn get<'a>(at: *mut Self, mark: u64) -> Option<&'a mut T> {
        // SAFETY: the mark is a number, which the program or `clear` wrote. The value is valid if the mark is right.
        unsafe { ((&raw const (*at).mark).read() == mark).then(|| (*at).value.assume_init_mut()) }
    }
}

/// `gb_allocator`.
pub type CAllocator = Opaque<Allocator<&'static [Cluster]>, 12>;
/// `gb_table`.
pub type CTable = Opaque<Intervals<&'static [Interval], &'static [u64]>, 10>;

fn status(fault: Fault) -> c_int {
    match fault {
        Fault::Clusters => -3,
        Fault::Active => -4,
        Fault::Period => -5,
        Fault::Deadline => -6,
        Fault::Work => -7,
        Fault::Intervals => -8,
        Fault::Length => LENGTH,
        Fault::Blocks => BLOCKS,
    }
}

fn is_usable<T>(pointer: *const T) -> bool {
    !pointer.is_null() && pointer.is_aligned()
}

/// Whether an array of `length` values may exist.
fn fits<T>(length: usize) -> bool {
    length
        .checked_mul(size_of::<T>())
        .is_some_and(|bytes| isize::try_from(bytes).is_ok())
}

/// `gb_abi`.
#[unsafe(no_mangle)]
pub extern "C" fn gb_abi() -> c_int {
    ABI
}

/// `gb_init`.
///
/// # Safety
/// The pointers are null, or as in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gb_init(
    allocator: *mut CAllocator,
    setting: *const CSetting,
    clusters: *mut Cluster,
    count: usize,
) -> c_int {
    if !is_usable(allocator) {
        return NULL;
    }
    // SAFETY: the caller passes a structure.
    unsafe { CAllocator::clear(allocator) };
    if !is_usable(setting) || !is_usable(clusters) {
        return NULL;
    }
    if !(1..=MAX_CLUSTERS).contains(&count) {
        return status(Fault::Clusters);
    }
    // SAFETY: the caller passes a setting, and an array with `count` clusters that belongs to the allocator.
    let (given, clusters) = unsafe { (setting.read(), from_raw_parts_mut(clusters, count)) };
    let policy = match given.policy {
        0 => Policy::Nominal,
        1 => Policy::Fair,
        2 => Policy::Greedy,
        3 => Policy::Smooth,
        _ => return POLICY,
    };
    if given.both_ends > 1 || given.reserved != 0 {
        return POLICY;
    }
    let setting = Setting {
        policy,
        active: given.active,
        period: given.period,
        nominal: given.nominal,
        deadline: given.deadline,
        both_ends: given.both_ends == 1,
    };
    match Allocator::borrowing(setting, clusters) {
        // SAFETY: the caller passes a structure.
        Ok(prepared) => unsafe { CAllocator::set(allocator, ALLOCATOR, prepared) },
        Err(fault) => return status(fault),
    }
    0
}

/// `gb_restart`.
///
/// # Safety
/// The pointer is null, or as in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gb_restart(allocator: *mut CAllocator) -> c_int {
    if !is_usable(allocator) {
        return NULL;
    }
    // SAFETY: the caller passes a structure.
    match unsafe { CAllocator::get(allocator, ALLOCATOR) } {
        Some(allocator) => allocator.restart(),
        None => return UNPREPARED,
    }
    0
}

/// `gb_decide`.
///
/// # Safety
/// The pointers are null, or as in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gb_decide(
    allocator: *mut CAllocator,
    elapsed: u64,
    remaining: *const u64,
    count: usize,
    budget: *mut u64,
) -> c_int {
    if !is_usable(allocator) || !is_usable(budget) {
        return NULL;
    }
    // SAFETY: the caller passes a structure.
    let Some(allocator) = (unsafe { CAllocator::get(allocator, ALLOCATOR) }) else {
        return UNPREPARED;
    };
    // SAFETY: the caller passes a place for a number.
    unsafe { budget.write(allocator.nominal()) };
    if !is_usable(remaining) {
        return NULL;
    }
    if count > MAX_CLUSTERS {
        return LENGTH;
    }
    // SAFETY: the caller passes an array with `count` numbers.
    let remaining = unsafe { from_raw_parts(remaining, count) };
    if let Err(fault) = allocator.check(remaining) {
        return status(fault);
    }
    let chosen = allocator.decide(elapsed, remaining);
    // SAFETY: the caller passes a place for a number.
    unsafe { budget.write(chosen) };
    if elapsed > allocator.deadline() { LATE } else { 0 }
}

/// `gb_table_init`.
///
/// # Safety
/// The pointers are null, or as in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gb_table_init(
    table: *mut CTable,
    interval: *const Interval,
    intervals: usize,
    blocks: *const u64,
    clusters: usize,
    rest: *mut u64,
    length: usize,
) -> c_int {
    if !is_usable(table) {
        return NULL;
    }
    // SAFETY: the caller passes a structure.
    unsafe { CTable::clear(table) };
    if !is_usable(interval) || !is_usable(blocks) || !is_usable(rest) {
        return NULL;
    }
    if !(1..=MAX_CLUSTERS).contains(&clusters) {
        return status(Fault::Clusters);
    }
    if !fits::<Interval>(intervals) {
        return LENGTH;
    }
    if table_length(intervals, clusters) != Some(length) || !fits::<u64>(length) {
        return LENGTH;
    }
    // SAFETY: the caller passes arrays with these lengths, and the first and the last belong to the table.
    let (intervals, blocks, rest) = unsafe {
        (
            from_raw_parts(interval, intervals),
            from_raw_parts(blocks, clusters),
            from_raw_parts_mut(rest, length),
        )
    };
    match Intervals::borrowing(intervals, rest, blocks.iter().copied()) {
        // SAFETY: the caller passes a structure.
        Ok(prepared) => unsafe { CTable::set(table, TABLE, prepared) },
        Err(fault) => return status(fault),
    }
    0
}

/// `gb_remaining`.
///
/// # Safety
/// The pointers are null, or as in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gb_remaining(
    table: *const CTable,
    next: u64,
    running: *const u64,
    active: usize,
    counts: *mut u64,
    count: usize,
) -> c_int {
    if !is_usable(table) || !is_usable(counts) || (active > 0 && !is_usable(running)) {
        return NULL;
    }
    // SAFETY: the caller passes a structure.
    let Some(table) = (unsafe { CTable::peek(table, TABLE) }) else {
        return UNPREPARED;
    };
    if count > MAX_CLUSTERS {
        return LENGTH;
    }
    if u32::try_from(active).map_or(true, |active| active > MAX_ACTIVE) {
        return BLOCKS;
    }
    // SAFETY: the caller passes arrays with these lengths. Without running blocks, the pointer may be null.
    let (running, counts) = unsafe {
        let running = if active > 0 {
            from_raw_parts(running, active)
        } else {
            &[]
        };
        (running, from_raw_parts_mut(counts, count))
    };
    match table.remaining(next, running.iter().copied(), counts) {
        Ok(()) => 0,
        Err(fault) => status(fault),
    }
}
