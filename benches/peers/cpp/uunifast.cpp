// Generates argv[3] vectors with the number of utilizations in the file (Bini and Buttazzo 2005).
#include "measure.hpp"
#include <cmath>
#include <random>

int main(int, char **argv) {
    Input input(argv);
    std::vector<double> shares(input.next());
    i64 vectors = std::atoll(argv[3]);
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> unit(0, 1);
    return measure(argv, [&] {
        double total = 0;
        for (i64 vector = 0; vector < vectors; vector++) {
            double rest = 34;
            for (std::size_t i = 0; i + 1 < shares.size(); i++) {
                double next = rest * std::pow(unit(random), 1.0 / double(shares.size() - i - 1));
                shares[i] = rest - next;
                rest = next;
            }
            shares.back() = rest;
            for (double share : shares) total += share;
        }
        return std::vector<i64>{std::llround(total)};
    });
}
