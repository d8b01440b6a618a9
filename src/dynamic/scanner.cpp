// SPDX-License-Identifier: Apache-2.0
#include "scan_rows.hpp"

namespace tally {
namespace detail {

template <class In, class Out>
struct scan_compiled_here<scan_functions, In, Out> {
  static owner<running_scan<In, Out>> start(scan_functions const& scan) {
    return owner<running_scan<In, Out>>(static_cast<running_scan<In, Out>*>(scan.start()));
  }
};

}  // namespace detail

struct any_scanner::state {
  virtual ~state() = default;
  virtual void scan(cpu where, any_array const& in, any_output const& out, bool exclusive) = 0;
  virtual any_number total() const = 0;
};

namespace {

template <class In, class Out>
class state_of final : public any_scanner::state {
 public:
  state_of(detail::scan_functions const& scan, any_scan_options const& options, std::uint64_t first)
      : all_(scan, detail::options_for<Out>(options), first) {}

  void scan(cpu where, any_array const& in, any_output const& out, bool exclusive) override {
    auto const x = detail::elements_of<In>(in);
    auto const to = detail::room_of<Out>(out);
    exclusive ? all_.exclusive(where, x, to) : all_.inclusive(where, x, to);
  }
  any_number total() const override { return any_number(all_.total()); }

 private:
  scanner<In, Out, detail::scan_functions> all_;
};

// Between which types something can be scanned.
template <class In, class Out>
constexpr bool related = (integer<In> && integer<Out>) || (floating<In> && floating<Out>);

template <class In, class Out>
std::unique_ptr<any_scanner::state> state_for(detail::scan_functions const& scan,
                                              any_scan_options const& options,
                                              std::uint64_t first) {
  if constexpr (related<In, Out>)
    return std::make_unique<state_of<In, Out>>(scan, options, first);
  else
    return nullptr;
}

}  // namespace

any_scanner::any_scanner(any_aggregate const& op, dtype in, dtype out,
                         any_scan_options const& options, std::uint64_t first)
    : in_(in), out_(out) {
  auto const scan = detail::required_scan(op, in, out);
  state_ = visit(in, [&]<class In>(std::type_identity<In>) {
    return visit(out, [&]<class Out>(std::type_identity<Out>) {
      return state_for<In, Out>(scan, options, first);
    });
  });
}
any_scanner::any_scanner(any_scanner&&) noexcept = default;
any_scanner& any_scanner::operator=(any_scanner&&) noexcept = default;
any_scanner::~any_scanner() = default;

void any_scanner::inclusive(cpu where, any_array const& in, any_output const& out) {
  detail::require_type("scan", "in", in.type, in_);
  detail::require_type("scan", "out", out.type, out_);
  state_->scan(where, in, out, false);
}
void any_scanner::exclusive(cpu where, any_array const& in, any_output const& out) {
  detail::require_type("scan", "in", in.type, in_);
  detail::require_type("scan", "out", out.type, out_);
  state_->scan(where, in, out, true);
}
any_number any_scanner::total() const { return state_->total(); }

}  // namespace tally
