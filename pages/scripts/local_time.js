// Moments in the time zone of something else are told in the reader's own, too.
{
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const form = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  for (const moment of document.querySelectorAll('time[data-local]')) {
    if (moment.textContent.endsWith(`(${own})`)) continue;
    moment.append(`, ${form.format(new Date(moment.dateTime))} in your time zone`);
  }
}
