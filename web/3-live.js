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
const missing = { notSupported: 'not supported', notAvailable: 'not available', tooShort: 'too short', undefined: 'undefined' };
function drawCard(card) {
  const o = card.last, about = card.about;
  if (!o) return;
  const isNumber = typeof o.value === 'number';
  card.value.className = isNumber ? 'value' : 'value text';
  card.value.replaceChildren(isNumber ? round(o.value, about.decimals)
    : o.value === true ? 'on' : o.value === false ? 'off' : o.value === null || o.value === undefined ? (missing[o.status] || '—') : String(o.value));
  if (isNumber && about.unit) card.value.append(h('span', { class: 'unit', text: about.unit }));
  const hasScale = isNumber && about.low !== null && about.high !== null;
  card.meter.hidden = !hasScale;
  if (!isNumber) return;
  if (hasScale) {
    const isShare = about.unit === '%' && about.high <= 200;
    const low = isShare ? about.low : Math.max(about.low, card.least < 0 ? -above(-card.least) : 0);
    const high = isShare ? about.high : Math.min(about.high, card.most > 0 ? above(card.most) : 0);
    const part = value => high > low ? Math.max(0, Math.min(1, (value - low) / (high - low))) * 100 : 0;
    const ends = [part(Math.max(low, Math.min(high, 0))), part(o.value)].sort((a, b) => a - b);
    card.fill.style.left = ends[0].toFixed(1) + '%';
    card.fill.style.width = (ends[1] - ends[0]).toFixed(1) + '%';
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
  // Only what moved is moved, so that whoever reads keeps the place.
  const list = $('cards'), nodes = shown.map(card => card.node);
  if (nodes.length !== list.children.length || nodes.some((node, at) => list.children[at] !== node)) list.replaceChildren(...nodes);
  noteLive(shown.length);
}
function noteLive(count) {
  const status = live.status || {};
  $('live-note').textContent = status.link === 'none' ? 'No accessory is in use: what was recorded is under Trips and Codes. With one plugged in, or with obdscan serve -d, readings appear here.'
    : count > 0 ? '' : live.cards.size > 0 ? 'No signal fits.' : status.link === 'live' ? 'Waiting for the first readings …'
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
function takeStatus(o) {
  const isFirst = !live.status, isNews = isFirst || live.status.link !== o.link;
  // Without a vehicle what is recorded is what there is to see.
  if (isFirst && o.link === 'none' && !location.hash) location.replace('#trips');
  live.status = o;
  live.offset = Date.now() - Date.parse(o.time);
  phase(o.link, o.note ? o.note + (o.hint ? '. ' + o.hint[0].toUpperCase() + o.hint.slice(1) : '') + '.' : '');
  const parts = [o.vin, o.accessory, o.adapter, o.protocol, o.voltage === null ? null : o.voltage.toFixed(1) + ' V'].filter(part => part);
  if ($('vehicle').textContent !== parts.join('')) $('vehicle').replaceChildren(...parts.map(part => h('span', { text: part })));
  $('figures').textContent = o.link === 'none' ? '' : 'State ' + o.state + ' · ' + o.readingsPerSecond.toFixed(1) + ' readings/s · ' + o.requests + ' requests · ' +
    o.timeouts + ' timeouts · ' + o.errors + ' errors · ' + o.reconnects + ' reconnects';
  $('read').disabled = o.link !== 'live';
  if (isNews && !$('codes').hidden && !$('codes-now').firstChild) readCodes();
  if (!live.arranged || live.cards.size === 0) noteLive($('cards').children.length);
}
function connect() {
  if (live.source) live.source.close();
  live.tried = Date.now();
  const source = live.source = new EventSource('/api/live');
  const on = (name, take) => source.addEventListener(name, event => { live.heard = Date.now(); take(JSON.parse(event.data)); });
  on('signal', describe); on('reading', read); on('status', takeStatus);
  source.onerror = () => {
    phase('gone', 'The stream of readings broke off; trying to have it back.');
    if (source.readyState !== EventSource.CLOSED) return;
    // A refusal: the answer to something simpler tells why.
    const again = () => { if (live.source === source) connect(); };
    setTimeout(() => ask('/api/status').then(again, again), 3000);
  };
}
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
  phase('gone', 'Nothing has come from obdscan for ' + Math.round((now - live.heard) / 1000) + ' seconds.');
  // A stream can be dead without an end, as behind a phone that slept.
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
