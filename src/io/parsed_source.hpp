// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/io/source.hpp"
#include "text_parts.hpp"

namespace tally::io {

// The numbers of a text's one column, part after part.
class parsed_source final : public source {
 public:
  parsed_source(text_parts parts, std::optional<dtype> type);
  void settle() override;
  void read_as(dtype type) override;
  std::span<std::byte const> next(std::size_t most) override;

 private:
  text_parts text_;
  std::span<parsed_part const> parts_;
  std::size_t done_ = 0;  // bytes of the first of them
  std::uint64_t total_ = 0;
  bool looked_ahead_ = false;  // what there is to be said is known
};

}  // namespace tally::io
