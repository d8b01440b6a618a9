// SPDX-License-Identifier: Apache-2.0
//
// Exact sums over processes (tally/digits.hpp): arrays of one dimension, where `rows` lie, which a
// backend of Python's adds up between two calls.
#include "tally/digits.hpp"

#include "calls.hpp"

namespace tally::python {
namespace {

constexpr char const* call = "all_reduce_sum";

array read_flat(char const* argument, nb::handle x) {
  auto const all = read_array(call, argument, x, false);
  if (all.shape.size() != 1 || (all.shape[0] > 1 && all.strides[0] != 1))
    fail_value(std::string(call) + ": " + argument + " is no line of elements side by side");
  return all;
}

class rows_of_process {
 public:
  explicit rows_of_process(nb::list const& given) {
    for (auto const x : given) {
      kept_.push_back(read_flat("x", x));
      all_.emplace_back(kept_.back().type, kept_.back().data, kept_.back().size());
      if (kept_.back().device != kept_[0].device)
        fail_value(std::string(call) + ": x has tensors on several devices");
    }
    if (kept_.empty()) fail_value(std::string(call) + ": x has no tensor");
  }

  array const& first() const { return kept_[0]; }
  std::span<any_array const> all() const { return all_; }
  digit_counts counts() const { return count_digits(first().type, first().size()); }

 private:
  std::vector<array> kept_;
  std::vector<any_array> all_;
};

// So many elements that lie where `like` does.
template <class T>
std::span<T> elements(char const* argument, array const& x, std::uint64_t size, array const& like) {
  if (x.type != tally::dtype_of<T> || x.size() != size || x.device != like.device)
    fail_value(std::string(call) + ": " + argument + " are " + std::to_string(x.size()) + " of " +
               std::string(name(x.type)) + ", or on another device");
  return {static_cast<T*>(x.data), std::size_t(size)};
}
template <class T>
std::span<T> elements(char const* argument, nb::handle x, std::uint64_t size, array const& like) {
  return elements<T>(argument, read_flat(argument, x), size, like);
}

// Room for so many elements, which becomes a new array where `like` lies.
template <class T>
class new_array : public result {
 public:
  new_array(std::uint64_t size, array const& like)
      : result(call, tally::dtype_of<T>, {size}, like) {}
  T* data() const { return static_cast<T*>(view().data); }
};

nb::tuple places_of(nb::list given) {
  rows_of_process const rows(given);
  auto const counts = rows.counts();
  new_array<std::uint8_t> places(counts.places, rows.first());
  new_array<std::int64_t> digits(counts.digits, rows.first());
  run_at(call, rows.first(),
         [&](any_where there) { find_places(there, rows.all(), places.data(), digits.data()); });
  return nb::make_tuple(places.take(), digits.take());
}

void cut(nb::list given, std::uint64_t processes, nb::handle places, nb::handle digits) {
  rows_of_process const rows(given);
  auto const counts = rows.counts();
  auto const below = elements<std::uint8_t>("places", places, counts.places, rows.first());
  auto const to = elements<std::int64_t>("digits", digits, counts.digits, rows.first());
  run_at(call, rows.first(), [&](any_where there) {
    cut_digits(there, rows.all(), processes, below.data(), to.data());
  });
}

bool round(std::uint64_t processes, nb::handle places, nb::handle digits, nb::handle out) {
  auto const to = read_flat("out", out);
  auto const counts = count_digits(to.type, to.size());
  auto const below = elements<std::uint8_t>("places", places, counts.places, to);
  auto const from = elements<std::int64_t>("digits", digits, counts.digits, to);
  bool lost = false;
  run_at(call, to, [&](any_where there) {
    lost = round_digits(there, processes, below.data(), from.data(), {to.type, to.data, to.size()});
  });
  return lost;
}

nb::object lost_groups(nb::list given, std::uint64_t processes, nb::handle places) {
  rows_of_process const rows(given);
  auto const counts = rows.counts();
  auto const below = elements<std::uint8_t>("places", places, counts.places, rows.first());
  new_array<std::uint8_t> lost(counts.groups, rows.first());
  run_at(call, rows.first(), [&](any_where there) {
    find_lost_groups(there, rows.all(), processes, below.data(), lost.data());
  });
  return lost.take();
}

nb::object cut_all(nb::list given, std::uint64_t count, nb::handle groups) {
  rows_of_process const rows(given);
  auto const& first = rows.first();
  auto const which = read_flat("groups", groups);
  auto const some = elements<std::int64_t>("groups", which, which.size(), first);
  new_array<std::int64_t> digits(count_all_digits(first.type, count, some.size()), first);
  run_at(call, first,
         [&](any_where there) { cut_all_digits(there, rows.all(), count, some, digits.data()); });
  return digits.take();
}

void round_all(std::uint64_t count, nb::handle groups, nb::handle digits, nb::handle out) {
  auto const to = read_flat("out", out), which = read_flat("groups", groups);
  auto const some = elements<std::int64_t>("groups", which, which.size(), to);
  auto const from =
      elements<std::int64_t>("digits", digits, count_all_digits(to.type, count, some.size()), to);
  run_at(call, to, [&](any_where there) {
    round_all_digits(there, count, some, from.data(), {to.type, to.data, to.size()});
  });
}

}  // namespace

void bind_digits(nb::module_& module) {
  module.def("find_places", places_of);
  module.def("cut_digits", cut);
  module.def("round_digits", round);
  module.def("find_lost_groups", lost_groups);
  module.def("cut_all_digits", cut_all);
  module.def("round_all_digits", round_all);
}

}  // namespace tally::python
