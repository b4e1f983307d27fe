// Response-time bounds of tasks with jitter on one core under preemptive fixed priorities. The file lists C, J and T from
// the highest to the lowest priority.
#include "measure.hpp"

int main(int, char **argv) {
    Input input(argv);
    auto set = task_sets(input).at(0); // the deadline field is the jitter
    return measure(argv, [&] {
        i64 sum = 0, last = 0;
        for (std::size_t i = 0; i < set.size(); i++) {
            const Task &task = set[i];
            i64 worst = 0, window = last + task.wcet;
            for (i64 job = 1;; job++) {
                for (bool changed = true; changed;) {
                    i64 next = job * task.wcet;
                    for (std::size_t j = 0; j < i; j++)
                        next += (window + set[j].deadline + set[j].period - 1) / set[j].period * set[j].wcet;
                    changed = next != window;
                    window = next;
                }
                if (job == 1) last = window;
                worst = std::max(worst, window + task.deadline - (job - 1) * task.period);
                if (window + task.deadline <= job * task.period) break;
                window += task.wcet;
            }
            sum += worst;
        }
        return std::vector<i64>{sum};
    });
}
