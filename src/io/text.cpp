// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "formats.hpp"
#include "number.hpp"
#include "tally/cpu/float_environment.hpp"
#include "tally/error.hpp"

namespace tally::io {
namespace {

class text_source final : public source {
 public:
  explicit text_source(reader input) : input_(std::move(input)) {}

  std::span<std::byte const> next(std::size_t most) override {
    detail::float_environment const standard;
    values_.resize(std::clamp(most, sizeof(double), buffer_bytes) / sizeof(double));
    std::size_t n = 0;
    while (n < values_.size() && skip_space()) parse(values_[n++]);
    total_ += n;
    bytes_read_ = input_.taken();
    if (n < values_.size()) count_ = total_, shape_ = {total_};
    return std::as_bytes(std::span(values_).first(n));
  }

 private:
  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  // Whether there is a token.
  bool skip_space() {
    do {
      auto const text = input_.unread();
      auto const token = std::ranges::find_if_not(text, is_space);
      line_ += std::count(text.begin(), token, '\n');
      input_.take(token - text.begin());
    } while (input_.unread().empty() && input_.more());
    return !input_.unread().empty();
  }

  void parse(double& value) {
    auto const token = this->token();
    if (parse_number(token, dtype::float64, std::as_writable_bytes(std::span(&value, 1)).data()) !=
        parsed::number)
      throw error(input_.name() + ": line " + std::to_string(line_) + ": " + quoted(token) +
                  " is not a number");
    input_.take(token.size());
  }

  std::string_view token() {
    for (std::size_t known = 0;;) {
      auto const text = input_.unread();
      auto const end = std::ranges::find_if(text.substr(known), is_space) - text.begin();
      if (std::size_t(end) < text.size()) return text.substr(0, end);
      if (text.size() > longest_token)
        throw error(input_.name() + ": line " + std::to_string(line_) +
                    ": no number is longer than " + std::to_string(longest_token) +
                    " bytes: " + quoted(text));
      known = text.size();
      if (!input_.more()) return input_.unread();
    }
  }

  reader input_;
  std::vector<double> values_;
  std::uint64_t line_ = 1, total_ = 0;
};

}  // namespace

std::unique_ptr<source> open_text(reader input) {
  return std::make_unique<text_source>(std::move(input));
}

}  // namespace tally::io
