// What still changes on the server is read again when a subscription tells of it, a second later at the earliest; without one, or where
// `data-live` names none, every three seconds. A page that cannot be seen asks for nothing, and what somebody fills in stays as it is.
{
  const SOON = 1000;
  const LATER = 3000;
  const shown = () => document.querySelector('[data-live]');
  const isFilledIn = (part) =>
    part.contains(document.activeElement) ||
    [...part.querySelectorAll('input, textarea')].some(
      (field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked,
    );
  let source;
  let isDue = false;
  const readIn = (milliseconds) => {
    if (isDue) return;
    isDue = true;
    setTimeout(read, milliseconds);
  };
  const read = async () => {
    const old = shown();
    if (old && !document.hidden && !isFilledIn(old)) {
      const response = await fetch(location.href).catch(() => null);
      const text = response?.ok ? await response.text() : '';
      const now = new DOMParser().parseFromString(text, 'text/html').getElementById(old.id);
      if (now) old.replaceWith(document.adoptNode(now));
    }
    isDue = false;
    const live = shown();
    if (!live) source?.close();
    else if (!document.hidden && (source?.readyState !== EventSource.OPEN || isFilledIn(live))) readIn(LATER);
  };
  const follow = () => {
    source?.close();
    if (document.hidden || !shown()) return;
    if (shown().dataset.live === '') {
      readIn(LATER);
      return;
    }
    source = new EventSource(shown().dataset.live);
    for (const kind of ['open', 'next', 'complete']) source.addEventListener(kind, () => readIn(SOON));
    source.addEventListener('error', () => readIn(LATER));
    source.addEventListener('complete', () => source.close());
  };
  document.addEventListener('visibilitychange', follow);
  follow();
}
