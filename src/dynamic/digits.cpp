// SPDX-License-Identifier: Apache-2.0
#include "tally/digits.hpp"

#include "present.hpp"
#include "table.hpp"
#include "tally/digit_steps.hpp"

namespace tally {
namespace {

using namespace detail;

std::string named(char const* call) { return std::string(call) + ": "; }

void require_numbers(char const* call, char const* argument, dtype type, void const* data,
                     std::uint64_t size) {
  if (!is_floating(type))
    throw error(named(call) + argument + " holds " + std::string(name(type)) +
                ", no floating-point numbers");
  if (size == 0) throw error(named(call) + argument + " is empty");
  if (reinterpret_cast<std::uintptr_t>(data) % size_of(type) != 0)
    throw error(named(call) + argument + " is not aligned to " + std::to_string(size_of(type)) +
                " bytes");
}
void require_rows_alike(char const* call, std::span<any_array const> rows) {
  if (rows.empty()) throw error(named(call) + "rows has none");
  for (auto const& x : rows) {
    require_numbers(call, "rows", x.type, x.data, x.size);
    if (x.type != rows[0].type || x.size != rows[0].size)
      throw error(named(call) + "rows has " + std::to_string(x.size) + " of " +
                  std::string(name(x.type)) + " beside " + std::to_string(rows[0].size) + " of " +
                  std::string(name(rows[0].type)));
  }
}
// Sums of so many numbers keep their digits within 64 bits, and infinities are counted by 32.
void require_count(char const* call, char const* argument, std::uint64_t count) {
  if (count == 0 || count > std::uint64_t(1) << 31)
    throw error(named(call) + argument + " = " + std::to_string(count) + ", not from 1 to 2^31");
}

template <class F>
void visit_floating(dtype type, F const& f) {
  visit(type, [&]<class T>(std::type_identity<T> t) {
    if constexpr (floating<T>) f(t);
  });
}

// Calls f(where, std::type_identity<T>{}) where the numbers lie.
template <class F>
void run_of_type(any_where where, dtype type, void const* data, std::uint64_t size, F const& f) {
  run_where(where, {data, nullptr, size},
            in_place([&](auto& there) { visit_floating(type, [&](auto of) { f(there, of); }); }));
}

// Runs step(number_rows<T>{}), a step of so many indices, as often as it takes for all rows.
template <class T, class Step>
void for_all_rows(auto& there, std::span<any_array const> rows, std::uint64_t count,
                  Step const& step) {
  constexpr std::size_t most = number_rows<T>::most;
  for (std::size_t r = 0; r < rows.size(); r += most) {
    auto const some = rows.subspan(r, std::min(most, rows.size() - r));
    number_rows<T> part{{}, unsigned(some.size()), r == 0, some[0].size};
    for (std::size_t k = 0; k < some.size(); ++k) part.at[k] = static_cast<T const*>(some[k].data);
    for_each_index(there, count, step(part));
  }
}

template <class T>
digit_layout<T> below_places(std::uint8_t const* places, std::uint64_t groups,
                             std::uint64_t processes) {
  return {places, groups, first_digits<T>, digit_width(processes)};
}
template <class T>
digit_layout<T> of_all_digits(std::uint64_t count) {
  unsigned const width = digit_width(count);
  return {nullptr, 0, all_digits<T>(width), width};
}

// Memory that a step can write and the host read once the step has ended.
bool* told_by(cpu, bool& here) { return &here; }
[[maybe_unused]] bool* told_by(gpu& where, bool&) {
  return static_cast<bool*>(entered_gpu(where.context())->result_slot(sizeof(bool)));
}
void wait_for(cpu) {}
[[maybe_unused]] void wait_for(gpu& where) { where.synchronise(); }

}  // namespace

digit_counts count_digits(dtype type, std::uint64_t size) {
  if (!is_floating(type))
    throw error("count_digits: type = " + std::string(name(type)) + " is no floating-point type");
  digit_counts all{.groups = number_groups::of(size), .places = 0, .digits = 0};
  all.places = all.groups + 1;
  visit_floating(type, [&]<class T>(std::type_identity<T>) {
    all.digits = all.groups * number_groups::each * first_digits<T> + 1;
  });
  return all;
}

std::uint64_t count_all_digits(dtype type, std::uint64_t count, std::uint64_t groups) {
  require_count("count_all_digits", "count", count);
  std::uint64_t all = 0;
  visit_floating(type, [&]<class T>(std::type_identity<T>) {
    all = groups * number_groups::each * (of_all_digits<T>(count).count + 1);
  });
  return all;
}

void find_places(any_where where, std::span<any_array const> rows, std::uint8_t* places,
                 std::int64_t* digits) {
  require_rows_alike("find_places", rows);
  auto const [type, data, size] = rows[0];
  auto const all = count_digits(type, size);
  run_of_type(where, type, data, size, [&]<class T>(auto& there, std::type_identity<T>) {
    for_all_rows<T>(there, rows, all.groups, [&](number_rows<T> const& some) {
      return find_highest<T>{some, all.groups, log2_above(rows.size()), places,
                             digits + (all.digits - 1)};
    });
  });
}

void cut_digits(any_where where, std::span<any_array const> rows, std::uint64_t processes,
                std::uint8_t const* places, std::int64_t* digits) {
  require_rows_alike("cut_digits", rows);
  require_count("cut_digits", "processes", processes);
  auto const [type, data, size] = rows[0];
  auto const groups = number_groups::of(size);
  run_of_type(where, type, data, size, [&]<class T>(auto& there, std::type_identity<T>) {
    auto const layout = below_places<T>(places, groups, processes);
    for_all_rows<T>(there, rows, groups, [&](number_rows<T> const& some) {
      return cut_numbers<T>{some, layout, {nullptr, groups}, digits};
    });
  });
}

bool round_digits(any_where where, std::uint64_t processes, std::uint8_t const* places,
                  std::int64_t const* digits, any_output const& out) {
  require_numbers("round_digits", "out", out.type, out.data, out.size);
  require_count("round_digits", "processes", processes);
  auto const groups = number_groups::of(out.size);
  bool lost = false;
  run_of_type(
      where, out.type, out.data, out.size, [&]<class T>(auto& there, std::type_identity<T>) {
        auto const layout = below_places<T>(places, groups, processes);
        bool* const told = told_by(there, lost);
        for_each_index(
            there, groups,
            round_sums<T>{
                layout, {nullptr, groups}, digits, static_cast<T*>(out.data), out.size, told});
        wait_for(there);
        lost = *told;
      });
  return lost;
}

void find_lost_groups(any_where where, std::span<any_array const> rows, std::uint64_t processes,
                      std::uint8_t const* places, std::uint8_t* lost) {
  require_rows_alike("find_lost_groups", rows);
  require_count("find_lost_groups", "processes", processes);
  auto const [type, data, size] = rows[0];
  auto const groups = number_groups::of(size);
  run_of_type(where, type, data, size, [&]<class T>(auto& there, std::type_identity<T>) {
    auto const layout = below_places<T>(places, groups, processes);
    for_all_rows<T>(there, rows, groups,
                    [&](number_rows<T> const& some) { return find_losses<T>{some, layout, lost}; });
  });
}

void cut_all_digits(any_where where, std::span<any_array const> rows, std::uint64_t count,
                    std::span<std::int64_t const> groups, std::int64_t* digits) {
  require_rows_alike("cut_all_digits", rows);
  require_count("cut_all_digits", "count", count);
  auto const [type, data, size] = rows[0];
  run_of_type(where, type, data, size, [&]<class T>(auto& there, std::type_identity<T>) {
    for_all_rows<T>(there, rows, groups.size(), [&](number_rows<T> const& some) {
      return cut_numbers<T>{some, of_all_digits<T>(count), {groups.data(), groups.size()}, digits};
    });
  });
}

void round_all_digits(any_where where, std::uint64_t count, std::span<std::int64_t const> groups,
                      std::int64_t const* digits, any_output const& out) {
  require_numbers("round_all_digits", "out", out.type, out.data, out.size);
  require_count("round_all_digits", "count", count);
  run_of_type(where, out.type, out.data, out.size,
              [&]<class T>(auto& there, std::type_identity<T>) {
                for_each_index(there, groups.size(),
                               round_sums<T>{of_all_digits<T>(count),
                                             {groups.data(), groups.size()},
                                             digits,
                                             static_cast<T*>(out.data),
                                             out.size,
                                             nullptr});
              });
}

}  // namespace tally
