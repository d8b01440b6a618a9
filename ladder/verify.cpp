// SPDX-License-Identifier: Apache-2.0
#include "ladder/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ladder/data.hpp"
#include "ladder/world.hpp"

namespace ladder {

constexpr unsigned char poison = 0xa5;  // no answer to any of the inputs

prepared::prepared(rung const& r, problem given, std::vector<std::byte> const& in,
                   std::size_t offset)
    : given_(given),
      in_(in.size() + offset * size_of(given.type)),
      out_at_(offset * (r.out_alignment ? r.out_alignment(given) : 8)),
      out_bytes_(r.out_bytes(given)),
      out_(out_at_ + out_bytes_ + world::canary_bytes()),
      scratch_(r.scratch_bytes ? r.scratch_bytes(given) : 0) {
  std::byte* const start = in_.data() + offset * size_of(given.type);
  if (!in.empty()) tally::check(cudaMemcpy(start, in.data(), in.size(), cudaMemcpyHostToDevice));
  scratch_.fill_bytes(0);
  given_.in = start;
  given_.out = out_.data() + out_at_;
  given_.scratch = scratch_.data();
  if (r.prepare) r.prepare(given_);
}

std::vector<std::byte> prepared::run(rung const& r) const {
  out_.fill_bytes(poison);
  tally::check(cudaDeviceSynchronize());  // given_.stream may not wait for the default stream
  r.enqueue(given_);
  tally::check(cudaDeviceSynchronize());
  return out_.to_host();
}

std::span<std::byte const> prepared::out_of(std::span<std::byte const> memory) const {
  return memory.subspan(out_at_, out_bytes_);
}

bool prepared::canaries_live(std::span<std::byte const> memory) const {
  auto const is_poison = [](std::byte b) { return b == std::byte{poison}; };
  return std::ranges::all_of(memory.first(out_at_), is_poison) &&
         std::ranges::all_of(memory.subspan(out_at_ + out_bytes_), is_poison);
}

std::vector<std::byte> const& input_store::get(data kind, element type, std::size_t n) {
  auto& made = made_[{kind, type, n}];
  if (made.empty()) made = make_input(kind, type, n);
  return made;
}

void verdict::add(std::string finding) {
  verified = false;
  findings.push_back(std::move(finding));
}

namespace {

char const* name_of(data kind) {
  constexpr char const* names[] = {"plain",      "hard",  "nan",      "page", "ascending",
                                   "descending", "equal", "negative", "least"};
  return names[int(kind)];
}

// " (n = 7, plain input, 2 x 64, first run)", of a selection with k.
std::string where_it_was(problem const& given, data kind, char const* time) {
  auto const k =
      given.k ? fmt::format(", k = {}{}", given.k, given.distinct ? " distinct" : "") : "";
  return fmt::format(" (n = {}{}, {} input, {} x {}, {} run)", given.n, k, name_of(kind),
                     given.grid, given.block, time);
}

// Adds one input in one shape to the verdict.
judgement try_one(rung const& r, problem const& given, data kind, input_store& inputs,
                  verdict& so_far) {
  auto const& in = inputs.get(kind, given.type, given.n);
  prepared const memory(r, given, in, 1);
  judgement seen;
  for (char const* time : {"first", "second"}) {
    auto const out = memory.run(r);
    seen = r.judge({memory.given(), kind, in, memory.out_of(out)});
    auto found = world::findings();
    if (!seen.right) found.push_back("wrong: " + seen.why);
    if (!memory.canaries_live(out)) found.push_back("wrong: it wrote beside its output");
    so_far.error = std::max(so_far.error, seen.error);
    for (auto const& line : found) so_far.add(line + where_it_was(given, kind, time));
  }
  return seen;
}

std::vector<data> kinds(rung const& r, problem const& given) {
  auto inputs = r.inputs;
  if (given.type != element::float32) std::erase(inputs, data::nan);
  return inputs;
}

std::vector<std::pair<unsigned, unsigned>> shapes(rung const& r, problem const& given) {
  if (r.fixed_shape) return {{given.grid, given.block}};
  return {{given.grid, given.block}, {3, 96}, {2, 33}};
}

std::vector<problem> variants(rung const& r, problem const& given, bool usual_shape) {
  return r.variants ? r.variants(given, usual_shape) : std::vector{given};
}

}  // namespace

verdict verify_once(rung const& r, problem const& given, input_store& inputs) {
  constexpr std::size_t takes_the_host_long = 1 << 24;
  verdict all;
  for (data const kind : kinds(r, given)) {
    if (given.n > takes_the_host_long && kind != r.inputs.front()) continue;
    all.host_additions = try_one(r, given, kind, inputs, all).host_additions;
  }
  return all;
}

verdict verify(rung const& r, problem const& given, input_store& inputs) {
  verdict all = verify_once(r, given, inputs);
  auto sizes = world::verified_sizes();
  sizes.insert(sizes.end(), r.verified_sizes.begin(), r.verified_sizes.end());
  for (data const kind : kinds(r, given)) {
    for (std::size_t const n : sizes) {
      if (n > r.largest_n() || (n == 0 && kind == data::nan)) continue;
      if (world::takes_long(n) && kind != r.inputs.front()) continue;
      for (auto const& [grid, block] : shapes(r, given)) {
        problem other = given;
        other.n = n;
        other.grid = grid;
        other.block = r.fixed_shape ? r.block_for(n) : block;
        bool const usual = grid == given.grid && block == given.block;
        if (usual && r.thread_an_element) other.grid = r.grid_for(n, block);
        for (problem const& one : variants(r, other, usual)) try_one(r, one, kind, inputs, all);
      }
    }
  }
  return all;
}

}  // namespace ladder
