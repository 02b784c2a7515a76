import { parseJson } from '#src/base/json.ts';

/** Characters of the longest template, and of what comes of one. */
const MAX_TEMPLATE_LENGTH = 4_096;
const MAX_BODY_LENGTH = 4 * 1024 * 1024;

const PLACEHOLDER = /\{\{\s*([\w.-]{1,255})\s*\}\}/g;

/** A template of which no body comes. Its message is for those who administer the hook. */
export class TemplateFailed extends Error {}

/** What is wrong with a template, in words. */
export function wrongTemplate(template: string): string[] {
  if (template.length > MAX_TEMPLATE_LENGTH) {
    return [`is too long (maximum is ${MAX_TEMPLATE_LENGTH} characters)`];
  }
  return isJson(template.replace(PLACEHOLDER, '0')) ? [] : ['must be JSON in which `{{name}}` stands for values'];
}

/**
 * The body that a template makes of a payload: `{{project.name}}` stands for that value, `{{commits.0.id}}` for one in a list. Texts are
 * escaped for a text of JSON, anything else is JSON, and what is not there is null. Throws TemplateFailed.
 */
export function filledTemplate(template: string, payload: string): string {
  const values: unknown = JSON.parse(payload);
  const known = new Map<string, string>();
  const textOf = (path: string) => {
    const text = known.get(path) ?? insertable(valueAt(values, path.split('.')));
    known.set(path, text);
    return text;
  };
  // Measured first: each placeholder may stand for the whole payload.
  const length = [...template.matchAll(PLACEHOLDER)].reduce((sum, [, path = '']) => sum + textOf(path).length, 0);
  if (length > MAX_BODY_LENGTH) throw new TemplateFailed('The template makes a body that is too large.');
  const body = template.replace(PLACEHOLDER, (_, path: string) => textOf(path));
  if (!isJson(body)) throw new TemplateFailed('The template does not make JSON of this event.');
  return body;
}

function insertable(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  return typeof value === 'string' ? text.slice(1, -1) : text;
}

function valueAt(value: unknown, [name, ...inner]: readonly string[]): unknown {
  if (name === undefined) return value;
  if (Array.isArray(value)) return /^\d{1,6}$/.test(name) ? valueAt(value[Number(name)], inner) : undefined;
  return isRecord(value) && Object.hasOwn(value, name) ? valueAt(value[name], inner) : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isJson(text: string): boolean {
  try {
    parseJson(Buffer.from(text));
    return true;
  } catch {
    return false;
  }
}
