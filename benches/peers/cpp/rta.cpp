// Response-time analysis under deadline-monotonic priorities, D ≤ T. argv[3] is 1 if the analysis continues after the
// first deadline miss and sums all response times.
#include "measure.hpp"

int main(int, char **argv) {
    Input input(argv);
    auto sets = task_sets(input);
    bool all = std::atoi(argv[3]) == 1;
    return measure(argv, [&] {
        i64 passing = 0, sum = 0;
        for (auto set : sets) {
            std::stable_sort(set.begin(), set.end(), [](const Task &a, const Task &b) { return a.deadline < b.deadline; });
            bool holds = true;
            i64 last = 0, total = 0;
            for (std::size_t i = 0; i < set.size() && (all || holds); i++) {
                i64 response = last + set[i].wcet; // a lower bound, because the last task has a higher priority
                for (bool changed = true; changed && response <= set[i].deadline;) {
                    i64 next = set[i].wcet;
                    for (std::size_t j = 0; j < i; j++) next += (response + set[j].period - 1) / set[j].period * set[j].wcet;
                    changed = next != response;
                    response = next;
                }
                holds = holds && response <= set[i].deadline;
                last = response;
                total += response;
            }
            passing += holds;
            if (holds) sum += total;
        }
        return std::vector<i64>{passing, all ? sum : 0};
    });
}
