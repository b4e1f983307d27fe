//! Partitions as CUDA green contexts, all from one split, so that they share no SM.
#![allow(unsafe_code, reason = "calls of the CUDA driver")]

use std::ffi::{CString, c_void};

use gpusched_model::{Refusal, counted};

use super::library::{Attribute, Code, Driver, Handle, Launch, Resource};
use super::memory::Memory;

/// `CU_DEV_RESOURCE_TYPE_SM`.
const SMS: u32 = 1;
/// `CU_GREEN_CTX_DEFAULT_STREAM`, which CUDA requires up to 13.0.
const DEFAULT_STREAM: u32 = 1;
/// `CU_STREAM_NON_BLOCKING`.
const NON_BLOCKING: u32 = 1;
/// `CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN`.
const SHARED_PER_BLOCK: i32 = 97;
/// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`.
const DYNAMIC_SHARED: i32 = 8;
/// `CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE`.
const L2_BYTES: i32 = 38;

/// `CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED`.
const LARGE_CLUSTERS: i32 = 14;
/// `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`.
const CLUSTER_DIMENSION: u32 = 4;
/// Threads per block of a job. One block per SM is enough to occupy a partition.
const SPIN_THREADS: u32 = 64;

const KERNELS: &str = include_str!("kernels.ptx");

/// Kernels that the driver has translated.
pub struct Module<'a> {
    driver: &'a Driver,
    handle: Handle,
}

impl<'a> Module<'a> {
    /// Loads the PTX `text` into the current context.
    ///
    /// # Errors
    /// Fails if the call of the driver fails.
    pub fn load(driver: &'a Driver, text: &str) -> Result<Module<'a>, Refusal> {
        let text = CString::new(text).map_err(Refusal::about("kernels"))?;
        let mut handle = 0;
        // SAFETY: `text` is PTX as a C string, and the result is a valid place.
        let code = unsafe { (driver.module_load)(&mut handle, text.as_ptr().cast()) };
        driver.check("cuModuleLoadData", code)?;
        Ok(Module { driver, handle })
    }

    /// Returns the kernel `name`.
    ///
    /// # Errors
    /// Fails if there is no such kernel.
    pub fn function(&self, name: &str) -> Result<Handle, Refusal> {
        let text = CString::new(name).map_err(Refusal::about(name))?;
        let mut found = 0;
        // SAFETY: the module is loaded, and `text` is a C string.
        let code = unsafe { (self.driver.module_function)(&mut found, self.handle, text.as_ptr()) };
        self.driver.check("cuModuleGetFunction", code)?;
        Ok(found)
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: the module is loaded, and none of its kernels runs any more.
        unsafe { (self.driver.module_unload)(self.handle) };
    }
}

/// A GPU, its primary context, and the kernels.
pub struct Device<'a> {
    pub driver: &'a Driver,
    pub name: String,
    pub sms: u32,
    /// Smallest partition and alignment.
    pub granularity: (u32, u32),
    number: i32,
    primary: Handle,
    module: Option<Module<'a>>,
    pub spin: Handle,
    pub flag: Handle,
    smid: Handle,
    /// Shared memory of a block that leaves no room for a second block on the SM [bytes].
    shared: u32,
    pub whole: Resource,
}

/// A context beside the primary context.
pub struct Context<'a> {
    driver: &'a Driver,
    handle: Handle,
}

impl<'a> Context<'a> {
    /// Creates a context on the GPU of `device`. The primary context stays current.
    ///
    /// # Errors
    /// Fails if a call of the driver fails.
    pub fn create(device: &'a Device<'a>) -> Result<Context<'a>, Refusal> {
        let driver = device.driver;
        let mut handle = 0;
        // SAFETY: the result is a valid place, and the device exists.
        let code = unsafe { (driver.context_create)(&mut handle, 0, device.number) };
        driver.check("cuCtxCreate", code)?;
        let context = Context { driver, handle };
        device.make_current()?;
        Ok(context)
    }

    /// Makes the context current in this thread.
    ///
    /// # Errors
    /// Fails if the call of the driver fails.
    pub fn make_current(&self) -> Result<(), Refusal> {
        // SAFETY: the context exists.
        let code = unsafe { (self.driver.set_current)(self.handle) };
        self.driver.check("cuCtxSetCurrent", code)
    }
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        // SAFETY: the context is from `create`, and no kernel of it runs any more.
        unsafe { (self.driver.context_destroy)(self.handle) };
    }
}

