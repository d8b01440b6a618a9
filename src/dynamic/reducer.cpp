// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"
#include "tally/cpu/implementations.hpp"
#include "tally/definition/describe.hpp"

namespace tally {

using detail::aggregate_entry;
using detail::any_input;
using indices = std::span<std::size_t const>;

struct any_reducer::state {
  virtual ~state() = default;
  virtual std::unique_ptr<state> copy() const = 0;
  virtual void add(any_where where, any_input const& in, indices missing) = 0;
  virtual void append(state const& right) = 0;
  virtual void move_to(std::uint64_t first) = 0;
  virtual void const* known() const = 0;
  // Whether another aggregate can be made of it.
  virtual bool tells(aggregate_entry const& other, aggregate_options const& options) const = 0;
  virtual std::uint64_t count() const = 0;
  virtual std::uint64_t first() const = 0;
  virtual bool is_ordered() const = 0;
  virtual std::uint64_t nan_count() const = 0;
  virtual std::optional<std::uint64_t> first_missing() const = 0;
  virtual void write(byte_writer& out) const = 0;
  virtual void read(byte_reader& in) = 0;
};

namespace {

// What `op` knows of elements, the first of which has this index.
template <class T, class Where, class Op>
detail::known_run<T> known_of(Where& where, Op const& op, auto const& in, nan_policy nan,
                              std::uint64_t first = 0) {
  detail::known_run<T> run{detail::start_compiled<Op, T>(op), first};
  detail::calls_on<detail::states_on, Where>::append(where, run, op, in, nan);
  return run;
}

// How many elements are NaN. A minimum counts them on its way, on every thread; on a gpu a mean
// counts all others.
template <element T, class Where>
std::uint64_t nans_in(Where& where, std::span<T const> x) {
  if constexpr (integer<T>) return 0;
  auto const in = detail::input_of("count_nan", "in", x);
  if constexpr (std::is_same_v<Where, gpu>) {
    auto const mean_of = known_of<T>(where, mean{}, in, skip);
    return x.size() - detail::total_of<moments<T, false>>(*mean_of.known).value.count;
  } else {
    auto const least = known_of<T>(where, minimum{}, in, propagate);
    return detail::total_of<extrema<T>>(*least.known).value.nan;
  }
}

// As a reducer, but of an aggregate that is an entry, and of elements some of which may be missing.
template <class T>
class state_of final : public any_reducer::state {
 public:
  state_of(aggregate_entry const& entry, aggregate_options const& options, reduce_options how,
           std::uint64_t first)
      : entry_(entry),
        options_(options),
        nan_(how.nan),
        run_{started(entry, options), first},
        counts_(!known_nans()) {}

  std::unique_ptr<state> copy() const override { return std::make_unique<state_of>(*this); }
  void add(any_where where, any_input const& in, indices missing) override {
    auto const x = detail::input_of(entry_.name, "in", detail::arrays_of<T>::in(in));
    run_.require_indices(entry_.name, x.size());
    detail::run_where(where, in, [&](auto&& there) {
      if constexpr (std::is_same_v<decltype(there), gpu&>)
        add_on_gpu(there, in, missing);
      else if (missing.empty())
        run_.known->add(detail::thread_count(there), detail::elements_of(x), x.size(), run_.end(),
                        nan_);
      else
        add_between(detail::elements_of(x), x.size(), missing);
      if (counts_) nans_ += missing.size() + nans_of(there, detail::arrays_of<T>::in(in));
    });
    run_.count += x.size();
  }
  void append(state const& right) override {
    auto const& other = static_cast<state_of const&>(right);
    run_.append(other.run_);
    nans_ += other.nans_;
    first_missing_ = std::min(first_missing_, other.first_missing_);
  }
  void move_to(std::uint64_t first) override {
    auto const by = first - run_.first;
    run_.move_to(first);
    if (first_missing_ != none) first_missing_ += by;
  }
  void const* known() const override { return &*run_.known; }
  bool tells(aggregate_entry const& other, aggregate_options const& options) const override {
    return run_.known->includes(*started(other, options));
  }

  std::uint64_t count() const override { return run_.count; }
  std::uint64_t first() const override { return run_.first; }
  bool is_ordered() const override { return !run_.known->any_order(); }
  std::uint64_t nan_count() const override { return counts_ ? nans_ : *known_nans(); }
  std::optional<std::uint64_t> first_missing() const override {
    return first_missing_ == none ? std::nullopt : std::optional(first_missing_);
  }

