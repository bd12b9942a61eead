// Round numbers that hold all values, and the steps between them.
function scale(values) {
  let low = Infinity, high = -Infinity;
  for (const value of values) { if (value < low) low = value; if (value > high) high = value; }
  if (!(high > low)) { const room = Math.max(Math.abs(low) * 0.1, 1); low -= room; high += room; }
  const step = above((high - low) / 4);
  low = Math.floor(low / step + 1e-9) * step; high = Math.ceil(high / step - 1e-9) * step;
  const marks = [];
  for (let mark = low; mark <= high + step / 2; mark += step) marks.push(mark);
  return { low, high: marks[marks.length - 1], marks, digits: step >= 1 && step % 1 === 0 ? 0 : Math.min(3, Math.ceil(-Math.log10(step)) + (step.toString().includes('25') ? 1 : 0)) };
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
// A figure of one signal; `look(second)` moves its cursor.
function figure(plot, onLook) {
  const { low, high, marks, digits } = scale(plot.points.map(point => point[1]));
  const span = plot.seconds, y = value => 200 - (value - low) / (high - low) * 200, x = at => at / span * 1000;
  const usual = plot.points.length > 1 ? (plot.points[plot.points.length - 1][0] - plot.points[0][0]) / (plot.points.length - 1) : 0;
  const cursor = s('path', { class: 'cursor' }), output = h('span', { class: 'at' });
  const svg = s('svg', { viewBox: '0 0 1000 200', preserveAspectRatio: 'none', role: 'img', 'aria-label': plot.name + ' over time, from ' +
    round(Math.min(...plot.points.map(p => p[1])), plot.decimals) + ' to ' + round(Math.max(...plot.points.map(p => p[1])), plot.decimals) + ' ' + (plot.unit || '') }, [
    s('path', { class: 'grid', d: marks.map(mark => 'M0 ' + y(mark).toFixed(1) + 'H1000').join('') }),
    s('path', { class: 'line', d: path(plot.points, x, y, Math.max(3, usual * 6)) }), cursor]);
  svg.addEventListener('pointermove', event => {
    const box = svg.getBoundingClientRect();
    onLook(Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)) * span);
  });
  const node = h('figure', {}, [
    h('figcaption', {}, [h('b', { text: plot.name }), h('span', { class: 'dim', text: plot.unit || '' }), output]),
    h('div', { class: 'plot' }, [
      h('div', { class: 'y', 'aria-hidden': 'true' }, marks.slice().reverse().map(mark => h('span', { text: round(mark, digits) }))), svg]),
    h('div', { class: 'x', 'aria-hidden': 'true' }, [0, 0.25, 0.5, 0.75, 1].map(part => h('span', { text: clock(span * part) })))]);
  const look = second => {
    let from = 0, to = plot.points.length - 1;
    while (from < to) { const middle = (from + to) >> 1; if (plot.points[middle][0] < second) from = middle + 1; else to = middle; }
    if (from > 0 && second - plot.points[from - 1][0] < plot.points[from][0] - second) from--;
    cursor.setAttribute('d', 'M' + x(second).toFixed(1) + ' 0V200');
    output.textContent = round(plot.points[from][1], plot.decimals) + ' ' + (plot.unit || '');
  };
  return { node, look, said: () => plot.name + ' ' + output.textContent };
}
// Where a trip went: north is up, no map below it.
function track(points, { unit, factor }) {
  const middle = points.map(p => p[1]).reduce((a, b) => a + b, 0) / points.length, shrink = Math.max(0.01, Math.cos(middle * Math.PI / 180));
  const wraps = Math.max(...points.map(p => p[2])) - Math.min(...points.map(p => p[2])) > 180;
  const east = p => (wraps && p[2] < 0 ? p[2] + 360 : p[2]) * shrink * 111.195 * factor, north = p => p[1] * 111.195 * factor;
  const left = Math.min(...points.map(east)), top = Math.max(...points.map(north));
  const wide = Math.max(Math.max(...points.map(east)) - left, 0.05), high = Math.max(top - Math.min(...points.map(north)), 0.05);
  const k = 900 / Math.max(wide, high), width = Math.max(wide * k, 400) + 100, height = Math.max(high * k, 200) + 140;
  const x = p => 50 + (east(p) - left) * k + (width - 100 - wide * k) / 2, y = p => 50 + (top - north(p)) * k;
  let line = '', last = null;
  for (const p of points) { line += (last === null || p[0] - last > 60 ? 'M' : 'L') + x(p).toFixed(1) + ' ' + y(p).toFixed(1); last = p[0]; }
  const first = points[0], end = points[points.length - 1], foot = height - 30;
  let bar = 0.01;
  for (const step of [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]) if (step * k <= width / 4) bar = step;
  return h('figure', {}, [s('svg', { class: 'map', viewBox: '0 0 ' + width.toFixed(0) + ' ' + height.toFixed(0), role: 'img', 'aria-label': 'The track, north is up' }, [
    s('path', { d: line }),
    s('circle', { class: 'start', r: 9, cx: x(first).toFixed(1), cy: y(first).toFixed(1) }),
    s('rect', { class: 'end', width: 18, height: 18, x: (x(end) - 9).toFixed(1), y: (y(end) - 9).toFixed(1) }),
    s('path', { class: 'scale', d: 'M50 ' + foot + 'h' + (bar * k).toFixed(1) })]),
    h('p', { class: 'dim small', text: 'Circle: start, square: end; the line above is ' + bar + ' ' + unit + ' long; north is up.' })]);
}