/// Errors of the launch of clusters of a size that the GPU does not support: `CUDA_ERROR_INVALID_VALUE`,
/// `CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES`, `CUDA_ERROR_NOT_SUPPORTED` and `CUDA_ERROR_INVALID_CLUSTER_SIZE`.
const CLUSTER_SIZES: [Code; 4] = [1, 701, 801, 912];

/// A partition: a green context with one stream.
pub struct Partition<'a> {
    device: &'a Device<'a>,
    context: Handle,
    pub stream: Handle,
    pub sms: u32,
}

impl<'a> Device<'a> {
    /// Opens the GPU `ordinal`, counted from 0.
    ///
    /// # Errors
    /// Fails if there is no GPU, or if a call of the driver fails.
    pub fn open(driver: &'a Driver, ordinal: i32) -> Result<Device<'a>, Refusal> {
        let check = |call, code| driver.check(call, code);
        let (mut number, mut primary) = (0, 0);
        let mut name = [0u8; 256];
        let mut shared = 0;
        let mut whole = Resource::EMPTY;
        // SAFETY: all results are valid places of the sizes that the calls state.
        unsafe {
            check("cuDeviceGet", (driver.device_get)(&mut number, ordinal))?;
            check(
                "cuDeviceGetName",
                (driver.device_name)(name.as_mut_ptr().cast(), 255, number),
            )?;
            check(
                "cuDeviceGetAttribute",
                (driver.device_attribute)(&mut shared, SHARED_PER_BLOCK, number),
            )?;
            check(
                "cuDevicePrimaryCtxRetain",
                (driver.primary_retain)(&mut primary, number),
            )?;
        }
        let mut device = Device {
            driver,
            name: String::from_utf8_lossy(name.split(|&byte| byte == 0).next().unwrap_or(&[])).into_owned(),
            sms: 0,
            granularity: (0, 0),
            number,
            primary,
            module: None,
            spin: 0,
            flag: 0,
            smid: 0,
            shared: u32::try_from(shared).unwrap_or(0),
            whole,
        };
        device.make_current()?;
        let module = Module::load(driver, KERNELS)?;
        // SAFETY: the result is a valid place.
        let code = unsafe { (driver.device_resource)(number, &mut whole, SMS) };
        check("cuDeviceGetDevResource", code)?;
        device.whole = whole;
        device.sms = whole.sms;
        device.granularity = (whole.least, whole.alignment);
        if whole.least == 0 {
            // Before CUDA 13.0, drivers do not state the size of the smallest group, but they round sizes up to it.
            let smallest = device.split(1, 0, 1)?.0.first().map_or(0, |group| group.sms);
            device.granularity = (smallest, smallest);
        }
        device.spin = module.function("gpusched_spin")?;
        device.flag = module.function("gpusched_flag")?;
        device.smid = module.function("gpusched_smid")?;
        device.module = Some(module);
        // SAFETY: `smid` is a function of the module.
        let code = unsafe { (driver.function_attribute)(device.smid, DYNAMIC_SHARED, shared) };
        check("cuFuncSetAttribute", code)?;
        Ok(device)
    }

    /// Makes the primary context current in this thread. Each thread that launches needs it.
    ///
    /// # Errors
    /// Fails if the call of the driver fails.
    pub fn make_current(&self) -> Result<(), Refusal> {
        // SAFETY: the primary context is retained as long as the device exists.
        let code = unsafe { (self.driver.set_current)(self.primary) };
        self.driver.check("cuCtxSetCurrent", code)
    }

    /// Launches `kernel` with `blocks` blocks of `threads` threads and `shared` bytes of shared memory each.
    ///
    /// # Safety
    /// `kernel` and `stream` exist. The arguments are places of the types that the kernel states, and the kernel accesses only memory
    /// that lives until its end.
    pub unsafe fn launch(
        &self,
        kernel: Handle,
        stream: Handle,
        (blocks, threads, shared): (u32, u32, u32),
        arguments: &mut [*mut c_void],
    ) -> Code {
        // SAFETY: as the caller guarantees. The driver copies the arguments.
        unsafe {
            (self.driver.launch)(
                kernel,
                blocks,
                1,
                1,
                threads,
                1,
                1,
                shared,
                stream,
                arguments.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        }
    }

    /// Launches `gpusched_smid` in clusters of `cluster` blocks. The size of the launch is as in [`Device::launch`].
    ///
    /// # Safety
    /// As for [`Device::launch`].
    unsafe fn launch_clusters(
        &self,
        stream: Handle,
        (blocks, threads, shared): (u32, u32, u32),
        cluster: u32,
        arguments: &mut [*mut c_void],
    ) -> Code {
        let mut attribute = Attribute {
            kind: CLUSTER_DIMENSION,
            padding: 0,
            value: [0; 16],
        };
        attribute.value[..3].copy_from_slice(&[cluster, 1, 1]);
        let launch = Launch {
            grid: [blocks, 1, 1],
            block: [threads, 1, 1],
            shared,
            stream,
            attributes: &attribute,
            count: 1,
        };
        // SAFETY: as the caller guarantees. The driver copies the arguments and the attribute.
        unsafe {
            // Without this permission, the GPU refuses the largest clusters.
            (self.driver.function_attribute)(self.smid, LARGE_CLUSTERS, 1);
            (self.driver.launch_with)(&launch, self.smid, arguments.as_mut_ptr(), std::ptr::null_mut())
        }
    }

    /// Creates one green context of each size in `wanted`. Returns the contexts, and how the SMs were split.
    ///
    /// # Errors
    /// Fails if the driver creates fewer groups or other sizes, or if a call fails. Contexts that exist by then are
    /// destroyed.
    pub fn partitions(&'a self, wanted: &[u32]) -> Result<(Vec<Partition<'a>>, String), Refusal> {
        let (resources, _, how) = self.groups(wanted)?;
        let mut partitions: Vec<Partition<'a>> = Vec::with_capacity(wanted.len());
        for (index, (own, &sms)) in resources.iter().zip(wanted).enumerate() {
            let partition = self.partition(own)?;
            if partition.sms != sms {
                let expected = format!("{sms}, the size in the plan");
                return Err(Refusal::new(
                    format!("partition {index}"),
                    counted(partition.sms, "SM"),
                    expected,
                ));
            }
            partitions.push(partition);
        }
        Ok((partitions, how))
    }

    /// Creates a green context of `sms` SMs, and a green context of all other SMs.
    ///
    /// # Errors
    /// Fails in the same cases as [`Device::partitions`], and if no SM is left.
    pub fn with_rest(&'a self, sms: u32) -> Result<(Vec<Partition<'a>>, String), Refusal> {
        let (groups, rest, how) = self.groups(&[sms])?;
        let own = groups
            .first()
            .ok_or_else(|| Refusal::new("partitions", "none", counted(sms, "SM")))?;
        if rest.sms == 0 {
            return Err(Refusal::new("partition 1", counted(0, "SM"), "at least 1 SM"));
        }
        let partitions = vec![self.partition(own)?, self.partition(&[rest])?];
        Ok((
            partitions,
            format!("{how}, and the rest of {}", counted(rest.sms, "SM")),
        ))
    }

    /// Creates the only green context of a split. With all SMs of the GPU, the context has the resource of the whole GPU.
    ///
    /// # Errors
    /// Fails in the same cases as [`Device::partitions`].
    pub fn single(&'a self, sms: u32) -> Result<(Partition<'a>, String), Refusal> {
        if sms == self.sms {
            return Ok((self.partition(&[self.whole])?, "whole GPU".to_owned()));
        }
        let (partitions, how) = self.partitions(&[sms])?;
        let none = || Refusal::new("partitions", "none", counted(sms, "SM"));
        Ok((partitions.into_iter().next().ok_or_else(none)?, how))
    }

    /// Returns the attribute `which`, a positive number or 0.
    ///
    /// # Errors
    /// Fails if the call of the driver fails, and for a negative number.
    pub fn attribute(&self, which: i32) -> Result<u32, Refusal> {
        let mut value = 0;
        // SAFETY: the result is a valid place.
        let code = unsafe { (self.driver.device_attribute)(&mut value, which, self.number) };
        self.driver.check("cuDeviceGetAttribute", code)?;
        let negative = |_| Refusal::new(format!("attribute {which}"), value, "at least 0");
        u32::try_from(value).map_err(negative)
    }

    /// Returns the lowest and the highest priority of streams.
    ///
    /// # Errors
    /// Fails if the call of the driver fails.
    pub fn priorities(&self) -> Result<(i32, i32), Refusal> {
        let (mut lowest, mut highest) = (0, 0);
        // SAFETY: the results are valid places.
        let code = unsafe { (self.driver.priorities)(&mut lowest, &mut highest) };
        self.driver.check("cuCtxGetStreamPriorityRange", code)?;
        Ok((lowest, highest))
    }

    /// Returns the size of the L2 cache [bytes], or `None` if the driver does not state it.
    pub fn l2_bytes(&self) -> Option<usize> {
        let bytes = self.attribute(L2_BYTES).ok()?;
        (bytes > 0).then_some(bytes as usize)
    }

    /// Returns the identity of the GPU, such as `GPU-…`, or `None` if the driver does not state it.
    pub fn uuid(&self) -> Option<String> {
        let mut bytes = [0u8; 16];
        // SAFETY: the result has the 16 bytes of a UUID.
        let code = unsafe { (self.driver.device_uuid)(bytes.as_mut_ptr(), self.number) };
        let mut text = "GPU".to_owned();
        for (index, byte) in bytes.iter().enumerate() {
            let dash = if [0, 4, 6, 8, 10].contains(&index) {
                "-"
            } else {
                ""
            };
            text += &format!("{dash}{byte:02x}");
        }
        (code == 0).then_some(text)
    }

    /// Creates a green context of `groups`, with a stream.
    fn partition(&'a self, groups: &[Resource]) -> Result<Partition<'a>, Refusal> {
        let driver = self.driver;
        let mut groups = groups.to_vec();
        let mut description = 0;
        let mut partition = Partition {
            device: self,
            context: 0,
            stream: 0,
            sms: 0,
        };
        let mut granted = Resource::EMPTY;
        // SAFETY: the groups are results of one split, and all results are valid places.
        unsafe {
            let code = (driver.describe)(&mut description, groups.as_mut_ptr(), groups.len() as u32);
            driver.check("cuDevResourceGenerateDesc", code)?;
            let code =
                (driver.green_create)(&mut partition.context, description, self.number, DEFAULT_STREAM);
            driver.check("cuGreenCtxCreate", code)?;
            let code = (driver.green_resource)(partition.context, &mut granted, SMS);
            driver.check("cuGreenCtxGetDevResource", code)?;
            let code = (driver.green_stream)(&mut partition.stream, partition.context, NON_BLOCKING, 0);
            driver.check("cuGreenCtxStreamCreate", code)?;
        }
        partition.sms = granted.sms;
        Ok(partition)
    }
}

/// A further stream of a partition.
pub struct Stream<'a> {
    driver: &'a Driver,
    pub stream: Handle,
}

impl Stream<'_> {
    /// Waits until the work of the stream has ended.
    ///
    /// # Errors
    /// Fails if the work failed.
    pub fn synchronize(&self) -> Result<(), Refusal> {
        // SAFETY: the stream exists.
        let code = unsafe { (self.driver.stream_synchronize)(self.stream) };
        self.driver.check("cuStreamSynchronize", code)
    }
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle was created by `Partition::second_stream`.
        unsafe { (self.driver.stream_destroy)(self.stream) };
    }
}

