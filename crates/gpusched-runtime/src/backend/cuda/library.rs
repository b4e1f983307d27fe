//! The CUDA driver, loaded when a run starts. gpusched needs neither CUDA headers nor a driver to be built.
//!
//! Each entry point is looked up with the fixed CUDA version whose signature this file states, so a newer driver cannot
//! return a function with another signature.
#![allow(unsafe_code, reason = "calls of the CUDA driver")]

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::mem::ManuallyDrop;

use gpusched_model::Refusal;
use libloading::Library;

/// A handle of the driver: an opaque pointer. Handles may be used by all threads.
pub type Handle = usize;

/// An address in the memory of the GPU.
pub type Address = u64;

/// Result of an entry point; 0 is success.
pub type Code = c_int;

/// The oldest CUDA version with streams of green contexts, as the driver states it.
const OLDEST: c_int = 12_050;

/// The answer of `cuStreamQuery` for a stream with unfinished work.
pub const NOT_READY: Code = 600;

/// `CUdevResource`: 144 bytes, with the SM resource at byte 96 in CUDA 12.4 to 13.5.
#[repr(C, align(8))]
#[derive(Copy, Clone)]
pub struct Resource {
    pub kind: c_uint,
    internal: [u8; 92],
    pub sms: c_uint,
    pub least: c_uint,
    pub alignment: c_uint,
    rest: [u8; 36],
}

const _: () = assert!(size_of::<Resource>() == 144 && std::mem::offset_of!(Resource, sms) == 96);

impl Resource {
    pub const EMPTY: Resource = Resource {
        kind: 0,
        internal: [0; 92],
        sms: 0,
        least: 0,
        alignment: 0,
        rest: [0; 36],
    };
}

type GetProcAddress = unsafe extern "C" fn(*const c_char, *mut *mut c_void, c_int, u64, *mut c_int) -> Code;

/// `CU_DEV_SM_RESOURCE_GROUP_PARAMS` of CUDA 13.1.
#[repr(C)]
#[derive(Copy, Clone)]
pub struct Group {
    pub sms: c_uint,
    pub coscheduled: c_uint,
    pub preferred: c_uint,
    pub flags: c_uint,
    pub reserved: [c_uint; 12],
}

/// `CUlaunchAttribute`: 72 bytes, with the value at byte 8.
#[repr(C)]
pub struct Attribute {
    pub kind: c_uint,
    pub padding: c_uint,
    pub value: [c_uint; 16],
}

/// `CUlaunchConfig`: 56 bytes.
#[repr(C)]
pub struct Launch {
    pub grid: [c_uint; 3],
    pub block: [c_uint; 3],
    pub shared: c_uint,
    pub stream: Handle,
    pub attributes: *const Attribute,
    pub count: c_uint,
}

const _: () = assert!(size_of::<Attribute>() == 72 && size_of::<Launch>() == 56);
const _: () =
    assert!(std::mem::offset_of!(Launch, stream) == 32 && std::mem::offset_of!(Launch, count) == 48);

/// The CUDA version of `cuDevSmResourceSplit`.
const SPLIT_SINCE: c_int = 13_010;

pub type Split =
    unsafe extern "C" fn(*mut Resource, c_uint, *const Resource, *mut Resource, c_uint, *mut Group) -> Code;

macro_rules! entry_points {
    ($($field:ident = $name:literal $version:literal ($($argument:ty),*);)*) => {
        /// The entry points that the backend uses.
        pub struct Driver {
            $(pub(super) $field: unsafe extern "C" fn($($argument),*) -> Code,)*
            /// `cuDevSmResourceSplit`, since CUDA 13.1.
            pub(super) split: Option<Split>,
            /// CUDA version that the driver supports, such as 13000.
            pub(super) version: c_int,
            /// Keeps the entry points valid. It stays loaded: after a fault, the driver still has a context with threads.
            _library: ManuallyDrop<Library>,
        }

        impl Driver {
            fn find(library: Library, get: GetProcAddress, version: c_int) -> Result<Driver, Refusal> {
                Ok(Driver {
                    $($field: {
                        let found = address(get, $name, $version)?;
                        // SAFETY: the driver returns the function of this name with the signature of this version.
                        unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($argument),*) -> Code>(found) }
                    },)*
                    split: match version >= SPLIT_SINCE {
                        // SAFETY: the driver returns the function of this name with the signature of this version.
                        true => Some(unsafe { std::mem::transmute::<*mut c_void, Split>(address(get, "cuDevSmResourceSplit", SPLIT_SINCE)?) }),
                        false => None,
                    },
                    version,
                    _library: ManuallyDrop::new(library),
                })
            }
        }
    };
}

