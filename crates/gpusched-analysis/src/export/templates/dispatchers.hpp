
#include <algorithm>
#include <functional>
#include <utility>
#ifdef GPUSCHED_RUNTIME
// The dispatchers of gpusched-runtime: link with -lgpusched_runtime_c. They verify the plan, observe the SMs, and write traces.
#include <gpusched_runtime.h>
#else
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#endif

namespace gpusched_plan {

/// Enqueues the kernels of one job on the stream, without waiting for them. The number counts the jobs of the task from 0.
using Enqueue = std::function<void(CUstream stream, std::uint64_t number)>;

#ifdef GPUSCHED_RUNTIME
/// The dispatchers of the plan. They release the jobs of each task periodically.
class Dispatchers {
public:
  Dispatchers(const char *plan, const char *set, const gs_options *options = nullptr) {
    check(gs_open(plan, set, options, &runtime_));
  }
  Dispatchers(const Dispatchers &) = delete;
  Dispatchers &operator=(const Dispatchers &) = delete;
  ~Dispatchers() { gs_close(runtime_); }
  /// States the work of a task, before the start.
  void work(Task task, Enqueue enqueue) {
    Enqueue &own = works_[static_cast<unsigned>(task)];
    check(gs_task(runtime_, task_name[static_cast<unsigned>(task)], call, &own));
    own = std::move(enqueue); // after the check, because a dispatcher may call the function after the start
  }
  void start() { check(gs_start(runtime_, 0)); }
  /// Starts no further job, and waits for the running jobs.
  void stop() { check(gs_stop(runtime_)); }
  /// The result of the run in one line, after the stop.
  std::string result() {
    char text[256];
    check(gs_audit(runtime_, text, sizeof text));
    return text;
  }
  gs_runtime *runtime() { return runtime_; }

private:
  static void check(int status) {
    if (status < 0) throw std::runtime_error(std::string("gpusched_plan: ") + gs_error(nullptr));
  }
  static int call(void *work, void *stream, const gs_job *job) {
    try {
      (*static_cast<Enqueue *>(work))(static_cast<CUstream>(stream), job->number);
      return 0;
    } catch (...) {
      return 1;
    }
  }
  gs_runtime *runtime_ = nullptr;
  std::array<Enqueue, tasks> works_;
};
#else
constexpr std::uint64_t period_ns[] = {@periods@};
constexpr std::uint64_t deadline_ns[] = {@deadlines@};
/// Time after its arrival that orders a job among the jobs that wait: the earliest time is first. 0 under fixed priorities.
constexpr std::uint64_t order_ns[] = {@orders@};
/// Whether the order of a partition is by time.
constexpr bool by_time[] = {@by_time@};
/// Rank of each task in its partition. The smallest rank is first, among equal times.
constexpr unsigned rank_of_task[] = {@ranks@};

/// The dispatchers of the plan: one thread per partition. They release the jobs of each task periodically, and run one job at a time, in
/// the order of the policy. They are plain threads: they check no time, so measure with gpusched-runtime what they add to each job.
class Dispatchers {
public:
  explicit Dispatchers(int ordinal = 0) : partitions_(ordinal) {}
  Dispatchers(const Dispatchers &) = delete;
  Dispatchers &operator=(const Dispatchers &) = delete;
  ~Dispatchers() { join(); }
  /// States the work of a task, before the start.
  void work(Task task, Enqueue enqueue) { works_[static_cast<unsigned>(task)] = std::move(enqueue); }
  void start() {
    if (threads_[0].joinable()) detail::refuse("start", "a second start", "one start");
    for (std::size_t task = 0; task < tasks; ++task)
      if (!works_[task]) detail::refuse(task_name[task], "no work", "a function");
    first_ = Clock::now() + std::chrono::milliseconds(10);
    for (std::size_t partition = 0; partition < partitions; ++partition)
      threads_[partition] = std::thread([this, partition] { serve(partition); });
  }
  /// Starts no further job, and waits for the running jobs. Throws the first error of a thread.
  void stop() {
    join();
    if (error_) std::rethrow_exception(error_);
  }
  /// The result of the run in one line, after the stop. Jobs that have not run count as misses if their deadlines have passed.
  std::string result() const {
    return std::to_string(jobs_) + " jobs, " + std::to_string(misses_) + " deadline misses";
  }
  const Partitions &of_gpu() const { return partitions_; }

private:
  using Clock = std::chrono::steady_clock;

