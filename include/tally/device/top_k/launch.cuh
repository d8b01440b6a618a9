// SPDX-License-Identifier: Apache-2.0
//
// How the host starts a selection that has been planned (top_k/plan.cuh).
#pragma once

#include "tally/device/rows/copy.cuh"
#include "tally/device/top_k/payload.cuh"
#include "tally/device/top_k/plan.cuh"

namespace tally::detail {

template <launch_context Context>
gpu_limits limits_of(Context& context) {
  auto const multiprocessors = unsigned(context.multiprocessors());
  return {multiprocessors, multiprocessors, shared_memory_of_a_block(), sorting_context<Context>};
}

// Starts a kernel by teams: if they meet, all at the same time; returns false where a device has no
// room for them.
template <auto Kernel, launch_context Context, class Call>
bool start_teams(Context& context, row_teams const& on, std::size_t shared_bytes,
                 Call const& call) {
  constexpr auto threads = device::selecting_threads;
  if (on.meet())
    return launch_together<Kernel>(on.all_blocks(), threads, shared_bytes, context.stream())(call);
  launch_early<Kernel>(on.all_blocks(), threads, shared_bytes, context.stream())(call);
  return true;
}

// As many blocks as there is work for, but a multiprocessor has no more than so many.
template <launch_context Context>
unsigned blocks_for(Context& context, std::uint64_t work, unsigned each, unsigned most) {
  std::uint64_t const blocks = (work + each - 1) / each;
  return unsigned(std::min<std::uint64_t>(blocks, most * unsigned(context.multiprocessors())));
}

// ---- By teams.

template <class Index, class In>
device::top_k_call<In, Index> team_call(top_k_plan const& plan,
                                        device::top_k_request<In> const& of) {
  using bits = bits_of<typename In::element>;
  device::top_k_call<In, Index> call{
      of,
      plan.on.blocks,
      plan.on.teams,
      plan.samples,
      shape_for<bits, Index>(of.how.most, of.how.sorted, plan.on.blocks),
      guess_for<bits>(of.rows, of.how.most, plan.on.blocks),
      {},
      nullptr,
      0};
  call.memory_bytes = device::bytes_of<device::team_memory<bits, Index>>(
      plan.on.blocks, call.sorts(), call.shape.global_bytes);
  return call;
}
template <class Index, launch_context Context, class In>
bool start_by_teams(Context& context, top_k_plan const& plan, device::top_k_request<In> const& of,
                    device::call_memory const& memory) {
  auto call = team_call<Index>(plan, of);
  call.w = memory.w, call.scratch = memory.scratch;
  return start_teams<device::top_k_by_team<In, Index>>(
      context, plan.on, plan.samples ? call.shape.shared_bytes : 0, call);
}

// ---- A large k.

// What is to be sorted behind the selection, and what the sort takes.
template <class Key>
struct sort_memory {
  device::pairs_to_sort<Key> pairs{};
  std::byte* scratch;
  std::size_t scratch_bytes;

  sort_memory(device::arena& from, std::uint64_t count, std::size_t bytes) : scratch_bytes(bytes) {
    pairs.count = count;
    for (int i = 0; i < 2; ++i) {
      pairs.keys[i] = from.take<Key>(count);
      pairs.indices[i] = from.take<std::uint32_t>(count);
    }
    scratch = from.take<std::byte>(bytes);
  }
};

template <class In>
struct large_start {
  using bits = bits_of<typename In::element>;
  using key = device::sortable<bits>;
  device::top_k_large_call<In> call;
  sort_memory<key> sort;

  large_start(device::arena& from, top_k_plan const& plan, device::top_k_request<In> const& of,
              std::size_t sort_bytes)
      : call{of, plan.on.blocks, room_for(plan, of), {}, {}, nullptr, 0},
        sort((call.memory_bytes = device::bytes_of<device::large_memory<bits>>(
                  plan.on.blocks, of.rows.length, call.room),
              call.scratch = from.take<std::byte>(of.rows.count * call.memory_bytes), from),
             of.how.sorted ? of.how.most : 0, sort_bytes) {
    call.pairs = sort.pairs;
  }

