import { type RequestHandler, Router } from 'express';
import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { earlierAddress } from '#pages/engine/earlier_address.ts';
import { type Match, matcher } from '#pages/engine/match.ts';
import type { Facts, Form, Page, Row } from '#pages/engine/row.ts';
import { Unfit, type Variable, valuesFor, variablesOf } from '#pages/engine/variables.ts';
import { askToSignIn, type Pages } from '#src/entrances/web/pages/page.ts';
import type { Visit } from '#src/entrances/web/pages/visit.ts';
import { DomainError, NotFound } from '#src/platform/errors.ts';

export interface ServeOptions {
  schema: GraphQLSchema;
  /** Runs an operation for the user of a visit, within the limits of callers. */
  execute(document: DocumentNode, variables: Record<string, unknown>, visit: Visit): Promise<ExecutionResult>;
}

/** The largest form in bytes: descriptions and comments have up to a million characters. */
const LARGEST_FORM = 4 * 1024 * 1024;

interface Compiled<Of extends Row> {
  readonly row: Of;
  readonly match: Match;
  readonly variables: readonly Variable[];
}

/** What a form said when it was refused. */
interface Refused {
  /** What was sent. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Errors by field; those of no field in particular are under the empty name. */
  readonly problems: Readonly<Record<string, string>>;
}

const NOTHING_REFUSED: Refused = { values: {}, problems: {} };

/** Serves the rows of a table of pages and forms. */
export function servePages(rows: readonly Row[], make: Pages, { schema, execute }: ServeOptions): Router {
  const compiled = rows.map(
    (row): Compiled<Row> => ({
      row,
      match: matcher(row.path),
      variables: variablesOf(row.operation, schema),
    }),
  );
  const pages = compiled.filter((one): one is Compiled<Page> => one.row.kind === 'page');
  const forms = compiled.filter((one): one is Compiled<Form> => one.row.kind === 'form');
  const ofRow = new Map(pages.map((one) => [one.row, one]));
  const serving = { pages, ofRow, execute };
  const show = make.page((visit) => showPage(serving, visit));
  const submit = make.ownForm((visit) => sendForm(serving, forms, visit), LARGEST_FORM);
  return Router()
    .get('/*path', knownTo(pages, show))
    .post('/*path', ...submit.map((handler) => knownTo(forms, handler)));
}

interface Serving extends Pick<ServeOptions, 'execute'> {
  pages: readonly Compiled<Page>[];
  ofRow: ReadonlyMap<Row, Compiled<Page>>;
}

/** Leaves requests to other handlers that no row is for. */
function knownTo(rows: readonly Compiled<Row>[], handler: RequestHandler): RequestHandler {
  return (request, response, next) => {
    const isKnown = rows.some(({ match }) => match(request.path)) || earlierAddress(request.path) !== null;
    return isKnown ? handler(request, response, next) : next();
  };
}

async function showPage(serving: Serving, visit: Visit): Promise<void> {
  const { path, originalUrl } = visit.request;
  for (const one of serving.pages) {
    const parameters = one.match(path);
    if (!parameters) continue;
    if (one.row.signIn && !visit.session) return askToSignIn(visit);
    if (await showRow(serving, one, parameters, visit)) return;
  }
  const now = earlierAddress(path);
  if (now !== null && serving.pages.some(({ match }) => match(now))) {
    return visit.response.redirect(302, now + originalUrl.slice(path.length));
  }
  throw new NotFound('Page', 'The page may have moved, or you may need to sign in to see it.');
}

/** Whether there was something to show. */
async function showRow(
  serving: Serving,
  { row, variables }: Compiled<Page>,
  parameters: Readonly<Record<string, string>>,
  visit: Visit,
  { values, problems }: Refused = NOTHING_REFUSED,
): Promise<boolean> {
  const given = { ...queryOf(visit), ...parameters };
  const facts = factsOf(visit, given);
  const asked = variablesIn(variables, given, parameters, row);
  if (asked === null) return false;
  const result = await serving.execute(row.operation, asked, visit);
  refuseFailures(result);
  const found = result.data && row.found(result.data as never, facts);
  if (found === null || found === undefined) {
    const moved = movedTo(result, parameters.project ?? parameters.group);
    if (moved) visit.response.redirect(302, moved(visit.request.originalUrl));
    else if (!visit.session && result.errors?.some(({ extensions }) => extensions.code === 'UNAUTHENTICATED'))
      askToSignIn(visit);
    else return refuseWithout(result);
    return true;
  }
  const shown = row.show(found as never, facts);
  const title = row.title(found as never, facts);
  const status = Object.keys(problems).length > 0 ? 422 : 200;
  visit.show(row.view, { url: facts.url, given, sshBase: visit.sshBase, values, problems, ...shown, title }, status);
  return true;
}

