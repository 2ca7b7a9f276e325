#include "runner/launch/faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "reports/yaml.h"
#include "suites/core/node_set.h"
#include "suites/core/test.h"
#include "suites/core/text.h"

namespace acceptance {
namespace {

using Kind = Fault::Kind;

std::optional<double> number(const std::string& text) {
  double value = 0;
  std::stringstream in(text);
  return in >> value && in.eof() ? std::optional(value) : std::nullopt;
}

double share(const std::string& fault, const std::string& text) {
  const auto value = number(text);
  if (!value || !(*value > 0) || *value > 1)
    throw std::invalid_argument(
        fmt::format("--simulate '{}': a share of the usual speed is wanted, as in 0.8", fault));
  return *value;
}

/// Reads one file.
class FaultFile {
 public:
  FaultFile(const std::vector<std::string>& nodes, const Cluster* cluster)
      : nodes_(nodes), cluster_(cluster) {}

  Simulated read(const Yaml& y) const {
    y.only({"seed", "run", "noise", "drift", "speeds", "faults"});
    constexpr int most = 1 << 30;
    Simulated s;
    if (y["seed"]) s.seed = static_cast<std::uint64_t>(y["seed"].count(0, most));
    if (y["run"]) s.run = static_cast<std::uint64_t>(y["run"].count(0, most));
    if (y["drift"]) s.drift = ratio(y["drift"], 0, 1);
    const Yaml& noise = y["noise"];
    noise.only({"sample", "run", "node", "rack", "tails"});
    for (const auto& [key, value] : {std::pair{"sample", &s.sample_noise},
                                     {"run", &s.run_noise},
                                     {"node", &s.node_spread},
                                     {"rack", &s.rack_spread}})
      if (noise[key]) *value = ratio(noise[key], 0, 0.3);
    if (noise["tails"]) s.heavy_tails = noise["tails"].one_of({"normal", "heavy"}) == "heavy";
    for (const auto& [name, value] : y["speeds"].members()) s.speeds[name] = speed(name, value);
    for (const Yaml* fault : y["faults"].items()) s.faults.push_back(read_fault(*fault));
    return s;
  }

 private:
  static double ratio(const Yaml& y, double least, double most) {
    const auto value = number(y.text());
    if (!value || *value < least || *value > most)
      y.fail(fmt::format("a number from {} to {} is wanted", least, most));
    return *value;
  }

  static double speed(const std::string& name, const Yaml& y) {
    const auto dot = name.rfind('.');
    const Test* test = find_test(name.substr(0, dot));
    for (const Metric& m : test ? test->metrics : std::vector<Metric>{})
      if (m.name == name.substr(dot + 1)) return y.quantity(m.unit);
    y.fail("is no metric of a test of this build, as \"compute.cpu_gemm.rate\" is");
  }

  std::set<std::string> nodes_in(const Yaml& y) const {
    if (y.text() == "all") return {nodes_.begin(), nodes_.end()};
    std::set<std::string> set;
    std::vector<std::string> names;
    try {
      names = expand_node_set(y.text());
    } catch (const std::invalid_argument& e) {
      y.fail(e.what());
    }
    for (std::string& n : names) {
      if (std::find(nodes_.begin(), nodes_.end(), n) == nodes_.end())
        y.fail(fmt::format("there is no node {}{}", n, suggestion(n, nodes_)));
      set.insert(std::move(n));
    }
    return set;
  }

  std::set<std::string> leaf(const Yaml& y) const {
    std::vector<std::string> names;
    if (cluster_)
      for (const auto& [name, nodes] : cluster_->fabric.leaves) {
        names.push_back(name);
        if (name == y.text()) return {nodes.begin(), nodes.end()};
      }
    y.fail(fmt::format("the topology has no leaf {}{}", y.text(), suggestion(y.text(), names)));
  }