entry_points! {
    get_error_name = "cuGetErrorName" 6000 (Code, *mut *const c_char);
    device_get = "cuDeviceGet" 2000 (*mut c_int, c_int);
    device_name = "cuDeviceGetName" 2000 (*mut c_char, c_int, c_int);
    device_attribute = "cuDeviceGetAttribute" 2000 (*mut c_int, c_int, c_int);
    device_uuid = "cuDeviceGetUuid" 9020 (*mut u8, c_int);
    primary_retain = "cuDevicePrimaryCtxRetain" 7000 (*mut Handle, c_int);
    primary_release = "cuDevicePrimaryCtxRelease" 11000 (c_int);
    set_current = "cuCtxSetCurrent" 4000 (Handle);
    context_create = "cuCtxCreate" 3020 (*mut Handle, c_uint, c_int);
    context_destroy = "cuCtxDestroy" 4000 (Handle);
    host_alloc = "cuMemHostAlloc" 2020 (*mut *mut c_void, usize, c_uint);
    host_address = "cuMemHostGetDevicePointer" 3020 (*mut Address, *mut c_void, c_uint);
    host_free = "cuMemFreeHost" 2000 (*mut c_void);
    alloc = "cuMemAlloc" 3020 (*mut Address, usize);
    free = "cuMemFree" 3020 (Address);
    copy_to_host = "cuMemcpyDtoH" 3020 (*mut c_void, Address, usize);
    fill = "cuMemsetD32" 3020 (Address, c_uint, usize);
    module_load = "cuModuleLoadData" 2000 (*mut Handle, *const c_void);
    module_unload = "cuModuleUnload" 2000 (Handle);
    module_function = "cuModuleGetFunction" 2000 (*mut Handle, Handle, *const c_char);
    function_attribute = "cuFuncSetAttribute" 9000 (Handle, c_int, c_int);
    launch = "cuLaunchKernel" 4000 (Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut *mut c_void,
        *mut *mut c_void);
    launch_with = "cuLaunchKernelEx" 11060 (*const Launch, Handle, *mut *mut c_void, *mut *mut c_void);
    priorities = "cuCtxGetStreamPriorityRange" 5050 (*mut c_int, *mut c_int);
    graph_launch = "cuGraphLaunch" 10000 (Handle, Handle);
    stream_query = "cuStreamQuery" 2000 (Handle);
    stream_synchronize = "cuStreamSynchronize" 2000 (Handle);
    stream_destroy = "cuStreamDestroy" 4000 (Handle);
    write_value = "cuStreamWriteValue32" 12000 (Handle, Address, c_uint, c_uint);
    event_create = "cuEventCreate" 2000 (*mut Handle, c_uint);
    event_record = "cuEventRecord" 2000 (Handle, Handle);
    event_query = "cuEventQuery" 2000 (Handle);
    event_synchronize = "cuEventSynchronize" 2000 (Handle);
    event_elapsed = "cuEventElapsedTime" 2000 (*mut f32, Handle, Handle);
    event_destroy = "cuEventDestroy" 4000 (Handle);
    device_resource = "cuDeviceGetDevResource" 12040 (c_int, *mut Resource, c_uint);
    split_by_count = "cuDevSmResourceSplitByCount" 12040 (*mut Resource, *mut c_uint, *const Resource, *mut Resource, c_uint,
        c_uint);
    describe = "cuDevResourceGenerateDesc" 12040 (*mut Handle, *mut Resource, c_uint);
    green_create = "cuGreenCtxCreate" 12040 (*mut Handle, Handle, c_int, c_uint);
    green_destroy = "cuGreenCtxDestroy" 12040 (Handle);
    green_resource = "cuGreenCtxGetDevResource" 12040 (Handle, *mut Resource, c_uint);
    green_stream = "cuGreenCtxStreamCreate" 12050 (*mut Handle, Handle, c_uint, c_int);
}

