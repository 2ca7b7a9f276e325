#include <algorithm>
#include <stdexcept>

#include "runner/session.h"
#include "suites/core/json.h"

namespace acceptance {
namespace {

// The same list for both directions, so that they cannot drift apart.
template <class Options, class Visit>
void each_field(Options& o, Visit visit) {
  visit("nodes", o.where.nodes), visit("exclude", o.where.exclude);
  visit("launcher", o.where.launcher), visit("partition", o.where.partition);
  visit("ssh_config", o.where.ssh_config), visit("head_address", o.where.head_address);
  visit("mpi", o.where.mpi), visit("faults", o.where.faults);
  visit("fault_file", o.where.fault_file);
  visit("include_drained", o.where.include_drained), visit("push", o.where.push);
  visit("suites", o.request.suites), visit("tests", o.request.tests);
  visit("once", o.request.once), visit("repeat", o.request.repeat);
  visit("fixed", o.request.fixed);
  visit("target", o.request.target);
}

}  // namespace

Json request_of(const SessionOptions& options) {
  Json j{{"profile", name(options.request.profile)}};
  each_field(options, [&](const char* key, const auto& value) { j[key] = value; });
  return j;
}

void take_request(const Json& j, SessionOptions& options) {
  options.request.profile = j.at("profile") == "quick" ? Profile::quick : Profile::standard;
  each_field(options, [&](const char* key, auto& value) { j.at(key).get_to(value); });
}

void check_options(const SessionOptions& options) {
  for (const Test* t : select(tests(), options.request)) points(*t, options.request);
  if (const std::string t = options.target.string();
      std::any_of(t.begin(), t.end(), [](char c) { return static_cast<signed char>(c) < 0x20; }))
    throw std::invalid_argument("--target: the folder's name must be plain text (ASCII)");
}

}  // namespace acceptance
