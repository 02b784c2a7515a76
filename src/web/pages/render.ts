import crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Eta } from 'eta';
import type { Response } from 'express';
import { packagePath } from '#src/package-root.ts';

/** What the frame around every page shows. */
export interface Frame {
  /** Of the page, without the name of the server. */
  title: string;
  /** Username of who is signed in; null of nobody. */
  username: string | null;
  /** What forms send along as `authenticity_token`. */
  csrf: string;
}

/** What every template gets as `it`, beside its own values. */
interface Everywhere {
  /** Path of the stylesheet. */
  stylesheet: string;
  /** What a script must carry to be run. */
  nonce: string;
}

const eta = new Eta({ views: packagePath('views'), cache: true, autoEscape: true });
const css = readFileSync(packagePath('assets/gantry.css'));
const fingerprint = crypto.createHash('sha256').update(css).digest('base64url').slice(0, 12);

/** The stylesheet and where it is served; the path changes with the content, so that browsers may keep it for good. */
export const stylesheet = { path: `/-/assets/gantry-${fingerprint}.css`, content: css } as const;

/**
 * Answers with a page from views/<view>.eta. What the template prints is escaped. Nothing keeps the page: it may show
 * secrets, and says who is signed in. No script runs in it but those with its nonce, and no other site may frame it.
 */
export function render(response: Response, status: number, view: string, frame: Frame & Record<string, unknown>): void {
  const nonce = crypto.randomBytes(16).toString('base64');
  const everywhere: Everywhere = { stylesheet: stylesheet.path, nonce };
  const html = eta.render(view, { ...frame, ...everywhere });
  response.status(status);
  response.setHeader('Content-Security-Policy', policy(nonce));
  response.setHeader('X-Frame-Options', 'DENY');
  response.setHeader('Referrer-Policy', 'same-origin');
  response.setHeader('Cache-Control', 'no-store');
  response.type('html').send(html);
}

function policy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
