// Trouble codes and readiness.
const monitors = { misfire: 'Misfire', fuelSystem: 'Fuel system', components: 'Components', catalyst: 'Catalyst', heatedCatalyst: 'Heated catalyst',
  evaporative: 'Evaporative system', secondaryAir: 'Secondary air', gpfOrACRefrigerant: 'Particulate filter or A/C refrigerant', oxygenSensor: 'Oxygen sensor',
  oxygenSensorHeater: 'Oxygen sensor heater', egrVvt: 'EGR or variable valve timing', nmhcCatalyst: 'NMHC catalyst', noxSCR: 'NOx aftertreatment',
  boostPressure: 'Boost pressure', exhaustGasSensor: 'Exhaust gas sensor', pmFilter: 'Particulate filter', coldStartAid: 'Cold start aid', egr: 'EGR', vvt: 'Variable valve timing', noxAdsorber: 'NOx adsorber' };
const monitorName = id => monitors[id] || (id[0].toUpperCase() + id.slice(1)).replace(/([a-z])([A-Z])/g, (_, a, b) => a + ' ' + b.toLowerCase());
const mark = (isGood, text) => h('span', { class: isGood ? 'good' : 'warn', text: (isGood ? '✓ ' : '… ') + text });
let isAsking = false;
const advice = { stop: ['bad', 'No, stop'], soon: ['warn', 'Yes, but have it repaired soon'], weeks: ['', 'Yes, have it repaired within weeks'], note: ['good', 'Yes'] };
// The signals to watch, as links to those that the vehicle has.
function watched(names) {
  const has = (about, name) => [about.signal, ...about.aliases].some(one => one.toLowerCase() === name.toLowerCase());
  const cards = names.map(name => [...live.cards.values()].find(card => has(card.about, name))).filter(card => card);
  const links = cards.flatMap((card, at) => [at > 0 ? ', ' : '', h('a', { href: addressOf([card.key]), text: card.about.name })]);
  if (cards.length > 1) links.push(' (', h('a', { href: addressOf(cards.slice(0, 4).map(card => card.key)), text: 'in one chart' }), ')');
  return links;
}
function explain(o) {
  const rows = [], add = (name, ...value) => { if (value.some(part => part)) rows.push(h('div', {}, [h('dt', { text: name }), h('dd', {}, value.filter(part => part))])); };
  add('Status', o.status);
  if (o.driveOn) add('Drive on?', h('span', { class: advice[o.driveOn][0], text: advice[o.driveOn][1] + (o.driveReason ? ': ' + o.driveReason : '') }));
  else if (o.driveReason) add('Drive on?', 'Not known: ' + o.driveReason);
  for (const hazard of o.hazards) add('Careful', h('b', { class: 'warn', text: hazard }));
  add('What was happening', o.happened);
  add('What you notice', o.notice);
  for (const note of o.notes) add('This code', note);
  if (o.causes.length) add('Likely causes', h('ol', {}, o.causes.map((cause, at) => h('li', {}, [h('b', { text: cause[0].toUpperCase() + cause.slice(1) }), o.checks[at] ? '. ' + o.checks[at] : '']))));
  const links = watched(o.watch);
  if (links.length) add('What to watch', ...links, o.watchMeaning ? ': ' + o.watchMeaning : '');
  add('How to clear it', o.clears);
  if (o.unknown) add('How sure', o.unknown);
  add('Proof of the repair', o.proof);
  return h('article', { class: 'code' + (o.driveOn ? ' ' + o.driveOn : '') }, [h('h3', {}, [h('b', { text: o.code + (o.failureType ? '-' + o.failureType : '') }), ' ', h('span', { text: o.description || o.group || 'no text is known' })]), h('dl', {}, rows)]);
}
// What is asked of the vehicle only when somebody opens it.
function folded(title, words, load) {
  const place = h('div', {}), node = h('details', {}, [h('summary', { text: title }), h('p', { class: 'dim small', text: words }), place]);
  let isRead = false;
  node.addEventListener('toggle', async () => {
    if (!node.open || isRead) return;
    isRead = true;
    place.replaceChildren(h('p', { class: 'dim', text: 'Asking the vehicle …' }));
    try { place.replaceChildren(...await load()); } catch (error) { isRead = false; place.replaceChildren(h('p', { text: error.message })); }
  });
  return node;
}
const cellOf = o => typeof o.value === 'number' ? quantity(number(o.value), o.unit) : o.value === true ? 'on' : o.value === false ? 'off' : o.value || '';
async function showFrames() {
  const all = await ask('/api/codes/frames'), values = all.filter(o => o.kind === 'reading' && o.value !== null && o.signal !== 'DTCFRZF'), causes = all.filter(o => o.signal === 'DTCFRZF' && o.value);
  if (values.length === 0) return [h('p', { text: 'No freeze frame is stored.' })];
  const isMany = areSeveral([...abouts(), ...values]), areFrames = new Set(values.map(o => o.frame)).size > 1;
  return [...causes.map(o => h('p', {}, ['Stored by ', h('b', { text: o.value }), isMany && o.ecu ? ' in ' + ecuName(o.ecu) : ''])),
    ...ecuTable(values, [['Signal', '', o => o.name], ...(areFrames ? [['Frame', 'n', o => o.frame]] : []), ['Value', 'n', cellOf]], 'Freeze frames')];
}
async function showTests() {
  const tests = (await ask('/api/monitors?tests=true')).filter(o => o.kind === 'monitorTest');
  if (tests.length === 0) return [h('p', { text: 'The vehicle has no test results.' })];
  const failed = tests.filter(o => o.passed === false).length;
  const rank = o => (o.passed === false ? 0 : 2) + (o.test ? 0 : 1), limit = value => value === null || value === undefined ? '' : String(Number(Math.abs(value) < 100 ? value.toPrecision(4) : value.toFixed(1)));
  const result = o => o.passed && !o.hasMin && !o.hasMax ? 'no limits' : h('span', { class: o.passed ? 'good' : 'bad', text: o.passed ? '✓ passed' : '✕ failed' });
  tests.sort((a, b) => rank(a) - rank(b));
  // By how much a failed test misses its limit; numbers from 80 on are the maker's own (SAE J1979).
  const unitOf = o => o.unit ? ' ' + o.unit : '', miss = (o, side, by, bound) => limit(o.value) + unitOf(o) + ' is ' + limit(by) + unitOf(o) + ' ' + side + ' the limit of ' + limit(bound) + unitOf(o) + '.';
  const words = o => (o.monitor || 'Monitor ' + o.mid) + ': ' + (o.max !== null && o.value > o.max ? miss(o, 'above', o.value - o.max, o.max) : o.min !== null && o.value < o.min ? miss(o, 'below', o.min - o.value, o.min) : '')
    + (o.test ? ' The test: ' + o.test[0].toLowerCase() + o.test.slice(1) + '.' : !o.mid || parseInt(o.tid, 16) >= 0x80 ? " Only the maker's service data says what test " + o.tid + ' measures.' : '');
  return [h('p', {}, [failed === 0 ? mark(true, 'All ' + tests.length + ' tests are within their limits.') : h('span', { class: 'bad', text: '✕ ' + failed + ' of ' + tests.length + ' tests failed.' })]), ...tests.filter(o => o.passed === false).map(o => h('p', { text: words(o) })),
    ...ecuTable(tests, [['Monitor', '', o => o.monitor || 'Monitor ' + o.mid], ['Test', 'words', o => o.test || o.component || 'Test ' + o.tid], ['Value', 'n', o => limit(o.value)],
      ['Min', 'n', o => o.hasMin ? limit(o.min) : ''], ['Max', 'n', o => o.hasMax ? limit(o.max) : ''], ['Unit', 'brief', o => o.unit], ['Result', 'line', o => o.passed === null || o.passed === undefined ? '' : result(o)]], 'Test results', [...abouts(), ...tests])];
}
async function readCodes() {
  const note = $('codes-note'), now = $('codes-now'), button = $('read');
  if (!live.status || live.status.link !== 'live') {
    note.textContent = live.status && live.status.link !== 'connecting' ? 'No vehicle is connected.' : 'Connecting …';
    now.replaceChildren();
    return;
  }
  note.textContent = 'Asking the vehicle …';
  button.disabled = isAsking = true;
  try {
    const all = await ask('/api/codes'), codes = all.filter(o => o.kind === 'code'), ecus = all.filter(o => o.kind === 'ecu'), answers = await ask('/api/monitors');
    // The light comes with the codes, or with the readiness that is read anyway.
    const lit = [...[...live.cards.values()].map(card => card.last).filter(o => o && o.signal === 'MIL' && o.value === true),
      ...answers.filter(o => o.signal === 'MIL' && o.value === true), ...ecus.filter(o => o.light === true)];
    const lamp = [...new Set(lit.map(o => o.ecu))], isMany = areSeveral([...ecus, ...answers]);
    const states = answers.filter(o => o.kind === 'monitor' && o.scope === 'sinceClear' && o.supported);
    const open = states.filter(o => o.complete === false).length;
    const parts = [];
    // The server's verdict is that of every other surface.
    const verdict = all.find(o => o.kind === 'verdict'), together = all.filter(o => o.kind === 'together');
    if (verdict) parts.push(h('p', { class: 'verdict ' + verdict.grade, text: verdict.text }), verdict.cleared ? h('p', { text: verdict.cleared }) : '',
      ...together.map(o => h('p', { class: 'together' }, [h('b', { text: 'Together: ' }), o.text])));
    // An empty list that never arrived is not good news.
    const counts = new Map(answers.filter(o => o.signal === 'DTC_CNT' && typeof o.value === 'number').map(o => [o.ecu, o.value]));
    const counted = [...counts.values()].reduce((sum, count) => sum + count, 0), stored = codes.filter(o => o.status === 'stored').length;
    const unsure = counted > stored || ecus.some(o => o.codes === null);
    // The lamps of lorries (SAE J1939), the most severe first.
    const titleOf = ecu => ecu ? ecuName(ecu) : 'vehicle';
    nameECUs(ecus.map(o => [o.ecu, o.name]));
    const warn = (name, on) => { if (on.length > 0) parts.push(h('p', { class: 'bad', text: '⚠ ' + name + ' on' + (isMany ? ': ' + on.map(titleOf).join(', ') : '') })); };
    const withLamp = key => ecus.filter(o => o.lamps && o.lamps[key] === true).map(o => o.ecu);
    warn('Red stop lamp', withLamp('redStop'));
    warn('Check engine light', lamp);
    warn('Amber warning lamp', withLamp('amberWarning'));
    warn('Protect lamp', withLamp('protect'));
    if (unsure) parts.push(h('p', { class: 'bad', text: counted > stored ? 'The ECUs count ' + counted + ' stored codes, but only ' + stored + ' could be read.' : 'Not every ECU answered for its codes.' }));
    const explained = codes.length > 0 ? await ask('/api/codes/explain').catch(() => []) : [];
    parts.push(h('h2', { text: 'Codes' }));
    if (codes.length === 0) parts.push(h('p', { text: unsure ? '' : 'None.' }));
    else if (explained.length === 0) parts.push(...ecuTable(codes, [['Code', '', o => h('b', { text: o.code + (o.failureType ? '-' + o.failureType : '') })], ['Status', '', o => o.status + (o.active === false ? ', not active' : '')], ['Meaning', '', o => o.description || 'no text is known']], 'Codes', ecus));
    else parts.push(...explained.filter(o => o.kind === 'explanation').map(explain));
    for (const o of all.filter(o => o.kind === 'proof' && (o.state === 'proven' || o.state === 'unproven'))) parts.push(h('article', { class: 'code' },
      [h('h3', {}, [h('b', { text: o.code + (o.failureType ? '-' + o.failureType : '') }), ' gone']), h('p', { class: o.state === 'proven' ? 'good' : '', text: o.text })]));
    if (states.length > 0) parts.push(h('h2', { text: 'Readiness' }),
      h('p', {}, [open === 0 ? 'Every supported monitor has run since codes were cleared.' : mark(false, open + (open === 1 ? ' monitor has' : ' monitors have') + ' not run since codes were cleared.')]),
      verdict && verdict.inspection ? h('p', { text: verdict.inspection }) : '',
      // Complete means that it has run, which proves nothing by itself.
      ...ecuTable(states, [['Monitor', '', o => monitorName(o.monitor)], ['Since codes were cleared', 'line', o => o.complete ? 'has run' : mark(false, 'has not run')]], 'Readiness', [...ecus, ...answers]));
    parts.push(folded('Freeze frames', 'What was happening when a code was stored', showFrames), folded('Test results', 'What the vehicle measured when it tested itself', showTests),
      h('p', {}, reportLinks('/api/report')));
    now.replaceChildren(...parts);
    note.textContent = 'Read at ' + new Date().toLocaleTimeString() + '.';
  } catch (error) { note.textContent = error.message; }
  isAsking = false;
  button.disabled = !live.status || live.status.link !== 'live';
}
// Earlier codes of the connected vehicle; other vehicles are a choice.
const past = { lives: [], whose: null };
async function showHistory() {
  try {
    past.lives = (await ask('/api/codes/history')).filter(o => o.kind === 'codeHistory');
    drawHistory();
  } catch (error) { $('codes-history').replaceChildren(h('p', { class: 'dim', text: error.message })); }
}
function drawHistory() {
  // The key of a vehicle without a VIN is empty.
  const keys = [...new Set(past.lives.map(o => o.vin || ''))], status = live.status;
  const mine = status && status.link !== 'none' ? status.vin || '' : keys[0] || '';
  if (!keys.includes(mine)) keys.unshift(mine);
  const whose = past.whose !== null && (past.whose === 'all' || keys.includes(past.whose)) ? past.whose : mine;
  const called = key => (past.lives.find(o => o.vin === key) || {}).vehicle || key;
  const name = key => (called(key) || 'Vehicles without a VIN') + (key && status && key === status.vin ? ' (this vehicle)' : '');
  const choice = h('select', { id: 'whose' }, [...keys.map(key => [key, name(key)]), ['all', 'All vehicles']]
    .map(([value, text]) => h('option', { value, text, selected: value === whose })));
  choice.addEventListener('change', () => { past.whose = choice.value; drawHistory(); $('whose').focus(); });
  const shown = past.lives.filter(o => whose === 'all' || (o.vin || '') === whose);
  $('codes-history').replaceChildren(...[keys.length > 1 ? h('p', {}, [h('label', { class: 'field', for: 'whose' }, [h('span', { text: 'Vehicle' }), choice])]) : '',
    ...(shown.length === 0 ? [h('p', { class: 'dim', text: 'No codes are known.' })]
      : ecuTable(shown, [['Code', '', o => h('b', { text: o.code })], ['Meaning', 'words', o => o.description || 'no text is known'], ['When last read', '', o => o.present.length > 0 ? o.present.join(', ') : 'gone'], ...(whose === 'all' ? [['Vehicle', '', o => o.vehicle || '']] : []),
        ['First seen', 'line', o => when(o.firstSeen)], ['Last seen', 'line', o => when(o.lastSeen)]], 'Known codes'))]);
}
$('read').addEventListener('click', readCodes);
