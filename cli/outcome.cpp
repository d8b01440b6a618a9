// SPDX-License-Identifier: Apache-2.0
#include "outcome.hpp"

#include <exception>
#include <new>

#include "arguments.hpp"
#include "process.hpp"
#include "standard_output.hpp"

namespace tally::cli {

outcome outcome_of(std::function<void()> const& f) {
  try {
    f();
    return {};
  } catch (closed_pipe const&) {
    return {};
  } catch (told_already const&) {
    return {1};
  } catch (usage_error const& e) {
    return {2, e.what()};
  } catch (std::bad_alloc const&) {
    return {1, "not enough memory"};
  } catch (std::exception const& e) {
    return {1, e.what()};
  }
}

int tell(outcome const& how) {
  if (!how.message.empty()) tell(how.message);
  return how.status;
}

}  // namespace tally::cli
