@comments@//
// Build with a C++17 compiler and cuda.h of CUDA @since@ or newer, and link with -lcuda. For an example program, also state
//   -x c++ -DGPUSCHED_MAIN
// Before the first call of CUDA, this header sets CUDA_DEVICE_MAX_CONNECTIONS=32, unless it is set: with fewer queues than streams,
// kernels of one partition may wait for kernels of another partition.
#ifndef GPUSCHED_PLAN_HPP
#define GPUSCHED_PLAN_HPP
#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#if CUDA_VERSION < @minimum@
#error "@refused@"
#endif

namespace gpusched_plan {

/// The tasks of the plan.
enum class Task : unsigned {@tasks@};

constexpr unsigned gpu_sms = @gpu_sms@;
constexpr unsigned partition_sms[] = {@sizes@};
constexpr std::size_t partitions = sizeof partition_sms / sizeof *partition_sms;
constexpr unsigned partition_of_task[] = {@partition_of_task@};
constexpr std::size_t tasks = sizeof partition_of_task / sizeof *partition_of_task;
constexpr const char *task_name[] = {@names@};

namespace detail {
inline void refuse(const std::string &field, const std::string &found, const std::string &expected) {
  throw std::runtime_error("gpusched_plan: " + field + ": found " + found + ", expected " + expected);
}
inline void check(CUresult result, const char *call) {
  if (result == CUDA_SUCCESS) return;
  const char *name = nullptr;
  cuGetErrorName(result, &name);
  refuse(call, name ? name : "an unknown error", "CUDA_SUCCESS");
}

/// The primary context of the GPU.
struct Primary {
  CUcontext context = nullptr;
  CUdevice device = 0;
  Primary() = default;
  Primary(const Primary &) = delete;
  Primary &operator=(const Primary &) = delete;
  ~Primary() {
    if (context) cuDevicePrimaryCtxRelease(device);
  }
};
} // namespace detail

/// A partition: a green context with one stream, so that its kernels never overlap.
struct Partition {
  CUgreenCtx context = nullptr;
  CUstream stream = nullptr;
  unsigned sms = 0;
  Partition() = default;
  Partition(const Partition &) = delete;
  Partition &operator=(const Partition &) = delete;
  ~Partition() {
    if (stream) cuStreamDestroy(stream);
    if (context) cuGreenCtxDestroy(context);
  }
};

/// The partitions of the plan. All of them come from one split, so that they share no SM.
class Partitions {
public:
  /// Creates the partitions on the GPU `ordinal`. Throws std::runtime_error if the GPU does not grant them.
  explicit Partitions(int ordinal = 0) {
    using detail::check;
    using detail::refuse;
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
    int version = 0;
    CUdevice device;
    check(cuInit(0), "cuInit");
    check(cuDriverGetVersion(&version), "cuDriverGetVersion");
    if (version < @minimum@) {
      const std::string found = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
      refuse("driver", "CUDA " + found, "a driver of CUDA @since@ or newer");
    }
    check(cuDeviceGet(&device, ordinal), "cuDeviceGet");
    primary_.device = device;
    check(cuDevicePrimaryCtxRetain(&primary_.context, device), "cuDevicePrimaryCtxRetain");
    make_current();
    CUdevResource all{};
    check(cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM), "cuDeviceGetDevResource");
    if (all.sm.smCount != gpu_sms) {
      refuse("GPU", std::to_string(all.sm.smCount) + " SMs", std::to_string(gpu_sms) + ", as in the plan");
    }
    std::vector<std::vector<CUdevResource>> resources = split(all);
    for (std::size_t i = 0; i < partitions; ++i) {
      std::vector<CUdevResource> &own = resources[i];
#if CUDA_VERSION >= 13010
      if (version >= 13010) { // work queues that no other partition uses
        CUdevResource queues{};
        const CUdevResourceType kind = CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG;
        check(cuDeviceGetDevResource(device, &queues, kind), "cuDeviceGetDevResource");
        queues.wqConfig.sharingScope = CU_WORKQUEUE_SCOPE_GREEN_CTX_BALANCED;
        queues.wqConfig.wqConcurrencyLimit = 1;
        own.push_back(queues);
      }
#endif
      CUdevResourceDesc description;
      CUdevResource granted{};
      Partition &made = all_[i];
      const unsigned count = static_cast<unsigned>(own.size());
      check(cuDevResourceGenerateDesc(&description, own.data(), count), "cuDevResourceGenerateDesc");
      check(cuGreenCtxCreate(&made.context, description, device, CU_GREEN_CTX_DEFAULT_STREAM), "cuGreenCtxCreate");
      check(cuGreenCtxGetDevResource(made.context, &granted, CU_DEV_RESOURCE_TYPE_SM), "cuGreenCtxGetDevResource");
      made.sms = granted.sm.smCount;
      if (made.sms != partition_sms[i]) {
        const std::string expected = std::to_string(partition_sms[i]) + ", the size in the plan";
        refuse("partition " + std::to_string(i), std::to_string(made.sms) + " SMs", expected);
      }
      check(cuGreenCtxStreamCreate(&made.stream, made.context, CU_STREAM_NON_BLOCKING, 0), "cuGreenCtxStreamCreate");
    }
  }

  /// The partition of a task. Launch its kernels on `stream`, one job at a time.
  const Partition &of(Task task) const { return all_[partition_of_task[static_cast<unsigned>(task)]]; }
  const Partition &operator[](std::size_t partition) const { return all_[partition]; }
  /// Makes the primary context current in this thread. Each thread that launches kernels needs it.
  void make_current() const { detail::check(cuCtxSetCurrent(primary_.context), "cuCtxSetCurrent"); }

private:
@split@
  detail::Primary primary_; // destroyed after the partitions
  std::array<Partition, partitions> all_{};
};

} // namespace gpusched_plan
