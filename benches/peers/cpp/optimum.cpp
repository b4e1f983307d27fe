// Fewest SMs for each set: the fewest SMs of every group of tasks by QPA, and then a dynamic program over all subsets.
// The input is that of sms.cpp; conflicts are not counted.
#include "qpa.hpp"

int main(int, char **argv) {
    Input input(argv);
    struct Set {
        i64 sms;
        std::vector<Task> tasks;
        std::vector<std::vector<i64>> wcets;
    };
    std::vector<Set> sets;
    while (!input.done()) {
        i64 tasks = input.next();
        Set set{input.next(), {}, {}};
        for (; tasks > 0; tasks--) {
            i64 period = input.next(), deadline = input.next();
            input.next();
            set.tasks.push_back({0, deadline, period});
            set.wcets.emplace_back();
            for (i64 count = 0; count < set.sms; count++) set.wcets.back().push_back(input.next());
            for (i64 count = 0; count < set.sms; count++) input.next();
        }
        sets.push_back(set);
    }
    return measure(argv, [&] {
        i64 sum = 0;
        for (const Set &set : sets) {
            unsigned all = (1u << set.tasks.size()) - 1;
            std::vector<i64> group(all + 1, set.sms + 1), best(all + 1, 1 << 30);
            for (unsigned mask = 1; mask <= all; mask++) {
                auto passes = [&](i64 count) {
                    std::vector<Task> tasks;
                    for (std::size_t task = 0; task < set.tasks.size(); task++)
                        if (mask >> task & 1) {
                            tasks.push_back(set.tasks[task]);
                            tasks.back().wcet = set.wcets[task][count - 1];
                        }
                    return edf(tasks);
                };
                i64 low = 1, high = set.sms + 1; // a larger partition never makes a WCET longer
                while (low < high) {
                    i64 middle = (low + high) / 2;
                    if (passes(middle)) high = middle;
                    else low = middle + 1;
                }
                group[mask] = low > set.sms ? 1 << 30 : low;
            }
            best[0] = 0;
            for (unsigned mask = 1; mask <= all; mask++) {
                unsigned first = mask & -mask, rest = mask ^ first;
                for (unsigned part = rest;; part = (part - 1) & rest) {
                    best[mask] = std::min(best[mask], group[first | part] + best[rest ^ part]);
                    if (part == 0) break;
                }
            }
            sum += best[all];
        }
        return std::vector<i64>{sum};
    });
}
