// SPDX-License-Identifier: Apache-2.0
//
// What a scan goes on with.
#pragma once

#include <span>
#include <vector>

#include "tally/cpu/scans.hpp"
#include "tally/saved.hpp"

namespace tally {

// What comes before the elements that follow in a scan, exactly: for a scanner elsewhere to go on
// with, or as bytes (saved.hpp): whether the scan goes in reverse, the index of the element that
// follows, of 64 bits, and what the aggregate says of all before it, the same wherever that was
// scanned.
template <class In, class Out, class Op>
class scan_carry {
 public:
  scan_carry() = default;
  explicit scan_carry(detail::scan_position<In, Out> const& at)
      : reverse_(at.reverse), next_(at.next) {
    byte_writer known;
    at.before->pack(known);
    known_ = known.take();
  }
  // What is said of the elements before becomes what a scan knows of them.
  void put_into(detail::running_scan<In, Out>& to) const {
    byte_reader known(known_);
    to.unpack(known);
    if (!known.at_end()) throw error("state: more bytes than it has");
  }

  bool reverse() const { return reverse_; }
  // In reverse it is one past it.
  std::uint64_t next() const { return next_; }

  std::vector<std::byte> serialise() const {
    byte_writer out;
    detail::write_head<In, Out>(out, detail::saved::scan, name());
    out.put(reverse_), out.put(next_);
    for (auto const b : known_) out.put(std::uint8_t(b));
    return out.take();
  }
  // What the aggregate says is looked at where a scanner goes on.
  static scan_carry deserialise(std::span<std::byte const> bytes) {
    byte_reader in(bytes);
    detail::read_head<In, Out>(in, detail::saved::scan, name());
    scan_carry c;
    c.reverse_ = in.get<bool>(), c.next_ = in.get<std::uint64_t>();
    while (!in.at_end()) c.known_.push_back(std::byte(in.get<std::uint8_t>()));
    return c;
  }
  bool operator==(scan_carry const&) const = default;

 private:
  bool reverse_ = false;
  std::uint64_t next_ = 0;
  std::vector<std::byte> known_;

  static constexpr char const* name() {
    if constexpr (requires { Op::name; })
      return Op::name;
    else
      return "operator";
  }
};

}  // namespace tally
