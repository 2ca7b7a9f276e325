#include "reports/finding.h"

namespace acceptance {

std::string_view name(Verdict v) {
  switch (v) {
    case Verdict::pass: return "pass";
    case Verdict::fail: return "fail";
    case Verdict::remark: return "remark";
    case Verdict::inconclusive: return "inconclusive";
    case Verdict::not_run: return "not_run";
    case Verdict::not_applicable: return "not_applicable";
    case Verdict::measured: return "measured";
  }
  return "inconclusive";
}

void to_json(Json& j, const Reference& r) {
  j = Json{{"floor", r.floor},           {"typical", r.typical}, {"ceiling", r.ceiling},
           {"derivation", r.derivation}, {"source", r.source},   {"authority", r.authority}};
}

void to_json(Json& j, const Measured& m) {
  j = Json{{"value", m.value},
           {"low", m.low},
           {"high", m.high},
           {"unit", symbol(m.unit)},
           {"samples", m.samples}};
}

void to_json(Json& j, const Finding& f) {
  j = Json{{"test", f.test},
           {"metric", f.metric},
           {"point", f.point},
           {"where", f.where},
           {"attempt", f.attempt},
           {"required", f.required},
           {"verdict", name(f.verdict)},
           {"reason", f.reason},
           {"trouble", name(f.trouble)},
           {"culprits", f.culprits},
           {"remedy", f.remedy},
           {"observations", f.observations},
           {"measured", nullptr},
           {"reference", nullptr}};
  if (f.measured) j["measured"] = *f.measured;
  if (f.reference) j["reference"] = *f.reference;
}

}  // namespace acceptance
