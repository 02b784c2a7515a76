// What is in a field is copied by the button beside it.
if (navigator.clipboard) {
  for (const button of document.querySelectorAll('[data-copy]')) {
    const label = button.querySelector('span');
    const before = label.textContent;
    button.hidden = false;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).value);
      label.textContent = button.dataset.copied;
      label.classList.remove('unseen');
      setTimeout(() => {
        label.textContent = before;
        label.classList.add('unseen');
      }, 2000);
    });
  }
}
