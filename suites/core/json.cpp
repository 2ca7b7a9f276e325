#include "suites/core/json.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace acceptance {
namespace {

double finite(const Json& j) {
  const double value = j.get<double>();
  if (!std::isfinite(value)) throw std::invalid_argument("a number is not finite");
  return value;
}

template <class Enum, std::size_t N>
Enum one_of(const Json& j, const Enum (&all)[N]) {
  const auto word = j.get<std::string>();
  for (Enum e : all)
    if (name(e) == word) return e;
  throw std::invalid_argument(fmt::format("unknown word '{}'", word));
}

Unit unit_of(const Json& j) {
  const auto text = j.get<std::string>();
  return text == "text" ? Unit::text : unit_of_symbol(text);
}
std::string unit_text(Unit unit) { return unit == Unit::text ? "text" : std::string(symbol(unit)); }

}  // namespace

void to_json(Json& j, const Value& v) {
  if (v.is_number())
    j = v.number();
  else
    j = v.word();
}
void from_json(const Json& j, Value& v) {
  if (j.is_string())
    v = Value(j.get<std::string>());
  else
    v = Value(finite(j));
}

void to_json(Json& j, const Samples& s) {
  j = Json{{"count", s.count()},
           {"min", s.min()},
           {"max", s.max()},
           {"mean", s.mean()},
           {"deviation", s.deviation()}};
  if (s.bins().empty())
    j["raw"] = s.raw();
  else
    j["bins"] = s.bins();
}
void from_json(const Json& j, Samples& s) {
  const Json none = Json::array();
  s = Samples::restore(j.value("raw", none).get<std::vector<double>>(),
                       j.value("bins", none).get<std::map<std::int32_t, std::uint64_t>>(),
                       finite(j.at("min")), finite(j.at("max")), finite(j.at("mean")),
                       finite(j.at("deviation")));
}

void to_json(Json& j, const Sampling& s) {
  j = Json{{"half_width", s.half_width}, {"minimum", s.minimum}, {"seconds", s.seconds}};
}
void from_json(const Json& j, Sampling& s) {
  s = {finite(j.at("half_width")), j.at("minimum").get<int>(), finite(j.at("seconds"))};
}

void to_json(Json& j, const Assignment& a) {
  j = Json{{"test", a.test},
           {"version", a.version},
           {"point", a.point},
           {"places", a.places},
           {"attempt", a.attempt},
           {"sampling", a.sampling},
           {"deadline_seconds", a.deadline_seconds},
           {"run", a.run},
           {"target", a.target}};
}
void from_json(const Json& j, Assignment& a) {
  j.at("test").get_to(a.test);
  j.at("version").get_to(a.version);
  j.at("point").get_to(a.point);
  j.at("places").get_to(a.places);
  j.at("attempt").get_to(a.attempt);
  j.at("sampling").get_to(a.sampling);
  a.deadline_seconds = finite(j.at("deadline_seconds"));
  j.at("run").get_to(a.run);
  j.at("target").get_to(a.target);
}

void to_json(Json& j, const Observation& o) {
  j = Json{{"name", o.name}, {"place", o.place}, {"value", o.value}, {"unit", unit_text(o.unit)}};
}
void from_json(const Json& j, Observation& o) {
  j.at("name").get_to(o.name);
  j.at("place").get_to(o.place);
  j.at("value").get_to(o.value);
  o.unit = unit_of(j.at("unit"));
}

void to_json(Json& j, const Measurement& m) {
  j = Json{{"metric", m.metric}, {"unit", unit_text(m.unit)}, {"samples", m.samples}};
}
void from_json(const Json& j, Measurement& m) {
  j.at("metric").get_to(m.metric);
  m.unit = unit_of(j.at("unit"));
  j.at("samples").get_to(m.samples);
}

