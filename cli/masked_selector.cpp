// SPDX-License-Identifier: Apache-2.0
#include "masked_selector.hpp"

#include <algorithm>
#include <limits>

namespace tally::cli {
namespace {

top_k_options sorted(top_k_options how) {
  how.sorted = true;
  return how;
}

// So many that are no better than any other.
std::vector<std::byte> worst(dtype type, order which, std::uint64_t count) {
  std::vector<std::byte> all(std::size_t(count) * size_of(type));
  visit(type, [&]<class T>(std::type_identity<T>) {
    if constexpr (integer<T>) {
      using limits = std::numeric_limits<T>;
      any_number const one(which == largest ? limits::min() : limits::max());
      for (std::size_t i = 0; i < count; ++i) one.store(&all[i * sizeof(T)]);
    }
  });
  return all;
}

}  // namespace

masked_selector::masked_selector(dtype type, std::uint64_t k, top_k_options const& how)
    : type_(type), k_(k), how_(how), best_(type, k, sorted(how)) {}

void masked_selector::add(cpu where, masked_array const& x) {
  if (!x.missing.empty() || !there_.empty()) note_missing(x);
  count_ += x.all.size;
  if (x.missing.empty()) return best_.add(where, x.all);
  side_by_side_.clear();
  for_present(
      x, [&](auto part) { side_by_side_.insert(side_by_side_.end(), part.begin(), part.end()); });
  best_.add(where, {type_, side_by_side_.data(), side_by_side_.size() / size_of(type_)});
}

void masked_selector::note_missing(masked_array const& x) {
  there_.resize(count_ + x.all.size, true);
  for (auto const i : x.missing) {
    there_[count_ + i] = false;
    if (missing_.size() < (how_.distinct ? std::min<std::uint64_t>(k_, 1) : k_))
      missing_.push_back(std::int64_t(count_ + i));
  }
}

// A selector wants k elements; what it is given to have them is left out again.
std::vector<chosen> masked_selector::best_there(cpu where) {
  auto const there = best_.count();
  if (there < k_) {
    auto const others = worst(type_, how_.order, k_ - there);
    best_.add(where, {type_, others.data(), k_ - there});
  }
  auto found = all_of(std::move(best_).result());
  std::erase_if(found, [&](chosen const& c) { return std::uint64_t(c.index) >= there; });
  return found;
}

// Indices that were counted without missing elements become those among all.
void masked_selector::find_indices(std::vector<chosen>& best) const {
  if (there_.empty()) return;
  std::vector<chosen*> ascending;
  for (auto& one : best) ascending.push_back(&one);
  std::ranges::sort(ascending, {}, &chosen::index);
  std::int64_t index = -1, before = -1;
  for (auto* const one : ascending) {
    while (before < one->index) before += there_[std::size_t(++index)];
    one->index = index;
  }
}

std::vector<chosen> masked_selector::result(cpu where) {
  auto best = best_there(where);
  find_indices(best);
  std::vector<chosen> none;
  if (how_.nan != skip)
    for (auto const index : missing_) none.push_back({index, 0, true});
  best.insert(how_.order == largest ? best.begin() : best.end(), none.begin(), none.end());
  best.resize(std::min<std::size_t>(best.size(), std::size_t(k_)));
  if (!how_.sorted) std::ranges::sort(best, {}, &chosen::index);
  return best;
}

}  // namespace tally::cli
