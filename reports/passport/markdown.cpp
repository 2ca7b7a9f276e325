#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/passport/escape.h"
#include "reports/passport/passport.h"
#include "reports/passport/view.h"

namespace acceptance {
namespace {

void write_attention(std::string& out, const Json& passport) {
  const auto list = attention(passport);
  out += "## What wants attention\n\n";
  if (list.empty()) out += "Nothing.\n\n";
  for (const Attention& a : list) {
    const Json* f = a.finding;
    const Json& d = definition_of(passport, f->at("test"));
    const std::string point = at_text(*f, d);
    out += fmt::format("- **{}** {} {}{} on {}: {}", md(f->at("verdict").get<std::string>()),
                       md(f->at("test").get<std::string>()), md(f->at("metric").get<std::string>()),
                       point.empty() ? "" : md(" (" + point + ")"), md(where_text(f->at("where"))),
                       md(f->at("reason").get<std::string>() + a.more_text()));
    if (const std::string c = culprits_text(*f); !c.empty()) out += "; culprit: " + md(c);
    if (const auto r = f->at("remedy").get<std::string>(); !r.empty())
      out += "; what to do: " + md(r);
    out += "\n";
  }
  if (!list.empty()) out += "\n";
}

void write_figures(std::string& out, const Json& passport) {
  out += "## Figures\n\nMedians with their 95 % intervals.\n\n";
  for (const FigureGroup& g : figure_groups(passport)) {
    out += fmt::format("### {}: {}\n\n{}\n\n", md(g.test), md(g.metric),
                       md(metric_of(*g.definition, g.metric).value("about", "")));
    out +=
        "| at | where | value | 95 % interval | samples | limits | verdict "
        "|\n|---|---|---|---|---|---|---|\n";
    for (const Json* f : g.findings) {
      const Json& m = f->at("measured");
      out +=
          fmt::format("| {} | {} | **{}** | {} | {} | {} | {} |\n", md(at_text(*f, *g.definition)),
                      md(where_text(f->at("where"))), figure_text(m.at("value"), g.unit),
                      interval_text(m, g.unit), m.at("samples").get<long>(),
                      limits_text(*f, g.unit), md(f->at("verdict").get<std::string>()));
    }
    out += "\n";
    const auto unfold = [&](const char* title, const auto& rows) {
      for (const auto& [at, text] : rows)
        out += fmt::format("- {} ({}): {}\n", title, md(at), md(text));
      if (!rows.empty()) out += "\n";
    };
    unfold("limits", derivation_rows(g));
    unfold("seen beside", observation_rows(passport, g));
  }
}

void write_fleet(std::string& out, const Json& passport) {
  const auto rows = fleet_rows(passport);
  if (rows.empty()) return;
  out += fmt::format(
      "## Equal places beside each other\n\nThe spread is the standard deviation from place to "
      "place, with the noise within places taken out.\n\n| {} |\n|{}\n",
      fmt::join(fleet_columns, " | "), "---|---|---|---|---|---|---|");
  for (const auto& row : rows) {
    for (const std::string& cell : row) out += "| " + md(cell) + " ";
    out += "|\n";
  }
  out += "\n";
}

}  // namespace

std::string write_markdown(const Json& p) {
  const Json& c = p.at("coverage");
  std::string out = fmt::format("# Cluster passport: {}\n\n", p.at("verdict").get<std::string>());
  if (p.at("simulated").get<bool>())
    out += "**SIMULATED**: no figure here comes from real hardware.\n\n";
  out += fmt::format("{}\n\n", verdict_sentence(p));
  out += fmt::format("{}: {} node(s). Assignments: {}. ",
                     md(p.at("cluster").at("name").get<std::string>()),
                     p.at("cluster").at("nodes").size(), counts_text(c.at("outcomes")));
  if (!c.at("seconds").is_null())
    out += fmt::format("{} in all, a measurement was running in {} of it.",
                       figure_text(c.at("seconds"), "s"), figure_text(c.at("body_share"), "1"));
  if (const std::string pairs = pairs_sentence(p); !pairs.empty()) out += " " + pairs;
  out += "\n\n" + md(promise_sentence(p));
  out += "\n\n";
  write_attention(out, p);
  write_figures(out, p);
  write_fleet(out, p);
  out += "## Inventory\n\n";
  for (const Json& n : p.at("nodes")) {
    out +=
        fmt::format("### {}\n\n| what | value |\n|---|---|\n", md(n.at("name").get<std::string>()));
    for (const auto& [what, value] : inventory_rows(n))
      out += fmt::format("| {} | {} |\n", md(what), md(value));
    out += "\n";
  }
  out += "## How each number is defined\n\n";
  for (const Json& d : p.at("definitions"))
    out += fmt::format("- **{}** (version {}): {} {}\n", md(d.at("name").get<std::string>()),
                       d.at("version").get<int>(), md(d.at("about").get<std::string>()),
                       md("Formula: " + d.at("formula").get<std::string>() + "."));
  const Json& v = p.at("provenance");
  out += fmt::format("\n## Provenance\n\naccept {} (build {}), judged by build {}{}. Run {}.\n\n",
                     v.at("version").get<std::string>(), v.at("build").get<std::string>(),
                     v.at("judged_by").get<std::string>(),
                     v.at("rejudged").get<bool>() ? ", judged again after the run" : "",
                     v.at("run").get<std::string>());
  for (const auto& [file, sum] : v.at("digests").items())
    out += fmt::format("- {} {}\n", file, sum.get<std::string>());
  return out;
}

}  // namespace acceptance
