// Algorithms 1 to 3 of [Singh21] §3.5 (SMS with list INA) under EDF, with the test of each merge by QPA. Each set has the
// numbers of tasks and SMs, and for each task T, D, its kind, and C(1) to C(M) in isolation and with conflicts.
#include "qpa.hpp"
#include <set>

struct Kernel {
    i64 period, deadline, kind;
    std::vector<i64> isolated, conflict;
};

struct Partition {
    i64 sms;
    std::vector<int> tasks;
    u128 utilization;
    int id;
};

struct Search {
    const std::vector<Kernel> &kernels;
    i64 sms;
    i64 merges = 0;

    std::vector<Task> demands(const std::vector<int> &tasks, i64 sms) const {
        std::vector<Task> set;
        for (int task : tasks) {
            const Kernel &kernel = kernels[task];
            bool conflict = std::any_of(tasks.begin(), tasks.end(),
                                        [&](int other) { return other != task && kernels[other].kind == kernel.kind; });
            set.push_back({(conflict ? kernel.conflict : kernel.isolated)[sms - 1], kernel.deadline, kernel.period});
        }
        return set;
    }

    // The partition with the fewest SMs from `least` to `most` - 1.
    bool fit(const std::vector<int> &tasks, i64 least, i64 most, Partition &found) const {
        for (i64 count = least; count < most; count++) {
            if (!edf(demands(tasks, count))) continue;
            u128 utilization = 0;
            for (const Task &task : demands(tasks, count)) utilization += (u128(task.wcet) << 48) / u128(task.period);
            found = {count, tasks, utilization, 0};
            return true;
        }
        return false;
    }

    // Total SMs of the plan; 0 if a task needs too many SMs.
    i64 plan() {
        std::vector<Partition> partitions;
        int ids = 0;
        for (int task = 0; task < int(kernels.size()); task++) {
            Partition one;
            if (!fit({task}, 1, sms + 1, one)) return 0;
            one.id = ids++;
            partitions.push_back(one);
        }
        auto total = [&] {
            i64 sum = 0;
            for (const Partition &partition : partitions) sum += partition.sms;
            return sum;
        };
        std::set<std::pair<int, int>> forbidden;
        auto pair = [](int a, int b) { return std::make_pair(std::min(a, b), std::max(a, b)); };
        while (total() > sms) {
            std::sort(partitions.begin(), partitions.end(), [](const Partition &a, const Partition &b) {
                return a.utilization != b.utilization ? a.utilization > b.utilization : a.tasks[0] < b.tasks[0];
            });
            int first = -1, best = -1;
            Partition merged;
            for (int i = 0; i < int(partitions.size()) && first < 0; i++)
                for (int j = 0; j < int(partitions.size()) && first < 0; j++)
                    if (i != j && !forbidden.count(pair(partitions[i].id, partitions[j].id))) first = i;
            if (first < 0) break;
            const Partition &one = partitions[first];
            for (int j = 0; j < int(partitions.size()); j++) {
                const Partition &other = partitions[j];
                if (j == first || forbidden.count(pair(one.id, other.id))) continue;
                merges++;
                std::vector<int> tasks(one.tasks.size() + other.tasks.size());
                std::merge(one.tasks.begin(), one.tasks.end(), other.tasks.begin(), other.tasks.end(), tasks.begin());
                Partition found;
                if (!fit(tasks, std::max(one.sms, other.sms), one.sms + other.sms, found)) {
                    forbidden.insert(pair(one.id, other.id));
                } else if (best < 0 || found.sms < merged.sms ||
                           (found.sms == merged.sms && other.sms > partitions[best].sms)) {
                    best = j;
                    merged = found;
                }
            }
            if (best < 0) continue;
            merged.id = ids++;
            partitions.erase(partitions.begin() + std::max(first, best));
            partitions.erase(partitions.begin() + std::min(first, best));
            partitions.push_back(merged);
        }
        return total();
    }
};

int main(int, char **argv) {
    Input input(argv);
    std::vector<std::pair<i64, std::vector<Kernel>>> sets;
    while (!input.done()) {
        std::vector<Kernel> kernels(input.next());
        i64 sms = input.next();
        for (Kernel &kernel : kernels) {
            kernel.period = input.next();
            kernel.deadline = input.next();
            kernel.kind = input.next();
            for (i64 count = 0; count < sms; count++) kernel.isolated.push_back(input.next());
            for (i64 count = 0; count < sms; count++) kernel.conflict.push_back(input.next());
        }
        sets.emplace_back(sms, kernels);
    }
    return measure(argv, [&] {
        i64 merges = 0, total = 0;
        for (const auto &[sms, kernels] : sets) {
            Search search{kernels, sms};
            total += search.plan();
            merges += search.merges;
        }
        return std::vector<i64>{merges, total};
    });
}
