// Simulates preemptive EDF with two priority queues, synchronous periodic releases and WCETs, up to argv[3].
#include "measure.hpp"
#include <queue>

int main(int, char **argv) {
    Input input(argv);
    auto set = task_sets(input).at(0);
    i64 end = std::atoll(argv[3]);
    struct Job {
        i64 deadline, left;
        bool operator<(const Job &other) const { return deadline > other.deadline; }
    };
    struct Release {
        i64 at;
        std::size_t task;
        bool operator<(const Release &other) const { return at > other.at; }
    };
    return measure(argv, [&] {
        std::priority_queue<Release> releases;
        std::priority_queue<Job> ready;
        for (std::size_t task = 0; task < set.size(); task++) releases.push({0, task});
        i64 now = 0, jobs = 0, misses = 0;
        while (true) {
            i64 next = releases.top().at;
            while (!ready.empty() && now < next) {
                Job job = ready.top();
                ready.pop();
                i64 run = std::min(job.left, next - now);
                now += run;
                job.left -= run;
                if (job.left > 0) {
                    ready.push(job);
                } else {
                    jobs++;
                    misses += now > job.deadline;
                }
            }
            now = std::max(now, next);
            if (next >= end) break;
            while (releases.top().at == next) {
                Release release = releases.top();
                releases.pop();
                const Task &task = set[release.task];
                ready.push({next + task.deadline, task.wcet});
                releases.push({next + task.period, release.task});
            }
        }
        for (; !ready.empty(); ready.pop()) {
            now += ready.top().left;
            jobs++;
            misses += now > ready.top().deadline;
        }
        return std::vector<i64>{jobs, misses};
    });
}
