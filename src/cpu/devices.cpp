// SPDX-License-Identifier: Apache-2.0
#include "tally/devices.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <set>

#include "tally/cpu/instruction_set.hpp"
#include "tally/cpu/threads.hpp"

namespace tally {
namespace {

std::string const system_cpus = "/sys/devices/system/cpu/cpu";

std::string first_line(std::string const& file) {
  std::string line;
  std::ifstream in(file);
  std::getline(in, line);
  return line;
}

// The processors that this process may run on.
std::vector<int> processors() {
  cpu_set_t allowed;
  std::vector<int> found;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return found;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &allowed)) found.push_back(i);
  return found;
}

std::string model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name") && line.find(": ") != line.npos)
      return line.substr(line.find(": ") + 2);
  return "unknown";
}

int cores() {
  std::set<std::string> siblings;
  for (int const i : processors())
    siblings.insert(first_line(system_cpus + std::to_string(i) + "/topology/thread_siblings_list"));
  return int(siblings.size());
}

// "32768K", as the system writes it.
std::size_t bytes_of(std::string const& text) {
  std::size_t number = 0;
  auto const end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
  std::string const unit(end, text.data() + text.size());
  return number << (unit == "K" ? 10 : unit == "M" ? 20 : 0);
}

std::size_t l3_bytes() {
  std::map<std::string, std::size_t> caches;  // by the processors that share one
  for (int const i : processors()) {
    auto const cache = system_cpus + std::to_string(i) + "/cache/index3/";
    caches[first_line(cache + "shared_cpu_list")] = bytes_of(first_line(cache + "size"));
  }
  std::size_t sum = 0;
  for (auto const& [shared, bytes] : caches) sum += bytes;
  return sum;
}

std::string name(detail::instruction_set set) {
  switch (set) {
    case detail::instruction_set::avx512: return "avx512";
    case detail::instruction_set::avx2: return "avx2";
    default: return "baseline";
  }
}

}  // namespace

cpu_properties this_cpu() {
  return {.model = model(),
          .cores = cores(),
          .threads = threads_of({}),
          .instruction_set = name(detail::best_instruction_set()),
          .l3_bytes = l3_bytes()};
}

int threads_of(cpu where) { return detail::thread_count(where); }

}  // namespace tally