/** Parameters of the query; those that are repeated are lists. */
function queryOf({ request, baseUrl }: Visit): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {};
  for (const [name, value] of new URL(request.originalUrl, baseUrl).searchParams) {
    const before = query[name];
    query[name] = before === undefined ? value : [before, value].flat();
  }
  return query;
}

/** Variables of a page; null where the path holds what no value can be. Throws BadRequest for what the query holds. */
function variablesIn(
  variables: readonly Variable[],
  given: Readonly<Record<string, unknown>>,
  parameters: Readonly<Record<string, string>>,
  { pageSize }: Page,
): Record<string, unknown> | null {
  try {
    const asked = valuesFor(variables, given, { isForm: false });
    if (variables.some(({ name, required }) => required && asked[name] === undefined)) return null;
    if (!variables.some(({ name }) => name === 'first')) return asked;
    return { ...asked, [asked.before === undefined && given.page !== 'last' ? 'first' : 'last']: pageSize };
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    if (Object.hasOwn(parameters, error.variable)) return null;
    throw new DomainError('BAD_REQUEST', error.message);
  }
}

async function sendForm(serving: Serving, forms: readonly Compiled<Form>[], visit: Visit): Promise<void> {
  for (const { row, match, variables } of forms) {
    const parameters = match(visit.request.path);
    if (!parameters) continue;
    const given: Record<string, unknown> = { ...visit.request.body, ...parameters };
    let refused: Refused;
    try {
      const asked = valuesFor(variables, given, { isForm: true, lists: row.lists });
      const missing = variables.find(({ name, required }) => required && asked[name] === undefined);
      if (missing) throw new Unfit(missing.name);
      const result = await serving.execute(row.operation, asked, visit);
      const [error] = result.errors ?? [];
      if (!error && result.data) {
        visit.response.redirect(303, row.goTo(result.data as never, factsOf(visit, given)));
        return;
      }
      refuseFailures(result);
      refused = { values: given, problems: problemsOf(result) };
      if (!row.again) throw refusalOf(result);
    } catch (error) {
      if (!(error instanceof Unfit) || !row.again) throw asRefusal(error);
      refused = { values: given, problems: { [error.variable]: `${error.variable} is invalid` } };
    }
    const again = serving.ofRow.get(row.again);
    if (again && (await showRow(serving, again, parameters, visit, refused))) return;
  }
  throw new NotFound('Page', 'The page may have moved, or you may need to sign in to see it.');
}

function factsOf({ request, baseUrl, session, sshBase }: Visit, given: Facts['given']): Facts {
  return { url: new URL(request.originalUrl, baseUrl), given, username: session?.actor.username ?? null, sshBase };
}

/** The errors that spoil a page, whatever else was found. */
const FAILURES = ['INTERNAL_SERVER_ERROR', 'UNAVAILABLE', 'LIMIT_REACHED', 'RATE_LIMITED', 'QUERY_TOO_LARGE'];

function refuseFailures({ errors = [] }: ExecutionResult): void {
  const failure = errors.find(({ extensions }) => FAILURES.includes(String(extensions.code)));
  if (failure) throw failure.originalError ?? failure;
}

/** False where nothing was found; throws what else kept it away. */
function refuseWithout(result: ExecutionResult): false {
  const other = result.errors?.find(({ extensions }) => extensions.code !== 'NOT_FOUND');
  if (!other) return false;
  throw other.originalError ?? other;
}

/** How a path leads to where a project or group was moved. */
function movedTo({ errors = [] }: ExecutionResult, place: string | undefined): ((url: string) => string) | null {
  const to = errors.find(({ extensions }) => typeof extensions.movedTo === 'string')?.extensions.movedTo;
  if (typeof to !== 'string' || place === undefined) return null;
  return (url) => `/${to}${url.slice(`/${place.split('/').map(encodeURIComponent).join('/')}`.length)}`;
}

function refusalOf({ errors = [] }: ExecutionResult): Error {
  const [error] = errors;
  return error?.originalError ?? error ?? new NotFound('Page');
}

function asRefusal(error: unknown): unknown {
  return error instanceof Unfit ? new DomainError('BAD_REQUEST', error.message) : error;
}

/** Codes of errors that the user can mend in the form, which may name what is not there. */
const MENDABLE = ['VALIDATION_FAILED', 'BAD_REQUEST', 'CONFLICT', 'FORBIDDEN', 'NOT_FOUND', 'CONTENT_TOO_LARGE'];

function problemsOf(result: ExecutionResult): Refused['problems'] {
  const error = result.errors?.find(({ extensions }) => MENDABLE.includes(String(extensions.code)));
  if (!error) throw refusalOf(result);
  const fields = (error.extensions.fields ?? {}) as Record<string, readonly string[]>;
  const entries = Object.entries(fields).map(([name, messages]) => [name, messages.join(', ')]);
  return Object.fromEntries(entries.length > 0 ? entries : [['', error.message]]);
}