void to_json(Json& j, const Record& r) {
  j = Json{{"id", r.assignment.id()},
           {"assignment", r.assignment},
           {"outcome", name(r.outcome)},
           {"reason", r.reason},
           {"trouble", name(r.trouble)},
           {"culprits", r.culprits},
           {"measurements", r.measurements},
           {"observations", r.observations},
           {"started", r.started},
           {"start_offset", r.start_offset},
           {"seconds", r.seconds}};
}
void from_json(const Json& j, Record& r) {
  j.at("assignment").get_to(r.assignment);
  r.outcome = outcome_named(j.at("outcome").get<std::string>());
  j.at("reason").get_to(r.reason);
  r.trouble = trouble_named(j.at("trouble").get<std::string>());
  j.at("culprits").get_to(r.culprits);
  j.at("measurements").get_to(r.measurements);
  j.at("observations").get_to(r.observations);
  j.at("started").get_to(r.started);
  r.start_offset = finite(j.at("start_offset"));
  r.seconds = finite(j.at("seconds"));
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Cache, level, bytes, count)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NumaDomain, id, cpus, bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MemorySlot, name, kind, bytes, rate, bits)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Cpu, model, vendor, family, model_number, stepping, sockets,
                                   cores, threads, usable, quota, max_hz, base_hz, measured_hz,
                                   microcode, governor, hypervisor, features, caches)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PciDevice, address, vendor, device, kind, driver, link_speed,
                                   link_speed_best, link_width, link_width_best, numa)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Nic, name, driver, pci, mac, speed, firmware, state, rdma,
                                   physical)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RdmaPort, device, link_layer, state, rate, firmware, port)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Drive, name, model, firmware, serial, transport, bytes,
                                   rotational)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Mount, path, source, kind, options)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Condition, load, locked_memory, open_files, shared_memory,
                                   temporary_free, clock_offset, clock_uncertainty, mpi, interface,
                                   address, subnet)

namespace {
// The same field list for both directions, so that they cannot drift apart.
template <class NodeType, class Visit>
void each_field(NodeType& n, Visit visit) {
  visit("name", n.name), visit("hostname", n.hostname), visit("boot_id", n.boot_id);
  visit("cpu", n.cpu), visit("memory_bytes", n.memory_bytes), visit("numa", n.numa);
  visit("memory_slots", n.memory_slots);
  visit("pci", n.pci), visit("nics", n.nics), visit("rdma", n.rdma);
  visit("drives", n.drives), visit("mounts", n.mounts), visit("system", n.system);
  visit("software", n.software), visit("limits", n.limits), visit("condition", n.condition),
      visit("unknown", n.unknown);
}
}  // namespace

void to_json(Json& j, const Node& n) {
  j = Json::object();
  each_field(n, [&](const char* key, const auto& value) { j[key] = value; });
}
void from_json(const Json& j, Node& n) {
  each_field(n, [&](const char* key, auto& value) { j.at(key).get_to(value); });
}

void to_json(Json& j, const Test& t) {
  j = Json{{"name", t.name},
           {"version", t.version},
           {"about", t.about},
           {"formula", t.formula},
           {"needs", name(t.needs)},
           {"sampling", t.sampling},
           {"deadline_seconds", t.deadline_seconds},
           {"twice", t.twice},
           {"scopes", Json::array()},
           {"params", Json::array()},
           {"metrics", Json::array()}};
  for (Scope s : t.scopes) j["scopes"].push_back(name(s));
  for (const Parameter& p : t.params)
    j["params"].push_back(
        {{"name", p.name}, {"unit", unit_text(p.unit)}, {"values", p.values}, {"quick", p.quick}});
  for (const Metric& m : t.metrics)
    j["metrics"].push_back({{"name", m.name},
                            {"unit", unit_text(m.unit)},
                            {"better", name(m.better)},
                            {"about", m.about}});
}
void from_json(const Json& j, Test& t) {
  j.at("name").get_to(t.name);
  j.at("version").get_to(t.version);
  j.at("about").get_to(t.about);
  j.at("formula").get_to(t.formula);
  t.needs = one_of(j.at("needs"), {Need::none, Need::mpi, Need::storage});
  j.at("sampling").get_to(t.sampling);
  t.deadline_seconds = finite(j.at("deadline_seconds"));
  j.at("twice").get_to(t.twice);
  for (const Json& s : j.at("scopes"))
    t.scopes.push_back(one_of(s, {Scope::node, Scope::pair, Scope::group, Scope::cluster}));
  for (const Json& p : j.at("params"))
    t.params.emplace_back(p.at("name").get<std::string>(), unit_of(p.at("unit")),
                          p.at("values").get<std::vector<Value>>(),
                          p.at("quick").get<std::vector<Value>>());
  for (const Json& m : j.at("metrics"))
    t.metrics.push_back({m.at("name"), unit_of(m.at("unit")),
                         one_of(m.at("better"), {Better::higher, Better::lower}), m.at("about")});
}

std::string dump(const Json& j, int indent) {
  return j.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace acceptance
