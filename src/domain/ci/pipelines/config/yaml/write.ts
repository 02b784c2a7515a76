import { resolvePlain } from '#src/domain/ci/pipelines/config/yaml/resolve.ts';

/** Characters of the longest text that is written. */
const MAX_TEXT_LENGTH = 4 * 1024 * 1024;

/** A configuration in one piece as YAML: maps and lists as blocks, long texts line by line. Cut off where it is very long. */
export function writeYaml(value: unknown): string {
  const lines: string[] = ['---'];
  let length = 0;
  const add = (line: string) => {
    length += line.length + 1;
    if (length <= MAX_TEXT_LENGTH) lines.push(line);
  };
  write(value, '', '', add);
  return `${lines.join('\n')}\n`;
}

/** Writes a value after `lead`, which is what stands before it in its first line. */
function write(value: unknown, lead: string, indent: string, add: (line: string) => void): void {
  if (Array.isArray(value) && value.length > 0) {
    if (lead !== '') add(lead);
    for (const entry of value) writeEntry(entry, `${indent}-`, `${indent}  `, add);
    return;
  }
  if (isMap(value) && Object.keys(value).length > 0) {
    if (lead !== '') add(lead);
    for (const [key, entry] of Object.entries(value)) {
      // As is usual, lists are not indented below their keys.
      write(entry, `${indent}${oneLine(key)}:`, Array.isArray(entry) ? indent : `${indent}  `, add);
    }
    return;
  }
  const text = scalar(value, indent);
  add(lead === '' ? text : `${lead} ${text}`);
}

/** An entry of a list: the first key of a map, or the first entry of a list, stands in the line of its hyphen. */
function writeEntry(entry: unknown, lead: string, indent: string, add: (line: string) => void): void {
  let isFirst = true;
  const joined = (line: string) => {
    add(isFirst ? `${lead} ${line.trimStart()}` : line);
    isFirst = false;
  };
  write(entry, '', indent, joined);
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text, number, truth value or null; empty lists and maps. */
function scalar(value: unknown, indent: string): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return '[]';
  if (typeof value === 'object') return '{}';
  if (typeof value !== 'string') return String(value);
  if (value.includes('\n') && isBlock(value)) {
    const header = value.endsWith('\n') ? '|' : '|-';
    return [
      header,
      ...value
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => (line === '' ? '' : `${indent}${line}`)),
    ].join('\n');
  }
  return oneLine(value);
}

function oneLine(text: string): string {
  return isPlain(text) ? text : JSON.stringify(text);
}

/** Whether a text of several lines can stand in lines of its own as it is. */
function isBlock(text: string): boolean {
  return !/^[\s]|\n\n$|[^\P{Cc}\n\t]|[\u2028\u2029\ufeff]/u.test(text);
}

/** Whether a text can stand without quotes, and is read as a text again. */
function isPlain(text: string): boolean {
  const isSafe = /^[\p{L}\p{N}_./$(][^\p{Cc}#:\u2028\u2029\ufeff]*$/u.test(text) && !/\s$/.test(text);
  const isWord = /^(?:y|n|yes|no|on|off)$/i.test(text);
  return isSafe && !isWord && typeof resolvePlain(text) === 'string';
}