  // Where nothing is missing, nothing is said of what is.
  void write(byte_writer& out) const override {
    out.put(nans_);
    if (has_missing()) out.put(first_missing_);
    run_.write(out);
  }
  void read(byte_reader& in) override {
    nans_ = in.get<std::uint64_t>();
    first_missing_ = has_missing() ? in.get<std::uint64_t>() : none;
    run_.read(in);
    if (has_missing() && nans_ > run_.count)
      throw error("state: more is missing than there are elements");
  }

 private:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

  aggregate_entry const& entry_;  // of a table that stays
  aggregate_options options_;
  nan_policy nan_;
  detail::known_run<T> run_;
  bool counts_;  // because what is known does not tell
  std::uint64_t nans_ = 0, first_missing_ = none;

  bool has_missing() const { return !has_nan<T> && nans_ > 0; }
  static detail::owner<detail::running<T>> started(aggregate_entry const& entry,
                                                   aggregate_options const& options) {
    return detail::owner<detail::running<T>>(
        static_cast<detail::running<T>*>(entry.start(options)));
  }
  void add_on_gpu(gpu& where, any_input const& in, indices missing) {
    auto const what = std::string(entry_.name) + " of " + std::string(name(entry_.elements));
    if (!missing.empty()) throw error("reduce: elements of a gpu's are missing, in the " + what);
    if (!entry_.append_on_gpu) throw error("reduce: there is no kernel for states of the " + what);
    if (!add_more_on_gpu(where, in)) entry_.append_on_gpu(options_, where, in, nan_, &run_);
  }
  // Whether a gpu was asked for more than the result, as other aggregates may be made of what is
  // known: with a minimum cores know both ends and where they are, with all_of how many are zero.
  bool add_more_on_gpu(gpu& where, any_input const& in) {
    if constexpr (element<T>) {
      auto const x = detail::input_of(entry_.name, "in", detail::arrays_of<T>::in(in));
      auto const ask = [&](auto const& op, nan_policy nan) {
        return known_of<T>(where, op, x, nan, run_.end()).known;
      };
      if (run_.known->kind() == &detail::kind_of<extrema<T>>) {
        auto seen = detail::total_of<extrema<T>>(*ask(describe{}, skip)).value;
        // Where the first NaN is, is another question.
        if (nan_ == propagate && seen.nan > 0)
          seen.first_nan =
              detail::total_of<extrema<T>>(*ask(arg_minimum{}, propagate)).value.first_nan;
        append(extrema<T>(), seen);
        return true;
      }
      if (run_.known->kind() == &detail::kind_of<zeros<T>>) {
        auto const others = detail::total_of<zeros<T>>(*ask(count_nonzero{}, nan_)).value.count;
        std::uint64_t const skipped =
            nan_ == skip ? nans_of(where, detail::arrays_of<T>::in(in)) : 0;
        auto const count = x.size() - skipped;
        append(zeros<T>(), {count, count - others});
        return true;
      }
    }
    return false;
  }
  template <class A>
  void append(A const& a, typename A::state const& known) {
    detail::partial<A> part(a);
    part.value = known;
    run_.known->append(*detail::run_of(a, part));
  }
  // All that is not missing, a run of neighbours after the other.
  void add_between(detail::elements<T> const& x, std::uint64_t size, indices missing) {
    auto const part = run_.known->part(nan_);
    std::uint64_t begin = 0;
    for (auto const i : missing) {
      if (begin < i) part->add(x, begin, i, run_.end());
      begin = i + 1;
    }
    if (begin < size) part->add(x, begin, size, run_.end());
    run_.known->append(*part, nan_);
    first_missing_ = std::min<std::uint64_t>(first_missing_, run_.end() + missing[0]);
  }

