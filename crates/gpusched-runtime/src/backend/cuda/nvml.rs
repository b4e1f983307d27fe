//! Clocks, temperature and throttling of a GPU, through the library NVML. Without the library, they are unknown. gpusched only reads.
#![allow(unsafe_code, reason = "calls of NVML")]

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::mem::ManuallyDrop;

use libloading::Library;

use crate::measure::{Conditions, Range};

type Code = c_int;
type Gpu = *mut c_void;

/// `NVML_CLOCK_SM` and `NVML_CLOCK_MEM`.
const CLOCKS: [c_uint; 2] = [1, 2];
/// `NVML_TEMPERATURE_GPU`.
const TEMPERATURE: c_uint = 0;

/// Bits of `nvmlClocksEventReasons`, with their names. The remaining bits reduce no clock below its limit: an idle GPU (1), and
/// clocks that an application or a user has set (2, 16).
const REASONS: [(u64, &str); 7] = [
    (4, "software power cap"),
    (8, "hardware slowdown"),
    (0x20, "software thermal slowdown"),
    (0x40, "hardware thermal slowdown"),
    (0x80, "hardware power brake"),
    (0x100, "display clock setting"),
    (0x10, "synchronized boost"),
];

/// The state of one GPU.
pub struct Nvml {
    gpu: Gpu,
    clock: unsafe extern "C" fn(Gpu, c_uint, *mut c_uint) -> Code,
    temperature: unsafe extern "C" fn(Gpu, c_uint, *mut c_uint) -> Code,
    reasons: unsafe extern "C" fn(Gpu, *mut u64) -> Code,
    /// Version of the driver, such as `580.95.05`.
    pub driver: Option<String>,
    /// Keeps the entry points valid.
    _library: ManuallyDrop<Library>,
}

impl Nvml {
    /// Finds the GPU with the identity `uuid`. Returns `None` without NVML. `GPUSCHED_NVML_LIBRARY` names another library, for tests.
    pub fn of(uuid: &str) -> Option<Nvml> {
        let name = std::env::var("GPUSCHED_NVML_LIBRARY").unwrap_or_else(|_| "libnvidia-ml.so.1".to_owned());
        let text = CString::new(uuid).ok()?;
        // SAFETY: the initialization code of NVML has no requirements, and each signature is the signature in `nvml.h`.
        unsafe {
            let library = ManuallyDrop::new(Library::new(&name).ok()?);
            let init: unsafe extern "C" fn() -> Code = *library.get(b"nvmlInit_v2\0").ok()?;
            if init() != 0 {
                return None;
            }
            let find: unsafe extern "C" fn(*const c_char, *mut Gpu) -> Code =
                *library.get(b"nvmlDeviceGetHandleByUUID\0").ok()?;
            let mut gpu = std::ptr::null_mut();
            if find(text.as_ptr(), &mut gpu) != 0 {
                return None;
            }
            let version: unsafe extern "C" fn(*mut c_char, c_uint) -> Code =
                *library.get(b"nvmlSystemGetDriverVersion\0").ok()?;
            let mut bytes = [0u8; 81];
            let known = version(bytes.as_mut_ptr().cast(), 80) == 0;
            let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(0);
            let driver = String::from_utf8_lossy(&bytes[..end]).into_owned();
            // The function of old drivers has another name.
            let reasons = library
                .get(b"nvmlDeviceGetCurrentClocksEventReasons\0")
                .or_else(|_| library.get(b"nvmlDeviceGetCurrentClocksThrottleReasons\0"));
            Some(Nvml {
                gpu,
                clock: *library.get(b"nvmlDeviceGetClockInfo\0").ok()?,
                temperature: *library.get(b"nvmlDeviceGetTemperature\0").ok()?,
                reasons: *reasons.ok()?,
                driver: known.then_some(driver),
                _library: library,
            })
        }
    }

    /// Adds the present state of the GPU to `conditions`.
    pub fn observe(&self, conditions: &mut Conditions) {
        let number = |call: unsafe extern "C" fn(Gpu, c_uint, *mut c_uint) -> Code, which: c_uint| {
            let mut value = 0;
            // SAFETY: the GPU exists, and the result is a valid place.
            (unsafe { call(self.gpu, which, &mut value) } == 0).then_some(value)
        };
        let [core, memory] = CLOCKS.map(|clock| number(self.clock, clock));
        for (range, megahertz) in [
            (&mut conditions.core_khz, core),
            (&mut conditions.dram_khz, memory),
        ] {
            if let Some(khz) = megahertz.and_then(|megahertz| megahertz.checked_mul(1000)) {
                Range::add(range, khz);
            }
        }
        if let Some(celsius) = number(self.temperature, TEMPERATURE) {
            Range::add(&mut conditions.celsius, celsius);
        }
        let mut bits = 0;
        // SAFETY: the GPU exists, and the result is a valid place.
        if unsafe { (self.reasons)(self.gpu, &mut bits) } != 0 {
            return;
        }
        let known = conditions.throttling.get_or_insert_default();
        for (_, name) in REASONS.iter().filter(|(bit, _)| bits & bit != 0) {
            if !known.iter().any(|known| known == name) {
                known.push((*name).to_owned());
            }
        }
    }
}
