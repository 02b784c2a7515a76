// The number of a line opens the form for a comment below it, in place of the page that has it there.
document.addEventListener('click', async (event) => {
  const link = event.target.closest?.('.diff .n a[href$="#form"]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  const leave = () => location.assign(link.href);
  const answer = await fetch(link.href, { headers: { Accept: 'text/html' } }).catch(() => null);
  if (!answer?.ok || answer.redirected) return leave();
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const row = page.getElementById('form')?.closest('tr');
  if (!row) return leave();
  document.getElementById('form')?.closest('tr').remove();
  link.closest('tr').after(row);
  row.querySelector('textarea').focus();
  row.querySelector('.actions a').addEventListener('click', (cancel) => {
    cancel.preventDefault();
    row.remove();
    link.focus();
  });
});
