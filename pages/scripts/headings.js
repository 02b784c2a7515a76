// Headings of texts have a link to themselves.
for (const heading of document.querySelectorAll('.markdown :is(h1, h2, h3, h4, h5, h6)[id]')) {
  const link = document.createElement('a');
  link.className = 'heading-link';
  link.href = `#${heading.id}`;
  link.ariaHidden = 'true';
  link.tabIndex = -1;
  link.textContent = '#';
  heading.append(' ', link);
}
