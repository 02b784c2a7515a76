// What is typed above the tree of changed files leaves those whose path has it.
for (const field of document.querySelectorAll('[data-filter-files]')) {
  field.hidden = false;
  const tree = field.closest('nav');
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const list of tree.querySelectorAll('ul')) {
      const folder = list.previousElementSibling?.matches('.folder') ? list.previousElementSibling : null;
      for (const item of list.children) {
        const path = `${folder?.textContent ?? ''}/${item.querySelector('a > span').textContent}`.toLowerCase();
        item.hidden = !words.every((word) => path.includes(word));
      }
      const isEmpty = [...list.children].every((item) => item.hidden);
      list.hidden = isEmpty;
      if (folder) folder.hidden = isEmpty;
    }
  });
}
// The link to the first open thread leads to the one below what is seen, and from the last to the first.
document.querySelector('[data-next-thread]')?.addEventListener('click', (event) => {
  const threads = [...document.querySelectorAll('.talk-thread:is(details[open]) > summary')];
  const next = threads.find((thread) => thread.getBoundingClientRect().top > innerHeight / 2) ?? threads[0];
  if (!next) return;
  event.preventDefault();
  next.scrollIntoView({ block: 'center' });
  next.focus({ preventScroll: true });
});
