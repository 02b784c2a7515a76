import { type NextFunction, type RequestHandler, Router } from 'express';
import { type DocumentNode, type ExecutionResult, type GraphQLSchema, getOperationAST } from 'graphql';
import { ask, fieldsKept, isConfirmed } from '#pages/engine/asking.ts';
import { earlierAddress } from '#pages/engine/earlier_address.ts';
import { freshSession } from '#pages/engine/enter.ts';
import { type Match, matcher } from '#pages/engine/match.ts';
import { askToSignIn, missing, type Pages, type TablePages, takesPage } from '#pages/engine/page.ts';
import { type FieldOf, type Problems, problemsFound, problemsOf, sentenceOf } from '#pages/engine/problems.ts';
import type {
  Check,
  Facts,
  FactsWith,
  FeedRow,
  Form,
  JsonRow,
  Need,
  Needed,
  OfRow,
  Page,
  Raw,
  Row,
} from '#pages/engine/row.ts';
import { InvalidVariable, isNoId, type Variable, valuesFor, variablesOf } from '#pages/engine/variables.ts';
import type { Visit } from '#pages/engine/visit.ts';
import { filled } from '#schema/input_fields.ts';
import { selectsSecrets } from '#schema/secret_fields.ts';
import { DomainError, type FieldErrors, NotFound } from '#src/platform/errors.ts';

export interface ServeOptions {
  schema: GraphQLSchema;
  /** Runs an operation for the user of a visit, within the limits of callers. */
  execute(document: DocumentNode, variables: Record<string, unknown>, visit: Visit): Promise<ExecutionResult>;
  /** Sends the content that an operation found. */
  send(content: Raw['content'], found: object, visit: Visit): Promise<void>;
  /** The visit for the owner of its token, where it has no session. Throws DomainErrors. */
  identify(visit: Visit): Promise<Visit>;
  /** What the graph does not tell. Each may throw DomainErrors. */
  needed: { readonly [Name in Need]: (visit: Visit) => Needed[Name] | Promise<Needed[Name]> };
  /** What is wrong with a form, by its variables; `more` says that something else is. */
  checks: {
    readonly [Name in Check]: (
      visit: Visit,
      variables: Readonly<Record<string, unknown>>,
      more: boolean,
    ) => Promise<FieldErrors>;
  };
}

/** The largest form in bytes: descriptions and comments have up to a million characters. */
const MAX_FORM_BYTES = 4 * 1024 * 1024;

/** The largest form with files in bytes. They are in memory until they are committed. */
const MAX_FILES_BYTES = 10 * 1024 * 1024;

interface Compiled<Of extends Row> {
  readonly row: Of;
  readonly match: Match;
  /** Its operation, looked at when the row is first asked for. */
  readonly operation: () => Operation;
}

interface Operation {
  readonly variables: readonly Variable[];
  /** Whether it selects a credential. */
  readonly isSecret: boolean;
}

