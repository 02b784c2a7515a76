// What is wider than its place in a text, tables and code, is reached by the keyboard, which then scrolls it.
{
  // Pixels that borders and fractions may add.
  const ROUNDING = 4;
  let isDue = false;
  const look = () => {
    isDue = false;
    const parts = [...document.querySelectorAll('.markdown :is(table, pre)')];
    const wide = parts.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + ROUNDING);
    for (const part of parts) {
      if (wide.includes(part)) part.tabIndex = 0;
      else part.removeAttribute('tabindex');
    }
  };
  const lookSoon = () => {
    if (!isDue) requestAnimationFrame(look);
    isDue = true;
  };
  look();
  addEventListener('resize', lookSoon);
  addEventListener('load', lookSoon);
  new MutationObserver(lookSoon).observe(document.body, { childList: true, subtree: true });
}
// Tabs that do not fit are scrolled to the present one.
for (const row of document.querySelectorAll('.tabs, .subnav, .settings-menu')) {
  const here = row.querySelector('[aria-current]');
  if (here) row.scrollLeft = here.offsetLeft - row.offsetLeft - (row.clientWidth - here.offsetWidth) / 2;
}
