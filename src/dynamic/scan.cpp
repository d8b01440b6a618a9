// SPDX-License-Identifier: Apache-2.0
#include "tally/scan.hpp"

#include <array>

#include "present.hpp"
#include "tally/scan_carry.hpp"

namespace tally {
namespace detail {

// A scan of elements of one type, In, to results of one type, Out.
struct scan_functions {
  void* (*start)() = nullptr;  // a running_scan<In, Out>; null: there is no such scan
  void (*on_gpu)(gpu&, any_array const&, any_output const&, any_scan_options const&,
                 bool exclusive) = nullptr;  // null: there is no kernel
  void (*go_on_on_gpu)(gpu&, any_array const&, any_output const&, void* position,
                       bool exclusive) = nullptr;  // of a scan_position<In, Out>
  void (*rows_on_gpu)(gpu&, any_rows const&, any_row_output const&, any_row_scan_options const&,
                      bool exclusive) = nullptr;
  void (*rows_on_cores)(cpu, any_rows const&, any_row_output const&, any_row_scan_options const&,
                        bool exclusive) = nullptr;  // null: one after the other
};

// The scans of elements of one type by an aggregate, by the type of their results.
struct scan_entry {
  char const* name = nullptr;  // null: nothing here can be scanned
  dtype elements = {};
  std::array<scan_functions, dtype_names.size()> to = {};
};

// All but the total. Throws unless init is an Out.
template <class Out, class Options>
scan_options<Out> options_for(Options const& options) {
  scan_options<Out> how{.reverse = options.reverse, .nan = options.nan};
  if (!options.init) return how;
  if (options.init->type != dtype_of<Out>)
    throw error("scan: init is a " + std::string(name(options.init->type)) + ", out holds " +
                std::string(name(dtype_of<Out>)));
  how.init = options.init->template as<Out>();
  return how;
}

namespace {

// The total is a value on the host: who asks for it waits.
template <class Op, class In, class Out>
void scan_on_a_gpu(gpu& where, any_array const& in, any_output const& out,
                   any_scan_options const& options, bool exclusive) {
  if constexpr (gpu_calls) {
    auto const x = elements_of<In>(in);
    auto const to = room_of<Out>(out);
    auto how = options_for<Out>(options);
    if (options.total)
      how.total = static_cast<Out*>(entered_gpu(where.context())->result_slot(sizeof(Out)));
    exclusive ? exclusive_scan(where, x, to, Op{}, how) : inclusive_scan(where, x, to, Op{}, how);
    if (!options.total) return;
    where.synchronise();
    *options.total = any_number(*how.total);
  }
}

template <class Op, class In, class Out>
void go_on_on_a_gpu(gpu& where, any_array const& in, any_output const& out, void* position,
                    bool exclusive) {
  if constexpr (gpu_calls)
    scans_on<gpu>::go_on(where, "scan", elements_of<In>(in), room_of<Out>(out), Op{},
                         *static_cast<scan_position<In, Out>*>(position), exclusive);
}

template <class In, class Out>
void scan_rows(auto&& where, any_rows const& in, any_row_output const& out, auto const& op,
               any_row_scan_options const& options, bool exclusive) {
  auto const x = arrays_of<In>::rows_in({&in, nullptr});
  rows<Out> const to(static_cast<Out*>(out.data), out.layout);
  auto how = options_for<Out>(options);
  how.total = static_cast<Out*>(options.totals);
  calls_on<scans_on, decltype(where)>::run(where, x, to, op, how, exclusive);
}
template <class Where, class Op, class In, class Out>
void scan_rows_by(Where where, any_rows const& in, any_row_output const& out,
                  any_row_scan_options const& options, bool exclusive) {
  if constexpr (gpu_calls || std::is_same_v<Where, cpu>)
    scan_rows<In, Out>(where, in, out, Op{}, options, exclusive);
}

template <class Op, class In, class Out>
constexpr scan_functions functions_of() {
  scan_functions functions;
  if constexpr (held_scan<Op, In, Out> || sums_integers<Op, In, Out>)
    functions.start = []() -> void* { return start_scan<In, Out>(Op{}).release(); };
  using held = std::conditional_t<sums_integers<Op, In, Out>, sum, Op>;  // both sums are one
  if constexpr (element<In> && scan_is_held_on_gpu<held, array_input<In>, Out>)
    functions.on_gpu = scan_on_a_gpu<held, In, Out>,
    functions.go_on_on_gpu = go_on_on_a_gpu<held, In, Out>,
    functions.rows_on_gpu = scan_rows_by<gpu&, held, In, Out>;
  if constexpr (scans_short_rows<held, In, Out>)
    functions.rows_on_cores = scan_rows_by<cpu, held, In, Out>;
  return functions;
}

template <class Op, class In, class... Outs>
constexpr scan_entry entry_of(type_list<Outs...>) {
  scan_entry entry;
  entry.to = {functions_of<Op, In, Outs>()...};
  for (auto const& functions : entry.to)
    if (functions.start) entry.name = Op::name;
  if constexpr (element<In>) entry.elements = dtype_of<In>;
  return entry;
}

#define TALLY_ENTRY(O, T) entry_of<O, T>(element_types{}),
#define TALLY_ENTRIES(ELEMENTS, O) TALLY_EACH_##ELEMENTS(TALLY_ENTRY, O)

std::span<scan_entry const> scan_entries() {
  static constexpr scan_entry entries[] = {TALLY_REDUCTIONS(TALLY_ENTRIES)};
  return entries;
}

// The functions are null where there is no such scan.
scan_functions scan_of(any_aggregate const& op, dtype in, dtype out) {
  for (auto const& entry : scan_entries())
    if (entry.name && entry.name == op.info().name && entry.elements == in)
      return entry.to[std::size_t(out)];
  return {};
}

// Throws where it cannot start.
scan_functions required_scan(any_aggregate const& op, dtype in, dtype out) {
  auto const found = scan_of(op, in, out);
  if (!found.start)
    throw error("there is no scan of " + std::string(name(in)) + " by " +
                std::string(op.info().name) + " to " + std::string(name(out)));
  return found;
}

}  // namespace

template <class In, class Out>
struct scan_compiled_here<scan_functions, In, Out> {
  static owner<running_scan<In, Out>> start(scan_functions const& scan) {
    return owner<running_scan<In, Out>>(static_cast<running_scan<In, Out>*>(scan.start()));
  }
};

}  // namespace detail

struct any_scanner::state {
  virtual ~state() = default;
  virtual void scan(any_where where, any_array const& in, any_output const& out,
                    bool exclusive) = 0;
  virtual void skip(cpu where, any_array const& in) = 0;
  virtual any_number total() const = 0;
  virtual std::vector<std::byte> carry() const = 0;
  virtual void resume(std::span<std::byte const> carry) = 0;
  virtual void append(std::span<std::byte const> carry) = 0;
};

namespace {

template <class In, class Out>
class state_of final : public any_scanner::state {
 public:
  state_of(detail::scan_functions const& scan, any_scan_options const& options, std::uint64_t first)
      : scan_(scan), nan_(options.nan), all_(scan, detail::options_for<Out>(options), first) {}

