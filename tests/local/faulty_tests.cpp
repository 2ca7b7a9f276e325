// Bodies that go wrong in every way a body can. Linked into the test program alone.
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "suites/core/state.h"

namespace acceptance {
namespace {

using namespace std::chrono_literals;

Test faulty(std::string name, Scope scope, std::function<void(State&)> body) {
  Test t;
  t.name = "faulty." + name;
  t.about = "goes wrong on purpose";
  t.formula = "1 / time";
  t.scopes = {scope};
  t.metrics = {{"rate", Unit::per_second, Better::higher, "one over the time"}};
  t.sampling = {0.1, 6, 0.1};
  t.deadline_seconds = 3;
  t.body = std::move(body);
  return t;
}

double nap(std::chrono::milliseconds time) {
  std::this_thread::sleep_for(time);
  return std::chrono::duration<double>(time).count();
}
void measure(State& state, std::chrono::milliseconds each) {
  state.sample([=] { return nap(each); }, [](double s) { return Figures{{"rate", 1 / s}}; });
}

const Register good{faulty("a_good_one", Scope::node, [](State& s) { measure(s, 5ms); })};
const Register throws{faulty("throws", Scope::node,
                             [](State&) { throw std::runtime_error("the disk is upside down"); })};
const Register throws_int{faulty("throws_int", Scope::node, [](State&) { throw 42; })};
const Register wrong{
    faulty("wrong_result", Scope::node, [](State& s) { s.require(false, "2 + 2 was 5"); })};
const Register skips{
    faulty("skips", Scope::node, [](State&) { throw Skip("libfancy.so: cannot open"); })};
const Register crashes{faulty("crashes", Scope::node, [](State& s) {
  s.phase("about to crash");
  std::raise(SIGSEGV);
})};
const Register leaves{faulty("leaves", Scope::node, [](State&) { ::_Exit(7); })};
const Register hangs{faulty("hangs", Scope::node, [](State& s) {
  s.phase("waiting for a device that never answers");
  for (;;) std::this_thread::sleep_for(1s);
})};
const Register nothing{faulty("measures_nothing", Scope::node, [](State&) {})};
const Register last{faulty("z_last_good_one", Scope::node, [](State& s) { measure(s, 5ms); })};

const Register pair_good{faulty("pair_good", Scope::pair, [](State& s) { measure(s, 5ms); })};
const Register pair_crash{faulty("pair_crash", Scope::pair, [](State& s) {
  if (s.group().rank() == 1) std::raise(SIGSEGV);
  s.group().barrier();
})};
const Register pair_hang{faulty("pair_hang", Scope::pair, [](State& s) {
  s.phase(s.group().rank() == 1 ? "stuck" : "waiting for the other rank");
  while (s.group().rank() == 1) std::this_thread::sleep_for(1s);
  s.group().barrier();
})};
const Register pair_throw{faulty("pair_throw", Scope::pair, [](State& s) {
  if (s.group().rank() == 1) throw std::runtime_error("no queue pair left");
  s.group().barrier();
})};
const Register pair_wrong{faulty("pair_wrong", Scope::pair, [](State& s) {
  s.require(s.group().rank() != 1, "a corrupt byte");
})};

const Register pair_slow{faulty("pair_slow", Scope::pair, [](State& s) { measure(s, 400ms); })};

/// Long enough for something to happen to it meanwhile; its ranks meet all the time.
Test takes_long(std::string name, Scope scope, double seconds) {
  Test t = faulty(std::move(name), scope, [](State& s) {
    measure(s, 20ms);
    std::vector<std::byte> all(1 << 20);
    for (int i = 0; i < 4; ++i) s.group().broadcast(all, 0);
  });
  t.sampling = {-1, 6, seconds};  // never content
  t.deadline_seconds = 60;
  return t;
}
const Register node_long{takes_long("node_long", Scope::node, 1)};
const Register pair_long{takes_long("pair_long", Scope::pair, 0.6)};
/// Never ends where the host "h3" takes part, and no rank can be blamed for it.
const Register cluster_stuck{faulty("cluster_stuck", Scope::cluster, [](State& s) {
  std::array<char, 64> name{};
  ::gethostname(name.data(), name.size() - 1);
  bool stuck = false;
  for (const char is : gather(s.group(), static_cast<char>(std::strcmp(name.data(), "h3") == 0)))
    stuck = stuck || is != 0;
  stuck = broadcast(s.group(), stuck);
  s.phase("in an all-reduce");
  while (stuck) std::this_thread::sleep_for(1s);
  measure(s, 5ms);
})};
const Register cluster_long{takes_long("cluster_long", Scope::cluster, 2)};

/// Records of 20 kB, so that many a kill hits one in the middle of its way.
Test many_big() {
  Test t = faulty("big", Scope::node, [](State& s) {
    s.observe("long story", std::string(20'000, 'x'));
    measure(s, 2ms);
  });
  t.sampling = {0.5, 2, 0.01};
  std::vector<Value> numbers;
  for (int i = 1; i <= 1500; ++i) numbers.emplace_back(static_cast<double>(i));
  t.params = {{"number", Unit::count, numbers}};
  return t;
}
const Register big_records{many_big()};

/// Nothing at all, over and over: what is left is the cost of going from one to the next.
Test nothing_much(std::string name, Scope scope) {
  Test t = faulty(std::move(name), scope, [](State& s) { s.add("rate", 1); });
  std::vector<Value> numbers;
  for (int i = 1; i <= 100; ++i) numbers.emplace_back(static_cast<double>(i));
  t.params = {{"number", Unit::count, numbers}};
  return t;
}
const Register quick_node{nothing_much("quick_node", Scope::node)};
const Register quick_pair{nothing_much("quick_pair", Scope::pair)};

/// On four nodes the first pair crashes at every step; the pair that runs beside it is innocent.
Test first_pair_crashes() {
  Test t = faulty("pair_first_crashes", Scope::pair, [](State& s) {
    const bool first = s.places().front() == "local1" && s.places().back() == "local2";
    if (first && s.group().rank() == 1) std::raise(SIGSEGV);
    measure(s, 20ms);
  });
  t.params = {{"step", Unit::count, {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}}};
  return t;
}
const Register pair_first_crashes{first_pair_crashes()};

/// Many short assignments, so that a run can be killed in the middle of them.
Test many() {
  Test t = faulty("many", Scope::node, [](State& s) { measure(s, 10ms); });
  std::vector<Value> numbers;
  for (int i = 1; i <= 40; ++i) numbers.emplace_back(static_cast<double>(i));
  t.params = {{"number", Unit::count, numbers}};
  return t;
}
const Register many_short{many()};

}  // namespace
}  // namespace acceptance