impl<'a> Partition<'a> {
    /// Creates a further stream. It must end before the partition.
    ///
    /// # Errors
    /// Fails if the call of the driver fails.
    pub fn second_stream(&self) -> Result<Stream<'a>, Refusal> {
        self.stream_of(0)
    }

    /// Creates a further stream with a priority. It must end before the partition.
    ///
    /// # Errors
    /// Fails if the call of the driver fails.
    pub fn stream_of(&self, priority: i32) -> Result<Stream<'a>, Refusal> {
        let driver = self.device.driver;
        let mut stream = 0;
        // SAFETY: the context exists, and the result is a valid place.
        let code = unsafe { (driver.green_stream)(&mut stream, self.context, NON_BLOCKING, priority) };
        driver.check("cuGreenCtxStreamCreate", code)?;
        Ok(Stream { driver, stream })
    }

    /// Returns the numbers of the SMs on which kernels of this partition run, ascending. The first launch has one block
    /// per SM, and its blocks wait for each other. The second launch has many short blocks.
    ///
    /// # Errors
    /// Fails if a call of the driver fails.
    pub fn observe(&self) -> Result<Vec<u32>, Refusal> {
        let many = (4 * self.sms).max(4 * self.device.sms);
        let mut seen = std::collections::BTreeSet::new();
        for (blocks, limit, meet) in [(self.sms, 20_000_000, self.sms), (many, 30_000, u32::MAX)] {
            let ids = self.placed((blocks, None), (limit, meet))?;
            seen.extend(ids.into_iter().flatten());
        }
        Ok(seen.into_iter().collect())
    }

    /// Launches `blocks` thread blocks, each alone on its SM, and returns the SM of each block. Each block waits until `meet` blocks have
    /// started, or until `limit` ns have passed. With a size of clusters, returns `None` if the launch is refused.
    ///
    /// # Errors
    /// Fails if a call of the driver fails.
    pub fn placed(
        &self,
        (blocks, cluster): (u32, Option<u32>),
        (mut limit, mut meet): (u64, u32),
    ) -> Result<Option<Vec<u32>>, Refusal> {
        let (device, driver) = (self.device, self.device.driver);
        let check = |call, code| driver.check(call, code);
        let bytes = blocks as usize * 4;
        let memory = Memory::new(driver, bytes + 64)?;
        let (mut ids, mut counter) = (memory.address, memory.address + bytes as u64);
        let mut host = vec![0u32; blocks as usize];
        // SAFETY: the memory has `bytes` bytes for ids, and the counter behind them.
        unsafe {
            check("cuMemsetD32", (driver.fill)(counter, 0, 1))?;
            check("cuStreamSynchronize", (driver.stream_synchronize)(0))?;
        }
        let mut arguments = [
            (&raw mut ids).cast(),
            (&raw mut counter).cast(),
            (&raw mut limit).cast(),
            (&raw mut meet).cast(),
        ];
        let size = (blocks, 32, device.shared);
        // SAFETY: `gpusched_smid` takes these four arguments, and the memory lives until the synchronization below.
        unsafe {
            match cluster {
                None => check(
                    "cuLaunchKernel",
                    device.launch(device.smid, self.stream, size, &mut arguments),
                )?,
                Some(cluster) => {
                    let code = device.launch_clusters(self.stream, size, cluster, &mut arguments);
                    if CLUSTER_SIZES.contains(&code) {
                        return Ok(None);
                    }
                    check("cuLaunchKernelEx", code)?;
                }
            }
        }
        // SAFETY: `host` has room for one id per block.
        unsafe {
            self.synchronize()?;
            let code = (driver.copy_to_host)(host.as_mut_ptr().cast(), ids, host.len() * 4);
            check("cuMemcpyDtoH", code)?;
        }
        Ok(Some(host))
    }

    /// Waits until the work of the stream has ended.
    ///
    /// # Errors
    /// Fails if the work failed.
    pub fn synchronize(&self) -> Result<(), Refusal> {
        // SAFETY: the stream exists.
        let code = unsafe { (self.device.driver.stream_synchronize)(self.stream) };
        self.device.driver.check("cuStreamSynchronize", code)
    }

    /// Enqueues a kernel that lasts `time` ns on all SMs of the partition.
    pub fn spin(&self, mut time: u64) -> Code {
        let size = (self.sms, SPIN_THREADS, 0);
        let arguments = &mut [(&raw mut time).cast()];
        // SAFETY: the kernel and the stream exist, and `gpusched_spin` takes one 64-bit number.
        unsafe { self.device.launch(self.device.spin, self.stream, size, arguments) }
    }
}

impl Drop for Partition<'_> {
    fn drop(&mut self) {
        // SAFETY: the handles were created by `Device::partition`. The stream ends before its context.
        unsafe {
            if self.stream != 0 {
                (self.device.driver.stream_destroy)(self.stream);
            }
            if self.context != 0 {
                (self.device.driver.green_destroy)(self.context);
            }
        }
    }
}

impl Drop for Device<'_> {
    fn drop(&mut self) {
        // SAFETY: the primary context was acquired by `Device::open`. The module ends before its context.
        unsafe {
            drop(self.module.take());
            (self.driver.primary_release)(self.number);
        }
    }
}
