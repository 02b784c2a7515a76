import { type Pattern, parsePattern } from '#src/base/path_pattern.ts';

/** The bytes of the largest file that is read. */
export const MAX_BYTES = 256 * 1024;
/** The most entries and sections of a file, owners of an entry, and characters of a pattern or section; what is beyond is left out. */
const MAX_ENTRIES = 1_000;
const MAX_SECTIONS = 100;
const MAX_OWNERS = 100;
const MAX_LENGTH = 255;
const MAX_APPROVALS = 100;
/** Errors that are told. */
const MAX_ERRORS = 100;

/** The section of entries that stand in none. */
export const DEFAULT_SECTION = 'codeowners';

/** What a line says of the owners of paths. */
export interface CodeOwnersEntry {
  /** As it is written. */
  text: string;
  pattern: Pattern;
  /** Whether the files that match have no owners in the section. */
  isExclusion: boolean;
  /** As they are written: `@user`, `@group/path`, `@@role` or an address. */
  owners: readonly string[];
  line: number;
}

export interface CodeOwnersSection {
  name: string;
  /** How many approvals of each entry that applies; 0 for an optional section. */
  approvals: number;
  entries: CodeOwnersEntry[];
}

/** What is wrong with a line, from 1. */
export interface CodeOwnersError {
  line: number;
  kind: CodeOwnersErrorKind;
}

export type CodeOwnersErrorKind =
  | 'missing_section_name'
  | 'invalid_approval_requirement'
  | 'invalid_section_format'
  | 'invalid_section_owner_format'
  | 'missing_entry_owner'
  | 'invalid_entry_owner_format'
  | 'pattern_too_long'
  | 'too_many_entries'
  | 'unknown_owner'
  | 'file_too_large';

export interface CodeOwners {
  sections: readonly CodeOwnersSection[];
  errors: readonly CodeOwnersError[];
}

/** Reads a file of code owners. Lines that are wrong are left out and told, each once. */
export function parseCodeOwners(text: string): CodeOwners {
  const reading = new Reading();
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) reading.add(line, index + 1);
  return { sections: [...reading.sections.values()], errors: reading.errors };
}

class Reading {
  readonly sections = new Map<string, CodeOwnersSection>();
  readonly errors: CodeOwnersError[] = [];
  #section: CodeOwnersSection | null = null;
  #owners: readonly string[] = [];
  #count = 0;

  add(raw: string, line: number): void {
    const text = raw.trim();
    if (text === '' || text.startsWith('#')) return;
    if (/^\^?\[/.test(text) && this.#begin(text, line)) return;
    this.#addEntry(text, line);
  }

  #tell(line: number, kind: CodeOwnersErrorKind): void {
    if (this.errors.length < MAX_ERRORS && !this.errors.some((one) => one.line === line))
      this.errors.push({ line, kind });
  }

  /** Begins a section, whatever is wrong with it; false for what is none, such as the pattern `[ab].txt @user`. */
  #begin(text: string, line: number): boolean {
    const end = text.indexOf(']');
    if (end < 0) {
      this.#tell(line, 'invalid_section_format');
      return true;
    }
    const isOptional = text.startsWith('^');
    const name = text.slice(isOptional ? 2 : 1, end).trim();
    const [, count, rest = ''] = /^(?:\[([^\]]*)\])?(.*)$/s.exec(text.slice(end + 1)) ?? [];
    if (rest !== '' && !/^\s/.test(rest)) {
      if (isOptional || count !== undefined) this.#tell(line, 'invalid_section_format');
      return isOptional || count !== undefined;
    }
    if (name === '') this.#tell(line, 'missing_section_name');
    const asked = count === undefined ? 1 : /^\d{1,3}$/.test(count.trim()) ? Number(count) : Number.NaN;
    const isValid = asked >= 1 && asked <= MAX_APPROVALS;
    if (!isValid) this.#tell(line, 'invalid_approval_requirement');
    this.#open(name === '' ? DEFAULT_SECTION : name.slice(0, MAX_LENGTH), isOptional ? 0 : isValid ? asked : 1, line);
    const words = wordsOf(rest);
    this.#owners = words.filter(isOwner).slice(0, MAX_OWNERS);
    if (this.#owners.length < words.length) this.#tell(line, 'invalid_section_owner_format');
    return true;
  }

  /** Sections of one name, in any case, are one: that which was first says how many approvals it asks for, and is optional if all are. */
  #open(name: string, approvals: number, line: number): void {
    const key = name.toLowerCase();
    const known = this.sections.get(key);
    if (known) known.approvals = Math.max(known.approvals, approvals);
    else if (this.sections.size >= MAX_SECTIONS) this.#tell(line, 'too_many_entries');
    this.#section = known ?? { name, approvals, entries: [] };
    if (this.sections.size < MAX_SECTIONS) this.sections.set(key, this.#section);
  }

  #addEntry(text: string, line: number): void {
    const [first = '', ...words] = wordsOf(text);
    const isExclusion = first.startsWith('!') && first.length > 1;
    const path = isExclusion ? first.slice(1) : first;
    const excess =
      path.length > MAX_LENGTH ? 'pattern_too_long' : this.#count >= MAX_ENTRIES ? 'too_many_entries' : null;
    if (excess !== null) {
      this.#tell(line, excess);
      return;
    }
    const named = words.filter(isOwner).slice(0, MAX_OWNERS);
    if (named.length < words.length) this.#tell(line, 'invalid_entry_owner_format');
    const owners = named.length > 0 ? named : this.#owners;
    if (!isExclusion && owners.length === 0) this.#tell(line, 'missing_entry_owner');
    if (this.#section === null) this.#open(DEFAULT_SECTION, 1, line);
    this.#count += 1;
    const entry = { text: path, pattern: parsePattern(path), isExclusion, owners: isExclusion ? [] : owners, line };
    this.#section?.entries.push(entry);
  }
}

/** The words of a line, up to a comment; a backslash takes the space or hash behind it into a word, and stays before what patterns escape. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? '';
    const next = line[at + 1];
    if (character === '\\' && next !== undefined) {
      word += next === ' ' || next === '#' ? next : character + next;
      at += 1;
    } else if (/\s/.test(character)) {
      if (word !== '') words.push(word);
      word = '';
    } else if (character === '#' && word === '') break;
    else word += character;
  }
  return word === '' ? words : [...words, word];
}

function isOwner(word: string): boolean {
  return /^(?:@[\w.-]+(?:\/[\w.-]+)*|@@\w+)$/.test(word) || /^[^\s@]{1,64}@[^\s@]{1,190}$/.test(word);
}
