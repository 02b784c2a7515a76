// What is typed above the symbols of a file leaves those that have it in their name.
{
  const field = document.querySelector('[data-filter-symbols]');
  if (field) {
    field.hidden = false;
    const list = field.parentElement.querySelector('.symbol-list');
    const none = field.parentElement.querySelector('[data-no-symbols]');
    field.addEventListener('input', () => {
      const wanted = field.value.trim().toLowerCase();
      for (const item of list.children) {
        item.hidden = !item.querySelector('a').textContent.toLowerCase().includes(wanted);
      }
      none.hidden = [...list.children].some((item) => !item.hidden);
    });
  }
}
