import { closestMatch } from '#src/platform/config/closest_match.ts';
import { type ManualPage, manual } from './manual.ts';

/** All commands, a line each. */
export function overview(): string {
  const rows = Object.entries(manual).map(([name, { summary }]): [string, string] => [name, summary]);
  return `Usage: gantry <command> [options]

Commands:
${columns(rows)}
\`gantry help <command>\` explains a command. \`gantry --version\` prints the version.

Settings are read from the environment and from the file .env in the working directory; README.md lists them,
and \`gantry doctor\` checks them. Apart from serve, work, restore and upgrade, commands also run while the server is running.
`;
}

/** The output of `gantry help <words>`: the page of a command, or of all commands that begin with the word. Throws WrongUse. */
export function helpOn(words: readonly string[]): string {
  const group = groupOf(words);
  const names = group.length > 0 ? group : [findCommand(words).name];
  return names.map((name) => pageOf(name, manual[name])).join('\n');
}

/** The two-word commands that begin with the given word. */
function groupOf(words: readonly string[]): string[] {
  const [first = ''] = words;
  if (words.length !== 1 || Object.hasOwn(manual, first)) return [];
  return Object.keys(manual).filter((name) => name.startsWith(`${first} `));
}

/** Thrown if the command line is wrong; the hint suggests the correct use. */
export class WrongUse extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/**
 * Finds the command that the words begin with, one or two of them, and how many words its name has.
 *
 * @throws WrongUse that suggests the closest match
 */
export function findCommand(words: readonly string[]): { name: string; length: number } {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ');
    if (words.length >= length && Object.hasOwn(manual, name)) return { name, length };
  }
  const [first] = words;
  if (first === undefined) throw new WrongUse('no command given', 'Run `gantry help` for the list of commands.');
  const names = Object.keys(manual);
  const group = groupOf([first]);
  const hint = `Run \`gantry help${group.length > 0 ? ` ${first}` : ''}\` for the list of commands.`;
  if (group.length > 0 && words.length === 1) throw new WrongUse(`"${first}" needs a subcommand`, hint);
  const meant = closestMatch(words.slice(0, 2).join(' '), names) ?? closestMatch(first, names);
  throw new WrongUse(unknown(words), meant === undefined ? hint : `Did you mean \`gantry ${meant}\`? ${hint}`);
}

function unknown(words: readonly string[]): string {
  return `unknown command "${words.slice(0, 2).join(' ')}"`;
}

/** The options of a command, as `--name`. */
export function optionsOf(name: string): string[] {
  return [...Object.keys(manual[name]?.options ?? {}).map((option) => option.split(' ')[0] ?? ''), '--help'];
}

function pageOf(name: string, { usage, summary, options = {}, notes }: ManualPage = NO_PAGE): string {
  const head = `Usage: gantry ${`${name} ${usage}`.trim()}\n\n${summary[0]?.toUpperCase()}${summary.slice(1)}.\n`;
  const rows = Object.entries(options);
  return [head, ...(rows.length > 0 ? [`Options:\n${columns(rows)}`] : []), ...(notes ? [`${notes}\n`] : [])].join(
    '\n',
  );
}

const NO_PAGE: ManualPage = { usage: '', summary: '' };

function columns(rows: readonly [string, string][]): string {
  const width = Math.max(...rows.map(([first]) => first.length));
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}\n`).join('');
}
