#include "runner/launch/simulated.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>
#include <stdexcept>

#include "suites/core/test.h"
#include "suites/core/text.h"

namespace acceptance {
namespace {

constexpr double noise = 0.01;  // relative standard deviation between samples
constexpr int samples_each = 8;

/// What a healthy node or pair delivers, by the kind of figure.
double typical(Unit unit) {
  switch (unit) {
    case Unit::flop_per_second: return 50e12;
    case Unit::bytes_per_second: return 40e9;
    case Unit::seconds: return 2e-6;
    case Unit::ratio: return 0.5;
    default: return 1000;
  }
}

std::uint64_t mixed(std::uint64_t seed, const std::string& text) {
  // FNV-1a: the same on every machine, so that a seed means the same run everywhere.
  std::uint64_t hash = 1469598103934665603ULL ^ seed;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

double share(const std::string& fault, const std::string& text) {
  double value = 0;
  std::stringstream in(text);
  if (!(in >> value) || !in.eof() || !(value > 0) || value > 1)
    throw std::invalid_argument(
        fmt::format("--simulate '{}': a share of the usual speed is wanted, as in 0.8", fault));
  return value;
}

Node made_up(const std::string& name) {
  Node n;
  n.name = n.hostname = name;
  n.boot_id = "simulated-" + name;
  n.cpu.model = "simulated";
  n.cpu.sockets = 2;
  n.cpu.cores = n.cpu.threads = 64;
  for (int i = 0; i < n.cpu.cores; ++i) n.cpu.usable.push_back(i);
  n.memory_bytes = 1e12;
  n.system["product_name"] = "simulated";
  return n;
}

}  // namespace

Faults read_faults(const std::string& text, const std::vector<std::string>& nodes) {
  Faults f;
  const std::set<std::string> known(nodes.begin(), nodes.end());
  const auto node = [&](const std::string& fault, const std::string& name) {
    if (!known.contains(name))
      throw std::invalid_argument(fmt::format("--simulate '{}': there is no node {}{}", fault, name,
                                              suggestion(name, nodes)));
    return name;
  };
  std::stringstream all(text);
  for (std::string fault; std::getline(all, fault, ',');) {
    const auto equals = fault.find('='), colon = fault.rfind(':'), plus = fault.find('+');
    const std::string kind = fault.substr(0, equals);
    const std::string what = equals == std::string::npos ? "" : fault.substr(equals + 1);
    const std::string who = what.substr(0, what.rfind(':'));
    const bool number = !what.empty() && what.find_first_not_of("0123456789") == std::string::npos;
    if (kind == "dead") {
      f.dead.insert(node(fault, what));
    } else if (kind == "hung") {
      f.hung.insert(node(fault, what));
    } else if (kind == "slow" && colon != std::string::npos) {
      f.slow[node(fault, who)] = share(fault, fault.substr(colon + 1));
    } else if (kind == "slow-link" && colon != std::string::npos && plus != std::string::npos) {
      const auto split = who.find('+');
      f.slow_links[std::minmax(node(fault, who.substr(0, split)),
                               node(fault, who.substr(split + 1)))] =
          share(fault, fault.substr(colon + 1));
    } else if (kind == "seed" && number && what.size() < 19) {
      f.seed = std::stoull(what);
    } else {
      throw std::invalid_argument(fmt::format(
          "--simulate '{}': not understood{}; known are dead=NODE, hung=NODE, slow=NODE:SHARE, "
          "slow-link=NODE+NODE:SHARE, seed=N",
          fault, suggestion(kind, {"dead", "hung", "slow", "slow-link", "seed"})));
    }
  }
  return f;
}

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
  if (!faults_.dead.contains(node)) return events_.probed(made_up(node));
  Record r;
  r.assignment = launch.work.at(0);
  r.outcome = Outcome::error;
  r.trouble = Trouble::unreachable;
  r.culprits = {node};
  r.reason = fmt::format("simulated: connect to host {}: Connection timed out", node);
  r.start_offset = now_;
  events_.recorded(std::move(r));
}

double Simulation::speed(const Assignment& a) const {
  double slowest = 1;
  for (const std::string& p : a.places)
    if (const auto s = faults_.slow.find(p); s != faults_.slow.end())
      slowest = std::min(slowest, s->second);
  for (const auto& [link, factor] : faults_.slow_links)
    if (std::find(a.places.begin(), a.places.end(), link.first) != a.places.end() &&
        std::find(a.places.begin(), a.places.end(), link.second) != a.places.end())
      slowest = std::min(slowest, factor);
  return slowest;
}

Record Simulation::measured(const Assignment& a) const {
  Record r;
  r.assignment = a;
  r.outcome = Outcome::ok;
  std::mt19937_64 random(mixed(faults_.seed, a.id()));
  const double factor = speed(a);
  const Test* test = find_test(a.test);
  for (const Metric& m : test ? test->metrics : std::vector<Metric>{}) {
    Samples samples;
    for (int i = 0; i < samples_each; ++i) {
      // Twelve uniform numbers make a normal one well enough, the same on every machine.
      double normal = -6;
      for (int k = 0; k < 12; ++k) normal += static_cast<double>(random() >> 11) * 0x1p-53;
      const double usual = typical(m.unit) * (1 + noise * normal);
      samples.add(m.better == Better::higher ? usual * factor : usual / factor);
    }
    r.measurements.push_back({m.name, m.unit, std::move(samples)});
  }
  return r;
}

void Simulation::work_through(const Launch& launch) {
  for (const Assignment& a : launch.work) {
    const auto hung = std::find_if(a.places.begin(), a.places.end(),
                                   [&](const auto& p) { return faults_.hung.contains(p); });
    Record r;
    if (hung == a.places.end()) {
      r = measured(a);
      r.seconds = a.sampling.seconds;
    } else {
      r.assignment = a;
      r.outcome = Outcome::timed_out;
      r.trouble = Trouble::silent;
      r.culprits = {*hung};
      r.reason = fmt::format("simulated: not a word from {}", *hung);
      r.seconds = std::chrono::duration<double>(silent_after).count();
    }
    r.start_offset = now_;
    now_ += r.seconds;
    events_.recorded(std::move(r));
    if (hung != a.places.end())
      return;  // the launch is over; what is left of it is asked for again
  }
}

}  // namespace acceptance
