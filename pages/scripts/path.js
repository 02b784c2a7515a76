// The path of something new follows its name until somebody writes another path. Without it, the server makes one.
{
  const LETTERS = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' };
  const pathFrom = (name) =>
    name
      .toLowerCase()
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .replace(/[^\0-\x7f]/g, (letter) => LETTERS[letter] ?? letter)
      .replace(/[^a-z0-9_.-]+/g, '-')
      .slice(0, 255)
      .replace(/^[-.]+|[-.]+$/g, '');
  for (const field of document.querySelectorAll('input[data-from]')) {
    const name = field.form.elements[field.dataset.from];
    let isFree = field.value === '';
    field.addEventListener('input', () => {
      isFree = field.value === '';
    });
    name.addEventListener('input', () => {
      if (isFree) field.value = pathFrom(name.value);
    });
  }
}
