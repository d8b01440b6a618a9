// SPDX-License-Identifier: Apache-2.0
#include "scan_rows.hpp"
#include "tally/automatic.hpp"
#include "tally/cpu/scans.hpp"
#include "tally/dynamic.hpp"

namespace tally {
namespace detail {
namespace {

struct any_scan_op {
  void* (*start)();
};

}  // namespace

template <class In, class Out>
struct scan_compiled_here<any_scan_op, In, Out> {
  static owner<running_scan<In, Out>> start(any_scan_op const& op) {
    return owner<running_scan<In, Out>>(static_cast<running_scan<In, Out>*>(op.start()));
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
  state_of(detail::any_scan_op const& op, scan_options<Out> const& options, std::uint64_t first)
      : all_(op, options, first) {}

  void scan(cpu where, any_array const& in, any_output const& out, bool exclusive) override {
    std::span<In const> const x(static_cast<In const*>(in.data), std::size_t(in.size));
    std::span<Out> const to(static_cast<Out*>(out.data), std::size_t(out.size));
    exclusive ? all_.exclusive(where, x, to) : all_.inclusive(where, x, to);
  }
  any_number total() const override { return any_number(all_.total()); }

 private:
  scanner<In, Out, detail::any_scan_op> all_;
};

detail::any_scan_op found(any_aggregate const& op, dtype in, dtype out) {
  for (auto const& row : detail::scan_rows())
    if (row.name && row.name == op.info().name && row.elements == in)
      return {row.start[std::size_t(out)]};
  return {nullptr};
}

// Between which types something can be scanned.
template <class In, class Out>
constexpr bool related = (integer<In> && integer<Out>) || (floating<In> && floating<Out>);

template <class In, class Out>
std::unique_ptr<any_scanner::state> state_for(detail::any_scan_op const& op,
                                              any_scan_options const& options,
                                              std::uint64_t first) {
  if constexpr (related<In, Out>) {
    scan_options<Out> how{.reverse = options.reverse, .nan = options.nan};
    if (options.init) {
      if (options.init->type != dtype_of<Out>)
        throw error("scan: init is a " + std::string(name(options.init->type)) + ", out holds " +
                    std::string(name(dtype_of<Out>)));
      how.init = options.init->as<Out>();
    }
    return std::make_unique<state_of<In, Out>>(op, how, first);
  } else {
    return nullptr;
  }
}

void require_type(char const* argument, dtype given, dtype wanted) {
  if (given != wanted)
    throw error(std::string("scan: ") + argument + " holds " + std::string(name(given)) + ", not " +
                std::string(name(wanted)));
}

void scan_at_once(cpu where, any_array const& in, any_output const& out, any_aggregate const& op,
                  any_scan_options const& options, bool exclusive) {
  any_scanner all(op, in.type, out.type, options, options.reverse ? out.size : 0);
  exclusive ? all.exclusive(where, in, out) : all.inclusive(where, in, out);
  if (options.total) *options.total = all.total();
}

cpu where_for(automatic& where, any_array const& in, char const* call) {
  detail::require_on_cpu(call,
                         std::span(static_cast<std::byte const*>(in.data), std::size_t(in.size)));
  return where.use_cpu();
}

}  // namespace

bool can_scan(any_aggregate const& op, dtype in, dtype out) { return found(op, in, out).start; }

any_scanner::any_scanner(any_aggregate const& op, dtype in, dtype out,
                         any_scan_options const& options, std::uint64_t first)
    : in_(in), out_(out) {
  auto const start = found(op, in, out);
  if (!start.start)
    throw error("there is no scan of " + std::string(name(in)) + " by " +
                std::string(op.info().name) + " to " + std::string(name(out)));
  state_ = visit(in, [&]<class In>(std::type_identity<In>) {
    return visit(out, [&]<class Out>(std::type_identity<Out>) {
      return state_for<In, Out>(start, options, first);
    });
  });
}
any_scanner::any_scanner(any_scanner&&) noexcept = default;
any_scanner& any_scanner::operator=(any_scanner&&) noexcept = default;
any_scanner::~any_scanner() = default;

void any_scanner::inclusive(cpu where, any_array const& in, any_output const& out) {
  require_type("in", in.type, in_);
  require_type("out", out.type, out_);
  state_->scan(where, in, out, false);
}
void any_scanner::exclusive(cpu where, any_array const& in, any_output const& out) {
  require_type("in", in.type, in_);
  require_type("out", out.type, out_);
  state_->scan(where, in, out, true);
}
any_number any_scanner::total() const { return state_->total(); }

void inclusive_scan(cpu where, any_array const& in, any_output const& out, any_aggregate const& op,
                    any_scan_options const& options) {
  scan_at_once(where, in, out, op, options, false);
}
void exclusive_scan(cpu where, any_array const& in, any_output const& out, any_aggregate const& op,
                    any_scan_options const& options) {
  scan_at_once(where, in, out, op, options, true);
}
void inclusive_scan(automatic& where, any_array const& in, any_output const& out,
                    any_aggregate const& op, any_scan_options const& options) {
  scan_at_once(where_for(where, in, "inclusive_scan"), in, out, op, options, false);
}
void exclusive_scan(automatic& where, any_array const& in, any_output const& out,
                    any_aggregate const& op, any_scan_options const& options) {
  scan_at_once(where_for(where, in, "exclusive_scan"), in, out, op, options, true);
}

}  // namespace tally
