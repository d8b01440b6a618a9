// SPDX-License-Identifier: Apache-2.0
//
// The bits of random calls, a line each: of every aggregate, element type, scan and selection, on
// inputs of many kinds and sizes, at once and in pieces. Built from two versions of the library, it
// shows whether one gives other bits than the other:
//
//   tally_record [OPTION...] [COUNT [SEED]] > FILE
//
// makes COUNT calls (10000), the same for the same SEED (1).
//
//   --gpu      on a GPU, in its memory; the lines are those of cores
//   --both     on a GPU, and on cores too: says where they differ, with status 1
//   --exact    without lines that only another run there can have: those that end with `ordered`,
//              and with `cores`, which a GPU does not do
//   --large    all of 2^20 to 2^24 elements
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "recording/calls.hpp"

namespace {

using namespace recording;

struct settings {
  bool gpu = false, both = false, exact = false, large = false;
  uint64_t count = 10000, seed = 1;
};

settings parse(int argc, char** argv) {
  settings s;
  int numbers = 0;
  for (int i = 1; i < argc; ++i) {
    std::string_view const word = argv[i];
    if (word == "--gpu")
      s.gpu = true;
    else if (word == "--both")
      s.gpu = s.both = true;
    else if (word == "--exact")
      s.exact = true;
    else if (word == "--large")
      s.large = true;
    else if (char* end; word.empty() || word[0] == '-' || numbers == 2 ||
                        ((numbers++ ? s.seed : s.count) = std::strtoull(argv[i], &end, 10), *end))
      throw error("tally_record: " + std::string(word) + " is no option and no number here");
  }
  return s;
}

template <element T, class Place>
void call(generator& random, Place& place, outcome& out, bool large) {
  place.use_threads(int(1 + below(random, 4)));
  nan_policy const nan = below(random, 2) ? skip : propagate;
  auto const host = random_input<T>(random, random_size(random, large));
  array<Place, T> x(place, host.all(), std::size_t(below(random, 9)));
  given<T, Place> g{random, place, out, nan, host, x.all()};
  auto const which = below(random, reductions + scans + selections);
  if (which < reductions)
    random_reduction(g);
  else if (which < reductions + scans)
    random_scan(g);
  else
    random_selection(g);
}

// What call `number` gives there, and of which elements.
template <class Place>
outcome outcome_of(uint64_t number, settings const& s, Place& place) {
  std::seed_seq sequence{s.seed, number};
  generator random(sequence);
  auto const type = dtype(below(random, 13));
  outcome out;
  visit(type, [&]<class T>(std::type_identity<T>) {
    try {
      call<T>(random, place, out, s.large);
    } catch (error const& e) {
      out.what += std::string(": ") + e.what();
      out.bits = {};
    }
  });
  out.what = std::string(name(type)) + " " + out.what;
  return out;
}

// Whether cores and a GPU agree.
bool record(uint64_t number, settings const& s, std::optional<gpu>& there) {
  cores here;
  outcome found;
  if (there) {
    on_gpu place(*there);
    found = outcome_of(number, s, place);
  } else {
    found = outcome_of(number, s, here);
  }
  auto const i = static_cast<unsigned long long>(number);
  if (!s.exact || found.mark == mark::none) std::printf("%llu %s\n", i, found.text().c_str());
  if (!s.both || found.mark != mark::none) return true;
  auto const wanted = outcome_of(number, s, here).text();
  if (wanted == found.text()) return true;
  std::fprintf(stderr, "%llu: on cores %s\n", i, wanted.c_str());
  return false;
}

}  // namespace

int main(int argc, char** argv) try {
  settings const s = parse(argc, argv);
  std::optional<gpu> there;
  if (s.gpu) there.emplace();
  bool agree = true;
  for (uint64_t i = 0; i < s.count; ++i) agree &= record(i, s, there);
  return agree ? 0 : 1;
} catch (tally::error const& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 2;
}
