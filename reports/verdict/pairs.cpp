#include "reports/verdict/pairs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

#include "suites/core/outliers.h"
#include "suites/core/statistics.h"

namespace acceptance {
namespace {

using Level = PairFault::Level;

// A level is to blame where nearly all of its parts are slow: one healthy part may look slow.
constexpr double nearly_all = 0.75;
// More than this share of nodes or links is no fault of single ones.
constexpr std::size_t one_of = 8;

/// Small: there are millions of them.
struct Port {
  std::uint32_t node = 0;
  std::uint16_t rail = 0;
  bool sends = false;
  Port(std::size_t of, std::size_t on, bool out)
      : node(static_cast<std::uint32_t>(of)), rail(static_cast<std::uint16_t>(on)), sends(out) {}
  auto operator<=>(const Port&) const = default;
};

class Blame {
 public:
  explicit Blame(const PairMatrix& m) : m_(m) {
    take_shares();
    for (const Cell& c : cells_) {
      by_port_[c.from].push_back(c.share);
      by_port_[c.to].push_back(c.share);
    }
  }

  std::size_t comparisons() const { return by_port_.size() + cells_.size(); }

  /// `all` comparisons are made beside each other.
  std::vector<PairFault> faults(std::size_t all) {
    if (cells_.empty()) return {};
    comparisons_ = static_cast<double>(all);
    slow_ports();
    leaves();
    rails();
    const std::size_t before = faults_.size();
    nodes();
    ports();
    one_kind(before);
    links();
    return std::move(faults_);
  }

 private:
  struct Cell {
    Port from, to;
    double share = 0;  // of what is usual; more is better
    double again = 0;  // the same of a second look; 0 = there was none
  };

  /// What is usual within a leaf, and between leaves: a port's median, in the middle of all ports,
  /// so that a slow leaf doesn't make slow what is usual.
  void take_shares() {
    std::map<bool, std::map<Port, std::vector<double>>> kinds;
    const auto within = [&](const PairCell& c) {
      return !leaf(c.from).empty() && leaf(c.from) == leaf(c.to);
    };
    for (const PairCell& c : m_.cells) {
      auto& ports = kinds[within(c)];
      ports[{c.from, c.rail, m_.directed}].push_back(c.figure);
      ports[{c.to, c.rail, false}].push_back(c.figure);
    }
    std::map<bool, double> usual;
    for (const auto& [kind, ports] : kinds) {
      std::vector<double> medians;
      for (const auto& [port, figures] : ports) medians.push_back(median(figures));
      usual[kind] = median(medians);
    }
    cells_.reserve(m_.cells.size());
    for (const PairCell& c : m_.cells) {
      const double better = (m_.better == Better::higher ? 1 : -1) / usual[within(c)];
      // Without directions both ends are of one kind.
      cells_.push_back({{c.from, c.rail, m_.directed},
                        {c.to, c.rail, false},
                        better * c.figure,
                        better * c.again});
    }
  }

  double level() const { return false_pair_suspicion / comparisons_; }
  double sure(double chance) const { return std::min(1.0, chance * comparisons_); }

  /// Those that are off by what matters.
  std::vector<Outlier> outliers(const std::vector<PlaceValue>& values) {
    Spread spread = compare_places(values, level());
    centre_ = spread.centre;
    for (Outlier& o : spread.outliers) o.off /= std::abs(centre_);
    std::erase_if(spread.outliers, [&](const Outlier& o) { return o.off < m_.least; });
    return std::move(spread.outliers);
  }

  void slow_ports() {
    std::vector<Port> ports;
    std::vector<PlaceValue> values;
    for (const auto& [port, shares] : by_port_) {
      ports.push_back(port);
      values.push_back({median(shares), 0});
    }
    for (const Outlier& o : outliers(values)) slow_[ports[o.index]] = o;
  }

