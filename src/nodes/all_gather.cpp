// SPDX-License-Identifier: Apache-2.0
#include "tally/nodes/all_gather.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "tally/error.hpp"

namespace tally::detail {
namespace {

// Comes first, of each rank alike: mostly there is no more.
struct head {
  std::uint64_t size = 0;
  std::uint64_t failed = 0;  // then the bytes are a message
  std::byte front[1008] = {};
};

constexpr char const* no_memory = "not enough memory";

std::string message_of(std::exception_ptr const& failed) {
  try {
    std::rethrow_exception(failed);
  } catch (std::bad_alloc const&) {
    return no_memory;
  } catch (std::exception const& e) {
    return e.what();
  } catch (...) {
    return "an unknown exception";
  }
}

std::vector<std::byte> bytes_of(std::string const& text) {
  auto const bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

bytes_of_ranks fronts_of(std::vector<head> const& heads) {
  bytes_of_ranks found;
  for (auto const& h : heads)
    found.emplace_back(h.front, h.front + std::min<std::uint64_t>(h.size, sizeof h.front));
  return found;
}

// That there is no memory becomes the error that the others throw.
[[noreturn]] void rethrow(std::exception_ptr const& failed) {
  try {
    std::rethrow_exception(failed);
  } catch (std::bad_alloc const&) {
    throw error(no_memory);
  }
}

// Makes room, or throws on all ranks: one that has none would leave the others waiting.
template <class F>
void make_room(communicator& ranks, F const& f) {
  std::vector<std::uint64_t> without(std::size_t(ranks.size()));
  try {
    f();
  } catch (std::bad_alloc const&) {
    without[std::size_t(ranks.rank())] = 1;
  }
  ranks.all_reduce(without);
  auto const first = std::ranges::find(without, 1) - without.begin();
  if (first == ranks.rank()) throw error(no_memory);
  if (first < ranks.size()) throw error("rank " + std::to_string(first) + ": " + no_memory);
}

// Adds what is behind the fronts, as much of each rank as the longest has.
void gather_rest(communicator& ranks, std::vector<head> const& heads,
                 std::span<std::byte const> mine, bytes_of_ranks& found) {
  constexpr std::uint64_t front = sizeof(head::front);
  auto const rest = [&](head const& h) { return h.size - std::min(h.size, front); };
  std::uint64_t most = 0;
  for (auto const& h : heads) most = std::max(most, rest(h));
  if (most == 0) return;
  std::vector<std::byte> padded, all;
  make_room(ranks, [&] {
    padded.resize(most), all.resize(most * heads.size());
    for (std::size_t r = 0; r < heads.size(); ++r) found[r].reserve(std::size_t(heads[r].size));
  });
  if (mine.size() > front) std::ranges::copy(mine.subspan(front), padded.begin());
  ranks.all_gather(padded, all);
  for (std::size_t r = 0; r < heads.size(); ++r) {
    auto const from = all.begin() + std::ptrdiff_t(r * most);
    found[r].insert(found[r].end(), from, from + std::ptrdiff_t(rest(heads[r])));
  }
}

}  // namespace

bytes_of_ranks all_gather_bytes(communicator& ranks, std::vector<std::byte> const& mine,
                                std::exception_ptr failed) {
  auto const told = failed ? bytes_of(message_of(failed)) : mine;
  head own{.size = told.size(), .failed = failed != nullptr};
  std::copy_n(told.begin(), std::min(told.size(), sizeof own.front), own.front);
  std::vector<head> heads(std::size_t(ranks.size()));
  ranks.all_gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(heads)));
  auto found = fronts_of(heads);
  gather_rest(ranks, heads, told, found);
  if (failed) rethrow(failed);
  for (std::size_t r = 0; r < heads.size(); ++r)
    if (heads[r].failed)
      throw error("rank " + std::to_string(r) + ": " +
                  std::string(reinterpret_cast<char const*>(found[r].data()), found[r].size()));
  return found;
}

}  // namespace tally::detail
