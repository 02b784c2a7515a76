// An image before and after its change is compared side by side, or one above the other: a part of it, or all of it as through thin paper.
for (const ways of document.querySelectorAll('.image-ways')) {
  const pair = ways.closest('.image-pair');
  const [, after] = pair.querySelectorAll('figure');
  const share = ways.querySelector('.image-share');
  const field = share.querySelector('input');
  const show = () => {
    const way = ways.querySelector('input:checked').value;
    const part = field.valueAsNumber;
    pair.classList.toggle('stacked', way !== 'two');
    share.hidden = way === 'two';
    // Styles that a script sets are none that the policy of the page forbids.
    after.style.clipPath = way === 'swipe' ? `inset(0 0 0 ${100 - part}%)` : '';
    after.style.opacity = way === 'onion' ? part / 100 : '';
  };
  ways.hidden = false;
  ways.addEventListener('input', show);
  // Browsers keep what was chosen before a page is loaded again.
  show();
}
