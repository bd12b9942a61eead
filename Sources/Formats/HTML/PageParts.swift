/// Style and script of the pages.
enum PageParts {
    /// Light or dark, depending on the reader's system; always light on paper.
    static let style = """
        :root { --ink: #1b1f24; --dim: #5b6570; --paper: #ffffff; --line: #d8dee4; --soft: #f4f6f8;
          --accent: #0b62c4; --good: #1a7f37; --bad: #c2182b; --warn: #8a5a00; }
        @media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --dim: #9aa4ae; \
        --paper: #14181c; --line: #343b43; --soft: #1d2329; --accent: #6cb0ff; --good: #57c77a; \
        --bad: #ff7b86; --warn: #e0b050; } }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--paper); \
        color: var(--ink); font: 1rem/1.45 system-ui, sans-serif; }
        h1 { font-size: 1.5rem; margin: 0; overflow-wrap: anywhere; }
        .letterhead { display: flex; gap: 1rem; align-items: center; border-bottom: 2px solid var(--line); \
        padding-bottom: .6rem; margin-bottom: .8rem; } .letterhead p { margin: 0; } \
        .letterhead img { max-height: 4rem; max-width: 14rem; } .letterhead .name { font-size: 1.15rem; font-weight: 600; }
        .blank { min-height: 1.6em; border-bottom: 1px solid var(--dim); }
        .signs { display: grid; grid-template-columns: 1fr 2fr 2fr; gap: 2rem; margin-top: 2.5rem; break-inside: avoid; } \
        .signs p { border-top: 1px solid var(--dim); color: var(--dim); font-size: .8rem; }
        .verdict { border-left: .35rem solid; padding-left: .7rem; font-size: 1.1rem; }
        h2 { font-size: 1.15rem; margin: 1.6rem 0 .5rem; border-bottom: 1px solid var(--line); \
        padding-bottom: .2rem; }
        h3 { font-size: 1rem; margin: .9rem 0 .3rem; }
        ol { margin: .3rem 0; padding-left: 1.4rem; } p.good, p.warn, p.bad { font-weight: 600; }
        p { margin: .3rem 0; overflow-wrap: anywhere; } .dim { color: var(--dim); }
        dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); \
        gap: .5rem; margin: 0; }
        dl div { background: var(--soft); border-radius: .4rem; padding: .45rem .6rem; }
        dt { color: var(--dim); font-size: .8rem; } dd { margin: 0; overflow-wrap: anywhere; }
        .wide { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; font-size: .9rem; }
        th, td { text-align: left; padding: .25rem .7rem .25rem 0; vertical-align: top; \
        border-bottom: 1px solid var(--line); }
        th { color: var(--dim); font-weight: 600; } .n { text-align: right; white-space: nowrap; \
        font-variant-numeric: tabular-nums; } .line { white-space: nowrap; }
        @media screen and (max-width: 40rem) { .n, .line { white-space: normal; overflow-wrap: break-word; }
          .many thead, .many td:empty { display: none; } .many, .many tbody, .many tr { display: block; }
          .many tr { padding: .4rem 0; border-bottom: 1px solid var(--line); }
          .many td { display: flow-root; padding: .1rem 0 .1rem 6.2rem; border: 0; text-align: left; }
          .many td::before { content: attr(data-label); float: left; width: 5.7rem; margin-left: -6.2rem; \
        color: var(--dim); font-weight: 400; }
          .many .n, .many .brief { display: inline-block; padding-left: 0; margin-right: .9rem; }
          .many .n::before, .many .brief::before { float: none; margin: 0 .35rem 0 0; }
          .many td:first-child { display: block; padding-left: 0; font-weight: 600; } \
        .many td:first-child::before { content: none; } }
        .good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; } \
        .warn { color: var(--warn); }
        figure { margin: .9rem 0; break-inside: avoid; }
        figcaption { display: flex; flex-wrap: wrap; gap: 0 .6rem; align-items: baseline; \
        font-size: .9rem; }
        figcaption output { margin-left: auto; font-variant-numeric: tabular-nums; }
        .box { display: grid; grid-template-columns: 3.6rem 1fr; margin-top: .5rem; }
        .y { display: flex; flex-direction: column; justify-content: space-between; \
        text-align: right; padding-right: .4rem; font-size: .75rem; line-height: 1; \
        color: var(--dim); margin: -.35rem 0; font-variant-numeric: tabular-nums; }
        .x span { width: 0; display: flex; justify-content: center; white-space: nowrap; } \
        .x span:first-child { justify-content: flex-start; } .x span:last-child { justify-content: flex-end; }
        .x { display: flex; justify-content: space-between; padding-left: 3.6rem; \
        font-size: .75rem; color: var(--dim); font-variant-numeric: tabular-nums; }
        .box svg { width: 100%; height: 9rem; display: block; background: var(--soft); \
        touch-action: pan-y; }
        .box path { fill: none; vector-effect: non-scaling-stroke; }
        .grid { stroke: var(--line); stroke-width: 1px; }
        .curve { stroke: var(--accent); stroke-width: 1.5px; stroke-linejoin: round; }
        .pick { fill: var(--accent); opacity: .18; }
        .map { width: 100%; max-height: 30rem; display: block; background: var(--soft); }
        .map path { fill: none; stroke: var(--accent); stroke-width: 2.5px; \
        stroke-linejoin: round; stroke-linecap: round; vector-effect: non-scaling-stroke; }
        .map .scale { stroke: var(--ink); stroke-width: 1.5px; } .map text { fill: var(--ink); }
        .map .start { fill: var(--good); } .map .end { fill: var(--bad); }
        button { font: inherit; font-size: .85rem; color: inherit; background: var(--soft); \
        border: 1px solid var(--line); border-radius: .4rem; padding: .2rem .6rem; }
        footer { margin-top: 2rem; font-size: .8rem; }
        @media print { :root { --ink: #000; --dim: #444; --paper: #fff; --line: #bbb; \
        --soft: #fff; --accent: #0b4a94; --good: #125c27; --bad: #a01020; --warn: #6a4500; }
          @page { margin: 8mm 11mm; } html { font-size: 8.5pt; }
          body { max-width: none; padding: 0; font-size: 8.5pt; line-height: 1.3; } \
        .tools { display: none; } h1 { font-size: 14pt; } h2 { font-size: 11pt; margin: 2mm 0 .6mm; }
          h3 { font-size: 9pt; margin: 2mm 0 .5mm; break-after: avoid; } table { font-size: 8pt; }
          th, td { padding: .4mm 2mm .4mm 0; } ol { margin: .5mm 0; } p { margin: .5mm 0; }
          .letterhead { padding-bottom: 2mm; margin-bottom: 3mm; } .letterhead img { max-height: 16mm; } \
        .letterhead .name { font-size: 11pt; } .signs { margin-top: 7mm; } .verdict { font-size: 10pt; }
          dl { grid-template-columns: repeat(5, 1fr); gap: 0 3mm; } dl div { padding: .4mm 0; } dt { font-size: 7.5pt; }
          .plot { display: inline-block; width: 48.5%; margin: 1mm 1.5% 1mm 0; vertical-align: top; } \
        .plot:nth-of-type(even) { margin-right: 0; } #plots { orphans: 1; widows: 1; }
          footer { margin-top: 1mm; font-size: 7pt; } .keep { break-inside: avoid; }
          .box { margin-top: 1.5mm; } .box svg { height: 3.4cm; border: 1px solid var(--line); } .wide { overflow: visible; }
          tr, dl div { break-inside: avoid; } h2 { break-after: avoid; } }

        """

