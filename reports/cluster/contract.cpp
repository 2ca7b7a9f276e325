#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "reports/cluster/cluster_file.h"
#include "suites/core/text.h"

namespace acceptance {
namespace {

/// Tests that later builds bring, so that a contract can be written today. Once a test is there,
/// its own definition counts.
std::vector<Test> make_foreseen() {
  const Parameter message{"message", Unit::bytes, {8_GiB}};
  const Parameter words{"", {"any"}};
  const auto named = [](const char* name) { return Parameter{name, std::vector<Value>{"any"}}; };
  const Metric bandwidth{"bandwidth", Unit::bytes_per_second, Better::higher, ""};
  const Metric rate{"rate", Unit::bytes_per_second, Better::higher, ""};
  const Metric latency{"latency", Unit::seconds, Better::lower, ""};
  const Metric time{"time", Unit::seconds, Better::lower, ""};
  std::vector<Test> all;
  const auto add = [&](std::string name, std::vector<Parameter> params,
                       std::vector<Metric> metrics) {
    Test t;
    t.name = std::move(name);
    t.params = std::move(params);
    t.metrics = std::move(metrics);
    all.push_back(std::move(t));
  };
  const Metric flops{"rate", Unit::flop_per_second, Better::higher, ""};
  add("compute.gpu_gemm", {named("precision")}, {flops});
  add("compute.sustained_load", {named("precision")}, {flops});
  add("compute.gpu_memory_bandwidth", {named("kernel")}, {rate});
  add("interconnect.host_device_copy", {named("direction")}, {bandwidth});
  add("interconnect.peer_copy", {named("direction")}, {bandwidth, latency});
  for (const char* op : {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce",
                         "all_to_all", "send_recv"})
    add(std::string("interconnect.nccl_") + op, {message},
        {{"busbw", Unit::bytes_per_second, Better::higher, ""},
         {"algbw", Unit::bytes_per_second, Better::higher, ""},
         time});
  for (const char* op : {"write", "send", "read"}) {
    add(fmt::format("interconnect.rdma_{}_latency", op), {message}, {latency});
    add(fmt::format("interconnect.rdma_{}_bandwidth", op),
        {message, named("memory"), named("direction")}, {bandwidth});
  }
  add("interconnect.tcp_latency", {}, {latency});
  add("interconnect.tcp_bandwidth", {{"streams", Unit::count, {8.0}}}, {bandwidth});
  add("storage.sequential", {named("direction")}, {rate});
  add("storage.random", {named("direction")},
      {{"iops", Unit::per_second, Better::higher, ""}, latency});
  add("storage.metadata", {}, {{"operations", Unit::per_second, Better::higher, ""}});
  add("storage.dataset_read", {}, {rate});
  return all;
}

const std::vector<Test>& foreseen() {
  static const std::vector<Test> all = make_foreseen();
  return all;
}

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& all) {
  std::vector<std::string> names;
  for (const Named& n : all) names.push_back(n.name);
  return names;
}

void take_selector(const std::string& word, const Test& test, ContractFigure& f) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
    throw std::invalid_argument(fmt::format("'{}' is no parameter=value", word));
  const std::string name = word.substr(0, equals), value = word.substr(equals + 1);
  if (name == "nodes") {
    f.all_nodes = value == "all";
    int count = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
    if (!f.all_nodes && (error != std::errc{} || end != value.data() + value.size() || count < 1))
      throw std::invalid_argument(fmt::format("nodes={}: must be all or a number", value));
    if (!f.all_nodes) f.nodes = count;
    return;
  }
  const auto param = std::find_if(test.params.begin(), test.params.end(),
                                  [&](const Parameter& p) { return p.name == name; });
  if (param == test.params.end()) {
    auto known = names_of(test.params);
    known.emplace_back("nodes");
    throw std::invalid_argument(
        fmt::format("{} has no parameter '{}'{}", test.name, name, suggestion(name, known)));
  }
  const Value v = param->unit == Unit::text ? Value(value) : Value(parse_value(value, param->unit));
  if (!f.point.emplace(name, v).second)
    throw std::invalid_argument(fmt::format("'{}' is there twice", name));
}

}  // namespace

const Test* known_test(const std::string& name) {
  if (const Test* t = find_test(name)) return t;
  for (const Test& t : foreseen())
    if (t.name == name) return &t;
  return nullptr;
}

std::vector<std::string> known_tests() {
  std::vector<std::string> names;
  for (const Test& t : tests()) names.push_back(t.name);
  for (const Test& t : foreseen())
    if (!find_test(t.name)) names.push_back(t.name);
  std::sort(names.begin(), names.end());
  return names;
}

ContractFigure parse_contract(const std::string& key, const std::string& value) {
  ContractFigure f;
  f.key = key;
  const std::size_t brace = key.find('{');
  const std::string name = key.substr(0, brace);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || (brace != std::string::npos && !key.ends_with('}')))
    throw std::invalid_argument(
        "must be suite.test.metric or suite.test.metric{parameter=value,…}");
  f.test = name.substr(0, dot);
  f.metric = name.substr(dot + 1);
  const Test* test = known_test(f.test);
  if (!test)
    throw std::invalid_argument(
        fmt::format("there is no test '{}'{}", f.test, suggestion(f.test, known_tests())));
  const auto metric = std::find_if(test->metrics.begin(), test->metrics.end(),
                                   [&](const Metric& m) { return m.name == f.metric; });
  if (metric == test->metrics.end())
    throw std::invalid_argument(fmt::format("{} has no metric '{}'{}", f.test, f.metric,
                                            suggestion(f.metric, names_of(test->metrics))));
  f.unit = metric->unit;
  if (brace != std::string::npos) {
    std::string rest = key.substr(brace + 1, key.size() - brace - 2);
    while (!rest.empty()) {
      const std::size_t comma = rest.find(',');
      take_selector(rest.substr(0, comma), *test, f);
      rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    }
  }
  f.at_least = value.starts_with(">=");
  if (!f.at_least && !value.starts_with("<="))
    throw std::invalid_argument(fmt::format("'{}' must begin with >= or <=", value));
  if (f.at_least != (metric->better == Better::higher))
    throw std::invalid_argument(fmt::format("{} is better when {}: '{}' asks for the opposite",
                                            f.metric, f.at_least ? "lower" : "higher", value));
  const Quantity q = parse_quantity(value.substr(2));
  if (q.unit != f.unit)
    throw std::invalid_argument(
        fmt::format("'{}' has the wrong dimension; {} is in {}", value, f.metric, symbol(f.unit)));
  if (q.value <= 0) throw std::invalid_argument(fmt::format("'{}' must be more than zero", value));
  f.value = q.value;
  return f;
}

}  // namespace acceptance
