import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { unknownScopes } from '#src/access/oauth/unknown_scopes.ts';

const { base, Check } = interactionPolicy;

/** When users are prompted: to sign in, and to allow the application scopes that it did not have before. */
export function askingPolicy() {
  const policy = base();
  policy.get('login')?.checks.add(
    new Check('unknown_scopes', 'there are no such scopes', 'invalid_scope', ({ query, oidc }) => {
      // By now the provider has dropped unknown scopes, unless there are no others.
      const unknown = unknownScopes(
        [query.scope, oidc.params?.scope].filter((given) => typeof given === 'string').join(' '),
      );
      if (unknown.length > 0) throw new errors.InvalidScope('requested scope is not known', unknown.join(' '));
      return Check.NO_NEED_TO_PROMPT;
    }),
    0,
  );
  const consent = policy.get('consent');
  consent?.checks.remove('native_client_prompt');
  consent?.checks.add(
    new Check(
      'unproven_application',
      'this application may be another one in disguise',
      'interaction_required',
      (ctx) => (alwaysAsks(ctx) && !ctx.oidc.result?.consent ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT),
    ),
  );
  return policy;
}

/**
 * Whether users are prompted every time: any program can pretend to be an application without a secret, unless the redirect goes
 * to an https address, which only the owner of the name receives (RFC 8252, 8.6). Nobody vouches for one that registered itself.
 */
export function alwaysAsks({ oidc }: KoaContextWithOIDC): boolean {
  if (oidc.client?.self_registered === true) return true;
  return oidc.client?.clientAuthMethod === 'none' && !String(oidc.params?.redirect_uri).startsWith('https://');
}
