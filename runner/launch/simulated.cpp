#include "runner/launch/simulated.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "suites/core/test.h"
#include "suites/core/text.h"

namespace acceptance {
namespace {

using Kind = Fault::Kind;
constexpr int samples_each = 8;
constexpr double latency_seconds = 2e-6;
constexpr double usual_rate = 40e9;  // B/s of a node, where nothing else is known

/// What a healthy node delivers, by the kind of figure.
double typical(const std::string& test, Unit unit) {
  switch (unit) {
    case Unit::flop_per_second: return 2e12;
    case Unit::bytes_per_second:
      return test.starts_with("storage.") ? 5e9 : test.starts_with("compute.") ? 300e9 : usual_rate;
    case Unit::seconds: return latency_seconds;
    case Unit::ratio: return 0.5;
    default: return 1000;
  }
}

/// FNV-1a: the same on every machine, so that a seed means the same run everywhere.
std::uint64_t mixed(std::uint64_t seed, const std::string& text) {
  std::uint64_t hash = 1469598103934665603ULL ^ (seed * 0x9e3779b97f4a7c15ULL);
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

/// Twelve uniform numbers make a normal one well enough, the same on every machine.
double normal(std::mt19937_64& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += uniform(random);
  return sum;
}

/// Student's t with 4 degrees of freedom, of standard deviation 1.
double heavy(std::mt19937_64& random) {
  const double z = normal(random);
  double squares = 0;
  for (int i = 0; i < 4; ++i) {
    const double n = normal(random);
    squares += n * n;
  }
  return z / std::sqrt(squares / 4) / std::sqrt(2.0);
}

double effect(double spread, std::uint64_t seed, const std::string& of) {
  if (spread <= 0) return 1;
  std::mt19937_64 random(mixed(seed, of));
  return std::max(0.05, 1 + spread * normal(random));
}

/// Whether a fault concerns an assignment, all of it or a way in it.
bool concerns(const Fault& f, const Assignment& a) {
  const auto any = [&](const std::set<std::string>& nodes) {
    return std::any_of(a.places.begin(), a.places.end(),
                       [&](const std::string& p) { return nodes.contains(p); });
  };
  if (!glob(f.tests, a.test)) return false;
  switch (f.kind) {
    case Kind::between: return any(f.here) && any(f.there);
    case Kind::rail: {
      const auto rail = a.point.find("rail");
      return rail != a.point.end() && rail->second == Value(static_cast<double>(f.rail));
    }
    default: return any(f.here);
  }
}

}  // namespace

void Simulation::run(const std::vector<Launch>& launches) {
  double longest = 0;
  const double begin = now_;
  for (const Launch& l : launches) {
    now_ = begin;  // side by side
    if (l.kind == LaunchKind::probe)
      ask(l);
    else
      work_through(l);
    longest = std::max(longest, now_);
  }
  now_ = longest;
}

void Simulation::ask(const Launch& launch) {
  const std::string& node = launch.places.at(0);
  now_ += 1;
  if (std::none_of(is_.faults.begin(), is_.faults.end(),
                   [&](const Fault& f) { return f.kind == Kind::dead && f.here.contains(node); }))
    return events_.probed(made_up(node, is_, cluster_, catalogue_));
  Record r;
  r.assignment = launch.work.at(0);
  r.outcome = Outcome::error;
  r.trouble = Trouble::unreachable;
  r.culprits = {node};
  r.reason = fmt::format("simulated: connect to host {}: Connection timed out", node);
  r.start_offset = now_;
  events_.recorded(std::move(r));
}

/// By the size of the message where there is one: a time that is always there, and the wire's.
double Simulation::healthy(const Assignment& a, const Metric& metric) const {
  if (const auto told = is_.speeds.find(a.test + "." + metric.name); told != is_.speeds.end())
    return told->second;
  const NodeGroup* group = cluster_ ? group_of(*cluster_, a.places[0]) : nullptr;
  const auto message = a.point.find("message");
  if (!group || a.places.size() < 2 || message == a.point.end() || !message->second.is_number())
    return typical(a.test, metric.unit);
  double rate = 0;
  for (const PortPromise& rail : group->rails) rate += rail.rate;
  rate = 0.95 * (rate > 0 ? rate : usual_rate);
  const double n = static_cast<double>(a.places.size()), bytes = message->second.number();
  const double steps = n > 2 ? 2 * (n - 1) : 1, times = n > 2 ? 2 * (n - 1) / n : 1;
  const double seconds = steps * latency_seconds + times * bytes / rate;
  if (metric.unit == Unit::seconds) return seconds;
  if (metric.name == "bandwidth") return rate;  // many in flight
  return (metric.name == "busbw" ? times : 1) * bytes / seconds;
}

/// Of the healthy speed: how its nodes and racks differ, what is new in each run, drift and faults.
/// Many together are as fast as the slowest.
double Simulation::share_of(const Assignment& a, const Metric& metric) const {
  const std::string what = fmt::format("/{}.{}", a.test, metric.name);
  double slowest = 1;
  bool first = true;
  for (const std::string& p : a.places) {
    const std::string rack = cluster_ ? leaf_of(*cluster_, p) : "";
    const double own = effect(is_.node_spread, is_.seed, "node " + p + what) *
                       effect(is_.rack_spread, is_.seed, "rack " + rack + what);
    slowest = first ? own : std::min(slowest, own);
    first = false;
  }
  double faulty = 1;
  for (std::size_t i = 0; i < is_.faults.size(); ++i) {
    const Fault& f = is_.faults[i];
    if (f.to >= 1 || f.to <= 0 || !concerns(f, a)) continue;
    std::mt19937_64 random(mixed(is_.seed ^ is_.run, fmt::format("fault {} {}", i, a.id())));
    if (f.often >= 1 || uniform(random) < f.often) faulty = std::min(faulty, f.to);
  }
  const std::string id = a.id();
  return slowest * faulty * effect(is_.run_noise, is_.seed ^ (is_.run << 20), "run " + id + what) *
         std::max(0.05, 1 - is_.drift * now_ / 3600);
}

void Simulation::measure(Record& r) const {
  const Assignment& a = r.assignment;
  const Test* test = find_test(a.test);
  std::mt19937_64 random(mixed(is_.seed ^ (is_.run << 40), a.id()));
  for (const Metric& m : test ? test->metrics : std::vector<Metric>{}) {
    const double usual = healthy(a, m), share = share_of(a, m);
    Samples samples;
    for (int i = 0; i < samples_each; ++i) {
      const double noise = is_.heavy_tails ? heavy(random) : normal(random);
      const double speed = share * std::max(0.05, 1 + is_.sample_noise * noise);
      samples.add(m.better == Better::higher ? usual * speed : usual / speed);
    }
    r.measurements.push_back({m.name, m.unit, std::move(samples)});
  }
}

Record Simulation::carried_out(const Assignment& a) const {
  Record r;
  r.assignment = a;
  r.seconds = a.sampling.seconds;
  for (const Fault& f : is_.faults) {
    if (!concerns(f, a)) continue;
    if (f.kind == Kind::silent) {
      r.outcome = Outcome::timed_out;
      r.trouble = Trouble::silent;
      for (const std::string& p : a.places)
        if (f.here.contains(p) && r.culprits.empty()) r.culprits = {p};
      r.reason = fmt::format("simulated: not a word from {}", r.culprits[0]);
      r.seconds = std::chrono::duration<double>(silent_after).count();
      return r;
    }
    if (f.to <= 0) {
      r.outcome = Outcome::timed_out;
      r.trouble = Trouble::hung;
      r.reason = fmt::format("simulated: did not end within {} s", a.deadline_seconds);
      r.seconds = a.deadline_seconds;
      if (a.places.size() == 1) r.culprits = a.places;
      return r;
    }
    if (f.kind == Kind::corrupt) {
      r.outcome = Outcome::failed;
      r.reason = "simulated: wrong result: element 7 is 96, should be 28";
      return r;
    }
  }
  r.outcome = Outcome::ok;
  measure(r);
  return r;
}

void Simulation::work_through(const Launch& launch) {
  for (const Assignment& a : launch.work) {
    Record r = carried_out(a);
    const bool over = r.outcome == Outcome::timed_out;
    r.start_offset = now_;
    now_ += r.seconds;
    events_.recorded(std::move(r));
    if (over) return;  // what is left of the launch is asked for again
  }
}

}  // namespace acceptance
