import crypto from 'node:crypto';
import type { KoaContextWithOIDC } from 'oidc-provider';

/**
 * Restricts pages that post a form to the application (`response_mode=form_post`): only the script that submits the form runs,
 * and the form can only go to the redirect address.
 */
export async function guardFormPost(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  const redirects = ctx.status >= 300 && ctx.status < 400;
  if (redirects || ctx.respond === false || ctx.type !== 'text/html' || typeof ctx.body !== 'string') return;
  ctx.set('Content-Security-Policy', policy(ctx.body, ctx.oidc?.params?.redirect_uri));
  ctx.set('X-Frame-Options', 'DENY');
  ctx.set('X-Content-Type-Options', 'nosniff');
}

function policy(html: string, redirectUri: unknown): string {
  const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script = '']) => sourceOf(script));
  return [
    "default-src 'none'",
    `script-src ${scripts.length === 0 ? "'none'" : scripts.join(' ')}`,
    `form-action ${typeof redirectUri === 'string' && URL.canParse(redirectUri) ? formTarget(redirectUri) : "'none'"}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function sourceOf(script: string): string {
  return `'sha256-${crypto.createHash('sha256').update(script).digest('base64')}'`;
}

/**
 * A redirect address as a source for the policy directive `form-action`: without its query, and only its scheme where policies
 * cannot express the host.
 */
export function formTarget(redirectUri: string): string {
  const { protocol, origin, hostname, pathname } = new URL(redirectUri);
  if (!['http:', 'https:'].includes(protocol) || hostname.startsWith('[')) return protocol;
  // Both characters end a source in a policy.
  return origin + pathname.replaceAll(';', '%3B').replaceAll(',', '%2C');
}