  void join() {
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    for (std::thread &thread : threads_)
      if (thread.joinable()) thread.join();
  }

  void serve(std::size_t partition) {
    try {
      partitions_.make_current();
      std::array<std::uint64_t, tasks> numbers{};
      while (true) {
        const Clock::time_point now = Clock::now();
        Clock::time_point next = Clock::time_point::max(), best_time{}, best_deadline{};
        std::size_t best = tasks;
        for (std::size_t task = 0; task < tasks; ++task) {
          if (partition_of_task[task] != partition) continue;
          const std::chrono::nanoseconds since_first(period_ns[task] * numbers[task]);
          const Clock::time_point arrival = first_ + since_first;
          const Clock::time_point time = arrival + std::chrono::nanoseconds(order_ns[task]);
          if (arrival > now) {
            next = std::min(next, arrival);
            continue;
          }
          bool first = best == tasks;
          if (!first && by_time[partition] && time != best_time) first = time < best_time;
          else if (!first) first = rank_of_task[task] < rank_of_task[best];
          if (first) {
            best = task;
            best_time = time;
            best_deadline = arrival + std::chrono::nanoseconds(deadline_ns[task]);
          }
        }
        {
          std::unique_lock<std::mutex> guard(mutex_);
          if (best == tasks) changed_.wait_until(guard, next, [this] { return stopped_; });
          if (stopped_) break;
          if (best == tasks) continue;
        }
        works_[best](partitions_[partition].stream, numbers[best]++);
        detail::check(cuStreamSynchronize(partitions_[partition].stream), "cuStreamSynchronize");
        jobs_ += 1;
        misses_ += Clock::now() > best_deadline;
      }
      // A job that waits past its deadline is a miss, although it never runs.
      const Clock::time_point stop = Clock::now();
      for (std::size_t task = 0; task < tasks; ++task) {
        const std::chrono::nanoseconds late = stop - first_ - std::chrono::nanoseconds(deadline_ns[task]);
        if (partition_of_task[task] != partition || late.count() <= 0) continue;
        const std::uint64_t due = (static_cast<std::uint64_t>(late.count()) - 1) / period_ns[task] + 1;
        misses_ += due > numbers[task] ? due - numbers[task] : 0;
      }
    } catch (...) {
      const std::lock_guard<std::mutex> guard(mutex_);
      if (!error_) error_ = std::current_exception();
      stopped_ = true;
      changed_.notify_all();
    }
  }

  Partitions partitions_;
  std::array<Enqueue, tasks> works_;
  std::array<std::thread, partitions> threads_;
  Clock::time_point first_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  std::exception_ptr error_;
  std::atomic<std::uint64_t> jobs_{0}, misses_{0};
};
#endif

} // namespace gpusched_plan

#ifdef GPUSCHED_MAIN
#include <chrono>
#include <cstdio>
#include <thread>

// Runs the plan for a second with jobs that launch no kernels.
int main(int count, char **arguments) try {
  (void)count, (void)arguments;
#ifdef GPUSCHED_RUNTIME
  if (count != 3) throw std::runtime_error("gpusched_plan: arguments: found others, expected PLAN SET");
  gpusched_plan::Dispatchers plan(arguments[1], arguments[2]);
#else
  gpusched_plan::Dispatchers plan;
  for (std::size_t i = 0; i < gpusched_plan::partitions; ++i)
    std::printf("partition %u: %u SMs\n", static_cast<unsigned>(i), plan.of_gpu()[i].sms);
#endif
  const auto job = [](CUstream, std::uint64_t) { /* launch the kernels of the job here */ };
  for (unsigned task = 0; task < gpusched_plan::tasks; ++task) plan.work(static_cast<gpusched_plan::Task>(task), job);
  plan.start();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  plan.stop();
  std::printf("%s\n", plan.result().c_str());
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
#endif
#endif // GPUSCHED_PLAN_HPP
