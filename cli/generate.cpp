// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <utility>

#include "array_output.hpp"
#include "commands.hpp"
#include "nearest.hpp"
#include "random.hpp"
#include "report.hpp"
#include "standard_output.hpp"
#include "tally/error.hpp"

namespace tally::cli {
namespace {

using sink = std::function<void(std::span<std::byte const>)>;

// Hands `n` values of next(i) to `out`, a chunk at a time.
template <class T, class F>
void write_values(std::uint64_t n, sink const& out, F&& next) {
  constexpr std::uint64_t chunk = 65536;
  std::vector<T> values;
  for (std::uint64_t i = 0; i < n; i += values.size()) {
    values.resize(std::min(chunk, n - i));
    for (std::size_t j = 0; j < values.size(); ++j) values[j] = next(i + j);
    out(std::as_bytes(std::span(values)));
  }
}

template <element T>
T from_integer(std::int32_t x) {
  if constexpr (floating<T>)
    return convert<T>(double(x));
  else
    return T(x);
}

template <element T>
void write_digits(arguments const& a, sink const& out) {
  std::srand(a.seed);
  write_values<T>(*a.n, out, [](std::uint64_t) { return from_integer<T>(std::rand() % 10); });
}

template <element T>
void write_signed(arguments const& a, sink const& out) {
  std::srand(a.seed);
  write_values<T>(*a.n, out, [](std::uint64_t i) {
    std::int32_t const x = std::rand();
    return from_integer<T>(i % 2 == 0 ? 0 - x : x);
  });
}

template <floating T>
void write_uniform(arguments const& a, sink const& out) {
  random_numbers random(a.seed);
  write_values<T>(*a.n, out, [&](std::uint64_t) { return random.uniform<T>(); });
}

template <floating T>
void write_normal(arguments const& a, sink const& out) {
  random_numbers random(a.seed);
  write_values<T>(*a.n, out, [&](std::uint64_t) { return convert<T>(random.normal()); });
}

// Numbers and their negatives, shuffled, and one more, so small beside them: all that is left.
template <floating T>
void write_ill_conditioned(arguments const& a, sink const& out) {
  auto const n = *a.n;
  random_numbers random(a.seed);
  std::vector<T> values(n);
  double magnitude = 0;
  for (std::uint64_t i = 0; i + 2 < n; i += 2) {
    values[i] = convert<T>(random.normal());
    values[i + 1] = from_bits<T>(bits_of<T>(to_bits(values[i]) ^ format<T>::sign));
    magnitude += 2 * std::fabs(double(values[i]));
  }
  if (n > 0) {
    auto const rest = convert<T>(n > 2 ? magnitude / *a.condition : 1.0);
    if (double(rest) == 0)
      throw usage_error("--condition: the sum would be too small for " +
                        std::string(name(dtype_of<T>)));
    values[n - 1] = rest;
  }
  for (auto i = n; i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
  out(std::as_bytes(std::span(values)));
}

struct kind {
  std::string_view name;
  std::uint64_t n;
  dtype type;
  bool has_condition = false;
};
constexpr kind kinds[] = {{"digits", 1 << 20, dtype::int32},
                          {"signed", 10'000'000, dtype::int32},
                          {"uniform", 1 << 20, dtype::float32},
                          {"normal", 1 << 20, dtype::float32},
                          {"ill-conditioned", 1 << 20, dtype::float64, true}};

kind const& kind_named(std::string const& name) {
  std::vector<std::string> names;
  for (auto const& k : kinds) {
    if (k.name == name) return k;
    names.emplace_back(k.name);
  }
  throw usage_error("unknown kind '" + name + "'" +
                    did_you_mean(name, names, "; tally generate --help lists them"));
}

using writer = void (*)(arguments const&, sink const&);

// Null if the kind has no such elements.
template <element T>
writer writer_of(std::string_view kind) {
  if constexpr (!std::is_same_v<T, bool>)
    if (kind == "digits") return write_digits<T>;
  if constexpr (sizeof(T) >= 4 && !std::is_unsigned_v<T>)
    if (kind == "signed") return write_signed<T>;
  if constexpr (floating<T>) {
    if (kind == "uniform") return write_uniform<T>;
    if (kind == "normal") return write_normal<T>;
    if (kind == "ill-conditioned") return write_ill_conditioned<T>;
  }
  return nullptr;
}

writer writer_for(arguments const& a) {
  auto const found =
      visit(*a.type, [&]<class T>(std::type_identity<T>) { return writer_of<T>(a.kind); });
  if (found) return found;
  throw usage_error("--dtype: " + a.kind + " numbers cannot be " + std::string(name(*a.type)));
}

void write_to_standard_output(arguments const& a, writer write) {
  if (a.json) throw usage_error("--json: needs -o, standard output takes the array");
  if (::isatty(STDOUT_FILENO)) throw usage_error("-o is missing, and a terminal takes no array");
  std::uint64_t const shape[] = {*a.n};
  auto const text = [](std::span<std::byte const> bytes) {
    return std::string_view(reinterpret_cast<char const*>(bytes.data()), bytes.size());
  };
  auto header = io::npy_header(*a.type, shape);
  auto const begin = [&] { write_standard_output(text(std::exchange(header, {}))); };
  write(a, [&](auto bytes) {
    begin();  // not before the arguments have proved right
    write_standard_output(text(bytes));
  });
  begin();
}

void write_to_file(arguments const& a, writer write) {
  array_output file(*a.output, *a.type, std::vector{*a.n});
  std::uint64_t first = 0;
  write(a, [&](auto bytes) {
    file.put(first, bytes);
    first += bytes.size() / size_of(*a.type);
  });
  file.finish();
}

}  // namespace

void run_generate(arguments const& given) {
  stopwatch const watch;
  auto a = given;
  auto const& kind = kind_named(a.kind);
  if (!a.n) a.n = kind.n;
  if (!a.type) a.type = kind.type;
  if (a.condition && !kind.has_condition)
    throw usage_error("--condition: " + a.kind + " numbers have none");
  if (!a.condition) a.condition = 1e20;
  if (!(*a.condition >= 1 && std::isfinite(*a.condition)))
    throw usage_error("--condition: a finite number from 1 on is needed");
  auto const write = writer_for(a);
  if (!a.output) return write_to_standard_output(a, write);
  write_to_file(a, write);
  facts const about{.inputs = {},
                    .type = *a.type,
                    .shape = {*a.n},
                    .count = *a.n,
                    .nan_count = 0,
                    .bytes_read = 0};
  answer const found{.lines = {}, .keys = {{"output", *a.output}}};
  if (a.json) return print(a, about, found, watch);
  print_time(a, *a.n * size_of(*a.type), watch.seconds());
}

}  // namespace tally::cli
