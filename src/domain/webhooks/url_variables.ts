import { decrypt, encrypt } from '#src/platform/secrets.ts';

/** A part of the URL of a hook that is kept secret: `{key}` in the URL stands for its value. */
export interface UrlVariable {
  key: string;
  value: string;
}

/** Maximum number of them, and characters of a value. */
const MAX_VARIABLES = 20;
const MAX_VALUE_LENGTH = 2_048;

const NAME = /^[A-Za-z_][\w.-]{0,99}$/;
const REFERENCE = /\{([A-Za-z_][\w.-]{0,99})\}/g;

/** What is wrong with such variables for a URL, in words. */
export function wrongVariables(variables: readonly UrlVariable[], url: string): string[] {
  const names = variables.map(({ key }) => key);
  const missing = [...url.matchAll(REFERENCE)].map(([, name = '']) => name).filter((name) => !names.includes(name));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no URL has these
  const isValue = (value: string) => /^[^\u0000-\u0020\u007f]+$/.test(value) && value.length <= MAX_VALUE_LENGTH;
  return [
    ...(variables.length > MAX_VARIABLES ? [`are too many (maximum is ${MAX_VARIABLES})`] : []),
    ...(new Set(names).size < names.length ? ['must have different names'] : []),
    ...(names.every((name) => NAME.test(name))
      ? []
      : ['must be named by letters, digits, `-`, `_` and `.`, and begin with a letter or `_`']),
    ...(variables.every(({ value }) => isValue(value))
      ? []
      : [`must have values of at most ${MAX_VALUE_LENGTH} characters without spaces`]),
    ...(missing.length > 0 ? [`must have a value for each name in the URL: ${[...new Set(missing)].join(', ')}`] : []),
  ];
}

/** The columns of a hook with these variables. */
export function variableColumns(variables: readonly UrlVariable[], secret: string) {
  const values = Object.fromEntries(variables.map(({ key, value }) => [key, value]));
  return {
    urlVariableNames: variables.map(({ key }) => key),
    urlVariablesEncrypted: variables.length === 0 ? null : encrypt(JSON.stringify(values), secret),
  };
}

/** The values by their names. */
export function urlVariables(encrypted: Uint8Array | null, secret: string): Record<string, string> {
  return encrypted === null ? {} : (JSON.parse(decrypt(encrypted, secret)) as Record<string, string>);
}

/** The URL with the values in it; a name without one stays as it is. */
export function filledUrl(url: string, values: Readonly<Record<string, string>>): string {
  return url.replace(REFERENCE, (name, key: string) => (Object.hasOwn(values, key) ? (values[key] ?? '') : name));
}
