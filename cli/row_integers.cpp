// SPDX-License-Identifier: Apache-2.0
#include "row_integers.hpp"

#include <algorithm>
#include <filesystem>

#include "commands.hpp"
#include "decimal.hpp"
#include "option_values.hpp"
#include "tally/error.hpp"

namespace tally::cli {
namespace {

// Results of that type, or of more bits.
void put_integers(row_answer& to, arguments const& options, row_shape const& shape,
                  std::vector<answer> const& each, dtype type) {
  std::vector<told_integer> all;
  std::vector<json> values, bits;
  std::vector<std::string> types, texts;
  for (auto const& one : each) {
    texts.push_back(one.lines.front()), types.push_back(one.keys["result_dtype"]);
    all.push_back({texts.back(), types.back()});
    values.push_back(one.keys["value"]), bits.push_back(one.keys["bits"]);
  }
  if (options.output) return to.write(as_elements(all, type), type, shape.kept());
  to.told().keys["value"] = nested(shape.kept(), std::move(values));
  to.told().keys["bits"] = nested(shape.kept(), std::move(bits));
  to.told().keys["result_dtype"] = all.empty() ? std::string(name(type)) : widest_of(types);
  if (!texts.empty()) to.told().lines = lines_of(texts, shape.a_line());
}

bool can_be_read_again(std::vector<std::string> const& files) {
  return std::ranges::all_of(files, [](auto const& file) {
    std::error_code none;
    return std::filesystem::is_regular_file(file, none);
  });
}

}  // namespace

std::vector<std::byte> as_elements(std::vector<told_integer> const& values, dtype type) {
  std::vector<std::byte> bytes;
  for (auto const& x : values) {
    if (x.type != name(type))
      throw error("-o: " + x.text + " is no " + std::string(name(type)) +
                  "; --out-dtype int64 or uint64 gives it modulo 2^64");
    any_number value(type, 0);
    parse_number("-o", x.text, value);
    bytes.resize(bytes.size() + size_of(type));
    value.store(bytes.data() + bytes.size() - size_of(type));
  }
  return bytes;
}

void put_products(row_answer& to, arguments const& options, row_input const& in,
                  reduction_settings const& settings) {
  std::vector<answer> each;
  for (std::uint64_t r = 0; r < in.shape().rows().count; ++r) {
    auto const row = in.row(r);
    reduction total(settings, 0);
    total.add(options.where, masked_array{array_of(in.type(), row), {}});
    each.push_back(answer_of(settings, total, "row " + std::to_string(r)));
  }
  auto const own = aggregate_of(settings).results().begin()->value.type;
  put_integers(to, options, in.shape(), each, settings.out_type.value_or(own));
}

bool put_large_sums(row_answer& to, arguments const& options, row_input& in) {
  auto const text = in.source().facts();
  bool const integers = in.source().is_text() && is_floating(in.type()) && text.decimals == 0;
  if (!(options.command->options & adds_integers) || !integers) return false;
  bool const all_there = text.missing == 0 || options.skip_nan;
  if (!(options.command->options & grows) || options.out_type || !all_there ||
      !can_be_read_again(in.source().files()))
    throw error(std::string(options.command->name) + ": " + told_name(in.source().name()) +
                " has integers that no type of 64 bits has; rows keep their digits in sums of "
                "files alone, --dtype float64 rounds them");
  std::vector<io::decimal_sum> sums(std::size_t(in.shape().rows().count));
  read_decimals(in.source().files(), options, [&](auto const& x, auto i, auto element) {
    auto const row = in.shape().row_of(element);
    if (row && !x.is_missing(i)) x.add_to(sums[std::size_t(*row)], i);
  });
  std::vector<answer> each;
  for (auto const& sum : sums) each.push_back(answer_with(sum.text()));
  put_integers(to, options, in.shape(), each, dtype::int64);
  to.keeps_all_digits();
  return true;
}

}  // namespace tally::cli