/** What a form said when it was refused. */
interface Refused {
  /** What was sent. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly problems: Problems;
}

const NOTHING_REFUSED: Refused = { values: {}, problems: {} };

/** Serves the rows of a table of pages and forms. */
export function servePages(rows: readonly Row[], make: Pages, { schema, ...options }: ServeOptions): TablePages {
  const compiled = rows.map((row): Compiled<Row> => {
    let operation: Operation | undefined;
    return { row, match: matcher(row.path), operation: () => (operation ??= operationOf(row, schema)) };
  });
  const pages = compiled.filter((one): one is Compiled<Page> => one.row.kind === 'page');
  const shown = compiled.filter((one): one is Compiled<Page | Raw | FeedRow | JsonRow> => {
    return one.row.kind !== 'form' && !(one.row.kind === 'page' && one.row.onlyAgain);
  });
  const forms = compiled.filter((one): one is Compiled<Form> => one.row.kind === 'form');
  const ofRow = new Map(pages.map((one) => [one.row, one]));
  const returns = forms.filter(({ row }) => row.from !== null);
  const serving = { shown, returns, ofRow, schema, ...options };
  const show = make.page((visit, next) => showPage(serving, visit, next));
  const fileForms = forms.filter(({ row }) => row.takesFiles);
  const shortForms = forms.filter(({ row }) => row.isShort && !row.takesFile);
  const archiveForms = forms.filter(({ row }) => row.takesArchive);
  const textForms = forms.filter(({ row }) => !row.takesFiles && !row.takesFile && !row.takesArchive && !row.isShort);
  const submit = make.ownForm((visit) => sendForm(serving, textForms, visit), MAX_FORM_BYTES);
  const submitShort = make.ownForm((visit) => sendForm(serving, shortForms, visit));
  const submitFiles = make.ownFiles((visit) => sendForm(serving, fileForms, visit), MAX_FILES_BYTES);
  const submitArchive = make.ownArchive((visit) => sendForm(serving, archiveForms, visit));
  const router = Router().get('/{*path}', knownTo([...shown, ...returns], show));
  for (const one of forms) {
    const { path, takesFile } = one.row;
    if (takesFile) router.post(path, ...make.ownUpload(takesFile, (visit) => sendForm(serving, [one], visit)));
  }
  router
    .post('/*path', ...submitShort.map((handler) => knownTo(shortForms, handler)))
    .post('/*path', ...submitFiles.map((handler) => knownTo(fileForms, handler)))
    .post('/*path', ...submitArchive.map((handler) => knownTo(archiveForms, handler)))
    .post('/*path', ...submit.map((handler) => knownTo(textForms, handler)));
  const again: TablePages['again'] = async (path, visit, problems, values = {}) => {
    const page = pages.find(({ row }) => row.path === path);
    if (!page || !(await showRow(serving, page, {}, visit, { values, problems }))) throw new NotFound('Page');
  };
  return { router, again };
}

interface Serving extends ServeOptions {
  shown: readonly Compiled<Page | Raw | FeedRow | JsonRow>[];
  /** Forms at whose paths no page is. */
  returns: readonly Compiled<Form>[];
  ofRow: ReadonlyMap<Row, Compiled<Page>>;
}

/** Leaves requests to other handlers that no row is for. */
function knownTo(rows: readonly Compiled<Row>[], handler: RequestHandler): RequestHandler {
  return (request, response, next) => {
    // Only pages lead on from earlier addresses: a form there is for no row.
    const isEarlier = request.method !== 'POST' && earlierAddress(request.path) !== null;
    const isKnown = isEarlier || rows.some(({ match }) => match(request.path));
    return isKnown ? handler(request, response, next) : next();
  };
}

/** Leaves what is not found to the handlers behind. */
async function showPage(serving: Serving, visit: Visit, next: NextFunction): Promise<void> {
  const { path, originalUrl } = visit.request;
  for (const { row, match, ...compiled } of serving.shown) {
    const parameters = match(path);
    if (!parameters) continue;
    if (row.kind === 'raw') {
      if (await sendRaw(serving, { row, match, ...compiled }, parameters, visit)) return;
      continue;
    }
    if (row.kind === 'feed') {
      if (await sendFeed(serving, { row, match, ...compiled }, parameters, visit)) return;
      continue;
    }
    if (row.kind === 'json') {
      if (await sendJson(serving, { row, match, ...compiled }, parameters, visit)) return;
      continue;
    }
    if (row.signIn && !visit.session) return askToSignIn(visit);
    if (row.administers && !visit.session?.actor.admin) continue;
    if (await showRow(serving, { row, match, ...compiled }, parameters, visit)) return;
  }
  const now = earlierAddress(path);
  if (now !== null && serving.shown.some(({ match }) => match(now))) {
    return visit.response.redirect(302, now + originalUrl.slice(path.length));
  }
  for (const { row, match } of serving.returns) {
    const parameters = match(path);
    if (!parameters || row.from === null) continue;
    return visit.response.redirect(303, typeof row.from === 'string' ? row.from : row.from(parameters));
  }
  next();
}

/** Whether there was something to show. */
async function showRow(
  serving: Serving,
  { row, operation }: Compiled<Page>,
  parameters: Readonly<Record<string, string>>,
  visit: Visit,
  { values, problems }: Refused = NOTHING_REFUSED,
): Promise<boolean> {
  const given = { ...queryOf(visit), ...parameters };
  const usual = factsOf(visit, given);
  const pageSize = row.listsFiles && usual.changes.fileByFile ? 1 : row.pageSize;
  const { variables, isSecret } = operation();
  const asked = variablesIn(variables, row.variables(given, usual), { pageSize }, parameters);
  if (asked === null) return false;
  const reader = row.takesTokens ? await serving.identify(visit) : visit;
  const result = await serving.execute(row.operation, asked, reader);
  refuseFailures(result);
  const facts = { ...usual, needed: await neededFor(row, serving, visit) } as FactsWith<never>;
  const found = result.data && row.found(result.data as never, facts);
  if (found === null || found === undefined) return leadAway(result, parameters, visit, row.catchAll);
  const isRefused = Object.keys(problems).length > 0;
  const elsewhere = isRefused ? null : (row.redirectTo?.(found as never, facts) ?? null);
  if (elsewhere !== null) {
    visit.response.setHeader('Cache-Control', 'no-store');
    visit.response.redirect(302, elsewhere);
    return true;
  }
  const shown = row.show(found as never, facts);
  const title = row.title(found as never, facts);
  const status = isRefused ? 422 : 200;
  if (!isSecret && row.needs.length === 0) visit.allowCompression();
  visit.show(
    row.view,
    { title, feed: row.feed?.(found as never, facts) },
    { ...shownWith(facts, values, problems), ...shown },
    status,
  );
  return true;
}

/** What the graph does not tell a page. */
async function neededFor({ needs }: Page, { needed }: Serving, visit: Visit): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  for (const name of needs) all[name] = await needed[name](visit);
  return all;
}

