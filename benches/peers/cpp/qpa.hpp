// Quick processor-demand analysis (Zhang and Burns 2009) for preemptive EDF with deadlines up to the period.
#pragma once

#include "measure.hpp"

inline i64 demand(const std::vector<Task> &set, i64 t) {
    i64 sum = 0;
    for (const Task &task : set)
        if (task.deadline <= t) sum += ((t - task.deadline) / task.period + 1) * task.wcet;
    return sum;
}

// The last deadline before `t`; 0 if there is none.
inline i64 last_before(const std::vector<Task> &set, i64 t) {
    i64 last = 0;
    for (const Task &task : set)
        if (task.deadline < t) last = std::max(last, task.deadline + (t - 1 - task.deadline) / task.period * task.period);
    return last;
}

inline bool edf(const std::vector<Task> &set) {
    double load = 0, early = 0;
    i64 first = INT64_MAX, longest = 0;
    for (const Task &task : set) {
        double share = double(task.wcet) / task.period;
        load += share;
        early += share * (task.period - task.deadline);
        first = std::min(first, task.deadline);
        longest = std::max(longest, task.deadline);
    }
    if (load >= 1) return false;
    // The margin covers the rounding of the sums.
    i64 bound = std::max(longest, i64(early / (1 - load) * (1 + 1e-6)) + 1);
    for (i64 t = last_before(set, bound + 1); t > 0;) {
        i64 sum = demand(set, t);
        if (sum > t) return false;
        if (sum <= first) return true;
        t = sum < t ? sum : last_before(set, t);
    }
    return true;
}
