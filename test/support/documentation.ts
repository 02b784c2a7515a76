import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { packagePath, packageRoot } from '#src/platform/package_root.ts';
import { run } from './server_process.ts';

/** A fenced block of a document. */
export interface Block {
  file: string;
  /** The heading that it stands below. */
  section: string;
  /** What follows the fence: `sh`, `graphql`, `json` …; empty without. */
  language: string;
  text: string;
}

/** A command that a document shows, with the answer that it shows below; null without. */
export interface Shown {
  command: string;
  answer: string | null;
}

/** What people read who use, run or change Gantry; the contract of the REST API has no commands. */
export const documents = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/*.md', { cwd: packageRoot }).sort()];

/** All documents whose links are checked: also those without commands. */
export const linkedDocuments = [
  ...documents,
  'CHANGELOG.md',
  ...globSync('docs/*/**/*.md', { cwd: packageRoot }).sort(),
];

export function readDocument(file: string): string {
  return readFileSync(packagePath(file), 'utf8');
}

/** The fenced blocks of a document, in their order. */
export function blocksOf(file: string, text = readDocument(file)): Block[] {
  let section = '';
  const pieces = text.matchAll(/^#+ ([^\n]+)$|^```(\w*)\n(.*?)^```$/gms);
  return [...pieces].flatMap(([, heading, language = '', inner = '']) => {
    if (heading !== undefined) section = heading;
    return heading === undefined ? [{ file, section, language, text: inner }] : [];
  });
}

/** The addresses of links and pictures of a document, outside of code. */
export function linksOf(file: string): string[] {
  const prose = readDocument(file)
    .replace(/^```\w*\n.*?^```$/gms, '')
    .replace(/`[^`\n]*`/g, 'code');
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(([, link = '']) => link);
}

/** The anchors of the headings of a document: in lower case, without punctuation, with hyphens for spaces. */
export function anchorsOf(file: string): Set<string> {
  const headings = readDocument(file)
    .replace(/^```\w*\n.*?^```$/gms, '')
    .matchAll(/^#+ (.+)$/gm);
  const anchors = new Set<string>();
  for (const [, heading = ''] of headings) {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    for (let at = 0; ; at += 1) {
      const one = at === 0 ? anchor : `${anchor}-${at}`;
      if (anchors.has(one)) continue;
      anchors.add(one);
      break;
    }
  }
  return anchors;
}

/** Inline code of a document that is a command: a program of PROGRAMS and at least one word more. */
export function inlineCommands(file: string, text = readDocument(file)): string[] {
  const prose = text.replace(/^```\w*\n.*?^```$/gms, '');
  const spans = [...prose.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replaceAll(/\s+/g, ' '));
  return [...new Set(spans.filter((span) => INLINE.test(span)))];
}

const PROGRAMS =
  'apt-get|cd|chmod|cp|curl|docker|export|find|gantry|git|helm|install|kubectl|mkdir|mv|node|npm|npx|pg_dump|psql|rm|sed|ssh|ssh-keygen|systemctl|tar|ulimit|zstd';
const INLINE = new RegExp(`^(${PROGRAMS}) `);
const FIRST_WORD = new RegExp(`^(\\$ )?(${PROGRAMS}|\\w+=\\S+) `);

/** Whether a block is for a shell: one that says so, or one without a language that begins with a program. */
export function isForShell({ language, text }: Block): boolean {
  return language === 'sh' || (language === '' && FIRST_WORD.test(text));
}

/** The commands of a block, with their answers. A block that names its language is a script, which is one command. */
export function shownCommands({ language, text }: Block): Shown[] {
  if (language === 'sh') return [{ command: text, answer: null }];
  const lines = text.replaceAll(/\\\n\s*/g, '').split('\n');
  if (!text.startsWith('$ ')) return lines.filter((line) => line !== '').map((command) => ({ command, answer: null }));
  const shown: { command: string; answer: string[] }[] = [];
  for (const line of lines) {
    if (line.startsWith('$ ')) shown.push({ command: line.slice(2), answer: [] });
    else shown.at(-1)?.answer.push(line);
  }
  return shown.map(({ command, answer }) => ({ command, answer: answer.join('\n').trim() || null }));
}

/** The commands of all blocks of a section that are for a shell. */
export function commandsOf(file: string, section: string): Shown[] {
  return blocksOf(file)
    .filter((block) => block.section === section && isForShell(block))
    .flatMap(shownCommands);
}

/**
 * Runs commands one after the other in one bash, and compares what they print with what is shown, where `…` and hashes of commits
 * stand for anything. All have to succeed.
 *
 * @param fill puts values in the place of placeholders
 * @returns what each of them printed
 */
export async function walk(
  commands: readonly Shown[],
  {
    directory,
    env = {},
    fill = (command) => command,
  }: { directory: string; env?: NodeJS.ProcessEnv; fill?: (text: string) => string },
): Promise<string[]> {
  const outputs = path.join(directory, '.outputs');
  const home = path.join(directory, '.home');
  for (const place of [outputs, home]) mkdirSync(place, { recursive: true });
  // At a terminal curl shows no progress where it prints; everybody who commits has a name.
  writeFileSync(path.join(home, '.curlrc'), 'silent\nshow-error\n');
  writeFileSync(path.join(home, '.gitconfig'), '[user]\nname = Reader\nemail = reader@example.org\n');
  const filled = commands.map(({ command, answer }) => ({ command: fill(command), answer: answer && fill(answer) }));
  const file = (at: number) => path.join(outputs, String(at));
  const script = filled.map(({ command }, at) => `{\n${command}\n} > '${file(at)}' 2>&1 || exit ${at + 1}\n`).join('');
  const { status } = await run('/bin/bash', ['-c', script], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: home, ...env },
  });
  const failed = filled[status - 1];
  if (failed) throw new Error(`${failed.command}\nfailed: ${readFileSync(file(status - 1), 'utf8')}`);
  expect(status).toBe(0);
  return filled.map(({ command, answer }, at) => {
    const output = readFileSync(file(at), 'utf8');
    if (answer !== null) requireShown(command, answer, output);
    return output;
  });
}

/** Throws where the output is not what is shown: JSON may have more keys, text more lines. */
export function requireShown(command: string, answer: string, output: string): void {
  for (const line of answer.split('\n').filter((line) => line.trim() !== '')) {
    if (/^[[{]/.test(line)) {
      const json = output.split('\n').findLast((printed) => /^[[{]/.test(printed)) ?? 'null';
      expect(JSON.parse(json), command).toEqual(loosely(JSON.parse(withoutGaps(line))));
    } else {
      expect(output.split(/\r?\n/), command).toContainEqual(expect.stringMatching(patternOf(line)));
    }
  }
}

/** JSON as documents shorten it: `…` in the place of keys or items goes, in texts it stays. */
export function withoutGaps(json: string): string {
  return json.replaceAll(/("(?:[^"\\]|\\.)*")|,?\s*…/g, (_all, text: string | undefined) => text ?? '');
}

/** What matches values that have at least these keys, and texts with anything in the place of `…`. */
function loosely(shown: unknown): unknown {
  if (typeof shown === 'string')
    return /…|^[0-9a-f]{40}$/.test(shown) ? expect.stringMatching(patternOf(shown)) : shown;
  if (Array.isArray(shown)) return shown.map(loosely);
  if (typeof shown !== 'object' || shown === null) return shown;
  return expect.objectContaining(
    Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, loosely(value)])),
  );
}

function patternOf(shown: string): RegExp {
  if (/^[0-9a-f]{40}$/.test(shown)) return /^[0-9a-f]{40}$/;
  return new RegExp(`^${shown.split('…').map(escaped).join('.*')}$`);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