/** Whether the content was there. */
async function sendRaw(
  serving: Serving,
  { row, operation }: Compiled<Raw>,
  parameters: Readonly<Record<string, string>>,
  visit: Visit,
): Promise<boolean> {
  const given = { ...queryOf(visit), ...parameters };
  const asked = variablesIn(operation().variables, row.variables(given), { pageSize: 0 }, parameters);
  if (asked === null) return false;
  const reader = await serving.identify(visit);
  const result = await serving.execute(row.operation, asked, reader);
  refuseFailures(result);
  const found = result.data && row.found(result.data as never, factsOf(visit, given));
  if (found === null || found === undefined) return leadAway(result, parameters, visit);
  await serving.send(row.content, found as object, reader);
  return true;
}

/** Whether there was something to answer with. */
async function sendJson(
  serving: Serving,
  { row, operation }: Compiled<JsonRow>,
  parameters: Readonly<Record<string, string>>,
  visit: Visit,
): Promise<boolean> {
  const given = { ...queryOf(visit), ...parameters };
  const facts = factsOf(visit, given);
  const asked = variablesIn(operation().variables, row.variables(given, facts), { pageSize: 0 }, parameters);
  if (asked === null) return false;
  const result = await serving.execute(row.operation, asked, visit);
  refuseFailures(result);
  const found = result.data && row.found(result.data as never, facts);
  if (found === null || found === undefined) return leadAway(result, parameters, visit);
  visit.response.set('Cache-Control', 'private, no-store').json(row.answer(found as never, facts));
  return true;
}

/** Whether there was something to tell of. */
async function sendFeed(
  serving: Serving,
  { row, operation }: Compiled<FeedRow>,
  parameters: Readonly<Record<string, string>>,
  visit: Visit,
): Promise<boolean> {
  const given = { ...queryOf(visit), ...parameters };
  const { variables, isSecret } = operation();
  const asked = variablesIn(variables, row.variables(given), row, parameters);
  if (asked === null) return false;
  const reader = await serving.identify(visit);
  const result = await serving.execute(row.operation, asked, reader);
  refuseFailures(result);
  const facts = withoutTokens(factsOf(reader, given));
  const found = result.data && row.found(result.data as never, facts);
  if (found === null || found === undefined) return leadAway(result, parameters, visit, row.catchAll);
  if (!isSecret) visit.allowCompression();
  const [type, text] = row.document(found as never, facts);
  visit.response
    .set({ 'Cache-Control': 'private, no-cache', 'Content-Security-Policy': "default-src 'none'; sandbox" })
    .type(type)
    .send(text);
  return true;
}

/** What a feed may hold of its own address: readers keep feeds, and pass them on. */
function withoutTokens({ url, ...facts }: Facts): Facts {
  const kept = new URL(url);
  for (const name of ['private_token', 'access_token', 'bearer_token', 'sudo']) kept.searchParams.delete(name);
  return { ...facts, url: kept };
}

/** Sends the browser to where a place was moved, or to sign in; false where nothing was found. */
function leadAway(
  result: ExecutionResult,
  parameters: Readonly<Record<string, string>>,
  visit: Visit,
  isCatchAll = false,
): boolean {
  const moved = movedTo(result, parameters.project ?? parameters.group);
  if (moved) visit.response.redirect(302, moved(visit.request.originalUrl));
  else if (!isCatchAll && needsUser(result, visit)) askToSignIn(visit);
  else return refuseWithout(result);
  return true;
}

/** Whether a browser could show more after signing in; other clients are told that there is no such page. */
function needsUser({ errors = [] }: ExecutionResult, { session, request }: Visit): boolean {
  return !session && takesPage(request) && errors.some(({ extensions }) => extensions.code === 'UNAUTHENTICATED');
}

