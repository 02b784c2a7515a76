// Menus close when the focus or a click goes elsewhere, or by Escape.
{
  const open = () => document.querySelectorAll('details.menu[open]');
  document.addEventListener('click', ({ target }) => {
    for (const menu of open()) if (!menu.contains(target)) menu.open = false;
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    for (const menu of open()) {
      menu.open = false;
      menu.querySelector('summary')?.focus();
    }
  });
}
