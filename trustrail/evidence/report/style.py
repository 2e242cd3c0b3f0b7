"""The page's one style sheet; verdicts are told by words first and by colour second."""

STYLE = """
:root{--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--paper:#fff;--tint:#f6f8fa;--fail:#b42318;--open:#9a6700;--pass:#1a7f37}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9198a1;--line:#3d444d;--paper:#0d1117;--tint:#151b23;
--fail:#ff7b72;--open:#d29922;--pass:#3fb950}}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:70rem;margin:0 auto;padding:1.5rem}
h1{font-size:1.5rem;margin:0 0 .75rem}h2{font-size:1.15rem;margin:2rem 0 .5rem}
small,.meta{color:var(--soft);font-size:.82rem}a{color:inherit}
.gate{display:inline-block;margin:0;padding:.4rem 1rem;border-radius:.4rem;
border:2px solid currentColor;font-size:1.2rem}
.gate.block,.badge.fail{color:var(--fail)}.gate.pass,.badge.pass{color:var(--pass)}
.badge.inconclusive{color:var(--open)}.badge.idle{color:var(--soft)}
.badge{border:1px solid currentColor;border-radius:1rem;padding:0 .55rem;font-size:.8rem;font-weight:600;
white-space:nowrap}
.reasons{color:var(--fail)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}dt{color:var(--soft)}dd{margin:0}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.4rem .6rem}
td:nth-child(4){white-space:nowrap}
tr{border-bottom:1px solid var(--line)}th{color:var(--soft);font-weight:600;font-size:.85rem}
ol.talk{list-style:none;margin:0;padding:0}
ol.talk li{border-left:4px solid var(--line);background:var(--tint);margin:.5rem 0;padding:.5rem .8rem;
border-radius:.3rem}
ol.talk li.customer_message{margin-right:18%}ol.talk li.agent_message{margin-left:18%}
ol.talk li.confirmation_event{border-style:dashed;background:none}
ol.talk li.decides-fail{border-color:var(--fail);box-shadow:0 0 0 1px var(--fail)}
ol.talk li.decides-inconclusive{border-color:var(--open);box-shadow:0 0 0 1px var(--open)}
ol.talk li:target{outline:3px solid var(--open)}
pre{margin:.2rem 0 0;white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.45 ui-monospace,monospace}
.marks{float:right;text-align:right}.marks span{margin-left:.3rem}
""".strip()
