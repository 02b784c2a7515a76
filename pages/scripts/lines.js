// Ranges of lines: a click selects one, with Shift up to that one, and the address says which: `#L10-20`.
{
  const lines = document.querySelector('.lines[data-from], .log[data-from]');
  const permalink = document.querySelector('a[data-permalink]');
  // What leads to the history of the lines that are selected.
  const past = document.querySelector('a[data-line-history]');
  const selected = () => /^#L(\d+)(?:-L?(\d+))?$/.exec(location.hash)?.slice(1).map(Number) ?? [];
  const show = (scrolls) => {
    const [start, given] = selected();
    const end = given || start;
    if (permalink) permalink.hash = start ? location.hash : '';
    if (past) {
      past.hidden = !start;
      if (start) past.search = new URLSearchParams({ from: Math.min(start, end), to: Math.max(start, end) });
    }
    for (const line of lines.querySelectorAll('.line.chosen')) line.classList.remove('chosen');
    if (!start) return;
    const [first, last] = [Math.min(start, end), Math.max(start, end)];
    const [from, to] = [Number(lines.dataset.from), Number(lines.dataset.to)];
    if (first < from || first > to) {
      const url = new URL(location.href);
      if (url.searchParams.get('from') === String(first)) return;
      url.searchParams.set('from', String(first));
      location.replace(url);
      return;
    }
    for (let n = first; n <= Math.min(last, to); n++) document.getElementById(`L${n}`)?.classList.add('chosen');
    if (scrolls) document.getElementById(`L${first}`)?.scrollIntoView({ block: 'center' });
  };
  // A file that is shown in another form has no lines: its source has.
  const source = document.querySelector('a[data-lines]');
  const begin = (scrolls) => {
    if (lines) show(scrolls);
    else if (source && selected().length > 0) location.replace(source.href + location.hash);
  };
  lines?.addEventListener('click', (event) => {
    const link = event.target instanceof Element && event.target.closest('.line > a');
    const [start] = selected();
    if (!link || !event.shiftKey || !start) return;
    event.preventDefault();
    const n = Number(link.textContent);
    history.replaceState(null, '', `#L${Math.min(start, n)}-${Math.max(start, n)}`);
    show(false);
  });
  addEventListener('hashchange', () => begin(false));
  begin(location.hash.includes('-'));

  const copy = document.querySelector('[data-copy-permalink]');
  if (copy && permalink && navigator.clipboard) {
    const label = copy.querySelector('span');
    const before = label.textContent;
    copy.hidden = false;
    copy.addEventListener('click', async () => {
      await navigator.clipboard.writeText(permalink.href);
      label.textContent = copy.dataset.copied;
      setTimeout(() => {
        label.textContent = before;
      }, 2000);
    });
  }
}