  /// Blames what all these ports have in common, if nearly all of them are slow.
  bool lift(const std::vector<Port>& ports, PairFault fault) {
    std::vector<double> offs;
    double chance = 1;
    for (const Port& p : ports)
      if (const auto it = slow_.find(p); it != slow_.end()) {
        offs.push_back(it->second.off);
        chance = std::min(chance, it->second.chance);
      }
    if (offs.empty() ||
        static_cast<double>(offs.size()) < nearly_all * static_cast<double>(ports.size()))
      return false;
    fault.off = median(offs);
    fault.chance = sure(chance);
    const std::set<Port> slow(ports.begin(), ports.end());
    fault.again =
        off_again([&](const Cell& c) { return slow.contains(c.from) || slow.contains(c.to); });
    faults_.push_back(std::move(fault));
    for (const Port& p : ports) {
      slow_.erase(p);
      explained_.insert(p);
    }
    return true;
  }

  /// How far off the cells of a second look are; 0 = there are none.
  template <class Which>
  double off_again(Which which) const {
    std::vector<double> shares;
    for (const Cell& c : cells_)
      if (c.again != 0 && which(c)) shares.push_back(c.again);
    if (shares.empty()) return 0;
    return std::max(0.0, (centre_ - median(shares)) / std::abs(centre_));
  }

  template <class Which>
  std::vector<Port> ports_where(Which which) const {
    std::vector<Port> out;
    for (const auto& [port, shares] : by_port_)
      if (which(port)) out.push_back(port);
    return out;
  }

  const std::string& leaf(const Port& p) const { return leaf(p.node); }
  const std::string& leaf(std::size_t node) const {
    static const std::string none;
    return node < m_.leaves.size() ? m_.leaves[node] : none;
  }

  void leaves() {
    std::map<std::string, int> sizes;
    for (std::size_t n = 0; n < m_.nodes.size(); ++n) ++sizes[leaf(n)];
    if (sizes.size() < 3) return;
    std::map<std::string, std::vector<double>> inside;
    std::map<std::string, std::vector<Port>> ports;
    std::vector<double> all;
    for (const Cell& c : cells_) {
      all.push_back(c.share);
      if (leaf(c.from) == leaf(c.to)) inside[leaf(c.from)].push_back(c.share);
    }
    for (const auto& [port, shares] : by_port_) ports[leaf(port)].push_back(port);
    const double usual = median(all);
    for (const auto& [name, size] : sizes) {
      if (name.empty() || size < 2) continue;
      PairFault f;
      f.level = Level::leaf;
      f.culprits = {name};
      const std::vector<double>& own = inside[name];
      f.inside = !own.empty() && median(own) < usual - m_.least;
      lift(ports[name], f);
    }
  }

  void rails() {
    for (std::size_t r = 0; m_.rails > 1 && r < m_.rails; ++r) {
      PairFault f;
      f.level = Level::rail;
      f.rail = r;
      lift(ports_where([&](const Port& p) { return p.rail == r; }), f);
    }
  }

  void nodes() {
    for (std::size_t n = 0; n < m_.nodes.size(); ++n) {
      PairFault f;
      f.level = Level::node;
      f.culprits = {m_.nodes[n]};
      lift(ports_where([&](const Port& p) { return p.node == n; }), f);
    }
  }

  void ports() {
    for (std::size_t n = 0; n < m_.nodes.size(); ++n)
      for (std::size_t r = 0; r < m_.rails; ++r) {
        PairFault f;
        f.level = Level::port;
        f.culprits = {m_.nodes[n]};
        f.rail = r;
        const auto here = [&](const Port& p) { return p.node == n && p.rail == r; };
        if (lift(ports_where(here), f)) continue;
        f.level = Level::direction;
        for (const bool sends : {false, true}) {
          f.sends = sends;
          lift(ports_where([&](const Port& p) { return here(p) && p.sends == sends; }), f);
        }
      }
  }

  /// Takes back the faults of single nodes, from `first` on, if they are of too many.
  void one_kind(std::size_t first) {
    std::set<std::string> low;
    std::vector<double> offs;
    double chance = 1;
    for (std::size_t i = first; i < faults_.size(); ++i) {
      low.insert(faults_[i].culprits.front());
      offs.push_back(faults_[i].off);
      chance = std::min(chance, faults_[i].chance);
    }
    if (low.size() <= std::max<std::size_t>(1, m_.nodes.size() / one_of)) return;
    faults_.resize(first);
    mixed({low.begin(), low.end()}, median(offs), chance);
  }

