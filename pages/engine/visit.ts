import crypto from 'node:crypto';
import type { Request, Response } from 'express';
import { brandingFor, type FindMessages, forReader } from '#pages/engine/branding.ts';
import { readCookie, setCookie } from '#pages/engine/cookies.ts';
import { formTokenOf, holdsToken } from '#pages/engine/form_token.ts';
import { keepNotice, takeNotice } from '#pages/engine/kept_notice.ts';
import { refusalIn, refusalsIn } from '#pages/engine/refusals.ts';
import { type Head, type LaterAssets, render } from '#pages/engine/render.ts';
import { findSession, type Session } from '#src/access/credentials/sessions/session.ts';
import { redirectUriAt } from '#src/access/oauth/interaction.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { allowCompression } from '#src/platform/compressible.ts';
import { type SshPlace, sshBase } from '#src/platform/config/ssh_address.ts';
import type { Db } from '#src/platform/database/db.ts';
import { currentSettings } from '#src/platform/settings/current.ts';
import { knownLanguage, LANGUAGES, type Language, type Texts, textsIn } from '#src/platform/texts/texts.ts';

/** What the pages need from the application. */
export interface PageOptions {
  contextOf(actor: Actor | null, request: Request): Context;
  /** URL of the server, without a trailing slash. */
  baseUrl(request: Request): string;
  /** Address for git over SSH; null where SSH is off. */
  sshAddress(): SshPlace;
  /** Path of the stylesheet. */
  stylesheet(): Promise<string>;
  /** Path of the script. */
  script(): Promise<string>;
  /** Paths of what the script loads where a page needs it. */
  later(): Promise<LaterAssets>;
  /** Counts a visit. Returns whether it goes on: otherwise it is answered already, as the visitor comes too often. */
  throttle(actor: Actor | null, request: Request, response: Response): Promise<boolean>;
  /** Bytes of the largest archive that is imported. */
  largestArchive(): Promise<number>;
  /** What the server says on every page. */
  messages: FindMessages;
  /** Whether the page of examples is served; false when absent. */
  examples?: boolean | undefined;
  /** The address of the site for which a path of the server signs in; null for other paths. */
  siteUrlAt(path: unknown): Promise<string | null>;
  /** Called with unexpected errors. */
  report(error: unknown, request: Request): void;
}

/** A request for a page, with its session and context. */
export interface Visit {
  readonly request: Request;
  readonly response: Response;
  /** Its actor is the user of the session. */
  readonly context: Context;
  readonly session: Session | null;
  /** URL of the server as the visitor uses it, without a trailing slash. */
  readonly baseUrl: string;
  /** Prefix of SSH URLs of repositories; null where SSH is off. */
  readonly sshBase: string | null;
  /** Whether cookies are restricted to https. */
  readonly secure: boolean;
  /** The texts of the language that the user chose, or that the browser asks for. */
  readonly texts: Texts;
  /** The `authenticity_token` of this browser's forms, which pages show masked. */
  readonly csrf: string;
  /** Lets the answer be compressed, which is for those that hold no secret. */
  allowCompression(): void;
  /** Says on the page that this answer leads to what was done: a text of the catalogue. */
  say(text: string): void;
  /** Responds with a page; the values `problem` and `problems` are what a form was refused with, as the domain says it. */
  show(view: string, head: Head, values?: Readonly<Record<string, unknown>>, status?: number): void;
}

const begun = new WeakMap<Request, Promise<Visit>>();

/** Finds the session of a request, once. A browser without one gets a cookie that its forms are tied to. */
export function beginVisit(options: PageOptions, request: Request, response: Response): Promise<Visit> {
  const known = begun.get(request);
  if (known) return known;
  const beginning = begin(options, request, response);
  begun.set(request, beginning);
  return beginning;
}

async function begin(options: PageOptions, request: Request, response: Response): Promise<Visit> {
  const nobody = options.contextOf(null, request);
  const baseUrl = options.baseUrl(request);
  const secure = baseUrl.startsWith('https:');
  const token = readCookie(request, 'gantry_session', secure);
  const session = token === undefined ? null : await findSession(nobody.db, token);
  const browser = session && token ? token : formCookie(request, response, secure);
  const stylesheet = await options.stylesheet();
  const script = await options.script();
  const later = await options.later();
  const csrf = formTokenOf(nobody.secret, browser);
  const formTargets = await formTargetsOf(options, nobody.db, request, session);
  const branding = await brandingFor(options.messages, nobody.db, request, baseUrl, secure);
  const ssh = options.sshAddress();
  const language = languageFor(request, session?.language ?? null);
  const texts = textsIn(language);
  const refused = ({ problem, problems }: Record<string, unknown>) => ({
    ...(typeof problem === 'string' && { problem: refusalIn(texts, problem) }),
    ...(problems instanceof Object && { problems: refusalsIn(texts, problems as Record<string, unknown>) }),
  });
  const asked = { request, response, secure, secret: nobody.secret };
  const said = () => {
    const text = takeNotice(asked);
    return text === null ? null : texts.t(text);
  };
  return {
    request,
    response,
    context: options.contextOf(session?.actor ?? null, request),
    session,
    baseUrl,
    sshBase: ssh === null || ssh === 'nowhere' ? null : sshBase(baseUrl, ssh),
    secure,
    texts,
    csrf,
    allowCompression: () => allowCompression(response),
    say: (text) => keepNotice(asked, text),
    show(view, head, values = {}, status = 200) {
      const page = {
        language,
        timezone: session?.timezone ?? null,
        username: session?.actor.username ?? null,
        impersonator: session?.impersonator ?? null,
        isAdmin: session?.actor.admin ?? false,
        theme: session?.theme ?? 'system',
        csrf,
        stylesheet,
        script,
        later,
        formTargets,
        branding: forReader(branding, values),
        notice: said(),
        ...head,
      };
      render(response, status, view, page, { ...values, ...refused(values) });
    },
  };
}

/** The language that a user chose, or else the best one of those that the browser asks for; English where it asks for none that is spoken. */
export function languageFor(request: Request, chosen: string | null): Language {
  return knownLanguage(chosen) ?? knownLanguage(request.acceptsLanguages(...LANGUAGES)) ?? LANGUAGES[0];
}

/** External form targets of a page: signing in and consent lead to the waiting application or site, signing out to the configured URL. */
async function formTargetsOf(
  { siteUrlAt }: PageOptions,
  db: Db,
  request: Request,
  session: Session | null,
): Promise<string[]> {
  const { afterSignOutPath } = session ? await currentSettings(db) : { afterSignOutPath: null };
  const returnTo: unknown = request.body?.return_to ?? request.query.return_to ?? request.path;
  return [await redirectUriAt(db, returnTo), await siteUrlAt(returnTo), afterSignOutPath].filter(
    (url) => url != null && URL.canParse(url),
  ) as string[];
}

/**
 * Whether a form was sent by the browser that requested it, from a page of this server: it has the token, and the `Origin`
 * header, if present, is this server.
 */
export function isOwnForm({ request, csrf, baseUrl }: Visit): boolean {
  const { origin } = request.headers;
  if (origin !== undefined && origin !== new URL(baseUrl).origin) return false;
  return holdsToken(request.body?.authenticity_token, csrf);
}

function formCookie(request: Request, response: Response, secure: boolean): string {
  const kept = readCookie(request, 'gantry_form', secure);
  if (kept !== undefined && /^[\w-]{32}$/.test(kept)) return kept;
  const made = crypto.randomBytes(24).toString('base64url');
  setCookie(response, 'gantry_form', made, { secure });
  return made;
}
