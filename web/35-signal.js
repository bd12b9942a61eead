// One signal at large, with others in the same chart: #signal/KEY,KEY
const big = { keys: [], span: 120, end: null, chart: null, drawn: 0 };
function showSignal(keys) {
  big.keys = keys;
  big.end = null;
  big.chart = null;
  $('signal-body').replaceChildren();
  drawSignal(true);
}
const keysIn = hash => hash.slice(7).split(',').map(part => { try { return decodeURIComponent(part); } catch (error) { return ''; } }).filter(key => key).slice(0, 4);
const addressOf = keys => '#signal/' + keys.map(encodeURIComponent).join(',');
function bigWindow() {
  const now = Date.now(), end = big.end === null ? now : big.end;
  return [end - big.span * 1000, end];
}
function limits() {
  const begins = big.keys.map(key => live.cards.get(key)).filter(card => card && card.course.length).map(card => card.course[0][0]), now = Date.now();
  return [Math.min(now - 60000, ...begins), now];
}
function drawSignal(isFirst) {
  const body = $('signal-body'), cards = big.keys.map(key => live.cards.get(key)).filter(card => card && card.last), card = cards[0];
  if (!card) { if (!body.firstChild) body.replaceChildren(h('p', { class: 'dim', text: 'Waiting for this signal …' })); return; }
  const { about, last } = card, isNumber = typeof last.value === 'number';
  if (!big.chart) {
    $('signal-title').textContent = about.name;
    big.value = h('p', { class: 'big' });
    big.note = h('p', {});
    big.facts = h('div', {});
    const isPinned = () => live.pins.includes(card.key);
    const button = (text, run) => { const node = h('button', { type: 'button', text }); node.addEventListener('click', run); return node; };
    const pin = button('', () => { togglePin(card.key); name(); }), earlier = button('Earlier', () => movePin(card.key, -1)), later = button('Later', () => movePin(card.key, 1));
    const name = () => { pin.textContent = isPinned() ? 'Unpin' : 'Pin to the top'; earlier.hidden = later.hidden = !isPinned(); };
    name();
    const isMany = areSeveral(abouts());
    const choice = h('select', { id: 'beside' }, [h('option', { value: '', text: 'Add a signal …' }), ...[...live.cards.values()].filter(one => one.course.length && !big.keys.includes(one.key))
      .sort((a, b) => a.about.name.localeCompare(b.about.name)).map(one => h('option', { value: one.key, text: one.about.name + (isMany && one.about.ecu ? ', ' + ecuName(one.about.ecu) : '') }))]);
    choice.addEventListener('change', () => { if (choice.value) location.hash = addressOf([...big.keys, choice.value]); });
    const set = (from, to) => { big.span = Math.max(5, (to - from) / 1000); big.end = Math.abs(to - Date.now()) < 2000 ? null : to; redraw(); };
    const redraw = () => { if (big.chart) big.chart.show(...bigWindow()); };
    const tools = h('div', { class: 'tools left' }, [zoomBar(bigWindow, limits, set), big.keys.length < 4 ? h('label', { class: 'field' }, [h('span', { class: 'hide', text: 'Signal to show beside it' }), choice]) : '',
      ...(big.keys.length > 1 ? [button('This one only', () => { location.hash = addressOf([big.keys[0]]); })] : []), pin, earlier, later]);
    const [from, to] = bigWindow();
    big.chart = chart(cards.map(one => ({ name: one.about.name, unit: one.about.unit, decimals: one.about.decimals, points: one.course })), {
      from, to, gap: 20000, second: 1000, label: at => new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }),
      onLook: at => { big.look = at; big.chart.look(at); },
      onZoom: (begin, end) => begin === null ? set(...limits()) : set(begin, end) });
    big.chart.node.classList.add('tall');
    body.replaceChildren(big.value, big.note, cards.some(one => one.course.length > 1) ? big.chart.node : '', tools, big.facts);
  }
  const isTime = isNumber && isSpan(last.value, about.unit);
  big.value.replaceChildren(isTime ? quantity(last.value, about.unit) : isNumber ? round(last.value, about.decimals) : card.value.textContent);
  if (isNumber && about.unit && !isTime) big.value.append(h('span', { class: 'unit', text: about.unit }));
  const level = levelOf(about, last.value);
  big.value.className = 'big' + (level ? ' level ' + level.level : '');
  big.note.textContent = level ? levelText(level) + ' (' + level.basis + '): ' + level.reason : '';
  big.note.hidden = !level;
  const shown = value => points.length ? quantity(round(value, about.decimals), about.unit) : null;
  const points = card.course, sum = points.reduce((total, point) => total + point[1], 0);
  if (isFirst || Date.now() - big.drawn > 1000) {
    big.drawn = Date.now();
    big.facts.replaceChildren(facts([['Min', shown(card.least)], ['Mean', shown(sum / points.length)], ['Max', shown(card.most)], ['Signal', about.signal], ['ECU', ecuName(about.ecu)], ['Service', about.service], ['PID', about.pid],
      ['Range', about.low === null || about.low === undefined ? null : about.low + ' to ' + about.high + ' ' + (about.unit || '')], ['Bytes', last.raw]]));
    if (big.end === null) big.chart.show(...bigWindow());
  }
}
