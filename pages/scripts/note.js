// A link to a comment that is not on this page of the discussion leads to the page that has it.
{
  const follow = () => {
    const [, note] = /^#note_(\d{1,9})$/.exec(location.hash) ?? [];
    if (!note || document.getElementById(`note_${note}`) || !document.querySelector('[data-paged]')) return;
    if (new URLSearchParams(location.search).get('note') === note) return;
    location.replace(`${location.pathname}?note=${note}${location.hash}`);
  };
  follow();
  addEventListener('hashchange', follow);
}
