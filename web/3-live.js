// The live view: one card a signal and ECU, filled by server-sent events.
const live = { cards: new Map(), paused: false, everything: false, offset: 0, heard: 0, tried: 0, phase: null, source: null, dirty: new Set() };
const keyOf = o => [o.ecu, o.service, o.pid, o.signal].join('/');
function describe(o) {
  const key = keyOf(o);
  let card = live.cards.get(key);
  if (!card) {
    const node = h('li', { class: 'card' }), title = h('h2', { text: o.name, title: o.name }), who = h('span', { class: 'who' });
    const value = h('span', { class: 'value' }), line = s('path', {}), fill = h('i', {});
    const spark = s('svg', { class: 'spark', viewBox: '0 0 100 30', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, [line]);
    const meter = h('div', { class: 'meter', 'aria-hidden': 'true' }, [fill]), age = h('span', { class: 'age', hidden: true });
    node.append(title, who, value, spark, meter, age);
    card = { node, who, value, spark, line, meter, fill, age, points: [], least: Infinity, most: -Infinity, isNew: true };
    live.cards.set(key, card);
  }
  const now = Date.now();
  Object.assign(card, { about: o });
  card.points = o.history.map(([before, value]) => [now - before * 1000, value]);
  for (const [, value] of card.points) { card.least = Math.min(card.least, value); card.most = Math.max(card.most, value); }
  live.arranged = false;
}
function read(o) {
  const card = live.cards.get(keyOf(o));
  if (!card) return;
  card.last = o;
  if (typeof o.value === 'number') {
    const now = Date.now(), newest = card.points[card.points.length - 1];
    card.least = Math.min(card.least, o.value); card.most = Math.max(card.most, o.value);
    if (newest && card.points.length > 1 && now - card.points[card.points.length - 2][0] < 500) { newest[1] = o.value; }
    else card.points.push([now, o.value]);
    while (card.points.length > 240 || card.points.length && now - card.points[0][0] > 120000) card.points.shift();
  }
  live.dirty.add(card);
}
// What a bar is drawn against, as on a terminal (BarScale.swift): from zero to the end of the unit's dial, else in steps
// of 1, 2 and 5; from the middle where a signal goes both ways alike. It never shrinks. Counts and totals have none.
const dials = { '%': 100, '°C': 150, '°F': 300, rpm: 8000, 'km/h': 100, mph: 100, kPa: 250, psi: 40, V: 20 }, middles = { '%': 20, '°': 50 };
function barScale({ unit, low, high, decimals }, least, most) {
  if (!unit || /^(s|min|h|km|mi|L|kWh|US gal|UK gal)$/.test(unit)) return null;
  const isKnown = low !== null && high !== null, isCentred = isKnown ? low < 0 && Math.min(-low, high) >= Math.max(-low, high) / 2 : least < 0;
  const wanted = Math.max(isCentred ? Math.max(Math.abs(least), Math.abs(most)) : most, 10 / 10 ** decimals) * (1 - 1e-9);
  const decade = 10 ** Math.floor(Math.log10(wanted)), step = [1, 2, 5, 10].find(step => step * decade >= wanted) * decade;
  const end = Math.max((isCentred ? middles : dials)[unit] || 0, step), limit = isCentred ? Math.max(-low, high) : high;
  return { isCentred, end: isKnown && limit > 0 && end > limit * 1.1 ? limit : end };
}
const missing = { notSupported: 'not supported', notAvailable: 'not available', tooShort: 'too short', undefined: 'undefined' };
function drawCard(card) {
  const o = card.last, about = card.about;
  if (!o) return;
  const isNumber = typeof o.value === 'number';
  card.value.className = isNumber ? 'value' : 'value text';
  card.value.replaceChildren(isNumber ? round(o.value, about.decimals)
    : o.value === true ? 'on' : o.value === false ? 'off' : o.value === null || o.value === undefined ? (missing[o.status] || '—') : String(o.value));
  if (isNumber && about.unit) card.value.append(h('span', { class: 'unit', text: about.unit }));
  const scale = isNumber ? barScale(about, card.least, card.most) : null;
  card.meter.hidden = !scale;
  if (!isNumber) return;
  if (scale) {
    const half = scale.isCentred ? 50 : 100, zero = 100 - half;
    const at = zero + Math.max(scale.isCentred ? -1 : 0, Math.min(1, o.value / scale.end)) * half;
    card.fill.style.left = Math.min(zero, at).toFixed(1) + '%';
    card.fill.style.width = Math.abs(at - zero).toFixed(1) + '%';
    card.meter.title = (scale.isCentred ? '±' : '0 to ') + round(scale.end, scale.end < 10 ? about.decimals : 0) + ' ' + about.unit;
  }
  const points = card.points, from = points.length ? points[0][0] : 0, span = Math.max(1, Date.now() - from);
  let low = Infinity, high = -Infinity;
  for (const [, value] of points) { if (value < low) low = value; if (value > high) high = value; }
  const room = high - low, y = value => room > 0 ? 28 - (value - low) / room * 26 : 15;
  card.line.setAttribute('d', points.length > 1 ? path(points, at => (at - from) / span * 100, y, 20000) : '');
}
function arrange() {
  live.arranged = true;
  const words = $('filter').value.toLowerCase().split(/[\s,]+/).filter(word => word);
  const ecus = new Set([...live.cards.values()].filter(c => c.about.ecu).map(c => c.about.ecu));
  const fits = card => words.length === 0 || words.some(word => (card.about.signal + ' ' + card.about.name + ' ' + card.about.ecu).toLowerCase().includes(word));
  const shown = [...live.cards.values()].filter(card => (live.everything || card.about.shown || words.length > 0) && fits(card))
    .sort((a, b) => a.about.rank - b.about.rank || String(a.about.ecu).localeCompare(String(b.about.ecu)));
  for (const card of shown) {
    card.who.textContent = card.about.signal + (ecus.size > 1 && card.about.ecu ? ' · ' + card.about.ecu : '');
    drawCard(card);
  }
  // Only what moved is moved, so that the reader keeps the place.
  const list = $('cards'), nodes = shown.map(card => card.node);
  if (nodes.length !== list.children.length || nodes.some((node, at) => list.children[at] !== node)) list.replaceChildren(...nodes);
  noteLive(shown.length);
}
function noteLive(count) {
  const status = live.status || {};
  $('live-note').textContent = status.link === 'none' ? 'No adapter is in use. Recorded data is under Trips and Codes. With one plugged in, or with obdscan serve -d, readings appear here.'
    : count > 0 ? '' : live.cards.size > 0 ? 'No signal matches.' : status.link === 'live' ? 'Waiting for the first readings …'
    : status.link === 'connecting' ? 'Looking for the vehicle …' : '';
}
function ages() {
  const now = Date.now() - live.offset, isLive = live.phase === 'live';
  for (const card of live.cards.values()) {
    if (!card.last || !card.node.parentNode) continue;
    const age = (now - Date.parse(card.last.time)) / 1000, isOld = age > (isLive ? 15 : 3);
    card.node.classList.toggle('stale', isOld);
    card.age.hidden = !isOld;
    if (isOld) card.age.textContent = age < 120 ? Math.round(age) + ' s ago' : clock(age) + ' ago';
  }
}
const phases = { live: '● Live', connecting: '◌ Connecting', resting: '◌ Vehicle off', lost: '✕ Link lost', failed: '✕ Not connected', none: '○ No vehicle', gone: '✕ Server gone' };
function phase(name, note) {
  if (live.phase !== name) {
    live.phase = name;
    const link = $('link');
    link.className = 'link ' + (name === 'gone' ? 'failed' : name);
    link.textContent = phases[name] || name;
  }
  const notice = $('notice');
  if (notice.textContent !== (note || '')) notice.textContent = note || '';
  notice.hidden = !note;
}
// The name of a command stays as it is typed.
const sentences = ({ message, hint }) => message + (!hint ? '' : '. ' + (hint.startsWith('obdscan') ? hint : hint[0].toUpperCase() + hint.slice(1))) + '.';
function takeStatus(o) {
  const isFirst = !live.status, isNews = isFirst || live.status.link !== o.link;
  // Without a vehicle only recorded data can be shown.
  if (isFirst && o.link === 'none' && !location.hash) location.replace('#trips');
  live.status = o;
  live.offset = Date.now() - Date.parse(o.time);
  phase(o.link, o.note ? sentences({ message: o.note, hint: o.hint }) : '');
  const parts = [o.vin, o.device, o.adapter, o.protocol, o.voltage === null ? null : o.voltage.toFixed(1) + ' V'].filter(part => part);
  if ($('vehicle').textContent !== parts.join('')) $('vehicle').replaceChildren(...parts.map(part => h('span', { text: part })));
  $('figures').textContent = o.link === 'none' ? '' : 'State ' + o.state + ' · ' + o.readingsPerSecond.toFixed(1) + ' readings/s · ' + o.requests + ' requests · ' +
    o.timeouts + ' timeouts · ' + o.errors + ' errors · ' + o.reconnects + ' reconnects';
  $('read').disabled = o.link !== 'live' || isAsking;
  if (isNews && !$('codes').hidden && !$('codes-now').firstChild) readCodes();
  if (!live.arranged || live.cards.size === 0) noteLive($('cards').children.length);
}
function connect() {
  // A tab that opens in the background waits until it is shown.
  if (document.hidden) return;
  if (live.source) live.source.close();
  live.tried = Date.now();
  const source = live.source = new EventSource('/api/live');
  const on = (name, take) => source.addEventListener(name, event => { live.heard = Date.now(); take(JSON.parse(event.data)); });
  on('signal', describe); on('reading', read); on('status', takeStatus);
  source.onerror = () => {
    if (live.source !== source) return;
    phase('gone', 'The stream of readings was interrupted; reconnecting.');
    if (source.readyState !== EventSource.CLOSED) return;
    // A refusal: the same question says why.
    const again = async () => {
      if (live.source !== source) return;
      try {
        const response = await fetch('/api/live', { credentials: 'same-origin', cache: 'no-store' });
        if (response.ok) { response.body.cancel(); connect(); return; }
        if (response.status === 401) { location.reload(); return; }
        phase('gone', sentences(JSON.parse(await response.text())));
      } catch (error) { phase('gone', 'obdscan cannot be reached: ' + error.message + '.'); }
      setTimeout(again, 10000);
    };
    setTimeout(again, 3000);
  };
}
// A browser has six connections for a server: hidden tabs leave theirs to others.
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) { live.heard = 0; connect(); }
  else if (live.source) { live.source.close(); live.heard = 0; }
});
let drawn = 0;
function frame(time) {
  requestAnimationFrame(frame);
  if (live.paused || $('live').hidden || time - drawn < 100) return;
  drawn = time;
  if (!live.arranged) arrange();
  for (const card of live.dirty) if (card.node.parentNode) drawCard(card);
  live.dirty.clear();
}
setInterval(() => {
  ages();
  const now = Date.now();
  if (!live.heard || now - live.heard <= 6000) return;
  phase('gone', 'No data from obdscan; reconnecting.');
  // A stream can die without an end, as on a phone that slept.
  if (now - live.tried > 6000) connect();
}, 1000);
function toggle(id, change) {
  $(id).addEventListener('click', () => {
    const on = $(id).getAttribute('aria-pressed') !== 'true';
    $(id).setAttribute('aria-pressed', String(on));
    change(on);
  });
}
toggle('pause', on => { live.paused = on; });
toggle('all', on => { live.everything = on; live.arranged = false; });
$('filter').addEventListener('input', () => { live.arranged = false; });
