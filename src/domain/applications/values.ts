import { SCOPE_NAMES } from '#src/access/permissions/scopes.ts';
import { type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';

/** The values of an application that its owner sets. */
export interface ApplicationValues {
  name: string;
  /** Where users can be redirected to; must match exactly. A text may have several, one in each line. */
  redirectUris: readonly string[];
  /** Scopes that it may request. */
  scopes: readonly string[];
}

const MAX_URIS = 20;
const MAX_URI = 2000;

/** Schemes that lead into this browser, this machine or a mailbox instead of an application. */
const NO_APPLICATIONS =
  /^(javascript|data|vbscript|file|blob|about|filesystem|view-source|mailto|tel|sms|ftp|ws|wss|chrome|resource|jar):$/;

/** Validates and normalizes the values. Throws ValidationFailed. */
export function checkValues({ name, redirectUris, scopes }: ApplicationValues): ApplicationValues {
  const errors: FieldErrors = {};
  const uris = [
    ...new Set(
      redirectUris
        .flatMap((uri) => uri.split(/\r?\n/))
        .map((uri) => uri.trim())
        .filter((uri) => uri !== ''),
    ),
  ];
  const problems = { name: ofName(name.trim()), redirect_uri: ofUris(uris), scopes: ofScopes(scopes) };
  for (const [field, problem] of Object.entries(problems)) if (problem) errors[field] = [problem];
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  return { name: name.trim(), redirectUris: uris, scopes: SCOPE_NAMES.filter((scope) => scopes.includes(scope)) };
}

function ofName(name: string): string | undefined {
  if (name === '') return "can't be blank";
  if (name.length > 255) return 'is too long (maximum is 255 characters)';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in a name
  return /[\u0000-\u001f\u007f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/.test(name) ? 'is invalid' : undefined;
}

function ofUris(uris: string[]): string | undefined {
  if (uris.length === 0) return "can't be blank";
  if (uris.length > MAX_URIS) return `has too many addresses (maximum is ${MAX_URIS})`;
  for (const uri of uris) {
    const problem = ofUri(uri);
    if (problem) return problem;
  }
  return undefined;
}

function ofUri(uri: string): string | undefined {
  if (uri.length > MAX_URI) return `is too long (maximum is ${MAX_URI} characters)`;
  // Characters that programs interpret differently are rejected, as URIs must match exactly.
  if (!/^[\x21-\x7e]+$/.test(uri) || /[\\^`{|}<>"]/.test(uri)) return 'must be an absolute URI.';
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  if (!url) return 'must be an absolute URI.';
  if (uri.includes('#')) return 'cannot contain a fragment.';
  if (NO_APPLICATIONS.test(url.protocol)) return 'is forbidden by the server.';
  if (url.username !== '' || url.password !== '') return 'cannot contain credentials.';
  const isWeb = ['http:', 'https:'].includes(url.protocol);
  if (isWeb && !/^https?:\/\/[^/]/i.test(uri)) return 'must be an absolute URI.';
  return undefined;
}

function ofScopes(scopes: readonly string[]): string | undefined {
  if (scopes.length === 0) return "can't be blank";
  return scopes.every((scope) => (SCOPE_NAMES as string[]).includes(scope)) ? undefined : 'is invalid';
}
