// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"
#include "tally/aggregate/all_together.hpp"
#include "tally/aggregate/fast_sum.hpp"
#include "tally/aggregate/logic.hpp"
#include "tally/aggregate/product.hpp"
#include "tally/definition/describe.hpp"
#include "tally/definition/dot.hpp"
#include "tally/tally.hpp"

namespace tally::fuzz {
namespace {

std::vector<std::byte> written(auto const& stream) {
  byte_writer out;
  stream.write(out);
  return out.take();
}

// What can be read can be merged, rounded and written, and comes back as it was.
template <class T, class Op>
void read_stream_of(bytes content, Op const& op) {
  reducer<T, Op> stream(op), other(op);
  byte_reader in(content);
  stream.read(in);
  auto const once = written(stream);
  byte_reader again(once);
  other.read(again);
  require(again.at_end() && written(other) == once);
  other.append(stream);
  static_cast<void>(other.result());
  other.move_to(64);
}

template <element T>
void read_exact(bytes content) {
  auto state = exact_state<T>::deserialise(content);
  require(exact_state<T>::deserialise(state.serialise()).serialise() == state.serialise());
  state.merge(state);
  static_cast<void>(state.result());
}

template <element T>
void read_selection(bytes content) {
  auto const s = top_k_state<T>::deserialise(content);
  require(top_k_state<T>::deserialise(s.serialise()).serialise() == s.serialise());
  selector<T> best(s), again(s);
  best.append(std::move(again));
  static_cast<void>(best.state());
}
template <element T>
void read_carry(bytes content) {
  scanner<T, T, sum> scan(scan_carry<T, T, sum>::deserialise(content));
  require(scanner<T, T, sum>(scan.carry()).carry() == scan.carry());
  static_cast<void>(scan.total());
}

template <element T>
void read_as(unsigned op, bytes content) {
  switch (op) {
    case 0: return read_exact<T>(content);
    case 1: return read_stream_of<T>(content, sum{});
    case 2: return read_stream_of<T>(content, fast_sum{});
    case 3: return read_stream_of<T>(content, variance{1});
    case 4: return read_stream_of<T>(content, standard_deviation{});
    case 5: return read_stream_of<T>(content, min_max{});
    case 6: return read_stream_of<T>(content, arg_minimum{});
    case 7: return read_stream_of<zipped<T, T>>(content, dot{});
    case 8: return read_stream_of<T>(content, product{});
    case 9: return read_stream_of<T>(content, all_together(sum{}, min_max{}));
    case 10: return read_stream_of<T>(content, mean{});
    case 11: return read_stream_of<T>(content, any_of{});
    case 12: return read_selection<T>(content);
    case 13: return read_carry<T>(content);
    default: return read_stream_of<T>(content, describe{});
  }
}

}  // namespace

// The first byte says what it is a state of.
void read_state(bytes content) {
  if (content.empty()) return;
  auto const choice = unsigned(content[0]);
  try {
    switch (choice % 4) {
      case 0: return read_as<float>(choice / 4 % 16, content.subspan(1));
      case 1: return read_as<double>(choice / 4 % 16, content.subspan(1));
      case 2: return read_as<float16>(choice / 4 % 16, content.subspan(1));
      default: return read_as<std::int32_t>(choice / 4 % 16, content.subspan(1));
    }
  } catch (error const&) {
  }
}

}  // namespace tally::fuzz
