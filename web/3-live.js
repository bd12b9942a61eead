// The live view: one card a signal and ECU, filled by server-sent events.
const live = { cards: new Map(), paused: false, everything: false, offset: 0, heard: 0, tried: 0, phase: null, source: null, dirty: new Set(), pins: [] };
// So long a course is kept of each signal for its big view; unit: ms.
const KEPT = 900000;
live.pins = kept('pins', isTexts, []);
live.opened = kept('opened', isTexts, []);
function keepPins() {
  keep('pins', live.pins);
  live.arranged = false;
}
const keyOf = o => [o.ecu, o.service, o.pid, o.signal].join('/');
function describe(o) {
  const key = keyOf(o);
  let card = live.cards.get(key);
  if (!card) {
    const node = h('li', { class: 'card' }), open = h('a', { text: o.name, title: o.name, href: '#signal/' + encodeURIComponent(key) }), title = h('h2', {}, [open]), who = h('span', { class: 'who' });
    const value = h('span', { class: 'value' }), line = s('path', {}), fill = h('i', {});
    const spark = s('svg', { class: 'spark', viewBox: '0 0 100 30', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, [line]);
    const pin = h('button', { type: 'button', class: 'pin', 'aria-pressed': 'false', 'aria-label': 'Pin ' + o.name, title: 'Pin to the top', text: '☆' });
    pin.addEventListener('click', () => togglePin(key));
    const meter = h('div', { class: 'meter', 'aria-hidden': 'true' }, [fill]), age = h('span', { class: 'age', hidden: true });
    const level = h('span', { class: 'level', hidden: true });
    node.append(title, pin, value, spark, who, level, meter, age);
    card = { key, node, pin, who, level, value, spark, line, meter, fill, age, points: [], course: [], least: Infinity, most: -Infinity, isNew: true };
    live.cards.set(key, card);
  }
  const now = Date.now();
  Object.assign(card, { about: o });
  card.points = o.history.map(([before, value]) => [now - before * 1000, value]);
  for (const [, value] of card.points) { card.least = Math.min(card.least, value); card.most = Math.max(card.most, value); }
  if (card.course.length === 0) card.course = card.points.slice();
  live.arranged = false;
}
function togglePin(key) {
  live.pins = live.pins.includes(key) ? live.pins.filter(one => one !== key) : [...live.pins, key];
  keepPins();
}
function movePin(key, step) {
  const at = live.pins.indexOf(key), to = at + step;
  if (at < 0 || to < 0 || to >= live.pins.length) return;
  live.pins.splice(to, 0, live.pins.splice(at, 1)[0]);
  keepPins();
}
function read(o) {
  const card = live.cards.get(keyOf(o));
  if (!card) return;
  card.last = o;
  compare(card);
  if (typeof o.value === 'number') {
    const now = Date.now(), newest = card.points[card.points.length - 1];
    card.least = Math.min(card.least, o.value); card.most = Math.max(card.most, o.value);
    if (newest && card.points.length > 1 && now - card.points[card.points.length - 2][0] < 500) { newest[1] = o.value; }
    else card.points.push([now, o.value]);
    const before = card.course[card.course.length - 1];
    if (!before || now - before[0] >= 1000) card.course.push([now, o.value]); else before[1] = o.value;
    while (card.course.length && now - card.course[0][0] > KEPT) card.course.shift();
    while (card.points.length > 240 || card.points.length && now - card.points[0][0] > 120000) card.points.shift();
  }
  live.dirty.add(card);
}
// Of ECUs that say the same the first is shown. Two answers are some time apart: what differs once is an accident.
function compare(card) {
  const { about, last } = card;
  if (!card.first) card.first = [...live.cards.values()].find(one => one.about.signal === about.signal && one.about.pid === about.pid && one.about.ecu < about.ecu) || null;
  if (!card.first || !card.first.last) return;
  const a = last.value, b = card.first.last.value, room = Math.max(Math.abs(a), Math.abs(b)) * 0.05 + (about.high - about.low) * 0.005;
  const isLike = typeof a === 'number' && typeof b === 'number' ? Math.abs(a - b) <= room : a === b;
  card.differs = isLike ? Math.max(0, (card.differs || 0) - 1) : Math.min(12, (card.differs || 0) + 4);
  const isSame = card.differs >= 8 ? false : card.differs === 0 ? true : card.isSame;
  if (isSame !== card.isSame) { card.isSame = isSame; live.arranged = false; }
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
// What a value is called by the rules of its signal: of several the last counts. Colour is never the only sign.
const shapes = { note: '•', low: '▼', high: '▲', tooLow: '▼▼', tooHigh: '▲▲' };
// They are about a running engine, of which an engine speed of the last seconds has to tell.
const engineRuns = () => [...live.cards.values()].some(({ about, last }) => about && last && ['RPM', 'SPN190'].includes(about.signal) && last.value >= 450 && Date.now() - live.offset - Date.parse(last.time) <= 10000);
const levelOf = (about, value) => typeof value !== 'number' || !engineRuns() ? null : (about.levels || []).filter(({ above, limit, end }) => above ? value > limit && (end === null || value <= end) : value < limit && (end === null || value >= end)).pop() || null;
const levelText = level => shapes[level.level] + ' ' + level.word;
const missing = { notSupported: 'not supported', notAvailable: 'not available', tooShort: 'too short', undefined: 'undefined' };
function drawCard(card) {
  const o = card.last, about = card.about;
  if (!o) return;
  const isNumber = typeof o.value === 'number';
  card.value.className = isNumber ? 'value' : 'value text';
  const isTime = isNumber && isSpan(o.value, about.unit);
  card.value.replaceChildren(isTime ? quantity(o.value, about.unit) : isNumber ? round(o.value, about.decimals)
    : o.value === true ? 'on' : o.value === false ? 'off' : o.value === null || o.value === undefined ? (missing[o.status] || '—') : String(o.value));
  if (isNumber && about.unit && !isTime) card.value.append(h('span', { class: 'unit', text: about.unit }));
  const level = levelOf(about, o.value);
  card.value.className += level ? ' level ' + level.level : '';
  card.level.hidden = !level;
  if (level) { card.level.textContent = levelText(level); card.level.title = level.reason; card.level.className = 'level ' + level.level; }
  const scale = isNumber ? barScale(about, card.least, card.most) : null;
  card.meter.classList.toggle('none', !scale);
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
  // What hardly changes is drawn as a calm line, not as the noise of its last digit.
  const least = scale ? scale.end * 0.04 : 0, room = Math.max(high - low, least), bottom = (high + low - room) / 2, y = value => room > 0 ? 28 - (value - bottom) / room * 26 : 15;
  card.line.setAttribute('d', points.length > 1 ? path(points, at => (at - from) / span * 100, y, 20000) : '');
}
// What a signal is about, by the words of its name; the first that fits counts.
const subjects = [
  ['Facts', /supported|since codes|check engine light|requirements|fuel type|warm-ups|odometer|reference torque|vehicle identification|maximum value|stored emission-related codes|auxiliary input|emission requirements/i],
  ['Temperatures', /temperature/i],
  ['Exhaust', /oxygen|catalyst|egr|evap|nox|particulate|exhaust|dpf|urea|reagent/i],
  ['Fuel and mixture', /fuel|lambda|mixture|injection|injector|rail|ethanol/i],
  ['Electricity', /voltage|battery|current|hybrid|charge/i],
  ['Air and pressure', /pressure|air flow|boost|turbo|manifold|barometric/i],
  ['Engine and driving', /engine|speed|load|throttle|torque|pedal|timing|gear|run time|acceler|brake/i]];
const subjectOf = about => about.constant ? 'Facts' : (subjects.find(([, words]) => words.test(about.name)) || ['Other'])[0];
const subjectOrder = ['Engine and driving', 'Temperatures', 'Fuel and mixture', 'Air and pressure', 'Exhaust', 'Electricity', 'Other', 'Facts'];
// What a driver looks at: obdscan decides by what the vehicle is (DriverSignals.swift). Of several ECUs the first is shown.
function driving() {
  const cards = [...live.cards.values()].filter(card => card.about && card.about.driver !== null && !card.isSame).sort((a, b) => a.about.driver - b.about.driver || String(a.about.ecu).localeCompare(String(b.about.ecu)));
  return cards.filter((card, at) => at === 0 || cards[at - 1].about.driver !== card.about.driver);
}
const abouts = () => [...live.cards.values()].map(card => card.about);
// More cards than these are grouped.
const MANY = 12;
function arrange() {
  live.arranged = true;
  const words = $('filter').value.toLowerCase().split(/[\s,]+/).filter(word => word);
  const isMany = areSeveral(abouts());
  const fits = card => words.length === 0 || words.some(word => (card.about.signal + ' ' + card.about.name + ' ' + ecuName(card.about.ecu)).toLowerCase().includes(word));
  const shown = [...live.cards.values()].filter(card => (live.everything || card.about.shown && !card.isSame || words.length > 0 || live.pins.includes(card.key)) && fits(card))
    .sort((a, b) => a.about.rank - b.about.rank || String(a.about.ecu).localeCompare(String(b.about.ecu)));
  for (const card of shown) {
    const isPinned = live.pins.includes(card.key);
    card.who.textContent = card.about.signal + (isMany && card.about.ecu ? ' · ' + ecuName(card.about.ecu) : '');
    card.pin.setAttribute('aria-pressed', String(isPinned));
    card.pin.textContent = isPinned ? '★' : '☆';
    drawCard(card);
  }
  const groups = new Map(), into = (name, card) => groups.set(name, [...(groups.get(name) || []), card]);
  for (const key of live.pins) for (const card of shown) if (card.key === key) into('Pinned', card);
  const rest = shown.filter(card => !live.pins.includes(card.key));
  if (shown.length > MANY && words.length === 0) {
    const first = driving().filter(card => rest.includes(card));
    for (const card of first) into('Driving', card);
    for (const name of subjectOrder) for (const card of rest) if (!first.includes(card) && subjectOf(card.about) === name) into(name, card);
  } else for (const card of rest) into('', card);
  // Only what moved is moved, so that the reader keeps the place.
  const list = $('cards'), known = new Map([...list.children].map(node => [node.dataset.name, node]));
  const sections = [...groups].map(([name, cards]) => {
    let section = known.get(name);
    if (!section) {
      const ul = h('ul', { class: 'cards' });
      section = ['', 'Pinned', 'Driving'].includes(name) ? h('div', { 'data-name': name, class: 'group' }, [name ? h('h2', { text: name }) : '', ul])
        : h('details', { 'data-name': name, class: 'group', open: live.opened.includes(name) }, [h('summary', {}), ul]);
      section.addEventListener('toggle', () => { live.opened = [...live.opened.filter(one => one !== name), ...(section.open ? [name] : [])]; keep('opened', live.opened); live.arranged = false; });
    }
    const summary = section.querySelector('summary'), title = (name === 'Facts' ? 'Facts that rarely change' : name) + ' (' + cards.length + ')';
    if (summary && summary.textContent !== title) summary.textContent = title;
    for (const card of cards) card.isFolded = summary !== null && !section.open;
    const ul = section.querySelector('ul'), nodes = cards.map(card => card.node);
    if (nodes.length !== ul.children.length || nodes.some((node, at) => ul.children[at] !== node)) ul.replaceChildren(...nodes);
    return section;
  });
  if (sections.length !== list.children.length || sections.some((node, at) => list.children[at] !== node)) list.replaceChildren(...sections);
  live.count = shown.length;
  noteLive(shown.length);
}
// The check engine light and the number of stored codes, which the first PID of a vehicle reports.
function drawLamp() {
  const lights = [], counts = [];
  let newest = 0;
  for (const { last } of live.cards.values()) {
    if (last && last.signal === 'MIL' && typeof last.value === 'boolean') { lights.push(last.value); newest = Math.max(newest, Date.parse(last.time)); }
    if (last && last.signal === 'DTC_CNT' && typeof last.value === 'number') counts.push(last.value);
  }
  const lamp = $('lamp'), isOn = lights.includes(true), count = counts.reduce((sum, count) => sum + count, 0);
  lamp.hidden = lights.length === 0;
  if (lamp.hidden) return;
  // Without answers the light may have changed since.
  const age = (Date.now() - live.offset - newest) / 1000, isOld = age > (live.status && live.status.link === 'live' ? 60 : 3);
  const text = (isOn ? '⚠ Check engine light on' : '✓ Check engine light off') + (counts.length === 0 ? '' : count === 0 ? ' · no stored codes' : count === 1 ? ' · 1 stored code' : ' · ' + count + ' stored codes') + (isOld ? ' · ' + duration(Math.round(age)) + ' ago' : '');
  if (lamp.textContent !== text) lamp.textContent = text;
  lamp.className = 'lamp ' + (isOld ? 'old' : isOn ? 'bad' : 'good');
}
function noteLive(count) {
  const status = live.status || {};
  $('live-note').textContent = status.link === 'none' ? 'No adapter is in use. Recorded data is under Trips and Codes.'
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
    if (isOld) card.age.textContent = duration(Math.round(age)) + ' ago';
  }
}
const phases = { live: '● Live', connecting: '◌ Connecting', resting: '◌ Vehicle off', lost: '✕ Link lost', silent: '✕ No answer', failed: '✕ Not connected', none: '○ No vehicle', gone: '✕ Server gone' };
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
// Who looks at a browser has no command line before him: advice for one is left out.
const isForShell = hint => /(^|\s)(obdscan\s|--?[a-z]|\/api\/)/.test(hint);
const sentences = ({ message, hint }) => message + (!hint || isForShell(hint) ? '' : '. ' + hint[0].toUpperCase() + hint.slice(1)) + '.';
function takeStatus(o) {
  const isFirst = !live.status, isNews = isFirst || live.status.link !== o.link, isOther = isFirst || live.status.vin !== o.vin;
  // Without a vehicle only recorded data can be shown.
  if (isFirst && o.link === 'none' && !location.hash) location.replace('#trips');
  live.status = o;
  if (isOther) ecuNames.clear();
  nameECUs(Object.entries(o.ecus));
  live.offset = Date.now() - Date.parse(o.time);
  // The time of day stays the same, so that a screen reader says it once.
  const since = o.missingSince ? ' since ' + new Date(o.missingSince).toLocaleTimeString() : '';
  phase(o.link, o.note ? sentences({ message: o.note[0].toUpperCase() + o.note.slice(1) + since, hint: o.hint }) : '');
  const parts = [o.vin, o.device, o.adapter, o.protocol, o.voltage === null ? null : o.voltage.toFixed(1) + ' V', recordingText(o)].filter(part => part);
  if ($('vehicle').textContent !== parts.join('')) $('vehicle').replaceChildren(...parts.map(part => h('span', { text: part })));
  $('figures').textContent = o.link === 'none' ? '' : o.readingsPerSecond.toFixed(1) + ' readings/s · ' + o.requests + ' requests · ' +
    o.timeouts + ' timeouts · ' + o.errors + ' errors · ' + o.reconnects + ' reconnects';
  drawRecording(o);
  $('read').disabled = o.link !== 'live' || isAsking;
  if (isNews && !$('codes').hidden && !$('codes-now').firstChild) readCodes();
  if (isOther && !$('codes').hidden) drawHistory();
  if (!live.arranged || live.cards.size === 0) noteLive(live.count || 0);
  drawLamp();
}
function connect() {
  // A tab that opens in the background waits until it is shown.
  if (document.hidden) return;
  if (live.source) live.source.close();
  live.tried = Date.now();
  const source = live.source = new EventSource(inUnits('/api/live'));
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
        const response = await fetch(inUnits('/api/live'), { credentials: 'same-origin', cache: 'no-store' });
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
  if (live.paused || time - drawn < 100) return;
  if (!$('signal').hidden) { drawn = time; drawSignal(false); return; }
  if (!$('drive').hidden) { drawn = time; drawDials(); return; }
  if ($('live').hidden) return;
  drawn = time;
  if (!live.arranged) arrange();
  for (const card of live.dirty) if (card.node.parentNode && !card.isFolded) drawCard(card);
  live.dirty.clear();
}
setInterval(() => {
  ages();
  drawLamp();
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
// A phone beside the wheel stays on, where the browser can do that.
let lock = null;
async function keepOn(on) {
  if (!on) { if (lock) lock.release(); lock = null; return; }
  try { lock = await navigator.wakeLock.request('screen'); } catch (error) { $('awake').setAttribute('aria-pressed', 'false'); }
}
$('awake').hidden = !navigator.wakeLock;
toggle('awake', keepOn);
// Browsers let go of it with each tab that is hidden.
document.addEventListener('visibilitychange', () => { if (!document.hidden && (dials8.isOn || $('awake').getAttribute('aria-pressed') === 'true')) keepOn(true); });
toggle('pause', on => { live.paused = on; });
toggle('all', on => { live.everything = on; live.arranged = false; });
$('filter').addEventListener('input', () => { live.arranged = false; });
