// Round numbers that hold all values, and the steps between them.
function scale(values) {
  let low = Infinity, high = -Infinity;
  for (const value of values) { if (value < low) low = value; if (value > high) high = value; }
  if (!(high > low)) { const room = Math.max(Math.abs(low) * 0.1, 1); low -= room; high += room; }
  const step = above((high - low) / 4);
  low = Math.floor(low / step + 1e-9) * step; high = Math.ceil(high / step - 1e-9) * step;
  const marks = [];
  for (let mark = low; mark <= high + step / 2; mark += step) marks.push(mark);
  return { low, high: marks[marks.length - 1], marks, digits: [0, 1, 2].find(digits => Math.abs(step * 10 ** digits - Math.round(step * 10 ** digits)) < 1e-6) ?? 3 };
}
// A path through points; what is longer without a value than usual is a gap.
function path(points, x, y, gap) {
  let text = '', last = null;
  for (const [at, value] of points) {
    text += (last === null || at - last > gap ? 'M' : 'L') + x(at).toFixed(1) + ' ' + y(value).toFixed(1);
    last = at;
  }
  return text;
}
// Round numbers of a time axis: [second, text].
function timeMarks(from, to, label, most) {
  const step = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400].find(step => (to - from) / step <= most) || 86400 * 7, marks = [];
  for (let at = Math.ceil(from / step - 1e-9) * step; at <= to + 1e-9; at += step) marks.push([at, label(at)]);
  return marks;
}
const least = points => points.reduce((low, point) => Math.min(low, point[1]), Infinity), most = points => points.reduce((high, point) => Math.max(high, point[1]), -Infinity);
// The place of the point that is nearest to x, in points that are sorted.
function nearest(points, x) {
  let from = 0, to = points.length - 1;
  while (from < to) { const middle = (from + to) >> 1; if (points[middle][0] < x) from = middle + 1; else to = middle; }
  return from > 0 && x - points[from - 1][0] < points[from][0] - x ? from - 1 : from;
}
// A chart of signals over time with one cursor. Signals of one unit share a scale: the first unit has the left axis, the
// second the right one, and the legend names the range of any other. Places are in `second`ths of a second. `onLook(second)` moves the cursors of all charts, `onZoom(from, to)` their windows.
function chart(series, { from, to, label = clock, onLook, onZoom, gap, second = 1 }) {
  const grid = s('path', { class: 'grid' }), cursor = s('path', { class: 'cursor' }), band = s('rect', { class: 'band', y: 0, height: 200, width: 0 });
  const lines = s('g', {}), svg = s('svg', { viewBox: '0 0 1000 200', preserveAspectRatio: 'none', role: 'img' }, [grid, lines, band, cursor]);
  const yAxis = h('div', { class: 'y', 'aria-hidden': 'true' }), rightAxis = h('div', { class: 'y right', 'aria-hidden': 'true' }), xAxis = h('div', { class: 'x', 'aria-hidden': 'true' }), now = h('span', { class: 'now', hidden: true }), caption = h('figcaption', {});
  const node = h('figure', {}, [caption, h('div', { class: 'plot' }, [yAxis, svg, rightAxis, xAxis])]);
  let outputs = [], looked = null;
  const x = at => (at - from) / (to - from) * 1000;
  function draw() {
    const inside = series.map(one => one.points.filter(point => point[0] >= from && point[0] <= to));
    const units = [...new Set(series.map(one => one.unit || ''))];
    const scales = units.map(unit => { const all = inside.filter((_, at) => (series[at].unit || '') === unit).flat().map(point => point[1]); return all.length ? scale(all) : null; });
    const first = scales[0];
    const y = (value, of) => 200 - (value - of.low) / (of.high - of.low) * 200;
    const times = timeMarks(from / second, to / second, at => label(at * second), innerWidth < 500 ? 3 : 6), axis = of => of ? of.marks.slice().reverse().map(mark => h('span', { text: round(mark, of.digits) })) : [];
    grid.setAttribute('d', (first ? first.marks.map(mark => 'M0 ' + y(mark, first).toFixed(1) + 'H1000').join('') : '') + times.map(([at]) => 'M' + x(at * second).toFixed(1) + ' 0V200').join(''));
    yAxis.replaceChildren(...axis(first));
    rightAxis.replaceChildren(...axis(scales[1]));
    rightAxis.hidden = !scales[1];
    xAxis.replaceChildren(...times.map(([at, text]) => h('span', { text, 'data-at': (x(at * second) / 10).toFixed(2) })), now);
    // The policy of the page refuses style attributes, but lets a script set properties.
    for (const mark of xAxis.children) if (mark !== now) mark.style.left = mark.dataset.at + '%';
    outputs = [];
    lines.replaceChildren();
    caption.replaceChildren(...series.map((one, at) => {
      const of = scales[units.indexOf(one.unit || '')], output = h('span', { class: 'at' });
      outputs.push(output);
      if (of) {
        // A line continues to the edges of a window that is zoomed in.
        const begin = Math.max(0, one.points.findIndex(point => point[0] >= from) - 1), rest = one.points.slice(begin), end = rest.findIndex(point => point[0] > to);
        const shown = end < 0 ? rest : rest.slice(0, end + 1);
        const usual = one.points.length > 1 ? (one.points[one.points.length - 1][0] - one.points[0][0]) / (one.points.length - 1) : 0;
        lines.append(s('path', { class: 'line s' + at, d: path(shown, x, value => y(value, of), gap || Math.max(3, usual * 6)) }));
      }
      const range = of && scales.indexOf(of) > 1 ? ' (' + round(of.low, of.digits) + ' to ' + round(of.high, of.digits) + ')' : '';
      return h('span', { class: 'key' }, [series.length > 1 ? h('i', { class: 's' + at, 'aria-hidden': 'true' }) : '', h('b', { text: one.name }), h('span', { class: 'dim', text: (one.unit || '') + range }), output]);
    }));
    svg.setAttribute('aria-label', series.map((one, at) => one.name + (inside[at].length ? ' from ' + round(least(inside[at]), one.decimals) + ' to ' + round(most(inside[at]), one.decimals) + ' ' + (one.unit || '') : '')).join(', ') + ', over time');
    if (looked !== null) look(looked);
  }
  function look(at) {
    looked = at;
    const isInside = at >= from && at <= to;
    cursor.setAttribute('d', isInside ? 'M' + x(at).toFixed(1) + ' 0V200' : '');
    now.hidden = !isInside;
    if (isInside) { now.textContent = label(at); now.style.left = (x(at) / 10) + '%'; }
    series.forEach((one, place) => { if (one.points.length) outputs[place].textContent = round(one.points[nearest(one.points, at)][1], one.decimals) + ' ' + (one.unit || ''); });
  }
  const at = event => { const box = svg.getBoundingClientRect(); return from + Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)) * (to - from); };
  let begin = null;
  svg.addEventListener('pointerdown', event => { if (event.pointerType === 'mouse' && event.button === 0 && onZoom) { begin = at(event); svg.setPointerCapture(event.pointerId); } });
  svg.addEventListener('pointermove', event => {
    const now = at(event);
    if (begin !== null) { band.setAttribute('x', Math.min(x(begin), x(now))); band.setAttribute('width', Math.abs(x(now) - x(begin))); }
    onLook(now);
  });
  svg.addEventListener('pointerup', event => {
    const now = at(event);
    band.setAttribute('width', 0);
    if (begin !== null && Math.abs(x(now) - x(begin)) > 15) onZoom(Math.min(begin, now), Math.max(begin, now));
    begin = null;
  });
  svg.addEventListener('dblclick', () => onZoom && onZoom(null, null));
  draw();
  return { node, look, draw, said: () => series.map((one, place) => one.name + ' ' + outputs[place].textContent).join(', '),
    show: (begin, end) => { from = begin; to = end; draw(); } };
}
// Buttons that zoom, for keys and fingers; `get()` is the window, `limits()` all there is.
function zoomBar(get, limits, set) {
  const by = factor => {
    const [from, to] = get(), [first, last] = limits(), span = Math.min(last - first, Math.max((to - from) * factor, 5)), middle = (from + to) / 2;
    const begin = Math.max(first, Math.min(last - span, middle - span / 2));
    set(begin, begin + span);
  };
  const button = (text, name, run) => { const node = h('button', { type: 'button', text, 'aria-label': name, title: name }); node.addEventListener('click', run); return node; };
  return h('div', { class: 'zoom', role: 'group', 'aria-label': 'Zoom' }, [button('+', 'Show less time', () => by(0.5)), button('−', 'Show more time', () => by(2)), button('All', 'Show everything', () => set(...limits()))]);
}
// Where a trip went: north is up. With tiles there is a street map below, which the browser loads from where the user said.
const mercator = (latitude, longitude) => [(longitude + 180) / 360, (1 - Math.asinh(Math.tan(Math.max(-85, Math.min(85, latitude)) * Math.PI / 180)) / Math.PI) / 2];
function track(points, { unit, factor }) {
  const template = document.body.dataset.tiles;
  const wraps = Math.max(...points.map(p => p[2])) - Math.min(...points.map(p => p[2])) > 180;
  const world = points.map(p => { const [x, y] = mercator(p[1], p[2]); return [wraps && x < 0.5 ? x + 1 : x, y]; });
  const middle = points.map(p => p[1]).reduce((a, b) => a + b, 0) / points.length;
  // Kilometres or miles that the whole width of the world has at this latitude.
  const around = 40030 * Math.max(0.01, Math.cos(middle * Math.PI / 180)) * factor, smallest = 0.05 / around;
  const left = Math.min(...world.map(p => p[0])), top = Math.min(...world.map(p => p[1]));
  const wide = Math.max(Math.max(...world.map(p => p[0])) - left, smallest), high = Math.max(Math.max(...world.map(p => p[1])) - top, smallest);
  const k = 900 / Math.max(wide, high), width = Math.max(wide * k, 400) + 100, height = Math.max(high * k, 200) + 140;
  const x0 = 50 + (width - 100 - wide * k) / 2, x = p => x0 + (p[0] - left) * k, y = p => 50 + (p[1] - top) * k;
  let line = '', last = null;
  points.forEach((p, at) => { line += (last === null || p[0] - last > 60 ? 'M' : 'L') + x(world[at]).toFixed(1) + ' ' + y(world[at]).toFixed(1); last = p[0]; });
  const first = world[0], end = world[world.length - 1], foot = height - 30;
  let bar = 0.01;
  for (const step of [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]) if (step / around * k <= width / 4) bar = step;
  const tiles = [];
  if (template) {
    const zoom = Math.max(0, Math.min(18, Math.floor(Math.log2(k / 256) + 1))), count = 2 ** zoom, size = k / count;
    const from = [left - x0 / k, top - 50 / k], to = [from[0] + width / k, from[1] + height / k];
    for (let tx = Math.floor(from[0] * count); tx <= Math.floor(to[0] * count) && tiles.length < 100; tx++)
      for (let ty = Math.max(0, Math.floor(from[1] * count)); ty <= Math.min(count - 1, Math.floor(to[1] * count)) && tiles.length < 100; ty++)
        tiles.push(s('image', { href: template.replace('{z}', zoom).replace('{x}', ((tx % count) + count) % count).replace('{y}', ty),
          x: (x0 + (tx / count - left) * k).toFixed(1), y: (50 + (ty / count - top) * k).toFixed(1), width: (size + 0.5).toFixed(1), height: (size + 0.5).toFixed(1) }));
  }
  const mark = s('circle', { class: 'here', r: 11, cx: x(first).toFixed(1), cy: y(first).toFixed(1) });
  const node = h('figure', {}, [s('svg', { class: 'map' + (template ? ' tiled' : ''), viewBox: '0 0 ' + width.toFixed(0) + ' ' + height.toFixed(0), role: 'img', 'aria-label': 'The track, north is up' }, [
    ...tiles, s('path', { d: line }),
    s('circle', { class: 'start', r: 9, cx: x(first).toFixed(1), cy: y(first).toFixed(1) }),
    s('rect', { class: 'end', width: 18, height: 18, x: (x(end) - 9).toFixed(1), y: (y(end) - 9).toFixed(1) }),
    s('path', { class: 'scale', d: 'M50 ' + foot + 'h' + (bar / around * k).toFixed(1) }), mark]),
    h('p', { class: 'dim small', text: 'Circle: start, square: end, dot: the chosen moment; the line above is ' + bar + ' ' + unit + ' long; north is up.' + (template ? ' Map: ' + template.split('/')[2] : '') })]);
  return { node, look: second => { const at = world[nearest(points, second)]; mark.setAttribute('cx', x(at).toFixed(1)); mark.setAttribute('cy', y(at).toFixed(1)); } };
}
