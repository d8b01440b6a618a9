// SPDX-License-Identifier: Apache-2.0
#include "nans.hpp"
#include "rows.hpp"

namespace tally {
namespace detail {
namespace {

template <class T>
struct any_op {
  aggregate_row const* row;
  aggregate_options options;
};

}  // namespace

// A reducer of it gives what it knows, of which a row's function makes results.
template <class T>
struct compiled_here<any_op<T>, T> {
  using result = running<T> const*;
  static constexpr char const* name = "reduce";
  static owner<running<T>> start(any_op<T> const& op) {
    return owner<running<T>>(static_cast<running<T>*>(op.row->start(op.options)));
  }
  static result finish(any_op<T> const&, running<T> const& known) { return &known; }
};

}  // namespace detail

using detail::aggregate_row;
using detail::any_input;

struct any_reducer::state {
  virtual ~state() = default;
  virtual std::unique_ptr<state> copy() const = 0;
  virtual void add(cpu where, any_input const& in) = 0;
  virtual void append(state const& right) = 0;
  virtual void move_to(std::uint64_t first) = 0;
  virtual void const* known() const = 0;
  // Whether another aggregate can be made of it.
  virtual bool tells(aggregate_row const& other, aggregate_options const& options) const = 0;
  virtual std::uint64_t count() const = 0;
  virtual std::uint64_t first() const = 0;
  virtual bool is_ordered() const = 0;
  virtual std::uint64_t nan_count() const = 0;
  virtual void write(byte_writer& out) const = 0;
  virtual void read(byte_reader& in) = 0;
};

namespace {

template <class T>
class state_of final : public any_reducer::state {
  using op = detail::any_op<T>;
  using here = detail::compiled_here<op, T>;

 public:
  state_of(op const& what, reduce_options options, std::uint64_t first)
      : nan_(options.nan), all_(what, options, first), counts_(!known_nans()) {}

  std::unique_ptr<state> copy() const override { return std::make_unique<state_of>(*this); }
  void add(cpu where, any_input const& in) override {
    auto const x = detail::arrays_of<T>::in(in);
    all_.add(where, x);
    if (counts_) nans_ += nans_of(where, x);
  }
  void append(state const& right) override {
    auto const& other = static_cast<state_of const&>(right);
    all_.append(other.all_);
    nans_ += other.nans_;
  }
  void move_to(std::uint64_t first) override { all_.move_to(first); }
  void const* known() const override { return all_.result(); }
  bool tells(aggregate_row const& other, aggregate_options const& options) const override {
    return all_.result()->includes(*here::start({&other, options}));
  }

  std::uint64_t count() const override { return all_.count(); }
  std::uint64_t first() const override { return all_.first(); }
  bool is_ordered() const override { return all_.is_ordered(); }
  std::uint64_t nan_count() const override { return counts_ ? nans_ : *known_nans(); }

  void write(byte_writer& out) const override {
    out.put(nans_);
    all_.write(out);
  }
  void read(byte_reader& in) override {
    nans_ = in.get<std::uint64_t>();
    all_.read(in);
  }

 private:
  nan_policy nan_;
  reducer<T, op> all_;
  bool counts_;  // because what is known does not tell
  std::uint64_t nans_ = 0;

  std::optional<std::uint64_t> known_nans() const {
    if constexpr (!has_nan<T>)
      return 0;
    else if constexpr (element<T>)
      return detail::nans_known<T>(*all_.result(), all_.count(), nan_);
    else
      return std::nullopt;
  }
  static std::uint64_t nans_of(cpu where, auto const& x) {
    std::uint64_t nans = 0;
    if constexpr (element<T>)
      nans = detail::nans_in<T>(where, x);
    else if constexpr (has_nan<T>)
      for (std::uint64_t i = 0; i < x.size(); ++i) nans += is_nan(x[i]);
    return nans;
  }
};

std::unique_ptr<any_reducer::state> state_for(aggregate_row const& row,
                                              aggregate_options const& options, reduce_options how,
                                              std::uint64_t first) {
  using made = std::unique_ptr<any_reducer::state>;
  return visit(row.elements, [&]<class T>(std::type_identity<T>) -> made {
    if (row.of_pairs)
      return std::make_unique<state_of<detail::pair<T>>>(
          detail::any_op<detail::pair<T>>{&row, options}, how, first);
    return std::make_unique<state_of<T>>(detail::any_op<T>{&row, options}, how, first);
  });
}

std::string text_of(bound_aggregate const& op) {
  return std::string(op.info().name) + " of " + std::string(name(op.elements()));
}

}  // namespace

any_reducer::any_reducer(bound_aggregate const& op, reduce_options options, std::uint64_t first)
    : op_(op), options_(options), state_(state_for(row_of(op), op.options(), options, first)) {}
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

void any_reducer::add(cpu where, any_array const& chunk) {
  state_->add(where, detail::input_for(row_of(op_), chunk));
}
void any_reducer::add(cpu where, any_array const& a, any_array const& b) {
  state_->add(where, detail::input_for(row_of(op_), a, b));
}

void any_reducer::append(any_reducer const& right) {
  if (&row_of(op_) != &row_of(right.op_))
    throw error("append: a " + text_of(right.op_) + " to a " + text_of(op_));
  state_->append(*right.state_);
}
void any_reducer::move_to(std::uint64_t first) { state_->move_to(first); }

any_result any_reducer::result() const {
  any_result out;
  row_of(op_).finish(op_.options(), state_->known(), out);
  return out;
}

any_result any_reducer::result(bound_aggregate const& other) const {
  auto const &row = row_of(other), &own = row_of(op_);
  bool const told = row.elements == own.elements && row.of_pairs == own.of_pairs &&
                    (&row == &own || state_->tells(row, other.options()));
  if (!told) throw error("result: a " + text_of(op_) + " does not tell the " + text_of(other));
  any_result out;
  row.finish(other.options(), state_->known(), out);
  return out;
}

bool any_reducer::has_result() const {
  return count() > (options_.nan == skip ? nan_count() : 0) || op_.answers_nothing();
}

std::uint64_t any_reducer::count() const { return state_->count(); }
std::uint64_t any_reducer::first() const { return state_->first(); }
bool any_reducer::is_ordered() const { return state_->is_ordered(); }
std::uint64_t any_reducer::nan_count() const { return state_->nan_count(); }
void any_reducer::write(byte_writer& out) const { state_->write(out); }
void any_reducer::read(byte_reader& in) { state_->read(in); }

}  // namespace tally