    /// Zooms all plots together by their view boxes and shows values of the curves.
    ///
    /// The page is complete without this part.
    static let script = """
        'use strict';
        (function () {
          var plots = Array.prototype.slice.call(document.querySelectorAll('figure.plot'));
          var end = 10000, from = 0, to = end;
          function clock(s) {
            var t = Math.round(s), h = Math.floor(t / 3600), m = Math.floor(t / 60) % 60;
            function two(n) { return (n < 10 ? '0' : '') + n; }
            return (h ? h + ':' : '') + two(m) + ':' + two(t % 60);
          }
          function show() {
            plots.forEach(function (p) {
              var total = parseFloat(p.dataset.seconds), labels = p.querySelectorAll('.x span');
              p.querySelector('svg').setAttribute('viewBox', from + ' 0 ' + (to - from) + ' 1000');
              for (var i = 0; i < labels.length; i++) {
                var x = from + (to - from) * i / (labels.length - 1);
                labels[i].textContent = clock(x / end * total);
              }
            });
          }
          function zoom(a, b) {
            var width = Math.max(20, Math.min(end, b - a));
            from = Math.max(0, Math.min(end - width, a)); to = from + width; show();
          }
          function points(p) {
            if (!p.points) {
              var n = (p.querySelector('.curve').getAttribute('d').match(/-?[0-9.]+/g) || []).map(Number);
              p.points = [];
              for (var i = 0; i + 1 < n.length; i += 2) p.points.push([n[i], n[i + 1]]);
            }
            return p.points;
          }
          function read(p, x) {
            var all = points(p), low = 0, high = all.length - 1;
            if (high < 0) return;
            while (low < high) { var mid = (low + high) >> 1; if (all[mid][0] < x) low = mid + 1; else high = mid; }
            if (low > 0 && x - all[low - 1][0] < all[low][0] - x) low--;
            var min = parseFloat(p.dataset.min), max = parseFloat(p.dataset.max);
            var value = max - all[low][1] / 1000 * (max - min);
            p.querySelector('output').textContent = clock(all[low][0] / end * parseFloat(p.dataset.seconds)) +
              '  ' + value.toFixed(parseInt(p.dataset.places, 10)) + ' ' + p.dataset.unit;
          }
          plots.forEach(function (p) {
            var svg = p.querySelector('svg'), pick = p.querySelector('.pick'), start = null;
            function at(e) {
              var r = svg.getBoundingClientRect();
              return from + (to - from) * Math.max(0, Math.min(1, (e.clientX - r.left) / r.width));
            }
            svg.addEventListener('pointerdown', function (e) { start = at(e); svg.setPointerCapture(e.pointerId); });
            svg.addEventListener('pointermove', function (e) {
              var x = at(e);
              plots.forEach(function (q) { read(q, x); });
              if (start === null) return;
              pick.setAttribute('x', Math.min(start, x)); pick.setAttribute('width', Math.abs(x - start));
            });
            function done(e) {
              if (start === null) return;
              var x = at(e), a = Math.min(start, x), b = Math.max(start, x);
              start = null; pick.setAttribute('width', 0);
              if (b - a > (to - from) / 50) zoom(a, b);
            }
            svg.addEventListener('pointerup', done);
            svg.addEventListener('pointercancel', function () { start = null; pick.setAttribute('width', 0); });
            svg.addEventListener('dblclick', function () { zoom(0, end); });
          });
          function on(id, f) { document.getElementById(id).addEventListener('click', f); }
          on('in', function () { var w = (to - from) / 4; zoom(from + w, to - w); });
          on('out', function () { var w = (to - from) / 2; zoom(from - w, to + w); });
          on('all', function () { zoom(0, end); });
          document.querySelector('.tools').hidden = false;
        })();

        """
}
