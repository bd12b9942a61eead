// Which view is shown: the part after # in the address.
let isBackAt = null, lastTrip = null, settled = 0;
addEventListener('popstate', event => { isBackAt = event.state; });
addEventListener('scroll', () => {
  clearTimeout(settled);
  settled = setTimeout(() => history.replaceState({ y: scrollY }, ''), 150);
}, { passive: true });
function show(isFirst) {
  const hash = location.hash.slice(1);
  if (hash === 'main' && !isFirst) { $('main').focus(); return; }
  const place = isBackAt;
  isBackAt = null;
  const number = /^trips\/(\d{1,15})(?:\/(\d{1,15}))?$/.exec(hash);
  const isSignal = hash.startsWith('signal/');
  const name = isSignal ? 'signal' : number ? 'trip' : ['live', 'drive', 'trips', 'codes'].includes(hash) ? hash : 'live';
  for (const id of ['live', 'drive', 'signal', 'trips', 'trip', 'codes']) $(id).hidden = id !== name;
  document.body.classList.toggle('driving', name === 'drive');
  showDials(name === 'drive');
  for (const link of document.querySelectorAll('nav a')) {
    const isHere = link.hash === '#' + (name === 'trip' ? 'trips' : ['signal', 'drive'].includes(name) ? 'live' : name);
    if (isHere) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
  }
  document.title = { live: 'Live', drive: 'Dials', signal: 'Signal', trips: 'Trips', trip: 'Trip ' + (number ? number[1] : ''), codes: 'Codes' }[name] + ' · obdscan';
  if (name === 'live') live.arranged = false;
  if (isSignal) showSignal(keysIn(hash));
  if (name === 'trips') showTrips().then(() => {
    const link = place && lastTrip && document.querySelector('#trip-list a[href="#trips/' + lastTrip + '"]');
    if (link) link.focus({ preventScroll: true });
    if (place) scrollTo(0, place.y);
  });
  if (name === 'trip') showTrip(lastTrip = Number(number[1]), number[2] ? Number(number[2]) : null);
  if (name === 'codes') { readCodes(); showHistory(); }
  if (!isFirst) { $(name + '-title').focus({ preventScroll: true }); scrollTo(0, 0); }
}
// The token has done its work; it is removed from the address.
if (location.search) history.replaceState(null, '', '/' + location.hash);
// Settings and keys.
const choices = (id, all, name, change) => {
  const node = h('select', { id }, Object.entries(all).map(([value, text]) => h('option', { value, text, selected: value === looks[name] })));
  node.addEventListener('change', () => { looks[name] = node.value; keep(name, node.value); change(); });
  return node;
};
$('set').append(
  h('label', { class: 'field', for: 'theme' }, [h('span', { text: 'Colours' }), choices('theme', THEMES, 'theme', dress)]),
  h('label', { class: 'field', for: 'units' }, [h('span', { text: 'Units' }), choices('units', UNITS, 'units', () => { location.reload(); })]));
const keys = {
  l: ['Live', () => { location.hash = 'live'; }], d: ['Dials', () => { location.hash = 'drive'; }], t: ['Trips', () => { location.hash = 'trips'; }], c: ['Codes', () => { location.hash = 'codes'; }],
  f: ['Dials: full screen', () => { if (!$('drive').hidden) $('full').click(); }], '/': ['Live and Trips: filter', () => { const field = !$('live').hidden ? $('filter') : !$('trips').hidden ? $('find') : null; if (field) field.focus(); }],
  a: ['Live: all signals', () => { if (!$('live').hidden) $('all').click(); }], p: ['Live: pause', () => { if (!$('live').hidden) $('pause').click(); }],
  r: ['Begin or end a recording', () => { if (!$('record').hidden) $('record').click(); }],
  '?': ['These settings and keys', () => { $('settings').showModal(); }] };
$('keys').append(...Object.entries(keys).map(([key, [text]]) => h('div', {}, [h('dt', {}, [h('kbd', { text: key })]), h('dd', { text })])));
$('more').addEventListener('click', () => { $('settings').showModal(); });
addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || $('settings').open || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  if (event.key === 'Escape' && !$('drive').hidden && !document.fullscreenElement) { location.hash = 'live'; return; }
  if (!Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  keys[event.key][1]();
});
addEventListener('hashchange', () => show(false));
phase('connecting', '');
show(true);
connect();
requestAnimationFrame(frame);