fn address(get: GetProcAddress, name: &str, version: c_int) -> Result<*mut c_void, Refusal> {
    let text = CString::new(name).map_err(Refusal::about(name))?;
    let (mut found, mut status) = (std::ptr::null_mut(), 0);
    // SAFETY: `text` is a C string, and both results are valid places.
    let code = unsafe { get(text.as_ptr(), &mut found, version, 0, &mut status) };
    let major = format!("{}.{}", version / 1000, version % 1000 / 10);
    match code == 0 && !found.is_null() {
        true => Ok(found),
        false => Err(Refusal::new(
            name,
            "no such entry point in the driver",
            format!("the entry point of CUDA {major}"),
        )),
    }
}

impl Driver {
    /// Loads the driver and initializes it. `GPUSCHED_CUDA_LIBRARY` names another library, for tests.
    ///
    /// # Errors
    /// Refuses a computer without a driver, and a driver that is too old.
    pub fn load() -> Result<Driver, Refusal> {
        let name = std::env::var("GPUSCHED_CUDA_LIBRARY").unwrap_or_else(|_| "libcuda.so.1".to_owned());
        let expected = "a driver of CUDA 12.5 or newer";
        // SAFETY: the initialization code of the driver has no requirements.
        let library = unsafe { Library::new(&name) };
        let library = library
            .map_err(|_| Refusal::new("", format!("no CUDA driver ({name} does not load)"), expected))?;
        let old = |version: String| Refusal::new("driver", version, expected);
        // SAFETY: the signature is the signature of CUDA 12.0 and newer.
        let get = unsafe { library.get::<GetProcAddress>(b"cuGetProcAddress_v2\0") };
        let get = *get.map_err(|_| old("a driver older than CUDA 12.0".to_owned()))?;
        let versioned = address(get, "cuDriverGetVersion", 2020)?;
        // SAFETY: the driver returns the function of this name with the signature of this version.
        let versioned = unsafe {
            std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_int) -> Code>(versioned)
        };
        let mut version = 0;
        // SAFETY: the result is a valid place.
        unsafe { versioned(&mut version) };
        if version < OLDEST {
            return Err(old(format!("CUDA {}.{}", version / 1000, version % 1000 / 10)));
        }
        let init = address(get, "cuInit", 2000)?;
        // SAFETY: the driver returns the function of this name with the signature of this version.
        let init = unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn(c_uint) -> Code>(init) };
        // SAFETY: 0 is the only valid argument.
        let code = unsafe { init(0) };
        let driver = Driver::find(library, get, version)?;
        driver.check("cuInit", code)?;
        Ok(driver)
    }

    /// Returns a refusal that names `call` and the error, unless `code` is success.
    ///
    /// # Errors
    /// Fails if `code` is not 0.
    pub fn check(&self, call: &str, code: Code) -> Result<(), Refusal> {
        match code {
            0 => Ok(()),
            code => Err(Refusal::new(call, self.name_of(code), "CUDA_SUCCESS")),
        }
    }

    /// Returns the name of an error.
    pub fn name_of(&self, code: Code) -> String {
        let mut name = std::ptr::null();
        // SAFETY: the result is a valid place. The driver returns a constant C string or null.
        let text = unsafe {
            (self.get_error_name)(code, &mut name);
            (!name.is_null()).then(|| std::ffi::CStr::from_ptr(name).to_string_lossy().into_owned())
        };
        text.unwrap_or_else(|| format!("CUDA error {code}"))
    }
}
