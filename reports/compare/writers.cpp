#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "reports/compare/changes.h"
#include "reports/compare/comparison.h"
#include "reports/passport/escape.h"
#include "reports/passport/style.h"
#include "reports/passport/view.h"
#include "reports/verdict/suspicion.h"
#include "suites/core/node_set.h"
#include "suites/core/text.h"

namespace acceptance {
namespace {

using Row = std::vector<std::string>;

std::string word(const Json& j) { return j.get<std::string>(); }

std::string percent(double ratio) { return fmt::format("{:+.1f} %", ratio * 100); }

std::string interval(const Json& c) {
  return fmt::format("{} to {}", percent(c.at("low").get<double>()),
                     percent(c.at("high").get<double>()));
}

std::string what_text(const Json& p, const Json& g) {
  const std::string at = point_text(g.at("point"), definition_of(p, g.at("test")));
  return fmt::format("{} {}{}", word(g.at("test")), word(g.at("metric")),
                     at.empty() ? "" : " (" + at + ")");
}

std::size_t places_of(const Json& g) {
  std::size_t n = 0;
  for (const auto& [move, count] : g.at("places").items()) n += count.get<std::size_t>();
  return n;
}

std::string from_to(const Json& g, const Json& c) {
  const std::string unit = word(g.at("unit"));
  return fmt::format("{} → {}", figure_text(c.at("before"), unit),
                     figure_text(c.at("after"), unit));
}

/// How much worse, as a share, for the order of the list.
double worse(const Json& g, const Json& c) {
  const double change = c.at("change").get<double>();
  return g.at("better") == "higher" ? -change : change;
}

const std::vector<std::string> figure_columns{"what",          "places",  "together",     "change",
                                              "95 % interval", "verdict", "of the places"};

std::vector<Row> figure_rows(const Json& p) {
  std::vector<Row> rows;
  for (const Json& g : p.at("figures")) {
    const Json& c = g.at("common");
    rows.push_back({what_text(p, g), std::to_string(places_of(g)), from_to(g, c),
                    percent(c.at("change").get<double>()), interval(c), word(c.at("move")),
                    counts_text(g.at("places"))});
  }
  return rows;
}

const std::vector<std::string> inventory_columns{"what", "before", "after", "nodes",
                                                 "of these worse"};

std::vector<Row> inventory_rows_of(const Json& p) {
  std::vector<Row> rows;
  for (const Json& i : p.at("inventory")) {
    std::string hit = std::to_string(i.at("regressed").get<int>());
    if (!i.at("odds").is_null())
      hit += fmt::format(" (by chance {})", odds_text(i.at("odds").get<double>()));
    const auto or_none = [](const Json& value) {
      return word(value).empty() ? "(not known)" : word(value);
    };
    rows.push_back({word(i.at("fact")), or_none(i.at("before")), or_none(i.at("after")),
                    fold_node_set(i.at("nodes").get<std::vector<std::string>>()), hit});
  }
  return rows;
}

std::vector<std::string> not_compared_sentences(const Json& p) {
  std::vector<std::string> out;
  for (const Json& m : p.at("not_compared"))
    out.push_back(fmt::format("{}: {} measurement(s): {}; one of them: {}", word(m.at("test")),
                              m.at("count").get<int>(), word(m.at("why")), word(m.at("example"))));
  return out;
}

std::string side_text(const Json& side) {
  return fmt::format("run {} of {} ({}, {} repetition(s), {} node(s), build {})",
                     word(side.at("run")), word(side.at("started")), word(side.at("profile")),
                     side.at("repetitions").get<int>(), side.at("nodes").get<int>(),
                     word(side.at("build")));
}

std::string markdown_table(const std::vector<std::string>& columns, const std::vector<Row>& rows) {
  std::string out = fmt::format("| {} |\n|", fmt::join(columns, " | "));
  for (std::size_t i = 0; i < columns.size(); ++i) out += "---|";
  out += "\n";
  for (const Row& row : rows) {
    for (const std::string& cell : row) out += "| " + md(cell) + " ";
    out += "|\n";
  }
  return out + "\n";
}

std::string html_table(const std::vector<std::string>& columns, const std::vector<Row>& rows) {
  std::string out = "<div class=group><table><tr>";
  for (const std::string& c : columns) out += "<th>" + esc(c);
  out += "</tr>\n";
  for (const Row& row : rows) {
    out += "<tr>";
    for (const std::string& cell : row) out += "<td>" + esc(cell);
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

std::string write_markdown_comparison(const Json& p) {
  std::string out = fmt::format("# Before and after: {}\n\n", word(p.at("verdict")));
  if (p.at("simulated").get<bool>())
    out += "**SIMULATED**: no figure here comes from real hardware.\n\n";
  out += fmt::format("{}\n\nBefore: {}.\nAfter: {}.\n\n", md(comparison_sentence(p)),
                     md(side_text(p.at("before"))), md(side_text(p.at("after"))));
  const auto list = [&](const char* title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    out += fmt::format("## {}\n\n", title);
    for (const std::string& line : lines) out += "- " + md(line) + "\n";
    out += "\n";
  };
  list("What moved", moved_sentences(p));
  list("Read with care", p.at("differences").get<std::vector<std::string>>());
  list("Not compared", not_compared_sentences(p));
  if (const auto rows = inventory_rows_of(p); !rows.empty())
    out += "## What changed in the inventory\n\n" + markdown_table(inventory_columns, rows);
  return out + "## Figures\n\n" + markdown_table(figure_columns, figure_rows(p));
}

std::string write_html_comparison(const Json& p) {
  const std::string verdict = word(p.at("verdict"));
  const char* kind = verdict == "REGRESSED" ? "bad" : verdict == "INCOMPLETE" ? "open" : "good";
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport "
      "content=\"width=device-width,initial-scale=1\"><title>Before and after: {0}</title>"
      "<style>{1}</style>\n<main><header class={2}><p>Before and after</p><h1>{0}</h1>{3}<p>{4}</p>"
      "</header>\n<p class=quiet>Before: {5}<br>After: {6}</p>\n",
      esc(verdict), passport_style, kind,
      p.at("simulated").get<bool>()
          ? "<p class=stamp>SIMULATED: no figure here comes from real hardware</p>"
          : "",
      esc(comparison_sentence(p)), esc(side_text(p.at("before"))), esc(side_text(p.at("after"))));
  const auto list = [&](const char* title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    out += fmt::format("<section><h2>{}</h2>\n", title);
    for (const std::string& line : lines) out += "<div class=finding>" + esc(line) + "</div>\n";
    out += "</section>\n";
  };
  list("What moved", moved_sentences(p));
  list("Read with care", p.at("differences").get<std::vector<std::string>>());
  list("Not compared", not_compared_sentences(p));
  if (const auto rows = inventory_rows_of(p); !rows.empty())
    out += "<section><h2>What changed in the inventory</h2>" + html_table(inventory_columns, rows) +
           "</section>\n";
  out += "<section><h2>Figures</h2>" + html_table(figure_columns, figure_rows(p)) + "</section>\n";
  return out + "</main></html>\n";
}

}  // namespace

std::vector<std::string> moved_sentences(const Json& p) {
  struct Line {
    double weight = 0;
    std::string text;
    int points = 0;
  };
  std::map<std::string, Line> lines;  // one per metric and place: its worst point
  constexpr double most = 1e3;
  const auto add = [&](const std::string& key, double weight, const std::string& text) {
    Line& line = lines[key];
    if (++line.points == 1 || weight > line.weight) line.weight = weight, line.text = text;
  };
  for (const Json& o : p.at("outcomes")) {
    const std::string at = point_text(o.at("point"), definition_of(p, o.at("test")));
    const std::string reason = word(o.at("reason"));
    add(fmt::format("{} {} {}", word(o.at("test")), dump(o.at("where")), word(o.at("after"))),
        o.at("move") == "improved" ? -most : most,
        fmt::format("{}: {}{} on {}: {} before, {} after{}", word(o.at("move")), word(o.at("test")),
                    at.empty() ? "" : " (" + at + ")", where_text(o.at("where")),
                    word(o.at("before")), word(o.at("after")),
                    reason.empty() ? "" : ": " + reason));
  }
  for (const Json& g : p.at("figures")) {
    const Json& common = g.at("common");
    const bool several = places_of(g) >= 3;
    const auto line = [&](const Json& c, const std::string& where, const std::string& more) {
      add(fmt::format("{} {} {} {}", word(g.at("test")), word(g.at("metric")), where,
                      word(c.at("move"))),
          worse(g, c),
          fmt::format("{}: {} {}: {} ({}, 95 % interval {}){}", word(c.at("move")), what_text(p, g),
                      where, from_to(g, c), percent(c.at("change").get<double>()), interval(c),
                      more));
    };
    const bool moved = common.at("move") == "regressed" || common.at("move") == "improved";
    if (moved && several) line(common, "on all places together", "");
    for (const Json& c : g.at("moved"))
      line(c, fmt::format("on {}", where_text(c.at("where"))),
           several ? fmt::format(", all together {}", percent(common.at("change").get<double>()))
                   : "");
  }
  std::vector<const Line*> order;
  for (const auto& [key, line] : lines) order.push_back(&line);
  std::stable_sort(order.begin(), order.end(),
                   [](const Line* a, const Line* b) { return a->weight > b->weight; });
  std::vector<std::string> out;
  for (const Line* line : order)
    out.push_back(line->text +
                  (line->points > 1 ? fmt::format("; the most of {} points", line->points) : ""));
  return out;
}

std::string comparison_sentence(const Json& p) {
  std::map<std::string, int> counts;
  int fewest = 1000;
  for (const Json& g : p.at("figures")) {
    for (const auto& [move, count] : g.at("places").items()) counts[move] += count.get<int>();
    for (const auto& [side, n] : g.at("repetitions").items())
      fewest = std::min(fewest, n.get<int>());
  }
  std::string out = fmt::format(
      "Of {} figures compared: {}.",
      counts["regressed"] + counts["improved"] + counts["unchanged"] + counts["can't tell"],
      counts_text(Json(counts)));
  if (fewest < 3)
    out += fmt::format(
        " With fewer than three repetitions a side it isn't known how much runs differ by "
        "themselves: nothing below {:.0f} % can be told (accept run --repeat 3).",
        100 * (fewest < 2 ? told_with_one : told_with_two));
  return out;
}

std::string write_comparison(const Json& comparison, const std::string& format) {
  if (format == "json") return dump(comparison, 2) + "\n";
  if (format == "md") return write_markdown_comparison(comparison);
  if (format == "html") return write_html_comparison(comparison);
  throw std::invalid_argument(fmt::format("unknown format '{}'{}; known are json, md, html", format,
                                          suggestion(format, {"json", "md", "html"})));
}

}  // namespace acceptance
