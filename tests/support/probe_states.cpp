// SPDX-License-Identifier: Apache-2.0
//
// The bytes of states, for a reader in another language.
#include <cstring>

#include "probe.hpp"
#include "tally/tally.hpp"

namespace {

using namespace tally;

// From two parts, the first of `cut` elements, that have been sent.
template <class Op, class T>
std::vector<std::byte> reduced(std::span<T const> x, std::size_t cut) {
  using known = state<Op, T>;
  auto left = known::deserialise(reduce(cpu{}, x.first(cut), as_state<Op>{}).serialise());
  left.append(reduce(cpu{}, x.subspan(cut), as_state<Op>{{}, cut}));
  return left.serialise();
}

template <class T>
std::vector<std::byte> scanned(std::span<T const> x, std::size_t cut) {
  std::vector<T> out(x.size());
  scanner<T, T, sum> left;
  left.inclusive(cpu{}, x.first(cut), std::span(out).first(cut));
  using carry = scan_carry<T, T, sum>;
  scanner<T, T, sum> right(carry::deserialise(left.carry().serialise()));
  right.inclusive(cpu{}, x.subspan(cut), std::span(out).subspan(cut));
  return right.carry().serialise();
}

template <class T>
std::vector<std::byte> selected(std::span<T const> x, std::size_t cut) {
  selector<T> left(cut);
  left.add(cpu{}, x.first(cut));
  selector<T> right(top_k_state<T>::deserialise(left.state().serialise()));
  right.add(cpu{}, x.subspan(cut));
  return right.state().serialise();
}

template <class T>
std::vector<std::byte> bytes_of(int kind, std::span<T const> x, std::size_t cut) {
  switch (kind) {
    case 0: return reduced<sum>(x, cut);
    case 1: return reduced<variance>(x, cut);
    case 2: return reduced<fast_sum>(x, cut);
    case 3: return reduced<arg_minimum>(x, cut);
    case 4: return scanned(x, cut);
    default: return selected(x, cut);
  }
}

}  // namespace

extern "C" {

// kind: of a sum, a variance, a fast sum, the index of the least, what comes behind prefix sums, or
// the `cut` largest. `size` is the room for the bytes.
int probe_saved_state(int kind, int type, void const* data, std::size_t n, std::size_t cut,
                      std::byte* bytes, std::size_t* size) {
  return probe::guarded([&] {
    visit(dtype(type), [&]<class T>(std::type_identity<T>) {
      if constexpr (is_one_of<T, float, double, float16, std::int32_t>) {
        auto const all = bytes_of(kind, probe::elements<T>(data, n), cut);
        if (all.size() > *size) throw error("probe: no room for the state");
        *size = all.size();
        std::memcpy(bytes, all.data(), all.size());
      }
    });
  });
}
}
