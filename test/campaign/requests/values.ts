/** Numbers from 0 to 1. */
export type Random = () => number;

export const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item;

/** Texts at which servers go wrong. None of them leads anywhere but to this machine. */
const TEXTS = [
  ...[
    '',
    ' ',
    'a',
    'main',
    'master',
    'README.md',
    'bug',
    'v1.0.0',
    'ada',
    'orchard',
    'orchard/apples',
    '0',
    '1',
    '-1',
    'true',
    'null',
  ],
  ...[
    '\0',
    'a\0b',
    '\ud800',
    '\u202e',
    'é'.repeat(10),
    '😀',
    '\n',
    'a\nb',
    '%',
    '%00',
    '%2e%2e',
    '..',
    '../..',
    '/',
    '//',
    '\\',
    "'",
    '"',
    '`',
  ],
  ...[
    "'; --",
    '$1',
    '{{a}}',
    '<script>',
    'a'.repeat(256),
    'a'.repeat(3000),
    '_',
    '%_',
    '*',
    '**',
    '[',
    '(',
    '(?',
    '^a',
    '\\',
    '.git',
    '-',
    '--help',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'None',
    'Any',
    'HEAD',
    'refs/heads/main',
    'a..b',
    '@{',
    'a.lock',
    '~',
    '^',
  ],
  ...[
    '2026-11-30',
    '2026-02-30',
    '9999-12-31',
    '0000-00-00',
    '2026-11-30T12:00:00Z',
    '+275760-09-13T00:00:00.001Z',
    'tomorrow',
    '-000001-01-01',
  ],
  ...[
    'http://127.0.0.1:1/',
    'http://gantry.invalid/',
    'ftp://127.0.0.1/',
    'javascript:alert(1)',
    'a@b.invalid',
    'Ada <a@b>',
    '#ff0000',
    'red',
  ],
  ...[
    '0 4 * * *',
    'constructor',
    '1h',
    '1mo 2w',
    'UTC',
    'Europe/Berlin',
    'No/Where',
    '[]',
    '{}',
    '[1]',
    '/close',
    '/label ~bug\n/due tomorrow',
    'job: {script: a}',
  ],
];

const NUMBERS = [
  0,
  1,
  2,
  3,
  5,
  10,
  20,
  30,
  40,
  50,
  60,
  100,
  101,
  -1,
  1.5,
  255,
  65_536,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 53,
  2 ** 63,
  1e21,
  -(2 ** 31),
];

export function anyText(random: Random): string {
  return pick(random, TEXTS);
}

export function anyNumber(random: Random): number {
  return random() < 0.6 ? Math.floor(random() * 12) : pick(random, NUMBERS);
}

/** Whatever JSON can hold. */
export function anything(random: Random, depth = 2): unknown {
  const kind = Math.floor(random() * (depth > 0 ? 9 : 6));
  if (kind === 0) return null;
  if (kind === 1) return random() < 0.5;
  if (kind === 2) return anyNumber(random);
  if (kind <= 5) return anyText(random);
  if (kind <= 7) return Array.from({ length: Math.floor(random() * 4) }, () => anything(random, depth - 1));
  return { [anyText(random)]: anything(random, depth - 1) };
}
