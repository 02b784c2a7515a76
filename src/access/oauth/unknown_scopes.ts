import { SCOPE_NAMES } from '#src/access/permissions/scopes.ts';

/** The scopes in a parameter that there are not. OpenID Connect (11) has `offline_access` ignored where it means nothing. */
export function unknownScopes(parameter: string): string[] {
  const known: readonly string[] = [...SCOPE_NAMES, 'offline_access'];
  return parameter.split(' ').filter((scope) => scope !== '' && !known.includes(scope));
}
