import { SCOPE_NAMES } from '#src/access/permissions/scopes.ts';

/** The unknown scopes in a parameter. OpenID Connect (11) requires ignoring `offline_access` where it does not apply. */
export function unknownScopes(parameter: string): string[] {
  const known: readonly string[] = [...SCOPE_NAMES, 'offline_access'];
  return parameter.split(' ').filter((scope) => scope !== '' && !known.includes(scope));
}
