import { createHash, createPrivateKey, createPublicKey, type JsonWebKey, sign, verify } from 'node:crypto';

/** Characters of the longest token that is verified. */
const MAX_TOKEN_LENGTH = 16_384;

/** A JSON Web Token with these claims, signed with a key of the provider. Its type tells tokens of one purpose from others. */
export function signJwt(key: JsonWebKey, claims: Record<string, unknown>, type = 'JWT'): string {
  const header = { typ: type, alg: 'RS256', kid: thumbprint(key) };
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = sign('sha256', Buffer.from(text), createPrivateKey({ key, format: 'jwk' }));
  return `${text}.${signature.toString('base64url')}`;
}

/**
 * The claims of a token that one of these keys has signed; null for any other, and for one that is not valid now.
 *
 * @param expected whom the token must be for, and the type that it must have: others choose the audience of some tokens
 */
export function verifyJwt(
  keys: readonly JsonWebKey[],
  token: string,
  expected: { audience: string; type: string },
): Record<string, unknown> | null {
  const [header = '', content = '', signature = '', ...rest] = token.length > MAX_TOKEN_LENGTH ? [] : token.split('.');
  if (signature === '' || rest.length > 0) return null;
  const signed = Buffer.from(`${header}.${content}`);
  const given = Buffer.from(signature, 'base64url');
  const isOurs = keys.some((key) => verify('sha256', signed, createPublicKey({ key, format: 'jwk' }), given));
  if (!isOurs) return null;
  // Whatever the header says, only RS256 was verified.
  const [{ typ }, claims] = [header, content].map((part) => JSON.parse(Buffer.from(part, 'base64url').toString())) as [
    { typ: unknown },
    Record<string, unknown>,
  ];
  const now = Date.now() / 1_000;
  const isNow = Number(claims.nbf) <= now && now < Number(claims.exp);
  return isNow && typ === expected.type && claims.aud === expected.audience ? claims : null;
}

/** The name of a key (RFC 7638), which the published key has, too. */
function thumbprint({ e, kty, n }: JsonWebKey): string {
  return createHash('sha256').update(JSON.stringify({ e, kty, n })).digest('base64url');
}
