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
  const number = /^trips\/(\d{1,15})$/.exec(hash);
  const isSignal = hash.startsWith('signal/');
  const name = isSignal ? 'signal' : number ? 'trip' : ['live', 'trips', 'codes'].includes(hash) ? hash : 'live';
  for (const id of ['live', 'signal', 'trips', 'trip', 'codes']) $(id).hidden = id !== name;
  for (const link of document.querySelectorAll('nav a')) {
    const isHere = link.hash === '#' + (name === 'trip' ? 'trips' : name === 'signal' ? 'live' : name);
    if (isHere) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
  }
  document.title = { live: 'Live', signal: 'Signal', trips: 'Trips', trip: 'Trip ' + (number ? number[1] : ''), codes: 'Codes' }[name] + ' · obdscan';
  if (name === 'live') live.arranged = false;
  if (isSignal) showSignal(keysIn(hash));
  if (name === 'trips') showTrips().then(() => {
    const link = place && lastTrip && document.querySelector('#trip-list a[href="#trips/' + lastTrip + '"]');
    if (link) link.focus({ preventScroll: true });
    if (place) scrollTo(0, place.y);
  });
  if (name === 'trip') showTrip(lastTrip = Number(number[1]));
  if (name === 'codes') { readCodes(); showHistory(); }
  if (!isFirst) { $(name + '-title').focus({ preventScroll: true }); scrollTo(0, 0); }
}
// The token has done its work; it is removed from the address.
if (location.search) history.replaceState(null, '', '/' + location.hash);
addEventListener('hashchange', () => show(false));
phase('connecting', '');
show(true);
connect();
requestAnimationFrame(frame);