/** Parameters of the query; those that are repeated are lists. */
function queryOf({ request, baseUrl }: Visit): Record<string, string | string[]> {
  const given = new URL(request.originalUrl, baseUrl).searchParams;
  const byName = Map.groupBy(given, ([parameter]) => nameOf(parameter));
  return Object.fromEntries(
    [...byName].map(([name, all]) => {
      const values = all.map(([, value]) => value);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}

/** The variable that a parameter is for: `merge_request[source_branch]`, as in links of today's tools, is for `sourceBranch`. */
function nameOf(parameter: string): string {
  const [, inner] = /^\w+\[(\w+)\](?:\[\])?$/.exec(parameter) ?? [];
  return inner?.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase()) ?? parameter;
}

/** Variables of a page; null where the path holds what no value can be, or lacks one. Throws BAD_REQUEST for the query. */
function variablesIn(
  variables: readonly Variable[],
  given: Readonly<Record<string, unknown>>,
  { pageSize }: Pick<Page, 'pageSize'>,
  parameters: Readonly<Record<string, string>>,
): Record<string, unknown> | null {
  try {
    const asked = valuesFor(variables, given, { isForm: false });
    if (variables.some(({ name, required }) => required && asked[name] === undefined)) return null;
    if (namesNothing(variables, asked, parameters)) return null;
    if (!variables.some(({ name }) => name === 'first')) return asked;
    return { ...asked, [asked.before === undefined && given.page !== 'last' ? 'first' : 'last']: pageSize };
  } catch (error) {
    if (!(error instanceof InvalidVariable)) throw error;
    if (Object.hasOwn(parameters, error.variable)) return null;
    throw new DomainError('requestInvalid', error.message);
  }
}

/** Whether a path has something where the ID of a record should be. */
function namesNothing(
  variables: readonly Variable[],
  asked: Readonly<Record<string, unknown>>,
  parameters: Readonly<Record<string, string>>,
): boolean {
  return variables.some((variable) => Object.hasOwn(parameters, variable.name) && isNoId(variable, asked));
}

async function sendForm(serving: Serving, forms: readonly Compiled<Form>[], visit: Visit): Promise<void> {
  for (const { row, match, operation } of forms) {
    const parameters = match(visit.request.path);
    if (!parameters || (row.administers && !visit.session?.actor.admin)) continue;
    const given: Record<string, unknown> = { ...visit.request.body, ...parameters };
    if (row.asks && !isConfirmed(given)) return askFirst(serving, row.asks, visit, given);
    const { variables } = operation();
    let problems: Problems;
    try {
      const asked = valuesFor(variables, row.variables(given), { isForm: true, lists: row.lists });
      if (namesNothing(variables, asked, parameters)) continue;
      // What was not sent is not in the form.
      const fieldOf = (fills: readonly string[]) =>
        variables.find((one) => one.fills.join() === fills.join() && Object.hasOwn(given, one.name))?.name ?? null;
      problems = await checkForm(serving, row, visit, given, asked, fieldOf);
      if (Object.keys(problems).length === 0) {
        const missing = variables.find(({ name, required }) => required && asked[name] === undefined);
        if (missing) throw new InvalidVariable(missing.name);
        const input = filled(variables, asked, row.differences.preset);
        const result = await serving.execute(row.operation, input, visit);
        const facts = factsOf(visit, given);
        const told = result.errors?.length || !result.data ? null : row.refused?.(result.data as never, facts);
        if (!told && !result.errors?.length && result.data)
          return answerForm({ row, match, operation }, visit, result.data, facts);
        refuseFailures(result);
        const known = told ?? provenWrong(row, result) ?? problemsOf(result, row.operation, serving.schema, fieldOf);
        if (!known || !row.again) throw refusalOf(result);
        problems = known;
      }
    } catch (error) {
      if (!(error instanceof InvalidVariable) || !row.again) throw asRefusal(error);
      problems = { [error.variable]: 'is invalid' };
    }
    const refused = { values: given, problems: saidByForm(problems, parameters) };
    if (!row.again) throw new DomainError('requestInvalid', Object.values(problems).join(', '));
    const again = serving.ofRow.get(row.again);
    if (again && (await showRow(serving, again, parameters, visit, refused))) return;
  }
  throw new NotFound('Page', missing(visit));
}

/** What is wrong with a form before its mutation runs. */
async function checkForm(
  { checks, schema }: Serving,
  row: Form,
  visit: Visit,
  given: Facts['given'],
  variables: Readonly<Record<string, unknown>>,
  fieldOf: FieldOf,
): Promise<Problems> {
  const problems = row.check(given);
  if (row.checkedBy === null) return problems;
  const fields = await checks[row.checkedBy](visit, variables, Object.keys(problems).length > 0);
  return { ...problemsFound(fields, row.operation, schema, fieldOf), ...problems };
}

/** The field with the password that was not the right one. */
function provenWrong({ proof }: Form, { errors = [] }: ExecutionResult): Problems | null {
  const isWrong = proof !== null && errors.some(({ extensions }) => extensions.code === 'UNAUTHENTICATED');
  return isWrong ? { [proof]: 'is wrong' } : null;
}

/** Answers a form that succeeded. */
async function answerForm({ row, operation }: Compiled<Form>, visit: Visit, data: object, facts: Facts): Promise<void> {
  const { session } = visit;
  const csrf = row.renewsSession && session ? await freshSession(visit, session.actor.id) : visit.csrf;
  const shown = row.shows?.(data as never, facts);
  const said = typeof row.says === 'function' ? row.says(data as never, facts) : row.says;
  if (shown) {
    if (!operation().isSecret) visit.allowCompression();
    const { view, title, values } = shown;
    visit.show(
      view,
      { title, csrf, notice: said && facts.t(said) },
      { ...shownWith(facts, facts.given, {}), ...values },
    );
    return;
  }
  if (said !== null) visit.say(said);
  visit.response.redirect(303, row.goTo(data as never, facts));
}

/** What the page of a form says of it: what is in its address has no field, so that the form as a whole says what is wrong with that. */
function saidByForm(problems: Problems, parameters: Readonly<Record<string, string>>): Problems {
  const { '': ofForm, ...others } = problems;
  const inAddress = Object.keys(others).find((name) => Object.hasOwn(parameters, name));
  const whole = ofForm ?? (inAddress === undefined ? undefined : sentenceOf(inAddress, others[inAddress] ?? ''));
  const fields = Object.entries(others).filter(([name]) => !Object.hasOwn(parameters, name));
  return { ...Object.fromEntries(fields), ...(whole !== undefined && { '': whole }) };
}

/** Leads from a form that has to be confirmed to what it asks. */
function askFirst({ ofRow }: Serving, asks: NonNullable<Form['asks']>, visit: Visit, given: Facts['given']): void {
  const facts = factsOf(visit, given);
  if (typeof asks === 'function') {
    ask(visit, asks(facts));
    return;
  }
  const { url } = facts;
  // Of what was sent the page needs what names the thing: no passwords, which addresses must not hold.
  const known =
    ofRow
      .get(asks)
      ?.operation()
      .variables.map(({ name }) => name) ?? [];
  for (const [name, value] of fieldsKept(visit.request.body)) {
    if (known.includes(name)) url.searchParams.append(name, value);
  }
  visit.response.redirect(303, url.pathname + url.search);
}

function operationOf(row: Row, schema: GraphQLSchema): Operation {
  const { operation: document } = row;
  const operation = getOperationAST(document);
  const isSecret = operation !== null && operation !== undefined && selectsSecrets(document, operation);
  return { variables: variablesOf(document, schema, row.kind === 'form' ? row.differences : {}), isSecret };
}

/** How visitors see changes. */
const AS_USUAL = { fileByFile: false, showsWhitespace: true, isSplit: false };

function factsOf({ request, baseUrl, session, sshBase, texts }: Visit, given: Facts['given']): Facts {
  const url = new URL(request.originalUrl, baseUrl);
  const changes = session?.changes ?? AS_USUAL;
  return { url, given, username: session?.actor.username ?? null, sshBase, t: texts.t, changes };
}

/** What all templates of rows get. */
function shownWith(
  { url, given, username, sshBase, changes }: Facts,
  values: Facts['given'],
  problems: Problems,
): OfRow {
  const { isSplit, showsWhitespace } = changes;
  return { url, given, values, problems, isVisitor: username === null, sshBase, isSplit, showsWhitespace };
}

/** The errors that spoil a page, whatever else was found. */
const FAILURES = ['INTERNAL_SERVER_ERROR', 'UNAVAILABLE', 'LIMIT_REACHED', 'RATE_LIMITED', 'QUERY_TOO_LARGE'];

function refuseFailures({ errors = [] }: ExecutionResult): void {
  const failure = errors.find(({ extensions }) => FAILURES.includes(String(extensions.code)));
  if (failure) throw failure.originalError ?? failure;
}

/** What keeps a page from callers who do not see its place. */
const MISSING = ['NOT_FOUND', 'UNAUTHENTICATED'];

/** False where nothing was found; throws what else kept it away. */
function refuseWithout(result: ExecutionResult): false {
  const other = result.errors?.find(({ extensions }) => !MISSING.includes(String(extensions.code)));
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
  return error instanceof InvalidVariable ? new DomainError('requestInvalid', error.message) : error;
}
