// What still changes on the server is read again every three seconds, while the page can be seen.
{
  const again = async () => {
    const shown = document.querySelector('[data-live]');
    if (!shown) return;
    if (!document.hidden && !shown.contains(document.activeElement)) {
      const response = await fetch(location.href).catch(() => null);
      const text = response?.ok ? await response.text() : '';
      const page = new DOMParser().parseFromString(text, 'text/html');
      const now = page.getElementById(shown.id);
      if (now) shown.replaceWith(document.adoptNode(now));
    }
    setTimeout(again, 3000);
  };
  if (document.querySelector('[data-live]')) setTimeout(again, 3000);
}
