import { isUtf8 } from 'node:buffer';
import { parse as parseForm } from 'node:querystring';
import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response, Router } from 'express';
import { archiveForm } from '#pages/engine/archive_form.ts';
import type { Problems } from '#pages/engine/fields.ts';
import { leadSaying } from '#pages/engine/notices.ts';
import { readForm, UnreadableForm } from '#pages/engine/read_form.ts';
import { refusalIn } from '#pages/engine/refusals.ts';
import { unavailable } from '#pages/engine/unavailable.ts';
import { filesForm, type UploadField, uploadForm } from '#pages/engine/upload_form.ts';
import { beginVisit, isOwnForm, type PageOptions, type Visit } from '#pages/engine/visit.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import { isUtf8Encoded } from '#src/base/utf8.ts';
import { DomainError, type ErrorCode } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import { transientFailure } from '#src/platform/observability/transient_failure.ts';
import { label } from '#src/platform/texts/texts.ts';

/** Responds to a visit, or leaves it to the next handler. DomainErrors that it throws become pages. */
export type PageHandler = (visit: Visit, next: NextFunction) => Promise<void> | void;

/** Makes request handlers for pages and forms. */
export interface Pages {
  /** Shows something to everyone. */
  page(show: PageHandler): RequestHandler;
  /** Shows something to signed-in users; others sign in first and come back. */
  own(show: PageHandler): RequestHandler;
  /** Handles a form that was sent from a page of this server. `request.body` has its fields, each a string or a list of strings. */
  form(act: PageHandler): RequestHandler[];
  /** Like `form`, for signed-in users; `largest` bytes, or 64 KiB. */
  ownForm(act: PageHandler, largest?: number): RequestHandler[];
  /** Like `ownForm`, for a multipart form with one file, which is a File in `request.body`, or null if none was sent. */
  ownUpload(file: UploadField, act: PageHandler): (RequestHandler | ErrorRequestHandler)[];
  /** Like `ownForm`, for multipart forms of `largest` bytes with any files. Only those of signed-in users are received. */
  ownFiles(act: PageHandler, largest: number): RequestHandler[];
  /** Like `ownFiles`, for a form with one file, which may be as large as an archive and is kept on the disk. */
  ownArchive(act: PageHandler): RequestHandler[];
}

/** The pages of the table in `pages/`. */
export interface TablePages {
  router: Router;
  /** Shows the page at a path again, with what was wrong with a form of it that is not in the table. */
  again(path: string, visit: Visit, problems: Problems, values?: Record<string, unknown>): Promise<void>;
}

const URL_ENCODED = 'application/x-www-form-urlencoded';

/** The largest form, in bytes. */
const MAX_FORM = 64 * 1024;

/** The most fields that a form may have. */
const MAX_FIELDS = 100;

const parse: RequestHandler = (request, _response, next) => {
  if (request.body === undefined) return next();
  const text = String(request.body);
  if (text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS) {
    return next(new UnreadableForm(413, `The form has more than ${MAX_FIELDS} fields`));
  }
  if (!isUtf8(request.body) || !isUtf8Encoded(text)) {
    return next(new UnreadableForm(400, 'The form is not valid UTF-8'));
  }
  request.body = parseForm(text);
  next();
};

/** How many forms with files are in memory at a time. */
const FILES = { concurrency: 8, perCaller: 2, waitingPerCaller: 4, waiting: 40, patience: 20_000 };
const filesTurns = new CallerSemaphore(FILES);

/** How many forms with archives are received at a time. They take as long as the connection of the sender needs. */
const ARCHIVES = { concurrency: 20, perCaller: 2 };
const archiveTurns = new CallerSemaphore(ARCHIVES);

function takeTurn(turns: CallerSemaphore): PageHandler {
  return async ({ context, response }, next) => {
    const release = await turns.take(callerOf(context.actor, context.clientAddress));
    if (response.destroyed) release();
    else response.once('close', release);
    next();
  };
}

/**
 * Redirects GET requests at a form's action to the page with the form: browsers send them when a response with errors is reloaded
 * from the address bar.
 */
export function leadTo(page: string): RequestHandler {
  return (_request, response) => response.redirect(303, page);
}

export function pagesFor(options: PageOptions): Pages {
  const read = readForm(URL_ENCODED, MAX_FORM);
  const handler = (answer: PageHandler): RequestHandler => {
    return async (request, response, next) => {
      let visit: Visit | undefined;
      try {
        visit = await beginVisit(options, request, response);
        if (!(await options.throttle(visit.session?.actor ?? null, request, response))) return;
        if (visit.session?.mustSetUpTwoFactor && !leadsToSecondFactor(request.path)) return askForSecondFactor(visit);
        await answer(visit, next);
      } catch (error) {
        if (response.headersSent) response.destroy();
        else await refuse({ request, response, visit }, error, options);
      }
    };
  };
  const checked = (act: PageHandler): PageHandler => {
    return (visit, next) => {
      if (isOwnForm(visit)) return act(visit, next);
      return showError(
        visit,
        422,
        visit.texts.t('This form has expired'),
        visit.texts.t('Go back, reload the page and submit the form again.'),
      );
    };
  };
  const signedIn = (show: PageHandler): PageHandler => {
    return (visit, next) => (visit.session ? show(visit, next) : askToSignIn(visit));
  };
  return {
    page: (show) => handler(show),
    own: (show) => handler(signedIn(show)),
    form: (act) => [read, parse, handler(checked(act))],
    ownForm: (act, largest) => [
      largest === undefined ? read : readForm(URL_ENCODED, largest),
      parse,
      handler(checked(signedIn(act))),
    ],
    ownFiles: (act, largest) => [
      handler(signedIn(takeTurn(filesTurns))),
      read,
      parse,
      ...filesForm(largest, MAX_FIELDS),
      handler(checked(act)),
    ],
    ownArchive: (act) => [
      handler(signedIn(takeTurn(archiveTurns))),
      read,
      parse,
      archiveForm(options.largestArchive),
      handler(checked(act)),
    ],
    ownUpload: (file, act) => [...uploadForm(file), handler(checked(signedIn(act)))],
  };
}

