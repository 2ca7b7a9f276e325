#include <fmt/format.h>

#include <algorithm>

#include "reports/passport/escape.h"
#include "reports/passport/passport.h"
#include "reports/passport/style.h"
#include "reports/passport/view.h"

namespace acceptance {
namespace {

std::string badge(const std::string& verdict) {
  std::string shown = verdict;
  std::replace(shown.begin(), shown.end(), '_', ' ');
  return fmt::format("<span class=\"badge {}\">{}</span>", esc(verdict), esc(shown));
}

std::string percent(double share) {
  return fmt::format("{:.2f}%", std::clamp(share, 0.0, 1.0) * 100);
}

/// A bar for the median, a line for its interval, marks for floor and ceiling; all on the group's
/// scale.
std::string bar(const Json& f, double scale) {
  if (!(scale > 0)) return "";
  const Json& m = f.at("measured");
  std::string out = fmt::format("<div class=bar><i style=\"width:{}\"></i>",
                                percent(m.at("value").get<double>() / scale));
  if (!m.at("low").is_null()) {
    const double low = m.at("low").get<double>() / scale, high = m.at("high").get<double>() / scale;
    out += fmt::format("<u style=\"left:{};width:{}\"></u>", percent(low), percent(high - low));
  }
  if (!f.at("reference").is_null())
    for (const char* mark : {"floor", "ceiling"})
      if (const Json& v = f.at("reference").at(mark); !v.is_null() && v.get<double>() <= scale)
        out += fmt::format("<b class={} style=\"left:{}\" title=\"{}\"></b>", mark,
                           percent(v.get<double>() / scale), mark);
  return out + "</div>";
}

/// The longest bar of a group; a ceiling far beyond every figure would flatten them all and is only
/// named.
double scale_of(const FigureGroup& g) {
  double most = 0, limits = 0;
  for (const Json* f : g.findings) {
    const Json& m = f->at("measured");
    most = std::max({most, m.at("value").get<double>(),
                     m.at("high").is_null() ? 0 : m.at("high").get<double>()});
    if (!f->at("reference").is_null())
      for (const char* mark : {"floor", "ceiling"})
        if (const Json& v = f->at("reference").at(mark); !v.is_null())
          limits = std::max(limits, v.get<double>());
  }
  return limits <= 3 * most ? std::max(most, limits) : most;
}

void write_attention(std::string& out, const Json& p) {
  out += "<section><h2>What wants attention</h2>\n";
  const auto list = attention(p);
  if (list.empty()) out += "<p>Nothing.</p>\n";
  for (const Attention& a : list) {
    const Json* f = a.finding;
    const std::string point = at_text(*f, definition_of(p, f->at("test")));
    out += fmt::format(
        "<div class=finding>{} <strong>{}</strong> {} <span class=quiet>{}</span> on {}<p>{}</p>",
        badge(f->at("verdict")), esc(f->at("test")), esc(f->at("metric")), esc(point),
        esc(where_text(f->at("where"))), esc(f->at("reason").get<std::string>() + a.more_text()));
    if (const std::string c = culprits_text(*f); !c.empty())
      out += fmt::format("<p>Culprit: <strong>{}</strong></p>", esc(c));
    if (!f->at("remedy").get<std::string>().empty())
      out += fmt::format("<p>What to do: {}</p>", esc(f->at("remedy")));
    out += "</div>\n";
  }
  out += "</section>\n";
}

void write_figures(std::string& out, const Json& p) {
  out +=
      "<section><h2>Figures</h2><p class=quiet>Medians; the thin line on a bar is the median's 95 "
      "% interval. "
      "Open the lines below a table to see how its limits come about.</p>\n";
  for (const FigureGroup& g : figure_groups(p)) {
    const Json& metric = metric_of(*g.definition, g.metric);
    out += fmt::format(
        "<div class=group><h3>{}: {}</h3><p class=quiet>{}. {} is better.</p>\n<table "
        "class=figures><tr><th class=at>at<th class=at>"
        "where<th class=num>value<th class=wide><th>95 % interval<th>limits<th>verdict</tr>\n",
        esc(g.test), esc(g.metric), esc(metric.at("about")),
        metric.at("better") == "higher" ? "Higher" : "Lower");
    const double scale = scale_of(g);
    for (const Json* f : g.findings) {
      const Json& m = f->at("measured");
      out += fmt::format(
          "<tr><td>{}<td>{}<td class=num>{}<td class=wide>{}<td>{} <span "
          "class=quiet>({})</span><td>{}<td>{}</tr>\n",
          esc(at_text(*f, *g.definition)), esc(where_text(f->at("where"))),
          esc(figure_text(m.at("value"), g.unit)), bar(*f, scale), esc(interval_text(m, g.unit)),
          m.at("samples").get<long>(), esc(limits_text(*f, g.unit)), badge(f->at("verdict")));
    }
    out += "</table>";
    const auto unfold = [&](const char* title, const auto& rows) {
      if (rows.empty()) return;
      out += fmt::format("<details class=quiet><summary>{}</summary><dl>", title);
      for (const auto& [at, text] : rows) out += fmt::format("<dt>{}<dd>{}", esc(at), esc(text));
      out += "</dl></details>";
    };
    unfold("how the limits come about", derivation_rows(g));
    unfold("seen beside these figures", observation_rows(p, g));
    out += "</div>\n";
  }
  out += "</section>\n";
}

void write_fleet(std::string& out, const Json& p) {
  const auto rows = fleet_rows(p);
  if (rows.empty()) return;
  out +=
      "<section><h2>Equal places beside each other</h2><p class=quiet>The spread is the standard "
      "deviation from place to place, with the noise within places taken out.</p>\n"
      "<table class=figures><tr>";
  for (const char* column : fleet_columns) out += fmt::format("<th>{}", column);
  out += "</tr>\n";
  for (const auto& row : rows) {
    out += "<tr>";
    for (const std::string& cell : row) out += "<td>" + esc(cell);
    out += "</tr>\n";
  }
  out += "</table></section>\n";
}

void write_inventory(std::string& out, const Json& p) {
  out += "<section><h2>Inventory</h2>\n";
  for (const Json& n : p.at("nodes")) {
    out += fmt::format("<h3>{}</h3><table class=facts>\n", esc(n.at("name")));
    for (const auto& [what, value] : inventory_rows(n))
      out += fmt::format("<tr{}><th>{}<td>{}</tr>\n",
                         value.starts_with("unknown") ? " class=quiet" : "", esc(what), esc(value));
    out += "</table>\n";
  }
  out += "</section>\n";
}

void write_definitions(std::string& out, const Json& p) {
  out += "<section><h2>How each number is defined</h2><dl>\n";
  for (const Json& d : p.at("definitions"))
    out += fmt::format("<dt>{} <span class=quiet>version {}</span><dd>{}<br>Formula: {}\n",
                       esc(d.at("name")), d.at("version").get<int>(), esc(d.at("about")),
                       esc(d.at("formula")));
  out += "</dl></section>\n";
}

void write_provenance(std::string& out, const Json& p) {
  const Json& v = p.at("provenance");
  std::string words;
  for (const Json& w : v.at("arguments"))
    words += fmt::format("{}{}", words.empty() ? "" : " ", w.get<std::string>());
  out += fmt::format(
      "<section><h2>Provenance</h2><p>accept {} (build {}), judged by build {}{}. Run "
      "{}.</p><p><code>{}</code></p><table class=facts>\n",
      esc(v.at("version")), esc(v.at("build")), esc(v.at("judged_by")),
      v.at("rejudged").get<bool>() ? ", judged again after the run" : "", esc(v.at("run")),
      esc(words));
  for (const auto& [file, sum] : v.at("digests").items())
    out += fmt::format("<tr><th>{}<td><code>{}</code></tr>\n", esc(file), esc(sum));
  out += "</table></section>\n";
}

}  // namespace

std::string write_html(const Json& p) {
  const Json& c = p.at("coverage");
  const auto verdict = p.at("verdict").get<std::string>();
  const std::string kind = verdict == "REJECTED"     ? "bad"
                           : verdict == "INCOMPLETE" ? "open"
                                                     : "good";
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport "
      "content=\"width=device-width,initial-scale=1\">"
      "<title>Cluster passport: {}</title><style>{}</style>\n<main><header class={}><p>Cluster "
      "passport of {}</p><h1>{}</h1>{}"
      "<p>{}</p></header>\n",
      esc(verdict), passport_style, kind, esc(p.at("cluster").at("name")), esc(verdict),
      p.at("simulated").get<bool>()
          ? "<p class=stamp>SIMULATED: no figure here comes from real hardware</p>"
          : "",
      esc(verdict_sentence(p)) + "</p><p>" + esc(promise_sentence(p)));
  out += fmt::format("<ul class=summary><li><b>{}</b> node(s)<li><b>{}</b> assignments ({})",
                     p.at("nodes").size(), c.at("assignments").get<long>(),
                     esc(counts_text(c.at("outcomes"))));
  if (!c.at("seconds").is_null())
    out += fmt::format("<li><b>{}</b> in all<li><b>{}</b> of it measuring",
                       figure_text(c.at("seconds"), "s"), figure_text(c.at("body_share"), "1"));
  if (const std::string pairs = pairs_sentence(p); !pairs.empty()) out += "<li>" + pairs;
  out += "</ul>\n";
  write_attention(out, p);
  write_figures(out, p);
  write_fleet(out, p);
  write_inventory(out, p);
  write_definitions(out, p);
  write_provenance(out, p);
  return out + "</main></html>\n";
}

}  // namespace acceptance
