#pragma once

namespace acceptance {

/// The page's own style sheet: reads on a wide screen, on a phone and on paper, in light and dark.
inline constexpr const char* passport_style = R"css(
:root{--ink:#1b1f24;--soft:#5c6670;--line:#d9dee3;--page:#fff;--card:#f6f8fa;--bar:#5b8def;--good:#1a7f4b;--bad:#c0392b;--open:#b7791f}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ec;--soft:#9aa4ae;--line:#333a42;--page:#14171a;--card:#1c2126;--bar:#6f9cf5;--good:#2fa36b;--bad:#e0604f;--open:#d69e2e}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1120px;margin:0 auto;padding:24px}
header{border-left:8px solid var(--soft);background:var(--card);padding:16px 24px;border-radius:4px}
header.good{border-color:var(--good)}header.bad{border-color:var(--bad)}header.open{border-color:var(--open)}
header h1{margin:.1em 0;font-size:2.2em;letter-spacing:.02em}header p{margin:.2em 0}
header.good h1{color:var(--good)}header.bad h1{color:var(--bad)}header.open h1{color:var(--open)}
.stamp{display:inline-block;border:2px solid var(--bad);color:var(--bad);padding:2px 10px;font-weight:700}
.summary{display:flex;flex-wrap:wrap;gap:8px 28px;list-style:none;padding:0;margin:16px 0;color:var(--soft)}
.summary b{color:var(--ink)}
h2{margin:32px 0 8px;font-size:1.3em;border-bottom:1px solid var(--line);padding-bottom:4px}
h3{margin:20px 0 2px;font-size:1.02em}
.quiet{color:var(--soft)}p.quiet{margin:0 0 6px}
.finding{background:var(--card);border-radius:4px;padding:10px 14px;margin:8px 0;overflow-wrap:anywhere}
.finding p{margin:.3em 0}
.badge{display:inline-block;padding:0 8px;border-radius:9px;font-size:.82em;font-weight:600;color:#fff;background:var(--soft);white-space:nowrap}
.badge.pass{background:var(--good)}.badge.fail{background:var(--bad)}.badge.remark,.badge.inconclusive,.badge.not_run{background:var(--open)}
.group{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.93em}
th,td{text-align:left;padding:4px 10px 4px 0;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600;color:var(--soft)}
.num{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums;font-weight:600}
.figures{table-layout:fixed;min-width:760px}.figures td{overflow-wrap:anywhere}.at{width:15%}.figures .num{width:13%}.wide{width:20%}.figures th:last-child{width:105px}details{margin:2px 0}dl{margin:4px 0 8px 18px}
.facts th{width:230px;font-weight:400}.facts td{overflow-wrap:anywhere}
.bar{position:relative;height:14px;margin-top:4px;background:var(--card);border-radius:2px}
.bar i{position:absolute;left:0;top:0;bottom:0;background:var(--bar);border-radius:2px;-webkit-print-color-adjust:exact;print-color-adjust:exact}
.bar u{position:absolute;top:6px;height:2px;min-width:2px;background:var(--ink)}
.bar b{position:absolute;top:-3px;bottom:-3px;width:2px}.bar b.floor{background:var(--bad)}.bar b.ceiling{background:var(--soft)}
details summary{cursor:pointer}details p{margin:.3em 0;max-width:34em}
dt{font-weight:600;margin-top:8px}dd{margin:0 0 4px}
code{font-size:.88em;overflow-wrap:anywhere}
@media(max-width:700px){main{padding:12px}header h1{font-size:1.6em}.facts th{width:38%}.figures{table-layout:auto;min-width:0}.figures .wide{display:none}}
@media print{main{max-width:none;padding:0}.badge,header{-webkit-print-color-adjust:exact;print-color-adjust:exact}.finding,tr,dd{break-inside:avoid}h2,h3{break-after:avoid}details::details-content{content-visibility:visible;height:auto}summary{list-style:none}.group{overflow:visible}table{font-size:8.5pt}dl,dd{font-size:8pt}.figures{min-width:0}}
)css";

}  // namespace acceptance
