// Counts the task sets that preemptive EDF schedules.
#include "qpa.hpp"

int main(int, char **argv) {
    Input input(argv);
    auto sets = task_sets(input);
    return measure(argv, [&] {
        i64 passing = 0;
        for (const auto &set : sets) passing += edf(set);
        return std::vector<i64>{passing};
    });
}