  Fault read_fault(const Yaml& y) const {
    y.only({"dead", "hung", "corrupt", "slow", "gpu", "nic", "link", "leaf", "leaves", "rail", "to",
            "hangs", "tests", "often", "firmware"});
    Fault f;
    int what = 0;
    const auto given = [&](const char* key) {
      if (y[key]) ++what;
      return static_cast<bool>(y[key]);
    };
    const auto nodes = [&](const char* key, Kind kind) {
      if (!given(key)) return false;
      f.kind = kind;
      f.here = nodes_in(y[key]);
      return true;
    };
    nodes("dead", Kind::dead), nodes("hung", Kind::silent), nodes("corrupt", Kind::corrupt);
    nodes("slow", Kind::slow);
    if (nodes("gpu", Kind::slow)) f.tests = "compute.*";
    if (nodes("nic", Kind::slow)) f.tests = "interconnect.*";
    if (given("rail")) f.kind = Kind::rail, f.rail = y["rail"].count(0, 63);
    const auto two = [&](const char* key) {
      f.kind = Kind::between;
      if (y[key].items().size() != 2) y[key].fail("two are wanted: [a, b]");
      return y[key].items();
    };
    if (given("link"))
      f.here = nodes_in(*two("link")[0]), f.there = nodes_in(*y["link"].items()[1]);
    if (given("leaves")) f.here = leaf(*two("leaves")[0]), f.there = leaf(*y["leaves"].items()[1]);
    if (given("leaf")) {
      f.kind = Kind::between;
      f.here = leaf(y["leaf"]);
      for (const std::string& n : nodes_)
        if (!f.here.contains(n)) f.there.insert(n);
    }
    if (what != 1)
      y.fail("one of dead, hung, corrupt, slow, gpu, nic, link, leaf, leaves, rail is wanted");
    if (y["tests"]) f.tests = y["tests"].text();
    if (y["often"]) f.often = ratio(y["often"], 0, 1);
    if (y["firmware"]) f.firmware = y["firmware"].text();
    if (y["to"]) f.to = ratio(y["to"], 0.001, 1);
    if (y["hangs"] && y["hangs"].flag()) f.to = 0;
    return f;
  }

  const std::vector<std::string>& nodes_;
  const Cluster* cluster_;
};

}  // namespace

Simulated read_faults(const std::string& text, const std::vector<std::string>& nodes) {
  Simulated s;
  const std::set<std::string> known(nodes.begin(), nodes.end());
  const auto node = [&](const std::string& fault, const std::string& name) {
    if (!known.contains(name))
      throw std::invalid_argument(fmt::format("--simulate '{}': there is no node {}{}", fault, name,
                                              suggestion(name, nodes)));
    return std::set{name};
  };
  std::stringstream all(text);
  for (std::string fault; std::getline(all, fault, ',');) {
    const auto equals = fault.find('='), colon = fault.rfind(':'), plus = fault.find('+');
    const std::string kind = fault.substr(0, equals);
    const std::string what = equals == std::string::npos ? "" : fault.substr(equals + 1);
    const std::string who = what.substr(0, what.rfind(':'));
    const bool digits = !what.empty() && what.size() < 19 &&
                        what.find_first_not_of("0123456789") == std::string::npos;
    Fault f;
    if (kind == "dead" || kind == "hung") {
      f.kind = kind == "dead" ? Kind::dead : Kind::silent;
      f.here = node(fault, what);
    } else if (kind == "slow" && colon != std::string::npos) {
      f.here = node(fault, who);
      f.to = share(fault, fault.substr(colon + 1));
    } else if (kind == "slow-link" && colon != std::string::npos && plus != std::string::npos) {
      f.kind = Kind::between;
      f.here = node(fault, who.substr(0, who.find('+')));
      f.there = node(fault, who.substr(who.find('+') + 1));
      f.to = share(fault, fault.substr(colon + 1));
    } else if ((kind == "seed" || kind == "run") && digits) {
      (kind == "seed" ? s.seed : s.run) = std::stoull(what);
      continue;
    } else {
      throw std::invalid_argument(fmt::format(
          "--simulate '{}': not understood{}; known are dead=NODE, hung=NODE, slow=NODE:SHARE, "
          "slow-link=NODE+NODE:SHARE, seed=N, run=N",
          fault, suggestion(kind, {"dead", "hung", "slow", "slow-link", "seed", "run"})));
    }
    s.faults.push_back(std::move(f));
  }
  return s;
}

Simulated read_fault_file(const std::string& text, const std::string& file,
                          const std::vector<std::string>& nodes, const Cluster* cluster) {
  return FaultFile(nodes, cluster).read(Yaml::parse(text, file));
}

}  // namespace acceptance
