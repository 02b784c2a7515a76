// Moments in the time zone of something else are told in the reader's own, too.
{
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { lang } = document.documentElement;
  // British English tells the day before the month, as the server does.
  const form = new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, { dateStyle: 'medium', timeStyle: 'short' });
  for (const moment of document.querySelectorAll('time[data-local]')) {
    if (moment.textContent.endsWith(`(${own})`)) continue;
    moment.append(`, ${moment.dataset.local.replace('{time}', form.format(new Date(moment.dateTime)))}`);
  }
}