 private:
  static std::uint64_t room_for(top_k_plan const& plan, device::top_k_request<In> const& of) {
    std::uint64_t const threads = std::uint64_t(plan.on.blocks) * device::selecting_threads;
    std::uint64_t const n = of.rows.length, k = of.how.most;
    if (!device::narrowing::is_worth_it<bits>(threads, n, k)) return 0;
    return std::min(n, device::narrowing::of<bits>(threads, n, k).room);
  }
};

template <memory_context Context, class In>
std::size_t sort_bytes(Context& context, device::top_k_request<In> const& of) {
  if constexpr (sorting_context<Context>)
    if (of.how.sorted)
      return context.sort_scratch(of.how.most, sizeof(typename large_start<In>::key));
  return 0;
}
template <memory_context Context, class In>
bool start_large(Context& context, top_k_plan const& plan, device::top_k_request<In> const& of,
                 device::call_memory const& memory) {
  using key = typename large_start<In>::key;
  device::arena from(memory.scratch);
  large_start<In> start(from, plan, of, sort_bytes(context, of));
  start.call.w = memory.w;
  if (!start_teams<device::top_k_large<In>>(context, plan.on, 0, start.call)) return false;
  if constexpr (sorting_context<Context>) {
    auto const& sort = start.sort;
    if (sort.pairs.count == 0) return true;
    int const last = context.sort(sort.pairs, 8 * int(sizeof(bits_of<typename In::element>)),
                                  sort.scratch, sort.scratch_bytes);
    constexpr unsigned block = 256;
    launch_early<device::put_sorted<In>>(blocks_for(context, of.how.most, block, 16), block, 0,
                                         context.stream())(
        of, static_cast<key const*>(sort.pairs.keys[last]),
        static_cast<std::uint32_t const*>(sort.pairs.indices[last]));
  }
  return true;
}

// ---- By warps, and by blocks.

// It doesn't start early: behind a kernel that lets none do so it would begin half a microsecond
// later, and it is short.
template <class Shape, launch_context Context, class In>
void start_short_rows(Context& context, device::top_k_request<In> const& of,
                      gpu_payload const* payload) {
  launch(device::top_k_short_rows<Shape, In>, blocks_for(context, of.rows.count, Shape::rows, 4096),
         Shape::warps * warp_size, 0, context.stream())(device::short_rows_call<In>(of, payload));
}
// By those lanes of the ones that are known, from the I-th on, and for the k's there are from the
// J-th on.
template <std::size_t I = 0, std::size_t J = 0, launch_context Context, class In>
void start_short_rows(Context& context, device::row_lanes const& by,
                      device::top_k_request<In> const& of, gpu_payload const* payload = nullptr) {
  using known = device::short_rows_shapes<In>;
  if constexpr (I < known::all.size() && J < known::most.size()) {
    constexpr auto one = known::all[I];
    if (by != one) return start_short_rows<I + 1, J>(context, by, of, payload);
    if (of.how.most > std::uint64_t(known::most[J]))
      return start_short_rows<I, J + 1>(context, by, of, payload);
    start_short_rows<device::short_rows_shape<one.lanes, one.each, known::most[J]>>(context, of,
                                                                                    payload);
  }
}
template <launch_context Context, class In>
void start_warp_rows(Context& context, device::top_k_request<In> const& of) {
  launch_early<device::top_k_warp_rows<In>>(
      blocks_for(context, of.rows.count, device::warp_rows_warps, 64),
      device::warp_rows_warps * warp_size,
      device::warp_rows_shared_bytes<bits_of<typename In::element>>(of.how.most),
      context.stream())(device::warp_rows_call<In>(of));
}
template <launch_context Context, class In>
void start_block_rows(Context& context, device::top_k_request<In> const& of) {
  using bits = bits_of<typename In::element>;
  device::block_rows_call<In> const call(of);
  auto const start = [&]<int Loads>(std::integral_constant<int, Loads>) {
    launch_early<device::top_k_block_rows<Loads, In>>(blocks_for(context, of.rows.count, 1, 4),
                                                      device::selecting_threads, call.room.bytes(),
                                                      context.stream())(call);
  };
  constexpr int loads = device::most_block_row_loads<bits>;
  constexpr std::uint64_t most_lead = device::row_batch<bits>::each - 1;
  if (of.rows.length + most_lead <= device::block_row_places<bits, loads / 2>)
    start(std::integral_constant<int, loads / 2>{});
  else
    start(std::integral_constant<int, loads>{});
}

// ---- As planned.

template <memory_context Context, class In>
std::size_t scratch_of(Context& context, top_k_plan const& plan,
                       device::top_k_request<In> const& of) {
  if (plan.way == top_k_way::large) {
    device::arena counted;
    large_start<In>(counted, plan, of, sort_bytes(context, of));
    return counted.used();
  }
  if (plan.way != top_k_way::teams) return 0;
  return plan.on.teams * (plan.wide ? team_call<std::uint64_t>(plan, of).memory_bytes
                                    : team_call<std::uint32_t>(plan, of).memory_bytes);
}

// Whether the kernel itself puts out what belongs to the best.
inline bool puts_payload(top_k_plan const& plan) { return plan.way == top_k_way::short_rows; }
inline bool puts_payload(distinct_plan const&) { return false; }

// Returns false where a device has no room for all blocks at once: then it is to be started anew.
template <memory_context Context, class In>
bool start(Context& context, top_k_plan const& plan, device::top_k_request<In> const& of,
           device::call_memory const& memory, gpu_payload const* payload = nullptr) {
  switch (plan.way) {
    case top_k_way::short_rows: return start_short_rows(context, plan.in, of, payload), true;
    case top_k_way::warp_rows: return start_warp_rows(context, of), true;
    case top_k_way::block_rows: return start_block_rows(context, of), true;
    case top_k_way::large: return start_large(context, plan, of, memory);
    case top_k_way::teams: break;
  }
  return plan.wide ? start_by_teams<std::uint64_t>(context, plan, of, memory)
                   : start_by_teams<std::uint32_t>(context, plan, of, memory);
}

// ---- Different values.

// By sets of values or a sort, of all rows or of a list of them. Where `needed` is asked for, it
// only says how much memory all teams need.
template <class Index, launch_context Context, class In>
bool start_values(Context& context, distinct_plan const& plan, device::top_k_request<In> const& of,
                  device::row_list const& list, device::workspace const& w, std::byte* scratch,
                  std::size_t* needed = nullptr) {
  using bits = bits_of<typename In::element>;
  unsigned const blocks = plan.on.blocks, teams = plan.on.teams;
  if (plan.by_values) {
    device::value_sets_call<In, Index> call{of, list, blocks, teams, plan.fan, w, scratch, 0};
    call.memory_bytes = device::bytes_of<device::value_sets_memory<bits, Index>>(
        blocks, of.how.most, call.by_index());
    if (needed) return *needed = teams * call.memory_bytes, true;
    return start_teams<device::top_k_value_sets<In, Index>>(
        context, plan.on, device::value_set<bits, Index>::bytes, call);
  }
  device::distinct_call<In, Index> call{of, list, blocks, teams, w, scratch, 0};
  call.memory_bytes =
      device::bytes_of<device::sorted_memory<bits, Index>>(blocks, of.rows.length, call.by_index());
  if (needed) return *needed = teams * call.memory_bytes, true;
  return start_teams<device::top_k_distinct<In, Index>>(context, plan.on, 0, call);
}

// The best some more of each row, of which the different ones are looked for.
template <class In>
device::top_k_request<In> some_more(device::top_k_request<In> of) {
  of.how.most = device::best_for_distinct(of.how.most);
  of.how.ks = nullptr, of.how.short_indices = nullptr, of.how.distinct = false;
  return of;
}

template <memory_context Context, class In>
device::distinct_memory<bits_of<typename In::element>> memory_of(
    Context& context, device::arena& from, distinct_plan const& plan,
    device::top_k_request<In> const& of) {
  std::size_t rest = 0;
  if (plan.wide)
    start_values<std::uint64_t>(context, plan, of, {}, {}, nullptr, &rest);
  else
    start_values<std::uint32_t>(context, plan, of, {}, {}, nullptr, &rest);
  if (!plan.among_best) return {from, 0, 0, 0, rest};
  auto const best = some_more(of);
  return {from, of.rows.count, of.rows.count * best.how.most, scratch_of(context, plan.best, best),
          rest};
}
template <memory_context Context, class In>
std::size_t scratch_of(Context& context, distinct_plan const& plan,
                       device::top_k_request<In> const& of) {
  if (plan.in.lanes > 0) return 0;
  device::arena counted;
  memory_of(context, counted, plan, of);
  return counted.used();
}

// As other short rows, by those lanes that are planned, from the I-th on of those there are.
template <std::size_t I = 0, launch_context Context, class In>
void start_short_values(Context& context, device::row_lanes const& by,
                        device::top_k_request<In> const& of) {
  using bits = bits_of<typename In::element>;
  constexpr auto one = device::short_values_lanes<bits>[I];
  if constexpr (I + 1 < device::short_values_lanes<bits>.size())
    if (by != one) return start_short_values<I + 1>(context, by, of);
  constexpr unsigned threads = device::short_values_warps * warp_size;
  launch(device::distinct_of_short_rows<one.lanes, one.each, In>,
         blocks_for(context, of.rows.count, threads / one.lanes, 4096), threads, 0,
         context.stream())(device::short_rows_call<In>(of));
}

template <memory_context Context, class In>
bool start(Context& context, distinct_plan const& plan, device::top_k_request<In> const& of,
           device::call_memory const& memory, gpu_payload const*) {
  if constexpr (std::is_same_v<In, array_input<bits_of<typename In::element>>>)
    if (plan.in.lanes > 0) return start_short_values(context, plan.in, of), true;
  device::arena from(memory.scratch);
  auto const here = memory_of(context, from, plan, of);
  if (plan.among_best) {
    auto best = some_more(of);
    best.how.values = here.values, best.how.indices = here.indices, best.how.counts = here.counts;
    if (!start(context, plan.best, best, {memory.w, here.best})) return false;
    check(cudaMemsetAsync(here.left.count, 0, sizeof *here.left.count, context.stream()));
    launch_early<device::distinct_among_best<bits_of<typename In::element>>>(
        blocks_for(context, of.rows.count, 1, 16), device::among_best_threads, 0,
        context.stream())(device::among_best_call<bits_of<typename In::element>>{
        of.rows, of.order, best.how, of.how, here.left});
  }
  if (plan.wide)
    return start_values<std::uint64_t>(context, plan, of, here.left, memory.w, here.rest);
  return start_values<std::uint32_t>(context, plan, of, here.left, memory.w, here.rest);
}

// ---- A call.

// What a call takes beside its kernels' scratch: elements side by side, if they are apart, and
// indices by which a payload is gathered.
template <class Bits>
struct call_pieces {
  Bits* elements;
  std::int64_t* indices;
  std::byte* scratch;