/** Shows why there is no page: `title` in the reader's language, `message` in it or as the domain says it. */
export function showError(visit: Visit, status: number, title: string, message: string): void {
  const { request, session, texts, show } = visit;
  // What is missing may be there for somebody who is signed in.
  const signIn = status === 404 && !session && request.method === 'GET' ? signInPath(visit) : null;
  show('error', { title }, { message: refusalIn(texts, message), signIn }, status);
}

/** Lets users do something themselves alone: what applications are granted would outlast that an administrator acts as them. */
export function byOneself(act: (visit: Visit) => Promise<void> | void): PageHandler {
  return (visit) => {
    if (visit.session?.impersonator == null) return act(visit);
    const { t } = visit.texts;
    showError(visit, 403, t('Access denied'), t('You act as somebody else. Only they can let applications in.'));
  };
}

/** Whether a client asks for HTML, as browsers do, which those that take anything do not. */
export function wantsPage(request: Request): boolean {
  return request.accepts(['json', 'html']) === 'html';
}

/** Whether a client gets HTML where there is a page: each that does not prefer JSON, as link checkers do not. */
export function takesPage(request: Request): boolean {
  return request.accepts(['html', 'json']) !== 'json';
}

/** Whether users see it before they have set up the second factor that the settings require. */
function leadsToSecondFactor(path: string): boolean {
  return path === '/profile/account' || path.startsWith('/profile/two_factor') || path === '/users/sign_out';
}

function askForSecondFactor(visit: Visit): void {
  leadSaying(visit, '/profile/account', 'two_factor_required');
}

/** Redirects to the sign-in page, which leads back if the request was a GET. */
export function askToSignIn(visit: Visit): void {
  visit.response.redirect(303, signInPath(visit));
}

function signInPath({ request }: Visit): string {
  const back = request.method === 'GET' ? `?return_to=${encodeURIComponent(request.originalUrl)}` : '';
  return `/users/sign_in${back}`;
}

/** The local path in a parameter; `fallback` for anything else, which could lead to another site. */
export function localPath(given: unknown, fallback: string): string {
  if (typeof given !== 'string' || !given.startsWith('/')) return fallback;
  const url = URL.canParse(given, HERE) ? new URL(given, HERE) : undefined;
  // Browsers parse the result again, when `/.//host` has become `//host`, which is another site.
  if (url?.origin !== HERE || url.pathname.startsWith('//')) return fallback;
  return url.pathname + url.search + url.hash;
}

const HERE = 'http://here.invalid';

const STATUS: Partial<Record<ErrorCode, number>> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  INSUFFICIENT_SCOPE: 403,
  LIMIT_REACHED: 403,
  NOT_FOUND: 404,
  VALIDATION_FAILED: 422,
  BAD_REQUEST: 400,
  CONFLICT: 409,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
};

/** The visit may be unknown when an error occurs. */
interface Asked extends Pick<Visit, 'request' | 'response'> {
  visit: Visit | undefined;
}

async function refuse({ request, response, visit }: Asked, error: unknown, options: PageOptions): Promise<void> {
  const status = error instanceof DomainError ? STATUS[error.code] : undefined;
  if (!(error instanceof DomainError) || status === undefined || !visit) {
    options.report(error, request);
    const passes = transientFailure(error)?.refusal;
    if (passes) return unavailable(options, passes, request, response);
    if (!visit) return void response.status(500).type('text').send('Something went wrong.');
    showError(
      visit,
      500,
      visit.texts.t('Something went wrong'),
      visit.texts.t('An unexpected error occurred on the server.'),
    );
    return;
  }
  const { retryAfter } = error.extensions;
  if (retryAfter !== undefined) response.setHeader('Retry-After', String(retryAfter));
  showError(visit, status, visit.texts.t(titles[status] ?? 'Something went wrong'), error.message);
}

const titles: Record<number, string> = {
  403: label('Access denied'),
  404: label('Page not found'),
  429: label('Too many attempts'),
  503: label('The server is busy'),
};

/** Why there may be no such page, as far as the visitor can do something about it. */
export function missing({ session }: Pick<Visit, 'session'>): string {
  return session
    ? label(
        'Nothing is at this address, or you have no access to it. Maintainers of a project and owners of a group can give you access.',
      )
    : label('Nothing is at this address, or it is not public. Sign in if you have access to it.');
}

/** The last handler: a 404 page for browsers, JSON for other clients. */
export function notFound(options: PageOptions): (request: Request, response: Response) => Promise<void> {
  return async (request, response) => {
    if (!takesPage(request)) return void response.status(404).json({ error: '404 Not Found' });
    const visit = await beginVisit(options, request, response);
    showError(visit, 404, visit.texts.t('Page not found'), visit.texts.t(missing(visit)));
  };
}
