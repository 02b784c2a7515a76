import { decrypt, encrypt } from '#src/platform/secrets.ts';

/** A header that requests of a hook carry in addition. */
export interface CustomHeader {
  key: string;
  value: string;
}

/** Maximum number of them, and characters of a value. */
const MAX_HEADERS = 20;
const MAX_VALUE_LENGTH = 2_048;

/** Headers that requests have anyway, or that say how a request is sent. */
const OWN =
  /^(?:x-gitlab-|webhook-|(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|user-agent)$)/i;

// biome-ignore lint/suspicious/noControlCharactersInRegex: what sends headers refuses these
const HEADER_VALUE = /^[^\u0000-\u001f\u007f-\u009f\u0100-\uffff]+$/;

/** What is wrong with such headers, in words. */
export function wrongHeaders(headers: readonly CustomHeader[]): string[] {
  const names = headers.map(({ key }) => key.toLowerCase());
  const isName = (name: string) => /^[a-z\d][\w.-]{0,99}$/i.test(name);
  const isValue = (value: string) => value.length <= MAX_VALUE_LENGTH && HEADER_VALUE.test(value);
  return [
    ...(headers.length > MAX_HEADERS ? [`are too many (maximum is ${MAX_HEADERS})`] : []),
    ...(new Set(names).size < names.length ? ['must have different names'] : []),
    ...(names.every(isName) ? [] : ['must be named by letters, digits, `-`, `_` and `.`']),
    ...(names.some((name) => OWN.test(name)) ? ['must not be those that Gantry sends itself'] : []),
    ...(headers.every(({ value }) => isValue(value))
      ? []
      : [`must have values of at most ${MAX_VALUE_LENGTH} characters that an HTTP header can hold`]),
  ];
}

/** The columns of a hook with these headers. */
export function headerColumns(headers: readonly CustomHeader[], secret: string) {
  const values = Object.fromEntries(headers.map(({ key, value }) => [key.toLowerCase(), value]));
  return {
    customHeaderNames: headers.map(({ key }) => key),
    customHeadersEncrypted: headers.length === 0 ? null : encrypt(JSON.stringify(values), secret),
  };
}

/** The headers by their names in lower case. */
export function customHeaders(encrypted: Uint8Array | null, secret: string): Record<string, string> {
  return encrypted === null ? {} : (JSON.parse(decrypt(encrypted, secret)) as Record<string, string>);
}