  call_pieces(device::arena& from, std::uint64_t places_in, std::uint64_t places_out,
              std::size_t scratch_bytes)
      : elements(from.take<Bits>(places_in)),
        indices(from.take<std::int64_t>(places_out)),
        scratch(from.take<std::byte>(scratch_bytes)) {}
};

template <memory_context Context, class Plan, class In>
bool start_call(Context& context, Plan const& plan, device::top_k_request<In> call,
                gpu_payload const* payload = nullptr) {
  using bits = bits_of<typename In::element>;
  auto const apart = call.rows;
  bool const is_apart = apart.is_apart();
  if (is_apart) call.rows = side_by_side(apart);
  // A payload lies as the rows do, not as what is copied side by side.
  bool const at_once = payload && puts_payload(plan) && !is_apart;
  std::uint64_t const in = is_apart ? apart.count * apart.length : 0,
                      out = payload && !at_once ? apart.count * call.how.most : 0;
  std::size_t const scratch = scratch_of(context, plan, call);
  auto const bytes = device::bytes_of<call_pieces<bits>>(in, out, scratch);
  auto const memory = context.memory(1, bytes);
  device::arena from(memory.scratch);
  call_pieces<bits> const pieces(from, in, out, scratch);
  if constexpr (std::is_same_v<In, array_input<bits>>) {
    if (is_apart) {
      copy_rows_on_gpu<device::copies::together>(context, apart, call.in.data, pieces.elements);
      call.in.data = pieces.elements;
    }
  }
  if (out > 0) call.how.indices = pieces.indices;
  if (!start(context, plan, call, {memory.w, pieces.scratch}, at_once ? payload : nullptr))
    return false;
  explain(context, plan, bytes);
  if (out > 0) gather_payload_on_gpu(context, apart, call.how.most, pieces.indices, *payload);
  return true;
}

// Selects the best of each row of an input, and what belongs to them, in memory that the device can
// read; asynchronously. Where there is a payload, no indices are put out.
template <memory_context Context, class In>
void top_k_on_gpu(Context& context, device::top_k_request<In> const& call,
                  gpu_payload const* payload = nullptr) {
  if (call.rows.count == 0 || (call.how.most == 0 && !call.how.counts)) return;
  using bits = bits_of<typename In::element>;
  bool started = false;
  for (auto gpu = limits_of(context); !started; gpu.together /= 2)
    started =
        call.how.distinct
            ? start_call(context, choose_distinct<bits, In>(call.rows, call.how, gpu), call,
                         payload)
            : start_call(context, choose_top_k<bits, In>(call.rows, call.how, gpu), call, payload);
}

// The same of elements that are chosen by sums; returns false, and starts nothing, where rows are
// too long for that, or apart, or too many are asked for.
template <memory_context Context, class Bits>
bool biased_top_k_on_gpu(Context& context, device::biased_request<Bits> const& call) {
  auto const in = choose_lanes<device::biased_input<Bits>>(call.rows.length, call.how.most,
                                                           are_many(call.rows, limits_of(context)));
  if (in.lanes == 0 || call.rows.is_apart() || call.how.distinct) return false;
  if (call.rows.count == 0 || (call.how.most == 0 && !call.how.counts)) return true;
  start_short_rows(context, in, call);
  explain(context, top_k_plan{.way = top_k_way::short_rows, .in = in}, 0);
  return true;
}

}  // namespace tally::detail
