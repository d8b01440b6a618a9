// SPDX-License-Identifier: Apache-2.0
#include "copies.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "cuda/ptx"
#include "cuda_pipeline.h"
#include "execution.hpp"
#include "memory.hpp"

namespace simt {
namespace {

void finish(pending_copy const& c) {
  std::size_t const copied = c.bytes - c.zeros;
  see_again(const_cast<void*>(c.from), copied, access_kind::range_read, c.pc);
  see_again(c.to, c.bytes, access_kind::range_write, c.pc);
  inside_machine const inside;
  std::memcpy(c.to, c.from, copied);
  std::memset(static_cast<char*>(c.to) + copied, 0, c.zeros);
}

// The accesses are checked now and when the copy ends: it may happen at any time between.
pending_copy start(void* to, void const* from, std::size_t bytes, std::size_t zeros,
                   access_kind read, access_kind write, void* pc) {
  see(const_cast<void*>(from), bytes - zeros, read, pc);
  see(to, bytes, write, pc);
  return {to, from, bytes, zeros, pc};
}

void commit(pending_copies& of) {
  inside_machine const inside;
  of.groups.push_back(std::move(of.started));
  of.started.clear();
}

void wait(pending_copies& of, std::size_t all_but) {
  while (of.groups.size() > all_but) {
    for (auto const& c : of.groups.front()) finish(c);
    inside_machine const inside;
    of.groups.pop_front();
  }
}

void expect_shared(void const* at, std::size_t bytes, void* pc) {
  inside_machine const inside;
  if (!running->home->shared->contains(std::uintptr_t(at), bytes))
    stop("out of bounds", "an asynchronous copy is between global and shared memory", pc);
}

// Of global memory it touches what it must: whole sectors and lines, once.
void count_in_bulk(void const* at, std::size_t bytes, std::uint64_t counts::* what, void* pc) {
  inside_machine const inside;
  counts& c = counts_of(site_of(pc));
  c.*what += bytes;
  if (!counts_requests()) return;
  auto const pieces = [&](std::uintptr_t size) {
    return (std::uintptr_t(at) + bytes - 1) / size - std::uintptr_t(at) / size + 1;
  };
  c.sectors += pieces(32), c.lines += pieces(128);
}

pending_copy start_in_bulk(void* to, void const* from, std::size_t bytes, void* pc) {
  if ((std::uintptr_t(to) | std::uintptr_t(from) | bytes) % 16 != 0) {
    inside_machine const inside;
    stop("misaligned", "a copy in bulk is of multiples of 16 bytes", pc);
  }
  ++running->steps, running->pc = pc;
  see_again(const_cast<void*>(from), bytes, access_kind::range_read, pc);
  see_again(to, bytes, access_kind::range_write, pc);
  return {to, from, bytes, 0, pc};
}

void wake(void const* barrier) {
  for (lane& l : running->home->lanes)
    if (l.state == lane_state::awaiting_phase && l.awaited == barrier) make_ready(l);
}

// A barrier's word: how many arrivals a phase has, how many of them are to come, how many bytes are
// to come, and the phase's parity.
void take_step(void* at, void const* operand) {
  std::uint64_t word;
  barrier_step step;
  std::memcpy(&word, at, sizeof word);
  std::memcpy(&step, operand, sizeof step);
  constexpr std::uint64_t least = std::uint64_t(1) << 24, all = least - 2;
  word += std::uint64_t(std::int64_t(step.arrivals)) * least;
  word = (word & ~all) | ((word + 2 * std::uint64_t(std::int64_t(step.bytes))) & all);
  std::uint64_t const expected = word >> 44;
  if ((word & (all | ((least << 20) - least))) == 0) {
    word = (word ^ 1) | expected * least;
    wake(at);
  }
  std::memcpy(at, &word, sizeof word);
}

// The copies happen, and what their lane has done is to be seen by who sees the barrier.
void land(barrier_copies const& c) {
  lane* const asks = std::exchange(running, c.by);
  for (auto const& copy : c.all) finish(copy);
  inside_machine const inside;
  atomic_write w{};
  w.address = std::uintptr_t(c.barrier), w.size = sizeof(std::uint64_t);
  w.kind = atomic_kind::update, w.step = take_step;
  w.order = __NV_ATOMIC_RELEASE, w.scope = __NV_THREAD_SCOPE_BLOCK;
  w.had_value = true, w.by = c.by, w.where = running->home->shared;
  w.when = now(), w.site = site_of(c.all[0].pc);
  std::memcpy(w.operand.data(), &c.step, sizeof c.step);
  make(w);
  running = asks;
}

}  // namespace

void start_copy(void* to, void const* from, std::size_t bytes, std::size_t zeros, void* pc) {
  if ((bytes != 4 && bytes != 8 && bytes != 16) || zeros > bytes) {
    inside_machine const inside;
    stop("misaligned", "an asynchronous copy is of 4, 8 or 16 bytes", pc);
  }
  auto const read = zeros == 0 ? access_kind::read : access_kind::range_read;
  auto const copy = start(to, from, bytes, zeros, read, access_kind::write, pc);
  expect_shared(to, bytes, pc);
  inside_machine const inside;
  running->home->shared->lose_value(std::uintptr_t(to), bytes);
  running->copies.started.push_back(copy);
}

void commit_copies() { commit(running->copies); }
void wait_for_copies(std::size_t all_but) { wait(running->copies, all_but); }
void commit_bulk_stores() { commit(running->stores); }
void wait_for_bulk_stores(std::size_t all_but) { wait(running->stores, all_but); }

namespace {

void step_now(std::uint64_t* barrier, barrier_step step, void* pc) {
  propose(barrier, sizeof *barrier, atomic_kind::update, take_step, &step, __NV_ATOMIC_RELEASE,
          __NV_THREAD_SCOPE_BLOCK, pc);
  settle();
}

}  // namespace

void make_barrier(std::uint64_t* barrier, std::uint32_t arrivals, void* pc) {
  see(barrier, sizeof *barrier, access_kind::write, pc);
  inside_machine const inside;
  *barrier = std::uint64_t(arrivals) << 44 | std::uint64_t(arrivals) << 24;
}

void arrive(std::uint64_t* barrier, std::uint32_t expected_bytes, void* pc) {
  step_now(barrier, {-1, std::int32_t(expected_bytes)}, pc);
}

namespace {

std::optional<barrier_copies> take_copies(std::uint64_t const* barrier) {
  inside_machine const inside;
  auto& pending = running->home->copies;
  auto const at = std::ranges::find(pending, barrier, &barrier_copies::barrier);
  if (at == pending.end()) return {};
  auto const found = std::move(*at);
  pending.erase(at);
  return found;
}

void start_for(std::uint64_t* barrier, barrier_copies&& copies) {
  running->home->copies.push_back(std::move(copies));
  wake(barrier);
}

}  // namespace

bool is_past(std::uint64_t* barrier, std::uint32_t parity, void* pc) {
  while (auto const copies = take_copies(barrier)) land(*copies);  // now, and not before
  auto const now = [&] {
    return (load(barrier, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK, pc) & 1) != parity;
  };
  if (now()) return true;
  inside_machine const inside;
  running->state = lane_state::awaiting_phase;
  running->awaited = barrier;
  suspend();
  return false;
}

void arrive_when_copied(std::uint64_t* barrier, void* pc) {
  auto& started = running->copies.started;
  if (started.empty()) return;
  step_now(barrier, {1, 0}, pc);
  inside_machine const inside;
  start_for(barrier, {running, std::move(started), barrier, {-1, 0}});
  started.clear();
}

void start_bulk_load(void* to, void const* from, std::size_t bytes, std::uint64_t* barrier,
                     void* pc) {
  auto const copy = start_in_bulk(to, from, bytes, pc);
  expect_shared(to, bytes, pc);
  count_in_bulk(from, bytes, &counts::bytes_read, pc);
  inside_machine const inside;
  running->home->shared->lose_value(std::uintptr_t(to), bytes);
  start_for(barrier, {running, {copy}, barrier, {0, -std::int32_t(bytes)}});
}

void start_bulk_store(void* to, void const* from, std::size_t bytes, void* pc) {
  auto const copy = start_in_bulk(to, from, bytes, pc);
  expect_shared(from, bytes, pc);
  count_in_bulk(to, bytes, &counts::bytes_written, pc);
  inside_machine const inside;
  running->stores.started.push_back(copy);
}

}  // namespace simt
