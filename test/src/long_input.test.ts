import { readdirSync, readFileSync } from 'node:fs';
import vm from 'node:vm';
import { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { maskError } from '#schema/errors.ts';
import { trimEnds } from '#src/base/text.ts';
import { pathFrom } from '#src/domain/namespaces/path_from.ts';
import { autolinksIn } from '#src/domain/tracking/markdown/autolinks.ts';
import { dueDate } from '#src/domain/tracking/quick_actions/due_date.ts';
import { splitQuickActions } from '#src/domain/tracking/quick_actions/split.ts';
import { formatSignature, parseSignature } from '#src/git/objects/signature.ts';
import { redactUrl } from '#src/platform/observability/log.ts';
import { LONG as LONG_TEST } from '../support/long.ts';

const LONG = 1_000_000;

/** Each of these took minutes by patterns that try every place of a run again. */
const CASES: [string, () => unknown, unknown][] = [
  ['a path of slashes', () => trimEnds(`${'/'.repeat(LONG)}x`, '/'), 'x'],
  ['a name of dashes', () => pathFrom(`a${'-_'.repeat(LONG)}b`).length, 255],
  ['the line of an author with digits', () => parseSignature(`A <a@b> ${'1'.repeat(LONG)}x`).seconds, 0],
  [
    'an author of commas',
    () => formatSignature({ name: `a${','.repeat(LONG)}b`, email: 'a@b', seconds: 0, offset: 0 }).length,
    LONG + 16,
  ],
  ['a query of question marks', () => redactUrl(`/${'?'.repeat(LONG)}`).length, LONG + 1],
  ['a query of secret words', () => redactUrl(`/?${'token'.repeat(LONG / 5)}`).length, LONG + 2],
  [
    'a message that repeats a value',
    () => maskError(new GraphQLError(`"${'token'.repeat(LONG)}`), () => undefined).message.length,
    2001,
  ],
  ['addresses of the web within each other', () => autolinksIn('www.a_'.repeat(LONG / 10)).length, 0],
  [
    'a due date of spaces',
    () => dueDate(`in${' '.repeat(LONG)}2 days`, new Date('2026-11-23T00:00:00Z')),
    '2026-11-25',
  ],
  [
    'a hundred due dates of spaces',
    () =>
      splitQuickActions(
        Array.from({ length: 100 }, (_, n) => `/due in${' '.repeat(LONG / 100 + n)}x`).join('\n'),
      ).actions.filter(({ argument }) => dueDate(argument, new Date()) !== null).length,
    0,
  ],
];

describe('Long input is read in time by its length:', () => {
  it.each(CASES)('%s', (_name, work, result) => {
    expect(work()).toBe(result);
  });

  it('secrets stay hidden in messages that are cut off', () => {
    const secret = 's3cret '.repeat(1000);
    const { message } = maskError(new GraphQLError(`Value { password: "${secret}" } is wrong`), () => undefined);
    expect(message).not.toContain('s3cret');
  });
});

/** Patterns in the sources, which begin where an expression may. */
const LITERAL =
  /(?<=(?:[(,=:?!&|[{;]|=>|return)\s*)\/(?![*/])((?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/g;

/** What is repeated, and what stands before and behind it, so that nothing is found in the end. */
const PIECES = [
  ...' \t\naA0-_/.,"\'<[{(:@#=+*?%&\\`!$',
  ...['a ', 'a-', 'a_', 'a.', '-_', '0.', 'WIP:', '~"', '#1', '@a', ' \n', ', ', '](', 'a:'],
];
const AROUND = [
  ['', '\0'],
  ['a', '\0'],
  ['', '\n!'],
  ['<a@', '\0'],
  ['/', '\0'],
  ['#', '\0'],
];

/** Patterns that take time by the square of a length that something else limits. */
const LIMITED: Readonly<Record<string, string>> = {
  'src/git/objects/signature.ts': 'a line is cut off before',
  'src/entrances/runner/globs.ts': 'the runner reads paths of its own jobs',
  'src/domain/repository/refusals.ts': 'messages of git',
  'rest/openapi/names.ts': 'names of the schema',
  'rest/openapi/words.ts': 'descriptions of the schema',
  'schema/redact.ts': 'messages are cut off before',
};

/** Milliseconds that are a hundred times what a pattern needs that reads each character once. */
const PATIENCE = 1_500;

describe('No pattern', LONG_TEST, () => {
  const root = new URL('../../', import.meta.url);
  const found = ['src', 'rest', 'schema', 'pages', 'mcp', 'compat'].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.startsWith('generated'))
      .map((name) => `${folder}/${name}`)
      .flatMap((name) =>
        Array.from(readFileSync(new URL(name, root), 'utf8').matchAll(LITERAL), ([whole, , flags = '']) => ({
          name,
          whole,
          flags,
        })),
      ),
  );
  const sandbox = vm.createContext(Object.create(null));

  /** Milliseconds of the processor that this process took. */
  const spent = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };

  /** Whether the pattern reads 60,000 characters of each piece in time. While the machine does something else, it is tried again. */
  const isQuick = ({ whole, flags }: { whole: string; flags: string }, tries = 20): boolean => {
    const read = flags.includes('g') ? 'text.replace(pattern, "")' : 'pattern.test(text)';
    const script = new vm.Script(`
      for (const [before, behind] of ${JSON.stringify(AROUND)}) for (const piece of ${JSON.stringify(PIECES)}) {
        const pattern = ${whole};
        const text = before + piece.repeat(60_000 / piece.length) + behind;
        ${read};
      }`);
    const before = spent();
    try {
      script.runInContext(sandbox, { timeout: PATIENCE });
      return true;
    } catch {
      return spent() - before < PATIENCE * 0.8 && tries > 0 ? isQuick({ whole, flags }, tries - 1) : false;
    }
  };

  it('of the sources tries every place of a run again, quick actions included', { timeout: 240_000 }, () => {
    expect(found.length).toBeGreaterThan(400);
    expect(found.filter(({ name }) => name.startsWith('src/domain/tracking/quick_actions/')).length).toBeGreaterThan(4);
    const slow = found.filter((one) => !Object.hasOwn(LIMITED, one.name) && !isQuick(one));
    expect(slow.map(({ name, whole }) => `${name}: ${whole}`)).toEqual([]);
  });

  it('that is slow goes unnoticed', () => {
    expect(isQuick({ whole: '/\\s+$/', flags: '' })).toBe(false);
    expect(isQuick({ whole: '/(?<!\\s)\\s+$/', flags: '' })).toBe(true);
  });
});
