// Files of a review that somebody has viewed are folded, in this browser, until they change again.
{
  const KEY = `viewed ${location.pathname}`;
  const known = () => JSON.parse(localStorage.getItem(KEY) ?? '{}');
  const changesOf = (file) =>
    [...file.querySelectorAll('table.diff td:not(.talk)')].map((cell) => cell.textContent).join('\n');
  /** FNV-1a: it has only to tell versions of one file apart. */
  const digest = (text) => {
    let hash = 0x811c9dc5;
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    return `${text.length} ${hash}`;
  };
  const offer = (file) => {
    const changes = file.querySelector('table.diff')?.closest('details');
    if (!changes) return;
    const now = digest(changesOf(file));
    const label = document.createElement('label');
    label.className = 'check viewed';
    const box = document.createElement('input');
    box.type = 'checkbox';
    box.checked = known()[file.id] === now;
    if (box.checked && !file.contains(document.querySelector(':target'))) changes.open = false;
    box.addEventListener('change', () => {
      localStorage.setItem(KEY, JSON.stringify({ ...known(), [file.id]: box.checked ? now : undefined }));
      changes.open = !box.checked;
    });
    label.append(box, ` ${file.closest('[data-review]').dataset.review}`);
    file.querySelector('header').append(label);
  };
  for (const file of document.querySelectorAll('[data-review] section.file')) offer(file);
}
