import { encodeName } from '../names.ts';
import { isBinary } from './lines.ts';
import { unifiedHunks } from './unified.ts';

/** Two contents to be compared; null on the side where there is no file. */
export interface Pair {
  oldPath: string;
  newPath: string;
  before: Uint8Array | null;
  after: Uint8Array | null;
}

export interface Patch {
  /** From `---` or `Binary files` on; empty if the contents are the same, or when no text is wanted. */
  text: string;
  binary: boolean;
  additions: number;
  deletions: number;
}

/** What `git diff` says about two contents, without the lines that precede `---`. */
export function makePatch({ oldPath, newPath, before, after }: Pair, wantsText: boolean): Patch {
  const left = asBuffer(before);
  const right = asBuffer(after);
  const names = [
    before === null ? '/dev/null' : label('a', oldPath),
    after === null ? '/dev/null' : label('b', newPath),
  ];
  if (left.equals(right)) return { text: '', binary: false, additions: 0, deletions: 0 };
  if (isBinary(left) || isBinary(right))
    return { text: `Binary files ${names[0]} and ${names[1]} differ\n`, binary: true, additions: 0, deletions: 0 };
  const { text, additions, deletions } = unifiedHunks(left, right);
  if (!wantsText) return { text: '', binary: false, additions, deletions };
  // A tab tells where a name with spaces ends.
  const [from, to] = names.map((name) => (name.includes(' ') ? `${name}\t` : name));
  return { text: `--- ${from}\n+++ ${to}\n${text.toString('utf8')}`, binary: false, additions, deletions };
}

/** A name as in the head of a patch: in quotes if it has characters that would break it. */
function label(side: 'a' | 'b', path: string): string {
  const name = `${side}/${path}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to be quoted.
  const quoted = name.replace(/[\x00-\x1f"\\\x7f]/g, escapeCharacter);
  const text = encodeName(quoted).toString('utf8');
  return quoted === name ? text : `"${text}"`;
}

const ESCAPES: Record<string, string> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
};

function escapeCharacter(character: string): string {
  return ESCAPES[character] ?? `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
}

function asBuffer(bytes: Uint8Array | null): Buffer {
  return bytes === null ? Buffer.alloc(0) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
