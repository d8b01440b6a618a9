// SPDX-License-Identifier: Apache-2.0
#include "bounds/record.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace tally::bounds {
namespace {

struct bound {
  char const* name = nullptr;
  site where{};
  std::uint64_t claims = 0, exceeded = 0;
  long double largest = -1;
  double a = 0, b = 0;
  char input[96] = {};  // the test that reached the largest

  void merge(bound const& x) {
    claims += x.claims;
    exceeded += x.exceeded;
    if (x.largest <= largest) return;
    largest = x.largest, where = x.where, a = x.a, b = x.b;
    std::copy(std::begin(x.input), std::end(x.input), input);
  }
};

// By the address of the name, of which each source has one of its own.
struct table {
  static constexpr unsigned size = 4096;
  bound of[size];
  std::vector<unsigned> used;

  bound& at(char const* name) {
    auto i = unsigned(reinterpret_cast<std::uintptr_t>(name) / 8 * 2654435761u >> 7) % size;
    while (of[i].name != name && of[i].name != nullptr) i = (i + 1) % size;
    if (of[i].name == nullptr) {
      of[i].name = name;
      used.push_back(i);
    }
    return of[i];
  }
  void clear() {
    for (unsigned const i : used) of[i] = {};
    used.clear();
  }
};

struct tables {
  table counted, tried;
  bool trying = false;
};

// Threads may be gone when the process ends: what they found is kept.
std::mutex mutex;
std::vector<tables*>& everyone() {
  static auto* const all = new std::vector<tables*>;
  return *all;
}

void report_all();

tables& mine() {
  static thread_local tables* own = nullptr;
  if (own == nullptr) {
    own = new tables;
    std::lock_guard const lock(mutex);
    if (everyone().empty()) std::atexit(report_all);
    everyone().push_back(own);
  }
  return *own;
}

void say(bound const& b) {
  static std::atomic<int> said = 0;
  if (said++ < 20)
    std::fprintf(stderr, "%s:%d: bound exceeded: %s: %a and %a, %.6Lg of what it allows\n",
                 b.where.file, b.where.line, b.name, b.a, b.b, b.largest);
}

std::map<std::string, bound> put_together() {
  std::lock_guard const lock(mutex);
  std::map<std::string, bound> all;
  for (tables* const t : everyone())
    for (unsigned const i : t->counted.used) {
      bound& into = all[t->counted.of[i].name];
      into.name = t->counted.of[i].name;
      into.merge(t->counted.of[i]);
    }
  return all;
}

void report_all() {
  auto const all = put_together();
  std::string lines;
  for (auto const& [name, b] : all) {
    char line[640];
    char const* const inside = std::strstr(b.where.file, "include/tally/");
    std::snprintf(
        line, sizeof line,
        "{\"name\": \"%s\", \"file\": \"%s\", \"line\": %d, \"claims\": %llu, \"exceeded\": "
        "%llu, \"largest\": %.6Lg, \"values\": \"%a %a\", \"input\": \"%s\"}\n",
        name.c_str(), inside ? inside : b.where.file, b.where.line, (unsigned long long)b.claims,
        (unsigned long long)b.exceeded, std::min(b.largest, 1e300L), b.a, b.b, b.input);
    lines += line;
  }
  if (char const* const file = std::getenv("TALLY_BOUNDS_FILE")) {
    int const to = open(file, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (to < 0 || write(to, lines.data(), lines.size()) != ssize_t(lines.size())) std::perror(file);
    close(to);
  }
  if (!any_exceeded()) return;
  std::fflush(nullptr);
  std::_Exit(4);
}

char const* current_test() {
  for (char const* const name : {"PYTEST_CURRENT_TEST", "TALLY_CURRENT_TEST"})
    if (char const* const test = std::getenv(name)) return test;
  return "";
}

}  // namespace

void record(char const* name, site where, long double ratio, double a, double b,
            std::uint64_t times) {
  tables& t = mine();
  bound& into = (t.trying ? t.tried : t.counted).at(name);
  into.claims += times;
  bool const over = !(ratio <= 1);
  into.exceeded += over;
  if (ratio <= into.largest) return;
  into.largest = over && ratio != ratio ? 1e300L : ratio;  // a NaN is too much of anything
  into.where = where, into.a = a, into.b = b;
  if (t.trying) return;
  std::snprintf(into.input, sizeof into.input, "%s", current_test());
  for (char& c : into.input)
    if (c == '"' || c == '\\' || (c > 0 && c < ' ')) c = '\'';
  if (over) say(into);
}

void begin() {
  tables& t = mine();
  t.tried.clear();
  t.trying = true;
}

void settle(bool counts) {
  tables& t = mine();
  t.trying = false;
  if (!counts) return t.tried.clear();
  for (unsigned const i : t.tried.used) {
    bound const& x = t.tried.of[i];
    std::uint64_t const exceeded = x.exceeded;
    record(x.name, x.where, x.largest, x.a, x.b, x.claims);
    if (exceeded > 1) t.counted.at(x.name).exceeded += exceeded - 1;
  }
  t.tried.clear();
}

long double largest(char const* name) {
  auto const all = put_together();
  auto const found = all.find(name);
  return found == all.end() ? -1 : found->second.largest;
}

bool any_exceeded() {
  for (auto const& [name, b] : put_together())
    if (b.exceeded) return true;
  return false;
}

void forget() { mine().counted.clear(); }

}  // namespace tally::bounds
