import { plainText } from '#src/domain/tracking/references/plain_text.ts';

/** A reference to an issue or merge request: `#4`, `!2`, `project#4`, `group/project!2`. */
export interface RecordName {
  type: 'Issue' | 'MergeRequest';
  /** Path of its project as written, without a slash for one in the same namespace; null for the project of the text. */
  path: string | null;
  number: number;
}

/** A mentioned user or group, without the `@`; `all` stands for everyone in the project. */
export interface Mention {
  name: string;
  /** Whether it is one of the names that the text begins with. */
  isAddressed: boolean;
}

/** Maximum number of references of one kind in a text. */
const MAX_REFERENCES = 100;
/** Characters before a sigil in which the path of a project is searched. */
const MAX_PATH_LENGTH = 512;

const SIGNS = { '#': 'Issue', '!': 'MergeRequest' } as const;

/** The issues and merge requests referenced in a text, without duplicates, in order. */
export function recordNames(text: string): RecordName[] {
  const plain = plainText(text);
  const found = new Map<string, RecordName>();
  for (const { 0: all, 1: sign, 2: digits, index } of plain.matchAll(/([#!])(\d{1,9})(?![A-Za-z0-9_])/g)) {
    if (found.size >= MAX_REFERENCES) break;
    const path = pathBefore(plain, index);
    if (path === undefined) continue;
    const type = SIGNS[sign as keyof typeof SIGNS];
    const key = `${path?.toLowerCase() ?? ''}${all}`;
    if (!found.has(key)) found.set(key, { type, path, number: Number(digits) });
  }
  return [...found.values()];
}

/** The path that ends at a position; null if there is none, undefined if the sigil belongs to something else. */
function pathBefore(text: string, end: number): string | null | undefined {
  let start = end;
  while (start > 0 && end - start < MAX_PATH_LENGTH && /[A-Za-z0-9_./-]/.test(text.charAt(start - 1))) start -= 1;
  const before = text.charAt(start - 1);
  if (end - start >= MAX_PATH_LENGTH || before === '&' || before === '#' || before === '!') return undefined;
  const path = text.slice(start, end).replace(/^[./-]+/, '');
  if (path === '') return /[./-]/.test(text.charAt(end - 1)) && end > start + 1 ? undefined : null;
  return path.endsWith('/') || path.includes('//') ? undefined : path;
}

/** Names at the beginning of a text, as in `@ann, @bob and @eve: look`. */
const BEGINNING = /^(?:\s*@[A-Za-z0-9_./-]{1,255}[\s,;:]*(?:(?:and|&)\s+(?=@))?)*/;

/** The users and groups mentioned in a text, without duplicates, in order. */
export function mentions(text: string): Mention[] {
  const plain = plainText(text);
  const [beginning = ''] = BEGINNING.exec(plain.slice(0, MAX_PATH_LENGTH)) ?? [];
  const found = new Map<string, Mention>();
  for (const { 1: written = '', index } of plain.matchAll(/@([A-Za-z0-9_][A-Za-z0-9_./-]{0,254})/g)) {
    if (found.size >= MAX_REFERENCES) break;
    // E-mail addresses and paths are not mentions.
    if (/[A-Za-z0-9_.+@/-]/.test(plain.charAt(index - 1))) continue;
    const name = withoutEnd(written).toLowerCase();
    if (!found.has(name)) found.set(name, { name, isAddressed: index < beginning.length });
  }
  return [...found.values()];
}

/** Removes the end of a sentence or line after a name. */
function withoutEnd(name: string): string {
  let end = name.length;
  while (end > 0 && './-'.includes(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}
