import { encodeName } from '../base/names.ts';

/** The name of a file of a side as in the head of a patch: in quotes if it has characters that would break it. */
export function label(side: 'a' | 'b' | null, path: string): string {
  const name = side === null ? path : `${side}/${path}`;
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
