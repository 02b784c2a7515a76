// Keys that do something outside of fields; `?` shows all of them.
{
  const within = (target) =>
    target.closest?.('input:not([type="checkbox"]), textarea, select, [contenteditable], .file-editor, dialog');
  const follow = (link) => link && (link.href ? location.assign(link.href) : link.click());
  const keyed = (key) => document.querySelector(`a[data-key="${key}"], a[data-also="${key}"]`);
  const rows = () => [...document.querySelectorAll('.rows > .row')].filter((row) => row.querySelector('.row-title'));
  const here = () => document.querySelector('.row.here') ?? document.activeElement?.closest('.row');
  const move = (all, now, by) => {
    const next = all[all.indexOf(now) + by] ?? (now ? null : all[0]);
    if (!next) return;
    document.querySelector('.row.here, .thread.here')?.classList.remove('here');
    next.classList.add('here');
    next.scrollIntoView({ block: 'nearest' });
    next.querySelector('.row-title, .comment > header a')?.focus({ preventScroll: true });
  };
  const threads = () => [...document.querySelectorAll('.timeline .thread, .talk-thread')];
  const thread = () => document.querySelector('.thread.here') ?? document.activeElement?.closest('.thread');
  /** The element in which the selection begins. */
  const selectedIn = () => {
    const node = getSelection().anchorNode;
    return node instanceof Element ? node : node?.parentElement;
  };
  /** The text that is selected in a comment or description, as a quote. */
  const quote = () => {
    const selection = getSelection();
    const text = selection.toString().trim();
    const from = selectedIn()?.closest('.markdown');
    return text && from ? `${text.replace(/^/gm, '> ')}\n\n` : '';
  };
  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('a[data-quote]');
    const text = link && document.getElementById(link.dataset.quote)?.querySelector('.markdown');
    if (!text || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    getSelection().selectAllChildren(text);
    reply();
  });
  const reply = () => {
    const from = selectedIn()?.closest('.thread') ?? thread();
    const answer = from?.querySelector('.reply');
    const field = answer?.querySelector('textarea') ?? document.getElementById('body');
    if (!field) return;
    const quoted = quote();
    if (answer) answer.open = true;
    field.focus();
    if (quoted) {
      field.setRangeText(
        `${field.value && !field.value.endsWith('\n') ? '\n' : ''}${quoted}`,
        field.value.length,
        field.value.length,
        'end',
      );
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }
    field.scrollIntoView({ block: 'nearest' });
  };
  const search = () => {
    const field = document.querySelector('main input[type="search"]') ?? document.getElementById('bar-search');
    field?.focus();
    field?.setSelectionRange(field.value.length, field.value.length);
  };
  const ACTS = {
    '?': () => document.getElementById('keys')?.showModal(),
    '/': search,
    j: () => move(rows(), here(), 1),
    k: () => move(rows(), here(), -1),
    o: () => follow(here()?.querySelector('a.row-title')),
    x: () => here()?.querySelector('input.choose')?.click(),
    c: () => follow(keyed('c')),
    e: () => follow(keyed('e')),
    y: () => follow(keyed('y')),
    '.': () => follow(keyed('.')),
    r: reply,
    n: () => move(threads(), thread(), 1),
    p: () => move(threads(), thread(), -1),
  };
  let goes = 0;
  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (within(target) || document.querySelector('dialog[open]')) return;
    const isGoing = Date.now() - goes < 1500;
    goes = key === 'g' && !isGoing ? Date.now() : 0;
    const act = isGoing ? () => follow(document.querySelector(`a[data-go="${CSS.escape(key)}"]`)) : ACTS[key];
    if (!act || (isGoing && !document.querySelector(`a[data-go="${CSS.escape(key)}"]`))) return;
    event.preventDefault();
    act();
  });
}