  // How many elements were NaN, if what is known of them tells.
  std::optional<std::uint64_t> known_nans() const {
    if constexpr (has_nan<T> && element<T>) {
      using detail::kind_of, detail::total_of;
      using first = moments<T, false>;
      auto const& known = *run_.known;
      if (known.find(&kind_of<extrema<T>>)) return total_of<extrema<T>>(known).value.nan;
      if (!known.find(&kind_of<first>)) return std::nullopt;
      auto const found = total_of<first>(known).value;
      return nan_ == skip ? run_.count - found.count : found.sum.nan;
    }
    return std::nullopt;
  }
  static std::uint64_t nans_of(auto& where, auto const& x) {
    std::uint64_t nans = 0;
    if constexpr (element<T> && has_nan<T>)
      nans = nans_in<T>(where, x);
    else if constexpr (has_nan<T> && !std::is_same_v<decltype(where), gpu&>)
      for (std::uint64_t i = 0; i < x.size(); ++i) nans += is_nan(x[i]);
    return nans;
  }
};

std::unique_ptr<any_reducer::state> state_for(aggregate_entry const& entry,
                                              aggregate_options const& options, reduce_options how,
                                              std::uint64_t first) {
  using made = std::unique_ptr<any_reducer::state>;
  return visit(entry.elements, [&]<class T>(std::type_identity<T>) -> made {
    if (entry.of_pairs)
      return std::make_unique<state_of<detail::pair<T>>>(entry, options, how, first);
    return std::make_unique<state_of<T>>(entry, options, how, first);
  });
}

std::string text_of(bound_aggregate const& op) {
  return std::string(op.info().name) + " of " + std::string(name(op.elements()));
}

}  // namespace

any_reducer::any_reducer(bound_aggregate const& op, reduce_options options, std::uint64_t first)
    : op_(op), options_(options), state_(state_for(entry_of(op), op.options(), options, first)) {}
any_reducer::any_reducer(any_reducer const& other)
    : op_(other.op_), options_(other.options_), state_(other.state_->copy()) {}
any_reducer::any_reducer(any_reducer&&) noexcept = default;
any_reducer& any_reducer::operator=(any_reducer other) noexcept {
  op_ = other.op_;
  options_ = other.options_;
  state_ = std::move(other.state_);
  return *this;
}
any_reducer::~any_reducer() = default;

void any_reducer::add(any_where where, any_array const& chunk, indices missing) {
  state_->add(where, detail::input_for(entry_of(op_), chunk), missing);
}
void any_reducer::add(any_where where, any_array const& a, any_array const& b, indices missing) {
  state_->add(where, detail::input_for(entry_of(op_), a, b), missing);
}

void any_reducer::append(any_reducer const& right) {
  if (&entry_of(op_) != &entry_of(right.op_))
    throw error("append: a " + text_of(right.op_) + " to a " + text_of(op_));
  state_->append(*right.state_);
}
void any_reducer::move_to(std::uint64_t first) { state_->move_to(first); }

any_result any_reducer::result() const {
  any_result out;
  entry_of(op_).finish(op_.options(), state_->known(), out);
  return out;
}

any_result any_reducer::result(bound_aggregate const& other) const {
  auto const &entry = entry_of(other), &own = entry_of(op_);
  bool const told = entry.elements == own.elements && entry.of_pairs == own.of_pairs &&
                    (&entry == &own || state_->tells(entry, other.options()));
  if (!told) throw error("result: a " + text_of(op_) + " does not tell the " + text_of(other));
  any_result out;
  entry.finish(other.options(), state_->known(), out);
  return out;
}

bool any_reducer::has_result() const {
  return count() > (options_.nan == skip ? nan_count() : 0) || op_.answers_nothing();
}

std::uint64_t any_reducer::count() const { return state_->count(); }
std::uint64_t any_reducer::first() const { return state_->first(); }
bool any_reducer::is_ordered() const { return state_->is_ordered(); }
std::uint64_t any_reducer::nan_count() const { return state_->nan_count(); }
std::optional<std::uint64_t> any_reducer::first_missing() const { return state_->first_missing(); }
void any_reducer::write(byte_writer& out) const { state_->write(out); }
void any_reducer::read(byte_reader& in) { state_->read(in); }

std::uint64_t count_nan(any_where where, any_array const& in) {
  std::uint64_t nans = 0;
  detail::run_where(where, {in.data, nullptr, in.size}, [&](auto&& there) {
    nans = visit(in.type, [&]<class T>(std::type_identity<T>) {
      return nans_in<T>(there, detail::elements_of<T>(in));
    });
  });
  return nans;
}

}  // namespace tally
