import crypto from 'node:crypto';
import { Eta } from 'eta';
import type { Response } from 'express';
import { LRUCache } from 'lru-cache';
import { formTarget } from '#src/access/oauth/form_post.ts';
import { masked } from '#src/entrances/web/pages/form_token.ts';
import * as helpers from '#src/entrances/web/pages/helpers.ts';
import { navigation } from '#src/entrances/web/pages/navigation.ts';
import { packagePath, packageVersion } from '#src/platform/package_root.ts';
import { type Language, markup, textsIn } from '#src/platform/texts/texts.ts';

/** What the layout of every page needs. */
export interface Frame {
  /** Title of the page, without the name of the server. */
  title: string;
  /** What the page speaks. */
  language: Language;
  /** The time zone that the reader chose (IANA); null for none. */
  timezone: string | null;
  /** Username of the signed-in user; null for visitors. */
  username: string | null;
  /** Username of the administrator who acts as that user. */
  impersonator?: string | null;
  /** Whether that user administers the server. */
  isAdmin?: boolean;
  /** The colours of the page; those of the reader's system where nothing is chosen. */
  theme?: 'system' | 'light' | 'dark';
  /** The `authenticity_token` of forms; templates get it masked. */
  csrf: string;
  /** Path of the stylesheet. */
  stylesheet: string;
  /** Path of the script. */
  script: string;
  /** URLs of other servers to which its forms redirect; the page's policy must allow them. */
  formTargets?: readonly string[];
}

const version = packageVersion();

/** The templates in one language: they call the helpers as `h.time(…)`, and write their texts with `t` and `rich`. */
class Views extends Eta {
  helpers;
  readonly texts;
  readonly markup = markup;

  constructor(language: Language) {
    super({
      views: packagePath('pages/views'),
      cache: true,
      autoEscape: true,
      functionHeader: 'const { helpers: h, markup, texts: { t, rich, language } } = this;',
    });
    this.texts = textsIn(language);
    this.helpers = { ...helpers, ...helpers.spoken(this.texts) };
  }
}

/** One set of helpers for each language and time zone in use, of which there may be hundreds. */
const views = new LRUCache<string, Views>({ max: 100 });

/** The templates for readers of a language in a time zone; those of one language are compiled once. */
function viewsFor({ language, timezone }: Pick<Frame, 'language' | 'timezone'>): Views {
  const key = timezone === null ? language : `${language} ${timezone}`;
  const found = views.get(key) ?? (timezone === null ? new Views(language) : inZone(language, timezone));
  views.set(key, found);
  return found;
}

function inZone(language: Language, timezone: string): Views {
  const inLanguage = viewsFor({ language, timezone: null });
  const here: Views = Object.create(inLanguage);
  here.helpers = { ...helpers, ...helpers.spoken(inLanguage.texts, timezone) };
  return here;
}

/**
 * Responds with a page from pages/views/<view>.eta. The template escapes its output. The page is not cached, as it may show secrets and
 * the user. Only scripts with its nonce run in it, and other sites cannot frame it.
 * A viewer is a third-party script that injects styles and runs workers.
 */
export function render(response: Response, status: number, view: string, frame: Frame & Record<string, unknown>): void {
  const nonce = crypto.randomBytes(16).toString('base64');
  const [path = '/'] = response.req.originalUrl.split('?');
  const { t } = textsIn(frame.language);
  const links = navigation(path, { signedIn: frame.username !== null, isAdmin: frame.isAdmin === true }, t);
  const own = { nonce, path, links, version };
  const taken = Object.keys(own).find((name) => Object.hasOwn(frame, name));
  if (taken)
    throw new Error(`${view} cannot show a value called ${taken}: that of the layout would stand in its place`);
  const csrf = masked(frame.csrf);
  const html = viewsFor(frame).render(view, { ...frame, csrf, ...own });
  response.status(status);
  response.setHeader('Content-Security-Policy', policy(nonce, frame.viewer === true, frame.formTargets ?? []));
  response.setHeader('X-Frame-Options', 'DENY');
  response.setHeader('Referrer-Policy', 'same-origin');
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Language', frame.language);
  response.type('html').send(html);
}

function policy(nonce: string, viewer: boolean, formTargets: readonly string[]): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'self'${viewer ? " 'unsafe-inline'" : ''}`,
    "img-src 'self' data:",
    ...(viewer ? ["font-src 'self' data:", 'worker-src blob:'] : []),
    "connect-src 'self'",
    `form-action ${["'self'", ...formTargets.map(formTarget)].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
