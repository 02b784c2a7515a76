import crypto from 'node:crypto';
import { Eta } from 'eta';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import type { Branding } from '#pages/engine/branding.ts';
import { masked } from '#pages/engine/form_token.ts';
import * as helpers from '#pages/engine/helpers.ts';
import { navigation } from '#pages/engine/navigation.ts';
import { formTarget } from '#src/access/oauth/form_post.ts';
import { packagePath, packageVersion } from '#src/platform/package_root.ts';
import { type Language, markup, textsIn } from '#src/platform/texts/texts.ts';

/** What the layout shows of one page. */
export interface Head {
  /** Title of the page, without the name of the server. */
  title: string;
  /** What was just done, in the reader's language; null for nothing. */
  notice?: string | null;
  /** Path of the feed of what the page lists. */
  feed?: string | undefined;
  /** A third-party script fills the page: it injects styles and runs workers. */
  viewer?: {
    /** Path of its stylesheet. */
    style: string;
    /** Whether it makes the main part of the page itself. */
    hasMain: boolean;
  };
  /** The `authenticity_token` of forms, where the request has changed that of the visit. */
  csrf?: string;
}

/** Paths of what the script of pages loads where it is needed. */
export interface LaterAssets {
  /** The script that draws formulas in texts. */
  formulas: string;
  /** The frame that draws a diagram. */
  diagram: string;
  /** The script of the editor of files. */
  editor: string;
}

/** What the layout of every page needs, and all templates know as `page`, apart from their own values. */
export interface Frame extends Head {
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
  /** What the script loads where a page needs it. */
  later: LaterAssets;
  /** How the server presents itself, and what it says on every page. */
  branding: Branding;
  /** URLs of other servers to which its forms redirect; the page's policy must allow them. */
  formTargets?: readonly string[];
}

const version = packageVersion();

/**
 * The templates in one language: they call the helpers as `h.time(…)`, and write their texts with `t` and `rich`. What they show is in
 * `it`, and what is known of every page in `page`, so that no name of the one hides one of the other.
 */
class Views extends Eta {
  helpers;
  readonly texts;
  readonly markup = markup;
  page: Shown | null = null;

  constructor(language: Language) {
    super({
      views: packagePath('pages/views'),
      cache: true,
      autoEscape: true,
      plugins: [{ processFnString: includesAlone }],
      functionHeader: 'const { helpers: h, markup, page, texts: { t, rich, language } } = this;',
    });
    this.texts = textsIn(language);
    this.helpers = { ...helpers, ...helpers.spoken(this.texts) };
  }
}

/**
 * What a template includes gets what it is given, as `scripts/check_views.ts` takes it: Eta would add all values of the template that
 * includes it, such as a `before` of its form to the pages of a list.
 */
function includesAlone(made: string): string {
  const alone = made.replace('{...it, ...(__eta_d ?? {})}', '__eta_d ?? {}');
  if (alone === made) throw new Error('Eta makes includes in another way than this is written for');
  return alone;
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

/** What templates know of every page. */
export type Shown = Frame & ReturnType<typeof ofRequest>;

/** What is known of a page by its request: its forms' token masked, and the links of its bar. */
function ofRequest({ originalUrl }: Request, { csrf, language, username, isAdmin }: Frame) {
  const [path = '/'] = originalUrl.split('?');
  const links = navigation(path, { signedIn: username !== null, isAdmin: isAdmin === true }, textsIn(language).t);
  return { nonce: crypto.randomBytes(16).toString('base64'), csrf: masked(csrf), path, links, version };
}

/**
 * Responds with a page from pages/views/<view>.eta, which shows `values`. The template escapes its output. The page is not cached, as it
 * may show secrets and the user. Only scripts with its nonce run in it, and other sites cannot frame it.
 */
export function render(
  response: Response,
  status: number,
  view: string,
  frame: Frame,
  values: Readonly<Record<string, unknown>>,
): void {
  const page = { ...frame, ...ofRequest(response.req, frame) };
  const views: Views = Object.create(viewsFor(frame));
  views.page = page;
  const html = views.render(view, values);
  response.status(status);
  response.setHeader(
    'Content-Security-Policy',
    policy(page.nonce, frame.viewer !== undefined, frame.formTargets ?? []),
  );
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
    "frame-src 'self'",
    "manifest-src 'self'",
    `form-action ${["'self'", ...formTargets.map(formTarget)].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
