// Dials for the driver: the pinned signals, or the eight that matter for this kind of vehicle.
const dials8 = { shown: [], nodes: new Map(), isOn: false };
// A dial is three quarters of a circle: share 0 is at the lower left, share 1 at the lower right.
const onDial = (share, radius) => { const turn = (share * 270 - 225) * Math.PI / 180; return (100 + radius * Math.cos(turn)).toFixed(2) + ' ' + (100 + radius * Math.sin(turn)).toFixed(2); };
const arc = (from, to, radius) => to - from < 0.001 ? '' : 'M' + onDial(from, radius) + 'A' + radius + ' ' + radius + ' 0 ' + (to - from > 2 / 3 ? 1 : 0) + ' 1 ' + onDial(to, radius);
function makeDial(card) {
  const part = (name, more) => s('path', { class: name, ...more }), dial = {
    card, track: part('track'), zones: s('g', {}), fill: part('fill'), ticks: part('ticks'), marks: s('g', { class: 'texts' }), least: part('least'), most: part('most'), value: h('span', { class: 'value' }), unit: h('span', { class: 'unit' }), level: h('span', { class: 'level' }) };
  dial.svg = s('svg', { viewBox: '0 0 200 178', 'aria-hidden': 'true' }, [dial.track, dial.zones, dial.fill, dial.ticks, dial.marks, dial.least, dial.most]);
  dial.node = h('li', { class: 'dial' }, [dial.svg, h('div', { class: 'middle' }, [dial.value, dial.unit]), h('a', { class: 'name', href: '#signal/' + encodeURIComponent(card.key), text: card.about.name }), dial.level]);
  return dial;
}
function drawDial(dial) {
  const { card } = dial, { about, last } = card, value = last ? last.value : null, isNumber = typeof value === 'number';
  const text = isNumber ? isSpan(value, about.unit) ? quantity(value, about.unit) : round(value, dialDigits(about, value)) : value === true ? 'on' : value === false ? 'off' : value === null || value === undefined ? '—' : String(value);
  if (dial.value.textContent !== text) dial.value.textContent = text;
  dial.value.classList.toggle('long', text.length > 6);
  const unit = isNumber && !isSpan(value, about.unit) ? about.unit || '' : '';
  if (dial.unit.textContent !== unit) dial.unit.textContent = unit;
  const level = levelOf(about, value), isOld = card.age && !card.age.hidden;
  dial.node.className = 'dial' + (level ? ' level ' + level.level : '') + (isOld ? ' stale' : '');
  const words = isOld ? card.age.textContent : level ? levelText(level) : '';
  if (dial.level.textContent !== words) dial.level.textContent = words;
  const scale = isNumber ? barScale(about, card.least, card.most) : null;
  dial.svg.classList.toggle('none', !scale);
  if (!scale) return;
  const low = scale.isCentred ? -scale.end : 0, share = number => Math.max(0, Math.min(1, (number - low) / (scale.end - low))), zero = share(0), at = share(value);
  dial.fill.setAttribute('d', arc(Math.min(zero, at), Math.max(zero, at), 80));
  dial.least.setAttribute('d', 'M' + onDial(share(card.least), 70) + 'L' + onDial(share(card.least), 90));
  dial.most.setAttribute('d', 'M' + onDial(share(card.most), 70) + 'L' + onDial(share(card.most), 90));
  // What stays is drawn again when the scale has grown.
  if (dial.end === scale.end && dial.low === low) return;
  dial.end = scale.end; dial.low = low;
  const step = above((scale.end - low) / 8), marks = [];
  for (let mark = Math.ceil(low / step - 1e-9) * step; mark <= scale.end + step * 1e-6; mark += step) marks.push(mark);
  dial.track.setAttribute('d', arc(0, 1, 80));
  dial.ticks.setAttribute('d', marks.map(mark => 'M' + onDial(share(mark), 66) + 'L' + onDial(share(mark), 70)).join(''));
  dial.marks.replaceChildren(...marks.filter((_, place) => marks.length < 7 || place % 2 === 0).map(mark => { const [x, y] = onDial(share(mark), 57).split(' '); return s('text', { x, y, text: mark >= 1000 ? mark / 1000 + 'k' : String(Math.round(mark * 1000) / 1000) }); }));
  dial.zones.replaceChildren(...(about.levels || []).filter(({ level }) => level !== 'note').map(({ above: isAbove, limit, end, level }) => {
    const from = isAbove ? share(limit) : share(end === null ? low : end), to = isAbove ? share(end === null ? scale.end : end) : share(limit);
    return s('path', { class: 'zone ' + level, d: arc(from, to, 92) });
  }));
}
// A large number that jitters is unreadable: four digits are enough.
const dialDigits = (about, value) => Math.abs(value) >= 1000 || about.unit === 'rpm' ? 0 : Math.min(about.decimals, Math.abs(value) >= 100 ? 0 : 1);
function drawDials() {
  const pinned = live.pins.map(key => live.cards.get(key)).filter(card => card && card.about), chosen = pinned.length ? pinned.slice(0, 12) : driving();
  if (chosen.length !== dials8.shown.length || chosen.some((card, at) => dials8.shown[at] !== card)) {
    dials8.shown = chosen;
    for (const card of chosen) if (!dials8.nodes.has(card.key)) dials8.nodes.set(card.key, makeDial(card));
    $('dials').replaceChildren(...chosen.map(card => dials8.nodes.get(card.key).node));
    $('dials').className = chosen.length <= 1 ? 'one' : chosen.length <= 2 ? 'two' : chosen.length <= 4 ? 'four' : chosen.length <= 6 ? 'six' : 'eight';
    $('drive-note').textContent = chosen.length === 0 ? live.status && live.status.link === 'none' ? 'No adapter is in use.' : 'Waiting for the first readings …'
      : pinned.length ? '' : 'Signals that you pin (☆) on the page Live are shown here instead.';
  }
  for (const card of chosen) drawDial(dials8.nodes.get(card.key));
}
// While the dials are shown, the screen stays on where the browser can do that.
function showDials(on) {
  if (dials8.isOn === on) return;
  dials8.isOn = on;
  if (on) drawDials(); else if (document.fullscreenElement) document.exitFullscreen();
  if (navigator.wakeLock && $('awake').getAttribute('aria-pressed') !== 'true') keepOn(on);
}
$('full').hidden = !document.fullscreenEnabled;
$('full').addEventListener('click', () => { if (document.fullscreenElement) document.exitFullscreen(); else $('drive').requestFullscreen().catch(() => {}); });
document.addEventListener('fullscreenchange', () => { $('full').setAttribute('aria-pressed', String(!!document.fullscreenElement)); });
