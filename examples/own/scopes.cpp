// Blocks that are timed and counted, however they are left.
//
//     c++ -std=c++11 -O2 -I/usr/local/include scopes.cpp -o scopes && ./scopes
#include "lauka_region.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

static std::map<std::string, std::vector<uint64_t>> times;

static void sort_numbers(size_t count)
{
    auto &mine = times["sort of " + std::to_string(count)];
    auto scope = lauka::time_block(LAUKA_REGION_NS, [&mine](uint64_t ns) { mine.push_back(ns); });

    std::vector<unsigned> numbers(count);
    unsigned state = 1;
    for (unsigned &number : numbers)
        number = state = state * 1664525u + 1013904223u;
    std::sort(numbers.begin(), numbers.end());
}

int main()
{
    const lauka_region_event events[] = {lauka_region_known(LAUKA_REGION_INSTRUCTIONS),
                                         lauka_region_known(LAUKA_REGION_PAGE_FAULTS)};
    lauka_region region;
    if (lauka_region_open(&region, events, 2, nullptr) != 0)
        return 1;
    {
        lauka::region_scope scope(region);
        for (int round = 0; round < 50; round++)
            for (size_t count : {100u, 1000u, 10000u})
                sort_numbers(count);
    }
    for (auto &entry : times) {
        std::sort(entry.second.begin(), entry.second.end());
        std::printf("%s: least %llu ns, median %llu ns\n", entry.first.c_str(),
                    static_cast<unsigned long long>(entry.second.front()),
                    static_cast<unsigned long long>(entry.second[entry.second.size() / 2]));
    }
    for (size_t i = 0; i < region.count; i++) {
        uint64_t count;
        if (lauka_region_count(&region, i, &count) == LAUKA_REGION_UNKNOWN)
            std::printf("%s: %s\n", events[i].name, lauka_region_why(&region, i));
        else
            std::printf("%s: %llu\n", events[i].name, static_cast<unsigned long long>(count));
    }
    lauka_region_close(&region);
    return 0;
}