  void mixed(std::vector<std::string> nodes, double off, double chance) {
    PairFault f;
    f.level = Level::mixed;
    f.culprits = std::move(nodes);
    f.off = off;
    f.chance = chance;
    faults_.push_back(std::move(f));
  }

  void links() {
    std::vector<const Cell*> left;
    std::vector<PlaceValue> values;
    for (const Cell& c : cells_)
      if (!explained_.contains(c.from) && !explained_.contains(c.to)) {
        left.push_back(&c);
        values.push_back({c.share, 0});
      }
    std::vector<std::pair<const Cell*, Outlier>> slow;
    for (const Outlier& o : outliers(values)) slow.emplace_back(left[o.index], o);
    const auto leaves_of = [&](const Cell& c) {
      return std::minmax(leaf(c.from.node), leaf(c.to.node));
    };
    std::map<std::pair<std::string, std::string>, std::pair<double, double>> between;
    for (const Cell* c : left) ++between[leaves_of(*c)].second;
    for (const auto& [c, o] : slow) ++between[leaves_of(*c)].first;
    std::set<std::pair<std::string, std::string>> named;
    std::vector<PairFault> found;
    for (const auto& [slow_cell, o] : slow) {
      const Cell* c = slow_cell;
      PairFault f;
      f.culprits = {m_.nodes[c->from.node], m_.nodes[c->to.node]};
      f.rail = c->from.rail;
      f.off = o.off;
      f.chance = sure(o.chance);
      f.again =
          off_again([&](const Cell& other) { return other.from == c->from && other.to == c->to; });
      const auto both = leaves_of(*c);
      const auto [bad, all] = between[both];
      if (!both.first.empty() && both.first != both.second && all > 1 && bad >= nearly_all * all) {
        if (!named.insert(both).second) continue;
        f.level = Level::leaf_pair;
        f.culprits = {both.first, both.second};
        f.again = off_again([&](const Cell& other) { return leaves_of(other) == both; });
      }
      found.push_back(std::move(f));
    }
    const auto single = std::count_if(found.begin(), found.end(),
                                      [](const PairFault& f) { return f.level == Level::link; });
    if (static_cast<std::size_t>(single) > std::max<std::size_t>(1, left.size() / one_of)) {
      std::vector<double> offs;
      double chance = 1;
      for (const auto& [c, o] : slow) {
        offs.push_back(o.off);
        chance = std::min(chance, sure(o.chance));
      }
      return mixed({}, median(offs), chance);
    }
    for (PairFault& f : found) faults_.push_back(std::move(f));
  }

  const PairMatrix& m_;
  double comparisons_ = 1;
  double centre_ = 1;  // of those that are well
  std::vector<Cell> cells_;
  std::map<Port, std::vector<double>> by_port_;
  std::map<Port, Outlier> slow_;
  std::set<Port> explained_;
  std::vector<PairFault> faults_;
};

}  // namespace

std::string_view name(Level level) {
  switch (level) {
    case Level::direction: return "direction";
    case Level::port: return "port";
    case Level::node: return "node";
    case Level::rail: return "rail";
    case Level::leaf: return "leaf";
    case Level::leaf_pair: return "leaf pair";
    case Level::link: return "link";
    case Level::mixed: return "mixed";
  }
  return "";
}

std::vector<std::vector<PairFault>> blame_pairs(std::span<const PairMatrix> matrices) {
  std::vector<Blame> blames;
  std::size_t comparisons = 0;
  for (const PairMatrix& m : matrices) comparisons += blames.emplace_back(m).comparisons();
  std::vector<std::vector<PairFault>> faults;
  for (Blame& b : blames) faults.push_back(b.faults(comparisons));
  return faults;
}

}  // namespace acceptance
