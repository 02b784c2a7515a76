/** What the value of a field is. Lists are texts, as the API has them. */
export type FieldType = 'text' | 'long_text' | 'url' | 'boolean' | 'choice' | 'number';

/** One setting of a kind of integration. */
export interface Field {
  /** Its name in `properties`, and the parameter of the REST API. */
  name: string;
  /** For people, in English. */
  title: string;
  type: FieldType;
  /** What it is for, in English. */
  hint?: string;
  required?: true;
  /** Never returned, and stored encrypted. */
  secret?: true;
  /** The values of a choice, each with its title. */
  choices?: Readonly<Record<string, string>>;
  /** The value of a new integration. */
  standard?: string | boolean;
  /** Whether the server sends requests there: its address must be allowed, and other secrets are not kept for another one. */
  reached?: true;
  /** Further checks: what is wrong with a text, in words. */
  check?: (text: string) => string[];
}

/** The value of a field as it is stored; null for none. */
export type FieldValue = string | boolean | number | null;

/** The values of all fields of an integration by their names. */
export type Settings = Readonly<Record<string, FieldValue>>;

/** In characters. */
const MAX_LENGTH: Record<FieldType, number> = {
  text: 2_048,
  long_text: 16_384,
  url: 2_000,
  boolean: 10,
  choice: 255,
  number: 20,
};

/** The value that was given for a field, or what is wrong with it, in words. */
export function readValue(field: Field, given: unknown): { value: FieldValue } | { wrong: string[] } {
  if (given === null || given === undefined || given === '') return { value: null };
  if (field.type === 'boolean') return readFlag(given);
  if (typeof given !== 'string' && typeof given !== 'number') return { wrong: ['must be a text'] };
  const text = String(given).trim();
  if (text === '') return { value: null };
  const most = MAX_LENGTH[field.type];
  if (text.length > most) return { wrong: [`is too long (maximum is ${most} characters)`] };
  const wrong = wrongText(field, text);
  if (wrong.length > 0) return { wrong };
  return { value: field.type === 'number' ? Number(text) : text };
}

function readFlag(given: unknown): { value: boolean } | { wrong: string[] } {
  if (typeof given === 'boolean') return { value: given };
  const word = String(given).trim().toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(word)) return { value: true };
  return ['false', '0', 'no', 'off'].includes(word) ? { value: false } : { wrong: ['must be true or false'] };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: no setting has these
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

function wrongText({ type, choices = {}, check }: Field, text: string): string[] {
  if (CONTROL.test(text) || !text.isWellFormed()) return ['must not hold control characters'];
  if (type === 'choice' && !Object.hasOwn(choices, text)) return [`must be one of ${Object.keys(choices).join(', ')}`];
  if (type === 'number' && !/^\d{1,9}$/.test(text)) return ['must be a number'];
  if (type === 'url' && !isUrl(text)) return ['must be a URL with http or https'];
  return check?.(text) ?? [];
}

function isUrl(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a URL is read without them, and then means something else
  return /^https?:\/\/[^/\\]/i.test(text) && !/[\u0000-\u0020\u007f\\<>"]/.test(text) && URL.canParse(text);
}