  void scan(any_where where, any_array const& in, any_output const& out, bool exclusive) override {
    auto const x = detail::elements_of<In>(in);
    auto const to = detail::room_of<Out>(out);
    detail::run_where(where, {in.data, nullptr, in.size}, [&](auto&& there) {
      if constexpr (std::is_same_v<decltype(there), gpu&>)
        go_on(there, in, out, exclusive);
      else
        exclusive ? all_.exclusive(there, x, to) : all_.inclusive(there, x, to);
    });
  }
  void skip(cpu where, any_array const& in) override {
    all_.skip(where, detail::elements_of<In>(in));
  }
  any_number total() const override { return any_number(all_.total()); }
  std::vector<std::byte> carry() const override { return all_.carry().serialise(); }
  void resume(std::span<std::byte const> carry) override {
    all_ = scanning(scanning::carry_type::deserialise(carry), scan_, nan_);
  }
  void append(std::span<std::byte const> carry) override {
    all_.append(scanning::carry_type::deserialise(carry));
  }

 private:
  using scanning = scanner<In, Out, detail::scan_functions>;

  detail::scan_functions scan_;
  nan_policy nan_;
  scanning all_;

  void go_on(gpu& there, any_array const& in, any_output const& out, bool exclusive) {
    if (!scan_.go_on_on_gpu)
      throw error("scan: there is no kernel for this one of " + std::string(name(in.type)) +
                  " to " + std::string(name(out.type)));
    scan_.go_on_on_gpu(there, in, out, &all_.position(), exclusive);
  }
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

// The kernel, as a function; throws where there is none.
template <class F>
F required_kernel(F kernel, any_aggregate const& op, dtype in, dtype out) {
  if (!kernel)
    throw error("scan: there is no kernel for a scan of " + std::string(name(in)) + " by " +
                std::string(op.info().name) + " to " + std::string(name(out)));
  return kernel;
}

void run(any_where where, any_array const& in, any_output const& out, any_aggregate const& op,
         any_scan_options const& options, bool exclusive) {
  detail::run_where(where, {in.data, nullptr, in.size}, [&](auto&& there) {
    if constexpr (std::is_same_v<decltype(there), gpu&>) {
      auto const scan = detail::required_scan(op, in.type, out.type).on_gpu;
      required_kernel(scan, op, in.type, out.type)(there, in, out, options, exclusive);
    } else {
      any_scanner all(op, in.type, out.type, options, options.reverse ? out.size : 0);
      exclusive ? all.exclusive(there, in, out) : all.inclusive(there, in, out);
      if (options.total) *options.total = all.total();
    }
  });
}

// What adds nothing to a scan.
std::uint64_t nothing_bits(any_aggregate const& op, dtype type) {
  return visit(type, [&]<class T>(std::type_identity<T>) -> std::uint64_t {
    if constexpr (floating<T>) {
      return detail::nan_bits(type);
    } else {
      using limits = std::numeric_limits<T>;
      T const x = op.info().name == "minimum"   ? limits::max()
                  : op.info().name == "maximum" ? limits::min()
                  : op.info().name == "product" ? T(1)
                                                : T{};
      return to_bits(x);
    }
  });
}

void run(any_where where, any_rows const& in, any_row_output const& out, any_aggregate const& op,
         any_row_scan_options const& options, bool exclusive);

// Where elements are missing, copies are scanned.
template <class Where>
void run_filled(Where& where, any_rows const& in, any_row_output const& out,
                any_aggregate const& op, any_row_scan_options const& options, bool exclusive) {
  char const* const call = exclusive ? "exclusive_scan" : "inclusive_scan";
  constexpr bool here = detail::is_here<Where>;
  detail::require_rows_at(call, in, here);
  detail::require_apart(call, detail::in_memory(in), {out.layout, out.data, size_of(out.type)},
                        here);
  if (!is_floating(in.type) && options.nan == propagate &&
      !detail::packed_rows<Where>(where, in, nullptr, false).are_all())
    throw detail::no_missing_result("scan", "a result that is an integer");
  detail::filled_rows<Where> const filled(where, in, nothing_bits(op, in.type));
  run(any_where(where), filled.rows(), out, op, options, exclusive);
}

void run(any_where where, any_rows const& in, any_row_output const& out, any_aggregate const& op,
         any_row_scan_options const& options, bool exclusive) {
  auto const scan = detail::required_scan(op, in.type, out.type);
  if (in.valid) {
    detail::run_where_they_lie(
        where, in, [&](auto& there) { run_filled(there, in, out, op, options, exclusive); });
    return;
  }
  detail::run_where(where, {in.data, nullptr, in.layout.count}, [&](auto&& there) {
    if constexpr (std::is_same_v<decltype(there), gpu&>) {
      required_kernel(scan.rows_on_gpu, op, in.type, out.type)(there, in, out, options, exclusive);
    } else if (scan.rows_on_cores) {
      scan.rows_on_cores(there, in, out, options, exclusive);
    } else {
      visit(in.type, [&]<class In>(std::type_identity<In>) {
        visit(out.type, [&]<class Out>(std::type_identity<Out>) {
          if constexpr (related<In, Out>)
            detail::scan_rows<In, Out>(there, in, out, scan, options, exclusive);
        });
      });
    }
  });
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

void any_scanner::inclusive(any_where where, any_array const& in, any_output const& out) {
  scan(where, in, out, false);
}
void any_scanner::exclusive(any_where where, any_array const& in, any_output const& out) {
  scan(where, in, out, true);
}
void any_scanner::scan(any_where where, any_array const& in, any_output const& out,
                       bool exclusive) {
  detail::require_type("scan", "in", in.type, in_);
  detail::require_type("scan", "out", out.type, out_);
  state_->scan(where, in, out, exclusive);
}
std::vector<std::byte> any_scanner::carry() const { return state_->carry(); }
void any_scanner::resume(std::span<std::byte const> carry) { state_->resume(carry); }
void any_scanner::append(std::span<std::byte const> carry) { state_->append(carry); }
void any_scanner::skip(cpu where, any_array const& in) {
  detail::require_type("scan", "in", in.type, in_);
  state_->skip(where, in);
}
any_number any_scanner::total() const { return state_->total(); }

bool can_scan(any_aggregate const& op, dtype in, dtype out) {
  return detail::scan_of(op, in, out).start;
}
bool can_scan_on_gpu(any_aggregate const& op, dtype in, dtype out) {
  return detail::scan_of(op, in, out).on_gpu;
}

void inclusive_scan(any_where where, any_array const& in, any_output const& out,
                    any_aggregate const& op, any_scan_options const& options) {
  run(where, in, out, op, options, false);
}
void exclusive_scan(any_where where, any_array const& in, any_output const& out,
                    any_aggregate const& op, any_scan_options const& options) {
  run(where, in, out, op, options, true);
}

void inclusive_scan(any_where where, any_rows const& in, any_row_output const& out,
                    any_aggregate const& op, any_row_scan_options const& options) {
  run(where, in, out, op, options, false);
}
void exclusive_scan(any_where where, any_rows const& in, any_row_output const& out,
                    any_aggregate const& op, any_row_scan_options const& options) {
  run(where, in, out, op, options, true);
}

}  // namespace tally
