#include "reports/passport/view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace acceptance {
namespace {

const Json nothing = Json::object();

Unit unit_named(const std::string& symbol) {
  return symbol == "text" ? Unit::text : unit_of_symbol(symbol);
}

std::string list_text(const Json& list) {
  std::vector<std::string> words;
  for (const Json& w : list) words.push_back(w.get<std::string>());
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

std::string figure_text(const Json& value, const std::string& unit) {
  if (value.is_null()) return "not known";
  if (value.is_string()) return value.get<std::string>();
  return format(value.get<double>(), unit_named(unit));
}

std::string interval_text(const Json& measured, const std::string& unit) {
  if (measured.at("low").is_null()) return "too few samples";
  std::string low = figure_text(measured.at("low"), unit);
  const std::string high = figure_text(measured.at("high"), unit);
  const auto tail = [](const std::string& s) { return s.substr(std::min(s.find(' '), s.size())); };
  if (tail(low) == tail(high)) low.resize(low.size() - tail(low).size());
  return low + " to " + high;
}

std::string limits_text(const Json& finding, const std::string& unit) {
  const Json& r = finding.at("reference");
  if (r.is_null()) return "none";
  std::string text;
  for (const char* part : {"floor", "typical", "ceiling"})
    if (!r.at(part).is_null())
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", part, figure_text(r.at(part), unit));
  const Json& m = finding.at("measured");
  // Far below a limit that only catches the impossible, a share says nothing.
  constexpr double telling = 0.1;
  if (r.at("ceiling").is_null() || m.is_null()) return text;
  const double share = m.at("value").get<double>() / r.at("ceiling").get<double>();
  if (share >= telling) text += fmt::format(" ({} of it)", format(share, Unit::ratio));
  return text;
}

std::string at_text(const Json& finding, const Json& definition) {
  const int attempt = finding.at("attempt").get<int>();
  const std::string point = point_text(finding.at("point"), definition);
  return attempt == 1 ? point
                      : fmt::format("{}{}attempt {}", point, point.empty() ? "" : ", ", attempt);
}

std::string point_text(const Json& point, const Json& definition) {
  std::vector<std::string> parts;
  for (const Json& p : definition.value("params", Json::array())) {
    const auto it = point.find(p.at("name").get<std::string>());
    if (it == point.end()) continue;
    const std::string text = figure_text(*it, p.at("unit"));
    const bool clear =
        p.at("unit") == "B" || p.at("name") == "precision" || p.at("name") == "kernel";
    std::string words = p.at("name").get<std::string>();
    std::replace(words.begin(), words.end(), '_', ' ');
    parts.push_back(clear ? text : fmt::format("{} {}", words, text));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string culprits_text(const Json& finding) {
  return fmt::format("{}", fmt::join(finding.at("culprits").get<std::vector<std::string>>(), ", "));
}

std::string where_text(const Json& where) {
  std::vector<std::string> order;
  std::map<std::string, int> ranks;
  for (const Json& w : where)
    if (++ranks[w.get<std::string>()] == 1) order.push_back(w.get<std::string>());
  if (order.size() > 6)
    return fmt::format("{} … {} ({} nodes)", order.front(), order.back(), order.size());
  std::string text;
  for (const std::string& place : order)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", place,
                        ranks[place] > 1 ? fmt::format(" ({} ranks)", ranks[place]) : "");
  return text;
}

const Json& definition_of(const Json& passport, const std::string& test) {
  for (const Json& d : passport.at("definitions"))
    if (d.at("name") == test) return d;
  return nothing;
}

const Json& metric_of(const Json& definition, const std::string& metric) {
  if (definition.contains("metrics"))
    for (const Json& m : definition.at("metrics"))
      if (m.at("name") == metric) return m;
  return nothing;
}

std::vector<FigureGroup> figure_groups(const Json& passport) {
  std::vector<FigureGroup> groups;
  for (const Json& d : passport.at("definitions"))
    for (const Json& m : d.at("metrics")) {
      FigureGroup g{d.at("name"), m.at("name"), m.at("unit"), &d, {}};
      for (const Json& f : passport.at("findings"))
        if (f.at("test") == g.test && f.at("metric") == g.metric && !f.at("measured").is_null())
          g.findings.push_back(&f);
      // Findings are sorted by verdict; a table reads better by place and point.
      std::stable_sort(g.findings.begin(), g.findings.end(), [](const Json* a, const Json* b) {
        return std::tie(a->at("where"), a->at("point"), a->at("attempt")) <
               std::tie(b->at("where"), b->at("point"), b->at("attempt"));
      });
      if (!g.findings.empty()) groups.push_back(std::move(g));
    }
  return groups;
}

std::vector<std::pair<std::string, std::string>> observation_rows(const Json& passport,
                                                                  const FigureGroup& group) {
  std::vector<std::pair<std::string, std::string>> rows;
  // A test's metrics share what was seen around them: shown with the first one alone.
  if (group.definition->at("metrics").at(0).at("name") != group.metric) return rows;
  for (const Json* f : group.findings) {
    std::string seen;
    for (const Json& o : f->at("observations")) {
      const auto place = o.at("place").get<std::string>();
      seen += fmt::format("{}{}{} {}", seen.empty() ? "" : "; ", o.at("name").get<std::string>(),
                          place.empty() ? "" : " (" + place + ")",
                          figure_text(o.at("value"), o.at("unit")));
    }
    if (!seen.empty())
      rows.emplace_back(fmt::format("{} on {}", at_text(*f, definition_of(passport, group.test)),
                                    where_text(f->at("where"))),
                        seen);
  }
  return rows;
}

std::vector<std::pair<std::string, std::string>> derivation_rows(const FigureGroup& group) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Json* f : group.findings) {
    const Json& r = f->at("reference");
    if (r.is_null()) continue;
    const std::string text = fmt::format("{} [{}]", r.at("derivation").get<std::string>(),
                                         r.at("source").get<std::string>());
    const std::string at = at_text(*f, *group.definition);
    if (!rows.empty() && rows.back().second == text)
      rows.back().first += "; " + at;
    else
      rows.emplace_back(at, text);
  }
  return rows;
}

std::vector<std::array<std::string, 7>> fleet_rows(const Json& passport) {
  std::vector<std::array<std::string, 7>> rows;
  for (const Json& g : passport.at("fleet")) {
    const auto text = [&](const char* key) { return g.at(key).get<std::string>(); };
    const auto low = g.at("low").get<std::vector<std::string>>();
    rows.push_back({text("test") + ": " + text("metric"),
                    point_text(g.at("point"), definition_of(passport, text("test"))),
                    fmt::format("{} {}", g.at("places").get<std::size_t>(), text("equals")),
                    figure_text(g.at("usual"), text("unit")), figure_text(g.at("between"), "1"),
                    figure_text(g.at("noise"), "1"),
                    low.empty() ? text("kind")
                                : fmt::format("{}; low: {}", text("kind"), fmt::join(low, ", "))});
  }
  return rows;
}

std::string Attention::more_text() const {
  return more == 0 ? "" : fmt::format(" (and {} more of its measurements)", more);
}

std::vector<Attention> attention(const Json& passport) {
  std::vector<Attention> list;
  std::map<std::string, std::size_t> apart;  // who is set apart → place in the list
  for (const Json& f : passport.at("findings")) {
    const auto v = f.at("verdict").get<std::string>();
    if (v != "fail" && v != "inconclusive" && v != "not_run" && v != "remark") continue;
    if (f.at("trouble") == name(Trouble::set_apart)) {
      const auto [it, fresh] = apart.try_emplace(culprits_text(f), list.size());
      if (!fresh) {
        ++list[it->second].more;
        continue;
      }
    }
    list.push_back({&f});
  }
  return list;
}

std::vector<std::pair<std::string, std::string>> inventory_rows(const Json& node) {
  std::vector<std::pair<std::string, std::string>> rows;
  const Json& unknown = node.at("unknown");
  const auto add = [&](const std::string& what, const std::string& value) {
    rows.emplace_back(what, value);
  };
  const Json& cpu = node.at("cpu");
  add("CPU", fmt::format("{}; {} sockets, {} cores, {} threads", cpu.at("model").get<std::string>(),
                         cpu.at("sockets").get<int>(), cpu.at("cores").get<int>(),
                         cpu.at("threads").get<int>()));
  add("clock",
      fmt::format("{} measured while probing; highest by its data {}",
                  figure_text(cpu.at("measured_hz"), "Hz"), figure_text(cpu.at("max_hz"), "Hz")));
  add("instruction sets", list_text(cpu.at("features")));
  std::vector<std::string> caches;
  for (const Json& c : cpu.at("caches"))
    caches.push_back(fmt::format("L{} {} × {}", c.at("level").get<int>(), c.at("count").get<int>(),
                                 figure_text(c.at("bytes"), "B")));
  add("caches", fmt::format("{}", fmt::join(caches, ", ")));
  add("virtual machine", !cpu.at("hypervisor").is_null() ? cpu.at("hypervisor").get<std::string>()
                         : unknown.contains("cpu.hypervisor") ? "unknown"
                                                              : "no");
  if (!cpu.at("microcode").is_null()) add("microcode", cpu.at("microcode"));
  if (!cpu.at("governor").is_null()) add("governor", cpu.at("governor"));
  add("memory", fmt::format("{} in {} NUMA domains", figure_text(node.at("memory_bytes"), "B"),
                            node.at("numa").size()));
  std::map<std::string, int> modules;
  for (const Json& s : node.at("memory_slots"))
    ++modules[s.at("bytes") == 0
                  ? "empty"
                  : fmt::format(
                        "{} {}{}", figure_text(s.at("bytes"), "B"), s.at("kind").get<std::string>(),
                        s.at("rate").is_null()
                            ? ""
                            : fmt::format(" at {:.0f} MT/s", s.at("rate").get<double>() / 1e6))];
  for (const auto& [kind, count] : modules)
    add("memory slots, " + std::string(kind == "empty" ? "empty" : "filled"),
        kind == "empty" ? fmt::format("{}", count) : fmt::format("{} × {}", count, kind));
  for (const Json& p : node.at("pci")) {
    const auto link = [&](const char* speed, const char* width) {
      return p.at(width).is_null() || p.at(speed).is_null()
                 ? std::string("unknown")
                 : fmt::format("{} GT/s ×{}", p.at(speed).get<double>() / 1e9,
                               p.at(width).get<int>());
    };
    add("PCI " + p.at("address").get<std::string>(),
        fmt::format("{} {}:{} ({}), link {}, best {}", p.at("kind").get<std::string>(),
                    p.at("vendor").get<std::string>(), p.at("device").get<std::string>(),
                    p.at("driver").get<std::string>(), link("link_speed", "link_width"),
                    link("link_speed_best", "link_width_best")));
  }
  for (const Json& n : node.at("nics"))
    if (n.at("physical").get<bool>())
      add("network " + n.at("name").get<std::string>(),
          fmt::format("{}, {}, {}, firmware {}", n.at("driver").get<std::string>(),
                      n.at("state").get<std::string>(),
                      n.at("speed").is_null()
                          ? "speed unknown"
                          : fmt::format("{:g} Gbit/s", n.at("speed").get<double>() * 8e-9),
                      figure_text(n.at("firmware"), "text")));
  for (const Json& r : node.at("rdma"))
    add(fmt::format("RDMA {} port {}", r.at("device").get<std::string>(), r.at("port").get<int>()),
        fmt::format("{}, {}, {}, firmware {}", r.at("link_layer").get<std::string>(),
                    r.at("state").get<std::string>(), r.at("rate").get<std::string>(),
                    r.at("firmware").get<std::string>()));
  for (const Json& d : node.at("drives"))
    add("drive " + d.at("name").get<std::string>(),
        fmt::format("{} {} {}, firmware {}", d.at("model").get<std::string>(),
                    d.at("transport").get<std::string>(), figure_text(d.at("bytes"), "B"),
                    d.at("firmware").get<std::string>().empty()
                        ? "unknown"
                        : d.at("firmware").get<std::string>()));
  for (const Json& m : node.at("mounts"))
    add("mount " + m.at("path").get<std::string>(),
        fmt::format("{} {} ({})", m.at("kind").get<std::string>(),
                    m.at("source").get<std::string>(), m.at("options").get<std::string>()));
  for (const char* part : {"system", "software", "limits"})
    for (const auto& [what, value] : node.at(part).items()) add(what, value.get<std::string>());
  add("boot id", node.at("boot_id"));
  for (const auto& [fact, why] : unknown.items()) add(fact, "unknown: " + why.get<std::string>());
  return rows;
}

}  // namespace acceptance
